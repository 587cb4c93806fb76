"""Mining: candidates for extraneous prepositions, found by counts in a large text."""

from __future__ import annotations

import warnings

from redink.detectors.mining import count_text, find_candidates, find_trigrams, read_counts
from redink.detectors.running_text import read_sentences
from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats.inputs import PathLike
from redink.model import Column, Table, fingerprint, make_signature, make_table


def mine(
    text: PathLike,
    *,
    counts_from: PathLike | None = None,
    counts: PathLike | None = None,
    raw: bool | None = None,
    min_bigram: int = 5,
    max_ratio: float = 0.01,
    top: int = 100,
) -> Table:
    """Find trigrams whose middle preposition may not belong there.

    Args:
        text: where to look for candidates.
        counts_from: a large text of good English to count in.
        counts: or a file of counts (an n-gram, a tab, a number), as Web 1T has them.
        raw: whether ``text`` is raw; by default told by its first lines.
        min_bigram: how often the words without the preposition must occur there.
        max_ratio: trigrams more frequent than this for each bigram are no candidates.
        top: how many to show; 0 for all.

    Returns:
        A table with the columns ``trigram, trigram_count, bigram_count, ratio, occurrences,
        sentence, token, example``.
    """
    if (counts_from is None) == (counts is None):
        raise OptionError("give a large text to count in, or a file of counts, and only one")
    if min_bigram < 1 or max_ratio < 0 or top < 0:
        raise OptionError("the least bigram count is 1, the least ratio 0, the least top 0")
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
            stacklevel=2,
        )
    found = find_candidates(trigrams, counted, min_bigram=min_bigram, max_ratio=max_ratio)
    rows = [
        {
            "trigram": " ".join(candidate.trigram),
            "trigram_count": candidate.trigram_count,
            "bigram_count": candidate.bigram_count,
            "ratio": candidate.ratio,
            "occurrences": len(candidate.places),
            "sentence": candidate.places[0][0] + 1,
            "token": candidate.places[0][1],
            "example": " ".join(sentences[candidate.places[0][0]]),
        }
        for candidate in found[: top or None]
    ]
    columns = (
        Column("trigram"),
        Column("trigram_count", "count"),
        Column("bigram_count", "count"),
        Column("ratio", "rate"),
        Column("occurrences", "count"),
        Column("sentence", "count"),
        Column("token", "count"),
        Column("example"),
    )
    notes = [
        f"{len(found)} of {len(trigrams)} trigrams with a preposition are candidates",
        f"without it the words occur {min_bigram} times or more",
        f"with it they occur at most {max_ratio:g} times as often",
        "sentence (from 1) and token (from 0): the first occurrence; people must judge it",
    ]
    signature = make_signature(
        "detect mine",
        min_bigram=min_bigram,
        max_ratio=max_ratio,
        data=fingerprint(" ".join(tokens) for tokens in sentences),
        counts=fingerprint(f"{' '.join(k)} {v}" for k, v in sorted(counted.items())),
    )
    return make_table(
        columns, rows, notes=notes, signature=signature, title="Candidate extraneous prepositions"
    )
