"""Durations as people's files write them: seconds, or hours:minutes:seconds."""

from __future__ import annotations

import re
from decimal import Decimal

from redink.errors import DataError

_LONGEST = 10**9
"""Some thirty years in seconds; what is longer is not a duration of a judgment."""

_PARTS = re.compile(r"(?:(?:(\d{1,9}):)?(\d{1,9}):)?(\d{1,10}(?:\.\d{0,400})?)", re.ASCII)
_SECONDS = re.compile(r"\d{1,10}(?:\.\d{0,400})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def parse_duration(text: str) -> float | None:
    """Seconds from ``67.524``, ``1:07.524`` or ``00:01:07.524``; None if it is none of these."""
    text = text.strip()
    if _SECONDS.fullmatch(text):
        seconds = Decimal(text)
    elif parts := _PARTS.fullmatch(text):
        hours, minutes, rest = parts.groups()
        # Decimal, so that what is written reads back as the very same float
        seconds = 3600 * Decimal(hours or 0) + 60 * Decimal(minutes or 0) + Decimal(rest)
    else:
        return None
    return float(seconds) if seconds < _LONGEST else None


def parse_optional_duration(text: str | None) -> float | None:
    """Seconds, or None where nothing is written."""
    if not text:
        return None
    seconds = parse_duration(text)
    if seconds is None:
        raise DataError(
            f"expected a duration in seconds or as hours:minutes:seconds, found {text!r}"
        )
    return seconds


def format_seconds(seconds: float | None) -> str | None:
    """``67.524``, exact to the last digit of the float; None where there is none."""
    return None if seconds is None else repr(float(check_duration(seconds)))


def check_duration(seconds: float) -> float:
    """The duration, if it is one that can be written."""
    if not 0 <= seconds < _LONGEST:
        raise DataError(f"a duration of {seconds} seconds cannot be written")
    return abs(seconds)  # no -0.0


def format_duration(seconds: float) -> str:
    """``00:01:07.524000`` from 67.524, exact to the last digit of the float."""
    total = Decimal(repr(float(check_duration(seconds))))
    minutes, rest = divmod(total, 60)
    hours, minutes = divmod(minutes, 60)
    whole, _, fraction = f"{rest:f}".partition(".")
    return f"{int(hours):02d}:{int(minutes):02d}:{int(whole):02d}.{fraction:<06}"
