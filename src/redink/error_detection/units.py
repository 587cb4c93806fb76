"""Units of comparison (token, span, character, sentence, target, slot), and changes of units.

A form is usually an entire edit. For targets and slots, which the user names, it is the words at
the unit: an edit that spans more is aligned word by word, so that *in the school → to school*
changes *in* to *to*, and does not change *school*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import ClassVar, Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from redink.error_detection.writer_annotator_system import Form, Key, UnitChanges
from redink.errors import DataError, OptionError
from redink.formats.ged_tsv import Position
from redink.model import UNCORRECTED, Detection, Edit, Sentence, apply_edits

Insertions = Literal["right", "gap", "none"]
Words = tuple[str, ...]
UNKNOWN_FORM: frozenset[Form] = frozenset()
"""The forms of a unit that is flagged without a correction."""
_MOST_ALTERNATIVES = 256  # texts that one annotation may allow; never reached in practice


class Units(ABC):
    """A way to divide sentences into units; sentences are numbered from 0."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def definition(self) -> str:
        """The definition of a unit, for the note under the table."""

    @abstractmethod
    def keys(self, number: int, source: Sentence, /) -> Sequence[Key] | None:
        """Return the units of a sentence in order; None if non-errors have no size."""

    @abstractmethod
    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> UnitChanges:
        """Return the units that edits change."""

    @abstractmethod
    def flag(self, number: int, source: Sentence, flags: Sequence[bool], /) -> UnitChanges:
        """Return the units flagged by a system with one flag per token and no corrections."""

    def site(self, number: int, source: Sentence, key: Key, /) -> int | None:
        """Return the token by which a rule decides whether a unit can be a negative.

        For a gap or slot it is the token to the right.
        """
        return None

    def place(self, number: int, source: Sentence, key: Key, /) -> Position:
        """Return the first token of a unit and the token after it; equal for gaps and slots."""
        if isinstance(key, tuple):
            start, end = key
            return start, end
        raise OptionError("--screen needs --unit token, span or target")

    def written(self, number: int, source: Sentence, key: Key, /) -> str:
        """Return the writer's form of a unit as text; by default the tokens of a span."""
        assert isinstance(key, tuple)
        return " ".join(source.tokens[slice(*key)])

    def score(
        self, number: int, source: Sentence, detection: Detection, /
    ) -> Mapping[Key, float] | None:
        """Return the score of each unit that has one; None if token scores do not apply."""
        return None


def _forms_of(edit: Edit) -> frozenset[Form]:
    if edit.type in UNCORRECTED:
        return UNKNOWN_FORM
    return frozenset((edit.start, edit.end, correction) for correction in edit.corrections)


def collect_changes(changes: Iterable[tuple[Key, frozenset[Form]]]) -> UnitChanges:
    """Return the changed units, from the units of every edit."""
    forms: dict[Key, frozenset[Form]] = {}
    times: dict[Key, int] = {}
    for key, accepted in changes:
        if key in forms:
            times[key] = times.get(key, 1) + 1
        forms[key] = forms.get(key, frozenset()) | accepted
    return UnitChanges(forms, times)


def probabilities_of(detection: Detection) -> tuple[float, ...]:
    """Return the probabilities of the tokens; raise an error if there are none."""
    if detection.probabilities is None:
        raise DataError("--curve needs a probability for every token; a sentence has none")
    return detection.probabilities


