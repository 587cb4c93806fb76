"""Measures of many tables of counts at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.errors import OptionError
from redink.model import Counts
from redink.model.counts import MEASURES, Cells
from redink.statistics.arrays import f_of_rates, measure_counts

cells = st.lists(st.tuples(*[st.integers(0, 40)] * 4), min_size=1, max_size=8)


@given(cells, st.sampled_from([0.5, 1.0, 2.0]))
def test_arrays_have_the_measures_of_each_table(
    tables: list[tuple[int, int, int, int]], beta: float
) -> None:
    columns = np.array(tables, dtype=np.float64).T
    for name in MEASURES:
        found = measure_counts(name, Cells(*columns, beta=beta))
        expected = [Counts(*table).measure(name, beta=beta).value for table in tables]
        known = [np.nan if value is None else value for value in expected]
        assert found == pytest.approx(known, abs=1e-12, nan_ok=True), name


def test_precision_recall_and_f_need_no_negatives() -> None:
    tp, fp, fn = np.array([[3.0, 0.0], [1.0, 2.0], [2.0, 5.0]])
    precision, recall = (measure_counts(n, Cells(tp, fp, fn)) for n in ("precision", "recall"))
    f = measure_counts("f", Cells(tp, fp, fn, beta=2))
    assert f == pytest.approx(f_of_rates(precision, recall, 2))


def test_a_measure_that_does_not_exist() -> None:
    with pytest.raises(
        OptionError, match=r"unknown measure 'beauty'; expected one of: accuracy, .*kappa"
    ):
        measure_counts("beauty", Cells(1, 2, 3, 4))
