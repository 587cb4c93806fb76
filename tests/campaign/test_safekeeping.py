"""An answer that was acknowledged is kept, whatever happens around it; one that is not, is told."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from campaign_driver import make_campaign
from tests.campaign.conftest import Running, marked_item

from redink.campaign.assignment import AssignmentPlan
from redink.campaign.campaign_commands import serve, status
from redink.campaign.results import export_answers
from redink.campaign.server import CampaignServer
from redink.campaign.setup import create_campaign
from redink.campaign.store import Answer, CampaignStore, connect, shown_place
from redink.campaign.task_items import CampaignItem
from redink.errors import DataError, RedinkError
from redink.model import Judgment

Start = Callable[..., Running]
JSON = {"Accept": "application/json"}


def test_the_file_alone_holds_the_answers_while_serving(start: Start, tmp_path: Path) -> None:
    running = start("crowd")
    running.answer("alma", 0, label="ok")
    copy = tmp_path / "copy.db"
    found: list[Answer] = []
    for _ in range(2400):  # only a test that fails waits so long
        shutil.copy(running.place, copy)
        with closing(CampaignStore.open(copy)) as store:
            found = store.answers()
        if found:
            break
        copy.unlink()
        time.sleep(0.05)
    assert [answer.answer["label"] for answer in found] == ["ok"]


def test_only_one_process_serves_a_campaign(place: str) -> None:
    make_campaign(place, judges=1, items=1)
    first = CampaignServer(CampaignStore.open(place))
    with pytest.raises(RedinkError, match="is already being served") as refused:
        serve(place, port=0)
    assert "\n" not in str(refused.value)
    first.close()
    CampaignServer(CampaignStore.open(place)).close()


def test_a_lost_connection_to_postgresql_is_replaced_with_its_lock(postgres: str) -> None:
    import psycopg

    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as admin:
        admin.execute("CREATE DATABASE lost")
        place = f"{postgres}/lost"
        make_campaign(place, judges=1, items=1)
        server = CampaignServer(CampaignStore.open(place))
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'lost'"
        assert admin.execute(end).fetchall()
        server.store.add_answers([Answer("k", 1, {"label": "ok"}, 1.0, "2026-01-01")])
        assert len(server.store.answers()) == 1
        with pytest.raises(RedinkError, match="is already being served"):
            serve(place, port=0)
        server.close()


def test_a_file_that_is_gone_takes_no_answers(start: Start, tmp_path: Path) -> None:
    running = start("crowd")
    base = f"/j/{running.judges['alma']}"
    data = running.form(f"{base}/0") | {"label": "ok"}
    running.place.rename(tmp_path / "elsewhere.db")
    reply = running.client.post(f"{base}/0", data=data, headers=JSON)
    assert reply.status_code == 503
    assert "not saved" in reply.json()["error"]
    assert "was removed or replaced" in running.client.get(f"/o/{running.organizer}").text
    (tmp_path / "elsewhere.db").rename(running.place)
    assert running.client.post(f"{base}/0", data=data, headers=JSON).status_code == 200
    assert len(running.server.store.answers()) == 1


def test_another_file_in_its_place_takes_no_answers(start: Start, tmp_path: Path) -> None:
    running = start("crowd")
    shutil.copy(running.place, tmp_path / "copy.db")
    (tmp_path / "copy.db").replace(running.place)
    assert running.answer("alma", 0, label="ok").status_code == 503


def test_an_answer_sent_during_a_pause_is_not_lost(start: Start) -> None:
    running = start("cloze")
    base = f"/j/{running.judges['alma']}"
    data = running.form(f"{base}/0") | {"label": "nearby"}
    running.act("pause")
    assert "<h1>Task paused</h1>" in running.client.get(base).text
    page = running.client.post(f"{base}/0", data=data, follow_redirects=False)
    assert page.status_code == 503
    assert "paused" in page.text
    assert 'value="nearby"' in page.text
    assert running.client.post(f"{base}/0", data=data, headers=JSON).status_code == 503
    assert running.server.store.answers() == []
    running.act("resume")
    assert running.client.post(f"{base}/0", data=data, headers=JSON).status_code == 200
    assert len(running.server.store.answers()) == 1


def test_an_answer_of_an_excluded_judge_is_kept_all_the_same(start: Start) -> None:
    items = [marked_item(n, gold="error") for n in range(1, 9)]
    running = start("crowd", items=items, gold_threshold=0.7)
    for position in range(4):
        running.answer("alma", position, label="ok")
    base = f"/j/{running.judges['alma']}"
    earlier = running.form(f"{base}/0") | {"label": "error"}
    running.answer("alma", 4, label="ok")
    assert running.client.post(f"{base}/0", data=earlier).status_code == 200
    assert len(running.server.store.answers()) == 6


def test_one_bad_answer_touches_no_other(place: str) -> None:
    make_campaign(place, judges=1, items=40)
    store = CampaignStore.open(place)
    # PostgreSQL has no NUL in text; SQLite takes it, but knows what an assignment is.
    bad = Answer("bad", 4711, {"label": "a\0b"}, 1.0, "2026-01-01")
    good = [Answer(f"good{n}", n, {"label": "ok"}, 1.0, "2026-01-01") for n in range(1, 41)]

    server = CampaignServer(store)

    async def store_all() -> list[BaseException | None]:
        waiting = [server._store(answer) for answer in [*good[:20], bad, *good[20:]]]
        return await asyncio.gather(*waiting, return_exceptions=True)

    outcomes = asyncio.run(store_all())
    stored = {answer.submission for answer in store.answers()}
    server.close()
    assert stored == {answer.submission for answer in good}
    assert [n for n, outcome in enumerate(outcomes) if outcome is not None] == [20]
    assert isinstance(outcomes[20], DataError)


def test_control_characters_in_a_form_are_dropped(start: Start) -> None:
    running = start("cloze")
    assert running.answer("alma", 0, label="a\0t\x0b\x7f\tho\x85me").status_code == 303
    (judgment,) = export_answers(running.server.store)
    assert isinstance(judgment, Judgment)
    assert judgment.label == "at home"


def test_a_stale_window_does_not_overwrite(start: Start) -> None:
    running = start("crowd")
    base = f"/j/{running.judges['alma']}"
    first = running.form(f"{base}/0") | {"label": "ok"}
    second = running.form(f"{base}/0") | {"label": "error"}
    assert running.client.post(f"{base}/0", data=first, headers=JSON).status_code == 200
    assert running.client.post(f"{base}/0", data=second, headers=JSON).status_code == 409
    page = running.client.post(f"{base}/0", data=second)
    assert page.status_code == 409
    assert "answered in another window" in page.text
    assert 'value="ok" required checked' in page.text
    assert len(running.server.store.answers()) == 1
    assert running.answer("alma", 0, label="error").status_code == 303


def test_a_window_that_is_sent_meanwhile_waits_for_the_other(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = start("crowd")
    server, base = running.server, f"/j/{running.judges['alma']}"
    first = running.form(f"{base}/0") | {"label": "ok"}
    second = running.form(f"{base}/0") | {"label": "error"}
    is_writing, is_sent, goes_on = threading.Event(), threading.Event(), threading.Event()
    write_now, submit_now = server.store.add_answers, server.submit

    def write_late(answers: Sequence[Answer]) -> None:
        is_writing.set()
        goes_on.wait()
        write_now(answers)

    async def submit_and_tell(*given: Any, **named: Any) -> None:
        if is_writing.is_set():
            is_sent.set()
        await submit_now(*given, **named)

    monkeypatch.setattr(server.store, "add_answers", write_late)
    monkeypatch.setattr(server, "submit", submit_and_tell)
    with ThreadPoolExecutor(2) as windows:
        saved = windows.submit(running.client.post, f"{base}/0", data=first)
        try:
            is_writing.wait()
            page = windows.submit(running.client.post, f"{base}/0", data=second)
            is_sent.wait()
        finally:
            goes_on.set()
    assert saved.result().status_code == 200
    assert page.result().status_code == 409
    assert "answered in another window" in page.result().text
    assert 'value="ok" required checked' in page.result().text
    assert [answer.answer for answer in server.store.answers()] == [{"label": "ok"}]


def test_new_files_are_private(start: Start) -> None:
    running = start("crowd")
    running.answer("alma", 0, label="ok")
    made = list(running.place.parent.glob(f"{running.place.name}*"))
    assert running.place in made
    for file in made:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_a_password_is_never_shown() -> None:
    with pytest.raises(RedinkError, match=r"cannot be used .*port 1 failed") as refused:
        CampaignStore.open("postgresql://me:s3cret@127.0.0.1:1/none")
    assert "s3cret" not in str(refused.value)
    assert "me:***@127.0.0.1:1/none" in str(refused.value)
    with pytest.raises(RedinkError) as refused:
        CampaignStore.open("mysql://me:s3:cr@et@host/none")
    assert "cr@et" not in str(refused.value)
    assert shown_place("postgresql://me@host/db") == "postgresql://me@host/db"
    assert shown_place("folder/c.db") == "folder/c.db"


def test_a_campaign_of_the_first_version_is_upgraded(tmp_path: Path) -> None:
    place = tmp_path / "old.db"
    make_campaign(place, judges=1, items=2)
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("ALTER TABLE judges DROP COLUMN kept")
        connection.execute("ALTER TABLE judges DROP COLUMN registered")
        connection.execute("ALTER TABLE answers DROP COLUMN remark")
        connection.execute("UPDATE settings SET value = '1' WHERE key = 'schema'")
        connection.execute(
            "INSERT INTO answers (submission, assignment, answer, given) "
            """VALUES ('x', 1, '{"label": "ok"}', '2026-01-01')"""
        )
    server = CampaignServer(CampaignStore.open(place))
    assert [answer.answer for answer in server.store.answers()] == [{"label": "ok"}]
    server.close()
    with closing(CampaignStore.open(place)) as store:
        assert [judge.state for judge in store.judges()] == ["active"]


def test_work_time_is_time_at_work(start: Start) -> None:
    running = start("crowd", plan=AssignmentPlan())
    running.answer("alma", 0, label="ok", active="12")
    running.answer("alma", 1, label="ok", active="3000000")
    running.answer("alma", 2, label="ok", active="9" * 5000)
    given = [answer.seconds for answer in running.server.store.answers()]
    assert [one is not None and one < 5 for one in given] == [True, True, True]
    assert given[0] is not None
    assert given[0] <= 0.012


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
    with pytest.raises(RedinkError, match=r"c\.db: (is damaged|was created by another)") as refused:
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


def test_the_lock_does_not_follow_a_symbolic_link(tmp_path: Path) -> None:
    make_campaign(tmp_path / "c.db", judges=1, items=1)
    (tmp_path / "c.db-serving").symlink_to(tmp_path / "victim")
    with (
        closing(CampaignStore.open(tmp_path / "c.db")) as store,
        pytest.raises(RedinkError, match="must not be a symbolic link"),
    ):
        store.lock()
    assert not (tmp_path / "victim").exists()
