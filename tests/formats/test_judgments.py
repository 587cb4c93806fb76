"""Judgments in long form, and the GUG table."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

import pytest

from redink.errors import FormatError, RedinkWarning
from redink.formats import get_format
from redink.formats.delimited import format_duration, parse_duration
from redink.formats.judgment_tables import read_gug, read_judgments_table
from redink.inputs import read_judgments
from redink.model import Judgment

read_csv = partial(read_judgments_table, layout="csv")


def table(path: Path, text: str) -> list[Judgment]:
    path.write_text(text, encoding="utf-8")
    return list(read_csv(path))


def test_all_columns(tmp_path: Path) -> None:
    text = "Label,JUDGE,item,time,gold,duration,confidence,Lang\nx,a,1,now,y,00:01:02.5,.9,de\n"
    assert table(tmp_path / "f", text) == [
        Judgment("1", "a", "x", "y", ".9", 62.5, "now", (("Lang", "de"),))
    ]


def test_tsv_quotes_nothing(tmp_path: Path) -> None:
    """In TSV a quotation mark is only itself."""
    (tmp_path / "f.tsv").write_text('item\tjudge\tlabel\n1\ta\t"so\n')
    assert read_judgments(tmp_path / "f.tsv") == (Judgment("1", "a", '"so'),)


def test_json_lines(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_text(
        '{"item": 1, "judge": "a", "label": 3.50, "gold": true, "duration": 2, "lang": "de"}\n'
    )
    assert read_judgments(tmp_path / "f.jsonl") == (
        Judgment("1", "a", "3.50", "true", None, 2.0, None, (("lang", "de"),)),
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("item,judge,label\n1,a\n", 2, "expected 3 columns as in the header, found 2"),
        ("item,judge,label\n1,a,\n", 2, "the column 'label' is empty"),
        ("item,judge\n1,a\n", 2, "the column 'label' is missing from the header"),
        ("item,judge,label,label\n1,a,b,c\n", 1, "the column name 'label' occurs twice"),
        ("item,judge,label,\n1,a,b,c\n", 1, "column 4 has no name"),
        ("item,judge,label,duration\n1,a,b,soon\n", 2, "expected a duration"),
        ("item,judge,label,duration\n1,a,b,-3\n", 2, "expected a duration"),
        ('item,judge,label\n1,a,"b\n', 2, "is not valid CSV: unexpected end of data"),
        ('item,judge,label\n1,a,"b"c\n', 2, "is not valid CSV"),
        ("item,judge,label\n", None, "contains no judgments below its header"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        table(tmp_path / "f", text)
    assert caught.value.line == line
    assert message in str(caught.value)


def test_empty_values_are_warned_about() -> None:
    with pytest.warns(RedinkWarning, match="1 empty strings became empty cells"):
        get_format("csv").write([Judgment("1", "a", "b", gold="")], io.StringIO())


def test_durations() -> None:
    right = {"67.524": 67.524, "1:07.5": 67.5, "00:01:07.524000": 67.524, "10:00:00": 36000.0}
    for text, seconds in {**right, "0": 0.0, "1e-3": 0.001}.items():
        assert parse_duration(text) == seconds
    for text in ("", "a", "-1", "1:2:3:4", "nan", "inf", "1e300", "٣"):
        assert parse_duration(text) is None


@pytest.mark.parametrize("seconds", [0.0, 0.1 + 0.2, 59.9999999, 3599.1, 1e8 + 0.3, 5e-324])
def test_durations_are_exact(seconds: float) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


GUG = (
    "Id\tSentence\tExpert Judgement\tCrowd Flower Judgements\tAverage\tDataset\n"
    '7\tSay "hi" .\t1\t[3, 4]\t3.0\ttest\n8\tOther\t0\t[]\t0\tnone\n'
)


def test_gug(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(GUG)
    extra = (("sentence", 'Say "hi" .'), ("average", "3.0"), ("dataset", "test"))
    found = list(read_gug(tmp_path / "f"))
    assert found[:3] == [
        Judgment("7", "expert", "1", extra=extra),
        Judgment("7", "crowd1", "3", extra=extra),
        Judgment("7", "crowd2", "4", extra=extra),
    ]
    assert [j.judge for j in found[3:]] == ["expert"]


def test_real_gug(shared: Path) -> None:
    """3129 sentences; the 110 called other were not shown to the crowd."""
    found = read_judgments(shared / "data/gug/gug_annotations.tsv")
    assert len({j.item for j in found}) == 3129
    assert len(found) == 3129 + 5 * (3129 - 110)


@pytest.mark.parametrize("row", ["7\ts\t\t[3]\t3\tx", "7\ts\t1\t3\t3\tx", "\ts\t1\t[3]\t3\tx"])
def test_bad_gug(tmp_path: Path, row: str) -> None:
    (tmp_path / "f").write_text(GUG.splitlines(keepends=True)[0] + row + "\n")
    with pytest.raises(FormatError, match="f:2: expected an id, the expert's rating and a list"):
        list(read_gug(tmp_path / "f"))


# ---- wide tables


LONG = "item,judge,label,gold,text\n1,ann,ok,ok,x\n1,bob,error,ok,x\n2,bob,ok,,\n"


@pytest.mark.parametrize(
    "wide",
    [
        "item,ann,bob,gold,text\n1,ok,error,ok,x\n2,,ok,,\n",
        "Item\tann\tbob\tGold\tText\n1\tok\terror\tok\tx\n2\t \tok\t\t\n",
        "item;ann;bob;gold;text\n1;ok;error;ok;x\n2;;ok;;\n",
    ],
)
def test_a_row_an_item(wide: str, tmp_path: Path) -> None:
    """A column for each judge says what a row for each judgment says; an empty cell is none."""
    (tmp_path / "wide").write_text(wide)
    (tmp_path / "long").write_text(LONG)
    assert read_judgments(tmp_path / "wide") == read_judgments(tmp_path / "long")


@pytest.mark.parametrize(
    "header",
    [
        "item,ann",
        "item,judge,ann,bob",
        "item,label,ann,bob",
        "item,ann,bob,time",
        "id,ann,bob",
        "item,source,corrected1,corrected2",
    ],
)
@pytest.mark.parametrize("suffix", ["", ".csv"])
def test_headers_that_could_be_anything(header: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"table{suffix}"
    path.write_text(f"{header}\n{','.join('1' * (header.count(',') + 1))}\n")
    with pytest.raises(FormatError, match="has item, judge and label in its first line, or item"):
        read_judgments(path)


def test_a_text_among_the_judges(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(f"item,ann,what they wrote\n1,ok,{'word ' * 20}\n")
    with pytest.raises(FormatError, match=r":2: expected a label of the judge 'what they wrote'"):
        read_judgments(path)
