"""Plots by name: functions ``(table, *, size)`` that return a matplotlib figure.

Data that is not in the rows is in the table's ``extra``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from redink.errors import OptionError
from redink.model.tables import Size, Table
from redink.options import check_plot_path
from redink.registry import Registry
from redink.reports.plots.style import save_figure

PLOTS: Registry[Callable[..., Any]] = Registry(
    "redink.plots",
    "plot",
    {
        "scores": "redink.reports.plots.system_plots:draw_scores",
        "forest": "redink.reports.plots.system_plots:draw_forest",
        "types": "redink.reports.plots.system_plots:draw_types",
        "differences": "redink.reports.plots.system_plots:draw_differences",
        "ranking": "redink.reports.plots.system_plots:draw_ranking",
        "head-to-head": "redink.reports.plots.system_plots:draw_head_to_head",
        "correlation": "redink.reports.plots.system_plots:draw_correlations",
        "betas": "redink.reports.plots.system_plots:draw_betas",
        "benchmark": "redink.reports.plots.system_plots:draw_benchmark",
        "windows": "redink.reports.plots.system_plots:draw_windows",
        "agreement": "redink.reports.plots.sample_plots:draw_agreement",
        "bins": "redink.reports.plots.sample_plots:draw_bins",
        "kappa": "redink.reports.plots.sample_plots:draw_kappa",
        "size": "redink.reports.plots.sample_plots:draw_crowd_size",
        "simulated": "redink.reports.plots.sample_plots:draw_simulated",
        "sample-widths": "redink.reports.plots.sample_plots:draw_sample_widths",
        "curves": "redink.reports.plots.sample_plots:draw_curves",
    },
)


def draw(table: Table, path: str | Path, *, name: str | None, size: Size = "screen") -> None:
    """Draw a table with the plot of that name into a PNG, SVG, PDF or HTML file."""
    check_plot_path(path)
    if name is None:
        raise OptionError("this table has no plot")
    plot = PLOTS.load(name)
    save_figure(plot(table, size=size), path)
