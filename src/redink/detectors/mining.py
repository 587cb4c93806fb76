"""Candidates for extraneous prepositions, by comparing counts (Madnani et al. 2011, 2.1).

A trigram with a preposition in the middle (*marry with her*) that is unattested in a large text,
or much rarer than the bigram without it (*marry her*) lets one expect, may be an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from redink.detectors.features import preposition_at
from redink.errors import FormatError
from redink.files import read_lines

_MOST_DIGITS = 18

Trigram = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A trigram that may hold an extraneous preposition.

    Attributes:
        trigram: the preposition between its neighbours, in lower case.
        trigram_count: how often it occurs in the counted text.
        bigram_count: how often its neighbours occur there next to each other.
        ratio: how often the trigram occurs for each time the bigram does.
        occurrences: how often it occurs in the examined text.
        sentence: where it occurs there first, from 1.
        token: the place of the preposition in that sentence, from 0.
        example: the sentence.
    """

    trigram: str
    trigram_count: int
    bigram_count: int
    ratio: float
    occurrences: int
    sentence: int
    token: int
    example: str


def find_trigrams(
    sentences: Iterable[Sequence[str]],
) -> dict[Trigram, list[tuple[int, int]]]:
    """Where every trigram with a preposition in the middle occurs; its neighbours are words."""
    found: dict[Trigram, list[tuple[int, int]]] = {}
    for number, tokens in enumerate(sentences):
        lower = [token.lower() for token in tokens]
        for at in range(1, len(lower) - 1):
            if preposition_at(lower, at) is None:
                continue
            left, right = lower[at - 1], lower[at + 1]
            if left[:1].isalpha() and right[:1].isalpha():
                found.setdefault((left, lower[at], right), []).append((number, at))
    return found


def count_text(
    sentences: Iterable[Sequence[str]], wanted: Iterable[Trigram]
) -> Mapping[tuple[str, ...], int]:
    """How often the wanted trigrams, and their bigrams, occur in a text; it is streamed."""
    trigrams = set(wanted)
    bigrams = {(left, right) for left, _, right in trigrams}
    counts: Counter[tuple[str, ...]] = Counter()
    for tokens in sentences:
        lower = [token.lower() for token in tokens]
        counts.update(pair for pair in pairwise(lower) if pair in bigrams)
        triples = zip(lower, lower[1:], lower[2:], strict=False)
        counts.update(triple for triple in triples if triple in trigrams)
    return counts


def read_counts(path: str | Path, wanted: Iterable[Trigram]) -> Mapping[tuple[str, ...], int]:
    """Counts from a file with an n-gram, a tab and a number a line, as Web 1T has them.

    Only what is wanted is kept, in lower case; counts of different cases are added.
    """
    trigrams = set(wanted)
    keep: set[tuple[str, ...]] = {*trigrams, *((left, right) for left, _, right in trigrams)}
    counts: Counter[tuple[str, ...]] = Counter()
    for number, line in read_lines(path):
        text, tab, count = line.rpartition("\t")
        if not line.strip():
            continue
        count = count.strip()
        if not tab or not count.isdecimal() or len(count) > _MOST_DIGITS:
            raise FormatError("expected an n-gram, a tab and a count", path=path, line=number)
        words = tuple(text.lower().split())
        if words in keep:
            counts[words] += int(count)
    return counts


def find_candidates(
    sentences: Sequence[Sequence[str]],
    trigrams: Mapping[Trigram, Sequence[tuple[int, int]]],
    counts: Mapping[tuple[str, ...], int],
    *,
    min_bigram: int = 5,
    max_ratio: float = 0.01,
) -> list[Candidate]:
    """Trigrams that are unattested or rare beside their bigrams, the clearest first.

    Args:
        sentences: the text examined.
        trigrams: its trigrams and their places.
        counts: how often trigrams and bigrams occur in the counted text.
        min_bigram: how often the bigram must occur for its trigram to be expected at all.
        max_ratio: a trigram that occurs more often than this for each bigram is not a candidate.
    """
    found = []
    for trigram, places in trigrams.items():
        bigram_count, count = counts.get((trigram[0], trigram[2]), 0), counts.get(trigram, 0)
        if bigram_count >= max(min_bigram, 1) and count <= max_ratio * bigram_count:
            number, token = places[0]
            candidate = Candidate(
                " ".join(trigram),
                count,
                bigram_count,
                count / bigram_count,
                len(places),
                number + 1,
                token,
                " ".join(sentences[number]),
            )
            found.append(((count, -bigram_count, trigram), candidate))
    return [candidate for _, candidate in sorted(found, key=lambda pair: pair[0])]
