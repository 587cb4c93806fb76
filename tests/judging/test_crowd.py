"""Weighted measures and bins of agreement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from redink.errors import OptionError
from redink.judging.crowdsourcing import (
    bin_by_agreement,
    bootstrap_measures,
    count_against,
    crowd_agreement,
    error_shares,
    error_votes,
    majority,
)
from redink.judging.labels import tabulate
from redink.model import Judgment


def test_weighted_counts_follow_the_paper_s_formulas() -> None:
    """Madnani et al. (2011), equations 1 to 3, by hand on three items."""
    flagged = np.array([True, True, False])
    shares = np.array([0.9, 0.4, 0.25])
    counts = count_against(flagged, shares)
    assert counts.tp == pytest.approx(0.9 + 0.4)
    assert counts.fn == pytest.approx(0.25)
    assert counts.fp == pytest.approx(0.1 + 0.6)
    assert counts.tn == pytest.approx(0.75)
    assert counts.precision.value == pytest.approx(1.3 / 2)
    assert counts.recall.value == pytest.approx(1.3 / 1.55)


@given(arrays(bool, 30), arrays(bool, 30))
def test_a_unanimous_crowd_makes_weighted_equal_plain(flagged, errors) -> None:
    """Where shares are 0 and 1, weighted counts are the plain counts, to the last digit."""
    shares = errors.astype(float)
    weighted = count_against(flagged, shares)
    assert weighted == count_against(flagged, majority(shares))
    assert weighted.tp == (flagged & errors).sum()
    assert weighted.fp == (flagged & ~errors).sum()
    assert weighted.fn == (~flagged & errors).sum()
    assert weighted.tn == (~flagged & ~errors).sum()


@given(arrays(bool, 20), arrays(float, 20, elements=st.floats(0, 1)))
def test_weighted_counts_add_up_to_the_items(flagged, shares) -> None:
    """Every item counts once in all, split between error and not."""
    counts = count_against(flagged, shares)
    assert counts.tp + counts.fp == pytest.approx(flagged.sum())
    assert counts.fn + counts.tn == pytest.approx((~flagged).sum())


def test_one_changed_vote_moves_weighted_precision_less() -> None:
    """The paper's case of 7 or 8 of 15: the majority flips, the share hardly moves."""
    flagged = np.array([True] * 5)
    others = [1.0, 1.0, 0.0, 1.0]
    before, after = np.array([*others, 7 / 15]), np.array([*others, 8 / 15])
    plain = [count_against(flagged, majority(s)).precision.value for s in (before, after)]
    weighted = [count_against(flagged, s).precision.value for s in (before, after)]
    assert plain[1] - plain[0] == pytest.approx(0.2)
    assert weighted[1] - weighted[0] == pytest.approx(1 / 75)


def test_votes_shares_majority_and_agreement() -> None:
    """From labels to votes to the share of errors; ties are the caller's choice."""
    matrix = tabulate(
        [
            Judgment("a", "x", "wrong"),
            Judgment("a", "y", "extra"),
            Judgment("a", "z", "ok"),
            Judgment("b", "x", "ok"),
            Judgment("b", "y", "wrong"),
        ]
    )
    votes = error_votes(matrix, ["ok"])
    assert votes.tolist() == [[1, 1, 0], [0, 1, -1]]
    shares = error_shares(votes)
    assert shares.tolist() == [2 / 3, 0.5]
    assert crowd_agreement(shares).tolist() == [2 / 3, 0.5]
    assert majority(shares).tolist() == [1, 0]
    assert majority(shares, "error").tolist() == [1, 1]
    assert np.isnan(majority(shares, "skip")[1])


def test_items_without_judgments_count_for_nothing() -> None:
    """Nobody said anything: the item is in no cell."""
    shares = error_shares(np.array([[1, 1], [-1, -1]]))
    assert np.isnan(shares[1])
    counts = count_against(np.array([True, True]), shares)
    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (1, 0, 0, 0)


def test_bins_take_their_lower_limit_and_the_last_both() -> None:
    """15 of 20 belongs to 75-90 %, 18 of 20 to 90-100 %, unanimity to the last bin."""
    agreement = np.array([10, 14, 15, 17, 18, 20]) / 20
    bins = bin_by_agreement(agreement, (0.5, 0.75, 0.9, 1))
    assert [b.members.nonzero()[0].tolist() for b in bins] == [[0, 1], [2, 3], [4, 5]]
    assert [b.name for b in bins] == ["50–75 %", "75–90 %", "90–100 %"]
    (whole,) = bin_by_agreement(agreement, (0, 1))
    assert whole.members.all()


@settings(max_examples=40)
@given(st.integers(1, 40), st.lists(st.integers(0, 40), min_size=1, max_size=30))
def test_every_item_is_in_one_bin(judges: int, errors: list[int]) -> None:
    """Whatever the crowd's size, bins that span one half to one hold every item once."""
    shares = np.array([min(e, judges) / judges for e in errors])
    bins = bin_by_agreement(crowd_agreement(shares), (0.5, 0.6, 0.7, 0.8, 0.9, 1))
    assert (np.sum([b.members for b in bins], axis=0) == 1).all()


@pytest.mark.parametrize("edges", [(0.5,), (0.9, 0.5), (0.5, 0.5, 1), (0.5, 1.5), (-1, 1)])
def test_impossible_bins_are_refused(edges) -> None:
    """Limits rise, and lie between 0 and 1."""
    with pytest.raises(OptionError, match="limits"):
        bin_by_agreement(np.array([0.7]), edges)


def test_bootstrap_of_counts_equals_resampling() -> None:
    """The samples' precision and recall are those of resampled items, also where truth is NaN."""
    rng = np.random.default_rng(5)
    flagged, truth = rng.random(40) < 0.5, rng.random(40)
    truth[:3] = np.nan
    drawn = bootstrap_measures(flagged, truth, beta=0.5, samples=20, rng=np.random.default_rng(9))
    indices = np.random.default_rng(9).integers(0, 40, size=(20, 40))
    for sample, chosen in enumerate(indices):
        counts = count_against(flagged[chosen], truth[chosen])
        assert drawn["precision"][sample] == pytest.approx(counts.precision.value)
        assert drawn["recall"][sample] == pytest.approx(counts.recall.value)
        assert drawn["f"][sample] == pytest.approx(counts.f(0.5).value)
