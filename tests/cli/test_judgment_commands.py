"""agreement, crowd and sample on the command line: what scripts rely on."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from redink.cli.main import main

RATERS = "item,judge,label\n" + "".join(
    f"p{n},R{r},{'error' if (n % 4 == 0) ^ (r == 2 and n % 11 == 0) else 'ok'}\n"
    for n in range(80)
    for r in (1, 2, 3)
)


@dataclass
class Result:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[[str], Result]


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The whole command line, from arguments to exit code, in this process."""
    monkeypatch.chdir(folder)

    def call(line: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["redink", *line.split()])
        code = 0
        try:
            main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        return Result(code, *capsys.readouterr())

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "raters.csv").write_text(RATERS)
    (tmp_path / "lm.csv").write_text(
        "item,label\n" + "".join(f"p{n},{'error' if n % 5 == 0 else 'ok'}\n" for n in range(80))
    )
    return tmp_path


def rows(result: Result) -> list[dict[str, object]]:
    assert result.returncode == 0, result.stderr
    content = json.loads(result.stdout)
    assert list(content) == ["signature", "notes", "columns", "rows"]
    return content["rows"]


def test_json_of_agreement(folder: Path, run: Run) -> None:
    """Rows begin with statistic, value, low, high; options of all kinds are understood."""
    found = rows(
        run(
            "agreement raters.csv --format json --merge fine=ok --ok fine --judges R1,R2 "
            "--bootstrap 50"
        )
    )
    assert list(found[0])[:4] == ["statistic", "value", "low", "high"]
    assert "disagreement_rate[R2]" in {row["statistic"] for row in found}


def test_as_gold_takes_files_and_judges(folder: Path, run: Run) -> None:
    """Both kinds of system, more than once."""
    found = rows(run("agreement raters.csv --as-gold lm.csv --as-gold R3 --format json"))
    assert [row["system"] for row in found] == ["lm"] * 3 + ["R3"] * 3
    assert [row["gold"] for row in found[:3]] == ["R1", "R2", "R1 − R2"]


def test_json_of_crowd_and_its_plots(folder: Path, run: Run) -> None:
    """Rows begin with system, weighting, precision, recall, f; plots are written."""
    found = rows(run("crowd raters.csv lm=lm.csv --format json"))
    assert list(found[0])[:5] == ["system", "weighting", "precision", "recall", "f"]
    result = run(
        "crowd raters.csv lm.csv --show bins --bins 0.5,0.8,1 --plot bins.png "
        "--plot-kappa kappa.svg"
    )
    assert result.returncode == 0, result.stderr
    assert (folder / "bins.png").read_bytes().startswith(b"\x89PNG")
    assert ">lm<" in (folder / "kappa.svg").read_text(encoding="utf-8")
    assert run("crowd raters.csv --plot h.pdf").returncode == 0
    assert (
        run("crowd raters.csv --experts R1,R2 --show size --draws 5 --plot s.png").returncode == 0
    )


def test_sample_from_plan_to_estimate(folder: Path, run: Run) -> None:
    """The four subcommands, one after the other."""
    plan = run(
        "sample plan lm.csv --blind b.csv --key k.json --errors 10 --oks 20 "
        "--expect-misses 0.1 --plot w.png"
    )
    assert plan.returncode == 0, plan.stderr
    assert "carry no text" in plan.stderr
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
            "sample simulate --from-counts 80 20 90 810 --sizes 50,200 --repeats 100 "
            "--plot sim.png --format json"
        )
    )
    assert [row["sample"] for row in simulated] == [50, 200, 50, 200]
    assert (folder / "w.png").exists()
    assert (folder / "sim.png").exists()


def test_table_5_on_the_command_line(folder: Path, run: Run) -> None:
    """The paper's sample, typed in."""
    found = rows(
        run(
            "sample estimate --from-counts 600 150 450 1050 --cases 1000 9000 --interval normal "
            "--format json"
        )
    )
    hits = next(row for row in found if row["quantity"] == "hit_rate")
    assert (round(hits["low"], 3), round(hits["high"], 3)) == (0.077, 0.083)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("agreement nowhere.csv", "nowhere.csv: no such file"),
        ("agreement raters.csv --judges R9", "there is no judge 'R9'"),
        ("agreement raters.csv --merge ok", "merge: 'ok' is not NEW=OLD"),
        ("agreement raters.csv --scale interval", "is not a number"),
        ("crowd raters.csv --bins a,b", "'--bins': 'a' is not a valid number"),
        ("crowd raters.csv --plot x.gif", "a plot ends in"),
        ("crowd raters.csv --show items --plot x.png", "plot goes with show bins"),
        ("crowd raters.csv lm.csv --plot x.png", "has no plot"),
        (
            "crowd raters.csv --plot-kappa x.png",
            "--plot-kappa has no effect here; it needs --show bins",
        ),
        ("crowd raters.csv nowhere.csv", "neither a judge in the file nor a file"),
        ("sample estimate", "a key and answers, or counts"),
        ("sample estimate raters.csv raters.csv", "raters.csv"),
        (
            "sample simulate --sizes x --from-counts 1 1 1 1",
            "'--sizes': 'x' is not a valid whole number",
        ),
    ],
)
def test_mistakes_get_one_sentence(line: str, words: str, run: Run) -> None:
    """Exit code 2, the reason on stderr, nothing on stdout, no traceback."""
    result = run(line)
    assert result.returncode == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
