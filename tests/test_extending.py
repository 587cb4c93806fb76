"""What CONTRIBUTING.md says is done here: its package is installed, and each part of it used."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import redink

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = Path(redink.__file__).parent / "examples"
_BLOCK = re.compile(r"^```(?:toml|python)\n# (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_BUILD = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n\n'


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the package of CONTRIBUTING.md is installed."""
    made = tmp_path_factory.mktemp("package")
    (made / "redink_example").mkdir()
    (made / "redink_example" / "__init__.py").touch()
    files = _BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert "pyproject.toml" in dict(files)
    for name, text in files:
        head = _BUILD if name == "pyproject.toml" else ""
        (made / name).write_text(head + text, encoding="utf-8")
    target = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *("--no-index", "--no-deps", "--no-build-isolation", "--target"),
            str(target),
            str(made),
        ],
        check=True,
    )
    return target


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(installed), *filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-m", "redink", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_a_metric(installed: Path, tmp_path: Path) -> None:
    words = ["score", "gold.m2", "careful.txt", "eager.txt"]
    words += ["--metric", "overlap,overlap(case=false)"]
    done = run(installed, EXAMPLES, *words, "--bootstrap", "20", "--format", "json")
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)
    assert table["signature"]["metrics"] == ["overlap", "overlap(case=false)"]
    rows = table["rows"]
    assert {row["metric"] for row in rows} == {"overlap", "overlap(case=false)"}
    assert all(row["low"] < row["score"] < row["high"] for row in rows)
    assert "overlap" in run(installed, tmp_path, "score", "--help").stdout


def test_a_format(installed: Path, tmp_path: Path) -> None:
    path = tmp_path / "pairs"
    path.write_text("This are wrong . => This is wrong .\nI am . => I am .\n", encoding="utf-8")
    done = run(installed, tmp_path, "score", "pairs", "mine=pairs", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"][0]["f"] == 1.0
    for words in (["pairs", "pairs.tsv", "--to", "parallel"], ["pairs.tsv", "again.arrows"]):
        assert run(installed, tmp_path, "convert", *words).returncode == 0
    assert (tmp_path / "again.arrows").read_bytes() == path.read_bytes()
    path.write_text("a => b\nc\n", encoding="utf-8")
    done = run(installed, tmp_path, "convert", "pairs", "bad.tsv", "--from", "arrows")
    assert done.returncode == 2
    assert not (tmp_path / "bad.tsv").exists()
    assert done.stderr == "redink: error: pairs:2: expected SOURCE => CORRECTED\n"


def test_an_analyzer(installed: Path, tmp_path: Path) -> None:
    """It is asked for by its name and what stands behind the colon, and the signature says so."""
    words = ["explain", "La kato vidas la hundo .", "La kato vidas la hundon ."]
    done = run(installed, tmp_path, *words, "--analyzer", "endings:eo", "--format", "json")
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)
    assert table["signature"]["analyzer"] == "endings:eo"
    assert [(row["start"], row["end"]) for row in table["rows"]] == [(4, 5)]


def test_a_language(installed: Path, tmp_path: Path) -> None:
    code = (
        "import redink\n"
        "for edit in redink.annotate('La kato vidas hundo .', 'La kato vidas la hundon .', "
        "language='eo'):\n    print(edit.start, edit.end, edit.correction, edit.type, edit.rule)"
    )
    path = os.pathsep.join([str(installed), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "3 3 la M:X part-of-speech",
        "3 4 hundon R:NOUN:CASE accusative",
    ]


def test_a_task(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("item,text\n1,This are wrong .\n", encoding="utf-8")
    words = ["campaign", "create", "c.db", "--task", "thumbs", "--from", "items.csv"]
    done = run(installed, tmp_path, *words, "--judge", "alma")
    assert done.returncode == 0, done.stderr
    status = run(installed, tmp_path, "campaign", "status", "c.db", "--format", "json")
    assert status.returncode == 0, status.stderr
    assert "alma" in status.stdout
    unknown = run(installed, tmp_path, "campaign", "create", "d.db", "--task", "nods")
    assert unknown.returncode == 2
    assert "thumbs" in unknown.stderr
