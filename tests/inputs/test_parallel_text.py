"""Pairs of sentences from parallel files and from columns, all of them or a part."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from redink.errors import FormatError
from redink.files import mark_lines, read_lines, write_atomically
from redink.inputs.parallel_text import ParallelFiles, layout_of, mark_rows, read_rows

ROWS = [(f"source {n} é .", f"corrected {n} .") for n in range(23)]


def write_all(folder: Path) -> dict[str, ParallelFiles]:
    sides = [[row[side] for row in ROWS] for side in (0, 1)]
    texts = ["".join(f"{line}\n" for line in side).encode() for side in sides]
    found = {}
    for name, pack in (
        ("txt", bytes),
        ("gz", gzip.compress),
        ("zst", zstandard.ZstdCompressor().compress),
    ):
        files = [folder / f"{side}.{name}" for side in ("s", "c")]
        for file, text in zip(files, texts, strict=True):
            file.write_bytes(pack(text))
        found[name] = ParallelFiles(tuple(map(str, files)))
    files = [folder / f"{side}.tokens.jsonl" for side in ("s", "c")]
    for file, side in zip(files, sides, strict=True):
        file.write_text("".join(json.dumps({"tokens": text.split()}) + "\n" for text in side))
    found["tokens"] = ParallelFiles(tuple(map(str, files)))
    columns = ("source", "corrected")
    objects = [json.dumps(dict(zip(columns, row, strict=True))) for row in ROWS]
    (folder / "p.jsonl").write_text("\n".join(objects))
    (folder / "p.tsv").write_text("".join("\t".join(row) + "\r\n" for row in ROWS))
    table = pa.table(dict(zip(columns, sides, strict=True)))
    parquet.write_table(table, folder / "p.parquet", row_group_size=5)
    found["jsonl"] = ParallelFiles((str(folder / "p.jsonl"),), "jsonl", columns)
    found["tsv"] = ParallelFiles((str(folder / "p.tsv"),), "tsv")
    with (folder / "p.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([columns, *ROWS])
    found["table"] = ParallelFiles((str(folder / "p.csv"),), "table", columns)
    found["parquet"] = ParallelFiles((str(folder / "p.parquet"),), "parquet", columns)
    return found


@pytest.mark.parametrize("name", ["txt", "gz", "zst", "tokens", "jsonl", "tsv", "table", "parquet"])
@pytest.mark.parametrize("every", [1, 4, 5, 23, 100])
def test_parts_make_the_whole(tmp_path: Path, name: str, every: int) -> None:
    pairs = write_all(tmp_path)[name]
    assert list(read_rows(pairs)) == ROWS
    parts, total = mark_rows(pairs, every=every)
    assert total == len(ROWS)
    assert len(parts) == -(-len(ROWS) // every)
    assert [row for part in parts for row in read_rows(pairs, part)] == ROWS


@given(
    st.lists(st.sampled_from(["", "a", "é b", "\u2028", "x\x0cy"]), max_size=12),
    st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=12, max_size=12),
    st.booleans(),
    st.booleans(),
    st.integers(1, 5),
)
def test_reading_from_any_mark(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[str],
    ends: list[str],
    open_end: bool,  # noqa: FBT001
    mark: bool,  # noqa: FBT001
    every: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "marks.txt"
    text = "".join(line + end for line, end in zip(lines, ends, strict=False))
    if open_end and text:
        text += "last"
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + text.encode())
    whole = list(read_lines(path))
    places, count = mark_lines(path, every=every)
    assert count == len(whole)
    assert [place.line for place in places] == list(range(0, count, every))
    for place in places:
        assert list(read_lines(path, start=place)) == whole[place.line :]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_written_compressed_and_read_back(tmp_path: Path, suffix: str) -> None:
    files = [tmp_path / f"{n}.m2{suffix}" for n in range(2)]
    for file in files:
        with write_atomically(file) as stream:
            stream.write("S é .\n" * 1000)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert len(files[0].read_bytes()) < 1000
    assert [line for _, line in read_lines(files[0])] == ["S é ."] * 1000


def test_a_list_holds_several_annotators(tmp_path: Path) -> None:
    """Values may be lists, and sentences as redink writes them; an empty line has no sentence."""
    file = tmp_path / "p.jsonl"
    file.write_text(
        '{"source": "a b", "corrected": ["a c", "a d"], "more": 1}\n\n'
        '{"source": {"tokens": ["a", "b"]}, "corrected": [{"tokens": ["b"]}]}\n'
    )
    pairs = ParallelFiles((str(file),), "jsonl", ("source", "corrected"))
    assert list(read_rows(pairs)) == [("a b", "a c", "a d"), ("", ""), ("a b", "b")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"source": "a"}', "p.jsonl:2: has no column 'corrected'; its columns are: 'source'"),
        ('{"source": "a", "corrected": "b\\u0000"}', "the text of 'corrected' contains a NUL"),
        ("[]", "p.jsonl:2: expected a JSON object"),
    ],
)
def test_bad_rows_are_told_with_their_line(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text(f'{{"source": "a", "corrected": "b"}}\n{line}\n')
    with pytest.raises(FormatError, match=message):
        mark_rows(ParallelFiles((str(file),), "jsonl", ("source", "corrected")), every=10)


def test_bad_parquet(tmp_path: Path) -> None:
    file = tmp_path / "p.parquet"
    parquet.write_table(pa.table({"source": ["a", "b"], "fixed": ["a", None]}), file)
    with pytest.raises(
        FormatError, match="has no column 'corrected'; its columns are: 'source', 'fixed'"
    ):
        mark_rows(ParallelFiles((str(file),), "parquet", ("source", "corrected")), every=10)
    with pytest.raises(FormatError, match="row 2: expected text for 'fixed', found null"):
        mark_rows(ParallelFiles((str(file),), "parquet", ("source", "fixed")), every=10)
    file.write_bytes(file.read_bytes()[:-20])
    assert layout_of(file, "source") == "parquet"
    with pytest.raises(FormatError, match="cannot be read as Parquet"):
        mark_rows(ParallelFiles((str(file),), "parquet", ("source", "fixed")), every=10)


@pytest.mark.parametrize(
    ("lines", "message"),
    [("a\n", "c:1: ends after line 1"), ("a\nb\nc\nd\n", "c:3: has more lines than the 2")],
)
def test_lengths_must_match(tmp_path: Path, lines: str, message: str) -> None:
    files = tmp_path / "s", tmp_path / "c"
    files[0].write_text("a\nb\n")
    files[1].write_text(lines)
    pairs = ParallelFiles(tuple(map(str, files)))
    with pytest.raises(FormatError, match=message):
        mark_rows(pairs, every=10)
    with pytest.raises(FormatError, match=message):
        list(read_rows(pairs))


def test_a_file_that_changes_meanwhile(tmp_path: Path) -> None:
    pairs = write_all(tmp_path)["txt"]
    parts, _ = mark_rows(pairs, every=20)
    for file in pairs.files:
        Path(file).write_text("one line\n")
    with pytest.raises(FormatError, match="has changed"):
        list(read_rows(pairs, parts[0]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"tokens": ["a"]}\n{"tokens": [], "annotations": [{"annotator": "0", "edits": []}]}\n',
            r"c:2: contains edits; expected plain text",
        ),
        ('{"tokens": ["a"]}\n{"tokens": "a"}\n{}\n', "c:3: expected text for 'tokens'"),
        ('{"tokens": ["a"]}\nb\n', "c:2: is not JSON"),
    ],
)
def test_what_is_no_text_is_not_read_as_text(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "s").write_text("a\nb\nc\n")
    (tmp_path / "c").write_text(text)
    with pytest.raises(FormatError, match=message):
        list(read_rows(ParallelFiles((str(tmp_path / "s"), str(tmp_path / "c")))))
