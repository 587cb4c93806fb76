"""Inputs that once made a reader or a command fall over."""

from __future__ import annotations

import random
import sys
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from fuzzing import commands, readers, seeds
from fuzzing.material import Material
from fuzzing.outcome import Outcome

from redink.errors import RedinkError

_LONG = b"9" * 5000

FILES: dict[str, tuple[str, bytes]] = {
    "number of 5000 digits in a table": ("system-scores-text", b"AMU 0.35 " + _LONG + b" 0.2\n"),
    "position of 5000 digits": ("positions", b"1 0 " + _LONG + b"\n"),
    "JSON number of 5000 digits": ("cases-jsonl", b'{"item": 2, "label": ' + _LONG + b"}\n"),
    "deep JSON": ("cases-jsonl", b'{"item": 1, "label": ' + b"[" * 20_000 + b"\n"),
    "item of 5000 digits": ("cases-jsonl", b'{"item": "s1t' + _LONG + b'", "label": "ok"}\n'),
    "half a surrogate pair": ("cases-jsonl", b'{"item": "\\ud800", "label": "ok"}\n'),
    "start with a separator": ("items-csv", b"text,start\nI has it .,\x1c1\n"),
    "gold that is a list": ("items-jsonl", b'{"text": "Fine .", "gold": [1]}\n'),
    "key of another shape": ("sample-key", b'{"kind": "sample key", "signature": {}, "items": 3}'),
    "key with a long number": ("sample-key", b'{"kind": "sample key", "items": ' + _LONG + b"}"),
    "count with a separator": ("counts", b"Depend it\t55\x1c\n"),
    "count of 5000 digits": ("counts", b"Depend it\t" + _LONG + b"\n"),
    "index that is not UTF-8": ("wordnet", b"cat n 1 0 1 0 \xc3\n"),
    "index with a negative count": ("wordnet", b"cat n -2 0 1 0 1\n"),
    "n-gram count of 5000 digits": ("arpa", b"\\data\\\nngram 1=" + _LONG + b"\n\\end\\\n"),
    "infinite logarithm": ("arpa", b"\\data\\\nngram 1=1\n\\1-grams:\ninf a\n\\end\\\n"),
    "very long word": (
        "arpa",
        b"\\data\\\nngram 1=1\nngram 2=1\n\\1-grams:\n-1 a\n\\2-grams:\n-1 a "
        + _LONG
        + b"\n\\end\\\n",
    ),
    "table without a source": ("tsv-parallel", b"S This are wrong .\n|||"),
    "very long rank": (
        "wmt-csv",
        b"srcIndex,judgeId,system1Id,system1rank\n1,anna,AMU,-1" + b"[" * 3000 + b"\n",
    ),
}


@pytest.mark.parametrize("case", list(FILES))
def test_file(case: str, tmp_path: Path) -> None:
    name, data = FILES[case]
    outcome = Outcome()
    readers.try_reader(name, readers.readers()[name], data, tmp_path / "input", outcome)
    assert not outcome.failures, str(outcome.failures[0])


@pytest.mark.parametrize(
    ("model", "part", "old", "new"),
    [
        ("language-model", "words", b"<unk>", b"<unx>"),
        ("language-model", "words", b"</s>", b"</x>"),
        ("language-model", "keys1", b"", b""),
        ("language-model", "keys1", b"(10,)", b"(   )"),  # one number
        ("language-model", "probabilities1", b"'<f2'", b"'|O8'"),
        ("language-model", "probabilities1", b"(10,)", b"(1.,)"),
        ("classifier", "header", b'"task": "choice"', b'"task": "chance"'),
        ("classifier", "header", b'"temperature": 1.0', b'"temperature": 0.0'),
        ("classifier", "scales", b"'<f4'", b"'<u4'"),
    ],
)
def test_model(model: str, part: str, old: bytes, new: bytes, tmp_path: Path) -> None:
    path = tmp_path / "input"
    with (
        ZipFile(BytesIO(seeds.made_seeds(tmp_path)[model])) as good,
        ZipFile(path, "w") as damaged,
    ):
        assert old in good.read(f"{part}.npy")
        for name in good.namelist():
            data = good.read(name)
            if name != f"{part}.npy":
                damaged.writestr(name, data)
            elif old:
                damaged.writestr(name, data.replace(old, new))
    with pytest.raises(RedinkError, match="damaged"):
        list(readers.readers()[model](path))


LINES = {
    "infinite weight": "sample simulate --from-counts 8 2 27 63 --repetitions 5 --beta inf",
    "weight that is no number": "sample simulate --from-counts 8 2 27 63 --beta nan",
    "words for numbers": "meta good/rankings.xml good/scores.json --beta a,b",
    "model to standard output": "detector train good/tokens.txt -o - --detector lm --order 2",
    "one file of two": "detector cloze good/careful.txt --blanks out/a.csv "
    "--choice-test no/such/folder.csv",
    "one judge of two": "campaign invite good/c.db zora anna",
    "one judge twice": "campaign invite good/c.db zora zora",
    "judge whose name is no text": "campaign create out/x.db --task sample "
    "--from good/items.jsonl --judge zora --judge \udcff",
    "option without its value": "rank good/r.jsonl --min-overlap",
    "choices on several lines": "campaign create out/x.db",
    "campaign that is none": "campaign serve good/eager.txt",
    "place that is none": "campaign invite http://x zora",
    "control characters": "rank good/r.jsonl --method \x1b[31m",
    "half a surrogate pair": "explain \udcff a --analyzer \udcff",
}


def test_command_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, exit code 2, and no file."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    work = tmp_path / "work"
    work.mkdir()
    Material(seeds.all_seeds(None, random.Random(1), tmp_path), work)
    for case, line in LINES.items():
        arguments = line.split()
        ran = commands.run_command(arguments, work)
        assert ran.code == 2, (case, ran)
        assert commands.what_is_wrong(ran, arguments, work) is None, (case, ran)
        assert ran.err.count("\n") == 1, (case, ran)