@dataclass(frozen=True, kw_only=True)
class TokenUnits(Units):
    """Every token of the source.

    ``insertions`` is the unit of an inserted word. ``right``: the token to its right, as in the
    ERRANT scorer, so every sentence has one more unit, its end. ``gap``: gaps between tokens are
    units too; gap ``i`` has the key ``2i`` and token ``i`` has ``2i + 1``. ``none``: ignored.
    """

    insertions: Insertions = "right"
    name = "token"

    @property
    def definition(self) -> str:
        return {
            "right": "every token and the end of every sentence; "
            "an insertion is an error of the token to its right",
            "gap": "every token and every gap between tokens, before the first and after the last",
            "none": "every token; insertions are ignored",
        }[self.insertions]

    @property
    def _has_gaps(self) -> bool:
        return self.insertions == "gap"

    def key(self, token: int) -> int:
        """Return the unit of a token."""
        return 2 * token + 1 if self._has_gaps else token

    def keys(self, number: int, source: Sentence, /) -> range:
        if self._has_gaps:
            return range(2 * len(source) + 1)
        return range(len(source) + (self.insertions == "right"))

    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> UnitChanges:
        return collect_changes(
            (key, _forms_of(edit)) for edit in edits for key in self._keys_of(edit)
        )

    def _keys_of(self, edit: Edit) -> list[int]:
        if edit.start < edit.end:
            return [self.key(token) for token in range(edit.start, edit.end)]
        if self.insertions == "none":
            return []
        return [2 * edit.start if self._has_gaps else edit.start]

    def flag(self, number: int, source: Sentence, flags: Sequence[bool], /) -> UnitChanges:
        flagged = (i for i, is_flagged in enumerate(flags) if is_flagged)
        return UnitChanges({self.key(i): UNKNOWN_FORM for i in flagged})

    def site(self, number: int, source: Sentence, key: Key, /) -> int | None:
        assert isinstance(key, int)
        token = key // 2 if self._has_gaps else key
        return token if token < len(source) else None

    def place(self, number: int, source: Sentence, key: Key, /) -> Position:
        token = self.site(number, source, key)
        if token is None:
            return len(source), len(source)
        assert isinstance(key, int)
        return token, token + (not self._has_gaps or key % 2)

    def written(self, number: int, source: Sentence, key: Key, /) -> str:
        assert isinstance(key, int)
        if self._has_gaps and key % 2 == 0:
            return ""
        token = self.site(number, source, key)
        return "" if token is None else source.tokens[token]

    def score(self, number: int, source: Sentence, detection: Detection, /) -> dict[Key, float]:
        return {self.key(i): p for i, p in enumerate(probabilities_of(detection))}


class SpanUnits(Units):
    """The spans of the edits: there are no negatives, so kappa is undefined."""

    name = "span"
    definition = "the spans that the annotator or the system edits"

    def keys(self, number: int, source: Sentence, /) -> None:
        return

    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> UnitChanges:
        return collect_changes(((edit.start, edit.end), _forms_of(edit)) for edit in edits)

    def flag(self, number: int, source: Sentence, flags: Sequence[bool], /) -> UnitChanges:
        raise OptionError("flags for tokens have no spans; use --unit token or sentence")


class CharacterUnits(Units):
    """Every character of the source, and its end.

    Inside an edit the characters are aligned, and only characters that differ are changed. Inserted
    characters belong to the character on their right.
    """

    name = "character"
    definition = (
        "every character, including whitespace, and the end of every sentence; only characters "
        "that differ are changed, an insertion is an error of the character to its right"
    )

    def keys(self, number: int, source: Sentence, /) -> range:
        return range(len(text_of(source)) + 1)

    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> UnitChanges:
        return collect_changes(change for edit in edits for change in self._changes(source, edit))

    def _changes(self, source: Sentence, edit: Edit) -> Iterator[tuple[int, frozenset[Form]]]:
        start, end = source.to_characters(edit.start, edit.end)
        if edit.type in UNCORRECTED:
            yield from ((at, UNKNOWN_FORM) for at in range(start, max(end, start + 1)))
            return
        text = text_of(source)
        first, *others = (_changed_characters(text, start, end, c) for c in edit.corrections)
        for at, form in first.items():
            yield at, frozenset((form, *(other[at] for other in others if at in other)))

    def flag(self, number: int, source: Sentence, flags: Sequence[bool], /) -> UnitChanges:
        spans = zip(source.token_offsets(), flags, strict=True)
        flagged = (span for span, is_flagged in spans if is_flagged)
        return UnitChanges({at: UNKNOWN_FORM for span in flagged for at in range(*span)})

    def site(self, number: int, source: Sentence, key: Key, /) -> int | None:
        assert isinstance(key, int)
        spans = enumerate(source.token_offsets())
        return next((token for token, (start, end) in spans if start <= key < end), None)

    def written(self, number: int, source: Sentence, key: Key, /) -> str:
        assert isinstance(key, int)
        return text_of(source)[key : key + 1]

    def score(self, number: int, source: Sentence, detection: Detection, /) -> dict[Key, float]:
        """Return the probability of each character's token; whitespace has no score."""
        spans = zip(source.token_offsets(), probabilities_of(detection), strict=True)
        return {character: p for span, p in spans for character in range(*span)}


