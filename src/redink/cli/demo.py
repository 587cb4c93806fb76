"""``redink demo``: every capability on the bundled example, as commands you can type yourself."""

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
        "What is wrong in a sentence, and why is it called that?",
        'explain "This are gramamtical sentence ." "This is a grammatical sentence ."',
    ),
    ("How good are the three systems?", "score gold.m2 careful.txt eager.txt speller.txt"),
    (
        "Where is the careful system good and where not?",
        "score gold.m2 careful.txt --metric errant --by operation",
    ),
    (
        "Are the differences significant?",
        "compare gold.m2 careful.txt eager.txt speller.txt --metric errant",
    ),
    (
        "How well do they find errors, true negatives and all?",
        "detection gold.m2 careful.txt eager.txt speller.txt",
    ),
    ("How far do the people of a crowd agree?", "agreement crowd.csv"),
    (
        "What do systems score if a judgment weighs as much as people agree on it?",
        "crowd crowd.csv careful.ged.tsv eager.ged.tsv --gold-threshold 0.7",
    ),
    ("Which system do human judges prefer?", "rank rankings.xml"),
    (
        "Which metric agrees with them?",
        (
            "score gold.m2 careful.txt eager.txt speller.txt INPUT=source.txt "
            "--metric errant,m2,gleu --format json -o scores.json"
        ),
    ),
    ("(and the answer)", "meta rankings.xml scores.json"),
    (
        "And all of it on one page:",
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
    help="The folder for the example's files and what is made of them.",
)
def command(output: Path) -> None:
    """Run every capability on the bundled example.

    Two short learner essays, two annotators, three systems of different character, four judges
    and a crowd of twelve. Every command is shown as you could type it in the demo's folder.
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
    click.echo(f"The files are in {output}; every command above can be typed there.")
