"""``redink detection``: intervals, paired tests, error types, tables of forms, prevalence."""

from __future__ import annotations

from itertools import product
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redink
from redink.errors import DataError, OptionError

EXAMPLES = Path(redink.__file__).parent / "examples"
GOLD = EXAMPLES / "gold.m2"
WORDS = ("careful", "eager")
TEXTS = {name: EXAMPLES / f"{name}.txt" for name in WORDS}
FLAGS = {name: EXAMPLES / f"{name}.ged.tsv" for name in WORDS}
SAMPLES = 40


def detect(**options: Any) -> redink.Table:
    return redink.detection(GOLD, TEXTS, **options)


def draw(size: int, seed: int = 1) -> np.ndarray:
    """How often each item is in each bootstrap sample."""
    drawn = np.random.default_rng(seed).integers(0, size, size=(SAMPLES, size), dtype=np.int64)
    return np.array([np.bincount(one, minlength=size) for one in drawn])


def read_flags(name: str) -> list[list[tuple[bool, float]]]:
    """The flag and probability of every token of a GED file."""
    blocks = FLAGS[name].read_text().strip().split("\n\n")
    return [
        [(cells[1] == "i", float(cells[2])) for cells in map(str.split, block.splitlines())]
        for block in blocks
    ]


def read_errors() -> list[set[int]]:
    """The tokens that annotator 0 changes; insertions are ignored."""
    errors: list[set[int]] = []
    for line in GOLD.read_text().splitlines():
        if line.startswith("S "):
            errors.append(set())
        elif line.startswith("A ") and line.endswith("|||0") and "|||noop|||" not in line:
            start, end = map(int, line[2:].split("|||")[0].split())
            errors[-1] |= set(range(start, end))
    return errors


def kappa(tp: float, fp: float, fn: float, tn: float) -> float:
    n = tp + fp + fn + tn
    chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    return ((tp + tn) / n - chance) / (1 - chance)


def cells_by_sentence(name: str) -> np.ndarray:
    cells = []
    for errors, tokens in zip(read_errors(), read_flags(name), strict=True):
        pairs = [(flag, at in errors) for at, (flag, _) in enumerate(tokens)]
        kinds = ((True, True), (True, False), (False, True), (False, False))
        cells.append([pairs.count(kind) for kind in kinds])
    return np.array(cells)


OPTIONS = {"annotator": "0", "insertions": "none", "bootstrap": SAMPLES}


def check(row: dict[str, Any], name: str, values: list[float], confidence: float = 0.95) -> None:
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(values, [tail, 1 - tail])
    assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx((low, high), abs=1e-12)


def test_intervals_are_those_of_resampled_sentences() -> None:
    table = redink.detection(GOLD, FLAGS, **OPTIONS, confidence=0.9)
    for row in table.rows:
        cells = cells_by_sentence(row["system"])
        drawn = draw(len(cells)) @ cells
        check(row, "kappa", [kappa(*one) for one in drawn], 0.9)
        check(row, "recall", [tp / (tp + fn) for tp, _, fn, _ in drawn], 0.9)
        check(row, "precision", [tp / (tp + fp) if tp + fp else nan for tp, fp, *_ in drawn], 0.9)
        check(row, "prevalence", [(one[0] + one[2]) / one.sum() for one in drawn], 0.9)
        rates = [c for c in table.column_names if c.endswith("_low")]
        assert {"accuracy_low", "f_low", "mcc_low", "alpha_low", "correct_before_low"} < set(rates)


def test_documents_are_resampled_together() -> None:
    names = [f"d{number // 9}" for number in range(64)]
    options = {**OPTIONS, "resample": "documents", "documents": names}
    with pytest.warns(redink.RedinkWarning, match="documents"):
        table = redink.detection(GOLD, {"careful": FLAGS["careful"]}, **options)
    cells = cells_by_sentence("careful")
    summed = np.array([cells[first : first + 9].sum(axis=0) for first in range(0, 64, 9)])
    check(table.rows[0], "kappa", [kappa(*one) for one in draw(len(summed)) @ summed])


