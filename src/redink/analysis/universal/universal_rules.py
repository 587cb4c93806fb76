"""The rules for any language: which steps are one edit, and how edits are classified."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance.Levenshtein import normalized_similarity

from redink.analysis.analyzer import Analysis, TokenReading, Tokens
from redink.analysis.classify import Rule, RuleSection
from redink.analysis.edit_extraction import AlignmentStep, MergeDecision, Run
from redink.analysis.universal_dependencies import parse_features

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


class UniversalSide:
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


@dataclass(slots=True)
class Change:
    """A replacement: what stood there, what stands there now, and which words are known."""

    source: UniversalSide
    corrected: UniversalSide
    lexicon: Container[str]

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

    def _compare(self, index: int, to_index: int) -> UniversalWordChange:
        source, corrected = self.source.analysis, self.corrected.analysis
        return UniversalWordChange(source, index, corrected, to_index, self.lexicon)

    @property
    def pair(self) -> UniversalWordChange | None:
        """The words that the change is about: one for one, or the only words of content."""
        ours, theirs = [self.source.start], [self.corrected.start]
        if not self.is_one_word:
            ours, theirs = self.source.content, self.corrected.content
        if len(ours) != 1 or len(theirs) != 1:
            return None
        return self._compare(ours[0], theirs[0])


class UniversalWordChange:
    """A replacement of one word by one word."""

    def __init__(
        self,
        source: Analysis,
        index: int,
        corrected: Analysis,
        to_index: int,
        lexicon: Container[str],
    ) -> None:
        self._places = (source, index, corrected, to_index)
        self._source, self._index, self._corrected, self._to_index = self._places
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
        return are_related(*self._places, by_letters=False)

    @property
    def related(self) -> bool:
        """Whether they are forms of one word, as far as lemmas and letters can tell."""
        return are_related(*self._places)

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


def _first(analysis: Analysis, index: int) -> TokenReading:
    features = "" if analysis.features is None else analysis.features[index]
    return TokenReading(analysis.pos[index], features, 1.0)


def _joint(pair: tuple[TokenReading, TokenReading]) -> float:
    return pair[0].probability * pair[1].probability


def _inflection(word: TokenReading) -> dict[str, str]:
    found = parse_features(word.features)
    return {name.upper(): value for name, value in found.items() if name not in LEXICAL}


class UniversalMerging:
    """The rules over one sentence and its correction."""

    def __init__(self, source: Analysis, corrected: Analysis, *, fixed: bool) -> None:
        del fixed  # there is no original to be mended
        self._source = source
        self._corrected = corrected

    def is_one_edit(self, run: Run) -> bool:
        """Unless words only replace words, one by one."""
        return any(step.operation != "S" for step in run)

    def decide(self, run: Run, operations: str, first: int, last: int) -> MergeDecision | None:
        """What the first rule that fits this window makes of the run."""
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        source, corrected = self._source, self._corrected
        # spaces, hyphens and apostrophes only [foto graf -> fotograf]
        joined = bare_letters(source.lower[start:end])
        if joined == bare_letters(corrected.lower[to_start:to_end]) != "":
            return MergeDecision(first, last + 1)
        # a capital that moved [Bilen -> Den bilen]
        if (
            first == 0
            and 1 in (end - start, to_end - to_start)
            and source.lower[end - 1] == corrected.lower[to_end - 1]
            and source.tokens[start][0].isupper()
            and corrected.tokens[to_start][0].isupper()
        ):
            return MergeDecision(first, last + 1)
        if last - first == 1:
            for place in (first, last):
                # What is inserted at one place is one edit.
                if not self._is_among_insertions(operations, place) and (
                    self._stands_alone(run[place])
                ):
                    return MergeDecision(place, place + 1)
        return None

    def _stands_alone(self, step: AlignmentStep) -> bool:
        source, corrected = self._source.pos, self._corrected.pos
        if step.operation != "S":
            words = (*source[step.start : step.end], *corrected[step.to_start : step.to_end])
            return "PUNCT" in words
        ours, theirs = source[step.start], corrected[step.to_start]
        if ours not in CONTENT and are_kindred(ours, theirs):
            return True
        return are_related(self._source, step.start, self._corrected, step.to_start)

    @staticmethod
    def _is_among_insertions(operations: str, place: int) -> bool:
        return operations[place] == "I" and "II" in operations[max(place - 1, 0) : place + 2]


_VERBAL = frozenset({"AUX", "PART", "VERB"})


ONE_SIDED: RuleSection[UniversalSide] = RuleSection(
    "any number of words",
    (
        Rule(
            "part-of-speech",
            lambda side: side.pos[0],
            "all words are of this part of speech",
            lambda side: len(set(side.pos)) == 1 and side.pos[0] not in VAGUE,
            kind="the part of speech",
        ),
        Rule(
            "verb-group",
            "VERB",
            "a verb with its auxiliaries or particles",
            lambda side: "VERB" in side.pos and _VERBAL.issuperset(side.pos),
        ),
        Rule("no-rule-fits", "OTHER", "nothing more precise is known", lambda _: True),
    ),
)


def _letters(side: UniversalSide) -> str:
    return "".join(side.lower)


def _inflects(change: Change) -> bool:
    if not change.is_one_word:
        return False
    pair = change.pair
    return pair is not None and pair.same_pos and bool(pair.changed)


FORM_ONLY: RuleSection[Change] = RuleSection(
    "the same letters or the same words",
    (
        Rule(
            "case-or-spacing",
            "ORTH",
            "only capitals or spaces differ",
            lambda change: _letters(change.source) == _letters(change.corrected),
        ),
        Rule(
            "hyphen-or-apostrophe",
            "ORTH",
            "only hyphens or apostrophes (and capitals or spaces) differ, and no feature",
            lambda change: (
                bare_letters(change.source.lower) == bare_letters(change.corrected.lower) != ""
                and not _inflects(change)
            ),
        ),
        Rule(
            "reordering",
            "WO",
            "the same words stand in another order",
            lambda change: sorted(change.source.lower) == sorted(change.corrected.lower),
        ),
        Rule(
            "reordering-and-inflection",
            lambda change: ":".join(["WO", *filter(None, [",".join(change.changed_in_words)])]),
            "the same words stand in another order, and these features of them differ",
            lambda change: not change.is_one_word and change.has_same_lemmas,
            kind="`WO` and the features",
        ),
    ),
)


def _inflected(change: UniversalWordChange) -> str:
    return f"{change.pos}:{','.join(change.changed)}"


def _pos(change: UniversalWordChange) -> str:
    return change.pos


_FEATURES = "the part of speech and the features, as in `DET:GENDER,NUMBER`"

UNKNOWN: RuleSection[UniversalWordChange] = RuleSection(
    "the source word is not in the word list",
    (
        Rule(
            "unknown-word-inflected",
            _inflected,
            "not a word, of one lemma and part of speech with the correction, and these features "
            "change",
            lambda change: (
                change.same_lemma
                and change.same_pos
                and change.pos not in VAGUE
                and bool(change.changed)
            ),
            kind=_FEATURES,
        ),
        Rule(
            "misspelling",
            "SPELL",
            "not a word, and more than 0.55 alike in letters (at most four letters: a third)",
            lambda change: change.is_slip,
        ),
        Rule(
            "unknown-word-replaced",
            _pos,
            "not a word, and unlike the correction, whose part of speech counts",
            lambda change: change.pos not in VAGUE,
            kind="the correction's part of speech",
        ),
    ),
    when=lambda change: change.is_misspelt,
)

WORDS: RuleSection[UniversalWordChange] = RuleSection(
    "one word by one word",
    (
        Rule(
            "marked-as-typo",
            "SPELL",
            "the analysis marks the word as misspelt (Typo=Yes), and no feature changes",
            lambda change: change.is_marked_as_typo and change.is_slip and not change.changed,
        ),
        Rule(
            "inflection",
            _inflected,
            "two forms of one word (one lemma, or alike in letters), and these features differ",
            lambda change: (
                change.same_pos
                and change.pos not in VAGUE
                and change.related
                and bool(change.changed)
            ),
            kind=_FEATURES,
        ),
        Rule(
            "grammatical-word",
            _inflected,
            "two articles, pronouns, numerals or auxiliaries, and these features differ",
            lambda change: change.same_pos and change.grammatical and bool(change.changed),
            kind=_FEATURES,
        ),
        Rule(
            "inflection-across-parts-of-speech",
            lambda change: f"{change.pos}:{','.join(change.changed_in_both)}",
            "one lemma or alike in letters, another part of speech, and these features, which "
            "both have, differ",
            lambda change: (
                not change.same_pos
                and change.pos not in VAGUE
                and change.related
                and bool(change.changed_in_both)
            ),
            kind=_FEATURES,
        ),
        Rule(
            "form-of-one-word",
            "MORPH",
            "one lemma, and no feature tells the forms apart",
            lambda change: change.same_lemma and change.same_pos and change.pos != "PUNCT",
        ),
        Rule(
            "derivation",
            "MORPH",
            "one lemma or alike in letters, and another part of speech",
            lambda change: change.related and not change.same_pos and _says_something(change),
        ),
        Rule(
            "word-choice",
            _pos,
            "another word of this part of speech",
            lambda change: change.same_pos and change.pos not in VAGUE,
            kind="the part of speech",
        ),
    ),
)


def _says_something(change: UniversalWordChange) -> bool:
    return change.pos not in VAGUE and change.source_pos not in VAGUE


def _all_kindred(change: Change) -> bool:
    classes = [*change.source.pos, *change.corrected.pos]
    return classes[-1] not in VAGUE and all(are_kindred(one, classes[-1]) for one in classes)


def _changes_a_form(change: Change) -> bool:
    pair = change.pair
    return pair is not None and pair.same_pos and pair.pos not in VAGUE and pair.related


def _form(change: Change) -> str:
    pair = change.pair
    assert pair is not None
    return _inflected(pair) if pair.changed else pair.pos


PHRASES: RuleSection[Change] = RuleSection(
    "several words, and words that no rule above named",
    (
        Rule(
            "one-word-of-content",
            _form,
            "the only word of content on each side is the same word; these features of it differ",
            _changes_a_form,
            kind=f"{_FEATURES}, or the part of speech alone",
        ),
        Rule(
            "all-same-part-of-speech",
            lambda change: change.corrected.pos[-1],
            "all words on both sides are of this part of speech",
            _all_kindred,
            kind="the part of speech",
        ),
        Rule(
            "verb-groups",
            "VERB",
            "verbs with their auxiliaries or particles on both sides",
            lambda change: (
                "VERB" in change.corrected.pos
                and _VERBAL.issuperset({*change.source.pos, *change.corrected.pos})
            ),
        ),
        Rule("no-rule-fits", "OTHER", "nothing more precise is known", lambda _: True),
    ),
)
