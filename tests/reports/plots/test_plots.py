"""Every plot in one style, at every size, with nothing cut off or written over."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from html import unescape
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_rgb

from redink.errors import DataError, OptionError
from redink.model import Column, Table, make_table
from redink.model.tables import Size
from redink.reports.plots import PLOTS, draw
from redink.reports.plots.style import FONT_SIZES, SIZES, luminance, new_figure, write_cell

SYSTEMS = [f"TEAM{n}" for n in range(12)] + ["INPUT"]
METRICS = ["m2", "m2 F0.25", "iwacc", "bleu", "meteor"]


def table(names: str, rows: Iterable[tuple[Any, ...]], **more: Any) -> Table:
    columns = names.split()
    return make_table(columns, [dict(zip(columns, row, strict=True)) for row in rows], **more)


def scores(kinds: list[str | None]) -> Table:
    return table(
        "system metric type tp fp fn precision recall f low high group",
        (
            (system, "errant", kind, 40 + n, 50, 60, 0.4, 0.3, 0.1 + x, 0.08 + x, 0.13 + x, "ab")
            for (n, system), kind in product(enumerate(SYSTEMS), kinds)
            for x in [0.03 * n]
        ),
    )


def name_ends(*names: str) -> str:
    return " ".join(f"{name}{end}" for name in names for end in ("", "_low", "_high"))


RANKING = table(
    "system score low high rank rank_low rank_high cluster",
    (
        (s, 0.65 - x, 0.63 - x, 0.67 - x, n + 1, max(1, n), min(13, n + 2), n // 4 + 1)
        for n, s in enumerate(SYSTEMS)
        for x in [0.03 * n]
    ),
    title="Human ranking by Expected Wins",
)
DIFFERENCES = table(
    "metric system other difference low high significant",
    (
        (metric, one, other, 0.1, -0.02, 0.22, one == "TEAM0")
        for metric in ("errant", "gleu")
        for one, other in combinations(SYSTEMS[:4], 2)
    ),
)
BINS = table(
    "system from to items precision recall kappa",
    (
        ("LM", 0.5, 0.75, 93, 1.0, 0.2, None),
        ("LM", 0.75, 0.9, 114, 0.8, 0.3, 0.4),
        ("LM", 0.9, 1.0, 716, 0.97, 0.4, 0.5),
        ("PERC", 0.5, 0.75, 93, None, 0.3, -0.1),
        ("PERC", 0.75, 0.9, 114, 0.8, 0.35, 0.4),
        ("PERC", 0.9, 1.0, 716, 0.85, 0.5, 0.6),
    ),
)
POINT_NAMES = "system unit annotators precision recall f fpr kappa bias"
TYPED = scores([None, "DET", "NOUN:NUM"])
TABLES = {
    "benchmark": table(
        f"level judgments human set metric {name_ends('pearson')}",
        (
            ("system", judgments, "EW", "base", metric, 0.5, 0.2, 0.7)
            for judgments, metric in product(("edit", "sentence"), METRICS)
        ),
    ),
    "scores": TYPED,
    "forest": scores([None]),
    "types": TYPED,
    "differences": DIFFERENCES,
    "ranking": RANKING,
    "head-to-head": table(
        "system opponent share stars",
        (
            (SYSTEMS[i], SYSTEMS[k], 0.5 + 0.02 * (i - k), "‡")
            for i, k in permutations(range(len(SYSTEMS)), 2)
        ),
    ),
    "correlation": table(
        f"metric {name_ends('spearman', 'pearson', 'kendall')}",
        ((metric, *(0.6, 0.4, 0.8) * 3) for metric in METRICS),
        title="Correlation of metrics with the human ranking",
    ),
    "betas": table(
        "metric beta spearman pearson",
        ((m, b / 10, 0.5 + b / 50, 0.7 - b / 50) for m, b in product(METRICS, range(1, 11))),
    ),
    "windows": table(
        "metric first last pearson",
        ((m, 1, last, 0.1 * last - 0.7) for m, last in product(METRICS, range(13, 2, -1))),
    ),
    "history": table(
        "version system metric measure slice score",
        (
            (f"v{n}", "mine", metric, "f", part, 0.4 + n / 50)
            for n, metric, part in product((1, 2, 3), METRICS[:2], ("", "level=A1"))
        ),
    ),
    "agreement": table("from to items share", [(0.5, 0.75, 93, 0.1), (0.75, 1.0, 830, 0.9)]),
    "bins": BINS,
    "kappa": BINS,
    "size": table(
        f"size {name_ends('agreement', 'kappa')}",
        [
            (1, 0.8, 0.78, 0.82, 0.6, 0.55, 0.65),
            (2, 0.87, 0.86, 0.88, None, None, None),
            ("experts", 0.87, None, None, 0.75, None, None),
        ],
    ),
    "simulated": table(
        "quantity sample truth estimate low high",
        (
            (quantity, n, 0.8, 0.8, 0.7, 0.9)
            for quantity, n in product(("precision", "recall"), (100, 500, 5000))
        ),
    ),
    "sample-widths": table(
        "subcorpus drawn",
        [("Error", 20), ("both", 50)],
        extra={"sizes": [20, 200, 2000], "widths": {"precision": [0.5, 0.3, 0.1]}},
    ),
    "curves": table(
        POINT_NAMES,
        (
            (s, "token", "any", 1 - x / 12, x / 10, 0.4, (x / 10) ** 2, x / 20, x / 10)
            for s, x in product(("tagger", "language model"), range(11))
        ),
    ),
}


# Text that must be in each plot: titles, labels of the axes, names of systems.
WORDS = {
    "benchmark": ["Pearson's r with the human ranking", "edit · EW · base", *METRICS],
    "scores": ["errant: F by type, with gold edits", "DET  112", "all  112", *SYSTEMS, ".46"],
    "forest": ["errant", "F", *SYSTEMS, "ab"],
    "types": ["errant: F by type, with gold edits", "DET  112", "NOUN:NUM  112", *SYSTEMS],
    "differences": ["errant", "gleu", "difference", "TEAM0 − TEAM1", "open dots: not significant"],
    "ranking": ["Human ranking by Expected Wins", "rank range", *SYSTEMS, "12–13"],
    "head-to-head": [*SYSTEMS, ".52‡", "★ p ≤ .10, † .05, ‡ .01"],
    "correlation": ["correlation with the human ranking", "Spearman's ρ", "Kendall's τ", *METRICS],
    "betas": ["β (ring: highest; dashed: 0.5)", "Spearman's ρ", "Pearson's r", *METRICS],
    "windows": ["number of systems, best by human judgment", "Pearson's r", *METRICS],
    "history": ["version", "v1", "v3", f"{METRICS[0]} f", "mine", "mine, level=A1"],
    "agreement": ["Agreement of crowd workers", "judges in the majority (%)", "items"],
    "bins": ["agreement of crowd workers", "precision, recall", "LM, recall", "n = 716"],
    "kappa": ["Cohen's kappa with the majority", "LM", "PERC", "90–100%"],
    "size": ["judges per item", "agreement, kappa", "kappa, crowd vs. expert"],
    "simulated": ["Precision", "Recall", "cases judged", "estimate", "95% of the samples"],
    "sample-widths": [
        "Interval width by number of cases",
        "width of the interval",
        "planned: 50 cases",
    ],
    "curves": ["ROC", "Kappa", "false-positive rate", "tagger", "language model", "P, R, F"],
}


@pytest.mark.parametrize("name", PLOTS.names)
def test_a_picture_says_what_it_shows(name: str, tmp_path: Path) -> None:
    replace(TABLES[name], plot_name=name).plot(tmp_path / "plot.svg")
    drawing = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    read = [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", drawing)]
    for words in WORDS[name]:
        assert words in read


def test_open_dots_are_differences_that_may_be_chance() -> None:
    axes = PLOTS.load("differences")(DIFFERENCES).axes[0]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [dot.get_markerfacecolor() == "white" for dot in dots] == [False] * 3 + [True] * 3
    assert [list(line.get_xdata()) for line in axes.lines][-1] == [0, 0]


def test_differences_from_a_baseline_are_all_of_the_others() -> None:
    rows = [("errant", "last", "mine", -0.3, -0.5, -0.2), ("errant", "top", "mine", 0.2, 0.1, 0.4)]
    names = "metric system other difference low high"
    axes = PLOTS.load("differences")(table(names, rows, extra={"baseline": "mine"})).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["top", "last"]
    spans = [list(line.get_xdata()) for line in axes.lines]
    assert spans[:4] == [[0.1, 0.4], [0.2], [-0.5, -0.2], [-0.3]]
    assert axes.get_xlabel() == "difference from mine"


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

    Labels and titles of neighboring panels do not run into one another.
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


@pytest.mark.parametrize("name", PLOTS.names)
def test_same_plot_same_bytes(name: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{n}.{'png' if name == 'ranking' else 'svg'}" for n in (1, 2)]
    for path in files:
        draw(TABLES[name], path, name=name, size="column")
    assert files[0].read_bytes() == files[1].read_bytes()


def test_style_does_not_leak() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    PLOTS.load("forest")(TABLES["forest"], size="column")
    assert dict(mpl.rcParams) == before


def test_what_cannot_be_drawn_is_refused_before_it_is_drawn(tmp_path: Path) -> None:
    for name, path, size, words in (
        ("ranking", "plot.gif", "page", "a plot file must end in"),
        ("ranking", "plot.png", "poster", "unknown plot size 'poster'"),
        ("pie", "plot.png", "page", "unknown plot 'pie'; expected one of: scores"),
    ):
        with pytest.raises(OptionError, match=words):
            draw(RANKING, tmp_path / path, name=name, size=size)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


# ---- bins and curves


def test_bins_show_every_system_and_its_items() -> None:
    """Two lines per system, and bins with their numbers of items, as in the paper's figure 2."""
    axes = PLOTS.load("bins")(BINS).axes[0]
    labels = [line.get_label() for line in axes.get_lines()]
    assert labels == [f"{s}, {m}" for s, m in product(("LM", "PERC"), ("precision", "recall"))]
    ticks = [tick.get_text() for tick in axes.get_xticklabels()]
    assert ticks == ["50–75%\nn = 93", "75–90%\nn = 114", "90–100%\nn = 716"]
    assert PLOTS.load("kappa")(BINS).axes[0].get_ylim()[0] < -0.1  # worse than chance is visible