def test_the_best_annotator_is_chosen_again_in_every_sample_as_by_score() -> None:
    ours = detect(count="edits", undefined="one", bootstrap=SAMPLES)
    metric = "errant(level=detection-token)"
    theirs = redink.score(GOLD, TEXTS, metrics=[metric], bootstrap=SAMPLES)
    scores = {row["system"]: (row["low"], row["high"]) for row in theirs.rows}
    for row in ours.rows:
        assert (row["f_low"], row["f_high"]) == pytest.approx(scores[row["system"]])


def test_areas_are_resampled() -> None:
    """The ROC area is the share of pairs of error and non-error with the higher score."""
    table = redink.detection(GOLD, {"eager": FLAGS["eager"]}, **OPTIONS, curve=True)
    pairs = list(zip(read_errors(), read_flags("eager"), strict=True))
    drawn, areas, precisions = draw(len(pairs)), [], []
    for often in drawn:
        units = [
            (at in errors, score)
            for times, (errors, tokens) in zip(often, pairs, strict=True)
            for at, (_, score) in enumerate(tokens)
            for _ in range(times)
        ]
        bad = np.array([score for is_error, score in units if is_error])
        good = np.array([score for is_error, score in units if not is_error])
        above = (bad[:, None] > good).mean() + (bad[:, None] == good).mean() / 2
        areas.append(above)
        average = 0.0
        for score in bad:
            hits = (bad >= score).sum()
            average += hits / (hits + (good >= score).sum()) / len(bad)
        precisions.append(average)
    check(table.rows[0], "roc_area", areas)
    check(table.rows[0], "average_precision", precisions)
    options = {**OPTIONS, "curve": True, "show": "points", "points": 3}
    points = redink.detection(GOLD, {"eager": FLAGS["eager"]}, **options).rows
    threshold = points[1]["threshold"]
    recalls = []
    for often in drawn:
        hits = [
            score >= threshold
            for times, (errors, tokens) in zip(often, pairs, strict=True)
            for at in errors
            for score in [tokens[at][1]] * times
        ]
        recalls.append(np.mean(hits))
    check(points[1], "recall", recalls)


def test_paired_tests_of_systems() -> None:
    table = redink.detection(GOLD, FLAGS, **OPTIONS, show="tests")
    (row,) = (row for row in table.rows if row["measure"] == "kappa")
    cells = {name: cells_by_sentence(name) for name in WORDS}
    values = {name: kappa(*of.sum(axis=0)) for name, of in cells.items()}
    better, worse = sorted(values, key=values.__getitem__, reverse=True)
    weights = draw(64)
    spread = np.array(
        [
            kappa(*a) - kappa(*b)
            for a, b in zip(*(weights @ cells[each] for each in (better, worse)), strict=True)
        ]
    )
    observed = values[better] - values[worse]
    extreme = (np.abs(spread - spread.mean()) >= observed).sum()
    assert (row["system"], row["other"]) == (better, worse)
    found = [row[name] for name in ("difference", "low", "high", "p", "p_holm")]
    p = (extreme + 1) / (SAMPLES + 1)
    assert found == pytest.approx([observed, *np.quantile(spread, [0.025, 0.975]), p, p])


def test_types_are_those_of_the_errant_scorer() -> None:
    """The annotator's type for TP and FN, the system's for FP, and everything else is TN."""
    ours = detect(by="type", count="edits").rows
    metric = "errant(level=detection-token)"
    theirs = redink.score(GOLD, TEXTS, metrics=[metric], by="type").rows
    expected = {
        (row["system"], row["type"]): (row["tp"], row["fp"], row["fn"])
        for row in theirs
        if row["tp"] or row["fp"] or row["fn"]
    }
    assert {(r["system"], r["type"]): (r["tp"], r["fp"], r["fn"]) for r in ours} == expected
    once = {row["type"]: row for row in detect(by="type").rows if row["system"] == "eager"}
    row, whole = once["PREP"], once[None]
    assert row["tn"] == whole["n"] - row["tp"] - row["fp"] - row["fn"]
    assert row["kappa"] == pytest.approx(kappa(*(row[c] for c in ("tp", "fp", "fn", "tn"))))
    assert row["prevalence"] == (row["tp"] + row["fn"]) / whole["n"]


