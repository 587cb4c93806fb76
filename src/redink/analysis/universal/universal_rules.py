"""Universal rules for any language: they merge alignment steps into edits and classify edits."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from itertools import product
from typing import Final

from rapidfuzz.distance.Levenshtein import normalized_similarity

from redink.analysis.analyzer import Analysis, TokenReading, Tokens
from redink.analysis.classify import (
    CASE_OR_SPACING,
    NO_RULE_FITS,
    REORDERING,
    EditSide,
    Rule,
    RuleSection,
)
from redink.analysis.edit_extraction import AlignmentStep, MergeDecision, Run
from redink.analysis.universal_dependencies import parse_features

LEXICAL: Final = frozenset(
    {"Abbr", "ExtPos", "Foreign", "NumForm", "NumType", "Poss", "PronType", "Reflex", "Style"}
    | {"Typo", "Variant"}
)
"""Features that distinguish words and not forms of a word."""

KINDRED: Final = (
    frozenset({"AUX", "VERB"}),
    frozenset({"DET", "NUM", "PRON"}),
    frozenset({"NOUN", "PROPN"}),
    frozenset({"CCONJ", "SCONJ"}),
)
"""Parts of speech that have the same features or similar functions."""

CONTENT: Final = frozenset({"ADJ", "ADV", "NOUN", "PROPN", "VERB"})
GRAMMATICAL: Final = frozenset({"AUX", "DET", "NUM", "PRON"})
"""Parts of speech whose words differ only in features (a and the, den and det)."""
VAGUE: Final = frozenset({"INTJ", "SYM", "X"})
"""Parts of speech that are not informative as error types."""

_ALIKE = 0.5
_JOINTS = (
    "'-\N{RIGHT SINGLE QUOTATION MARK}\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{SOFT HYPHEN}"
)
_WITHOUT_JOINTS = str.maketrans("", "", _JOINTS)
_MISSPELT = 0.55
_SHORT = 4
_NEARLY = 0.01


def bare_letters(words: Tokens) -> str:
    """Remove spaces, hyphens and apostrophes."""
    return "".join(words).translate(_WITHOUT_JOINTS)


def are_kindred(one: str, other: str) -> bool:
    """Return whether two parts of speech are equal or have the same features."""
    return one == other or any(one in group and other in group for group in KINDRED)


def are_alike(one: str, other: str) -> bool:
    """Return whether at least half of the letters are the same, in order."""
    return normalized_similarity(one, other) >= _ALIKE


def are_related(
    source: Analysis, index: int, corrected: Analysis, to_index: int, *, by_letters: bool = True
) -> bool:
    """Return whether two words are forms of the same word, according to lemmas and letters."""
    ours, theirs = source.lemma[index].lower(), corrected.lemma[to_index].lower()
    if ours == theirs:
        return True
    return by_letters and (
        are_alike(source.lower[index], corrected.lower[to_index]) or are_alike(ours, theirs)
    )


class UniversalSide(EditSide):
    """The tokens of one side of an edit, with lemmas in lower case."""

    __slots__ = ()

    def __init__(self, analysis: Analysis, start: int, end: int) -> None:
        super().__init__(analysis, start, end)
        self.lemma = tuple(map(str.lower, self.lemma))


@dataclass(slots=True)
class Change:
    """A replacement of any length."""

    source: UniversalSide
    corrected: UniversalSide

    @property
    def is_one_word(self) -> bool:
        """Whether one word is replaced by one word."""
        return len(self.source) == len(self.corrected) == 1

    @property
    def changed_in_words(self) -> list[str]:
        """Return the features that differ between words with the same lemma."""
        theirs = {lemma: i for i, lemma in enumerate(self.corrected.lemma, self.corrected.start)}
        found = {
            name
            for i, lemma in enumerate(self.source.lemma, self.source.start)
            if lemma in theirs
            for name in self._compare(i, theirs[lemma]).changed
        }
        return sorted(found)

    def _compare(self, index: int, to_index: int) -> UniversalWordChange:
        return UniversalWordChange(self.source.analysis, index, self.corrected.analysis, to_index)

    @property
    def pair(self) -> UniversalWordChange | None:
        """Return the replaced words: one by one, or the only content words."""
        if self.is_one_word:
            return self._compare(self.source.start, self.corrected.start)
        ours, theirs = (
            [index for index, pos in enumerate(side.pos, side.start) if pos in CONTENT]
            for side in (self.source, self.corrected)
        )
        return self._compare(ours[0], theirs[0]) if len(ours) == len(theirs) == 1 else None


class UniversalWordChange:
    """A replacement of one word by one word.

    Attributes:
        source_pos: the part of speech of the source word.
        pos: the part of speech of the correction, which is part of the type.
        same_pos: whether both have the same or a related part of speech.
        same_lemma: whether both have the same lemma.
        related: whether they are forms of the same word, according to lemmas and letters.
        grammatical: whether both are articles, pronouns, numerals or auxiliaries.
        changed: the features that differ, including those that only one word has.
        changed_in_both: the features that both words have with different values.
        inflects: whether features differ between words with the same informative part of speech.
        is_misspelt: whether the source word consists of letters and is not in the dictionary.
        is_marked_as_typo: whether the analysis marks the source word as misspelled (``Typo=Yes``).
        is_slip: whether the letters are more similar than by chance.
    """

    def __init__(
        self,
        source: Analysis,
        index: int,
        corrected: Analysis,
        to_index: int,
        lexicon: Container[str] = (),
    ) -> None:
        places = source, index, corrected, to_index
        self.same_lemma = are_related(*places, by_letters=False)
        self.related = are_related(*places)
        ours, theirs = _first(source, index), _first(corrected, to_index)
        if self.related and not are_kindred(ours.pos, theirs.pos):
            ours, theirs = _read_alike(*places) or (ours, theirs)
        self.source_pos, self.pos = ours.pos, theirs.pos
        self.same_pos = are_kindred(ours.pos, theirs.pos)
        self.grammatical = {ours.pos, theirs.pos} <= GRAMMATICAL
        before, after = _inflection(ours), _inflection(theirs)
        self.changed = sorted(
            name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
        )
        self.changed_in_both = [name for name in self.changed if name in before and name in after]
        self.inflects = self.same_pos and self.pos not in VAGUE and bool(self.changed)
        self.is_misspelt = _is_misspelt(source.tokens[index], lexicon)
        self.is_marked_as_typo = (
            source.features is not None
            and parse_features(source.features[index]).get("Typo") == "Yes"
        )
        word, correction = source.lower[index], corrected.lower[to_index]
        likeness = normalized_similarity(word, correction)
        is_short = max(len(word), len(correction)) <= _SHORT
        self.is_slip = likeness > _MISSPELT or (is_short and likeness >= 1 / 3)


def _read_alike(
    source: Analysis, index: int, corrected: Analysis, to_index: int
) -> tuple[TokenReading, TokenReading] | None:
    """Choose the same part of speech for forms of a word, if that is not much less likely.

    An error can mislead the analyzer so that it assigns different parts of speech to the forms.
    """
    if source.readings is None or corrected.readings is None:
        return None
    pairs = list(product(source.readings[index], corrected.readings[to_index]))
    alike = [pair for pair in pairs if are_kindred(pair[0].pos, pair[1].pos)]
    likeliest, best = (max(some, key=_joint, default=None) for some in (pairs, alike))
    return best if likeliest and best and _joint(best) >= _NEARLY * _joint(likeliest) else None


def _is_misspelt(word: str, lexicon: Container[str]) -> bool:
    if not any(map(str.isalpha, word)) or any(map(str.isdigit, word)):
        return False
    forms = {word, word.lower(), word.capitalize()} if word.isupper() else {word, word.lower()}
    return not any(form in lexicon for form in forms)


def _first(analysis: Analysis, index: int) -> TokenReading:
    features = "" if analysis.features is None else analysis.features[index]
    return TokenReading(analysis.pos[index], features, 1.0)


def _joint(pair: tuple[TokenReading, TokenReading]) -> float:
    return pair[0].probability * pair[1].probability


def _inflection(word: TokenReading) -> dict[str, str]:
    found = parse_features(word.features)
    return {name.upper(): value for name, value in found.items() if name not in LEXICAL}


class UniversalMerging:
    """The rules for one sentence and its correction."""

    phrase: frozenset[str] = frozenset()
    capitals_anywhere = False

    def __init__(self, source: Analysis, corrected: Analysis, *, fixed: bool) -> None:
        del fixed  # there is no original program with bugs
        self._source = source
        self._corrected = corrected

    @staticmethod
    def bare_letters(words: Tokens) -> str:
        """Return the letters without spaces, hyphens and apostrophes."""
        return bare_letters(words)

    def may_close(self, end: int, to_end: int) -> bool:  # noqa: ARG002
        """Return False: no rule is about the end of a window only."""
        return False

    def is_one_edit(self, run: Run) -> bool:
        """Return whether a run is one edit: unless it only replaces words one by one."""
        return any(step.operation != "S" for step in run)

    def decide(self, run: Run, operations: str, first: int, last: int) -> MergeDecision | None:
        """Return the decision of the first rule that applies to this window."""
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        source, corrected = self._source, self._corrected
        # spaces, hyphens and apostrophes only [foto graf -> fotograf]
        joined = bare_letters(source.lower[start:end])
        if joined == bare_letters(corrected.lower[to_start:to_end]) != "":
            return MergeDecision(first, last + 1)
        # a moved capital [Bilen -> Den bilen]
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
                near = operations[max(place - 1, 0) : place + 2]
                # Insertions at the same position are one edit.
                is_insertion = operations[place] == "I" and "II" in near
                if not is_insertion and self._stands_alone(run[place]):
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


_VERBAL = frozenset({"AUX", "PART", "VERB"})


ONE_SIDED: RuleSection[UniversalSide] = RuleSection(
    "any number of words",
    (
        Rule(
            "part-of-speech",
            lambda side: side.pos[0],
            "all words have this part of speech",
            lambda side: len(set(side.pos)) == 1 and side.pos[0] not in VAGUE,
            kind="the part of speech",
        ),
        Rule(
            "verb-group",
            "VERB",
            "a verb with its auxiliaries or particles",
            lambda side: "VERB" in side.pos and _VERBAL.issuperset(side.pos),
        ),
        NO_RULE_FITS,
    ),
)


def _inflects(change: Change) -> bool:
    pair = change.pair if change.is_one_word else None
    return pair is not None and pair.same_pos and bool(pair.changed)


FORM_ONLY: RuleSection[Change] = RuleSection(
    "the same letters or the same words",
    (
        CASE_OR_SPACING,
        Rule(
            "hyphen-or-apostrophe",
            "ORTH",
            "only hyphens or apostrophes (and case or spacing) differ, and no feature",
            lambda change: (
                bare_letters(change.source.lower) == bare_letters(change.corrected.lower) != ""
                and not _inflects(change)
            ),
        ),
        REORDERING,
        Rule(
            "reordering-and-inflection",
            lambda change: ":".join(["WO", *filter(None, [",".join(change.changed_in_words)])]),
            "the same words are in a different order, and these features differ",
            lambda change: (
                not change.is_one_word
                and sorted(change.source.lemma) == sorted(change.corrected.lemma)
            ),
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
    "the source word is not in the dictionary",
    (
        Rule(
            "unknown-word-inflected",
            _inflected,
            "unknown word with the same lemma and part of speech as the correction, and these "
            "features change",
            lambda change: change.same_lemma and change.inflects,
            kind=_FEATURES,
        ),
        Rule(
            "misspelling",
            "SPELL",
            "unknown word with a letter similarity above 0.55 (up to four letters: at least 1/3)",
            lambda change: change.is_slip,
        ),
        Rule(
            "unknown-word-replaced",
            _pos,
            "unknown word, not similar to the correction, whose part of speech is the type",
            lambda change: change.pos not in VAGUE,
            kind="the part of speech of the correction",
        ),
    ),
    when=lambda change: change.is_misspelt,
)

WORDS: RuleSection[UniversalWordChange] = RuleSection(
    "replacements of one word by one word",
    (
        Rule(
            "marked-as-typo",
            "SPELL",
            "the analysis marks the word as misspelled (Typo=Yes), and no feature changes",
            lambda change: change.is_marked_as_typo and change.is_slip and not change.changed,
        ),
        Rule(
            "inflection",
            _inflected,
            "two forms of the same word (same lemma or similar letters), and these features differ",
            lambda change: change.related and change.inflects,
            kind=_FEATURES,
        ),
        Rule(
            "grammatical-word",
            _inflected,
            "two articles, pronouns, numerals or auxiliaries, and these features differ",
            lambda change: change.grammatical and change.inflects,
            kind=_FEATURES,
        ),
        Rule(
            "inflection-across-parts-of-speech",
            lambda change: f"{change.pos}:{','.join(change.changed_in_both)}",
            "same lemma or similar letters, different parts of speech, and these common features "
            "differ",
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
            "same lemma, and no feature differs",
            lambda change: change.same_lemma and change.same_pos and change.pos != "PUNCT",
        ),
        Rule(
            "derivation",
            "MORPH",
            "same lemma or similar letters, and different parts of speech",
            lambda change: (
                change.related
                and not change.same_pos
                and VAGUE.isdisjoint({change.pos, change.source_pos})
            ),
        ),
        Rule(
            "word-choice",
            _pos,
            "a different word with this part of speech",
            lambda change: change.same_pos and change.pos not in VAGUE,
            kind="the part of speech",
        ),
    ),
)


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
    "other replacements, also of several words",
    (
        Rule(
            "one-word-of-content",
            _form,
            "the only content word on each side is the same, and these features differ",
            _changes_a_form,
            kind=f"{_FEATURES}, or only the part of speech",
        ),
        Rule(
            "all-same-part-of-speech",
            lambda change: change.corrected.pos[-1],
            "all words on both sides have this part of speech",
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
        NO_RULE_FITS,
    ),
)
