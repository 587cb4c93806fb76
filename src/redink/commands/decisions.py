"""What a system says of each item that judges judged: an error or not."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from redink.errors import DataError, OptionError
from redink.inputs.loading import PathLike
from redink.inputs.system_labels import CasesLike, load_cases
from redink.inputs.system_names import name_inputs
from redink.judging.labels import ERROR_WORDS, FINE_WORDS
from redink.model import Judgment
from redink.statistics.resampling import BoolArray, FloatArray

DecisionsLike = Mapping[str, CasesLike] | Sequence[PathLike]
"""Systems by name; or each a judge of the judgments, ``NAME=PATH``, or ``PATH``."""

_WORD = re.compile(r"s0*(\d{1,15})t0*(\d{1,15})")


def _without_zeros(item: str) -> str:
    match = _WORD.fullmatch(item)
    return f"s{int(match[1])}t{int(match[2])}" if match else item


@dataclass(frozen=True)
class Decisions:
    """A system's label for every item it has seen."""

    name: str
    labels: Mapping[str, str]

    def label(self, item: str) -> str | None:
        """What the system says, or None. ``s07t03`` and ``s7t3`` name the same word."""
        found = self.labels.get(item)
        return self.labels.get(_without_zeros(item)) if found is None else found

    def flags(
        self, items: Sequence[str], *, fine: Collection[str], known: Collection[str]
    ) -> tuple[BoolArray, FloatArray]:
        """What the system flags; and 1 where it says something, NaN where it says nothing.

        Args:
            items: the items.
            fine: the labels that mean "no error".
            known: the labels that judges use.

        Raises:
            DataError: a label that no judge uses and whose word does not say what it means; or
                the system says nothing of any item.
        """
        labels = [self.label(item) for item in items]
        flags = []
        for item, label in zip(items, labels, strict=True):
            word = (label or "").strip().casefold()
            if label is None or label in fine or (label not in known and word in FINE_WORDS):
                flags.append(False)
            elif label in known or word in ERROR_WORDS:
                flags.append(True)
            else:
                raise DataError(
                    f"system {self.name!r} says {label!r} of item {item!r}, which no judge says; "
                    f"labels are: {', '.join(sorted(known))} (merge it with --merge)"
                )
        if set(labels) == {None}:
            raise DataError(
                f"system {self.name!r} says nothing of any judged item; "
                f"they are called {', '.join(items[:3])} …"
            )
        says = [np.nan if label is None else 1.0 for label in labels]
        return np.array(flags), np.array(says)


def load_decisions(
    system: CasesLike, *, name: str, merge: Mapping[str, str] | None = None
) -> Decisions:
    """A system's labels by item, those in ``merge`` replaced by others.

    Raises:
        DataError: several judges' labels in one file, or two labels for one item.
    """
    cases = load_cases(system, name=name)
    judges = {case.judge for case in cases}
    if len(judges) > 1:
        if name not in judges:
            raise DataError(
                f"system {name!r} is a file with {len(judges)} judges; a system has one, "
                "or is called like one of them (NAME=PATH)"
            )
        cases = tuple(case for case in cases if case.judge == name)
    labels: dict[str, str] = {}
    for case in cases:
        if labels.setdefault(_without_zeros(case.item), case.label) != case.label:
            raise DataError(f"system {name!r} has two different labels for item {case.item!r}")
    new = merge or {}
    return Decisions(name, {item: new.get(label, label) for item, label in labels.items()})


def find_systems(
    systems: DecisionsLike,
    judgments: Iterable[Judgment],
    *,
    merge: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Decisions, ...]:
    """What every system says; labels from files are merged as the judges' were.

    Raises:
        OptionError: a system that is neither a judge nor a file.
        DataError: two systems of one name.
    """
    new = {old: name for name, olds in (merge or {}).items() for old in olds}
    if isinstance(systems, Mapping):
        return tuple(load_decisions(s, name=name, merge=new) for name, s in systems.items())
    own: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        own.setdefault(judgment.judge, []).append(judgment)
    found: dict[str, Decisions] = {}
    for given in map(str, systems):
        if given in own:
            loaded = [load_decisions(own[given], name=given)]
        else:
            named = name_inputs([given])
            if named[0][1] == given and not Path(given).exists():
                raise OptionError(f"{given!r} is neither a judge in the file nor a file")
            loaded = [load_decisions(path, name=name, merge=new) for name, path in named]
        for decisions in loaded:
            if decisions.name in found:
                raise DataError(f"two systems are called {decisions.name!r}")
            found[decisions.name] = decisions
    return tuple(found.values())
