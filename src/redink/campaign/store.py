"""The database: everything a campaign knows, append-only where people's work is concerned.

SQLite by default, PostgreSQL by URL. Answers are only ever inserted: changing an answer adds a
row, and the newest row of an assignment counts. A submission carries a key chosen by the browser,
so that sending it twice stores it once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from redink.campaign.database import (
    FileHold,
    ServerHold,
    connect,
    create_private,
    database_error,
    shown_place,
)
from redink.campaign.items import Item
from redink.errors import DataError, RedinkError

Value = TypeVar("Value")
SCHEMA_VERSION = 2
_UPGRADES = {
    1: (
        "ALTER TABLE judges ADD COLUMN kept BOOLEAN DEFAULT FALSE NOT NULL",
        "ALTER TABLE judges ADD COLUMN registered BOOLEAN DEFAULT FALSE NOT NULL",
        "ALTER TABLE answers ADD COLUMN remark JSON",
    ),
}
"""What turns a database of an earlier version into one of the next."""
_SETTINGS = {"task", "title", "plan", "seed", "paused", "organiser", "secret"}
_SETTINGS |= {"gold_threshold", "gold_minimum"}

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

_ADD_TO_SQLITE = sqlite.insert(_answers).on_conflict_do_nothing(index_elements=["submission"])
# All rows in one parameter: a statement for each costs ten times as much.
_ADD_TO_POSTGRESQL = sa.text(
    "INSERT INTO answers (submission, assignment, answer, seconds, given, remark) "
    "SELECT submission, assignment, answer, seconds, given, remark FROM json_to_recordset(:rows) "
    "AS row (submission text, assignment integer, answer json, seconds float8, given text, "
    "remark json) ON CONFLICT (submission) DO NOTHING"
)


@dataclass(frozen=True, slots=True)
class Judge:
    """A person with a link; only the hash of the token is kept.

    Attributes:
        id: their number.
        name: what the organiser calls them.
        token_hash: the hash of the token in their link.
        revoked: whether the link is of no use.
        excluded: whether their answers do not count.
        kept: whether the organiser has said that they count, whatever the gold questions say.
        registered: whether they came by themselves, with the link for everybody.
    """

    id: int
    name: str
    token_hash: str
    revoked: bool = False
    excluded: bool = False
    kept: bool = False
    registered: bool = False

    @property
    def state(self) -> str:
        """In a word, whether they may work."""
        return "revoked" if self.revoked else "excluded" if self.excluded else "active"


@dataclass(frozen=True, slots=True)
class Assignment:
    """An item's place in one judge's sequence."""

    id: int
    judge: int
    position: int
    item: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a judge said about an assignment, as one submission.

    Attributes:
        submission: the key of the form it came with.
        assignment: what it answers.
        answer: as the task reads it; empty if the item was skipped.
        seconds: of work; None if unknown.
        given: when.
        remark: what was said beside the answer: ``skipped``, ``flagged``, ``comment``.
    """

    submission: str
    assignment: int
    answer: dict[str, Any]
    seconds: float | None
    given: str
    remark: dict[str, Any] | None = None

    @property
    def skipped(self) -> bool:
        """Whether the judge passed on the item; then there is no answer to count."""
        return bool(self.remark and self.remark.get("skipped"))


@dataclass(frozen=True, slots=True)
class Changes:
    """What another process can have changed; what is not to be read again is None."""

    settings: dict[str, Any]
    judges: list[Judge]
    items: list[Item] | None
    assignments: list[Assignment] | None