def text_of(source: Sentence) -> str:
    """Return the raw text of a sentence, or its tokens with spaces between them."""
    return str(source) if source.text is None else source.text


def _changed_characters(text: str, start: int, end: int, new: str) -> dict[int, str]:
    """Return the characters that differ once ``start:end`` is replaced, with their new forms.

    An insertion between words includes a space.
    """
    if start == end:
        return {start: f"{new} {text[start]}" if start < len(text) else f" {new}"}
    changed: dict[int, str] = {}
    inserted: dict[int, str] = {}
    for operation in Levenshtein.editops(text[start:end], new):
        at = start + operation.src_pos
        if operation.tag == "insert":
            inserted[at] = inserted.get(at, "") + new[operation.dest_pos]
        else:
            changed[at] = new[operation.dest_pos] if operation.tag == "replace" else ""
    for at, characters in inserted.items():
        changed[at] = characters + changed.get(at, text[at : at + 1])
    return changed


class SentenceUnits(Units):
    """Every sentence is one unit, and its form is its text."""

    name = "sentence"
    definition = "every sentence; any change is an error, the form is the full text"

    def keys(self, number: int, source: Sentence, /) -> range:
        return range(1)

    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> UnitChanges:
        """Return a change if the edits change the text or mark an error in it."""
        given = tuple(edits)
        texts = frozenset(islice(_texts_after(source, given), _MOST_ALTERNATIVES))
        texts -= {source.tokens}
        is_changed = texts or any(edit.type in UNCORRECTED for edit in given)
        return UnitChanges({0: texts} if is_changed else {})

    def read_text(self, source: Sentence, hypothesis: Sentence) -> UnitChanges:
        """Return the change by a system that is given as text."""
        is_changed = hypothesis.tokens != source.tokens
        return UnitChanges({0: frozenset({hypothesis.tokens})} if is_changed else {})

    def flag(self, number: int, source: Sentence, flags: Sequence[bool], /) -> UnitChanges:
        return UnitChanges({0: UNKNOWN_FORM} if any(flags) else {})

    def written(self, number: int, source: Sentence, key: Key, /) -> str:
        return str(source)

    def score(self, number: int, source: Sentence, detection: Detection, /) -> dict[Key, float]:
        """Return the highest probability of the tokens; 0 for an empty sentence."""
        return {0: max(probabilities_of(detection), default=0.0)}


def _texts_after(source: Sentence, edits: Sequence[Edit]) -> Iterator[Words]:
    """Yield the texts that the edits allow, the first corrections first."""
    for chosen in product(*(edit.corrections for edit in edits)):
        pairs = zip(edits, chosen, strict=True)
        made = [Edit(edit.start, edit.end, text, edit.type) for edit, text in pairs]
        yield apply_edits(source.tokens, made, unclear="leave")


class _Revision(NamedTuple):
    """A sentence after edits, token by token."""

    tokens: list[Words]  # the words that replace every token
    gaps: list[Words]  # inserted words; gap i is before token i, the last one at the end

    def span(self, start: int, end: int) -> Words:
        """Return the words in place of tokens ``start:end``, including insertions inside."""
        if start == end:
            return self.gaps[start]
        words = list(self.tokens[start])
        for token in range(start + 1, end):
            words += [*self.gaps[token], *self.tokens[token]]
        return tuple(words)


