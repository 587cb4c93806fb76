"""Plots of systems and metrics: scores, differences, error types, rankings, meta-evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from redink.errors import DataError, OptionError
from redink.model.tables import Row, Size, Table
from redink.reports.plots.style import (
    GREY,
    INK,
    PALETTE,
    group_rows,
    in_style,
    line_style,
    list_values,
    new_figure,
    new_panels,
    write_cell,
    write_legend,
    write_title,
)
from redink.reports.table_formats import group_by
from redink.reports.views import (
    TypeGrid,
    best_value,
    has_types,
    headline,
    pivot_encounters,
    type_grids,
    write_share,
)

_REMARK = {"fontsize": "small", "color": GREY}
_BESIDE = {"textcoords": "offset points", "va": "center", **_REMARK}


class _Dot(NamedTuple):
    """A value on a line of a forest plot, and the row with its confidence interval."""

    name: str
    value: float
    row: Mapping[str, Any]
    remark: str = ""


def _draw_dot(axes: Any, height: float, value: float, ends: Sequence[Any], **style: Any) -> None:
    """Draw a value and, if it has one, its confidence interval on a line of a forest plot."""
    if None not in ends:
        axes.plot(ends, [height, height], color=style["color"], zorder=1)
    axes.plot([value], [height], **{"marker": "o", **style, "linestyle": "none"})


def _name_lines(axes: Any, names: Sequence[str]) -> None:
    """Name the lines of a forest plot, from top to bottom."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")


# ---- scores


def draw_scores(table: Table, *, size: Size = "screen") -> Any:
    """Draw a heat map if there are error types, otherwise a forest plot."""
    return draw_types(table, size=size) if has_types(table) else draw_forest(table, size=size)


@in_style
def draw_forest(table: Table, *, size: Size = "screen") -> Any:
    """Draw systems from best to worst with confidence intervals, one panel per metric."""
    f_title = next((c.heading for c in table.columns if c.name == "f"), "F")
    order = {metric: place for place, metric in enumerate(dict.fromkeys(table["metric"]))}
    dots = [
        _Dot(row["system"], value, row, row.get("group") or "")
        for row in table.rows
        if row.get("type") is None and (value := headline(row)) is not None
    ]
    lower = table.extra.get("lower_is_better", ())
    dots.sort(
        key=lambda dot: (
            order[dot.row["metric"]],
            dot.value if dot.row["metric"] in lower else -dot.value,
        )
    )
    figure, panels = _draw_panels(dots, size)
    for axis, title, members in panels:
        write_title(axis, title, f_title if members[0].row.get("f") is not None else "score")
    if any(dot.remark for dot in dots):
        figure.supxlabel(
            "systems that share a letter are not significantly different (p ≥ .05)", **_REMARK
        )
    return figure


@in_style
def draw_differences(table: Table, *, size: Size = "screen") -> Any:
    """Draw every pair of systems of ``compare``, one panel per metric.

    A non-significant difference is drawn as an open dot.
    """
    rows = [row for row in table.rows if row["difference"] is not None]
    baseline = table.extra.get("baseline")
    label = "difference"
    if baseline is not None:
        rows.sort(key=lambda row: -row["difference"])
        label = f"difference from {baseline}"
    names = [
        row["system"] if baseline else f"{row['system']} \N{MINUS SIGN} {row['other']}"
        for row in rows
    ]
    if has_types(table):
        names = [f"{row['type'] or 'all'}: {name}" for row, name in zip(rows, names, strict=True)]
    dots = [_Dot(name, row["difference"], row) for name, row in zip(names, rows, strict=True)]
    figure, panels = _draw_panels(dots, size)
    for axis, title, _ in panels:
        axis.axvline(0, color=GREY, linewidth=0.8)
        write_title(axis, title, label)
    if any(row.get("significant") is False for row in rows):
        figure.supxlabel("open dots: not significant", **_REMARK)
    return figure


