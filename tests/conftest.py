"""What the tests share: where the real data lies, if it is there."""

from __future__ import annotations

import inspect
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, and no deadline: how long one takes says more about the machine's
# load than about us. What explores at random is `make explore` (EXPLORE is the seed it prints).
settings.register_profile("redink", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("explore" if "EXPLORE" in os.environ else "redink")

# A shell starts background jobs with Ctrl-C ignored, and their children inherit that; the commands
# that the tests interrupt must not.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What is found is found again in every test, by this process and those that it starts.
os.environ["REDINK_CACHE"] = "off"

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora and oracles, which is never part of the project.

    A test that asks for it is skipped where it is missing.
    """
    return SHARED


SHARED_SETUP = {
    "browser/test_explore.py",
    "browser/test_report.py",
    "reports/test_notebook.py",
    "scale/test_dask.py",
    "test_release.py",
    "test_extending.py",
    "scoring/test_m2.py",
    "workflows/test_benchmark.py",
    "workflows/test_crowd.py",
    "workflows/test_reproduce.py",
    "workflows/test_score_published.py",
}
"""Modules whose set-up is dear: all their tests run in one process, which makes it once."""


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep together what shares a dear set-up; say what goes unchecked without the corpora."""
    here = Path(__file__).parent
    for item in items:
        name = item.path.relative_to(here).as_posix()
        if name in SHARED_SETUP:
            item.add_marker(pytest.mark.xdist_group(name))
        if "shared" in getattr(item, "fixturenames", ()) and not SHARED.is_dir():
            about = inspect.getdoc(getattr(item, "function", None)) or item.name
            reason = f"needs the real corpora (../shared), to check: {about.splitlines()[0]}"
            item.add_marker(pytest.mark.skip(reason=reason))
