"""``redink explore``: the report over larger data, as a local web page."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import click

from redink.cli.judgment_options import split_list
from redink.cli.layout import Command
from redink.cli.metric_options import (
    analyser_option,
    files_argument,
    references_option,
    show_stages,
    source_option,
    split_files,
    title_option,
    workers_option,
)
from redink.cli.options import is_quiet, quiet_option, seed_option
from redink.errors import MissingExtraError


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink explore gold.m2 careful.txt eager.txt speller.txt\n"
    "  redink explore gold.m2 careful.txt eager.txt --metric errant,gleu --port 0 --no-open\n"
    "  redink explore --source source.txt --reference reference-a.txt careful.txt",
)
@files_argument
@source_option
@references_option
@click.option(
    "--metric",
    "metrics",
    callback=split_list,
    default="errant",
    show_default=True,
    metavar="NAME,...",
    help="What the table of metrics holds; others than errant take long on large data.",
)
@title_option
@click.option(
    "--bootstrap",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    metavar="N",
    help="Samples behind intervals and groups; 0 for neither.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8100,
    show_default=True,
    help="The port; 0 is any free one.",
)
@click.option(
    "--open/--no-open",
    "shows",
    default=True,
    show_default=True,
    help="Open the page in the browser, if this is a terminal.",
)
@analyser_option
@workers_option
@quiet_option
@seed_option
def command(
    files: tuple[str, ...],
    source: Path | None,
    references: tuple[Path, ...],
    metrics: list[str],
    title: str,
    bootstrap: int,
    host: str,
    port: int,
    shows: bool,
    analyser: str,
    workers: int,
    seed: int,
) -> None:
    """Look at systems in the browser: the report, over larger data.

    The tables are worked out once; the sentences are asked for page by page, so that a hundred
    thousand of them are no burden. The page is served on this machine only, unless --host says
    otherwise, until Ctrl-C. The address in the browser holds the filter and can be kept.
    """
    for library in ("starlette", "uvicorn"):
        if importlib.util.find_spec(library) is None:
            raise MissingExtraError(library, "campaign")
    from redink.explore.app import serve
    from redink.web.serving import listen
    from redink.workflows.report import make_report

    reference, systems = split_files(files, source, references)
    with listen(host, port) as place:
        with show_stages(quiet=is_quiet()) as progress:
            reported = make_report(
                reference,
                systems,
                command="explore",
                source=source,
                metrics=metrics,
                title=title,
                bootstrap=bootstrap or None,
                analyser=analyser,
                workers=workers,
                seed=seed,
                progress=progress,
            )
        serve(
            reported,
            place,
            shows=shows and sys.stderr.isatty(),
            tell=lambda address: click.echo(f"{address}  Ctrl-C stops it.", err=True),
        )
    click.echo("Stopped.", err=True)
