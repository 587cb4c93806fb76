"""Names of systems, and folders of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import redink
from redink.errors import DataError, FormatError
from redink.inputs.input_options import AlignmentOptions
from redink.inputs.text_loading import load_systems, name_inputs
from redink.judging.crowdsourcing import find_systems
from redink.model import Sentence

M2 = "S This are .\nA 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0\n"


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """A folder with two systems, a hidden file and a folder in it."""
    folder = tmp_path / "outputs"
    (folder / "old").mkdir(parents=True)
    (folder / "CAMB.txt").write_text("This are .\n")
    (folder / "AMU.json").write_text('["This is ."]')
    (folder / ".notes").write_bytes(b"\xff")
    return folder


@pytest.mark.parametrize("metric", ["errant", "gleu"])
def test_a_folder_is_its_files(outputs: Path, tmp_path: Path, metric: str) -> None:
    """Every file in it is a system with the file's name; what is hidden or a folder is not."""
    (tmp_path / "gold.m2").write_text(M2)
    apart = {"AMU": outputs / "AMU.json", "CAMB": outputs / "CAMB.txt"}
    expected = redink.score(tmp_path / "gold.m2", apart, metrics=[metric])
    for given in (str(outputs), f"{outputs}/", [outputs]):
        found = redink.score(tmp_path / "gold.m2", given, metrics=[metric])
        assert found.rows == expected.rows
        assert found.signature == expected.signature


def test_other_systems_beside_a_folder(outputs: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("This is .\n")
    given = [f"first={tmp_path / 'mine.txt'}", str(outputs), str(tmp_path / "mine.txt")]
    assert [name for name, _ in name_inputs(given)] == ["first", "AMU", "CAMB", "mine"]


def test_a_folder_that_is_one_system(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "d1.txt").write_text("This is. It is.")
    sources = [
        Sentence(("This", "are", "."), id="d1.1.1"),
        Sentence(("It", "is", "."), id="d1.1.2"),
    ]
    one = load_systems(folder, sources, AlignmentOptions(align=True))
    assert [(system.name, len(system)) for system in one] == [("mine", 2)]
    unnamed = [Sentence(sentence.tokens) for sentence in sources]
    assert [s.name for s in load_systems(folder, unnamed, AlignmentOptions(align=True))] == ["d1"]
    named = load_systems([f"mine={folder}"], unnamed, AlignmentOptions(align=True))
    assert [str(text) for text in named[0].hypotheses or ()] == ["This is .", "It is ."]


def test_align_takes_a_folder(outputs: Path, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("This are .\n")
    table = redink.align(tmp_path / "source.txt", outputs)
    assert list(table.texts) == ["AMU", "CAMB"]
    essays = tmp_path / "essays"
    essays.mkdir()
    (essays / "AMU.txt").write_text("This are.")
    (outputs / "CAMB.txt").unlink()
    (outputs / "AMU.json").rename(outputs / "AMU.txt")
    assert list(redink.align(essays, outputs).texts) == ["outputs"]


def test_a_folder_without_files(tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match=r"is a folder without files; expected one file per system"
    ):
        load_systems(tmp_path)
    (tmp_path / "AMU").mkdir()
    with pytest.raises(FormatError, match=r"or pass each of its folders as NAME=FOLDER"):
        load_systems(tmp_path)


def test_two_files_of_one_name_in_a_folder(outputs: Path) -> None:
    (outputs / "AMU.txt").write_text("This is .\n")
    with pytest.raises(DataError, match=r"the name 'AMU': .*AMU\.json and .*AMU\.txt. Try: rename"):
        load_systems(outputs)


def test_a_file_in_a_folder_that_cannot_be_read(outputs: Path) -> None:
    (outputs / "table.xlsx").write_bytes(b"PK\x03\x04\x14\x00")
    with pytest.raises(FormatError, match=r"outputs/table\.xlsx: is a spreadsheet; save it as CSV"):
        load_systems(outputs)


def test_a_folder_of_decisions(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("item,label\n1,ok\n")
    assert [found.name for found in find_systems([str(tmp_path)], [])] == ["a", "b"]


@pytest.mark.parametrize("indent", [None, 1])
def test_systems_in_one_object(indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"AMU": ["This is ."], "CAMB": ["This are ."]}, indent=indent))
    found = load_systems(path)
    assert [(system.name, [str(t) for t in system.hypotheses or ()]) for system in found] == [
        ("AMU", ["This is ."]),
        ("CAMB", ["This are ."]),
    ]


@pytest.mark.parametrize(
    "text",
    ['{"tokens": ["This", "is", "."]}\n', '{"tokens": ["a"]}\n{"tokens": ["b"]}\n', "{ a } .\n"],
)
def test_an_object_that_is_one_system(text: str, tmp_path: Path) -> None:
    """A line of JSON, or text that begins like one, is no object of systems."""
    (tmp_path / "mine").write_text(text)
    assert [system.name for system in load_systems(tmp_path / "mine")] == ["mine"]
