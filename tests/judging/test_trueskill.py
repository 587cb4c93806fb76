"""TrueSkill: the update rules against the package, whole runs against the published ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judging.ranking_cases import make_ranking

from redink.errors import OptionError
from redink.inputs import read_rankings
from redink.judging.rankings import PairwiseTally, expand, tally
from redink.judging.trueskill import TrueSkillParameters, draw_margin, rate_matches, trueskill

package = pytest.importorskip("trueskill", reason="the trueskill package is a development extra")


@given(
    st.floats(-2, 2),
    st.floats(-2, 2),
    st.floats(0.05, 1),
    st.floats(0.05, 1),
    st.sampled_from([1, 0, -1]),
    st.floats(0.3, 50),
    st.floats(0.05, 0.6),
)
def test_one_match_teaches_what_the_package_teaches(
    mean: float,
    other_mean: float,
    deviation: float,
    other_deviation: float,
    outcome: int,
    beta: float,
    draws: float,
) -> None:
    environment = package.TrueSkill(
        mu=0, sigma=0.5, beta=beta, tau=0, draw_probability=draws, backend="scipy"
    )  # its own normal distribution has six digits
    first, second = package.Rating(mean, deviation), package.Rating(other_mean, other_deviation)
    one, other = (first, second) if outcome >= 0 else (second, first)
    one, other = package.rate_1vs1(one, other, drawn=outcome == 0, env=environment)
    expected = (one, other) if outcome >= 0 else (other, one)
    shift, shrink = rate_matches(
        np.array([mean - other_mean]),
        np.array([deviation**2 + other_deviation**2 + 2 * beta**2]),
        np.array([float(draw_margin(draws, beta))]),
        np.array([float(outcome)]),
    )
    ours = [
        (mean + deviation**2 * shift[0], deviation**2 * (1 - deviation**2 * shrink[0])),
        (
            other_mean - other_deviation**2 * shift[0],
            other_deviation**2 * (1 - other_deviation**2 * shrink[0]),
        ),
    ]
    for (new_mean, new_variance), rating in zip(ours, expected, strict=True):
        assert new_mean == pytest.approx(rating.mu, abs=1e-9)
        assert new_variance == pytest.approx(rating.sigma**2, abs=1e-9)


def test_a_run_with_one_possible_course_is_the_packages() -> None:
    """Two systems and one outcome leave nothing to chance: match by match the same means."""
    whole = tally(expand([make_ranking("A B")] * 30))
    environment = package.TrueSkill(
        mu=0, sigma=0.5, beta=0.5 * 31 / 40, tau=0, draw_probability=0.25
    )
    winner, loser = environment.create_rating(), environment.create_rating()
    for _ in range(31):
        winner, loser = package.rate_1vs1(winner, loser, env=environment)
    runs = trueskill(whole, 3, np.random.default_rng(1))
    # The package's own error function is good to seven digits.
    assert runs == pytest.approx(np.array([[winner.mu, loser.mu]] * 3), abs=1e-7)


@pytest.mark.parametrize(
    "texts",
    [("A B C", "A=B C", "C A B", "B A=C") * 6, ("A B C D",) * 12 + ("A C B D", "B A C D") * 3],
    ids=["close", "far apart"],
)
def test_all_runs_play_all_their_matches(texts: tuple[str, ...]) -> None:
    """Against a plain loop that plays one run after the other by the published rules.

    Systems far apart refuse most opponents, so that opponents are drawn in another way there.
    """
    whole = tally(expand([make_ranking(text) for text in texts]))
    ours = trueskill(whole, 3000, np.random.default_rng(1))
    theirs = np.array([_published_run(whole, np.random.default_rng(s)) for s in range(30)])
    error = theirs.std(axis=0) / np.sqrt(len(theirs))
    assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() < 4 * error.max()
    assert ours.std(axis=0) == pytest.approx(theirs.std(axis=0), rel=0.5)


def _published_run(whole: PairwiseTally, rng: np.random.Generator) -> list[float]:
    """One run as Sakaguchi et al. describe it, with the package's ratings."""
    matches = int(whole.compared.sum() / 2) + 1
    environment = package.TrueSkill(
        mu=0, sigma=0.5, beta=0.5 * matches / 40, tau=0, draw_probability=0.25
    )
    ratings = {system: environment.create_rating() for system in whole.systems}
    number = {system: at for at, system in enumerate(whole.systems)}
    for _ in range(matches):
        first = max(ratings, key=lambda s: (ratings[s].sigma, s))
        rivals = [s for s in ratings if s != first]
        chances = np.exp([-abs(ratings[first].mu - ratings[s].mu) for s in rivals])
        second = rivals[rng.choice(len(rivals), p=chances / chances.sum())]
        i, j = number[first], number[second]
        outcomes = np.array([whole.wins[i, j], whole.ties[i, j], whole.wins[j, i]])
        outcome = rng.choice(3, p=outcomes / outcomes.sum())
        if outcome == 2:
            ratings[second], ratings[first] = package.rate_1vs1(
                ratings[second], ratings[first], env=environment
            )
        else:
            ratings[first], ratings[second] = package.rate_1vs1(
                ratings[first], ratings[second], drawn=outcome == 1, env=environment
            )
    return [ratings[system].mu for system in whole.systems]


