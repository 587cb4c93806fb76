"""Bad input on the command line: one sentence with file and line, exit code 2, and no output."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Result, Run

M2 = b"S This are wrong .\nA 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0\n\n"
XML = (
    b'<appraise-results>\n<ranking-item src-id="1" user="anna">\n'
    b'<translation rank="1" system="A"/>\n</ranking-item>\n</appraise-results>\n'
)


CASES: dict[str, tuple[str, bytes, str]] = {
    "truncated gzip": ("x.m2.gz", gzip.compress(M2 * 50)[:60], "x.m2.gz: is incomplete"),
    "truncated XML": ("x.xml", XML[:80], "x.xml:3: is not valid XML"),
    "UTF-16": ("x.m2", M2.decode().encode("utf-16"), "x.m2:1: byte 0: is not UTF-8 text"),
    "NUL byte": ("x.m2", M2 + b"S a\0b\n", "x.m2:4: byte 64: contains a NUL byte"),
    "span out of range": ("x.m2", M2.replace(b"1 2", b"1 9"), "x.m2:2: the span 1 9 does not fit"),
    "entity bomb": (
        "x.xml",
        b"<!DOCTYPE x>\n" + XML,
        "x.xml:1: contains a document type declaration",
    ),
    "columns missing": ("x.csv", b"item,judge,label\n1,a\n", "x.csv:2: expected 3 columns"),
    "empty file": ("x.m2", b"", "x.m2: is empty"),
}


@pytest.mark.parametrize("case", list(CASES))
def test_bad_file(case: str, redink: Run, tmp_path: Path) -> None:
    name, data, message = CASES[case]
    (tmp_path / name).write_bytes(data)
    result = redink("convert", name, "out.jsonl")
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith(f"redink: error: {message}")
    assert result.err.count("\n") == 1, "one sentence"
    assert [p.name for p in tmp_path.iterdir()] == [name], "no output, whole or half"


def test_folder_and_missing_file(redink: Run, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "x.m2").write_bytes(M2)
    for arguments, message in (
        (("folder", "out.m2"), "folder: contains no text files (.txt, .md)"),
        (("nothing.m2", "out.m2"), "nothing.m2: no such file"),
        (("x.m2", "folder", "--to", "m2"), "folder: is a folder; expected a file name"),
        (("x.m2", "no/out.m2"), "no/out.m2: cannot be written (no such folder)"),
    ):
        result = redink("convert", *arguments)
        assert (result.code, result.out) == (2, "")
        assert result.err.replace(f"{tmp_path}/", "") == f"redink: error: {message}\n"


def test_files_of_different_length(redink: Run, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("a\nb\n")
    (tmp_path / "c.txt").write_text("a\n")
    result = redink("convert", "s.txt", "out.tsv", "--corrected", "c.txt")
    assert result.code == 2
    assert result.err.startswith("redink: error: c.txt:1: ends after ")
    assert result.err.endswith("they must match line by line\n")
    assert not (tmp_path / "out.tsv").exists()


@pytest.mark.parametrize(
    "change", [lambda d: d.replace(b"\n", b"\r\n"), lambda d: b"\xef\xbb\xbf" + d]
)
def test_windows_files_are_welcome(
    change: Callable[[bytes], bytes], redink: Run, tmp_path: Path
) -> None:
    """CRLF and a byte-order mark are no mistakes: the data is the same."""
    (tmp_path / "x.m2").write_bytes(change(M2))
    assert redink("convert", "x.m2", "out.m2").code == 0
    assert (tmp_path / "out.m2").read_bytes() == M2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("x.m2 A=- B=-", "-: only one input can be standard input"),
        ("x.m2 x.txt -o folder", "folder: is a folder; expected a file name"),
        ("x.m2 x.txt --plot no/out.png", "no/out.png: cannot be written"),
        (
            "x.m2 x.txt -o out.xlsx",
            "out.xlsx: unknown suffix for a table; spreadsheet programs can open .csv",
        ),
    ],
)
def test_where_nothing_can_be_read_or_written(
    arguments: str, message: str, redink: Run, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "x.m2").write_bytes(M2)
    (tmp_path / "x.txt").write_text("This is wrong .\n")
    result = redink("score", *arguments.split(), "--metric", "m2")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"redink: error: {message}")


def test_a_command_that_is_not_there(redink: Run) -> None:
    assert "unknown command 'scor'; did you mean 'score'?" in redink("scor").err
    assert "did you mean 'status'?" in redink("campaign", "statu").err


def test_warnings_are_one_line_each(redink: Run, tmp_path: Path) -> None:
    (tmp_path / "x.m2").write_bytes(M2.replace(b"\n\n", b"\nA 1 2|||T|||x|||R|||N|||0\n"))
    result = redink("convert", "x.m2", "out.jsonl")
    assert result.code == 0
    assert result.err == (
        "redink: warning: x.m2: unusual but kept unchanged: "
        "edits with the span of another edit by the same annotator: 1\n"
        "out.jsonl: 1 sentences from x.m2 (m2 to jsonl)\n"
    )
    assert redink("convert", "x.m2", "out.jsonl", "--quiet") == Result(0, "", "")


def test_list_of_formats(redink: Run) -> None:
    result = redink("convert", "--list")
    assert result.code == 0
    for name in ("m2", "appraise", "nucle", "wi", "jsonl", "wmt-csv", "gug", "ged-tsv", "parallel"):
        assert f"\n{name} " in f"\n{result.out}"


def test_pipes() -> None:
    """``-`` on both sides, in a real process."""
    command = [sys.executable, "-m", "redink", "convert", "-", "-", "--to", "text", "--quiet"]
    run = subprocess.run(command, input=M2, capture_output=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"This are wrong .\n", b"")
    run = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr == b"redink: error: -: is empty\n"


def test_two_things_on_standard_output(redink: Run, tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text("item,label\na,error\nb,ok\nc,ok\n")
    plan = "sample plan cases.csv --blind blind.csv --errors 1 --oks 1 --ok ok --key -"
    refused = redink(*plan.split())
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "redink: error: --key -: standard output is already used; pass a file name\n"
    )
    assert not (tmp_path / "blind.csv").exists()
    assert redink(*plan.split(), "-o", "-") == refused
    assert redink(*plan.split(), "-o", "table.txt").code == 0


def test_a_forgotten_file_is_not_an_option(redink: Run, tmp_path: Path) -> None:
    """``-o`` with nothing behind it does not swallow the next option."""
    (tmp_path / "x.m2").write_text("S a b\n\n")
    code, _, error = redink("annotate", "x.m2", "--auto", "-o", "--fixed")
    assert code == 2
    assert "expected a file, found the option --fixed" in error
    assert [path.name for path in tmp_path.iterdir()] == ["x.m2"]


def test_the_shell_must_be_one_that_completes(redink: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/ksh")
    assert redink("completion") == (2, "", "redink: error: name the shell: bash, zsh, fish\n")
