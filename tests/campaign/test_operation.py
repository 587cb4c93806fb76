"""Running a campaign: moving it between databases, removing a person's data, health, log."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.campaign.conftest import Running

from redink.campaign import setup
from redink.campaign.campaign_commands import migrate, remove
from redink.campaign.server import CampaignServer
from redink.campaign.store import CampaignStore
from redink.errors import DataError, RedinkError

Start = Callable[..., Running]
TABLES = ("settings", "items", "judges", "assignments", "answers")


def content(place: str | Path) -> list[object]:
    with closing(CampaignStore.open(place)) as store:
        return [
            found if isinstance(found := getattr(store, name)(), dict) else list(found)
            for name in TABLES
        ]


def test_a_campaign_moves_to_postgresql_and_back(
    start: Start, postgres: str, tmp_path: Path
) -> None:
    running = start("crowd")
    running.answer("alma", 0, label="ok", **{"remark-comment": "hm"})
    with pytest.raises(RedinkError, match="already being served"):
        migrate(running.place, tmp_path / "other.db")
    running.client.__exit__(None, None, None)
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE moved")
    there, back = f"{postgres}/moved", tmp_path / "back.db"
    assert migrate(running.place, there).rows[0]["answers"] == 1
    assert content(there) == content(running.place)
    with pytest.raises(DataError, match="already contains a campaign"):
        migrate(running.place, there)
    with closing(CampaignStore.open(there)) as store:  # new numbers do not clash with copied ones
        setup.invite(store, "chidi")
    migrate(there, back)
    assert content(back) == content(there)
    with closing(CampaignServer(CampaignStore.open(back))) as server:
        work = server.find(running.judges["alma"])  # the link is still valid
        assert work is not None
        assert list(work.answered) == [0]
    running.restart()


@pytest.mark.parametrize("answers", [False, True])
def test_the_data_of_a_person_are_removed(*, answers: bool, start: Start) -> None:
    running = start("crowd", judges=("Alma Adalovelace", "bruno"))
    comment = {"remark-comment": "I live in Samarkand"}
    running.answer("Alma Adalovelace", 0, label="ok", **comment)
    running.answer("bruno", 0, label="ok")
    running.client.__exit__(None, None, None)
    (row,) = remove(running.place, ["Alma Adalovelace"], answers=answers).rows
    assert (row["answers"], row["comments"]) == (0 if answers else 1, 1)
    for file in running.place.parent.glob(f"{running.place.name}*"):
        assert b"Adalovelace" not in file.read_bytes(), file.name
        assert b"Samarkand" not in file.read_bytes(), file.name
    with closing(sqlite3.connect(running.place)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    running.restart()
    assert running.client.get(f"/j/{running.judges['Alma Adalovelace']}").status_code == 404
    done = {one.judge: one.done for one in running.server.statuses()}
    assert done == {"removed-1": row["answers"], "bruno": 1}


def test_health_and_log_show_that_answers_cannot_be_stored(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    running = start("crowd")
    assert running.client.get("/health").json() == {"status": "ok", "campaigns": 1, "failing": 0}
    running.act("invite", name="dora\nevil")
    running.act("pause")
    running.server.report(RedinkError("disk\nfull"))
    assert running.client.get("/health").status_code == 503
    running.server.report(None)
    assert running.client.get("/health").status_code == 200
    lines = capsys.readouterr().err.splitlines()
    time = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00"
    place = re.escape(f'campaign="{running.place}"')
    assert [re.fullmatch(rf"{time} (\w+) {place}.*", line)[1] for line in lines[-3:]] == [  # type: ignore[index]
        "pause",
        "problem",
        "recovered",
    ]
    assert lines[-2].endswith(r'message="disk\\nfull"')
