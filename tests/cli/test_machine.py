"""Failures of the machine: a full disk, a closed pipe, a signal. Real processes, no mocks."""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest
from campaign_driver import free_port

REDINK = (sys.executable, "-m", "redink")
EXAMPLE = Path(str(files("redink") / "examples"))
INTERRUPTED = "redink: interrupted; no incomplete file is left behind\n"
TICKS = os.sysconf("SC_CLK_TCK")
LOADED = 0.02
"""Seconds of CPU time after which a process that listens to signals is at work."""

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs Linux")


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The bundled example, and the folder in which commands run."""
    shutil.copytree(EXAMPLE, tmp_path / "here", ignore=shutil.ignore_patterns("*.py", "__*"))
    return tmp_path / "here"


def run(
    folder: Path, *arguments: str, before: Callable[[], None] | None = None, **options: object
) -> Result:
    # on a full disk Python would leave half of a compiled module of ours, and `make coverage` fail
    kept = {n: value for n, value in os.environ.items() if not n.startswith("COVERAGE_")}
    kept["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(  # type: ignore[call-overload]
        [*REDINK, *arguments],
        cwd=folder,
        check=False,
        text=True,
        preexec_fn=before,
        **{"capture_output": True, "stdin": subprocess.DEVNULL, "env": kept, **options},
    )
    return Result(done.returncode, done.stdout, done.stderr)


def shell(folder: Path, line: str) -> Result:
    line = line.replace("redink", " ".join(REDINK))
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, check=False, text=True, capture_output=True
    )
    return Result(done.returncode, done.stdout, done.stderr)


def new_files(folder: Path) -> set[str]:
    known = {path.name for path in EXAMPLE.iterdir()}
    return {str(p.relative_to(folder)) for p in folder.rglob("*")} - known


# ---- a full disk


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))


FULL = {
    "convert": "convert gold.m2 out.jsonl",
    "compressed": "convert rankings.xml out.csv.gz",
    "table": "score gold.m2 careful.txt --metric m2 --format html -o o",
    "two files": "score gold.m2 careful.txt --metric m2 --sentences s.jsonl -o out.csv "
    "--format csv",
    "plot": "rank rankings.xml --bootstrap 50 --plot out.png",
    "campaign": "campaign create c.db --task edit-check --from gold.m2",
    "folder": "report gold.m2 careful.txt -o report --bootstrap 2 --metric m2",
}


@pytest.mark.parametrize("case", list(FULL))
def test_full_disk(case: str, folder: Path) -> None:
    result = run(folder, *FULL[case].split(), before=small_files)
    assert result.code == 2, result
    assert result.err.count("\n") == 1, result.err
    assert result.err.startswith("redink: error: ")
    assert "cannot be" in result.err
    assert not new_files(folder)


@pytest.mark.parametrize("form", ["table", "csv"])
def test_full_standard_output(form: str, folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        words = ["rank", "rankings.xml", "--bootstrap", "50", "--format", form]
        streams = {"stdout": full, "stderr": subprocess.PIPE, "capture_output": False}
        result = run(folder, *words, **streams)
    assert result.code == 2
    assert result.err == "redink: error: standard output cannot be written (the disk is full)\n"


# ---- streams


def test_reader_who_leaves(folder: Path) -> None:
    """``| head`` ends the work quietly, with the code that a shell gives to a broken pipe."""
    (folder / "large.m2").write_text((EXAMPLE / "gold.m2").read_text() * 40)
    line = "redink convert large.m2 - --to jsonl | head -n 1; exit ${PIPESTATUS[0]}"
    result = shell(folder, line)
    assert (result.code, result.err) == (141, "")
    assert result.out.count("\n") == 1
    # an output that fits into the pipe is written before anybody can leave
    result = shell(folder, "set -o pipefail; redink --version | head -n 1")
    assert (result.code, result.err) == (0, "")


def test_closed_streams(folder: Path) -> None:
    result = shell(folder, "redink convert - out.m2 <&-")
    assert (result.code, result.err) == (2, "redink: error: -: is empty\n")
    result = shell(folder, "redink rank rankings.xml --bootstrap 50 >&-")
    assert result.code == 2
    assert result.err.startswith("redink: error: standard output cannot be written (")
    assert result.err.count("\n") == 1
    result = shell(folder, "redink convert gold.m2 out.jsonl >&- 2>&-")
    assert result == Result(0, "", "")
    assert (folder / "out.jsonl").read_text().count("\n") == 64


def test_terminal_without_unicode(folder: Path) -> None:
    """A locale of another encoding: results in a pipe are UTF-8 all the same."""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    result = run(
        folder, "explain", "caf", "café", "--format", "csv", env=environment, encoding="utf-8"
    )
    assert result.code == 0
    assert "café" in result.out


# ---- signals


LONG = {
    "score": "score gold.m2 careful.txt eager.txt --bootstrap 20000 --sentences s.jsonl "
    "-o out.csv --format csv",
    "annotate": "annotate large.txt other.txt -o out.m2",
    "two workers": "annotate large.txt other.txt -o out.m2 --workers 2",
    "compare": "compare gold.m2 careful.txt eager.txt --samples 30000 -o o",
    "rank": "rank rankings.xml --method trueskill --bootstrap 90000 -o out",
    "report": "report gold.m2 careful.txt eager.txt -o report",
    "detector train": "detector train large.txt -o my.model",
    "campaign create": "campaign create c.db --task edit-check --from large.m2 "
    + " ".join(f"--judge=j{n}" for n in range(20)),
    "campaign serve": "campaign serve ready.db --port",
}


@pytest.fixture
def started(folder: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a command in a process group of its own, as a terminal does."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*REDINK, *arguments],
            cwd=folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONFAULTHANDLER": "1"},
        )
        running.append(process)
        return process

    yield start
    for process in running:
        hangs = process.poll() is None
        if hangs:
            process.send_signal(signal.SIGABRT)  # where it is, it says as it ends
            time.sleep(1)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        _, err = process.communicate()
        if hangs:
            sys.stderr.write(err)


def wait_for_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Until it has used so much CPU time since our code runs, however slow the machine is.

    While Python starts, it leaves SIGTERM to the system; our code takes it first of all.
    """
    began = None
    while process.poll() is None:
        about = Path(f"/proc/{process.pid}")
        numbers = (about / "stat").read_text().rpartition(")")[2].split()
        used = (int(numbers[11]) + int(numbers[12])) / TICKS
        if began is None:
            caught = re.findall(r"^SigCgt:\s*(\w+)$", (about / "status").read_text(), re.MULTILINE)
            if int(caught[0], 16) >> (signal.SIGTERM - 1) & 1:
                began = used
        elif used - began >= seconds:
            return
        time.sleep(0.002)