def _revise(source: Sentence, edits: Sequence[Edit]) -> _Revision:
    """Apply the edits with corrections; edits that overlap an earlier one are ignored."""
    tokens: list[Words] = [(token,) for token in source.tokens]
    gaps: list[Words] = [()] * (len(source) + 1)
    position = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.type in UNCORRECTED or edit.start < position:
            continue
        position = edit.end
        old, new = source.tokens[edit.start : edit.end], edit.correction.split()
        for operation in Levenshtein.editops(old, new):
            at = edit.start + operation.src_pos
            if operation.tag == "delete":
                tokens[at] = ()
            elif operation.tag == "replace":
                tokens[at] = (new[operation.dest_pos],)
            else:
                gaps[at] = (*gaps[at], new[operation.dest_pos])
    return _Revision(tokens, gaps)


def _versions(source: Sentence, edits: Sequence[Edit]) -> Iterator[_Revision]:
    """Yield the revision by the first corrections, then one for each alternative correction."""
    yield _revise(source, edits)
    for index, edit in enumerate(edits):
        for other in edit.alternatives:
            changed = Edit(edit.start, edit.end, other, edit.type)
            yield _revise(source, [*edits[:index], changed, *edits[index + 1 :]])


@dataclass(frozen=True)
class TargetUnits(Units):
    """The positions of a target class, such as every preposition, by a rule or file."""

    positions: tuple[tuple[Position, ...], ...]
    description: str
    name = "target"

    @property
    def definition(self) -> str:
        return f"the targets {self.description}; edits elsewhere are ignored"

    def keys(self, number: int, source: Sentence, /) -> Sequence[Key]:
        return self.positions[number]

    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> UnitChanges:
        given = tuple(edits)
        if not self.positions[number] or not given:
            return UnitChanges()
        versions = list(_versions(source, given))
        marks = [edit for edit in given if edit.type in UNCORRECTED]
        forms: dict[Key, frozenset[Form]] = {}
        for start, end in self.positions[number]:
            written = source.tokens[start:end]
            found = [version.span(start, end) for version in versions]
            is_marked = any(
                edit.start < max(end, start + 1) and start < max(edit.end, edit.start + 1)
                for edit in marks
            )
            if is_marked or found[0] != written:
                forms[start, end] = frozenset(found) - {written}
        return UnitChanges(forms)

    def flag(self, number: int, source: Sentence, flags: Sequence[bool], /) -> UnitChanges:
        """Return the targets with a flagged token; a gap has the flag of the token to its right."""
        flagged = (
            (start, end)
            for start, end in self.positions[number]
            if any(flags[start : max(end, start + 1)])
        )
        return UnitChanges(dict.fromkeys(flagged, UNKNOWN_FORM))

    def site(self, number: int, source: Sentence, key: Key, /) -> int | None:
        assert isinstance(key, tuple)
        start: int = key[0]
        return start if start < len(source) else None

    def score(self, number: int, source: Sentence, detection: Detection, /) -> dict[Key, float]:
        """Return the highest probability of a target's tokens, or of the token right of a gap."""
        given = probabilities_of(detection)
        return {
            (start, end): max(given[start : max(end, start + 1)])
            for start, end in self.positions[number]
            if start < len(given)
        }


