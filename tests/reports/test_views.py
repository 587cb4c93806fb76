"""Views: tables as people read them, instead of the plain rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import redink
from redink.errors import OptionError
from redink.model import Column, DisplayOptions, Table, make_table
from redink.reports.html import to_html
from redink.reports.plots.system_plots import draw_forest, draw_scores, draw_types
from redink.reports.table_formats import best_cells, read_blocks
from redink.reports.views import (
    VIEWS,
    pivot_encounters,
    stars,
    type_grids,
    view_differences,
    view_scores,
    view_scores_wide,
)

NAMES = (
    *("system", "metric", "type", "level", "tp", "fp", "fn", "precision", "recall", "f"),
    *("score", "low", "high", "rank", "group"),
)
KINDS = dict.fromkeys(("tp", "fp", "fn", "rank"), "count")
KINDS |= dict.fromkeys(("precision", "recall", "f", "score", "low", "high"), "rate")
COLUMNS = [
    Column(name, KINDS.get(name, "text"), title="F0.5" if name == "f" else None)  # type: ignore[arg-type]
    for name in NAMES
]


def counted(system: str, tp: int, fn: int, **more: Any) -> dict[str, Any]:
    p, r = tp / (tp + 1), tp / (tp + fn)
    counts = {"system": system, "metric": "errant", "type": None, "tp": tp, "fp": 1, "fn": fn}
    return {**counts, "precision": p, "recall": r, "f": p, **more}


def table_of(*rows: dict[str, Any]) -> Table:
    return make_table(COLUMNS, rows, signature={"redink": "test"}, groups="metric")


def pair(metric: str, system: str, other: str, *values: float) -> dict[str, Any]:
    score, other_score, p = values
    row = {"metric": metric, "system": system, "other": other, "score": score}
    row |= {"other_score": other_score, "difference": score - other_score}
    return row | {"p_bootstrap_holm": p, "significant": p < 0.05}


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
    errant, gleu = view_scores(OVERALL)
    assert (errant.title, gleu.title) == ("errant", "gleu")
    assert [column.heading for column in errant.columns] == [
        *("#", "system", "TP", "FP", "FN", "P", "R", "F0.5", "95% interval", "group")
    ]
    assert [column.heading for column in gleu.columns] == ["system", "score", "95% interval"]
    assert errant.rows[0]["interval"] == "0.5000 – 0.8000"
    assert [row["headline"] for row in (*errant.rows, *gleu.rows)] == [0.75, 2 / 3, 0.5]


def test_wide_is_systems_by_metrics() -> None:
    (view,) = view_scores_wide(OVERALL)
    assert [(column.over, column.heading) for column in view.columns] == [
        (None, "system"),
        *(("errant", name) for name in ("P", "R", "F0.5", "group", "95% CI")),
        *(("gleu", name) for name in ("score", "95% CI")),
    ]
    table = replace(OVERALL, view="scores-wide", display=DisplayOptions(percent=True, digits=1))
    lines = table.render("table").splitlines()
    assert lines[0].split() == ["errant", "gleu"]
    shown = "A 75.0 75.0 75.0 a [50, 80] 50.0 [40, 60]"
    assert shown.split() in [line.split() for line in lines]
    assert "| errant F0.5 | errant group | errant 95% CI |" in table.render("markdown")
    latex = table.render("latex")
    assert r" & \multicolumn{4}{c}{ERRANT} & \multicolumn{2}{c}{GLEU} \\" in latex
    assert r"\cmidrule(lr){2-5}" in latex
    assert r"\textbf{75.0$^{\mathrm{a}}$} & {\footnotesize [50, 80]} & 50.0 &" in latex
    assert "{[}lower, upper]: 95\\% confidence interval" in latex
    assert table.to_dict()["rows"] == OVERALL.to_dict()["rows"]


def test_the_best_of_every_column_is_bold() -> None:
    (view,) = view_scores_wide(OVERALL)
    assert best_cells(view) == {(0, f"errant\0{name}") for name in ("precision", "recall", "f")}


def test_the_best_system_of_every_error_type_is_bold() -> None:
    """Of VERB A and B have 2/3 both, and NOUN is proposed by one system only."""
    rows = [counted("A", 4, 0, type="DET"), counted("B", 1, 0, type="DET")]
    _, grid = view_scores(table_of(*TYPED.rows, *rows))
    assert [row["\0type"] for row in grid.rows] == ["all", "DET", "VERB", "NOUN"]
    assert best_cells(grid) == {(0, "A"), (1, "A")}
    table = replace(TYPED, view="scores")
    assert "| all | 4 | **0.7500** | 0.6667 |" in table.render("markdown")
    assert r"all & 4 & \textbf{0.7500} & 0.6667" in table.render("latex")
    assert "| NOUN | 0–1 | 0.5000 | – |" in table.render("markdown")


WIDE_PAIRS = make_table(
    ["metric", "system", "other", Column("score", "score")],
    [
        pair("errant", "A", "B", 0.75, 0.5, 0.004),
        pair("errant", "A", "C", 0.75, 0.25, 0.0004),
        pair("errant", "B", "C", 0.5, 0.25, 0.4),
        pair("gleu", "B", "A", 0.5, 0.4, 0.05),
        pair("gleu", "B", "C", 0.5, 0.25, 0.03),
        pair("gleu", "A", "C", 0.4, 0.25, 0.06),
    ],
    view="differences-wide",
)


def test_wide_differences_have_letters() -> None:
    """B and C are not significantly different by ERRANT; by GLEU, only B and C differ."""
    lines = WIDE_PAIRS.render("markdown").splitlines()
    assert lines[2:5] == [
        "| A | **0.7500** | a | 0.4000 | ab |",
        "| B | 0.5000 | b | **0.5000** | a |",
        "| C | 0.2500 | b | 0.2500 | b |",
    ]
    latex = WIDE_PAIRS.render("latex")
    assert "\nA & \\textbf{0.7500$^{\\mathrm{a}}$} & 0.4000$^{\\mathrm{ab}}$ " in latex
    assert r"0.2500$^{\mathrm{b}}$\phantom{$^{\mathrm{a}}$} \\" in latex
    assert "Systems that share a letter are not significantly different" in latex


def test_wide_differences_from_a_baseline_have_stars() -> None:
    rows = [row for row in WIDE_PAIRS.rows if row["other"] == "C"]
    table = replace(WIDE_PAIRS, rows=rows, extra={"baseline": "C"})
    assert table.render("markdown").splitlines()[2:5] == [
        "| C (baseline) | 0.2500 |   | 0.2500 |   |",
        "| A | **0.7500** | \\*\\*\\* | 0.4000 |   |",
        "| B | 0.5000 |   | **0.5000** | \\* |",
    ]
    assert "Compared with C: * p < .05" in table.render("table")


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
    (wide,) = view_scores_wide(table_of(counted("A", 1, 3) | idle))
    assert wide.rows[0].get("errant\0precision") is None
    assert wide.rows[0]["errant\0f"] == 0.0
    assert table.rows[1]["precision"] == 1.0


def test_the_number_of_gold_edits_is_explained_where_it_differs() -> None:
    same = table_of(
        counted("A", 3, 1),
        counted("A", 3, 1, type="VERB"),
        counted("B", 2, 2),
        counted("B", 2, 2, type="VERB"),
    )
    other = table_of(*same.rows[:3], counted("B", 2, 1, type="VERB"))
    assert not [note for note in view_scores(same)[0].notes if note.startswith("gold:")]
    assert [note for note in view_scores(other)[0].notes if note.startswith("gold:")]
    assert "number of gold edits" in replace(other, view="scores").render("latex")
    assert "number of gold edits" in replace(other, view="scores-wide").render("table")


def test_percent_and_digits() -> None:
    table = replace(OVERALL, view="scores", display=DisplayOptions(percent=True))
    assert "75.00   50.00 – 80.00" in table.render("table")
    table = replace(OVERALL, view="scores", display=DisplayOptions(digits=2))
    assert "0.75   0.50 – 0.80" in table.render("table")


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


def test_types_of_one_system_keep_their_counts() -> None:
    (view,) = view_scores(table_of(*(row for row in TYPED.rows if row["system"] == "A")))
    assert [row["type"] for row in view.rows] == ["all", "NOUN", "VERB"]
    assert {"tp", "fp", "fn", "precision", "recall"} <= {column.name for column in view.columns}


def test_names_are_escaped_in_html() -> None:
    rows = [dict(row, system="<b>") if row["system"] == "A" else row for row in TYPED.rows]
    text = to_html(replace(table_of(*rows), view="scores"))
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert "redink-heatmap" in text


def test_nothing_to_draw_is_an_error() -> None:
    assert len(draw_forest(OVERALL).axes) == 2
    assert len(draw_scores(TYPED).axes[0].texts) == 6
    with pytest.raises(OptionError, match="no scores"):
        draw_forest(table_of())
    with pytest.raises(OptionError, match="no error types"):
        draw_types(OVERALL)


# ---- differences

DIFFERENCE_NAMES = (
    *("metric", "system", "other", "score", "other_score", "difference", "low", "high"),
)


def pair(system: str, other: str, score: float, other_score: float, p: float) -> dict[str, Any]:
    gap = score - other_score
    values = ("errant", system, other, score, other_score, gap, gap - 0.01, gap + 0.01, p)
    return dict(zip((*DIFFERENCE_NAMES, "p_bootstrap_holm"), values, strict=True))


PAIRS = [pair("A", "B", 0.5, 0.4, 0.02), pair("A", "C", 0.5, 0.3, 0.0001)]
PAIRS.append(pair("B", "C", 0.4, 0.3, 0.4))


def differences(rows: list[dict[str, Any]], **extra: str) -> Table:
    columns = [
        Column(name, "score" if place > 2 else "text")
        for place, name in enumerate(DIFFERENCE_NAMES)
    ]
    return make_table(columns, rows, groups="metric", extra=extra)


def test_stars_are_of_the_worst_test() -> None:
    assert stars({"p_bootstrap_holm": 0.0001, "p_randomization_holm": 0.03}) == "*"
    assert stars({"p_bootstrap_holm": 0.0001, "p_randomization_holm": 0.3}) == ""
    assert stars({"p_bootstrap_holm": None}) == ""


def test_matrix() -> None:
    (view,) = view_differences(differences(PAIRS))
    assert [column.heading for column in view.columns] == ["#", "system", "score", "B", "C"]
    first, second, third = view.rows
    assert (first["B"].strip(), first["C"].strip()) == ("0.1000*", "0.2000***")
    assert (second["B"], second["C"].strip()) == ("", "0.1000")
    assert third["\0system"] == "C"
    assert any("* p < .05" in note for note in view.notes)


def test_baseline() -> None:
    rows = [PAIRS[0], pair("C", "B", 0.3, 0.4, 0.4)]
    (view,) = view_differences(differences(rows, baseline="B"))
    own, ahead, behind = view.rows
    assert own["system"] == "B (baseline)"
    assert (ahead["system"], round(ahead["difference"], 4)) == ("A", 0.1)
    assert (behind["system"], round(behind["difference"], 4)) == ("C", -0.1)
    assert behind["interval"] == "-0.1100 \N{EN DASH} -0.0900"


def test_only_pairs_with_the_baseline_are_tested() -> None:
    source, systems = ["This are wrong ."], {name: ["This is wrong ."] for name in "ABC"}
    given = {"source": source, "references": [["This is wrong ."]], "metrics": "gleu"}
    found = redink.compare(systems=systems, baseline="B", samples=10, **given)
    assert len(found.rows) == 2
    assert all("B" in {row["system"], row["other"]} for row in found.rows)
    with pytest.raises(OptionError, match="unknown system 'X'"):
        redink.compare(systems=systems, baseline="X", **given)


# ---- other views


def encounters(*rows: tuple[str, str, float | None, str]) -> Table:
    names = ("system", "opponent", "share", "stars")
    return make_table(
        [Column(name) for name in names],
        [dict(zip(names, row, strict=True)) for row in rows],
        notes=["share: wins among the judgments that are not ties.", "Sign test."],
        signature={"redink": "test"},
        groups="system",
        view="head-to-head",
    )


TWO = encounters(("n", "B", 0.75, "‡"), ("B", "n", 0.25, "‡"))


def test_people_see_the_view_and_programs_the_rows() -> None:
    """The matrix in the terminal, Markdown, LaTeX and HTML; JSON, CSV and TSV are plain."""
    for form in ("table", "markdown", "latex", "html"):
        text = TWO.render(form)
        assert ".75" in text
        assert "opponent" not in text
    for form in ("json", "csv", "tsv"):
        assert "opponent" in TWO.render(form)


def test_a_matrix_has_the_names_of_systems_as_they_are() -> None:
    """A system may be called as a column is; what the columns meant is not said of the cells."""
    view = VIEWS.load("head-to-head")(TWO)
    assert [column.heading for column in view.columns] == ["system", "n", "B"]
    assert [[row[column.name] for column in view.columns] for row in view.rows] == [
        ["n", "—", ".25‡"],
        ["B", ".75‡", "—"],
    ]
    assert view.notes[0] == "Sign test."
    assert view.signature == TWO.signature


def test_who_flags_nothing_has_not_the_best_true_negatives() -> None:
    """The best are first; the one that does nothing raises no false alarm, and is not praised."""
    names = ("system", "tp", "fp", "tnr", "f")
    columns = [*names[:3], *(Column(name, "rate", best="max") for name in names[3:])]
    rows = [("none", 0, 0, 1.0, 0.0), ("bold", 4, 2, 0.8, 0.5), ("shy", 3, 1, 0.9, 0.4)]
    table = make_table(columns, (dict(zip(names, row, strict=True)) for row in rows))
    view = VIEWS.load("measures")(table)
    assert isinstance(view, Table)
    assert view["system"] == ["bold", "shy", "none"]
    assert best_cells(view) == {(1, "tnr"), (0, "f")}


def test_systems_without_wins_have_an_undefined_cell() -> None:
    table = encounters(("A", "B", None, ""), ("B", "A", None, ""), ("C", "A", 1.0, ""))
    systems, matrix = pivot_encounters(table)
    assert systems == ["A", "B", "C"]
    assert [[met is None for met in row] for row in matrix][1] == [False, True, True]
    row: dict[str, Any] = VIEWS.load("head-to-head")(table).rows[0]
    assert [row[name] for name in systems] == ["—", None, "1.00"]


def test_a_benchmark_has_a_block_for_every_level() -> None:
    columns = [*map(Column, ("level", "set", "metric")), Column("pearson", "rate", best="max")]
    rows = [
        {"level": "system", "set": "base", "metric": "m2", "pearson": 0.5},
        {"level": "system", "set": "base", "metric": "gleu", "pearson": 0.6},
        {"level": "sentence", "set": "base", "metric": "m2", "accuracy": 0.7},
    ]
    table = make_table([*columns, Column("accuracy", "rate")], rows, title="SEEDA", view="levels")
    system, sentence = read_blocks(table)
    assert (system.title, sentence.title) == ("SEEDA, system level", "SEEDA, sentence level")
    assert system.column_names == ["set", "metric", "pearson"]
    assert sentence.column_names == ["set", "metric", "accuracy"]
    assert best_cells(system) == {(1, "pearson")}


def test_chosen_columns_hide_those_made_from_others() -> None:
    """A view shows F and the score, and leaves out counts and intervals that were not chosen."""
    display = DisplayOptions(columns=("system", "f", "score", "group"))
    for view, expected in {
        "scores": [["system", "F0.5", "group"], ["system", "score"]],
        "scores-wide": [["system", "F0.5", "group", "score"]],
    }.items():
        blocks = read_blocks(replace(OVERALL, view=view).arrange(display))
        assert [[column.heading for column in block.columns] for block in blocks] == expected


def test_the_order_of_systems_is_that_asked_for() -> None:
    """In blocks and in one table; GLEU has only A, so B is behind it."""
    for view in ("scores", "scores-wide"):
        table = replace(OVERALL, view=view, extra={"systems": ["B", "A"]})
        for by, order in {
            "none": "BA",
            "name": "AB",
            "gleu": "AB",
            "tp": "AB",
            "rank": "AB",
        }.items():
            block = read_blocks(table.arrange(DisplayOptions(sort=by)))[0]
            assert "".join(row.get("system") or row["\0system"] for row in block.rows) == order


def test_a_matrix_has_the_order_asked_for() -> None:
    table = replace(WIDE_PAIRS, view="differences").arrange(DisplayOptions(sort="gleu"))
    errant, gleu = read_blocks(table)
    assert [row["\0system"] for row in errant.rows] == ["B", "A", "C"]
    assert [row["\0system"] for row in gleu.rows] == ["B", "A", "C"]
    assert errant.rows[0]["A"].strip() == "-0.2500**"
    wide = WIDE_PAIRS.arrange(DisplayOptions(sort="name")).render("markdown")
    assert [line[2] for line in wide.splitlines()[2:5]] == ["A", "B", "C"]
