"""docs/performance.md is what `make bench` measured, and nobody's handiwork."""

from __future__ import annotations

import json
from pathlib import Path

from performance import write_page

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
ROWS = ROOT / "docs" / "performance" / "rows.jsonl"


def read_rows() -> list[dict[str, object]]:
    return [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]


def test_the_page_is_written_from_its_rows(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    write_page(read_rows(), page, data="")
    tables = [line for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    shown = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    assert shown == tables
    assert {p.name for p in (tmp_path / "performance").iterdir()} == {"growth.svg", "ratios.svg"}
