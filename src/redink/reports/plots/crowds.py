"""Plots of crowds and of samples: agreement, measures by agreement, and how many are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redink.errors import DataError, OptionError
from redink.model.tables import Size, Table
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
    write_legend,
    write_title,
)


def _limits(row: Mapping[str, Any]) -> str:
    return f"{100 * row['from']:g}\N{EN DASH}{100 * row['to']:g} %"


@in_style
def draw_agreement(table: Table, *, size: Size = "screen") -> Any:
    """How many items have how much agreement; the table of ``crowd --show agreement``."""
    lines = group_rows(table, "data")
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
def draw_bins(table: Table, *, size: Size = "screen") -> Any:
    """Precision and recall in bins of agreement; the table of ``crowd --show bins``."""
    lines = group_rows(table, "system", "data")
    figure, axes = new_figure(size=size)
    for index, (name, rows) in enumerate(lines.items()):
        style = line_style(index) | {"linestyle": "-"}
        for measure, dash, filled in (("precision", "-", True), ("recall", "--", False)):
            axes.plot(
                range(len(rows)),
                list_values(rows, measure),
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
def draw_kappa(table: Table, *, size: Size = "screen") -> Any:
    """Kappa in bins of agreement, which does not depend on how many errors a data set has."""
    lines = group_rows(table, "system", "data")
    figure, axes = new_figure(size=size)
    lowest = 0.0
    for index, (name, rows) in enumerate(lines.items()):
        values = list_values(rows, "kappa")
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
def draw_crowd_size(table: Table, *, size: Size = "screen") -> Any:
    """Agreement and kappa with experts by size of crowd; the table of ``crowd --show size``."""
    crowds = [row for row in table.rows if isinstance(row["size"], int)]
    experts = [row for row in table.rows if not isinstance(row["size"], int)]
    if not crowds:
        raise DataError("there is nothing to draw")
    figure, axes = new_figure(size=size)
    sizes = [row["size"] for row in crowds]
    for index, name in enumerate(("agreement", "kappa")):
        style = line_style(index)
        axes.plot(sizes, list_values(crowds, name), **style, label=f"{name}, crowd and expert")
        axes.fill_between(
            sizes,
            list_values(crowds, f"{name}_low"),
            list_values(crowds, f"{name}_high"),
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
def draw_simulated(table: Table, *, size: Size = "screen") -> Any:
    """Estimates by sample size around the truth; the table of ``sample simulate``."""
    lines = group_rows(table, "quantity")
    confidence = 100 * float(table.signature.get("confidence", 0.95))
    figure, panels = new_panels(size, len(lines))
    for index, (axis, (name, rows)) in enumerate(zip(panels, lines.items(), strict=True)):
        colour = PALETTE[index % len(PALETTE)]
        sizes = [row["sample"] for row in rows]
        axis.fill_between(
            sizes,
            list_values(rows, "low"),
            list_values(rows, "high"),
            color=colour,
            alpha=0.18,
            linewidth=0,
            label=f"{confidence:g} % of the samples",
        )
        axis.plot(
            sizes, list_values(rows, "estimate"), color=colour, marker="o", label="their mean"
        )
        axis.axhline(rows[0]["truth"], color=INK, linestyle="--", label="judging everything")
        axis.set_xscale("log")
        _plain_ticks(axis, sizes)
        axis.set_xlabel("cases judged")
        axis.set_ylabel("estimate")
        write_title(axis, name[0].replace("_", " ").capitalize())
        axis.legend()
    return figure


@in_style
def draw_sample_widths(table: Table, *, size: Size = "screen") -> Any:
    """How wide the interval of each quantity becomes with the number of cases judged.

    The table is that of ``sample plan``; ``extra`` has ``sizes`` of samples and, by quantity,
    ``widths`` of its interval at these sizes.
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
        axes.axvline(planned, color=GREY, linestyle=":", label=f"the plan: {planned} cases")
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