def test_only_some_types(tmp_path: Path) -> None:
    gold, kept = [], []
    for line in GOLD.read_text().splitlines():
        kind = line.split("|||")[1] if line.startswith("A ") else ""
        if kind.endswith(":PREP") or kind == "noop" or not kind:
            gold.append(line)
        elif not gold[-1].endswith(f"|||noop|||{line.rsplit('|||')[-1]}"):
            gold.append(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{line.rsplit('|||')[-1]}")
    (tmp_path / "prep.m2").write_text("\n".join([*gold, ""]))
    for name, path in FLAGS.items():
        filtered = redink.detection(tmp_path / "prep.m2", {name: path}, insertions="none")
        selected = redink.detection(GOLD, {name: path}, insertions="none", types=["PREP"])
        kept.append(selected.rows == filtered.rows)
    assert all(kept)
    assert detect(types=["PREP"]).rows[0]["fn"] < detect().rows[0]["fn"]
    with pytest.raises(OptionError, match="unknown error type 'PREPS'"):
        detect(types=["PREPS"])


def test_flags_have_only_recall_by_type() -> None:
    rows = redink.detection(GOLD, FLAGS, by="type").rows
    row = next(row for row in rows if row["type"] == "PREP")
    assert row["recall"] == row["tp"] / (row["tp"] + row["fn"])
    assert row["precision"] is row["kappa"] is row["tn"] is None


FORMS = ("a b", "a , b")  # the writer's slot, the annotator's and the system's: figure 3


def test_table_of_two_forms(tmp_path: Path) -> None:
    """All eight combinations of comma and no comma, one sentence each."""
    texts = [list(column) for column in zip(*product(FORMS, repeat=3), strict=True)]
    options = {"targets": "slot:,", "show": "table"}
    table = redink.detection(
        source=texts[0], references=[texts[1]], systems={"s": texts[2]}, **options
    )
    found = {
        (row["written"], row["annotated"], row["system_form"]): (row["counted"], row["units"])
        for row in table.rows
    }
    # slots: before a, before b, at the end; only the second has commas
    assert found == {
        ("", "", ""): ("TN", 1 + 16),
        ("", "", ","): ("FP", 1),
        ("", ",", ""): ("FN", 1),
        ("", ",", ","): ("TP", 1),
        (",", "", ""): ("TP", 1),
        (",", "", ","): ("FN", 1),
        (",", ",", ""): ("FP", 1),
        (",", ",", ","): ("TN", 1),
    }


def test_table_of_many_forms_and_all_units() -> None:
    (row,) = detect(level="correction").rows[:1]
    table = [r for r in detect(level="correction", show="table").rows if r["system"] == "careful"]
    units = {r["row"]: r["units"] for r in table}
    assert list(units) == ["xxx", "xxy", "xyx", "xyy", "xyz"]
    assert units["xxx"] == row["tn"]
    assert units["xyz"] == row["xyz"]
    assert units["xxy"] + units["xyz"] == row["fp"]
    listed = detect(show="units", all_units=True).rows
    careful = [r for r in listed if r["system"] == "careful"]
    assert len(careful) == detect().rows[0]["n"]
    assert sum(r["counted"] == "TN" for r in careful) == detect().rows[0]["tn"]


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("Book of my class inpired to me .", 8),  # Chodorow et al. (2012), (1a)
        ("Book of my class inpired to me", 8),
        ("He said « yes . »", 5),
        ("Stop ! the", 3),
    ],
)
def test_no_slot_after_final_punctuation(text: str, slots: int) -> None:
    options = {"targets": "slot:a,an,the", "source": [text], "references": [[text]]}
    assert redink.detection(systems={"s": [text]}, **options).rows[0]["n"] == slots


