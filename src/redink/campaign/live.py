"""Results while the work goes on: agreement and ranking of what is there so far."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from redink.campaign.exporting import export_answers
from redink.campaign.store import Store
from redink.errors import RedinkError
from redink.model import Judgment, Ranking, Table
from redink.statistics.resampling import Resampling
from redink.workflows.agreement import agreement
from redink.workflows.rank import rank

_SAMPLES = 200
"""Enough bootstrap samples for a live view; the final analysis takes more."""


def live_tables(store: Store) -> list[Table]:
    """The tables that can be made already; too few answers give none, and no error."""
    try:
        answers = export_answers(store)
    except RedinkError:
        return []
    rankings = [answer for answer in answers if isinstance(answer, Ranking)]
    judgments = [answer for answer in answers if isinstance(answer, Judgment)]
    makers: list[Callable[[], Table]] = [
        partial(agreement, judgments, resampling=Resampling(_SAMPLES))
    ]
    if rankings:
        makers = [
            partial(rank, rankings, method="expected-wins", bootstrap=_SAMPLES),
            partial(rank, rankings, show="agreement"),
        ]
    tables = []
    for make in makers:
        # Too little to say anything yet is no error here.
        with suppress(RedinkError):
            tables.append(make())
    return tables
