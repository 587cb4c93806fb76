"""GREEN and the GLEUs that are not the published one, against their programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.scoring.metric_oracles import lines_of, load, of_texts, random_cases

from redink.model import Hypotheses, References, Sentence
from redink.scoring.gleu_variants import Gleu, GleuGecMetrics, GleuKoyama
from redink.scoring.green import Green
from redink.scoring.metric import Metric


def system(lines: list[str]) -> Hypotheses:
    return Hypotheses("system", tuple(map(Sentence.from_line, lines)))


def score(metric: Metric, references: References, hypotheses: Hypotheses) -> float:
    value: float = metric.rows(metric.collect(references, hypotheses))[0]["score"]
    return value


def sentences(metric: Metric, references: References, hypotheses: Hypotheses) -> list[float]:
    rows = metric.sentence_rows(metric.collect(references, hypotheses))
    return [row["score"] for row in rows]


def test_green_of_random_corpora(shared: Path) -> None:
    """Oracle: the authors' program and gec-metrics, in corpora, means and sentences."""
    for one in random_cases(shared)[::4]:
        case, oracle = one["case"], one["programs"]
        references = of_texts(case["source"], case["references"])
        given = case["green_options"]
        options = {"order": given["n"], "beta": given["beta"], "unit": given["unit"]}
        for number, lines in enumerate(case["hypotheses"]):
            ours = system(lines)
            authors = oracle["green_shotakoyama_x100"]
            found = score(Green(**options), references, ours)
            assert 100 * found == pytest.approx(authors["corpus"][number], abs=1e-9)
            mean = score(Green(**options, average="sentence"), references, ours)
            assert 100 * mean == pytest.approx(authors["mean"][number], abs=1e-9)
            corpus, each = oracle["green_gec_metrics"][number]
            other = Green(**options, empty="one")
            assert score(other, references, ours) == pytest.approx(corpus, abs=1e-9)
            assert sentences(other, references, ours) == pytest.approx(each, abs=1e-9)


def test_gleus_of_random_corpora(shared: Path) -> None:
    """Oracle: shotakoyama/gleu, and both GLEUs of gec-metrics."""
    for one in random_cases(shared)[::20]:
        case, oracle = one["case"], one["programs"]
        references = of_texts(case["source"], case["references"])
        for number, lines in enumerate(case["hypotheses"]):
            ours = system(lines)
            authors = oracle["gleu_shotakoyama_x100"]
            for name, metric in {
                "corpus_sampled_fixed_seed": GleuKoyama(),
                "corpus_max": GleuKoyama(references="best"),
                "mean": GleuKoyama(average="sentence"),
                "mean_max": GleuKoyama(average="sentence", references="best"),
            }.items():
                found = score(metric, references, ours)
                assert 100 * found == pytest.approx(authors[name][number], abs=1e-9), name
            for name, other in {
                "gleu_gec_metrics": GleuGecMetrics(),
                "gleu_official_gec_metrics": GleuGecMetrics(penalty="official"),
            }.items():
                corpus, each = oracle[name][number]
                assert score(other, references, ours) == pytest.approx(corpus, abs=1e-9), name
                assert sentences(other, references, ours) == pytest.approx(each, abs=1e-9), name


def test_real_systems(shared: Path) -> None:
    """Oracle: a system of SEEDA with both references of CoNLL-2014."""
    data = shared / "data" / "conll14"
    texts = [lines_of(data / "references" / f"ref{n}.txt") for n in (0, 1)]
    references = of_texts(lines_of(data / "source.txt"), texts)
    oracle = load(shared / "oracles" / "metrics" / "ngram" / "seeda" / "T5.json.gz")
    ours = system(lines_of(shared / "data" / "seeda" / "outputs" / "all" / "T5.txt"))
    green = oracle["green"]["shotakoyama_x100"]["word-4"]["corpus"]["2"]
    assert 100 * score(Green(), references, ours) == pytest.approx(green, abs=1e-9)
    best = oracle["gleu"]["shotakoyama_x100"]["word-4-iter500"]["corpus_max"]
    metric = GleuKoyama(references="best")
    assert 100 * score(metric, references, ours) == pytest.approx(best, abs=1e-9)
    for name, other in {
        "GLEU": GleuGecMetrics(),
        "GLEUOfficial": GleuGecMetrics(penalty="official"),
    }.items():
        expected = oracle["gleu"]["gec_metrics"][name]["corpus"]
        assert score(other, references, ours) == pytest.approx(expected, abs=1e-9)


