"""Views: what a person reads in place of the plain rows."""

from __future__ import annotations

from typing import Any

from redink.model import Column, Table, make_table
from redink.reports.table_formats import best_cells, read_blocks
from redink.reports.views import VIEWS, draw_alignment, pivot_encounters


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


def test_every_view_has_a_name() -> None:
    """All of them can be loaded, and take a table."""
    assert VIEWS.names == (
        *("scores", "scores-wide", "differences", "ranking", "head-to-head", "measures"),
        *("figures", "explanation", "levels"),
    )
    assert all(callable(VIEWS.load(name)) for name in VIEWS)


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
    columns = [
        Column("system"),
        Column("tp", "count"),
        Column("fp", "count"),
        Column("tnr", "rate", best="max"),
        Column("f", "rate", best="max"),
    ]
    rows = [("none", 0, 0, 1.0, 0.0), ("bold", 4, 2, 0.8, 0.5), ("shy", 3, 1, 0.9, 0.4)]
    names = [column.name for column in columns]
    table = make_table(columns, (dict(zip(names, row, strict=True)) for row in rows))
    view = VIEWS.load("measures")(table)
    assert isinstance(view, Table)
    assert view["system"] == ["bold", "shy", "none"]
    assert best_cells(view) == {(1, "tnr"), (0, "f")}


def test_systems_without_wins_have_an_undefined_cell() -> None:
    """All ties: they met, but there is no share; those that never met have a dash."""
    table = encounters(("A", "B", None, ""), ("B", "A", None, ""), ("C", "A", 1.0, ""))
    systems, matrix = pivot_encounters(table)
    assert systems == ["A", "B", "C"]
    assert [[met is None for met in row] for row in matrix][1] == [False, True, True]
    row: dict[str, Any] = VIEWS.load("head-to-head")(table).rows[0]
    assert [row[name] for name in systems] == ["—", None, "1.00"]


def test_an_alignment_of_nothing_is_empty() -> None:
    """No words, no picture."""
    assert not draw_alignment([])


def test_a_benchmark_has_a_block_for_every_level() -> None:
    """With its own columns alone, and the best of every set of systems."""
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


def test_the_first_of_a_cluster_is_not_emphasised() -> None:
    """It is the best of nothing that a reader would look for."""
    names = ("system", "score", "rank", "rank_low", "rank_high", "cluster", "low", "high")
    columns = [Column(n, "score" if n == "score" else "text", best="max") for n in names]
    rows = [dict.fromkeys(names, 1) | {"system": s, "score": n} for n, s in enumerate("AB")]
    table = make_table(columns, rows, groups="cluster", view="ranking")
    assert not {name for _, name in best_cells(read_blocks(table)[0])} & {"score"}