def _draw_panels(dots: Sequence[_Dot], size: Size) -> tuple[Any, list[tuple[Any, str, list[_Dot]]]]:
    """Return the figure, and the axes, title and dots of each metric's panel."""
    panels = group_by(
        dots, lambda dot: ", ".join(filter(None, map(dot.row.get, ("metric", "level", "measure"))))
    )
    if not panels:
        raise OptionError("no scores to plot")
    most = max(map(len, panels.values()))
    figure, axes = new_panels(size, len(panels), height=max(1.6, 0.9 + 0.26 * most))
    for place, (axis, members) in enumerate(zip(axes, panels.values(), strict=True)):
        color = PALETTE[place % len(PALETTE)]
        for height, dot in enumerate(members):
            inside = "white" if dot.row.get("significant") is False else color
            ends = (dot.row.get("low"), dot.row.get("high"))
            _draw_dot(axis, height, dot.value, ends, color=color, markerfacecolor=inside)
            at = (1.0, height)
            axis.annotate(
                dot.remark, at, xycoords=axis.get_yaxis_transform(), xytext=(3, 0), **_BESIDE
            )
        _name_lines(axis, [dot.name for dot in members])
        axis.set_ylim(most - 0.5, -0.5)
    return figure, list(zip(axes, panels.keys(), panels.values(), strict=True))


@in_style
def draw_types(table: Table, *, size: Size = "screen") -> Any:
    """Draw a heat map of error types by systems, the most frequent types at the top."""
    grids = type_grids(table)
    if not grids:
        raise OptionError("no error types to plot; request them with --by")
    rows = max(len(grid.types) for grid in grids)
    figure, axes = new_panels(size, len(grids), height=max(2.0, 1.0 + 0.21 * rows))
    for axis, grid in zip(axes, grids, strict=True):
        _draw_grid(axis, grid)
    if any(grid.varies for grid in grids):
        figure.supxlabel("gold edits: largest number that any system is scored on", **_REMARK)
    return figure


def _draw_grid(axis: Any, grid: TypeGrid) -> None:
    known = [[float("nan") if v is None else v for v in values] for values in grid.values]
    image = axis.imshow(known, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    for row, values in enumerate(grid.values):
        best = best_value(values)
        for column, value in enumerate(values):
            # three characters: .54, 1.0
            text = "\N{MIDDLE DOT}" if value is None else f"{value:.2f}".removeprefix("0")[:3]
            weight = "bold" if value is not None and value == best else "normal"
            font = {"fontsize": "x-small" if len(grid.systems) > 8 else "small"}
            write_cell(image, (column, row), value, text, fontweight=weight, **font)
    # names are horizontal if each fits above its column
    room = axis.figure.get_figwidth() * 72 / (5.5 * (len(grid.systems) + 1))
    flat = max(map(len, grid.systems)) < room / axis.get_subplotspec().get_gridspec().ncols
    turned = {} if flat else {"rotation": 45, "ha": "left"}
    axis.set_xticks(range(len(grid.systems)), grid.systems, fontsize="small", **turned)
    axis.xaxis.tick_top()
    labels = [f"{t}  {gold}" for t, gold in zip(grid.types, grid.gold, strict=True)]
    axis.set_yticks(range(len(grid.types)), labels, fontsize="small")
    axis.axhline(0.5, color=INK, linewidth=0.8)
    axis.tick_params(length=0)
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)
    write_title(axis, f"{grid.metric}: {grid.measure} by type, with gold edits")


# ---- rankings


@in_style
def draw_ranking(table: Table, *, size: Size = "screen") -> Any:
    """Draw the systems of ``rank``: scores on the left, rank ranges on the right.

    Clusters are drawn as bands. A system without a score is not drawn.
    """
    rows = [row for row in table.rows if row["score"] is not None]
    if not rows:
        raise DataError("no system has a score to plot")
    figure, (left, right) = new_figure(size=size, columns=2, height=1.2 + 0.27 * len(rows))
    for place, row in enumerate(rows):
        color = PALETTE[(row["cluster"] - 1) % len(PALETTE)]
        if row["cluster"] % 2:
            for axes in (left, right):
                axes.axhspan(place - 0.5, place + 0.5, color="#F1F4F8", lw=0, zorder=0)
        _draw_dot(left, place, row["score"], (row["low"], row["high"]), color=color)
        low, high = row["rank_low"], row["rank_high"]
        span = [low - 0.15, high + 0.15]  # makes a single rank visible
        right.plot(span, [place, place], color=color, lw=6, solid_capstyle="round")
        right.plot(row["rank"], place, "o", color="white", ms=3.2, zorder=3)
        label = f"{low}" if low == high else f"{low}\N{EN DASH}{high}"
        right.annotate(label, (high + 0.15, place), xytext=(7, 0), **_BESIDE)
    _name_lines(left, [row["system"] for row in rows])
    _name_lines(right, [""] * len(rows))
    right.set_yticks([])
    write_title(left, table.title, "score with\nbootstrap interval")
    right.set_xlabel("rank range\n(bands are clusters)")
    worst = max(row["rank_high"] for row in rows)
    right.set_xlim(0.4, worst * 1.08 + 0.8)
    step = 1 if worst <= 7 else 3 if size == "column" else 1 if worst <= 15 else 5
    right.set_xticks(range(1, worst + 1, step))
    return figure


