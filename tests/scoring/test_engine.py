"""What is the same for every metric."""

from __future__ import annotations

import numpy as np

from redink.scoring.engine import group_letters


def test_systems_that_are_told_apart_have_letters_of_their_own() -> None:
    """Also one that scores 0; one that has no score has no letter."""
    rng = np.random.default_rng(1)
    samples = [value + 0.01 * rng.standard_normal(100) for value in (1, 0.99, 0, 0)]
    assert group_letters([1.0, 0.99, 0.0, None], samples) == ["a", "a", "b", None]