@dataclass(frozen=True)
class SlotUnits(Units):
    """Every position where one of some words can occur: before every other word, and at the end.

    There is no slot after the final punctuation of a sentence, unless the writer filled it.

    For ``,`` these are the comma slots of the paper's figure 3: the writer, the annotator and the
    system each have a comma there or none. Case is ignored. Slot ``i`` is before the ``i``-th
    word that is not one of the words. If ``sites`` contains tokens for every sentence, only slots
    before these tokens are units.
    """

    words: frozenset[str]
    sites: tuple[frozenset[int], ...] | None = None
    sites_description: str = ""
    name = "target"

    @property
    def definition(self) -> str:
        listed = " ".join(sorted(self.words))
        where = self.sites_description or (
            "before every other word and at the end of a sentence without final punctuation"
        )
        return f"every slot for «{listed}», {where}; other edits are ignored"

    @cached_property
    def _lower(self) -> frozenset[str]:
        return frozenset(word.lower() for word in self.words)

    def keys(self, number: int, source: Sentence, /) -> Sequence[Key]:
        hosts = self._hosts(source)
        if self.sites is None:
            tokens = [source.tokens[host] for host in hosts]
            end = _find_end(tokens)
            is_filled = not hosts or hosts[-1] < len(source) - 1
            return range((len(hosts) if is_filled else end) + 1)
        return [slot for slot, token in enumerate(hosts) if token in self.sites[number]]

    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> UnitChanges:
        given = tuple(edits)
        if not given:
            return UnitChanges()
        written = self._fill(source, _revise(source, ()))
        filled = [self._fill(source, version) for version in _versions(source, given)]
        forms: dict[Key, frozenset[Form]] = {}
        units = set(self.keys(number, source))
        for slot, form in enumerate(written):
            if filled[0][slot] != form and slot in units:
                forms[slot] = frozenset(version[slot] for version in filled) - {form}
        return UnitChanges(forms)

    def flag(self, number: int, source: Sentence, flags: Sequence[bool], /) -> UnitChanges:
        raise OptionError("token flags cannot mark missing words in a slot; use --unit token")

    def site(self, number: int, source: Sentence, key: Key, /) -> int | None:
        hosts = self._hosts(source)
        assert isinstance(key, int)
        return hosts[key] if key < len(hosts) else None

    def place(self, number: int, source: Sentence, key: Key, /) -> Position:
        token = self.site(number, source, key)
        return (len(source),) * 2 if token is None else (token, token)

    def written(self, number: int, source: Sentence, key: Key, /) -> str:
        assert isinstance(key, int)
        return " ".join(self._fill(source, _revise(source, ()))[key])

    def _hosts(self, source: Sentence) -> list[int]:
        return [i for i, token in enumerate(source.tokens) if token.lower() not in self._lower]

    def _fill(self, source: Sentence, revision: _Revision) -> list[Words]:
        """Return the words of the class in every slot."""
        slots: list[Words] = [()]
        for token, inserted in enumerate(revision.gaps):
            is_end = token == len(source)
            here = inserted if is_end else (*inserted, *revision.tokens[token])
            slots[-1] += tuple(word.lower() for word in here if word.lower() in self._lower)
            if not is_end and source.tokens[token].lower() not in self._lower:
                slots.append(())
        return slots


_FINAL = frozenset(".!?\u2026\u3002\uff01\uff1f")


def _find_end(tokens: Sequence[str]) -> int:
    """Return the last token before which a word can be: the final punctuation mark, or the end.

    Only quotation marks and brackets can follow the final mark.
    """
    at = len(tokens)
    while at and not any(map(str.isalnum, tokens[at - 1])):
        at -= 1
    marks = (i for i in range(at, len(tokens)) if set(tokens[i]) <= _FINAL)
    return next(marks, len(tokens))


_DETERMINERS = frozenset({"DT", "PDT", "PRP$", "WDT", "WP$"})
_POSSESSIVES = frozenset({"PRP$", "WP$"})
_DEMONSTRATIVES = frozenset({"that", "these", "this", "those"})
_INSIDE = frozenset({"CD", "JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "POS", "$", "HYPH"})


def noun_phrase_starts(tokens: Sequence[str], tags: Sequence[str]) -> frozenset[int]:
    """Return one token per noun phrase: the token that has a slot for articles before it.

    A noun phrase is its determiners, if it has any, and the longest run of adjectives, numbers and
    nouns that contains a noun. The slot is after the determiners. A noun phrase with a possessive
    (*my*, *whose*) or a demonstrative (*this*) has none, because no article can be there. In *a
    teacher 's book*, the slot is that of the teacher. Tags are Penn tags, one per token.
    """
    starts: set[int] = set()
    index = 0
    while index < len(tags):
        first = index
        while index < len(tags) and tags[index] in _DETERMINERS:
            index += 1
        head = index
        while index < len(tags) and tags[index] in _INSIDE:
            index += 1
        has_noun = any(tag.startswith("NN") for tag in tags[head:index])
        excludes_articles = has_noun and (
            tags[head] == "POS"
            or any(
                tag in _POSSESSIVES or (tag == "DT" and token.lower() in _DEMONSTRATIVES)
                for token, tag in zip(tokens[first:head], tags[first:head], strict=True)
            )
        )
        if has_noun and not excludes_articles:
            starts.add(head)
        index = max(index, first + 1)
    return frozenset(starts)
