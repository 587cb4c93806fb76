"""Plots of human rankings: scores with their intervals, rank ranges, and clusters."""

from __future__ import annotations

from typing import Any

from redink.errors import DataError
from redink.model.tables import Size, Table
from redink.reports.plots.style import GREY, PALETTE, in_style, new_figure, write_cell, write_title
from redink.reports.views import pivot_encounters, write_share

_BAND = "#F1F4F8"
_STARS = "\N{BLACK STAR} p \N{LESS-THAN OR EQUAL TO} .10, \N{DAGGER} .05, \N{DOUBLE DAGGER} .01"


@in_style
def draw_ranking(table: Table, *, size: Size = "screen") -> Any:
    """The systems from best to worst: scores on the left, ranges of ranks on the right.

    Clusters are bands; a system without a score is not drawn. The table is that of ``rank``.
    """
    rows = [row for row in table.rows if row["score"] is not None]
    if not rows:
        raise DataError("no system has a score that could be drawn")
    figure, (left, right) = new_figure(size=size, columns=2, height=1.2 + 0.27 * len(rows))
    places = range(len(rows))
    clusters = [row["cluster"] for row in rows]
    colours = [PALETTE[(cluster - 1) % len(PALETTE)] for cluster in clusters]
    for axes in (left, right):
        for cluster in sorted(set(clusters)):
            members = [place for place in places if clusters[place] == cluster]
            if cluster % 2:
                axes.axhspan(members[0] - 0.5, members[-1] + 0.5, color=_BAND, lw=0, zorder=0)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
    for place, row, colour in zip(places, rows, colours, strict=True):
        left.plot([row["low"], row["high"]], [place, place], color=colour, lw=1.8)
        left.plot(row["score"], place, "o", color=colour)
        low, high = row["rank_low"], row["rank_high"]
        # A little longer than the range, so that a single rank is seen too.
        span = [low - 0.15, high + 0.15]
        right.plot(span, [place, place], color=colour, lw=6, solid_capstyle="round")
        right.plot(row["rank"], place, "o", color="white", ms=3.2, zorder=3)
        label = f"{low}" if low == high else f"{low}\N{EN DASH}{high}"
        right.annotate(
            label,
            (high + 0.15, place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            color=GREY,
            fontsize="small",
        )
    left.set_yticks(list(places), [row["system"] for row in rows])
    write_title(left, table.title, "score, with its\nbootstrap interval")
    right.set_yticks([])
    right.set_xlabel("rank range\n(bands are clusters)")
    worst = max(row["rank_high"] for row in rows)
    right.set_xlim(0.4, worst * 1.08 + 0.8)
    step = 1 if worst <= 7 else 3 if size == "column" else 1 if worst <= 15 else 5
    right.set_xticks(range(1, worst + 1, step))
    return figure


@in_style
def draw_head_to_head(table: Table, *, size: Size = "screen") -> Any:
    """The matrix of encounters in colours: a cell is the share of wins of its column's system.

    The table is that of ``rank --show head-to-head``.
    """
    systems, matrix = pivot_encounters(table)
    if not systems:
        raise DataError("there are no encounters to draw")
    shares = [
        [
            float("nan") if met is None or met["share"] is None else met["share"]
            for met in encounters
        ]
        for encounters in matrix
    ]
    # In a column there is no room for a key of colours; the cells have their numbers.
    narrow = size == "column"
    figure, axes = new_figure(size=size, height=1.6 + (0.24 if narrow else 0.36) * len(systems))
    known = [row["share"] for row in table.rows if row["share"] is not None]
    reach = max((abs(share - 0.5) for share in known), default=0.0) or 0.5
    image = axes.imshow(shares, cmap="RdBu", vmin=0.5 - reach, vmax=0.5 + reach, aspect="auto")
    for y, encounters in enumerate(matrix):
        for x, met in enumerate(encounters):
            if met is None or met["share"] is None:
                continue
            small = "x-small" if narrow else "small"
            write_cell(image, (x, y), met["share"], write_share(met), fontsize=small)
    axes.set_xticks(range(len(systems)), systems, rotation=60, ha="right")
    axes.set_yticks(range(len(systems)), systems)
    axes.grid(visible=False)
    write_title(axes, "Share of wins of the column's system", _STARS)
    if not narrow:
        figure.colorbar(image, ax=axes, fraction=0.04)
    return figure
