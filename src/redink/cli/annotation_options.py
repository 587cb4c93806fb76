"""The options that ``annotate`` and ``explain`` share: how edits are found and typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--merge",
        type=click.Choice(["rules", "all-split", "all-merge", "all-equal"]),
        default="rules",
        show_default=True,
        help="What becomes one edit: what the rules say; nothing; all that touches; all that "
        "touches and is the same operation.",
    ),
    click.option("--levenshtein", is_flag=True, help="Align by plain Levenshtein distance."),
    click.option(
        "--analyser",
        default="embedded",
        show_default=True,
        metavar="NAME",
        help="'embedded', or 'spacy:NAME' for an installed spaCy pipeline.",
    ),
    click.option(
        "--lexicon",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Known words, one a line, for the spelling rules.",
    ),
    click.option("--fixed", is_flag=True, help="Mend what is wrong in the original ERRANT."),
)


def annotation_options(function: Function) -> Function:
    """How edits are found and typed."""
    for decorate in reversed(_OPTIONS):
        function = decorate(function)
    return function
