"""The web application, from link to export, and everything it must refuse."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient
from tests.campaign.conftest import Running, marked_item

from redink.campaign import security, setup
from redink.campaign.assignment import AssignmentPlan
from redink.campaign.pages import Site, read_address
from redink.campaign.results import export_answers
from redink.campaign.store import StoredChanges
from redink.campaign.tasks import TASKS
from redink.errors import OptionError
from redink.model import AnnotatedSentence, Judgment, Ranking
from redink.web.headers import HEADERS

Start = Callable[..., Running]
ANSWERS = {
    "ranking": {"rank0": "1", "rank1": "2", "rank2": "2"},
    "usage": {"label": "incorrect", "alternatives": "at", "confidence": "high"},
    "crowd": {"label": "error"},
    "cloze": {"label": "at"},
    "choice": {"label": "both"},
    "sample": {"label": "ok"},
    "edit-check": {"label": "good"},
    "edit-validity": {"edit1": "right", "remains": "no"},
    "rate": {"grammaticality": "4", "fluency": "3", "meaning": "5"},
    "correct": {"text": "I am good at games."},
    "post-edit": {"as_is": "1"},
    "mark": {"word": "3", "correction": "at"},
    "adjudicate": {"place0": "1"},
}


@pytest.mark.parametrize("task", list(TASKS))
def test_each_task_goes_from_link_to_export(task: str, start: Start) -> None:
    running = start(task)
    for position in range(3):
        reply = running.answer("alma", position, **ANSWERS[task])
        assert reply.status_code == 303
    page = running.client.get(f"/j/{running.judges['alma']}")
    assert "Thank you" in page.text
    exported = export_answers(running.server.store)
    kind = {"rankings": Ranking, "judgments": Judgment, "corpus": AnnotatedSentence}
    assert all(isinstance(one, kind[running.server.task.kind]) for one in exported)
    assert len(exported) == 3 * {"edit-validity": 2, "rate": 3}.get(task, 1)
    judges = {a.annotator for one in exported for a in getattr(one, "annotations", ())}
    assert (judges or {one.judge for one in exported}) == {"alma"}


def test_ranks_belong_to_outputs_whatever_their_order_on_the_page(start: Start) -> None:
    running = start()
    page = running.client.get(f"/j/{running.judges['alma']}/0").text
    number = running.item("alma", 0).payload["sentence"]
    places = {}
    for place, block in enumerate(page.split("<fieldset")[1:]):
        words = block.split("</legend>")[0]
        if "cats" in words:
            places[place] = "1"
        else:
            places[place] = "2" if "</span>has<" in words else "3"
    running.answer("alma", 0, **{f"rank{place}": rank for place, rank in places.items()})
    (ranking,) = export_answers(running.server.store)
    assert isinstance(ranking, Ranking)
    assert ranking.sentence == str(number)
    assert {out.systems: out.rank for out in ranking.outputs} == {
        ("alpha",): 1,
        ("INPUT", "beta"): 3,
        ("gamma",): 2,
    }


def test_system_names_gold_answers_and_repeats_stay_hidden(start: Start) -> None:
    running = start(plan=AssignmentPlan(repeated=1.0))
    text = running.client.get(f"/j/{running.judges['alma']}").text
    for secret in ("alpha", "beta", "gamma", "INPUT", "gold", "repeat"):
        assert secret not in text
    gold = start("crowd", items=[marked_item(1, gold="error")])
    text = gold.client.get(f"/j/{gold.judges['alma']}").text
    assert "gold" not in text
    assert 'id="task"' in text


def test_changing_an_answer_adds_a_row_and_the_newest_counts(start: Start) -> None:
    running = start("crowd")
    running.answer("alma", 0, label="ok")
    page = running.client.get(f"/j/{running.judges['alma']}/0").text
    assert 'value="ok" required checked' in page
    running.answer("alma", 0, label="error")
    assert len(running.server.store.answers()) == 2
    (judgment,) = export_answers(running.server.store)
    assert isinstance(judgment, Judgment)
    assert judgment.label == "error"


def test_an_incomplete_answer_is_explained_and_not_stored(start: Start) -> None:
    running = start()
    reply = running.answer("alma", 0, rank0="1")
    assert reply.status_code == 422
    assert "Please give each version a rank." in reply.text
    assert 'name="rank0" value="1" required checked' in reply.text
    assert running.server.store.answers() == []


@pytest.mark.parametrize(
    ("task", "fields"),
    [
        ("ranking", {"rank0": "0", "rank1": "1", "rank2": "1"}),
        ("ranking", {"rank0": "6", "rank1": "1", "rank2": "1"}),
        ("crowd", {"label": "<script>"}),
        ("crowd", {}),
        ("cloze", {"label": "x" * 1000}),
        ("cloze", {"label": "  "}),
        ("usage", {"label": "correct", "confidence": "high", "context": "nonsense"}),
        ("usage", {"label": "correct"}),
    ],
)
def test_answers_that_no_page_can_give_are_refused(
    task: str, fields: dict[str, str], start: Start
) -> None:
    running = start(task)
    assert running.answer("alma", 0, **fields).status_code == 422
    assert running.server.store.answers() == []


def test_typed_text_is_escaped(start: Start) -> None:
    running = start("cloze")
    running.answer("alma", 0, label='"><script>alert(1)</script>')
    page = running.client.get(f"/j/{running.judges['alma']}/0").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_items_cannot_be_skipped(start: Start) -> None:
    running = start()
    base = f"/j/{running.judges['alma']}"
    assert running.client.get(f"{base}/1").status_code == 404
    data = running.form(f"{base}/0") | ANSWERS["ranking"]
    assert running.client.post(f"{base}/1", data=data).status_code == 404
    assert running.client.get(f"{base}/99999").status_code == 404


def every_route(running: Running) -> list[tuple[str, str]]:
    """All routes with a token, as method and path with ``TOKEN`` in it."""
    values = {"token": "TOKEN", "position": "0", "number": "1", "suffix": "xml", "action": "invite"}
    return [
        (method, re.sub(r"\{(\w+)(:\w+)?\}", lambda found: values[found[1]], route.path))
        for route in running.client.app.routes  # type: ignore[attr-defined]
        if "{token}" in route.path
        for method in sorted(route.methods - {"HEAD"})
    ]


@pytest.mark.parametrize("which", ["none", "random", "other kind", "revoked"])
def test_every_route_refuses_whoever_has_no_right(which: str, start: Start) -> None:
    running = start()
    if which == "revoked":
        setup.revoke(running.server.store, "bruno")
        running.catch_up()
    assert len(every_route(running)) >= 15
    for method, path in every_route(running):
        is_judge_path = path.startswith("/j/")
        if which == "revoked":
            if not is_judge_path:
                continue  # the organizer's token is not revocable
            token = running.judges["bruno"]
        else:
            wrong = running.organizer if is_judge_path else running.judges["alma"]
            token = {"none": "", "random": "x" * 32, "other kind": wrong}[which]
        data = {"form": "0" * 64, "name": "mallory"} if method == "POST" else None
        reply = running.client.request(method, path.replace("TOKEN", token), data=data)
        assert reply.status_code in {404, 405}, (method, path)
        assert "alma" not in reply.text, (method, path)
        assert "cats" not in reply.text, (method, path)
        judges = {workload.judge.name for workload in running.server.workloads.values()}
        assert judges == {"alma", "bruno"}, (method, path)
        assert not running.server.paused, (method, path)


def test_forged_forms_are_refused(start: Start) -> None:
    running = start("crowd")
    address = f"/j/{running.judges['alma']}/0"
    data = running.form(address) | {"label": "ok"}
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert running.client.post(address, data=data, headers=cross).status_code == 403
    other = running.form(f"/j/{running.judges['bruno']}/0") | {"label": "ok"}
    assert running.client.post(address, data=other).status_code == 403
    del data["form"]
    assert running.client.post(address, data=data).status_code == 403
    assert running.server.store.answers() == []


def test_oversized_and_hostile_bodies_are_refused(start: Start) -> None:
    running = start("crowd")
    address = f"/j/{running.judges['alma']}/0"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    post = running.client.post
    assert post(address, content=b"a=" + b"x" * 100_000, headers=form).status_code == 413
    assert post(address, json={"label": "ok"}).status_code == 415
    assert post(address, files={"label": b"ok"}).status_code == 415
    assert post(address, content=b"\xff\xfe=%ff", headers=form).status_code == 400
    assert post(address, content=b"&".join([b"a=1"] * 500), headers=form).status_code == 400
    assert post(address, content=b"", headers=form).status_code == 403
    assert running.server.store.answers() == []


def test_guessing_is_slowed_down(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    running = start()
    monkeypatch.setattr(security, "time", SimpleNamespace(monotonic=lambda: 0.0))
    replies = [running.client.get(f"/j/guess{n}").status_code for n in range(31)]
    assert replies == [404] * 30 + [429]
    monkeypatch.setattr(security, "time", SimpleNamespace(monotonic=lambda: 0.5))
    assert running.client.get("/j/guess").status_code == 404
    assert running.client.get(f"/j/{running.judges['alma']}").status_code == 200


@pytest.mark.parametrize("path", ["/", "/nowhere", "/j/wrong", "/static/campaign.js"])
def test_every_response_carries_the_safety_headers(path: str, start: Start) -> None:
    reply = start().client.get(path)
    for name, value in HEADERS.items():
        assert reply.headers[name] == value


def test_a_crash_carries_the_safety_headers_too(start: Start) -> None:
    running = start("crowd")
    del running.server.items[1], running.server.items[2], running.server.items[3]
    client = TestClient(running.client.app, raise_server_exceptions=False)
    reply = client.get(f"/j/{running.judges['alma']}")
    assert reply.status_code == 500
    for name, value in HEADERS.items():
        assert reply.headers[name] == value


def test_a_position_of_many_digits_is_not_found(start: Start) -> None:
    running = start()
    address = f"/j/{running.judges['alma']}/{'9' * 5000}"
    assert running.client.get(address).status_code == 404
    assert running.client.post(address, data={"form": "x"}).status_code == 404


def test_links_begin_with_the_address_and_not_with_what_a_request_says(start: Start) -> None:
    running = start()
    dashboard = f"/o/{running.organizer}"
    form = {"form": running.form(dashboard)["form"], "name": "chidi"}
    page = running.client.post(f"{dashboard}/invite", data=form, headers={"Host": "evil.example"})
    assert "evil.example" not in page.text
    assert "<code>http://127.0.0.1:8000/j/" in page.text


@pytest.mark.parametrize("before", ["/judging", ""])
def test_it_can_live_under_a_path(start: Start, before: str) -> None:
    running = start("crowd", site=Site("https://example.org/judging"))
    client = running.client
    base = f"/judging/j/{running.judges['alma']}"
    page = client.get(f"{before}/j/{running.judges['alma']}")
    assert f'action="{base}/0"' in page.text
    assert page.text.count('"/judging/static/') == page.text.count("/static/")
    assert client.get(f"{before}/static/campaign.css").status_code == 200
    data = dict(re.findall(r'name="(form|submission)" value="([^"]+)"', page.text))
    address = f"{before}/j/{running.judges['alma']}/0"
    reply = client.post(address, data=data | {"label": "ok"}, follow_redirects=False)
    assert reply.headers["location"] == base
    dashboard = client.get(f"{before}/o/{running.organizer}").text
    form = dict(re.findall(r'name="(form)" value="([^"]+)"', dashboard))
    address = f"{before}/o/{running.organizer}/invite"
    invited = client.post(address, data=form | {"name": "chidi"})
    assert "<code>https://example.org/judging/j/" in invited.text
    assert client.get("/judgingelse").status_code == 404


def test_an_address_is_one_of_the_web_without_a_slash_at_its_end() -> None:
    for given in ("https://example.org/judging/", "https://example.org", "http://127.0.0.1:8000"):
        assert Site(read_address(given)).link("/j/x") == f"{given.rstrip('/')}/j/x"
    wrong = ("example.org", "ftp://example.org", "https://", "https://e.org/?a=1", "http://a b")
    for given in wrong:
        with pytest.raises(OptionError, match="is not a valid public address"):
            read_address(given)


def test_a_slow_reading_does_not_undo_an_exclusion(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [marked_item(n, gold="error") for n in range(1, 9)]
    running = start("crowd", items=items, gold_threshold=0.7)
    read = running.server.store.changes

    def read_slowly(**known: int) -> StoredChanges:
        news = read(**known)
        time.sleep(0.2)
        return news

    for position in range(4):
        running.answer("alma", position, label="ok")
    monkeypatch.setattr(running.server.store, "changes", read_slowly)
    running.answer("alma", 4, label="ok")
    for _ in range(6):
        assert "excluded" in [status.state for status in running.server.statuses()]
        time.sleep(0.1)


def test_the_organizer_invites_revokes_and_exports(start: Start) -> None:
    running = start()
    dashboard = f"/o/{running.organizer}"
    page = running.act("invite", name="chidi")
    link = page.text.split("<code>")[1].split("</code>")[0]
    assert running.client.get(link).status_code == 200
    assert "<code>" not in running.client.get(str(page.url)).text  # shown once
    again = running.act("invite", name="chidi")
    assert again.status_code == 422
    assert "already" in again.text
    running.act("revoke", name="chidi")
    assert running.client.get(link).status_code == 404
    assert running.client.get(f"{dashboard}/export.xml").status_code == 409
    running.answer("alma", 0, **ANSWERS["ranking"])
    for suffix in ("xml", "csv", "jsonl"):
        reply = running.client.get(f"{dashboard}/export.{suffix}")
        assert reply.status_code == 200
        assert "alma" in reply.text


def test_a_restart_forgets_nothing(start: Start) -> None:
    running = start("crowd")
    base = f"/j/{running.judges['alma']}"
    data = running.form(f"{base}/0") | {"label": "ok"}
    running.client.post(f"{base}/0", data=data)
    running.restart()
    running.client.post(f"{base}/0", data=data)  # the retry of a lost reply
    assert len(running.server.store.answers()) == 1
    assert "1 of 3" in running.client.get(base).text


def test_what_judges_say_about_themselves_is_exported(start: Start) -> None:
    asked = {"name": "native", "ask": "Your native language", "kind": "text"}
    level = {"name": "level", "ask": "Level", "options": ["B2", "C1"]}
    texts = {"background": [asked, level]}
    running = start("ranking", judges=("alma", "bruno"), texts=texts)
    home = f"/j/{running.judges['alma']}"
    assert "Your native language" in running.client.get(home).text
    form = running.form(home) | {"at": "0", "go_on": "1", "native": "Polish"}
    refused = running.client.post(f"{home}/begin", data=form)
    assert (refused.status_code, "Please answer: Level" in refused.text) == (422, True)
    assert 'value="Polish"' in refused.text
    running.client.post(f"{home}/begin", data=form | {"level": "C1"})
    running.client.post(f"{home}/begin", data=running.form(home) | {"at": "1", "go_on": "1"})
    assert running.answer("alma", 0, rank0="1", rank1="2", rank2="3").status_code == 303
    (ranking,) = export_answers(running.server.store)
    assert ranking.extra == (("judge_native", "Polish"), ("judge_level", "C1"))
