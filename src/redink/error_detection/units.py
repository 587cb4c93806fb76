"""What a unit is: token, span, character, sentence; and what edits change in terms of it.

Each kind of unit turns a sentence into ``Sites`` and a reader's edits into a ``Reading``. Units
that the user names (a class of words, a list of positions) are in
:mod:`redink.error_detection.targets`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import ClassVar, Literal

from rapidfuzz.distance import Levenshtein

from redink.error_detection.writer_annotator_system import Form, Key, Reading
from redink.errors import DataError, OptionError
from redink.model import UNCORRECTED, Detection, Edit, Sentence, apply_edits

Insertions = Literal["right", "gap", "none"]
UNKNOWN_FORM: frozenset[Form] = frozenset()
"""The forms of a unit that is flagged and for which no correction is given."""
_MOST_ALTERNATIVES = 256  # texts that one annotation may stand for; a bound, never met in practice


class Units(ABC):
    """One way to divide sentences into units; sentences are numbered from 0."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def definition(self) -> str:
        """What the units are, for the note under the table."""

    @abstractmethod
    def keys(self, number: int, source: Sentence, /) -> Sequence[Key] | None:
        """The units of a sentence in order; None where non-errors have no size."""

    @abstractmethod
    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> Reading:
        """What a reader's edits change."""

    @abstractmethod
    def flag(self, number: int, source: Sentence, flags: Sequence[bool], /) -> Reading:
        """What a system flags that has a flag for every token and no corrections."""

    def site(self, _number: int, _source: Sentence, _key: Key, /) -> int | None:
        """The token by which a rule decides whether a unit can be a negative, if there is one."""
        return None

    def written(self, _number: int, source: Sentence, key: Key, /) -> str:
        """What the writer has at a unit, for people: here the tokens of a span."""
        assert isinstance(key, tuple)
        return " ".join(source.tokens[slice(*key)])

    def score(
        self, _number: int, _source: Sentence, _detection: Detection, /
    ) -> Mapping[Key, float] | None:
        """The score of every unit that has one; None where token scores say nothing of units."""
        return None


def _forms_of(edit: Edit) -> frozenset[Form]:
    """What the edit makes of its span: the whole of it, and every alternative."""
    if edit.type in UNCORRECTED:
        return UNKNOWN_FORM
    return frozenset((edit.start, edit.end, correction) for correction in edit.corrections)


class _Collector:
    """Gathers what edits change into a reading."""

    def __init__(self) -> None:
        self.forms: dict[Key, frozenset[Form]] = {}
        self.times: dict[Key, int] = {}

    def add(self, key: Key, forms: frozenset[Form]) -> None:
        if key in self.forms:
            self.times[key] = self.times.get(key, 1) + 1
            forms |= self.forms[key]
        self.forms[key] = forms

    def reading(self) -> Reading:
        return Reading(self.forms, self.times)


def require_probabilities(detection: Detection) -> tuple[float, ...]:
    """The probabilities of a detection, which a curve cannot do without."""
    if detection.probabilities is None:
        raise DataError("a curve needs a probability for every token, and one sentence has none")
    return detection.probabilities


