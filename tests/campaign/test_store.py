"""A campaign's database, where it is not what it should be."""

from __future__ import annotations

import sqlite3
from contextlib import closing, nullcontext
from importlib.resources import files
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from redink.campaign.campaign_commands import serve
from redink.campaign.store import CampaignStore, connect
from redink.cli.main import cli
from redink.errors import RedinkError


def _empty_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE other (a)")


def _other_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE settings (key, value)")
        connection.execute("INSERT INTO settings VALUES ('schema', '0')")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux")
@pytest.mark.parametrize(
    "make",
    [lambda path: path.write_bytes(b"no database at all" * 99), _empty_database, _other_schema],
    ids=["no database", "no campaign", "another version"],
)
def test_what_is_no_campaign_is_let_go(tmp_path: Path, make: object) -> None:
    path = tmp_path / "c.db"
    assert callable(make)
    make(path)
    with pytest.raises(RedinkError, match=r"c\.db: (is damaged|was made by another)") as refused:
        CampaignStore.open(path)
    assert "\n" not in str(refused.value)
    held = [link for link in Path("/proc/self/fd").iterdir() if str(path) in _target(link)]
    assert not held


def test_an_answer_to_nothing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    gold = Path(str(files("redink") / "examples" / "gold.m2"))
    arguments = ["campaign", "create", str(path), "--task", "edit-check", "--from", str(gold)]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO answers (submission, assignment, answer, given) "
            "VALUES ('x', 4711, '{}', '2026-01-01')"
        )
    with pytest.raises(RedinkError, match=r"c\.db: is damaged: an answer does not fit its item"):
        serve(path, port=0)


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # it was the one that listed them
        return ""


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
