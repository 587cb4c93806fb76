"""Options that several commands share, and how their results leave."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from redink.errors import DataError, RedinkWarning
from redink.files import write_atomically
from redink.model.tables import FORMS, Table
from redink.reports.tables import print_table

Function = TypeVar("Function", bound=Callable[..., Any])


_QUIET = "redink.quiet"


def _be_quiet(context: click.Context, _option: click.Parameter, quiet: bool) -> None:
    context.meta[_QUIET] = quiet
    if quiet:
        warnings.simplefilter("ignore", RedinkWarning)


def is_quiet() -> bool:
    """Whether the user has said ``--quiet``."""
    return bool(click.get_current_context().meta.get(_QUIET))


def quiet_option(function: Function) -> Function:
    """``--quiet``: nothing on stderr but errors. Commands ask for it with :func:`is_quiet`."""
    return click.option(
        "--quiet",
        "-q",
        is_flag=True,
        callback=_be_quiet,
        expose_value=False,
        help="No progress and no warnings on stderr.",
    )(function)


def table_options(function: Function) -> Function:
    """``--format``, ``-o`` and ``--quiet`` for a command that answers with a table."""
    for decorate in (
        quiet_option,
        click.option(
            "--output", "-o", type=click.Path(path_type=Path), help="Write here. [default: stdout]"
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMS.names),
            default="table",
            show_default=True,
            help="The form of the result.",
        ),
    ):
        function = decorate(function)
    return function


def plot_size_option(function: Function) -> Function:
    """``--plot-size``, for a command with ``--plot``."""
    return click.option(
        "--plot-size",
        type=click.Choice(["column", "page", "screen"]),
        default="screen",
        show_default=True,
        help="For one column of a paper, the width of its page, or the screen.",
    )(function)


def seed_option(function: Function) -> Function:
    """``--seed``: the same seed gives the same bytes."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=1,
        show_default=True,
        help="Seed of everything random: same seed, same output.",
    )(function)


def emit(table: Table, *, form: str, output: Path | None) -> None:
    """Print the table, or write it to a file that appears only when it is whole."""
    if output is not None:
        with write_atomically(output) as stream:
            stream.write(table.render(form))
    elif form == "table":
        print_table(table, sys.stdout)
    else:
        sys.stdout.write(table.render(form))
        sys.stdout.flush()


def parse_systems(arguments: tuple[str, ...]) -> dict[str, Path]:
    """``NAME=PATH`` or ``PATH`` (named by its stem), each name once."""
    systems: dict[str, Path] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals or not name or Path(argument).exists():
            # "careful.ged.tsv" is the system "careful"
            name, path = Path(argument).stem.removesuffix(".ged"), argument
        if name in systems:
            raise DataError(
                f"two systems are called {name!r}: {systems[name]} and {path}; "
                "give one of them another name with NAME=PATH"
            )
        systems[name] = Path(path)
    return systems
