"""Any format to any other: what convert can do, and what it says of the rest."""

from __future__ import annotations

import gzip
import json
import warnings
from pathlib import Path

import pytest

import redink
from redink.commands.convert import convert
from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.inputs import read_values
from redink.inputs.text_loading import load_references
from redink.model import Detection, ParallelSentence, Sentence

M2 = """S This are wrong
A 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0
A 3 3|||Mec|||.|||REQUIRED|||-NONE-|||0
A 1 2|||SVA|||is||was|||REQUIRED|||-NONE-|||1

S Fine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.m2"
    path.write_text(M2)
    return path


def values(path: Path) -> list[object]:
    return list(read_values(path)[1])


def test_there_and_back(gold: Path, tmp_path: Path) -> None:
    """M2 to JSONL and back gives the file again; the table says what was done."""
    table = redink.convert(gold, tmp_path / "x.jsonl")
    values = (str(gold), "m2", str(tmp_path / "x.jsonl"), "jsonl", "corpus", 2)
    assert [tuple(row.values()) for row in table.rows] == [values]
    assert table.signature["command"] == "convert"
    convert(tmp_path / "x.jsonl", tmp_path / "y.m2")
    assert (tmp_path / "y.m2").read_text() == M2


def test_annotators_of_several_files(tmp_path: Path) -> None:
    """Annotators are numbered by file; a sentence without lines has no error."""
    edit = "A 0 1|||R:X|||{}|||REQUIRED|||-NONE-|||{}\n"
    noop = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{}\n"
    (tmp_path / "a.m2").write_text(f"S a b\n{edit.format('x', 0)}\nS c\n\n")
    (tmp_path / "b.m2").write_text(f"S a b\n\nS c\n{edit.format('y', 4)}{edit.format('z', 7)}\n")
    (tmp_path / "c.m2").write_text("S a b\n\nS d\n\n")
    files, merged = [tmp_path / "a.m2", tmp_path / "b.m2"], tmp_path / "all.m2"
    redink.convert(files, merged, merge_annotators=True)
    assert merged.read_text() == (
        f"S a b\n{edit.format('x', 0)}{noop.format(1)}{noop.format(2)}\n"
        f"S c\n{noop.format(0)}{edit.format('y', 1)}{edit.format('z', 2)}\n"
    )
    redink.convert(*files, merge_annotators=True, output=tmp_path / "same.m2")
    assert (tmp_path / "same.m2").read_bytes() == merged.read_bytes()
    system = {"s": ["x b", "y"]}
    several = redink.score(references=files, systems=system, metrics=["errant"])
    assert several.rows == redink.score(merged, system, metrics=["errant"]).rows
    assert several.rows[0]["tp"] == 2
    with pytest.raises(DataError, match="the source of sentence 2 differs from line 2 of "):
        redink.convert([*files, tmp_path / "c.m2"], merged, merge_annotators=True)
    with pytest.raises(OptionError, match="several input files need --merge-annotators"):
        redink.convert(files, merged)


def test_onto_itself(gold: Path) -> None:
    with pytest.raises(OptionError, match="is an input that OUT would overwrite"):
        convert(gold, gold)
    assert gold.read_text() == M2


def test_compressed(gold: Path, tmp_path: Path) -> None:
    convert(gold, tmp_path / "x.m2.gz")
    assert gzip.decompress((tmp_path / "x.m2.gz").read_bytes()).decode() == M2
    convert(tmp_path / "x.m2.gz", tmp_path / "y.jsonl")
    assert len((tmp_path / "y.jsonl").read_text().splitlines()) == 2


def test_named_formats(gold: Path, tmp_path: Path) -> None:
    convert(gold, tmp_path / "x", to_format="jsonl")
    json.loads((tmp_path / "x").read_text().splitlines()[0])
    convert(gold, tmp_path / "y.txt", from_format="text")
    assert (tmp_path / "y.txt").read_text().startswith("S This are wrong\nA 1 2|||")


def test_corpus_to_parallel(gold: Path, tmp_path: Path) -> None:
    with pytest.warns(RedinkWarning, match="annotator 1 has no line in 1 sentence"):
        convert(gold, tmp_path / "x.tsv", to_format="parallel")
    assert (tmp_path / "x.tsv").read_text() == (
        "This are wrong\tThis is wrong .\tThis is wrong\nFine .\tFine .\tFine .\n"
    )


def test_parallel_text_is_what_is_scored(tmp_path: Path) -> None:
    end = "|||REQUIRED|||-NONE-|||"
    gold = tmp_path / "gold.m2"
    gold.write_text(
        f"S This are wrong\nA 1 2|||SVA|||is{end}0\n\n"
        f"S It is unclear thing\nA 2 3|||Um|||{end}0\nA 2 2|||Um|||an{end}1\n\n"
        f"S Who knows\nA 0 1|||UNK|||-NONE-{end}0\nA 1 2|||UNK|||knew{end}1\n\n"
    )
    expected = [["This is wrong"] * 2, ["It is thing", "It is an unclear thing"]]
    expected.append(["Who knows", "Who knew"])
    texts = load_references(gold).filled_texts
    assert [list(map(str, column)) for column in zip(*texts, strict=True)] == expected
    with pytest.warns(RedinkWarning, match="has no line in"):
        convert(gold, tmp_path / "x.tsv", to_format="parallel")
    rows = [line.split("\t")[1:] for line in (tmp_path / "x.tsv").read_text().splitlines()]
    assert rows == expected
    with pytest.warns(RedinkWarning, match="has no line in"):
        convert(gold, tmp_path / "y.tsv", to_format="parallel", annotator="1")
    rows = [line.split("\t")[1:] for line in (tmp_path / "y.tsv").read_text().splitlines()]
    assert rows == [[column[1]] for column in expected]


def test_corpus_to_detections(gold: Path, tmp_path: Path) -> None:
    """Tokens touched by one annotator's edits; an insertion at the end flags the last token."""
    with pytest.raises(OptionError, match=r"choose one with --annotator: 0, 1"):
        convert(gold, tmp_path / "x.tsv", to_format="ged-tsv")
    convert(gold, tmp_path / "x.tsv", to_format="ged-tsv", annotator="0")
    assert values(tmp_path / "x.tsv") == [
        Detection(("This", "are", "wrong"), (False, True, True)),
        Detection(("Fine", "."), (False, False)),
    ]


