"""The options that ``score`` and ``compare`` share: what is scored, under which metrics, how."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from redink.cli.judgment_options import split_list
from redink.cli.layout import FileName
from redink.cli.options import parse_systems
from redink.errors import OptionError, RedinkWarning
from redink.scoring.metric import metric_names

Function = TypeVar("Function", bound=Callable[..., Any])

source_option = click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The text as written, with --reference; then all arguments are systems.",
)
references_option = click.option(
    "--reference",
    "references",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A corrected text, instead of REFERENCE; once for each annotator.",
)
analyser_option = click.option(
    "--analyser",
    default="embedded",
    show_default=True,
    metavar="NAME",
    help="For text that must be annotated: 'embedded', or 'spacy:NAME'.",
)
files_argument = click.argument("files", nargs=-1, metavar="REFERENCE SYSTEM...", type=FileName())
title_option = click.option(
    "--title",
    default="Evaluation of grammatical error correction",
    show_default=True,
    help="The heading.",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many processes annotate and score.",
)

_OPTIONS = (
    source_option,
    references_option,
    click.option(
        "--metric",
        "metrics",
        callback=split_list,
        default="errant,m2,gleu",
        show_default=True,
        metavar="NAME,...",
        help=f"Any of {', '.join(metric_names())}.",
    ),
    click.option(
        "--level",
        type=click.Choice(["correction", "detection-span", "detection-token", "correction-typed"]),
        help="errant: what makes two edits equal. [default: correction]",
    ),
    click.option(
        "--only",
        type=click.Choice(["single", "multi"]),
        help="errant: edits of at most one token on either side, or all others.",
    ),
    click.option(
        "--exclude",
        callback=split_list,
        metavar="TYPE,...",
        help="errant: leave out these error types.",
    ),
    click.option(
        "--beta", type=click.FloatRange(min=0), help="Weight of recall in F. [default: 0.5]"
    ),
    click.option(
        "--selection",
        type=click.Choice(["running", "sentence", "optimal"]),
        help="errant, m2: how the annotator of a sentence is chosen: as the published scorers "
        "do, sentence by sentence in file order; by the sentence alone; or so that the corpus F "
        "is highest. [default: running]",
    ),
    click.option(
        "--max-unchanged-words",
        type=click.IntRange(min=0),
        help="m2: unchanged words within an edit. [default: 2]",
    ),
    click.option(
        "--ignore-whitespace-casing",
        is_flag=True,
        help="m2: leave out edits that change only white space and case.",
    ),
    click.option(
        "--mix", is_flag=True, help="imeasure: combine the corrections of several annotators."
    ),
    click.option(
        "--reference-edits",
        callback=split_list,
        metavar="gold|auto|gold,auto",
        help="Annotate the references as the systems are: keep their edits and type them anew "
        "(gold), or extract them anew (auto). [default: as they are in the file]",
    ),
    analyser_option,
    workers_option,
)


def metric_options(function: Function) -> Function:
    """What ``score`` and ``compare`` have in common."""
    for decorate in reversed(_OPTIONS):
        function = decorate(function)
    return function


def split_files(
    files: tuple[str, ...], source: Path | None, references: tuple[Path, ...]
) -> tuple[Any, dict[str, Path]]:
    """The reference and the systems, from the arguments and from ``--reference``."""
    if references:
        if source is None:
            raise OptionError("--reference needs --source, the text that it corrects")
        return list(references), parse_systems(files)
    if source is not None:
        raise OptionError("--source needs at least one --reference")
    if len(files) < 2:
        raise OptionError("give a REFERENCE and at least one SYSTEM; see redink score --help")
    return files[0], parse_systems(files[1:])


@contextmanager
def show_stages(*, quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar on the terminal that says what is being done.

    Nothing is shown in a pipe, and ``--quiet`` silences warnings too.
    """
    if quiet:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RedinkWarning)
            yield None
        return
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("annotating", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total
        )
