"""What the tests share: where the real data lies, if it is there."""

from __future__ import annotations

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

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora and oracles, which is never part of the project."""
    if not SHARED.is_dir():
        pytest.skip("the real corpora (../shared) are not on this machine")
    return SHARED
