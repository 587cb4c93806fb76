"""Which format a file is in, and reading it whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from redink.errors import FormatError, OptionError
from redink.formats import Format, all_formats, detect_format, format_names, get_format
from redink.inputs import read_corpus, read_judgments, read_rankings, read_system

M2 = "S This are .\nA 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0\n"
RANKINGS = (
    '<r><ranking-item src-id="1" user="a"><translation rank="1" system="X"/></ranking-item></r>'
)


def file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (M2, "m2"),
        ("S only\n\nS sources\n", "m2"),
        ("A 1 2|||T|||x|||R|||N|||0\n", "m2"),  # its first line is lost, but M2 it is
        ("S a source\nI and a remark\n", "m2"),
        ("I begin\n\nI go on\n", "text"),
        ("Sentences begin\nSo do these\n", "text"),
        (RANKINGS, "appraise"),
        ('<DOC nid="1">\n', "nucle"),
        ('{"text": "a", "edits": []}\n', "wi"),
        ('{"tokens": []}\n', "jsonl"),
        ("item,judge,label\n", "csv"),
        ("judge\titem\tlabel\tmore\n", "tsv"),
        ("srcIndex,judgeID,system1Id,system1rank\n", "wmt-csv"),
        ("a\tc\nb\ti\t0.2\n", "ged-tsv"),
        ("a b\ta c\n", "parallel"),
        ("a b c\n", "text"),
        ("\n", "text"),
        ("{not json}\n", "text"),
    ],
)
def test_content_tells_the_format(tmp_path: Path, text: str, name: str) -> None:
    assert detect_format(file(tmp_path / "file", text)).name == name
    assert detect_format(file(tmp_path / "file.txt", text)).name == name


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.sgml", "words\n", "x.sgml:1: text outside paragraphs"),
        ("x.m2.gz", "nonsense\n", "x.m2.gz:1: expected a line that begins with S, A, T or I"),
        ("x.tsv", "a\n", "x.tsv: has no known format of a .tsv file"),
    ],
)
def test_the_name_is_asked_where_the_content_says_nothing(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    """A damaged M2 file is told what is wrong with it; it is not taken for plain text."""
    path = file(tmp_path / name, text)
    with pytest.raises(FormatError) as caught:
        list(detect_format(path).read(path))
    assert message in str(caught.value)


def test_wrong_kind(tmp_path: Path) -> None:
    path = file(tmp_path / "f", M2)
    with pytest.raises(FormatError, match=r"no known format of rankings \(appraise, jsonl, wm"):
        read_rankings(path)
    with pytest.raises(FormatError, match=r"no known format of judgments \(jsonl, csv, tsv"):
        read_judgments(path)
    with pytest.raises(FormatError, match="is a folder; expected a file of judgments"):
        read_judgments(tmp_path)
    with pytest.raises(
        FormatError, match=r"contains rankings \(appraise\); expected a system's output"
    ):
        read_system(file(tmp_path / "f", RANKINGS))


def test_empty_file(tmp_path: Path) -> None:
    for read in (read_corpus, read_rankings, read_judgments, read_system):
        with pytest.raises(FormatError, match="f: is empty"):
            read(file(tmp_path / "f", ""))


def test_unknown_names() -> None:
    with pytest.raises(OptionError, match="unknown format 'xls'; expected one of: m2, appraise"):
        get_format("xls")
    with pytest.raises(
        OptionError, match="the format 'm2' does not contain rankings; expected one of: appraise"
    ):
        get_format("m2", kind="rankings")


def test_names_and_kinds() -> None:
    assert len({(f.name, f.kind) for f in all_formats()}) == len(all_formats())
    assert format_names("rankings") == ("appraise", "jsonl", "wmt-csv")
    assert all_formats()[-1].name == "text", "plain text is asked last"
    assert isinstance(get_format("jsonl", kind="judgments"), Format)


def test_named_format_wins(tmp_path: Path) -> None:
    """M2 can be read as the text it also is, if someone insists."""
    corpus = read_corpus(file(tmp_path / "f", M2), format="text")
    assert corpus.sentences[0].source.tokens == ("S", "This", "are", ".")
    with pytest.raises(OptionError, match="unknown format"):
        read_corpus(tmp_path / "f", format="xls")


def test_raw_corpora_are_split_as_is_their_custom(tmp_path: Path) -> None:
    """W&I by spaCy's rules, NUCLE by the Treebank's."""
    path = file(tmp_path / "f", '{"text": "Yes,no maybe.", "edits": []}\n')
    split = read_corpus(path).sentences[0].source.tokens
    assert split == ("Yes", ",", "no", "maybe", ".")
    nucle = '<DOC nid="1">\n<TEXT>\n<P>\nYes,no maybe.\n</P>\n</TEXT>\n</DOC>\n'
    found = read_corpus(file(tmp_path / "f", nucle))
    assert found.sentences[0].source.tokens == ("Yes,no", "maybe", ".")
