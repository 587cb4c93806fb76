"""Ctrl-C and its like: the work unwinds and cleans up, and its exit code names the signal."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_PATIENCE = 1.0
"""Seconds for cleaning up before a further signal ends the process at once."""


class Stopped(KeyboardInterrupt):
    """A signal has come.

    A class of its own, since Python ends a process by SIGINT when a plain ``KeyboardInterrupt``
    has passed through code that was made at run time (as dataclasses are), even if it was caught.
    """


@dataclass
class Stop:
    """The signal that came, if one did."""

    number: int | None = None
    since: float = 0.0

    @property
    def exit_code(self) -> int:
        """As a shell reports a process that a signal ended: 130 for Ctrl-C, 143 for kill."""
        return 128 + (self.number or signal.SIGINT)

    def _come(self, number: int, _frame: FrameType | None) -> None:
        if self.number is None:
            self.number, self.since = number, time.monotonic()
            raise Stopped
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
        yield stop
    finally:
        for number, handler in before.items():
            with suppress(ValueError, TypeError):
                signal.signal(number, handler)
