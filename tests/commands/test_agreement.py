"""``redink agreement``: judgments in, statistics out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redink
from redink.errors import DataError, OptionError, RedinkWarning
from redink.judging.labels import LabelOptions
from redink.model import Judgment

LABELS = ("extraneous", "wrong", "ok")
# Tetreault and Chodorow (2008), table 3; rows are rater 1's labels, columns rater 2's.
TABLE_3 = ((17, 0, 6), (1, 42, 20), (4, 33, 1213))


def table_3() -> list[Judgment]:
    judgments = []
    for first, row in zip(LABELS, TABLE_3, strict=True):
        for second, count in zip(LABELS, row, strict=True):
            for _ in range(count):
                item = f"p{len(judgments) // 2}"
                judgments += [Judgment(item, "R1", first), Judgment(item, "R2", second)]
    return judgments


def values(table) -> dict[str, float | None]:
    return {row["statistic"]: row["value"] for row in table.rows}


def test_table_3() -> None:
    """Agreement .952, kappa .630, and the rates of disagreement .302 and .381, as printed."""
    table = redink.agreement(table_3())
    found = {name: None if v is None else round(v, 3) for name, v in values(table).items()}
    assert found["observed_agreement"] == 0.952
    assert found["cohen_kappa"] == 0.630
    assert found["disagreement_rate[R1]"] == 0.302
    assert found["disagreement_rate[R2]"] == 0.381
    assert table.column_names[:4] == ["statistic", "value", "low", "high"]
    assert all(row["low"] <= row["value"] <= row["high"] for row in table.rows)


def test_confusion_matrix_of_table_3() -> None:
    table = redink.agreement(table_3(), show="confusion", labels=LABELS)
    cells = [[row[f"to:{label}"] for label in LABELS] for row in table.rows]
    assert cells == [list(row) for row in TABLE_3]
    assert [row["label"] for row in table.rows] == list(LABELS)


def test_merging_and_dropping_lead_to_table_3() -> None:
    """The paper's way there: categories 2 and e merged, contexts with other errors dropped."""
    raw = []
    for number, judgment in enumerate(table_3()):
        label = judgment.label
        if label == "ok":
            label = "2-correct" if number % 3 else "e-equal"
        raw.append(Judgment(judgment.item, judgment.judge, label, extra=(("spelling", "0"),)))
    raw += [
        Judgment("x", "R1", "wrong", extra=(("spelling", "1"),)),
        Judgment("x", "R2", "2-correct", extra=(("spelling", "0"),)),
    ]
    table = redink.agreement(raw, merge_labels={"ok": ["2-correct", "e-equal"]}, drop=["spelling"])
    assert values(table) == values(redink.agreement(table_3()))
    assert "Dropped 1 item flagged spelling." in table.notes


def test_which_judgments_count_is_one_value() -> None:
    merges = {"error": ["extraneous", "wrong"]}
    whole = redink.agreement(
        table_3(), counting=LabelOptions(merge_labels=merges, judges=["R1", "R2"])
    )
    assert redink.agreement(table_3(), merge_labels=merges, judges=["R1", "R2"]).rows == whole.rows
    words = redink.agreement(
        table_3(), merge_labels=["error=extraneous, wrong"], judges=["R1", "R2"]
    )
    assert words == whole
    assert whole.signature["merge"] == ["error=extraneous+wrong"]
    with pytest.raises(OptionError, match="--merge-labels: 'error' is not NEW=OLD"):
        redink.agreement(table_3(), merge_labels=["error"])


def test_confidence_widens_intervals() -> None:
    by_confidence = [
        redink.agreement(table_3(), confidence=confidence, bootstrap=200)[0]
        for confidence in (0.5, 0.9)
    ]
    narrow, wide = by_confidence
    assert wide["low"] < narrow["low"] < narrow["value"] < narrow["high"] < wide["high"]
    with pytest.raises(OptionError, match="confidence must be between 0 and 1, exclusive"):
        redink.agreement(table_3(), confidence=1)
    table = redink.agreement(table_3(), bootstrap=0)
    assert table["low"] == table["high"] == [None] * len(table)
    assert "confidence" not in table.signature


