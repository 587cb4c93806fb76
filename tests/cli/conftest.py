"""The command line in this process, as a user meets it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from redink.cli.main import main

EXAMPLE = Path(__file__).parents[2] / "src" / "redink" / "examples"


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def redink(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """The command line as a user meets it, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["redink", *arguments])
        code = 0
        with warnings.catch_warnings():
            monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
            try:
                main()
            except SystemExit as leaving:
                code = int(leaving.code or 0)
        monkeypatch.undo()
        monkeypatch.chdir(tmp_path)
        return Result(code, *capsys.readouterr())

    return run


Files = Mapping[str, str | bytes]
Refuse = Callable[..., None]


@pytest.fixture
def refuse(redink: Run, tmp_path: Path) -> Refuse:
    """Run a command that must fail: one line with the keyword, exit code 2, nothing written.

    The folder contains the given files, and those of the bundled example that the command names.
    """

    def check(command: str, keyword: str, files: Files | None = None) -> None:
        for name in set(command.split()) & {path.name for path in EXAMPLE.iterdir()}:
            (tmp_path / name).write_bytes((EXAMPLE / name).read_bytes())
        for name, content in (files or {}).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(
                content if isinstance(content, bytes) else content.encode()
            )
        before = sorted(tmp_path.rglob("*"))
        result = redink(*command.split())
        message = result.err.splitlines()[-1]
        assert message.startswith("redink: error: ")
        assert keyword in message
        assert (result.code, result.out) == (2, "")
        assert sorted(tmp_path.rglob("*")) == before, "output was written"

    return check
