"""GREEN, the GLEU and GoToScorer of gec-metrics, CLEME: recorded runs of their programs.

``golden/make_recent.py`` writes the files again; see ``test_golden.py``. The table in
``golden/README.md`` counts what is recorded for each scorer and ranker.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.golden.make import words_changed
from tests.scoring.corpora import corpus_of, hypotheses_of_edits, hypotheses_of_text
from tests.scoring.metric_oracles import of_texts
from tests.test_golden import FOLDER, Case, case_named, cases_of, load

from redink.model import References, Row
from redink.scoring.cleme import Cleme, Cleme2
from redink.scoring.engine import collect_all
from redink.scoring.gleu_variants import GleuGecMetrics
from redink.scoring.gotoscorer import GoToScorer
from redink.scoring.green import Green
from redink.scoring.metric import Metric

GREEN_NAMES = {"-n": ("order", int), "-b": ("beta", float), "-t": ("unit", str)}


def green_options(words: list[str]) -> dict[str, Any]:
    """What the options of ``green`` are called here."""
    named = [GREEN_NAMES[name] for name in words[::2]]
    given = {name: kind(word) for (name, kind), word in zip(named, words[1::2], strict=True)}
    return {"beta": 1.0, **given}


@pytest.mark.parametrize("case", cases_of("green"))
def test_green(case: Case) -> None:
    texts = case_named("gleu", case["id"])
    references = of_texts(texts["source"], texts["references"])
    metric = Green(**green_options(case["options"]))
    mean = Green(**green_options(case["options"]), average="sentence")
    for number, lines in enumerate(texts["systems"]):
        statistics = metric.collect(references, hypotheses_of_text(lines))
        for kind, name in ((metric, "green"), (mean, "mgreen")):
            theirs = float(case["printed"][name][number][0])
            assert 100 * kind.rows(statistics)[0]["score"] == pytest.approx(theirs, abs=1e-10)
        sentences = [float(row[number]) for row in case["printed"]["sgreen"]]
        ours = [100 * row["score"] for row in metric.sentence_rows(statistics)]
        assert ours == pytest.approx(sentences, abs=1e-10)


def gec_metrics_of(case: Case) -> dict[str, Metric]:
    given = case["green_options"]
    return {
        "green": Green(order=given["n"], beta=given["beta"], unit=given["unit"], empty="one"),
        "gleu": GleuGecMetrics(),
        "gleu_official": GleuGecMetrics(penalty="official"),
    }


@pytest.mark.parametrize("name", ["green", "gleu", "gleu_official"])
@pytest.mark.parametrize("case", cases_of("gec-metrics"))
def test_gec_metrics(case: Case, name: str) -> None:
    """GREEN and both GLEUs: corpora with the same draws, and every sentence."""
    references = of_texts(case["source"], case["references"])
    metric = gec_metrics_of(case)[name]
    for lines, (whole, each) in zip(case["systems"], case["found"][name], strict=True):
        statistics = metric.collect(references, hypotheses_of_text(lines))
        assert metric.rows(statistics)[0]["score"] == pytest.approx(whole, abs=1e-12)
        ours = [row["score"] for row in metric.sentence_rows(statistics)]
        assert ours == pytest.approx(each, abs=1e-12)


def m2_of(sources: Sequence[str], lines: Sequence[str]) -> str:
    """The edits that the program was given: a plain comparison of words."""
    blocks = []
    for source, text in zip(sources, lines, strict=True):
        found = words_changed(source.split(), text.split())
        edits = [f"A {i} {j}|||R:X|||{made}|||REQUIRED|||-NONE-|||0" for i, j, made in found]
        blocks.append("\n".join([f"S {source}", *edits]) + "\n")
    return "\n".join(blocks)


@pytest.mark.parametrize("weights", ["difficulty", "none"])
@pytest.mark.parametrize("case", cases_of("gec-metrics"))
def test_gotoscorer_of_gec_metrics(case: Case, weights: str, tmp_path: Path) -> None:
    references = References(corpus_of(m2_of(case["source"], case["references"][0]), tmp_path))
    systems = [
        hypotheses_of_edits(corpus_of(m2_of(case["source"], lines), tmp_path), str(number))
        for number, lines in enumerate(case["systems"])
    ]
    metric = GoToScorer(program="gec-metrics", weights=weights)  # type: ignore[arg-type]
    key = "weighted" if weights == "difficulty" else "no_weight"
    found = collect_all([metric], references, systems)
    for scored, expected in zip(found, case["found"]["gotoscorer"][key], strict=True):
        counts, precision, recall, f, sentences = expected
        row = metric.rows(scored.statistics)[0]
        assert [row[n] for n in ("tp", "fp", "fn", "tn")] == pytest.approx(counts, abs=1e-12)
        measures = [row[n] for n in ("precision", "recall", "f")]
        assert measures == pytest.approx([precision, recall, f], abs=1e-12)
        ours = [one["f"] for one in metric.sentence_rows(scored.statistics)]
        assert ours == pytest.approx(sentences, abs=1e-12)


CLEME_NAMES = {
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
    "tn": "tn",
    "fp_ne": "fp_necessary",
    "fp_un": "fp_unnecessary",
    "p": "precision",
    "r": "recall",
    "f": "f",
    "acc": "accuracy",
    "com": "score",
    "hit": "hit",
    "err": "wrong",
    "und": "under",
    "ove": "over",
}
CLEME_BLOCKS: dict[str, tuple[type[Cleme | Cleme2], dict[str, Any]]] = {
    "prf": (Cleme, {}),
    "prf_detection": (Cleme, {"detection": True}),
    "heuo": (Cleme2, {"factors": (0.45, 0.35, 0.15, 0.05)}),
}


@pytest.mark.parametrize("block", CLEME_BLOCKS)
@pytest.mark.parametrize("case", cases_of("cleme"))
def test_cleme(case: Case, block: str, tmp_path: Path) -> None:
    references = References(corpus_of(case["reference"], tmp_path))
    hypotheses = hypotheses_of_edits(corpus_of(case["system"], tmp_path))
    kind, options = CLEME_BLOCKS[block]
    for name, expected in case["found"].items():
        assumption, of_block, how = name.split()
        if of_block != block:
            continue
        average, _, weighted = how.partition("_")
        weights = "length" if weighted == "weighted" else "none"
        metric = kind(assumption=assumption, weights=weights, average=average, **options)  # type: ignore[arg-type]
        check_cleme(metric.rows(metric.collect(references, hypotheses))[0], expected, name)


def check_cleme(row: Row, expected: dict[str, float], name: str) -> None:
    for field, value in expected.items():
        ours = row[CLEME_NAMES[field]]
        if "corpus" in name and field in {"p", "r", "f", "acc"}:
            ours = round(ours, 4)  # as the program rounds it
        assert ours == pytest.approx(value, abs=1e-9), (name, field)


# ---- how many there are

"""What is one case: a run of a program with one set of options on one input."""


@pytest.mark.parametrize("name", ["green", "gec-metrics", "cleme"])
def test_recorded_files_say_where_they_come_from(name: str) -> None:
    recorded = load(name)
    assert all(recorded[field] for field in ("program", "version", "command", "python", "date"))
    assert recorded["made_by"] == f"tests/golden/make_recent.py {name} --original DIR"
    assert json.dumps(recorded["cases"]) != "[]"
    assert (FOLDER / f"{name}.json").stat().st_size < 150_000
