"""How two known words that no rule of grammar named are typed: by how alike their letters are.

The thresholds are ERRANT's, tuned by its authors on learner corpora. The shorter the words, the
likelier a slip of spelling; the longer, the likelier another word of one's own choice.
"""

from __future__ import annotations

from collections.abc import Callable

from redink.analysis.classify import Rule, Section
from redink.analysis.english.change import RARE_CLASSES, WordChange


def _length(change: WordChange) -> int:
    return len(change.source.text)


def _to_length(change: WordChange) -> int:
    return len(change.corrected.text)


def _becomes(change: WordChange, source: str, corrected: str) -> bool:
    return change.source.lower == source and change.corrected.lower == corrected


def _contains_other(change: WordChange) -> bool:
    source, corrected = change.source.text, change.corrected.text
    return source.startswith(corrected) or corrected.startswith(source)


def _other_word(name: str, because: str, when: Callable[[WordChange], bool]) -> Rule[WordChange]:
    """A rule that gives the class of the correction, where that tells something."""
    return Rule(
        name,
        lambda change: change.corrected.word_class,
        because,
        lambda change: when(change) and change.corrected.word_class not in RARE_CLASSES,
        kind="the correction's class",
    )


SIMILARITY: tuple[Section[WordChange], ...] = (
    Section(
        "known words; the source has one letter",
        (
            Rule(
                "one-letter-slip",
                "SPELL",
                "one letter, and a word of two that contains it, as i and in",
                lambda change: _to_length(change) == 2 and change.similarity == 0.5,
            ),
        ),
        when=lambda change: _length(change) == 1,
    ),
    Section(
        "known words; the source has two letters",
        (
            Rule(
                "two-letter-slip",
                "SPELL",
                "two letters, and a word of two or three at least half alike, as to and too",
                lambda change: 2 <= _to_length(change) <= 3 and change.similarity >= 0.5,
            ),
        ),
        when=lambda change: _length(change) == 2,
    ),
    Section(
        "known words; the source has three letters",
        (
            Rule(
                "the-to-that",
                "PRON",
                "the becomes that, a relative pronoun",
                lambda change: _becomes(change, "the", "that"),
            ),
            Rule(
                "all-to-everything",
                "PRON",
                "all becomes everything",
                lambda change: _becomes(change, "all", "everything"),
            ),
            Rule(
                "three-letter-slip",
                "SPELL",
                "three letters, and a word of two to four at least half alike, as off and of",
                lambda change: 2 <= _to_length(change) <= 4 and change.similarity >= 0.5,
            ),
        ),
        when=lambda change: _length(change) == 3,
    ),
    Section(
        "known words; the source has four letters",
        (
            Rule(
                "that-and-what",
                "PRON",
                "that and what",
                lambda change: change.words == {"that", "what"},
            ),
            _other_word(
                "good-and-well",
                "good and well: the correction's class",
                lambda change: change.words == {"good", "well"},
            ),
            Rule(
                "four-letter-slip",
                "SPELL",
                "four letters, and a word of three to five alike enough, as then and than",
                lambda change: (
                    (_to_length(change) == 3 and change.similarity > 0.5)
                    or (_to_length(change) == 4 and change.similarity >= 0.5)
                    or (_to_length(change) == 5 and change.similarity == 0.8)
                ),
            ),
            _other_word(
                "four-letters-to-longer-word",
                "four letters, and a longer word more than half alike, as high and height",
                lambda change: _to_length(change) > 5 and change.similarity > 0.5,
            ),
        ),
        when=lambda change: _length(change) == 4,
    ),
    Section(
        "known words; the source has five letters",
        (
            _other_word(
                "after-and-later",
                "after and later: the correction's class",
                lambda change: change.words == {"after", "later"},
            ),
            Rule(
                "five-letter-slip",
                "SPELL",
                "five letters, and a word of four or five alike enough, as quite and quiet",
                lambda change: (
                    (_to_length(change) == 4 and change.similarity == 0.8)
                    or (_to_length(change) == 5 and change.similarity >= 0.6)
                ),
            ),
            _other_word(
                "five-letters-to-longer-word",
                "five letters, and a longer word, as human and people",
                lambda change: _to_length(change) > 5,
            ),
        ),
        when=lambda change: _length(change) == 5,
    ),
    Section(
        "known words of six letters and more",
        (
            Rule(
                "therefor-to-therefore",
                "SPELL",
                "therefor becomes therefore",
                lambda change: _becomes(change, "therefor", "therefore"),
            ),
            Rule(
                "though-and-thought",
                "SPELL",
                "though and thought",
                lambda change: change.words == {"though", "thought"},
            ),
            Rule(
                "longer-form",
                "MORPH",
                "one word begins with the other, as health and healthy",
                lambda change: _contains_other(change) and change.similarity >= 0.66,
            ),
            Rule(
                "long-word-slip",
                "SPELL",
                "more than 0.8 alike in letters, as exiting and exciting",
                lambda change: change.similarity > 0.8,
            ),
            _other_word(
                "other-long-word",
                "less than 0.55 alike in letters, as transport and travel",
                lambda change: change.similarity < 0.55,
            ),
        ),
        when=lambda change: _length(change) > 5 and _to_length(change) > 5,
    ),
)
