"""A Table in the terminal, as JSON, CSV, TSV and Markdown; and what all forms share."""

from __future__ import annotations

import csv
import io
import json
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, TextIO

from redink.model import Column, Table, fingerprint

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment

    Drawn = list[list[Segment]]
    """Lines as a console prints them."""

UNDEFINED = "\N{EN DASH}"
UNEARNED = "\0unearned"
"""In a row, the columns whose value nobody should praise: the precision of proposing nothing."""


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
    text = f"{value:.{digits}f}"
    return text if text.strip("-0.") else text.removeprefix("-")  # zero has no sign


def read_blocks(table: Table) -> list[Table]:
    """The table as a person reads it: in its view, if it has one, which may be several tables.

    Figures are written as its look says. Notes and signature are those of the first block.
    """
    table = _name_f(_apply_look(table))
    if table.view is None:
        return [_tell_apart(table)]
    from redink.reports.views import VIEWS

    shown = VIEWS.load(table.view)(table)
    blocks = [shown] if isinstance(shown, Table) else list(shown)
    return [_tell_apart(replace(block, view=None)) for block in blocks]


def _name_f(table: Table) -> Table:
    """F by its beta, ``F0.5``, where the table says it only in its signature."""
    beta = table.signature.get("beta")
    if not isinstance(beta, int | float):
        return table
    named = [replace(c, title=f"F{beta:g}") if c.heading == "F" else c for c in table.columns]
    return replace(table, columns=tuple(named))


def _tell_apart(table: Table) -> Table:
    """Every measure beside its low and high, and below its name where there are several such."""
    known = {column.name: column for column in table.columns}
    ends = {
        measure.name: [
            replace(end, title=_LIMITS.get(re.split("[ _]", end.heading)[-1], end.title))
            for end in (known[f"{measure.name}_low"], known[f"{measure.name}_high"])
        ]
        for measure in table.columns
        if {f"{measure.name}_low", f"{measure.name}_high"} <= known.keys()
    }
    moved = {end.name for both in ends.values() for end in both}
    columns: list[Column] = []
    for column in table.columns:
        together = [column, *ends.get(column.name, ())]
        if len(ends) > 1 and column.name in ends:
            together = [replace(each, over=column.heading) for each in together]
            together[0] = replace(together[0], title="value")
        columns += together if column.name not in moved else []
    return replace(table, columns=tuple(columns))


_LIMITS = {"low": "low", "high": "high"}


def _apply_look(table: Table) -> Table:
    """Rates and scores in percent, and with as many decimals as wished."""
    display = table.display
    if not display.percent and display.digits is None:
        return table
    digits = display.digits if display.digits is not None else 2
    shown = {column.name for column in table.columns if column.kind in {"rate", "score"}}
    columns = tuple(
        replace(column, digits=digits) if column.name in shown else column
        for column in table.columns
    )
    if not display.percent:
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
        for group in groups.values():
            members = [i for i in group if column.name not in table.rows[i].get(UNEARNED, ())]
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
    starts = {at for at in range(1, len(values)) if values[at] != values[at - 1]}
    return starts if len(starts) + 1 < len(values) else set()  # not every row by itself


def signature_line(table: Table) -> str:
    """The signature on one line, as it can be quoted in a paper."""
    return " | ".join(f"{name}:{_plain(value)}" for name, value in table.signature.items())


_MOST_NAMED = 6
"""The line shows up to this many named fingerprints; JSON has them all."""


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return ",".join(_plain(v) for v in value)
    if isinstance(value, dict):
        if len(value) > _MOST_NAMED:  # one fingerprint for all, in whatever order
            return f"{len(value)}#{fingerprint(sorted(map(str, value.values())))}"
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
    parts.extend(_LIST.sub(r"\1\\\2", _escape_markdown(note.lstrip())) for note in blocks[0].notes)
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
_LIST = re.compile(r"^(\d*)([-+#>.)])(?=[\s#])")
"""What a line would begin with if it were a heading, an item of a list or quoted."""


def _escape_markdown(text: str) -> str:
    plain = " ".join(text.splitlines()).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKDOWN.sub(lambda match: "\\" + match[0], plain)


def print_table(table: Table, stream: TextIO) -> None:
    """The table for a terminal; a pipe gets plain text of full width."""
    if stream.isatty():
        _write(table, stream, is_screen=True)
    else:
        stream.write(to_text(table))
        stream.flush()


def to_text(table: Table) -> str:
    """As the terminal shows it, without colours and of full width."""
    stream = io.StringIO()
    # Whatever the surroundings say: a notebook has ways of its own to show and to colour.
    _write(table, stream, width=10_000, color_system=None, force_jupyter=False)
    return "\n".join(map(str.rstrip, stream.getvalue().split("\n"))).strip("\n") + "\n"


def _write(table: Table, stream: TextIO, *, is_screen: bool = False, **settings: Any) -> None:
    """Aligned, the best in bold, notes and signature dimmed below.

    A table wider than the terminal is set closer or folded: the columns that do not fit follow
    below, after the naming columns again.
    """
    from rich.console import Console
    from rich.segment import SegmentLines
    from rich.text import Text

    console = Console(file=stream, highlight=False, **settings)
    blocks = read_blocks(table)
    drawn = [_draw_block(console, block) for block in blocks]
    for lines in drawn:
        console.print(SegmentLines(lines, new_lines=True), end="")
    # the second line of a note is set in, so that one sees where the next begins
    fold = textwrap.TextWrapper(console.width, subsequent_indent="  ", break_long_words=False)
    fold.break_on_hyphens = False
    for note in blocks[0].notes:
        console.print(Text(fold.fill(note) if is_screen else note, style="dim"))
    if table.signature:
        console.print(Text(_fold_signature(table, console.width), style="dim"))


