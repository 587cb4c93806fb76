"""CSV, TSV or JSON lines: which it is, and its records."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.errors import FormatError
from redink.formats.delimited import Record, read_records
from redink.formats.recognition import tell_layout


@pytest.mark.parametrize(
    ("head", "columns", "layout"),
    [
        (["item,label"], ("item", "label"), "csv"),
        (['"Item",LABEL,more'], ("item", "label"), "csv"),
        (["item;label"], ("item", "label"), "csv"),
        (["item\tlabel"], ("item", "label"), "tsv"),
        (["item,label\tx"], ("item",), "csv"),
        (['{"item": 1, "label": 2}'], ("item", "label"), "jsonl"),
        (["", '{"item": 1}'], ("item",), "jsonl"),
        (['{"item": 1}'], ("item", "label"), None),
        (["item,judge"], ("item", "label"), None),
        (["Plain text ."], ("item",), None),
        (["one"], (), "csv"),
        (["one\ttwo"], (), "tsv"),
        (["{broken"], (), "jsonl"),
        (["{broken"], ("item",), None),
        ([], (), None),
    ],
)
def test_the_first_lines_tell(head: list[str], columns: tuple[str, ...], layout: str) -> None:
    """By the columns that are needed, in upper or lower case; without any, by the separator."""
    assert tell_layout(head, columns) == layout


@pytest.mark.parametrize(
    "text",
    [
        "item,n\na,1\n\nb,2.50\n",
        'item;n\na;1\n\n"b";2.50\n',
        "item\tn\na\t1\n\nb\t2.50\n",
        '{"item": "a", "n": 1}\n\n{"item": "b", "n": 2.50}\n',
    ],
)
def test_records_are_the_same_in_all(text: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    found = list(read_records(tmp_path / "x"))
    assert [record.cells for record in found] == [
        {"item": "a", "n": "1"},
        {"item": "b", "n": "2.50"},
    ]
    first = 1 if text.startswith("{") else 2
    assert [record.line for record in found] == [first, first + 2]


def test_what_is_empty_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a,b\n1,\n")
    assert list(read_records(tmp_path / "x")) == [Record(2, {"a": "1", "b": ""})]
    (tmp_path / "x").write_text('{"a": true, "b": null}\n')
    assert list(read_records(tmp_path / "x")) == [Record(1, {"a": True, "b": None})]
    (tmp_path / "x").write_text("")
    with pytest.raises(FormatError, match="has no header"):
        list(read_records(tmp_path / "x"))
