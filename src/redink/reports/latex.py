"""Tables as LaTeX, to go into a paper as they are: booktabs, within the width of a page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any
from unicodedata import lookup

from redink.model import Column, Table
from redink.reports.tables import (
    UNDEFINED,
    best_cells,
    fold_columns,
    format_value,
    group_starts,
    longest_word,
    read_blocks,
    signature_line,
    widest,
)

_PAGE = 345
"""How wide the text of an article is, in points."""
_SMALL = 0.88
"""What \\footnotesize makes of a width, at most."""
_GAP, _SMALL_GAP = 12, 6
_TEXT = 0.3
"""The share of the page that a text may have before it is set in lines."""
_LONGEST = 40
"""How many lines a page has room for."""

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


_STARRED = re.compile(r"(-?[0-9.]+)(\*{0,3}) *")


def _to_latex_cell(value: Any, column: Column, stars: int = 0) -> str:
    plain = format_value(value, column)
    starred = _STARRED.fullmatch(plain) if stars else None
    text = _escape_latex(starred[1] if starred else plain)
    # A minus, not a hyphen.
    if text.startswith("-") and (starred or isinstance(value, int | float)):
        text = f"$-${text[1:]}"
    if starred:
        # raised, and as wide in every row, so that the numbers stand one below the other
        given, missing = starred[2], "*" * (stars - len(starred[2]))
        text += f"$^{{{given}}}$" if given else ""
        text += f"\\phantom{{$^{{{missing}}}$}}" if missing else ""
    return text


def _most_stars(table: Table, column: Column) -> int:
    """The most stars after a number in this column."""
    cells = [row.get(column.name) for row in table.rows]
    found = [_STARRED.fullmatch(cell) for cell in cells if isinstance(cell, str) and cell]
    return max((len(each[2]) if each else 0 for each in found), default=0) if all(found) else 0


_F = re.compile(r"F([0-9.]+)")


def _to_latex_heading(column: Column) -> str:
    f = _F.fullmatch(column.heading)
    return f"F$_{{{f[1]}}}$" if f else _escape_latex(column.heading)


def to_latex(table: Table) -> str:
    r"""A ``tabular`` with booktabs rules; the document needs ``\usepackage{booktabs}``.

    What is wider than the text of an article is set smaller, long texts in lines, and in parts
    if it must be, each with the names of its rows; what is longer than a page goes on in another
    tabular. Several blocks become several tabulars. With a caption or a label, each is in a table
    environment of its own.
    """
    blocks = read_blocks(table)
    lines = ["% needs \\usepackage{booktabs}"]
    remarks = [*blocks[0].notes, *([signature_line(table)] if table.signature else [])]
    lines.extend("% " + " ".join(remark.split()) for remark in remarks)
    pages = [(block, rows) for block in blocks for rows in _cut_pages(block)]
    for number, (block, rows) in enumerate(pages):
        lines += ["", *([] if _has_environment(block) else _APART)] if number else []
        title = block.title if len(blocks) > 1 and block.look.caption is None else ""
        if title and rows.start:
            title += " (continued)"
        lines += _in_environment(_fit(block, title, rows), block, number or None)
    return "\n".join(lines) + "\n"


def _fit(table: Table, title: str, rows: range) -> list[str]:
    """The tabular, or several, none wider than a page."""
    if _share_out(table, table.columns, _PAGE, _GAP) is None:
        return _to_latex_block(table, table.columns, title, rows, {})
    page, gap = _PAGE / _SMALL, _SMALL_GAP / _SMALL
    parts = fold_columns(table, page, measure=_measure, gap=gap, share=_TEXT)
    made = [
        _to_latex_block(table, part, title, rows, _share_out(table, part, page, gap) or {})
        for part in parts
    ]
    lines = ["{\\footnotesize\\setlength{\\tabcolsep}{3pt}%", *made[0]]
    for more in made[1:]:
        lines += ["", *_APART, *more]
    return [*lines, "\\par}"]


def _share_out(
    table: Table, columns: Sequence[Column], page: float, gap: float
) -> dict[str, float] | None:
    """How wide the texts may be that have to be set in lines; None where all fits as it is."""
    natural = {column.name: widest(table, column, _measure) for column in columns}
    room = page - gap * len(columns) - sum(natural.values())
    if room >= 0:
        return None
    texts = sorted((c for c in columns if c.kind == "text"), key=lambda c: natural[c.name])
    room += sum(natural[column.name] for column in texts)
    given: dict[str, float] = {}
    for number, column in enumerate(texts):
        share = max(
            room / (len(texts) - number),
            widest(table, column, partial(longest_word, measure=_measure)),
        )
        if natural[column.name] > share:
            given[column.name] = share
        room -= min(share, natural[column.name])
    return given


def _cut_pages(table: Table) -> Iterator[range]:
    """The rows, as many as a page has room for."""
    first = used = 0
    for index, row in enumerate(table.rows):
        texts = [str(row.get(c.name) or "") for c in table.columns if c.kind == "text"]
        lines = max([1, *(math.ceil(_measure(text) / (_TEXT * _PAGE)) for text in texts)])
        if used + lines > _LONGEST:
            yield range(first, index)
            first, used = index, 0
        used += lines
    yield range(first, len(table.rows))


def _measure(text: str) -> float:
    """About how wide a text is in ten-point type, in points."""
    return sum(
        7.5
        if character.isupper() or character in "mw%#"
        else 3
        if character in "iljt.,:;|'!() "
        else 5.2
        for character in text
    )


_APART = ("\\medskip", "\\noindent")


def _has_environment(table: Table) -> bool:
    return table.look.caption is not None or table.look.label is not None


def _in_environment(lines: list[str], table: Table, number: int | None) -> list[str]:
    if not _has_environment(table):
        return lines
    look = table.look
    caption = [] if look.caption is None else [f"\\caption{{{_escape_latex(look.caption)}}}"]
    again = "" if number is None else f"-{number + 1}"
    label = [] if look.label is None else [f"\\label{{{look.label}{again}}}"]
    begin, end = ["\\begin{table}", "\\centering"], ["\\end{table}"]
    return [*begin, *lines, *caption, *label, *end]


def _to_latex_block(
    table: Table, columns: Sequence[Column], title: str, shown: range, widths: Mapping[str, float]
) -> list[str]:
    best, starts = best_cells(table), group_starts(table)
    stars = {column.name: _most_stars(table, column) for column in columns}
    align = "".join(
        f"p{{{widths[c.name] * _SMALL:.0f}pt}}"
        if c.name in widths
        else "l"
        if c.kind == "text"
        else "r"
        for c in columns
    )
    end = "\\tabularnewline" if widths else r"\\"
    lines = [f"\\begin{{tabular}}{{{align}}}", "\\toprule"]
    if title:
        lines.append(
            f"\\multicolumn{{{len(columns)}}}{{l}}{{\\emph{{{_escape_latex(title)}}}}} \\\\"
        )
    lines += _to_latex_spans(columns)
    lines.append(" & ".join(map(_to_latex_heading, columns)) + r" \\")
    lines.append("\\midrule")
    for index in shown:
        row = table.rows[index]
        if index in starts and index != shown.start:
            lines.append("\\addlinespace")
        cells = []
        for column in columns:
            text = _to_latex_cell(row.get(column.name), column, stars[column.name])
            text = f"\\textbf{{{text}}}" if (index, column.name) in best else text
            cells.append(f"\\raggedright {text}" if column.name in widths else text)
        lines.append(f"{' & '.join(cells)} {end}")
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
