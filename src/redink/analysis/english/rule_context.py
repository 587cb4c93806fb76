"""The edits that the English rules classify: words on both sides with their analyses."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance.Levenshtein import normalized_similarity

from redink.analysis.analyzer import Analysis, Tokens
from redink.analysis.classify import DependenciesNeededError, EditSide
from redink.analysis.english.word_forms import (
    are_spelling_variants,
    is_regular_inflection,
    lemma_tables,
)

# The word classes of error types, from Penn tags. They are coarser than universal parts of speech:
# all nouns have one class, and so do verbs and auxiliaries.
WORD_CLASS: Final = {
    **dict.fromkeys(("JJ", "JJR", "JJS", "AFX"), "ADJ"),
    **dict.fromkeys(("RB", "RBR", "RBS", "WRB"), "ADV"),
    **dict.fromkeys(("DT", "PDT", "PRP$", "WDT", "WP$"), "DET"),
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS"), "NOUN"),
    **dict.fromkeys(("POS", "RP", "TO"), "PART"),
    **dict.fromkeys(("EX", "PRP", "WP"), "PRON"),
    **dict.fromkeys(("MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "BES", "HVS"), "VERB"),
    **dict.fromkeys(("''", '""', ",", "-LRB-", "-RRB-", ".", ":", "HYPH", "``"), "PUNCT"),
    **dict.fromkeys(("#", "$", "SYM"), "SYM"),
    **dict.fromkeys(("FW", "LS", "NIL", "ADD", "GW", "NFP", "XX"), "X"),
    **dict.fromkeys(("SP", "_SP"), "SPACE"),
    "CC": "CONJ",
    "CD": "NUM",
    "IN": "PREP",
    "UH": "INTJ",
}

RARE_CLASSES: Final = frozenset({"INTJ", "NUM", "SYM", "X"})
"""Word classes that are not informative as error types."""

OPEN_CLASSES: Final = frozenset({"ADJ", "ADV", "NOUN", "VERB"})

CLASS_OF_ROLE: Final = {
    "acomp": "ADJ",
    "amod": "ADJ",
    "advmod": "ADV",
    "det": "DET",
    "prep": "PREP",
    "prt": "PART",
    "punct": "PUNCT",
}
"""Word classes that a dependency label indicates."""

AUXILIARY_ROLES: Final = frozenset({"aux", "auxpass"})


def _parsed(analysis: Analysis) -> tuple[Tokens, tuple[int, ...]]:
    """Dependency labels and heads."""
    if analysis.dep is None or analysis.head is None:
        raise DependenciesNeededError(analysis)
    return analysis.dep, analysis.head


class Side(EditSide):
    """The tokens of one side of an edit, with tags and word classes."""

    __slots__ = ("tag", "word_class")

    def __init__(self, analysis: Analysis, start: int, end: int) -> None:
        super().__init__(analysis, start, end)
        self.tag = analysis.tag[start:end]
        self.word_class = [WORD_CLASS.get(tag, "X") for tag in self.tag]

    @property
    def roles(self) -> Tokens:
        """Dependency labels."""
        return _parsed(self.analysis)[0][self.start : self.end]


class EditWord:
    """The one token of one side of an edit."""

    __slots__ = ("_analysis", "index", "lemma", "lower", "tag", "text", "word_class")

    def __init__(self, analysis: Analysis, index: int) -> None:
        self._analysis = analysis
        self.index = index
        self.text = analysis.tokens[index]
        self.lower = analysis.lower[index]
        self.tag = analysis.tag[index]
        self.lemma = analysis.lemma[index]
        self.word_class = WORD_CLASS.get(self.tag, "X")

    @property
    def role(self) -> str:
        """The dependency label."""
        return _parsed(self._analysis)[0][self.index]

    @property
    def is_auxiliary(self) -> bool:
        """Whether the word is an auxiliary in the dependency tree."""
        return self.role.startswith("aux")

    @property
    def has_auxiliary(self) -> bool:
        """Whether an auxiliary depends on the word."""
        roles, _ = _parsed(self._analysis)
        return any(roles[i] in AUXILIARY_ROLES for i in self._analysis.children(self.index))

    def follows_auxiliary(self, *, by_position: bool) -> bool:
        """Return whether this auxiliary is not the first one of its verb.

        ERRANT compares strings, so it does not distinguish two equal auxiliaries of a verb;
        ``by_position`` compares positions.
        """
        analysis = self._analysis
        roles, heads = _parsed(analysis)
        for child in analysis.children(heads[self.index]):
            if roles[child].startswith("aux"):
                return child != self.index if by_position else analysis.tokens[child] != self.text
        return False


@dataclass(slots=True)
class PhraseChange:
    """A replacement of any length."""

    source: Side
    corrected: Side

    def same_lemma(self, at: int) -> bool:
        """Return whether the words at an index of both sides have the same base form."""
        return self.source.lemma[at] == self.corrected.lemma[at]

    @property
    def classes(self) -> set[str]:
        """The word classes on both sides."""
        return {*self.source.word_class, *self.corrected.word_class}


class WordChange:
    """A replacement of one word by one word.

    Attributes:
        classes: the word classes of both words.
        same_class: whether both words have the same class.
        both_open: whether both words are adjectives, adverbs, nouns or verbs.
        words: both words in lower case.
    """

    __slots__ = (
        *("_similarity", "both_open", "classes", "corrected", "fixed", "lexicon", "same_class"),
        *("source", "words"),
    )

    def __init__(
        self,
        source: Analysis,
        index: int,
        corrected: Analysis,
        to_index: int,
        lexicon: Container[str],
        fixed: bool,  # noqa: FBT001
    ) -> None:
        self.source, self.corrected = self.word(source, index), self.word(corrected, to_index)
        self.lexicon, self.fixed = lexicon, fixed
        self.classes = {self.source.word_class, self.corrected.word_class}
        self.same_class = len(self.classes) == 1
        self.both_open = self.classes <= OPEN_CLASSES
        self.words = {self.source.lower, self.corrected.lower}
        self._similarity: float | None = None

    word = EditWord

    @property
    def same_lemma(self) -> bool:
        """Whether both words have the same base form; if fixed, also in two spellings."""
        ours, theirs = self.source.lemma, self.corrected.lemma
        return ours == theirs or (self.fixed and are_spelling_variants(ours, theirs))

    @property
    def is_spelling_variant(self) -> bool:
        """Whether both words are spellings of the same word, such as color and colour."""
        return are_spelling_variants(self.source.lower, self.corrected.lower)

    @property
    def is_regularized(self) -> bool:
        """Whether the source is the correction or its base form with a regular ending."""
        lower, word_class = self.corrected.lower, self.corrected.word_class
        irregular = lemma_tables().irregular_bases(lower, word_class.lower())
        return any(
            is_regular_inflection(self.source.lower, base, word_class)
            for base in (lower, self.corrected.lemma, *irregular)
        )

    @property
    def similarity(self) -> float:
        """1 minus the Levenshtein distance divided by the length of the longer lowercase word."""
        if self._similarity is None:
            self._similarity = normalized_similarity(self.source.lower, self.corrected.lower)
        return self._similarity

    @property
    def is_misspelt(self) -> bool:
        """Whether the source word consists of letters and is not in the dictionary."""
        word = self.source
        if not word.text.isalpha() or word.text in self.lexicon or word.lower in self.lexicon:
            return False
        # ERRANT classifies PARIS as a misspelling, because its list contains only Paris.
        return not (self.fixed and word.text.isupper() and word.lower.capitalize() in self.lexicon)
