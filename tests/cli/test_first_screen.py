"""What people see first: warnings once, beside a bar; errors that help; tables that are whole."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.terminal import run_command

import redink
from redink.cli.main import run_here
from redink.errors import RedinkWarning

END = "|||REQUIRED|||-NONE-|||0\n\n"
GOLD = (
    f"S This are wrong .\nA 1 2|||R:VERB:SVA|||is{END}"
    f"S He go home .\nA 1 2|||R:VERB:SVA|||goes{END}"
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.m2"
    path.write_text(GOLD)
    return path


def on_terminal(*words: str | Path, columns: int = 80) -> str:
    """What a person sees who types this at a terminal: stdout and stderr together, no colours."""
    leader, follower = pty.openpty()
    surroundings = {**os.environ, "COLUMNS": str(columns), "LINES": "40", "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-m", "redink", *map(str, words)],
        stdout=follower,
        stderr=follower,
        env=surroundings,
    ):
        os.close(follower)
        seen = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
    os.close(leader)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode()).replace("\r\n", "\n")


def test_a_warning_is_read_once(gold: Path, tmp_path: Path) -> None:
    raw = tmp_path / "raw.txt"
    raw.write_text("This is wrong.\nHe goes home.\n")
    seen = on_terminal("score", gold, raw)
    assert seen.count("seems untokenized") == 1
    assert "redink: warning: system 'raw' seems untokenized" in " ".join(seen.split())
    with pytest.warns(RedinkWarning):
        assert "seems untokenized" in redink.score(gold, {"raw": raw}).notes[0]


def test_sentences_are_folded_between_words(tmp_path: Path) -> None:
    """An error is as wide as the terminal, and no word of it is broken; elsewhere it is a line."""
    words = ["reproduce", "nothing", "--data", str(tmp_path)]
    seen = on_terminal(*words, columns=60).strip()
    assert len(seen.splitlines()) > 1
    assert max(map(len, seen.splitlines())) <= 60
    assert run_command(tmp_path, *words).stderr == " ".join(seen.splitlines()) + "\n"


def test_the_suffix_decides_the_form(gold: Path, tmp_path: Path) -> None:
    """``-o x.csv`` writes CSV; ``--format`` decides otherwise."""
    system = tmp_path / "mine.txt"
    system.write_text("This is wrong .\nHe goes home .\n")
    for name, words, beginning in (
        ("x.csv", [], "system,metric,"),
        ("x.md", [], "errant**"),
        ("x.csv", ["--format", "json"], "{"),
    ):
        run_here(["score", str(gold), str(system), "-o", str(tmp_path / name), *words])
        assert (tmp_path / name).read_text().lstrip("*").startswith(beginning)


def test_metrics_by_the_names_that_papers_use(gold: Path) -> None:
    """Capitals do not matter, and ``all`` is every metric."""
    systems = {"mine": ["This is wrong .", "He goes home ."]}
    assert redink.score(gold, systems, metrics="ERRANT").rows[0]["metric"] == "errant"
    every = redink.score(gold, systems, metrics="all")
    assert {"errant", "m2", "gleu", "imeasure", "bleu", "meteor"} <= set(every["metric"])


def test_another_language_is_pointed_out() -> None:
    line = "Der Hund geht heute mit seinem alten Freund nach Hause und schläft dort lange ."
    with pytest.warns(RedinkWarning, match="not in the English dictionary"):
        redink.score(
            source=[line] * 3,
            references=[[line] * 3],
            systems={"mine": [line] * 3},
            metrics="errant",
        )


def test_marks_beside_corrections_are_not_odd(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    path = tmp_path / "gold.m2"
    path.write_text(f"S a b c\nA 1 2|||Um|||x|||REQUIRED|||-NONE-|||0\nA 1 2|||R:OTHER|||x{END}")
    redink.read_corpus(path)
    assert not recwarn
