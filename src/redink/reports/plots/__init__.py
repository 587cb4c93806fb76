"""Plots in one consistent, colour-blind-safe style, found by name; one module a family of plots.

A plot is a function ``(table, *, size)`` that returns a figure. What it needs besides the rows
stands in the table's ``extra``. Nothing here loads matplotlib before something is drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from redink.errors import OptionError
from redink.model.tables import Size, Table
from redink.options import check_plot_path
from redink.registry import Registry
from redink.reports.plots.style import save_figure


class Plot(Protocol):
    """What draws a table."""

    def __call__(self, table: Table, *, size: Size = "screen") -> Any:
        """The table as a matplotlib figure."""


PLOTS: Registry[Plot] = Registry(
    "redink.plots",
    "plot",
    {
        "scores": "redink.reports.plots.scores:draw_scores",
        "forest": "redink.reports.plots.scores:draw_forest",
        "types": "redink.reports.plots.scores:draw_types",
        "differences": "redink.reports.plots.scores:draw_differences",
        "ranking": "redink.reports.plots.ranks:draw_ranking",
        "head-to-head": "redink.reports.plots.ranks:draw_head_to_head",
        "correlation": "redink.reports.plots.meta:draw_correlations",
        "betas": "redink.reports.plots.meta:draw_betas",
        "benchmark": "redink.reports.plots.meta:draw_benchmark",
        "windows": "redink.reports.plots.meta:draw_windows",
        "agreement": "redink.reports.plots.crowds:draw_agreement",
        "bins": "redink.reports.plots.crowds:draw_bins",
        "kappa": "redink.reports.plots.crowds:draw_kappa",
        "size": "redink.reports.plots.crowds:draw_crowd_size",
        "simulated": "redink.reports.plots.crowds:draw_simulated",
        "sample-widths": "redink.reports.plots.crowds:draw_sample_widths",
        "curves": "redink.reports.plots.curves:draw_curves",
    },
)


def draw(table: Table, path: str | Path, *, name: str | None, size: Size = "screen") -> None:
    """Draw a table into a file.

    Args:
        table: what is drawn.
        path: a PNG, SVG, PDF or HTML file, told by its suffix.
        name: the plot, one of :data:`PLOTS`; None where the table has none.
        size: for one column of a paper, the width of its page, or the screen.
    """
    check_plot_path(path)
    if name is None:
        raise OptionError("this table has no plot")
    plot = PLOTS.load(name)
    save_figure(plot(table, size=size), path)
