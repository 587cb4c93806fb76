"""Tables in the terminal: folded columns, aligned numbers, the best first."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from redink.model import Column, Definition, Table, make_table
from redink.reports.table_formats import Detail, print_table, read_blocks

Screen = Callable[..., list[str]]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """The lines of a table on a terminal of some width, without colours."""

    def show(table: Table, width: int, detail: Detail = "full") -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        stream = Terminal()
        print_table(table, stream, detail)
        return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()

    return show


def scores(**more: Any) -> Table:
    names = ("system", "metric", "tp", "fp", "precision", "recall", "f", "score", "rank")
    kinds = {"system": "text", "metric": "text", "tp": "count", "fp": "count", "rank": "count"}
    rows = []
    for metric in ("errant", "m2"):
        rows += [
            {"system": "one", "metric": metric, "tp": 6, "fp": 2, "precision": 0.75}
            | {"recall": 0.5, "f": 0.68, "rank": 1},
            {"system": "none", "metric": metric, "tp": 0, "fp": 0, "precision": 1.0}
            | {"recall": 0.0, "f": 0.0, "rank": 2},
        ]
    rows += [{"system": "one", "metric": "gleu", "score": 0.7, "rank": 1}]
    columns = [Column(name, kinds.get(name, "rate")) for name in names]  # type: ignore[arg-type]
    return make_table(columns, rows, view="scores", **more)


MEASURES = [Column(f"measure{number}", "rate") for number in range(12)]
VALUES = {column.name: number / 16 for number, column in enumerate(MEASURES)}


def test_a_wide_table_is_folded(screen: Screen) -> None:
    """Every column is complete, every part names its rows, and one empty line is between parts.

    A pipe gets the table in one part.
    """
    table = make_table(
        [Column("rank", "count"), Column("system"), *MEASURES],
        [{"rank": 1, "system": "ours", **VALUES}],
    )
    lines = screen(table, 60)
    assert max(map(len, lines)) <= 60
    assert all(f"measure{number}" in "\n".join(lines) for number in range(12))
    values = [line for line in lines if re.search(r"\d\.\d{4}", line)]
    assert len(values) > 1
    assert all("ours" in line for line in values)
    assert "0.6875" in values[-1]
    assert not any(not one.strip() and not two.strip() for one, two in pairwise(lines[1:]))
    stream = io.StringIO()
    print_table(table, stream)
    assert stream.getvalue().count("ours") == 1


@pytest.mark.parametrize(("name", "kind"), [("annotator", "text"), ("size", "count")])
def test_rows_with_the_same_name_are_distinguished(name: str, kind: Any, screen: Screen) -> None:
    rows = [{"system": "ours", name: f"{name}{n}", **VALUES} for n in (1, 2)]
    own, measures = [Column(name, kind)], MEASURES[:6]
    order = [*measures, *own] if kind == "text" else [*own, *measures]
    lines = screen(make_table([Column("system"), *order], rows), 40)
    shown = [line for line in lines if re.search(r"\d\.\d{4}", line)]
    assert len(shown) > 2
    assert all(re.search(f"ours +{name}[12]", line) for line in shown)


def test_a_long_word_is_broken_not_cut(screen: Screen) -> None:
    name = "a-name-that-is-longer-than-half"
    table = make_table([Column("system"), Column("n", "count")], [{"system": name}])
    text = "".join(screen(table, 30))
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert name in re.sub(r"[^a-z-]", "", text)


def test_brief_detail_shows_three_notes_about_the_data_and_a_short_signature(
    screen: Screen,
) -> None:
    signature = {"redink": "1.0", "command": "score", "metrics": ["m2"], "seed": 3, "data": "abc"}
    notes = ["one", Definition("F: a mean"), "two", "three", "four"]
    table = scores(notes=notes, signature=signature)
    text = json.dumps(signature, sort_keys=True).encode()
    digest = hashlib.sha256(text).hexdigest()[:8]
    short = f"redink 1.0 · m2 · seed 3 · sig {digest}"
    assert screen(table, 80, "brief")[-5:] == [
        *("one", "two", "three", "(1 more note with --verbose)", short)
    ]
    assert "(1 more note in table.notes)" in str(table)
    assert screen(table, 80)[-6:-1] == notes
    assert screen(table, 80)[-1].startswith("redink:1.0 | command:score")
    assert "one" not in screen(table, 80, "none")
    assert json.loads(table.to_json())["notes"] == notes
    nothing = {"redink": "1.0", "command": "metrics"}
    assert screen(scores(signature=nothing), 80, "brief") == screen(scores(), 80)


def test_every_level_of_a_metric_has_its_own_order() -> None:
    rows = [
        {"system": name, "metric": "imeasure", "level": level, "score": score, "rank": rank}
        for name, level, score, rank in (
            ("one", "correction", 0.5, 1),
            ("two", "correction", 0.4, 2),
            ("one", "detection", 0.5, 2),
            ("two", "detection", 0.6, 1),
        )
    ]
    columns = [Column("system"), Column("metric"), Column("level"), Column("score", "rate")]
    table = make_table([*columns, Column("rank", "count")], rows, view="scores")
    assert [block["system"] for block in read_blocks(table)] == [["one", "two"], ["two", "one"]]


def test_a_large_matrix_has_numbers_above() -> None:
    systems = [f"system-{n}" for n in range(6)]
    rows = [
        {"system": one, "opponent": other, "share": 0.5, "stars": ""}
        for one in systems
        for other in systems
        if one != other
    ]
    names = ("system", "opponent", "share", "stars")
    (shown,) = read_blocks(make_table(names, rows, view="head-to-head"))
    assert [column.heading for column in shown.columns] == ["#", "system", *"123456"]
