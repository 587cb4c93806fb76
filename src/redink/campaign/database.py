"""Access to a campaign's database, SQLite in WAL mode or PostgreSQL, for one server at a time."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from filelock import FileLock, Timeout

from redink.errors import DataError, RedinkError

_LOCK_SECONDS = 2.0
"""Time in which PostgreSQL should have noticed that the previous server is gone."""
_LOCK = 0x7265_6469_6E6B
"""Key of the advisory lock that a PostgreSQL server process holds."""
_POSTGRESQL = {
    # A database server that is gone, or a lost connection, is noticed within half a minute.
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "options": "-c lock_timeout=20s",
}


def shown_place(place: str | Path) -> str:
    """Return a path or URL without the password."""
    text = str(place)
    scheme, found, rest = text.partition("://")
    user, at, host = rest.rpartition("@")
    if not found or not at:
        return text
    return f"{scheme}://{user.partition(':')[0]}{':***' if ':' in user else ''}@{host}"


def create_private(path: str | Path) -> None:
    """Create an empty file that only its owner may read; SQLite's companions get its mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError as error:
        raise DataError(f"{path}: exists already; a campaign is created in a new file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that is not a file name"
        raise RedinkError(f"{path}: cannot be created ({reason})") from error


def connect(place: str | Path, *, exclusive: bool = False) -> sa.Engine:
    """Return the engine of a database.

    Args:
        place: a file, or the URL of a PostgreSQL database.
        exclusive: for PostgreSQL, use one connection, which holds the lock of the serving process.

    Raises:
        RedinkError: the database is of another kind, or its driver is missing.
    """
    if "://" not in str(place):
        engine = sa.create_engine(
            "sqlite://", creator=lambda: _open_file(Path(place)), poolclass=sa.QueuePool
        )
        return _without_interrupts(engine)
    url = str(place).replace("postgresql://", "postgresql+psycopg://", 1)
    pool = {"pool_size": 1, "max_overflow": 0} if exclusive else {}
    arguments = _POSTGRESQL if url.startswith("postgresql") else {}
    try:
        engine = sa.create_engine(url, pool_pre_ping=True, connect_args=arguments, **pool)
    except (sa.exc.ArgumentError, ImportError) as error:
        raise RedinkError(
            f"{shown_place(place)}: is neither a file nor a database that can be used"
        ) from error
    if engine.dialect.name != "postgresql":
        raise RedinkError(
            f"{shown_place(place)}: a campaign is kept in a file, given by its name alone, or in "
            f"PostgreSQL, not in {engine.dialect.name}"
        )
    if exclusive:
        sa.event.listen(engine, "connect", lambda new, _: _lock_server(new, shown_place(place)))
    return _without_interrupts(engine)


def _without_interrupts(engine: sa.Engine) -> sa.Engine:
    """Let the pool log no traceback when Ctrl-C arrives while a connection is returned."""
    kind = type(engine.pool)
    logging.getLogger(f"{kind.__module__}.{kind.__name__}").addFilter(_is_an_error)
    return engine


def _is_an_error(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or issubclass(kind, Exception)


def _open_file(path: Path) -> sqlite3.Connection:
    """Open a file that exists: SQLite by itself would create a missing one."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    # In WAL mode readers do not wait for the writer; with FULL a commit survives a power cut.
    pragmas = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000")
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").close()
    except BaseException:
        connection.close()
        raise
    return connection


def database_error(place: str, error: sa.exc.SQLAlchemyError) -> RedinkError:
    """Return an error with the first line of the database's message, without a password."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    reason = lines[0] if lines else type(error).__name__
    if "malformed" in reason:
        return RedinkError(f"{place}: is damaged, or not a redink campaign")
    return RedinkError(f"{place}: the database cannot be used ({reason})")


def _served_already(place: object) -> RedinkError:
    return RedinkError(f"{place}: is being served already; one process serves a campaign")


def _lock_server(connection: Any, place: str) -> None:
    """Take the lock of a PostgreSQL database; it belongs to the connection, and ends with it."""
    until = time.monotonic() + _LOCK_SECONDS
    connection.autocommit = True
    while not connection.execute(f"SELECT pg_try_advisory_lock({_LOCK})").fetchone()[0]:
        if time.monotonic() > until:
            connection.close()
            raise _served_already(place)
        time.sleep(0.1)
    connection.autocommit = False


class ServedFile:
    """The SQLite file of a server: locks it, and notices when it is removed or replaced."""

    def __init__(self, path: Path) -> None:
        self._lock = FileLock(f"{path.resolve()}-serving", mode=0o600, thread_local=False)
        try:
            self._lock.acquire(blocking=False)
        except Timeout as error:
            raise _served_already(path) from error
        except OSError as error:
            name = Path(self._lock.lock_file).name
            raise RedinkError(
                f"{path}: cannot be served: {name} cannot be written next to it ({error.strerror})"
            ) from error
        self._files = {file: _identity(file) for file in (path, Path(f"{path}-wal"))}

    def check(self) -> None:
        """Raise an error if the file is missing, or is another one: answers would be lost."""
        for file, known in self._files.items():
            if known is None or _identity(file) != known:
                raise RedinkError(
                    f"{file}: was removed or replaced while it is being served; nothing can be "
                    "stored until it is back, or the server is started again"
                )

    def release(self) -> None:
        """Let another process serve the file."""
        self._lock.release()  # the lock file stays: removing it would allow a second server


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
