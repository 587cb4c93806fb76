"""An edit as the universal rules see it: words with parts of speech, lemmas and features.

Two words are *related* if they have one lemma, or if their letters or their lemmas are alike: what
a trained pipeline says about the lemma of a word with an error in it is often wrong.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from rapidfuzz.distance.Levenshtein import normalized_similarity

from redink.analysis.analyzer import Analysis, Reading, Tokens
from redink.analysis.conllu import parse_features

LEXICAL: Final = frozenset(
    {"Abbr", "ExtPos", "Foreign", "NumForm", "NumType", "Poss", "PronType", "Reflex", "Style"}
    | {"Typo", "Variant"}
)
"""Features that tell words apart, not the forms of one word."""

KINDRED: Final = (
    frozenset({"AUX", "VERB"}),
    frozenset({"DET", "NUM", "PRON"}),
    frozenset({"NOUN", "PROPN"}),
    frozenset({"CCONJ", "SCONJ"}),
)
"""Parts of speech that share their features or do one another's work."""

CONTENT: Final = frozenset({"ADJ", "ADV", "NOUN", "PROPN", "VERB"})
GRAMMATICAL: Final = frozenset({"AUX", "DET", "NUM", "PRON"})
"""Words that are chosen for their features alone (a and the, den and det)."""
VAGUE: Final = frozenset({"INTJ", "SYM", "X"})
"""Parts of speech that would make uninformative error types."""

_ALIKE = 0.5
_JOINTS = (
    "'-\N{RIGHT SINGLE QUOTATION MARK}\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{SOFT HYPHEN}"
)
_WITHOUT_JOINTS = str.maketrans("", "", _JOINTS)
_MISSPELT = 0.55
_SHORT = 4
_NEARLY = 0.01


def bare_letters(words: Tokens) -> str:
    """The letters alone: spaces, hyphens and apostrophes left out."""
    return "".join(words).translate(_WITHOUT_JOINTS)


def are_kindred(one: str, other: str) -> bool:
    """Whether two parts of speech are one, or share their features."""
    return one == other or any(one in group and other in group for group in KINDRED)


def are_alike(one: str, other: str) -> bool:
    """Whether at least half of the letters are the same, in order."""
    return normalized_similarity(one, other) >= _ALIKE


def are_related(
    source: Analysis, index: int, corrected: Analysis, to_index: int, *, by_letters: bool = True
) -> bool:
    """Whether two words are forms of one word, as far as lemmas and letters can tell."""
    ours, theirs = source.lemma[index].lower(), corrected.lemma[to_index].lower()
    if ours == theirs:
        return True
    return by_letters and (
        are_alike(source.lower[index], corrected.lower[to_index]) or are_alike(ours, theirs)
    )


class Side:
    """The tokens of one side of an edit."""

    __slots__ = ("analysis", "end", "lemma", "lower", "pos", "start")

    def __init__(self, analysis: Analysis, start: int, end: int) -> None:
        self.analysis = analysis
        self.start = start
        self.end = end
        self.lower: Tokens = analysis.lower[start:end]
        self.pos: Tokens = analysis.pos[start:end]
        self.lemma: Tokens = tuple(map(str.lower, analysis.lemma[start:end]))

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def content(self) -> list[int]:
        """Where the words of content are."""
        return [i for i in range(self.start, self.end) if self.analysis.pos[i] in CONTENT]


class Change:
    """A replacement: what stood there, what stands there now, and which words are known."""

    __slots__ = ("corrected", "lexicon", "source")

    def __init__(self, source: Side, corrected: Side, lexicon: Container[str]) -> None:
        self.source = source
        self.corrected = corrected
        self.lexicon = lexicon

    @property
    def is_one_word(self) -> bool:
        """Whether one word replaces one word."""
        return len(self.source) == len(self.corrected) == 1

    @property
    def has_same_lemmas(self) -> bool:
        """Whether both sides have the same words, whatever their forms and their order."""
        return sorted(self.source.lemma) == sorted(self.corrected.lemma)

    @property
    def changed_in_words(self) -> list[str]:
        """The features that differ between words of one lemma."""
        theirs = {lemma: i for i, lemma in enumerate(self.corrected.lemma, self.corrected.start)}
        found = {
            name
            for i, lemma in enumerate(self.source.lemma, self.source.start)
            if lemma in theirs
            for name in self._compare(i, theirs[lemma]).changed
        }
        return sorted(found)

    def _compare(self, index: int, to_index: int) -> WordChange:
        source, corrected = self.source.analysis, self.corrected.analysis
        return WordChange(source, index, corrected, to_index, self.lexicon)

    @property
    def pair(self) -> WordChange | None:
        """The words that the change is about: one for one, or the only words of content."""
        ours, theirs = [self.source.start], [self.corrected.start]
        if not self.is_one_word:
            ours, theirs = self.source.content, self.corrected.content
        if len(ours) != 1 or len(theirs) != 1:
            return None
        return self._compare(ours[0], theirs[0])


