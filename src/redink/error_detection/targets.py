"""Units named by the user: a class of words, a list of positions, places where words may stand.

Here a form is what stands at the unit itself. An edit that spans more than the unit is aligned
word by word, so that *in the school → to school* changes *in* to *to*, and *school* not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from redink.error_detection.units import UNKNOWN_FORM, Units, require_probabilities
from redink.error_detection.writer_annotator_system import Form, Key, Reading
from redink.errors import OptionError
from redink.formats.positions import Position
from redink.model import UNCORRECTED, Detection, Edit, Sentence

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Revision:
    """What edits make of every token and every gap of a sentence."""

    tokens: tuple[Words, ...]
    gaps: tuple[Words, ...]
    """Inserted words; gap ``i`` lies before token ``i``, the last one at the end."""
    unknown: frozenset[int]
    """Tokens marked as wrong without a correction."""

    def span(self, start: int, end: int) -> Words:
        """What stands at tokens ``start:end``, insertions inside it included."""
        if start == end:
            return self.gaps[start]
        words = list(self.tokens[start])
        for token in range(start + 1, end):
            words += [*self.gaps[token], *self.tokens[token]]
        return tuple(words)


def _revise(source: Sentence, edits: Sequence[Edit]) -> _Revision:
    """Apply edits, remembering what became of every token."""
    tokens: list[Words] = [(token,) for token in source.tokens]
    gaps: list[Words] = [()] * (len(source) + 1)
    unknown: set[int] = set()
    position = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.type in UNCORRECTED:
            unknown.update(range(edit.start, max(edit.end, edit.start + 1)))
            continue
        if edit.start < position:
            continue  # overlaps one already applied
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
    return _Revision(tuple(tokens), tuple(gaps), frozenset(unknown))


def _versions(source: Sentence, edits: Iterable[Edit]) -> Iterator[_Revision]:
    """The revision by the first corrections, then with each alternative in its place."""
    given = list(edits)
    yield _revise(source, given)
    for index, edit in enumerate(given):
        for other in edit.alternatives:
            changed = Edit(edit.start, edit.end, other, edit.type)
            yield _revise(source, [*given[:index], changed, *given[index + 1 :]])


@dataclass(frozen=True)
class TargetUnits(Units):
    """The positions of a target class, such as every preposition.

    Attributes:
        positions: for every sentence, its targets.
        description: the rule or file that chose them.
    """

    positions: tuple[tuple[Position, ...], ...]
    description: str
    name = "target"

    @property
    def definition(self) -> str:
        """What the units are."""
        return f"the targets {self.description}; edits elsewhere are left out"

    def keys(self, number: int, _source: Sentence, /) -> Sequence[Key]:
        """The positions."""
        return self.positions[number]

    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> Reading:
        """The targets at which something else stands after the edits."""
        targets = self.positions[number]
        given = tuple(edits)
        if not targets or not given:
            return Reading()
        versions = list(_versions(source, given))
        forms: dict[Key, frozenset[Form]] = {}
        for start, end in targets:
            written = source.tokens[start:end]
            found = [version.span(start, end) for version in versions]
            marked = versions[0].unknown.intersection(range(start, max(end, start + 1)))
            if marked or found[0] != written:
                forms[start, end] = frozenset(found) - {written}
        return Reading(forms)

    def flag(self, number: int, _source: Sentence, flags: Sequence[bool], /) -> Reading:
        """The targets of which a token is flagged; a gap goes with the token to its right."""
        return Reading(
            {
                (start, end): UNKNOWN_FORM
                for start, end in self.positions[number]
                if any(flags[start : max(end, start + 1)])
            }
        )

    def site(self, _number: int, source: Sentence, key: Key, /) -> int | None:
        """The first token of the target, or the one to the right of a gap."""
        assert isinstance(key, tuple)
        start: int = key[0]
        return start if start < len(source) else None

    def score(self, number: int, _source: Sentence, detection: Detection, /) -> dict[Key, float]:
        """The highest probability of the target's tokens; a gap has that of its right neighbour."""
        given = require_probabilities(detection)
        return {
            (start, end): max(given[start : max(end, start + 1)])
            for start, end in self.positions[number]
            if start < len(given)
        }