@dataclass(frozen=True, kw_only=True)
class TokenUnits(Units):
    """Every token of the source.

    Attributes:
        insertions: where an inserted word is looked for. ``right``: at the token to its right, as
            the ERRANT scorer has it, so every sentence has one more unit, its end. ``gap``: the
            gaps between tokens are units of their own. ``none``: insertions are left out.
    """

    insertions: Insertions = "right"
    name = "token"

    @property
    def definition(self) -> str:
        """What the units are."""
        return {
            "right": "every token and the end of every sentence; "
            "an insertion is an error of the token to its right",
            "gap": "every token and every gap between tokens, before the first and after the last",
            "none": "every token; insertions are left out",
        }[self.insertions]

    def keys(self, _number: int, source: Sentence, /) -> range:
        """Tokens by number; a gap lies half a token before its right neighbour: tokens are odd."""
        if self.insertions == "gap":
            return range(2 * len(source) + 1)
        return range(len(source) + (self.insertions == "right"))

    def read(self, _number: int, _source: Sentence, edits: Iterable[Edit], /) -> Reading:
        """Every token inside an edit's span is changed, and its form is the whole edit."""
        collected = _Collector()
        for edit in edits:
            forms = _forms_of(edit)
            if edit.start < edit.end:
                for token in range(edit.start, edit.end):
                    collected.add(self.key(token), forms)
            elif self.insertions != "none":
                collected.add(2 * edit.start if self.insertions == "gap" else edit.start, forms)
        return collected.reading()

    def flag(self, _number: int, _source: Sentence, flags: Sequence[bool], /) -> Reading:
        """The flagged tokens."""
        return Reading({self.key(i): UNKNOWN_FORM for i, flagged in enumerate(flags) if flagged})

    def site(self, _number: int, source: Sentence, key: Key, /) -> int | None:
        """The token itself; the token to the right of a gap; nothing at the end."""
        assert isinstance(key, int)
        token = key // 2 if self.insertions == "gap" else key
        return token if token < len(source) else None

    def written(self, _number: int, source: Sentence, key: Key, /) -> str:
        """The token; nothing in a gap or at the end."""
        assert isinstance(key, int)
        if self.insertions == "gap":
            return source.tokens[key // 2] if key % 2 else ""
        return source.tokens[key] if key < len(source) else ""

    def score(self, _number: int, _source: Sentence, detection: Detection, /) -> dict[Key, float]:
        """Every token's probability; gaps and ends of sentences have none."""
        given = require_probabilities(detection)
        if self.insertions == "gap":
            return {self.key(i): p for i, p in enumerate(given)}
        return dict(enumerate(given))

    def key(self, token: int) -> int:
        """The unit of a token."""
        return 2 * token + 1 if self.insertions == "gap" else token


class SpanUnits(Units):
    """The spans of the edits themselves: there are no negatives, and so no kappa."""

    name = "span"
    definition = "the spans that the annotator or the system edits"

    def keys(self, _number: int, _source: Sentence, /) -> None:
        """No units are there before somebody edits."""
        return

    def read(self, _number: int, _source: Sentence, edits: Iterable[Edit], /) -> Reading:
        """Every edit's span."""
        collected = _Collector()
        for edit in edits:
            collected.add((edit.start, edit.end), _forms_of(edit))
        return collected.reading()

    def flag(self, _number: int, _source: Sentence, _flags: Sequence[bool], /) -> Reading:
        """Not possible."""
        raise OptionError("flags for tokens have no spans; use --unit token or sentence")


class CharacterUnits(Units):
    """Every character of the source, and its end.

    Inside an edit the characters are aligned, and only those that differ are changed; inserted
    characters belong to the character on their right.
    """

    name = "character"
    definition = (
        "every character, blanks included, and the end of every sentence; only characters "
        "that differ are changed, an insertion is an error of the character to its right"
    )

    def keys(self, _number: int, source: Sentence, /) -> range:
        """Characters by number, and the end."""
        return range(len(_text_of(source)) + 1)

    def read(self, _number: int, source: Sentence, edits: Iterable[Edit], /) -> Reading:
        """The characters that an edit really changes."""
        text = _text_of(source)
        collected = _Collector()
        for edit in edits:
            start, end = source.to_characters(edit.start, edit.end)
            if edit.type in UNCORRECTED:
                for character in range(start, max(end, start + 1)):
                    collected.add(character, UNKNOWN_FORM)
                continue
            versions = [_changed_characters(text, start, end, c) for c in edit.corrections]
            for place in versions[0]:
                collected.add(place, frozenset(v[place] for v in versions if place in v))
        return collected.reading()

    def flag(self, _number: int, source: Sentence, flags: Sequence[bool], /) -> Reading:
        """Every character of a flagged token."""
        offsets = source.token_offsets()
        return Reading(
            {
                character: UNKNOWN_FORM
                for span, flagged in zip(offsets, flags, strict=True)
                if flagged
                for character in range(*span)
            }
        )

    def site(self, _number: int, source: Sentence, key: Key, /) -> int | None:
        """The token that the character belongs to; blanks belong to none."""
        assert isinstance(key, int)
        for token, (start, end) in enumerate(source.token_offsets()):
            if start <= key < end:
                return token
        return None

    def written(self, _number: int, source: Sentence, key: Key, /) -> str:
        """The character; nothing at the end."""
        assert isinstance(key, int)
        return _text_of(source)[key : key + 1]

    def score(self, _number: int, source: Sentence, detection: Detection, /) -> dict[Key, float]:
        """Every character has the probability of its token; blanks have none."""
        spans = zip(source.token_offsets(), require_probabilities(detection), strict=True)
        return {character: p for span, p in spans for character in range(*span)}


def _text_of(source: Sentence) -> str:
    return str(source) if source.text is None else source.text


def _changed_characters(text: str, start: int, end: int, new: str) -> dict[int, str]:
    """Where characters differ once ``start:end`` is replaced, and what stands there instead.

    Between words an insertion brings a blank with it.
    """
    if start == end:
        return {start: f"{new} {text[start]}" if start < len(text) else f" {new}"}
    changed: dict[int, str] = {}
    inserted: dict[int, str] = {}
    for operation in Levenshtein.editops(text[start:end], new):
        place = start + operation.src_pos
        if operation.tag == "insert":
            inserted[place] = inserted.get(place, "") + new[operation.dest_pos]
        else:
            changed[place] = new[operation.dest_pos] if operation.tag == "replace" else ""
    for place, characters in inserted.items():
        changed[place] = characters + changed.get(place, text[place : place + 1])
    return changed


class SentenceUnits(Units):
    """Every sentence is one unit, and its form is its text."""

    name = "sentence"
    definition = "every sentence; a change anywhere is an error, the form is the whole text"

    def keys(self, _number: int, _source: Sentence, /) -> range:
        """One."""
        return range(1)

    def read(self, _number: int, source: Sentence, edits: Iterable[Edit], /) -> Reading:
        """Changed if the text after the edits is another, or an error is marked in it."""
        given = tuple(edits)
        texts = frozenset(islice(_texts_after(source, given), _MOST_ALTERNATIVES))
        texts -= {source.tokens}
        if texts or any(edit.type in UNCORRECTED for edit in given):
            return Reading({0: texts})
        return Reading()

    def read_text(self, source: Sentence, hypothesis: Sentence) -> Reading:
        """What a system made of the sentence, given as text."""
        if hypothesis.tokens == source.tokens:
            return Reading()
        return Reading({0: frozenset({hypothesis.tokens})})

    def flag(self, _number: int, _source: Sentence, flags: Sequence[bool], /) -> Reading:
        """Flagged if a token is."""
        return Reading({0: UNKNOWN_FORM}) if any(flags) else Reading()

    def written(self, _number: int, source: Sentence, _key: Key, /) -> str:
        """The whole sentence."""
        return str(source)

    def score(self, _number: int, _source: Sentence, detection: Detection, /) -> dict[Key, float]:
        """The highest probability among the tokens; an empty sentence has 0."""
        return {0: max(require_probabilities(detection), default=0.0)}


def _texts_after(source: Sentence, edits: Sequence[Edit]) -> Iterator[tuple[str, ...]]:
    """The texts that the edits allow, the first corrections first."""
    for chosen in product(*(edit.corrections for edit in edits)):
        made = [
            Edit(edit.start, edit.end, correction, edit.type)
            for edit, correction in zip(edits, chosen, strict=True)
        ]
        yield apply_edits(source.tokens, made, unclear="leave")
