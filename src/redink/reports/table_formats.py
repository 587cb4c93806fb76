"""Render tables in the terminal and as JSON, CSV, TSV and Markdown; code shared by all formats."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar
from xml.etree import ElementTree as ET

from redink.errors import OptionError
from redink.model import Column, Definition, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment

T = TypeVar("T")

UNDEFINED = "\N{EN DASH}"
UNEARNED = "\0unearned"
"""Key of a row: columns in which it is never the best, such as precision without proposals."""
BEST = "\0best"
"""Key of a row with comparable cells: the columns with its best value."""


def format_value(value: Any, column: Column) -> str:
    """Format one cell for display: fixed decimals, integer counts, a dash if undefined."""
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
    return text if text.strip("-0.") else text.removeprefix("-")  # removes the sign of zero


# ---- blocks


def read_blocks(table: Table) -> list[Table]:
    """Return the table formatted for display: one or several tables if it has a view.

    Numbers follow the display options. Notes and signature are on the first block.
    """
    full = replace(table, columns=(*table.columns, *table.hidden))
    full = _name_f(_apply_display(full))
    shown: Table | Sequence[Table] = full
    if table.view is not None:
        from redink.reports.views import VIEWS

        shown = VIEWS.load(table.view)(full)
    blocks = [shown] if isinstance(shown, Table) else shown
    return [_place_limits(_hide_columns(replace(block, view=None), table)) for block in blocks]


_MADE_FROM = {
    "headline": {"f", "score"},
    "interval": {"low", "high"},
    "ranks": {"rank_low", "rank_high"},
    "stars": {"difference"},
}
"""Columns of views, by the columns from which they are made if these have other names."""


def _hide_columns(block: Table, table: Table) -> Table:
    """Return a block of a view without the columns that the reader did not choose."""
    chosen, hidden = set(table.column_names), {column.name for column in table.hidden}
    kept = []
    for column in block.columns:
        name = column.name.rpartition("\0")[2]
        sources = _MADE_FROM.get(name, {name})
        if sources & chosen or not sources & hidden:
            kept.append(column)
    return replace(block, columns=tuple(kept))


def _name_f(table: Table) -> Table:
    """Add beta to the heading of F (``F0.5``) if it is only in the signature."""
    beta = table.signature.get("beta")
    if not isinstance(beta, int | float):
        return table
    named = [replace(c, title=f"F{beta:g}") if c.heading == "F" else c for c in table.columns]
    return replace(table, columns=tuple(named))


def _place_limits(table: Table) -> Table:
    """Put low and high next to their measure, and below its name if several have bounds."""
    known = {column.name: column for column in table.columns}
    limits = {
        name: [_name_limit(known[f"{name}_low"]), _name_limit(known[f"{name}_high"])]
        for name in known
        if {f"{name}_low", f"{name}_high"} <= known.keys()
    }
    moved = {limit.name for both in limits.values() for limit in both}
    columns: list[Column] = []
    for column in table.columns:
        together = [column, *limits.get(column.name, ())]
        if len(limits) > 1 and column.name in limits:
            together = [replace(each, over=column.heading) for each in together]
            together[0] = replace(together[0], title="value")
        columns += together if column.name not in moved else []
    return replace(table, columns=tuple(columns))


def _name_limit(column: Column) -> Column:
    last = re.split("[ _]", column.heading)[-1]
    return replace(column, title=last) if last in {"low", "high"} else column


def _apply_display(table: Table) -> Table:
    """Format rates and scores in percent or with other decimals."""
    display = table.display
    if not display.percent and display.digits is None:
        return table
    digits = display.digits if display.digits is not None else 2
    shown = {column.name for column in table.columns if column.kind in {"rate", "score"}}
    columns = tuple(replace(c, digits=digits) if c.name in shown else c for c in table.columns)
    if not display.percent:
        return replace(table, columns=columns)
    rows = [
        {n: 100 * v if n in shown and isinstance(v, float) else v for n, v in row.items()}
        for row in table.rows
    ]
    notes = (*table.notes, "rates and scores in percent")
    return replace(table, columns=columns, rows=rows, notes=notes)


def group_by(rows: Iterable[T], key: Callable[[T], Any]) -> dict[Any, list[T]]:
    """Group the rows by key, in the order in which the keys first occur."""
    groups: dict[Any, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def best_cells(table: Table) -> set[tuple[int, str]]:
    """Return the cells to emphasize, as (row, column): the best of each column in each group."""
    best = {(at, name) for at, row in enumerate(table.rows) for name in row.get(BEST, ())}
    groups = group_by(enumerate(table.rows), lambda each: each[1].get(table.groups or ""))
    for column in table.columns:
        for group in groups.values() if column.best else ():
            values = {
                index: row[column.name]
                for index, row in group
                if isinstance(row.get(column.name), int | float)
                and column.name not in row.get(UNEARNED, ())
            }
            if len({*values.values()}) > 1:
                top = (max if column.best == "max" else min)(values.values())
                best |= {(index, column.name) for index, value in values.items() if value == top}
    return best


def group_starts(table: Table) -> set[int]:
    """Return the indices of the rows, except the first, at which a group begins."""
    if table.groups is None:
        return set()
    values = [row.get(table.groups) for row in table.rows]
    starts = {at for at in range(1, len(values)) if values[at] != values[at - 1]}
    return starts if len(starts) + 1 < len(values) else set()  # no rules between single rows


def column_spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """Return the line above the headings as texts and their widths; empty if there is none."""
    groups = groupby(columns, key=lambda column: column.over)
    spans = [(over or "", len(list(members))) for over, members in groups]
    return spans if any(over for over, _ in spans) else []


_MOST_FINGERPRINTS = 6
"""Maximum number of named fingerprints in the signature line; JSON contains all of them."""


def signature_line(table: Table) -> str:
    """Return the signature on one line, for quoting in a paper."""
    return " | ".join(f"{name}:{_plain(value)}" for name, value in table.signature.items())


_IDENTIFIES_NO_DATA = {"redink", "command", "task", "language"}


def brief_signature(table: Table) -> str:
    """Return version, metrics or command, seed, and a digest of the full signature.

    A command that computes nothing has none.
    """
    given = table.signature
    if given.keys() <= _IDENTIFIES_NO_DATA:
        return ""
    metrics = given.get("metrics") or [given.get("command", "")]
    what = f"{len(metrics)} metrics" if len(metrics) > _MOST_FINGERPRINTS else _plain(metrics)
    seed = [f"seed {given['seed']}"] if "seed" in given else []
    text = json.dumps(given, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return " \N{MIDDLE DOT} ".join([f"redink {given.get('redink')}", what, *seed, f"sig {digest}"])


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(_plain(v) for v in value)
    if isinstance(value, dict):
        if len(value) > _MOST_FINGERPRINTS:
            from redink.model import fingerprint  # one fingerprint for all systems, in any order

            return f"{len(value)}#{fingerprint(sorted(map(str, value.values())))}"
        return ",".join(f"{k}={_plain(v)}" for k, v in value.items())
    return str(value)


# ---- JSON, CSV, TSV, Markdown


def to_json(table: Table) -> str:
    """Return JSON: ``signature, notes, columns, rows``."""
    return json.dumps(table.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_csv(table: Table, delimiter: str = ",") -> str:
    """Return comma-separated values with full precision, empty if undefined."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in table.rows:
        writer.writerow(["" if (v := row.get(n)) is None else v for n in table.column_names])
    return stream.getvalue()


