"""``redink judge``: the published test, corrected rates, and biases of scripted judges."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redink
from redink.model import Judgment
from redink.statistics.rate_correction import Calibration, correct_rate

DATA_SETS = ("mtbench", "wax", "cebab_aspects", "cebab_stars", "lesion")


def statistics(table: redink.Table) -> dict[str, dict[str, Any]]:
    return {row["statistic"]: row for row in table.rows}


def value_of(judgments: Iterable[Judgment], name: str, **options: Any) -> float | None:
    options = {"bootstrap": 0, **options}
    found = statistics(redink.judge(list(judgments), model="M", **options))
    value: float | None = found[name]["value"]
    return value


def read_gzip(path: Path) -> Any:
    with gzip.open(path) as stream:
        return json.load(stream)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize(
    "epsilons", [(0.2,), pytest.param((0.0, 0.05, 0.1, 0.15, 0.3), marks=pytest.mark.slow)]
)
def test_equals_program_of_authors(
    shared: Path, tmp_path: Path, name: str, epsilons: tuple[float, ...]
) -> None:
    oracle = read_gzip(shared / "oracles/alt-test" / f"{name}.json.gz")
    folder = shared / "data/alt-test" / name
    people = read_gzip(folder / "human_annotations.json.gz")
    models = read_gzip(folder / "llm_annotations.json.gz")
    score = "accuracy" if oracle["scoring"] == "accuracy" else "rmse"
    path = tmp_path / "judgments.csv"
    for model in {row["judge"] for row in oracle["rows"]}:
        with path.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["judge", "item", "label"])
            for judge, labels in {**people, model: models[model]}.items():
                writer.writerows([judge, item, label] for item, label in labels.items())
        rows = [row for row in oracle["rows"] if row["judge"] == model]
        for row in (row for row in rows if row["epsilon"] in epsilons):
            options: dict[str, Any] = {"epsilon": row["epsilon"], "score": score}
            table = redink.judge(path, model=model, bootstrap=0, **options)
            found = statistics(table)
            assert found["winning_rate"]["value"] == pytest.approx(row["omega"], abs=1e-9)
            assert found["advantage_probability"]["value"] == pytest.approx(row["rho"], abs=1e-9)
        by_person = redink.judge(path, model=model, show="people", bootstrap=0, **options)
        found_p = {one["judge"]: (one["items"], one["p"]) for one in by_person.rows if one["items"]}
        assert found_p.keys() == row["by_person"].keys()
        for person, one in row["by_person"].items():
            p = (
                None
                if one["p"] is None or np.isnan(one["p"])
                else pytest.approx(one["p"], abs=1e-9)
            )
            assert found_p[person] == (one["n"], p)


def test_corrected_rates_equal_oracle(shared: Path) -> None:
    """Rogan-Gladen, PPI, PPI++ and post-stratified estimates equal the recorded 20 cases."""
    cases = json.loads((shared / "oracles/alt-test/judge-correction.json").read_text())["cases"]
    for case in cases:
        table = case["calibration"]
        counts = Calibration(
            good_as_good=table["good_judged_good"],
            good_as_bad=table["good_judged_bad"],
            bad_as_good=table["bad_judged_good"],
            bad_as_bad=table["bad_judged_bad"],
            size=case["test"]["n"],
            judged_good=case["test"]["judged_good"],
        )
        found = correct_rate(counts, 1 - case["alpha"])
        rogan = case["rogan_gladen"]
        expected = {
            "rogan_gladen": [rogan["estimate"], *rogan["interval"]],
            "rogan_gladen_logit": [rogan["logit"]["estimate"], *rogan["logit"]["interval"]],
        }
        for name in ("ppi", "ppi_tuned"):
            expected[name] = [case[name]["estimate"], *case[name]["wald"]]
            expected[f"{name}_logit"] = [case[name]["estimate"], *case[name]["logit"]]
        post = case["post_stratified"]
        expected["post_stratified"] = [post["estimate"], *post["logit"]]
        assert {n: [v.estimate, v.low, v.high] for n, v in found.items()} == {
            name: pytest.approx(values, abs=1e-9) for name, values in expected.items()
        }


def test_judge_on_all_calibration_items_gives_the_human_rate(shared: Path) -> None:
    import hashlib

    judgments = []
    with gzip.open(shared / "data/edit-validity/edits.jsonl.gz", "rt") as stream:
        for line in stream:
            edit = json.loads(line)
            first = hashlib.sha256(f"edit {edit['id']}".encode()).digest()[0]
            turned = first < (38 if edit["valid"] else 64)
            item = str(edit["id"])
            judgments.append(Judgment(item, "person", str(edit["valid"])))
            judgments.append(Judgment(item, "M", str(edit["valid"] ^ turned)))
    found = statistics(redink.judge(judgments, model="M", positive=["1"], bootstrap=0))
    figures = json.loads((shared / "oracles/edit-validity/figures.json").read_text())
    assert found["rogan_gladen"]["value"] == pytest.approx(720 / 1354, abs=1e-12)
    for name in ("sensitivity", "specificity"):
        assert found[name]["value"] == pytest.approx(figures["judge_flipping"][name])
    assert found["rate"]["value"] == pytest.approx(figures["judge_flipping"]["apparent_rate"])


def test_recorded_verdicts_correlate_as_in_a_plain_script(shared: Path) -> None:
    oracle = json.loads((shared / "oracles/llm-judges/dsgram.json").read_text())["correlations"]
    with (shared / "data/llm-judges/verdicts.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for aspect, pairs in oracle.items():
        for model, other in (("gpt-4", "llama-3"), ("llama-3", "gpt-4")):
            judgments = [
                Judgment(row["item"], row["judge"], row[aspect])
                for row in rows
                if row[aspect] and row["judge"] != other
            ]
            table = redink.judge(judgments, model=model, show="people", score="rmse", bootstrap=0)
            for row in table.rows:
                expected = pairs[f"{row['judge']} {model}"]
                assert row["common"] == expected["n"]
                for name, key in (
                    ("pearson", "pearson"),
                    ("spearman", "spearman"),
                    ("kendall", "kendall_b"),
                ):
                    assert row[name] == pytest.approx(expected[key], abs=1e-9), (aspect, name)


def test_judge_no_better_than_chance_has_no_rogan_gladen() -> None:
    """A judge with sensitivity + specificity of 1 or less gets a sentence, not an estimate."""
    judgments = [Judgment(str(n), "p", "01"[n % 2]) for n in range(40)]
    judgments += [Judgment(str(n), "M", "01"[n // 2 % 2]) for n in range(60)]
    table = redink.judge(judgments, model="M", positive=["1"], bootstrap=0)
    assert "rogan_gladen" not in statistics(table)
    assert any("no better than chance" in note for note in table.notes)


def test_repeats_of_one_item_give_self_consistency() -> None:
    """Three labels a, a, b agree in 1 of 3 pairs; a, a agree: the mean over items is 2/3."""
    labels = [("1", "a"), ("1", "a"), ("1", "b"), ("2", "a"), ("2", "a"), ("3", "b")]
    judgments = [Judgment(item, "M", label) for item, label in labels]
    judgments += [Judgment(item, "p", "a") for item in "123"]
    assert value_of(judgments, "self_consistency") == pytest.approx(2 / 3)


def test_position_bias_reads_the_order_shown() -> None:
    """Three of four choices are the first option of two: the bias is 0.75 - 0.5."""
    shown = [("x", "x|y"), ("y", "y|x"), ("x", "x|y"), ("x", "y|x")]
    judgments = [
        Judgment(str(n), "M", label, extra=(("shown", order),))
        for n, (label, order) in enumerate(shown)
    ]
    judgments += [Judgment(str(n), "p", "x") for n in range(4)]
    assert value_of(judgments, "position_bias") == pytest.approx(0.25)
    assert value_of(judgments, "position_bias_of_people") is None


def test_the_label_right_without_left_is_no_position() -> None:
    judgments = [Judgment(str(n), "M", ("right", "optional")[n % 2]) for n in range(20)]
    judgments += [Judgment(str(n), "p", "right") for n in range(20)]
    assert value_of(judgments, "position_bias_of_people") is None


def test_length_and_own_preference_are_differences_of_leniency() -> None:
    """The model adds 2 points to long texts and 1 point to its own outputs."""
    judgments = []
    for n in range(40):
        long, own = n % 2, n // 2 % 2
        extra = (("length", str(10 + 10 * long)), ("system", "self" if own else "other"))
        judgments.append(Judgment(str(n), "M", str(3 + 2 * long + own), extra=extra))
        judgments.append(Judgment(str(n), "p", "3"))
    assert value_of(judgments, "length_bias") == pytest.approx(2)
    assert value_of(judgments, "own_preference", own=["self"]) == pytest.approx(1)
    assert value_of(judgments, "leniency") == pytest.approx(1.5)


def test_longer_option_chosen_more_often_than_by_people() -> None:
    judgments = []
    for n in range(20):
        extra = (("longer", "x"),)
        judgments.append(Judgment(str(n), "M", "x", extra=extra))
        judgments.append(Judgment(str(n), "p", "xy"[n % 2]))
    assert value_of(judgments, "length_bias") == pytest.approx(0.5)


def test_drift_compares_agreement_before_and_after_a_date() -> None:
    judgments = [
        Judgment(str(n), "M", "b" if n in {10, 11} else "a", time=f"2026-0{1 + (n > 7)}-10")
        for n in range(12)
    ]
    judgments += [Judgment(str(n), "p", "a") for n in range(12)]
    assert value_of(judgments, "drift", drift_at="2026-02-01") == pytest.approx(-0.5)


def test_gold_questions_give_accuracy_of_model_and_people() -> None:
    judgments = [Judgment(str(n), "M", "ab"[n == 0], gold="a") for n in range(4)]
    judgments += [Judgment(str(n), "p", "a", gold="a") for n in range(4)]
    assert value_of(judgments, "gold_accuracy") == pytest.approx(0.75)
    assert value_of(judgments, "gold_accuracy_of_people") == 1


def crowd(rng: np.random.Generator, accuracy: float, *, people: int = 9, size: int = 1500) -> Any:
    """People who are right with probability .7, and a model with another accuracy."""
    truth = rng.integers(0, 2, size)
    for judge in (*(f"p{n}" for n in range(people)), "M"):
        right = rng.random(size) < (accuracy if judge == "M" else 0.7)
        for item, label in enumerate(np.where(right, truth, 1 - truth)):
            yield Judgment(str(item), judge, str(label))


@pytest.mark.parametrize(("accuracy", "worth"), [(0.7, 1), (0.784, 3), (0.83692, 5)])
def test_worth_in_people(accuracy: float, worth: float) -> None:
    """A model as accurate as the majority of 1, 3 or 5 people is worth about that number.

    The majority of three people is right with probability .7³ + 3 · .7² · .3 = .784, of five
    with .83692. Even numbers add nothing, so the curve is flat before an odd number.
    """
    table = redink.judge(list(crowd(np.random.default_rng(3), accuracy)), model="M", bootstrap=50)
    row = statistics(table)["worth_in_people"]
    assert row["low"] - 0.35 < worth < row["high"] + 1.35


def test_majority_of_tied_votes_counts_in_part() -> None:
    from redink.judging.model_judge import _crowd_accuracy

    labels = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 2.0]])
    assert _crowd_accuracy(labels, np.ones(3), "accuracy").tolist() == [0.5, 1.0, 0.0]


def test_routes_agree(tmp_path: Path) -> None:
    judgments = list(crowd(np.random.default_rng(1), 0.6, people=3, size=50))
    long, wide = tmp_path / "long.csv", tmp_path / "wide.csv"
    long.write_text(
        "judge,item,label\n" + "".join(f"{j.judge},{j.item},{j.label}\n" for j in judgments)
    )
    labels = {(j.item, j.judge): j.label for j in judgments}
    names = ("p0", "p1", "p2", "M")
    wide.write_text(
        f"item,{','.join(names)}\n"
        + "".join(f"{n},{','.join(labels[str(n), name] for name in names)}\n" for n in range(50))
    )
    rows = redink.judge(judgments, model="M").rows
    assert redink.judge(long, model="M").rows == rows
    assert redink.judge(str(wide), model="M").rows == rows
    assert Counter(row["value"] is None for row in rows)[False] > 8


def test_epsilon_zero_is_not_the_default() -> None:
    """With epsilon 0, a model that equals the people does not win."""
    judgments = [Judgment(str(n), j, "ab"[n % 2]) for n in range(40) for j in ("p", "q", "M")]
    assert value_of(judgments, "winning_rate", epsilon=0) == 0
    assert value_of(judgments, "winning_rate", epsilon=0.1) == 1


def test_unknown_model_is_an_error() -> None:
    with pytest.raises(redink.OptionError, match="expected one of: p"):
        redink.judge([Judgment("1", "p", "a")], model="M")


def test_numbers_with_rmse_are_required() -> None:
    judgments = [Judgment("1", "p", "a"), Judgment("1", "M", "b")]
    with pytest.raises(redink.OptionError, match="numbers"):
        redink.judge(judgments, model="M", score="rmse")


@pytest.mark.slow
def test_corrected_intervals_cover() -> None:
    """In 500 simulations, 95% intervals cover the true rate in 93 to 97%.

    The Rogan-Gladen interval is conservative by design, so only its lower limit is checked.
    """
    rng = np.random.default_rng(11)
    covered: Counter[str] = Counter()
    runs = 500
    for _ in range(runs):
        truth = rng.random(2300) < 0.4
        judged = np.where(truth, rng.random(2300) < 0.85, rng.random(2300) < 0.2)
        known = slice(0, 300)
        counts = Calibration(
            good_as_good=int((truth & judged)[known].sum()),
            good_as_bad=int((truth & ~judged)[known].sum()),
            bad_as_good=int((~truth & judged)[known].sum()),
            bad_as_bad=int((~truth & ~judged)[known].sum()),
            size=2000,
            judged_good=int(judged[300:].sum()),
        )
        for name, one in correct_rate(counts).items():
            covered[name] += one.low <= 0.4 <= one.high
    assert {name: 0.93 <= n / runs <= 0.97 for name, n in covered.items()} == dict.fromkeys(
        covered, True
    )


@pytest.mark.slow
def test_bias_intervals_cover() -> None:
    """In 500 simulations, intervals of position bias and leniency cover the truth in 93 to 97%."""
    rng = np.random.default_rng(5)
    covered: Counter[str] = Counter()
    runs = 500
    for run in range(runs):
        judgments = []
        for n in range(200):
            first = "first" if rng.random() < 0.65 else "second"
            judgments.append(Judgment(str(n), "M", first))
            judgments.append(Judgment(str(n), "p", "first" if rng.random() < 0.5 else "second"))
        found = statistics(
            redink.judge(judgments, model="M", positive=["first"], seed=run, bootstrap=400)
        )
        for name in ("position_bias", "leniency"):
            covered[name] += found[name]["low"] <= 0.15 <= found[name]["high"]
    assert all(0.93 <= n / runs <= 0.97 for n in covered.values()), covered


def test_the_report_has_the_card(tmp_path: Path) -> None:
    """The section has the rows of ``redink judge``; an unknown judge is an error."""
    judgments = list(crowd(np.random.default_rng(1), 0.6, people=3, size=50))
    lines = ["This is a test ."]

    def report(name: str) -> None:
        redink.report(
            systems={"one": lines},
            output=tmp_path / "r",
            source=lines,
            references=[lines],
            bootstrap=50,
            metrics=["errant"],
            judgments=judgments,
            judge_model=name,
        )

    report("M")
    found = json.loads((tmp_path / "r/tables/judge.json").read_text())["rows"]
    assert found == redink.judge(judgments, model="M", bootstrap=50).rows
    assert "Language model as a judge: M" in (tmp_path / "r/report.html").read_text()
    with pytest.raises(redink.OptionError, match="nobody"):
        report("nobody")