def test_nothing_to_draw_is_an_error() -> None:
    empty = make_table([Column("system")], [])
    for name in ("bins", "agreement", "simulated"):
        with pytest.raises(DataError, match="no data to plot"):
            PLOTS.load(name)(empty)
    with pytest.raises(OptionError, match="both Error and OK"):
        PLOTS.load("sample-widths")(empty)


POINTS = [
    (None, 0.0, 0.0, 0.0, 0.0, 0.0),
    (1.0, 0.5, 0.8, 0.0, 0.6, 0.1),
    (0.2, 1.0, 0.2, 1.0, 0.0, 1.0),
]


def points_of(*systems: str, unit: str = "token") -> Table:
    return table(POINT_NAMES, ((s, unit, "0", *point) for s, point in product(systems, POINTS)))


def draw_curves(*tables: Table, **extra: Any) -> Any:
    rows = [row for given in tables for row in given.rows]
    return PLOTS.load("curves")(replace(tables[0], rows=rows, extra=extra))


def texts_of(figure: Any) -> list[str]:
    panels = [text.get_text() for axes in figure.axes for text in axes.texts]
    return panels + [text.get_text() for text in figure.legends[0].get_texts()]


def test_every_system_is_in_every_panel_of_curves() -> None:
    figure = draw_curves(points_of("one", "two"))
    curves = [
        [line for line in axes.lines if line.get_color() != "#888888" and len(line.get_xdata()) > 1]
        for axes in figure.axes
    ]
    assert [len(found) for found in curves] == [2, 2, 2, 6]
    assert texts_of(figure) == ["one", "two"]
    # there is no precision where nothing is flagged; the first one holds from recall 0
    line = figure.axes[0].lines[0]
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([0.0, 0.5, 1.0], [1.0, 1.0, 0.2])


