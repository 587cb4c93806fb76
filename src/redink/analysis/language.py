"""A language as one value: its analysis, alignment, merging and classification rules.

All other modules of this package work for any language and use this value. Languages and analyzers
are found by name. Other packages can add languages and analyzers with an entry point::

    [project.entry-points."redink.languages"]
    de = "my_package.german:GERMAN"

    [project.entry-points."redink.analyzers"]
    stanza = "my_package.stanza:load"      # load("de") for the analyzer "stanza:de"
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Final, Literal, Protocol

from rapidfuzz.distance.Indel import normalized_distance

from redink.analysis.analyzer import Analysis, Analyzer, Tokens
from redink.analysis.annotation_options import EMBEDDED
from redink.analysis.classify import Typed, Typing
from redink.analysis.edit_extraction import AlignmentStep, Distance, MakeMergingRules, Span
from redink.errors import OptionError
from redink.model import Annotation
from redink.registry import Registry


def _read_table(name: str) -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


NAMES: Final = _read_table("language-names.toml")
"""English names of languages by code."""

UNIVERSAL = "universal"
"""The code of universal rules, which use parts of speech and features but no word lists."""

Operation = Literal["M", "U", "R"]
OPERATIONS: Final[dict[Operation, str]] = {"M": "missing", "U": "unnecessary", "R": "replacement"}


@dataclass(frozen=True, slots=True)
class ErrorType:
    """An error type."""

    name: str
    title: str
    meaning: str
    thing: str
    fault: str
    examples: Mapping[Operation, tuple[str, str]]


def read_error_types(path: Path) -> tuple[ErrorType, ...]:
    """Read error types from a TOML file with one table per type and one example per operation."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        ErrorType(
            name,
            about["title"],
            about["meaning"],
            about.get("thing", ""),
            about["fault"],
            {operation: tuple(about[operation]) for operation in OPERATIONS if operation in about},
        )
        for name, about in found.items()
    )


Alignments = Literal["all", "first"]
"""The alignments whose edits are used: all cheapest ones, or only the first."""


class PairFinder(Protocol):
    """Extracts the edits of a language with its own tokenization, alignment and classification."""

    def split(self, text: str) -> Tokens:
        """Tokenize a line."""

    def annotate(self, source: Tokens, corrected: Tokens, annotator: str) -> Annotation:
        """Return the edits from source to correction as an annotation of this annotator."""

    def align(self, source: Tokens, corrected: Tokens) -> list[AlignmentStep]:
        """Return the steps of the first alignment, without matches."""

    def type_span(self, source: Tokens, corrected: Tokens, span: Span) -> Typed:
        """Return the type of an existing edit."""


@dataclass(frozen=True, kw_only=True)
class Language:
    """The language-specific parts of the analysis.

    Attributes:
        code: the language code, such as ``en``.
        name: the English name.
        tokenize: returns the ``(start, end)`` character span of each token in raw text.
        load_analyzer: loads the built-in analyzer, which has the name ``embedded``.
        analyzer_version: returns the version of this analyzer without loading it.
        lexicon: returns the dictionary, given whether to correct bugs of the original.
        open_pos: similar parts of speech; replacing one by another costs less.
        distance: returns the letter distance of two words in an alignment, from 0 to 1.
        merging: the rules that merge alignment steps into edits.
        typing: the rules that classify edits.
        error_types: all types that these rules assign, with their meanings.
        in_words: returns the meaning of a composed type that is not in the list.
        as_aligned: replaces two analyses during the alignment.
        finding: makes the edit finder of a language that does not use the common alignment,
            merging and classification.
        older: functions that load the language with an older version of its rules, by version.
    """

    code: str
    name: str
    tokenize: Callable[[str], list[tuple[int, int]]]
    load_analyzer: Callable[[], Analyzer]
    analyzer_version: Callable[[], str]
    lexicon: Callable[[bool], Container[str]]
    open_pos: frozenset[str]
    distance: Distance = normalized_distance
    merging: MakeMergingRules
    typing: Typing
    error_types: tuple[ErrorType, ...]
    in_words: Callable[[str], str] = str
    as_aligned: Callable[[Analysis, Analysis], tuple[Analysis, Analysis]] | None = None
    finding: Callable[..., PairFinder] | None = None
    older: Mapping[str, Callable[[], Language]] = field(default_factory=dict)

    def describe_types(self) -> dict[str, str]:
        """Return all error types with their operation, as in M2, and their meanings."""
        described = {}
        for kind in self.error_types:
            for operation in kind.examples:
                missing = f"{OPERATIONS[operation]} {kind.thing}"
                described[f"{operation}:{kind.name}"] = kind.fault if operation == "R" else missing
            if not kind.examples:
                described[kind.name] = kind.fault
        return described

    def describe(self, kind: str) -> str:
        """Return the meaning of a type with its operation; its name if the meaning is unknown."""
        return self.describe_types().get(kind) or self.in_words(kind)


