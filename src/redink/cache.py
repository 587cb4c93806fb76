"""What was worked out once is kept: small databases in the user's cache folder.

The folder is ``REDINK_CACHE``, else ``redink`` in the user's cache folder; ``REDINK_CACHE=off``
keeps nothing. A key is a digest of all that decides about the value, so that nothing in a store is
ever wrong and several processes may use it at once. A store has a largest size: beyond it, what was
not used for longest is forgotten. Without a folder that can be written, nothing is kept, and
nothing else changes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3

_AT_ONCE = 500
_DAY = 24 * 60 * 60


def cache_folder() -> Path | None:
    """Where things are kept, or None where nothing is to be kept."""
    place = os.environ.get("REDINK_CACHE", "")
    if place.lower() == "off":
        return None
    if place:
        return Path(place)
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if home else Path.home() / ".cache") / "redink"


def make_key(*parts: str) -> bytes:
    """A digest of texts that have no null character."""
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=16).digest()


def digest_code(folder: Path) -> str:
    """A digest of all code in a folder: what decides about what it works out."""
    digest = blake2b()
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.relative_to(folder).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


_IN_USE: ContextVar[bool] = ContextVar("redink cache", default=False)


@contextmanager
def using_cache(wanted: bool) -> Iterator[None]:  # noqa: FBT001
    """Within this block, whether what is slow may look into the cache: by default it may not."""
    token = _IN_USE.set(wanted)
    try:
        yield
    finally:
        _IN_USE.reset(token)


def is_cache_used() -> bool:
    """Whether the cache may be used here."""
    return _IN_USE.get() and cache_folder() is not None


@dataclass(frozen=True)
class Store:
    """A database of values (numbers or text) by keys.

    Attributes:
        name: of its file.
        about: what is in it.
        limit: its largest size in bytes.
    """

    name: str
    about: str
    limit: int = 256_000_000

    @property
    def path(self) -> Path | None:
        """The file, or None where nothing is to be kept."""
        folder = cache_folder()
        return None if folder is None else folder / f"{self.name}.sqlite"

    def look_up(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """What is known of these keys."""
        found: dict[bytes, Any] = {}
        old: list[bytes] = []
        today = int(time() // _DAY)
        with self._database() as database:
            if database is None:
                return {}
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, value, used FROM kept WHERE key IN ({marks})"  # noqa: S608 (question marks alone)
                for key, value, used in database.execute(query, some):
                    found[key] = value
                    if used < today:
                        old.append(key)
            if old:
                with database:
                    changes = ((today, key) for key in old)
                    database.executemany("UPDATE kept SET used = ? WHERE key = ?", changes)
        return found

    def keep(self, made: Mapping[bytes, Any]) -> None:
        """Keep these values; forget others where there is no room."""
        today = int(time() // _DAY)
        with self._database() as database:
            if database is None:
                return
            with database:
                rows = ((key, value, today) for key, value in made.items())
                database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)
            self._make_room(database)

    def _make_room(self, database: sqlite3.Connection) -> None:
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
        """How many values there are."""
        counted = 0
        path = self.path
        if path is not None and path.exists():
            with self._database() as database:
                if database is not None:
                    ((counted,),) = database.execute("SELECT COUNT(*) FROM kept")
        return counted

    def size(self) -> int:
        """How many bytes its files have."""
        return sum(file.stat().st_size for file in self._files() if file.exists())

    def clear(self) -> None:
        """Forget everything; a process that is using the store goes on without it."""
        for file in self._files():
            file.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        path = self.path
        return [] if path is None else [Path(f"{path}{end}") for end in ("", "-wal", "-shm")]

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection | None]:
        """The open database; None where there cannot be one. Its failures end the block quietly."""
        import sqlite3

        path = self.path
        connection: sqlite3.Connection | None = None
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                connection = sqlite3.connect(path, timeout=30)
                connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=OFF")
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS kept "
                    "(key BLOB PRIMARY KEY, value, used INTEGER) WITHOUT ROWID"
                )
        except (OSError, sqlite3.Error):
            if connection is not None:
                connection.close()
            connection = None
        if connection is None:
            yield None
            return
        with closing(connection):
            try:
                yield connection
            except sqlite3.Error:
                return


ANNOTATIONS = Store("annotations", "the edits between two sentences")
MATCHES = Store("matches", "counts of m2")
MODEL_SCORES = Store("model-scores", "what neural models said of sentences")
STORES = (ANNOTATIONS, MATCHES, MODEL_SCORES)
