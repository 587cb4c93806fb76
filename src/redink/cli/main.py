"""The command line: finds the command, runs it, and turns errors into one sentence."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from typing import TextIO

import click
from click.shell_completion import CompletionItem

from redink._version import __version__
from redink.cli.layout import Group
from redink.errors import RedinkError, RedinkWarning

# The order is the order of `redink --help`: the order in which the work is done.
COMMANDS: dict[str, str] = {
    "annotate": "parallel text to typed edits (M2), or the edits of an M2 file anew",
    "explain": "the edits between two sentences, and why each has its type",
    "convert": "any format to any other",
    "score": "every system under every metric, by error type, with intervals",
    "compare": "system against system, by paired tests",
    "detection": "true and false positives and negatives, every measure of them, curves",
    "agreement": "judges against each other",
    "crowd": "systems against a crowd, and the crowd itself",
    "sample": "evaluate without annotating everything",
    "rank": "systems in the order of human judgments, with ranges and clusters",
    "meta": "metrics against human judgments",
    "detect": "the reference detectors: train, run, cloze test, mine",
    "campaign": "collect judgments in a browser",
    "report": "one HTML page with everything",
    "reproduce": "the published tables, ours beside theirs",
    "demo": "everything, on the bundled example",
    "completion": "completion by the Tab key, for bash, zsh and fish",
}
# Where a section of that list begins.
SECTIONS = {"annotate": "Texts", "score": "Systems", "agreement": "Judgments", "detect": "More"}


class _LazyGroup(Group):
    """Loads a command's module only when it is asked for, so that start-up stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"redink.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        sections: list[tuple[str, list[tuple[str, str]]]] = []
        for name, what in COMMANDS.items():
            if name in SECTIONS:
                sections.append((SECTIONS[name], []))
            sections[-1][1].append((name.ljust(max(map(len, COMMANDS))), what))
        for title, rows in sections:
            with formatter.section(title):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Without loading the commands: the shell waits."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=what)
            for name, what in COMMANDS.items()
            if name.startswith(incomplete)
        ]


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: redink demo",
)
@click.version_option(__version__, prog_name="redink")
def cli() -> None:
    """Evaluate systems that detect and correct grammatical errors.

    Bring system outputs, gold corrections and human judgments; get scores to publish and trust.
    Each command explains itself with examples: redink COMMAND --help.
    """


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, RedinkWarning):
        click.echo(f"redink: warning: {message}", err=True)
    else:
        _default_show_warning(message, category, filename, lineno, file, line)


_default_show_warning = warnings.showwarning


def main() -> None:
    """Run the command line and leave with its exit code."""
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", RedinkWarning)
    try:
        # what a command hands to ctx.exit comes back as the result
        code = cli.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except RedinkError as error:
        click.echo(f"redink: error: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("redink: interrupted; nothing half-written was left behind", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): no error, and no complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
