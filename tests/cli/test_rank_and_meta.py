"""``redink rank`` and ``redink meta`` from the command line."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from redink.cli.main import cli
from redink.errors import OptionError

EXAMPLE = Path(str(files("redink"))) / "examples"
RANKINGS = str(EXAMPLE / "rankings.xml")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


@pytest.fixture
def scores(tmp_path: Path) -> str:
    """Scores of the example's systems, with precision and recall."""
    path = tmp_path / "scores.m2"
    path.write_text("careful .7 .9 .4\neager .6 .6 .7\nspeller .4 .8 .2\nINPUT 0 1 0\n")
    return str(path)


def test_rank_prints_the_contract() -> None:
    """The JSON of the design: signature, notes, columns, rows."""
    result = run("rank", RANKINGS, "--bootstrap", "100", "--format", "json")
    assert result.exit_code == 0
    table = json.loads(result.stdout)
    assert table["columns"][:6] == ["system", "score", "rank", "rank_low", "rank_high", "cluster"]
    assert table["signature"]["command"] == "rank"
    assert {row["system"] for row in table["rows"]} == {"careful", "eager", "speller", "INPUT"}


@pytest.mark.parametrize(
    ("show", "cell"),
    [
        ("pairs", "1308"),
        ("agreement", "811"),
        ("head-to-head", "speller"),
        ("accuracy", "bradley-terry"),
        ("judges", "dora"),
        ("correlation", "chidi"),
    ],
)
@pytest.mark.parametrize(
    ("form", "rule"), [("table", "\u2500"), ("json", '"rows": ['), ("latex", r"\toprule")]
)
def test_every_table_in_several_forms(show: str, cell: str, form: str, rule: str) -> None:
    """Each is printed in that form, with what it is about, and ends."""
    folds = ["--folds", "5"] if show == "accuracy" else []
    result = run("rank", RANKINGS, "--show", show, "--format", form, "--bootstrap", "50", *folds)
    assert result.exit_code == 0
    assert rule in result.stdout
    assert cell in result.stdout.split(rule, 1)[-1]


def test_head_to_head_is_a_matrix_for_people_and_rows_for_programs() -> None:
    """A square in the terminal, a row for each encounter in JSON."""
    shown = run("rank", RANKINGS, "--show", "head-to-head", "--format", "markdown").stdout
    assert shown.count("\n| ") == 5
    table = json.loads(run("rank", RANKINGS, "--show", "head-to-head", "--format", "json").stdout)
    assert len(table["rows"]) == 12
    assert {"system", "opponent", "share", "stars", "p"} <= set(table["columns"])


def test_plots_are_written(tmp_path: Path, scores: str) -> None:
    """Beside the table."""
    for number, arguments in enumerate(
        [
            ("rank", RANKINGS, "--show", "head-to-head"),
            ("meta", RANKINGS, scores),
            ("meta", RANKINGS, scores, "--show", "betas"),
            ("meta", RANKINGS, scores, "--show", "windows", "--window", "3"),
            ("meta", RANKINGS, scores, "--show", "windows"),
        ]
    ):
        path = tmp_path / f"{number}.svg"
        assert run(*arguments, "--bootstrap", "50", "--plot", str(path)).exit_code == 0
        assert b"</svg>" in path.read_bytes()


def test_same_ranking_same_plot(tmp_path: Path) -> None:
    """Byte by byte."""
    paths = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for path in paths:
        assert run("rank", RANKINGS, "--bootstrap", "50", "--plot", str(path)).exit_code == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_plot_of_what_has_none_is_refused() -> None:
    """Before anything is computed."""
    words = ["rank", "missing.xml", "--show", "pairs", "--plot", "x.png"]
    with pytest.raises(OptionError, match="plot goes with show ranking or head-to-head"):
        CliRunner().invoke(cli, words, catch_exceptions=False)


def test_meta_prints_the_contract(scores: str) -> None:
    """``metric, spearman, pearson, kendall`` with ``_low`` and ``_high``."""
    result = run("meta", RANKINGS, scores, f"again={scores}", "--format", "json")
    assert result.exit_code == 0
    table = json.loads(result.stdout)
    assert [row["metric"] for row in table["rows"]] == ["m2", "again"]
    for name in ("spearman", "pearson", "kendall"):
        assert {name, f"{name}_low", f"{name}_high"} <= set(table["rows"][0])


def test_two_files_of_one_metric_need_names(scores: str) -> None:
    """The sentence says how to give them."""
    result = CliRunner().invoke(cli, ["meta", RANKINGS, scores, scores])
    assert isinstance(result.exception, Exception)
    assert "NAME=PATH" in str(result.exception)


def test_sweep_is_given_as_a_range(scores: str) -> None:
    """Both ends included; anything else is a mistake of usage."""
    result = run(
        "meta", RANKINGS, scores, "--show", "betas", "--betas", "0.1:0.5:0.1", "--format", "json"
    )
    betas = [row["beta"] for row in json.loads(result.stdout)["rows"]]
    assert betas == [0.1, 0.2, 0.3, 0.4, 0.5]
    for wrong in ("1", "1:0:0.1", "0:1:0", "a:b:c"):
        result = CliRunner().invoke(cli, ["meta", RANKINGS, scores, "--betas", wrong])
        assert result.exit_code == 2


def test_sentence_scores_of_the_example(tmp_path: Path) -> None:
    """What ``score --sentences`` writes, ``meta`` reads; the first sentence is 0 to the judges."""
    sentences = tmp_path / "sentences.jsonl"
    systems = [str(EXAMPLE / f"{name}.txt") for name in ("careful", "eager", "speller")]
    systems.append(f"INPUT={EXAMPLE / 'source.txt'}")
    options = ("--metric", "m2", "--sentences", str(sentences))
    run("score", str(EXAMPLE / "gold.m2"), *systems, *options)
    shown = ("--show", "sentences", "--format", "json")
    result = run("meta", RANKINGS, "--sentences", str(sentences), *shown)
    table = json.loads(result.stdout)
    assert table["rows"][0]["accuracy"] > 0.7
    assert table["rows"][0]["missing"] == 0
    assert "-1 is added to the sentence numbers" in " ".join(table["notes"])
