"""GLEU against the original program's figures, a plain program, and edge cases."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.commands.score import score
from redink.errors import OptionError, RedinkWarning
from redink.model import AnnotatedSentence, Corpus, Hypotheses, References, Sentence
from redink.scoring.gleu_variants import ORDER, Gleu, draw_references, sum_draws
from redink.scoring.metric import Metric, Statistics

WORDS = st.lists(st.sampled_from("abc"), max_size=7)


def make(
    sources: list[list[str]], texts: list[list[list[str]]], ours: list[list[str]]
) -> tuple[References, Hypotheses]:
    corpus = Corpus(tuple(AnnotatedSentence(Sentence(tuple(s))) for s in sources))
    given_texts = tuple(tuple(Sentence(tuple(t)) for t in text) for text in texts)
    return References(corpus, given_texts), Hypotheses("s", tuple(Sentence(tuple(t)) for t in ours))


def plain_gleu(
    sources: list[list[str]], texts: list[list[list[str]]], ours: list[list[str]], samples: int
) -> float:
    """GLEU as the paper words it, sentence by sentence and sample by sample."""

    def grams(tokens: list[str], n: int) -> Counter[tuple[str, ...]]:
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    scores = []
    for sample in range(samples):
        rng = random.Random(sample * 101)
        sums = [0.0] * 10
        for source, hypothesis, refs in zip(sources, ours, zip(*texts, strict=True), strict=True):
            right = refs[int(rng.random() * len(refs))] if len(refs) > 1 else refs[0]
            row: list[float] = [len(hypothesis), len(right)]
            for n in range(1, 5):
                h, s, r = grams(hypothesis, n), grams(source, n), grams(right, n)
                gone = Counter({g: c for g, c in s.items() if g not in r})
                row.append(max(0, (h & r).total() - (h & gone).total()))
                row.append(max(0, len(hypothesis) - n + 1))
            sums = [a + b for a, b in zip(sums, row, strict=True)]
        if 0 in sums:
            scores.append(0.0)
            continue
        logs = [math.log(a / b) for a, b in zip(sums[2::2], sums[3::2], strict=True)]
        scores.append(math.exp(min(0, 1 - sums[1] / sums[0]) + sum(logs) / 4))
    return sum(scores) / len(scores)


@pytest.mark.parametrize("system", ["AMU", "INPUT"])
def test_the_original_programs_figures_to_the_last_digit(system: str, shared: Path) -> None:
    """Oracle: GLEU without tuning (Python 2.7), 500 samples, both CoNLL-2014 reference texts."""
    data = shared / "data" / "conll14"
    texts = [data / "references" / f"ref{n}.txt" for n in (0, 1)]
    source = data / "source.txt"
    path = source if system == "INPUT" else data / "systems" / f"{system}.txt"
    table = score(texts, {system: path}, source=source, metrics=["gleu"])
    printed = (shared / "oracles" / "gleu" / f"{system}.txt").read_text().split()[-1]
    assert f"{table.rows[0]['score']:.6f}" == printed


@given(st.lists(st.tuples(WORDS, WORDS, WORDS, WORDS), min_size=1, max_size=5))
def test_equals_a_plain_program(corpus: list[tuple[list[str], ...]]) -> None:
    sources, one, two, ours = (list(column) for column in zip(*corpus, strict=True))
    metric = Gleu(draws=7)
    statistics = metric.collect(*make(sources, [one, two], ours))
    expected = plain_gleu(sources, [one, two], ours, samples=7)
    assert metric.rows(statistics)[0]["score"] == pytest.approx(expected, abs=1e-12)


def test_draws_are_those_of_pythons_generator() -> None:
    drawn = draw_references(50, 3, 20)
    for sample in range(20):
        rng = random.Random(sample * 101)
        assert drawn[:, sample].tolist() == [int(rng.random() * 3) for _ in range(50)]


def test_empty_and_short_sentences_score_zero_and_do_not_fail() -> None:
    """No four words in a row anywhere: the score is 0, as in the original."""
    for ours in ([[]], [["a"]], [["a", "b", "c"]]):
        statistics = Gleu().collect(*make([["a"]], [[["a", "b"]]], ours))
        assert Gleu().rows(statistics)[0]["score"] == 0.0
        assert 0 <= Gleu().sentence_rows(statistics)[0]["score"] <= 1


def test_weights_count_sentences_as_often_as_drawn() -> None:
    rng = np.random.default_rng(5)
    texts = [[list(rng.choice(list("abcde"), size=8)) for _ in range(12)] for _ in range(4)]
    statistics = Gleu(draws=20).collect(*make(texts[0], [texts[1], texts[2]], texts[3]))
    weights = rng.integers(0, 3, size=(1, 12))
    repeated = statistics.take(np.repeat(np.arange(12), weights[0]))
    metric = Gleu(draws=20)
    expected = metric.rows(repeated)[0]["score"]
    assert metric.resample(statistics, weights.astype(float))[0, 0] == pytest.approx(expected)


def test_no_sample_is_no_score() -> None:
    with pytest.raises(OptionError):
        Gleu(draws=0)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_the_published_figures_of_modern_systems(step: int, shared: Path) -> None:
    """The GLEU that SEEDA prints for 15 systems, from the M2 file of CoNLL-2014 alone.

    All of them, or one of five. Its reference texts do what ``Um`` edits say; left undone, figures
    differ by up to 0.72.
    """
    printed = json.loads((shared / "oracles" / "seeda" / "published.json").read_text())["metrics"]
    outputs = shared / "data" / "seeda" / "outputs" / "all"
    systems = {name: outputs / f"{name}.txt" for name in sorted(printed)[::step]}
    gold = shared / "data" / "conll14" / "official-2014.combined.m2"
    with pytest.warns(RedinkWarning, match="annotator 1 has no line in"):
        table = score(gold, systems, metrics=["gleu"])
    assert len(table.rows) == 15 // step
    assert table.signature["unclear"] == "apply"
    for row in table.rows:
        ours = round(100 * row["score"], 2)
        assert ours == pytest.approx(printed[row["system"]]["GLEU"], abs=0.0101), row["system"]


def test_unclear_edits_can_be_left(tmp_path: Path) -> None:
    """``unclear`` decides what the reference text is, and the signature tells it."""
    gold = tmp_path / "gold.m2"
    gold.write_text("S a b c d e\nA 1 2|||Um|||x|||REQUIRED|||-NONE-|||0\n\n")
    systems = {"done": ["a x c d e"], "left": ["a b c d e"]}
    for unclear, best in (("apply", "done"), ("leave", "left")):
        table = score(gold, systems, metrics=["gleu"], unclear=unclear)
        assert (table.rows[0]["system"], table.rows[0]["score"]) == (best, 1.0)
        assert table.signature["unclear"] == unclear
    table = score(gold, systems, metrics=["gleu", "errant"], reference_edits="auto")
    assert (table.rows[0]["metric"], table.rows[0]["system"]) == ("gleu", "done")


@pytest.mark.parametrize("size", [1, 1001])
def test_draws_are_summed_exactly(size: int) -> None:
    rng = np.random.default_rng(2)
    values = (rng.integers(0, 4, size=(30, 3, 4)) * size).astype(float)
    values[:, :, 0] = values[:, :1, 0]  # a value that all references share
    values[:5] = values[:5, :1]
    draws = rng.integers(0, 3, size=(30, 7)).astype(np.uint8)
    weights = (rng.integers(0, 3, size=(6, 30)) * size).astype(float)
    drawn = values[np.arange(30)[:, None], draws]
    expected = np.einsum("sn,ndv->vsd", weights, drawn)
    np.testing.assert_array_equal(sum_draws(values, draws, weights), expected)


def exchangeable(references: int, rng: np.random.Generator) -> list[Statistics]:
    """Four systems, one of which has no word and one nothing gained."""
    values = rng.integers(1, 9, size=(4, 60, references, 2 + 2 * ORDER)).astype(float)
    values[:, :, :, 1] = values[0, :, :, 1]
    for place in (0, *range(2 + ORDER, 2 + 2 * ORDER)):
        values[:, :, :, place] = values[:, :, :1, place] + 20
    values[1, :, :, 2 : 2 + ORDER] = values[0, :, :, 2 : 2 + ORDER]
    values[2, :, :, 0] = values[2, :, :, 2:] = 0
    values[3, :, :, 2 + 1] = 0
    draws = rng.integers(0, references, size=(60, 6)).astype(np.uint8)
    return [Statistics({"values": each, "draws": draws}) for each in values]


@pytest.mark.parametrize("references", [1, 2, 3])
@pytest.mark.parametrize("average", ["corpus", "sentence"])
def test_shuffles_of_all_pairs_at_once(
    references: int, average: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    statistics = exchangeable(references, rng)
    swaps = rng.integers(0, 2, size=(40, 60)).astype(bool)
    swaps[0], swaps[1] = False, True
    pairs = [(0, 1), (0, 2), (1, 3), (3, 2)]
    metric = Gleu(average=average)
    expected = dict(Metric.shuffle(metric, statistics, pairs, swaps))
    monkeypatch.setattr("redink.scoring.metric._CELLS", 3000)
    parts: dict[int, list[np.ndarray]] = {place: [] for place in range(len(pairs))}
    for place, differences in metric.shuffle(statistics, pairs, swaps):
        parts[place].append(differences)
    for place, theirs in expected.items():
        ours = np.concatenate(parts[place])
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)
    assert len(parts[0]) > 1
