"""Paired tests, their adjustment, and groups."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from redink.errors import OptionError
from redink.statistics.resampling import (
    draw_bootstrap,
    draw_bootstrap_blocks,
    draw_bootstrap_weights,
    draw_swaps,
)
from redink.statistics.significance import (
    bootstrap_p,
    count_reached,
    holm,
    letter_groups,
    normal_p,
    randomization_p,
    samples_for,
    share_reached,
)


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_holm_is_that_of_statsmodels(size: int) -> None:
    """Adjusted p-values are those of the statistics library, with ties, 0 and 1 among them."""
    drawn = np.random.default_rng(size).integers(0, 40, size=size) / 39
    p_values = [float(p) for p in drawn**3]
    expected = multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(np.array(holm(p_values), dtype=float), expected)


def test_undefined_p_values_are_no_tests() -> None:
    assert holm([0.01, None, 0.04]) == [0.02, None, 0.04]


def test_p_values_count_the_observation() -> None:
    """A p-value is never 0: at best it is one over the number of samples and one."""
    spread = np.array([0.9, 1.0, 1.1])
    assert bootstrap_p(1.0, spread) == 1 / 4
    assert randomization_p(1.0, np.array([-0.2, 0.1, 0.0])) == 1 / 4
    assert randomization_p(0.1, np.array([-0.2, 0.1, 0.0])) == 3 / 4


def test_normal_p_values_agree_with_shares() -> None:
    """On normal differences both ways to a p-value agree; far out only one of them goes on."""
    differences = np.random.default_rng(2).normal(1.0, 0.5, size=20_000)
    assert normal_p(1.0, differences) == pytest.approx(bootstrap_p(1.0, differences), abs=0.005)
    far = normal_p(5.0, differences)
    assert far is not None
    assert far < 1e-20
    assert normal_p(0.0, np.zeros(9)) == 1.0
    assert normal_p(0.1, np.full(9, 0.1)) == 0.0
    assert normal_p(1.0, np.array([1.0, np.nan])) is None
    assert normal_p(0.0, np.array([1.0, 2.0])) == 1.0


@given(st.integers(1, 5000))
def test_samples_suffice_for_the_tests(tests: int) -> None:
    samples = samples_for(tests)
    assert samples >= 1000
    assert tests / (samples + 1) < 0.05 / 2 + 1e-9


def test_no_difference_is_no_evidence() -> None:
    """Two equal systems have p = 1 in both tests."""
    nothing = np.zeros(100)
    assert bootstrap_p(0.0, nothing) == 1.0
    assert randomization_p(0.0, nothing) == 1.0


def test_undefined_samples_are_left_out() -> None:
    assert randomization_p(1.0, np.array([np.nan, 0.5])) == 1 / 2
    assert bootstrap_p(1.0, np.array([np.nan])) is None
    assert randomization_p(1.0, np.array([np.nan])) is None


def test_counts_of_parts_add_up() -> None:
    """Differences that come in parts, in several columns, give the p-value of all together."""
    rng = np.random.default_rng(6)
    spread = rng.normal(size=(50, 3))
    spread[::4, 1] = np.nan
    observed = np.array([0.5, -1.0, np.nan])
    counts = count_reached(observed, spread[:20]) + count_reached(observed, spread[20:])
    far = [sum(abs(x) >= 0.5 for x in spread[:, 0]), sum(abs(x) >= 1 for x in spread[:, 1]), 0]
    assert counts.tolist() == [far, [50, 37, 50]]
    for column in (0, 1):
        together = randomization_p(observed[column], spread[:, column])
        assert share_reached(*counts[:, column].tolist()) == together


@st.composite
def differences(draw: st.DrawFn) -> tuple[int, set[tuple[int, int]]]:
    size = draw(st.integers(1, 8))
    pairs = list(combinations(range(size), 2))
    return size, draw(st.sets(st.sampled_from(pairs))) if pairs else set()


@given(differences())
def test_letters_are_shared_exactly_by_what_does_not_differ(
    task: tuple[int, set[tuple[int, int]]],
) -> None:
    size, different = task
    letters = letter_groups(size, different)
    for first, second in combinations(range(size), 2):
        shared = set(letters[first]) & set(letters[second])
        assert bool(shared) == ((first, second) not in different)
    assert all(letters)


def test_an_item_cannot_differ_from_itself() -> None:
    with pytest.raises(OptionError):
        letter_groups(2, [(1, 1)])


def test_blocks_are_the_whole() -> None:
    whole = draw_bootstrap_weights(7, 10, np.random.default_rng(3))
    blocks = list(draw_bootstrap_blocks(7, 10, np.random.default_rng(3), cells=21))
    assert [len(block) for block in blocks] == [3, 3, 3, 1]
    np.testing.assert_array_equal(np.concatenate(blocks), whole)


def test_swaps_are_fair() -> None:
    swaps = draw_swaps(1000, 20, np.random.default_rng(1))
    assert swaps.shape == (20, 1000)
    assert 0.45 < swaps.mean() < 0.55
    assert draw_swaps(1, 1, np.random.default_rng(1)).shape == (1, 1)
    whole = draw_swaps(4, 9, np.random.default_rng(1), groups=np.array([0, 2, 1, 0]))
    np.testing.assert_array_equal(
        whole, draw_swaps(3, 9, np.random.default_rng(1))[:, [0, 2, 1, 0]]
    )
    for size, samples in ((0, 5), (5, 0)):
        for draw in (draw_swaps, draw_bootstrap):
            with pytest.raises(OptionError, match="one item and one sample"):
                draw(size, samples, np.random.default_rng(1))
