"""The prepositions, and the positions of a text where one can be: features, training events.

A position is described by sixteen *atoms*: words and tags next to it, and the heads of the phrases
nearby, found by rules over tags, without a parser. A *feature* (:data:`FEATURES`) is one atom or a
combination of several, as a 40-bit number computed from the hashes of its atoms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from redink.analysis.analyzer import Analysis, Analyzer
from redink.analysis.english.phrases import (
    NOUNS,
    VERBS,
    find_head_after,
    find_heads_before,
    is_strict_preposition,
)
from redink.files import read_lines
from redink.progress import tell

Tokens = tuple[str, ...]

Kind = Literal["confusion", "extraneous"]  # of preposition errors
KINDS: tuple[Kind, ...] = ("confusion", "extraneous")
Thresholds = dict[Kind, float]
"""The confidence above which a preposition is marked as an error of each kind."""

# The 34 common prepositions among which the detectors choose.
PREPOSITIONS: tuple[str, ...] = tuple(
    """
    about above across after against along among around as at before behind below between by
    during for from in into of off on over since through to toward under until upon with
    within without
    """.split()  # noqa: SIM905 (a list of words)
)
OTHER = "(other)"  # the class of those of the 34 that a smaller set leaves out
NOTHING = len(PREPOSITIONS)  # the class of a position without a preposition, always the last
CLASSES: tuple[str, ...] = (*PREPOSITIONS, "")
_SPELLINGS = {"towards": "toward", "till": "until", "amongst": "among"}


@cache
def number_words(classes: tuple[str, ...]) -> dict[str, int]:
    """Return the class of each word. ``towards``, ``till`` and ``amongst`` are variants."""
    numbers = {word: number for number, word in enumerate(classes) if word not in {OTHER, ""}}
    if OTHER in classes:
        numbers = dict.fromkeys(PREPOSITIONS, classes.index(OTHER)) | numbers
    variants = {v: numbers[word] for v, word in _SPELLINGS.items() if word in numbers}
    return variants | numbers


NUMBER_OF: dict[str, int] = number_words(CLASSES)
_BEFORE_GAP = NOUNS | VERBS | {"JJ", "RB", "PRP"}
_AFTER_GAP = NOUNS | {"DT", "PRP", "PRP$", "JJ", "CD", "VBG", "WDT", "WP", "EX", "RB"}


def preposition_at(lower: Sequence[str], index: int) -> int | None:
    """Return the index of the preposition at a token, or None.

    Tags are ignored: they are least reliable in sentences with a wrong preposition.
    """
    return NUMBER_OF.get(lower[index])


def is_gap(tag: Sequence[str], index: int) -> bool:
    """Return whether a preposition may be missing before a token."""
    return 0 < index < len(tag) and tag[index - 1] in _BEFORE_GAP and tag[index] in _AFTER_GAP


ATOMS: tuple[str, ...] = tuple(
    """
    word-2 word-1 word+1 word+2 tag-2 tag-1 tag+1 tag+2
    verb noun governor head verb-tag noun-tag governor-tag head-tag
    """.split()  # noqa: SIM905 (a list of words)
)
"""The atoms of a position.

