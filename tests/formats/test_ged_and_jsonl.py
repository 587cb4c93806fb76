"""GED TSV, and our own JSON lines."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from redink.errors import FormatError, RedinkWarning
from redink.formats import get_format
from redink.formats.ged_tsv import read_ged_tsv
from redink.inputs import read_values
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Detection,
    Edit,
    ParallelSentence,
    Sentence,
)


def ged(path: Path, text: str) -> list[Detection]:
    path.write_text(text, encoding="utf-8")
    return list(read_ged_tsv(path))


def test_flags(tmp_path: Path) -> None:
    """``c`` is correct and ``i`` incorrect; blank lines, however many, end a sentence."""
    assert ged(tmp_path / "f", "\nThis\tc\nare\ti\n\n\nFine\tc") == [
        Detection(("This", "are"), (False, True)),
        Detection(("Fine",), (False,)),
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a\n", 1, "found 1 columns"),
        ("a\tc\t0.1\tx\n", 1, "found 4 columns"),
        ("a\tx\n", 1, "expected c (correct) or i (incorrect), found 'x'"),
        ("\tc\n", 1, "the token is missing"),
        ("a\tc\t1.5\n", 1, "expected a probability between 0 and 1, found '1.5'"),
        ("a\tc\tnan\n", 1, "expected a probability between 0 and 1, found 'nan'"),
        ("a\tc\t-0.1\n", 1, "expected a probability between 0 and 1"),
        ("a\tc\t0.5\nb\ti\n", 2, "either all tokens of a sentence need a probability, or none"),
        ("a\tc\nb\ti\t0.5\n", 2, "either all tokens of a sentence need a probability, or none"),
        ("\n\n", None, "contains no tokens"),
    ],
)
def test_bad_ged(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        ged(tmp_path / "f", text)
    assert caught.value.line == line
    assert message in str(caught.value)


def test_defaults_are_not_written() -> None:
    stream = io.StringIO()
    value = AnnotatedSentence(Sentence(("a",)), (Annotation("0", (Edit(0, 1, "b", "T"),)),))
    get_format("jsonl", kind="corpus").write([value], stream)
    assert stream.getvalue() == (
        '{"tokens": ["a"], "annotations": [{"annotator": "0", "edits": '
        '[{"start": 0, "end": 1, "correction": "b", "type": "T"}]}]}\n'
    )


def test_strings_are_sentences_too(tmp_path: Path) -> None:
    (tmp_path / "f").write_text('{"source": "a b", "corrected": "a c"}\n')
    _, values = read_values(tmp_path / "f")
    assert list(values) == [ParallelSentence(Sentence(("a", "b")), (Sentence(("a", "c")),))]


def test_unknown_keys_are_counted(tmp_path: Path) -> None:
    (tmp_path / "f").write_text('{"tokens": ["a"], "mood": 1}\n{"tokens": [], "mood": 2}\n')
    with pytest.warns(RedinkWarning, match=r"unknown keys were ignored: 'mood' \(2\)"):
        list(read_values(tmp_path / "f")[1])


def with_edit(edit: str) -> str:
    return f'{{"tokens": ["a"], "annotations": [{{"annotator": "0", "edits": [{edit}]}}]}}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"tokens": ["a"]', "is not JSON: "),
        ('["a"]', "expected a JSON object, found"),
        ('{"tokens": "a"}', "expected a list of strings for 'tokens', found 'a'"),
        ('{"tokens": [1]}', "expected a list of strings for 'tokens'"),
        ('{"tokens": ["a"], "tokens": []}', "the key 'tokens' occurs twice"),
        ('{"tokens": ["\\ud800"]}', "half of a surrogate pair"),
        ('{"tokens": [], "x": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"tokens": [], "x": ' + "9" * 5000 + "}", "too many digits"),
        ('{"tokens": [], "x": NaN}', "NaN is not a JSON number"),
        ('{"tokens": [], "x": 1e999}', "the number 1e999 is too large"),
        ('{"tokens": ["a"], "offsets": [[0, 1]]}', "needs the text they refer to"),
        ('{"tokens": ["a"], "text": "a", "offsets": [[0, true]]}', "expected two whole numbers"),
        ('{"tokens": ["a"], "annotations": [{"edits": []}]}', "expected a string for 'annotator'"),
        (with_edit("{}"), "expected a whole number for 'start', found nothing"),
        (
            with_edit('{"start": 0, "end": 2, "correction": ""}'),
            "the span 0 2 does not fit a sentence of 1 tokens",
        ),
        (
            with_edit('{"start": 1, "end": 0, "correction": ""}'),
            "invalid span 1:0",
        ),
        (
            with_edit("").replace("[{", '[{"annotator": "0", "edits": []}, {', 1),
            "an annotator occurs twice for one sentence",
        ),
    ],
)
def test_bad_json_lines(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "f.jsonl").write_text('{"tokens": ["fine"]}\n' + line + "\n")
    with pytest.raises(FormatError) as caught:
        list(get_format("jsonl", kind="corpus").read(tmp_path / "f.jsonl"))
    assert caught.value.line == 2
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "line",
    [
        '{"tokens": ["a"], "flags": [1]}',
        '{"tokens": ["a"], "flags": []}',
        '{"tokens": ["a"], "flags": [true], "probabilities": [2]}',
        '{"tokens": ["a"], "flags": [true], "probabilities": 1}',
        '{"sentence": "1", "judge": "a", "outputs": [{"rank": "1", "systems": ["x"]}]}',
        '{"sentence": "1", "judge": "a", "outputs": [{"rank": 1, "systems": []}]}',
        '{"sentence": "1", "judge": "a", "outputs": [{"rank": 1, "systems": ["x", "x"]}]}',
        '{"sentence": "1", "judge": "a", "outputs": [], "duration": -1}',
        '{"sentence": "1", "judge": "a", "outputs": [], "extra": {"a": 1}}',
        '{"item": [1], "judge": "a", "label": "b"}',
        '{"source": 1, "corrected": []}',
    ],
)
def test_bad_values_of_the_other_kinds(tmp_path: Path, line: str) -> None:
    (tmp_path / "f").write_text(f"{line}\n")
    with pytest.raises(FormatError, match=r"f:1: "):
        list(read_values(tmp_path / "f")[1])
