"""GoToScorer against the original program; what a metric can learn from all systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.scoring.corpora import corpus_of, hypotheses_of_edits
from tests.scoring.metric_oracles import SYSTEMS, conll14, load, random_cases

from redink.model import Hypotheses, References, Row
from redink.scoring.engine import collect_all
from redink.scoring.gotoscorer import GoToScorer

NAMES = {"tp": "tp", "fp": "fp", "fn": "fn", "tn": "tn", "p": "precision", "r": "recall"}
NAMES |= {"f05": "f", "acc": "accuracy"}


def check(row: Row, expected: dict[str, Any]) -> None:
    for name, ours in NAMES.items():
        assert row[ours] == pytest.approx(expected[name], abs=1e-9), name


def rows(metric: GoToScorer, references: References, systems: list[Hypotheses]) -> list[Row]:
    scored = collect_all([metric], references, systems)
    return [metric.rows(each.statistics)[0] for each in scored]


def test_the_original_programs_figures(shared: Path) -> None:
    """Oracle: five systems of CoNLL-2014, with the usual weights, and with others."""
    reference = 1
    oracle = load(shared / "oracles" / "metrics" / "gotoscorer.json.gz")[f"reference{reference}"]
    references = References(conll14(shared))
    systems = [hypotheses_of_edits(conll14(shared, name), name) for name in SYSTEMS]
    for key, metric in {
        "weighted": GoToScorer(reference=reference),
        "weighted_a2_b1_c3": GoToScorer(reference=reference, a=2, b=1, c=3),
    }.items():
        for name, row in zip(SYSTEMS, rows(metric, references, systems), strict=True):
            check(row, oracle[key][name])


def test_random_corpora(shared: Path, tmp_path: Path) -> None:
    """Oracle: little corpora with several systems."""
    for one in random_cases(shared)[::5]:
        references = References(corpus_of(one["case"]["references_m2"], tmp_path))
        systems = [
            hypotheses_of_edits(corpus_of(text, tmp_path), str(number))
            for number, text in enumerate(one["case"]["hypotheses_m2"])
        ]
        expected = one["programs"]["gotoscorer"]
        for row, theirs in zip(rows(GoToScorer(), references, systems), expected, strict=True):
            check(row, theirs)


def check_other(metric: GoToScorer, row: Row, mean: float, expected: dict[str, Any]) -> None:
    for name in ("tp", "fp", "fn", "tn"):
        assert row[name] == pytest.approx(expected["corpus"][name], abs=1e-9), name
    assert row["f"] == pytest.approx(expected["corpus"]["f"], abs=1e-9)
    assert row["precision"] == pytest.approx(expected["corpus"]["p"], abs=1e-9)
    assert mean == pytest.approx(expected["mean_of_sentence_f"], abs=1e-9), metric


def test_the_version_of_gec_metrics(shared: Path, tmp_path: Path) -> None:
    """Oracle: gec-metrics on five systems of CoNLL-2014, and on little corpora."""
    oracle = load(shared / "oracles" / "metrics" / "gotoscorer.json.gz")["gec_metrics_reference0"]
    systems = [hypotheses_of_edits(conll14(shared, name), name) for name in SYSTEMS]
    corpora = [
        (
            References(conll14(shared)),
            systems,
            {key: [oracle[key][name] for name in SYSTEMS] for key in ("weighted", "no_weight")},
        )
    ]
    for one in random_cases(shared)[::5]:
        programs = one["programs"]
        if "gotoscorer_gec_metrics" not in programs:
            continue  # the program raised an exception
        found = {
            "weighted": programs["gotoscorer_gec_metrics"],
            "no_weight": programs["gotoscorer_gec_metrics_no_weight"],
        }
        members = [
            hypotheses_of_edits(corpus_of(text, tmp_path), str(number))
            for number, text in enumerate(one["case"]["hypotheses_m2"])
        ]
        corpora.append(
            (References(corpus_of(one["case"]["references_m2"], tmp_path)), members, found)
        )
    for references, members, expected in corpora:
        for key, weights in (("weighted", "difficulty"), ("no_weight", "none")):
            metric = GoToScorer(program="gec-metrics", weights=weights)  # type: ignore[arg-type]
            mean = GoToScorer(program="gec-metrics", weights=metric.weights, average="sentence")
            for each, theirs in zip(
                collect_all([metric], references, members), expected[key], strict=True
            ):
                if "error" in theirs:
                    continue
                (row,), (other,) = metric.rows(each.statistics), mean.rows(each.statistics)
                check_other(metric, row, other["f"], theirs)


GOLD = """S a b c
A 0 1|||R:X|||A|||REQUIRED|||-NONE-|||0
A 2 3|||R:X|||C|||REQUIRED|||-NONE-|||0

"""
EASY = "S a b c\nA 0 1|||R:X|||A|||REQUIRED|||-NONE-|||0\n\n"
HARD = "S a b c\nA 2 3|||R:X|||C|||REQUIRED|||-NONE-|||0\n\n"


def test_what_few_systems_correct_weighs_more(tmp_path: Path) -> None:
    references = References(corpus_of(GOLD, tmp_path))
    texts = {"one": EASY, "two": EASY, "three": HARD}
    systems = [hypotheses_of_edits(corpus_of(text, tmp_path), name) for name, text in texts.items()]
    found = rows(GoToScorer(), references, systems)
    assert [row["tp"] for row in found] == pytest.approx([1 / 3, 1 / 3, 2 / 3])
    assert found[2]["f"] > found[0]["f"]


def test_one_system_alone_learns_nothing(tmp_path: Path) -> None:
    references = References(corpus_of(GOLD, tmp_path))
    alone = hypotheses_of_edits(corpus_of(EASY, tmp_path))
    (scored,) = collect_all([GoToScorer()], references, [alone])
    assert GoToScorer().rows(scored.statistics)[0]["tp"] == 0
    assert "need several systems" in scored.statistics.notes[0]


def test_a_sentence_of_one_word(tmp_path: Path) -> None:
    references = References(corpus_of("S a\nA 0 1|||U:X||||||REQUIRED|||-NONE-|||0\n\n", tmp_path))
    both = (
        "S a\nA 0 0|||M:X|||x|||REQUIRED|||-NONE-|||0\nA 1 1|||M:X|||y|||REQUIRED|||-NONE-|||0\n\n"
    )
    metric = GoToScorer(weights="none")
    row = metric.rows(metric.collect(references, hypotheses_of_edits(corpus_of(both, tmp_path))))[0]
    assert (row["tp"], row["fp"], row["fn"]) == (0, 3, 1)
