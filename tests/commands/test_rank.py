"""``redink.rank``: every table, the published figures, and the cases where little is known."""

from __future__ import annotations

from pathlib import Path

import pytest

import redink
from redink.errors import DataError, OptionError, RedinkWarning
from redink.model import RankedOutput, Ranking


def ranking(*places: str, sentence: str = "1", judge: str = "j") -> Ranking:
    """``ranking("A B", "C")``: A and B share the best output, C is second."""
    outputs = tuple(RankedOutput(n, tuple(p.split())) for n, p in enumerate(places, start=1))
    return Ranking(sentence, judge, outputs)


def tie(*systems: str, judge: str = "j") -> Ranking:
    return Ranking("1", judge, tuple(RankedOutput(1, (s,)) for s in systems))


FEW = [
    ranking("A", "B", "C", sentence=str(n), judge=judge)
    for n in range(30)
    for judge in ("ann", "ben")
] + [ranking("B", "A", "C", sentence=str(n), judge="ben") for n in range(20)]


def test_rows_have_the_promised_columns() -> None:
    """``system, score, rank, rank_low, rank_high, cluster`` first, best system first."""
    table = redink.rank(FEW, bootstrap=200)
    assert table.column_names[:6] == ["system", "score", "rank", "rank_low", "rank_high", "cluster"]
    assert [row["system"] for row in table.rows] == ["A", "B", "C"]
    assert [row["cluster"] for row in table.rows] == [1, 2, 3]
    assert table.rows[0]["wins"] == 60 + 60 + 20
    assert table.signature["seed"] == 1
    assert table.signature["method"] == "expected-wins"


def test_ties_everywhere_are_said() -> None:
    table = redink.rank([tie("A", "B", "C")] * 5, bootstrap=50)
    assert all(row["score"] is None and row["cluster"] is None for row in table.rows)
    notes = " ".join(table.notes)
    assert "All judgments are ties" in notes
    assert "Expected Wins ranks no system" in notes
    equal = redink.rank([tie("A", "B", "C")] * 5, method="bradley-terry", bootstrap=50)
    assert [row["rank"] for row in equal.rows] == [1, 1, 1]


def test_system_with_ties_only_is_named() -> None:
    table = redink.rank([ranking("A", "B")] * 9 + [tie("A", "C")] * 3, bootstrap=50)
    assert table.rows[-1]["system"] == "C"
    assert table.rows[-1]["score"] is None
    assert any("Only ties" in note and "C" in note for note in table.notes)


def test_system_never_compared_is_named() -> None:
    table = redink.rank([ranking("A", "B")] * 9 + [ranking("Z")], bootstrap=50)
    assert table.rows[-1]["system"] == "Z"
    assert "Never compared with another system: Z." in table.notes


def test_groups_never_compared_are_warned_of() -> None:
    with pytest.warns(RedinkWarning, match=r"2 groups .* \(A, B; C, D\)"):
        redink.rank([ranking("A", "B"), ranking("C", "D")] * 9, bootstrap=50)


def test_one_judge() -> None:
    """Ranks as always; agreement and correlation say that there is nobody to compare with."""
    rankings = [ranking("A", "B", sentence=str(n)) for n in range(9)]
    assert redink.rank(rankings, bootstrap=50).rows[0]["system"] == "A"
    agreement = redink.rank(rankings, show="agreement")
    assert agreement.rows[0]["kappa"] is None
    assert any("between judges is undefined" in note for note in agreement.notes)
    correlation = redink.rank(rankings, show="correlation", bootstrap=50)
    assert correlation.rows == []
    assert any("one judge" in note for note in correlation.notes)


def test_nothing_to_rank_is_an_error() -> None:
    with pytest.raises(DataError, match="there are no rankings"):
        redink.rank([])
    with pytest.raises(DataError, match="do not compare any two systems"):
        redink.rank([ranking("A")])


def test_impossible_options_are_refused() -> None:
    with pytest.raises(OptionError, match="need at least 40 samples"):
        redink.rank(FEW, bootstrap=10)
    with pytest.raises(DataError, match="unknown judge 'eve'"):
        redink.rank(FEW, judges=["eve"])


def test_skipped_items_are_counted_as_rankings() -> None:
    table = redink.rank([*FEW, Ranking("9", "ann", ())], show="pairs")
    assert table.rows[-1]["rankings"] == len(FEW) + 1
    assert table.notes[0] == f"1 of {len(FEW) + 1} rankings were skipped by the judge (no ranks)."


def test_judges_rank_alone() -> None:
    table = redink.rank(FEW, show="judges", bootstrap=50)
    scores = {(row["judge"], row["system"]): row["score"] for row in table.rows}
    assert scores["ann", "A"] == 1
    assert scores["ben", "A"] == pytest.approx((0.6 + 1) / 2)


def test_items_to_judge(tmp_path: Path) -> None:
    """``redink.plan_items``: sentences with their probability of being drawn."""
    for name, lines in (("a", "x\nsame\n"), ("b", "y\nsame\n"), ("c", "z\nsame\n")):
        (tmp_path / f"{name}.txt").write_text(lines)
    table = redink.plan_items([tmp_path / f"{n}.txt" for n in "abc"], most_shown=2)
    assert [row["distinct"] for row in table.rows] == [3, 1]
    assert [row["sentence"] for row in table.rows] == [1, 2]
    assert table.rows[0]["probability"] == pytest.approx(3 / 4)
    assert "2.0 distinct outputs" in table.notes[0]