@dataclass(frozen=True)
class SlotUnits(Units):
    """Every place where one of some words may stand: before every other word, and at the end.

    For ``,`` these are the comma slots of the paper's figure 3: the writer, the annotator and the
    system each have a comma there or none. Case is disregarded.

    Attributes:
        words: what may stand there.
        sites: for every sentence, the tokens before which a slot is a unit; by default every
            token that is not one of the words, and the end.
        sites_description: how the sites were chosen, if they were.
    """

    words: frozenset[str]
    sites: tuple[frozenset[int], ...] | None = None
    sites_description: str = ""
    name = "target"

    @property
    def definition(self) -> str:
        """What the units are."""
        listed = " ".join(sorted(self.words))
        where = self.sites_description or "before every other word and at the end of the sentence"
        return f"every slot for «{listed}», {where}; other edits are left out"

    @cached_property
    def _lower(self) -> frozenset[str]:
        return frozenset(word.lower() for word in self.words)

    def keys(self, number: int, source: Sentence, /) -> Sequence[Key]:
        """Slots by number: slot ``i`` lies before the ``i``-th word that is not in the class."""
        hosts = self._hosts(source)
        if self.sites is None:
            return range(len(hosts) + 1)
        return [slot for slot, token in enumerate(hosts) if token in self.sites[number]]

    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> Reading:
        """The slots in which something else stands after the edits."""
        given = tuple(edits)
        if not given:
            return Reading()
        untouched = _revise(source, ())
        written = self._fill(source, untouched)
        versions = list(_versions(source, given))
        filled = [self._fill(source, version) for version in versions]
        forms: dict[Key, frozenset[Form]] = {}
        units = None if self.sites is None else set(self.keys(number, source))
        for slot, form in enumerate(written):
            if filled[0][slot] != form and (units is None or slot in units):
                forms[slot] = frozenset(version[slot] for version in filled) - {form}
        return Reading(forms)

    def flag(self, _number: int, _source: Sentence, _flags: Sequence[bool], /) -> Reading:
        """Not possible."""
        raise OptionError("flags for tokens do not say what is missing in a slot; use --unit token")

    def site(self, _number: int, source: Sentence, key: Key, /) -> int | None:
        """The word to the right of the slot; nothing at the end."""
        hosts = self._hosts(source)
        assert isinstance(key, int)
        return hosts[key] if key < len(hosts) else None

    def written(self, _number: int, source: Sentence, key: Key, /) -> str:
        """The words of the class that stand in the slot."""
        assert isinstance(key, int)
        return " ".join(self._fill(source, _revise(source, ()))[key])

    def _hosts(self, source: Sentence) -> list[int]:
        return [i for i, token in enumerate(source.tokens) if token.lower() not in self._lower]

    def _fill(self, source: Sentence, revision: _Revision) -> list[Words]:
        """The words of the class that stand in every slot."""
        slots: list[Words] = [()]
        for token in range(len(source) + 1):
            here = [*revision.gaps[token]]
            if token < len(source):
                here += revision.tokens[token]
            slots[-1] += tuple(w.lower() for w in here if w.lower() in self._lower)
            if token < len(source) and source.tokens[token].lower() not in self._lower:
                slots.append(())
        return slots


_DETERMINERS = frozenset({"DT", "PDT", "PRP$", "WDT", "WP$"})
_POSSESSIVES = frozenset({"PRP$", "WP$"})
_DEMONSTRATIVES = frozenset({"that", "these", "this", "those"})
_INSIDE = frozenset({"CD", "JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "POS", "$", "HYPH"})


def noun_phrase_starts(tokens: Sequence[str], tags: Sequence[str]) -> frozenset[int]:
    """Return one token per noun phrase: the token that has a slot for articles before it.

    A noun phrase is its determiners, if it has any, and the longest run of adjectives, numbers and
    nouns that contains a noun. The slot is after the determiners. A noun phrase with a possessive
    (*my*, *whose*) or a demonstrative (*this*) has none, since no article can be there. In *a
    teacher 's book*, the slot is that of the teacher.

    Args:
        tokens: the sentence.
        tags: Penn tags, one per token.
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
