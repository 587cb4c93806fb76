"""JSON files that hold one list: of strings, or of what JSON lines have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import FormatError
from redink.formats import detect_format
from redink.formats.metric_scores import read_sentence_scores, read_system_scores
from redink.inputs import read_corpus, read_values
from redink.inputs.input_options import AlignmentOptions, ColumnOptions
from redink.inputs.parallel_text import find_pairs, mark_rows, read_rows
from redink.inputs.text_loading import load_systems, load_texts, read_system
from redink.model import Sentence

TEXTS = ["This is wrong .", "", 'It is " fine " .']


def file(folder: Path, text: str, name: str = "list.json") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("indent", [None, 1])
def test_a_list_of_strings_is_text(indent: int | None, tmp_path: Path) -> None:
    path = file(tmp_path, json.dumps(TEXTS, indent=indent), "mine")
    expected = tuple(Sentence.from_line(text) for text in TEXTS)
    assert read_system(path).hypotheses == expected
    assert load_texts(path) == expected
    assert tuple(sentence.source for sentence in read_corpus(path).sentences) == expected


LISTS: list[tuple[str, list[Any]]] = [
    ("jsonl", [{"tokens": ["I", "has"], "annotations": []}, {"tokens": []}]),
    ("jsonl", [{"tokens": ["I", "has"], "flags": [False, True]}]),
    ("jsonl", [{"source": "I has", "output": "I have"}, {"source": "a", "output": "b"}]),
    (
        "jsonl",
        [{"item": 1, "judge": "a", "label": 3.50}, {"item": "2", "judge": "b", "label": "x"}],
    ),
    ("documents", [{"id": "a", "text": "I has a cat."}, {"id": "b", "text": "Fine."}]),
]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(("name", "values"), LISTS)
def test_a_list_of_objects_is_json_lines(
    name: str, values: list[Any], indent: int | None, tmp_path: Path
) -> None:
    lines = file(tmp_path, "".join(f"{json.dumps(value)}\n" for value in values), "lines")
    listed = file(tmp_path, json.dumps(values, indent=indent), "listed")
    assert detect_format(listed) is detect_format(lines)
    assert detect_format(listed).name == name
    assert list(read_values(listed)[1]) == list(read_values(lines)[1])


def test_a_long_first_object(tmp_path: Path) -> None:
    path = file(tmp_path, json.dumps([{"tokens": ["a"] * 99, "annotations": []}], indent=1))
    assert len(read_corpus(path).sentences[0].source) == 99


def test_scores_in_a_list(tmp_path: Path) -> None:
    path = file(tmp_path, '[{"system": "A", "metric": "m", "score": 0.5}]')
    assert read_system_scores(path)[0].score == 0.5
    path = file(tmp_path, '[{"sentence": 1, "system": "A", "metric": "m", "score": 0.5}]')
    assert next(iter(read_sentence_scores(path))).score == 0.5


def test_answers_in_a_list_are_aligned(tmp_path: Path) -> None:
    answers = ["**This is wrong.**", "Corrected: It's fine\nhere."]
    sources = [Sentence.from_line("This are wrong ."), Sentence.from_line("It 's fine here .")]
    (found,) = load_systems(
        [file(tmp_path, json.dumps(answers))], sources, AlignmentOptions(align=True)
    )
    assert [str(text) for text in found.hypotheses or ()] == [
        "This is wrong .",
        "It 's fine here .",
    ]


def test_annotate_reads_lists(tmp_path: Path) -> None:
    source, right = ["This are .", "I has ."], ["This is .", "I\nhave ."]
    pairs = [
        {"source": a, "corrected": b.replace("\n", " ")} for a, b in zip(source, right, strict=True)
    ]
    first = file(tmp_path, json.dumps(source, indent=1), "s.json")
    second = file(tmp_path, json.dumps([{"tokens": text.split()} for text in right]), "r.json")
    third = file(tmp_path, json.dumps(right), "t.json")
    expected = [("This are .", "This is ."), ("I has .", "I have .")]
    for found in (
        find_pairs(first, [second], ColumnOptions()),
        find_pairs(first, [third], ColumnOptions()),
        find_pairs(file(tmp_path, json.dumps(pairs)), [], ColumnOptions()),
    ):
        assert list(read_rows(found)) == expected
        parts, total = mark_rows(found, every=1)
        assert total == 2
        assert [row for part in parts for row in read_rows(found, part)] == expected


@pytest.mark.parametrize(
    "text", ['[ " No " , he said ] .\n', "[ 1 ] So it is .\n", '["No"] he said\n', "[ { x } ] .\n"]
)
def test_text_that_begins_like_a_list(text: str, tmp_path: Path) -> None:
    path = file(tmp_path, text, "mine.txt")
    assert [str(text) for text in load_texts(path)] == [text.strip()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "is empty; expected sentences"),
        ('["a", "b", 3]', r":3: expected a string in the list, found 3"),
        ('["a",\n"b",\nnull]', r":3: expected a string in the list, found null"),
        ('["a",\n"b"', r":2: is not JSON: expected a comma or the end of the list"),
        ('["a", "b"] x', r":1: is not JSON: there is text after its list"),
        ('["a",\n"b",\n]', r":3: is not JSON: Expecting value"),
        ('["a", "\\ud800"]', r":2: a string contains half of a surrogate pair"),
        ('[{"tokens": ["a"]},\n{"tokens": [1]}]', r":2: expected a list of strings for 'tokens'"),
        ('[{"tokens": ["a"]}, {"tokens": [1]}]', r":2: expected a list of strings for 'tokens'"),
        ('[{"tokens": ["a"]},\n{"tokens": [}]', r":2: is not JSON: Expecting value"),
        ('[{"tokens": ["a"]}, "b"]', r':2: expected a JSON object in the list, found "b"'),
        ('[{"tokens": ["a"], "tokens": []}]', r":1: the key 'tokens' occurs twice"),
    ],
)
def test_lists_that_are_wrong(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message):
        read_system(file(tmp_path, text))


def test_a_list_is_written_on_request(tmp_path: Path) -> None:
    path = file(tmp_path, "This is \u201cit\u201d .\nFine .\n", "a.txt")
    redink.convert(path, tmp_path / "out.json", to_format="json")
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == [
        "This is \u201cit\u201d .",
        "Fine .",
    ]
