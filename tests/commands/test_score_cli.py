"""``redink score`` and ``redink compare`` on the command line."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from tests.commands.score_files import write_task
from tests.terminal import run_command

Files = dict[str, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return write_task(tmp_path)


def redink(files: Files, line: str) -> subprocess.CompletedProcess[str]:
    return run_command(files["gold"].parent, *line.split())


def test_json_is_the_contract(files: Files) -> None:
    run = redink(files, "score gold.m2 A=good.txt fair.txt --metric m2 --format json")
    assert (run.returncode, run.stderr) == (0, "")
    result = json.loads(run.stdout)
    assert list(result) == ["signature", "notes", "columns", "rows"]
    assert [row["system"] for row in result["rows"]] == ["A", "fair"]
    counts = {
        "type": None,
        "tp": 4,
        "fp": 0,
        "fn": 0,
        "precision": 1.0,
        "recall": 1.0,
        "f": 1.0,
        "score": 1.0,
    }
    assert result["rows"][0] == {"system": "A", "metric": "m2", **counts, "rank": 1}
    assert result["signature"]["metrics"] == ["m2"]


def test_the_table_reads_at_a_glance(files: Files) -> None:
    run = redink(files, "score gold.m2 good.txt fair.txt --metric m2 --bootstrap 20")
    assert run.returncode == 0
    title, _, head, _, *rows = run.stdout.splitlines()
    assert title == "m2"
    titles = "# system TP FP FN P R F0.5 95% interval group"
    assert " ".join(head.split()) == titles
    assert re.search(r"1 +good +4 +0 +0 +1\.0000 +1\.0000 +1\.0000 +\d\.\d{4} – ", rows[0])


def test_nothing_is_written_when_something_is_wrong(files: Files) -> None:
    run = redink(files, "score gold.m2 missing.txt --metric m2 -o out.json --format json")
    assert run.returncode == 2
    assert run.stderr == "redink: error: missing.txt: no such file\n"
    assert not (files["gold"].parent / "out.json").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("score gold.m2", "give a REFERENCE and at least one SYSTEM"),
        ("score --reference good.txt fair.txt", "--reference requires --source"),
        ("score --source source.txt fair.txt", "--source requires at least one --reference"),
    ],
)
def test_usage_mistakes(files: Files, line: str, message: str) -> None:
    run = redink(files, line)
    assert run.returncode == 2
    assert message in run.stderr


def test_quiet_means_no_warnings(files: Files) -> None:
    raw = files["gold"].parent / "raw.txt"
    raw.write_text(files["good"].read_text().replace(" .", "."))
    loud = redink(files, "score gold.m2 raw.txt --metric m2 --format json")
    assert "redink: warning: system 'raw' seems untokenized" in loud.stderr
    quiet = redink(files, "score gold.m2 raw.txt --metric m2 --format json --quiet")
    assert quiet.stderr == ""
    assert quiet.stdout == loud.stdout
    table = redink(files, "score gold.m2 raw.txt --metric m2 --bootstrap 10")
    assert "untokenized" in table.stderr
    assert "untokenized" not in table.stdout  # once is enough
    assert "redink" not in redink(files, "score gold.m2 raw.txt --metric m2 -q").stdout


def test_metrics_given_again_add_up(files: Files) -> None:
    once, twice = (
        redink(files, f"score gold.m2 good.txt {how} --format csv").stdout
        for how in ("--metric m2,gleu", "--metric m2 --metric gleu")
    )
    assert once == twice
    assert "gleu" in twice
