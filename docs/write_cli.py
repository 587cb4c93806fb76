"""Write docs/cli.md and docs/commands/: the reference of all commands, from their help.

    python docs/write_cli.py [--check]

``--check`` writes nothing and exits with 1 if a page is not current.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from redink.cli.catalogue import COMMANDS, SECTIONS
from redink.cli.layout import Command, describe_option, walk_commands
from redink.cli.main import cli

DOCS = Path(__file__).parent
WRITTEN = "<!-- Written by `make docs` from the program itself: do not edit. -->"
HEAD = f"""# Command line reference

{WRITTEN}

This page lists all commands. Each command has a page with its usage, examples and options.
On the command line, `redink COMMAND -h` shows examples and the common options, and
`redink COMMAND --help` shows all options.

The page about [output](output.md) describes table formats, plots and what scripts can rely on.
"""


def render_all() -> dict[Path, str]:
    """Return the text of every page by its path."""
    pages = {DOCS / "cli.md": render_overview()}
    for path, command in walk_commands(cli, ("redink",)):
        if path[1:]:
            pages[DOCS / "commands" / page_name(path)] = render_command(path, command)
    return pages


def page_name(path: tuple[str, ...]) -> str:
    """Return the file name of the page of a command."""
    return f"{'-'.join(path[1:])}.md"


def render_overview() -> str:
    """Return the page that lists all commands by purpose."""
    lines = [HEAD]
    for title, names in SECTIONS.items():
        lines.append(f"## {title}\n")
        for name in names.split():
            command = cli.get_command(click.Context(cli), name)
            assert command is not None
            lines.append(f"- [`redink {name}`](commands/{name}.md): {COMMANDS[name].summary}")
            for path, member in [*walk_commands(command, ("redink", name))][1:]:
                link = f"[`{' '.join(path)}`](commands/{page_name(path)})"
                lines.append(f"  - {link}: {_summary(member)}")
        lines.append("")
    return "\n".join(lines)


def render_command(path: tuple[str, ...], command: click.Command) -> str:
    """Return the page of a command: summary, usage, description, examples, options by section."""
    context = click.Context(
        command,
        info_name=" ".join(path),
        terminal_width=88,
        help_option_names=["-h", "--help"],
    )
    usage = context.get_usage().removeprefix("Usage: ")
    summary = COMMANDS[path[1]].summary if len(path) == 2 else _summary(command)
    described = (command.help or "").strip().removeprefix(f"{summary}.")
    parts = [
        f"# {' '.join(path)}\n\n{WRITTEN}\n\n{_prose(summary)}.",
        f"## Usage\n\n{_fence(usage)}",
        *_paragraphs(described),
    ]
    if isinstance(command, click.Group):
        members = [*walk_commands(command, path)][1:]
        lines = [f"- [`{' '.join(name)}`]({page_name(name)}): {_summary(m)}" for name, m in members]
        parts += ["## Commands", "\n".join(lines)]
    assert isinstance(command, Command)
    formatter = context.make_formatter()
    command.format_epilog(context, formatter)
    if examples := formatter.getvalue().strip("\n"):
        examples = re.sub(r"^  ", "", examples, flags=re.MULTILINE).removeprefix("Examples:\n")
        parts.append(f"## Examples\n\n{_fence(re.sub(r'^  ', '', examples, flags=re.MULTILINE))}")
    sections = command.sections(context) if command.params else {}
    for title, options in sections.items():
        parts.append("## Options" if title == "Options" else f"## {title} options")
        for option in options:
            names, text = describe_option(option, context)
            parts += [f"### `{names}`", _prose(text)]
    parts.append("[All commands](../cli.md)")
    return "\n\n".join(parts) + "\n"


def _summary(command: click.Command) -> str:
    return command.get_short_help_str(limit=300).rstrip(".")


def _fence(text: str) -> str:
    return f"```text\n{text}\n```"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in filter(None, text.strip().split("\n\n")):
        is_laid_out = paragraph.startswith("\b")
        yield _fence(paragraph.strip("\b\n")) if is_laid_out else _prose(paragraph)


def _prose(text: str) -> str:
    """Return text as Markdown, with options as code."""
    text = " ".join(text.replace("\N{NON-BREAKING HYPHEN}", "-").split())
    text = re.sub(r"([\\`*_<>\[\]#])", r"\\\1", text)
    return re.sub(r"(?<![\w-])(--[a-z][a-z-]*[a-z]|-[a-z])(?![\w-])", r"`\1`", text)


def main() -> int:
    """Write the pages, or report that one is not current."""
    pages = render_all()
    folder = DOCS / "commands"
    old = {path for path in folder.glob("*.md") if path not in pages}
    if "--check" not in sys.argv[1:]:
        folder.mkdir(exist_ok=True)
        for path in old:
            path.unlink()
        for path, text in pages.items():
            path.write_text(text, encoding="utf-8")
        return 0
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            old.add(path)
    for path in sorted(old):
        sys.stderr.write(f"docs/{path.relative_to(DOCS)} is not current; run: make docs\n")
    return int(bool(old))


if __name__ == "__main__":
    sys.exit(main())
