"""Edits and types are those of the errant package, given the same analyses and word list.

`python tests/analysis/parity.py DATA` compares everything; here is a part that fits a test run.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from tests.analysis import parity


def _every(step: int, pairs: Iterator[parity.Pair]) -> Iterator[parity.Pair]:
    return islice(pairs, 0, None, step)


@pytest.mark.slow
def test_conll_systems_and_references(shared: Path) -> None:
    """On the twelve CoNLL-2014 systems and both references there is no difference."""
    comparison = parity.Comparison()
    comparison.compare(_every(29, parity.conll_pairs(shared / "data")))
    assert comparison.differences == []
    assert comparison.edits > 500


@pytest.mark.slow
def test_jfleg_rewrites(shared: Path) -> None:
    """On the four rewrites of JFLEG there is no difference."""
    comparison = parity.Comparison()
    comparison.compare(_every(23, parity.jfleg_pairs(shared / "data")))
    assert comparison.differences == []
    assert comparison.edits > 500


@pytest.mark.slow
def test_corrupted_sentences(example_sentences: list[tuple[str, ...]]) -> None:
    """On randomly corrupted sentences there is no difference."""
    comparison = parity.Comparison()
    comparison.compare(parity.random_pairs(example_sentences, 800, seed=11))
    assert comparison.differences == []
    assert comparison.edits > 1000


@pytest.mark.slow
def test_scrambled_analyses(example_sentences: list[tuple[str, ...]]) -> None:
    """There is no difference either where analyses make no sense, so that rare rules meet."""
    comparison = parity.Comparison()
    comparison.compare(
        parity.random_pairs(example_sentences, 800, seed=12), noise=random.Random(13)
    )
    assert comparison.differences == []
    assert len(comparison.rules) > 30
