"""Mining a text for errors by n-gram counts."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

from redink.commands.detect import Raw
from redink.detectors.features import read_sentences
from redink.detectors.mining import (
    Candidate,
    count_text,
    find_candidates,
    find_trigrams,
    read_counts,
)
from redink.errors import DataError, OptionError, RedinkWarning
from redink.inputs.loading import PathLike
from redink.model import Table, fingerprint, make_signature, table_of
from redink.options import Limits, NotNegative, Positive, use_case


@use_case
def mine(
    text: PathLike,
    *,
    counts_from: PathLike | None = None,
    counts: PathLike | None = None,
    min_bigram: Positive = 5,
    max_ratio: Annotated[float, Limits(0)] = 0.01,
    top: NotNegative = 100,
    raw: Raw = None,
) -> Table:
    """Find trigrams in TEXT whose middle preposition may be extraneous, by counts.

    Args:
        text: where to look for candidates.
        counts_from: a large text of good English to count in.
        counts: a file of counts: an n-gram, a tab and a number a line, as Web 1T has them.
        min_bigram: how often the words without the preposition must occur.
        max_ratio: with the preposition they occur at most so often for each time without.
        top: how many candidates to show; 0 for all.
        raw: raw paragraphs, or tokenised sentences. By default told by the first lines.

    Returns:
        A table with the columns ``trigram, trigram_count, bigram_count, ratio, occurrences,
        sentence, token, example``.
    """
    if (counts_from is None) == (counts is None):
        raise OptionError("give a large text to count in, or a file of counts, and only one")
    sentences = [tokens for _, tokens in read_sentences(text, raw=raw)]
    trigrams = find_trigrams(sentences)
    if not trigrams:
        raise DataError(f"{text}: none of the 34 prepositions stands between two words there")
    if counts is not None:
        counted = read_counts(counts, trigrams)
    else:
        assert counts_from is not None
        counted = count_text((tokens for _, tokens in read_sentences(counts_from)), trigrams)
    if not counted:
        warnings.warn(
            f"{counts or counts_from}: none of these words stand together there; "
            "there is nothing to compare",
            RedinkWarning,
            stacklevel=3,
        )
    limits: dict[str, Any] = {"min_bigram": min_bigram, "max_ratio": max_ratio}
    found = find_candidates(sentences, trigrams, counted, **limits)
    notes = [
        f"{len(found)} of {len(trigrams)} trigrams with a preposition are candidates",
        f"without it the words occur {min_bigram} times or more",
        f"with it they occur at most {max_ratio:g} times as often",
        "sentence (from 1) and token (from 0): the first occurrence; people must judge it",
    ]
    signature = make_signature(
        "detect mine",
        **limits,
        data=fingerprint(" ".join(tokens) for tokens in sentences),
        counts=fingerprint(f"{' '.join(k)} {v}" for k, v in sorted(counted.items())),
    )
    title = "Candidate extraneous prepositions"
    return table_of(found[: top or None], Candidate, notes=notes, signature=signature, title=title)
