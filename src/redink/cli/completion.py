"""``redink completion``: what a shell must know to complete our commands."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from redink.cli.layout import Command
from redink.errors import OptionError

SHELLS = ("bash", "zsh", "fish")
PROGRAM, VARIABLE = "redink", "_REDINK_COMPLETE"


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink completion bash > ~/.local/share/bash-completion/completions/redink\n"
    "  redink completion zsh > ~/.zfunc/_redink         # a folder of your fpath\n"
    "  redink completion fish > ~/.config/fish/completions/redink.fish\n"
    '  eval "$(redink completion bash)"                 # in this shell alone',
)
@click.argument("shell", type=click.Choice(SHELLS), required=False, metavar="[SHELL]")
def command(shell: str | None) -> None:
    """Print the script that makes SHELL complete commands, options and file names.

    SHELL is bash, zsh or fish; without it, the one that is running. Put the output where
    your shell looks for completions; it holds from the next shell on.
    """
    chosen = shell or Path(os.environ.get("SHELL", "")).name
    kind = get_completion_class(chosen)
    if kind is None or chosen not in SHELLS:
        raise OptionError(f"name the shell: {', '.join(SHELLS)}")
    from redink.cli.main import cli

    click.echo(kind(cli, {}, PROGRAM, VARIABLE).source())