class WordChange:
    """A replacement of one word by one word."""

    __slots__ = ("_corrected", "_index", "_source", "_to_index", "lexicon", "reading", "source")

    def __init__(
        self,
        source: Analysis,
        index: int,
        corrected: Analysis,
        to_index: int,
        lexicon: Container[str],
    ) -> None:
        self._source = source
        self._index = index
        self._corrected = corrected
        self._to_index = to_index
        self.lexicon = lexicon
        self.source, self.reading = _first(source, index), _first(corrected, to_index)
        if not self.same_pos and self.related:
            self._read_alike()

    def _read_alike(self) -> None:
        """Read forms of one word as one part of speech, where that is not much less likely.

        An analyser is easily misled by an error, and takes the two for different words.
        """
        if self._source.readings is None or self._corrected.readings is None:
            return
        pairs = [
            (one, other)
            for one in self._source.readings[self._index]
            for other in self._corrected.readings[self._to_index]
        ]
        alike = [pair for pair in pairs if are_kindred(pair[0].pos, pair[1].pos)]
        likeliest, best = (max(some, key=_joint, default=None) for some in (pairs, alike))
        if likeliest and best and _joint(best) >= _NEARLY * _joint(likeliest):
            self.source, self.reading = best

    @property
    def source_pos(self) -> str:
        """The part of speech of the source word."""
        return self.source.pos

    @property
    def pos(self) -> str:
        """The part of speech of the correction, which names the type."""
        return self.reading.pos

    @property
    def same_pos(self) -> bool:
        """Whether both are of one part of speech, or of kindred ones."""
        return are_kindred(self.source_pos, self.pos)

    @property
    def same_lemma(self) -> bool:
        """Whether both have one lemma."""
        return self._related(by_letters=False)

    @property
    def related(self) -> bool:
        """Whether they are forms of one word, as far as lemmas and letters can tell."""
        return self._related(by_letters=True)

    def _related(self, *, by_letters: bool) -> bool:
        return are_related(
            self._source, self._index, self._corrected, self._to_index, by_letters=by_letters
        )

    @property
    def grammatical(self) -> bool:
        """Whether both are articles, pronouns, numerals or auxiliaries."""
        return self.source_pos in GRAMMATICAL and self.pos in GRAMMATICAL

    @property
    def changed(self) -> list[str]:
        """The features that differ, also those that only one of them has."""
        ours, theirs = self._features
        return sorted(f for f in ours.keys() | theirs.keys() if ours.get(f) != theirs.get(f))

    @property
    def changed_in_both(self) -> list[str]:
        """The features that both have and that differ."""
        ours, theirs = self._features
        return sorted(f for f in ours.keys() & theirs.keys() if ours[f] != theirs[f])

    @property
    def _features(self) -> tuple[dict[str, str], dict[str, str]]:
        return _inflection(self.source), _inflection(self.reading)

    @property
    def is_misspelt(self) -> bool:
        """Whether the source word is made of letters and is not in the word list."""
        word = self._source.tokens[self._index]
        if not any(map(str.isalpha, word)) or any(map(str.isdigit, word)):
            return False
        forms = {word, word.lower(), word.capitalize()} if word.isupper() else {word, word.lower()}
        return not any(form in self.lexicon for form in forms)

    @property
    def is_marked_as_typo(self) -> bool:
        """Whether the analysis itself says that the source word is misspelt (``Typo=Yes``)."""
        features = self._source.features
        return features is not None and parse_features(features[self._index]).get("Typo") == "Yes"

    @property
    def is_slip(self) -> bool:
        """Whether the letters are more alike than by chance."""
        ours, theirs = self._source.lower[self._index], self._corrected.lower[self._to_index]
        likeness = normalized_similarity(ours, theirs)
        short = len(ours) <= _SHORT and len(theirs) <= _SHORT
        return likeness > _MISSPELT or (short and likeness >= 1 / 3)


def _first(analysis: Analysis, index: int) -> Reading:
    features = "" if analysis.features is None else analysis.features[index]
    return Reading(analysis.pos[index], features, 1.0)


def _joint(pair: tuple[Reading, Reading]) -> float:
    return pair[0].probability * pair[1].probability


def _inflection(word: Reading) -> dict[str, str]:
    """The features by which the forms of a word differ, as error types write them."""
    found = parse_features(word.features)
    return {name.upper(): value for name, value in found.items() if name not in LEXICAL}
