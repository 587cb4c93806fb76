"""``redink.compare``: system against system."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.commands.score_files import SYSTEMS, write_task

import redink
from redink.commands.compare import _enough_samples
from redink.errors import OptionError, RedinkWarning

Files = dict[str, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return write_task(tmp_path)


def compare(files: Files, **options: Any) -> redink.Table:
    given = {name: files[name] for name in SYSTEMS}
    return redink.compare(files["gold"], given, **{"metrics": ["m2"], "samples": 100} | options)


def test_every_pair_with_the_better_first(files: Files) -> None:
    table = compare(files)
    pairs = [(row["system"], row["other"]) for row in table.rows]
    assert pairs == [("good", "fair"), ("good", "idle"), ("fair", "idle")]
    for row in table.rows:
        assert row["difference"] == row["score"] - row["other_score"] >= 0
        assert 0 < row["p_bootstrap"] <= row["p_bootstrap_holm"] <= 1
        assert 0 < row["p_randomization"] <= row["p_randomization_holm"] <= 1


def test_a_system_does_not_differ_from_itself(files: Files) -> None:
    table = redink.compare(
        files["gold"], {"one": files["fair"], "two": files["fair"]}, metrics=["m2"], samples=50
    )
    (row,) = table.rows
    assert (row["difference"], row["p_bootstrap"], row["p_randomization"]) == (0.0, 1.0, 1.0)
    assert row["significant"] is False


def test_one_test_alone(files: Files) -> None:
    table = compare(files, tests=["randomization"])
    assert "p_bootstrap" not in table.column_names
    assert "p_randomization_holm" in table.column_names


@pytest.mark.parametrize("selection", ["running", "sentence", "optimal"])
def test_real_systems(shared: Path, selection: str) -> None:
    """CAMB and AMU cannot be told apart under errant, both are better than UFC."""
    folder = shared / "oracles" / "errant-2.3.3"
    given = {name: folder / f"{name}.m2" for name in ("CAMB", "AMU", "UFC")}
    table = redink.compare(
        folder / "references.m2", given, metrics=["errant"], samples=200, selection=selection
    )
    found = {(row["system"], row["other"]): row for row in table.rows}
    assert found["CAMB", "AMU"]["significant"] is False
    assert found["CAMB", "AMU"]["p_randomization"] == pytest.approx(0.25, abs=0.1)
    assert found["CAMB", "AMU"]["p_bootstrap"] == pytest.approx(0.25, abs=0.1)
    assert found["CAMB", "UFC"]["significant"] is True
    assert found["AMU", "UFC"]["low"] > 0


def test_samples_grow_with_the_pairs(files: Files) -> None:
    table = redink.compare(
        files["gold"], {name: files[name] for name in ("good", "idle")}, metrics=["m2"]
    )
    assert table.signature["samples"] == 1000
    with pytest.warns(RedinkWarning, match="20 samples are too few for 3 tests"):
        compare(files, samples=20)
    with pytest.warns(RedinkWarning, match=r"1,225 tests .* 49,000 samples .* --baseline"):
        assert _enough_samples(None, 1225) == 49_000


def test_impossible_comparisons(files: Files) -> None:
    with pytest.raises(OptionError, match="at least two systems"):
        redink.compare(files["gold"], {"good": files["good"]}, metrics=["m2"])
    with pytest.raises(OptionError, match="test: unknown value 'sign'"):
        compare(files, tests=["sign"])
    with pytest.raises(OptionError, match="give at least one test"):
        compare(files, tests=[])
    with pytest.raises(OptionError, match="samples must be 2 or more"):
        compare(files, samples=1)


def test_differences_from_a_baseline_are_signed(files: Files) -> None:
    rows = compare(files, baseline="fair").rows
    assert [(row["system"], row["other"]) for row in rows] == [("good", "fair"), ("idle", "fair")]
    for row in rows:
        assert row["score"] - row["other_score"] == row["difference"]
        assert row["low"] <= row["difference"] <= row["high"]
    assert rows[0]["difference"] > 0 > rows[1]["difference"]


def test_a_baseline_changes_no_p_value_of_its_pairs(files: Files) -> None:
    every = {frozenset((row["system"], row["other"])): row for row in compare(files).rows}
    for row in compare(files, baseline="good").rows:
        same = every[frozenset((row["system"], row["other"]))]
        assert row["difference"] == -same["difference"]
        assert [row["low"], row["high"]] == pytest.approx([-same["high"], -same["low"]])
        for test in ("p_bootstrap", "p_randomization"):
            assert row[test] == same[test]


TYPES = ("R:DET", "M:DET", "R:PREP", "U:NOUN")
OUTPUTS = "ABC"


def write_edits(folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Write a gold file and three systems; return (sentences, types, TP FP FN) of each system."""
    rng = np.random.default_rng(7)
    gold = rng.random((30, 4)) < 0.6
    found = {}
    for number, name in enumerate(OUTPUTS):
        right = rng.random((30, 4)) < (0.3, 0.4, 0.7)[number]
        wrong = rng.random((30, 4)) < 0.2
        right[:, 3] &= name != "A"  # A never attempts U:NOUN
        wrong[:, 3] &= name != "A"
        tp, fp = gold & right, ~(gold & right) & wrong
        found[name] = np.stack([tp, fp, gold & ~tp], axis=-1)
        write_m2(folder / f"{name}.m2", [tp, fp])
    write_m2(folder / "gold.m2", [gold])
    return found


