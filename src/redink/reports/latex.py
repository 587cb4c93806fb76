"""Tables as LaTeX, to go into a paper as they are: booktabs, within the width of a page.

What is wider than a column of a two-column paper comes in ``table*``, which an article in one
column sets as ``table``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
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
    spans_of,
    widest,
)

_PAGE = 345
"""How wide the text of an article is, in points."""
_COLUMN = 200
"""How wide a column of a two-column paper is, in points, for its larger type (219 at 11 points)."""
_SMALL = 0.88
"""What \\footnotesize makes of a width, at most."""
_GAP, _SMALL_GAP = 12, 6
_TEXT = 0.3
"""The share of the page that a text may have before it is set in lines."""
_LONGEST = 40
"""How many lines a page has room for."""
_SPACE = 0.5
"""How many lines the room before a group takes."""

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
    **{
        lookup(f"GREEK {size} LETTER {name}"): f"$\\{name.replace('amda', 'ambda')}$"
        for size, names in (("SMALL", _GREEK), ("CAPITAL", _CAPITAL_GREEK))
        for name in names.split()
    },
}

_NAMES = {
    "errant": "ERRANT",
    "m2": "M$^2$",
    "gleu": "GLEU",
    "imeasure": "I-measure",
    "bleu": "BLEU",
    "meteor": "METEOR",
    "green": "GREEN",
    "cleme": "CLEME",
    "cleme2": "CLEME2.0",
    "gotoscorer": "GoToScorer",
    "cherrant": "ChERRANT",
    "scribendi": "Scribendi",
    "some": "SOME",
    "impara": "IMPARA",
    "spearman": "Spearman",
    "pearson": "Pearson",
    "kendall": "Kendall",
}
"""How papers write the names that stand above columns."""


def _escape_latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text.replace("--", "-\0-"))
    return escaped.replace("\0", "{}")  # two hyphens of an option are not a dash


_STARRED = re.compile(r"(-?[0-9.]+)(\*{0,3}) *")


def _to_latex_cell(value: Any, column: Column, stars: int = 0) -> str:
    plain = format_value(value, column)
    number = _STARRED.fullmatch(plain) if column.kind != "text" else None
    starred = number if stars else None
    escape = _to_latex_name if column.name == "metric" else _escape_latex
    text = escape(starred[1] if starred else plain)
    # A minus, not a hyphen.
    if text.startswith("-") and number:
        text = f"$-${text[1:]}"
    if isinstance(value, str) and (ends := _INTERVAL.fullmatch(value)):
        low, high = (f"$-${ends[n + 1]}" if ends[n] else ends[n + 1] for n in (1, 3))
        text = f"{low} -- {high}"
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


_NAME = re.compile(r"[a-z0-9]+(?=$|[,:(])")
_F = re.compile(r"\bF([0-9.]*[0-9])(?=$|[ ,:])")
_WITH_OPTIONS = re.compile(r"[\w.-]+\(")
"""A metric with options, which the caption might not tell."""


def _to_latex_name(text: str) -> str:
    """What stands above columns: metrics as papers write them, F with its beta below the line."""
    name = _NAME.match(text)
    known = _NAMES.get(name[0]) if name else None
    rest = text[name.end() :] if name and known else text
    return (known or "") + _F.sub(r"F$_{\1}$", _escape_latex(rest))


def _to_latex_heading(column: Column) -> str:
    lines = [_to_latex_name(line) for line in column.heading.split("\n")]
    stacked = "\\\\".join(lines)
    return lines[0] if len(lines) == 1 else f"\\shortstack[r]{{{stacked}}}"


def to_latex(table: Table) -> str:
    r"""A ``tabular`` with booktabs rules; the document needs ``\usepackage{booktabs}``.

    What is wider than the text of an article is set smaller, long texts in lines, and in parts
    if it must be, each with the names of its rows; what is longer than a page goes on in another
    tabular. Several blocks become several tabulars. With a caption or a label, each is in a table
    environment of its own, over both columns where it is wider than one. Notes are comments, but
    for those that a reader of the paper needs: what a cell and its stars mean.
    """
    blocks = [_prepare(block) for block in read_blocks(table)]
    lines = ["% needs \\usepackage{booktabs}"]
    remarks = [*blocks[0].notes, *([signature_line(table)] if table.signature else [])]
    lines.extend("% " + " ".join(remark.split()) for remark in remarks)
    legend = _legend(blocks[0].notes)
    measured = [_hide_spans(block) for block in blocks]
    is_small = any(_share_out(b, b.columns, _PAGE, _GAP) is not None for b in measured)
    if is_small:
        blocks = [_break_headings(block) for block in blocks]
    made: list[tuple[Table, list[str]]] = []
    for block in blocks:
        for rows in _cut_pages(block):
            is_named = len(blocks) > 1 or _WITH_OPTIONS.match(block.title)
            title = block.title if is_named else ""
            title += " (continued)" if title and rows.start else ""
            parts = _fit(block, title, rows, is_small=is_small)
            if len(parts) * len(rows) <= _LONGEST or not _has_environment(block):
                parts = [_one_below_the_other(parts)]
            made += [(block, part) for part in parts]
    for number, (block, part) in enumerate(made):
        lines += [""] if number else []
        if _has_environment(block):
            lines += _in_environment([*part, *legend], block, number, is_small=is_small)
        else:
            lines += [*(_APART if number else ()), *part]
            lines += legend if number + 1 == len(made) else []
    return "\n".join(lines) + "\n"


def _one_below_the_other(parts: Sequence[list[str]]) -> list[str]:
    lines = list(parts[0])
    for part in parts[1:]:
        lines += ["", *_APART, *part]
    return lines


_FOR_READERS = re.compile(
    r"\bp [<\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}]|a cell\b|^gold:|^a dash",
    re.IGNORECASE,
)


def _legend(notes: Sequence[str]) -> list[str]:
    """The notes without which a printed table cannot be read, to stand below it."""
    said = [note.removesuffix(".") for note in notes if _FOR_READERS.search(note)]
    text = ". ".join(note[:1].upper() + note[1:] for note in said)
    return ["\\par\\smallskip", f"{{\\footnotesize {_escape_latex(text)}.\\par}}"] if said else []


_INTERVAL = re.compile(f" *(-?)([0-9.]+) {UNDEFINED} +(-?)([0-9.]+)")


def _prepare(table: Table) -> Table:
    """Headings on one line, intervals as numbers, stars beside the number that they are of."""
    columns: list[Column] = []
    rows = table.rows
    for column in table.columns:
        cells = [row.get(column.name) for row in rows if row.get(column.name) is not None]
        if column.name == "stars" and columns:
            number = columns.pop()
            columns.append(replace(number, kind="count"))
            rows = [row | {number.name: _add_stars(row, number, column)} for row in rows]
            continue
        is_interval = cells and all(_INTERVAL.fullmatch(str(cell)) for cell in cells)
        kind = "count" if is_interval else column.kind
        title = " ".join(column.heading.split())
        name = _NAMES.get(title, title)  # capitals are wider
        columns.append(replace(column, kind=kind, title=title if "$" in name else name))
    return replace(table, columns=tuple(columns), rows=rows)


def _add_stars(row: Mapping[str, Any], number: Column, stars: Column) -> str | None:
    value = row.get(number.name)
    return None if value is None else f"{format_value(value, number)}{row.get(stars.name) or ''}"


def _break_headings(table: Table) -> Table:
    """Headings of several words in lines, as wide as what stands below them."""
    return replace(
        table,
        columns=tuple(
            c if c.kind == "text" else replace(c, title=_break(c.heading, _widest_cell(table, c)))
            for c in table.columns
        ),
    )


def _widest_cell(table: Table, column: Column) -> float:
    return widest(table, replace(column, title="", over=None), _measure)


def _break(heading: str, width: float) -> str:
    """In two lines, if it is wider than that: as narrow as it gets."""
    words = heading.split()
    if len(words) == 1 or _measure(heading) <= width:
        return heading
    halves = (f"{' '.join(words[:n])}\n{' '.join(words[n:])}" for n in range(len(words) - 1, 0, -1))
    return min(halves, key=_measure)


def _fit(table: Table, title: str, rows: range, *, is_small: bool) -> list[list[str]]:
    """The tabular, or several, none wider than a page."""
    if not is_small:
        return [_to_latex_block(table, table.columns, title, rows, {})]
    page, gap = _PAGE / _SMALL, _SMALL_GAP / _SMALL
    measured, known = _hide_spans(table), {column.name: column for column in table.columns}
    made = []
    for part in _fold(measured, page, gap):
        widths = _share_out(measured, part, page, gap) or {}
        lines = _to_latex_block(table, [known[c.name] for c in part], title, rows, widths)
        made.append(["{\\footnotesize\\setlength{\\tabcolsep}{3pt}%", *lines, "\\par}"])
    return made


def _hide_spans(table: Table) -> Table:
    """What stands above several columns has room enough: for measuring, as a text of no width."""
    overs = list(dict.fromkeys(column.over for column in table.columns if column.over))
    hidden = {over: _NO_WIDTH * number for number, over in enumerate(overs, start=1)}
    columns = [replace(c, over=hidden.get(c.over) if c.over else None) for c in table.columns]
    return replace(table, columns=tuple(columns))


_NO_WIDTH = "\N{ZERO WIDTH SPACE}"


def _fold(table: Table, page: float, gap: float) -> list[list[Column]]:
    """As few parts as fit the page, and none much narrower than the others."""
    parts: list[list[Column]] = []
    for share in (1, 0.9, 0.8, 0.7, 0.6, 0.5):
        even = fold_columns(table, share * page, measure=_measure, gap=gap, share=_TEXT / share)
        if 0 < len(parts) < max(2, len(even)) and all(
            _narrowest(table, part) + gap * len(part) <= page for part in parts
        ):
            break
        parts = even
    return parts


def _narrowest(table: Table, columns: Sequence[Column]) -> float:
    """How wide the columns are at least: numbers as they are, of texts the longest word."""
    in_words = partial(longest_word, measure=_measure)
    return sum(widest(table, c, in_words if c.kind == "text" else _measure) for c in columns)


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
    """The rows, about as many on every page, and no more than it has room for."""
    starts = group_starts(table)
    sizes = [_SPACE * (index in starts) + _lines_of(table, row) for index, row in enumerate(table)]
    pages = math.ceil(sum(sizes) / _LONGEST)
    room = min(_LONGEST, sum(sizes) / max(pages, 1) + max(sizes, default=0))
    first = group = 0
    used = 0.0
    for index, size in enumerate(sizes):
        group = index if index in starts else group
        if used + size > room:
            cut = group if group > (first + index) / 2 else index
            yield range(first, cut)
            first, used = cut, sum(sizes[cut:index])
        used += size
    yield range(first, len(sizes))


def _lines_of(table: Table, row: Mapping[str, Any]) -> int:
    texts = [str(row.get(c.name) or "") for c in table.columns if c.kind == "text"]
    return max([1, *(math.ceil(_measure(text) / (_TEXT * _PAGE)) for text in texts)])


def _measure(text: str) -> float:
    """About how wide a text is in ten-point type, in points; of several lines, the widest."""
    return max(sum(map(_measure_character, line)) for line in text.split("\n"))


def _measure_character(character: str) -> float:
    if character.isupper() or character in "mw%#":
        return 7.5
    if character == _NO_WIDTH:
        return 0
    return 3 if character in "iljt.,:;|'!() " else 5.2


_APART = ("\\medskip", "\\noindent")


def _has_environment(table: Table) -> bool:
    return table.look.caption is not None or table.look.label is not None


def _in_environment(lines: list[str], table: Table, number: int, *, is_small: bool) -> list[str]:
    look = table.look
    more = " (continued)" if number else ""
    caption = [] if look.caption is None else [f"\\caption{{{_escape_latex(look.caption)}{more}}}"]
    again = f"-{number + 1}" if number else ""
    label = [] if look.label is None else [f"\\label{{{look.label}{again}}}"]
    measured = _hide_spans(table)
    width = sum(_GAP + widest(measured, column, _measure) for column in measured.columns)
    name = "table*" if is_small or width > _COLUMN else "table"
    begin, end = [f"\\begin{{{name}}}", "\\centering"], [f"\\end{{{name}}}"]
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
            f"\\multicolumn{{{len(columns)}}}{{l}}{{\\emph{{{_to_latex_name(title)}}}}} \\\\"
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
    cells, rules, at = [], [], 1
    for over, size in spans_of(columns):
        if over:
            cells.append(f"\\multicolumn{{{size}}}{{c}}{{{_to_latex_name(over)}}}")
            rules.append(f"\\cmidrule(lr){{{at}-{at + size - 1}}}")
        else:
            cells += [""] * size
        at += size
    return [" & ".join(cells) + r" \\", " ".join(rules)] if rules else []