def test_one_annotator(gold: Path, tmp_path: Path) -> None:
    convert(gold, tmp_path / "x.m2", annotator="1")
    assert (tmp_path / "x.m2").read_text() == (
        "S This are wrong\nA 1 2|||SVA|||is||was|||REQUIRED|||-NONE-|||1\n\nS Fine .\n\n"
    )
    with pytest.raises(OptionError, match="unknown annotator '7'"):
        convert(gold, tmp_path / "z.m2", annotator="7")
    assert not (tmp_path / "z.m2").exists()


def test_files_to_parallel(tmp_path: Path) -> None:
    for name, text in (("s.txt", "a b\nc\n"), ("x.txt", "a\nc\n"), ("y.txt", "b\nc\n")):
        (tmp_path / name).write_text(text)
    corrected = [tmp_path / "x.txt", tmp_path / "y.txt"]
    convert(tmp_path / "s.txt", tmp_path / "out.tsv", corrected=corrected)
    assert (tmp_path / "out.tsv").read_text() == "a b\ta\tb\nc\tc\tc\n"
    convert(tmp_path / "s.txt", tmp_path / "out.jsonl", corrected=corrected[:1])
    first = values(tmp_path / "out.jsonl")[0]
    assert first == ParallelSentence(Sentence(("a", "b")), (Sentence(("a",)),))


def test_raw_text(tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text("We don't, do we?\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        convert(tmp_path / "raw.txt", tmp_path / "x.txt", tokenizer="spacy")
        convert(tmp_path / "raw.txt", tmp_path / "x.jsonl", tokenizer="treebank")
    assert (tmp_path / "x.txt").read_text() == "We do n't , do we ?\n"
    first = json.loads((tmp_path / "x.jsonl").read_text())
    assert first["text"] == "We don't, do we?"
    assert first["offsets"][:3] == [[0, 2], [3, 5], [5, 8]]


def test_essays(tmp_path: Path) -> None:
    """W&I is split by spaCy's rules, as its own M2 is, and can be put together again."""
    text = {"id": "e", "text": "It do,so. Yes.", "edits": [[0, [[3, 5, "does"]]]]}
    (tmp_path / "e.json").write_text(json.dumps(text))
    convert(tmp_path / "e.json", tmp_path / "e.jsonl")
    first = json.loads((tmp_path / "e.jsonl").read_text().splitlines()[0])
    assert first["tokens"] == ["It", "do", ",", "so", "."]
    convert(tmp_path / "e.jsonl", tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text()) == text


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("x", {}, "unknown suffix ''"),
        ("-", {}, "choose its format with --to: m2"),
        ("x.tsv", {}, "could be ged-tsv or parallel; choose one with --to"),
        ("x.m2", {"to_format": "xls"}, "unknown format 'xls'"),
        ("x.m2", {"corrected": ["y"]}, "--corrected needs plain text"),
        ("x.m2", {"tokenizer": "spacy"}, "m2 is already tokenized"),
    ],
)
def test_what_is_impossible_is_said(
    gold: Path, tmp_path: Path, target: str, options: dict[str, object], message: str
) -> None:
    path = target if target == "-" else tmp_path / target
    with pytest.raises(OptionError) as caught:
        convert(gold, path, **options)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert sorted(tmp_path.iterdir()) == [gold]


def test_edits_of_parallel_text_need_annotate(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("a b\ta\n")
    with pytest.raises(OptionError, match=r"parallel text has no edits\. Try: `redink ann"):
        convert(tmp_path / "x.tsv", tmp_path / "x.m2")
    (tmp_path / "d.tsv").write_text("a\tc\n")
    with pytest.raises(OptionError, match="detections contain no corrections"):
        convert(tmp_path / "d.tsv", tmp_path / "x.m2")
    with pytest.raises(OptionError, match="contains detections, which have no annotators"):
        convert(tmp_path / "d.tsv", tmp_path / "x.jsonl", annotator="0")


def test_text_has_no_edits(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("a b\n")
    with pytest.raises(DataError, match="the file has no edits"):
        convert(tmp_path / "x.txt", tmp_path / "x.tsv", to_format="parallel")
    assert not (tmp_path / "x.tsv").exists()


def test_error_in_the_middle_leaves_nothing(gold: Path, tmp_path: Path) -> None:
    gold.write_text(M2 + "S x\nA 0 9|||T|||y|||REQUIRED|||-NONE-|||0\n")
    (tmp_path / "x.jsonl").write_text("old")
    with pytest.raises(FormatError, match=r"gold.m2:10: the span 0 9 does not fit"):
        convert(gold, tmp_path / "x.jsonl")
    assert (tmp_path / "x.jsonl").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gold.m2", "x.jsonl"]


def test_value_the_target_cannot_carry(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"tokens": ["a b"]}\n')
    with pytest.raises(DataError, match=r"x.jsonl: M2 cannot represent the token 'a b'"):
        convert(tmp_path / "x.jsonl", tmp_path / "x.m2")
    assert not (tmp_path / "x.m2").exists()
