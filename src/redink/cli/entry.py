"""What a command is: the use case behind it, a line for the list, and examples to type."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from textwrap import indent

import click

from redink.cli.layout import Group

ONE_FILE = "FILE..."
"""The arguments of a command for which one file is enough."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A command. Nothing of it is loaded until it is asked for.

    Attributes:
        summary: its line in the list of commands; of a group's member, its help says it.
        home: its use case, or a command made by hand, as ``module:name``.
        examples: what one can type; a paragraph after it has a heading of its own.
        writes: whether the use case writes its own output, so that its table needs no ``-o``.
        finish: what happens with its table, a function of :mod:`redink.cli.output`.
        more: options that only a terminal has, by their names in :mod:`redink.cli.output`.
        files: the arguments of a command that reads references and systems.
        needs: the extra without which it, or a group's members, cannot run; its help needs nothing.
        about: the help of a group.
        members: the commands of a group.
    """

    summary: str = ""
    home: str = ""
    examples: str = ""
    writes: bool = False
    finish: str = "emit"
    more: tuple[str, ...] = ()
    files: str = "REFERENCE SYSTEM..."
    needs: str | None = None
    about: str = ""
    members: Mapping[str, Entry] | None = None

    def load(self, name: str) -> click.Command:
        """The command, made from its use case."""
        from redink.cli.derive import make_command

        if self.members is not None:
            group = Group(name, help=self.about, epilog=self.epilog)
            for member, entry in self.members.items():
                group.add_command(replace(entry, needs=self.needs).load(member))
            return group
        module, _, attribute = self.home.partition(":")
        found = getattr(importlib.import_module(module), attribute)
        return found if isinstance(found, click.Command) else make_command(name, found, self)

    @property
    def epilog(self) -> str:
        """The examples below the help, their lines as they are."""
        if not self.examples:
            return ""
        first, *others = inspect.cleandoc(self.examples).split("\n\n")
        blocks = ["Examples:\n" + indent(first, "  "), *others]
        return "\n\n".join(f"\b\n{block}" for block in blocks)  # click folds a block without \b
