"""Scores equal those of sacrebleu, and statistics give intervals without scoring again."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

import redink
from redink.model import AnnotatedSentence, Corpus, Hypotheses, References, Sentence
from redink.scoring.sacrebleu_metrics import Bleu
from redink.scoring.specs import parse_metric


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


LINES = (
    ["The cat , sat on 3.5 mats .", "", "İs Über-東京 fine ?", "(well) so it goes"],
    ["the mats sat on a cat .", "on", "is Über - 東京 fine ?", "It goes (so well)"],
    ["The cat sat on 3.5 mats.", "", "Is 東京 fine ?", ""],
)


@pytest.mark.parametrize(
    ("spec", "original"),
    [
        ("chrf", CHRF()),
        ("chrf++", CHRF(word_order=2)),
        ("chrf(beta=0,lowercase,whitespace)", CHRF(beta=0, lowercase=True, whitespace=True)),
        ("chrf(char_order=3,eps_smoothing)", CHRF(char_order=3, eps_smoothing=True)),
        ("ter", TER()),
        ("ter(case_sensitive,no_punct)", TER(case_sensitive=True, no_punct=True)),
        ("ter(normalized,asian_support)", TER(normalized=True, asian_support=True)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_chrf_and_ter_equal_sacrebleu(spec: str, original: CHRF | TER) -> None:
    ours, one, two = LINES
    source = ["a b"] * len(ours)
    table = redink.score(source=source, references=[one, two], systems={"s": ours}, metrics=[spec])
    expected = original.corpus_score(ours, [one, two]).score / 100
    assert table["score"] == [pytest.approx(expected, abs=1e-15)]
    sentences = [
        original.sentence_score(line, right).score / 100
        for line, *right in zip(ours, one, two, strict=True)
    ]
    assert table.sentences["score"] == pytest.approx(sentences, abs=1e-15)
    assert parse_metric(spec).signature() == {
        "sacrebleu": str(original.get_signature().info["version"])
    }


def test_the_lowest_rate_is_best() -> None:
    """Ranks, groups, pairs and the order of rows follow TER downward."""
    right = ["a b c d e", "f g h i"] * 8
    systems = {
        "bad": ["x x x x x", "f g x x"] * 8,
        "good": right,
        "middle": ["a b c d x", "f g h x"] * 8,
    }
    given = {"source": right, "references": [right], "systems": systems, "metrics": ["ter"]}
    table = redink.score(**given, bootstrap=50)
    assert table["system"] == ["good", "middle", "bad"]
    assert table["score"] == pytest.approx([0, 2 / 9, 7 / 9])
    assert (table["rank"], table["group"]) == ([1, 2, 3], ["a", "b", "c"])
    pairs = redink.compare(**given, samples=50)
    assert [*zip(pairs["system"], pairs["other"], strict=True)] == [
        *(("good", "middle"), ("good", "bad")),
        ("middle", "bad"),
    ]
    assert pairs["difference"] == pytest.approx([-2 / 9, -7 / 9, -5 / 9])
    shown = [line.split()[1] for line in str(pairs).splitlines() if line.strip()[:1].isdigit()]
    assert shown == ["good", "middle", "bad"]