@in_style
def draw_head_to_head(table: Table, *, size: Size = "screen") -> Any:
    """Draw the matrix of ``rank --show head-to-head``: win rates of the column's system."""
    systems, matrix = pivot_encounters(table)
    if not systems:
        raise DataError("no comparisons to plot")
    shares = [[None if met is None else met["share"] for met in line] for line in matrix]
    known = [share for line in shares for share in line if share is not None]
    reach = max((abs(share - 0.5) for share in known), default=0.0) or 0.5
    # a single column has no space for a color bar; the cells contain the numbers
    is_narrow = size == "column"
    figure, axes = new_figure(size=size, height=1.6 + (0.24 if is_narrow else 0.36) * len(systems))
    values = [[float("nan") if share is None else share for share in line] for line in shares]
    image = axes.imshow(values, cmap="RdBu", vmin=0.5 - reach, vmax=0.5 + reach, aspect="auto")
    for y, encounters in enumerate(matrix):
        for x, met in enumerate(encounters):
            if met is not None and met["share"] is not None:
                font = "x-small" if is_narrow else "small"
                write_cell(image, (x, y), met["share"], write_share(met), fontsize=font)
    axes.set_xticks(range(len(systems)), systems, rotation=60, ha="right")
    axes.set_yticks(range(len(systems)), systems)
    axes.grid(visible=False)
    legend = "\N{BLACK STAR} p \N{LESS-THAN OR EQUAL TO} .10, \N{DAGGER} .05, \N{DOUBLE DAGGER} .01"
    write_title(axes, "Win rate of the column's system", legend)
    if not is_narrow:
        figure.colorbar(image, ax=axes, fraction=0.04)
    return figure


# ---- meta-evaluation

_CORRELATIONS = {
    "spearman": "Spearman's \N{GREEK SMALL LETTER RHO}",
    "pearson": "Pearson's r",
    "kendall": "Kendall's \N{GREEK SMALL LETTER TAU}",
}
CUSTOMARY_BETA = 0.5
"""The beta of the shared tasks, marked in the sweep."""


@in_style
def draw_correlation(table: Table, *, size: Size = "screen") -> Any:
    """Draw the correlations of all metrics in ``meta`` with their confidence intervals."""
    rows = table.rows
    if not rows:
        raise DataError("no data to plot")
    names = [row["metric"] for row in rows]
    series = {label: (rows, name) for name, label in _CORRELATIONS.items()}
    figure, axes = _draw_series(size, names, series, lambda row: row["metric"])
    lowest = min(
        row[f"{name}{end}"] or 0.0 for row in rows for name in _CORRELATIONS for end in ("", "_low")
    )
    axes.set_xlim(-1.02 if lowest < 0 else -0.02, 1.02)
    axes.axvline(0, color=GREY, lw=0.8)
    write_title(axes, table.title, "correlation with the human ranking")
    return figure


@in_style
def draw_benchmark(table: Table, *, size: Size = "screen") -> Any:
    """Draw all metrics on all sets of systems of ``meta --benchmark``, with intervals.

    The plot shows Pearson's r over systems if the table has the system level, otherwise the
    accuracy over sentences.
    """
    rows = [row for row in table.rows if row["level"] == "system"]
    column, label = "pearson", f"{_CORRELATIONS['pearson']} with the human ranking"
    if not rows:
        rows = [row for row in table.rows if row["level"] == "sentence"]
        column, label = "accuracy", "accuracy on sentence pairs"
    if not rows:
        return draw_windows(table, size=size)
    series = {
        metric: (own, column) for metric, own in group_by(rows, lambda row: row["metric"]).items()
    }
    figure, axes = _draw_series(size, [*dict.fromkeys(map(_name_set, rows))], series, _name_set)
    axes.axvline(0 if column == "pearson" else 0.5, color=GREY, lw=0.8)
    write_title(axes, table.title, label)
    return figure