def to_tsv(table: Table) -> str:
    """Return tab-separated values with full precision, empty if undefined."""
    return to_csv(table, "\t")


def to_junit(table: Table) -> str:
    """Return JUnit XML with one test case per row of a table with the verdicts pass and fail."""
    if "verdict" not in table.column_names:
        raise OptionError(
            "JUnit XML is only for tables with verdicts, such as those of redink gate"
        )
    failed = [row for row in table if row["verdict"] == "fail"]
    counts = {"tests": str(len(table)), "failures": str(len(failed))}
    suite = ET.Element("testsuite", {"name": "redink", **counts})
    for row in table:
        known = {name: row.get(name) for name in table.column_names if row.get(name) is not None}
        cell = {column.name: column for column in table.columns}
        about = ", ".join(f"{name} {format_value(known[name], cell[name])}" for name in known)
        name = " ".join(str(row[name]) for name in ("rule", "measure", "slice") if row.get(name))
        case = ET.SubElement(suite, "testcase", classname="redink.gate", name=name)
        if row["verdict"] == "fail":
            ET.SubElement(case, "failure", message=about)
    suites = ET.Element("testsuites", {"name": "redink", **counts})
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def to_markdown(table: Table) -> str:
    """Return one Markdown table per block, with the notes below."""
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
    rules = (":---" if column.kind == "text" else "---:" for column in table.columns)
    lines.append("|" + "|".join(rules) + "|")
    for index, row in enumerate(table.rows):
        cells = []
        for column in table.columns:
            text = _escape_markdown(format_value(row.get(column.name), column))
            cells.append(f"**{text}**" if (index, column.name) in best else text)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


