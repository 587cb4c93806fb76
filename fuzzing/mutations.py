"""How a good file is damaged."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence

# What tends to upset parsers, put in at random.
WORDS = (
    b"|||",
    b"||",
    b"-NONE-",
    b"noop",
    b"S ",
    b"A ",
    b"I ",
    b"\t",
    b"\n",
    b"\r\n",
    b"\r",
    b"\0",
    b'"',
    b"'",
    b"<",
    b">",
    b"</P>",
    b"<P>",
    b"<DOC>",
    b"<!DOCTYPE x>",
    b"<![CDATA[",
    b"&#0;",
    b"&amp;",
    b"&x;",
    b"[",
    b"]",
    b"{",
    b"}",
    b"[" * 2000,
    b'{"a":' * 500,
    b",",
    b":",
    b"null",
    b"true",
    b"NaN",
    b"Infinity",
    b"-1",
    b"0",
    b"1e999",
    b"-0.0",
    b"9" * 25,
    b"9" * 5000,
    b"1_0",
    "٣".encode(),
    "²".encode(),
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x80",
    b"\xc3",
    b"\xf4\x90\x80\x80",
    b"\\ud800",
    b"\\u0000",
    "\u2028".encode(),
    "\x85".encode(),
    "\u00a0".encode(),
    b" ",
    b"  ",
    b"\x1c",
    b"\x1f\x8b",
    b"\x28\xb5\x2f\xfd",
    b"..",
    b"...." * 200,
    b"item,judge,label",
    b'"tokens"',
    b'"text"',
    b'"edits"',
    b"src-id",
    b"ranking-item",
    b"\x0c",
    b"\x7f",
    b"1",
    b"2",
    b"-",
    b"ok",
    b"error",
    b"nan",
    b"inf",
    b"\\",
    b"\\end\\",
    b"\\data\\",
    b"#",
    b"=",
    b"/",
    b"%s",
    "\u200b".encode(),
    "e\u0301".encode(),
    "\U0001f600".encode(),
    "\u202e".encode(),
    b"\x1b[31m",
    b"[/b]",
    b"[red]",
)

_FEW_AND_MANY = (1, 1, 1, 1, 2, 3, 8)
_LENGTHS = (1, 1, 2, 5, 20, 200)


def mutate(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """A damaged version of ``data``: one to eight random changes of its bytes."""
    result = bytearray(data)
    for _ in range(rng.choice(_FEW_AND_MANY)):
        _change(result, others, rng)
    if rng.random() < 0.02:
        packed = gzip.compress(bytes(result), compresslevel=1, mtime=0)
        return packed if rng.random() < 0.5 else mutate(packed, [packed], rng)
    return bytes(result)


def _change(result: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    at = rng.randrange(len(result) + 1)
    end = min(len(result), at + rng.choice(_LENGTHS))
    change = rng.randrange(12)
    if change in {0, 1} and result:
        result[min(at, len(result) - 1)] = _byte(rng)
    elif change == 2:
        del result[at:end]
    elif change == 3:
        result[at:at] = bytes(_byte(rng) for _ in range(rng.choice((1, 1, 2, 6))))
    elif change in {4, 5}:
        result[at:at] = rng.choice(WORDS)
    elif change == 6:
        result[at:end] = rng.choice(WORDS)
    elif change == 7:
        result[at:at] = result[at:end] * rng.choice((1, 2, 10))
    elif change == 8:
        del result[at:]
    elif change in {9, 10}:
        _change_line(result, at, rng)
    else:
        other = rng.choice(others)
        start = rng.randrange(len(other) + 1)
        result[at:end] = other[start : start + rng.choice((5, 50, 500))]


def _change_line(result: bytearray, at: int, rng: random.Random) -> None:
    """Drop, double or swap a whole line: what is left is well-formed, and may not fit together."""
    begin = result.rfind(b"\n", 0, at) + 1
    end = result.find(b"\n", at) + 1 or len(result)
    line = bytes(result[begin:end])
    change = rng.randrange(3)
    if change == 0:
        del result[begin:end]
    elif change == 1:
        result[begin:begin] = line
    else:
        del result[begin:end]
        place = result.rfind(b"\n", 0, rng.randrange(len(result) + 1)) + 1
        result[place:place] = line


def _byte(rng: random.Random) -> int:
    # mostly printable: what is not UTF-8 never gets past the door
    return rng.randrange(32, 127) if rng.random() < 0.95 else rng.randrange(256)
