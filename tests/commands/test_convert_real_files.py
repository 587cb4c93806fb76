"""Every readable file of the real corpora goes to JSONL and back without loss."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

from redink.commands.convert import convert
from redink.errors import FormatError
from redink.formats import detect_format
from redink.formats.format_registry import cannot_write

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = sorted(p for p in SHARED.rglob("*") if p.is_file()) if SHARED.is_dir() else []
NOT_OURS = {
    "gjg15/metrics/scores.m2": "expected a line that begins with S, A, T or I",
    "gmeg/wiki-corpus-scores.csv": "has no known format of a .csv file",
    "gmeg/wiki-segment-scores.csv": "has no known format of a .csv file",
}
"""Tables of scores, one of them called .m2: they hold no values that convert knows."""


NO_FORMAT = ("alt-test/*.json.gz", "closest-gold/*ratings.csv", "llm-judges/verdicts.csv")
"""Judgments in layouts of their own projects, which convert does not read."""
LARGE = 50_000
"""Files with more bytes are read there and back in the long run only."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=str(path.relative_to(SHARED)),
            marks=[pytest.mark.slow] if path.stat().st_size > LARGE else [],
        )
        for path in FILES
    ]
    or ["no files"],
)
def test_there_and_back(path: Path, tmp_path: Path, shared: Path) -> None:
    if refused := NOT_OURS.get(str(path.relative_to(SHARED))):
        with pytest.raises(FormatError, match=refused):
            convert(path, tmp_path / "x.jsonl")
        return
    if any(fnmatch(str(path.relative_to(SHARED)), pattern) for pattern in NO_FORMAT):
        with pytest.raises(FormatError):
            convert(path, tmp_path / "x.jsonl")
        return
    found = detect_format(path)
    there = convert(path, tmp_path / "there.jsonl")
    if found.write is cannot_write:
        return
    back = convert(tmp_path / "there.jsonl", tmp_path / f"back{path.suffix}", to_format=found.name)
    assert there.rows[0]["values"] == back.rows[0]["values"] > 0
    again = tmp_path / f"back{path.suffix}"
    assert detect_format(again) is found
    count = 0
    for before, after in zip(found.read(path), found.read(again), strict=True):
        assert before == after
        count += 1
    assert count == there.rows[0]["values"]
