"""Results that are packed with their inputs, and computed again."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import redink
from redink.cli.main import run_here
from redink.errors import DataError, OptionError

EXAMPLES = Path(redink.__file__).parent / "examples"
SCORE = ["score", str(EXAMPLES / "gold.m2"), f"C={EXAMPLES / 'careful.txt'}", "--metric", "m2"]


def rewrite(archive: Path, name: str, old: str, new: str) -> Path:
    """Return a copy of an archive in which one member has another text."""
    copy = archive.with_name("changed.zip")
    with zipfile.ZipFile(archive) as before, zipfile.ZipFile(copy, "w") as after:
        for member in before.namelist():
            text = before.read(member).decode()
            assert member != name or old in text
            after.writestr(member, text.replace(old, new) if member == name else text)
    return copy


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "r.zip"
    table = redink.archive(SCORE, output=path)
    assert [Path(row["file"]).name for row in table.rows] == ["gold.m2", "careful.txt"]
    return path


def test_an_archive_has_the_result_and_its_inputs(archive: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        result = json.loads(packed.read("result.json"))
        about = json.loads(packed.read("archive.json"))
        texts = [packed.read(each["file"]) for each in about["inputs"]]
    direct = redink.score(EXAMPLES / "gold.m2", {"C": EXAMPLES / "careful.txt"}, metrics=["m2"])
    assert result["rows"] == list(direct.rows)
    assert texts[1] == (EXAMPLES / "careful.txt").read_bytes()
    assert about["environment"]["packages"]["numpy"]


def test_an_archive_is_verified(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(["verify", str(archive), "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["verdict"] for row in rows} == {"same"}


def test_a_changed_number_is_found(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = rewrite(archive, "result.json", '"tp": 52', '"tp": 53')
    assert run_here(["verify", str(changed), "--format", "json"]) == 1
    rows = json.loads(capsys.readouterr().out)["rows"]
    rows = [row for row in rows if row["verdict"] == "problem"]
    assert [(row["part"], row["expected"], row["found"]) for row in rows] == [
        ("row 1: tp", "53", "52")
    ]


def test_a_changed_input_is_found_before_the_command_runs(archive: Path) -> None:
    rows = redink.verify(rewrite(archive, "inputs/1/careful.txt", "the", "teh")).rows
    assert [row["verdict"] for row in rows] == ["same", "problem"]


def test_inputs_are_given_if_only_their_checksums_are_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    path = tmp_path / "r.zip"
    redink.archive(["score", "gold.m2", "careful.txt"], output=path, hashes_only=True)
    assert {row["found"] for row in redink.verify(path).rows} == {"missing (--inputs DIR)"}
    assert {row["verdict"] for row in redink.verify(path, inputs=EXAMPLES).rows} == {"same"}


@pytest.mark.parametrize("word", ["errant(weights=python:f.py:w)", "../secret.m2", "--plot=x.png"])
def test_a_foreign_command_that_may_run_code_is_refused(archive: Path, word: str) -> None:
    changed = rewrite(archive, "archive.json", '"m2"', json.dumps(word))
    with pytest.raises(DataError, match="--trust"):
        redink.verify(changed)


def test_a_command_that_writes_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="is not allowed"):
        redink.archive([*SCORE, "--output=x.json"], output=tmp_path / "r.zip")
    with pytest.raises(DataError, match=r"nothing\.m2: no such file"):
        redink.archive(["score", "nothing.m2", "x.txt"], output=tmp_path / "r.zip")
    assert not list(tmp_path.iterdir())
