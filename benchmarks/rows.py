"""Record benchmark results in a common format.

Every script prints its own table. When ``make bench`` runs it, a file is named in the environment,
and what is recorded here is gathered there for docs/performance.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

VARIABLE = "REDINK_BENCH_ROWS"


def record(
    job: str,
    what: str,
    ours: float,
    *,
    unit: str = "CPU s",
    peer: str | None = None,
    theirs: float | None = None,
    bound: float | None = None,
) -> None:
    """One measurement.

    Args:
        job: annotation, scoring, ranking, campaign, reading or detection.
        what: what was done.
        ours: the figure of redink.
        unit: of the figures; one that ends in ``/s`` is better when it is higher.
        peer: the program that did the same in the same run.
        theirs: its figure.
        bound: what ours must not pass (or, for a rate, not fall below).
    """
    if (name := os.environ.get(VARIABLE)) is None:
        return
    row = {
        "job": job,
        "what": what,
        "ours": ours,
        "unit": unit,
        "peer": peer,
        "theirs": theirs,
        "bound": bound,
    }
    with Path(name).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row) + "\n")


def record_growth(job: str, axis: str, factor: int, seconds: float) -> None:
    """The cost of a job at so many times the size along one axis."""
    if (name := os.environ.get(VARIABLE)) is None:
        return
    row = {"job": job, "axis": axis, "factor": factor, "seconds": seconds}
    with Path(name).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row) + "\n")


@contextlib.contextmanager
def cpu_time() -> Iterator[Callable[[], float]]:
    """How much CPU time the block took, with that of the processes that it ran."""
    start = _cpu_now()
    end: list[float] = []
    yield lambda: end[0]
    end.append(_cpu_now() - start)


def _cpu_now() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
