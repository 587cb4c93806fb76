"""The same work on several processes, its results in order and its memory bounded."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from redink.errors import OptionError, RedinkError

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 3  # items given to each worker before the oldest result is waited for


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int = 1
) -> Generator[Result]:
    """``map(function, items)`` on so many processes.

    ``function`` and its arguments must be importable or picklable. Only a few items are in memory
    at a time, however many there are.

    Raises:
        OptionError: fewer than one worker.
        RedinkError: a worker was killed.
    """
    if workers < 1:
        raise OptionError(f"at least one worker is needed, not {workers}")
    if workers == 1:
        yield from map(function, items)
        return
    # Forking a process that has threads (a progress bar, a matrix library) can lock up.
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker) as pool:
        pending: deque[Future[Result]] = deque()
        try:
            for item in items:
                pending.append(pool.submit(function, item))
                if len(pending) > _AHEAD * workers:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BrokenProcessPool as error:
            raise RedinkError(
                "a worker process ended before its work was done (killed, or out of memory)"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _start_worker() -> None:
    # Ctrl-C reaches every process of the terminal; the first process stops the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
