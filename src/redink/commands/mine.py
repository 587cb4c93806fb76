"""``redink detector mine``: candidates for extraneous prepositions (Madnani et al. 2011, 2.1).

A trigram with a preposition in the middle (*marry with her*) may be an error if a large text does
not contain it, or much less often than the bigram without the preposition (*marry her*).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.commands.detect import Raw
from redink.detectors.features import preposition_at, read_sentences
from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import read_lines
from redink.inputs.input_options import PathLike
from redink.model import Definition, Table, fingerprint, make_signature, table_of
from redink.options import Limits, Needs, NotNegative, Positive, Seed, command

_MOST_DIGITS = 18

Trigram = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A trigram that may contain an extraneous preposition, with its counts in a large text.

    The other columns are those of a campaign item: the first occurrence of the trigram in the
    examined text. ``candidate`` is ``no`` for prepositions that were added for balance.
    """

    item: str  # ``s12t3``: sentence 12 (from 1), token 3 (from 0)
    candidate: Literal["yes", "no"]
    trigram: str
    trigram_count: int
    bigram_count: int
    ratio: float | None
    occurrences: int
    start: int
    end: int
    text: str
    before: str


def find_trigrams(sentences: Iterable[Sequence[str]]) -> dict[Trigram, list[tuple[int, int]]]:
    """Return the positions of every trigram with a preposition between two words."""
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
    keep = _with_bigrams(wanted)
    counts: Counter[tuple[str, ...]] = Counter()
    for tokens in sentences:
        lower = [token.lower() for token in tokens]
        ngrams = chain(pairwise(lower), zip(lower, lower[1:], lower[2:], strict=False))
        counts.update(ngram for ngram in ngrams if ngram in keep)
    return counts


def _with_bigrams(trigrams: Iterable[Trigram]) -> set[tuple[str, ...]]:
    """Return trigrams and their bigrams without the preposition."""
    keep: set[tuple[str, ...]] = set()
    for left, middle, right in trigrams:
        keep |= {(left, middle, right), (left, right)}
    return keep


def read_counts(path: str | Path, wanted: Iterable[Trigram]) -> Mapping[tuple[str, ...], int]:
    """Read counts from a file as of Web 1T: one n-gram, a tab and a number per line.

    Counts of different cases are added.
    """
    keep = _with_bigrams(wanted)
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
    min_bigram: int,
    max_ratio: float,
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the trigrams that are unattested or rarer than their bigrams, clearest first.

    The second list has the trigrams that are attested and are not candidates.
    """
    found: list[Candidate] = []
    others: list[Candidate] = []
    for trigram, places in trigrams.items():
        left, _, right = trigram
        bigram_count, count = counts.get((left, right), 0), counts.get(trigram, 0)
        is_rare = bigram_count >= max(min_bigram, 1) and count <= max_ratio * bigram_count
        if not (is_rare or count):
            continue
        number, token = places[0]
        row = Candidate(
            item=f"s{number + 1}t{token}",
            candidate="yes" if is_rare else "no",
            trigram=" ".join(trigram),
            trigram_count=count,
            bigram_count=bigram_count,
            ratio=count / bigram_count if bigram_count else None,
            occurrences=len(places),
            start=token,
            end=token + 1,
            text=" ".join(sentences[number]),
            before=" ".join(sentences[number - 1]) if number else "",
        )
        (found if is_rare else others).append(row)
    found.sort(key=lambda c: (c.trigram_count, -c.bigram_count, c.trigram.split()))
    return found, others


@command
def mine(
    text: PathLike,
    *,
    counts_from: PathLike | None = None,
    counts: PathLike | None = None,
    min_bigram: Positive = 5,
    max_ratio: Annotated[float, Limits(0)] = 0.01,
    top: NotNegative = 100,
    balanced: bool = False,
    raw: Raw = None,
    seed: Annotated[Seed, Needs(balanced=True)] = 1,
) -> Table:
    """Find trigrams in TEXT whose middle preposition may be extraneous.

    The table, written to CSV or JSONL, is a file of items for campaign create --task crowd.

    Args:
        text: the text to examine.
        counts_from: large text of well-formed English in which redink counts n-grams.
        counts: file of counts as in Web 1T: one n-gram, a tab and a number per line.
        min_bigram: minimum count of the words without the preposition.
        max_ratio: maximum ratio of the count with the preposition to the count without.
        top: number of candidates to show; 0 for all.
        balanced: add the same number of other prepositions, drawn at random from trigrams whose
            count (--counts-from or --counts) is above 0.
        raw: read raw paragraphs, or tokenized sentences. By default detected from the first lines.
        seed: random seed of --balanced.

    Returns:
        A table with the columns ``item, candidate, trigram, trigram_count, bigram_count, ratio,
        occurrences, start, end, text, before``.
    """
    if (counts_from is None) == (counts is None):
        raise OptionError("give either --counts-from TEXT or --counts FILE")
    sentences = [tokens for _, tokens in read_sentences(text, raw=raw)]
    trigrams = find_trigrams(sentences)
    if not trigrams:
        raise DataError(f"{text}: contains none of the 34 prepositions between two words")
    if counts is not None:
        counted = read_counts(counts, trigrams)
    else:
        assert counts_from is not None
        counted = count_text((tokens for _, tokens in read_sentences(counts_from)), trigrams)
    if not counted:
        warnings.warn(
            f"{counts or counts_from}: contains none of the n-grams to compare",
            RedinkWarning,
            stacklevel=3,
        )
    limits: dict[str, Any] = {"min_bigram": min_bigram, "max_ratio": max_ratio}
    found, others = find_candidates(sentences, trigrams, counted, **limits)
    notes = [
        f"{len(found)} of {len(trigrams)} trigrams with a preposition are candidates.",
        Definition(f"Without the preposition, the words occur at least {min_bigram} times."),
        Definition(f"With the preposition, they occur at most {max_ratio:g} times as often."),
        Definition("item: the first occurrence; s12t3 is token 3 (from 0) of sentence 12."),
    ]
    shown = found[: top or None]
    if balanced:
        size = min(len(shown), len(others))
        drawn = np.random.default_rng(seed).choice(len(others), size, replace=False)
        if size < len(shown):
            notes.append(f"--balanced: there are only {size} other trigrams.")
        shown = shown + [others[at] for at in sorted(drawn.tolist())]
    signature = make_signature(
        "detector mine",
        **limits,
        seed=seed if balanced else None,
        data=fingerprint(" ".join(tokens) for tokens in sentences),
        counts=fingerprint(f"{' '.join(k)} {v}" for k, v in sorted(counted.items())),
    )
    title = "Candidate extraneous prepositions"
    return table_of(shown, Candidate, notes=notes, signature=signature, title=title)
