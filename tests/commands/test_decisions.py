"""What a system says of items, read from whatever it comes in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from redink.errors import DataError, FormatError
from redink.inputs.judgment_loading import load_cases
from redink.judging.crowdsourcing import find_systems, load_decisions
from redink.model import Judgment

GED = "They\tc\ncame\tc\nto\ti\n\nIt\tc\nrain\ti\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "item,label\np1,error\np2,ok\n"),
        ("b.tsv", "Item\tLabel\tscore\np1\terror\t0.9\np2\tok\t0.1\n"),
        ("c.csv", "item,judge,label\np1,sys,error\np2,sys,ok\n"),
        ("d.jsonl", '{"item": "p1", "label": "error"}\n\n{"item": "p2", "label": "ok"}\n'),
    ],
)
def test_tables_with_and_without_a_judge(name: str, text: str, tmp_path: Path) -> None:
    decisions = load_decisions(write(tmp_path, name, text), name="S")
    assert dict(decisions.labels) == {"p1": "error", "p2": "ok"}


def test_further_columns_are_kept_for_the_rater(tmp_path: Path) -> None:
    path = write(tmp_path, "c.csv", "item,label,gold,text,start\np1,error,ok,They came,1\n")
    assert load_cases(path) == (
        Judgment("p1", "system", "error", "ok", extra=(("text", "They came"), ("start", "1"))),
    )


def test_words_have_names(tmp_path: Path) -> None:
    decisions = load_decisions(write(tmp_path, "s.ged.tsv", GED), name="S")
    assert decisions.label("s1t2") == decisions.label("s01t02") == "error"
    assert decisions.label("s2t0") == "ok"
    assert decisions.label("s3t0") is None


def test_labels_become_flags() -> None:
    decisions = load_decisions({"a": "wrong", "b": "OK", "c": "Error", "d": "2"}, name="S")
    flags, says = decisions.flags("abcx", fine=["fine"], known=["wrong", "fine"])
    assert flags.tolist() == [True, False, True, False]
    assert np.isnan(says).tolist() == [False, False, False, True]
    with pytest.raises(DataError, match="unknown label '2' of system 'S' for item 'd'"):
        decisions.flags("d", fine=["fine"], known=["wrong", "fine"])


def test_a_judge_s_label_means_what_it_means_there() -> None:
    decisions = load_decisions({"a": "good"}, name="S")
    flags, _ = decisions.flags("a", fine=["perfect"], known=["perfect", "good"])
    assert flags.tolist() == [True]


def test_systems_by_judge_name_path_and_merge(tmp_path: Path) -> None:
    path = write(tmp_path, "lm.csv", "item,label\np1,correct\n")
    found = find_systems(
        ["R1", f"mine={path}", str(path)], [Judgment("p1", "R1", "ok")], merge={"ok": ["correct"]}
    )
    assert [(s.name, s.label("p1")) for s in found] == [("R1", "ok"), ("mine", "ok"), ("lm", "ok")]
    with pytest.raises(DataError, match="two systems have the name 'lm'"):
        find_systems([str(path), str(path)], [])


@pytest.mark.parametrize(
    ("name", "text", "error", "words"),
    [
        ("a.csv", "item,label\n", FormatError, "contains no cases"),
        ("a.csv", "item,label\np1,ok\np1,error\n", DataError, "two different labels for item 'p1'"),
        ("a.csv", "item,judge,label\np1,x,ok\np1,y,ok\n", DataError, "a file with 2 judges"),
    ],
)
def test_what_cannot_be_decisions_gets_words(
    name: str, text: str, error: type[Exception], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        load_decisions(write(tmp_path, name, text), name="S")


def test_one_judge_of_a_file_with_several(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "item,judge,label\np1,x,ok\np1,y,error\n")
    assert load_decisions(path, name="y").label("p1") == "error"
