"""From judgments in long form to a matrix."""

from __future__ import annotations

import pytest

from redink.errors import DataError, OptionError
from redink.judging.labels import (
    LabelOptions,
    check_scale,
    drop_flagged,
    find_fine,
    order_labels,
    rename_labels,
    tabulate,
)
from redink.model import Judgment


def judgments(*rows: tuple[str, str, str]) -> list[Judgment]:
    return [Judgment(*row) for row in rows]


def test_matrix_keeps_order_of_appearance() -> None:
    matrix = tabulate(judgments(("b", "zoe", "ok"), ("a", "ann", "error"), ("b", "ann", "error")))
    assert matrix.items == ("b", "a")
    assert matrix.judges == ("zoe", "ann")
    assert matrix.labels == ("error", "ok")
    assert matrix.codes.tolist() == [[1, 0], [-1, 0]]
    assert matrix.repetitions == ()


def test_the_first_of_repeated_judgments_counts() -> None:
    matrix = tabulate(judgments(("a", "ann", "ok"), ("a", "ann", "error"), ("b", "ann", "ok")))
    assert matrix.codes.tolist() == [[1], [1]]
    assert [r.codes for r in matrix.repetitions] == [(1, 0)]


def test_numbers_are_sorted_as_numbers() -> None:
    """10 comes after 9; words by alphabet; a given order is kept, unused labels included."""
    assert order_labels({"10", "9", "1.5"}) == ("1.5", "9", "10")
    assert order_labels({"b", "a"}) == ("a", "b")
    assert order_labels({"bad", "good"}, ["bad", "fair", "good"]) == ("bad", "fair", "good")


def test_a_label_outside_the_given_ones_is_named() -> None:
    with pytest.raises(DataError, match="'awful' is not one of the given labels: bad, good"):
        order_labels({"bad", "awful"}, ["bad", "good"])


def test_scales_need_fitting_labels() -> None:
    check_scale(["a", "b"], "nominal", ordered=False)
    check_scale(["a", "b"], "ordinal", ordered=True)
    check_scale(["1", "2.5"], "interval", ordered=False)
    with pytest.raises(DataError, match="'b' is not a number, so the order"):
        check_scale(["1", "b"], "ordinal", ordered=False)
    with pytest.raises(DataError, match="'b' is not a number; an interval scale"):
        check_scale(["1", "b"], "interval", ordered=True)
    with pytest.raises(DataError, match="'nan' is not a number"):
        check_scale(["nan"], "interval", ordered=False)


def test_merging_labels_merges_gold_too() -> None:
    """``ok=correct,equal``: the paper's categories 2 and e are both correct usage."""
    given = [Judgment("a", "ann", "equal", gold="correct"), Judgment("b", "ann", "wrong")]
    merged = rename_labels(given, {"ok": ["correct", "equal"]})
    assert [(j.label, j.gold) for j in merged] == [("ok", "ok"), ("wrong", None)]
    with pytest.raises(OptionError, match="'equal' cannot be merged into two"):
        rename_labels(given, {"ok": ["equal"], "fine": ["equal"]})


def test_one_judge_s_flag_drops_the_item_for_all() -> None:
    given = [
        Judgment("a", "ann", "ok", extra=(("spelling", "1"),)),
        Judgment("a", "bob", "ok", extra=(("spelling", "0"),)),
        Judgment("b", "ann", "ok", extra=(("spelling", "no"),)),
        Judgment("c", "ann", "ok", confidence="low"),
    ]
    kept, dropped = drop_flagged(given, ["spelling"])
    assert [j.item for j in kept] == ["b", "c"]
    assert dropped == 1
    kept, dropped = drop_flagged(given, ["spelling=no", "confidence=low"])
    assert [j.item for j in kept] == ["a", "a"]
    assert dropped == 2
    with pytest.raises(OptionError, match="unknown column 'grammar' in --drop"):
        drop_flagged(given, ["grammar"])


def test_members_of_a_list_of_flags_drop_the_item() -> None:
    given = [
        Judgment("a", "ann", "ok", extra=(("context", "spelling+grammar"),)),
        Judgment("a", "bob", "ok"),
        Judgment("b", "ann", "ok", extra=(("context", "determiner"),)),
        Judgment("c", "ann", "ok", extra=(("alternatives", "on"),)),
    ]
    for flag in ("spelling", "context=spelling", "grammar", "context=spelling+grammar"):
        kept, dropped = drop_flagged(given, [flag])
        assert ([j.item for j in kept], dropped) == (["b", "c"], 1), flag
    kept, dropped = drop_flagged(given, ["context"])
    assert ([j.item for j in kept], dropped) == (["c"], 2)
    assert drop_flagged(given, ["context=spell"])[1] == 0
    with pytest.raises(OptionError, match="unknown column 'spell' in --drop"):
        drop_flagged(given, ["spell"])


def test_which_labels_mean_no_error() -> None:
    assert find_fine(["Error", "OK"], None) == ("OK",)
    assert find_fine(["1", "4"], None) == ()
    assert find_fine(["1", "4"], ["4"]) == ("4",)


def test_the_fingerprint_is_of_every_field() -> None:
    fields = [("a", "ann", "ok", None), ("b", "ann", "ok", None), ("a", "bea", "ok", None)]
    fields += [("a", "ann", "error", None), ("a", "ann", "ok", "ok"), ("a", "ann", "ok", "error")]
    data = [LabelOptions().count([Judgment(*these)]).signature["data"] for these in fields]
    assert len(set(data)) == 6
    assert LabelOptions().count([Judgment("a", "ann", "ok", "")]).signature["data"] == data[0]


def test_no_judgments_are_refused() -> None:
    with pytest.raises(DataError, match="no judgments"):
        tabulate([])


def test_repetitions_are_rated_by_judge_or_together() -> None:
    rows = [("a", "ann", "ok"), ("a", "ann", "error"), ("a", "bea", "ok"), ("b", "bea", "ok")]
    matrix = tabulate(judgments(*rows, ("b", "bea", "ok"), ("b", "bea", "error")))
    ann, bea = (matrix.repeated_ratings(number) for number in (0, 1))
    assert ann is not None
    assert bea is not None
    assert ann.codes.tolist() == [[1, 0]]
    assert bea.codes.tolist() == [[1, 1, 0]]
    both = matrix.repeated_ratings()
    assert both is not None
    assert both.codes.tolist() == [[1, 0, -1], [1, 1, 0]]
    assert tabulate(judgments(("a", "ann", "ok"))).repeated_ratings(0) is None


def test_a_matrix_says_how_many_judgments_an_item_has() -> None:
    rows = [("a", "ann", "ok"), ("a", "bea", "ok"), ("b", "ann", "ok")]
    assert "3 judgments (1\N{EN DASH}2 per item)" in tabulate(judgments(*rows)).describe()[0]
    assert "(2 per item)" in tabulate(judgments(*rows, ("b", "bea", "ok"))).describe()[0]
