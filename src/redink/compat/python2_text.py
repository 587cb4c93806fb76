"""How Python 2 prints values: texts are Unicode, unless nothing was joined to make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Bytes(str):
    """A text that is printed without the ``u`` of Python 2's texts."""

    __slots__ = ()


def join_words(words: Sequence[str]) -> str:
    """Words joined as in Python 2, where nothing joined is not Unicode."""
    return " ".join(words) if words else Bytes()


def show(value: Any) -> str:
    """``repr(value)``."""
    if isinstance(value, str):
        return f"{value!a}" if isinstance(value, Bytes) else f"u{value!a}"
    if isinstance(value, list):
        return f"[{', '.join(map(show, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))})"
    return str(value)


def show_number(value: float) -> str:
    """``str(value)``: twelve digits."""
    text = f"{value:.12g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"
