"""The style of all plots; the only module that imports matplotlib.

Colors are from Okabe and Ito's palette, which is color-blind safe. Lines also differ in dashes and
markers, for printing in gray. Sizes are those of paper columns.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from redink.errors import DataError, MissingExtraError, unknown_name
from redink.files import write_bytes_atomically
from redink.model import Table
from redink.model.tables import Size
from redink.reports.html import load_templates
from redink.reports.table_formats import group_by

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

# Width and height in inches: one and two columns of a conference paper, and a screen.
SIZES: dict[Size, tuple[float, float]] = {
    "column": (3.35, 2.6),
    "page": (6.9, 3.6),
    "screen": (8.0, 5.0),
}
FONT_SIZES: dict[Size, float] = {"column": 7, "page": 8.5, "screen": 9}
"""Font size in points; titles and small text are relative to it."""
GREY, INK = "#555555", "#222222"
_INK_SHARES = (0x22 / 255,) * 3

_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": "large",
    "axes.titleweight": "bold",
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.7,
    "legend.fontsize": "medium",
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "savefig.dpi": 200,
    # no random IDs, so that equal figures have equal bytes
    "svg.hashsalt": "redink",
    "svg.fonttype": "none",
}


Drawing = TypeVar("Drawing", bound=Callable[..., Any])


def _matplotlib() -> Any:
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots") from error
    return mpl


def _style(size: Size) -> dict[Any, Any]:
    return _STYLE | {"font.size": FONT_SIZES[size]}


def in_style(draw: Drawing) -> Drawing:
    """Decorate a function with the keyword ``size`` so that it draws in this style.

    matplotlib reads the style whenever it creates a title, legend or label.
    """

    @wraps(draw)
    def styled(*args: Any, **kwargs: Any) -> Any:
        size = kwargs.get("size", "screen")
        if size not in SIZES:
            raise unknown_name("plot size", size, SIZES)
        with _matplotlib().rc_context(_style(size)):
            figure = draw(*args, **kwargs)
        figure.redink_size = size
        return figure

    return cast("Drawing", styled)


def new_figure(
    *, size: Size, rows: int = 1, columns: int = 1, height: float | None = None
) -> tuple[Any, Any]:
    """Return a matplotlib figure and its axes (an array if there are several).

    ``height`` in inches overrides the height of the size, for plots that grow with their rows.
    """
    from matplotlib.figure import Figure

    width, usual = SIZES[size]
    figure = Figure(figsize=(width, height or usual))
    return figure, figure.subplots(rows, columns)


def new_panels(size: Size, count: int, *, height: float | None = None) -> tuple[Any, list[Any]]:
    """Return a figure with panels side by side, or stacked for one column of a paper.

    ``height`` in inches is that of one panel.
    """
    each = height or SIZES[size][1]
    rows, columns = (count, 1) if size == "column" else (1, count)
    figure, axes = new_figure(size=size, rows=rows, columns=columns, height=rows * each)
    return figure, list(axes) if count > 1 else [axes]


_LETTER = 0.62
"""Average width of a letter, relative to the font size."""
_TITLE_SCALE = 1.2
"""The font size "large" of matplotlib, relative to the font size."""
_HANDLE = 8
"""Width of the line and the space before each name in a legend, in letters."""


def write_title(axes: Any, title: str, x: str = "", y: str = "") -> None:
    """Write the titles of a panel and of its axes; a title wider than the panel is wrapped."""
    columns = axes.get_subplotspec().get_gridspec().ncols
    # slightly less than its share of the figure: numbers and names are to the left of the panel
    points = 0.88 * axes.figure.get_figwidth() * 72 / columns
    size = _TITLE_SCALE * _matplotlib().rcParams["font.size"]
    axes.set_title(textwrap.fill(title, max(8, int(points / (_LETTER * size)))))
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def write_cell(
    image: Any, place: tuple[float, float], value: float | None, text: str, **display: Any
) -> None:
    """Write into a cell of a matrix, in black or white, whichever has more contrast."""
    light = 1.0 if value is None else luminance(image.to_rgba(value))
    white, dark = 1.05 / (light + 0.05), (light + 0.05) / (luminance(_INK_SHARES) + 0.05)
    color = "white" if white > dark else INK
    image.axes.text(*place, text, ha="center", va="center", color=color, **display)


def luminance(color: Sequence[float]) -> float:
    """Return the relative luminance of a color (WCAG), from 0 to 1."""
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in color[:3]
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def write_legend(figure: Any, axes: Any) -> None:
    """Write the legend of ``axes`` below all panels, in as many columns as fit."""
    handles, labels = axes.get_legend_handles_labels()
    if not labels:
        return
    letters = figure.get_figwidth() * 72 / (_LETTER * _matplotlib().rcParams["font.size"])
    room = max(1, min(6, int(letters // (max(map(len, labels)) + _HANDLE))))
    lines = math.ceil(len(labels) / room)
    columns = math.ceil(len(labels) / lines)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)


def line_style(index: int) -> dict[str, Any]:
    """Return color, dashes and marker of a line."""
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": DASHES[(index // len(PALETTE) + index) % len(DASHES)],
        "marker": MARKERS[index % len(MARKERS)],
    }


def group_rows(table: Table, *keys: str) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """Group the rows of each line by the values of ``keys``; unknown keys are ignored."""
    present = [key for key in keys if key in table.column_names]
    lines = group_by(table.rows, lambda row: tuple(str(row[key]) for key in present))
    if not lines:
        raise DataError("no data to plot")
    return lines


def list_values(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    """Return the values of a column; undefined values are NaN, which is not drawn."""
    return [float("nan") if row[name] is None else float(row[name]) for row in rows]


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure as PNG, SVG, PDF or HTML (a page with the SVG), by the suffix.

    Equal figures give equal bytes.
    """
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    # ticks are created only now, and need the style of the figure
    style = _style(getattr(figure, "redink_size", "screen"))
    with _matplotlib().rc_context(style), write_bytes_atomically(target) as stream:
        if kind == "html":
            drawing = io.BytesIO()
            figure.savefig(drawing, format="svg", metadata=dates["svg"])
            svg = drawing.getvalue().decode("utf-8")
            page = load_templates().get_template("plot.html")
            text = page.render(title=target.stem, drawing=svg[svg.index("<svg") :])
            stream.write(text.encode())
        else:
            figure.savefig(stream, format=kind, metadata=dates[kind])


def show_png(figure: Any) -> tuple[bytes, dict[str, int]]:
    """Return a figure as notebooks show it: a PNG, and the width in pixels at which it is shown."""
    stream = io.BytesIO()
    with _matplotlib().rc_context(_style(getattr(figure, "redink_size", "screen"))):
        figure.savefig(stream, format="png")
    return stream.getvalue(), {"width": round(96 * figure.get_figwidth())}
