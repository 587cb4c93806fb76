"""Cache annotations, match counts and model scores in small databases.

The folder is ``REDINK_CACHE``, or by default ``redink`` in the user's cache folder.
``REDINK_CACHE=off`` turns the cache off. A key is a digest of everything that the value depends on,
so values never become outdated and processes can share a store. A store at its size limit evicts
the least recently used values. Without a writable folder, nothing is cached.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3

_DAY = 24 * 60 * 60
_SETUP = """
PRAGMA auto_vacuum=INCREMENTAL;
PRAGMA journal_mode=WAL;
PRAGMA synchronous=OFF;
CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value, used INTEGER) WITHOUT ROWID;
"""


def cache_folder() -> Path | None:
    """Return the folder of the cache, or None if the cache is off."""
    from platformdirs import user_cache_path

    folder = os.environ.get("REDINK_CACHE", "")
    if folder.lower() == "off":
        return None
    return Path(folder) if folder else user_cache_path("redink", appauthor=False)


def make_key(*parts: str) -> bytes:
    """Return a digest of texts without null characters."""
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=16).digest()


def digest_code(folder: Path) -> str:
    """Return a digest of all code in a folder."""
    digest = blake2b()
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.relative_to(folder).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


_IN_USE: ContextVar[bool] = ContextVar("redink cache", default=False)


@contextmanager
def using_cache(wanted: bool) -> Iterator[None]:  # noqa: FBT001
    """Turn the cache on or off within this block; by default it is off."""
    token = _IN_USE.set(wanted)
    try:
        yield
    finally:
        _IN_USE.reset(token)


def is_cache_used() -> bool:
    """Return whether the cache is on here."""
    return _IN_USE.get() and cache_folder() is not None


@dataclass(frozen=True)
class Store:
    """A database of values (numbers or text) by keys.

    Attributes:
        name: name of its file.
        about: what the values are.
        limit: maximum size in bytes.
    """

    name: str
    about: str
    limit: int = 256_000_000

    @property
    def path(self) -> Path | None:
        """The file, or None if the cache is off."""
        folder = cache_folder()
        return None if folder is None else folder / f"{self.name}.sqlite"

    def look_up(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """Return the values stored for these keys."""
        found: dict[bytes, Any] = {}
        with self._database() as database:
            if database is None:
                return {}
            for key in keys:
                row = database.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = row[0]
            today = int(time() // _DAY)
            with database:
                database.executemany(
                    "UPDATE kept SET used = ? WHERE key = ? AND used < ?",
                    ((today, key, today) for key in found),
                )
        return found

    def keep(self, made: Mapping[bytes, Any]) -> None:
        """Store these values; evict others if the store is full."""
        today = int(time() // _DAY)
        with self._database() as database:
            if database is None:
                return
            with database:
                rows = ((key, value, today) for key, value in made.items())
                database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)
            self._evict(database)

    def _evict(self, database: sqlite3.Connection) -> None:
        ((pages,),) = database.execute("PRAGMA page_count")
        ((page,),) = database.execute("PRAGMA page_size")
        if pages * page <= self.limit:
            return
        with database:
            database.execute(
                "DELETE FROM kept WHERE key IN (SELECT key FROM kept ORDER BY used, key LIMIT "
                "(SELECT COUNT(*) / 2 FROM kept))"
            )
        database.execute("PRAGMA incremental_vacuum").fetchall()

    def count(self) -> int:
        """Return the number of values."""
        counted = 0
        if self.size():
            with self._database() as database:
                if database is not None:
                    ((counted,),) = database.execute("SELECT COUNT(*) FROM kept")
        return counted

    def size(self) -> int:
        """Return the size of its files in bytes."""
        return sum(file.stat().st_size for file in self._files() if file.exists())

    def clear(self) -> None:
        """Delete all values; a process that uses the store continues without it."""
        for file in self._files():
            file.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        path = self.path
        return [] if path is None else [Path(f"{path}{end}") for end in ("", "-wal", "-shm")]

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection | None]:
        """Yield the open database, or None if unavailable; an SQLite error ends the block."""
        import sqlite3

        path, connection = self.path, None
        with ExitStack() as stack:
            with suppress(OSError, sqlite3.Error):
                if path is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    opened = stack.enter_context(closing(sqlite3.connect(path, timeout=30)))
                    opened.executescript(_SETUP)
                    connection = opened
            with suppress(sqlite3.Error):
                yield connection


ANNOTATIONS = Store("annotations", "edits between two sentences")
MATCHES = Store("matches", "counts of m2")
MODEL_SCORES = Store("model-scores", "scores of sentences by neural models")
STORES = (ANNOTATIONS, MATCHES, MODEL_SCORES)
