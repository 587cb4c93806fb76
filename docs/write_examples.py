"""Run the examples in the docs pages, and update the output that the pages show.

    python -m docs.write_examples [PAGE...]

An example is a ``console`` or ``python`` block. In a ``console`` block, every line that begins with
``$`` is a command, and the lines up to the next command are its output; no lines mean that the page
does not show the output. A line ``...`` matches any number of lines. ``tests/test_docs.py`` checks
the same blocks.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "src" / "redink" / "examples"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "papers").glob("*.md")),
]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
REST = "..."
_FOR_A_SHELL = re.compile(r"[|><*;&$]")


@dataclass(frozen=True)
class Step:
    """A command, on one line or several, and the output that the page shows."""

    typed: str
    shown: tuple[str, ...]

    @property
    def command(self) -> str:
        """Return the command as one line."""
        return re.sub(r"\\\n\s*", "", self.typed)

    @property
    def is_ours(self) -> bool:
        """Return whether it is a redink command; make, pip and other programs are not run."""
        return self.command.split()[0] == "redink"


@dataclass(frozen=True)
class Outcome:
    """The output and the exit code of a command."""

    code: int
    printed: tuple[str, ...]
    errors: str


def steps_of(block: str) -> Iterator[Step]:
    """Yield the commands of a block; a backslash at the end of a line continues the command."""
    for typed, shown in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        yield Step(typed, tuple(line.rstrip() for line in shown.splitlines()))


def copy_example(folder: Path) -> None:
    """Copy the bundled example into a folder, where a page's examples run one after another."""
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))


def run(command: str, folder: Path) -> Outcome:
    """Run a redink command as if it were typed in that folder."""
    if _FOR_A_SHELL.search(command):
        line = command.replace("redink", f"{shlex.quote(sys.executable)} -m redink", 1)
        ran = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return Outcome(ran.returncode, _lines(ran.stdout), ran.stderr)
    from redink.cli.main import run_here

    out, err = io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = run_here(shlex.split(command, comments=True)[1:])
    return Outcome(code, _lines(out.getvalue()), err.getvalue())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in text.strip("\n").splitlines())


def matches(shown: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Return whether a page shows the printed output; ``...`` matches any lines."""
    if not shown:
        return not printed
    if shown[0].strip() == REST:
        return any(matches(shown[1:], printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and matches(shown[1:], printed[1:])


def rewrite(page: str, folder: Path) -> str:
    """Return the page with the current output of its examples."""

    def write(block: re.Match[str]) -> str:
        if block[1] == "python":
            subprocess.run([sys.executable, "-c", block[2]], cwd=folder, check=True)
            return block[0]
        lines = []
        for step in steps_of(block[2]):
            lines.append(f"$ {step.typed}")
            if step.is_ours:
                printed = run(step.command, folder).printed
                lines += printed if step.shown and REST not in step.shown else step.shown
        return "```console\n" + "\n".join(lines) + "\n```"

    return BLOCK.sub(write, page)


def main() -> None:
    """Write the pages."""
    os.environ["COLUMNS"] = "100"
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "example"
            copy_example(folder)
            text = page.read_text(encoding="utf-8")
            new = rewrite(text, folder)
        if new != text:
            page.write_text(new, encoding="utf-8")
            click.echo(f"{page.relative_to(ROOT)} written")


if __name__ == "__main__":
    main()