@pytest.mark.parametrize("command", list(LONG))
def test_interrupted(
    command: str, folder: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    """Ctrl-C or kill at a random moment: an exit code that says so, a word, nothing left behind."""
    (folder / "large.txt").write_text((EXAMPLE / "source.txt").read_text() * 60)
    (folder / "other.txt").write_text((EXAMPLE / "eager.txt").read_text() * 60)
    (folder / "large.m2").write_text((EXAMPLE / "gold.m2").read_text() * 20)
    if "ready.db" in LONG[command]:
        made = run(
            folder, "campaign", "create", "ready.db", "--task", "edit-check", "--from", "gold.m2"
        )
        assert made.code == 0, made
    rng = random.Random(command)
    port = [str(free_port())] if command == "campaign serve" else []
    signals = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
    for number, code in signals if command in {"score", "two workers"} else signals[:1]:
        known = new_files(folder)
        process = started(*LONG[command].split(), *port)
        if port:
            wait_until_listening(process, int(port[0]))
        else:  # with two workers, this process has little to do itself
            wait_for_work(process, rng.uniform(LOADED, 0.3 if command == "two workers" else 0.8))
        if number == signal.SIGTERM:
            process.send_signal(number)
        elif process.poll() is None:
            os.killpg(process.pid, number)  # all of them, as a terminal does
        _, err = process.communicate()
        if process.returncode == 0:
            continue  # it was quicker than we were
        said = [line for line in err.splitlines(True) if not line.startswith("Serving ")]
        assert process.returncode == code, err
        assert "".join(said) == INTERRUPTED
        left = {name for name in new_files(folder) - known if not name.endswith(KEPT)}
        assert not left


KEPT = ("-wal", "-shm", "-serving")
"""Files of a database that may stay: the journal of SQLite and the lock of the server."""


def wait_until_listening(process: subprocess.Popen[str], port: int) -> None:
    while process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)


def test_repeated_signals(folder: Path, started: Callable[..., subprocess.Popen[str]]) -> None:
    process = started(*LONG["score"].split())
    wait_for_work(process, 0.5)
    for _ in range(3):
        os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, INTERRUPTED)
    assert not new_files(folder)
    short = [*LONG["score"].split(), "--metric", "m2"]
    short[short.index("20000")] = "20"
    assert run(folder, *short).code == 0, "a re-run works"
    assert new_files(folder) == {"s.jsonl", "out.csv"}


EARLY = """
import signal
import redink.cli.main
from redink.__main__ import main

redink.cli.main._fix_standard_streams = lambda: signal.raise_signal(signal.SIGINT)
main()
"""


def test_interrupted_before_the_work_begins(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
