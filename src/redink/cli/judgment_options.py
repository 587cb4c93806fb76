"""Options of the commands that read labels: which judgments count, and as what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])


def split_list(
    ctx: click.Context,  # noqa: ARG001 (click passes it)
    param: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> list[str] | None:
    """``a,b,c`` as a list; nothing as None."""
    if value is None:
        return None
    return [part.strip() for part in value.split(",") if part.strip()]


def split_numbers(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> list[float] | None:
    """``0.5,0.75,1`` as numbers."""
    parts = split_list(ctx, param, value)
    try:
        return None if parts is None else [float(part) for part in parts]
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is not numbers separated by commas") from error


def split_merges(
    ctx: click.Context,  # noqa: ARG001
    param: click.Parameter,  # noqa: ARG001
    values: tuple[str, ...],
) -> dict[str, list[str]] | None:
    """``ok=correct,equal`` as a new label and those merged into it; may be given again."""
    merges: dict[str, list[str]] = {}
    for value in values:
        name, equals, labels = value.partition("=")
        if not equals or not name or not labels:
            raise click.BadParameter(f"{value!r} is not NEW=OLD,OLD,...")
        merges.setdefault(name, []).extend(part.strip() for part in labels.split(","))
    return merges or None


def judgment_options(function: Function) -> Function:
    """``--merge``, ``--drop``, ``--missing`` and ``--ok``."""
    for decorate in (
        click.option(
            "--ok",
            callback=split_list,
            metavar="LABEL,...",
            help="Labels that mean: no error here. [default: those whose word says so: "
            "ok, correct, fine ...]",
        ),
        click.option(
            "--missing",
            callback=split_list,
            metavar="LABEL,...",
            help="Labels that are no answer, such as Unknown; they count as missing.",
        ),
        click.option(
            "--drop",
            multiple=True,
            metavar="COLUMN[=VALUE]",
            help="Drop items that any judge flagged in this column of the file.",
        ),
        click.option(
            "--merge",
            multiple=True,
            callback=split_merges,
            metavar="NEW=OLD,...",
            help="Count several labels as one, e.g. --merge ok=correct,equal.",
        ),
    ):
        function = decorate(function)
    return function


def level_option(function: Function) -> Function:
    """``--level`` of the intervals."""
    return click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Level of the intervals.",
    )(function)
