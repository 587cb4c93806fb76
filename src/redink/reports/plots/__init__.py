"""Plots by name: functions ``(table, *, size)`` that return a matplotlib figure.

Data that is not in the rows is in the table's ``extra``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from redink.errors import OptionError
from redink.model.tables import Size, Table
from redink.options import check_plot_path
from redink.registry import Registry
from redink.reports.plots.style import save_figure, show_png

_NAMES = {
    "system_plots": (
        *("scores", "forest", "types", "differences", "ranking", "head-to-head"),
        *("correlation", "betas", "benchmark", "windows", "history"),
    ),
    "sample_plots": ("agreement", "bins", "kappa", "size", "simulated", "sample-widths", "curves"),
}
PLOTS: Registry[Callable[..., Any]] = Registry(
    "redink.plots",
    "plot",
    {
        name: f"redink.reports.plots.{module}:draw_{name.replace('-', '_')}"
        for module, names in _NAMES.items()
        for name in names
    },
)


def draw(table: Table, path: str | Path | None, *, name: str | None, size: Size = "screen") -> Any:
    """Return the plot of that name, which notebooks show; with a path, write the file as well."""
    if path is not None:
        check_plot_path(path)
    if name is None:
        raise OptionError("this table has no plot")
    figure = PLOTS.load(name)(table, size=size)
    figure._repr_png_ = partial(show_png, figure)
    if path is not None:
        save_figure(figure, path)
    return figure
