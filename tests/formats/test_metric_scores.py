"""Scores of metrics, from the JSON of ``redink score`` to the simplest of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redink.errors import FormatError
from redink.formats.metric_scores import metric_name, read_sentence_scores, read_system_scores
from redink.model import SentenceScore, SystemScore


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
    assert metric_name(file) == name


def test_lines_of_system_and_score(tmp_path: Path) -> None:
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
        ('{"rows": [{"system": "A"}]}', "the system or the metric is missing from a row"),
        ('{"rows": [{"system": "A", "metric": "m", "f": "high"}]}', "expected a number for f"),
        ('{"rows": []}', "contains no score"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str, tmp_path: Path) -> None:
    path = write(tmp_path / "scores.x", text)
    with pytest.raises(FormatError, match=r"scores\.x") as caught:
        read_system_scores(path)
    assert said in str(caught.value)


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
    with pytest.raises(FormatError, match=r"bad\.jsonl:1: system is missing from a sentence score"):
        list(read_sentence_scores(bad))


def test_a_wide_table_has_a_column_a_metric(tmp_path: Path) -> None:
    wide = tmp_path / "outside.csv"
    wide.write_text("system,SOME,IMPARA\nA,0.8,5.1\nB,0.7,\n")
    assert read_system_scores(wide) == (
        SystemScore("A", "SOME", 0.8),
        SystemScore("A", "IMPARA", 5.1),
        SystemScore("B", "SOME", 0.7),
    )
    plain = tmp_path / "m2.csv"
    plain.write_text("system,f,precision,recall\nA,0.5,0.6,0.4\n")
    assert read_system_scores(plain) == (SystemScore("A", "m2", 0.5, 0.6, 0.4),)
    wide.write_text("system,SOME\nA,good\n")
    with pytest.raises(FormatError, match=r"\.csv:2: expected a number for SOME"):
        read_system_scores(wide)


def test_scores_by_name_in_json(tmp_path: Path) -> None:
    path = tmp_path / "EW.json"
    path.write_text('{"A": 0.5, "B": 1}')
    assert read_system_scores(path) == (SystemScore("A", "EW", 0.5), SystemScore("B", "EW", 1.0))
    path.write_text('{"EW": {"A": 0.5}, "TS": {"A": -1}}')
    assert read_system_scores(path) == (SystemScore("A", "EW", 0.5), SystemScore("A", "TS", -1.0))


def test_sentence_scores_of_outside_metrics(tmp_path: Path) -> None:
    folder = tmp_path / "SOME"
    folder.mkdir()
    (folder / "GPT-3.5.txt").write_text("0.5\nNone\n")
    (folder / "B.txt").write_text("0.1\n0.2\n")
    expected = [
        SentenceScore("1", "B", "SOME", 0.1),
        SentenceScore("2", "B", "SOME", 0.2),
        SentenceScore("1", "GPT-3.5", "SOME", 0.5),
    ]
    assert list(read_sentence_scores(folder)) == expected
    assert list(read_sentence_scores(tmp_path)) == expected
    assert {s.metric for s in read_sentence_scores(folder, name="other")} == {"other"}
    wide = tmp_path / "IMPARA.csv"
    wide.write_text("sentence,A,B\n7,1,2\n8,,4\n")
    assert list(read_sentence_scores(wide)) == [
        SentenceScore("7", "A", "IMPARA", 1.0),
        SentenceScore("7", "B", "IMPARA", 2.0),
        SentenceScore("8", "B", "IMPARA", 4.0),
    ]
    wide.write_text("sentence,system,score\n7,A,1\n")
    assert list(read_sentence_scores(wide, name="m")) == [SentenceScore("7", "A", "m", 1.0)]


def test_bad_folders_of_sentence_scores(tmp_path: Path) -> None:
    (tmp_path / "A.txt").write_text("1\n2\n")
    (tmp_path / "B.txt").write_text("1\n")
    with pytest.raises(FormatError, match=r"has 1 lines, .* has 2"):
        list(read_sentence_scores(tmp_path))
    (tmp_path / "B.txt").write_text("1\nx\n")
    with pytest.raises(FormatError, match=r"B\.txt:2: expected a number"):
        list(read_sentence_scores(tmp_path))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(FormatError, match="without a score file"):
        list(read_sentence_scores(empty))


def test_a_tab_in_a_table_with_commas(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,my\tmetric\nA,0.5\n", encoding="utf-8")
    assert [(s.system, s.score) for s in read_system_scores(path)] == [("A", 0.5)]
