"""Candidates for extraneous prepositions, by comparing counts (Madnani et al. 2011, 2.1).

A trigram with a preposition in the middle (*marry with her*) may be an error if a large text does
not contain it, or much less often than the bigram without the preposition (*marry her*).
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
    """A trigram that may contain an extraneous preposition, with its counts in a large text.

    ``occurrences``, the first ``sentence`` (from 1) and ``token`` (from 0), and the ``example`` are
    those of the examined text.
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
    """Return the places of every trigram with a preposition between two words."""
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
    """Count the wanted trigrams, and their bigrams, in a text."""
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
    """Read counts from a file as of Web 1T: one n-gram, a tab and a number per line.

    Counts of different cases are added.
    """
    keep: set[tuple[str, ...]] = set()
    for left, middle, right in wanted:
        keep |= {(left, middle, right), (left, right)}
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
    """Return the trigrams that are unattested or rare compared to their bigrams, clearest first."""
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
