"""Equal corrections count as equal, whatever edits they are made of."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import redink
from redink.error_detection.shared_edits import share_edits
from redink.errors import RedinkWarning
from redink.model import (
    UNKNOWN,
    AnnotatedSentence,
    Annotation,
    Corpus,
    Edit,
    Sentence,
    SystemOutput,
    apply_edits,
)

UNITS = ["token", "span", "sentence", "character", "target"]
CELLS = ("tp", "fp", "fn")
TOKENS = ("He", "spoke", "with", "friend", ".")
ONE = (Edit(2, 3, "to the"),)
TWO = (Edit(2, 3, "to"), Edit(3, 3, "the"))


def count(
    tokens: tuple[str, ...],
    gold: list[tuple[Edit, ...]],
    system: tuple[Edit, ...],
    **options: object,
) -> list[tuple[int, ...]]:
    """TP, FP and FN of a system next to some annotators of one sentence."""
    annotations = tuple(Annotation(str(number), edits) for number, edits in enumerate(gold))
    corpus = Corpus((AnnotatedSentence(Sentence(tokens), annotations),))
    output = SystemOutput("ours", annotations=(Annotation("0", system),))
    table = redink.detection(corpus, [output], **options)
    return [tuple(row[cell] for cell in CELLS) for row in table.rows]


@pytest.mark.parametrize("level", ["detection", "correction"])
@pytest.mark.parametrize(
    ("gold", "system", "tp"), [(ONE, TWO, 1), (TWO, ONE, 2), (ONE, ONE, 1), (TWO, TWO, 2)]
)
def test_one_edit_or_two(
    gold: tuple[Edit, ...], system: tuple[Edit, ...], tp: int, level: str
) -> None:
    for unit in ("token", "span"):
        assert count(TOKENS, [gold], system, unit=unit, level=level) == [(tp, 0, 0)]


def test_another_edit_of_the_sentence_does_not_matter() -> None:
    for wrong in (Edit(1, 2, "speaks"), Edit(3, 4, "friends"), Edit(4, 5, "!")):
        found = count(TOKENS, [ONE], (*TWO, wrong), unit="token", level="correction")
        assert found == [(1, 1, 0)], wrong


def test_equal_text_by_different_edits_is_reported() -> None:
    corpus = Corpus((AnnotatedSentence(Sentence(TOKENS), (Annotation("0", ONE),)),))
    output = SystemOutput("ours", annotations=(Annotation("0", TWO),))
    with pytest.warns(RedinkWarning, match="ours: 1"):
        table = redink.detection(corpus, [output])
    assert any("ours: 1" in note for note in table.notes)


def test_edits_counted_as_in_errant_stay_as_they_are() -> None:
    """The ERRANT scorer compares edits, so equal text by other edits is not equal there."""
    with pytest.warns(RedinkWarning, match="ERRANT"):
        found = count(TOKENS, [ONE], TWO, unit="span", level="correction", count="edits")
    assert found == [(0, 2, 1)]


def test_a_mark_without_correction_is_still_missed() -> None:
    marked = (*ONE, Edit(4, 5, "", UNKNOWN))
    with pytest.warns(RedinkWarning):
        assert count(TOKENS, [marked], TWO) == [(1, 0, 1)]


words = st.sampled_from(["a", "b", "c"])


@st.composite
def readers(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[Edit, ...], tuple[Edit, ...]]:
    """A source, and two readers' edits that make the same sentence of it."""
    tokens = tuple(draw(st.lists(words, min_size=1, max_size=5)))
    target = tuple(draw(st.lists(words, max_size=6)))
    return tokens, draw(edits_to(tokens, target)), draw(edits_to(tokens, target))


@st.composite
def edits_to(draw: st.DrawFn, tokens: tuple[str, ...], target: tuple[str, ...]) -> tuple[Edit, ...]:
    steps = draw(st.integers(0, 4))
    cuts = sorted(draw(st.integers(0, len(tokens))) for _ in range(steps))
    stops = sorted(draw(st.integers(0, len(target))) for _ in range(steps))
    spans = itertools.pairwise([(0, 0), *zip(cuts, stops, strict=True), (len(tokens), len(target))])
    return tuple(
        Edit(start, end, " ".join(target[to:to_end]), "R:X")
        for (start, to), (end, to_end) in spans
        if tokens[start:end] != target[to:to_end]
    )


@given(readers(), st.lists(words, max_size=4), st.sampled_from(["only", "second"]))
def test_a_system_with_an_annotators_text_makes_no_mistake(
    case: tuple[tuple[str, ...], tuple[Edit, ...], tuple[Edit, ...]],
    other: list[str],
    correction: str,
) -> None:
    tokens, gold, system = case
    assert apply_edits(tokens, gold) == apply_edits(tokens, system)
    if correction == "second":
        gold = tuple(Edit(e.start, e.end, "z", e.type, alternatives=(e.correction,)) for e in gold)
    further = (Edit(0, len(tokens), " ".join(other)),)
    for level, targets in itertools.product(["detection", "correction"], ["word:a,b", "slot:a"]):
        options = {"unit": UNITS, "targets": targets, "level": level, "selection": "sentence"}
        for annotators in ([gold], [gold, further]):
            for _, fp, fn in count(tokens, annotators, system, **options):
                assert (fp, fn) == (0, 0), (level, targets)


def test_shared_edits_keep_both_texts() -> None:
    system = (Edit(1, 2, "talked"), *TWO, Edit(3, 4, "friends"))
    ours = share_edits(TOKENS, ONE, system)
    assert [apply_edits(TOKENS, edits) for edits in ours] == [
        apply_edits(TOKENS, edits) for edits in (ONE, system)
    ]
    assert ours[1][1:2] == ONE
