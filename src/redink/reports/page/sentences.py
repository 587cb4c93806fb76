"""The sentences of a report with everybody's edits, packed so that a question is answered at once.

Edits are columns of small numbers; a filter is a comparison of whole columns. Words are looked
for in one long text of all sentences. With 100,000 sentences of twelve systems an answer takes
some milliseconds, and the memory is a fraction of what the edits take as objects.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.model.corpus import annotator_order

VERDICTS = ("TP", "FP", "FN")
NOBODY = "nobody"
Numbers = NDArray[Any]
Edits = Sequence[Mapping[str, Any]]
_OPERATION = re.compile(r"[MRU]:")


@dataclass(frozen=True)
class Filter:
    """Which sentences are wanted; what is empty is not asked.

    Attributes:
        words: in the source or in a correction, upper and lower case alike.
        system: only edits of this system count, and only it is shown.
        type: an error type (``R:VERB:SVA``), a type under any operation (``VERB:SVA``), or an
            operation (``R:``).
        verdict: ``TP``, ``FP`` or ``FN``.
        other: where this system and ``system`` made different changes; both are shown.
        which: ``nobody``: there is something to correct, and no system has any of it right.
    """

    words: str = ""
    system: str = ""
    type: str = ""
    verdict: str = ""
    other: str = ""
    which: str = ""


def fits_type(name: str, wanted: str) -> bool:
    """Whether an error type is the one wanted, under any operation or of an operation."""
    if wanted in _OPERATIONS:
        return name.startswith(wanted)
    return wanted in (name, name[2:] if _OPERATION.match(name) else name)


_OPERATIONS = ("M:", "R:", "U:")


@dataclass(frozen=True)
class EditColumns:
    """Edits in the order of their sentences, a column for each part of them.

    Attributes:
        first: where the edits of each sentence begin, and where the last ones end.
        sentence: the number of the sentence.
        who: the number of the system or annotator.
        start: the first token replaced.
        end: one past the last.
        correction: the number of the text put there.
        type: the number of the error type.
        verdict: the number of the verdict; of annotators' edits 0.
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
    """All sentences, and what annotators and systems made of them.

    Attributes:
        sources: the sentences as written.
        annotators: their names.
        systems: their names, in the order shown.
        types: every error type.
        corrections: every correction.
        present: ``(sentences, annotators)``: who annotated what.
        references: the annotators' edits.
        judged: the systems' edits, and those that they missed.
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
        """What the numbers of :meth:`sentence` mean, for the script of the page."""
        return {
            "annotators": list(self.annotators),
            "systems": list(self.systems),
            "types": list(self.types),
            "verdicts": list(VERDICTS),
            "total": len(self),
        }

    def sentence(self, number: int) -> list[Any]:
        """Source, annotators' edits and systems' edits, types and verdicts as numbers."""
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
        for who, start, end, correction, kind, verdict in zip(
            columns.who[part].tolist(),
            columns.start[part].tolist(),
            columns.end[part].tolist(),
            columns.correction[part].tolist(),
            columns.type[part].tolist(),
            columns.verdict[part].tolist(),
            strict=True,
        ):
            yield who, [start, end, self.corrections[correction], kind, verdict]

    def find(self, wanted: Filter) -> Numbers:
        """The numbers of the sentences that pass, in order.

        Of two systems: those first in which the first one is furthest ahead.
        """
        found = np.ones(len(self), dtype=bool)
        pair = wanted.system and wanted.other
        if (wanted.system and not pair) or wanted.type or wanted.verdict:
            found = self._with_edit(wanted)
        if pair:
            found &= self._with_difference(wanted.system, wanted.other)
        if wanted.which == NOBODY:
            found &= self._with_verdict("FN") & ~self._with_verdict("TP")
        words = " ".join(wanted.words.lower().split())
        if words:
            found &= self._with_words(words)
        numbers = np.flatnonzero(found)
        if pair:
            lead = self._lead(wanted.system) - self._lead(wanted.other)
            numbers = numbers[np.argsort(-lead[numbers], kind="stable")]
        return numbers

    def _lead(self, system: str) -> Numbers:
        """What a system gets right in every sentence, less what it gets wrong."""
        edits = self.judged
        mine = edits.who == _place(self.systems, system)
        right, wrong = (
            np.bincount(edits.sentence[mine & (edits.verdict == place)], minlength=len(self))
            for place in (_place(VERDICTS, "TP"), _place(VERDICTS, "FP"))
        )
        return np.asarray(right - wrong)

    def _with_verdict(self, verdict: str) -> NDArray[np.bool_]:
        found = np.zeros(len(self), dtype=bool)
        found[self.judged.sentence[self.judged.verdict == _place(VERDICTS, verdict)]] = True
        return found

    def _with_difference(self, system: str, other: str) -> NDArray[np.bool_]:
        """Sentences in which one of two systems made a change that the other did not make."""
        edits = self.judged
        made = edits.verdict != _place(VERDICTS, "FN")
        changes = []
        for name in (system, other):
            mine = made & (edits.who == _place(self.systems, name))
            columns = (edits.sentence, edits.start, edits.end, edits.correction)
            rows = np.stack([column[mine].astype(np.int64) for column in columns], axis=1)
            changes.append(np.unique(rows, axis=0))
        rows, counts = np.unique(np.concatenate(changes), axis=0, return_counts=True)
        found = np.zeros(len(self), dtype=bool)
        found[rows[counts == 1, 0]] = True
        return found

    def _with_edit(self, wanted: Filter) -> NDArray[np.bool_]:
        """Sentences in which one edit has all that is wanted."""
        edits = self.judged
        passing = np.ones(len(edits.sentence), dtype=bool)
        if wanted.system:
            names = [wanted.system, *([wanted.other] if wanted.other else [])]
            passing &= np.isin(edits.who, [_place(self.systems, name) for name in names])
        if wanted.verdict:
            passing &= edits.verdict == _place(VERDICTS, wanted.verdict)
        if wanted.type:
            fitting = np.array([fits_type(name, wanted.type) for name in self.types], dtype=bool)
            passing &= fitting[edits.type] if len(fitting) else False
        found = np.zeros(len(self), dtype=bool)
        found[edits.sentence[passing]] = True
        return found

    @cached_property
    def _text(self) -> tuple[bytes, list[int]]:
        """Source and corrections of every sentence in small letters, and where each begins.

        Each source and correction is a line: no match reaches from one into the next.
        """
        lowered = [text.lower() for text in self.corrections]
        parts: list[bytes] = []
        begins: list[int] = []
        at = 0
        for number, source in enumerate(self.sources):
            texts = [source.lower()]
            for columns in (self.references, self.judged):
                part = slice(int(columns.first[number]), int(columns.first[number + 1]))
                texts += dict.fromkeys(lowered[c] for c in columns.correction[part].tolist())
            part_of_text = ("\n".join(dict.fromkeys(texts)) + "\n").encode("utf-8", "replace")
            begins.append(at)
            parts.append(part_of_text)
            at += len(part_of_text)
        return b"".join(parts), begins

    def _with_words(self, words: str) -> NDArray[np.bool_]:
        text, begins = self._text
        wanted = words.encode("utf-8", "replace")
        found = np.zeros(len(self), dtype=bool)
        at = text.find(wanted)
        while at >= 0:
            # one match says enough of a sentence: go on with the next
            following = bisect_right(begins, at)
            found[following - 1] = True
            if following == len(begins):
                break
            at = text.find(wanted, begins[following])
        return found

    def warm_up(self) -> None:
        """Make now what the first question about words would have to make."""
        _ = self._text


def _place(names: Sequence[str], name: str) -> int:
    """The number of a name; -1, which nothing has, if it is not there."""
    return names.index(name) if name in names else -1


@dataclass
class _Columns:
    """Edits of one side as they come, before they are in order."""

    parts: list[Numbers] = field(default_factory=list)

    def add(self, rows: Iterable[tuple[int, ...]]) -> None:
        flat = np.fromiter(chain.from_iterable(rows), dtype=np.int32)
        self.parts.append(flat.reshape(-1, 7))

    def pack(self, sentences: int) -> EditColumns:
        rows = np.concatenate(self.parts) if self.parts else np.zeros((0, 7), dtype=np.int32)
        # sentence, who, start, end, correction, type, verdict; systems stay in their order
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        first = np.searchsorted(rows[:, 0], np.arange(sentences + 1))
        # the smallest numbers that hold what is there: comparisons read less memory
        small = [_narrow(rows[:, place]) for place in range(7)]
        return EditColumns(first, *small)


def _narrow(column: Numbers) -> Numbers:
    # a copy in any case: a view would keep the whole array
    highest = int(column.max(initial=0))
    kind = np.uint8 if highest < 256 else np.uint16 if highest < 65536 else np.int32
    return np.array(column, dtype=kind)


def index_sentences(
    sources: Sequence[str],
    references: Sequence[Mapping[str, Edits]],
    systems: Iterable[tuple[str, Iterable[Edits]]],
) -> SentenceIndex:
    """Pack the edits of everybody.

    Args:
        sources: the sentences.
        references: for every sentence the edits of each annotator who saw it: ``start``,
            ``end``, ``correction`` and ``type``.
        systems: name and, for every sentence, edits with their ``verdict``; taken one by one, so
            that the caller need not hold those of all systems at a time.
    """
    types: dict[str, int] = {}
    corrections: dict[str, int] = {}

    def pack(sentence: int, who: int, edit: Mapping[str, Any], verdict: int) -> tuple[int, ...]:
        return (
            sentence,
            who,
            edit["start"],
            edit["end"],
            corrections.setdefault(edit["correction"], len(corrections)),
            types.setdefault(edit["type"], len(types)),
            verdict,
        )

    annotators = sorted({name for views in references for name in views}, key=annotator_order)
    places = {name: place for place, name in enumerate(annotators)}
    present = np.zeros((len(sources), len(annotators)), dtype=bool)
    for number, views in enumerate(references):
        present[number, [places[name] for name in views]] = True
    gold, judged = _Columns(), _Columns()
    gold.add(
        pack(number, places[name], edit, 0)
        for number, views in enumerate(references)
        for name, edits in views.items()
        for edit in edits
    )
    names: list[str] = []
    for name, sentences in systems:
        judged.add(
            pack(number, len(names), edit, VERDICTS.index(edit["verdict"]))
            for number, edits in enumerate(sentences)
            for edit in edits
        )
        names.append(name)
    return SentenceIndex(
        sources=tuple(sources),
        annotators=tuple(annotators),
        systems=tuple(names),
        types=tuple(types),
        corrections=tuple(corrections),
        present=present,
        references=gold.pack(len(sources)),
        judged=judged.pack(len(sources)),
    )
