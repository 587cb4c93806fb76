"""``--help`` of every command, as a demanding reader sees it, and completion in a real shell."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from redink.cli.layout import (
    COMMON_OPTIONS,
    OPTION_SECTIONS,
    fold_example,
    walk_commands,
)
from redink.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]


COMMANDS = {" ".join(path): command for path, command in walk_commands(cli, ("redink",))}


def help_of(name: str, width: int, *, short: bool = False) -> str:
    COMMANDS[name]._help_option = None  # click keeps the one of the first context, without -h
    context = click.Context(
        COMMANDS[name],
        info_name=name,
        terminal_width=min(width, 100),
        help_option_names=["-h", "--help"],
    )
    if short:
        with contextlib.suppress(click.exceptions.Exit), contextlib.redirect_stdout(io.StringIO()):
            COMMANDS[name].parse_args(context, ["-h"])
    return COMMANDS[name].get_help(context)


def examples_of(name: str) -> list[list[str]]:
    """The words of every example on the page, with continued lines joined."""
    text = help_of(name, 80).replace("\\\n", " ")
    _, _, examples = text.partition("Examples:\n")
    lines = [line.strip() for line in examples.split("\n\n")[0].splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("redink ")]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_every_page_is_written_in_one_way(name: str, width: int) -> None:
    page = help_of(name, width)
    assert max(map(len, page.splitlines())) <= width
    assert not re.search(r"INTEGER|FLOAT|RANGE|--\S+ PATH|By default|Default:", page)
    assert not re.search(r"\[default[^]]*\] +\[", " ".join(page.split()))


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "redink"])
def test_every_page_ends_with_examples_that_parse(name: str) -> None:
    """Each command and subcommand shows an example, and its options exist with such values."""
    examples = examples_of(name)
    assert any(" ".join(words).startswith(name) for words in examples)
    for words in examples:
        if "*" in " ".join(words) or ">" in words:
            words = words[: words.index(">")] if ">" in words else words  # noqa: PLW2901
        command, context, rest = cli, click.Context(cli, info_name="redink"), words[1:]
        while isinstance(command, click.Group):
            found = command.get_command(context, rest[0])
            assert found is not None, words
            command, rest = found, rest[1:]
        command.make_context(command.name, list(rest))


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help_is_one_screen(name: str) -> None:
    """At most 40 lines of 80 columns: usage, examples, then the common options."""
    page = help_of(name, 80, short=True)
    assert max(map(len, page.splitlines())) <= 80
    command = COMMANDS[name]
    options = [p for p in command.params if isinstance(p, click.Option)]
    if len(options) < 12:  # and --help
        return
    assert len(page.splitlines()) <= 40
    assert page.index("Usage:") < page.index("Examples:\n    redink") < page.index("Options:\n")
    shown = re.findall(r"^  -", page.partition("Options:\n")[2], re.MULTILINE)
    assert 3 <= len(shown) <= 12
    assert re.search(rf"^All \d+ options: {name} --help$", page, re.MULTILINE)


def test_all_options_are_in_named_sections() -> None:
    """``--help`` has the options of the command first, then those of many commands by section."""
    titles = re.findall(r"^(\S.*):$", help_of("redink score", 80), re.MULTILINE)
    assert titles == ["Options", *OPTION_SECTIONS]
    named = " ".join(OPTION_SECTIONS.values()).split()
    exist = {p.name for command in COMMANDS.values() for p in command.params} | {"help"}
    assert {*named, *COMMON_OPTIONS.split()} <= exist
    assert len(named) == len({*named})


def test_an_option_of_many_commands_is_the_same_everywhere() -> None:
    """``-o``, ``-q``, ``--seed``, ``--workers``, ``--format`` have one name, type and default."""
    common = {"--quiet", "--verbose", "--seed", "--workers", "--format", "--output"}
    shapes: dict[str, set[tuple[object, ...]]] = {}
    for command in COMMANDS.values():
        for option in command.params:
            for spelling in option.opts:
                if spelling in common:
                    shape = tuple(sorted(option.opts)), option.type.name
                    shapes.setdefault(spelling, set()).add(shape)
    assert shapes.keys() == common
    assert shapes["--output"] == {
        (("--output", "-o"), "file"),
        (("--output", "-o"), "directory"),  # report, demo
    }
    assert all(len(found) == 1 for name, found in shapes.items() if name != "--output"), shapes


def test_a_long_example_is_folded_as_a_shell_reads_it() -> None:
    line = "  redink score gold.m2 careful.txt eager.txt --metric errant,m2  # both"
    folded = list(fold_example(line, 50))
    assert folded == [
        "  # both",
        "  redink score gold.m2 careful.txt eager.txt \\",
        "      --metric errant,m2",
    ]
    assert list(fold_example(line, 80)) == [line]
    quoted = 'redink explain "He go home ." "He goes home ."'
    assert list(fold_example(quoted, 40)) == [
        'redink explain "He go home ." \\',
        '    "He goes home ."',
    ]


def test_help_of_the_campaign_needs_no_extra() -> None:
    """A page can be read where the libraries of the extra are missing; running says what to do."""
    code = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv = ['redink', *sys.argv[1:]]\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'uvicorn' else find(name, *rest)\n"
        "from redink.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "campaign"]
    page = subprocess.run(
        [*command, "create", "--help"], capture_output=True, text=True, check=False
    )
    assert page.returncode == 0, page.stderr
    run = subprocess.run([*command, "serve", "c.db"], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "redink[campaign]" in run.stderr


def test_help_of_these_commands_comes_without_numpy() -> None:
    names = "annotate explain align convert analyzer campaign cache corpora compat demo completion"
    code = (
        "import sys; from redink.cli.catalogue import COMMANDS\n"
        "for name in sys.argv[1:]: COMMANDS[name].load(name)\n"
        "sys.exit('numpy' in sys.modules)"
    )
    command = [sys.executable, "-c", code, *names.split()]
    assert subprocess.run(command, check=False).returncode == 0


def test_reference_of_the_command_line_is_current() -> None:
    """``docs/cli.md`` and ``docs/commands/`` are as `make docs` writes them."""
    run = subprocess.run(
        [sys.executable, ROOT / "docs" / "write_cli.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_script_of_each_shell(shell: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "redink", "completion", shell],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"_REDINK_COMPLETE={shell}_complete" in run.stdout


def type_into_bash(lines: list[str], folder: Path, *, until: str) -> str:
    """What a terminal with an interactive bash shows after these keys."""
    programs = Path(sys.executable).parent
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "TERM": "dumb",
        "PS1": "> ",
        "HOME": str(folder),
    }
    shown = b""
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover (becomes the shell)
        os.chdir(folder)
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment)  # noqa: S606
    try:
        for line in lines:
            os.write(terminal, line.encode())
            mark = f"ready{len(line)}" if line.endswith("\n") else until
            if line.endswith("\n"):
                os.write(terminal, f"echo re''ady{len(line)}\n".encode())
            begin = len(shown)
            while mark.encode() not in shown[begin:]:
                shown += os.read(terminal, 4096)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    return shown.decode()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash on this machine")
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("redink sc\t", "redink score "),
        ("redink campaign cre\t", "redink campaign create "),
        ("redink score --metr\t", "redink score --metric "),
        ("redink score --level detection-t\t", "detection-token "),
        ("redink score gold.m2 care\t", "gold.m2 careful.txt "),
        ("redink score gold.m2 Mine=care\t", "Mine=careful.txt "),
    ],
)
def test_the_tab_key_completes_in_bash(tmp_path: Path, keys: str, expected: str) -> None:
    """Commands, subcommands, options, their values, and files, also after ``NAME=``."""
    for name in ("gold.m2", "careful.txt", "eager.txt"):
        (tmp_path / name).touch()
    setup = 'eval "$(redink completion bash)"\n'
    assert expected in type_into_bash([setup, keys], tmp_path, until=expected)
