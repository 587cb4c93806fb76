"""Plots of agreement: its histogram, measures by agreement, crowd sizes, and samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redink.errors import DataError
from redink.model import Table
from redink.reports.plots.style import (
    GREY,
    INK,
    PALETTE,
    Size,
    in_style,
    line_style,
    new_figure,
    new_panels,
    write_legend,
    write_title,
)


def _series(table: Table, *keys: str) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """The rows of each line, by the values that name it; keys the table lacks are ignored."""
    present = [key for key in keys if key in table.column_names]
    lines: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in table.rows:
        lines.setdefault(tuple(str(row[key]) for key in present), []).append(row)
    if not lines:
        raise DataError("there is nothing to draw")
    return lines


def _limits(row: Mapping[str, Any]) -> str:
    return f"{100 * row['from']:g}\N{EN DASH}{100 * row['to']:g} %"


def _known(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    """The values, NaN (which is not drawn) for what is undefined."""
    return [float("nan") if row[name] is None else float(row[name]) for row in rows]


@in_style
def plot_agreement_histogram(table: Table, *, size: Size = "screen") -> Any:
    """How many items have how much agreement; the table of ``crowd --show agreement``."""
    lines = _series(table, "data")
    figure, axes = new_figure(size=size)
    for index, (name, rows) in enumerate(lines.items()):
        # Bars of several data sets share the width of a bin.
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
    axes.set_xlabel("judges who are with the majority (%)")
    axes.set_ylabel("items" if len(lines) == 1 else "share of items")
    axes.grid(visible=False, axis="x")
    write_title(axes, "Agreement of the crowd")
    if len(lines) > 1:
        axes.legend()
    return figure


def _bin_axis(axes: Any, lines: Mapping[tuple[str, ...], Sequence[Mapping[str, Any]]]) -> None:
    rows = next(iter(lines.values()))
    same = all(
        [row["items"] for row in other] == [row["items"] for row in rows]
        for other in lines.values()
    )
    ticks = [f"{_limits(row)}\nn = {row['items']}" if same else _limits(row) for row in rows]
    axes.set_xticks(range(len(rows)), ticks)
    axes.set_xlim(-0.3, len(rows) - 0.7)
    axes.set_xlabel("agreement of the crowd")


@in_style
def plot_bins(table: Table, *, size: Size = "screen") -> Any:
    """Precision and recall in bins of agreement; the table of ``crowd --show bins``."""
    lines = _series(table, "system", "data")
    figure, axes = new_figure(size=size)
    for index, (name, rows) in enumerate(lines.items()):
        style = line_style(index) | {"linestyle": "-"}
        for measure, dash, filled in (("precision", "-", True), ("recall", "--", False)):
            axes.plot(
                range(len(rows)),
                _known(rows, measure),
                **style | {"linestyle": dash, "markerfacecolor": None if filled else "white"},
                label=f"{' on '.join(name)}, {measure}",
                clip_on=False,
            )
    _bin_axis(axes, lines)
    axes.set_ylim(0, 1)
    axes.set_ylabel("precision, recall")
    write_title(axes, "Precision and recall by agreement of the crowd")
    write_legend(figure, axes)
    return figure


@in_style
def plot_kappa_by_agreement(table: Table, *, size: Size = "screen") -> Any:
    """Kappa in bins of agreement, which does not depend on how many errors a data set has."""
    lines = _series(table, "system", "data")
    figure, axes = new_figure(size=size)
    lowest = 0.0
    for index, (name, rows) in enumerate(lines.items()):
        values = _known(rows, "kappa")
        lowest = min([lowest, *(value for value in values if value == value)])  # noqa: PLR0124 (NaN)
        axes.plot(
            range(len(rows)), values, **line_style(index), label=" on ".join(name), clip_on=False
        )
    _bin_axis(axes, lines)
    axes.set_ylim(lowest * 1.1, 1)
    axes.set_ylabel("Cohen's kappa with the majority")
    write_title(axes, "Kappa by agreement of the crowd")
    write_legend(figure, axes)
    return figure


@in_style
def plot_crowd_size(table: Table, *, size: Size = "screen") -> Any:
    """Agreement and kappa with experts by size of crowd; the table of ``crowd --show size``."""
    crowds = [row for row in table.rows if isinstance(row["size"], int)]
    experts = [row for row in table.rows if not isinstance(row["size"], int)]
    if not crowds:
        raise DataError("there is nothing to draw")
    figure, axes = new_figure(size=size)
    sizes = [row["size"] for row in crowds]
    for index, name in enumerate(("agreement", "kappa")):
        style = line_style(index)
        axes.plot(sizes, _known(crowds, name), **style, label=f"{name}, crowd and expert")
        axes.fill_between(
            sizes,
            _known(crowds, f"{name}_low"),
            _known(crowds, f"{name}_high"),
            color=style["color"],
            alpha=0.18,
            linewidth=0,
        )
        for row in experts:
            if row[name] is not None:
                axes.axhline(
                    row[name],
                    color=style["color"],
                    linestyle=":",
                    label=f"{name}, expert and expert",
                )
    step = max(1, len(sizes) // 10)
    axes.set_xticks(sizes[::step])
    axes.set_xlabel("judges an item")
    axes.set_ylabel("agreement, kappa")
    write_title(axes, "How many of the crowd match an expert")
    axes.legend()
    return figure


@in_style
def plot_simulated_samples(table: Table, *, size: Size = "screen") -> Any:
    """Estimates by sample size around the truth; the table of ``sample simulate``."""
    lines = _series(table, "quantity")
    level = 100 * float(table.signature.get("level", 0.95))
    figure, panels = new_panels(size, len(lines))
    for index, (axis, (name, rows)) in enumerate(zip(panels, lines.items(), strict=True)):
        colour = PALETTE[index % len(PALETTE)]
        sizes = [row["sample"] for row in rows]
        axis.fill_between(
            sizes,
            _known(rows, "low"),
            _known(rows, "high"),
            color=colour,
            alpha=0.18,
            linewidth=0,
            label=f"{level:g} % of the samples",
        )
        axis.plot(sizes, _known(rows, "estimate"), color=colour, marker="o", label="their mean")
        axis.axhline(rows[0]["truth"], color=INK, linestyle="--", label="judging everything")
        axis.set_xscale("log")
        _plain_ticks(axis, sizes)
        axis.set_xlabel("cases judged")
        axis.set_ylabel("estimate")
        write_title(axis, name[0].replace("_", " ").capitalize())
        axis.legend()
    return figure


@in_style
def plot_sample_widths(
    sizes: Sequence[int],
    widths: Mapping[str, Sequence[float]],
    *,
    chosen: int | None = None,
    size: Size = "screen",
) -> Any:
    """How wide the interval of each quantity becomes with the number of cases judged."""
    figure, axes = new_figure(size=size)
    for index, (name, values) in enumerate(widths.items()):
        axes.plot(sizes, values, **line_style(index) | {"marker": ""}, label=name)
    if chosen is not None:
        axes.axvline(chosen, color=GREY, linestyle=":", label=f"the plan: {chosen} cases")
    axes.set_xscale("log")
    _plain_ticks(axes, sizes)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("cases judged")
    axes.set_ylabel("width of the interval")
    write_title(axes, "What more cases buy")
    axes.legend()
    return figure


def _plain_ticks(axes: Any, sizes: Sequence[int]) -> None:
    """Whole numbers at readable places of a logarithmic axis."""
    low, high = min(sizes), max(sizes)
    round_numbers = [step * 10**power for power in range(7) for step in (1, 2, 5)]
    ticks = [number for number in round_numbers if low <= number <= high] or [low, high]
    axes.set_xticks(ticks, [f"{tick:,}".replace(",", "\N{THIN SPACE}") for tick in ticks])
    axes.minorticks_off()
