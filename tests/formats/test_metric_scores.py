"""Scores of metrics, from the JSON of ``redink score`` to the simplest of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redink.errors import FormatError
from redink.formats.metric_scores import (
    metric_name,
    read_sentence_scores,
    read_system_scores,
)
from redink.model.scores import SentenceScore, SystemScore
from redink.reports.tables import to_csv, to_json, to_tsv
from redink.workflows.score import score


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("scores.m2", "m2"),
        ("scores.m2.0", "m2.0"),
        ("gleu.txt", "gleu"),
        ("bleu", "bleu"),
        ("a/scores-errant.tsv", "errant"),
        ("scores.txt", "scores"),
        ("conll.scores", "conll"),
    ],
)
def test_file_names_the_metric(file: str, name: str) -> None:
    """By its suffix or its stem."""
    assert metric_name(file) == name


def test_lines_of_system_and_score(tmp_path: Path) -> None:
    """Blank lines and comments are passed over; F comes with precision and recall."""
    path = write(tmp_path / "scores.m2", "# system F P R\nAMU 0.351 0.4147 0.2174\n\nUFC 0 1 0\n")
    assert read_system_scores(path) == (
        SystemScore("AMU", "m2", 0.351, 0.4147, 0.2174),
        SystemScore("UFC", "m2", 0.0, 1.0, 0.0),
    )
    plain = write(tmp_path / "bleu.txt", "AMU\t83.42\nUFC 86.82\n")
    assert read_system_scores(plain, name="BLEU")[1] == SystemScore("UFC", "BLEU", 86.82)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("AMU\n", ":1: expected a system and its score"),
        ("AMU 1\nUFC x\n", ":2: expected a number, found 'x'"),
        ("AMU nan\n", "expected a number, found 'nan'"),
        ("AMU 1\nAMU 2\n", "'AMU' has two scores"),
        ("{", "is not JSON"),
        ("{}", "expected the JSON of redink score"),
        ('{"rows": [{"system": "A"}]}', "a row needs system and metric"),
        ('{"rows": [{"system": "A", "metric": "m", "f": "high"}]}', "expected a number for f"),
        ('{"rows": []}', "holds no score"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str, tmp_path: Path) -> None:
    """One sentence with the file, and the line where there is one."""
    path = write(tmp_path / "scores.x", text)
    with pytest.raises(FormatError, match=r"scores\.x") as caught:
        read_system_scores(path)
    assert said in str(caught.value)


def test_scores_of_redink_in_every_form(tmp_path: Path) -> None:
    """JSON, CSV and TSV of one table say the same."""
    gold = write(
        tmp_path / "gold.m2",
        "S This are wrong .\nA 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0\n",
    )
    system = write(tmp_path / "sys.txt", "This is wrong .\n")
    table = score(gold, {"mine": system}, metrics=["m2"])
    by_form = [
        read_system_scores(write(tmp_path / f"s.{form}", render(table)))
        for form, render in (("json", to_json), ("csv", to_csv), ("tsv", to_tsv))
    ]
    assert by_form[0] == by_form[1] == by_form[2]
    assert by_form[0] == (SystemScore("mine", "m2", 1.0, 1.0, 1.0),)


def test_counts_stand_in_for_precision_and_recall(tmp_path: Path) -> None:
    """Levels of a metric are metrics of their own; single types, and undefined, are left out."""
    rows = [
        {"system": "A", "metric": "errant", "type": "R:PREP", "tp": 1, "fp": 0, "fn": 0, "f": 1.0},
        {"system": "A", "metric": "errant", "type": None, "tp": 1, "fp": 3, "fn": 1, "f": 0.3},
        {"system": "A", "metric": "imeasure", "level": "correction", "score": -0.1},
        {"system": "A", "metric": "gleu", "score": None},
    ]
    path = write(tmp_path / "s.json", json.dumps({"rows": rows}))
    assert read_system_scores(path) == (
        SystemScore("A", "errant", 0.3, 0.25, 0.5),
        SystemScore("A", "imeasure correction", -0.1),
    )


def test_a_name_for_several_metrics(tmp_path: Path) -> None:
    """``NAME=PATH`` tells the metrics of two files apart."""
    rows = [{"system": "A", "metric": m, "score": 0.5} for m in ("gleu", "bleu")]
    path = write(tmp_path / "s.json", json.dumps({"rows": rows}))
    assert [s.metric for s in read_system_scores(path, name="first")] == [
        "first gleu",
        "first bleu",
    ]


def test_sentence_scores(tmp_path: Path) -> None:
    """Numbers of sentences become names; undefined scores are passed over."""
    path = write(
        tmp_path / "s.jsonl",
        '{"sentence": 1, "system": "A", "metric": "m2", "f": 0.5, "edits": []}\n'
        '{"sentence": "x", "system": "A", "metric": "gleu", "score": 0.25}\n'
        '{"sentence": 3, "system": "A", "metric": "gleu", "score": null}\n',
    )
    assert list(read_sentence_scores(path)) == [
        SentenceScore("1", "A", "m2", 0.5),
        SentenceScore("x", "A", "gleu", 0.25),
    ]
    bad = write(tmp_path / "bad.jsonl", '{"sentence": 1, "metric": "m", "score": 1}\n')
    with pytest.raises(FormatError, match=r"bad\.jsonl:1: a sentence score needs system"):
        list(read_sentence_scores(bad))
