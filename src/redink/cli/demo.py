"""``redink demo``: run commands on the bundled example and print each command."""

from __future__ import annotations

import shlex
import shutil
from contextlib import chdir
from importlib.resources import as_file, files
from pathlib import Path

import click

from redink.cli.layout import Command, fold_example
from redink.errors import DataError

STEPS: tuple[tuple[str, str], ...] = (
    (
        "Which errors does a sentence have, and which rule classified each?",
        'explain "This are gramamtical sentence ." "This is a grammatical sentence ."',
    ),
    (
        "How well do the three systems correct errors?",
        "score gold.m2 careful.txt eager.txt speller.txt",
    ),
    (
        "How well does the careful system do by operation?",
        "score gold.m2 careful.txt --metric errant --by operation",
    ),
    (
        "Are the differences significant?",
        "compare gold.m2 careful.txt eager.txt speller.txt --metric errant",
    ),
    (
        "How well do the systems detect errors, with true negatives?",
        "detection gold.m2 careful.txt eager.txt speller.txt",
    ),
    ("How well do the crowd workers agree with each other?", "agreement crowd.csv"),
    (
        "How well do the systems detect errors, weighted by the agreement of the crowd?",
        "crowd crowd.csv careful.ged.tsv eager.ged.tsv --gold-threshold 0.7",
    ),
    ("Which system do human judges prefer?", "rank rankings.xml"),
    (
        "What are the scores of the systems under three metrics?",
        (
            "score gold.m2 careful.txt eager.txt speller.txt INPUT=source.txt "
            "--metric errant,m2,gleu --format json -o scores.json"
        ),
    ),
    (
        "Which of these metrics correlates best with the human ranking?",
        "meta rankings.xml scores.json",
    ),
    (
        "How do I get all results on one HTML page?",
        "report gold.m2 careful.txt eager.txt speller.txt -o report --bootstrap 500",
    ),
)
"""A question, and the command that answers it."""


def copy_example(folder: Path) -> None:
    """Copy the bundled example into a new folder or over an earlier copy."""
    with as_file(files("redink") / "examples") as examples:
        ours = {path.name for path in examples.iterdir()}
        there = {path.name for path in folder.iterdir()} if folder.exists() else set()
        # an interrupted demo may have left any of its files
        if there and there.isdisjoint(ours):
            raise DataError(f"{folder}: is not empty and not a demo; name another folder with -o")
        shutil.copytree(
            examples,
            folder,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__", "*.py"),
        )


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink demo\n"
    "  cd redink-demo && redink score gold.m2 careful.txt eager.txt speller.txt --by type",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("redink-demo"),
    show_default=True,
    help="Folder for the files of the example and the results.",
)
def command(output: Path) -> None:
    """Run commands on the bundled example.

    The example has two short learner essays with corrections by two annotators, the outputs of
    three systems, rankings by four judges, and labels by twelve crowd workers. The demo prints
    each command, so that you can repeat it in the folder of the demo.
    """
    from redink.cli.main import cli

    copy_example(output)
    width = shutil.get_terminal_size((100, 24)).columns
    with chdir(output):
        for question, words in STEPS:
            click.echo()
            click.secho(question, bold=True)
            for line in fold_example(f"$ redink {words}", width):
                click.secho(line, fg="cyan")
            cli.main(args=shlex.split(words), prog_name="redink", standalone_mode=False)
    click.echo()
    click.echo(f"The report: {output / 'report' / 'report.html'} (open it in a browser)")
    click.echo(f"The files are in {output}. You can repeat the commands above there.")
