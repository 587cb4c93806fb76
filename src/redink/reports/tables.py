"""A Table in every output form: terminal, JSON, CSV, TSV, Markdown, LaTeX, HTML."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import Any, TextIO
from unicodedata import lookup

from redink.model import Column, Table

UNDEFINED = "\N{EN DASH}"


def format_value(value: Any, column: Column) -> str:
    """One cell for a person: fixed decimals, whole counts, a dash for what is undefined."""
    if value is None:
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return str(value)
    if column.kind == "count":
        return str(int(value)) if value.is_integer() else f"{value:.2f}"
    if column.kind == "p" and value < 0.001:
        return "<.001"
    digits = column.digits if column.digits is not None else 3 if column.kind == "p" else 4
    return f"{value:.{digits}f}"


def read_blocks(table: Table) -> list[Table]:
    """The table as a person reads it: in its view, if it has one, which may be several tables.

    Figures are written as its look says. Notes and signature are those of the first block.
    """
    table = _apply_look(table)
    if table.view is None:
        return [table]
    from redink.reports.views import VIEWS

    shown = VIEWS.load(table.view)(table)
    blocks = [shown] if isinstance(shown, Table) else list(shown)
    return [replace(block, view=None) for block in blocks]


def _apply_look(table: Table) -> Table:
    """Rates and scores in percent, and with as many decimals as wished."""
    look = table.look
    if not look.percent and look.digits is None:
        return table
    digits = look.digits if look.digits is not None else 2
    shown = {column.name for column in table.columns if column.kind in {"rate", "score"}}
    columns = tuple(
        replace(column, digits=digits) if column.name in shown else column
        for column in table.columns
    )
    if not look.percent:
        return replace(table, columns=columns)
    rows = [
        {
            name: 100 * value if name in shown and isinstance(value, float) else value
            for name, value in row.items()
        }
        for row in table.rows
    ]
    return replace(table, columns=columns, rows=rows, notes=(*table.notes, _PERCENT))


_PERCENT = "rates and scores in percent"


def best_cells(table: Table) -> set[tuple[int, str]]:
    """The cells that deserve emphasis: the best of each marked column, within each group."""
    best: set[tuple[int, str]] = set()
    groups: dict[Any, list[int]] = {}
    for index, row in enumerate(table.rows):
        groups.setdefault(row.get(table.groups) if table.groups else None, []).append(index)
    for column in table.columns:
        if column.best is None:
            continue
        choose = max if column.best == "max" else min
        for members in groups.values():
            values = [table.rows[i].get(column.name) for i in members]
            numbers = [v for v in values if isinstance(v, int | float)]
            if len(numbers) > 1 and min(numbers) != max(numbers):
                top = choose(numbers)
                best.update(
                    (i, column.name) for i in members if table.rows[i].get(column.name) == top
                )
    return best


def group_starts(table: Table) -> set[int]:
    """The numbers of the rows, but for the first, with which a group begins."""
    if table.groups is None:
        return set()
    values = [row.get(table.groups) for row in table.rows]
    return {at for at in range(1, len(values)) if values[at] != values[at - 1]}


def signature_line(table: Table) -> str:
    """The signature on one line, as it can be quoted in a paper."""
    return " | ".join(f"{name}:{_plain(value)}" for name, value in table.signature.items())


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return ",".join(_plain(v) for v in value)
    if isinstance(value, dict):
        return ",".join(f"{k}={_plain(v)}" for k, v in value.items())
    return str(value)


def to_json(table: Table) -> str:
    """The JSON contract: ``signature, notes, columns, rows``."""
    return json.dumps(table.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _delimited(table: Table, delimiter: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in table.rows:
        writer.writerow(["" if (v := row.get(n)) is None else v for n in table.column_names])
    return stream.getvalue()


def to_csv(table: Table) -> str:
    """Comma-separated, full precision, empty where undefined."""
    return _delimited(table, ",")


def to_tsv(table: Table) -> str:
    """Tab-separated, full precision, empty where undefined."""
    return _delimited(table, "\t")


def to_markdown(table: Table) -> str:
    """A pipe table, or one for each block of its view, with the notes below."""
    blocks = read_blocks(table)
    parts = [_to_markdown_block(block) for block in blocks]
    parts.extend(blocks[0].notes)
    if table.signature:
        parts.append(f"`{signature_line(table)}`")
    return "\n\n".join(parts) + "\n"


def _to_markdown_block(table: Table) -> str:
    best = best_cells(table)
    lines = [f"**{_escape_markdown(table.title)}**", ""] if table.title else []
    headings = [f"{c.over} {c.heading}" if c.over else c.heading for c in table.columns]
    lines.append("| " + " | ".join(map(_escape_markdown, headings)) + " |")
    lines.append(
        "|" + "|".join(":---" if c.kind == "text" else "---:" for c in table.columns) + "|"
    )
    for index, row in enumerate(table.rows):
        cells = []
        for column in table.columns:
            text = _escape_markdown(format_value(row.get(column.name), column))
            cells.append(f"**{text}**" if (index, column.name) in best else text)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


# What would end a cell, or be taken for markup; an underscore only where a word ends.
_MARKDOWN = re.compile(r"[\\`*|\[\]~]|(?<!\w)_|_(?!\w)")


def _escape_markdown(text: str) -> str:
    plain = " ".join(text.splitlines()).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKDOWN.sub(lambda match: "\\" + match[0], plain)


_GREEK = ("alpha", "beta", "kappa", "rho", "tau")
_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **dict.fromkeys("\n\t\r\v\f", " "),
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # In braces, since these mean something after the end of a row.
    "[": "{[}",
    "*": "{*}",
    # What our own tables write and plain LaTeX does not know; other letters are left to it.
    UNDEFINED: "--",
    "\N{EM DASH}": "---",
    "\N{BLACK STAR}": r"$\star$",
    "\N{DAGGER}": r"\dag{}",
    "\N{DOUBLE DAGGER}": r"\ddag{}",
    "\N{MINUS SIGN}": "$-$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
    "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$",
    "\N{RIGHTWARDS ARROW}": r"$\rightarrow$",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{SUPERSCRIPT TWO}": "$^2$",
    **{lookup(f"GREEK SMALL LETTER {name}"): f"$\\{name}$" for name in _GREEK},
}


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _to_latex_cell(value: Any, column: Column) -> str:
    text = _escape_latex(format_value(value, column))
    # A minus, not a hyphen.
    is_negative = isinstance(value, int | float) and text.startswith("-")
    return f"$-${text[1:]}" if is_negative else text


def to_latex(table: Table) -> str:
    r"""A ``tabular`` with booktabs rules; the document needs ``\usepackage{booktabs}``.

    Several blocks become several tabulars. With a caption or a label, each is in a table
    environment of its own.
    """
    blocks = read_blocks(table)
    lines = ["% needs \\usepackage{booktabs}"]
    remarks = [*blocks[0].notes, *([signature_line(table)] if table.signature else [])]
    lines.extend("% " + " ".join(remark.split()) for remark in remarks)
    for number, block in enumerate(blocks):
        lines += ["", f"% {block.title}"] if len(blocks) > 1 else []
        lines += _in_environment(_to_latex_block(block), block, number or None)
    return "\n".join(lines) + "\n"


def _in_environment(lines: list[str], table: Table, number: int | None) -> list[str]:
    look = table.look
    if look.caption is None and look.label is None:
        return lines
    caption = [] if look.caption is None else [f"\\caption{{{_escape_latex(look.caption)}}}"]
    again = "" if number is None else f"-{number + 1}"
    label = [] if look.label is None else [f"\\label{{{look.label}{again}}}"]
    begin, end = ["\\begin{table}", "\\centering"], ["\\end{table}"]
    return [*begin, *lines, *caption, *label, *end]


def _to_latex_block(table: Table) -> list[str]:
    best, starts = best_cells(table), group_starts(table)
    align = "".join("l" if c.kind == "text" else "r" for c in table.columns)
    lines = [f"\\begin{{tabular}}{{{align}}}", "\\toprule", *_to_latex_spans(table.columns)]
    lines.append(" & ".join(_escape_latex(c.heading) for c in table.columns) + r" \\")
    lines.append("\\midrule")
    for index, row in enumerate(table.rows):
        if index in starts:
            lines.append("\\addlinespace")
        cells = []
        for column in table.columns:
            text = _to_latex_cell(row.get(column.name), column)
            cells.append(f"\\textbf{{{text}}}" if (index, column.name) in best else text)
        lines.append(" & ".join(cells) + r" \\")
    return [*lines, "\\bottomrule", "\\end{tabular}"]


def _to_latex_spans(columns: Sequence[Column]) -> list[str]:
    """The line above the headings, and the rules below its parts."""
    if not any(column.over for column in columns):
        return []
    cells, rules, at = [], [], 1
    for over, members in groupby(columns, key=lambda column: column.over):
        size = len(list(members))
        if over:
            cells.append(f"\\multicolumn{{{size}}}{{c}}{{{_escape_latex(over)}}}")
            rules.append(f"\\cmidrule(lr){{{at}-{at + size - 1}}}")
        else:
            cells += [""] * size
        at += size
    return [" & ".join(cells) + r" \\", " ".join(rules)]


def print_table(table: Table, stream: TextIO) -> None:
    """The table for a terminal; a pipe gets plain text of full width."""
    if stream.isatty():
        _write(table, stream)
    else:
        stream.write(to_text(table))
        stream.flush()


def to_text(table: Table) -> str:
    """As the terminal shows it, without colours and of full width."""
    stream = io.StringIO()
    # Whatever the surroundings say: a notebook has ways of its own to show and to colour.
    _write(table, stream, width=10_000, color_system=None, force_jupyter=False)
    return re.sub(r"[^\S\n]+$", "", stream.getvalue(), flags=re.MULTILINE).strip("\n") + "\n"


def _write(table: Table, stream: TextIO, **settings: Any) -> None:
    """Aligned, the best in bold, notes and signature dimmed below.

    A table wider than the terminal is folded: the columns that do not fit follow below, beside
    the first columns again.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, **settings)
    blocks = read_blocks(table)
    for block in blocks:
        if block.title:
            console.print(Text(block.title, style="italic"))
        best = best_cells(block)
        for columns in _fold_columns(block, console.width):
            console.print(_make_grid(block, columns, best))
    for note in blocks[0].notes:
        console.print(Text(note, style="dim"))
    if table.signature:
        console.print(Text(signature_line(table), style="dim"))


