"""Scores for people: the view, the grids of types, the pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from redink.errors import OptionError
from redink.model import Column, DisplayOptions, Table, make_table
from redink.reports.html import to_html
from redink.reports.plots.style import save_figure
from redink.reports.plots.system_plots import draw_forest, draw_scores, draw_types
from redink.reports.views import type_grids, view_scores, view_wide

COLUMNS = [
    Column("system"),
    Column("metric"),
    Column("type"),
    Column("level"),
    Column("tp", "count"),
    Column("fp", "count"),
    Column("fn", "count"),
    Column("precision", "rate"),
    Column("recall", "rate"),
    Column("f", "rate", title="F0.5"),
    Column("score", "score"),
    Column("low", "rate"),
    Column("high", "rate"),
    Column("rank", "count"),
    Column("group"),
]


def counted(system: str, tp: int, fn: int, **more: Any) -> dict[str, Any]:
    return {
        "system": system,
        "metric": "errant",
        "type": None,
        "tp": tp,
        "fp": 1,
        "fn": fn,
        "precision": tp / (tp + 1),
        "recall": tp / (tp + fn),
        "f": tp / (tp + 1),
        **more,
    }


def table_of(*rows: dict[str, Any]) -> Table:
    return make_table(COLUMNS, rows, signature={"redink": "test"}, groups="metric")


OVERALL = table_of(
    counted("A", 3, 1, low=0.5, high=0.8, rank=1, group="a"),
    counted("B", 2, 2, low=0.4, high=0.7, rank=2, group="a"),
    {"system": "A", "metric": "gleu", "score": 0.5, "low": 0.4, "high": 0.6, "rank": 1},
)
TYPED = table_of(
    counted("A", 3, 1),
    counted("A", 1, 0, type="NOUN"),
    counted("A", 2, 1, type="VERB"),
    counted("B", 2, 2),
    counted("B", 2, 1, type="VERB"),
)


def test_a_block_for_every_metric() -> None:
    """Each has its own columns alone, and the interval is one of them."""
    errant, gleu = view_scores(OVERALL)
    assert (errant.title, gleu.title) == ("errant", "gleu")
    assert [column.heading for column in errant.columns] == [
        *("#", "system", "TP", "FP", "FN", "P", "R", "F0.5", "95 % interval", "group"),
    ]
    assert [column.heading for column in gleu.columns] == ["system", "score", "95 % interval"]
    assert errant.rows[0]["interval"] == "0.5000 – 0.8000"
    assert [row["headline"] for row in (*errant.rows, *gleu.rows)] == [0.75, 2 / 3, 0.5]


def test_wide_is_systems_by_metrics() -> None:
    """As papers print it: P, R and F of a metric side by side, in every form of text."""
    (view,) = view_wide(OVERALL)
    assert [(column.over, column.heading) for column in view.columns] == [
        (None, "system"),
        *(("errant", name) for name in ("P", "R", "F0.5", "95 % interval", "group")),
        *(("gleu", name) for name in ("score", "95 % interval")),
    ]
    table = replace(OVERALL, view="scores-wide", display=DisplayOptions(percent=True, digits=1))
    lines = table.render("table").splitlines()
    assert lines[0].split() == ["errant", "gleu"]
    shown = "A 75.0 75.0 75.0 50.0 – 80.0 a 50.0 40.0 – 60.0"
    assert shown.split() in [line.split() for line in lines]
    assert "| errant F0.5 | errant 95 % interval | errant group |" in table.render("markdown")
    assert r" & \multicolumn{5}{c}{ERRANT} & \multicolumn{2}{c}{GLEU} \\" in table.render("latex")
    assert r"\cmidrule(lr){2-6}" in table.render("latex")
    assert table.to_dict()["rows"] == OVERALL.to_dict()["rows"]


def test_wide_without_intervals_is_as_narrow_as_in_papers() -> None:
    """A metric with one number has one column, named by the metric."""
    dropped = ("low", "high", "group")
    rows = [{k: v for k, v in row.items() if k not in dropped} for row in OVERALL.rows]
    (view,) = view_wide(replace(OVERALL, rows=rows))
    assert [(column.over, column.heading) for column in view.columns] == [
        (None, "system"),
        *(("errant", name) for name in ("P", "R", "F0.5")),
        (None, "gleu"),
    ]


def test_a_system_that_proposed_nothing_has_a_dash() -> None:
    """By type, P and F of nothing look like a failed attempt; JSON keeps the scorer's values."""
    idle = {"tp": 0, "fp": 0, "precision": 1.0, "recall": 0.0, "f": 0.0}
    failed = {"tp": 0, "fp": 1, "precision": 0.0, "recall": 0.0, "f": 0.0}
    table = table_of(
        counted("A", 3, 1),
        counted("A", 1, 3, type="NOUN") | idle,
        counted("A", 1, 3, type="VERB") | failed,
    )
    (view,) = view_scores(table)
    assert [row["precision"] for row in view.rows] == [0.75, None, 0.0]
    assert [row["headline"] for row in view.rows] == [0.75, None, 0.0]
    (grid,) = type_grids(table)
    assert grid.values == ((0.75,), (None,), (0.0,))
    (wide,) = view_wide(table_of(counted("A", 1, 3) | idle))
    assert wide.rows[0].get("errant\0precision") is None
    assert wide.rows[0]["errant\0f"] == 0.0
    assert table.rows[1]["precision"] == 1.0


