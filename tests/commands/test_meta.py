"""``redink.meta``: metrics against people, and the published figures."""

from __future__ import annotations

import warnings
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import redink
from redink.errors import DataError, OptionError, RedinkWarning
from redink.judging.benchmark_evaluation import MetricResults
from redink.judging.metric_correlation import MetricScores
from redink.model import RankedOutput, Ranking, SentenceScore, SystemScore

SYSTEMS = "ABCDE"
PEOPLE = [
    Ranking(str(n), judge, tuple(RankedOutput(r, (s,)) for r, s in enumerate(order, start=1)))
    for n, order in enumerate(["ABCDE", "ABCDE", "BACDE", "ABDCE", "ABCED"] * 6)
    for judge in ("ann", "ben")
]
GOOD = [SystemScore(s, "good", 0.9 - 0.1 * n, 0.9 - 0.1 * n, 0.5) for n, s in enumerate(SYSTEMS)]
POOR = [SystemScore(s, "poor", score) for s, score in zip(SYSTEMS, (3, 5, 1, 4, 2), strict=True)]


def test_rows_have_the_promised_columns() -> None:
    table = redink.meta(PEOPLE, [*GOOD, *POOR], bootstrap=200)
    names = ("spearman", "pearson", "kendall")
    correlations = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    assert table.column_names == ["metric", *correlations, "systems"]
    assert table.signature["metrics"] == ["good", "poor"]
    good, poor = table.rows
    assert good["spearman"] == pytest.approx(1)
    assert good["spearman_low"] <= good["spearman"] <= good["spearman_high"]
    assert poor["spearman"] == pytest.approx(0.3)
    assert poor["kendall"] == pytest.approx(0.2)


def test_rank_ensemble() -> None:
    """Mean ranks are A 4, B 4.5, C 2, D 3, E 1.5; a sentence counts if all metrics have it."""
    table = redink.meta(PEOPLE, [*GOOD, *POOR], ensemble=True, bootstrap=50)
    assert [row["metric"] for row in table.rows] == ["good", "poor", "rank ensemble"]
    assert table.rows[2]["spearman"] == pytest.approx(1 - 6 * 4 / (5 * 24))
    with pytest.raises(OptionError, match="at least two metrics"):
        redink.meta(PEOPLE, GOOD, ensemble=True)
    scores = MetricScores("one", ("A", "B"), np.array([1.0, 2.0]))
    sentences = {
        "one": {"1": {"A": 0.5, "B": 0.5, "C": 0.1}, "2": {"A": 1.0}},
        "two": {"1": {"A": 7.0, "B": 9.0, "C": 8.0}},
    }
    results = MetricResults((scores, replace(scores, metric="two")), sentences).with_ensemble()
    assert results.sentences["rank ensemble"] == {"1": {"A": 1.75, "B": 2.75, "C": 1.5}}


def test_further_betas() -> None:
    table = redink.meta(PEOPLE, [*GOOD, *POOR], beta=[1, 0.25], bootstrap=50)
    assert [row["metric"] for row in table.rows] == ["good", "poor", "good F1", "good F0.25"]


def test_systems_on_one_side_only_are_named() -> None:
    scores = [*GOOD[:4], SystemScore("Z", "good", 0.1)]
    table = redink.meta(PEOPLE, scores, bootstrap=50)
    assert table.rows[0]["systems"] == 4
    assert "good: excluded without a human score: Z." in table.notes
    assert "good: judged, but without a score (excluded): E." in table.notes


def test_systems_can_be_left_out() -> None:
    everyone = redink.meta(PEOPLE, GOOD, show="systems", bootstrap=50).rows
    for chosen in ({"systems": ["A", "B", "C"]}, {"without": ["D", "E"]}):
        table = redink.meta(PEOPLE, GOOD, show="systems", bootstrap=50, **chosen)  # type: ignore[arg-type]
        assert [row["human"] for row in table.rows] == [row["human"] for row in everyone[:3]]
        assert "Excluded: D, E." in table.notes
        table = redink.meta(PEOPLE, GOOD, bootstrap=50, **chosen)  # type: ignore[arg-type]
        assert table.rows[0]["systems"] == 3
        assert chosen.items() <= table.signature.items()
    scores = sentence_scores("same", "ABCDE")
    table = redink.meta(PEOPLE, sentences=scores, show="sentences", without=["E"], bootstrap=50)
    assert (table.rows[0]["pairs"], table.rows[0]["missing"]) == (360, 0)


def test_scores_come_from_tables_and_files_alike(tmp_path: Path) -> None:
    example = files("redink") / "examples"
    systems = {name: Path(str(example / f"{name}.txt")) for name in ("careful", "eager", "speller")}
    rankings = Path(str(example / "rankings.xml"))
    table = redink.score(Path(str(example / "gold.m2")), systems, metrics=["m2", "gleu"])
    table.save(tmp_path / "scores.json")
    (tmp_path / "scores.own").write_text("careful 3\neager 2\nspeller 1\n")
    given = [table, f"again={tmp_path / 'scores.json'}", tmp_path / "scores.own"]
    rows = redink.meta(rankings, given, bootstrap=50).rows
    assert [row["metric"] for row in rows] == ["m2", "gleu", "again m2", "again gleu", "own"]
    assert [row["pearson"] for row in rows[:2]] == [row["pearson"] for row in rows[2:4]]
    assert redink.meta(rankings, table, bootstrap=50).rows == rows[:2]


