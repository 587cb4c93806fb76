"""Which systems are ranked, or correlated over: the same choice for every command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from redink.errors import OptionError


def choose_systems(known: Iterable[str], only: Sequence[str], without: Sequence[str]) -> set[str]:
    """The systems that are wanted; all but some, or only some.

    Raises:
        OptionError: one is not known.
    """
    there = set(known)
    for name in (*only, *without):
        if name not in there:
            raise OptionError(f"there is no system {name!r}; there are: {', '.join(sorted(there))}")
    return (set(only) or there) - set(without)
