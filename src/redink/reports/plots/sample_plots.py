"""Plots of crowd workers, samples and error detection: agreement, sample sizes, curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from redink.errors import DataError, OptionError
from redink.model.tables import Row, Size, Table
from redink.reports.plots.style import (
    GREY,
    INK,
    PALETTE,
    SIZES,
    group_rows,
    in_style,
    line_style,
    list_values,
    new_figure,
    new_panels,
    write_legend,
    write_title,
)
from redink.reports.table_formats import group_by

# ---- crowd workers and samples


_BAND: dict[str, Any] = {"alpha": 0.18, "linewidth": 0}


@in_style
def draw_agreement(table: Table, *, size: Size = "screen") -> Any:
    """Draw the distribution of agreement over items, for ``crowd --show agreement``."""
    lines = group_rows(table, "data")
    figure, axes = new_figure(size=size)
    for index, (name, rows) in enumerate(lines.items()):
        # the bars of several data sets share the width of a bin
        widths = [(row["to"] - row["from"]) / len(lines) for row in rows]
        lefts = [row["from"] + index * width for row, width in zip(rows, widths, strict=True)]
        heights = [row["items"] if len(lines) == 1 else row["share"] for row in rows]
        axes.bar(
            [100 * left for left in lefts],
            heights,
            [100 * 0.94 * width for width in widths],
            align="edge",
            color=PALETTE[index % len(PALETTE)],
            label=" ".join(name) or None,
        )
    rows = next(iter(lines.values()))
    axes.set_xlim(100 * rows[0]["from"], 100 * rows[-1]["to"])
    axes.grid(visible=False, axis="x")
    counted = "items" if len(lines) == 1 else "share of items"
    write_title(axes, "Agreement of crowd workers", "judges in the majority (%)", counted)
    if len(lines) > 1:
        axes.legend()
    return figure


@in_style
def draw_bins(table: Table, *, size: Size = "screen") -> Any:
    """Draw precision and recall by bins of agreement, for ``crowd --show bins``."""
    title = "Precision and recall by agreement of crowd workers"
    return _draw_binned(table, size, ("precision", "recall"), "precision, recall", title)


@in_style
def draw_kappa(table: Table, *, size: Size = "screen") -> Any:
    """Draw kappa by bins of agreement, for ``crowd --show kappa``."""
    label = "Cohen's kappa with the majority"
    return _draw_binned(table, size, ("kappa",), label, "Kappa by agreement of crowd workers")


def _draw_binned(table: Table, size: Size, measures: Sequence[str], label: str, title: str) -> Any:
    """Draw one line per system and measure; the second measure is dashed with hollow markers."""
    lines = group_rows(table, "system", "data")
    figure, axes = new_figure(size=size)
    lowest = 0.0
    for index, (name, rows) in enumerate(lines.items()):
        style = line_style(index)
        if len(measures) > 1:
            style["linestyle"] = "-"
        for measure in measures:
            values = list_values(rows, measure)
            lowest = min([lowest, *(value for value in values if value == value)])  # noqa: PLR0124 (NaN)
            words = [" on ".join(name), *([measure] if len(measures) > 1 else [])]
            axes.plot(range(len(rows)), values, **style, label=", ".join(words), clip_on=False)
            if rows[0].get(f"{measure}_low") is not None:
                ends = (list_values(rows, f"{measure}_{end}") for end in ("low", "high"))
                axes.vlines(range(len(rows)), *ends, color=style["color"], alpha=0.4)
            style |= {"linestyle": "--", "markerfacecolor": "white"}
    rows = next(iter(lines.values()))
    sizes = {tuple(row["items"] for row in members) for members in lines.values()}
    ticks = [
        f"{100 * row['from']:g}\N{EN DASH}{100 * row['to']:g}%"
        + (f"\nn = {row['items']}" if len(sizes) == 1 else "")
        for row in rows
    ]
    axes.set_xticks(range(len(rows)), ticks)
    axes.set_xlim(-0.3, len(rows) - 0.7)
    axes.set_ylim(lowest * 1.1, 1)
    write_title(axes, title, "agreement of crowd workers", label)
    write_legend(figure, axes)
    return figure


@in_style
def draw_size(table: Table, *, size: Size = "screen") -> Any:
    """Draw agreement and kappa with experts by crowd size, for ``crowd --show size``."""
    crowds = [row for row in table.rows if isinstance(row["size"], int)]
    experts = [row for row in table.rows if not isinstance(row["size"], int)]
    if not crowds:
        raise DataError("no data to plot")
    figure, axes = new_figure(size=size)
    sizes = [row["size"] for row in crowds]
    for index, name in enumerate(("agreement", "kappa")):
        style = line_style(index)
        axes.plot(sizes, list_values(crowds, name), **style, label=f"{name}, crowd vs. expert")
        ends = (list_values(crowds, f"{name}_{end}") for end in ("low", "high"))
        axes.fill_between(sizes, *ends, color=style["color"], **_BAND)
        for row in experts:
            if row[name] is not None:
                label = f"{name}, expert vs. expert"
                axes.axhline(row[name], color=style["color"], linestyle=":", label=label)
    step = max(1, len(sizes) // 10)
    has_cost = crowds[0].get("cost") is not None
    ticks = [f"{row['size']}\n{row['cost']:g}" if has_cost else str(row["size"]) for row in crowds]
    axes.set_xticks(sizes[::step], ticks[::step])
    below = "judges per item, and cost" if has_cost else "judges per item"
    write_title(axes, "Crowd size that matches an expert", below, "agreement, kappa")
    axes.legend()
    return figure


@in_style
def draw_simulated(table: Table, *, size: Size = "screen") -> Any:
    """Draw estimates by sample size and the true value, for ``sample simulate``."""
    lines = group_rows(table, "quantity")
    confidence = 100 * float(table.signature.get("confidence", 0.95))
    figure, panels = new_panels(size, len(lines))
    for index, (axis, (name, rows)) in enumerate(zip(panels, lines.items(), strict=True)):
        color = PALETTE[index % len(PALETTE)]
        sizes = [row["sample"] for row in rows]
        ends = (list_values(rows, end) for end in ("low", "high"))
        label = f"{confidence:g}% of the samples"
        axis.fill_between(sizes, *ends, color=color, label=label, **_BAND)
        means = list_values(rows, "estimate")
        axis.plot(sizes, means, color=color, marker="o", label="mean of the samples")
        axis.axhline(rows[0]["truth"], color=INK, linestyle="--", label="all cases judged")
        axis.set_xscale("log")
        _plain_ticks(axis, sizes)
        write_title(axis, name[0].replace("_", " ").capitalize(), "cases judged", "estimate")
        axis.legend()
    return figure


@in_style
def draw_sample_widths(table: Table, *, size: Size = "screen") -> Any:
    """Draw the width of each quantity's interval by the number of cases, for ``sample plan``.

    ``extra`` contains ``sizes`` of samples and, by quantity, ``widths`` of its interval.
    """
    extra = table.extra
    if "widths" not in extra:
        raise OptionError("a plot of widths needs a plan with both Error and OK cases")
    sizes: Sequence[int] = extra["sizes"]
    figure, axes = new_figure(size=size)
    for index, (name, widths) in enumerate(extra["widths"].items()):
        axes.plot(sizes, widths, **line_style(index) | {"marker": ""}, label=name)
    planned = next((row["drawn"] for row in table.rows if row["subcorpus"] == "both"), None)
    if planned is not None:
        axes.axvline(planned, color=GREY, linestyle=":", label=f"planned: {planned} cases")
    axes.set_xscale("log")
    _plain_ticks(axes, sizes)
    axes.set_ylim(bottom=0)
    write_title(axes, "Interval width by number of cases", "cases judged", "width of the interval")
    axes.legend()
    return figure


def _plain_ticks(axes: Any, sizes: Sequence[int]) -> None:
    """Label a logarithmic axis with round numbers."""
    low, high = min(sizes), max(sizes)
    round_numbers = [step * 10**power for power in range(7) for step in (1, 2, 5)]
    ticks = [number for number in round_numbers if low <= number <= high] or [low, high]
    axes.set_xticks(ticks, [f"{tick:,}".replace(",", "\N{THIN SPACE}") for tick in ticks])
    axes.minorticks_off()


# ---- curves of error detectors

_CHANCE = {"color": "#888888", "linewidth": 1.0, "linestyle": (0, (1, 2)), "zorder": 1}
_DASHES = {"precision": "-", "recall": "--", "f": ":"}
_MOST_WITH_AREAS = 5
"""With more systems there is no space for areas in the panels; the table contains them."""


@dataclass(frozen=True)
class _Series:
    """The operating points of one system, and the row with its areas and chosen threshold."""

    label: str
    points: list[Row]
    chosen: Row | None
    style: dict[str, Any]

    def values(self, x: str, y: str) -> tuple[list[float], list[float]]:
        """Return the points for which both values are defined."""
        both = [(p[x], p[y]) for p in self.points if p[x] is not None and p[y] is not None]
        return [x for x, _ in both], [y for _, y in both]


@in_style
def draw_curves(table: Table, *, size: Size = "screen") -> Any:
    """Draw four panels for ``detection --curve``: P-R, ROC, kappa, and P, R and F against bias.

    ``extra`` contains the other table: operating points (``points``), or one row per system with
    its areas and chosen threshold (``areas``). A system without scores is plotted as a single
    point. For one column of a paper, the panels are stacked.
    """
    extra = table.extra
    own_areas = table.rows if "points" in extra else ()
    series = _group(extra.get("points", table.rows), extra.get("areas", own_areas))
    beta = table.signature.get("beta")  # a table of units has no F column with the name
    otherwise = "F" if beta is None else f"F{beta:g}"
    f_title = next((column.heading for column in table.columns if column.name == "f"), otherwise)
    if size == "column":
        figure, (pr, roc, kappa, bias) = new_panels(size, 4, height=2.3)
    else:
        figure, axes = new_figure(size=size, rows=2, columns=2, height=0.9 * SIZES[size][0])
        (pr, roc), (kappa, bias) = axes
    _draw_panel(pr, series, "recall", "precision", step=True)
    _finish(pr, "Precision and recall", "recall", "precision")
    _draw_panel(roc, series, "fpr", "recall")
    roc.plot([0, 1], [0, 1], **_CHANCE)
    _finish(roc, "ROC", "false-positive rate", "true-positive rate (recall)")
    _draw_panel(kappa, series, "fpr", "kappa")
    kappa.axhline(0, **_CHANCE)
    lowest = min([0.0, *(point["kappa"] or 0.0 for one in series for point in one.points)])
    _finish(kappa, "Kappa", "false-positive rate", "kappa", low=lowest)
    _draw_bias(bias, series, f_title)
    if len(series) <= _MOST_WITH_AREAS:
        _write_areas(pr, series, "average_precision", "AP", top=True)
        _write_areas(roc, series, "roc_area", "area")
        _write_areas(kappa, series, "kappa_area", "AUK", top=True)
    write_legend(figure, pr)
    return figure


def _group(points: Iterable[Row], areas: Iterable[Row]) -> list[_Series]:
    def key(row: Row) -> tuple[Any, ...]:
        return (row["system"], row.get("unit"), row.get("annotators"), row.get("screen"))

    groups = group_by(points, key)
    chosen = {key(row): row for row in areas}
    varying = [place for place in (1, 2, 3) if len({names[place] for names in groups}) > 1]
    series = []
    for index, (names, rows) in enumerate(groups.items()):
        label = ", ".join(str(names[place]) for place in (0, *varying) if place < 3)
        label += {"yes": ", screened"}.get(names[3], "")
        series.append(_Series(label, rows, chosen.get(names), line_style(index)))
    return series


def _draw_panel(
    axis: Any, series: Sequence[_Series], x: str, y: str, *, step: bool = False
) -> None:
    for one in series:
        xs, ys = one.values(x, y)
        line = {**one.style, "marker": ""}
        if len(one.points) == 1:
            axis.plot(xs, ys, label=one.label, **{**one.style, "linestyle": ""}, markersize=7)
            continue
        if step and xs:
            # the first precision is valid from recall 0: the area under the steps is AP
            xs, ys = [0.0, *xs], [ys[0], *ys]
        axis.plot(xs, ys, label=one.label, drawstyle="steps-pre" if step else "default", **line)
        _draw_band(axis, one, x, y)
        _mark(axis, one, x, y)


def _draw_band(axis: Any, one: _Series, x: str, y: str) -> None:
    """Draw the confidence intervals of a measure at every threshold, if there are any."""
    ends = [(p[x], p.get(f"{y}_low"), p.get(f"{y}_high")) for p in one.points]
    known = [each for each in ends if None not in each]
    if known:
        axis.fill_between(*zip(*known, strict=True), color=one.style["color"], **_BAND)


def _mark(axis: Any, one: _Series, x: str, y: str) -> None:
    point = one.chosen
    if point is not None and point.get(x) is not None and point.get(y) is not None:
        edge = {"markersize": 7, "markeredgecolor": "white", "markeredgewidth": 0.8}
        axis.plot([point[x]], [point[y]], **one.style | {"linestyle": ""}, **edge, zorder=5)


def _draw_bias(axis: Any, series: Sequence[_Series], f_title: str) -> None:
    for one in series:
        if len(one.points) == 1:
            # only F: three markers per system would be indistinguishable
            axis.plot(*one.values("bias", "f"), **{**one.style, "linestyle": ""}, markersize=7)
            continue
        for measure, dash in _DASHES.items():
            xs, ys = one.values("bias", measure)
            axis.plot(xs, ys, color=one.style["color"], linestyle=dash)
            _draw_band(axis, one, "bias", measure)
        _mark(axis, one, "bias", "f")
    titles = {"precision": "precision", "recall": "recall", "f": f_title}
    handles = [
        axis.plot([], [], color=GREY, linestyle=dash, label=titles[measure])[0]
        for measure, dash in _DASHES.items()
    ]
    axis.legend(handles=handles, loc="best")
    _finish(axis, "P, R and F by bias", "bias (share of units flagged)", "P, R, F")


def _finish(axis: Any, title: str, x: str, y: str, *, low: float = 0.0) -> None:
    write_title(axis, title, x, y)
    axis.set_xlim(-0.02, 1.02)
    axis.set_ylim(low - 0.02, 1.02)


def _write_areas(
    axis: Any, series: Sequence[_Series], column: str, short: str, *, top: bool = False
) -> None:
    """Write the area under every curve into a corner without curves."""
    lines = [
        (f"{one.label}: {short} {one.chosen[column]:.3f}", one.style["color"])
        for one in series
        if one.chosen is not None and one.chosen.get(column) is not None
    ]
    where = {"ha": "right", "va": "top" if top else "bottom", "transform": axis.transAxes}
    for place, (text, color) in enumerate(lines if top else reversed(lines)):
        height = 0.97 - 0.07 * place if top else 0.03 + 0.07 * place
        axis.text(0.98, height, text, color=color, fontsize="small", **where)
