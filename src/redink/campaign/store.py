"""A campaign's database: SQLite in WAL mode or PostgreSQL, for one server at a time.

Answers are only inserted: a changed answer is a new row, and the newest row of an assignment
counts. Each submission has a unique key, so that sending it twice stores it once.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy.dialects import postgresql, sqlite

from redink.campaign.task_items import CampaignItem
from redink.errors import DataError, RedinkError

T = TypeVar("T")
SCHEMA_VERSION = 2
_UPGRADE = (
    "ALTER TABLE judges ADD COLUMN kept BOOLEAN DEFAULT FALSE NOT NULL",
    "ALTER TABLE judges ADD COLUMN registered BOOLEAN DEFAULT FALSE NOT NULL",
    "ALTER TABLE answers ADD COLUMN remark JSON",
    "UPDATE settings SET value = '2' WHERE key = 'schema'",
)
"""Statements that upgrade a database of version 1."""
_SETTINGS = {"task", "title", "plan", "seed", "paused", "organizer", "secret"}
_SETTINGS |= {"gold_threshold", "gold_minimum"}
_SERVED_ALREADY = ": is already being served; only one process can serve a campaign"
_LOCK = 0x7265_6469_6E6B  # key of the advisory lock of a PostgreSQL server process
_OVERLAP = 64  # answers read again: PostgreSQL can commit them in another order than their ids
_LOCK_SECONDS = 2.0  # time in which PostgreSQL should have noticed that the previous server is gone
# In WAL mode readers do not wait for the writer; with FULL a commit survives a power cut.
_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000")
_POSTGRESQL = {
    # A database server that is gone, or a lost connection, is noticed within half a minute.
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "options": "-c lock_timeout=20s",
}

_metadata = sa.MetaData()
_settings = sa.Table(
    "settings",
    _metadata,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("value", sa.JSON, nullable=False),
)
_items = sa.Table(
    "items",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("key", sa.String, nullable=False, unique=True),
    sa.Column("payload", sa.JSON, nullable=False),
    sa.Column("gold", sa.String),
)
_judges = sa.Table(
    "judges",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String, nullable=False, unique=True),
    sa.Column("token_hash", sa.String, nullable=False, unique=True),
    sa.Column("revoked", sa.Boolean, nullable=False, default=False),
    sa.Column("excluded", sa.Boolean, nullable=False, default=False),
    sa.Column("kept", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("registered", sa.Boolean, nullable=False, server_default=sa.false()),
)
_assignments = sa.Table(
    "assignments",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("judge", sa.ForeignKey("judges.id"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("item", sa.ForeignKey("items.id"), nullable=False),
    sa.UniqueConstraint("judge", "position"),
)
_answers = sa.Table(
    "answers",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("submission", sa.String, nullable=False, unique=True),
    sa.Column("assignment", sa.ForeignKey("assignments.id"), nullable=False, index=True),
    sa.Column("answer", sa.JSON, nullable=False),
    sa.Column("seconds", sa.Float),
    sa.Column("given", sa.String, nullable=False),
    sa.Column("remark", sa.JSON(none_as_null=True)),
)


@dataclass(frozen=True, slots=True)
class CampaignJudge:
    """A person with a link; only the hash of the link's token is stored."""

    id: int
    name: str
    token_hash: str
    revoked: bool = False  # the link does not work
    excluded: bool = False  # the answers do not count
    kept: bool = False
    """The answers count, whatever the gold questions show: the organizer has decided."""
    registered: bool = False  # the judge came with the sign-up link

    @property
    def state(self) -> str:
        """Whether the judge may work."""
        return "revoked" if self.revoked else "excluded" if self.excluded else "active"


@dataclass(frozen=True, slots=True)
class Assignment:
    """An item's position in one judge's sequence."""

    id: int
    judge: int
    position: int
    item: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A judge's answer to an assignment, as one submission."""

    submission: str  # the key of the form
    assignment: int
    answer: dict[str, Any]  # as the task reads it; empty if the item was skipped
    seconds: float | None  # time of work
    given: str
    remark: dict[str, Any] | None = None  # ``skipped``, ``flagged``, ``comment``

    @property
    def skipped(self) -> bool:
        """Whether the judge skipped the item."""
        return bool(self.remark and self.remark.get("skipped"))


