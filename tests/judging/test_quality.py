"""Quality control by gold questions, and crowds of growing size."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from redink.errors import DataError, OptionError
from redink.judging.crowdsourcing import (
    check_judges,
    crowd_size_curve,
    find_gold,
    smallest_matching,
    worst_first,
)
from redink.judging.labels import tabulate
from redink.model import Judgment
from redink.statistics.ratings import MISSING


def answers(judge: str, labels: str, gold: str) -> list[Judgment]:
    """One letter a question: e(rror), o(k), or - for no answer; gold the same, - for none."""
    words = {"e": "error", "o": "ok"}
    return [
        Judgment(f"q{n}", judge, words[label], gold=words.get(known))
        for n, (label, known) in enumerate(zip(labels, gold, strict=True))
        if label != "-"
    ]


def test_accuracy_on_gold_questions() -> None:
    """Only gold questions that the judge answered count."""
    gold = "eeo-"
    given = [
        *answers("ann", "eeoo", gold),
        *answers("bob", "eoe-", gold),
        *answers("eve", "---o", gold),
    ]
    records = check_judges(tabulate(given), find_gold(given))
    assert [(r.judge, r.judgments, r.asked, r.right) for r in records] == [
        ("ann", 4, 3, 3),
        ("bob", 3, 3, 1),
        ("eve", 1, 0, 0),
    ]
    ann, bob, eve = records
    assert (ann.accuracy, eve.accuracy) == (1.0, None)
    assert bob.fails(0.7)
    assert not bob.fails(0.7, at_least=4)
    assert not eve.fails(1.0)
    assert [r.judge for r in worst_first(records)] == ["bob", "ann"]


def test_a_gold_answer_that_nobody_gave_is_wrong_for_all() -> None:
    """The known answer need not be among the labels given."""
    given = [Judgment("q", "ann", "ok", gold="error")]
    assert check_judges(tabulate(given), find_gold(given))[0].accuracy == 0


def test_two_gold_answers_are_refused() -> None:
    """One item, one truth."""
    given = [Judgment("q", "ann", "ok", gold="ok"), Judgment("q", "bob", "ok", gold="error")]
    with pytest.raises(DataError, match="two gold answers: 'ok' and 'error'"):
        find_gold(given)


def test_the_whole_crowd_is_the_majority_vote() -> None:
    """At full size, without ties, every draw is the same: the majority against each expert."""
    rng = np.random.default_rng(3)
    crowd = rng.integers(0, 2, (50, 5))
    experts = rng.integers(0, 2, (50, 2))
    points = list(crowd_size_curve(crowd, experts, 2, draws=20, rng=rng))
    assert [p.size for p in points] == [1, 2, 3, 4, 5]
    votes = (crowd.mean(axis=1) > 0.5).astype(int)
    agreement = np.mean([(votes == expert).mean() for expert in experts.T])
    kappa = np.mean([cohen_kappa_score(votes, expert) for expert in experts.T])
    last = points[-1]
    np.testing.assert_allclose([last.agreement_low, last.agreement_high], agreement)
    np.testing.assert_allclose([last.kappa_low, last.kappa, last.kappa_high], kappa)


def test_one_judge_agrees_as_the_mean_judge_does() -> None:
    """A crowd of one is a random judge: its mean agreement is the mean over judges."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 400)
    crowd = np.where(rng.random((400, 4)) < 0.7, truth[:, None], rng.integers(0, 3, (400, 4)))
    first = next(iter(crowd_size_curve(crowd, truth[:, None], 3, draws=300, rng=rng)))
    assert first.agreement == pytest.approx((crowd == truth[:, None]).mean(), abs=0.005)
    assert first.agreement_low < first.agreement < first.agreement_high


def test_larger_crowds_come_closer_to_the_expert() -> None:
    """Independent judges who are right more often than not: odd crowds improve with size."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 500)
    crowd = np.where(rng.random((500, 9)) < 0.7, truth[:, None], 1 - truth[:, None])
    points = list(crowd_size_curve(crowd, truth[:, None], 2, draws=40, rng=rng))
    odd = [p.agreement for p in points if p.size % 2]
    assert odd == sorted(odd)
    assert odd[-1] > odd[0] + 0.15
    assert smallest_matching(points, 0.8) == 5
    assert smallest_matching(points, 1.0) is None
    assert smallest_matching(points, None) is None


def test_items_with_fewer_judges_leave_the_curve_early() -> None:
    """A crowd of k is drawn only from items with k judges and an expert."""
    crowd = np.array([[0, 0, 0], [1, 1, MISSING], [1, MISSING, MISSING], [0, 0, 0]])
    experts = np.array([[0], [1], [1], [MISSING]])
    points = list(crowd_size_curve(crowd, experts, 2, draws=2, rng=np.random.default_rng(1)))
    assert [p.items for p in points] == [3, 2, 1]
    assert all(p.agreement_low == p.agreement == 1 for p in points)
    assert points[2].kappa is None


@pytest.mark.parametrize(
    ("crowd", "experts", "words"),
    [
        (np.zeros((3, 2), int), np.zeros((3, 0), int), "no judge is an expert"),
        (np.zeros((3, 0), int), np.zeros((3, 1), int), "there is no crowd"),
        (np.full((3, 1), MISSING), np.zeros((3, 1), int), "by both an expert and the crowd"),
    ],
)
def test_curves_that_cannot_be_drawn(crowd, experts, words: str) -> None:
    """Experts and crowd must both be there, and meet."""
    with pytest.raises(DataError, match=words):
        list(crowd_size_curve(crowd, experts, 2, draws=1, rng=np.random.default_rng(1)))
    with pytest.raises(OptionError, match="at least one draw"):
        list(crowd_size_curve(crowd, experts, 2, draws=0, rng=np.random.default_rng(1)))
