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
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        + ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(target), str(made)],
        check=True,
    )
    return target


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of redink where the package is installed."""
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
    """It scores by name and by spec, with intervals, and is listed in the help."""
    words = [
        "score",
        "gold.m2",
        "careful.txt",
        "eager.txt",
        "--metric",
        "overlap,overlap(case=false)",
    ]
    done = run(installed, EXAMPLES, *words, "--bootstrap", "20", "--format", "json")
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout)
    assert table["signature"]["metrics"] == ["overlap", "overlap(case=false)"]
    rows = table["rows"]
    assert {row["metric"] for row in rows} == {"overlap", "overlap(case=false)"}
    assert all(row["low"] < row["score"] < row["high"] for row in rows)
    assert "overlap" in run(installed, tmp_path, "score", "--help").stdout


def test_a_format(installed: Path, tmp_path: Path) -> None:
    """It is told by its content, read by every command, and written by convert."""
    path = tmp_path / "pairs"
    path.write_text("This are wrong . => This is wrong .\nI am . => I am .\n", encoding="utf-8")
    done = run(installed, tmp_path, "score", "pairs", "mine=pairs", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"][0]["f"] == 1.0
    assert (
        run(installed, tmp_path, "convert", "pairs", "pairs.tsv", "--to", "parallel").returncode
        == 0
    )
    assert run(installed, tmp_path, "convert", "pairs.tsv", "again.arrows").returncode == 0
    assert (tmp_path / "again.arrows").read_text(encoding="utf-8") == path.read_text(
        encoding="utf-8"
    )
    path.write_text("a => b\nc\n", encoding="utf-8")
    done = run(installed, tmp_path, "convert", "pairs", "-", "--from", "arrows", "--to", "parallel")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "redink: error: pairs:2: expected SOURCE => CORRECTED\n"