@dataclass(frozen=True, slots=True)
class StoredChanges:
    """Everything that another process can have changed; None if it was not read again."""

    settings: dict[str, Any]
    judges: list[CampaignJudge]
    items: list[CampaignItem] | None
    assignments: list[Assignment] | None
    marks: list[Any]
    """The newest answers, as in :meth:`CampaignStore.marks`; some of them may be known."""


def shown_place(place: str | Path) -> str:
    """Return a path or URL without the password."""
    scheme, found, rest = str(place).partition("://")
    user, at, host = rest.rpartition("@")
    if not found or not at:
        return str(place)
    return f"{scheme}://{user.partition(':')[0]}{':***' if ':' in user else ''}@{host}"


def connect(place: str | Path, *, exclusive: bool = False) -> sa.Engine:
    """Return the engine of a file or a PostgreSQL database.

    With ``exclusive``, PostgreSQL has one connection, with the lock of the serving process.
    """
    if "://" not in str(place):
        engine = sa.create_engine(
            "sqlite://", creator=lambda: _open_file(Path(place)), poolclass=sa.QueuePool
        )
    else:
        url = str(place).replace("postgresql://", "postgresql+psycopg://", 1)
        sizes = {"pool_size": 1, "max_overflow": 0} if exclusive else {}
        arguments = _POSTGRESQL if url.startswith("postgresql") else {}
        try:
            engine = sa.create_engine(url, pool_pre_ping=True, connect_args=arguments, **sizes)
        except (sa.exc.ArgumentError, ImportError) as error:
            raise RedinkError(
                f"{shown_place(place)}: is neither a file nor a database that can be used"
            ) from error
        if engine.dialect.name != "postgresql":
            raise RedinkError(
                f"{shown_place(place)}: a campaign is stored in a file (pass its name) or "
                f"in PostgreSQL, not in {engine.dialect.name}"
            )
        if exclusive:
            sa.event.listen(engine, "connect", lambda new, _: _lock_server(new, shown_place(place)))
    # Ctrl-C while a connection is returned should log no traceback.
    pool = type(engine.pool)
    logging.getLogger(f"{pool.__module__}.{pool.__name__}").addFilter(_is_an_error)
    return engine


