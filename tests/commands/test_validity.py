"""``redink validity``: systems by judgments of their edits."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import DataError, OptionError

HEAD = "item,judge,label,question,sentence,systems,type,where\n"
# Two judges; a and b made the same first edit, and a alone the second sentence's.
ROWS = """\
s0.0.e1,alma,right,edit,0,a+b,R:NOUN,
s0.0.remains,alma,no,remains,0,a+b,,
s0.0.e1,bert,right,edit,0,a+b,R:NOUN,
s0.0.remains,bert,yes,remains,0,a+b,,1+2+5
s1.1.e1,alma,wrong,edit,1,a,R:VERB,
s1.1.e2,alma,optional,edit,1,a,M:DET,
s1.1.remains,alma,yes,remains,1,a,,
s1.2.e1,alma,right,edit,1,b,R:VERB,
s1.2.remains,alma,no,remains,1,b,,
"""


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    path = tmp_path / "validity.csv"
    path.write_text(HEAD + ROWS, encoding="utf-8")
    return path


def rows_of(judgments: Any, **options: Any) -> dict[Any, Any]:
    rows = redink.validity(judgments, **{"bootstrap": 0, **options}).rows
    return {(row["system"], row["type"]): row for row in rows}


def test_each_judgment_counts_for_every_system_with_the_edit(judgments: Path) -> None:
    rows = rows_of(judgments)
    names = ("edits", "right", "wrong", "unnecessary", "outputs", "with_errors", "missed")
    # bert marked the words 1-2 and 5, which are two errors; alma's error of a has no words
    assert [rows["a", None][name] for name in names] == [4, 2, 1, 1, 3, 2, 3]
    assert [rows["b", None][name] for name in names] == [3, 3, 0, 0, 3, 1, 2]
    rates = [rows["a", None][name] for name in ("precision", "over", "left", "recall")]
    assert rates == pytest.approx([2 / 4, 1 / 4, 2 / 3, 2 / 5])


def test_types_have_precision_and_no_missed_errors(judgments: Path) -> None:
    rows = rows_of(judgments, by="type")
    found = {kind: (row["right"], row["edits"], row["missed"]) for (_, kind), row in rows.items()}
    assert (found["NOUN"], found["DET"]) == ((2, 2, None), (0, 1, None))
    assert [rows["a", "VERB"]["precision"], rows["b", "VERB"]["precision"]] == [0, 1]


def test_errors_marked_in_the_output_are_missed_by_type(judgments: Path, tmp_path: Path) -> None:
    left = tmp_path / "left.m2"
    line = "A 0 1|||R:VERB|||x|||REQUIRED|||-NONE-|||"
    none = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
    left.write_text(f"S a b\n{line}0\n{line}1\n\nS c\n{none}\n\n", encoding="utf-8")
    rows = rows_of(judgments, by="type", marked={"b": left})
    # b's edits were judged 3/2 times on average; the verb is missed by both annotators
    assert rows["b", None]["missed"] == rows["b", "VERB"]["missed"] == 1.5
    assert rows["b", "VERB"]["recall"] == 1 / 2.5


def test_intervals_resample_sentences(judgments: Path) -> None:
    (row,) = (r for r in redink.validity(judgments, bootstrap=500).rows if r["system"] == "a")
    # sentence 0 alone has precision 1, sentence 1 alone has precision 0
    assert (row["precision_low"], row["precision_high"]) == (0, 1)


def test_rank_orders_the_outputs_by_their_problems(judgments: Path) -> None:
    table = redink.rank(judgments, bootstrap=40)
    assert [(row["system"], row["score"]) for row in table.rows] == [("b", 1), ("a", 0)]
    # tied with a on sentence 0 by both judges; better on sentence 1, where only alma judged
    assert [(row["wins"], row["ties"]) for row in table.rows] == [(1, 2), (0, 2)]


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ("s0.e1,alma,maybe,edit,0,a,,\n", OptionError, "--ok"),
        ("s0,alma,ok,grammar,0,a,,\n", DataError, "judgments of items; expected rankings"),
        ("s0.e1,alma,right,edit,0,,,\n", DataError, "names no system"),
    ],
)
def test_judgments_that_cannot_be_used(
    tmp_path: Path, rows: str, error: type[Exception], message: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(HEAD + rows, encoding="utf-8")
    with pytest.raises(error, match=message):
        redink.validity(path) if error is OptionError else redink.rank(path)


@pytest.mark.filterwarnings("ignore::redink.RedinkWarning")
def test_human_precision_of_the_systems_of_seeda(shared: Path) -> None:
    """Count the marks of the files with a plain script, for outputs that occur word for word."""
    folder = shared / "data" / "seeda"
    if not folder.exists():
        pytest.skip("the data of SEEDA is not here")
    outputs = {p.stem: p for p in sorted((folder / "outputs" / "subset").glob("*.txt"))}
    names: dict[str, list[str]] = {}
    for name, path in outputs.items():
        for line in set(path.read_text(encoding="utf-8").splitlines()):
            names.setdefault(" ".join(line.split()), []).append(name)
    counts: Counter[tuple[str, str]] = Counter()
    for file in sorted((folder / "edit-evaluation").rglob("*.txt")):
        for text in re.findall(r"<s\d+>(.*)</s\d+>", file.read_text(encoding="utf-8")):
            if (
                re.search(r"\][ |]", text.replace("] ", "").replace("]|", "| |")) is None
                and "] |" not in text
            ):
                marks = re.findall(r"\[([^\[\]→]*)→([^\[\]|]*)\|(True|False)\]", text)
                plain = re.sub(r"\[[^\[\]→]*→([^\[\]|]*)\|(?:True|False)\]", r" \1 ", text)
                for name in names.get(" ".join(plain.split()), ()):
                    counts.update((name, right) for _, _, right in marks)
    rows = rows_of(folder / "edit-evaluation", systems=outputs)
    assert len(rows) == 15
    for (name, _), row in rows.items():
        if name != "INPUT":
            right, wrong = counts[name, "True"], counts[name, "False"]
            assert row["precision"] == pytest.approx(right / (right + wrong), abs=0.01)


def test_a_table_without_systems_has_one_row(shared: Path, tmp_path: Path) -> None:
    import gzip
    import json

    data = shared / "data" / "edit-validity" / "edits.jsonl.gz"
    if not data.exists():
        pytest.skip("the judged edits are not here")
    path = tmp_path / "edits.csv"
    with gzip.open(data, "rt", encoding="utf-8") as lines, path.open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["item", "judge", "label", "group"])
        for one in map(json.loads, lines):
            table.writerow([one["id"], "people", ("invalid", "valid")[one["valid"]], one["group"]])
    row = redink.validity(path, ok=["valid"], unit="group").rows[0]
    assert (row["right"], row["edits"]) == (720, 1354)
    assert row["precision_low"] < 720 / 1354 < row["precision_high"]
