"""How suspect a written preposition is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.detectors.classifier import count_frequencies
from redink.detectors.detector import ERROR_RATE, judge_place
from redink.detectors.features import CLASSES, NOTHING, NUMBER_OF, PREPOSITIONS

OF, SINCE = NUMBER_OF["of"], NUMBER_OF["since"]


def fits(**shares):
    """Probabilities of all classes: those given, the rest in equal parts; ``none`` for nothing."""
    named = {NOTHING if word == "none" else NUMBER_OF[word]: p for word, p in shares.items()}
    rest = (1 - sum(named.values())) / (len(CLASSES) - len(named))
    return np.array([named.get(number, rest) for number in range(len(CLASSES))])


def frequencies(**shares):
    return fits(**shares)[:NOTHING].astype(np.float32)


def test_the_confidence_is_bayes_rule():
    """Worked by hand: 'of' is a fifth of all prepositions, and fits this place by a hundredth."""
    finding = judge_place(4, OF, fits(of=0.01, on=0.9), frequencies(of=0.2))
    odds = (0.1 * 0.2 * 0.99) / (0.9 * 0.01)
    assert ERROR_RATE == 0.1
    assert finding.confidence == pytest.approx(odds / (1 + odds), rel=1e-6)
    assert (finding.index, finding.kind, finding.correction) == (4, "confusion", "on")


def test_the_kind_is_that_of_the_likeliest_alternative():
    often = frequencies(of=0.2)
    extraneous = judge_place(0, OF, fits(of=0.01, none=0.5, on=0.4), often)
    confusion = judge_place(0, OF, fits(of=0.01, none=0.4, on=0.5), often)
    assert (extraneous.kind, extraneous.correction) == ("extraneous", "")
    assert (confusion.kind, confusion.correction) == ("confusion", "on")
    assert extraneous.confidence == pytest.approx(confusion.confidence)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, NOTHING - 1))
def test_confidence_lies_between_0_and_1_and_falls_with_fit(one, other, written):
    often = np.full(NOTHING, 1 / NOTHING, np.float32)

    def confidence(own):
        row = np.full(len(CLASSES), (1 - own) / NOTHING)
        row[written] = own
        return judge_place(0, written, row, often).confidence

    low, high = sorted((one, other))
    assert 0 <= confidence(high) <= confidence(low) <= 1


def test_frequencies_are_shares_of_prepositions():
    labels = np.array([OF, OF, SINCE, NOTHING], np.uint8)
    shares = count_frequencies(labels)
    assert len(shares) == len(PREPOSITIONS)
    assert shares.sum() == pytest.approx(1)
    assert shares[OF] == pytest.approx(2 * shares[SINCE])
    assert shares.min() > 0