def test_restated_at_another_prevalence() -> None:
    """12 of 40 errors found, 18 of 160 correct units flagged; with 100 and 100: 30 and 11.25."""
    (row,) = redink.detection(from_counts=(12, 18, 28, 142), prevalence=0.5).rows
    assert (row["tp"], row["fp"], row["fn"], row["tn"]) == (30, 11.25, 70, 88.75)
    assert row["precision"] == pytest.approx(30 / 41.25)
    assert (row["recall"], row["tnr"]) == (0.3, 142 / 160)
    curve = redink.detection(GOLD, FLAGS, curve=True, prevalence=0.5, bootstrap=10).rows[0]
    plain = redink.detection(GOLD, FLAGS, curve=True).rows[0]
    assert curve["roc_area"] == pytest.approx(plain["roc_area"])
    # where errors and correct units are equally frequent, AUK is the ROC area minus one half
    assert curve["kappa_area"] == pytest.approx(plain["roc_area"] - 0.5)
    assert curve["kappa_area_low"] == pytest.approx(curve["roc_area_low"] - 0.5)
    with pytest.raises(DataError, match="true negatives"):
        detect(unit="span", prevalence=0.5)
    with pytest.raises(OptionError, match="--level correction"):
        detect(level="correction", prevalence=0.5)


OPTIONAL = """\
S He go to the school .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 3 4|||U:DET||||||OPTIONAL|||-NONE-|||0

S I like tea .
A 2 3|||R:NOUN|||coffee|||OPTIONAL|||-NONE-|||0
"""


@pytest.mark.parametrize(
    ("level", "cells"),
    [
        ("detection", [(1, 0, 0, 11), (3, 0, 0, 9), (0, 0, 1, 11), (1, 0, 1, 10)]),
        ("correction", [(1, 1, 0, 10), (2, 1, 0, 9), (0, 0, 1, 11), (1, 0, 1, 10)]),
    ],
)
def test_optional_edits(tmp_path: Path, level: str, cells: list[tuple[int, ...]]) -> None:
    """Neither missed nor false; with a bonus, those that the system makes are found."""
    (tmp_path / "gold.m2").write_text(OPTIONAL)
    systems = {
        "a": ["He goes to school .", "I like juice ."],
        "b": ["He go to the school .", "I like coffee ."],
    }
    rows = redink.detection(tmp_path / "gold.m2", systems, level=level).rows
    assert [row["bonus"] for row in rows] == ["without", "with"] * 2
    assert [tuple(row[c] for c in ("tp", "fp", "fn", "tn")) for row in rows] == cells


def test_optional_errors_are_no_units_of_a_curve(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(OPTIONAL)
    scores = [(0.1, 0.9, 0.2, 0.95, 0.3, 0.0), (0.1, 0.1, 0.95, 0.0)]
    sentences = [line[2:].split() for line in OPTIONAL.splitlines() if line.startswith("S ")]
    blocks = [
        "\n".join(f"{token}\tc\t{score}" for token, score in zip(tokens, of, strict=True))
        for tokens, of in zip(sentences, scores, strict=True)
    ]
    (tmp_path / "a.ged.tsv").write_text("\n\n".join(blocks) + "\n")
    (row,) = redink.detection(tmp_path / "gold.m2", [tmp_path / "a.ged.tsv"], curve=True).rows
    assert (row["roc_area"], row["n"]) == (1, 8)


def test_checklist() -> None:
    def missing(**options: Any) -> list[str]:
        rows = redink.detection(GOLD, FLAGS, checklist=True, **options).rows
        return [row["recommendation"] for row in rows if row["status"] == "missing"]

    assert len(missing()) == 4
    full = {"curve": True, "bootstrap": 10, "types": ["PREP"], "negatives": "letters"}
    assert missing(**full) == []
    assert "Prevalence (skew) of errors" in [
        row["recommendation"]
        for row in detect(unit="span", checklist=True).rows
        if row["status"] == "missing"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"show": "tests"}, "needs --bootstrap"),
        ({"by": "type", "annotators": "graded"}, "--by cannot be combined"),
        ({"by": "type", "unit": "token", "curve": True}, "--by cannot be combined"),
    ],
)
def test_impossible_combinations(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        detect(**options)