class Store:
    """A campaign's database. Use :meth:`create` once, :meth:`open` afterwards."""

    def __init__(self, place: str | Path) -> None:
        self._engine = connect(place)
        self.address = str(place)
        """The place as it was given, perhaps with a password."""
        self.place = shown_place(place)
        self._is_sqlite = self._engine.dialect.name == "sqlite"
        self._hold: FileHold | ServerHold | None = None

    @classmethod
    def create(cls, place: str | Path, settings: dict[str, Any], items: Iterable[Item]) -> Store:
        """A new campaign in an empty place; a file or database that holds one is refused."""
        store = cls(place)
        if store._is_sqlite:
            create_private(place)
        with store.closed_on_error():
            store._fill(settings, items)
        return store

    def _fill(self, settings: dict[str, Any], items: Iterable[Item]) -> None:
        try:
            if sa.inspect(self._engine).has_table(_settings.name):
                raise DataError(f"{self.place}: holds a campaign already")
            with self._engine.begin() as connection:
                _metadata.create_all(connection)
                rows = [{"key": k, "value": v} for k, v in settings.items()]
                connection.execute(
                    sa.insert(_settings), [{"key": "schema", "value": SCHEMA_VERSION}, *rows]
                )
                new = [asdict(item) for item in items]
                if not new:
                    raise DataError("a campaign needs at least one item to judge")
                connection.execute(sa.insert(_items), new)
        except sa.exc.SQLAlchemyError as error:
            raise database_error(self.place, error) from error

    @classmethod
    def open(cls, place: str | Path) -> Store:
        """The campaign that is there."""
        store = cls(place)
        if store._is_sqlite and not Path(place).is_file():
            raise RedinkError(f"{place}: no such campaign; make one with: redink campaign create")
        with store.closed_on_error():
            store._check()
        return store

    def _check(self) -> None:
        settings = self.settings()
        found = settings.get("schema")
        while isinstance(found, int) and found in _UPGRADES:
            self._upgrade(found)
            found += 1
        if found != SCHEMA_VERSION:
            raise RedinkError(
                f"{self.place}: was made by another version of redink (schema {found})"
            )
        if not settings.keys() >= _SETTINGS or not isinstance(settings["plan"], dict):
            raise RedinkError(f"{self.place}: is damaged: settings of the campaign are missing")

    def _upgrade(self, version: int) -> None:
        with self._changing() as connection:
            if self._is_sqlite:  # all of it or nothing
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            for statement in _UPGRADES[version]:
                connection.execute(sa.text(statement))
            new = sa.update(_settings).where(_settings.c.key == "schema").values(value=version + 1)
            connection.execute(new)

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Let go of the database if what is done inside fails."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    @contextmanager
    def telling_damage(self) -> Iterator[None]:
        """Say so if what is done inside finds answers that do not belong to their items."""
        try:
            yield
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise DataError(f"{self.place}: is damaged: an answer does not fit its item") from error

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except (sa.exc.SQLAlchemyError, ValueError, LookupError) as error:
            if isinstance(error, sa.exc.OperationalError) and not self._is_sqlite:
                raise database_error(self.place, error) from error  # nobody answers
            raise RedinkError(f"{self.place}: is damaged, or not a redink campaign") from error

    @contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except sa.exc.IntegrityError:
            raise  # a name that is taken; whoever asked knows what it means
        except sa.exc.SQLAlchemyError as error:
            raise database_error(self.place, error) from error

    def _read(self, kind: Callable[..., Value], query: sa.Select[Any]) -> list[Value]:
        """Every row as a value whose fields are its columns."""
        with self._reading() as connection:
            return [kind(**row) for row in connection.execute(query).mappings()]

    def hold(self) -> None:
        """Become the one process that serves this campaign.

        Raises:
            RedinkError: another one does.
        """
        try:
            if self._is_sqlite:
                with self._reading() as connection:  # so that the files beside it are there
                    connection.execute(sa.select(_settings))
                    self._hold = FileHold(Path(self.place))
            else:
                self._hold = ServerHold(self._engine, self.place)
        except sa.exc.SQLAlchemyError as error:
            raise database_error(self.place, error) from error

    def check_hold(self) -> None:
        """Refuse to go on if what is stored now would be lost.

        Raises:
            RedinkError: the file was removed or replaced.
        """
        if self._hold is not None:
            self._hold.check()

    def close(self) -> None:
        """Let go of the database."""
        if self._hold is not None:
            self._hold.release()
            self._hold = None
        self._engine.dispose()

    def copy_to(self, path: Path) -> None:
        """A copy in a new file, of one moment, while others go on writing.

        Raises:
            DataError: the file exists already.
        """
        create_private(path)
        copy = Store(path)
        try:
            with copy._engine.begin() as there:
                _metadata.create_all(there)
                with self._reading() as here:
                    self._begin_snapshot(here)
                    for table in _metadata.sorted_tables:
                        rows = [dict(row) for row in here.execute(sa.select(table)).mappings()]
                        if rows:
                            there.execute(sa.insert(table), rows)
        except BaseException:
            copy.close()
            for name in (path, f"{path}-wal", f"{path}-shm"):
                Path(name).unlink(missing_ok=True)
            raise
        copy.close()

    def _begin_snapshot(self, connection: sa.Connection) -> None:
        """Let all that is read now be of one moment."""
        if self._is_sqlite:
            connection.exec_driver_sql("BEGIN")
        else:
            connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))

    def checkpoint(self) -> None:
        """Bring what SQLite keeps in its ``-wal`` file into the file itself.

        It waits for nobody: what a reader holds back is brought over the next time.
        """
        if self._is_sqlite:
            with self._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    def settings(self) -> dict[str, Any]:
        """All settings of the campaign."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(_settings.c.key, _settings.c.value))
            return {row.key: row.value for row in rows}

    def change_setting(self, key: str, value: Any) -> None:
        """Give a setting a new value."""
        with self._changing() as connection:
            connection.execute(sa.delete(_settings).where(_settings.c.key == key))
            connection.execute(sa.insert(_settings).values(key=key, value=value))

    def items(self) -> list[Item]:
        """Every item, in order."""
        return self._read(Item, sa.select(_items).order_by(_items.c.id))

    def judges(self) -> list[Judge]:
        """Every judge, in the order of invitation."""
        return self._read(Judge, sa.select(_judges).order_by(_judges.c.id))

    def assignments(self) -> list[Assignment]:
        """The assignments of all judges, each judge's in the order of showing."""
        query = sa.select(_assignments).order_by(_assignments.c.judge, _assignments.c.position)
        return self._read(Assignment, query)

    def answers(self, *, item: int | None = None) -> list[Answer]:
        """Every answer ever given, to one item or to all, oldest first; the last one counts."""
        columns = [column for column in _answers.c if column is not _answers.c.id]
        query = sa.select(*columns).order_by(_answers.c.id)
        if item is not None:
            query = query.join(_assignments).where(_assignments.c.item == item)
        return self._read(Answer, query)

    def changes(self, *, items: int, assignments: int) -> Changes:
        """The settings and judges, and items and assignments if there are not as many as known."""
        # In this order: whoever an assignment is about is then known. One reading after the other:
        # who holds a connection while waiting for another can lock up with whoever locks a table.
        more = self.assignments() if self._count(_assignments) != assignments else None
        judges = self.judges()
        new = self.items() if self._count(_items) != items else None
        return Changes(self.settings(), judges, new, more)

    def _count(self, table: sa.Table) -> int:
        with self._reading() as connection:
            query = sa.select(sa.func.count()).select_from(table)
            count: int = connection.execute(query).scalar_one()
            return count

    def add_items(self, items: Sequence[Item], dealt: Mapping[int, Sequence[int]]) -> None:
        """More items, and for each judge those of them that follow in their sequence."""
        with self._changing() as connection:
            connection.execute(sa.insert(_items), [asdict(item) for item in items])
            for judge, more in dealt.items():
                self._deal(connection, judge, more)

    def deal(self, judge: int, items: Sequence[int]) -> list[Assignment]:
        """Put items at the end of a judge's sequence."""
        with self._changing() as connection:
            return self._deal(connection, judge, items)

    def _deal(
        self, connection: sa.Connection, judge: int, items: Sequence[int]
    ) -> list[Assignment]:
        last = sa.select(sa.func.max(_assignments.c.position)).where(_assignments.c.judge == judge)
        found = connection.scalar(last)
        first = 0 if found is None else found + 1
        rows = [
            {"judge": judge, "position": first + place, "item": item}
            for place, item in enumerate(items)
        ]
        if not rows:
            return []
        new = sa.insert(_assignments).returning(_assignments.c.id, sort_by_parameter_order=True)
        return [
            Assignment(id=identity, **row)
            for identity, row in zip(connection.scalars(new, rows), rows, strict=True)
        ]

    def add_judge(
        self, name: str, token_hash: str, items: Sequence[int], *, registered: bool = False
    ) -> Judge:
        """A new judge who will see these items in this order."""
        try:
            with self._changing() as connection:
                result = connection.execute(
                    sa.insert(_judges).values(
                        name=name,
                        token_hash=token_hash,
                        revoked=False,
                        excluded=False,
                        registered=registered,
                    )
                )
                identity = result.inserted_primary_key
                assert identity is not None
                self._deal(connection, identity[0], items)
        except sa.exc.IntegrityError as error:
            raise DataError(f"there is a judge called {name!r} already") from error
        return Judge(identity[0], name, token_hash, registered=registered)

    def change_judge(self, judge: int, **values: Any) -> None:
        """Change a judge's token hash, or whether they are revoked, excluded or kept."""
        with self._changing() as connection:
            connection.execute(sa.update(_judges).where(_judges.c.id == judge).values(**values))

    def add_answers(self, answers: Sequence[Answer]) -> None:
        """Store answers in one transaction; one whose submission is known is left alone.

        When this returns, the answers are on disk.

        Raises:
            RedinkError: the database cannot be used now; nothing is known to be stored.
            DataError: one of the answers is such that it cannot be stored; none is.
        """
        rows = [asdict(answer) for answer in answers]
        try:
            self.check_hold()
            with self._writing() as connection:
                if self._is_sqlite:
                    connection.execute(_ADD_TO_SQLITE, rows)
                else:
                    connection.execute(_ADD_TO_POSTGRESQL, {"rows": json.dumps(rows)})
            self.check_hold()  # a file that went away meanwhile took them along
        except (sa.exc.DataError, sa.exc.IntegrityError, ValueError) as error:
            raise DataError(f"{self.place}: an answer cannot be stored") from error
        except sa.exc.SQLAlchemyError as error:
            raise database_error(self.place, error) from error

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        if isinstance(self._hold, ServerHold):
            connection = self._hold.connection
            with connection.begin():
                yield connection
        else:
            with self._engine.begin() as connection:
                yield connection
