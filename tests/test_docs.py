"""The documentation is part of the program: every command is in it and every example runs."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from redink.cli.main import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "src" / "redink" / "examples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str, str]]:
    """Page, language and text of every block that must run."""
    found = []
    for page in PAGES:
        for number, match in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8")), start=1):
            found.append((f"{page.name}-{number}", match[1], match[2]))
    return found


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bundled example, where the examples of one run follow one another."""
    folder = tmp_path_factory.mktemp("docs") / "example"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    return folder


def commands_of(block: str) -> list[str]:
    """The lines a reader would type: those after ``$``, with their continuations."""
    joined = block.replace("\\\n", " ")
    return [line[2:] for line in joined.splitlines() if line.startswith("$ ")]


@pytest.mark.parametrize(
    ("language", "text"), [b[1:] for b in blocks()], ids=[b[0] for b in blocks()]
)
def test_example_runs(language: str, text: str, playground: Path) -> None:
    """An example in the docs does what the reader sees: it runs, and exits without an error."""
    if language == "python":
        run = subprocess.run(
            [sys.executable, "-c", text],
            cwd=playground,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        return
    for line in commands_of(text):
        words = shlex.split(line, comments=True)
        if words[0] != "redink":
            continue  # make, pip and the like are shown, not tested
        command = line.replace("redink", f"{shlex.quote(sys.executable)} -m redink", 1)
        run = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=playground,
            capture_output=True,
            text=True,
            check=False,
        )
        # 1 is an answer, not a failure: a comparison that the user asked to be checked.
        assert run.returncode in {0, 1}, f"{line}\n{run.stderr}"


@pytest.mark.parametrize("name", list(COMMANDS))
def test_command_is_documented(name: str) -> None:
    """Every command stands on some page of the docs, with an example."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert f"$ redink {name}" in pages


@pytest.mark.parametrize("name", list(COMMANDS))
def test_help_teaches(name: str) -> None:
    """``--help`` of every command says what it does and shows at least one example."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    text = command.get_help(click.Context(command, info_name=f"redink {name}"))
    assert f"redink {name}" in text.split("Usage:", 1)[1].split("\n", 1)[1], text


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_option_is_explained(name: str) -> None:
    """No option without a sentence of help, in commands and their subcommands."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    members = list(command.commands.values()) if isinstance(command, click.Group) else [command]
    for member in members:
        for option in member.params:
            if isinstance(option, click.Option):
                assert option.help, f"{name} {member.name}: {option.name}"


def test_links_between_pages_lead_somewhere() -> None:
    """A relative link in README or docs points at a file that exists."""
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
