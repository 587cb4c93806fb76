"""How work is shared among processes: memory stays bounded, and a killed process is replaced.

The first process gives items to workers, each over a connection of its own. A worker does the work
and sends back what came of it. The end of its connection is the end of its work: the first process
has closed it, or is gone.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from queue import SimpleQueue
from threading import Thread, current_thread, main_thread
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from redink.errors import OptionError, RedinkError, RedinkWarning

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")

_GRACE = 2.0
"""Seconds that a worker has to put things in order when it must stop."""

_AHEAD = 3  # items on their way for each worker before the oldest result is waited for
_AT_HAND = 2  # of these given to it: one it works on, and the next at hand
_DEATHS = 3  # so often may processes be killed over one item
_PATIENCE = _GRACE + 3.0  # seconds until a worker that does not stop is killed
_SIGNALS = {
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
}


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
    with Workers(workers) as crew, closing(crew.map(function, items)) as results:
        yield from results


def look_for_cycles_seldom() -> None:
    """In a process of our own, which makes millions of small values that live long.

    To look through them for cycles again and again takes a fifth of its time.
    """
    gc.set_threshold(1_000_000, 50, 1000)


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """While many small values that stay are made, none of them part of a cycle."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # nobody has set values aside
            gc.freeze()  # they go to the old ones at once, without being looked through
            gc.unfreeze()
        gc.enable()


class Workers:
    """Processes that share work, started when the first is given.

    With one worker the work is done in this process. A worker that is killed is replaced, and what
    it was doing is done again. On leaving the context early (an error, Ctrl-C) workers stop at
    once, in order: what they were writing atomically leaves nothing behind. They stop as well when
    this process is killed.

    This is not ``concurrent.futures``: there all workers answer through one pipe, and one that
    ends in the middle of an answer leaves everybody waiting for the rest of it. Here each has a
    connection of its own, which ends with it.
    """

    def __init__(self, number: int) -> None:
        if number < 1:
            raise OptionError(f"at least one worker is needed, not {number}")
        self._number = number
        self._crew: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

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
        # who wants results as they come has large items: the next goes to who is free first
        each = _AT_HAND if in_order else 1
        try:
            for item in items:
                tasks.append(_Task(function, item))
                self._share(tasks, each)
                if len(tasks) > _AHEAD * self._number:
                    yield self._take(tasks, each, in_order=in_order)
            while tasks:
                yield self._take(tasks, each, in_order=in_order)
        finally:
            if tasks:
                self._end()

    def _take(self, tasks: deque[_Task[Item, Result]], each: int, *, in_order: bool) -> Result:
        while True:
            done = (task for task in tasks if task.outcome is not None)
            task = next(done, None) if not in_order else tasks[0]
            if task is not None and task.outcome is not None:
                tasks.remove(task)
                self._share(tasks, each)
                return task.result()
            self._listen(timeout=None)
            self._share(tasks, each)

    def _share(self, tasks: Iterable[_Task[Item, Result]], each: int) -> None:
        """Give every worker up to so many things to do."""
        if not self._crew:
            with _undisturbed():
                for _ in range(self._number):
                    self._crew.append(_Worker())
        self._listen(timeout=0)
        for task in tasks:
            while not task.is_given:
                least = min(self._crew, key=lambda one: len(one.tasks))
                if len(least.tasks) == each:
                    return
                if not least.give(task):
                    self._replace(least)

    def _listen(self, timeout: float | None) -> None:
        """Take the outcomes that have come; without ``timeout``, wait for one."""
        from multiprocessing.connection import wait as wait_for_any

        busy = {one.connection: one for one in self._crew if one.tasks}
        for connection in wait_for_any(list(busy), timeout):
            one = busy[connection]  # type: ignore[index]  # only connections were asked for
            if not one.listen():
                self._replace(one)

    def _replace(self, dead: _Worker) -> None:
        """A new process in place of one that was killed; it gets its work later."""
        dead.end(time.monotonic())
        at_work = dead.tasks[0]
        at_work.deaths += 1
        if at_work.deaths > _DEATHS:
            raise RedinkError(
                f"worker processes ended {at_work.deaths} times before their work was done "
                "(killed, or out of memory)"
            )
        for task in dead.tasks:
            task.is_given = False
        warnings.warn(
            "a worker process ended before its work was done (killed, or out of memory); "
            "it is replaced and the work done again",
            RedinkWarning,
            stacklevel=2,
        )
        with _undisturbed():
            self._crew[self._crew.index(dead)] = _Worker()

    def _end(self) -> None:
        crew, self._crew = self._crew, []
        for one in crew:
            one.connection.close()
        deadline = time.monotonic() + _PATIENCE
        for one in crew:
            one.end(deadline)


