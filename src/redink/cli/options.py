"""Options that several commands share, and how their results leave."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from redink.errors import DataError
from redink.files import write_atomically
from redink.model import Table
from redink.reports.tables import RENDERERS, print_table, render

Function = TypeVar("Function", bound=Callable[..., Any])


def table_options(function: Function) -> Function:
    """``--format``, ``-o`` and ``--quiet`` for a command that answers with a table."""
    for decorate in (
        click.option("--quiet", "-q", is_flag=True, help="No progress and no warnings on stderr."),
        click.option(
            "--output", "-o", type=click.Path(path_type=Path), help="Write here, not to stdout."
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(list(RENDERERS)),
            default="table",
            show_default=True,
            help="The form of the result.",
        ),
    ):
        function = decorate(function)
    return function


def seed_option(function: Function) -> Function:
    """``--seed``: the same seed gives the same bytes."""
    return click.option(
        "--seed", type=click.IntRange(min=0), default=1, show_default=True,
        help="Seed of everything random: same seed, same output.",
    )(function)  # fmt: skip


def emit(table: Table, *, form: str, output: Path | None, quiet: bool = False) -> None:  # noqa: ARG001
    """Print the table, or write it to a file that appears only when it is whole."""
    if output is not None:
        with write_atomically(output) as stream:
            stream.write(render(table, form))
    elif form == "table":
        print_table(table, sys.stdout)
    else:
        sys.stdout.write(render(table, form))
        sys.stdout.flush()


def parse_systems(arguments: tuple[str, ...]) -> dict[str, Path]:
    """``NAME=PATH`` or ``PATH`` (named by its stem), each name once."""
    systems: dict[str, Path] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals or not name or Path(argument).exists():
            name, path = Path(argument).stem, argument
        if name in systems:
            raise DataError(
                f"two systems are called {name!r}: {systems[name]} and {path}; "
                "give one of them another name with NAME=PATH"
            )
        systems[name] = Path(path)
    return systems
