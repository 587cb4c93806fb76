"""The cases of a system: what it says of each item."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.errors import FormatError
from redink.inputs.judgment_loading import load_cases, word_cases
from redink.model import Detection, Judgment

TWO = (Judgment("p1", "S", "error"), Judgment("p2", "S", "ok"))


def file(folder: Path, text: str) -> Path:
    (folder / "cases").write_text(text, encoding="utf-8")
    return folder / "cases"


@pytest.mark.parametrize(
    "text",
    [
        "item,label\np1,error\np2,ok\n",
        "Item\tLabel\np1\terror\np2\tok\n",
        "item,judge,label\np1,S,error\np2,,ok\n",
        '{"item": "p1", "label": "error"}\n\n{"item": "p2", "label": "ok", "judge": null}\n',
        '{"Item": "p1", "label": "error"}\n{"item": "p2", "label": "ok", "x": ""}\n',
    ],
)
def test_item_and_label_are_enough(text: str, tmp_path: Path) -> None:
    assert load_cases(file(tmp_path, text), name="S") == TWO


def test_values(tmp_path: Path) -> None:
    assert load_cases({"p1": "error", "p2": "ok"}, name="S") == TWO
    assert load_cases(iter(TWO)) == TWO
    gug = (
        "Id\tSentence\tExpert Judgement\tCrowd Flower Judgements\tAverage\tDataset\n"
        "1\tFor not use car.\t1\t[3]\t3.0\ttest\n"
    )
    assert [case.judge for case in load_cases(file(tmp_path, gug))] == ["expert", "crowd1"]


def test_other_columns_are_kept(tmp_path: Path) -> None:
    """Text and place go along, in lower case; gold is the truth; empty cells say nothing."""
    table = "item,label,gold,Text,start,extra\np1,error,ok,They came,1,x\np2,ok,,,0,\n"
    assert load_cases(file(tmp_path, table)) == (
        Judgment(
            "p1",
            "system",
            "error",
            "ok",
            extra=(("text", "They came"), ("start", "1"), ("extra", "x")),
        ),
        Judgment("p2", "system", "ok", extra=(("start", "0"),)),
    )


def test_json_as_redink_writes_it(tmp_path: Path) -> None:
    text = '{"item": 1, "label": "ok", "start": 2, "list": [1], "extra": {"text": "It is"}}\n'
    extra = (("start", "2"), ("list", "['1']"), ("text", "It is"))
    assert load_cases(file(tmp_path, text)) == (Judgment("1", "system", "ok", extra=extra),)


def test_words_of_flagged_sentences() -> None:
    flagged = [Detection(("It", "rain"), (False, True)), Detection(("So",), (False,))]
    assert list(word_cases(flagged, name="S")) == [
        Judgment("s1t0", "S", "ok", extra=(("text", "It rain"), ("start", "0"), ("end", "1"))),
        Judgment("s1t1", "S", "error", extra=(("text", "It rain"), ("start", "1"), ("end", "2"))),
        Judgment(
            "s2t0",
            "S",
            "ok",
            extra=(("text", "So"), ("start", "0"), ("end", "1"), ("before", "It rain")),
        ),
    ]


def test_flags_in_a_file(tmp_path: Path) -> None:
    """GED TSV and its JSON lines are cases as well."""
    words = [("s1t0", "ok"), ("s1t1", "error")]
    for text in ("It\tc\nrain\ti\n", '{"tokens": ["It", "rain"], "flags": [false, true]}\n'):
        assert [(case.item, case.label) for case in load_cases(file(tmp_path, text))] == words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"item": "a", "label": "ok"}\n{"item": "b"}\n', "cases:2: the column 'label' is empty"),
        ('{"item": "a", "label": "ok"}\n[1]\n', "cases:2: expected a JSON object"),
        ("item,label\n", "cases: contains no cases; expected items with labels"),
        ("They came .\n", r"cases: contains corpus \(text\); expected a table with the columns"),
    ],
)
def test_what_cannot_be_cases(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message):
        load_cases(file(tmp_path, text))
