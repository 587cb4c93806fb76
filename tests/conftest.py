"""What the tests share: where the real data lies, if it is there."""

from __future__ import annotations

import gc
import inspect
import os
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

# The same examples in every run, and no deadline: how long one takes says more about the machine's
# load than about us. What explores at random is `make explore` (EXPLORE is the seed it prints).
# The long tests (`make test-all`) try more of them, with --hypothesis-profile=long.
ALWAYS = settings(deadline=None, derandomize=True, database=None)
settings.register_profile("redink", ALWAYS, max_examples=50)
settings.register_profile("long", ALWAYS, max_examples=200)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("explore" if "EXPLORE" in os.environ else "redink")

# A shell starts background jobs with Ctrl-C ignored, and their children inherit that; the commands
# that the tests interrupt must not.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What is found is found again in every test, by this process and those that it starts.
os.environ["REDINK_CACHE"] = "off"

# Loaded modules stay: to search them for garbage every few tests was a tenth of the work.
gc.set_threshold(50_000, 10, 10)

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora and oracles, which is never part of the project.

    A test that asks for it is skipped where it is missing.
    """
    return SHARED


SPREAD = {
    "cli/test_machine.py",
    "formats/test_round_trips.py",
    "reports/plots/test_style.py",
    "test_docs.py",
    "test_golden.py",
}
"""Modules whose tests take long and share nothing: they are given out one by one, at the end."""


class Together(LoadScopeScheduling):
    """Gives a process the whole of a module, so that what is dear to make is made once.

    The mark ``xdist_group`` is no help: it has no effect with pytest 9.2 (pytest-xdist 3.8, its
    issue 1386).
    """

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.split("::", 1)[0]
        return nodeid if module.removeprefix("tests/") in SPREAD else module


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Together:
    """How tests are given to the processes of ``-n``."""
    return Together(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that need the corpora if they are missing; give slow tests more time."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(900))
        if not SHARED.is_dir() and "shared" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason="needs the real corpora (../shared)"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """A test that takes away the tracer of ``make coverage`` fails: the rest would not count."""
    tracer = sys.gettrace()
    yield
    assert (sys.gettrace() is None) == (tracer is None), f"{item.name} has changed sys.settrace"


def pytest_sessionfinish() -> None:
    """With ``make coverage``, keep what was measured now.

    Processes that take more than ten seconds to end are killed by xdist.
    """
    if "coverage" in sys.modules and (measuring := sys.modules["coverage"].Coverage.current()):
        measuring.stop()
        measuring.save()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport]:
    """Whatever a test was skipped for, say what goes unchecked."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and not hasattr(report, "wasxfail"):
        path, line, reason = report.longrepr
        about = inspect.getdoc(getattr(item, "function", None)) or item.name
        report.longrepr = (path, line, f"{reason}, to check: {about.splitlines()[0]}")
    return report