def test_two_judges_as_gold_give_table_4() -> None:
    """System against rater 1: .78 and .26; against rater 2: .68 and .21; 10 and 5 % apart.

    The paper prints no counts; these are some that give its figures.
    """
    judgments = []
    cells = {
        (True, True, True): 60,
        (True, True, False): 18,
        (True, False, True): 8,
        (True, False, False): 14,
        (False, True, True): 180,
        (False, True, False): 42,
        (False, False, True): 76,
        (False, False, False): 1602,
    }
    for (system, first, second), count in cells.items():
        for _ in range(count):
            item = f"p{len(judgments) // 3}"
            said = {"S": system, "R1": first, "R2": second}
            judgments += [Judgment(item, name, "error" if e else "ok") for name, e in said.items()]
    assert len(judgments) == 3 * 2000
    table = redink.agreement(judgments, as_gold=["S"])
    first, second, difference = table.rows
    assert (first["gold"], second["gold"]) == ("R1", "R2")
    assert (round(first["precision"], 2), round(first["recall"], 2)) == (0.78, 0.26)
    assert (round(second["precision"], 2), round(second["recall"], 2)) == (0.68, 0.21)
    assert difference["precision"] == pytest.approx(0.10)
    assert difference["recall"] == pytest.approx(0.05, abs=0.001)
    assert difference["precision_low"] < 0.10 < difference["precision_high"]
    assert "S: the choice of judge changes precision by up to 0.10 and recall by up to 0.05." in (
        table.notes
    )


def test_a_system_from_a_file_or_a_mapping(tmp_path: Path) -> None:
    """``--as-gold NAME=PATH`` of a table with item and label is the same as a mapping."""
    decisions = {f"p{n}": "error" if n % 7 == 0 else "ok" for n in range(1336)}
    path = tmp_path / "decisions.csv"
    path.write_text("item,label\n" + "".join(f"{i},{x}\n" for i, x in decisions.items()))
    by_file = redink.agreement(table_3(), as_gold=[f"mine={path}"], bootstrap=0)
    by_name = redink.agreement(table_3(), as_gold={"mine": decisions}, bootstrap=0)
    assert by_file.rows == by_name.rows
    assert redink.agreement(table_3(), as_gold=[str(path)], bootstrap=0).rows[0]["system"] == (
        "decisions"
    )


def test_labels_that_no_judge_uses_are_named() -> None:
    with pytest.raises(DataError, match="unknown label 'banana' of system 'S' for item 'p0'"):
        redink.agreement(table_3(), as_gold={"S": {"p0": "banana"}})


def test_a_system_about_other_items_is_refused() -> None:
    with pytest.raises(DataError, match="has no label for any judged item"):
        redink.agreement(table_3(), as_gold={"S": {"q0": "ok"}})
    with pytest.raises(OptionError, match="neither a judge in the judgments nor a file"):
        redink.agreement(table_3(), as_gold=["nobody"])


def test_missing_values_are_welcome() -> None:
    full = [
        Judgment(f"i{n}", judge, "ok" if n % 3 else "error") for n in range(30) for judge in "abc"
    ]
    some = [judgment for number, judgment in enumerate(full) if number % 4]
    table = redink.agreement(some)
    assert values(table)["krippendorff_alpha"] == 1
    assert "30 items, 3 judges, 67 judgments (2–3 per item); labels: error, ok." in table.notes


@pytest.mark.parametrize(
    ("judge", "reason"),
    [("ann", "there is only one judge (ann)"), ("bob", "no item has judgments by two judges")],
)
def test_nothing_to_compare(judge: str, reason: str) -> None:
    table = redink.agreement([Judgment("a", "ann", "ok"), Judgment("b", judge, "error")])
    assert set(values(table).values()) == {None}
    assert any(reason in note for note in table.notes)
    for show in ("pairs", "confusion"):
        notes = redink.agreement([Judgment("a", "ann", "ok")], show=show).notes
        assert any("only one judge" in note for note in notes)


def test_all_labels_equal() -> None:
    table = redink.agreement([Judgment(f"i{n}", j, "ok") for n in range(5) for j in "ab"])
    found = values(table)
    assert found["observed_agreement"] == 1
    assert found["cohen_kappa"] is None
    assert any("all labels are 'ok'" in note for note in table.notes)


