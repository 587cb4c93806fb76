"""Reaching a database: SQLite in WAL mode, or PostgreSQL; and being the only one who serves it."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from redink.errors import DataError, RedinkError

_PATIENCE = 2.0
"""Seconds in which the database server should have noticed that the last process is gone."""
_LOCK = 0x7265_6469_6E6B
"""The number under which a PostgreSQL database is locked by the process that serves it."""


def database_url(place: str | Path) -> str:
    """The URL of a database, with the driver that is used."""
    return str(place).replace("postgresql://", "postgresql+psycopg://", 1)


def shown_place(place: str | Path) -> str:
    """The place as it may be shown: a password in a URL is not."""
    text = str(place)
    scheme, found, rest = text.partition("://")
    user, at, host = rest.rpartition("@")
    if not found or not at:
        return text
    return f"{scheme}://{user.partition(':')[0]}{':***' if ':' in user else ''}@{host}"


def create_private(path: str | Path) -> None:
    """An empty new file that only its owner may read: it will hold people's answers.

    What SQLite puts beside it gets the same mode.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError as error:
        raise DataError(f"{path}: exists already; a campaign is created in a new file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that is not a file name"
        raise RedinkError(f"{path}: cannot be created ({reason})") from error


def connect(place: str | Path) -> sa.Engine:
    """The way to a database.

    Raises:
        RedinkError: it is of another kind, or its driver is missing.
    """
    url = database_url(place)
    if "://" not in str(place):
        engine = sa.create_engine("sqlite://", creator=_Opener(place), poolclass=sa.QueuePool)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        return _quiet(engine)
    arguments: dict[str, Any] = {}
    if url.startswith("postgresql"):
        # A server that has gone, or a line that is cut, is noticed within half a minute.
        arguments = {
            "connect_timeout": 10,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 20_000,
        }
    try:
        engine = sa.create_engine(url, pool_pre_ping=True, connect_args=arguments)
    except (sa.exc.ArgumentError, ImportError) as error:
        raise RedinkError(
            f"{shown_place(place)}: is neither a file nor a database that can be used"
        ) from error
    if engine.dialect.name != "postgresql":
        raise RedinkError(
            f"{shown_place(place)}: a campaign is kept in a file, given by its name alone, or in "
            f"PostgreSQL, not in {engine.dialect.name}"
        )
    return _quiet(engine)


def _quiet(engine: sa.Engine) -> sa.Engine:
    """Whoever stops the process while a connection is given back need not read where it was."""
    kind = type(engine.pool)
    logging.getLogger(f"{kind.__module__}.{kind.__name__}").addFilter(_is_an_error)
    return engine


def _is_an_error(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or issubclass(kind, Exception)


class _Opener:
    """Opens a file that is there: SQLite by itself would make a new one in its place."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def __call__(self) -> sqlite3.Connection:
        address = f"{self._path.absolute().as_uri()}?mode=rw"
        return sqlite3.connect(address, uri=True, check_same_thread=False)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # WAL lets readers go on while the writer writes; FULL makes a commit survive a power cut.
    pragmas = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000")
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").close()
    except BaseException:
        connection.close()  # nobody else knows of it yet
        raise


def database_error(place: str, error: sa.exc.SQLAlchemyError) -> RedinkError:
    """What a user is told: the database's own first line, without a password."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    reason = lines[0] if lines else type(error).__name__
    if "malformed" in reason:
        return RedinkError(f"{place}: is damaged, or not a redink campaign")
    return RedinkError(f"{place}: the database cannot be used ({reason})")


class FileHold:
    """The right to serve a SQLite file, for one process at a time, and an eye on the file.

    The right ends with the process, however it ends.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files = [path, Path(f"{path}-wal")]
        self._lock = Path(f"{path.resolve()}-serving")
        # whoever stops the process before anything is served leaves no file behind either
        self.release = weakref.finalize(self, _let_go, self._lock, self._take())
        """Let another process serve it."""
        self._known = [_identity(file) for file in self._files]

    def _take(self) -> int:
        while True:
            try:
                handle = os.open(self._lock, os.O_CREAT | os.O_RDWR, 0o600)
            except OSError as error:
                raise RedinkError(
                    f"{self._path}: cannot be served: {self._lock.name} cannot be written beside "
                    f"it ({error.strerror})"
                ) from error
            try:
                _lock_file(handle)
            except OSError as error:
                os.close(handle)
                raise RedinkError(
                    f"{self._path}: is being served already; one process serves a campaign"
                ) from error
            # The one who held it before may just have removed the file that we opened.
            if os.fstat(handle).st_ino == getattr(_identity(self._lock), "st_ino", None):
                return handle
            os.close(handle)

    def check(self) -> None:
        """Refuse to go on when the file is not there, or is another one.

        Raises:
            RedinkError: what is written now would be lost.
        """
        for file, known in zip(self._files, self._known, strict=True):
            now = _identity(file)
            if known is None or now is None or not os.path.samestat(known, now):
                raise RedinkError(
                    f"{file}: was removed or replaced while it is being served; nothing can be "
                    "stored until it is back, or the server is started again"
                )


def _let_go(lock: Path, handle: int) -> None:
    with suppress(OSError):
        lock.unlink()
    os.close(handle)


def _identity(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _lock_file(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class ServerHold:
    """The right to serve a PostgreSQL database; it belongs to one connection, and ends with it.

    Answers are written over that connection: one that is lost takes the right with it, and what
    could then be written by two is written by nobody.
    """

    def __init__(self, engine: sa.Engine, place: str) -> None:
        self._engine = engine
        self._place = place
        self._connection = self._take(_PATIENCE)

    def _take(self, patience: float) -> sa.Connection:
        until = time.monotonic() + patience
        connection = self._engine.connect()
        while not connection.scalar(sa.text(f"SELECT pg_try_advisory_lock({_LOCK})")):
            connection.commit()
            if time.monotonic() > until:
                connection.close()
                raise RedinkError(
                    f"{self._place}: is being served already; one process serves a campaign"
                )
            time.sleep(0.1)
        connection.commit()
        return connection

    @property
    def connection(self) -> sa.Connection:
        """The connection that holds the right; a new one, if the old one was lost."""
        if self._connection.closed or self._connection.invalidated:
            self._connection.close()
            self._connection = self._take(0)
        return self._connection

    def check(self) -> None:
        """The connection is the check."""

    def release(self) -> None:
        """Let another process serve it: the lock goes with the connection."""
        self._connection.invalidate()
        self._connection.close()
