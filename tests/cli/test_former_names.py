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
    files = [f"{EXAMPLE}/{name}" for name in ("gold.m2", "careful.txt", "eager.txt")]
    command = ["compare", *files, "--metric", "m2", "--samples", "20", "--format", "csv"]
    former, present = redink(*command, *old.split()), redink(*command, *new.split())
    assert former.code == 0, former.err
    assert former.out == present.out


FILES = "careful.txt eager.txt"
FORMER = {
    "compare gold.m2 FILES --bootstrap 9": "compare gold.m2 FILES --samples 9",
    "score gold.m2 FILES --metrics m2": "score gold.m2 FILES --metric m2",
    "score gold.m2 FILES --metric m2 --samples 9": "score gold.m2 FILES --metric m2 --bootstrap 9",
    "rank rankings.xml --bootstrap 40 --p 0.1": "rank rankings.xml --bootstrap 40 --alpha 0.1",
    "annotate source.txt careful.txt --rules 2.0.0": (
        "annotate source.txt careful.txt --errant-version 2.0.0"
    ),
    "explain 我 你 --language zh --tables no": "explain 我 你 --language zh --cherrant-data no",
    "crowd crowd.csv --experts w01 --show size --draws 2": (
        "crowd crowd.csv --experts w01 --show size --repetitions 2"
    ),
    "sample simulate --from-counts 8 2 27 63 --repeats 9": (
        "sample simulate --from-counts 8 2 27 63 --repetitions 9"
    ),
    "agreement crowd.csv --bootstrap 9 --merge x=ok": (
        "agreement crowd.csv --bootstrap 9 --merge-labels x=ok"
    ),
    "detect cloze reference-a.txt --items 9": "detector cloze reference-a.txt --items 9",
    "task check nowhere nothing": "shared-task check nowhere nothing",
    "data": "corpora",
}


@pytest.mark.parametrize(("old", "new"), FORMER.items())
def test_former_names_of_commands_and_options(old: str, new: str, redink: Run) -> None:
    def run(line: str) -> tuple[int, str, str]:
        files = {path.name: str(path) for path in EXAMPLE.iterdir()}
        words = [files.get(word, word) for word in line.replace("FILES", FILES).split()]
        done = redink(*words)
        return done.code, done.out, done.err

    assert run(old) == run(new)


def test_former_names_in_python() -> None:
    given = {"source": ["a"], "references": [["b"]], "systems": {"x": ["b"]}}
    assert package.score(**given, metric="m2").rows == package.score(**given, metrics="m2").rows
    edits = [
        package.annotate("This are wrong .", "This is wrong .", **{name: "2.0.0"})
        for name in ("rules", "errant_version")
    ]
    assert edits[0] == edits[1]
    assert package.data is package.corpora


def test_british_names_in_python() -> None:
    texts = {"a": ["This is wrong ."], "b": ["This are wrong ."]}
    given = {"source": ["This are wrong ."], "references": [["This is wrong ."]], "systems": texts}
    old = package.compare(
        **given, metrics="m2", samples=5, tests="randomisation", analyser="embedded"
    )
    new = package.compare(**given, metrics="m2", samples=5, tests="randomization")
    assert old.rows == new.rows
    assert package.evaluate_analyser is package.evaluate_analyzer


def test_british_marks_in_files(tmp_path: Path) -> None:
    jsonl = tmp_path / "a.json"
    jsonl.write_text('{"id": "1", "text": "a b.c", "edits": [], "tokenised": true}\n')
    [sentence] = wi_jsonl.read_wi_jsonl(jsonl)
    assert sentence.source.tokens == ("a", "b.c")
    sgml = tmp_path / "a.sgml"
    sgml.write_text('<DOC nid="1" tokenised="yes">\n<TEXT>\n<P>\na b.c\n</P>\n</TEXT>\n</DOC>\n')
    [sentence] = nucle.read_nucle(sgml)
    assert sentence.source.tokens == ("a", "b.c")
