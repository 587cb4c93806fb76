"""Plain text, and text in parallel."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path

import pytest

from redink.analysis.english.tokenizer import english_tokens
from redink.errors import DataError, FormatError, RedinkWarning
from redink.formats.plain_text import (
    read_parallel,
    read_parallel_files,
    read_text_lines,
    write_parallel,
    write_text_lines,
)
from redink.inputs.input_options import ColumnOptions
from redink.inputs.parallel_text import find_pairs, layout_of, read_rows
from redink.inputs.reading import read_corpus, read_values
from redink.inputs.text_loading import read_system
from redink.model import AnnotatedSentence, Annotation, ParallelSentence, Sentence

RAW = "First, we went home. \nThen, of course, we slept!\nWhy not?\n"


def test_a_line_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a b .\n\nc\n")
    found = [s.source.tokens for s in read_text_lines(tmp_path / "f")]
    assert found == [("a", "b", "."), (), ("c",)]


def test_text_that_looks_raw_is_warned_about(tmp_path: Path) -> None:
    """Tokenized input is never re-tokenized, so someone must say when it is not tokenized."""
    (tmp_path / "f").write_text(RAW)
    with pytest.warns(RedinkWarning, match=r"seems untokenized: .* 6 marks"):
        found = read_corpus(tmp_path / "f").sentences
    assert found[0].source.tokens == ("First,", "we", "went", "home.")


def test_tokenized_text_is_not_warned_about(tmp_path: Path, shared: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        for name in ("conll14/source.txt", "jfleg/dev.src", "jfleg/test.ref1", "text/masc.txt.gz"):
            assert read_corpus(shared / "data" / name)


def test_raw_text_can_be_tokenized(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("We don't go\u00a0home,  etc.\n")
    found = next(read_text_lines(tmp_path / "f", tokenize=english_tokens)).source
    assert found.tokens == ("We", "do", "n't", "go", "home", ",", "etc", ".")
    assert found.text == "We don't go\u00a0home,  etc."
    assert [found.text[a:b] for a, b in found.offsets or ()] == list(found.tokens)
    text = "We don't go\u00a0home,  etc."
    assert Sentence.from_text(text, english_tokens(text)) == found


def test_text_says_what_it_leaves_out() -> None:
    sentence = AnnotatedSentence(Sentence(("a",), id="1"), (Annotation("0"),))
    with pytest.warns(
        RedinkWarning, match="plain text cannot represent it: annotations: 1; sentence"
    ):
        write_text_lines([sentence], io.StringIO())


@pytest.mark.filterwarnings("ignore:.*unknown columns were ignored. id")
@pytest.mark.parametrize(
    "text",
    [
        "source\tcorrected\na b\tc d\n",
        "source,corrected\na b,c d\n",
        '\ufeffid;Source;Corrected\r\n1;"a b";c d\r\n',
    ],
)
def test_columns_with_names(text: str, tmp_path: Path) -> None:
    """Names are not a sentence, whatever separates them: for every command, and annotate."""
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    row = ParallelSentence(Sentence(("a", "b")), (Sentence(("c", "d")),))
    assert list(read_values(path)[1]) == [row]
    assert layout_of(path, "source") == "table"


@pytest.mark.filterwarnings("ignore:.*holds raw text")
@pytest.mark.parametrize("name", ["corrected", "Prediction", "output", "hypothesis", "target"])
@pytest.mark.parametrize("source", ["source", "Input"])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_the_same_names_in_every_form(source: str, name: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{form}"
    if form == "jsonl":
        path.write_text(json.dumps({source.lower(): "a b", name.lower(): "c d"}) + "\n")
    else:
        comma = "," if form == "csv" else "\t"
        path.write_text(f"{source}{comma}{name}\na b{comma}c d\n")
    assert list(read_rows(find_pairs(path, [], ColumnOptions()))) == [("a b", "c d")]
    assert [str(text) for text in read_system(path).hypotheses or ()] == ["c d"]


def test_columns_must_be_equal_in_number(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\tb\nc\n")
    with pytest.raises(FormatError, match=r"f:2: expected 2 columns separated by tabs, found 1"):
        list(read_parallel(tmp_path / "f"))


def test_columns_cannot_vary() -> None:
    a = Sentence(("a",))
    with pytest.raises(DataError, match="expected 2 corrected versions of sentence 2"):
        write_parallel([ParallelSentence(a, (a, a)), ParallelSentence(a, (a,))], io.StringIO())
    with pytest.raises(DataError, match="expected 1 corrected versions of sentence 1"):
        write_parallel([ParallelSentence(a, ())], io.StringIO())


def test_files(tmp_path: Path) -> None:
    for name, text in (("s", "a b\nc\n"), ("x", "a\nc\n"), ("y", "b\r\n\r\n")):
        (tmp_path / name).write_text(text, newline="")
    found = list(read_parallel_files(tmp_path / "s", [tmp_path / "x", tmp_path / "y"]))
    assert found[1] == ParallelSentence(Sentence(("c",)), (Sentence(("c",)), Sentence(())))


def test_empty_source(tmp_path: Path) -> None:
    for name in ("s", "x"):
        (tmp_path / name).write_text("")
    with pytest.raises(FormatError, match="s: is empty"):
        list(read_parallel_files(tmp_path / "s", [tmp_path / "x"]))