def test_two_systems_say_next_to_nothing() -> None:
    table = redink.meta(PEOPLE, GOOD[:2], bootstrap=50)
    assert table.rows[0]["pearson"] == pytest.approx(1)
    assert any("two systems" in note for note in table.notes)
    test = redink.meta(PEOPLE, [*GOOD[:3], *POOR[:3]], show="williams", bootstrap=50)
    assert test.rows[0]["p"] is None
    assert any("fewer than four systems" in note for note in test.notes)


def test_constant_metric() -> None:
    table = redink.meta(PEOPLE, [SystemScore(s, "flat", 1.0) for s in SYSTEMS], bootstrap=50)
    assert table.rows[0]["pearson"] is None
    assert any("all scores are equal" in note for note in table.notes)


@pytest.mark.parametrize(
    ("scores", "options", "said"),
    [
        ([], {}, "no metric scores"),
        ([SystemScore("Q", "m", 1)], {}, "scores none of the systems"),
        (POOR, {"show": "betas"}, "no metric has precision and recall"),
        (GOOD, {"show": "williams"}, "at least two metrics"),
        (GOOD, {"show": "windows", "window": 6}, "larger than the number of systems"),
    ],
)
def test_data_that_does_not_do_is_refused(
    scores: list[SystemScore], options: dict[str, object], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        redink.meta(PEOPLE, scores, bootstrap=50, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"show": "sentences"}, "needs sentence scores"),
        ({"beta": [0.5, -1]}, "beta must be between 0 and 10000, not -1"),
        ({"without": ["Q"]}, "unknown system 'Q'; expected one of: A, B, C, D, E"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        redink.meta(PEOPLE, GOOD, **options)  # type: ignore[arg-type]


def sentence_scores(metric: str, order: str) -> list[SentenceScore]:
    return [
        SentenceScore(str(n), system, metric, -float(order.index(system)))
        for n in range(30)
        for system in SYSTEMS
    ]


def test_agreement_on_sentences() -> None:
    scores = [*sentence_scores("same", "ABCDE"), *sentence_scores("turned", "EDCBA")]
    table = redink.meta(PEOPLE, sentences=scores, show="sentences", bootstrap=100)
    same, turned = table.rows
    assert same["pairs"] == 600
    assert same["accuracy"] == pytest.approx(1 - 3 / 50)
    assert turned["tau"] == pytest.approx(-same["tau"])
    assert same["tau_low"] < same["tau"] < same["tau_high"]


@pytest.mark.parametrize("method", ["expected-wins", "trueskill", "bradley-terry"])
def test_metrics_are_aggregated_like_judges(method: str) -> None:
    table = redink.meta(
        PEOPLE, sentences=sentence_scores("same", "ABCDE"), aggregate=method, bootstrap=50
    )
    assert table.rows[0]["metric"] == f"same {method}"
    assert table.rows[0]["spearman"] == pytest.approx(1)


def test_human_scores_are_rounded_only_where_asked() -> None:
    """Three decimals are the published habit; all of them are to be had."""
    rounded = redink.meta(PEOPLE, GOOD, show="systems", bootstrap=50).rows
    exact = redink.meta(PEOPLE, GOOD, show="systems", bootstrap=50, decimals=None).rows
    ranking = {row["system"]: row["score"] for row in redink.rank(PEOPLE, bootstrap=50).rows}
    assert [row["human"] for row in rounded] == [round(row["human"], 3) for row in rounded]
    assert {row["system"]: row["human"] for row in exact} == ranking


def test_best_beta(shared: Path) -> None:
    """Figure 3: between .1 and .3 for the combined references; .18 for Spearman's rho."""
    folder = shared / "data/gjg15"
    table = redink.meta(
        folder / "judgments.xml",
        [folder / f"metrics/scores.{m}" for m in ("m2", "m2.0", "m2.1")],
        show="best-beta",
    )
    rows = {(row["metric"], row["coefficient"]): row for row in table.rows}
    assert {metric for metric, _ in rows} == {"m2", "m2.0", "m2.1"}
    assert rows["m2", "spearman"]["beta"] == 0.18
    assert rows["m2", "spearman"]["value"] == pytest.approx(0.758, abs=0.002)
    assert rows["m2", "pearson"]["value"] == pytest.approx(0.701, abs=0.002)
    for coefficient in ("spearman", "pearson", "kendall"):
        row = rows["m2", coefficient]
        assert 0.1 <= row["low"] <= row["beta"] <= row["high"] <= 0.3


@pytest.mark.parametrize("show", ["correlation", "betas", "windows"])
def test_metrics_that_lack_systems_are_named_before_the_numbers(show: str) -> None:
    """A warning and a note say which metric lacks which systems; a column has their number."""
    few = [score for score in POOR if score.system not in "CE"]
    with pytest.warns(RedinkWarning, match="poor lacks C, E"):
        table = redink.meta(PEOPLE, [*GOOD, *few], show=show, bootstrap=50)  # type: ignore[arg-type]
    assert any("poor lacks C, E" in note for note in table.notes)
    assert "systems" in table.column_names
    if show == "correlation":
        assert table["systems"] == [5, 3]


def test_metrics_that_lack_the_same_systems_raise_no_warning() -> None:
    both = [score for score in [*GOOD, *POOR] if score.system != "E"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert redink.meta(PEOPLE, both, bootstrap=50)["systems"] == [4, 4]
