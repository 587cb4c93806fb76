"""Lists on the command line, for commands that are not derived yet."""

from __future__ import annotations

import click


def split_list(
    ctx: click.Context,  # noqa: ARG001 (click passes it)
    param: click.Parameter,  # noqa: ARG001
    value: str | None,
) -> list[str] | None:
    """``a,b,c`` as a list; nothing as None."""
    if value is None:
        return None
    return [part.strip() for part in value.split(",") if part.strip()]