def _is_an_error(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or issubclass(kind, Exception)


def _open_file(path: Path) -> sqlite3.Connection:
    """Open a file that exists: SQLite by itself would create a missing one."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").close()
    except BaseException:
        connection.close()
        raise
    return connection


def _create_private(path: str | Path) -> None:
    """Create an empty file that only its owner may read; SQLite's companions get its mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError as error:
        raise DataError(f"{path}: already exists; use a new file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "that is not a file name"
        raise RedinkError(f"{path}: cannot be created ({reason})") from error


def _lock_server(connection: Any, place: str) -> None:
    """Take the lock of a PostgreSQL database; it belongs to the connection, and ends with it."""
    until = time.monotonic() + _LOCK_SECONDS
    connection.autocommit = True
    while not connection.execute(f"SELECT pg_try_advisory_lock({_LOCK})").fetchone()[0]:
        if time.monotonic() > until:
            connection.close()
            raise RedinkError(place + _SERVED_ALREADY)
        time.sleep(0.1)
    connection.autocommit = False


def _lock_file(path: Path) -> FileLock:
    """Lock an SQLite file for serving; the lock file stays: without it a second server could."""
    lock = FileLock(f"{path.resolve()}-serving", mode=0o600, thread_local=False)
    if Path(lock.lock_file).is_symlink():  # its target would be created or emptied
        raise RedinkError(f"{lock.lock_file}: must not be a symbolic link; delete it")
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise RedinkError(f"{path}{_SERVED_ALREADY}") from error
    except OSError as error:
        name = Path(lock.lock_file).name
        raise RedinkError(
            f"{path}: cannot be served: {name} cannot be written next to it ({error.strerror})"
        ) from error
    return lock


def _identify(path: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


class CampaignStore:
    """A campaign's database. Use :meth:`create` once, :meth:`open` afterwards."""

    def __init__(self, place: str | Path) -> None:
        self._engine = connect(place)
        self._writer = self._engine
        """Where answers go; for a server on PostgreSQL the one connection that has the lock."""
        self.address = str(place)  # the place as given; it may contain a password
        self.place = shown_place(place)
        self._is_sqlite = self._engine.dialect.name == "sqlite"
        self._lock: FileLock | None = None
        self._served: dict[Path, tuple[int, int] | None] = {}
        """The SQLite files of a server, with their identities."""
        self._has_new = False

    @classmethod
    def create(
        cls, place: str | Path, settings: dict[str, Any], items: Iterable[CampaignItem]
    ) -> CampaignStore:
        """Create a campaign in a new file or an empty database."""
        new = [asdict(item) for item in items]
        if not new:
            raise DataError("a campaign needs at least one item to judge")
        store = cls(place)
        if store._is_sqlite:
            _create_private(place)
        with store._closed_on_error(), store._changing() as connection:
            store._create_tables(connection)
            named = {**settings, "schema": SCHEMA_VERSION}.items()
            connection.execute(sa.insert(_settings), [{"key": k, "value": v} for k, v in named])
            connection.execute(sa.insert(_items), new)
        return store

    @classmethod
    def open(cls, place: str | Path) -> CampaignStore:
        """Open an existing campaign."""
        store = cls(place)
        if store._is_sqlite and not Path(place).is_file():
            raise RedinkError(f"{place}: no such campaign; create one with: redink campaign create")
        with store._closed_on_error():
            store._check()
        return store

    def _check(self) -> None:
        """Raise an error if this is not a campaign; upgrade one of version 1."""
        settings = self.settings()
        found = settings.get("schema")
        if found == 1:
            with self._changing() as connection:
                if self._is_sqlite:  # all of it or nothing
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                for statement in _UPGRADE:
                    connection.exec_driver_sql(statement)
        elif found != SCHEMA_VERSION:
            raise RedinkError(
                f"{self.place}: was created by another version of redink (schema {found})"
            )
        if not settings.keys() >= _SETTINGS or not isinstance(settings["plan"], dict):
            raise RedinkError(f"{self.place}: is damaged: settings of the campaign are missing")

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reporting_damage(self) -> Iterator[None]:
        """Report answers that do not belong to their items as damage."""
        try:
            yield
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise DataError(f"{self.place}: is damaged: an answer does not fit its item") from error

    @contextmanager
    def _translating(self) -> Iterator[None]:
        """Report errors with the first line of the database's message, without a password."""
        try:
            yield
        except sa.exc.SQLAlchemyError as error:
            lines = str(getattr(error, "orig", None) or error).strip().splitlines()
            reason = lines[0] if lines else type(error).__name__
            problem = f"the database cannot be used ({reason})"
            if "malformed" in reason:
                problem = "is damaged, or not a redink campaign"
            raise RedinkError(f"{self.place}: {problem}") from error

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except (sa.exc.SQLAlchemyError, ValueError, LookupError, TypeError) as error:
            if isinstance(error, sa.exc.OperationalError) and not self._is_sqlite:
                with self._translating():  # the server does not respond
                    raise
            raise RedinkError(f"{self.place}: is damaged, or not a redink campaign") from error

    @contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        with self._translating(), self._engine.begin() as connection:
            yield connection

    def _read(self, kind: Callable[..., T], query: sa.Select[Any]) -> list[T]:
        """Return every row as a value whose fields are its columns."""
        with self._reading() as connection:
            return [kind(**row) for row in connection.execute(query).mappings()]

    def lock(self) -> None:
        """Become the one process that serves this campaign; raise an error if there is another."""
        with self._translating():
            if self._is_sqlite:
                with self._reading() as connection:  # so that the -wal file exists
                    connection.execute(sa.select(_settings))
                    path = Path(self.place)
                    self._lock = _lock_file(path)
                    self._served = {p: _identify(p) for p in (path, Path(f"{path}-wal"))}
            else:
                self._writer = connect(self.address, exclusive=True)
                self._writer.connect().close()

    def check_files(self) -> None:
        """Raise an error if the file was removed or replaced: answers would be lost."""
        for file, known in self._served.items():
            if known is None or _identify(file) != known:
                raise RedinkError(
                    f"{file}: was removed or replaced while it is being served; answers cannot "
                    "be stored until it is back or the server is restarted"
                )

    def close(self) -> None:
        """Close the database, and let another process serve it."""
        if self._lock is not None:
            self._lock.release()
            self._lock, self._served = None, {}
        self._writer.dispose()
        self._engine.dispose()

    def copy_to(self, place: str | Path) -> int:
        """Copy one moment of the campaign into a new file or an empty database, while others write.

        Return the number of answers.
        """
        is_file = "://" not in str(place)
        if is_file:
            _create_private(place)
        copy = CampaignStore(place)
        answers = 0
        try:
            with copy._changing() as there, self._reading() as here:
                copy._create_tables(there)
                if self._is_sqlite:
                    here.exec_driver_sql("BEGIN")
                else:
                    here.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
                for table in _metadata.sorted_tables:
                    stream = here.execute(sa.select(table), execution_options={"yield_per": 5000})
                    for rows in stream.mappings().partitions():
                        there.execute(sa.insert(table), [dict(row) for row in rows])
                        answers += len(rows) * (table is _answers)
                    if not is_file and table.c[0].name == "id":  # the next number is free
                        sequence = sa.func.pg_get_serial_sequence(table.name, "id")
                        last = there.scalar(sa.select(sa.func.max(table.c.id)))
                        there.execute(sa.select(sa.func.setval(sequence, last or 1, bool(last))))
        except BaseException:
            copy.close()
            for name in (place, f"{place}-wal", f"{place}-shm") if is_file else ():
                Path(name).unlink(missing_ok=True)
            raise
        copy.close()
        return answers

    def _create_tables(self, connection: sa.Connection) -> None:
        """Create the tables in an empty database."""
        if sa.inspect(connection).has_table(_settings.name):
            raise DataError(f"{self.place}: already contains a campaign")
        _metadata.create_all(connection)

    def checkpoint(self) -> None:
        """Copy new answers from SQLite's ``-wal`` file into the file itself, without waiting."""
        if self._is_sqlite and self._has_new:
            with self._changing() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")
            self._has_new = False

    def settings(self) -> dict[str, Any]:
        """Return all settings."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(_settings.c.key, _settings.c.value))
            return {row.key: row.value for row in rows}

    def change_setting(self, key: str, value: Any) -> None:
        """Change a setting."""
        with self._changing() as connection:
            connection.execute(sa.delete(_settings).where(_settings.c.key == key))
            connection.execute(sa.insert(_settings).values(key=key, value=value))

    def items(self) -> list[CampaignItem]:
        """Return all items in order."""
        return self._read(CampaignItem, sa.select(_items).order_by(_items.c.id))

    def judges(self) -> list[CampaignJudge]:
        """Return all judges in the order of invitation."""
        return self._read(CampaignJudge, sa.select(_judges).order_by(_judges.c.id))

    def assignments(self, known: Mapping[int, int] | None = None) -> Iterator[Assignment]:
        """Yield the assignments of each judge, in the order in which the judge sees them.

        With ``known``, the number of known assignments by judge, only those of judges with more.
        """
        query = sa.select(_assignments).order_by(_assignments.c.judge, _assignments.c.position)
        if known is not None:
            judge = _assignments.c.judge
            with self._reading() as connection:
                counts = connection.execute(sa.select(judge, sa.func.count()).group_by(judge)).all()
            query = query.where(judge.in_([one for one, n in counts if known.get(one) != n]))
        return (Assignment(*row) for row in self._stream(query))

    def answers(self, *, item: int | None = None, assignment: int | None = None) -> list[Answer]:
        """Return every answer to one item or to all, oldest first; the last one counts."""
        query = sa.select(*list(_answers.c)[1:]).order_by(_answers.c.id)  # without the id
        if item is not None:
            query = query.join(_assignments).where(_assignments.c.item == item)
        if assignment is not None:
            query = query.where(_answers.c.assignment == assignment)
        return self._read(Answer, query)

    def current_answers(self, until: int) -> Iterator[tuple[Assignment, Answer]]:
        """Yield the newest answer of every assignment up to a number, by judge and position."""
        query = (
            sa.select(*_assignments.c, *list(_answers.c)[1:])
            .select_from(_assignments.join(_answers, _answers.c.id == _newest(until)))
            .order_by(_assignments.c.judge, _assignments.c.position)
        )
        width = len(_assignments.c)
        return ((Assignment(*row[:width]), Answer(*row[width:])) for row in self._stream(query))

    def marks(
        self, after: int = 0
    ) -> Iterator[tuple[int, int, int, float | None, str | None, str | None]]:
        """Yield number, judge, position, seconds and remark of the answers after a number.

        The last value is the JSON of an answer to a gold question; otherwise it is None.
        """
        answer, remark = (sa.cast(c, sa.Text) for c in (_answers.c.answer, _answers.c.remark))
        query = (
            sa.select(
                _answers.c.id,
                _assignments.c.judge,
                _assignments.c.position,
                _answers.c.seconds,
                remark,
                sa.case((_items.c.gold.is_not(None), answer)),
            )
            .select_from(_answers.outerjoin(_assignments).outerjoin(_items))
            .where(_answers.c.id > after)
        )
        return self._stream(query.order_by(_answers.c.id))

    def count_answers(
        self, item: int | None = None
    ) -> Iterator[tuple[int, dict[str, Any], dict[str, Any] | None, int]]:
        """Yield an item, an answer, a remark, and how many included judges gave both."""
        answer, remark = (sa.cast(c, sa.Text) for c in (_answers.c.answer, _answers.c.remark))
        query = (
            sa.select(_assignments.c.item, answer, remark, sa.func.count())
            .select_from(
                _assignments.join(_answers, _answers.c.id == _newest()).join(
                    _judges, _judges.c.id == _assignments.c.judge
                )
            )
            .where(_judges.c.excluded.is_(False))
            .group_by(_assignments.c.item, answer, remark)
            .order_by(sa.func.min(_assignments.c.id))
        )
        if item is not None:
            query = query.where(_assignments.c.item == item)
        for number, given, said, count in self._stream(query):
            yield number, json.loads(given), said and json.loads(said), count

    def last_answer(self) -> tuple[int, str]:
        """Return the number of the newest answer and the time at which it was given."""
        query = sa.select(_answers.c.id, _answers.c.given).order_by(_answers.c.id.desc()).limit(1)
        with self._reading() as connection:
            found = connection.execute(query).first()
        return (0, "") if found is None else (found.id, found.given)

    def changes(self, *, items: int, assignments: Mapping[int, int], answers: int) -> StoredChanges:
        """Return settings and judges, and the items, assignments and answers that are new."""
        # In this order, so that the judge and the item of every assignment are known. One reading
        # after the other: one that waits for a second connection can deadlock with a table lock.
        marks = list(self.marks(answers - _OVERLAP))
        more = None
        if self._count(_assignments) != sum(assignments.values()):
            more = list(self.assignments(assignments))
        judges = self.judges()
        new = self.items() if self._count(_items) != items else None
        return StoredChanges(self.settings(), judges, new, more, marks)

    def _count(self, table: sa.Table) -> int | None:
        with self._reading() as connection:
            return connection.scalar(sa.select(sa.func.count()).select_from(table))

    def _stream(self, query: sa.Select[Any]) -> Iterator[Any]:
        """Yield rows without reading all of them into memory."""
        with self._reading() as connection:
            yield from connection.execute(query, execution_options={"yield_per": 5000})

    def add_items(
        self, items: Sequence[CampaignItem], assigned: Mapping[int, Sequence[int]]
    ) -> None:
        """Add items, and append some of them to the sequence of each judge."""
        with self._changing() as connection:
            connection.execute(sa.insert(_items), [asdict(item) for item in items])
            for judge, more in assigned.items():
                _assign(connection, judge, more)

    def assign(self, judge: int, items: Sequence[int]) -> list[Assignment]:
        """Append items to a judge's sequence."""
        with self._changing() as connection:
            return _assign(connection, judge, items)

    def add_judge(
        self, name: str, token_hash: str, items: Sequence[int], *, registered: bool = False
    ) -> None:
        """Add a judge who will see these items in this order."""
        new = sa.insert(_judges).values(name=name, token_hash=token_hash, registered=registered)
        with self._changing() as connection:
            try:
                result = connection.execute(new)
            except sa.exc.IntegrityError as error:
                raise DataError(f"a judge named {name!r} already exists") from error
            assert result.inserted_primary_key is not None
            _assign(connection, result.inserted_primary_key[0], items)

    def change_judge(self, judge: int, **values: Any) -> None:
        """Change a judge's token hash, or whether they are revoked, excluded or kept."""
        with self._changing() as connection:
            connection.execute(sa.update(_judges).where(_judges.c.id == judge).values(**values))

    def remove_judge(self, judge: int, *, answers: bool) -> tuple[str, int, int]:
        """Remove a judge's personal data, and the answers if asked.

        Return the judge's new name, and the numbers of remaining answers and removed comments.
        """
        name, comments = f"removed-{judge}", 0
        own = _answers.c.assignment.in_(
            sa.select(_assignments.c.id).where(_assignments.c.judge == judge)
        )
        with self._changing() as connection:
            if self._is_sqlite:  # overwrite what is deleted
                connection.exec_driver_sql("PRAGMA secure_delete=ON")
            values = {"name": name, "token_hash": f"removed {judge}", "revoked": True}
            connection.execute(sa.update(_judges).where(_judges.c.id == judge).values(**values))
            connection.execute(sa.delete(_settings).where(_settings.c.key == f"begun:{judge}"))
            found = sa.select(_answers.c.id, _answers.c.remark).where(own)
            for number, remark in connection.execute(found).all():
                if remark and remark.pop("comment", None) is not None:
                    comments += 1
                    change = sa.update(_answers).where(_answers.c.id == number)
                    connection.execute(change.values(remark=remark or None))
            if answers:
                connection.execute(sa.delete(_answers).where(own))
            count = sa.select(sa.func.count()).select_from(_answers).where(own)
            left = connection.scalar(count) or 0
        if self._is_sqlite:
            with self._changing() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return name, left, comments

    def add_answers(self, answers: Sequence[Answer]) -> None:
        """Store answers on disk in one transaction; a known submission is ignored.

        Raises:
            RedinkError: the database cannot be used now; nothing is known to be stored.
            DataError: one of the answers cannot be stored; none is.
        """
        insert = (sqlite.insert if self._is_sqlite else postgresql.insert)(_answers)
        rows = [asdict(answer) for answer in answers]
        self.check_files()
        with self._translating():
            try:
                with self._writer.begin() as connection:
                    connection.execute(insert.on_conflict_do_nothing(), rows)
            except (sa.exc.DataError, sa.exc.IntegrityError, ValueError) as error:
                raise DataError(f"{self.place}: an answer cannot be stored") from error
        self.check_files()  # a file that was removed meanwhile does not have them
        self._has_new = True


def _newest(until: int | None = None) -> sa.ScalarSelect[Any]:
    """Return the number of the newest answer to an assignment, as a subquery."""
    answers = _answers.alias()
    query = sa.select(sa.func.max(answers.c.id)).where(answers.c.assignment == _assignments.c.id)
    if until is not None:
        query = query.where(answers.c.id <= until)
    return query.correlate(_assignments).scalar_subquery()


def _assign(connection: sa.Connection, judge: int, items: Sequence[int]) -> list[Assignment]:
    if not items:
        return []
    # Positions are 0, 1, ... without gaps.
    query = sa.select(sa.func.count()).where(_assignments.c.judge == judge)
    rows = [
        {"judge": judge, "position": position, "item": item}
        for position, item in enumerate(items, start=connection.scalar(query) or 0)
    ]
    new = sa.insert(_assignments).returning(_assignments, sort_by_parameter_order=True)
    return [Assignment(**row) for row in connection.execute(new, rows).mappings()]
