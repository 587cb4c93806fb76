"""Dawid and Skene's model, against crowd-kit and against a plain reading of the paper."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
import warnings

import numpy as np
import pytest

from redink.errors import OptionError
from redink.judging.crowdsourcing import fit_dawid_skene
from redink.statistics.ratings import MISSING, make_ratings


def random_crowd(seed: int, *, items: int = 80, judges: int = 7, labels: int = 3):
    """Judges of differing skill; the truth, and their labels with gaps."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(labels, items, p=rng.dirichlet(np.full(labels, 5.0)))
    skill = rng.uniform(0.4, 0.95, judges)
    right = rng.random((items, judges)) < skill
    codes = np.where(right, truth[:, None], rng.integers(0, labels, (items, judges)))
    codes[rng.random(codes.shape) < 0.3] = MISSING
    codes[:, 0] = np.where(codes[:, 0] == MISSING, truth, codes[:, 0])  # nobody is left out
    return truth, codes


def plain_em(codes: np.ndarray, labels: int, rounds: int) -> np.ndarray:
    """Dawid and Skene (1979) as one would write it from the paper, with loops."""
    items, judges = codes.shape
    belief = np.array([[np.mean(row[row != MISSING] == k) for k in range(labels)] for row in codes])
    for _ in range(rounds + 1):
        shares = belief.mean(axis=0)
        errors = np.zeros((judges, labels, labels))
        for i in range(items):
            for j in range(judges):
                if codes[i, j] != MISSING:
                    errors[j, :, codes[i, j]] += belief[i]
        errors = np.maximum(errors, 1e-10)
        errors /= errors.sum(axis=2, keepdims=True)
        last = belief
        belief = np.empty_like(last)
        for i in range(items):
            for k in range(labels):
                belief[i, k] = shares[k] * np.prod(
                    [errors[j, k, codes[i, j]] for j in range(judges) if codes[i, j] != MISSING]
                )
            belief[i] /= belief[i].sum()
    return last


@pytest.fixture(scope="module")
def crowd_kit():
    """crowd-kit's own class, without the parts of that package that need other libraries."""
    spec = importlib.util.find_spec("crowdkit")
    if spec is None or spec.submodule_search_locations is None:
        pytest.skip("crowd-kit is not installed")
    root = spec.submodule_search_locations[0]
    names = ["crowdkit", "crowdkit.aggregation", "crowdkit.aggregation.classification"]
    for name in names:
        package = types.ModuleType(name)
        package.__path__ = [f"{root}/{'/'.join(name.split('.')[1:])}"]
        sys.modules[name] = package
    try:
        module = importlib.import_module("crowdkit.aggregation.classification.dawid_skene")
    except ImportError as error:
        pytest.skip(f"crowd-kit cannot be loaded: {error}")
    finally:
        for name in names:
            sys.modules.pop(name)
    return module.DawidSkene


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rounds", [1, 10])
def test_equals_crowd_kit(seed: int, rounds: int, crowd_kit) -> None:
    """After as many rounds, every probability is crowd-kit's (which keeps them above 1e-10)."""
    import pandas as pd

    _, codes = random_crowd(seed)
    item, judge = np.nonzero(codes != MISSING)
    frame = pd.DataFrame({"task": item, "worker": judge, "label": codes[item, judge]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # crowd-kit's own use of pandas
        theirs = crowd_kit(n_iter=rounds, tol=-np.inf).fit(frame)
    table = theirs.probas_.sort_index()[[0, 1, 2]].to_numpy()
    ours = fit_dawid_skene(make_ratings(codes, categories=3), iterations=rounds, tolerance=-np.inf)
    np.testing.assert_allclose(ours.probabilities, table, atol=2e-9)
    for number in range(codes.shape[1]):
        errors = theirs.errors_.loc[number].reindex(range(3), fill_value=0)[[0, 1, 2]].to_numpy()
        np.testing.assert_allclose(ours.errors[number], errors.T, atol=2e-8)


@pytest.mark.parametrize("seed", range(4))
def test_equals_the_paper_written_with_loops(seed: int) -> None:
    """The vectorised rounds are those of a slow and obvious program."""
    _, codes = random_crowd(seed, items=30, judges=5)
    ours = fit_dawid_skene(make_ratings(codes, categories=3), iterations=6, tolerance=-np.inf)
    np.testing.assert_allclose(ours.probabilities, plain_em(codes, 3, 6), atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_likelihood_never_falls(seed: int) -> None:
    """Every round of expectation and maximisation explains the judgments better."""
    _, codes = random_crowd(seed)
    history = fit_dawid_skene(make_ratings(codes, categories=3)).log_likelihood
    assert len(history) > 2
    assert np.diff(history).min() > -1e-6


def test_good_judges_are_told_from_bad_ones() -> None:
    """It finds the truth where most votes are worthless, because it finds out who guesses."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 300)
    experts = np.where(rng.random((300, 3)) < 0.95, truth[:, None], 1 - truth[:, None])
    guessers = rng.integers(0, 2, (300, 6))
    codes = np.hstack([experts, guessers])
    fitted = fit_dawid_skene(make_ratings(codes, categories=2))
    by_model = (fitted.probabilities.argmax(axis=1) == truth).mean()
    by_vote = ((codes.mean(axis=1) > 0.5) == truth).mean()
    assert by_model > 0.97 > by_vote
    accuracies = fitted.accuracies()
    assert accuracies[:3].min() > 0.9
    assert accuracies[3:].max() < 0.65
    assert fitted.converged


def test_unanimous_and_empty_items() -> None:
    """One label throughout is certain; an item without judgments has the overall shares."""
    codes = np.array([[0, 0], [0, 0], [MISSING, MISSING]])
    fitted = fit_dawid_skene(make_ratings(codes, categories=2))
    assert fitted.probabilities[:2, 0].min() > 0.99
    assert fitted.probabilities.sum(axis=1) == pytest.approx(np.ones(3))


def test_rounds_must_be_positive() -> None:
    """No rounds, no model."""
    with pytest.raises(OptionError, match="at least one round"):
        fit_dawid_skene(make_ratings([[0, 1]]), iterations=0)