def test_one_input_four_gleus() -> None:
    """The published one and its kin differ where a word stands too often, or a text is short."""
    source, ours = ["the the cat sat on a mat"], ["the the cat sat on a mat"]
    references = of_texts(source, [["the cat sat on a mat"]])
    found = {
        "published": score(Gleu(), references, system(ours)),
        "koyama": score(GleuKoyama(), references, system(ours)),
        "official": score(GleuGecMetrics(penalty="official"), references, system(ours)),
        "frequencies": score(GleuGecMetrics(), references, system(ours)),
    }
    assert found["published"] == pytest.approx(found["koyama"])
    assert found["published"] == pytest.approx(found["official"])
    assert found["frequencies"] < found["published"]
    short = of_texts(["a b"], [["a b"]])
    assert score(Gleu(), short, system(["a b"])) == 0
    assert score(GleuKoyama(), short, system(["a b"])) == 1


def test_an_empty_hypothesis_is_no_crash() -> None:
    references = of_texts(["a b c d"], [["a b c d"]])
    for metric in (Green(), Green(empty="one"), GleuKoyama(), GleuGecMetrics(unit="char")):
        assert score(metric, references, system([""])) == pytest.approx(0, abs=0.05)


def test_green_counts_what_was_rightly_left_out() -> None:
    """Words: a and c kept, b deleted as in the reference, d missed; so 3 right, 1 missed."""
    references = of_texts(["a b c"], [["a c d"]])
    precision, recall = 1.0, 3 / 4
    f = 5 * precision * recall / (4 * precision + recall)
    assert score(Green(order=1, beta=2), references, system(["a c"])) == pytest.approx(f)


def test_koyama_takes_the_mean_or_the_best_reference() -> None:
    references = of_texts(["a b c d e"], [["a x c d e"], ["a b c d f"]])
    ours = system(["a b c d f"])
    [best] = sentences(GleuKoyama(references="best"), references, ours)
    [mean] = sentences(GleuKoyama(), references, ours)
    assert best == 1
    assert mean < 1


def test_blanks_count_where_the_program_counts_them() -> None:
    """Gec-metrics cuts at every blank; characters are those of the line; other words are words."""
    references = of_texts(["a cat sat here"], [["a cat sits here"]])
    plain, spaced = system(["a cat sits here"]), system([" a  cat sits here"])
    for metric in (Green(), GleuKoyama(), Gleu()):
        assert score(metric, references, spaced) == score(metric, references, plain) == 1
    for other in (
        GleuGecMetrics(),
        Green(empty="one"),
        Green(unit="char"),
        GleuKoyama(unit="char"),
    ):
        assert score(other, references, spaced) < score(other, references, plain) == 1
    only_at_the_end = system(["a cat sits here "])
    assert score(Green(empty="one"), references, only_at_the_end) == 1
    assert score(GleuGecMetrics(), references, only_at_the_end) < 1


def test_equal_references_are_told_apart_as_in_the_original() -> None:
    """Of references that are equally near but for the last bit, that of the original's sums."""
    references = of_texts(["a b c d e f g"], [["a b c d e f x"], ["a b c d e f g"]])
    for beta in (0.5, 1, 2):
        share = 1 / (beta**2 + 1)
        p, r = 6 / 7, 6 / 8
        f = 1 / (share / p + (1 - share) / r)
        assert Green(order=1, beta=beta).score(np.array([[6, 1, 2.0]]))["score"] == f
    assert score(Green(order=1), references, system(["a b c d e f g"])) == 1


def test_the_mean_of_the_published_gleu_of_sentences() -> None:
    """``average=sentence``: the mean of what the program prints for every sentence."""
    references = of_texts(["a b c d e", "x y"], [["a b c d f", "x y"]])
    ours = system(["a b c d f", "x z"])
    mean = score(Gleu(average="sentence"), references, ours)
    assert mean == pytest.approx(sum(sentences(Gleu(), references, ours)) / 2)
