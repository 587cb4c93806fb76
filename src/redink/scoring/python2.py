"""The iteration order of sets and dictionaries in Python 2.

The I-measure and the M2 scorer store candidates in dictionaries and take the first of equally good
ones. The order is determined by the hash table of Python 2.7 (64 bits, no hash randomization),
which is reproduced here. The hash of an integer is the integer itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_BITS = 64
_MASK = (1 << _BITS) - 1
_SMALLEST_TABLE = 8


def hash_text(text: str) -> int:
    """Compute ``hash(text)`` of Python 2."""
    if not text:
        return 0
    value = ord(text[0]) << 7
    for character in text:
        value = ((1000003 * value) ^ ord(character)) & _MASK
    return _signed(value ^ len(text), instead_of_minus_one=-2)


def hash_tuple(hashes: Sequence[int]) -> int:
    """Compute Python 2's ``hash`` of a tuple whose items have these hashes."""
    value, multiplier = 0x345678, 1000003
    for left, item in zip(range(len(hashes) - 1, -1, -1), hashes, strict=True):
        value = ((value ^ item) * multiplier) & _MASK
        multiplier += 82520 + 2 * left
    return _signed((value + 97531) & _MASK, instead_of_minus_one=-2)


def hash_frozenset(hashes: Iterable[int]) -> int:
    """Compute Python 2's ``hash`` of a frozen set whose distinct items have these hashes."""
    items = list(hashes)
    value = 1927868237 * (len(items) + 1)
    for item in items:
        value ^= (item ^ (item << 16) ^ 89869747) * 3644798167
    return _signed((value * 69069 + 907133923) & _MASK, instead_of_minus_one=590923713)


def _signed(value: int, *, instead_of_minus_one: int) -> int:
    value = (value & _MASK) - (1 << _BITS) if value >> (_BITS - 1) else value
    return instead_of_minus_one if value == -1 else value


def iteration_order(hashes: Sequence[int]) -> list[int]:
    """Return the iteration order of distinct keys that are inserted one after the other.

    Args:
        hashes: the hashes of the keys, in the order of insertion.

    Returns:
        The indices of the keys, in the order of the table.
    """
    table: list[int | None] = [None] * _SMALLEST_TABLE
    for used, number in enumerate(range(len(hashes)), start=1):
        _insert(table, number, hashes[number])
        if used * 3 >= len(table) * 2:
            size = _SMALLEST_TABLE
            while size <= used * (2 if used > 50000 else 4):
                size *= 2
            moved = [entry for entry in table if entry is not None]
            table = [None] * size
            for entry in moved:
                _insert(table, entry, hashes[entry])
    return [entry for entry in table if entry is not None]


def _insert(table: list[int | None], number: int, value: int) -> None:
    mask = len(table) - 1
    slot = value & mask
    perturbation = value & _MASK
    while table[slot & mask] is not None:
        slot = slot * 5 + perturbation + 1
        perturbation >>= 5
    table[slot & mask] = number
