"""Rows as data sets have them: data frames, Arrow, Hugging Face, and files with named columns."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from tests.terminal import run_command

import redink
from redink.errors import RedinkError

ROWS: list[dict[str, Any]] = [
    {"id": 1, "source": "This are wrong .", "system": "This is wrong .", "level": "A2"},
    {"id": 2, "source": "He go home .", "system": "He goes home .", "level": "B1"},
    {"id": 3, "source": "Fine .", "system": "Fine !", "level": "A2"},
]
REFERENCES = [["This is wrong ."], ["He went home .", "He goes home ."], ["Fine ."]]
for row, texts in zip(ROWS, REFERENCES, strict=True):
    row["references"] = texts


def columns() -> dict[str, list[Any]]:
    return {name: [row[name] for row in ROWS] for name in ROWS[0]}


def save_dataset(folder: Path) -> Path:
    """Write the files of ``Dataset.save_to_disk``."""
    folder.mkdir(parents=True)
    names = []
    for number, part in enumerate((ROWS[:1], ROWS[1:])):
        names.append(f"data-0000{number}-of-00002.arrow")
        table = pa.Table.from_pylist(part)
        with pa.ipc.new_stream(str(folder / names[-1]), table.schema) as stream:
            stream.write_table(table)
    state = {"_data_files": [{"filename": name} for name in names]}
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    (folder / "dataset_info.json").write_text("{}", encoding="utf-8")
    return folder


def splits(folder: Path, *names: str) -> Path:
    for name in names:
        save_dataset(folder / name)
    (folder / "dataset_dict.json").write_text(json.dumps({"splits": names}), encoding="utf-8")
    return folder


class Splits(dict[str, Any]):
    """The part of ``DatasetDict`` that is used."""

    column_names = property(dict.fromkeys)


def dataset() -> Any:
    """The part of ``Dataset`` that is used."""
    cells = columns()

    class Dataset:
        column_names = tuple(cells)

        def __getitem__(self, name: str) -> list[Any]:
            return cells[name]

    return Dataset()


def write_lines(path: Path) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    return path


def write_arrow(path: Path) -> Path:
    table = pa.Table.from_pylist(ROWS)
    (parquet.write_table if path.suffix == ".parquet" else feather.write_feather)(table, path)
    return path


KINDS: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: importlib.import_module("pandas").DataFrame(ROWS),
    "polars": lambda _: importlib.import_module("polars").DataFrame(ROWS),
    "arrow": lambda _: pa.Table.from_pylist(ROWS),
    "dataset": lambda _: dataset(),
    "splits": lambda _: Splits(test=dataset()),
    "jsonl": lambda folder: write_lines(folder / "rows.jsonl"),
    "parquet": lambda folder: write_arrow(folder / "rows.parquet"),
    "feather": lambda folder: write_arrow(folder / "rows.arrow"),
    "folder": lambda folder: save_dataset(folder / "saved"),
    "folder of splits": lambda folder: splits(folder / "saved", "test"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_every_kind(kind: str, tmp_path: Path) -> None:
    """The source, ragged references and the system; the other columns are metadata."""
    given = KINDS[kind](tmp_path)
    expected = redink.score(
        source=[row["source"] for row in ROWS],
        references=[[texts[0] for texts in REFERENCES], [texts[-1] for texts in REFERENCES]],
        systems={"system": [row["system"] for row in ROWS]},
        metrics=["errant", "gleu"],
    )
    found = redink.score(given, metrics=["errant", "gleu"])
    assert found.rows == expected.rows
    assert "no problem found" in redink.doctor(given).notes[0]
    assert redink.detection(given)["tp"][0] == redink.profile(given)["edits"][0] - 1 == 2
    levels = redink.score(given, metrics=["errant"], by="level")
    assert [(row["level"], row["sentences"]) for row in levels] == [
        *((None, 3), ("A2", 2)),
        ("B1", 1),
    ]


def test_a_file_is_reference_and_systems_on_the_command_line(tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl")
    words = ["score", "rows.jsonl", "--metric", "gleu", "--format", "json"]
    alone = json.loads(run_command(tmp_path, *words).stdout)["rows"]
    assert [row["system"] for row in alone] == ["system"]
    (tmp_path / "mine.txt").write_text("".join(f"{row['system']}\n" for row in ROWS))
    (row,) = json.loads(run_command(tmp_path, *words, "mine.txt").stdout)["rows"]
    assert row == alone[0] | {"system": "mine"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: splits(folder / "d", "train", "test"), "has the splits train, test. Try: "),
        (lambda _: Splits(train=dataset(), test=dataset()), "has the splits train, test;"),
    ],
)
def test_several_splits(make: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(RedinkError, match=message):
        redink.score(make(tmp_path))


def test_a_damaged_folder(tmp_path: Path) -> None:
    folder = save_dataset(tmp_path / "d")
    (folder / "state.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RedinkError, match="not a complete folder"):
        redink.score(folder)