def _fold_columns(table: Table, width: int) -> list[list[Column]]:
    """The columns in as many parts as fit the width; each begins with the columns that name rows.

    These are the first text columns, with what stands before them (a rank).
    """
    needed = {
        column.name: max(
            [len(column.heading), len(column.over or "")]
            + [len(format_value(row.get(column.name), column)) for row in table.rows]
        )
        + 3  # the space around a cell and between two
        for column in table.columns
    }
    before = list(takewhile(lambda column: column.kind != "text", table.columns))
    named = list(takewhile(lambda column: column.kind == "text", table.columns[len(before) :]))
    lead = [*before, *named] if named else list(table.columns[:1])
    blocks = [list(lead)]
    used = start = sum(needed[column.name] for column in lead)
    for column in table.columns[len(lead) :]:
        if used + needed[column.name] > width and len(blocks[-1]) > len(lead):
            blocks.append(list(lead))
            used = start
        blocks[-1].append(column)
        used += needed[column.name]
    return blocks


def _make_grid(table: Table, columns: Sequence[Column], best: set[tuple[int, str]]) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False)
    has_over = any(column.over for column in columns)
    above = None
    for column in columns:
        # a heading over several columns stands above the first of them
        over = column.over if column.over != above else ""
        above = column.over
        grid.add_column(
            f"{over or ''}\n{column.heading}" if has_over else column.heading,
            justify="left" if column.kind == "text" else "right",
            no_wrap=True,
        )
    starts = group_starts(table)
    for index, row in enumerate(table.rows):
        cells = [
            Text(
                format_value(row.get(c.name), c),
                style="bold green" if (index, c.name) in best else "",
            )
            for c in columns
        ]
        grid.add_row(*cells, end_section=index + 1 in starts)
    return grid
