"""Names of earlier versions, such as those in British spelling, are still accepted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import EXAMPLE, Run

import redink as package
from redink.formats import nucle, wi_jsonl


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--analyser embedded", "--analyzer embedded"),
        ("--test randomisation", "--test randomization"),
        ("--align --tokeniser treebank", "--align --tokenizer treebank"),
    ],
)
def test_british_options_and_values(old: str, new: str, redink: Run) -> None:
    """An option or a value in British spelling gives the same table."""
    files = [f"{EXAMPLE}/{name}" for name in ("gold.m2", "careful.txt", "eager.txt")]
    command = ["compare", *files, "--metric", "m2", "--samples", "20", "--format", "csv"]
    former, present = redink(*command, *old.split()), redink(*command, *new.split())
    assert former.code == 0, former.err
    assert former.out == present.out


def test_british_names_in_python() -> None:
    """Keywords, values and public names too."""
    texts = {"a": ["This is wrong ."], "b": ["This are wrong ."]}
    given = {"source": ["This are wrong ."], "references": [["This is wrong ."]], "systems": texts}
    old = package.compare(
        **given, metrics="m2", samples=5, tests="randomisation", analyser="embedded"
    )
    new = package.compare(**given, metrics="m2", samples=5, tests="randomization")
    assert old.rows == new.rows
    assert package.train_analyser is package.train_analyzer


def test_british_marks_in_files(tmp_path: Path) -> None:
    """Marks of tokenized text that earlier versions wrote."""
    jsonl = tmp_path / "a.json"
    jsonl.write_text('{"id": "1", "text": "a b.c", "edits": [], "tokenised": true}\n')
    [sentence] = wi_jsonl.read_wi_jsonl(jsonl)
    assert sentence.source.tokens == ("a", "b.c")
    sgml = tmp_path / "a.sgml"
    sgml.write_text('<DOC nid="1" tokenised="yes">\n<TEXT>\n<P>\na b.c\n</P>\n</TEXT>\n</DOC>\n')
    [sentence] = nucle.read_nucle(sgml)
    assert sentence.source.tokens == ("a", "b.c")
