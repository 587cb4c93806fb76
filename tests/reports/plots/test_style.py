"""Every plot in one style, at every size, with nothing cut off or written over."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from html import escape, unescape
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_rgb

from redink.errors import OptionError
from redink.model import Column, Table, make_table
from redink.model.tables import Size
from redink.reports.plots import PLOTS, draw
from redink.reports.plots.style import FONT_SIZES, SIZES, luminance, new_figure, write_cell

SYSTEMS = [f"TEAM{n}" for n in range(12)] + ["INPUT"]
METRICS = ["m2", "m2 F0.25", "iwacc", "bleu", "meteor"]


def table(rows: list[dict[str, Any]], title: str = "") -> Table:
    return make_table([Column(name) for name in rows[0]], rows, title=title)


def scores(kinds: list[str | None]) -> Table:
    rows = [
        {
            "system": system,
            "metric": "errant",
            "type": kind,
            "tp": 40 + n,
            "fp": 50,
            "fn": 60,
            "precision": 0.4,
            "recall": 0.3,
            "f": 0.1 + 0.03 * n,
            "low": 0.08 + 0.03 * n,
            "high": 0.13 + 0.03 * n,
            "group": "ab",
        }
        for n, system in enumerate(SYSTEMS)
        for kind in kinds
    ]
    return table(rows)


RANKING = table(
    [
        {
            "system": s,
            "score": 0.65 - 0.03 * n,
            "low": 0.63 - 0.03 * n,
            "high": 0.67 - 0.03 * n,
            "rank": n + 1,
            "rank_low": max(1, n),
            "rank_high": min(13, n + 2),
            "cluster": n // 4 + 1,
        }
        for n, s in enumerate(SYSTEMS)
    ],
    title="Human ranking by Expected Wins",
)
ENCOUNTERS = table(
    [
        {"system": one, "opponent": other, "share": 0.5 + 0.02 * (i - k), "stars": "‡"}
        for i, one in enumerate(SYSTEMS)
        for k, other in enumerate(SYSTEMS)
        if one != other
    ]
)
CORRELATIONS = table(
    [
        {
            "metric": m,
            **{
                f"{c}{end}": v
                for c in ("spearman", "pearson", "kendall")
                for end, v in (("", 0.6), ("_low", 0.4), ("_high", 0.8))
            },
        }
        for m in METRICS
    ],
    title="Correlation of metrics with the human ranking",
)
BETAS = table(
    [
        {"metric": m, "beta": b / 10, "spearman": 0.5 + b / 50, "pearson": 0.7 - b / 50}
        for m in METRICS
        for b in range(1, 11)
    ]
)
WINDOWS = table(
    [
        {"metric": m, "first": 1, "last": last, "pearson": 0.1 * last - 0.7}
        for m in METRICS
        for last in range(13, 2, -1)
    ]
)
BINS = table(
    [
        {
            "system": s,
            "from": low,
            "to": high,
            "items": items,
            "precision": 0.8,
            "recall": 0.3,
            "kappa": 0.4,
        }
        for s in ("language model", "perceptron")
        for low, high, items in ((0.5, 0.75, 93), (0.75, 0.9, 114), (0.9, 1.0, 716))
    ]
)
SIZE_OF_CROWD = table(
    [
        {
            "size": n,
            **{
                f"{c}{end}": 0.5 + n / 20
                for c in ("agreement", "kappa")
                for end in ("", "_low", "_high")
            },
        }
        for n in range(1, 6)
    ]
)
POINTS = table(
    [
        {
            "system": s,
            "unit": "token",
            "annotators": "any",
            "threshold": 1 - x / 10,
            "precision": 1 - x / 12,
            "recall": x / 10,
            "f": 0.4,
            "fpr": (x / 10) ** 2,
            "kappa": x / 20,
            "bias": x / 10,
        }
        for s in ("tagger", "language model")
        for x in range(11)
    ]
)
SAMPLES = table(
    [
        {"quantity": q, "sample": n, "truth": 0.8, "estimate": 0.8, "low": 0.7, "high": 0.9}
        for q in ("precision", "recall")
        for n in (100, 500, 5000)
    ]
)
PLAN = replace(
    table([{"subcorpus": "Error", "drawn": 20}, {"subcorpus": "both", "drawn": 50}]),
    extra={"sizes": [20, 200, 2000], "widths": {"precision": [0.5, 0.3, 0.1]}},
)
TYPED = scores([None, "DET", "NOUN:NUM"])
DIFFERENCES = table(
    [
        {
            "metric": metric,
            "system": one,
            "other": other,
            "difference": 0.1,
            "low": -0.02,
            "high": 0.22,
            "significant": one == "TEAM0",
        }
        for metric in ("errant", "gleu")
        for one, other in combinations(SYSTEMS[:4], 2)
    ]
)
BENCHMARK = table(
    [
        {
            "level": "system",
            "judgments": judgments,
            "human": "EW",
            "set": "base",
            "metric": metric,
            "pearson": 0.5,
            "pearson_low": 0.2,
            "pearson_high": 0.7,
        }
        for judgments in ("edit", "sentence")
        for metric in METRICS
    ]
)
TABLES = {
    "benchmark": BENCHMARK,
    "scores": TYPED,
    "forest": scores([None]),
    "types": TYPED,
    "differences": DIFFERENCES,
    "ranking": RANKING,
    "head-to-head": ENCOUNTERS,
    "correlation": CORRELATIONS,
    "betas": BETAS,
    "windows": WINDOWS,
    "agreement": table([{"from": 0.5, "to": 1.0, "items": 93, "share": 1.0}]),
    "bins": BINS,
    "kappa": BINS,
    "size": SIZE_OF_CROWD,
    "simulated": SAMPLES,
    "sample-widths": PLAN,
    "curves": POINTS,
}


# What must be read in each: titles, what stands along the axes, and the names of what is drawn.
WORDS = {
    "benchmark": ["Pearson's r with the human ranking", "edit · EW · base", *METRICS],
    "scores": [
        "errant: F by type, with gold edits",
        "DET  112",
        "all  112",
        *SYSTEMS,
        ".10",
        ".46",
    ],
    "forest": [
        "errant",
        "F",
        *SYSTEMS,
        "ab",
        "systems that share a letter are not significantly different (p ≥ .05)",
    ],
    "types": ["errant: F by type, with gold edits", "DET  112", "NOUN:NUM  112", *SYSTEMS],
    "differences": ["errant", "gleu", "difference", "TEAM0 − TEAM1", "open: not significant"],
    "ranking": [
        "Human ranking by Expected Wins",
        "score, with its",
        "rank range",
        *SYSTEMS,
        "12–13",
    ],
    "head-to-head": [
        "Share of wins of the column's system",
        *SYSTEMS,
        ".52‡",
        "★ p ≤ .10, † .05, ‡ .01",
    ],
    "correlation": ["correlation with the human ranking", "Spearman's ρ", "Kendall's τ", *METRICS],
    "betas": ["β (ring: the highest; dashed: 0.5)", "Spearman's ρ", "Pearson's r", *METRICS],
    "windows": ["number of systems, the best by human judgment", "Pearson's r", *METRICS],
    "agreement": ["Agreement of the crowd", "judges who are with the majority (%)", "items"],
    "bins": ["agreement of the crowd", "precision, recall", "language model, recall", "n = 716"],
    "kappa": ["Cohen's kappa with the majority", "language model", "perceptron", "90–100 %"],
    "size": ["judges an item", "agreement, kappa", "kappa, crowd and expert"],
    "simulated": ["Precision", "Recall", "cases judged", "estimate", "95 % of the samples"],
    "sample-widths": ["What more cases buy", "width of the interval", "the plan: 50 cases"],
    "curves": ["ROC", "Kappa", "false-positive rate", "tagger", "language model", "P, R, F"],
}


@pytest.mark.parametrize("name", PLOTS.names)
def test_a_picture_says_what_it_shows(name: str, tmp_path: Path) -> None:
    """Titles, axes, systems and figures can be read in it, in any file that holds text."""
    replace(TABLES[name], plot_name=name).plot(tmp_path / "plot.svg")
    drawing = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    read = [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", drawing)]
    for words in WORDS[name]:
        assert words in read


@pytest.mark.parametrize("name", ["curves", "ranking"])
def test_a_page_holds_the_picture(name: str, tmp_path: Path) -> None:
    """One drawing, whose words can be read and searched."""
    draw(TABLES[name], tmp_path / "plot.html", name=name)
    page = (tmp_path / "plot.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 1
    assert escape(WORDS[name][0], quote=False) in page


def test_open_dots_are_differences_that_may_be_chance() -> None:
    """Full ones are significant; zero is marked."""
    axes = PLOTS.load("differences")(DIFFERENCES).axes[0]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [dot.get_markerfacecolor() == "white" for dot in dots] == [False] * 3 + [True] * 3
    assert [list(line.get_xdata()) for line in axes.lines][-1] == [0, 0]


def test_differences_from_a_baseline_are_all_of_the_others() -> None:
    """Systems worse than the baseline are left of zero; the best system comes first."""
    columns = [Column("system"), Column("other"), Column("metric"), Column("difference", "score")]
    rows = [
        {"system": "top", "other": "mine", "difference": 0.2, "low": 0.1, "high": 0.4},
        {"system": "last", "other": "mine", "difference": -0.3, "low": -0.5, "high": -0.2},
    ]
    table = make_table(columns, [{"metric": "errant", **row} for row in rows[::-1]])
    axes = PLOTS.load("differences")(replace(table, extra={"baseline": "mine"})).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["top", "last"]
    spans = [list(line.get_xdata()) for line in axes.lines]
    assert spans[:4] == [[0.1, 0.4], [0.2], [-0.5, -0.2], [-0.3]]
    assert axes.get_xlabel() == "difference from mine"


def test_panels_are_in_the_order_of_the_metrics() -> None:
    """The first metric that was asked for is on the left, whatever its scores."""
    columns = [Column("system"), Column("metric"), Column("score", "score")]
    rows = [
        {"system": system, "metric": metric, "score": score}
        for metric, score in (("low", 0.1), ("high", 0.9))
        for system in ("one", "two")
    ]
    figure = PLOTS.load("forest")(make_table(columns, rows))
    assert [axes._left_title.get_text() for axes in figure.axes] == ["low", "high"]


@pytest.mark.parametrize("cmap", ["Blues", "RdBu"])
def test_every_cell_can_be_read(cmap: str) -> None:
    """What is written on a colour differs enough from it: a contrast of about 4 or more."""
    _, axes = new_figure(size="screen")
    image = axes.imshow([[0.0, 1.0]], cmap=cmap, vmin=0, vmax=1)
    for number in range(101):
        write_cell(image, (0, 0), number / 100, "x")
        ink = luminance(to_rgb(axes.texts[-1].get_color()))
        cell = luminance(image.to_rgba(number / 100))
        light, dark = max(ink, cell), min(ink, cell)
        assert (light + 0.05) / (dark + 0.05) > 3.9, number


def written(figure: Any) -> list[Any]:
    """Titles, labels, legends and what is written into the panels."""
    found = [text for legend in figure.legends for text in legend.get_texts()]
    for axes in figure.axes:
        found += [axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        found += axes.get_legend().get_texts() if axes.get_legend() else []
    return [text for text in found if text.get_text()]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PLOTS.names)
def test_everything_has_its_place(name: str, size: Size) -> None:
    """At every size all that is written lies within the picture, in the size's fonts.

    Labels and titles of neighbouring panels do not run into one another.
    """
    figure = PLOTS.load(name)(TABLES[name], size=size)
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    assert figure.get_figwidth() == SIZES[size][0]
    for text in written(figure):
        box = text.get_window_extent()
        assert box.x0 >= -1, text.get_text()
        assert box.x1 <= width + 1, text.get_text()
        assert box.y0 >= -1, text.get_text()
        assert box.y1 <= height + 1, text.get_text()
    labels = [axes.xaxis.label for axes in figure.axes if axes.get_xlabel()]
    titles = [axes._left_title for axes in figure.axes if axes._left_title.get_text()]
    for texts in (labels, titles):
        for one, other in combinations([text.get_window_extent() for text in texts], 2):
            assert not one.overlaps(other)
    points = FONT_SIZES[size]
    assert {round(text.get_fontsize(), 3) for text in labels} <= {points}
    assert {(round(t.get_fontsize(), 3), t.get_fontweight()) for t in titles} <= {
        (round(1.2 * points, 3), "bold")
    }
    for legend in figure.legends:
        assert {text.get_fontsize() for text in legend.get_texts()} == {points}
        assert not legend.get_frame_on()


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_same_plot_same_bytes(suffix: str, tmp_path: Path) -> None:
    """At the size of a column, too."""
    files = [tmp_path / f"{n}.{suffix}" for n in (1, 2)]
    for path in files:
        draw(RANKING, path, name="ranking", size="column")
    assert files[0].read_bytes() == files[1].read_bytes()


def test_style_does_not_leak() -> None:
    """Drawing leaves the settings of whoever calls us as they were."""
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    PLOTS.load("forest")(TABLES["forest"], size="column")
    assert dict(mpl.rcParams) == before


def test_unknown_size_is_refused() -> None:
    """In one sentence, with the sizes there are."""
    with pytest.raises(OptionError, match=r"no size 'poster' .* column, page, screen"):
        PLOTS.load("ranking")(RANKING, size="poster")  # type: ignore[arg-type]


def test_what_cannot_be_drawn_is_refused_before_it_is_drawn(tmp_path: Path) -> None:
    """Another suffix, another size, another name: one sentence each, and no file."""
    for name, path, size, words in (
        ("ranking", "plot.gif", "page", "a plot ends in"),
        ("ranking", "plot.png", "poster", "no size 'poster'"),
        ("pie", "plot.png", "page", "no plot 'pie'; there are: scores"),
    ):
        with pytest.raises(OptionError, match=words):
            draw(RANKING, tmp_path / path, name=name, size=size)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_knowing_the_plots_loads_no_library() -> None:
    """Names can be listed and checked without matplotlib."""
    code = (
        "import sys, redink.reports.plots as plots; assert 'curves' in plots.PLOTS; "
        "sys.exit(bool({'matplotlib', 'jinja2', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
