"""Merging of the steps of an alignment into edits; parity with the original is tested elsewhere."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

import redink
from redink.analysis import edit_extraction as merging
from redink.analysis.analyzer import Analysis
from redink.analysis.annotation_options import AnnotationOptions, Merging
from redink.analysis.edit_extraction import AlignmentStep
from redink.analysis.english import ENGLISH
from redink.analysis.english.errant_2_0_0 import OldMerging
from redink.analysis.english.merging import EnglishMerging
from redink.analysis.universal.universal_rules import UniversalMerging
from redink.errors import OptionError

merge = partial(merging.merge, rules=ENGLISH.merging)


def analysis_of(*words: tuple[str, str]) -> Analysis:
    """Words with their parts of speech; a POS tag for possessive endings."""
    tokens = tuple(word for word, _ in words)
    pos = tuple(pos for _, pos in words)
    tags = tuple("POS" if word == "'s" else "X" for word in tokens)
    return Analysis(tokens, tuple(t.lower() for t in tokens), pos, tags, tokens)


# a b c -> x y c z: two replacements that touch, an insertion apart from them
SOURCE = analysis_of(("a", "DET"), ("b", "ADP"), ("c", "NOUN"))
CORRECTED = analysis_of(("x", "DET"), ("y", "ADP"), ("c", "NOUN"), ("z", "ADV"))
STEPS = [
    AlignmentStep("S", 0, 1, 0, 1),
    AlignmentStep("S", 1, 2, 1, 2),
    AlignmentStep("I", 3, 3, 3, 4),
]


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("all-split", [(0, 1, 0, 1), (1, 2, 1, 2), (3, 3, 3, 4)]),
        ("all-merge", [(0, 2, 0, 2), (3, 3, 3, 4)]),
        ("all-equal", [(0, 2, 0, 2), (3, 3, 3, 4)]),
        ("rules", [(0, 1, 0, 1), (1, 2, 1, 2), (3, 3, 3, 4)]),
    ],
)
def test_strategies(strategy: Merging, expected: list[Any]) -> None:
    assert merge(STEPS, SOURCE, CORRECTED, strategy=strategy) == expected


@pytest.mark.parametrize(
    ("source", "corrected", "edit"),
    [
        ("He came , we left .", "He came . We left .", (2, 4, ". We")),
        ("He came , we left .", "He came We left .", (2, 4, "We")),
        ("He came we left .", "He came . We left .", (2, 3, ". We")),
    ],
)
def test_rules_merge_a_mark_with_the_capital_that_it_asks_for(
    source: str, corrected: str, edit: tuple[int, int, str]
) -> None:
    found = redink.annotate(source, corrected)
    assert [(one.start, one.end, one.correction) for one in found] == [edit]


def test_fixed_knows_every_mark() -> None:
    """The original takes "()" for punctuation and ")(" not; fixed, both are."""
    steps = [AlignmentStep("I", 1, 1, 1, 2), AlignmentStep("S", 1, 2, 2, 3)]
    source = analysis_of(("a", "ADP"), ("we", "ADP"))
    for mark, plain, fixed in (
        ("()", [(1, 2, 1, 3)], [(1, 2, 1, 3)]),
        (")(", [(1, 1, 1, 2), (1, 2, 2, 3)], [(1, 2, 1, 3)]),
    ):
        corrected = analysis_of(("a", "ADP"), (mark, "X"), ("We", "ADP"))
        assert merge(steps, source, corrected) == plain
        assert merge(steps, source, corrected, fixed=True) == fixed


def long_pair(rng: random.Random, size: int) -> tuple[Analysis, Analysis, list[AlignmentStep]]:
    """Two passages of a few words, and steps that replace all of the first."""
    stems = ["".join(rng.choices("ab-'", k=rng.randint(1, 4))) for _ in range(rng.randint(1, 9))]
    words = [*stems, *map(str.capitalize, stems), *rng.sample(["'s", ",", "."], rng.randint(0, 3))]
    kinds = rng.sample(["NOUN", "VERB", "AUX", "PART", "DET", "PUNCT"], rng.randint(1, 6))
    pos = {word: rng.choice(kinds) for word in words}
    sides = [rng.choices(words, k=rng.randint(1, size)) for _ in range(2)]
    source, corrected = (analysis_of(*((word, pos[word]) for word in side)) for side in sides)
    steps = []
    operations = rng.choice(["SSSSDI", "SDDDDDI"])
    i = j = 0
    while i < len(source) or j < len(corrected):
        operation = rng.choice(operations)
        down, right = operation != "I", operation != "D"
        if i + down <= len(source) and j + right <= len(corrected):
            steps.append(AlignmentStep(operation, i, i + down, j, j + right))
            i, j = i + down, j + right
    return source, corrected, steps


@pytest.mark.parametrize("rules", [EnglishMerging, OldMerging, UniversalMerging])
def test_long_runs_are_merged_as_if_every_window_were_examined(
    rules: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(7)
    for _ in range(600):
        source, corrected, steps = long_pair(rng, 25)
        found = []
        for size in (2, 1000):
            monkeypatch.setattr(merging, "_LONG_RUN", size)
            found.append(merging.merge(steps, source, corrected, rules=rules))
        assert found[0] == found[1], (source, corrected, steps)


@pytest.mark.parametrize("rules", [EnglishMerging, OldMerging, UniversalMerging])
def test_windows_examined_in_a_long_run_grow_linearly(rules: type[Any]) -> None:
    examined = 0

    class Counted(rules):  # type: ignore[misc]
        def decide(self, *window: Any) -> Any:
            nonlocal examined
            examined += 1
            return super().decide(*window)

    rng = random.Random(8)
    for _ in range(8):
        source, corrected, steps = long_pair(rng, 900)
        examined = 0
        merging.merge(steps, source, corrected, rules=Counted)
        assert examined < 30 * len(steps)


def test_unknown_strategy() -> None:
    wrong: Any = "some"
    with pytest.raises(OptionError, match="xpected one of: rules, all-split"):
        AnnotationOptions(merge=wrong)
