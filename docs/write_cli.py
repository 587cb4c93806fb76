"""Write docs/cli.md: every page of ``redink --help``, as it is.

    python docs/write_cli.py [--check]

``--check`` writes nothing and exits with 1 if the page is not current.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from redink.cli.layout import walk_commands
from redink.cli.main import cli

PAGE = Path(__file__).with_name("cli.md")
HEAD = """# Command line reference

<!-- Written by `make docs` from the program itself: do not edit. -->

Every command and what `--help` says about it. What all of them share, and what scripts can rely
on, is on the page about [output](output.md); each capability has its own page with explanations.
"""


def render() -> str:
    """The page."""
    parts = [HEAD]
    for path, command in walk_commands(cli, ("redink",)):
        name = " ".join(path)
        context = click.Context(
            command, info_name=name, terminal_width=88, help_option_names=["-h", "--help"]
        )
        parts.append(f"## {name}\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def main() -> int:
    """Write the page, or say that it is old."""
    page = render()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page:
        return 0
    sys.stderr.write("docs/cli.md is not what redink --help says; run: make docs\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
