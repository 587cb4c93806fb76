"""A test that hangs fails by its name, and says where every thread was.

How long it has had is counted by a thread that wakes up once a second, not by the clock: a machine
that slept, or a guest that its host held still, has given the test no time. This is the one place
where tests give up; they wait for what they need without a limit of their own.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
import time
from _thread import interrupt_main
from collections.abc import Generator
from dataclasses import dataclass
from types import FrameType

import pytest

_SIGNAL = signal.SIGUSR2 if hasattr(signal, "SIGUSR2") else signal.SIGBREAK  # as Windows has it


@dataclass
class Watch:
    """A plugin that counts the seconds of the test that runs.

    Attributes:
        quick: seconds after which a test hangs: far beyond what a busy machine needs.
        slow: the same for tests that take long.
        mercy: further seconds until the process ends, where nothing listens to the failure.
        second: how long one is.
    """

    quick: int = 300
    slow: int = 900
    mercy: int = 60
    second: float = 1.0
    name: str = ""
    limit: int = 0
    had: int = 0

    def pytest_sessionstart(self) -> None:
        """Count for as long as the process lives."""
        self._stderr = os.fdopen(os.dup(2), "w")  # as it is before pytest captures it
        signal.signal(_SIGNAL, self._fail)
        threading.Thread(target=self._count, name="hanging", daemon=True).start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """What prepares a test and what clears up after it may not hang either."""
        self.had, self.name = 0, item.nodeid
        self.limit = self.slow if item.get_closest_marker("slow") else self.quick
        try:
            return (yield)
        finally:
            self.limit = 0

    def _count(self) -> None:
        while True:
            time.sleep(self.second)
            if not self.limit:
                continue
            self.had += 1
            if self.had == self.limit:
                self._say("hangs:")
                faulthandler.dump_traceback(self._stderr)
                if hasattr(signal, "pthread_kill"):
                    signal.pthread_kill(threading.main_thread().ident or 0, _SIGNAL)
                else:
                    interrupt_main(_SIGNAL)
            elif self.had == self.limit + self.mercy:
                self._say("hangs, and cannot be stopped")
                os._exit(1)

    def _say(self, what: str) -> None:
        print(self.name, what, file=self._stderr, flush=True)

    def _fail(self, _number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"{self.name} hangs: it was not done after {self.had} seconds")
