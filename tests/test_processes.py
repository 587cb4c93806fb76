"""Work on several processes: in order or as it is done, and what becomes of killed workers."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
import warnings
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from redink.errors import OptionError, RedinkError, RedinkWarning
from redink.files import write_atomically
from redink.processes import Workers, map_in_order, no_search_for_cycles


@pytest.fixture(autouse=True)
def _workers_can_import_this(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new process has to find the functions below."""
    ours = str(Path(__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([ours, os.environ.get("PYTHONPATH", "")]))


def square(number: int) -> int:
    return number * number


def first_comes_late(number: int, *, marker: Path) -> int:
    """The first item ends when the last has begun, which is given out when others are done."""
    if number == 5:
        marker.touch()
    while number == 0 and not marker.exists():
        time.sleep(0.01)
    return number


def die_once(number: int, *, marker: Path) -> int:
    """Killed at the fifth item, the first time."""
    if number == 5 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(_number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(number: int) -> int:
    raise RedinkError(f"{number} is wrong")


def divide_by_zero(number: int) -> float:
    return number / 0


def answer_at_length(_number: int) -> bytes:
    """More than fits into a connection that nobody reads."""
    return bytes(3_000_000)


def fail_oddly(number: int) -> int:
    """With an error that cannot be sent."""
    raise OddError(lambda: number)


class OddError(Exception):
    pass


def write_for_long(path: Path) -> None:
    with write_atomically(path) as stream:
        stream.write("half")
        time.sleep(3600)  # who waits for the end of it does not pass


def test_cycles_are_looked_for_again_afterwards() -> None:
    """What somebody has set aside stays so; who does not look for cycles at all goes on so."""
    with no_search_for_cycles():
        assert not gc.isenabled()
        values = [[number] for number in range(10_000)]
    assert gc.isenabled()
    gc.freeze()
    try:
        with no_search_for_cycles():
            values.append([1])
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()
    gc.disable()
    try:
        with no_search_for_cycles():
            values.append([1])
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_one_worker_is_this_process() -> None:
    """Nothing is started, and anything can be worked on."""
    seen: list[int] = []
    assert list(map_in_order(seen.append, range(3))) == [None] * 3
    assert seen == [0, 1, 2]
    with pytest.raises(OptionError, match="at least one worker"):
        list(map_in_order(square, range(3), workers=0))


def test_results_in_order_or_as_they_come(tmp_path: Path) -> None:
    """The same processes serve one map after another."""
    with Workers(2) as workers:
        assert list(workers.map(square, range(30))) == [n * n for n in range(30)]
        work = partial(first_comes_late, marker=tmp_path / "last")
        results = list(workers.map(work, range(6), in_order=False))
        assert sorted(results) == list(range(6))
        assert results[0] != 0


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    """Every result is there once, in order, and a warning says what happened."""
    work = partial(die_once, marker=tmp_path / "killed")
    with pytest.warns(RedinkWarning, match="it is replaced"):
        assert list(map_in_order(work, range(20), workers=2)) == list(range(20))


def test_work_that_kills_every_worker() -> None:
    """After some attempts it is given up, with a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedinkWarning)
        with pytest.raises(RedinkError, match="ended 4 times"):
            list(map_in_order(die, range(3), workers=2))


def test_an_error_of_the_work_is_the_callers() -> None:
    """It arrives as it is, without a traceback for the user, and the workers are gone."""
    with pytest.raises(RedinkError, match="0 is wrong") as caught:
        list(map_in_order(fail, range(100), workers=2))
    assert not hasattr(caught.value, "__notes__")
    assert not _workers()


def test_an_error_tells_where_it_happened() -> None:
    """The worker's own traceback comes with a fault of ours, also if the error itself cannot."""
    with pytest.raises(ZeroDivisionError) as caught:
        list(map_in_order(divide_by_zero, range(3), workers=2))
    assert "in divide_by_zero" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="OddError"):
        list(map_in_order(fail_oddly, range(3), workers=2))


def test_killed_in_the_middle_of_an_answer() -> None:
    """Nobody waits for the rest of it: it is worked out again."""
    with Workers(2) as workers, closing(workers.map(answer_at_length, range(20))) as results:
        sizes = [len(next(results))]
        while not (busy := [one for one in workers._crew if one.tasks]):
            sizes.append(len(next(results)))
        busy[0].connection.poll(None)  # it is answering, and nobody reads
        busy[0]._process.kill()
        with pytest.warns(RedinkWarning, match="it is replaced"):
            sizes += [len(answer) for answer in results]
    assert sizes == [3_000_000] * 20


@pytest.mark.parametrize(
    "moment",
    [0.0, 0.031, *(pytest.param(m, marks=pytest.mark.slow) for m in (0.013, 0.058, 0.094))],
)
def test_leaving_in_the_middle_of_answers(moment: float) -> None:
    """A process of its own leaves, since one that waits for ever would take this one with it."""
    code = f"""
import time
from contextlib import suppress
from tests.test_processes import Workers, answer_at_length
if __name__ == "__main__":
    with suppress(LookupError), Workers(2) as workers:
        answers = workers.map(answer_at_length, range(10**6))
        next(answers)
        left = time.monotonic() + {moment}
        for answer in answers:
            if time.monotonic() > left:
                raise LookupError
    print("left")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "left\n", "")


def test_stopped_work_cleans_up(tmp_path: Path) -> None:
    """Leaving early stops workers in the middle of their work; they leave nothing half-written."""
    files = [tmp_path / "a", tmp_path / "b"]
    with pytest.raises(KeyboardInterrupt):
        _interrupt_writing([*files, tmp_path / "c"] * 3, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert not _workers()


def _interrupt_writing(files: list[Path], folder: Path) -> None:
    """Ctrl-C, once both workers are writing."""

    def check(*_: object) -> None:
        if len(list(folder.iterdir())) == 2:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, check)
    signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
    try:
        with Workers(2) as workers:
            list(workers.map(write_for_long, files))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _workers() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found