LANGUAGES: Registry[Language] = Registry(
    "redink.languages",
    "language",
    {
        "en": "redink.analysis.english:ENGLISH",
        "zh": "redink.analysis.chinese:CHINESE",
        UNIVERSAL: "redink.analysis.universal:UNIVERSAL",
    },
)
"""Languages with their own rules; all others use the universal rules."""


def check_language(code: str) -> str:
    """Return a language code if it is valid; otherwise raise an error."""
    if code not in LANGUAGES and code not in NAMES:
        raise OptionError(
            f"unknown language {code!r}; expected a code of two or three letters ('sv', 'de', "
            f"'grc'), and {', '.join(repr(name) for name in LANGUAGES.names)}"
        )
    return code


def find_language(code: str) -> Language:
    """Return the language with this code, with its own or the universal rules."""
    check_language(code)
    if code in LANGUAGES:
        return LANGUAGES.load(code)
    found = replace(LANGUAGES.load(UNIVERSAL), code=code, name=NAMES[code])
    return replace(found, tokenize=partial(_split_by_rules, code)) if code in _BY_RULES else found


def load_tokenizer(code: str) -> Callable[[str], list[tuple[int, int]]]:
    """Return the tokenizer of raw text in a language."""
    return find_language(code).tokenize


_BY_RULES = frozenset({"ca", "da", "de", "es", "fi", "fr", "it", "nb", "nl", "pt", "sv"})
"""Languages for which spaCy has specific rules: abbreviations, elisions, hyphenated words."""


def _split_by_rules(code: str, text: str) -> list[tuple[int, int]]:
    from redink.analysis.spacy_analyzer import split_by_spacy

    return split_by_spacy(code, text)


ANALYZERS: Registry[Callable[[str], Analyzer]] = Registry(
    "redink.analyzers",
    "analyzer",
    {
        "spacy": "redink.analysis.spacy_analyzer:load_pipeline",
        "conllu": "redink.analysis.universal_dependencies:load_conllu",
        "stanza": "redink.analysis.universal_dependencies:load_stanza",
        "udpipe": "redink.analysis.universal_dependencies:load_udpipe",
    },
)
"""Makes an analyzer from the part of its name after the colon."""

_AFTER_COLON = {"conllu": "FILE,FILE", "stanza": "LANGUAGE", "udpipe": "FILE"}


def load_analyzer(name: str = EMBEDDED, *, language: str = "en") -> Analyzer:
    """Load the analyzer with this name: ``embedded`` or ``KIND:NAME``."""
    if name == EMBEDDED:
        return find_language(language).load_analyzer()
    kind, _, which = name.partition(":")
    if kind == "spacy" and Path(which, "weights.npz").is_file():
        return find_language(language).load_analyzer()  # the folder of the embedded pipeline
    if kind not in ANALYZERS or not which:
        others = [f"'{other}:{_AFTER_COLON.get(other, 'NAME')}'" for other in ANALYZERS]
        raise OptionError(
            f"unknown analyzer {name!r}; expected 'embedded', {', '.join(others[:-1])} or "
            f"{others[-1]}"
        )
    return ANALYZERS.load(kind)(which)


_CLEAR = 0.12
"""The minimum share of a text's words that are among the most common words of its language."""
_RIVAL = 0.5
"""A language with more than this share of the matches of the best language is possible."""


@cache
def _common_words() -> dict[str, frozenset[str]]:
    found = _read_table("common-words.toml")
    return {code: frozenset(words.split()) for code, words in found.items()}


def guess_other_language(words: Iterable[str], code: str) -> str | None:
    """Return the code of a text's language, if it is clearly another one than expected.

    Returns None if the expected language has no list of common words, because its texts would look
    like the most similar language.
    """
    common = _common_words()
    text = list(words)
    if code not in common or not text:
        return None
    hits = {other: sum(word in known for word in text) for other, known in common.items()}
    best = max(hits, key=hits.__getitem__)
    if best == code or hits[best] < _CLEAR * len(text) or hits[code] > _RIVAL * hits[best]:
        return None
    return best