def test_unknown_labels_are_warned_of() -> None:
    with pytest.warns(RedinkWarning, match="no judgment has the label 'corect'"):
        redink.agreement(table_3(), merge_labels={"ok": ["corect"]}, bootstrap=0)
    with pytest.warns(RedinkWarning, match="no judgment has the label 'Unknown'"):
        redink.agreement(table_3(), missing=["Unknown"], bootstrap=0)


def test_labels_that_are_no_answer_count_as_missing() -> None:
    judgments = [*table_3(), Judgment("p0", "R3", "Unknown"), Judgment("p1", "R3", "ok")]
    table = redink.agreement(judgments, missing=["Unknown"], bootstrap=0)
    assert any(note == "1 judgment Unknown counted as missing." for note in table.notes)
    assert any("labels: extraneous, ok, wrong." in note for note in table.notes)


def test_ordinal_labels_need_an_order() -> None:
    words = [Judgment(f"i{n}", j, "good" if n % 2 else "bad") for n in range(8) for j in "ab"]
    with pytest.raises(DataError, match="order of the labels is unknown"):
        redink.agreement(words, scale="ordinal")
    table = redink.agreement(words, scale="ordinal", labels=["bad", "fair", "good"])
    assert values(table)["cohen_kappa_quadratic"] == 1
    with pytest.raises(DataError, match="'good' is not one of the given labels"):
        redink.agreement(words, labels=["bad"])
    with pytest.raises(DataError, match="not a number; an interval scale needs numbers"):
        redink.agreement(words, scale="interval")


def test_intra_judge_agreement() -> None:
    judgments = [Judgment(f"i{n}", j, "ok" if n % 2 else "error") for n in range(10) for j in "ab"]
    judgments += [Judgment(f"i{n}", "a", "ok" if n % 2 or n == 0 else "error") for n in range(4)]
    table = redink.agreement(judgments)
    assert values(table)["intra_judge_agreement"] == 0.75
    assert values(table)["cohen_kappa"] == 1
    assert any(note.startswith("4 judgments repeat an item") for note in table.notes)
    rows = redink.agreement(judgments, show="repeated").rows
    assert [(row["judge"], row["items"], row["agreement"]) for row in rows] == [
        ("a", 4, 0.75),
        ("all", 4, 0.75),
    ]


def test_groups_of_items() -> None:
    """``by``: the paper's doubly judged sets, each with its kappa, and all of them together."""
    judgments = [
        Judgment(j.item, j.judge, j.label, extra=(("set", str(int(j.item[1:]) % 3)),))
        for j in table_3()
    ]
    table = redink.agreement(judgments, by="set", bootstrap=0)
    kappas = {row["set"]: row["value"] for row in table.rows if row["statistic"] == "cohen_kappa"}
    assert set(kappas) == {"0", "1", "2", "all"}
    assert round(kappas["all"], 3) == 0.630
    with pytest.raises(OptionError, match="has no column 'essay'"):
        redink.agreement(judgments, by="essay")


def two_questions() -> list[Judgment]:
    """Two judges of thirty items: three labels for one question, two for the other."""
    rng = np.random.default_rng(3)
    return [
        Judgment(f"i{n}", judge, str(rng.choice(labels)), extra=(("question", question),))
        for question, labels in (("edit", ["right", "wrong", "optional"]), ("remains", ["y", "n"]))
        for n in range(30)
        for judge in ("ann", "bob")
    ]


@pytest.mark.parametrize("options", [{}, {"by": "question"}])
def test_every_question_is_measured_as_if_it_were_alone(options: dict[str, str]) -> None:
    """By default and by name: also Randolph's kappa and AC1, which depend on the labels."""
    judgments = two_questions()
    table = redink.agreement(judgments, bootstrap=50, **options)
    for question in ("edit", "remains"):
        alone = [replace(j, extra=()) for j in judgments if ("question", question) in j.extra]
        rows = redink.agreement(alone, bootstrap=50).rows
        assert [row | {"question": question, "items": 30} for row in rows] == [
            row for row in table.rows if row["question"] == question
        ]
        chosen = redink.agreement(judgments, question=question, bootstrap=50)
        assert chosen.rows == rows
    assert {row["question"] for row in table.rows} == {"edit", "remains"}
    assert any("2 questions, evaluated separately" in note for note in table.notes)