def test_ties_alone_leave_everybody_where_he_was() -> None:
    whole = tally(expand([make_ranking("A=B=C")] * 10))
    assert trueskill(whole, 5, np.random.default_rng(1)) == pytest.approx(0, abs=1e-12)


def test_pairs_that_never_met_are_not_matched() -> None:
    whole = tally(
        expand([make_ranking(t) for t in ("A B", "B C")] * 20, systems=["A", "B", "C", "D"])
    )
    runs = trueskill(whole, 50, np.random.default_rng(1))
    assert np.isnan(runs[:, 3]).all()
    means = runs[:, :3].mean(axis=0)
    assert means[0] > means[1] > means[2]


def test_one_judgment_of_a_pair_is_enough_to_be_matched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("redink.judging.trueskill._STEPS_AT_ONCE", 1)
    monkeypatch.setattr("redink.judging.trueskill._FEW_ACCEPTED", 2)
    once = tally(expand([make_ranking("A B"), make_ranking("B C")]))
    parameters = TrueSkillParameters(matches=100)
    means = trueskill(once, 5, np.random.default_rng(1), parameters=parameters).mean(axis=0)
    assert means[0] > means[1] > means[2]


def test_every_tally_has_runs_of_its_own() -> None:
    one = tally(expand([make_ranking("A B")] * 10))
    other = tally(expand([make_ranking("B A")] * 10))
    both = PairwiseTally(
        one.systems, np.stack([one.wins, other.wins]), np.stack([one.ties, other.ties])
    )
    runs = trueskill(both, 3, np.random.default_rng(1))
    assert runs.shape == (2, 3, 2)
    assert (runs[0, :, 0] > 0).all()
    assert runs[0] == pytest.approx(runs[1][:, ::-1])


def test_tally_without_judgments_has_no_means() -> None:
    for text in ("A B C", "A=B=C"):
        some = tally(expand([make_ranking(text)] * 30))
        none = np.zeros_like(some.wins)
        both = PairwiseTally(some.systems, np.stack([some.wins, none]), np.stack([some.ties, none]))
        runs = trueskill(both, 3, np.random.default_rng(1))
        assert np.isfinite(runs[0]).all()
        assert np.isnan(runs[1]).all()


def test_impossible_parameters_are_refused() -> None:
    for wrong in ({"deviation": 0.0}, {"draw_probability": 1.0}, {"matches": 0}, {"noise": -1.0}):
        with pytest.raises(OptionError):
            TrueSkillParameters(**wrong)  # type: ignore[arg-type]


def test_published_means(shared: Path) -> None:
    """Table 3c: the means within .02, the order the same but for systems closer than that.

    The noise grows with the matches, so that the means hardly depend on their number: many short
    runs find them sooner than a few long ones. The benchmark plays the whole.
    """
    published = json.loads((shared / "oracles/published.json").read_text(encoding="utf-8"))
    expected = published["grundkiewicz-2015"]["table3c_trueskill"]
    one_run = json.loads((shared / "oracles/human/trueskill-one-run.json").read_text())
    whole = tally(expand(read_rankings(shared / "data/gjg15/judgments.xml")))
    short = TrueSkillParameters(matches=8000)
    runs = trueskill(whole, 400, np.random.default_rng(1), parameters=short)
    means = dict(zip(whole.systems, runs.mean(axis=0).tolist(), strict=True))
    for system, mean in means.items():
        assert mean == pytest.approx(expected[system], abs=0.02)
        for other, other_mean in means.items():
            if expected[system] - expected[other] >= 0.02:
                assert mean > other_mean
        at = whole.systems.index(system)
        assert abs(one_run[system][0] - mean) < 5 * runs[:, at].std()
