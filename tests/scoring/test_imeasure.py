"""The I-measure against the published program, overall and sentence by sentence."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.commands.score import score
from redink.errors import OptionError
from redink.evaluation import Evaluation
from redink.inputs import read_corpus, read_system
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Sentence, SystemOutput
from redink.scoring.imeasure.gold_references import (
    ReferenceLattice,
    Tokens,
    count_combinations,
    find_clusters,
    make_lattice,
    mixed_references,
)
from redink.scoring.imeasure.i_measure import IMeasure, measure_levels
from redink.scoring.imeasure.mixing import possible_outcomes
from redink.scoring.imeasure.three_way_alignment import MOVES, compare, count_column, count_columns

COUNTS = ("tp", "tn", "fp", "fn", "fpn")


def printed(row: dict[str, Any]) -> list[str]:
    """A row as the published program prints it: counts, then percentages."""
    rates = [f"{100 * row[name]:.2f}" for name in ("wacc", "wacc_baseline", "score")]
    return [str(row[name]) for name in COUNTS] + rates


def published(line: str) -> list[str]:
    fields = line.split()
    start = 2 if fields[0].isdigit() else 1
    return fields[start : start + 5] + fields[start + 10 : start + 13]


@pytest.mark.parametrize(
    "system", ["UFC", *(pytest.param(name, marks=pytest.mark.slow) for name in ("INPUT", "AMU"))]
)
def test_one_annotator_at_a_time(system: str, shared: Path) -> None:
    """Oracle: I-measure 1.0 with -nomix -per-sent on the official gold; every figure equal."""
    data = shared / "data" / "conll14"
    path = data / "source.txt" if system == "INPUT" else data / "systems" / f"{system}.txt"
    loaded = Evaluation.load(data / "official-2014.combined.m2", {system: path})
    metric = IMeasure()
    statistics = metric.collect(loaded.references, loaded.systems[0])
    oracle = shared / "oracles" / "imeasure" / f"{system}.one-annotator-at-a-time.txt.gz"
    with gzip.open(oracle, "rt", encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    overall = {row["level"]: printed(row) for row in metric.rows(statistics)}
    for line in lines:
        if line.startswith(("Detection", "Correction")):
            assert overall[line.split()[0].lower()] == published(line)
    sentences = metric.sentence_rows(statistics)
    of_correction = [line for line in lines if line[:1].isdigit() and line.split()[1] == "Cor"]
    assert len(of_correction) == len(sentences) == 1312
    for row, line in zip(sentences, of_correction, strict=True):
        assert printed(row) == published(line), line


@pytest.mark.parametrize(
    ("maximize", "name"),
    [("cwacc", "mixed"), pytest.param("ci", "mixed-max-ci", marks=pytest.mark.slow)],
)
def test_annotators_mixed(maximize: str, name: str, shared: Path) -> None:
    """Oracle: the first 120 sentences with the corrections of both annotators combined."""
    data = shared / "data" / "conll14"
    corpus = read_corpus(data / "official-2014.combined.m2")
    output = read_system(data / "systems" / "UFC.txt")
    assert output.hypotheses is not None
    loaded = Evaluation.load(
        Corpus(corpus.sentences[:120]), [SystemOutput("UFC", hypotheses=output.hypotheses[:120])]
    )
    metric = IMeasure(mix=True, maximize=maximize)
    rows = metric.rows(metric.collect(loaded.references, loaded.systems[0]))
    overall = {row["level"]: printed(row) for row in rows}
    text = (shared / "oracles" / "imeasure" / f"UFC.first120.{name}.txt").read_text()
    for line in text.splitlines():
        if line.startswith(("Detection", "Correction")):
            assert overall[line.split()[0].lower()] == published(line)


def random_case(rng: random.Random) -> tuple[AnnotatedSentence, tuple[str, ...]]:
    """A short sentence of few words, up to three annotators, and a hypothesis near it."""
    words = "abcd"
    tokens = tuple(rng.choice(words) for _ in range(rng.randint(1, 7)))
    annotations = []
    for annotator in range(rng.randint(1, 3)):
        edits = []
        for _ in range(rng.randint(0, 3)):
            start = rng.randint(0, len(tokens))
            end = min(len(tokens), start + rng.choice([0, 1, 1, 2]))
            text = " ".join(rng.choice(words) for _ in range(rng.choice([0, 1, 1, 2])))
            edits.append(Edit(start, end, text))
        annotations.append(Annotation(str(annotator), tuple(edits)))
    hypothesis = list(tokens)
    for _ in range(rng.randint(0, 3)):
        at = rng.randint(0, len(hypothesis))
        hypothesis[at : at + rng.randint(0, 1)] = rng.choice([[], [rng.choice(words)]])
    return AnnotatedSentence(Sentence(tokens), tuple(annotations)), tuple(hypothesis)


@pytest.mark.parametrize("seed", range(4))
def test_the_lattice_knows_what_enumeration_finds(seed: int) -> None:
    """For every mixed reference there are, the same counts come out without making them all."""
    rng = random.Random(seed)
    checked = 0
    while checked < 60:
        sentence, hypothesis = random_case(rng)
        clusters = find_clusters(sentence)
        if count_combinations(clusters) > 60:
            continue
        source = sentence.source.tokens
        references = set(mixed_references(source, clusters))
        expected = {compare(source, hypothesis, reference) for reference in references}
        found = possible_outcomes(source, hypothesis, make_lattice(source, clusters))
        assert {(tuple(row[:5]), tuple(row[5:])) for row in found.tolist()} == expected
        checked += 1


def test_neighboring_islands_with_many_alternatives() -> None:
    """Nothing stands between them, and they stay apart; a reference may use no word of any."""
    source, hypothesis = ("b", "b"), ("a", "b")
    texts = (("", "a", "b", "cb"), ("", "b", "ba", "c"), ("", "bb", "bc", "cb"))
    islands = tuple(tuple(map(tuple, alternatives)) for alternatives in texts)
    references = {tuple("".join(chosen)) for chosen in product(*texts)}
    expected = {compare(source, hypothesis, reference) for reference in references}
    lattice = ReferenceLattice(((),) * 4, islands, (2, 1, 0, 0))
    found = possible_outcomes(source, hypothesis, lattice)
    assert {(tuple(row[:5]), tuple(row[5:])) for row in found.tolist()} == expected


def test_of_many_mixed_references_the_first_of_the_best_counts() -> None:
    annotators = [
        ((2, 3, ""), (6, 7, "a"), (8, 8, "c d")),
        ((0, 1, "c d"), (2, 3, "c d"), (6, 7, "a"), (8, 8, "a")),
        ((0, 0, "b"), (2, 3, "c d"), (4, 5, "b"), (6, 7, "a"), (8, 9, "a")),
    ]
    source, hypothesis = tuple("adcaddaacc"), tuple("adcaddaaca")
    sentence = AnnotatedSentence(
        Sentence(source),
        tuple(
            Annotation(str(number), tuple(Edit(*edit) for edit in edits))
            for number, edits in enumerate(annotators)
        ),
    )
    references = tuple(dict.fromkeys(mixed_references(source, find_clusters(sentence))))
    metric = IMeasure(mix=True, maximize="ci")
    expected = metric._first_best(source, hypothesis, references)
    assert metric._best_mixed(sentence, hypothesis) == expected


def test_shares_of_right_columns() -> None:
    counts = np.array([[2.0, 2, 3, 4, 1], [0, 0, 0, 0, 0]])  # tp, tn, fp, fn, fpn
    found = measure_levels(counts, np.ones((2, 2)), 3)["correction"]
    assert found["acc"].tolist() == [(2 + 2) / (2 + 2 + 3 + 4 - 1), 1]
    assert found["wacc"].tolist() == [(3 * 2 + 2) / (3 * (2 + 3) + 2 + 4 - 4 / 2), 1]


def simple(text: str, edits: tuple[Edit, ...] = ()) -> Corpus:
    return Corpus((AnnotatedSentence(Sentence.from_line(text), (Annotation("0", edits),)),))


@pytest.mark.parametrize(
    ("hypothesis", "expected"),
    [
        ("a c d", {"tp": 1, "tn": 2, "fp": 0, "fn": 0, "score": 1.0}),
        ("a b d", {"tp": 0, "tn": 2, "fp": 0, "fn": 1, "score": 0.0}),
        ("a x d", {"tp": 0, "tn": 2, "fp": 1, "fn": 1, "fpn": 1}),
        ("", {"tp": 0, "tn": 0}),
    ],
)
def test_small_cases(hypothesis: str, expected: dict[str, float]) -> None:
    """Right, unchanged, wrongly changed, and everything deleted: ``b`` should be ``c``."""
    corpus = simple("a b d", (Edit(1, 2, "c"),))
    system = SystemOutput("s", hypotheses=(Sentence.from_line(hypothesis),))
    table = score(corpus, [system], metrics=["imeasure"])
    row = next(row for row in table.rows if row["level"] == "correction")
    for name, value in expected.items():
        assert row[name] == value, name


def test_nothing_to_correct_and_nothing_changed_is_perfect() -> None:
    """I is 1 where the text was right and stays right."""
    system = SystemOutput("s", hypotheses=(Sentence.from_line("a b"),))
    table = score(simple("a b"), [system], metrics=["imeasure"])
    assert [row["score"] for row in table.rows] == [1.0, 1.0]


def test_impossible_options_are_refused() -> None:
    with pytest.raises(OptionError):
        IMeasure(maximize="x")
    with pytest.raises(OptionError):
        IMeasure(weight=0.5)


WORDS = st.lists(st.sampled_from("abc"), max_size=5).map(tuple)


@given(WORDS, WORDS, WORDS)
def test_the_path_is_that_of_the_whole_table(
    source: Tokens, hypothesis: Tokens, reference: Tokens
) -> None:
    costs = {(0, 0, 0): 0}
    texts = source, hypothesis, reference

    def before(cell: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...], list[str]]]:
        for move in MOVES:
            earlier = tuple(at - step for at, step in zip(cell, move, strict=True))
            if min(earlier) < 0:
                continue
            words = [
                text[at] if step else ""
                for text, at, step in zip(texts, earlier, move, strict=True)
            ]
            pairs = combinations(words, 2)
            cost = sum(0 if a == b else 3 if a and b else 2 for a, b in pairs)
            yield costs[earlier] + cost, earlier, words

    for cell in product(*(range(len(text) + 1) for text in texts)):
        if any(cell):
            costs[cell] = min(cost for cost, _, _ in before(cell))
    expected = [0] * 5
    cell = tuple(map(len, texts))
    while any(cell):
        here = costs[cell]
        cell, words = next((to, words) for cost, to, words in before(cell) if cost == here)
        count_column(expected, *words)
    assert list(count_columns(*texts)) == expected
