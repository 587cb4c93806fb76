"""The one look of every plot, and the only door to matplotlib.

Colours are Okabe and Ito's, which people with any colour vision can tell apart; lines also differ
in dash and marker, so that a print in grey still reads. Sizes are those of a paper's columns.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from redink.errors import DataError, MissingExtraError, OptionError
from redink.files import write_bytes_atomically
from redink.model import Table
from redink.model.tables import Size
from redink.reports.html import load_templates

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

# Width and height in inches: one and two columns of a conference paper, and a screen.
SIZES: dict[Size, tuple[float, float]] = {
    "column": (3.35, 2.6),
    "page": (6.9, 3.6),
    "screen": (8.0, 5.0),
}
# Points; the others' are relative to this.
FONT_SIZES: dict[Size, float] = {"column": 7, "page": 8.5, "screen": 9}
GREY = "#555555"
"""For guides and notes in a plot."""

INK = "#222222"
_INK_SHARES = (0x22 / 255,) * 3

_STYLE: dict[Any, Any] = {  # Any: matplotlib types its keys as a union of literals
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.labelcolor": "#222222",
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
    # Same bytes out for the same figure: no random ids and no dates.
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
    """Let a function that draws (and has the keyword ``size``) do so in our style.

    Titles, legends and labels look up the style while they are being made, so that it must hold
    for as long as the function draws.
    """

    @wraps(draw)
    def styled(*args: Any, **kwargs: Any) -> Any:
        size = check_size(kwargs.get("size", "screen"))
        with _matplotlib().rc_context(_style(size)):
            figure = draw(*args, **kwargs)
        figure.redink_size = size
        return figure

    return cast("Drawing", styled)


def check_size(size: Any) -> Size:
    """The size, if there is one of that name."""
    if size not in SIZES:
        raise OptionError(f"there is no size {size!r} of plots; there are: {', '.join(SIZES)}")
    found: Size = size
    return found


def new_figure(
    *, size: Size, rows: int = 1, columns: int = 1, height: float | None = None
) -> tuple[Any, Any]:
    """A matplotlib figure and its axes (an array of them when there are several).

    ``height`` in inches overrides the height of the size, for plots that grow with their rows.
    """
    from matplotlib.figure import Figure

    width, usual = SIZES[size]
    figure = Figure(figsize=(width, height or usual))
    return figure, figure.subplots(rows, columns)


def new_panels(size: Size, count: int, *, height: float | None = None) -> tuple[Any, list[Any]]:
    """A figure with panels side by side, or one below the other in the column of a paper.

    ``height`` in inches is that of one panel.
    """
    stacked = size == "column"
    each = height or SIZES[size][1]
    rows, columns = (count, 1) if stacked else (1, count)
    figure, axes = new_figure(size=size, rows=rows, columns=columns, height=rows * each)
    return figure, list(axes) if count > 1 else [axes]


# About how wide a letter is, in widths of the font.
_LETTER = 0.62
# How much larger than the rest titles are: matplotlib's "large".
_TITLE_SCALE = 1.2
# The line and the space beside each name in a legend, in letters.
_HANDLE = 8


def write_title(axes: Any, title: str, x: str = "", y: str = "") -> None:
    """The title of a panel, on several lines where it is wider than it, and of its axes."""
    columns = axes.get_subplotspec().get_gridspec().ncols
    # A little less than the figure's share: numbers and names stand left of the panel.
    points = 0.88 * axes.figure.get_figwidth() * 72 / columns
    size = _TITLE_SCALE * _matplotlib().rcParams["font.size"]
    axes.set_title(textwrap.fill(title, max(8, int(points / (_LETTER * size)))))
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def write_cell(
    image: Any, place: tuple[float, float], value: float | None, text: str, **display: Any
) -> None:
    """What stands in a cell of a matrix: dark or white, whichever stands out from its colour."""
    light = 1.0 if value is None else luminance(image.to_rgba(value))
    white, dark = 1.05 / (light + 0.05), (light + 0.05) / (luminance(_INK_SHARES) + 0.05)
    colour = "white" if white > dark else INK
    image.axes.text(*place, text, ha="center", va="center", color=colour, **display)


def luminance(colour: Sequence[float]) -> float:
    """How light a colour is to the eye, from 0 to 1, as the web's rules of contrast have it."""
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in colour[:3]
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def write_legend(figure: Any, axes: Any) -> None:
    """The names of what is in ``axes``, below everything, in as many columns as have room."""
    handles, labels = axes.get_legend_handles_labels()
    if not labels:
        return
    letters = figure.get_figwidth() * 72 / (_LETTER * _matplotlib().rcParams["font.size"])
    room = max(1, min(6, int(letters // (max(map(len, labels)) + _HANDLE))))
    lines = math.ceil(len(labels) / room)
    # columns of the same length: they are filled from top to bottom
    columns = math.ceil(len(labels) / lines)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)


def line_style(index: int) -> dict[str, Any]:
    """Colour, dash and marker of the ``index``-th line."""
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": DASHES[(index // len(PALETTE) + index) % len(DASHES)],
        "marker": MARKERS[index % len(MARKERS)],
    }


def group_rows(table: Table, *keys: str) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """The rows of each line, by the values that name it; keys the table lacks are ignored."""
    present = [key for key in keys if key in table.column_names]
    lines: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in table.rows:
        lines.setdefault(tuple(str(row[key]) for key in present), []).append(row)
    if not lines:
        raise DataError("there is nothing to draw")
    return lines


def list_values(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    """The values of a column, NaN (which is not drawn) for what is undefined."""
    return [float("nan") if row[name] is None else float(row[name]) for row in rows]


def save_figure(figure: Any, path: str | Path) -> None:
    """Write the figure as PNG, SVG, PDF or HTML, told by the suffix; same figure, same bytes.

    HTML is one page with the SVG in it.
    """
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    # What is made only while drawing, such as ticks, is of the figure's size, too.
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
