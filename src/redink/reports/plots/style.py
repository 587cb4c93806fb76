"""The one look of every plot, and the only door to matplotlib.

Colours are Okabe and Ito's, which people with any colour vision can tell apart; lines also differ
in dash and marker, so that a print in grey still reads. Sizes are those of a paper's columns.
"""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from redink.errors import OptionError
from redink.files import write_bytes_atomically

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

Size = Literal["column", "page", "screen"]
# Width and height in inches: one and two columns of a conference paper, and a screen.
SIZES: dict[Size, tuple[float, float]] = {
    "column": (3.35, 2.6),
    "page": (6.9, 3.6),
    "screen": (8.0, 5.0),
}
TITLE: dict[str, Any] = {"loc": "left", "fontweight": "bold", "fontsize": 10}
"""For ``set_title``, which looks for the style only after the figure is made."""

SUFFIXES = (".png", ".svg", ".pdf", ".html")

_STYLE: dict[Any, Any] = {  # Any: matplotlib types its keys as a union of literals
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.labelcolor": "#222222",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "savefig.dpi": 200,
    # Same bytes out for the same figure: no random ids and no dates.
    "svg.hashsalt": "redink",
    "svg.fonttype": "none",
}


def new_figure(
    *, size: Size = "screen", rows: int = 1, columns: int = 1, height: float | None = None
) -> tuple[Any, Any]:
    """A matplotlib figure and its axes (an array of them when there are several), in our style.

    ``height`` in inches overrides the height of the size, for plots that grow with their rows.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    width, usual = SIZES[size]
    with mpl.rc_context(_STYLE | ({"font.size": 7} if size == "column" else {})):
        figure = Figure(figsize=(width, height or usual))
        axes = figure.subplots(rows, columns)
    return figure, axes


def line_style(index: int) -> dict[str, Any]:
    """Colour, dash and marker of the ``index``-th line."""
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": DASHES[(index // len(PALETTE) + index) % len(DASHES)],
        "marker": MARKERS[index % len(MARKERS)],
    }


def check_plot_path(path: str | Path) -> Path:
    """The path, if its suffix is one that can be drawn; to be asked before long work."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise OptionError(f"{target}: a plot ends in {', '.join(SUFFIXES)}")
    return target


def save_figure(figure: Any, path: str | Path) -> None:
    """Write the figure as PNG, SVG, PDF or HTML, told by the suffix; same figure, same bytes.

    HTML is one page with the SVG in it.
    """
    import matplotlib as mpl

    target = check_plot_path(path)
    kind = target.suffix.lower().removeprefix(".")
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context(_STYLE), write_bytes_atomically(target) as stream:
        if kind == "html":
            drawing = io.BytesIO()
            figure.savefig(drawing, format="svg", metadata=dates["svg"])
            stream.write(_to_page(drawing.getvalue().decode("utf-8"), title=target.stem).encode())
        else:
            figure.savefig(stream, format=kind, metadata=dates[kind])


def _to_page(drawing: str, *, title: str) -> str:
    """An SVG inside a page that fits any screen."""
    svg = drawing[drawing.index("<svg") :]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n"
        "<style>body { margin: 1rem; } svg { display: block; width: 100%; height: auto; "
        "max-width: 60rem; margin: auto; }</style>\n"
        f"</head>\n<body>\n{svg}</body>\n</html>\n"
    )


def label_line_ends(axes: Any, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write names beside the ends of lines (x, y, name, colour) where a legend would be far."""
    for x, y, name, colour in ends:
        axes.annotate(
            name, (x, y), xytext=(4, 0), textcoords="offset points", color=colour, va="center"
        )
