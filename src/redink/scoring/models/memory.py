"""What a model said of a text, kept by content: asked again, in this run or the next, it is known.

Numbers are kept in a small database in the cache folder (``REDINK_CACHE``, else ``redink`` in the
user's cache folder; ``REDINK_CACHE=off`` keeps nothing), which several processes may use at once.
A key is made of the weights of the model, the question and the text, so that nothing ever has to be
forgotten. Without a folder that can be written, only this process remembers.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
_AT_ONCE = 500
_known: dict[bytes, float] = {}


def cache_file() -> Path | None:
    """The database, or None where nothing is to be kept."""
    place = os.environ.get("REDINK_CACHE", "")
    if place.lower() == "off":
        return None
    if place:
        return Path(place) / "model-scores.sqlite"
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if home else Path.home() / ".cache") / "redink" / "model-scores.sqlite"


def remember(
    about: str, texts: Sequence[str], make: Callable[[list[int]], Sequence[float]]
) -> FloatArray:
    """A number for every text, made only where it is not known.

    Args:
        about: the model and the question.
        texts: what the numbers are about.
        make: the numbers of the texts at these places.
    """
    keys = [_key(about, text) for text in texts]
    unknown = [key for key in dict.fromkeys(keys) if key not in _known]
    if unknown:
        with _database() as stored:
            if stored is not None:
                _known.update(_look_up(stored, unknown))
            places = {key: place for place, key in enumerate(keys)}
            wanted = [places[key] for key in unknown if key not in _known]
            if wanted:
                made = dict(zip((keys[at] for at in wanted), map(float, make(wanted)), strict=True))
                _known.update(made)
                if stored is not None:
                    _store(stored, made)
    return np.array([_known[key] for key in keys], dtype=np.float64)


def forget() -> None:
    """What this process remembers; the database stays."""
    _known.clear()


def _key(about: str, text: str) -> bytes:
    return blake2b(f"{about}\0{text}".encode(), digest_size=16).digest()


@contextmanager
def _database() -> Iterator[sqlite3.Connection | None]:
    path = cache_file()
    connection: sqlite3.Connection | None = None
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=30, isolation_level=None)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, value REAL) WITHOUT ROWID"
            )
    except (OSError, sqlite3.Error):
        connection = None
    if connection is None:
        yield None
        return
    with closing(connection):
        yield connection


def _look_up(stored: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, float]:
    found: dict[bytes, float] = {}
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        try:
            found.update(
                stored.execute(f"SELECT key, value FROM scores WHERE key IN ({marks})", some)  # noqa: S608 (question marks alone)
            )
        except sqlite3.Error:
            return {}
    return found


def _store(stored: sqlite3.Connection, made: dict[bytes, float]) -> None:
    try:
        stored.execute("BEGIN")
        stored.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", made.items())
        stored.execute("COMMIT")
    except sqlite3.Error:
        return  # it is known in this process
