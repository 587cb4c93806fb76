"""Raw documents: MultiGEC's Markdown, JSON lines, folders."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import redink
from redink.errors import DataError
from redink.formats.raw_documents import RawDocument, parse_multigec, read_documents, write_multigec


def written(essays: list[RawDocument]) -> str:
    stream = io.StringIO()
    write_multigec(essays, stream)
    return stream.getvalue()


def test_essays_of_a_markdown_file() -> None:
    text = "### essay_id = 1\nA.\n\nB.\n\n### essay_id = x y\n\n\nC.\n\n"
    essays = parse_multigec(text)
    assert essays == [RawDocument("1", "A.\n\nB."), RawDocument("x y", "C.")]
    assert written(essays) == "### essay_id = 1\nA.\n\nB.\n\n### essay_id = x y\nC.\n\n"
    with pytest.raises(DataError, match="is missing after its header"):
        parse_multigec("### essay_id = 1")


def test_odd_markdown_is_read_as_the_task_reads_it(shared: Path) -> None:
    path = shared / "oracles" / "languages" / "docs" / "multigec-format" / "markdown-cases.json"
    for case in json.loads(path.read_text(encoding="utf-8")):
        if "error" in case:
            with pytest.raises(DataError):
                parse_multigec(case["md"])
            continue
        essays = parse_multigec(case["md"])
        assert [[essay.id, essay.text] for essay in essays] == case["essays"]
        if any("\r" in essay.id + essay.text for essay in essays):  # a reader would change it
            with pytest.raises(DataError, match="carriage return"):
                written(essays)
        else:
            assert written(essays) == case["again"]


def test_every_essay_of_the_sample_comes_back_byte_for_byte(shared: Path) -> None:
    """Reading and writing MultiGEC's Markdown changes nothing."""
    folder = shared / "oracles" / "languages" / "docs" / "multigec-format"
    paths = sorted(folder.glob("*.md"))
    assert len(paths) == 4
    for path in paths:
        assert written(read_documents(path)).encode() == path.read_bytes()


def test_json_lines_and_logs_of_chats(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    said = [{"role": "user", "content": "Correct this."}, {"role": "assistant", "content": "B."}]
    objects = [
        {"id": 1, "text": "A."},
        {"custom_id": "2", "messages": said},
        {"custom_id": "3", "response": {"body": {"choices": [{"message": said[1]}]}}},
        {
            "doc": "4",
            "conversations": [{"from": "human", "value": "?"}, {"from": "x", "value": "D."}],
        },
    ]
    path.write_text("".join(f"{json.dumps(value)}\n" for value in objects))
    assert read_documents(path) == [
        RawDocument("1", "A."),
        RawDocument("2", "B."),
        RawDocument("3", "B."),
        RawDocument("4", "D."),
    ]


def test_a_folder_of_text_files(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("B.\n")
    (tmp_path / "a.txt").write_text("A.\n")
    (tmp_path / "c.png").write_bytes(b"\x00")
    assert read_documents(tmp_path) == [RawDocument("a", "A."), RawDocument("b", "B.")]
    (tmp_path / "empty").mkdir()
    with pytest.raises(redink.FormatError, match="no text files"):
        read_documents(tmp_path / "empty")


def test_documents_are_converted_byte_for_byte(tmp_path: Path) -> None:
    """Markdown to JSON lines and back; a folder to Markdown; a field of JSON lines."""
    first = tmp_path / "essays.md"
    first.write_text("### essay_id = 1\nA b.  C d.\n\n\nE.\n\n### essay_id = x.y\n F g?\n\n")
    redink.convert(first, tmp_path / "essays.jsonl", to_format="documents")
    redink.convert(tmp_path / "essays.jsonl", tmp_path / "again.md")
    assert (tmp_path / "again.md").read_bytes() == first.read_bytes()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "b.txt").write_text("Second.")
    (folder / "a.txt").write_text("First.")
    redink.convert(folder, tmp_path / "folder.md")
    assert (tmp_path / "folder.md").read_text() == written(
        [RawDocument("a", "First."), RawDocument("b", "Second.")]
    )
    log = tmp_path / "log.jsonl"
    log.write_text('{"id": 1, "text": "no", "out": {"said": "Yes."}}\n')
    redink.convert(log, tmp_path / "log.md", field="out.said")
    assert (tmp_path / "log.md").read_text() == "### essay_id = 1\nYes.\n\n"


def test_documents_are_read_where_sentences_are_expected(tmp_path: Path) -> None:
    path = tmp_path / "essays.md"
    path.write_text("### essay_id = 1\nHe don't go. Why?\n\nEnd.\n\n")
    corpus = redink.read_corpus(path)
    assert [(s.source.id, str(s.source)) for s in corpus.sentences] == [
        ("1.1.1", "He do n't go ."),
        ("1.1.2", "Why ?"),
        ("1.3.1", "End ."),
    ]
    redink.convert(path, tmp_path / "lines.txt", tokenizer="treebank")
    assert (tmp_path / "lines.txt").read_text() == "He do n't go .\nWhy ?\nEnd .\n"


def test_source_references_and_systems_may_all_be_documents(tmp_path: Path) -> None:
    (tmp_path / "source.md").write_text("### essay_id = 1\nHe go home. She are here.\n\n")
    (tmp_path / "gold.md").write_text("### essay_id = 1\nHe goes home, and she is here.\n\n")
    table = redink.score(
        source=tmp_path / "source.md",
        references=[tmp_path / "gold.md"],
        systems={"same": tmp_path / "gold.md", "none": tmp_path / "source.md"},
        metrics=["errant"],
        align=True,
    )
    assert {row["system"]: row["f"] for row in table.rows} == {"same": 1.0, "none": 0.0}
