"""Stop on Ctrl-C, SIGTERM and SIGHUP: undo unfinished output, then exit with 128 + signal."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_CLEANUP_SECONDS = 2.0  # further signals are ignored for so long


class Interrupted(KeyboardInterrupt):
    """A signal asked the program to stop.

    Not a plain ``KeyboardInterrupt``: Python would end the process by SIGINT if one passes through
    the generated code of a dataclass, even if it is caught later.
    """


@contextmanager
def raise_on_signals() -> Iterator[list[int]]:
    """Raise :class:`Interrupted` on signals; yield the list of the signals received so far."""
    received: list[int] = []
    again = threading.Timer(0, str)
    quiet_until = 0.0

    def stop(number: int, _frame: FrameType | None) -> None:
        nonlocal again, quiet_until
        if time.monotonic() < quiet_until:
            return
        received.append(number)
        quiet_until = time.monotonic() + _CLEANUP_SECONDS
        # some libraries swallow every exception while they load: then the signal comes again
        again = threading.Timer(_CLEANUP_SECONDS + 0.1, os.kill, (os.getpid(), number))
        again.daemon = True
        again.start()
        raise Interrupted

    # a signal that is ignored stays ignored (nohup, a background job of a script)
    caught = [n for n in _SIGNALS if signal.getsignal(n) not in {signal.SIG_IGN, None}]
    before = {number: signal.signal(number, stop) for number in caught}
    try:
        yield received
    finally:
        again.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
