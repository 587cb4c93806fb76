"""``redink history``: results of versions in one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import redink
from redink.errors import FormatError, OptionError

SOURCE = ["this are wrong ."] * 4
RIGHT = ["this is wrong ."] * 4


def write_result(path: Path, corrected: int) -> Path:
    """Score a system that corrects some of four sentences, by level."""
    redink.score(
        source=SOURCE,
        references=[RIGHT],
        systems={"mine": [*RIGHT[:corrected], *SOURCE[corrected:]]},
        metrics=["errant"],
        metadata={"level": ["A1", "A1", "B1", "B1"]},
        by="level",
    ).save(path)
    return path


def test_versions_are_in_order_of_their_dates(tmp_path: Path) -> None:
    """With 4 and 3 of 4 corrections and no false ones, F0.5 is 1 and 1.25 * .75 / (.25 + .75)."""
    file = tmp_path / "history.jsonl"
    redink.history(file, [write_result(tmp_path / "b.json", 3)], version="new", date="2026-02-01")
    table = redink.history(
        file, [write_result(tmp_path / "a.json", 4)], version="old", date="2026-01-01"
    )
    assert [(row["version"], row["slice"], row["score"]) for row in table][:3] == [
        ("old", "", 1.0),
        ("old", "level=A1", 1.0),
        ("old", "level=B1", 1.0),
    ]
    changes = {row["slice"]: row["change"] for row in table if row["version"] == "new"}
    f = 1.25 * 0.75 / (0.25 + 0.75)
    assert changes[""] == pytest.approx(f - 1)
    assert changes["level=A1"] == 0
    assert redink.history(file).rows == table.rows
    assert len(file.read_text().splitlines()) == 6
    before = file.read_bytes()
    with pytest.raises(OptionError, match="already has the version 'old'"):
        redink.history(file, [tmp_path / "a.json"], version="old")
    assert file.read_bytes() == before


def test_the_candidate_of_a_gate(tmp_path: Path) -> None:
    redink.gate(
        source=SOURCE,
        references=[RIGHT],
        baseline=RIGHT,
        candidate=[*RIGHT[:2], *SOURCE[2:]],
        rules=["errant.recall drop <= 0", "errant.recall >= 0.4", "errant.f >= 0.2"],
    ).save(tmp_path / "gate.json")
    table = redink.history(tmp_path / "h.jsonl", [tmp_path / "gate.json"], date="2026-01-01")
    assert [(row["version"], row["measure"], row["score"]) for row in table] == [
        ("2026-01-01", "recall", 0.5),
        ("2026-01-01", "f", pytest.approx(1.25 * 0.5 / (0.25 + 0.5))),
    ]


def test_wrong_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text(json.dumps({"rows": []}))
    with pytest.raises(FormatError, match="is not JSON of redink score"):
        redink.history(tmp_path / "h.jsonl", [tmp_path / "odd.json"])
    assert not (tmp_path / "h.jsonl").exists()
    with pytest.raises(OptionError, match="no such file"):
        redink.history(tmp_path / "h.jsonl")
    (tmp_path / "h.jsonl").write_text('{"name": 1}\n')
    with pytest.raises(FormatError, match="is not a line of a history"):
        redink.history(tmp_path / "h.jsonl")
    with pytest.raises(OptionError, match="--date must be YYYY-MM-DD"):
        redink.history(tmp_path / "i.jsonl", [tmp_path / "odd.json"], date="2026-1")
