"""Views: formatting of tables for display, by name.

A view turns a table into the blocks shown in the terminal, Markdown, LaTeX and HTML. JSON, CSV and
TSV contain the plain table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count, product
from string import ascii_lowercase
from typing import Any

from redink.model import Column, Definition, Row, Table
from redink.model.counts import attempted
from redink.model.tables import Best
from redink.registry import Registry
from redink.reports.table_formats import BEST, UNEARNED, group_by

View = Callable[[Table], Table | Sequence[Table]]
"""A function that returns one table, or several blocks, the first of which has the notes."""

_NAMES = (
    *("scores", "scores-wide", "differences", "ranking", "head-to-head", "measures", "figures"),
    *("differences-wide", "main-measures", "explanation", "levels", "sentences"),
)
VIEWS: Registry[View] = Registry(
    "redink.views",
    "view",
    {name: f"redink.reports.views:view_{name.replace('-', '_')}" for name in _NAMES},
)

_HEADLINES = ("f", "score")
_ALL_TYPES = "all"
_MOST_NAMED = 5
"""A matrix with more systems has numbers above its columns."""

# ---- scores


def headline(row: Mapping[str, Any]) -> float | None:
    """Return the measure by which a row is ranked; recall if a type has no other."""
    found = (row[name] for name in (*_HEADLINES, "recall") if row.get(name) is not None)
    return next(map(float, found), None)


def has_types(table: Table) -> bool:
    """Return whether there are rows for single error types."""
    return any(row.get("type") is not None for row in table.rows)


def view_scores(table: Table) -> list[Table]:
    """Show one block per metric with its own columns, the best system first.

    Error types of several systems get an additional block per metric, with one column per system.
    ``extra`` contains the grids from which HTML makes heat maps.
    """
    if not has_types(table) or table.extra.get("slices"):
        return _view_metrics(table, table.rows)
    grids = type_grids(table)
    if len({row["system"] for row in table.rows}) == 1:
        blocks = _view_metrics(table, table.rows)
    else:
        overall = [row for row in table.rows if row.get("type") is None]
        blocks = [*_view_metrics(table, overall), *(_view_grid(table, grid) for grid in grids)]
    extra = {**table.extra, "grids": grids}
    return [replace(blocks[0], extra=extra, notes=_with_gold(table, grids)), *blocks[1:]]


def view_scores_wide(table: Table) -> list[Table]:
    """Show systems by metrics, as papers do: precision, recall and F, or the score.

    A score is followed by its significance group and its confidence interval in brackets.
    """
    known = {column.name: column for column in (*table.columns, *_INTERVAL)}
    digits = next((known[name].digits for name in _HEADLINES if name in known), None)
    overall = with_intervals(
        (attempted(row) for row in table.rows if row.get("type") is None), digits, brackets=True
    )
    slices = table.extra.get("slices", ())
    name_block = partial(_name_block, slices=slices)
    rows: dict[tuple[str, ...], Row] = {}
    columns: dict[str, dict[str, Column]] = {over: {} for over in map(name_block, overall)}
    for row in overall:
        if row.get("level") == "detection" and "level" not in slices:
            continue
        of_slice = {name: row.get(name) or _ALL_TYPES for name in slices}
        own = rows.setdefault(
            (row["system"], *of_slice.values()), {"\0system": row["system"], **of_slice}
        )
        over = name_block(row)
        measure = "score" if row.get("f") is None else "f"
        for name in ("precision", "recall", measure, "group", "interval"):
            if row.get(name) is not None:
                key = f"{over}\0{name}"
                own[key] = row[name]
                title = _WIDE_TITLES.get(name) or _measure_title(known, name)
                best = None if name in {"interval", "group"} else _best(table, row["metric"])
                columns[over][key] = replace(
                    known[name], name=key, title=title, over=over, best=best
                )
    shown = [
        replace(each, title=over, over=None) if len(members) == 1 else each
        for over, members in columns.items()
        for each in members.values()
    ]
    grids = type_grids(table)
    notes = _with_gold(table, grids)
    if any("interval" in row for row in overall) and not any(c.name == "low" for c in table.hidden):
        notes += (_CI_LEGEND,)
    wide = replace(
        table,
        columns=(*map(Column, slices), Column("\0system", title="system"), *shown),
        rows=list(rows.values()),
        notes=notes,
        groups=None,
    )
    return [wide, *(_view_grid(table, grid) for grid in grids)]


_CI_LEGEND = Definition("[lower, upper]: 95% confidence interval of the score, one decimal fewer")
_WIDE_TITLES = {"precision": "P", "recall": "R", "interval": "95% CI"}


def _name_block(row: Row, slices: Collection[str] = ()) -> str:
    reference = f"{row['reference']} reference" if row.get("reference") else None
    level = row.get("level") if row.get("level") != "correction" else None
    parts = (row["metric"], reference, None if "level" in slices else level, row.get("measure"))
    return ", ".join(filter(None, parts))


def _best(table: Table, metric: str) -> Best:
    return "min" if metric in table.extra.get("lower_is_better", ()) else "max"


def _view_metrics(table: Table, rows: Sequence[Row]) -> list[Table]:
    blocks = group_by(rows, partial(_name_block, slices=table.extra.get("slices", ())))
    return [_view_block(table, name, members) for name, members in blocks.items()]


def _measure_title(known: Mapping[str, Column], measure: str) -> str:
    """Return ``F0.5``, or ``score`` even if the table has one title for several metrics."""
    return known[measure].heading if measure != "score" and measure in known else measure


_INTERVAL = (Column("interval", title="95% interval"), Column("group"))
_TITLES = {name: name.upper() for name in ("tp", "fp", "fn", "tn", "fpn")}
_TITLES |= {"precision": "P", "recall": "R", "wacc": "output", "wacc_baseline": "source"}
_SPECIAL = frozenset(
    {"system", "metric", "level", "reference", "reference_edits", "type", "f", "score"}
    | {"low", "high", "rank", "group", "nothing_proposed", "p_slice"}
)


def _view_block(table: Table, title: str, given: Sequence[Row]) -> Table:
    known = {column.name: column for column in table.columns}
    measure = "f" if any(row.get("f") is not None for row in given) else "score"
    digits = known[measure].digits if measure in known else None
    is_typed = has_types(table)
    slices = table.extra.get("slices", ())
    rows = []
    for row in map(attempted, given):
        f, score = row.get("f"), row.get("score")
        kind = {"type": row.get("type") or _ALL_TYPES} if is_typed else {}
        kind |= {name: row.get(name) or _ALL_TYPES for name in slices}
        rows.append(row | {"headline": score if f is None else f} | kind)
    is_ranked = all(row.get("rank") is not None for row in rows)  # of this level
    if is_ranked and not is_typed and not slices and table.display.sort is None:
        rows.sort(key=lambda row: row["rank"])
    rows = with_intervals(rows, digits)
    systems = {row["system"] for row in rows}
    # there is no best type
    best = None if is_typed and len(systems) == 1 else _best(table, given[0]["metric"])
    measures = [
        replace(c, title=_TITLES.get(c.name, c.title), over="WAcc" if "wacc" in c.name else c.over)
        for c in table.columns
        if c.name not in {*_SPECIAL, *slices}
    ]
    columns = [
        *map(Column, slices),
        *([Column("rank", "count", title="#")] if len(systems) > 1 else ()),
        Column("system"),
        *([Column("type")] if any(row.get("type") != _ALL_TYPES for row in rows) else ()),
        *measures,
        Column("headline", "rate", best, _measure_title(known, measure), digits),
        *_INTERVAL,
        *(column for name, column in known.items() if name == "p_slice"),
    ]
    shown = tuple(c for c in columns if any(row.get(c.name) is not None for row in rows))
    return replace(table, columns=shown, rows=rows, title=title, groups=None)


def with_intervals(rows: Iterable[Row], digits: int | None, *, brackets: bool = False) -> list[Row]:
    """Return the rows with low and high as one text, ``interval``, whose numbers are aligned.

    In brackets, as papers write intervals next to a score, they have one decimal less.
    """
    places = max(0, (4 if digits is None else digits) - brackets)
    form = "[{}, {}]" if brackets else "{} \N{EN DASH} {}"
    made = [dict(row) for row in rows]
    known = [row for row in made if row.get("low") is not None and row.get("high") is not None]
    ends = [(f"{row['low']:.{places}f}", f"{row['high']:.{places}f}") for row in known]
    left, right = (max((len(pair[side]) for pair in ends), default=0) for side in (0, 1))
    for row, (low, high) in zip(known, ends, strict=True):
        row["interval"] = form.format(low.rjust(left), high.rjust(right))
    return made


@dataclass(frozen=True)
class TypeGrid:
    """Error types by systems under one metric; ``values`` are F or recall.

    ``gold`` is the number of gold edits of a type, the maximum over the systems; ``least`` is the
    minimum. A value is None if nothing was proposed.
    """

    metric: str
    measure: str
    systems: tuple[str, ...]
    types: tuple[str, ...]
    gold: tuple[int, ...]
    values: tuple[tuple[float | None, ...], ...]
    least: tuple[int, ...]

    @property
    def varies(self) -> bool:
        """Whether the number of gold edits differs between systems."""
        return self.least != self.gold

    @property
    def totals(self) -> list[str]:
        """The number of gold edits of every type: one number, or the least and the most."""
        pairs = zip(self.least, self.gold, strict=True)
        return [
            f"{most:g}" if low == most else f"{low:g}\N{EN DASH}{most:g}" for low, most in pairs
        ]


def type_grids(table: Table) -> list[TypeGrid]:
    """Return one grid of error types per metric."""
    blocks = group_by(map(attempted, table.rows), lambda row: row["metric"])
    f_title = next((c.heading for c in table.columns if c.name == "f"), "f")
    return [
        _make_grid(metric, rows, f_title)
        for metric, rows in blocks.items()
        if any(row.get("type") is not None for row in rows)
    ]


def _make_grid(metric: str, rows: Sequence[Row], f_title: str) -> TypeGrid:
    cells = {(row["type"] or _ALL_TYPES, row["system"]): row for row in rows}
    sizes = group_by(rows, lambda row: row["type"] or _ALL_TYPES)
    gold = {kind: max(row["tp"] + row["fn"] for row in own) for kind, own in sizes.items()}
    types = sorted(gold, key=lambda kind: (kind != _ALL_TYPES, -gold[kind], kind))
    systems = tuple(dict.fromkeys(row["system"] for row in rows))
    has_f = any(row.get("f") is not None for row in rows if row["type"] is not None)
    measure = "f" if has_f else "recall"
    nothing = {"tp": 0, "fn": 0}
    own = [[cells.get((kind, system), nothing) for system in systems] for kind in types]
    return TypeGrid(
        metric,
        f_title if has_f else measure,
        systems,
        tuple(types),
        tuple(gold[kind] for kind in types),
        tuple(tuple(cells.get((t, s), {}).get(measure) for s in systems) for t in types),
        tuple(min(cell["tp"] + cell["fn"] for cell in of_type) for of_type in own),
    )


_ABOUT_GOLD = Definition(
    "gold: the smallest and the largest number of gold edits over the systems; each system has its "
    "own choice of annotators"
)


def _with_gold(table: Table, grids: Sequence[TypeGrid]) -> tuple[str, ...]:
    return (*table.notes, *([_ABOUT_GOLD] if any(grid.varies for grid in grids) else []))


def _view_grid(table: Table, grid: TypeGrid) -> Table:
    digits = next((c.digits for c in table.columns if c.name in {"f", "recall"}), None)
    rows: list[Row] = []
    for kind, gold, values in zip(grid.types, grid.totals, grid.values, strict=True):
        row = dict(zip(grid.systems, values, strict=True))
        best = best_value(values)
        top = [name for name in grid.systems if best is not None and row[name] == best]
        rows.append({"\0type": kind, "\0gold": gold, **row, BEST: top})
    columns = (
        Column("\0type", title="type"),
        Column("\0gold", title="gold"),
        *(Column(name, "rate", title=name, digits=digits) for name in grid.systems),
    )
    title = f"{grid.metric}: {grid.measure} by error type"
    return replace(table, columns=columns, rows=rows, title=title, groups=None)


def best_value(values: Sequence[float | None]) -> float | None:
    """Return the value to emphasize, or None if all values are equal."""
    known = [value for value in values if value is not None]
    return max(known) if len({*known}) > 1 else None


# ---- differences

STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
_STARS_LEGEND = "* p < .05, ** p < .01, *** p < .001 (Holm-adjusted, all tests)"
_MATRIX_LEGEND = "A cell: score of the system in its row minus score of the system in its column"


def stars(row: Mapping[str, Any]) -> str:
    """Return up to three stars for a significant difference, by its adjusted p-values."""
    found = [row.get(f"p_{test}_holm") for test in ("bootstrap", "randomization")]
    highest = max((p for p in found if p is not None), default=1.0)
    return next((mark for limit, mark in STARS if highest < limit), "")


def view_differences(table: Table) -> list[Table]:
    """Show one matrix per metric.

    Two systems, a baseline with all systems, error types, and reference edits are shown as a list.
    """
    found = next((c.digits for c in table.columns if c.name == "difference"), None)
    digits = 4 if found is None else found
    baseline = table.extra.get("baseline")
    made = []
    legend: list[str] = []
    for title, rows in group_by(table.rows, _name_block).items():
        systems = {row[side] for row in rows for side in ("system", "other")}
        if has_types(table):
            typed = [row | {"type": row["type"] or _ALL_TYPES} for row in rows]
            columns, shown = _list_differences(typed, _OTHER, digits)
        elif baseline is not None:
            own = {"system": f"{baseline} (baseline)", "score": rows[0]["other_score"]}
            sign = 1 if _best(table, rows[0]["metric"]) == "min" else -1
            ordered = sorted(
                rows, key=lambda r: 0 if table.display.sort else sign * (r["score"] or 0)
            )
            columns, shown = _list_differences([own, *ordered], (), digits)
        elif len(systems) > 2 and not any(row.get("other_reference_edits") for row in rows):
            best = _best(table, rows[0]["metric"])
            columns, shown = _make_matrix(rows, digits, table.extra.get("order"), best)
            legend = [_MATRIX_LEGEND, _STARS_LEGEND]
        else:
            columns, shown = _list_differences(rows, _OTHER, digits)
        if not legend and any(column.name == "stars" for column in columns):
            legend = [_STARS_LEGEND]
        made.append(replace(table, columns=tuple(columns), rows=shown, title=title, groups=None))
    return [replace(made[0], notes=(*table.notes, *legend)), *made[1:]]


def _order_systems(
    scores: Mapping[str, float | None], given: Sequence[str] | None, best: Best
) -> list[str]:
    """Return the systems in the given order, or the best first."""
    sign = 1 if best == "min" else -1
    found = sorted(scores, key=lambda name: sign * (scores[name] or 0))
    return found if given is None else sorted(found, key=[*given, *found].index)


def _make_matrix(
    rows: list[Row], digits: int, given: Sequence[str] | None, best: Best
) -> tuple[list[Column], list[Row]]:
    scores = {row["system"]: row["score"] for row in rows}
    scores |= {row["other"]: row["other_score"] for row in rows}
    order = _order_systems(scores, given, best)
    found = {(row["system"], row["other"]): row for row in rows}
    most_stars = max(len(stars(row)) for row in rows)  # stars follow the numbers, which are aligned
    made = []
    for number, name in enumerate(order, start=1):
        line: Row = dict.fromkeys(order, "")
        line |= {"\0number": number, "\0system": name, "\0score": scores[name]}
        for other in order[number:]:
            pair = found.get((name, other)) or found.get((other, name))
            if pair is not None and pair["difference"] is not None:
                value = pair["difference"] if pair["system"] == name else -pair["difference"]
                line[other] = f"{value:.{digits}f}{stars(pair):{most_stars}}"
        made.append(line)
    is_numbered = len(order) > _MOST_NAMED
    columns = [
        Column("\0number", "count", title="#"),
        Column("\0system", title="system"),
        Column("\0score", "score", title="score", digits=digits),
        *(
            Column(other, "count", title=str(number) if is_numbered else other)
            for number, other in enumerate(order[1:], start=2)
        ),
    ]
    return columns, made


def view_differences_wide(table: Table) -> Table:
    """Show the scores, one row per system and one column per metric.

    Scores have stars if they differ from the baseline, or letters if all systems were compared.
    """
    from redink.statistics.significance import letter_groups  # NumPy loads slowly

    baseline = table.extra.get("baseline")
    digits = next((c.digits for c in table.columns if c.name == "score"), None)
    columns = [Column("\0system", title="system")]
    lines: dict[str, Row] = {}
    for title, rows in group_by(table.rows, _name_block).items():
        scores = {row["other"]: row["other_score"] for row in rows}
        scores |= {row["system"]: row["score"] for row in rows}
        best = _best(table, rows[0]["metric"])
        order = _order_systems(scores, None, best)
        marks = {row["system"]: stars(row) for row in rows}
        if baseline is None:
            differ = [(row["system"], row["other"]) for row in rows if row["significant"]]
            places = [(order.index(one), order.index(other)) for one, other in differ]
            marks = dict(zip(order, letter_groups(len(order), places), strict=True))
        shown = _order_systems(scores, table.extra.get("order"), best)
        for name in [*([] if baseline is None else [baseline]), *shown]:
            line = lines.setdefault(name, {"\0system": name})
            line |= {f"{title}\0score": scores[name], f"{title}\0stars": marks.get(name) or " "}
        columns.append(Column(f"{title}\0score", "score", best, title, digits))
        if any(mark.strip() for mark in marks.values()):
            columns.append(Column(f"{title}\0stars", title=""))
    legend = _LETTERS_LEGEND if baseline is None else f"Compared with {baseline}: {_STARS_LEGEND}"
    if baseline is not None:
        lines[baseline]["\0system"] = f"{baseline} (baseline)"
    notes = (*table.notes, legend)
    return replace(
        table, columns=tuple(columns), rows=list(lines.values()), notes=notes, groups=None
    )


_LETTERS_LEGEND = (
    "Systems that share a letter are not significantly different (adjusted p ≥ .05 in a test)"
)
_OTHER = ("other", "other_score")
_DIFFERENCES = (
    Column("type"),
    Column("system"),
    Column("other", title="against"),
    Column("reference_edits", title="references"),
    Column("other_reference_edits", title="against references"),
    Column("score", "score"),
    Column("other_score", "score", title="compared score"),
    Column("difference", "score"),
    Column("stars", title=""),
    Column("interval", title="95% interval"),
    Column("p_bootstrap_holm", "p", title="p boot."),
    Column("p_randomization_holm", "p", title="p rand."),
)


def _list_differences(
    rows: list[Row], other: Sequence[str], digits: int
) -> tuple[list[Column], list[Row]]:
    shown = with_intervals(rows, digits)
    for row in shown:
        if row.get("other_reference_edits"):  # the system is compared with itself
            row["other"] = None
        else:
            row["reference_edits"] = None
        row["stars"] = (stars(row) if row.get("difference") is not None else "") or " "
    columns = [
        replace(column, digits=digits) if column.kind == "score" else column
        for column in _DIFFERENCES
        if (column.name not in _OTHER or column.name in other)
        and any(row.get(column.name) not in {None, " "} for row in shown)
    ]
    return columns, shown


# ---- rankings

Encounter = Mapping[str, Any]


def pivot_encounters(table: Table) -> tuple[list[str], list[list[Encounter | None]]]:
    """Return the systems and the matrix of ``rank --show head-to-head``.

    A row of the matrix has the result of every system against the row's system, or None.
    """
    systems = list(dict.fromkeys(row["system"] for row in table.rows))
    met = {(row["opponent"], row["system"]): row for row in table.rows}
    return systems, [[met.get((beside, above)) for above in systems] for beside in systems]


def write_share(encounter: Encounter) -> str:
    """Return the win rate in three characters, with symbols for significance: ``.75‡``."""
    return f"{encounter['share']:.2f}".removeprefix("0") + str(encounter["stars"])


def view_head_to_head(table: Table) -> Table:
    """Show the results as a matrix: a cell is the win rate of its column."""
    systems, matrix = pivot_encounters(table)
    is_numbered = len(systems) > _MOST_NAMED
    rows: list[Row] = []
    for number, (beside, encounters) in enumerate(zip(systems, matrix, strict=True), start=1):
        cells = [
            "\N{EM DASH}" if met is None else None if met["share"] is None else write_share(met)
            for met in encounters
        ]
        named = {"\0number": number, "\0system": beside}
        rows.append({**named, **dict(zip(systems, cells, strict=True))})
    columns = (
        *([Column("\0number", "count", title="#")] if is_numbered else ()),
        Column("\0system", title="system"),
        *(
            Column(name, title=str(number) if is_numbered else name)
            for number, name in enumerate(systems, start=1)
        ),
    )
    notes = (
        *(note for note in table.notes if not note.startswith("share:")),
        "A cell is the win rate of the column's system against the row's system.",
    )
    return replace(table, columns=columns, rows=rows, notes=notes, groups=None)


def view_ranking(table: Table) -> Table:
    """Show the rank first, the interval next to the score, and the rank range."""
    known = {column.name: column for column in table.columns}
    rows = []
    for row in table.rows:
        low, high = row["rank_low"], row["rank_high"]
        shown = None if low is None else str(low) if low == high else f"{low}\N{EN DASH}{high}"
        rows.append(row | {"\0ranks": shown})
    ordered = {
        "rank": replace(known["rank"], title="#"),
        **{name: known[name] for name in ("system", "score", "low", "high")},
        "\0ranks": Column("\0ranks", "count", title="ranks"),
        "cluster": known["cluster"],
    }
    if table.groups == "cluster":  # there is no best system in a cluster
        ordered["score"] = replace(known["score"], best=None)
    names, hidden = list(known), {*ordered, "rank_low", "rank_high"}
    parts = (names[: names.index("system")], names[names.index("system") :])
    before, after = ([known[name] for name in part if name not in hidden] for part in parts)
    return replace(table, columns=(*before, *ordered.values(), *after), rows=rows)


# ---- other tables


def view_measures(table: Table) -> Table:
    """Show measures of systems, best first, without columns whose values are all equal."""
    rows = table.rows
    varying = ("unit", "level", "annotators", "type", "bonus")
    equal = {name for name in varying if len({row.get(name) for row in rows}) == 1}
    if len({row["system"] for row in rows}) == len(rows):
        rows = rows if table.display.sort else sorted(rows, key=lambda row: -(row.get("f") or 0))
    # a system that flags nothing has no false positives, which should not be emphasized
    idle = {UNEARNED: ("precision", "tnr")}
    rows = [row | idle if row.get("tp") == row.get("fp") == 0 else row for row in rows]
    if "type" not in equal:
        rows = [row | {"type": row.get("type") or _ALL_TYPES} for row in rows]
    columns, joined = _join_intervals([c for c in table.columns if c.name not in equal], rows)
    return replace(table, columns=tuple(columns), rows=list(joined))


def _join_intervals(
    columns: Sequence[Column], rows: Sequence[Row]
) -> tuple[list[Column], Sequence[Row]]:
    """Show ``recall_low`` and ``recall_high`` as one column, next to that of ``recall``."""
    names = {column.name for column in columns}
    ends = {f"{name}_{end}" for name in names for end in ("low", "high")} & names
    shown: list[Column] = []
    for column in columns:
        if column.name in ends:
            continue
        shown.append(column)
        if f"{column.name}_low" in ends:
            low, high = f"{column.name}_low", f"{column.name}_high"
            found = [{"low": row.get(low), "high": row.get(high)} for row in rows]
            joined = with_intervals(found, column.digits)
            name = f"{column.name}_interval"
            rows = [
                row | {name: own.get("interval")} for row, own in zip(rows, joined, strict=True)
            ]
            shown.append(Column(name, title="95%"))
    return shown, rows


_MAIN_MEASURES = {"precision", "recall", "f", "kappa"}
_FURTHER_MEASURES = {
    *("accuracy", "tnr", "prevalence", "bias", "mcc", "informedness", "markedness", "alpha"),
    *("expected_accuracy", "balanced_accuracy", "npv", "fpr", "n", "xyz"),
    *("correct_before", "correct_after", "accuracy_with_trivial"),
}


def view_main_measures(table: Table) -> Table:
    """Show the counts, precision, recall, F and kappa of systems, the best first."""
    shown = view_measures(table)
    columns = tuple(
        c for c in shown.columns if c.name.removesuffix("_interval") not in _FURTHER_MEASURES
    )
    return replace(shown, columns=columns, notes=tuple(map(_demote, shown.notes)))


def _demote(note: str) -> str:
    """Treat an explanation of undefined values as a definition if their columns are hidden."""
    named = {*re.findall(r"\w+", note)}
    is_hidden = note.startswith("Undefined") and named.isdisjoint(_MAIN_MEASURES)
    return Definition(note) if is_hidden else note


def view_figures(table: Table) -> list[Table]:
    """Show reproduced results, one block per table of a paper.

    The reason for a verdict is a letter that is explained in the notes. If all results of a block
    concern one item, the item is in the title.
    """
    reasons = dict.fromkeys(row["reason"] for row in table.rows if row["reason"] is not None)
    names = chain.from_iterable(product(ascii_lowercase, repeat=size) for size in count(1))
    letters = dict(zip(reasons, map("".join, names), strict=False))  # a, b ... z, aa, ab ...
    rows = []
    for row in table.rows:
        reason = f" {letters[row['reason']]}" if row["reason"] is not None else ""
        odd = ", NOT EXPLAINED" if row["accounted"] is False else ""
        rows.append(row | {"verdict": f"{row['verdict']}{reason}{odd}"})
    explained = [f"{letter}: {reason}." for reason, letter in letters.items()]
    empty = replace(table, rows=[], notes=(*explained, *table.notes), groups=None)
    blocks = []
    for name, members in group_by(rows, lambda row: row["source"]).items():
        title, hidden = name, {"source", "tolerance", "reason", "accounted"}
        items = {row["item"] for row in members}
        if len(items) == 1:
            title, hidden = f"{name}: {items.pop()}", hidden | {"item"}
        columns = tuple(column for column in table.columns if column.name not in hidden)
        blocks.append(replace(empty, title=title, columns=columns, rows=members))
    return blocks or [empty]


def view_explanation(table: Table) -> Table:
    """Show the edits of a sentence; meanings of types and reasons are in the notes."""
    reasons = dict.fromkeys(
        f"{row['type']} ({row['meaning']}) by {row['rule']}: {row['because']}" for row in table.rows
    )
    columns = tuple(c for c in table.columns if c.name not in {"meaning", "because"})
    return replace(table, columns=columns, notes=(*table.notes, *reasons))


def view_levels(table: Table) -> list[Table]:
    """Show a benchmark: one block per level with its own columns and the best value of each set."""
    blocks = []
    for level, rows in group_by(table.rows, lambda row: row["level"]).items():
        columns = tuple(
            column
            for column in table.columns
            if column.name != "level" and any(row.get(column.name) is not None for row in rows)
        )
        title = f"{table.title}, {level} level"
        blocks.append(replace(table, title=title, columns=columns, rows=rows, groups="set"))
    return blocks


_SOME_SENTENCES = 20


def view_sentences(table: Table) -> Table:
    """Show the scores of the first sentences, without their texts."""
    hidden = {"source", "hypothesis", "edits"}
    if all("f" in row for row in table.rows):
        hidden.add("score")
    columns = (c for c in table.columns if c.name not in hidden)
    rows = table.rows[:_SOME_SENTENCES]
    more = f"The first {len(rows)} of {len(table)} rows; to_pandas() has all rows and columns."
    return replace(table, columns=tuple(columns), rows=rows, notes=(*table.notes, more))


AlignedWords = tuple[str, str, str]
"""Source words, operation (empty if there is none), and words of the correction."""


def draw_alignment(cells: Sequence[AlignedWords], *, width: int = 100) -> str:
    """Draw an alignment in three lines (source, operation, correction), wrapped to a width."""
    blocks: list[list[list[str]]] = [[]]
    used = 0
    for cell in cells:
        size = max(map(len, cell)) + 2
        if blocks[-1] and used + size > width:
            blocks.append([])
            used = 0
        blocks[-1].append([text.ljust(size) for text in cell])
        used += size
    lines = (zip(*block, strict=True) for block in blocks if block)
    return "\n\n".join("\n".join("".join(line).rstrip() for line in three) for three in lines)