def test_the_number_of_gold_edits_is_explained_where_it_differs() -> None:
    """The annotators chosen differ by system; what is shown is the most."""
    same = table_of(
        counted("A", 3, 1),
        counted("A", 3, 1, type="VERB"),
        counted("B", 2, 2),
        counted("B", 2, 2, type="VERB"),
    )
    other = table_of(*same.rows[:3], counted("B", 2, 1, type="VERB"))
    assert not [note for note in view_scores(same)[0].notes if note.startswith("gold:")]
    assert [note for note in view_scores(other)[0].notes if note.startswith("gold:")]
    assert "Gold: the largest number" in replace(other, view="scores").render("latex")
    assert "gold: the largest number" in replace(other, view="scores-wide").render("table")


def test_percent_and_digits() -> None:
    """Rates and scores and their intervals are written as wished; counts stay."""
    table = replace(OVERALL, view="scores", display=DisplayOptions(percent=True))
    assert "75.00   50.00 – 80.00" in table.render("table")
    table = replace(OVERALL, view="scores", display=DisplayOptions(digits=2))
    assert "0.75   0.50 – 0.80" in table.render("table")


def test_latex_for_a_paper() -> None:
    """With a caption and a label it is a whole table environment, over both columns if it must."""
    look = DisplayOptions(caption="Scores & such", label="tab:scores")
    text = replace(OVERALL, view="scores-wide", display=look).render("latex")
    assert "\\begin{table*}\n\\centering\n" in text
    assert "\\caption{Scores \\& such}\n\\label{tab:scores}\n\\end{table*}" in text
    only_f = table_of(*({k: row.get(k) for k in ("system", "metric", "f")} for row in OVERALL.rows))
    narrow = replace(only_f, view="scores-wide", display=look).render("latex")
    assert "\\begin{table}\n\\centering" in narrow
    assert "\\end{table}" in narrow


def test_latex_says_what_letters_mean() -> None:
    """A note about significance is part of the printed table."""
    note = "systems that share a letter (group) are not significantly different (p ≥ .05)"
    text = replace(OVERALL, view="scores", notes=(note,)).render("latex")
    below = text.partition("\\end{tabular}")[2]
    assert "are not significantly different (p $\\geq$ .05)" in below


def test_the_json_is_not_touched() -> None:
    """A view is another table: the rows of the result stay as they are."""
    before = OVERALL.to_dict()
    view_scores(OVERALL)
    assert OVERALL.to_dict() == before


def test_types_become_a_grid() -> None:
    """All types first, then by their number of gold edits; a type a system lacks is empty."""
    (grid,) = type_grids(TYPED)
    assert grid.systems == ("A", "B")
    assert grid.types == ("all", "VERB", "NOUN")
    assert grid.gold == (4, 3, 1)
    assert grid.values[2] == (0.5, None)
    overall, view = view_scores(TYPED)
    assert [column.heading for column in view.columns] == ["type", "gold", "A", "B"]
    assert [row["system"] for row in overall.rows] == ["A", "B"]


def test_types_leave_other_metrics_and_intervals_alone() -> None:
    """By type, whatever else was asked for is still there."""
    gleu = {"system": "A", "metric": "gleu", "score": 0.5, "low": 0.4, "high": 0.6, "group": "a"}
    blocks = view_scores(table_of(*TYPED.rows, gleu))
    assert [block.title for block in blocks] == ["errant", "gleu", "errant: F0.5 by error type"]
    assert blocks[1].rows[0]["interval"] == "0.4000 – 0.6000"


def test_types_of_one_system_keep_their_counts() -> None:
    """With one system there is room for counts and measures of every type."""
    (view,) = view_scores(table_of(*(row for row in TYPED.rows if row["system"] == "A")))
    assert [row["type"] for row in view.rows] == ["all", "NOUN", "VERB"]
    assert {"tp", "fp", "fn", "precision", "recall"} <= {column.name for column in view.columns}


def test_names_are_escaped_in_html() -> None:
    """A system called <b> is shown, not obeyed."""
    rows = [dict(row, system="<b>") if row["system"] == "A" else row for row in TYPED.rows]
    text = to_html(replace(table_of(*rows), view="scores"))
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert "redink-heatmap" in text


def test_darker_is_better() -> None:
    """The colours of a heat map get darker from 0 to 1, and stay within it."""
    (image,) = draw_types(TYPED).axes[0].images
    colours = image.to_rgba([value / 20 for value in range(21)])
    light = [float(sum(colour[:3])) for colour in colours]
    assert light == sorted(light, reverse=True)
    assert light[0] > 2.8
    beyond = image.to_rgba([-1.0, 2.0])
    assert beyond.tolist() == [colours[0].tolist(), colours[-1].tolist()]


def test_pictures_are_drawn_twice_the_same(tmp_path: Path) -> None:
    """The same scores give the same bytes: a panel for every metric, a cell for every type."""
    for number, table in enumerate((OVERALL, TYPED)):
        bytes_of = []
        for again in range(2):
            path = tmp_path / f"{number}-{again}.svg"
            save_figure(draw_scores(table), path)
            bytes_of.append(path.read_bytes())
        assert bytes_of[0] == bytes_of[1]
    assert len(draw_forest(OVERALL).axes) == 2
    assert len(draw_types(TYPED).axes[0].texts) == 6


def test_nothing_to_draw_is_an_error() -> None:
    """A table without scores, or without types, is refused in one sentence."""
    with pytest.raises(OptionError, match="no score"):
        draw_forest(table_of())
    with pytest.raises(OptionError, match="no error types"):
        draw_types(OVERALL)