``word-1`` is the word before the position, and ``tag+2`` the tag of the second word after it.
``verb`` is the lemma of the head of the verb phrase before the position, and ``noun`` that of the
noun phrase that ends just before it. ``governor`` is the nearer of the two (or the adjective in
*afraid of*), and ``head`` the head of the phrase after it. ``-tag`` is the tag of each. Digits are
written as 0.
"""

FEATURES: dict[str, tuple[str, ...]] = {
    # words in positions next to the place
    "left-word": ("word-1",),
    "right-word": ("word+1",),
    "left-bigram": ("word-2", "word-1"),
    "right-bigram": ("word+1", "word+2"),
    "both-sides": ("word-1", "word+1"),
    "left-trigram": ("word-2", "word-1", "word+1"),
    "right-trigram": ("word-1", "word+1", "word+2"),
    "window": ("word-2", "word-1", "word+1", "word+2"),
    # heads of nearby phrases
    "verb": ("verb",),
    "noun": ("noun",),
    "governor": ("governor", "governor-tag"),
    "head": ("head", "head-tag"),
    # combinations of heads
    "verb-head": ("verb", "head"),
    "noun-head": ("noun", "head"),
    "governor-head": ("governor", "head"),
    "verb-noun": ("verb", "noun"),
    "verb-noun-head": ("verb", "noun", "head"),
    # heads with neighboring words
    "left-word-head": ("word-1", "head"),
    "right-word-head": ("word+1", "head"),
    "governor-right-tags": ("governor", "tag+1", "tag+2"),
    "left-tag-right-word": ("tag-1", "word+1"),
    # tags only, for contexts with unseen words
    "left-tags": ("tag-2", "tag-1"),
    "right-tags": ("tag+1", "tag+2"),
    "all-tags": ("tag-2", "tag-1", "tag+1", "tag+2"),
    "head-tags": ("verb-tag", "noun-tag", "governor-tag", "head-tag"),
}
"""The 25 features by name, each with its atoms."""
_FEATURE_ATOMS = [[ATOMS.index(atom) for atom in atoms] for atoms in FEATURES.values()]

_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=1 << 17)
def _number(value: str) -> int:
    return crc32(value.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1 << 17)
def _word(value: str) -> int:
    return _number(_DIGIT.sub("0", value))


_NONE_NUMBER, _START_NUMBER, _END_NUMBER = (_number(x) for x in ("-", "<s>", "</s>"))


def describe_place(
    lower: Sequence[str], tag: Sequence[str], lemma: Sequence[str], left: int, right: int
) -> tuple[int, ...]:
    """Return the atoms of the position between the tokens ``[:left]`` and ``[right:]``, as numbers.

    For a preposition at ``i`` they are ``i`` and ``i + 1``; for the gap before ``i``, both ``i``.
    """
    last = len(lower) - 1
    heads = (*find_heads_before(tag, left), find_head_after(tag, right))
    return (
        _word(lower[left - 2]) if left > 1 else _START_NUMBER,
        _word(lower[left - 1]) if left > 0 else _START_NUMBER,
        _word(lower[right]) if right <= last else _END_NUMBER,
        _word(lower[right + 1]) if right < last else _END_NUMBER,
        _number(tag[left - 2]) if left > 1 else _START_NUMBER,
        _number(tag[left - 1]) if left > 0 else _START_NUMBER,
        _number(tag[right]) if right <= last else _END_NUMBER,
        _number(tag[right + 1]) if right < last else _END_NUMBER,
        *(_NONE_NUMBER if at < 0 else _word(lemma[at].lower()) for at in heads),
        *(_NONE_NUMBER if at < 0 else _number(tag[at]) for at in heads),
    )


_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT, _UNUSED = np.uint64(29), np.uint64(24)


def feature_keys(atoms: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Return the keys of the 25 features of every place: one row per place."""
    return np.stack([feature_column(atoms, number) for number in range(len(FEATURES))], axis=1)


def feature_column(atoms: NDArray[np.uint32], number: int) -> NDArray[np.uint64]:
    """Return the keys of one feature, by its number in :data:`FEATURES`.

    A key of 40 bits is mixed from the number and the atoms; 1 in 10^12 pairs share a key.
    """
    mixed = np.full(len(atoms), number + 1, np.uint64) * _MULTIPLIER
    for column in _FEATURE_ATOMS[number]:
        mixed ^= atoms[:, column]
        mixed *= _MULTIPLIER
        mixed ^= mixed >> _SHIFT
    return mixed >> _UNUSED


