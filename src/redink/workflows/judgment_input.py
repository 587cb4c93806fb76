"""What every command about labels does first: read judgments, drop, merge, choose."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats.inputs import PathLike, load_judgments
from redink.judging.labels import LabelMatrix, drop_flagged, find_fine, rename_labels
from redink.model import Judgment
from redink.model.signatures import fingerprint

Merges = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Prepared:
    """Judgments as they count, what was done to them, and how a signature names it."""

    judgments: tuple[Judgment, ...]
    notes: tuple[str, ...]
    signature: dict[str, Any]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that occur, sorted."""
        return tuple(sorted({judgment.label for judgment in self.judgments}))


def prepare_judgments(
    judgments: PathLike | Iterable[Judgment],
    *,
    merge: Merges | None = None,
    drop: Sequence[str] = (),
    missing: Sequence[str] = (),
    judges: Sequence[str] | None = None,
) -> Prepared:
    """Read judgments; drop flagged items, merge labels, forget non-answers, choose judges.

    Args:
        judgments: a path, or values.
        merge: new label to the labels merged into it.
        drop: columns (or ``COLUMN=VALUE``) that flag items to be dropped.
        missing: labels that are no answer, such as "unknown".
        judges: the judges who count; all by default.
    """
    given = load_judgments(judgments)
    if not given:
        raise DataError("there are no judgments")
    data = fingerprint(f"{j.item}\t{j.judge}\t{j.label}\t{j.gold or ''}" for j in given)
    notes = []
    kept, dropped = drop_flagged(given, drop)
    if drop:
        notes.append(f"{how_many(dropped, 'item')} flagged {' or '.join(drop)} dropped.")
    occurring = {judgment.label for judgment in kept}
    named = [*missing, *(label for labels in (merge or {}).values() for label in labels)]
    for label in named:
        if label not in occurring:
            warnings.warn(
                f"no judgment has the label {label!r}; there are: {', '.join(sorted(occurring))}",
                RedinkWarning,
                stacklevel=3,
            )
    answered = tuple(judgment for judgment in kept if judgment.label not in set(missing))
    if len(answered) < len(kept):
        left_out = len(kept) - len(answered)
        notes.append(f"{how_many(left_out, 'judgment')} {' or '.join(missing)} counted as missing.")
    counted = rename_labels(answered, merge or {})
    if judges is not None:
        present = {judgment.judge for judgment in counted}
        for judge in judges:
            if judge not in present:
                raise OptionError(
                    f"there is no judge {judge!r}; there are: {_some(sorted(present))}"
                )
        counted = tuple(judgment for judgment in counted if judgment.judge in set(judges))
    if not counted:
        raise DataError("no judgments are left after dropping")
    signature = {
        "merge": [f"{new}={'+'.join(old)}" for new, old in merge.items()] if merge else None,
        "drop": list(drop) or None,
        "missing": list(missing) or None,
        "judges": list(judges) if judges is not None else None,
        "data": data,
    }
    return Prepared(counted, tuple(notes), signature)


def how_many(number: int, word: str) -> str:
    """A number with its word, in the plural where it is not one."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _some(names: Sequence[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def describe(matrix: LabelMatrix) -> tuple[str, ...]:
    """Notes that say what the matrix holds."""
    made = int((matrix.codes >= 0).sum())
    sizes = (matrix.codes >= 0).sum(axis=1)
    each = f"{sizes.min()}\N{EN DASH}{sizes.max()}" if np.ptp(sizes) else f"{sizes.max()}"
    notes = [
        (
            f"{how_many(len(matrix.items), 'item')}, {how_many(len(matrix.judges), 'judge')}, "
            f"{how_many(made, 'judgment')} ({each} an item); labels: {_some(matrix.labels)}."
        )
    ]
    if matrix.repetitions:
        again = sum(len(repetition.codes) - 1 for repetition in matrix.repetitions)
        notes.append(
            f"{again} judgments repeat an item that the same judge had judged before; between "
            "judges, the first counts."
        )
    return tuple(notes)


def require_fine(labels: Sequence[str], ok: Sequence[str] | None) -> tuple[str, ...]:
    """The labels that mean "no error".

    Raises:
        OptionError: none is given and no label's word says so.
    """
    fine = find_fine(labels, ok)
    if not fine:
        raise OptionError(
            "which label means that there is no error? Say so with --ok LABEL; "
            f"labels are: {_some(sorted(labels))}"
        )
    for label in ok or ():
        if label not in labels:
            warnings.warn(
                f"no judgment has the label {label!r}; there are: {_some(sorted(labels))}",
                RedinkWarning,
                stacklevel=3,
            )
    return fine
