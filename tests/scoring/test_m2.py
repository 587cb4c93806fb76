"""The metric ``m2`` against the official scorer 3.2."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.corpora import hypotheses_of_text, read_quietly, references_of

from redink.errors import OptionError
from redink.model import AnnotatedSentence, Annotation, Edit, References, Sentence
from redink.scoring.m2 import path_search
from redink.scoring.m2.edit_lattice import EditLattice, Gold
from redink.scoring.m2.max_match import MaxMatch, _in_official_order
from redink.scoring.python2 import _signed, hash_frozenset, hash_text, hash_tuple, iteration_order

TEAMS = ("AMU", "CAMB", "CUUI", "IITB", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "--max_unchanged_words 0": {"max_unchanged_words": 0},
    "--beta 1": {"beta": 1.0},
    "--ignore_whitespace_casing": {"ignore_whitespace_casing": True},
}


def printed(row: dict[str, Any]) -> list[str]:
    """Precision, recall and F as the official scorer prints them."""
    return [f"{row[name]:.4f}" for name in ("precision", "recall", "f")]


@pytest.fixture(scope="module")
def gold(shared: Path) -> References:
    return References(read_quietly(shared / "data" / "conll14" / "official-2014.combined.m2"))


@pytest.fixture(scope="module")
def rows(shared: Path, gold: References) -> dict[str, dict[str, Any]]:
    metric = MaxMatch()
    found = {}
    for team in TEAMS:
        text = (shared / "data" / "conll14" / "systems" / f"{team}.txt").read_text()
        hypotheses = hypotheses_of_text(text.splitlines())
        found[team] = metric.rows(metric.collect(gold, hypotheses))[0]
    return found


@pytest.mark.parametrize("team", ["AMU", "CAMB", "NTHU", "UFC"])
def test_recorded_output(shared: Path, rows: dict[str, dict[str, Any]], team: str) -> None:
    output = (shared / "oracles" / "m2scorer" / f"{team}.txt").read_text().split()
    assert printed(rows[team]) == output[2::3]


def test_published_scores(shared: Path, rows: dict[str, dict[str, Any]]) -> None:
    """F0.5 of all twelve teams is that of Bryant et al. 2017, table 4, column M2 gold."""
    published = json.loads((shared / "oracles" / "published.json").read_text())
    table = published["bryant-2017"]["table4_f05"]
    assert {team: round(100 * rows[team]["f"], 2) for team in TEAMS} == {
        team: table[team][0] for team in TEAMS
    }


def test_random_corpora(shared: Path, tmp_path: Path) -> None:
    """All 320 recorded random corpora: repeated words, alternatives, noops, missing annotators."""
    path = shared / "oracles" / "m2scorer" / "random-cases.json.gz"
    cases = json.loads(gzip.decompress(path.read_bytes()))
    assert len(cases) == 320
    for number, case in enumerate(cases):
        metric = MaxMatch(**OPTIONS[" ".join(case["options"])])
        statistics = metric.collect(
            references_of(case["m2"], tmp_path), hypotheses_of_text(case["hyp"])
        )
        expected = [f"{case[name]:.4f}" for name in ("precision", "recall", "f")]
        assert printed(metric.rows(statistics)[0]) == expected, f"case {number}: {case}"


X, Z = Edit(0, 1, "x"), Edit(2, 3, "z")
PARTS = (Edit(1, 2, "x"), Edit(2, 3, "y"))
TWO, THREE = Edit(0, 4, "x b c y"), Edit(0, 5, "x b c d y")
ANY = Edit(0, 1, "the", alternatives=("", "this"))
THIS = Edit(0, 1, "the", alternatives=("this",))


@pytest.mark.parametrize(
    ("source", "hypothesis", "edits", "options", "expected"),
    [
        pytest.param("a b c", "a b c", (X,), {}, (0, 0, 1), id="nothing-changed"),
        pytest.param("a b c", "", (), {}, (0, 1, 0), id="everything-deleted"),
        pytest.param("a b c", "", (Edit(0, 3, ""),), {}, (1, 1, 1), id="deleted-as-in-gold"),
        # a gold edit splits what is inserted at one position
        pytest.param("", "a b", (Edit(0, 0, "a b"),), {}, (1, 1, 1), id="empty-source"),
        pytest.param("", "a b", (Edit(0, 0, "a"),), {}, (1, 2, 1), id="split-insertion"),
        pytest.param("", "", (), {}, (0, 0, 0), id="both-empty"),
        # the same text gives one edit or two, whichever agrees with the annotator
        pytest.param("a b c d", "a x y d", (Edit(1, 3, "x y"),), {}, (1, 1, 1), id="one-edit"),
        pytest.param("a b c d", "a x y d", PARTS, {}, (2, 2, 2), id="two-edits"),
        # an edit may contain two unchanged words, or as many as the option says
        pytest.param("a b c d", "x b c y", (TWO,), {}, (1, 1, 1), id="two-unchanged"),
        pytest.param("a b c d e", "x b c d y", (THREE,), {}, (0, 2, 1), id="three-unchanged"),
        pytest.param(
            *("a b c d e", "x b c d y", (THREE,), {"max_unchanged_words": 3}, (1, 1, 1)),
            id="three-allowed",
        ),
        pytest.param(
            "a b c d", "x b c y", (TWO,), {"max_unchanged_words": 0}, (0, 2, 1), id="none-allowed"
        ),
        # any of the corrections of a gold edit matches it
        pytest.param("a dog", "this dog", (ANY,), {}, (1, 1, 1), id="last-alternative"),
        pytest.param("a dog", "dog", (ANY,), {}, (1, 1, 1), id="empty-alternative"),
        pytest.param("a dog", "an cat", (THIS,), {}, (0, 1, 1), id="no-alternative"),
        # one edit matches all equal gold edits that follow; they are searched in file order
        pytest.param("a b", "x b", (X, X), {}, (2, 1, 2), id="repeated-gold-edit"),
        pytest.param("a b c", "x b z", (X, Z), {}, (2, 2, 2), id="in-order"),
        pytest.param("a b c", "x b z", (Z, X), {}, (1, 2, 2), id="out-of-order"),
        pytest.param("in to The", "into the", (), {}, (0, 1, 0), id="space-and-case"),
        pytest.param(
            *("in to The", "into the", (), {"ignore_whitespace_casing": True}, (0, 0, 0)),
            id="space-and-case-ignored",
        ),
    ],
)
def test_small_cases(
    source: str, hypothesis: str, edits: Any, options: dict[str, Any], expected: Any
) -> None:
    (match,) = MaxMatch(**options).match(source.split(), hypothesis.split(), [edits])
    assert (len(match.matched), len(match.proposed), len(edits)) == expected


def test_a_reward_is_as_great_as_there_are_arcs() -> None:
    """By the last bits of sums it decides between readings that are as good.

    The official scorer has neither gold edit here: it counts every step once for each price.
    """
    golds = [Edit(8, 9, ""), Edit(7, 8, "a")]
    (match,) = MaxMatch().match(list("cabacabab"), list("cabacab"), [golds])
    assert (match.proposed, match.matched) == (((4, 7, "c"),), ())


def test_types_of_matched_gold_edits(tmp_path: Path) -> None:
    """By type there are true positives and false negatives; false positives have no type."""
    text = (
        "S a b c d\n"
        "A 0 1|||Nn|||x|||REQUIRED|||-NONE-|||0\n"
        "A 2 3|||Prep|||z|||REQUIRED|||-NONE-|||0\n"
    )
    metric = MaxMatch(by="full")
    statistics = metric.collect(references_of(text, tmp_path), hypotheses_of_text(["x b c y"]))
    overall, nn, prep = metric.rows(statistics)
    assert (overall["tp"], overall["fp"], overall["fn"]) == (1, 1, 1)
    assert nn == {
        "type": "Nn",
        "tp": 1,
        "fp": None,
        "fn": 0,
        "precision": None,
        "recall": 1.0,
        "f": None,
    }
    assert (prep["tp"], prep["fn"], prep["recall"]) == (0, 1, 0.0)


def test_verdicts(tmp_path: Path) -> None:
    text = "S a b c d\nA 0 1|||Nn|||x|||REQUIRED|||-NONE-|||0\n"
    gold, system = references_of(text, tmp_path), hypotheses_of_text(["x b c y"])
    metric = MaxMatch()
    (edits,) = metric.verdicts(gold, system, metric.collect(gold, system))
    assert (edits[0]["start"], edits[0]["correction"]) == (0, "x")
    assert [e["verdict"] for e in edits] == ["TP", "FP"]


# Python 2.7.18: list(dict.fromkeys(keys)).
@pytest.mark.parametrize(
    ("keys", "order"),
    [
        ([1, 0, 2], [0, 1, 2]),
        ([9, 1, 8], [8, 9, 1]),
        ([8, 0, 16], [8, 0, 16]),
        ([40, 8, 3, 1, 24, 17], [1, 3, 17, 40, 8, 24]),
    ],
)
def test_annotators_are_tried_in_the_old_order(keys: list[int], order: list[int]) -> None:
    """Where counts tie, the first annotator wins: the first in a dictionary of Python 2."""
    assert [keys[place] for place in iteration_order(keys)] == order


@pytest.mark.parametrize(
    ("names", "order"), [("1 8", "8 1"), ("0 1", "0 1"), ("ann 8 1", "ann 8 1"), ("3", "3")]
)
def test_annotators_of_a_sentence_are_tried_in_the_old_order(names: str, order: str) -> None:
    sentence = AnnotatedSentence(
        Sentence(("a",)), tuple(Annotation(name, ()) for name in names.split())
    )
    assert [a.annotator for a in _in_official_order(sentence)] == order.split()


def test_hashes_are_those_of_python_2() -> None:
    """What ``hash`` gives there (64 bits): -1 is kept for errors, and something else stands in."""
    texts = [hash_text(text) for text in ("", "a", "abc", "hello", "foo")]
    assert texts == [0, 12416037344, 1453079729188098211, 840651671246116861, -4177197833195190597]
    assert (hash_tuple([]), hash_tuple([1, 2])) == (3527539, 3713081631934410656)
    assert hash_frozenset([]) == 133156838395276
    assert _signed((1 << 63) - 1, instead_of_minus_one=-2) == (1 << 63) - 1
    assert _signed((1 << 64) - 1, instead_of_minus_one=-2) == -2


def test_negative_unchanged_words_are_refused() -> None:
    with pytest.raises(OptionError):
        MaxMatch(max_unchanged_words=-1)


words = st.lists(st.sampled_from("aab"), max_size=9)


@st.composite
def tasks(draw: st.DrawFn) -> tuple[list[str], list[str], list[list[Gold]], int]:
    """Sentences of repeated words with gold edits that the hypothesis may have made."""
    source, hypothesis = draw(words), draw(words)
    annotators = []
    for _ in range(draw(st.integers(1, 2))):
        golds = []
        for _ in range(draw(st.integers(0, 4))):
            start = draw(st.integers(0, len(source)))
            end = draw(st.integers(start, min(len(source), start + 2)))
            first = draw(st.integers(0, len(hypothesis)))
            last = draw(st.integers(first, min(len(hypothesis), first + 2)))
            golds.append(Gold(start, end, frozenset({" ".join(hypothesis[first:last])})))
        annotators.append(golds)
    return source, hypothesis, annotators, draw(st.integers(0, 3))


SEARCHES = (path_search._search_few, path_search._search_many, path_search._search_linear)


@given(tasks())
def test_dense_search_finds_the_same_path(
    task: tuple[list[str], list[str], list[list[Gold]], int],
) -> None:
    source, hypothesis, annotators, most = task
    lattice = EditLattice(source, hypothesis)
    slow = path_search._search_few(lattice, annotators, most)
    assert path_search._search_many(lattice, annotators, most) == slow


@given(tasks())
def test_every_path_makes_the_hypothesis(
    task: tuple[list[str], list[str], list[list[Gold]], int],
) -> None:
    source, hypothesis, annotators, most = task
    lattice = EditLattice(source, hypothesis)
    for search in SEARCHES:
        for path in search(lattice, annotators, most) or []:
            assert apply(source, [lattice.edit(*arc) for arc in path]) == hypothesis


def apply(source: Sequence[str], edits: Sequence[tuple[int, int, str]]) -> list[str]:
    made: list[str] = []
    position = 0
    for start, end, correction in edits:
        made += [*source[position:start], *correction.split()]
        position = end
    return made + list(source[position:])


def test_linear_search_is_as_good() -> None:
    rng = random.Random(4)
    for _ in range(60):
        source = [rng.choice("abcdefgh") for _ in range(rng.randint(4, 12))]
        hypothesis = [rng.choice("abcdefgh") for _ in range(rng.randint(4, 12))]
        places = sorted(rng.sample(range(len(source)), 3))
        golds = [
            Gold(i, i + 1, frozenset({hypothesis[min(i, len(hypothesis) - 1)]})) for i in places
        ]
        lattice = EditLattice(source, hypothesis)
        (slow,) = path_search._search_few(lattice, [golds], 2) or [[]]
        (quick,) = path_search._search_linear(lattice, [golds], 2)
        assert matches(lattice, quick, golds) == matches(lattice, slow, golds)


def test_linear_search_rewards_the_same_insertions() -> None:
    golds = [Gold(2, 2, frozenset({"a e"})), Gold(4, 4, frozenset({"e"}))]
    lattice = EditLattice("dggfg", "dhaeeahhc")
    (slow,) = path_search._search_few(lattice, [golds], 0) or [[]]
    (quick,) = path_search._search_linear(lattice, [golds], 0)
    assert matches(lattice, quick, golds) == matches(lattice, slow, golds) == 1


def test_linear_search_needs_no_more_room_than_the_sentence() -> None:
    lattice = EditLattice("abcabc", "bcaxbc")
    every = path_search._search_linear(lattice, [[]], len(lattice.source))
    assert path_search._search_linear(lattice, [[]], 10**8) == every


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_word_put_in_anywhere_is_found(search: Any, at: int) -> None:
    source, golds = ["a", "b", "c"], [Gold(at, at, frozenset({"x"}))]
    lattice = EditLattice(source, [*source[:at], "x", *source[at:]])
    ((arc,),) = search(lattice, [golds], 2)
    assert lattice.edit(*arc) == (at, at, "x")


def matches(lattice: EditLattice, path: Sequence[tuple[int, int]], golds: Sequence[Gold]) -> int:
    edits = [lattice.edit(*arc) for arc in path]
    return sum(
        any((g.start, g.end) == (s, e) and text in g.corrections for g in golds)
        for s, e, text in edits
    )


@pytest.mark.parametrize("length", [30, 59])
def test_repeated_words_are_bounded(length: int) -> None:
    """Sixty equal words against fewer, or against others, are scored at once, not in hours."""
    edits = [Edit(i, i + 1, "") for i in range(0, 60, 7)]
    (match,) = MaxMatch().match(["a"] * 60, ["a"] * length, [edits])
    assert apply(["a"] * 60, match.proposed) == ["a"] * length
    (match,) = MaxMatch().match(["a"] * 60, ["b"] * (length + 1), [edits])
    assert apply(["a"] * 60, match.proposed) == ["b"] * (length + 1)
