"""Plots of meta-evaluation: correlations, the sweep of beta, and windows of the ranking."""

from __future__ import annotations

from typing import Any

from redink.errors import DataError
from redink.model.tables import Size, Table
from redink.reports.plots.style import (
    GREY,
    group_rows,
    in_style,
    line_style,
    list_values,
    new_figure,
    new_panels,
    write_legend,
    write_title,
)

_NAMES = {
    "spearman": "Spearman's \N{GREEK SMALL LETTER RHO}",
    "pearson": "Pearson's r",
    "kendall": "Kendall's \N{GREEK SMALL LETTER TAU}",
}
CUSTOMARY_BETA = 0.5
"""The beta of the shared tasks, marked in the sweep."""


@in_style
def draw_correlations(table: Table, *, size: Size = "screen") -> Any:
    """Every metric's correlations with their intervals; the table of ``meta``."""
    rows = list(table.rows)
    if not rows:
        raise DataError("there is nothing to draw")
    figure, axes = new_figure(size=size, height=1.3 + 0.42 * len(rows))
    offsets = {"spearman": -0.22, "pearson": 0.0, "kendall": 0.22}
    for index, (name, offset) in enumerate(offsets.items()):
        style = line_style(index) | {"linestyle": "none"}
        places = [place + offset for place in range(len(rows))]
        axes.plot(list_values(rows, name), places, label=_NAMES[name], **style)
        for place, row in zip(places, rows, strict=True):
            if row[f"{name}_low"] is not None:
                span = [row[f"{name}_low"], row[f"{name}_high"]]
                axes.plot(span, [place, place], color=style["color"])
    axes.axvline(0, color=GREY, lw=0.8)
    axes.set_yticks(range(len(rows)), [row["metric"] for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    lowest = min(
        (row[f"{name}{end}"] or 0.0 for row in rows for name in offsets for end in ("", "_low")),
        default=0.0,
    )
    axes.set_xlim(-1.02 if lowest < 0 else -0.02, 1.02)
    axes.grid(visible=False, axis="y")
    write_title(axes, table.title, "correlation with the human ranking")
    write_legend(figure, axes)
    return figure


@in_style
def draw_benchmark(table: Table, *, size: Size = "screen") -> Any:
    """Every metric on every set of systems, with intervals; the table of ``meta --benchmark``.

    Pearson's r over systems where the table has that level, otherwise the accuracy over sentences.
    """
    rows = [row for row in table.rows if row["level"] == "system"]
    column, label = "pearson", f"{_NAMES['pearson']} with the human ranking"
    if not rows:
        rows = [row for row in table.rows if row["level"] == "sentence"]
        column, label = "accuracy", "accuracy on pairs of sentences"
    if not rows:
        return draw_windows(table, size=size)
    places = list(dict.fromkeys(_block(row) for row in rows))
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    figure, axes = new_figure(size=size, height=1.3 + 0.18 * len(metrics) * len(places))
    for index, metric in enumerate(metrics):
        style = line_style(index) | {"linestyle": "none"}
        own = [row for row in rows if row["metric"] == metric and row[column] is not None]
        shift = (index - (len(metrics) - 1) / 2) * 0.7 / len(metrics)
        heights = [places.index(_block(row)) + shift for row in own]
        axes.plot(list_values(own, column), heights, label=metric, **style)
        for height, row in zip(heights, own, strict=True):
            if row.get(f"{column}_low") is not None:
                span = [row[f"{column}_low"], row[f"{column}_high"]]
                axes.plot(span, [height, height], color=style["color"])
    axes.axvline(0 if column == "pearson" else 0.5, color=GREY, lw=0.8)
    axes.set_yticks(range(len(places)), places)
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    write_title(axes, table.title, label)
    write_legend(figure, axes)
    return figure


def _block(row: Any) -> str:
    parts = (row["judgments"], row.get("human"), row["set"])
    return " \N{MIDDLE DOT} ".join(part for part in parts if part)


@in_style
def draw_betas(table: Table, *, size: Size = "screen") -> Any:
    """Correlation against beta, a line for every metric; the table of ``meta --show betas``.

    The dashed line is the beta of the shared tasks; a ring marks the best beta of a line.
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
        label = f"\N{GREEK SMALL LETTER BETA} (ring: the highest; dashed: {CUSTOMARY_BETA:g})"
        write_title(panel, title, label, _NAMES[name])
    write_legend(figure, panels[0])
    return figure


@in_style
def draw_windows(table: Table, *, size: Size = "screen") -> Any:
    """Correlations in windows of the human ranking; the table of ``meta --show windows``."""
    lines = group_rows(table, "metric")
    figure, axes = new_figure(size=size)
    bounds = [(row["first"], row["last"]) for row in next(iter(lines.values()))]
    growing = len({first for first, _ in bounds}) == 1
    for index, ((metric,), rows) in enumerate(lines.items()):
        axes.plot(
            [row["last"] if growing else row["first"] for row in rows],
            list_values(rows, "pearson"),
            label=metric,
            **line_style(index),
        )
    axes.axhline(0, color=GREY, lw=0.8)
    axes.set_ylim(-1.05, 1.05)
    if growing:
        title, label = "Correlation among the best", "number of systems, the best by human judgment"
        axes.set_xticks([last for _, last in bounds])
        axes.invert_xaxis()
    else:
        title, label = "Correlation among neighbours", "places in the human ranking"
        labels = [f"{first}\N{EN DASH}{last}" for first, last in bounds]
        axes.set_xticks([first for first, _ in bounds], labels)
    write_title(axes, title, label, _NAMES["pearson"])
    write_legend(figure, axes)
    return figure