_MARKDOWN = re.compile(r"[\\`*|\[\]~]|(?<!\w)_|_(?!\w)")
"""Markdown markup; underscores only at the end of a word."""
_LIST = re.compile(r"^(\d*)([-+#>.)])(?=[\s#])")
"""The start of a heading, a list item or a quotation."""


def _escape_markdown(text: str) -> str:
    plain = " ".join(text.splitlines()).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKDOWN.sub(r"\\\g<0>", plain)


# ---- terminal


Detail = Literal["full", "brief", "none"]
"""Notes and signature below a table: all, the most important ones in brief, or none."""

_MOST_NOTES = 3


def print_table(table: Table, stream: TextIO, detail: Detail = "brief") -> None:
    """Print the table to a terminal; pipes receive plain text in full width."""
    if stream.isatty():
        _write(table, stream, detail, is_screen=True)
    else:
        stream.write(to_text(table, detail))
        stream.flush()


def to_text(table: Table, detail: Detail = "full", rest: str = "with --verbose") -> str:
    """Return the table as in the terminal, without colors and of full width.

    Args:
        table: the table.
        detail: the notes and the form of the signature below the table.
        rest: where the other notes are, if ``detail`` is ``brief``.
    """
    stream = io.StringIO()
    # the environment must not matter: rich has special output for notebooks
    _write(table, stream, detail, rest, width=10_000, color_system=None, force_jupyter=False)
    return "\n".join(map(str.rstrip, stream.getvalue().split("\n"))).strip("\n") + "\n"


