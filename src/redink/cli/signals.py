"""Stop on Ctrl-C, SIGTERM and SIGHUP: undo unfinished output, then exit with 128 + signal."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_CLEANUP_SECONDS = 1.0  # further signals are ignored for so long, so that cleanup can finish


class Interrupted(KeyboardInterrupt):
    """A signal asked the program to stop.

    Not a plain ``KeyboardInterrupt``: Python would end the process by SIGINT if one passes through
    the generated code of a dataclass, even if it is caught later.
    """


@contextmanager
def raise_on_signals() -> Iterator[list[int]]:
    """Raise :class:`Interrupted` on signals; yield the list of the signals received so far."""
    received: list[int] = []
    quiet_until = 0.0

    def stop(number: int, _frame: FrameType | None) -> None:
        nonlocal quiet_until
        if time.monotonic() > quiet_until:
            quiet_until = time.monotonic() + _CLEANUP_SECONDS
            received.append(number)
            raise Interrupted

    # a signal that is ignored stays ignored (nohup, a background job of a script)
    caught = [n for n in SIGNALS if signal.getsignal(n) not in {signal.SIG_IGN, None}]
    before = {number: signal.signal(number, stop) for number in caught}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
