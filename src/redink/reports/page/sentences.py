"""The sentences of a report with all edits, packed for fast filters.

Edits are columns of small numbers, and a filter compares entire columns: with 100,000 sentences of
twelve systems it takes some milliseconds, a search for words about 20.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.model.corpus import annotator_order

VERDICTS = ("TP", "FP", "FN")
_TP, _FP, _FN = range(3)
NOBODY = "nobody"
Numbers = NDArray[Any]
Edits = Sequence[Mapping[str, Any]]
_OPERATION = re.compile(r"[MRU]:")


@dataclass(frozen=True)
class Filter:
    """Conditions for sentences; empty fields are no condition.

    Attributes:
        words: in the source or in a correction, case-insensitive.
        system: only edits of this system count, and only it is shown.
        type: an error type (``R:VERB:SVA``), a type under any operation (``VERB:SVA``), or an
            operation (``R:``).
        verdict: ``TP``, ``FP`` or ``FN``.
        other: this system and ``system`` made different changes; both are shown.
        which: ``nobody``: there is something to correct, and no system has any of it right.
    """

    words: str = ""
    system: str = ""
    type: str = ""
    verdict: str = ""
    other: str = ""
    which: str = ""


def fits_type(name: str, wanted: str) -> bool:
    """Return whether an error type is the one wanted, under any operation or of an operation."""
    if wanted in {"M:", "R:", "U:"}:
        return name.startswith(wanted)
    return wanted in (name, name[2:] if _OPERATION.match(name) else name)


@dataclass(frozen=True)
class EditColumns:
    """Edits in the order of their sentences, one array per field; texts are numbers.

    ``first`` has the start of the edits of each sentence, and the end of the last. ``who`` is a
    system or an annotator. The verdict of annotators' edits is 0.
    """

    first: Numbers
    sentence: Numbers
    who: Numbers
    start: Numbers
    end: Numbers
    correction: Numbers
    type: Numbers
    verdict: Numbers


@dataclass(frozen=True)
class SentenceIndex:
    """All sentences with the edits of annotators (references) and systems (judged).

    ``judged`` includes the edits that systems missed. ``present`` says which annotator saw which
    sentence, as (sentences, annotators).
    """

    sources: Sequence[str]
    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    types: tuple[str, ...]
    corrections: Sequence[str]
    present: NDArray[np.bool_]
    references: EditColumns
    judged: EditColumns

    def __len__(self) -> int:
        return len(self.sources)

    def header(self) -> dict[str, Any]:
        """Return the names for the numbers in :meth:`sentence`."""
        return {
            "annotators": list(self.annotators),
            "systems": list(self.systems),
            "types": list(self.types),
            "verdicts": list(VERDICTS),
            "total": len(self),
        }

    def sentence(self, number: int) -> list[Any]:
        """Return source, annotators' edits and systems' edits, types and verdicts as numbers."""
        references: dict[str, list[list[Any]]] = {
            str(who): [] for who in np.flatnonzero(self.present[number]).tolist()
        }
        for who, edit in self._edits(self.references, number):
            references[str(who)].append(edit[:4])
        systems: list[list[list[Any]]] = [[] for _ in self.systems]
        for who, edit in self._edits(self.judged, number):
            systems[who].append(edit)
        return [self.sources[number], references, systems]

    def _edits(self, columns: EditColumns, number: int) -> Iterator[tuple[int, list[Any]]]:
        part = slice(int(columns.first[number]), int(columns.first[number + 1]))
        names = ("who", "start", "end", "correction", "type", "verdict")
        fields = (getattr(columns, name)[part].tolist() for name in names)
        for who, start, end, correction, kind, verdict in zip(*fields, strict=True):
            yield who, [start, end, self.corrections[correction], kind, verdict]

    def find(self, wanted: Filter) -> Numbers:
        """Return the numbers of the sentences that pass, in order.

        With two systems, the sentences in which the first one is furthest ahead come first.
        """
        found = np.ones(len(self), dtype=bool)
        pair = wanted.system and wanted.other
        if (wanted.system and not pair) or wanted.type or wanted.verdict:
            found = self._with_edit(wanted)
        if pair:
            found &= self._with_difference(wanted.system, wanted.other)
        if wanted.which == NOBODY:
            verdicts = self.judged.verdict
            found &= self._with(verdicts == _FN) & ~self._with(verdicts == _TP)
        words = " ".join(wanted.words.lower().split())
        if words:
            found &= np.array([words in text for text in self._texts], dtype=bool)
        numbers = np.flatnonzero(found)
        if pair:
            lead = self._lead(wanted.system) - self._lead(wanted.other)
            numbers = numbers[np.argsort(-lead[numbers], kind="stable")]
        return numbers

    def _with(self, passing: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which sentences have one of these edits."""
        found = np.zeros(len(self), dtype=bool)
        found[self.judged.sentence[passing]] = True
        return found

    def _lead(self, system: str) -> Numbers:
        """Return true positives minus false positives of a system in every sentence."""
        edits = self.judged
        own = edits.who == _index(self.systems, system)
        right, wrong = (
            np.bincount(edits.sentence[own & (edits.verdict == verdict)], minlength=len(self))
            for verdict in (_TP, _FP)
        )
        return np.asarray(right - wrong)

    def _with_difference(self, system: str, other: str) -> NDArray[np.bool_]:
        """Return a mask of the sentences with a change that only one of two systems made."""
        edits = self.judged
        changes = []
        for name in (system, other):
            own = (edits.verdict != _FN) & (edits.who == _index(self.systems, name))
            columns = (edits.sentence, edits.start, edits.end, edits.correction)
            rows = np.stack([column[own].astype(np.int64) for column in columns], axis=1)
            changes.append(np.unique(rows, axis=0))
        rows, counts = np.unique(np.concatenate(changes), axis=0, return_counts=True)
        found = np.zeros(len(self), dtype=bool)
        found[rows[counts == 1, 0]] = True
        return found

    def _with_edit(self, wanted: Filter) -> NDArray[np.bool_]:
        """Return in which sentences one edit has everything that is wanted."""
        edits = self.judged
        passing = np.ones(len(edits.sentence), dtype=bool)
        if wanted.system:
            names = [wanted.system, *([wanted.other] if wanted.other else [])]
            passing &= np.isin(edits.who, [_index(self.systems, name) for name in names])
        if wanted.verdict:
            passing &= edits.verdict == _index(VERDICTS, wanted.verdict)
        if wanted.type:
            fitting = np.array([fits_type(name, wanted.type) for name in self.types], dtype=bool)
            passing &= fitting[edits.type] if len(fitting) else False
        return self._with(passing)

    @cached_property
    def _texts(self) -> list[str]:
        """Source and corrections of every sentence in lower case, one per line."""
        lowered = [text.lower() for text in self.corrections]
        texts = []
        for number, source in enumerate(self.sources):
            lines = [source.lower()]
            for columns in (self.references, self.judged):
                part = slice(int(columns.first[number]), int(columns.first[number + 1]))
                lines += [lowered[c] for c in columns.correction[part].tolist()]
            texts.append("\n".join(dict.fromkeys(lines)))
        return texts

    def warm_up(self) -> None:
        """Prepare the first search for words."""
        _ = self._texts


