"""Lists and numbers on the command line, for commands that are not derived yet."""

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


def level_option(function: Function) -> Function:
    """``--level`` of the intervals."""
    return click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Level of the intervals.",
    )(function)
