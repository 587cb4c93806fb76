"""Work in several processes: order, errors, killed workers, and leaving early."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from redink.errors import OptionError, RedinkError
from redink.parallel import Workers, map_in_order


@pytest.fixture(autouse=True)
def _workers_can_import_this(monkeypatch: pytest.MonkeyPatch) -> None:
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


def die_at_five(number: int) -> int:
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_while_answering(_number: int) -> DiesWhenPickled:
    return DiesWhenPickled()


class DiesWhenPickled:
    """Sends half of a long message, then ends."""

    def __reduce__(self) -> tuple[object, ...]:
        descriptors = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208
        for number in descriptors:
            with suppress(OSError):
                if os.readlink(f"/proc/self/fd/{number}").startswith("socket:"):  # noqa: PTH115
                    os.write(number, b"\x00\x00\xff\xff half of it")
        os.kill(os.getpid(), signal.SIGKILL)
        return (int, ())


def fail(number: int) -> int:
    raise RedinkError(f"{number} is wrong")


def divide_by_zero(number: int) -> float:
    return number / 0


class OddError(Exception):
    pass


def fail_oddly(number: int) -> int:
    raise OddError(lambda: number)


def sleep_long(_number: int, marker: Path) -> None:
    marker.touch()
    time.sleep(3600)


def workers_left() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found


def test_one_worker_is_this_process() -> None:
    seen: list[int] = []
    assert list(map_in_order(seen.append, range(3))) == [None] * 3
    assert seen == [0, 1, 2]
    with pytest.raises(OptionError, match="workers must be at least 1"):
        list(map_in_order(square, range(3), workers=0))


def test_results_in_order_or_as_they_come(tmp_path: Path) -> None:
    with Workers(2) as workers:
        assert list(workers.map(square, range(30))) == [n * n for n in range(30)]
        work = partial(first_comes_late, marker=tmp_path / "last")
        results = list(workers.map(work, range(6), in_order=False))
        assert sorted(results) == list(range(6))
        assert results[0] != 0
    assert not workers_left()


@pytest.mark.parametrize("work", [die_at_five, die_while_answering])
def test_a_killed_worker_is_an_error(work: object) -> None:
    with pytest.raises(RedinkError, match="killed, or out of memory"):
        list(map_in_order(work, range(100), workers=2))
    assert not workers_left()


def test_an_error_in_a_worker_reaches_the_caller() -> None:
    """A sentence for users comes as it is; another error has the traceback of the worker."""
    with pytest.raises(RedinkError, match="0 is wrong") as caught:
        list(map_in_order(fail, range(100), workers=2))
    assert not hasattr(caught.value, "__notes__")
    with pytest.raises(ZeroDivisionError) as fault:
        list(map_in_order(divide_by_zero, range(3), workers=2))
    assert "in divide_by_zero" in fault.value.__notes__[0]
    with pytest.raises(RuntimeError, match="OddError"):
        list(map_in_order(fail_oddly, range(3), workers=2))
    assert not workers_left()


def test_leaving_early_stops_the_workers(tmp_path: Path) -> None:
    marker = tmp_path / "working"

    def interrupt() -> None:
        while not marker.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        list(map_in_order(partial(sleep_long, marker=marker), range(20), workers=2))
    thread.join()
    assert not workers_left()