def write_m2(path: Path, edits: list[np.ndarray[Any, Any]]) -> None:
    lines = []
    for sentence in range(30):
        lines.append("S a b c d")
        for place, error_type in enumerate(TYPES):
            for text, there in zip("xy", edits, strict=False):
                if there[sentence, place]:
                    end = f"{place} {place + 1}|||{error_type}|||{text}"
                    lines.append(f"A {end}|||REQUIRED|||-NONE-|||0")
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(counts: np.ndarray[Any, Any], measure: str) -> float:
    tp, fp, fn = counts
    values = {"precision": (tp, tp + fp), "recall": (tp, tp + fn)}
    above, below = values.get(measure, (1.25 * tp, 1.25 * tp + 0.25 * fn + fp))
    return float(above / below) if below else np.nan


@pytest.mark.parametrize("measure", ["precision", "recall", "f"])
def test_types_and_measures_by_a_plain_script(tmp_path: Path, measure: str) -> None:
    """Scores, both p-values and Holm's over pairs and types equal those of loops over samples."""
    found = write_edits(tmp_path)
    given = {name: tmp_path / f"{name}.m2" for name in OUTPUTS}
    table = redink.compare(
        tmp_path / "gold.m2", given, metrics=["errant"], by="type", measure=measure, samples=200
    )
    groups = {None: [0, 1, 2, 3], "DET": [0, 1], "PREP": [2], "NOUN": [3]}
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, 30, size=(200, 30))
    swaps = rng.integers(0, 2, size=(200, 30), dtype=np.int8)
    expected: dict[Any, tuple[float, float]] = {}
    for kind, places in groups.items():
        own = {name: counts[:, places].sum(axis=1) for name, counts in found.items()}
        for pair in combinations(OUTPUTS, 2):
            a, b = (own[name] for name in pair)
            if kind == "NOUN" and "A" in pair and measure != "recall":
                continue
            seen = measured(a.sum(0), measure) - measured(b.sum(0), measure)
            booted = np.array(
                [measured(a[d].sum(0), measure) - measured(b[d].sum(0), measure) for d in drawn]
            )
            swapped = []
            for swap in swaps:
                one, two = (np.where(swap[:, None] == s, a, b).sum(0) for s in (0, 1))
                swapped.append(measured(one, measure) - measured(two, measure))
            centered = booted - booted.mean()
            expected[kind, frozenset(pair)] = tuple(
                (1 + sum(abs(d) >= abs(seen) - 1e-12 for d in differences)) / 201
                for differences in (centered, swapped)
            )
    rows = {(row["type"], frozenset((row["system"], row["other"]))): row for row in table.rows}
    tested = {key: row for key, row in rows.items() if row["p_bootstrap"] is not None}
    assert tested.keys() == expected.keys()
    for key, (booted_p, swapped_p) in expected.items():
        assert rows[key]["measure"] == measure
        assert rows[key]["p_bootstrap"] == pytest.approx(booted_p)
        assert rows[key]["p_randomization"] == pytest.approx(swapped_p)
    for is_typed in (False, True):
        family = [key for key in expected if (key[0] is not None) == is_typed]
        family.sort(key=lambda key: expected[key][0])
        highest = 0.0
        for rank, key in enumerate(family):
            highest = max(highest, min(1, (len(family) - rank) * expected[key][0]))
            assert rows[key]["p_bootstrap_holm"] == pytest.approx(highest)


