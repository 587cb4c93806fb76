"""Code of all drop-in commands: arguments, printing, exit codes of the originals.

Where an original ends with a traceback, the command prints one sentence; the exit code is the same.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from redink.errors import RedinkError

_CRASHED = 1
_BROKEN_PIPE = 128 + 13


def run(name: str, work: Callable[[], None]) -> int:
    """Run the command of that name and return its exit code."""
    try:
        work()
        sys.stdout.flush()
    except BrokenPipeError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except (OSError, ValueError, LookupError, AssertionError, RedinkError) as error:
        return print_error(name, error)
    return 0


def run_parser(
    parser: argparse.ArgumentParser,
    arguments: list[str] | None,
    work: Callable[[argparse.Namespace], None],
) -> int:
    """Parse the arguments, run the parser's command, and return its exit code."""
    options = parser.parse_args(arguments)
    return run(parser.prog, lambda: work(options))


def print_line(text: str) -> None:
    """Print a line."""
    sys.stdout.write(text + "\n")


def print_error(name: str, error: Exception) -> int:
    """Print the error after the output so far, and return the exit code."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    sys.stderr.write(f"{name}: error: {error}\n")
    return _CRASHED


def read_lines(path: str) -> list[str]:
    """Read the lines of a text file (without pathlib, which takes time to load)."""
    with open(path, encoding="utf-8") as stream:  # noqa: PTH123
        return [line.rstrip("\n") for line in stream]


def check_lengths(counts: Iterable[tuple[str, int]]) -> None:
    """Raise an error unless the files have the same number of sentences."""
    sizes = dict(counts)
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{path} has {count}" for path, count in sizes.items())
        raise ValueError(f"the files must have the same number of sentences: {found}")