BLOCK_LINES = 200  # lines of a file that are held out together, instead of documents
HELD_OUT = 0.1  # share of the blocks
GAP_SHARE = 0.25  # share of positions without a preposition that become events
_LOOK_AT = 200  # lines
_BATCH = 2000  # sentences
_ENDS_RAW = re.compile(r"\w[.!?][\"'\u201d\u2019)]*\s*$")
_ENDS_TOKENIZED = re.compile(r"\s[.!?](?:\s[\"'\u201d\u2019)]+)*\s*$")
# A sentence ends at a full stop (and closing quotes) before a space and a capital or a quote.
_BOUNDARY = re.compile(r"(?<=[.!?])([\"'\u201d\u2019)]*)\s+(?=[\"'\u201c\u2018(]*[A-Z])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:Mr|Mrs|Ms|Dr|St|Prof|Rev|Hon|Capt|Col|Gen|Lt|Sgt|Messrs|Mme|Mlle|Jr|Sr|vs|"
    r"No|Vol|Fig|etc|e\.g|i\.e|[A-Z])\.$"
)


def looks_raw(lines: Iterable[str]) -> bool:
    """Return whether lines are raw paragraphs: tokenized text has a space before the period."""
    lines = list(lines)
    raw = sum(_ENDS_RAW.search(line) is not None for line in lines)
    return raw > sum(_ENDS_TOKENIZED.search(line) is not None for line in lines)


def split_sentences(paragraph: str) -> list[str]:
    """Split a raw paragraph into sentences, by periods and capitals."""
    sentences: list[str] = []
    begin = 0
    for boundary in _BOUNDARY.finditer(paragraph):
        candidate = paragraph[begin : boundary.end(1)]
        if not _ABBREVIATION.search(candidate):
            sentences.append(candidate.strip())
            begin = boundary.end()
    rest = paragraph[begin:].strip()
    return [*sentences, rest] if rest else sentences


def read_sentences(path: str | Path, *, raw: bool | None = None) -> Iterator[tuple[int, Tokens]]:
    """Yield the line number and the tokens of every sentence of a file, also a compressed one.

    Each line is a raw paragraph (``raw``) or a tokenized sentence; None: detect from the first
    lines.
    """
    lines = read_lines(path)
    if raw is None:
        head = list(islice(lines, _LOOK_AT))
        raw = looks_raw(line for _, line in head)
        lines = chain(head, lines)
    if not raw:
        yield from ((number, tokens) for number, line in lines if (tokens := tuple(line.split())))
        return
    from redink.analysis.english.tokenizer import english_tokens

    for number, line in lines:
        for sentence in split_sentences(line):
            yield number, tuple(sentence[start:end] for start, end in english_tokens(sentence))


def is_held_out(block: NDArray[np.int32], share: float) -> NDArray[np.bool_]:
    """Return whether blocks are held out: with a share of 0.1, the last of every ten."""
    before, after = (np.floor(n * share + 1e-9) for n in (block, block + 1))
    return np.asarray(after > before)


@dataclass(frozen=True)
class Events:
    """Positions in a text: one row of every array per position."""

    atoms: NDArray[np.uint32]
    labels: NDArray[np.uint8]  # the class of the preposition, or that of nothing
    strict: NDArray[np.bool_]  # whether the word is tagged as a preposition
    blocks: NDArray[np.int32]  # the block of lines of the place
    classes: tuple[str, ...] = CLASSES

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays with one row per position."""
        return self.atoms, self.labels, self.strict, self.blocks

    @property
    def nothing(self) -> int:
        """The class of a position without a preposition."""
        return len(self.classes) - 1

    def select(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Events:
        """Return some of the events."""
        atoms, labels, strict, blocks = (array[chosen] for array in self.arrays)
        return Events(atoms, labels, strict, blocks, self.classes)

    @property
    def prepositions(self) -> Events:
        """The events with a preposition."""
        return self.select(self.labels != self.nothing)

    def split(self, share: float = HELD_OUT) -> tuple[Events, Events]:
        """Return the events for training, and those of the blocks that are held out."""
        held = is_held_out(self.blocks, share)
        return self.select(~held), self.select(held)


def join_events(parts: Sequence[Events]) -> Events:
    """Join the events of several texts, with distinct blocks."""
    after = np.cumsum([0, *(int(p.blocks.max(initial=-1)) + 1 for p in parts)])
    # Each text begins at a multiple of ten, so that a tenth of each text is held out.
    after = -(-after // 10) * 10
    return _concatenate(
        [replace(p, blocks=p.blocks + begin) for p, begin in zip(parts, after, strict=False)]
    )


def _concatenate(parts: Sequence[Events]) -> Events:
    columns = zip(*(p.arrays for p in parts), strict=True)
    atoms, labels, strict, blocks = map(np.concatenate, columns)
    return Events(atoms, labels, strict, blocks, parts[0].classes)


def analyze_sentences(
    sentences: Iterable[tuple[int, Tokens]], analyzer: Analyzer, activity: str, total: int = 0
) -> Iterator[list[tuple[int, Analysis]]]:
    """Yield batches of numbered analyses; the analyzer's parser is not run."""
    rest = iter(sentences)
    done = 0
    while some := list(islice(rest, _BATCH)):
        with analyzer.analyze([tokens for _, tokens in some]) as batch:
            yield [(number, each) for (number, _), each in zip(some, batch.analyses, strict=True)]
        done += len(some)
        tell(activity, done, total)


