"""How a drop-in command speaks and ends: with the original's code, and a sentence where it crashed.

The originals show a traceback and leave with 1 when their input is not what they expect. The code
is kept, since scripts look at it; the sentence is for people.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

CRASHED = 1
_READER_HAS_GONE = 128 + 13


def run(name: str, work: Callable[[], int | None], *, is_short: bool = True) -> int:
    """Do the work of a command; its exit code.

    Args:
        name: of the command, for the sentence.
        work: what it does; the code it returns, or 0.
        is_short: it ends before it has made garbage worth collecting.
    """
    collects = gc.isenabled()
    if is_short:
        gc.disable()
    try:
        code = work() or 0
        sys.stdout.flush()
    except BrokenPipeError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_HAS_GONE
    except (OSError, ValueError, LookupError, AssertionError) as error:
        return tell(name, error)
    except Exception as error:
        if type(error).__module__ == "redink.errors":
            return tell(name, error)
        raise
    finally:
        if collects:
            gc.enable()
    return code


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(text + "\n")


def tell(name: str, error: Exception) -> int:
    """Say what is wrong, after what was printed so far."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    sys.stderr.write(f"{name}: error: {error}\n")
    return CRASHED


def check_lengths(counts: Iterable[tuple[str, int]]) -> None:
    """Refuse files that do not go together, sentence by sentence."""
    told = list(counts)
    if len({count for _, count in told}) > 1:
        sizes = ", ".join(f"{path} has {count}" for path, count in told)
        raise ValueError(f"the files must have the same number of sentences: {sizes}")