def test_areas_are_written_next_to_the_curves() -> None:
    areas = {"average_precision": 0.6125, "roc_area": 0.75, "kappa_area": 0.3}
    points = points_of("one")
    row = {**points.rows[1], **areas}
    figure = draw_curves(points, areas=[row])
    assert texts_of(figure) == ["one: AP 0.613", "one: area 0.750", "one: AUK 0.300", "one"]
    marks = [line for line in figure.axes[1].lines if list(line.get_xdata()) == [0.0]]
    assert [list(mark.get_ydata()) for mark in marks] == [[0.5]]
    other = draw_curves(replace(points, rows=[row]), points=points.rows)
    assert texts_of(other) == texts_of(figure)


def test_a_system_with_one_point_is_a_mark() -> None:
    dot = points_of("dot")
    figure = draw_curves(points_of("one"), replace(dot, rows=dot.rows[1:2]))
    mark = figure.axes[0].lines[-1]
    assert (mark.get_linestyle(), list(mark.get_xdata())) == ("None", [0.5])
    assert texts_of(figure) == ["one", "dot"]
    several = draw_curves(points_of("one"), points_of("one", unit="sentence"))
    assert texts_of(several) == ["one, token", "one, sentence"]


def test_a_plot_without_a_file_is_a_figure(tmp_path: Path) -> None:
    given = replace(scores([None]), plot_name="scores")
    figure = given.plot(size="column")
    assert type(figure).__module__ == "matplotlib.figure"
    drawing, shown = figure._repr_png_()
    assert drawing.startswith(b"\x89PNG")
    assert shown == {"width": round(96 * SIZES["column"][0])}
    again = given.plot(tmp_path / "x.html", size="column")
    assert (tmp_path / "x.html").read_text(encoding="utf-8").count("<svg") == 1
    assert again._repr_png_() == (drawing, shown)
    with pytest.raises(OptionError, match="no plot"):
        scores([None]).plot()
