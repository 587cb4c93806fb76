"""agreement, crowd, sample, rank and meta on the command line: the output for scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import EXAMPLE, Result, Run

RATERS = "item,judge,label\n" + "".join(
    f"p{n},R{r},{'error' if (n % 4 == 0) ^ (r == 2 and n % 11 == 0) else 'ok'}\n"
    for n in range(80)
    for r in (1, 2, 3)
)

RANKINGS = EXAMPLE / "rankings.xml"
Line = Callable[[str], Result]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "raters.csv").write_text(RATERS)
    (tmp_path / "lm.csv").write_text(
        "item,label\n" + "".join(f"p{n},{'error' if n % 5 == 0 else 'ok'}\n" for n in range(80))
    )
    (tmp_path / "scores.m2").write_text(
        "careful .7 .9 .4\neager .6 .6 .7\nspeller .4 .8 .2\nINPUT 0 1 0\n"
    )
    return tmp_path


@pytest.fixture
def run(folder: Path, redink: Run) -> Line:
    return lambda line: redink(*line.split())


def table(result: Result) -> dict[str, Any]:
    assert result.code == 0, result.err
    content: dict[str, Any] = json.loads(result.out)
    assert list(content) == ["signature", "notes", "columns", "rows"]
    return content


def rows(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table(result)["rows"]
    return found


def test_json_of_agreement(folder: Path, run: Line) -> None:
    found = rows(
        run(
            "agreement raters.csv --format json --merge-labels fine=ok --ok fine --judges R1,R2 "
            "--bootstrap 50"
        )
    )
    assert list(found[0])[:4] == ["statistic", "value", "low", "high"]
    assert "disagreement_rate[R2]" in {row["statistic"] for row in found}


def test_as_gold_takes_files_and_judges(folder: Path, run: Line) -> None:
    found = rows(run("agreement raters.csv --as-gold lm.csv --as-gold R3 --format json"))
    assert [row["system"] for row in found] == ["lm"] * 3 + ["R3"] * 3
    assert [row["gold"] for row in found[:3]] == ["R1", "R2", "R1 − R2"]


def test_json_of_crowd_and_its_plots(folder: Path, run: Line) -> None:
    found = rows(run("crowd raters.csv lm=lm.csv --format json"))
    assert list(found[0])[:5] == ["system", "weighting", "precision", "recall", "f"]
    result = run(
        "crowd raters.csv lm.csv --show bins --bins 0.5,0.8,1 --plot bins.png "
        "--plot-kappa kappa.svg"
    )
    assert result.code == 0, result.err
    assert (folder / "bins.png").read_bytes().startswith(b"\x89PNG")
    assert ">lm<" in (folder / "kappa.svg").read_text(encoding="utf-8")
    assert run("crowd raters.csv --plot h.pdf").code == 0
    assert (
        run("crowd raters.csv --experts R1,R2 --show size --repetitions 5 --plot s.png").code == 0
    )


def test_sample_from_plan_to_estimate(folder: Path, run: Line) -> None:
    plan = run(
        "sample plan lm.csv --blind b.csv --key k.json --errors 10 --oks 20 "
        "--expect-misses 0.1 --plot w.png"
    )
    assert plan.code == 0, plan.err
    assert "no column text" in plan.err
    items = json.loads((folder / "k.json").read_text())["items"]
    (folder / "answers.csv").write_text(
        "item,judge,label\n"
        + "".join(f"{e['item']},ann,{'error' if n % 3 else 'ok'}\n" for n, e in enumerate(items))
    )
    found = rows(run("sample estimate k.json answers.csv --format json"))
    assert list(found[0]) == ["quantity", "estimate", "low", "high"]
    assert rows(run("sample verify answers.csv --format json"))
    simulated = rows(
        run(
            "sample simulate --from-counts 80 20 90 810 --sizes 50,200 --repetitions 100 "
            "--plot sim.png --format json"
        )
    )
    assert [row["sample"] for row in simulated] == [50, 200, 50, 200]
    assert (folder / "w.png").exists()
    assert (folder / "sim.png").exists()


# ---- rank and meta


def test_rank_prints_the_contract(run: Line) -> None:
    """The JSON of the design: signature, notes, columns, rows."""
    found = table(run(f"rank {RANKINGS} --bootstrap 100 --format json"))
    assert found["columns"][:6] == ["system", "score", "rank", "rank_low", "rank_high", "cluster"]
    assert found["signature"]["command"] == "rank"
    assert {row["system"] for row in found["rows"]} == {"careful", "eager", "speller", "INPUT"}


@pytest.mark.parametrize(
    ("show", "cell"),
    [
        ("pairs", "1308"),
        ("agreement", "811"),
        ("head-to-head", "speller"),
        ("accuracy --folds 5", "bradley-terry"),
        ("judges", "dora"),
        ("correlation", "chidi"),
    ],
)
@pytest.mark.parametrize(
    ("form", "rule"), [("table", "\u2500"), ("json", '"rows": ['), ("latex", r"\toprule")]
)
def test_every_table_in_several_forms(
    show: str, cell: str, form: str, rule: str, run: Line
) -> None:
    result = run(f"rank {RANKINGS} --show {show} --format {form} --bootstrap 50")
    assert result.code == 0
    assert rule in result.out
    assert cell in result.out.split(rule, 1)[-1]


@pytest.mark.parametrize(
    "line",
    [
        f"rank {RANKINGS} --show head-to-head",
        f"meta {RANKINGS} scores.m2",
        f"meta {RANKINGS} scores.m2 --show betas",
        f"meta {RANKINGS} scores.m2 --show windows --window 3",
        f"meta {RANKINGS} scores.m2 --show windows",
    ],
)
def test_plots_are_written(line: str, folder: Path, run: Line) -> None:
    assert run(f"{line} --bootstrap 50 --plot plot.svg").code == 0
    assert b"</svg>" in (folder / "plot.svg").read_bytes()


def test_meta_prints_the_contract(run: Line) -> None:
    """``metric, spearman, pearson, kendall`` with ``_low`` and ``_high``."""
    found = rows(run(f"meta {RANKINGS} scores.m2 again=scores.m2 --format json"))
    assert [row["metric"] for row in found] == ["m2", "again"]
    for name in ("spearman", "pearson", "kendall"):
        assert {name, f"{name}_low", f"{name}_high"} <= set(found[0])
    assert "NAME=PATH" in run(f"meta {RANKINGS} scores.m2 scores.m2").err


def test_sweep_is_given_as_a_range(run: Line) -> None:
    line = f"meta {RANKINGS} scores.m2 --show betas --format json --betas"
    assert [row["beta"] for row in rows(run(f"{line} 0.1:0.5:0.1"))] == [0.1, 0.2, 0.3, 0.4, 0.5]
    for wrong in ("1", "1:0:0.1", "0:1:0", "a:b:c"):
        assert run(f"{line} {wrong}").code == 2


def test_sentence_scores_of_the_example(run: Line) -> None:
    """What ``score --sentences`` writes, ``meta`` reads; the first sentence is 0 to the judges."""
    systems = " ".join(str(EXAMPLE / f"{name}.txt") for name in ("careful", "eager", "speller"))
    systems += f" INPUT={EXAMPLE / 'source.txt'}"
    run(f"score {EXAMPLE / 'gold.m2'} {systems} --metric m2 --sentences sentences.jsonl")
    found = table(
        run(f"meta {RANKINGS} --sentences sentences.jsonl --show sentences --format json")
    )
    assert found["rows"][0]["accuracy"] > 0.7
    assert found["rows"][0]["missing"] == 0
    assert "sentence numbers of the scores shifted by -1" in " ".join(found["notes"])
