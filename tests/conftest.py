"""What the tests share: where the real data lies, if it is there."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: how long one example takes says more about the machine's load than about us.
settings.register_profile("redink", deadline=None)
settings.load_profile("redink")

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
