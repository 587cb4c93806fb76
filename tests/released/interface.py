"""Write the public names of this version: functions with keywords, and commands with options.

    python -m tests.released.interface > tests/released/0.2.0.json

Run this once for every version that is released.
"""

from __future__ import annotations

import inspect
import json
import sys

import click

import redink
from redink.cli.main import cli

Interface = dict[str, dict[str, list[str]]]


def public_interface() -> Interface:
    """Return the names of functions and their keywords, and of commands and their options."""
    functions = {name: getattr(redink, name) for name in redink.__all__}
    commands: dict[str, list[str]] = {}

    def visit(command: click.Command, words: tuple[str, ...]) -> None:
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                member = command.get_command(context, name)
                assert member
                visit(member, (*words, name))
        else:
            options = (n for p in command.params for n in (*p.opts, *p.secondary_opts))
            commands[" ".join(words)] = sorted(name for name in options if name.startswith("--"))

    context = click.Context(cli)
    visit(cli, ())
    return {
        "functions": {
            name: sorted(inspect.signature(value).parameters) if inspect.isfunction(value) else []
            for name, value in functions.items()
        },
        "commands": commands,
    }


if __name__ == "__main__":
    json.dump(public_interface(), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")
