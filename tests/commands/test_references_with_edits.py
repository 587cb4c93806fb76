"""Files with edits as reference texts, next to a source of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.commands.score_files import SYSTEMS, write_task

import redink
from redink.cli.main import cli
from redink.errors import DataError, FormatError, RedinkWarning
from redink.inputs.reading import read_corpus

Files = dict[str, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return write_task(tmp_path)


def corrected(gold: Path) -> list[list[str]]:
    texts = redink.model.References(read_corpus(gold)).filled_texts
    return [[str(sentence) for sentence in text] for text in texts]


@pytest.mark.parametrize("form", ["m2", "jsonl", "parallel", "corpus"])
def test_every_annotator_is_one_reference(files: Files, tmp_path: Path, form: str) -> None:
    given: Any = files["gold"]
    if form == "corpus":
        given = read_corpus(given)
    elif form != "m2":
        given = tmp_path / f"gold.{form}.{'tsv' if form == 'parallel' else form}"
        redink.convert(files["gold"], given, to_format=form)
    texts = corrected(files["gold"])
    assert len(texts) == 2
    systems = {name: files[name] for name in SYSTEMS}
    options: dict[str, Any] = {"source": files["source"], "systems": systems}
    for command, more in (
        (redink.score, {"metrics": ["errant", "gleu"]}),
        (redink.compare, {"samples": 50}),
        (redink.detection, {}),
        (redink.report, {"bootstrap": 0, "output": tmp_path / "report"}),
    ):
        found = command(references=[given], **options, **more)  # type: ignore[operator]
        expected = command(references=texts, **options, **more)  # type: ignore[operator]
        assert found.rows == expected.rows
        assert found.signature == expected.signature
    assert redink.score(references=[given], **options)["tp"][0] == 4


@pytest.mark.parametrize("command", ["score", "compare", "detection", "report"])
def test_another_source_is_an_error_with_its_line(files: Files, command: str) -> None:
    gold = files["gold"].read_text().splitlines()
    second = [at for at, line in enumerate(gold) if line.startswith("S ")][1]
    gold[second] = gold[second].replace("S ", "S Well ", 1)
    files["gold"].write_text("\n".join(gold) + "\n")
    words = [command, "--source", files["source"], "--reference", files["gold"]]
    words += [files["good"], files["fair"]]
    with pytest.raises(DataError, match=r"gold\.m2: the source of sentence 2 differs from line 2"):
        CliRunner().invoke(cli, list(map(str, words)), catch_exceptions=False)


def test_flags_are_no_reference_text(files: Files, tmp_path: Path) -> None:
    flags = tmp_path / "flags.tsv"
    lines = files["source"].read_text().splitlines()
    flags.write_text("\n".join("".join(f"{w}\tc\n" for w in line.split()) for line in lines))
    with pytest.raises(DataError, match="contains flags of tokens"):
        redink.score(source=files["source"], references=[flags], systems=[files["good"]])


def test_a_reference_without_annotations(files: Files) -> None:
    """An M2 file without an A line gives a warning; as a corrected text it is an error."""
    lines = files["gold"].read_text().splitlines(keepends=True)
    files["gold"].write_text("".join(line for line in lines if not line.startswith("A ")))
    systems = {"good": files["good"]}
    with pytest.warns(RedinkWarning, match="no edit in"):
        table = redink.score(files["gold"], systems, metrics=["errant"])
    assert table["tp"] == [0]
    with pytest.raises(DataError, match=r"gold\.m2 has no annotations"):
        redink.score(source=files["source"], references=[files["gold"]], systems=systems)


@pytest.mark.parametrize("align", [False, True])
def test_annotate_takes_no_edits_for_corrected_text(
    files: Files, tmp_path: Path, *, align: bool
) -> None:
    with pytest.raises(FormatError, match=r"gold\.m2: (holds|contains) .*plain text"):
        redink.annotate_files(files["source"], files["gold"], tmp_path / "out.m2", align=align)
    assert not (tmp_path / "out.m2").exists()
