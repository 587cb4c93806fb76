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
from redink.reports.table_formats import Detail, best_cells, print_table, read_blocks
from redink.reports.views import with_intervals

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
    """In every part, by another text column or by the numbers after the name."""
    rows = [{"system": "ours", name: f"{name}{n}", **VALUES} for n in (1, 2)]
    own, measures = [Column(name, kind)], MEASURES[:6]
    order = [*measures, *own] if kind == "text" else [*own, *measures]
    lines = screen(make_table([Column("system"), *order], rows), 40)
    shown = [line for line in lines if re.search(r"\d\.\d{4}", line)]
    assert len(shown) > 2
    assert all(re.search(f"ours +{name}[12]", line) for line in shown)


def test_a_long_word_is_broken_not_cut(screen: Screen) -> None:
    """Nothing of a name is lost on a narrow terminal."""
    name = "a-name-that-is-longer-than-half"
    table = make_table([Column("system"), Column("n", "count")], [{"system": name}])
    text = "".join(screen(table, 30))
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert name in re.sub(r"[^a-z-]", "", text)


def test_a_heading_over_columns_takes_the_room_of_one(screen: Screen) -> None:
    """What stands over three columns does not make each of them as wide as itself."""
    columns = [Column("metric")]
    for name in ("a long heading", "another heading", "the third heading"):
        columns += [Column(f"{name} {end}", "rate", over=name, title=end) for end in "xyz"]
    row = {column.name: 0.5 for column in columns[1:]} | {"metric": "errant"}
    assert sum("metric" in line for line in screen(make_table(columns, [row]), 125)) == 1


def test_the_signature_breaks_between_its_parts(screen: Screen) -> None:
    """No line of it begins with the bar between two parts, and nothing is lost."""
    signature = {f"option{n}": "value" * (n % 4) for n in range(12)}
    table = scores(signature=signature)
    lines = screen(table, 60)
    mine = lines[next(at for at, line in enumerate(lines) if line.startswith("option0")) :]
    assert len(mine) > 2
    assert all(len(line) <= 60 and not line.startswith("|") for line in mine)
    assert " ".join(mine) == " | ".join(f"{name}:{value}" for name, value in signature.items())


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


def test_notes_are_told_apart(screen: Screen) -> None:
    """The second line of a note is set in; nothing is, where a note fits."""
    lines = screen(scores(notes=["a note of many words " * 5, "another"]), 60)
    start = next(at for at, line in enumerate(lines) if line.startswith("a note"))
    assert [line[:2] for line in lines[start:]] == ["a ", "  ", "an"]


def test_figures_of_intervals_stand_in_line() -> None:
    """Ends with and without a minus are as wide as each other."""
    rows = with_intervals([{"low": -0.0042, "high": 0.2}, {"low": 0.1, "high": 0.3}, {}], None)
    assert rows[0]["interval"] == "-0.0042 \N{EN DASH} 0.2000"
    assert rows[1]["interval"] == " 0.1000 \N{EN DASH} 0.3000"
    assert "interval" not in rows[2]


def test_who_proposes_nothing_has_not_the_best_precision() -> None:
    """Its precision of 1 is a convention; the best is the highest that was earned."""
    (wide,) = read_blocks(Table(**{**vars(scores()), "view": "scores-wide"}))
    assert [wide.rows[1].get(f"{metric}\0precision") for metric in ("errant", "m2")] == [None] * 2
    assert not any(row == 1 for row, name in best_cells(wide) if name.endswith("precision"))


def test_every_level_of_a_metric_has_its_own_order() -> None:
    """The best at detection is first in the block of detection."""
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


def test_a_ranking_begins_with_the_place(screen: Screen) -> None:
    """Place, system, score with its interval, and ranks as a range."""
    names = ("system", "score", "rank", "rank_low", "rank_high", "cluster", "low", "high", "wins")
    kinds = {"system": "text", "score": "score", "low": "score", "high": "score"}
    columns = [Column(name, kinds.get(name, "count")) for name in names]  # type: ignore[arg-type]
    rows = [
        dict(zip(names, values, strict=True))
        for values in (
            ("a", 0.7, 1, 1, 2, 1, 0.6, 0.8, 9),
            ("b", 0.2, 2, 2, 2, 2, 0.1, 0.3, 4),
            ("c", None, None, None, None, None, None, None, 0),
        )
    ]
    lines = screen(make_table(columns, rows, view="ranking"), 80)
    assert lines[1].split() == ["#", "system", "score", "low", "high", "ranks", "cluster", "wins"]
    assert lines[3].split() == ["1", "a", "0.7000", "0.6000", "0.8000", "1\N{EN DASH}2", "1", "9"]
    assert lines[4].split()[5] == "2"


def test_a_large_matrix_has_numbers_above() -> None:
    """With six systems head to head, columns are numbered as rows are."""
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
