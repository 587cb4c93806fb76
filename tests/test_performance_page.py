"""docs/performance.md is what `make bench` measured, and nobody's handiwork."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from performance import write_page
from stand_in import make_stand_in

import redink
from redink.inputs import read_corpus

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
ROWS = ROOT / "docs" / "performance" / "rows.jsonl"


def read_rows() -> list[dict[str, object]]:
    """What was measured."""
    return [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]


def test_the_page_is_written_from_its_rows(tmp_path: Path) -> None:
    """Every table on the page comes from the rows beside it."""
    page = tmp_path / "performance.md"
    write_page(read_rows(), page, data="")
    tables = [line for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    shown = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    assert shown == tables
    assert {p.name for p in (tmp_path / "performance").iterdir()} == {"growth.svg", "ratios.svg"}


def test_every_job_is_measured_and_grows() -> None:
    """Annotation, scoring, ranking, campaign and reading, each also at ten times the size."""
    rows = read_rows()
    assert {"annotation", "scoring", "ranking", "campaign", "reading"} <= {
        r.get("job") for r in rows
    }
    grown = {(r["job"], r["axis"]) for r in rows if r.get("factor") == 10}
    assert {("annotation", "sentences"), ("m2", "sentences"), ("reading", "sentences")} <= grown
    assert {("annotation", "systems"), ("m2", "systems"), ("ranking", "systems")} <= grown
    assert {r["axis"] for r in rows if r.get("factor") == 2} >= {"length"}


@pytest.mark.filterwarnings("ignore::redink.errors.RedinkWarning")
def test_the_example_stands_in_for_the_corpora(tmp_path: Path) -> None:
    """Without the real corpora there are texts of the same layout, no two sentences alike."""
    folder = make_stand_in(tmp_path / "shared", sentences=90) / "data" / "conll14"
    source = (folder / "source.txt").read_text(encoding="utf-8").splitlines()
    assert len(set(source)) == len(source) == 90
    gold = read_corpus(folder / "official-2014.combined.m2")
    assert [" ".join(s.source.tokens) for s in gold.sentences] == source
    table = redink.score(gold, {"a": folder / "references" / "ref0.txt"}, metrics=["m2"])
    assert table.rows[0]["f"] == 1.0
