"""BLEU is sacrebleu's, and its statistics give intervals without scoring again."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from redink.model import AnnotatedSentence, Corpus, Hypotheses, References, Sentence
from redink.scoring.bleu import Bleu


def sentences(rng: np.random.Generator, count: int) -> list[str]:
    return [" ".join(rng.choice(list("abcdef"), size=rng.integers(0, 9))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(5))
def test_equals_sacrebleu(seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, one, two, ours = (sentences(rng, 30) for _ in range(4))
    corpus = Corpus(tuple(AnnotatedSentence(Sentence.from_line(s)) for s in source))
    texts = tuple(tuple(Sentence.from_line(t) for t in text) for text in (one, two))
    metric = Bleu()
    statistics = metric.collect(
        References(corpus, texts), Hypotheses("s", tuple(Sentence.from_line(t) for t in ours))
    )
    expected = BLEU(tokenize="none", force=True).corpus_score(ours, [one, two]).score
    assert metric.rows(statistics)[0]["score"] == pytest.approx(expected / 100, abs=1e-12)
    ones = np.ones((1, 30))
    assert metric.resample(statistics, ones)[0, 0] == pytest.approx(expected / 100, abs=1e-12)
    single = BLEU(tokenize="none", effective_order=True)
    for row, hypothesis, *refs in zip(
        metric.sentence_rows(statistics), ours, one, two, strict=True
    ):
        assert row["score"] == pytest.approx(
            single.sentence_score(hypothesis, refs).score / 100, abs=1e-12
        )
