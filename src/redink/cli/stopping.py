"""Ctrl-C and its like: the work unwinds and cleans up, and its exit code names the signal."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType, TracebackType

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_PATIENCE = 1.0
"""Seconds for cleaning up before a further signal ends the process at once."""
_AGAIN = 0.02
"""Seconds after which a signal that got lost comes again: past the place that swallowed it."""


class Stopped(KeyboardInterrupt):
    """A signal has come.

    A class of its own, since Python ends a process by SIGINT when a plain ``KeyboardInterrupt``
    has passed through code that was made at run time (as dataclasses are), even if it was caught.

    Some places swallow exceptions of any kind: a finaliser, a callback from C, a library's bare
    ``except``. Then nobody holds this object any more, and the signal comes again.
    """

    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self._stop = stop

    def __del__(self) -> None:
        """Nobody unwinds any more."""
        self._stop.lost()


@dataclass
class Stop:
    """The signal that came, if one did."""

    number: int | None = None
    since: float = 0.0
    unwinding: bool = False
    over: bool = False
    """All is unwound: nothing is left that a signal could stop."""

    def lost(self) -> None:
        """The work goes on, since something swallowed the exception: let the signal come again."""
        if self.over:
            return
        self.unwinding = False
        # not here and now: that would be swallowed too
        later = threading.Timer(_AGAIN, self._send_anew)
        later.daemon = True
        later.start()

    def _send_anew(self) -> None:
        if self.over or self.number is None:
            return
        if hasattr(signal, "pthread_kill"):
            # a real signal, since it also ends waiting
            signal.pthread_kill(threading.main_thread().ident or 0, self.number)
        else:
            _thread.interrupt_main(signal.Signals(self.number))

    def unwound(self) -> int:
        """The exit code, as a shell gives it for a signal: 130 for Ctrl-C, 143 for kill."""
        self.over = True
        return 128 + (self.number or signal.SIGINT)

    def _come(self, number: int, _frame: FrameType | None) -> None:
        if not self.unwinding:
            self.number, self.since, self.unwinding = number, time.monotonic(), True
            # libraries disturbed while they load may complain
            warnings.simplefilter("ignore")
            raise Stopped(self)
        if time.monotonic() - self.since > _PATIENCE:
            # cleaning up takes too long for whoever waits
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


def ignore_signals() -> None:
    """The work is done and its exit code is known: only Python itself has to end."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def unwind_on_signals() -> Iterator[Stop]:
    """Make the first signal a ``KeyboardInterrupt``, and let it finish what it undoes."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {}
    for number in SIGNALS:
        # what is ignored stays ignored: nohup, or a job that a script put in the background
        if signal.getsignal(number) not in {signal.SIG_IGN, None}:
            before[number] = signal.signal(number, stop._come)  # noqa: SLF001 (ours)
    try:
        with _nothing_told():
            yield stop
    finally:
        stop.over = True
        for number, handler in before.items():
            with suppress(ValueError, TypeError):
                signal.signal(number, handler)


@contextmanager
def _nothing_told() -> Iterator[None]:
    """Who swallows the exception may hand it to one of Python's hooks, to be shown."""
    unraisable, printed = sys.unraisablehook, sys.excepthook

    def take_unraisable(lost: sys.UnraisableHookArgs) -> None:
        if not isinstance(lost.exc_value, Stopped):
            unraisable(lost)

    def take_printed(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Stopped):
            printed(kind, error, trace)
            return
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            setattr(sys, name, None)  # or it would seem to be held by somebody

    sys.unraisablehook, sys.excepthook = take_unraisable, take_printed
    try:
        yield
    finally:
        sys.unraisablehook, sys.excepthook = unraisable, printed
