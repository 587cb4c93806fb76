"""A language as one value: how its text is analyzed and compared, and how its errors are named.

Everything else in this room works for any language and asks this value. Languages and analyzers
are found by name, and another package can add its own by an entry point::

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
"""English names of languages, by their codes."""

UNIVERSAL = "universal"
"""The code of any language: rules that know parts of speech and features, and no words."""

Operation = Literal["M", "U", "R"]
OPERATIONS: Final[dict[Operation, str]] = {"M": "missing", "U": "unnecessary", "R": "replacement"}


@dataclass(frozen=True, slots=True)
class ErrorType:
    """A type of error."""

    name: str
    title: str
    meaning: str
    thing: str
    fault: str
    examples: Mapping[Operation, tuple[str, str]]


def read_error_types(path: Path) -> tuple[ErrorType, ...]:
    """The error types in a TOML file: a table for each, in which an operation has its example."""
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
"""Of which alignments edits are given: of all that cost the least, or of the first of them."""


class PairFinder(Protocol):
    """Finds the edits of a language that cuts, aligns, merges and types in its own way."""

    def split(self, text: str) -> Tokens:
        """The tokens of a line."""

    def annotate(self, source: Tokens, corrected: Tokens, annotator: str) -> Annotation:
        """The edits that turn one into the other, under that name."""

    def align(self, source: Tokens, corrected: Tokens) -> list[AlignmentStep]:
        """The steps of the first alignment, matches left out."""

    def type_span(self, source: Tokens, corrected: Tokens, span: Span) -> Typed:
        """The type of an edit that somebody else made."""


@dataclass(frozen=True, kw_only=True)
class Language:
    """All that is particular to a language.

    Attributes:
        code: how a user asks for it, as ``en``.
        name: what it is called in English.
        tokenize: the ``(start, end)`` of every token of raw text, in characters.
        load_analyzer: loads its own analyzer, which is called ``embedded``.
        analyzer_version: the version of that analyzer, without loading it.
        lexicon: its list of known words; called with whether to mend what is wrong in the original.
        open_pos: parts of speech that are alike: to replace one by another costs less.
        distance: how far the letters of two words are apart in an alignment, from 0 to 1.
        merging: the rules by which steps of an alignment become edits.
        typing: the rules by which edits are typed.
        error_types: every type that these rules give, with its meaning.
        in_words: what a type says that is made of parts and not in the list.
        as_aligned: what stands in for two analyses while they are aligned.
        finding: what finds edits, where alignment, merging and typing are not those that other
            languages share.
        older: loads the language with an older version of its rules, by the version.
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
        """Every error type with its operation, as in M2, and what it says in words."""
        described = {}
        for kind in self.error_types:
            for operation in kind.examples:
                missing = f"{OPERATIONS[operation]} {kind.thing}"
                described[f"{operation}:{kind.name}"] = kind.fault if operation == "R" else missing
            if not kind.examples:
                described[kind.name] = kind.fault
        return described

    def describe(self, kind: str) -> str:
        """What a type with its operation says in words; its name, where nothing is known."""
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
"""Languages with rules of their own; all others go by the universal ones."""


def check_language(code: str) -> str:
    """The code of a language, if it is one."""
    if code not in LANGUAGES and code not in NAMES:
        raise OptionError(
            f"there is no language {code!r}; there are codes of two letters or three ('sv', 'de', "
            f"'grc'), and {', '.join(repr(name) for name in LANGUAGES.names)}"
        )
    return code


def find_language(code: str) -> Language:
    """The language of that code: with rules of its own, or with the universal ones."""
    check_language(code)
    if code in LANGUAGES:
        return LANGUAGES.load(code)
    found = replace(LANGUAGES.load(UNIVERSAL), code=code, name=NAMES[code])
    return replace(found, tokenize=partial(_split_by_rules, code)) if code in _BY_RULES else found


def load_tokenizer(code: str) -> Callable[[str], list[tuple[int, int]]]:
    """What cuts raw text of a language into tokens."""
    return find_language(code).tokenize


_BY_RULES = frozenset({"ca", "da", "de", "es", "fi", "fr", "it", "nb", "nl", "pt", "sv"})
"""Languages for which spaCy has rules of their own: abbreviations, elisions, words with hyphens."""


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
"""What makes an analyzer from the text behind the colon of its name."""

_AFTER_COLON = {"conllu": "FILE,FILE", "stanza": "LANGUAGE", "udpipe": "FILE"}


def load_analyzer(name: str = EMBEDDED, *, language: str = "en") -> Analyzer:
    """The analyzer of that name: ``embedded``, or one called as ``KIND:NAME``."""
    if name == EMBEDDED:
        return find_language(language).load_analyzer()
    kind, _, which = name.partition(":")
    if kind == "spacy" and Path(which, "weights.npz").is_file():
        return find_language(language).load_analyzer()  # the folder of redink's own pipeline
    if kind not in ANALYZERS or not which:
        others = [f"'{other}:{_AFTER_COLON.get(other, 'NAME')}'" for other in ANALYZERS]
        raise OptionError(
            f"there is no analyzer {name!r}; give 'embedded', {', '.join(others[:-1])} or "
            f"{others[-1]}"
        )
    return ANALYZERS.load(kind)(which)


_CLEAR = 0.12
"""The share of a text's words that are among its language's commonest, at the least."""
_RIVAL = 0.5
"""A language with more than this share of the best one's hits may be meant."""


@cache
def _common_words() -> dict[str, frozenset[str]]:
    found = _read_table("common-words.toml")
    return {code: frozenset(words.split()) for code, words in found.items()}


def guess_other_language(words: Iterable[str], code: str) -> str | None:
    """The code of the language that a text is clearly in, if that is not the one it should be.

    Of a language whose common words are not known here nothing is said: a text in it would look
    like its nearest relative.
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
