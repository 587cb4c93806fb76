"""The two plots of docs/performance.md."""

from __future__ import annotations

from typing import Any

from redink.model.tables import Size
from redink.reports.plots.style import GREY, PALETTE, in_style, line_style, new_figure, write_title

TIMES = "\N{MULTIPLICATION SIGN}"
TITLES = {
    "sentences": "More sentences",
    "length": "Longer sentences",
    "systems": "More systems",
    "judgments": "More judgments",
    "judges": "More judges",
    "items": "More items",
}
# The dimensions in each panel; related dimensions share one.
PANELS = (("sentences",), ("length",), ("systems",), ("judgments", "judges", "items"))


def show_ratio(ratio: float) -> str:
    """Format with two or three digits."""
    if ratio >= 100:
        return f"{ratio:,.0f}"
    return f"{ratio:.{1 if ratio >= 1 else 2}f}"


@in_style
def draw_ratios(names: list[str], ratios: list[float], *, size: Size = "page") -> Any:
    """Draw one bar per line of the table, on a logarithmic scale around 1."""
    figure, axes = new_figure(size=size, height=0.7 + 0.42 * len(names))
    places = range(len(names))
    axes.set_xscale("log")
    axes.barh(
        places,
        [ratio - 1 for ratio in ratios],
        left=1,
        height=0.62,
        color=[PALETTE[0] if ratio >= 1 else PALETTE[1] for ratio in ratios],
    )
    for place, ratio in zip(places, ratios, strict=True):
        axes.annotate(
            f"{show_ratio(ratio)} {TIMES}",
            (max(ratio, 1), place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
        )
    axes.axvline(1, color=GREY, linewidth=1)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    low, high = min(*ratios, 0.5), max(*ratios, 2)
    axes.set_xlim(low / 1.3, high * 2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("times faster than the other program (1: same speed)")
    return figure


@in_style
def draw_growth(rows: list[dict[str, Any]], *, size: Size = "page") -> Any:
    """Draw one panel per dimension: cost against size, both relative to the first size."""
    shown = [axes for axes in PANELS if any(row["axis"] in axes for row in rows)]
    figure, grid = new_figure(size=size, rows=2, columns=2, height=6.4)
    panels = list(grid.flat)
    jobs = list(dict.fromkeys(row["job"] for row in rows))
    for panel, axes_names in zip(panels, shown, strict=False):
        _draw_panel(panel, rows, axes_names, jobs)
    for panel in panels[len(shown) :]:
        panel.set_visible(False)
    handles: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5)
    return figure


def _draw_panel(
    panel: Any, rows: list[dict[str, Any]], names: tuple[str, ...], jobs: list[str]
) -> None:
    panel.set_xscale("log")
    panel.set_yscale("log")
    largest = max(row["factor"] for row in rows if row["axis"] in names)
    panel.plot([1, largest], [1, largest], color=GREY, linewidth=1, linestyle=":", label="linear")
    for axis in names:
        for job in jobs:
            line = [row for row in rows if (row["job"], row["axis"]) == (job, axis)]
            if line:
                first = line[0]["seconds"]
                panel.plot(
                    [row["factor"] for row in line],
                    [row["seconds"] / first for row in line],
                    label=job if len(names) == 1 else f"{job}: {axis}",
                    **line_style(jobs.index(job) + names.index(axis) * (len(names) > 1)),
                )
    ticks = sorted({row["factor"] for row in rows if row["axis"] in names})
    panel.set_xticks(ticks, [f"{tick} {TIMES}" for tick in ticks])
    panel.set_yticks([1, 2, 5, 10, 20, 50], [f"{tick} {TIMES}" for tick in (1, 2, 5, 10, 20, 50)])
    panel.minorticks_off()
    panel.set_xlabel("size")
    panel.set_ylabel("cost")
    title = TITLES[names[0]] if len(names) == 1 else "More judgments, judges, items"
    write_title(panel, title)
