"""The database: everything a campaign knows, append-only where people's work is concerned.

SQLite in WAL mode by default, PostgreSQL by URL. Answers are only ever inserted: changing an
answer adds a row, and the newest row of an assignment counts. A submission carries a key chosen
by the browser, so that sending it twice stores it once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from redink.campaign.items import Item
from redink.errors import DataError, RedinkError

Value = TypeVar("Value")
SCHEMA_VERSION = 1
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
)

_ADD_TO_SQLITE = sqlite.insert(_answers).on_conflict_do_nothing(index_elements=["submission"])
# All rows in one parameter: a statement for each costs ten times as much.
_ADD_TO_POSTGRESQL = sa.text(
    "INSERT INTO answers (submission, assignment, answer, seconds, given) "
    "SELECT submission, assignment, answer, seconds, given FROM json_to_recordset(:rows) "
    "AS row (submission text, assignment integer, answer json, seconds float8, given text) "
    "ON CONFLICT (submission) DO NOTHING"
)


@dataclass(frozen=True, slots=True)
class Judge:
    """A person with a link; only the hash of the token is kept."""

    id: int
    name: str
    token_hash: str
    revoked: bool = False
    excluded: bool = False

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
    """What a judge said about an assignment, as one submission."""

    submission: str
    assignment: int
    answer: dict[str, Any]
    seconds: float | None
    given: str


def database_url(place: str | Path) -> str:
    """A URL as it is; a path as that SQLite file."""
    text = str(place)
    if text.startswith("postgresql://"):
        return text.replace("postgresql://", "postgresql+psycopg://", 1)
    return text if "://" in text else f"sqlite:///{text}"


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # WAL lets readers go on while the writer writes; FULL makes a commit survive a power cut.
    pragmas = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000")
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").close()
    except BaseException:
        connection.close()  # nobody else knows of it yet
        raise


class Store:
    """A campaign's database. Use :meth:`create` once, :meth:`open` afterwards."""

    def __init__(self, engine: sa.Engine, place: str) -> None:
        self._engine = engine
        self.place = place
        self._is_sqlite = engine.dialect.name == "sqlite"

    @classmethod
    def create(cls, place: str | Path, settings: dict[str, Any], items: Iterable[Item]) -> Store:
        """A new campaign in an empty place; a file or database that holds one is refused."""
        url = database_url(place)
        if url.startswith("sqlite:///") and Path(str(place)).exists():
            raise DataError(f"{place}: exists already; a campaign is created in a new file")
        store = cls(_connect(url), str(place))
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
            raise _database_error(self.place, error) from error

    @classmethod
    def open(cls, place: str | Path) -> Store:
        """The campaign that is there."""
        url = database_url(place)
        if url.startswith("sqlite:///") and not Path(str(place)).is_file():
            raise RedinkError(f"{place}: no such campaign; make one with: redink campaign create")
        store = cls(_connect(url), str(place))
        with store.closed_on_error():
            store._check()
        return store

    def _check(self) -> None:
        settings = self.settings()
        found = settings.get("schema")
        if found != SCHEMA_VERSION:
            raise RedinkError(
                f"{self.place}: was made by another version of redink (schema {found})"
            )
        if not settings.keys() >= _SETTINGS or not isinstance(settings["plan"], dict):
            raise RedinkError(f"{self.place}: is damaged: settings of the campaign are missing")

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
            raise RedinkError(f"{self.place}: is damaged, or not a redink campaign") from error

    @contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except sa.exc.IntegrityError:
            raise  # a name that is taken; whoever asked knows what it means
        except sa.exc.SQLAlchemyError as error:
            raise _database_error(self.place, error) from error

    def _read(self, kind: Callable[..., Value], query: sa.Select[Any]) -> list[Value]:
        """Every row as a value whose fields are its columns."""
        with self._reading() as connection:
            return [kind(**row) for row in connection.execute(query).mappings()]

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def settings(self) -> dict[str, Any]:
        """All settings of the campaign."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(_settings.c.key, _settings.c.value))
            return {row.key: row.value for row in rows}

    def change_setting(self, key: str, value: Any) -> None:
        """Give a setting a new value."""
        with self._changing() as connection:
            connection.execute(
                sa.update(_settings).where(_settings.c.key == key).values(value=value)
            )

    def items(self) -> list[Item]:
        """Every item, in order."""
        return self._read(Item, sa.select(_items).order_by(_items.c.id))

    def judges(self) -> list[Judge]:
        """Every judge, in the order of invitation."""
        return self._read(Judge, sa.select(_judges).order_by(_judges.c.id))

    def assignments(self, judge: int | None = None) -> list[Assignment]:
        """The assignments, of one judge or of all, each judge's in the order of showing."""
        query = sa.select(_assignments).order_by(_assignments.c.judge, _assignments.c.position)
        if judge is not None:
            query = query.where(_assignments.c.judge == judge)
        return self._read(Assignment, query)

    def answers(self) -> list[Answer]:
        """Every answer ever given, oldest first; of one assignment the last one counts."""
        columns = [column for column in _answers.c if column is not _answers.c.id]
        return self._read(Answer, sa.select(*columns).order_by(_answers.c.id))

    def add_judge(self, name: str, token_hash: str, items: Sequence[int]) -> Judge:
        """A new judge who will see these items in this order."""
        try:
            with self._changing() as connection:
                result = connection.execute(
                    sa.insert(_judges).values(
                        name=name, token_hash=token_hash, revoked=False, excluded=False
                    )
                )
                identity = result.inserted_primary_key
                assert identity is not None
                connection.execute(
                    sa.insert(_assignments),
                    [
                        {"judge": identity[0], "position": position, "item": item}
                        for position, item in enumerate(items)
                    ],
                )
        except sa.exc.IntegrityError as error:
            raise DataError(f"there is a judge called {name!r} already") from error
        return Judge(identity[0], name, token_hash)

    def change_judge(self, judge: int, **values: Any) -> None:
        """Change a judge's token hash, or whether they are revoked or excluded."""
        with self._changing() as connection:
            connection.execute(sa.update(_judges).where(_judges.c.id == judge).values(**values))

    def add_answers(self, answers: Sequence[Answer]) -> None:
        """Store answers in one transaction; one whose submission is known is left alone.

        When this returns, the answers are on disk.
        """
        rows = [asdict(answer) for answer in answers]
        with self._engine.begin() as connection:
            if self._is_sqlite:
                connection.execute(_ADD_TO_SQLITE, rows)
            else:
                connection.execute(_ADD_TO_POSTGRESQL, {"rows": json.dumps(rows)})


def _connect(url: str) -> sa.Engine:
    try:
        engine = sa.create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
    except (sa.exc.ArgumentError, ImportError) as error:
        raise RedinkError(f"{url}: is neither a file nor a database that can be used") from error
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _prepare_sqlite)
    elif engine.dialect.name != "postgresql":
        raise RedinkError(f"{engine.dialect.name}: only SQLite and PostgreSQL are supported")
    return engine


def _database_error(place: str | Path, error: sa.exc.SQLAlchemyError) -> RedinkError:
    reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
    if "malformed" in reason:
        return RedinkError(f"{place}: is damaged, or not a redink campaign")
    return RedinkError(f"{place}: the database cannot be used ({reason})")