def _draw_block(console: Console, block: Table) -> Drawn:
    from rich.text import Text

    best = best_cells(block)
    parts = _fold_columns(block, console.width)
    close = parts
    if len(parts) > 1:
        close = _fold_columns(block, console.width, gap=2, share=0.33)
    is_close = len(close) < len(parts)
    lines: Drawn = []
    if block.title:
        lines += console.render_lines(Text(block.title, style="italic"), pad=False)
    for number, columns in enumerate(close if is_close else parts):
        grid = _make_grid(block, columns, best, is_close=is_close)
        # a grid begins and ends with an empty line: one is enough between two parts
        lines += console.render_lines(grid, pad=False)[1 if number else 0 :]
    return lines


def _fold_signature(table: Table, width: int) -> str:
    """The signature in lines that end between two of its parts."""
    lines: list[str] = []
    for part in signature_line(table).split(" | "):
        if lines and len(lines[-1]) + len(part) + 5 <= width:
            lines[-1] += f" | {part}"
        else:
            lines[-1:] = [f"{lines[-1]} |", part] if lines else [part]
    return "\n".join(lines)


def _fold_columns(
    table: Table, width: float, *, gap: float = 3, share: float = 0.5
) -> list[list[Column]]:
    """Divide the columns into parts that fit the width; each part repeats the naming columns.

    The naming columns are the first text columns and the columns before them (a rank). Together
    they have at most half of the width. ``share`` is the part of the width that a text may take
    before it is wrapped, and ``gap`` the space between two cells.
    """
    needed = {column.name: gap + widest(table, column, len) for column in table.columns}
    for column in table.columns:
        if column.kind == "text":
            longest = gap + widest(table, column, _longest_word)
            needed[column.name] = min(needed[column.name], max(width * share, longest))
    lead = _naming_columns(table)
    blocks = [list(lead)]
    used = start = min(width / 2, sum(needed[column.name] for column in lead))
    for members in _kept_together([column for column in table.columns if column not in lead]):
        wide = sum(needed[column.name] for column in members)
        if used + wide > width and len(blocks[-1]) > len(lead):
            blocks.append(list(lead))
            used = start
        blocks[-1] += members
        used += wide
    return blocks


def widest(table: Table, column: Column, measure: Callable[[str], float]) -> float:
    """How wide a column is whose cells are not broken into lines."""
    cells = (format_value(row.get(column.name), column) for row in table.rows)
    # a heading over several columns stands above the first of them
    first = next(each.name for each in table.columns if each.over == column.over)
    over = column.over if column.name == first else None
    return max(map(measure, (column.heading, over or "", *cells)))


def spans_of(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """What stands above the headings, and over how many; nothing where no heading has any."""
    spans = [
        (over or "", len(list(members)))
        for over, members in groupby(columns, key=lambda column: column.over)
    ]
    return spans if any(over for over, _ in spans) else []


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _naming_columns(table: Table) -> list[Column]:
    """The first text columns, as many as tell the rows apart, with what stands before them.

    If these are not enough: any other text column that is, or as many of the next columns.
    """
    before = list(takewhile(lambda column: column.kind != "text", table.columns))
    texts = list(takewhile(lambda column: column.kind == "text", table.columns[len(before) :]))
    rest = table.columns[len(before) + len(texts) :]
    for names in (
        *(texts[:many] for many in range(1, len(texts) + 1)),
        *([*texts, other] for other in rest if other.kind == "text"),
        *([*texts, *rest[:many]] for many in (1, 2) if texts),
    ):
        named = {tuple(row.get(column.name) for column in names) for row in table.rows}
        if len(named) == len(table.rows):
            return [*before, *names]
    return [*before, *texts] if texts and rest else list(table.columns[:1])


def _kept_together(columns: Sequence[Column]) -> list[list[Column]]:
    """What is read together: the columns below one heading; low and high, with what they are of."""
    together: list[list[Column]] = []
    for column in columns:
        before = together[-1][-1] if together else None
        if before and (
            (column.over and column.over == before.over)
            or column.name in {"interval", "group"}
            or column.name.rpartition("_")[2] == "high"
            or (column.name == "low" and before.kind in {"rate", "score"})
        ):
            together[-1].append(column)
        else:
            together.append([column])
    return together


def _make_grid(
    table: Table, columns: Sequence[Column], best: set[tuple[int, str]], *, is_close: bool
) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=is_close)
    has_over = any(column.over for column in columns)
    above = None
    for column in columns:
        # a heading over several columns stands above the first of them
        over = column.over if column.over != above else ""
        above = column.over
        grid.add_column(
            f"{over or ''}\n{column.heading}" if has_over else column.heading,
            justify="left" if column.kind == "text" else "right",
            no_wrap=column.kind != "text",
            overflow="fold",  # a word that is too long is broken, never cut
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
