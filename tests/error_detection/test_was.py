"""Writer, annotator, system: the five rows of figure 4, graded errors, several annotators."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.error_detection.units import SpanUnits, TokenUnits, Units
from redink.error_detection.writer_annotator_system import (
    Pattern,
    PatternCounts,
    Sites,
    UnitChanges,
    choose_best,
    grade,
    take_majority,
    tally_sentence,
    unite,
    weigh_sentence,
)
from redink.errors import OptionError
from redink.inputs import read_corpus
from redink.model import AnnotatedSentence, Counts, Edit, Sentence

# Chodorow et al. (2012), figure 4 and footnote 2, word for word.
FIGURE_4 = [
    ("X", "X", "X", "TN", "TN"),
    ("X", "X", "Y", "FP", "FP"),
    ("X", "Y", "X", "FN", "FN"),
    ("X", "Y", "Y", "TP", "TP"),
    ("X", "Y", "Z", "TP", "FP and FN"),
]

forms = st.sampled_from(["of", "in", "on", ""])
triples = st.lists(st.tuples(forms, forms, forms), max_size=40)
shares = st.integers(0, 5).map(lambda n: Fraction(n, 5))
keys = st.integers(0, 9)
readings = st.dictionaries(keys, st.frozensets(forms, max_size=2), max_size=6).map(UnitChanges)


def pattern_of(writer: object, annotator: object, system: object) -> Pattern:
    """The row of figure 4 to which three forms belong, letter by letter."""
    letters = {writer: "x"}
    for form in (annotator, system):
        letters.setdefault(form, "xyz"[len(letters)])
    return Pattern("".join(letters[form] for form in (writer, annotator, system)))


@pytest.mark.parametrize(("writer", "annotator", "system", "detection", "correction"), FIGURE_4)
def test_figure_4(
    writer: str, annotator: str, system: str, detection: str, correction: str
) -> None:
    """Each row is counted as the paper says, for detection and for correction."""
    tally = tally_sentence(
        Sites(1), read_single_words([writer], [annotator]), read_single_words([writer], [system])
    )
    assert getattr(tally, pattern_of(writer, annotator, system)) == 1
    for level, cells in (("detection", detection), ("correction", correction)):
        expected = {name: int(name.upper() in cells.split()) for name in ("tp", "fp", "fn", "tn")}
        assert tally.counts(level) == Counts(**expected), level


def read_single_words(written: list[str], revised: list[str]) -> UnitChanges:
    """What someone made of a sentence by changing single words."""
    edits = [
        Edit(i, i + 1, new)
        for i, (old, new) in enumerate(zip(written, revised, strict=True))
        if old != new
    ]
    return TokenUnits(insertions="none").read(0, Sentence(tuple(written)), edits)


@given(triples)
def test_random_triples(units: list[tuple[str, str, str]]) -> None:
    """Over random forms the tally by edits is the count of figure 4's rows, unit by unit."""
    writer, annotator, system = ([unit[who] for unit in units] for who in range(3))
    tally = tally_sentence(
        Sites(len(units)), read_single_words(writer, annotator), read_single_words(writer, system)
    )
    found = [pattern_of(*unit) for unit in units]
    assert tally == PatternCounts(*map(found.count, Pattern))

    detection, correction = tally.counts("detection"), tally.counts("correction")
    assert detection.n.value == len(units)
    assert detection.tp == found.count(Pattern.XYY) + found.count(Pattern.XYZ)
    # footnote 2: X Y Z is both an FP (system ≠ writer) and an FN (system ≠ annotator)
    assert correction.fp == sum(s not in {w, a} for w, a, s in units)
    assert correction.fn == sum(a not in {w, s} for w, a, s in units)
    assert correction.tp == sum(w != a == s for w, a, s in units)
    assert correction.tn == detection.tn == sum(w == a == s for w, a, s in units)


@given(readings, readings, st.frozensets(keys))
def test_trivial_negatives_are_counted_apart(
    annotator: UnitChanges, system: UnitChanges, candidates: frozenset[int]
) -> None:
    plain = tally_sentence(Sites(10), annotator, system)
    ruled = tally_sentence(Sites(10, candidates), annotator, system)
    assert with_trivial(ruled) == plain.counts()
    assert (ruled.xxy, ruled.xyx, ruled.xyy, ruled.xyz) == plain_rows(plain)
    changed = annotator.forms.keys() | system.forms.keys()
    assert ruled.xxx == len(candidates - changed)
    assert ruled.trivial == len(set(range(10)) - candidates - changed)


def plain_rows(tally: PatternCounts) -> tuple[float, ...]:
    return (tally.xxy, tally.xyx, tally.xyy, tally.xyz)


def with_trivial(tally: PatternCounts) -> Counts:
    """The four cells with the trivial negatives among TN, as figure 10 beside figure 9."""
    return tally.counts() + Counts(0, 0, 0, tally.trivial)


def test_figures_9_and_10() -> None:
    """A hundred trivial negatives raise accuracy and kappa from figure 9's to figure 10's."""
    tally = PatternCounts(xxx=42, xxy=18, xyx=28, xyy=12, trivial=100)
    without, included = tally.counts(), with_trivial(tally)
    assert (without, included) == (Counts(12, 18, 28, 42), Counts(12, 18, 28, 142))
    assert [round(c.accuracy.value, 2) for c in (without, included)] == [0.54, 0.77]
    assert [round(c.kappa.value, 2) for c in (without, included)] == [0.00, 0.21]


