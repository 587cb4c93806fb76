"""Run a function on many items in several processes.

Each worker process has its own pipe, read by its own thread. ``ProcessPoolExecutor`` shares one
pipe among all workers: if a worker is killed while it sends a result, the pool waits forever.
"""

from __future__ import annotations

import gc
import pickle
import signal
import traceback
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Self, TypeVar

from redink.errors import OptionError, RedinkError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 3  # items per worker that are read before waiting for the first result


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int = 1
) -> Generator[Result]:
    """Yield ``function(item)`` for each item, computed by ``workers`` processes.

    The function and the items must be picklable. Only a few items are in memory at a time. A killed
    worker causes a RedinkError.
    """
    with Workers(workers) as pool, closing(pool.map(function, items)) as results:
        yield from results


class Workers:
    """A pool of worker processes, started by the first call of :meth:`map`.

    With one worker, this process does the work. Leaving the context stops the workers.
    """

    def __init__(self, number: int) -> None:
        if number < 1:
            raise OptionError(f"workers must be at least 1, not {number}")
        self._number = number
        self._workers: list[_Worker] = []
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._threads = ThreadPoolExecutor(number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for worker in self._workers:
            worker.process.terminate()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, in_order: bool = True
    ) -> Generator[Result]:
        """Yield the result of each item, in order or as soon as it is computed."""
        if self._number == 1:
            yield from map(function, items)
            return
        while len(self._workers) < self._number:
            self._workers.append(_Worker())
            self._idle.put(self._workers[-1])
        pending: list[Future[Result]] = []
        for item in items:
            pending.append(self._threads.submit(self._call, function, item))
            if len(pending) > _AHEAD * self._number:
                yield _take(pending, in_order=in_order)
        while pending:
            yield _take(pending, in_order=in_order)

    def _call(self, function: Callable[[Item], Result], item: Item) -> Result:
        worker = self._idle.get()
        try:
            worker.connection.send((function, item))
            result, error = worker.connection.recv()
        except (EOFError, OSError):
            raise RedinkError(
                "a worker process ended before it finished (killed, or out of memory); "
                "try fewer --workers"
            ) from None
        finally:
            self._idle.put(
                worker
            )  # also if it is dead, because callers may be waiting for a worker
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]


def _take(pending: list[Future[Result]], *, in_order: bool) -> Result:
    done = pending if in_order else wait(pending, return_when=FIRST_COMPLETED).done
    future = next(iter(done))
    pending.remove(future)
    return future.result()


class _Worker:
    """A process and the connection to it."""

    def __init__(self) -> None:
        from multiprocessing import get_context, resource_tracker

        # Forking a process that has threads (a progress bar, a matrix library) can deadlock.
        context = get_context("spawn")
        self.connection, other_end = context.Pipe()
        self.process = context.Process(target=_serve, args=(other_end,), daemon=True)
        # Ctrl-C reaches all processes of a terminal. The new process inherits the blocked signal,
        # so it prints no traceback while it loads. (The resource tracker unblocks the signal.)
        resource_tracker.ensure_running()
        if can_block := hasattr(signal, "pthread_sigmask"):
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self.process.start()
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        other_end.close()  # so that the connection ends with the process


def _serve(connection: Connection) -> None:
    """Work until the connection ends because the main process closed it or ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(1_000_000, 50, 1000)  # as in redink.__main__
    with suppress(EOFError, OSError):
        while True:
            connection.send(_run(*connection.recv()))


def _run(function: Callable[[Any], Any], item: Any) -> tuple[Any, BaseException | None]:
    """Return the result and no error, or no result and the error."""
    try:
        return function(item), None
    except Exception as error:  # noqa: BLE001 (the caller handles it)
        where = "".join(traceback.format_exception(error))
        if not isinstance(error, RedinkError):
            error.add_note(f"In a worker process:\n{where}")
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
        except Exception:  # noqa: BLE001 (an error may contain anything)
            return None, RuntimeError(where)
        return None, error