def collect_events(
    sentences: Iterable[tuple[int, Tokens]],
    analyzer: Analyzer,
    *,
    rng: np.random.Generator,
    gap_share: float = GAP_SHARE,
    classes: tuple[str, ...] = CLASSES,
) -> Events:
    """Collect every preposition of a text, and a random share of gaps where one may be missing.

    A sentence is its line number and tokens.
    """
    parts = [_gather([], classes)]
    for batch in analyze_sentences(sentences, analyzer, "reading sentences"):
        found = []
        for line, analysis in batch:
            draws = (rng.random(len(analysis)) < gap_share).tolist()
            found += [(*place, line // BLOCK_LINES) for place in _places(analysis, draws, classes)]
        parts.append(_gather(found, classes))
    return _concatenate(parts)


def _gather(
    found: Sequence[tuple[tuple[int, ...], int, bool, int]], classes: tuple[str, ...]
) -> Events:
    rows, labels, strict, blocks = zip(*found, strict=True) if found else ((),) * 4
    return Events(
        np.array(rows, np.uint32).reshape(-1, len(ATOMS)),
        np.array(labels, np.uint8),
        np.array(strict, bool),
        np.array(blocks, np.int32),
        classes,
    )


def _places(
    analysis: Analysis, draws: Sequence[bool], classes: tuple[str, ...]
) -> Iterator[tuple[tuple[int, ...], int, bool]]:
    lower, tag, lemma = analysis.lower, analysis.tag, analysis.lemma
    numbers = number_words(classes)
    for at, is_drawn in enumerate(draws):
        number = numbers.get(lower[at])
        if number is not None:
            is_strict = is_strict_preposition(lower, tag, at)
            yield describe_place(lower, tag, lemma, at, at + 1), number, is_strict
        elif is_drawn and is_gap(tag, at):
            yield describe_place(lower, tag, lemma, at, at), len(classes) - 1, False


def find_prepositions(
    sentences: Sequence[Tokens],
    analyzer: Analyzer,
    *,
    classes: tuple[str, ...] = CLASSES,
    strict: bool = False,
) -> tuple[list[tuple[int, int, int]], NDArray[np.uint32]]:
    """Return sentence, token and class of every preposition, and the atoms of its place.

    ``strict`` excludes infinitive *to*, particles and conjunctions.
    """
    found: list[tuple[int, int, int]] = []
    atoms = [np.empty((0, len(ATOMS)), np.uint32)]
    numbered = enumerate(sentences)
    for batch in analyze_sentences(numbered, analyzer, "examining sentences", len(sentences)):
        rows = []
        for number, a in batch:
            for at in range(len(a)):
                written = number_words(classes).get(a.lower[at])
                is_asked = not strict or is_strict_preposition(a.lower, a.tag, at)
                if written is not None and is_asked:
                    found.append((number, at, written))
                    rows.append(describe_place(a.lower, a.tag, a.lemma, at, at + 1))
        atoms.append(np.array(rows, np.uint32).reshape(-1, len(ATOMS)))
    return found, np.concatenate(atoms)
