"""The effects of edits on the scores of sentences."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from tests.scoring.metric_oracles import load

import redink
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Sentence


def bigrams(source: str, hypothesis: str, references: list[str]) -> float:
    """F1 of character bigrams with the first reference."""
    one, other = (
        Counter(text[at : at + 2] for at in range(len(text) - 1))
        for text in (f"^{hypothesis}$", f"^{references[0]}$")
    )
    return 2 * (one & other).total() / (one.total() + other.total())


def corpus_of(sources: list[str], edits: list[list[Edit]]) -> Corpus:
    pairs = zip(map(Sentence.from_line, sources), edits, strict=True)
    return Corpus(tuple(AnnotatedSentence(s, (Annotation("0", tuple(e)),)) for s, e in pairs))


@pytest.mark.filterwarnings("ignore::redink.RedinkWarning")
@pytest.mark.parametrize("method", ["add", "sub", "shapley"])
def test_effects_equal_those_of_gec_metrics(shared: Path, method: str) -> None:
    cases = load(shared / "oracles" / "attribution" / "cases.json.gz")
    lines, right = (
        (shared / "data" / "conll14" / name).read_text(encoding="utf-8").split("\n")
        for name in ("source.txt", "references/ref0.txt")
    )
    sources = [lines[case["sentence"]] for case in cases]
    table = redink.attribute(
        source=sources,
        references=[[right[case["sentence"]] for case in cases]],
        systems={"s": corpus_of(sources, [[Edit(*e) for e in case["edits"]] for case in cases])},
        metrics=[bigrams],
        method=method,
    )
    expected = [effect for case in cases for effect in case[method]]
    assert table["effect"] == pytest.approx(expected, abs=1e-12)


SOURCE, REFERENCE = "a b c d", "a x c e"
EDITS = [Edit(1, 2, "x"), Edit(3, 4, "f"), Edit(4, 4, "g")]


def overlap(source: str, hypothesis: str, references: list[str]) -> float:
    """A score without additivity: squared number of words in common."""
    return float(len({*hypothesis.split()} & {*references[0].split()}) ** 2 - len(hypothesis))


def attribute(**options: object) -> redink.Table:
    return redink.attribute(
        source=[SOURCE, "e"],
        references=[[REFERENCE, "e"]],
        systems={"s": corpus_of([SOURCE, "e"], [EDITS, []])},
        metrics=[overlap],
        **options,
    )


def test_effects_by_definition() -> None:
    """A sentence without edits has no row; 0 edits are exact, so that orders are drawn."""

    def score(chosen: frozenset[int]) -> float:
        edits = [edit for n, edit in enumerate(EDITS) if n in chosen]
        words = redink.apply_edits(SOURCE.split(), edits)
        return overlap("", " ".join(words), [REFERENCE])

    difference = score(frozenset({0, 1, 2})) - score(frozenset())
    orders = list(permutations(range(3)))
    shapley = [
        sum(
            score(frozenset(order[: order.index(n) + 1]))
            - score(frozenset(order[: order.index(n)]))
            for order in orders
        )
        / len(orders)
        for n in range(3)
    ]
    exact, drawn = attribute(), attribute(exact=0)
    assert exact["effect"] == pytest.approx(shapley)
    assert sum(exact["effect"]) == pytest.approx(difference) == exact["difference"][0]
    assert sum(drawn["effect"]) == pytest.approx(difference)
    assert drawn["effect"] == pytest.approx(shapley, abs=0.5)
    assert drawn.rows == attribute(exact=0).rows
    alone = [score(frozenset({n})) - score(frozenset()) for n in range(3)]
    assert attribute(method="add")["effect"] == pytest.approx(
        [one * difference / sum(alone) for one in alone]
    )


def test_effects_by_type_and_edit_metrics() -> None:
    """A correct and a wrong edit: F0.5 of the sentence is 5/9 with both, and 0 without edits."""
    gold = corpus_of(["a b c ."], [[Edit(0, 1, "x", "R:NOUN")]])
    both = corpus_of(["a b c ."], [[Edit(0, 1, "x", "R:NOUN"), Edit(2, 3, "y", "R:VERB")]])
    options = {"metrics": ["errant"], "method": "add"}
    edits = redink.attribute(gold, {"s": both}, **options)
    assert [(row["type"], row["effect"]) for row in edits] == [
        ("R:NOUN", pytest.approx(5 / 9)),
        ("R:VERB", 0),
    ]
    types = redink.attribute(gold, {"s": both}, by="type", **options)
    assert [(r["type"], r["edits"], r["raising"], r["lowering"]) for r in types] == [
        ("R:NOUN", 1, 1, 0),
        ("R:VERB", 1, 0, 0),
    ]
