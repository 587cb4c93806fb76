"""Render tables as LaTeX for papers: booktabs rules, one float with a caption.

A table wider than a column of a two-column paper is a ``table*``; one wider than a page is scaled.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any
from unicodedata import lookup

from redink.model import Column, Table
from redink.reports.table_formats import (
    UNDEFINED,
    best_cells,
    column_spans,
    column_width,
    format_value,
    group_starts,
    read_blocks,
    signature_line,
)

_PAGE_WIDTH, _COLUMN_WIDTH = 62, 36
"""Text width of an article and of one column of a two-column paper, in average characters."""
_COLUMN_GAP = 2
_LONG_TEXT = 20
"""Longer texts are wrapped if the table is wider than the page."""

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega"
)
_CAPITAL_GREEK = "Gamma Delta Theta Lamda Xi Pi Sigma Phi Psi Omega"
_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **dict.fromkeys("\n\t\r\v\f", " "),
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # in braces: brackets have a meaning after the end of a row
    "*": "{*}",
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
    **{
        lookup(f"GREEK {size} LETTER {name}"): f"$\\{name.replace('amda', 'ambda')}$"
        for size, names in (("SMALL", _GREEK), ("CAPITAL", _CAPITAL_GREEK))
        for name in names.split()
    },
}

_CAPITALS = ("errant", "gleu", "bleu", "meteor", "green", "cleme", "some", "impara", "sari", "ter")
_NAMES = {
    **{name: name.upper() for name in _CAPITALS},
    **{name: name.title() for name in ("scribendi", "spearman", "pearson", "kendall")},
    "m2": "M$^2$",
    "imeasure": "I-measure",
    "cleme2": "CLEME2.0",
    "gotoscorer": "GoToScorer",
    "cherrant": "ChERRANT",
    "chrf": "chrF",
}
"""Names above columns, in the spelling of papers."""


_NAME = re.compile(r"[a-z0-9]+(?=$|[,:(])")
_F = re.compile(r"\bF([0-9.]*[0-9])(?=$|[ ,:])")
_WITH_OPTIONS = re.compile(r"[\w.-]+\(")
_STARRED = re.compile(r"(-?[0-9.]+)(\*{0,3}|[a-z0-9]+) *")
_INTERVAL = re.compile(rf"\[? *(-?)([0-9.]+)(?: {UNDEFINED}|,) +(-?)([0-9.]+)\]?")
_MARKS = ("\0stars", "\0group")
"""Endings of columns with marks of the number before them."""
_SCALED = "\\resizebox{\\textwidth}{!}{%"
_FOR_READERS = re.compile(
    r"\bp [<\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}]|a cell\b|^gold:|^a dash"
    r"|^\[lower",
    re.IGNORECASE,
)


def to_latex(table: Table) -> str:
    """Return one ``tabular`` per block; the document needs the package booktabs.

    With a caption or a label, all blocks are in one float. Notes become comments, except those that
    explain cells and stars.
    """
    shown = read_blocks(table)
    tabulars: list[str] = []
    blocks = [*map(_prepare, shown)]
    for block, best in zip(blocks, map(best_cells, shown), strict=True):
        # the caption does not repeat the options of a title
        title = block.title if len(blocks) > 1 or _WITH_OPTIONS.match(block.title) else ""
        tabulars += [*(_BETWEEN if tabulars else ()), *_to_tabular(block, title, best)]
    packages = "booktabs,graphicx" if _SCALED in tabulars else "booktabs"
    remarks = [*blocks[0].notes, *([signature_line(table)] if table.signature else [])]
    lines = [f"% needs \\usepackage{{{packages}}}"]
    lines += ["% " + " ".join(remark.split()) for remark in remarks]
    tabulars += _legend(blocks[0].notes)
    caption, label = table.display.caption, table.display.label
    if caption is None and label is None:
        return "\n".join([*lines, *tabulars]) + "\n"
    name = "table*" if any(_width(block) > _COLUMN_WIDTH for block in blocks) else "table"
    lines += [f"\\begin{{{name}}}", "\\centering", *tabulars]
    lines += [] if caption is None else [f"\\caption{{{_escape_latex(caption)}}}"]
    lines += [] if label is None else [f"\\label{{{label}}}"]
    return "\n".join([*lines, f"\\end{{{name}}}"]) + "\n"


_BETWEEN = ("", "\\medskip", "\\noindent")


def _legend(notes: Sequence[str]) -> list[str]:
    """Return the notes that readers of a printed table need, as lines below the table."""
    kept = [note.removesuffix(".") for note in notes if _FOR_READERS.search(note)]
    text = ". ".join(note[:1].upper() + note[1:] for note in kept)
    return ["\\par\\smallskip", f"{{\\footnotesize {_escape_latex(text)}.\\par}}"] if kept else []


def _prepare(table: Table) -> Table:
    """Put headings on one line, align intervals as numbers, and append stars to numbers."""
    columns: list[Column] = []
    rows = table.rows
    for column in table.columns:
        if column.name == "stars" or column.name.endswith(_MARKS):
            number = columns.pop()
            columns.append(replace(number, kind="count"))
            rows = [
                row | {number.name: f"{format_value(value, number)}{row.get(column.name) or ''}"}
                if (value := row.get(number.name)) is not None
                else row
                for row in rows
            ]
            continue
        cells = [str(row[column.name]) for row in rows if row.get(column.name) is not None]
        kind = "count" if cells and all(map(_INTERVAL.fullmatch, cells)) else column.kind
        columns.append(replace(column, kind=kind, title=" ".join(column.heading.split())))
    return replace(table, columns=tuple(columns), rows=rows)


def _width(table: Table, *, longest_text: int | None = None) -> int:
    """Estimate the width of a table in characters."""
    widths = ((c.kind, column_width(table, c, over=False)) for c in table.columns)
    return sum(
        _COLUMN_GAP + (min(w, longest_text) if kind == "text" and longest_text else w)
        for kind, w in widths
    )


def _to_tabular(table: Table, title: str, best: Container[tuple[int, str]]) -> list[str]:
    columns, starts = table.columns, group_starts(table)
    stars = {column.name: _most_stars(table, column) for column in columns}
    wrapped = {
        column.name
        for column in columns
        if column.kind == "text" and column_width(table, column) > _LONG_TEXT
        if _width(table) > _PAGE_WIDTH
    }
    align = "".join(
        "p{0.3\\textwidth}" if c.name in wrapped else "l" if c.kind == "text" else "r"
        for c in columns
    )
    lines = [f"\\begin{{tabular}}{{{align}}}", "\\toprule"]
    if title:
        lines.append(
            f"\\multicolumn{{{len(columns)}}}{{l}}{{\\emph{{{_to_latex_name(title)}}}}} \\\\"
        )
    lines += _to_latex_spans(columns)
    lines += [" & ".join(_to_latex_name(c.heading) for c in columns) + r" \\", "\\midrule"]
    for index, row in enumerate(table.rows):
        if index in starts:
            lines.append("\\addlinespace")
        cells = []
        for column in columns:
            text = _to_latex_cell(row.get(column.name), column, stars[column.name])
            text = f"\\textbf{{{text}}}" if (index, column.name) in best else text
            cells.append(f"\\raggedright {text}" if column.name in wrapped else text)
        lines.append(" & ".join(cells) + (r" \tabularnewline" if wrapped else r" \\"))
    lines += ["\\bottomrule", "\\end{tabular}"]
    if _width(table, longest_text=_LONG_TEXT) <= _PAGE_WIDTH:
        return lines
    return [_SCALED, *lines[:-1], f"{lines[-1]}}}"]


def _to_latex_spans(columns: Sequence[Column]) -> list[str]:
    """Return the line above the headings, and the rules below its parts."""
    cells, rules, at = [], [], 1
    for over, size in column_spans(columns):
        if over:
            cells.append(f"\\multicolumn{{{size}}}{{c}}{{{_to_latex_name(over)}}}")
            rules.append(f"\\cmidrule(lr){{{at}-{at + size - 1}}}")
        else:
            cells += [""] * size
        at += size
    return [" & ".join(cells) + r" \\", " ".join(rules)] if rules else []


def _most_stars(table: Table, column: Column) -> int:
    """Return the largest number of stars after a number in this column."""
    cells = [row.get(column.name) for row in table.rows]
    found = [_STARRED.fullmatch(cell) for cell in cells if isinstance(cell, str) and cell]
    return max((len(each[2]) if each else 0 for each in found), default=0) if all(found) else 0


def _to_latex_cell(value: Any, column: Column, stars: int) -> str:
    plain = format_value(value, column)
    if isinstance(value, str) and (ends := _INTERVAL.fullmatch(value)):
        low, high = (f"$-${ends[n + 1]}" if ends[n] else ends[n + 1] for n in (1, 3))
        return f"{{\\footnotesize [{low}, {high}]}}" if "," in value else f"{low} -- {high}"
    number = _STARRED.fullmatch(plain) if column.kind != "text" else None
    if number is None:
        return _to_latex_name(plain) if column.name == "metric" else _escape_latex(plain)
    text = _escape_latex(number[1] if stars else plain)
    text = f"$-${text[1:]}" if text.startswith("-") else text  # a minus sign instead of a hyphen
    if stars:
        # superscripts of the same width in every row, so that the numbers are aligned
        missing = ("a" if number[2].isalnum() else "*") * (stars - len(number[2]))
        text += _raise_marks(number[2])
        text += f"\\phantom{{{_raise_marks(missing)}}}" if missing else ""
    return text


def _raise_marks(marks: str) -> str:
    style = "\\mathrm" if marks.isalnum() else ""
    return f"$^{{{style}{{{marks}}}}}$" if style else f"$^{{{marks}}}$" if marks else ""


def _to_latex_name(text: str) -> str:
    """Return a heading: metric names as in papers, F with beta as a subscript."""
    name = _NAME.match(text)
    known = _NAMES.get(name[0]) if name else None
    rest = text[name.end() :] if name and known else text
    return (known or "") + _F.sub(r"F$_{\1}$", _escape_latex(rest))


def _escape_latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text.replace("--", "-\0-"))
    return escaped.replace("\0", "{}")  # the two hyphens of an option must not become a dash
