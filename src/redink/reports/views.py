"""Views: tables as people like to read them, found by name.

A view turns a table into the table that is shown in the terminal and in Markdown, LaTeX and HTML;
JSON, CSV and TSV have the plain table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, product
from string import ascii_lowercase
from typing import Any

from redink.model import Column, Row, Table
from redink.registry import Registry
from redink.reports.tables import UNEARNED

View = Callable[[Table], Table | Sequence[Table]]
"""One table, or several blocks one below the other; notes are those of the first."""

VIEWS: Registry[View] = Registry(
    "redink.views",
    "view",
    {
        "scores": "redink.reports.scores:view_scores",
        "scores-wide": "redink.reports.scores:view_wide",
        "differences": "redink.reports.comparisons:view_differences",
        "ranking": "redink.reports.views:view_ranking",
        "head-to-head": "redink.reports.views:view_head_to_head",
        "measures": "redink.reports.views:view_measures",
        "figures": "redink.reports.views:view_figures",
        "explanation": "redink.reports.views:view_explanation",
        "levels": "redink.reports.views:view_levels",
    },
)

BY_NAME = 5
"""A matrix of more systems than this has numbers above its columns."""

Encounter = Mapping[str, Any]


def pivot_encounters(table: Table) -> tuple[list[str], list[list[Encounter | None]]]:
    """The encounters of ``rank --show head-to-head`` as a matrix.

    Returns:
        The systems, and a row for each: how each other system fared against it (None for the
        system itself, and for those that never met).
    """
    systems = list(dict.fromkeys(row["system"] for row in table.rows))
    met = {(row["opponent"], row["system"]): row for row in table.rows}
    return systems, [[met.get((beside, above)) for above in systems] for beside in systems]


def write_share(encounter: Encounter) -> str:
    """The share of wins in three letters, with its stars: ``.75‡``."""
    return f"{encounter['share']:.2f}".removeprefix("0") + str(encounter["stars"])


def view_head_to_head(table: Table) -> Table:
    """The encounters as a matrix: a cell is the share of wins of its column."""
    systems, matrix = pivot_encounters(table)
    numbered = len(systems) > BY_NAME
    rows: list[dict[str, Any]] = []
    for number, (beside, encounters) in enumerate(zip(systems, matrix, strict=True), start=1):
        row: dict[str, Any] = {"\0number": number, "\0system": beside}
        for above, met in zip(systems, encounters, strict=True):
            if met is None:
                row[above] = "\N{EM DASH}"
            else:
                row[above] = None if met["share"] is None else write_share(met)
        rows.append(row)
    return replace(
        table,
        columns=(
            *([Column("\0number", "count", title="#")] if numbered else ()),
            Column("\0system", title="system"),
            *(
                Column(name, title=str(number) if numbered else name)
                for number, name in enumerate(systems, start=1)
            ),
        ),
        rows=rows,
        notes=(
            *(note for note in table.notes if not note.startswith("share:")),
            "A cell is the share of wins of the system above it over the system beside it.",
        ),
        groups=None,
    )


def view_ranking(table: Table) -> Table:
    """Systems with their place first, the interval beside the score, and the range of ranks."""
    known = {column.name: column for column in table.columns}
    rows = []
    for row in table.rows:
        low, high = row["rank_low"], row["rank_high"]
        shown = None if low is None else str(low) if low == high else f"{low}\N{EN DASH}{high}"
        rows.append(row | {"\0ranks": shown})
    ordered = {
        "rank": replace(known["rank"], title="#"),
        **{name: known[name] for name in ("system", "score", "low", "high")},
        # the first of every cluster is not the best of anything
        **({"score": replace(known["score"], best=None)} if table.groups == "cluster" else {}),
        "\0ranks": Column("\0ranks", "count", title="ranks"),
        "cluster": known["cluster"],
    }
    silent = {*ordered, "rank_low", "rank_high"}
    names = list(known)
    before = [known[name] for name in names[: names.index("system")] if name not in silent]
    after = [known[name] for name in names[names.index("system") :] if name not in silent]
    return replace(table, columns=(*before, *ordered.values(), *after), rows=rows)


def view_measures(table: Table) -> Table:
    """Measures of systems, the best first, without what is the same in all and said elsewhere."""
    silent = {
        name
        for name in ("unit", "level", "annotators")
        if len({row.get(name) for row in table.rows}) == 1
    }
    rows = table.rows
    if len({row["system"] for row in rows}) == len(rows):
        rows = sorted(rows, key=lambda row: -(row.get("f") or 0))
    # who flags nothing raises no false alarm: that is not worth praise
    idle = {UNEARNED: ("precision", "tnr")}
    rows = [row | idle if row.get("tp") == row.get("fp") == 0 else row for row in rows]
    columns = tuple(c for c in table.columns if c.name not in silent)
    return replace(table, columns=columns, rows=rows)


def view_figures(table: Table) -> list[Table]:
    """Reproduced figures: a block for every table of a paper.

    The reason of a verdict is a letter that the notes explain; an item that all figures of a
    block are of is in its title; tolerances are left to programs.
    """
    reasons = dict.fromkeys(row["reason"] for row in table.rows if row["reason"] is not None)
    letters = dict(zip(reasons, _letters(), strict=False))
    blocks: dict[str, list[Row]] = {}
    for row in table.rows:
        reason = f" {letters[row['reason']]}" if row["reason"] is not None else ""
        odd = ", NOT ACCOUNTED FOR" if row["accounted"] is False else ""
        said = {"verdict": f"{row['verdict']}{reason}{odd}"}
        blocks.setdefault(row["source"], []).append(row | said)
    explained = [f"{letter}: {reason}." for reason, letter in letters.items()]
    whole = replace(table, rows=[], notes=(*explained, *table.notes), groups=None)
    return [_view_figures_of(whole, name, rows) for name, rows in blocks.items()] or [whole]


def _view_figures_of(table: Table, title: str, rows: list[Row]) -> Table:
    silent = {"source", "tolerance", "reason", "accounted"}
    items = {row["item"] for row in rows}
    if len(items) == 1:
        title, silent = f"{title}: {items.pop()}", silent | {"item"}
    columns = tuple(column for column in table.columns if column.name not in silent)
    return replace(table, title=title, columns=columns, rows=rows)


def _letters() -> Iterator[str]:
    """a, b ... z, aa, ab ..."""
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))


def view_explanation(table: Table) -> Table:
    """The edits of a sentence: what each type means, and why it was given, below the table."""
    reasons = dict.fromkeys(
        f"{row['type']} ({row['meaning']}) by {row['rule']}: {row['because']}" for row in table.rows
    )
    columns = tuple(c for c in table.columns if c.name not in {"meaning", "because"})
    return replace(table, columns=columns, notes=(*table.notes, *reasons))


def view_levels(table: Table) -> list[Table]:
    """A benchmark: a block for every level, with its own columns alone; the best of every set."""
    blocks: dict[str, list[Row]] = {}
    for row in table.rows:
        blocks.setdefault(row["level"], []).append(row)
    return [
        replace(
            table,
            title=f"{table.title}, {level} level",
            columns=tuple(
                column
                for column in table.columns
                if column.name != "level" and any(row.get(column.name) is not None for row in rows)
            ),
            rows=rows,
            groups="set",
        )
        for level, rows in blocks.items()
    ]


Aligned = tuple[str, str, str]
"""Words of the source, what is done with them (empty where nothing), words of the correction."""


def draw_alignment(cells: Sequence[Aligned], *, width: int = 100) -> str:
    """An alignment in three lines: source, what is done, correction; wrapped to a width."""
    blocks: list[list[Aligned]] = [[]]
    used = 0
    for cell in cells:
        size = max(map(len, cell)) + 2
        if blocks[-1] and used + size > width:
            blocks.append([])
            used = 0
        blocks[-1].append(cell)
        used += size
    return "\n\n".join(_draw_block(block) for block in blocks if block)


def _draw_block(cells: Sequence[Aligned]) -> str:
    sizes = [max(map(len, cell)) for cell in cells]
    return "\n".join(
        "  ".join(cell[line].ljust(size) for cell, size in zip(cells, sizes, strict=True)).rstrip()
        for line in range(3)
    )
