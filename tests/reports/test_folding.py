"""A table that is wider than the terminal is folded, and loses nothing."""

from __future__ import annotations

import io
import re

from redink.model import Column, make_table
from redink.reports.table_formats import print_table

WIDE = make_table(
    [Column("system"), *(Column(f"measure{number}", "rate") for number in range(12))],
    [{"system": "ours", **{f"measure{number}": number / 16 for number in range(12)}}],
    title="Wide",
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_wide_table_is_folded_on_a_terminal(monkeypatch) -> None:
    """Every column is there in full, no line is too long, and each block names the system."""
    monkeypatch.setenv("COLUMNS", "60")
    stream = Terminal()
    print_table(WIDE, stream)
    text = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    lines = text.splitlines()
    assert max(map(len, lines)) <= 60
    assert all(f"measure{number}" in text for number in range(12))
    assert "0.6875" in text
    assert sum("ours" in line for line in lines) > 1


def test_a_pipe_gets_one_block() -> None:
    """What goes into a file is not folded."""
    stream = io.StringIO()
    print_table(WIDE, stream)
    assert sum("ours" in line for line in stream.getvalue().splitlines()) == 1


def test_every_part_names_its_rows(monkeypatch) -> None:
    """A rank before the name does not keep the name from being repeated."""
    monkeypatch.setenv("COLUMNS", "40")
    measures = [Column(f"measure{number}", "rate") for number in range(6)]
    row = {"rank": 1, "system": "ours", **{column.name: 0.5 for column in measures}}
    stream = Terminal()
    print_table(make_table([Column("rank", "count"), Column("system"), *measures], [row]), stream)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()
    assert sum("0.5000" in line for line in lines) > 1
    assert all("ours" in line for line in lines if "0.5000" in line)


def test_rows_that_share_a_name_are_told_apart(monkeypatch) -> None:
    """In every part, by the text that does it or by the numbers that follow the name."""
    monkeypatch.setenv("COLUMNS", "40")
    measures = [Column(f"measure{number}", "rate") for number in range(6)]
    values = {column.name: 0.5 for column in measures}
    for own in ("annotator", "size"):
        rows = [{"system": "ours", own: f"{own}{n}", **values} for n in (1, 2)]
        column = Column(own, "text" if own == "annotator" else "count")
        order = [*measures, column] if own == "annotator" else [column, *measures]
        stream = Terminal()
        print_table(make_table([Column("system"), *order], rows), stream)
        lines = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()
        shown = [line for line in lines if "0.5000" in line]
        assert len(shown) > 2
        assert all(re.search(f"ours +{own}[12]", line) for line in shown)


def test_a_long_word_is_broken_not_cut(monkeypatch) -> None:
    """Nothing of a name is lost on a narrow terminal."""
    monkeypatch.setenv("COLUMNS", "30")
    name = "a-name-that-is-longer-than-half"
    stream = Terminal()
    print_table(make_table([Column("system"), Column("n", "count")], [{"system": name}]), stream)
    text = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert name in re.sub(r"[^a-z-]", "", text)
