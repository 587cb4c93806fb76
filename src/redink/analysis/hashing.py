"""The numbers by which spaCy's networks know a word: hashes of its form, and rows of their tables.

A lexical attribute (the form in lower case, its ending, its shape …) is known by the 64-bit
MurmurHash of its text, unless it is one of the names that spaCy numbers itself. An embedding table
sums four of its rows, which another hash picks. All of it works on many words at a time.

`resources/lexical.json` has these names, and the forms that spaCy takes for others (quotation
marks, currencies); both are spaCy's (MIT licence).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

_NAMED = Path(__file__).with_name("resources") / "lexical.json"
_LONG_SHAPE = 100  # letters from which on a word's shape is not written out
_SAME_SHAPE = 4  # how often a shape repeats a letter at most
_SUFFIX = 3
_WORD = 8  # bytes that MurmurHash takes at a time


@cache
def _named() -> tuple[dict[str, int], dict[str, str]]:
    """The names that have numbers of their own, and the forms that stand for others."""
    content = json.loads(_NAMED.read_text(encoding="utf-8"))
    return content["symbols"], content["norms"]


def lexical_attributes(words: Sequence[str]) -> dict[str, list[str]]:
    """What spaCy's networks look at in a word: by attribute, one value a word."""
    norms = _named()[1]
    return {
        "NORM": [norms.get(word) or word.lower() for word in words],
        "PREFIX": [word[:1] for word in words],
        "SUFFIX": [word[-_SUFFIX:] for word in words],
        "SHAPE": [_shape(word) for word in words],
    }


def _shape(word: str) -> str:
    """``Xxxxx`` for *Peter*, ``dd:dd`` for *10:30*."""
    if len(word) >= _LONG_SHAPE:
        return "LONG"
    shape: list[str] = []
    last, count = "", 0
    for letter in word:
        if letter.isalpha():
            sign = "X" if letter.isupper() else "x"
        else:
            sign = "d" if letter.isdigit() else letter
        count = count + 1 if sign == last else 1
        last = sign
        if count <= _SAME_SHAPE:
            shape.append(sign)
    return "".join(shape)


def hash_texts(texts: Sequence[str]) -> Keys:
    """The key of every text."""
    symbols = _named()[0]
    distinct = dict.fromkeys(texts)
    by_length = defaultdict[int, list[tuple[str, bytes]]](list)
    keys: dict[str, int] = {}
    for text in distinct:
        if not text:
            keys[text] = 0
        elif text in symbols:
            keys[text] = symbols[text]
        else:
            encoded = text.encode("utf-8", "surrogatepass")
            by_length[len(encoded)].append((text, encoded))
    for length, group in by_length.items():
        hashed = _hash_same_length(b"".join(encoded for _, encoded in group), length).tolist()
        keys.update(zip((text for text, _ in group), hashed, strict=True))
    return np.array([keys[text] for text in texts], dtype=np.uint64)


def _hash_same_length(data: bytes, length: int) -> Keys:
    """MurmurHash2, 64 bits, seed 1, of texts of one length that follow one another."""
    multiplier, shift = np.uint64(0xC6A4A7935BD1E995), np.uint64(47)
    letters = np.frombuffer(data, dtype=np.uint8).reshape(-1, length)
    padded = np.zeros((len(letters), -(-length // _WORD) * _WORD), dtype=np.uint8)
    padded[:, :length] = letters
    blocks: Keys = padded.view("<u8")
    whole = length // _WORD
    start = np.uint64(1) ^ np.array(length, dtype=np.uint64) * multiplier
    hashed: Keys = np.full(len(letters), start, dtype=np.uint64)
    for place in range(whole):
        mixed = blocks[:, place] * multiplier
        mixed ^= mixed >> shift
        hashed = (hashed ^ mixed * multiplier) * multiplier
    if length % _WORD:
        hashed = (hashed ^ blocks[:, whole]) * multiplier
    hashed ^= hashed >> shift
    hashed *= multiplier
    return hashed ^ (hashed >> shift)


def table_rows(keys: Keys, seed: int, rows: int) -> NDArray[np.int64]:
    """The four rows of a table whose sum is the vector of each key (MurmurHash3, 128 bits)."""
    first = keys * np.uint64(0x87C37B91114253D5)
    first = (first << np.uint64(31)) | (first >> np.uint64(33))
    first = first * np.uint64(0x4CF5AD432745937F)
    salt = np.uint64(seed ^ _WORD)
    first ^= salt
    first += salt
    second = first + salt
    first, second = _finish(first), _finish(second)
    first += second
    second += first
    parts = np.stack([first, first >> np.uint64(32), second, second >> np.uint64(32)], axis=1)
    parts &= np.uint64(0xFFFFFFFF)
    return (parts % np.uint64(rows)).astype(np.int64)


def _finish(value: Keys) -> Keys:
    for multiplier in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ (value >> np.uint64(33))) * np.uint64(multiplier)
    return value ^ (value >> np.uint64(33))
