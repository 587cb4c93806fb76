"""The documentation is part of the program: every command is in it and every example runs."""

from __future__ import annotations

import io
import re
from contextlib import chdir, redirect_stdout
from pathlib import Path

import click
import pytest
from docs.write_examples import BLOCK, PAGES, copy_example, matches, run, steps_of

from redink.cli.main import COMMANDS, cli


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_do_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The examples of a page, one after the other, run and print what the page shows.

    They are run in a folder with the bundled example. ``make docs`` writes the pages again after a
    change of what is printed.
    """
    monkeypatch.setenv("COLUMNS", "100")
    folder = tmp_path / "example"
    copy_example(folder)
    for language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            with chdir(folder), redirect_stdout(io.StringIO()):
                exec(compile(text, page.name, "exec"), {"__name__": "__main__"})  # noqa: S102
            continue
        for step in steps_of(text):
            if step.is_ours:
                found = run(step.command, folder)
                assert found.code == 0, f"{step.command}\n{found.errors}"
                if step.shown:
                    assert matches(step.shown, found.printed), "\n".join(found.printed)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_command_is_documented(name: str) -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert f"$ redink {name}" in pages


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_option_is_explained(name: str) -> None:
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