def _index(names: Sequence[str], name: str) -> int:
    """Return the index of a name, or -1."""
    return names.index(name) if name in names else -1


def _pack(parts: Sequence[Numbers], sentences: int) -> EditColumns:
    rows = np.concatenate([np.zeros((0, 7), dtype=np.int32), *parts])
    rows = rows[np.argsort(rows[:, 0], kind="stable")]  # systems stay in their order
    first = np.searchsorted(rows[:, 0], np.arange(sentences + 1))
    return EditColumns(first, *map(_narrow, rows.T))


def _narrow(column: Numbers) -> Numbers:
    """Copy a column as the smallest type that fits: comparisons read less memory."""
    highest = int(column.max(initial=0))
    kind = np.uint8 if highest < 256 else np.uint16 if highest < 65536 else np.int32
    return np.array(column, dtype=kind)


def index_sentences(
    sources: Sequence[str],
    references: Sequence[Mapping[str, Edits]],
    systems: Iterable[tuple[str, Iterable[Edits]]],
) -> SentenceIndex:
    """Pack the edits of all annotators and systems.

    Args:
        sources: the sentences.
        references: for every sentence the edits of each annotator who saw it: ``start``,
            ``end``, ``correction`` and ``type``.
        systems: name and, for every sentence, edits with their ``verdict``; an iterator needs the
            memory of one system at a time.
    """
    types: dict[str, int] = {}
    corrections: dict[str, int] = {}

    def pack(edits: Iterable[tuple[int, int, Mapping[str, Any], int]]) -> Numbers:
        rows = (
            (
                sentence,
                who,
                edit["start"],
                edit["end"],
                corrections.setdefault(edit["correction"], len(corrections)),
                types.setdefault(edit["type"], len(types)),
                verdict,
            )
            for sentence, who, edit, verdict in edits
        )
        return np.fromiter(chain.from_iterable(rows), dtype=np.int32).reshape(-1, 7)

    annotators = sorted({name for views in references for name in views}, key=annotator_order)
    places = {name: place for place, name in enumerate(annotators)}
    present = np.zeros((len(sources), len(annotators)), dtype=bool)
    for number, views in enumerate(references):
        present[number, [places[name] for name in views]] = True
    gold = pack(
        (number, places[name], edit, 0)
        for number, views in enumerate(references)
        for name, edits in views.items()
        for edit in edits
    )
    names: list[str] = []
    judged = []
    for name, sentences in systems:
        judged.append(
            pack(
                (number, len(names), edit, VERDICTS.index(edit["verdict"]))
                for number, edits in enumerate(sentences)
                for edit in edits
            )
        )
        names.append(name)
    return SentenceIndex(
        sources=tuple(sources),
        annotators=tuple(annotators),
        systems=tuple(names),
        types=tuple(types),
        corrections=tuple(corrections),
        present=present,
        references=_pack([gold], len(sources)),
        judged=_pack(judged, len(sources)),
    )