def test_graded_error_of_the_paper() -> None:
    weights = {0: Fraction(4, 5)}
    flagged = weigh_sentence(Sites(1), weights, UnitChanges({0: frozenset()}))
    assert flagged.counts() == Counts(0.8, 0.2, 0, 0)
    missed = weigh_sentence(Sites(1), weights, UnitChanges())
    assert missed.counts() == Counts(0, 0, 0.8, 0.2)


@given(st.dictionaries(keys, st.sampled_from([0, 1])), readings, st.frozensets(keys))
def test_weights_of_0_and_1_are_plain_counts(
    weights: dict[int, int], system: UnitChanges, candidates: frozenset[int]
) -> None:
    annotator = UnitChanges({key: frozenset() for key, weight in weights.items() if weight})
    for sites in (Sites(10), Sites(10, candidates), Sites(None)):
        graded = weigh_sentence(sites, weights, system)
        plain = tally_sentence(sites, annotator, system)
        assert graded.counts() == plain.counts()
        assert with_trivial(graded) == with_trivial(plain)


@given(st.dictionaries(keys, shares), readings)
def test_graded_counts_add_up_to_the_units(
    weights: dict[int, Fraction], system: UnitChanges
) -> None:
    counts = weigh_sentence(Sites(10), weights, system).counts()
    assert counts.n.value == pytest.approx(10)
    assert counts.tp + counts.fn == pytest.approx(float(sum(weights.values())))


@given(st.lists(readings, min_size=1, max_size=5))
def test_several_annotators(annotators: list[UnitChanges]) -> None:
    votes = {
        key: sum(key in reading.forms for reading in annotators)
        for reading in annotators
        for key in reading.forms
    }
    assert unite(annotators).forms.keys() == votes.keys()
    assert take_majority(annotators).forms.keys() == {
        key for key, number in votes.items() if number > len(annotators) / 2
    }
    assert grade(annotators) == {key: Fraction(n, len(annotators)) for key, n in votes.items()}
    for key, accepted in unite(annotators).forms.items():
        said = [reading.forms[key] for reading in annotators if key in reading.forms]
        assert accepted == frozenset().union(*said)


def test_several_forms_are_alternatives() -> None:
    annotator = UnitChanges({0: frozenset({"the", "a"}), 1: frozenset({"the", "a"})})
    system = UnitChanges({0: frozenset({"a"}), 1: frozenset({"an"})})
    tally = tally_sentence(Sites(2), annotator, system)
    assert (tally.xyy, tally.xyz) == (1, 1)


def test_the_best_annotator_needs_a_possible_beta() -> None:
    with pytest.raises(OptionError, match="beta"):
        choose_best([[PatternCounts()]], beta=-1)


def compare_files(
    reference: tuple[AnnotatedSentence, ...],
    hypothesis: tuple[AnnotatedSentence, ...],
    unit: Units,
) -> Counts:
    """The detection counts of a whole corpus under the best annotator of each sentence."""
    tallies = []
    for number, (gold, ours) in enumerate(zip(reference, hypothesis, strict=True)):
        found = unit.keys(number, gold.source)
        sites = Sites(None if found is None else len(found))
        system, annotators = (
            [unit.read(number, gold.source, a.edits) for a in s.annotations] or [UnitChanges()]
            for s in (ours, gold)
        )
        tallies.append(
            [tally_sentence(sites, a, s, counting="edits") for s in system for a in annotators]
        )
    chosen = choose_best(tallies)
    best = (candidates[index] for candidates, index in zip(tallies, chosen, strict=True))
    return sum(best, PatternCounts()).counts()


def printed_counts(printed: str) -> tuple[int, ...]:
    """TP, FP and FN as errant_compare prints them in its last table."""
    lines = printed.strip().splitlines()
    header = max(i for i, line in enumerate(lines) if line.startswith("TP"))
    return tuple(map(int, lines[header + 1].split()[:3]))


def test_equal_to_errant_on_random_cases(shared: Path, tmp_path: Path) -> None:
    packed = shared / "oracles/errant-compare/random-cases.json.gz"
    cases = json.loads(gzip.decompress(packed.read_bytes()))
    units: dict[str, Units] = {"detection-token": TokenUnits(), "detection-span": SpanUnits()}
    checked = 0
    for number, case in enumerate(c for c in cases if c["mode"] in units):
        files = {}
        for side in ("hyp", "ref"):
            files[side] = tmp_path / f"{number}.{side}.m2"
            files[side].write_text(case[side])
        counts = compare_files(
            read_corpus(files["ref"]).sentences,
            read_corpus(files["hyp"]).sentences,
            units[case["mode"]],
        )
        assert (counts.tp, counts.fp, counts.fn) == printed_counts(case["printed"]), number
        checked += 1
    assert checked > 20


def test_a_unit_touched_twice_is_one_unit_unless_edits_are_counted() -> None:
    source = Sentence(("he", "go", "home"))
    edits = [Edit(1, 1, "has"), Edit(1, 2, "gone")]
    unit = TokenUnits()
    annotator = unit.read(0, source, edits)
    sites = Sites(len(unit.keys(0, source)))
    once = tally_sentence(sites, annotator, UnitChanges()).counts()
    twice = tally_sentence(sites, annotator, UnitChanges(), counting="edits").counts()
    assert (once, twice) == (Counts(0, 0, 1, 3), Counts(0, 0, 2, 3))
