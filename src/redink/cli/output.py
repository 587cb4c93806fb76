"""Output of results: ``--format``, ``-o``, ``--verbose`` and ``--quiet`` of all commands."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal

import click

from redink.cli.layout import Choice, Entry, FileName
from redink.cli.progress_bar import WARNED, say
from redink.errors import OptionError, RedinkWarning, one_line
from redink.files import STANDARD_STREAM
from redink.model.tables import FORMS, Column, Table
from redink.reports.table_formats import Detail, format_value, print_table

_QUIET = "redink.quiet"


@dataclass(frozen=True)
class Result:
    """The result of a command, the options that only a terminal has, and its own options."""

    table: Table
    terminal: dict[str, Any]
    given: dict[str, Any]


def _be_quiet(context: click.Context, _option: click.Parameter, quiet: bool) -> None:
    context.meta[_QUIET] = quiet
    if quiet:
        warnings.simplefilter("ignore", RedinkWarning)


def is_quiet() -> bool:
    """Return whether the user has given ``--quiet``."""
    return bool(click.get_current_context().meta.get(_QUIET))


def quiet_option() -> click.Option:
    """Return ``--quiet``: only errors on stderr."""
    return click.Option(
        ["--quiet", "-q"],
        is_flag=True,
        callback=_be_quiet,
        expose_value=False,
        help="Hide progress, warnings, notes and signature.",
    )


def verbose_option() -> click.Option:
    """Return ``--verbose``: all notes and the full signature below a table."""
    return click.Option(
        ["--verbose", "-v"],
        is_flag=True,
        help="Show all notes and the full signature below a table.",
    )


def form_option(entry: Entry | None = None) -> click.Option:
    """Return ``--format``; only commands with verdicts have JUnit."""
    has_verdicts = entry is not None and entry.finish == "emit_findings"
    return click.Option(
        ["--format", "form"],
        type=Choice([name for name in FORMS.names if name != "junit" or has_verdicts]),
        help="Output format. [default: by the suffix of -o, else table]",
    )


def result_options(entry: Entry) -> list[click.Option]:
    """Return the options that decide where and how the result of a command is shown."""
    output = click.Option(
        ["--output", "-o"], type=FileName(), help="Output file. [default: stdout]"
    )
    return [
        *([] if entry.writes else [form_option(entry), output]),
        *([verbose_option()] if entry.finish.startswith("emit") else []),
        quiet_option(),
    ]


def emit(result: Result) -> None:
    """Print the table, or write it to a file."""
    form, output = result.terminal.get("form"), result.terminal.get("output")
    if output is not None:
        result.table.save(output, form)
    elif form in {None, "table"}:
        table = replace(result.table, notes=_unseen_notes(result.table))
        detail: Detail = "full" if result.terminal.get("verbose") else "brief"
        print_table(table, sys.stdout, "none" if is_quiet() else detail)
    else:
        sys.stdout.write(result.table.render(form))
        sys.stdout.flush()


def _unseen_notes(table: Table) -> tuple[str, ...]:
    """Return the notes without the warnings, which are on stderr already."""
    return tuple(note for note in table.notes if note not in WARNED)


def emit_explanation(result: Result) -> None:
    """Print the alignment above the edits, unless another format is asked for."""
    form, output = result.terminal.get("form"), result.terminal.get("output")
    if output is None and form in {None, "table"} and "alignment" in result.table.extra:
        from redink.reports.views import draw_alignment

        width = shutil.get_terminal_size((100, 24)).columns
        click.echo(draw_alignment(result.table.extra["alignment"], width=width))
    emit(result)


def tell_counts(result: Result) -> None:
    """Print the numbers of edits and the notes of ``annotate`` on stderr."""
    if is_quiet():
        return
    for row in result.table.rows:
        name = f" ({row['file']})" if row["file"] else ""
        click.echo(
            f"annotator {row['annotator']}{name}: {row['edits']} edits in "
            f"{row['changed']} of {row['sentences']} sentences",
            err=True,
        )
    tell_notes(result)


def tell_notes(result: Result) -> None:
    """Print the notes on stderr, for a command that wrote its own output."""
    if not is_quiet():
        for note in _unseen_notes(result.table):
            say(one_line(note))


def list_rows(result: Result) -> None:
    """Print the rows as tab-separated lines, and the notes on stderr."""
    for row in result.table:
        click.echo("\t".join(str(row[name]) for name in result.table.column_names))
    tell_notes(result)


def run_server(result: Result) -> None:
    """Print the address of the page, and serve it until interrupted."""
    server: Any = result.table
    click.echo(server.greeting, err=True)
    if server.shows and sys.stderr.isatty():
        server.open_browser()
    server.run()
    click.echo("Stopped.", err=True)


def list_option() -> click.Option:
    """Return ``--list``, which lists the formats."""
    return click.Option(
        ["--list"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_formats,
        help="List the formats and exit.",
    )


def _list_formats(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from redink.formats import all_formats

    known = all_formats()
    width = shutil.get_terminal_size((100, 24)).columns
    formatter = click.HelpFormatter(width=width)
    rows = []
    for name in dict.fromkeys(each.name for each in known):
        named = [each for each in known if each.name == name]
        holds = ", ".join(sorted(each.kind for each in named))
        description = "; or ".join(dict.fromkeys(each.description for each in named))
        begin = f"{name:10} {' '.join(named[0].suffixes)}"
        rows.append((begin, f"{description}; contains {holds}"))
    formatter.write_dl(rows)
    click.echo(formatter.getvalue(), nl=False)
    context.exit()


def emit_summary(result: Result) -> None:
    """Print the table of a command that wrote its own output, unless the output is on stdout."""
    if result.given.get("output") not in {None, STANDARD_STREAM} and not is_quiet():
        emit(result)


def emit_aligned(result: Result) -> None:
    """Print the aligned text, or if it is in a file, a table of what could not be aligned."""
    if "texts" in result.table.extra and result.given.get("output") in {None, STANDARD_STREAM}:
        if result.given.get("output") is None:
            texts: dict[str, list[str]] = result.table.extra["texts"]
            if len(texts) > 1:
                raise OptionError("several hypotheses need a folder to be written to: -o DIR")
            (lines,) = texts.values()
            sys.stdout.writelines(f"{line}\n" for line in lines)
        tell_notes(result)
    elif not is_quiet():
        emit(result)


def emit_bibtex(result: Result) -> None:
    """Print the entries as BibTeX, each once, unless another format is asked for."""
    if result.terminal.get("form") is not None or result.terminal.get("output") is not None:
        emit(result)
    else:
        click.echo("\n\n".join(dict.fromkeys(row["bibtex"] for row in result.table.rows)))


def emit_findings(result: Result) -> int:
    """Print the table, and return 1 if it has a problem or a failed rule."""
    emit(result)
    return int(any(row.get("verdict") in {"problem", "fail"} for row in result.table.rows))


def emit_changes(result: Result) -> None:
    """Print the changed sentences with marked edits, unless another format is asked for."""
    changes = result.table.extra.get("changes")
    form, output = result.terminal.get("form"), result.terminal.get("output")
    is_arranged = result.table.hidden or result.table.display.sort
    if changes is None or is_arranged or form not in {None, "table"} or output is not None:
        emit(result)
        return
    is_colored = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    style: Literal["color", "plain"] = "color" if is_colored else "plain"
    for change in changes:
        both = (change.old_score, change.new_score)
        scores = " → ".join(format_value(score, Column("score", "score")) for score in both)
        click.echo(f"{change.sentence}  {change.change}  {scores}")
        for name, marked in zip(("old", "new"), change.marked, strict=True):
            click.echo(f"  {name}  {marked.render(style)}")
    tell_notes(result)


def check_option() -> click.Option:
    """Return ``--check``; see :func:`emit_checked`."""
    return click.Option(
        ["--check"],
        is_flag=True,
        help="Exit with code 1 if a difference exceeds its tolerance without a known reason.",
    )


def emit_checked(result: Result) -> int:
    """Print the table; return 1 if a check is asked for and a result is not accounted for."""
    emit(result)
    failed = any(row["accounted"] is False for row in result.table.rows)
    return int(result.terminal["check"] and failed)