def test_questions_are_pooled_only_on_request() -> None:
    pooled = redink.agreement(two_questions(), question="all", bootstrap=0)
    assert "question" not in pooled.column_names
    assert "Answers to 2 questions are pooled: edit, remains." in pooled.notes
    both = redink.agreement(two_questions(), by="question", question="all", bootstrap=0)
    assert values_of(both, "all")["gwet_ac1"] == values(pooled)["gwet_ac1"]
    with pytest.raises(OptionError, match="--question NAME"):
        redink.agreement(two_questions(), as_gold=["ann"])
    with pytest.raises(OptionError, match="--question NAME"):
        redink.crowd(two_questions())


@pytest.mark.parametrize("show", ["pairs", "confusion", "judges", "repeated"])
def test_other_tables_keep_questions_separate(show: Any) -> None:
    judgments = two_questions()
    judgments += [replace(judgments[0], label="wrong"), replace(judgments[-1], label="n")]
    table = redink.agreement(judgments, show=show, bootstrap=0)
    alone = redink.agreement(judgments, show=show, question="remains", bootstrap=0)
    rows = [row for row in table.rows if row["question"] == "remains"]
    assert rows
    assert [{name: row[name] for name in alone.column_names} for row in rows] == alone.rows


def values_of(table: redink.Table, group: str) -> dict[str, Any]:
    return {row["statistic"]: row["value"] for row in table.rows if row["question"] == group}


def test_groups_have_labels_of_their_own() -> None:
    judgments = [
        replace(j, extra=(("set", "a" if j.label != "wrong" else "b"),)) for j in table_3()
    ]
    table = redink.agreement(judgments, by="set", bootstrap=0)
    alone = redink.agreement([j for j in judgments if ("set", "a") in j.extra], bootstrap=0)
    found = {row["statistic"]: row["value"] for row in table.rows if row["set"] == "a"}
    assert found == values(alone)


def test_annotators_of_conll_2014(shared: Path) -> None:
    """Sentence kappa .383 and agreement .790: absent annotators are read as in ``score``."""
    gold = shared / "data" / "conll14" / "official-2014.combined.m2"
    with pytest.warns(RedinkWarning, match="no line in 88 sentences"):
        row = redink.agreement(gold, show="edits").rows[0]
    assert (round(row["agreement"], 3), round(row["kappa"], 3)) == (0.790, 0.383)
    assert row["both"] + row["first_only"] + row["second_only"] == 1176
    with pytest.raises(OptionError, match=r"--absent .* requires --show edits"):
        redink.agreement(table_3(), absent="skip")


def test_pairs_of_three_judges() -> None:
    rng = np.random.default_rng(1)
    judgments = [
        Judgment(f"i{n}", judge, rng.choice(["ok", "error"]))
        for n in range(40)
        for judge in "abc"
        if judge != "c" or n < 10
    ]
    rows = redink.agreement(judgments, show="pairs").rows
    assert [(r["first"], r["second"], r["items"]) for r in rows] == [
        ("a", "b", 40),
        ("a", "c", 10),
        ("b", "c", 10),
    ]
    assert all(r["low"] <= r["kappa"] <= r["high"] for r in rows)


def test_gug_expert_and_crowd(shared: Path) -> None:
    """Real ordinal judgments: one expert and five of a crowd on 3019 learner sentences."""
    path = shared / "data" / "gug" / "gug_annotations.tsv"
    table = redink.agreement(path, scale="ordinal", missing=["0"], bootstrap=100)
    found = values(table)
    assert 0.30 < found["krippendorff_alpha"] < 0.45
    assert found["cohen_kappa"] < found["cohen_kappa_linear"] < found["cohen_kappa_quadratic"]
    import krippendorff

    judgments = [j for j in redink.read_judgments(path) if j.label != "0"]
    items = {item: n for n, item in enumerate(dict.fromkeys(j.item for j in judgments))}
    judges = {judge: n for n, judge in enumerate(dict.fromkeys(j.judge for j in judgments))}
    matrix = np.full((len(judges), len(items)), np.nan)
    for judgment in judgments:
        matrix[judges[judgment.judge], items[judgment.item]] = float(judgment.label)
    theirs = krippendorff.alpha(reliability_data=matrix, level_of_measurement="ordinal")
    assert found["krippendorff_alpha"] == pytest.approx(theirs, rel=1e-10)