def _draw_series(
    size: Size,
    names: Sequence[str],
    series: Mapping[str, tuple[Sequence[Row], str]],
    name_of: Callable[[Row], str],
) -> tuple[Any, Any]:
    """Draw a forest plot with several series; a series has rows and the column of the values."""
    figure, axes = new_figure(size=size, height=1.3 + 0.18 * len(series) * len(names))
    for index, (label, (rows, column)) in enumerate(series.items()):
        style = line_style(index)
        shift = (index - (len(series) - 1) / 2) * 0.7 / len(series)
        for row in rows:
            if row[column] is not None:
                ends = (row.get(f"{column}_low"), row.get(f"{column}_high"))
                _draw_dot(axes, names.index(name_of(row)) + shift, row[column], ends, **style)
        axes.plot([], [], label=label, **style | {"linestyle": "none"})
    _name_lines(axes, names)
    write_legend(figure, axes)
    return figure, axes


def _name_set(row: Row) -> str:
    return " \N{MIDDLE DOT} ".join(filter(None, (row["judgments"], row.get("human"), row["set"])))


@in_style
def draw_betas(table: Table, *, size: Size = "screen") -> Any:
    """Draw correlation against beta, one line per metric of ``meta --show betas``.

    The dashed line is the beta of the shared tasks; a ring marks the best beta of each line.
    """
    lines = group_rows(table, "metric")
    figure, panels = new_panels(size, 2)
    for panel, name in zip(panels, ("spearman", "pearson"), strict=True):
        for index, ((metric,), rows) in enumerate(lines.items()):
            style = line_style(index) | {"marker": ""}
            betas, values = [row["beta"] for row in rows], list_values(rows, name)
            panel.plot(betas, values, label=metric if name == "spearman" else None, **style)
            known = [(row[name], row["beta"]) for row in rows if row[name] is not None]
            if known:
                value, beta = max(known)
                panel.plot(beta, value, "o", mfc="white", mec=style["color"], ms=6, zorder=3)
        panel.axvline(CUSTOMARY_BETA, color=GREY, linestyle="--", lw=0.9)
        title = "Correlation of F with the human ranking" if panel is panels[0] else ""
        label = f"\N{GREEK SMALL LETTER BETA} (ring: highest; dashed: {CUSTOMARY_BETA:g})"
        write_title(panel, title, label, _CORRELATIONS[name])
    write_legend(figure, panels[0])
    return figure


@in_style
def draw_windows(table: Table, *, size: Size = "screen") -> Any:
    """Draw correlations in windows of the human ranking, of ``meta --show windows``."""
    lines = group_rows(table, "metric")
    figure, axes = new_figure(size=size)
    bounds = [(row["first"], row["last"]) for row in next(iter(lines.values()))]
    is_growing = len({first for first, _ in bounds}) == 1
    for index, ((metric,), rows) in enumerate(lines.items()):
        places = [row["last" if is_growing else "first"] for row in rows]
        axes.plot(places, list_values(rows, "pearson"), label=metric, **line_style(index))
    axes.axhline(0, color=GREY, lw=0.8)
    axes.set_ylim(-1.05, 1.05)
    if is_growing:
        title, label = "Correlation among the best", "number of systems, best by human judgment"
        axes.set_xticks([last for _, last in bounds])
        axes.invert_xaxis()
    else:
        title, label = "Correlation among neighbors", "ranks in the human ranking"
        labels = [f"{first}\N{EN DASH}{last}" for first, last in bounds]
        axes.set_xticks([first for first, _ in bounds], labels)
    write_title(axes, title, label, _CORRELATIONS["pearson"])
    write_legend(figure, axes)
    return figure


@in_style
def draw_history(table: Table, *, size: Size = "screen") -> Any:
    """Draw the scores of versions, one panel per metric, one line per system and slice."""
    versions = list(dict.fromkeys(row["version"] for row in table.rows))
    metrics = group_rows(table, "metric", "measure")
    figure, panels = new_panels(size, len(metrics))
    for panel, ((metric, measure), rows) in zip(panels, metrics.items(), strict=True):
        lines = group_rows(replace(table, rows=rows), "system", "slice")
        for index, ((system, part), of_line) in enumerate(lines.items()):
            places = [versions.index(row["version"]) for row in of_line]
            label = ", ".join(filter(None, (system, part)))
            panel.plot(places, list_values(of_line, "score"), label=label, **line_style(index))
        panel.set_xticks(range(len(versions)), versions)
        write_title(panel, metric if measure == "score" else f"{metric} {measure}", "version")
    write_legend(figure, max(panels, key=lambda panel: len(panel.get_lines())))
    return figure
