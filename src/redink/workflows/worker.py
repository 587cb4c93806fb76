"""A process that works for another: it is given items, and sends back what came of each.

All goes over one connection. Its end is the end of the work: the other process has closed it, or
is no more.
"""

from __future__ import annotations

import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread, main_thread
from types import FrameType
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

GRACE = 2.0
"""Seconds that a worker has to put things in order when it must stop."""


def pack_work(function: Callable[[Item], Result], item: Item) -> bytes:
    """What to do, as a message."""
    return pickle.dumps((function, item), pickle.HIGHEST_PROTOCOL)


def unpack_outcome(message: bytes) -> object:
    """The result in a worker's message.

    Raises:
        BaseException: what the function raised.
    """
    result, error = pickle.loads(message)  # noqa: S301 (our own process wrote it)
    if error is not None:
        raise error
    return result


def serve(connection: Connection) -> None:
    """Work until the connection ends."""
    # Ctrl-C reaches every process of the terminal; the first process stops the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop_working)
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
    time.sleep(GRACE)
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
        error.add_note(f"In a worker process:\n{where}")
        try:
            return pickle.dumps((None, error), pickle.HIGHEST_PROTOCOL)
        except Exception:  # noqa: BLE001 (an error may hold anything)
            return pickle.dumps((None, RuntimeError(where)), pickle.HIGHEST_PROTOCOL)
