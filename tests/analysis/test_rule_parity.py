"""Edits and types are those of the errant package, given the same analyses and word list.

`python tests/analysis/parity.py DATA` compares everything; here is a part that fits a test run.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from tests.analysis import parity


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pairs", "step"), [(parity.conll_pairs, 29), (parity.jfleg_pairs, 23)], ids=["conll", "jfleg"]
)
def test_corpora(pairs: Callable[[Path], Iterator[parity.Pair]], step: int, shared: Path) -> None:
    """On CoNLL-2014 (systems and references) and the rewrites of JFLEG there is no difference."""
    comparison = parity.Comparison()
    comparison.compare(islice(pairs(shared / "data"), 0, None, step))
    assert comparison.differences == []
    assert comparison.edits > 500


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "noise", "rules"), [(11, None, 0), (12, 13, 30)])
def test_corrupted_sentences(
    seed: int, noise: int | None, rules: int, example_sentences: list[tuple[str, ...]]
) -> None:
    comparison = parity.Comparison()
    comparison.compare(
        parity.random_pairs(example_sentences, 800, seed=seed),
        noise=None if noise is None else random.Random(noise),
    )
    assert comparison.differences == []
    assert comparison.edits > 1000
    assert len(comparison.rules) > rules
