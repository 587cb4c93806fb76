"""Tests that hang."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = """
from tests.hanging import Watch

def pytest_configure(config):
    config.pluginmanager.register(Watch(quick=20, mercy=100, second=0.05))
"""
HANGING = '''
import os, signal, subprocess, sys, time

WAKING = """
import psutil, sys, time
sleeper = psutil.Process(int(sys.argv[1]))
while sleeper.status() != psutil.STATUS_STOPPED:
    time.sleep(0.01)
time.sleep(2)
sleeper.resume()
"""

def test_while_the_machine_stands_still():
    subprocess.Popen([sys.executable, "-c", WAKING, str(os.getpid())])
    os.kill(os.getpid(), signal.SIGSTOP)

def test_that_sleeps():
    time.sleep(3600)

def test_that_waits_for_a_process():
    subprocess.run(["sleep", "3600"])

def test_that_cannot_be_stopped():
    while True:
        try:
            time.sleep(3600)
        except BaseException:
            pass
'''


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs signals that stop a process")
def test_one_that_hangs_fails_by_its_name(tmp_path: Path) -> None:
    """It says where it was and the next goes on; only where nothing listens, the process ends.

    Two seconds in which the machine stands still are longer than the limit here, and do not count.
    """
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_those.py").write_text(HANGING)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", tmp_path],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done
    assert "test_those.py::test_while_the_machine_stands_still PASSED" in done.stdout
    for name in ("test_that_sleeps", "test_that_waits_for_a_process"):
        assert f"test_those.py::{name} FAILED" in done.stdout
        assert f"test_those.py::{name} hangs:" in done.stderr
        assert f"in {name}" in done.stderr
    assert done.stderr.endswith("test_that_cannot_be_stopped hangs, and cannot be stopped\n")


def test_every_test_is_watched(request: pytest.FixtureRequest) -> None:
    """For five minutes in which the machine ran, this one like all others."""
    watch = request.config.pluginmanager.get_plugin("hanging")
    assert watch is not None
    assert (watch.name, watch.limit) == (request.node.nodeid, 300)
