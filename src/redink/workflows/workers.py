"""The same work on several processes, its memory bounded, and a killed process replaced."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_any
from threading import Thread
from types import FrameType, TracebackType
from typing import Generic, Self, TypeVar

from redink.errors import OptionError, RedinkError, RedinkWarning

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 3  # items given to each worker before the oldest result is waited for
_DEATHS = 3  # so often may processes be killed over one item
_GRACE = 2.0  # seconds that a worker has to put things in order when it must stop


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int = 1
) -> Generator[Result]:
    """``map(function, items)`` on so many processes.

    ``function`` and its arguments must be importable or picklable. Only a few items are in memory
    at a time, however many there are.

    Raises:
        OptionError: fewer than one worker.
        RedinkError: workers were killed again and again.
    """
    with Workers(workers) as pool, closing(pool.map(function, items)) as results:
        yield from results


class Workers:
    """Processes that share work, started when the first is given.

    With one worker the work is done in this process. A worker that is killed is replaced, and what
    it was doing is done again. On leaving the context early (an error, Ctrl-C) workers stop at
    once, in order: what they were writing atomically leaves nothing behind. They stop as well when
    this process is killed.
    """

    def __init__(self, number: int) -> None:
        if number < 1:
            raise OptionError(f"at least one worker is needed, not {number}")
        self._number = number
        # Forking a process that has threads (a progress bar, a matrix library) can lock up.
        self._context = get_context("spawn")
        self._pool: ProcessPoolExecutor | None = None
        self._stop: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(at_once=kind is not None)

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        in_order: bool = True,
    ) -> Generator[Result]:
        """The results of all items; not ``in_order``, each as soon as it is there."""
        if self._number == 1:
            yield from map(function, items)
            return
        tasks: deque[_Task[Item, Result]] = deque()
        try:
            for item in items:
                task = _Task(function, item)
                tasks.append(task)
                self._submit(task, tasks)
                if len(tasks) > _AHEAD * self._number:
                    yield self._take(tasks, in_order=in_order)
            while tasks:
                yield self._take(tasks, in_order=in_order)
        finally:
            if tasks:
                self._end(at_once=True)

    def _submit(self, task: _Task[Item, Result], tasks: Iterable[_Task[Item, Result]]) -> None:
        if self._pool is None:
            reader, self._stop = self._context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(
                self._number,
                mp_context=self._context,
                initializer=_start_worker,
                initargs=(reader,),
            )
        try:
            with _undisturbed():
                task.future = self._pool.submit(_work, task.function, task.item)
        except BrokenProcessPool:
            self._replace(tasks)

    def _take(self, tasks: deque[_Task[Item, Result]], *, in_order: bool) -> Result:
        while True:
            futures = [task.future for task in tasks if task.future is not None]
            wait(futures[:1] if in_order else futures, return_when=FIRST_COMPLETED)
            task = next(task for task in tasks if task.future is not None and task.future.done())
            assert task.future is not None
            try:
                result = task.future.result()
            except BrokenProcessPool:
                self._replace(tasks)
            else:
                tasks.remove(task)
                return result

    def _replace(self, tasks: Iterable[_Task[Item, Result]]) -> None:
        """New processes in place of those of which one was killed."""
        self._end(at_once=True)
        lost = [task for task in tasks if task.is_lost()]
        for task in lost:
            task.deaths += 1
            if task.deaths > _DEATHS:
                raise RedinkError(
                    f"worker processes ended {task.deaths} times before their work was done "
                    "(killed, or out of memory)"
                )
        warnings.warn(
            "a worker process ended before its work was done (killed, or out of memory); "
            "it is replaced and the work done again",
            RedinkWarning,
            stacklevel=2,
        )
        for task in lost:
            self._submit(task, tasks)

    def _end(self, *, at_once: bool) -> None:
        pool, stop = self._pool, self._stop
        self._pool = self._stop = None
        if pool is None or stop is None:
            return
        if at_once:
            stop.close()
        pool.shutdown(wait=True, cancel_futures=at_once)
        stop.close()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """No signal comes between starting a process and telling it what to do.

    The process does not hear them either while it is loading: it inherits what is blocked here.
    This one hears of them as soon as the block is left.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    )
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Task(Generic[Item, Result]):
    """An item on its way, and how often processes died over it."""

    def __init__(self, function: Callable[[Item], Result], item: Item) -> None:
        self.function = function
        self.item = item
        self.future: Future[Result] | None = None
        self.deaths = 0

    def is_lost(self) -> bool:
        """Whether there is no result because the process is gone."""
        future = self.future
        if future is None or future.cancelled():
            return True
        return isinstance(future.exception(), BrokenProcessPool)


# ---- inside a worker


class _StopWorkingError(BaseException):
    """Raised in the middle of the work, so that it puts things in order on the way out."""


class _State:
    working = False


def _start_worker(stop: Connection) -> None:
    # Ctrl-C reaches every process of the terminal; the first process stops the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop_working)
    if hasattr(signal, "pthread_sigmask"):  # they were blocked while this process was loading
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGHUP})
    Thread(target=_watch, args=(stop,), daemon=True).start()


def _watch(stop: Connection) -> None:
    """Stop when the first process says so by closing its end, or is no more."""
    wait_for_any([stop])
    os.kill(os.getpid(), signal.SIGTERM)
    _exit_later()


def _exit_later() -> None:
    time.sleep(_GRACE)
    os._exit(1)


def _stop_working(_number: int, _frame: FrameType | None) -> None:
    Thread(target=_exit_later, daemon=True).start()
    if _State.working:
        raise _StopWorkingError
    os._exit(1)


def _work(function: Callable[[Item], Result], item: Item) -> Result:
    _State.working = True
    try:
        return function(item)
    except _StopWorkingError:
        os._exit(1)
    finally:
        _State.working = False