def test_types_have_the_scores_of_score(tmp_path: Path) -> None:
    """A type that a system never attempted has no score and is not tested."""
    write_edits(tmp_path)
    given = {name: tmp_path / f"{name}.m2" for name in OUTPUTS}
    gold = tmp_path / "gold.m2"
    scores = redink.score(gold, given, metrics=["errant"], by="full").rows
    known = {(row["system"], row["type"]): row for row in scores}
    assert known["A", "U:NOUN"].get("nothing_proposed")
    table = redink.compare(gold, given, metrics=["errant"], by="full", samples=50)
    for row in table.rows:
        for side, score in (("system", "score"), ("other", "other_score")):
            own = known[row[side], row["type"]]
            assert row[score] == (None if own.get("nothing_proposed") and row["type"] else own["f"])
    untested = [row for row in table.rows if row["difference"] is None]
    assert {(row["type"], row["other"]) for row in untested} == {("U:NOUN", "A")}
    assert "U:NOUN" in table.render("table")


@pytest.mark.slow
def test_gold_against_automatic_references(shared: Path) -> None:
    """Each system under both; the scores are those of ``score``, and the sign is gold's."""
    folder = shared / "oracles" / "errant-2.3.3"
    gold = shared / "data" / "conll14" / "official-2014.0.m2"
    given = {"AMU": folder / "AMU.m2"}
    options: dict[str, Any] = {"metrics": ["errant", "gleu"], "reference_edits": ["gold", "auto"]}
    scores = {
        row["reference_edits"]: row
        for row in redink.score(gold, given, **options).rows
        if row["metric"] != "gleu"
    }
    table = redink.compare(gold, given, **options, measure=["precision", "f"], samples=50)
    assert [(row["metric"], row["measure"]) for row in table.rows] == [
        ("errant", "precision"),
        ("errant", "f"),
    ]
    for row in table.rows:
        assert (row["reference_edits"], row["other_reference_edits"]) == ("gold", "auto")
        assert row["score"] == scores["gold"][row["measure"]]
        assert row["other_score"] == scores["auto"][row["measure"]]
        assert row["low"] <= row["difference"] == row["score"] - row["other_score"] <= row["high"]


def test_metrics_without_the_measure_are_left_out(files: Files) -> None:
    table = compare(files, metrics=["m2", "gleu"], measure="recall", by="type")
    assert {row["metric"] for row in table.rows} == {"m2"}
    assert {row["type"] for row in table.rows} > {None, "NOUN:NUM"}
    assert "gleu is left out: it has no recall" in table.notes
    with pytest.raises(OptionError, match="no metric to compare: gleu is left out"):
        compare(files, metrics=["gleu"], measure="f")
    with pytest.raises(OptionError, match="--wide cannot be combined with --by"):
        compare(files, by="type", wide=True)


def test_slices_are_compared_as_if_alone(files: Files) -> None:
    """Differences are those of the slice; p-values are adjusted for both slices and all pairs."""
    size = len(redink.read_corpus(files["gold"]))
    given: dict[str, Any] = {
        "metadata": {"level": ["A1", "B1"] * (size // 2) + ["A1"] * (size % 2)}
    }
    table = compare(files, by="level", samples=400, **given)
    assert table.column_names[:4] == ["sentences", "metric", "level", "system"]
    inside = [row for row in table if row["level"] is not None]
    assert len(inside) == 2 * 3
    for level in ("A1", "B1"):
        alone = compare(files, where=f"level == '{level}'", samples=400, **given)
        found = [row for row in inside if row["level"] == level]
        for row, expected in zip(found, alone, strict=True):
            assert row["difference"] == expected["difference"]
            assert row["p_bootstrap"] == pytest.approx(expected["p_bootstrap"], abs=0.08)
    ordered = sorted(inside, key=lambda row: row["p_randomization"])
    assert ordered[0]["p_randomization_holm"] == min(1, 6 * ordered[0]["p_randomization"])
    assert all(row["p_slice"] is None for row in table if row["level"] is None)
    assert all(0 <= row["p_slice"] <= 1 for row in inside)


def test_a_slice_with_the_opposite_difference_is_found() -> None:
    """Each system corrects only one half, so that each slice differs from all sentences."""
    source, right = ["this are wrong ."] * 80, ["this is wrong ."] * 80
    table = redink.compare(
        source=source,
        references=[right],
        systems={"a": right[:44] + source[44:], "b": source[:44] + right[44:]},
        metrics=["errant"],
        metadata={"half": ["1"] * 44 + ["2"] * 36},
        by="half",
        samples=200,
    )
    assert [(row["half"], row["system"]) for row in table] == [(None, "a"), ("1", "a"), ("2", "b")]
    assert all(row["p_slice"] < 0.001 for row in table.rows[1:])
