"""Plots of agreement, crowds and samples are drawn from tables, the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from redink.errors import DataError, OptionError
from redink.model import Column, Table
from redink.model.tables import make_table
from redink.reports.plots.sample_plots import (
    draw_agreement,
    draw_bins,
    draw_crowd_size,
    draw_kappa,
    draw_sample_widths,
    draw_simulated,
)
from redink.reports.plots.style import save_figure


def table(*rows: dict[str, Any]) -> Table:
    return make_table([Column(name) for name in rows[0]], rows)


BINS = table(
    *(
        {
            "system": system,
            "from": low,
            "to": high,
            "items": items,
            "precision": p,
            "recall": r,
            "kappa": k,
        }
        for system, low, high, items, p, r, k in (
            ("LM", 0.5, 0.75, 93, 1.0, 0.2, None),
            ("LM", 0.75, 0.9, 114, 0.8, 0.3, 0.4),
            ("LM", 0.9, 1.0, 716, 0.97, 0.4, 0.5),
            ("PERC", 0.5, 0.75, 93, None, 0.3, -0.1),
            ("PERC", 0.75, 0.9, 114, 0.8, 0.35, 0.4),
            ("PERC", 0.9, 1.0, 716, 0.85, 0.5, 0.6),
        )
    )
)
HISTOGRAM = table(
    {"from": 0.5, "to": 0.75, "items": 93, "share": 0.1},
    {"from": 0.75, "to": 1.0, "items": 830, "share": 0.9},
)
SIZES = table(
    {
        "size": 1,
        "agreement": 0.8,
        "agreement_low": 0.78,
        "agreement_high": 0.82,
        "kappa": 0.6,
        "kappa_low": 0.55,
        "kappa_high": 0.65,
    },
    {
        "size": 2,
        "agreement": 0.87,
        "agreement_low": 0.86,
        "agreement_high": 0.88,
        "kappa": None,
        "kappa_low": None,
        "kappa_high": None,
    },
    {
        "size": "experts",
        "agreement": 0.87,
        "agreement_low": None,
        "agreement_high": None,
        "kappa": 0.75,
        "kappa_low": None,
        "kappa_high": None,
    },
)
SAMPLES = table(
    *(
        {"quantity": q, "sample": n, "truth": 0.8, "estimate": 0.8, "low": 0.7, "high": 0.9}
        for q in ("precision", "recall")
        for n in (100, 1000)
    )
)

PLAN = replace(
    table({"subcorpus": "both", "drawn": 50}),
    extra={"sizes": [20, 50, 100], "widths": {"precision": [0.5, 0.3, 0.1]}},
)

DRAWINGS: dict[str, Callable[[], Any]] = {
    "bins": lambda: draw_bins(BINS),
    "kappa": lambda: draw_kappa(BINS),
    "histogram": lambda: draw_agreement(HISTOGRAM),
    "size": lambda: draw_crowd_size(SIZES),
    "simulation": lambda: draw_simulated(SAMPLES),
    "widths": lambda: draw_sample_widths(PLAN),
}


@pytest.mark.parametrize("name", list(DRAWINGS))
def test_same_table_same_bytes(name: str, tmp_path: Path) -> None:
    """Undefined values leave gaps, nothing warns, and the file is the same every time."""
    for copy in ("a", "b"):
        save_figure(DRAWINGS[name](), tmp_path / f"{copy}.svg")
    drawn = (tmp_path / "a.svg").read_bytes()
    assert drawn == (tmp_path / "b.svg").read_bytes()
    assert b"<svg" in drawn


def test_bins_show_every_system_and_its_items() -> None:
    """Two lines a system, named; bins with their numbers of items, as in the paper's figure 2."""
    axes = draw_bins(BINS).axes[0]
    assert [line.get_label() for line in axes.get_lines()] == [
        "LM, precision",
        "LM, recall",
        "PERC, precision",
        "PERC, recall",
    ]
    ticks = [tick.get_text() for tick in axes.get_xticklabels()]
    assert ticks == ["50–75 %\nn = 93", "75–90 %\nn = 114", "90–100 %\nn = 716"]


def test_negative_kappa_is_seen() -> None:
    """Worse than chance lies below 0, inside the plot."""
    axes = draw_kappa(BINS).axes[0]
    assert axes.get_ylim()[0] < -0.1


def test_nothing_to_draw_gets_words() -> None:
    """An empty table is no plot."""
    empty = make_table([Column("system")], [])
    for draw in (draw_bins, draw_agreement, draw_simulated):
        with pytest.raises(DataError, match="nothing to draw"):
            draw(empty)
    with pytest.raises(OptionError, match="both Error and OK"):
        draw_sample_widths(empty)