class _Task(Generic[Item, Result]):
    """An item on its way, and how often processes died over it."""

    def __init__(self, function: Callable[[Item], Result], item: Item) -> None:
        self.function = function
        self.item = item
        self.is_given = False
        self.outcome: bytes | None = None
        self.deaths = 0

    def result(self) -> Result:
        """What came of it, or the error."""
        assert self.outcome is not None
        return _unpack_outcome(self.outcome)  # type: ignore[return-value]


class _Worker:
    """A process, the connection to it, and the tasks it was given, in their order."""

    def __init__(self) -> None:
        from multiprocessing import get_context

        # Forking a process that has threads (a progress bar, a matrix library) can lock up.
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()  # so that the connection ends with the process
        self.tasks: deque[_Task[Any, Any]] = deque()

    def give(self, task: _Task[Any, Any]) -> bool:
        """Send work; false if there is nobody any more."""
        message = _pack_work(task.function, task.item)
        task.is_given = True
        self.tasks.append(task)
        try:
            self.connection.send_bytes(message)
        except OSError:
            return False
        return True

    def listen(self) -> bool:
        """Receive the outcome of the oldest task; false if there is nobody any more."""
        try:
            outcome = self.connection.recv_bytes()
        except (EOFError, OSError):
            return False
        self.tasks.popleft().outcome = outcome
        return True

    def end(self, deadline: float) -> None:
        """Wait until the process has put things in order and ended, but not for ever."""
        self.connection.close()
        self._process.join(max(0.0, deadline - time.monotonic()))
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """No signal comes between starting a process and knowing of it.

    The process does not hear them either while it is loading: it inherits what is blocked here.
    This one hears of them as soon as the block is left.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # which unblocks signals when it starts
    resource_tracker.ensure_running()
    with _signals_put_off():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _signals_put_off() -> Iterator[None]:
    """What is blocked here may reach another thread; Python then handles it here all the same."""
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    handlers = {}
    try:
        if current_thread() is main_thread():
            for number in _SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler):  # not what is ignored, which a new process inherits
                    handlers[number] = handler
                    signal.signal(number, note)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _pack_work(function: Callable[[Item], Result], item: Item) -> bytes:
    """What to do, as a message."""
    return pickle.dumps((function, item), pickle.HIGHEST_PROTOCOL)


def _unpack_outcome(message: bytes) -> object:
    """The result in a worker's message.

    Raises:
        BaseException: what the function raised.
    """
    result, error = pickle.loads(message)  # noqa: S301 (our own process wrote it)
    if error is not None:
        raise error
    return result


def _serve(connection: Connection) -> None:
    """Work until the connection ends."""
    # Ctrl-C reaches every process of the terminal; the first process stops the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop_working)
    look_for_cycles_seldom()
    if hasattr(signal, "pthread_sigmask"):  # they were blocked while this process was loading
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGHUP})
    given: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_receive, args=(connection, given), daemon=True).start()
    while True:
        outcome = _work(given.get())
        try:
            connection.send_bytes(outcome)
        except OSError:  # nobody listens any more
            os._exit(1)


def _receive(connection: Connection, given: SimpleQueue[bytes]) -> None:
    """Take in work as soon as it comes, so that who gives it never waits for who does it."""
    try:
        while True:
            given.put(connection.recv_bytes())
    except (EOFError, OSError):
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(main_thread().ident or 0, signal.SIGTERM)
        _exit_later()


class _StopWorkingError(BaseException):
    """Raised in the middle of the work, so that it puts things in order on the way out."""


class _State:
    working = False


def _stop_working(_number: int, _frame: FrameType | None) -> None:
    Thread(target=_exit_later, daemon=True).start()
    if _State.working:
        raise _StopWorkingError
    os._exit(1)


def _exit_later() -> None:
    time.sleep(_GRACE)
    os._exit(1)


def _work(message: bytes) -> bytes:
    _State.working = True
    try:
        return _outcome(message)
    except _StopWorkingError:
        os._exit(1)
    finally:
        _State.working = False


def _outcome(message: bytes) -> bytes:
    try:
        function, item = pickle.loads(message)  # noqa: S301 (our own process wrote it)
        return pickle.dumps((function(item), None), pickle.HIGHEST_PROTOCOL)
    except _StopWorkingError:
        raise
    except BaseException as error:  # noqa: BLE001 (whatever it is, it is the caller's)
        where = "".join(traceback.format_exception(error))
        if not isinstance(error, RedinkError):  # whose sentence says all that a user needs
            error.add_note(f"In a worker process:\n{where}")
        try:
            return pickle.dumps((None, error), pickle.HIGHEST_PROTOCOL)
        except Exception:  # noqa: BLE001 (an error may hold anything)
            return pickle.dumps((None, RuntimeError(where)), pickle.HIGHEST_PROTOCOL)
