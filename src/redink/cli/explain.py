"""``redink explain``: the edits between two sentences, and why each has its type."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from redink.cli.annotation_options import annotation_options
from redink.cli.layout import Command
from redink.cli.options import emit, table_options

EXAMPLES = """\b
Examples:
  redink explain "This are gramamtical sentence ." "This is a grammatical sentence ."
  redink explain "I enjoy to swim ." "I enjoy swimming ." --format json
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("source")
@click.argument("corrected")
@annotation_options
@table_options
def command(
    source: str,
    corrected: str,
    merge: Any,
    levenshtein: bool,
    analyser: str,
    lexicon: Path | None,
    fixed: bool,
    form: str,
    output: Path | None,
) -> None:
    """Show the edits that turn SOURCE into CORRECTED, and why each has its type.

    Both are sentences whose words and punctuation marks are separated by spaces. The table is
    preceded by the alignment: the source above, the correction below, what was done between them.
    """
    from redink.analysis.annotating import Annotating
    from redink.reports.views import draw_alignment, view_explanation
    from redink.workflows.explain import explain_fully

    how = Annotating(merge, levenshtein, analyser, lexicon, fixed)
    explanation = explain_fully(source, corrected, how)
    table = explanation.table
    if form == "table":
        # For people: the alignment above, the reasons below.
        if output is None:
            width = shutil.get_terminal_size((100, 24)).columns
            click.echo(draw_alignment(explanation.alignment, width=width))
        table = view_explanation(table)
    emit(table, form=form, output=output)
