"""Detection as a metric gives the numbers of ``redink detection``, in every command."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import OptionError

EXAMPLES = Path(redink.__file__).parent / "examples"
GOLD = EXAMPLES / "gold.m2"
SYSTEMS = {name: EXAMPLES / f"{name}.txt" for name in ("careful", "eager")}


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("detection", {}),
        ("detection(unit=sentence,task=correction,beta=1)", {"unit": "sentence", "beta": 1}),
        ("detection(annotators=majority,insertions=gap)", {"annotators": "majority"}),
        ("detection(targets=tag:IN+TO+DT,negatives=letters)", {"targets": "tag:IN,TO,DT"}),
        ("detection(unit=span,count=edits)", {"unit": "span", "count": "edits"}),
    ],
)
def test_rows_equal_those_of_the_command(spec: str, options: dict[str, Any]) -> None:
    more = {"level": "correction"} if "task" in spec else {}
    more |= {"insertions": "gap"} if "gap" in spec else {}
    more |= {"negatives": "letters"} if "letters" in spec else {}
    expected = redink.detection(GOLD, SYSTEMS, **options, **more).rows
    found = {row["system"]: row for row in redink.score(GOLD, SYSTEMS, metrics=spec).rows}
    for row in expected:
        names = row.keys() & found[row["system"]].keys() - {"system"}
        assert {"tp", "fp", "fn", "tn", "kappa", "mcc", "bias", "alpha"} <= names
        for name in names:
            assert found[row["system"]][name] == pytest.approx(row[name]), name


def kappa(tp: float, fp: float, fn: float, tn: float) -> float:
    n = tp + fp + fn + tn
    chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    return ((tp + tn) / n - chance) / (1 - chance)


def test_compare_tests_kappa_by_exchanging_sentences(tmp_path: Path) -> None:
    """Four sentences of five tokens: p is the share of the 16 exchanges that reach kappa's gap."""
    gold = tmp_path / "gold.m2"
    lines = ["S a b c d .\nA 1 2|||R:X|||x|||REQUIRED|||-NONE-|||0\n"] * 4
    gold.write_text("\n".join(lines))
    systems = {
        "good": ["a x c d ."] * 3 + ["a b c d ."],
        "bad": ["a b y d .", "a x c d .", "a b c d .", "a b c z ."],
    }
    # TP, FP, FN, TN of each sentence; six units, with the end of the sentence
    good = [(1, 0, 0, 5)] * 3 + [(0, 0, 1, 5)]
    bad = [(0, 1, 1, 4), (1, 0, 0, 5), (0, 0, 1, 5), (0, 1, 1, 4)]
    gap = abs(kappa(*map(sum, zip(*good))) - kappa(*map(sum, zip(*bad))))  # noqa: B905
    reached = 0
    for swaps in product((False, True), repeat=4):
        mixed = [(b, g) if swap else (g, b) for g, b, swap in zip(good, bad, swaps, strict=True)]
        one, two = (kappa(*map(sum, zip(*side))) for side in zip(*mixed))  # noqa: B905
        reached += abs(one - two) >= gap - 1e-12
    table = redink.compare(gold, systems, metrics="detection(measure=kappa)", samples=4000)
    (row,) = table.rows
    assert row["difference"] == pytest.approx(gap)
    assert row["p_randomization"] == pytest.approx(reached / 16, abs=0.03)
    (same,) = redink.compare(gold, systems, metrics="detection", measure="kappa", samples=50).rows
    assert (same["measure"], same["difference"]) == ("kappa", row["difference"])


def test_any_rate_of_a_metric_can_be_tested() -> None:
    options: dict[str, Any] = {"metrics": "imeasure,cleme2,gotoscorer", "samples": 20}
    scores = redink.score(GOLD, SYSTEMS, metrics=options["metrics"]).rows
    table = redink.compare(GOLD, SYSTEMS, **options, measure=["wacc", "hit", "accuracy"])
    assert {row["measure"] for row in table.rows} == {"wacc", "hit", "accuracy"}
    for row in table.rows:
        (score,) = [
            each[row["measure"]]
            for each in scores
            if each["system"] == row["system"]
            and each["metric"] == row["metric"]
            and each.get("level") == row.get("level")
        ]
        assert row["score"] == pytest.approx(score)
        assert row["low"] <= row["difference"] + 1e-12
        assert row["difference"] - 1e-12 <= row["high"]
    with pytest.raises(OptionError, match="kapa"):
        redink.score(GOLD, SYSTEMS, metrics="detection(measure=kapa)")
