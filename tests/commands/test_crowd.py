"""``redink crowd``: systems against crowds, crowds against gold and experts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import redink
from redink.errors import DataError, OptionError
from redink.model import Judgment

CROWD = {"w1": 0.95, "w2": 0.9, "w3": 0.9, "w4": 0.85, "bot": 0.5}


def make_crowd(seed: int = 1, items: int = 200, gold: int = 40) -> list[Judgment]:
    """A crowd with one worthless judge, and two experts; the first items are gold questions."""
    rng = np.random.default_rng(seed)
    judgments = []
    for number in range(items):
        hardness = rng.choice([0.03, 0.03, 0.3])
        truth = rng.random() < 0.4
        known = ("error" if truth else "ok") if number < gold else None
        for judge, skill in CROWD.items():
            right = rng.random() < (skill - hardness if judge != "bot" else 0.5)
            label = "error" if truth == right else "ok"
            judgments.append(Judgment(f"i{number}", judge, label, gold=known))
        for expert in ("e1", "e2"):
            right = rng.random() > hardness
            judgments.append(Judgment(f"i{number}", expert, "error" if truth == right else "ok"))
    return judgments


def make_system(seed: int = 2, items: int = 200, rate: float = 0.3) -> dict[str, str]:
    rng = np.random.default_rng(seed)
    return {f"i{n}": "error" if rng.random() < rate else "ok" for n in range(items)}


EXPERTS = ("e1", "e2")


def test_plain_and_weighted_by_hand() -> None:
    """Three items, four judges: the formulas of Madnani et al. on paper."""
    votes = {"a": "eeeo", "b": "eooo", "c": "oooo"}
    words = {"e": "error", "o": "ok"}
    judgments = [
        Judgment(item, f"w{n}", words[vote])
        for item, row in votes.items()
        for n, vote in enumerate(row)
    ]
    table = redink.crowd(judgments, {"S": {"a": "error", "b": "error", "c": "ok"}})
    plain, weighted = table.rows
    assert (plain["weighting"], weighted["weighting"]) == ("plain", "weighted")
    assert (plain["tp"], plain["fp"], plain["fn"], plain["tn"]) == (1, 1, 0, 1)
    assert (plain["precision"], plain["recall"]) == (0.5, 1)
    assert (weighted["tp"], weighted["fp"], weighted["fn"]) == (1.0, 1.0, 0.0)
    assert table.column_names[:5] == ["system", "weighting", "precision", "recall", "f"]


def test_gold_questions_are_left_out_unless_kept() -> None:
    judgments, system = make_crowd(), {"S": make_system()}
    table = redink.crowd(judgments, system, experts=EXPERTS)
    assert sum(table.rows[0][cell] for cell in ("tp", "fp", "fn", "tn")) == 160
    assert "Excluded 40 gold questions from the evaluation." in table.notes
    kept = redink.crowd(judgments, system, experts=EXPERTS, keep_gold=True)
    assert sum(kept.rows[0][cell] for cell in ("tp", "fp", "fn", "tn")) == 200


def test_judges_and_their_removal() -> None:
    table = redink.crowd(make_crowd(), show="judges", experts=EXPERTS, gold_threshold=0.7)
    by_judge = {row["judge"]: row for row in table.rows}
    assert set(by_judge) == set(CROWD)
    assert [w for w, row in by_judge.items() if row["removed"]] == ["bot"]
    worst = min(by_judge, key=lambda w: by_judge[w]["accuracy"])
    assert worst == min(by_judge, key=lambda w: by_judge[w]["estimated_accuracy"]) == "bot"
    assert all(row["low"] <= row["accuracy"] <= row["high"] for row in table.rows)
    assert all(row["gold"] == 40 for row in table.rows)


def test_what_each_removal_changes() -> None:
    table = redink.crowd(
        make_crowd(), {"S": make_system()}, show="removal", experts=EXPERTS, gold_threshold=0.7
    )
    nobody, bot = table.rows
    assert (nobody["removed"], bot["removed"]) == ("(nobody)", "bot")
    assert bot["alpha"] > nobody["alpha"]
    assert nobody["judgments"] - bot["judgments"] == 160
    assert bot["changed"] > 0
    # The last step is what the command gives with the same threshold.
    plain, weighted = redink.crowd(
        make_crowd(), {"S": make_system()}, experts=EXPERTS, gold_threshold=0.7
    ).rows
    assert (bot["precision"], bot["recall"]) == (plain["precision"], plain["recall"])
    assert bot["precision_weighted"] == weighted["precision"]
    all_steps = redink.crowd(make_crowd(), show="removal", experts=EXPERTS).rows
    assert [row["removed"] for row in all_steps][:2] == ["(nobody)", "bot"]
    assert len(all_steps) == 4


def test_how_many_judges_match_experts() -> None:
    table = redink.crowd(make_crowd(items=400), show="size", experts=EXPERTS, repetitions=60)
    sizes = [row["size"] for row in table.rows]
    assert sizes == [1, 2, 3, 4, 5, "experts"]
    crowds = table.rows[:-1]
    assert crowds[4]["agreement"] > crowds[0]["agreement"]
    assert crowds[4]["kappa"] > crowds[0]["kappa"]
    for row in crowds:
        assert row["agreement_low"] <= row["agreement"] + 1e-12
        assert row["agreement"] <= row["agreement_high"] + 1e-12
    assert any("agrees with an expert as well as experts agree" in note for note in table.notes)
    again = redink.crowd(make_crowd(items=400), show="size", experts=EXPERTS, repetitions=60)
    assert again.rows == table.rows


def test_bins_split_the_items() -> None:
    judgments, systems = make_crowd(), {"A": make_system(3), "B": make_system(4)}
    bins = redink.crowd(judgments, systems, show="bins", experts=EXPERTS, bins=(0.5, 0.7, 1))
    whole = redink.crowd(judgments, systems, experts=EXPERTS)
    for system in systems:
        rows = [row for row in bins.rows if row["system"] == system]
        assert [row["bin"] for row in rows] == ["50–70 %", "70–100 %"]
        plain = next(row for row in whole.rows if row["system"] == system)
        for cell in ("tp", "fp", "fn", "tn"):
            assert sum(row[cell] for row in rows) == plain[cell]
    assert all(row["kappa"] is not None for row in bins.rows)


def test_histogram_counts_every_item_once() -> None:
    table = redink.crowd(make_crowd(), experts=EXPERTS)
    assert table.signature["show"] == "agreement"
    assert sum(row["items"] for row in table.rows) == 160
    assert sum(row["share"] for row in table.rows) == pytest.approx(1)


def test_several_data_sets() -> None:
    table = redink.crowd(
        make_crowd(),
        {"A": make_system()},
        show="bins",
        experts=EXPERTS,
        on=[(make_crowd(9, items=120), {"B": make_system(5, items=120)})],
    )
    assert {(row["system"], row["data"]) for row in table.rows} == {
        ("A", "data 1"),
        ("B", "data 2"),
    }
    with pytest.raises(OptionError, match="--show judges cannot show several data sets"):
        redink.crowd(make_crowd(), show="judges", on=[(make_crowd(), {})])


def test_plots_from_python(tmp_path: Path) -> None:
    bins, kappa, later = (tmp_path / f"{name}.svg" for name in ("bins", "kappa", "later"))
    table = redink.crowd(
        make_crowd(), {"A": make_system()}, show="bins", plot=bins, plot_kappa=kappa
    )
    table.plot(later, name="kappa")
    assert later.read_bytes() == kappa.read_bytes() != bins.read_bytes()
    redink.crowd(make_crowd(), {"A": make_system()}, show="bins", plot_kappa=bins, plot_size="page")
    assert bins.read_bytes() != kappa.read_bytes()
    with pytest.raises(OptionError, match="--plot requires --show bins or agreement or size"):
        redink.crowd(make_crowd(), show="judges", plot=bins)


def test_nothing_left_to_evaluate() -> None:
    judgments = [
        Judgment("g", "ann", "ok", gold="ok"),
        Judgment("g", "eve", "error", gold="ok"),
        Judgment("x", "eve", "error"),
    ]
    with pytest.raises(DataError, match="nothing to evaluate"):
        redink.crowd(judgments, gold_threshold=0.5)


def test_dawid_skene_aggregates_differently() -> None:
    judgments, system = make_crowd(), {"S": make_system()}
    vote = redink.crowd(judgments, system, experts=EXPERTS)
    model = redink.crowd(judgments, system, experts=EXPERTS, aggregate="dawid-skene")
    assert model.signature["aggregate"] == "dawid-skene"
    assert vote.rows[1]["precision"] != model.rows[1]["precision"]
    items = redink.crowd(judgments, show="items", experts=EXPERTS, aggregate="dawid-skene").rows
    assert len(items) == 160
    assert all(0 <= row["error_share"] <= 1 for row in items)
    assert {row["label"] for row in items} == {"ok", "error"}


def test_ties_are_a_choice() -> None:
    judgments = [
        Judgment("a", "x", "ok"),
        Judgment("a", "y", "error"),
        Judgment("b", "x", "error"),
        Judgment("b", "y", "error"),
    ]
    system = {"S": {"a": "error", "b": "error"}}
    found = {}
    for ties in ("ok", "error", "skip"):
        table = redink.crowd(judgments, system, ties=ties)
        found[ties] = (table.rows[0]["tp"], table.rows[0]["fp"])
        assert any("1 tie of the crowd" in note for note in table.notes)
    assert found == {"ok": (1, 1), "error": (2, 0), "skip": (1, 0)}


def test_intervals_on_request() -> None:
    table = redink.crowd(make_crowd(), {"S": make_system()}, experts=EXPERTS, bootstrap=300)
    assert table.rows
    for row in table.rows:
        for measure in ("precision", "recall", "f"):
            assert row[f"{measure}_low"] <= row[measure] <= row[f"{measure}_high"]
            assert row[f"{measure}_low"] < row[f"{measure}_high"]


def test_flags_for_words_are_decisions(tmp_path: Path) -> None:
    path = tmp_path / "careful.ged.tsv"
    path.write_text("They\tc\ncame\tc\nto\ti\noutside\tc\n\nIt\tc\nrain\ti\n", encoding="utf-8")
    judgments = [
        Judgment(item, w, label)
        for item, label in (("s01t02", "error"), ("s2t1", "ok"), ("s1t0", "ok"))
        for w in "ab"
    ]
    plain = redink.crowd(judgments, [str(path)]).rows[0]
    assert plain["system"] == "careful"
    assert (plain["tp"], plain["fp"], plain["fn"], plain["tn"]) == (1, 1, 0, 1)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"experts": ("nobody",)}, OptionError, "unknown expert 'nobody'"),
        ({"experts": (*CROWD, *EXPERTS)}, DataError, "there is no crowd"),
        ({"show": "size"}, DataError, "--show size needs experts"),
        ({"show": "bins"}, OptionError, "needs at least one system"),
        ({"gold_threshold": 1.0}, DataError, "removes every judge"),
        ({"bins": (1, 0)}, OptionError, "increasing limits"),
    ],
)
def test_impossible_wishes_get_words(options, error, words: str) -> None:
    with pytest.raises(error, match=words):
        redink.crowd(make_crowd(), **options)


def test_no_gold_questions() -> None:
    plain = [Judgment(j.item, j.judge, j.label) for j in make_crowd()]
    with pytest.raises(DataError, match="needs gold questions"):
        redink.crowd(plain, gold_threshold=0.7)
    with pytest.raises(DataError, match="needs gold questions"):
        redink.crowd(plain, show="removal")
    table = redink.crowd(plain, show="judges")
    assert all(row["accuracy"] is None for row in table.rows)
    assert any("without gold questions" in note for note in table.notes)


def test_which_label_is_fine_must_be_known() -> None:
    judgments = [Judgment(f"i{n}", w, str(1 + n % 4)) for n in range(8) for w in "ab"]
    with pytest.raises(OptionError, match="--ok LABEL: 1, 2, 3, 4"):
        redink.crowd(judgments)
    assert redink.crowd(judgments, ok=["4"]).rows


def test_one_judge_is_a_small_crowd() -> None:
    judgments = [Judgment(f"i{n}", "ann", "error" if n % 2 else "ok") for n in range(6)]
    plain, weighted = redink.crowd(judgments, {"S": make_system(items=6)}).rows
    assert plain["precision"] == weighted["precision"]


def test_nothing_flagged_leaves_precision_undefined() -> None:
    judgments = [Judgment(f"i{n}", w, "error" if n % 2 else "ok") for n in range(6) for w in "ab"]
    table = redink.crowd(judgments, {"S": {f"i{n}": "ok" for n in range(6)}})
    assert table.rows[0]["precision"] is None
    assert any("Undefined: precision (the system flags nothing)" in note for note in table.notes)


def test_items_a_system_says_nothing_of_are_left_out_for_it() -> None:
    table = redink.crowd(make_crowd(), {"S": make_system(items=100)}, experts=EXPERTS)
    assert "S has no label for 100 items (excluded)." in table.notes


def test_gug_expert_against_crowds_of_one_to_five(shared: Path) -> None:
    table = redink.crowd(
        shared / "data" / "gug" / "gug_annotations.tsv",
        show="size",
        repetitions=30,
        experts=("expert",),
        missing=["0"],
        merge_labels={"error": ["1", "2", "3"], "ok": ["4"]},
    )
    assert [row["size"] for row in table.rows] == [1, 2, 3, 4, 5]
    agreement = [row["agreement"] for row in table.rows]
    assert agreement[0] < agreement[2] < agreement[4]
    kappa = [row["kappa"] for row in table.rows]
    assert 0.30 < kappa[0] < kappa[2] < kappa[4] < 0.50
    assert all(row["items"] == 3019 for row in table.rows)


def kappa_of(tp: float, fp: float, fn: float, tn: float) -> float:
    n = tp + fp + fn + tn
    chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    return ((tp + tn) / n - chance) / (1 - chance)


def test_measures_have_kappa_prevalence_and_bias() -> None:
    for row in redink.crowd(make_crowd(), {"A": make_system()}, bootstrap=50).rows:
        tp, fp, fn, tn = (row[name] for name in ("tp", "fp", "fn", "tn"))
        n = tp + fp + fn + tn
        assert row["kappa"] == pytest.approx(kappa_of(tp, fp, fn, tn))
        assert row["prevalence"] == pytest.approx((tp + fn) / n)
        assert row["bias"] == pytest.approx((tp + fp) / n)
        assert row["kappa_low"] < row["kappa"] < row["kappa_high"]


@pytest.mark.parametrize("weighting", ["plain", "weighted"])
def test_systems_are_compared_on_the_same_samples_of_items(weighting: str) -> None:
    """Recomputed with the same draws of items; one item without a label of B is excluded."""
    judgments = make_crowd(gold=0)
    systems = {"A": make_system(2), "B": make_system(3, rate=0.5)}
    del systems["B"]["i7"]
    shares = {}
    for judgment in judgments:
        shares.setdefault(judgment.item, []).append(judgment.label == "error")
    items = [f"i{n}" for n in range(200)]
    share = np.array([np.mean(shares[item]) for item in items])
    truth = share if weighting == "weighted" else (share > 0.5).astype(float)
    kept = np.array([item != "i7" for item in items])
    drawn = np.random.default_rng(1).integers(0, 200, size=(60, 200), dtype=np.int64)
    draws = [np.bincount(one, minlength=200) * kept for one in drawn]
    values = {}
    for name, labels in systems.items():
        flag = np.array([labels.get(item) == "error" for item in items], dtype=float)
        cells = [flag * truth, flag * (1 - truth), (1 - flag) * truth, (1 - flag) * (1 - truth)]
        values[name] = [kappa_of(*(float(w @ c) for c in cells)) for w in [kept * 1, *draws]]
    difference = np.array(values["A"]) - np.array(values["B"])
    table = redink.crowd(judgments, systems, show="tests", bootstrap=60, seed=1)
    (row,) = [r for r in table.rows if (r["measure"], r["weighting"]) == ("kappa", weighting)]
    sign = 1 if row["system"] == "A" else -1
    assert row["difference"] == pytest.approx(sign * difference[0])
    ends = np.percentile(sign * difference[1:], [2.5, 97.5])
    assert (row["low"], row["high"]) == pytest.approx(tuple(ends), abs=0.02)
    spread = np.abs(difference[1:] - difference[1:].mean())
    assert row["p"] == pytest.approx((1 + (spread >= abs(difference[0])).sum()) / 61)
    assert "1 item without a label of every system excluded." in table.notes


def test_bins_have_intervals_and_a_note_about_few_items() -> None:
    systems = {"A": make_system(2), "B": make_system(3, rate=0.5)}
    options = {"bootstrap": 40, "bins": [0.5, 0.65, 1.0]}
    crowd = make_crowd(items=70, gold=0)
    table = redink.crowd(crowd, systems, show="bins", **options)
    sizes = [row["items"] for row in table.rows][:2]
    (note,) = [note for note in table.notes if note.startswith("Bins with fewer than 30 items")]
    assert [f": {size}" in note for size in sizes] == [size < 30 for size in sizes]
    for row in table.rows:
        assert row["precision_low"] <= row["precision"] <= row["precision_high"]
    tests = redink.crowd(crowd, systems, show="tests", **options).rows
    assert {row["bin"] for row in tests} == {None, *(row["bin"] for row in table.rows)}


def test_crowd_sizes_have_a_cost() -> None:
    table = redink.crowd(make_crowd(gold=0), show="size", experts=EXPERTS, repetitions=3, price=0.5)
    costs = {row["size"]: row["cost"] for row in table.rows}
    assert costs == {**{size: 0.5 * 200 * size for size in range(1, 6)}, "experts": None}


def test_duplicate_items_are_reported_and_merged() -> None:
    judgments = [
        Judgment(item, judge, label, extra=(("text", text), ("start", "1")))
        for item, text, labels in (("a", "x y", "eo"), ("b", "x y", "oe"), ("c", "z", "oo"))
        for judge, label in zip(
            ("w1", "w2") if item != "b" else ("w3", "w1"),
            labels,
            strict=True,
        )
    ]
    with pytest.warns(redink.RedinkWarning, match="1 item with the text of an earlier item"):
        assert len(redink.crowd(judgments, show="items", ok=["o"]).rows) == 3
    table = redink.crowd(judgments, show="items", ok=["o"], merge_duplicates=True)
    rows = {row["item"]: (row["judgments"], row["error_share"]) for row in table.rows}
    assert rows == {"a": (3, pytest.approx(1 / 3)), "c": (2, 0)}
