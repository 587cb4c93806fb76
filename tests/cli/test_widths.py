"""Every table of the demo on terminals of usual widths."""

from __future__ import annotations

import io
import re
import shlex
from itertools import takewhile
from pathlib import Path

import pytest

import redink.cli.output
from redink.cli.demo import STEPS, copy_example
from redink.cli.main import run_here
from redink.model import Table
from redink.reports.table_formats import print_table

README = Path(__file__).resolve().parents[2] / "README.md"
FIRST = [
    line.removeprefix("    redink ").removeprefix("$ redink ")
    for line in README.read_text(encoding="utf-8").splitlines()
    if line.startswith(("    redink ", "$ redink ")) and not line.endswith("redink demo")
]
QUICKLY = {
    "report": ("--bootstrap", "20", "--metric", "errant"),
    "compare": ("--samples", "20", "--metric", "errant"),
}
MORE = (
    "agreement crowd.csv --judges w01,w02 --as-gold eager.ged.tsv --bootstrap 20",
    "agreement crowd.csv --judges w01,w02 --show judges --bootstrap 20",
    "detection gold.m2 careful.txt eager.txt --unit sentence --annotators each",
    "sample simulate --from-counts 800 200 2700 6300 --sizes 100,750 --repetitions 10",
    "data --only conll14,jfleg,bea19",
    "score gold.m2 careful.txt eager.txt speller.txt --metric errant,m2 --by type --bootstrap 20",
    "score gold.m2 careful.txt eager.txt speller.txt --metric errant,m2,gleu,bleu --wide",
    "compare gold.m2 careful.txt eager.txt --metric errant --baseline eager --samples 20",
    "rank rankings.xml --show head-to-head",
    "metrics",
    "reproduce chodorow-2012 --data .",
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Table]]:
    """What the demo prints, and some that are wide: each command with its table."""
    folder = tmp_path_factory.mktemp("widths") / "demo"
    copy_example(folder)
    tables: list[tuple[str, Table]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in dict.fromkeys((*(words for _, words in STEPS), *FIRST, *MORE)):
            keep = lambda table, _stream, command=command: tables.append((command, table))  # noqa: E731
            patch.setattr(redink.cli.output, "print_table", keep)
            words = shlex.split(command.replace("--bootstrap 500", ""))
            words += QUICKLY.get(words[0], ())
            assert run_here([*words, "--quiet"]) == 0
    return tables


@pytest.mark.parametrize("width", [80, 100, 140])
def test_tables_fit_the_terminal(
    shown: list[tuple[str, Table]], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(shown) > 12
    monkeypatch.setenv("COLUMNS", str(width))
    for command, table in shown:
        stream = Terminal()
        print_table(table, stream)
        lines = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()
        assert max(map(len, lines)) <= width, command
        assert not any("\N{HORIZONTAL ELLIPSIS}" in line for line in lines), command
        for place, line in enumerate(lines):
            if set(line.strip()) != {"\N{BOX DRAWINGS LIGHT HORIZONTAL}"}:
                continue
            above = list(takewhile(str.strip, reversed(lines[:place])))
            assert len(above) <= 2, (command, above)  # one line of headings, and what spans them
            first = lines[place + 1]
            assert re.match(r" +(?:\d+ +|\N{EN DASH} +)*\w", first), (command, first)
