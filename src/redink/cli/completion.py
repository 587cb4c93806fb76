"""``redink completion``: the script with which a shell completes the commands of redink."""

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
    "  redink completion zsh > ~/.zfunc/_redink         # a folder in fpath\n"
    "  redink completion fish > ~/.config/fish/completions/redink.fish\n"
    '  eval "$(redink completion bash)"                 # only in this shell',
)
@click.argument("shell", type=click.Choice(SHELLS), required=False, metavar="[SHELL]")
def command(shell: str | None) -> None:
    """Print a script with which SHELL completes commands, options and file names.

    SHELL is bash, zsh or fish; by default your login shell. Save the output where your shell looks
    for completions, and start a new shell.
    """
    chosen = shell or Path(os.environ.get("SHELL", "")).name
    kind = get_completion_class(chosen)
    if kind is None or chosen not in SHELLS:
        raise OptionError(f"name the shell: {', '.join(SHELLS)}")
    from redink.cli.main import cli

    click.echo(kind(cli, {}, PROGRAM, VARIABLE).source())
