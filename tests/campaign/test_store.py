"""A campaign's database, where it is not what it should be."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
import sqlalchemy as sa
from campaign_driver import make_campaign

from redink.campaign.campaign_commands import serve, status
from redink.campaign.setup import create_campaign
from redink.campaign.store import CampaignStore, connect
from redink.campaign.task_items import CampaignItem
from redink.errors import DataError, RedinkError


def _empty_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE other (a)")


def _other_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE settings (key, value)")
        connection.execute("INSERT INTO settings VALUES ('schema', '0')")


@pytest.mark.parametrize(
    "make",
    [lambda path: path.write_bytes(b"no database at all" * 99), _empty_database, _other_schema],
    ids=["no database", "no campaign", "another version"],
)
def test_what_is_no_campaign_is_told(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "c.db"
    make(path)
    with pytest.raises(RedinkError, match=r"c\.db: (is damaged|was made by another)") as refused:
        CampaignStore.open(path)
    assert "\n" not in str(refused.value)


def test_an_item_of_another_task_is_refused(tmp_path: Path) -> None:
    item = CampaignItem("i1", {"text": "Fine .", "start": 0, "end": 1})
    with pytest.raises(DataError, match="item 'i1' does not fit the task 'ranking'"):
        create_campaign(tmp_path / "c.db", task="ranking", items=[item])
    assert not (tmp_path / "c.db").exists()


def test_a_campaign_of_a_task_that_is_gone_is_told(tmp_path: Path) -> None:
    make_campaign(tmp_path / "c.db", judges=1, items=1)
    with closing(CampaignStore.open(tmp_path / "c.db")) as store:
        store.change_setting("task", "polite")
    with pytest.raises(DataError, match=r"c\.db: is a campaign of the unknown task 'polite'"):
        status(tmp_path / "c.db")


def test_an_answer_to_nothing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    make_campaign(path, judges=1, items=1)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO answers (submission, assignment, answer, given) "
            "VALUES ('x', 4711, '{}', '2026-01-01')"
        )
    with pytest.raises(RedinkError, match=r"c\.db: is damaged: an answer does not fit its item"):
        serve(path, port=0)


@pytest.mark.parametrize(("kind", "told"), [(KeyboardInterrupt, 0), (sqlite3.Error, 1)])
def test_stopping_is_no_news_of_the_database(
    kind: type[BaseException], told: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sqlite3.connect(tmp_path / "c.db").close()
    engine = connect(tmp_path / "c.db")

    @sa.event.listens_for(engine, "reset")
    def stop(*_: object) -> None:
        raise kind

    with pytest.raises(kind) if not told else nullcontext(), engine.connect() as connection:
        connection.execute(sa.text("SELECT 1"))
    assert len(caplog.records) == told