def _write(
    table: Table,
    stream: TextIO,
    detail: Detail,
    rest: str = "with --verbose",
    *,
    is_screen: bool = False,
    **settings: Any,
) -> None:
    """Write aligned columns with the best in bold, then notes and signature dimmed.

    If a table is wider than the terminal, the remaining columns follow below, after a repetition
    of the naming columns.
    """
    from rich.console import Console
    from rich.segment import SegmentLines
    from rich.text import Text

    console = Console(file=stream, highlight=False, **settings)
    blocks = read_blocks(table)
    for block in blocks:
        console.print(SegmentLines(_draw_block(console, block), new_lines=True), end="")
    fold = textwrap.TextWrapper(
        console.width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    notes, signature = list(blocks[0].notes), _fold_signature(table, console.width)
    if detail == "brief":
        notes, signature = _select_notes(table, notes, rest), brief_signature(table)
    for note in notes if detail != "none" else ():
        console.print(Text(fold.fill(note) if is_screen else note, style="dim"))
    if signature and detail != "none":
        console.print(Text(signature, style="dim"))


def _select_notes(table: Table, shown: Sequence[str], rest: str) -> list[str]:
    """Return the legend that the view adds, and the first notes of the table about its data."""
    notes = [note for note in shown if not isinstance(note, Definition)]
    about = [note for note in notes if note in table.notes]
    hidden = len(about[_MOST_NOTES:])
    notes = [note for note in notes if note not in about[_MOST_NOTES:]]
    return [*notes, f"({hidden} more note{'s' * (hidden > 1)} {rest})"] if hidden else notes


def _draw_block(console: Console, block: Table) -> list[list[Segment]]:
    from rich.text import Text

    parts, is_close = _fold_columns(block, console.width), False
    if len(parts) > 1:
        close = _fold_columns(block, console.width, gap=2, share=0.33)
        parts, is_close = (close, True) if len(close) < len(parts) else (parts, False)
    lines = []
    if block.title:
        lines += console.render_lines(Text(block.title, style="italic"), pad=False)
    for number, columns in enumerate(parts):
        grid = _make_grid(block, columns, is_close=is_close)
        # a grid begins and ends with an empty line: keep only one between two parts
        lines += console.render_lines(grid, pad=False)[1 if number else 0 :]
    return lines


def _fold_signature(table: Table, width: int) -> str:
    """Wrap the signature between two of its parts."""
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

    The naming columns take up to half of the width. ``share`` is the maximum fraction of the width
    for unwrapped text, and ``gap`` the space between two cells.
    """
    needed = {column.name: gap + column_width(table, column) for column in table.columns}
    for column in table.columns:
        if column.kind == "text":
            longest = gap + column_width(
                table, column, lambda text: max(map(len, text.split()), default=0)
            )
            needed[column.name] = min(needed[column.name], max(width * share, longest))
    lead = _naming_columns(table)
    parts = [list(lead)]
    used = start = min(width / 2, sum(needed[column.name] for column in lead))
    for members in _read_together([column for column in table.columns if column not in lead]):
        wide = sum(needed[column.name] for column in members)
        if used + wide > width and len(parts[-1]) > len(lead):
            parts.append(list(lead))
            used = start
        parts[-1] += members
        used += wide
    return parts


def column_width(
    table: Table, column: Column, measure: Callable[[str], int] = len, *, over: bool = True
) -> int:
    """Return the width of a column without wrapped cells."""
    cells = [format_value(row.get(column.name), column) for row in table.rows]
    first = next(each.name for each in table.columns if each.over == column.over)
    if over and column.over and column.name == first:  # the span is printed over its first column
        cells.append(column.over)
    return max(map(measure, (column.heading, *cells)))


def _naming_columns(table: Table) -> list[Column]:
    """Return the columns that identify a row: the first text columns and those before them.

    If several rows have the same values in these columns, another text column or the next columns
    are added.
    """
    before = list(takewhile(lambda column: column.kind != "text", table.columns))
    texts = list(takewhile(lambda column: column.kind == "text", table.columns[len(before) :]))
    rest = table.columns[len(before) + len(texts) :]
    for names in (
        *(texts[:number] for number in range(1, len(texts) + 1)),
        *([*texts, one] for one in rest if one.kind == "text" and "interval" not in one.name),
        *([*texts, *rest[:number]] for number in (1, 2) if texts),
    ):
        named = {tuple(row.get(column.name) for column in names) for row in table.rows}
        if len(named) == len(table.rows):
            return [*before, *names]
    return [*before, *texts] if texts and rest else list(table.columns[:1])


def _read_together(columns: Sequence[Column]) -> list[list[Column]]:
    """Group columns that belong together: those below one heading, a measure and its bounds."""
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


def _make_grid(table: Table, columns: Sequence[Column], *, is_close: bool) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=is_close)
    has_over = any(column.over for column in columns)
    above = None
    for column in columns:
        over = column.over if column.over != above else ""
        above = column.over
        grid.add_column(
            f"{over or ''}\n{column.heading}" if has_over else column.heading,
            justify="left" if column.kind == "text" else "right",
            no_wrap=column.kind != "text",
            overflow="fold",  # a word that is too long is wrapped, not truncated
        )
    best, starts = best_cells(table), group_starts(table)
    for index, row in enumerate(table.rows):
        styles = ("bold green" if (index, c.name) in best else "" for c in columns)
        texts = (format_value(row.get(c.name), c) for c in columns)
        grid.add_row(*map(Text, texts, styles), end_section=index + 1 in starts)
    return grid
