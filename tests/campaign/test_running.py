"""Running a campaign: so many judgments an item, people who register, lost links, more items."""

from __future__ import annotations

import hmac
import re
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise, product
from pathlib import Path

import pytest
from campaign_driver import make_campaign
from starlette.testclient import TestClient
from tests.campaign.conftest import Running, marked_item, ranking_item

from redink.campaign import assignment as assignment_module
from redink.campaign import commands, setup
from redink.campaign import server as server_module
from redink.campaign.assignment import AssignmentPlan, ItemAssigner
from redink.campaign.results import export_answers
from redink.campaign.security import hash_token
from redink.campaign.server import CampaignServer
from redink.campaign.store import Answer, CampaignStore
from redink.campaign.task_items import Material
from redink.campaign.tasks import TASKS
from redink.campaign.web_app import create_app
from redink.errors import DataError
from redink.model import Judgment

Start = Callable[..., Running]
THREE = AssignmentPlan(judgments=3)


def _judged(running: Running) -> Counter[str]:
    return Counter(a.item for a in export_answers(running.server.store) if isinstance(a, Judgment))


def _work(running: Running, name: str, *, most: int = 99, **fields: str) -> int:
    """Answer what comes until there is nothing more; the number of answers."""
    base = f"/j/{running.judges[name]}"
    for done in range(most):
        page = running.client.get(base).text
        if 'id="task"' not in page:
            return done
        data = dict(re.findall(r'name="(form|submission)" value="([^"]+)"', page))
        (position,) = re.findall(rf'action="{base}/(\d+)"', page)
        reply = running.client.post(f"{base}/{position}", data=data | ({"label": "ok"} | fields))
        assert reply.status_code == 200
    return most


# -- so many judgments for each item ----------------------------------------------------------


def test_every_item_gets_as_many_judgments_as_wanted(start: Start) -> None:
    """Five judges, three judgments for each of ten items: 30 answers, three of each."""
    items = [marked_item(n) for n in range(1, 11)]
    running = start("crowd", items=items, judges=tuple("abcde"), plan=THREE)
    done = [_work(running, name) for name in "abcde"]
    assert sum(done) == 30
    assert done == [10, 10, 10, 0, 0]
    assert set(_judged(running).values()) == {3}
    assert "There are no items for you" in running.client.get(f"/j/{running.judges['e']}").text


def test_what_a_judge_leaves_is_dealt_again(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    items = [marked_item(n) for n in (1, 2)]
    running = start("crowd", items=items, judges=tuple("abc"), plan=AssignmentPlan(judgments=1))
    for name in "ab":  # both have an item before them
        assert 'id="task"' in running.client.get(f"/j/{running.judges[name]}").text
    assert 'id="task"' not in running.client.get(f"/j/{running.judges['c']}").text
    setup.revoke(running.server.store, "a")
    running.catch_up()
    assert _work(running, "c") == 1
    assert 'id="task"' not in running.client.get(f"/j/{running.judges['c']}").text
    monkeypatch.setattr(server_module, "RELEASE_SECONDS", 0.0)
    for _ in range(2400):  # only a test that fails waits so long
        if _work(running, "c") == 1:
            break
        time.sleep(0.05)
    assert _judged(running).total() == 2
    assert assignment_module.RELEASE_SECONDS > 600


def test_answers_of_an_excluded_judge_are_asked_for_again(start: Start) -> None:
    items = [marked_item(n, gold="error" if n < 6 else None) for n in range(1, 16)]
    running = start(
        "crowd",
        items=items,
        judges=("spam", "good"),
        plan=AssignmentPlan(judgments=1),
        gold_threshold=0.7,
    )
    assert _work(running, "spam") < 15
    for _ in range(20):
        page = running.client.get(f"/j/{running.judges['good']}").text
        if 'id="task"' not in page:
            break
        _work(running, "good", most=1, label="error")
    judged = _judged(running)
    assert {f"i{n}" for n in range(6, 16)} <= set(judged)
    assert set(judged.values()) == {1}


def test_dealing_survives_a_restart(start: Start) -> None:
    items = [marked_item(n) for n in range(1, 5)]
    running = start("crowd", items=items, judges=tuple("ab"), plan=AssignmentPlan(judgments=1))
    _work(running, "a", most=2)
    before = running.client.get(f"/j/{running.judges['a']}").text
    running.restart()
    after = running.client.get(f"/j/{running.judges['a']}").text
    assert re.findall(r"game \d+", before) == re.findall(r"game \d+", after)
    assert _work(running, "b") == 1
    assert _work(running, "a") == 1
    assert set(_judged(running).values()) == {1}


def test_gold_questions_come_on_top_and_are_spread() -> None:
    items = [marked_item(n, gold="ok" if n <= 10 else None) for n in range(1, 51)]
    dealer = ItemAssigner(items, wanted=1, seed=1)
    seen: list[int] = []
    while (item := dealer.choose(7, seen)) is not None:
        dealer.take(item, 7)
        seen.append(item)
    gold = [place for place, item in enumerate(seen) if item <= 10]
    assert len(seen) - len(gold) == 40
    assert len(gold) >= 8
    assert max(b - a for a, b in pairwise(gold)) <= 10
    assert dealer.open == 0


# -- people who register by themselves --------------------------------------------------------


@pytest.fixture
def open_to_all(start: Start) -> tuple[Running, str]:
    """A campaign with one place for everybody who comes, and a code at the end."""
    running = start("crowd", judges=())
    token = setup.open_registration(running.server.store, 2)
    running.server.store.change_setting("completion", "C0DE-123")
    running.catch_up()
    return running, f"/r/{token}"


def _register(running: Running, address: str, **fields: str) -> str:
    page = running.client.get(address).text
    found = re.findall(r'name="(form|identity)" value="([^"]+)"', page)
    path = address.partition("?")[0]
    reply = running.client.post(path, data=dict(found) | fields, follow_redirects=False)
    return reply.headers.get("location", reply.text)


def test_a_worker_registers_works_comes_back_and_gets_the_code(
    open_to_all: tuple[Running, str],
) -> None:
    running, link = open_to_all
    address = f"{link}?PROLIFIC_PID=5f3a&STUDY_ID=9&SESSION_ID=1"
    own = _register(running, address)
    assert own.startswith("/j/")
    again = running.client.get(address, follow_redirects=False)
    assert again.headers["location"] == own
    running.judges["worker"] = own.removeprefix("/j/")
    assert "C0DE-123" not in running.client.get(own).text
    assert _work(running, "worker") == 3
    assert "C0DE-123" in running.client.get(own).text
    assert {answer.judge for answer in export_answers(running.server.store)} == {"5f3a"}


def test_registration_ends_when_the_places_are_taken(open_to_all: tuple[Running, str]) -> None:
    running, link = open_to_all
    form = dict(re.findall(r'name="(form)" value="([^"]+)"', running.client.get(link).text))
    assert _register(running, link, name="zoe").startswith("/j/")
    assert "This name is taken" in _register(running, link, name="zoe")
    assert _register(running, f"{link}?workerId=A1").startswith("/j/")
    assert "All places are taken" in running.client.get(link).text
    late = running.client.post(link, data=form | {"name": "max"})
    assert "All places are taken" in late.text
    assert len(running.server.workloads) == 2


def test_a_preview_registers_nobody(open_to_all: tuple[Running, str]) -> None:
    running, link = open_to_all
    page = running.client.get(f"{link}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE").text
    assert "This is a preview" in page
    assert "<form" not in page


def test_links_for_all_are_made_on_the_command_line(tmp_path: Path) -> None:
    items = tmp_path / "items.csv"
    items.write_text("text,start,end\nI am good in chess .,3,4\n", encoding="utf-8")
    place = tmp_path / "c.db"
    made = commands.create(
        place, task="crowd", file=items, register=5, completion="https://example.org/cc=1"
    )
    assert made["name"] == ["organizer", "up to 5 people"]
    (again,) = commands.invite(place, register=9).rows
    assert again["link"].startswith("http://127.0.0.1:8000/r/")
    with closing(CampaignStore.open(place)) as store:
        assert store.settings()["registration"]["limit"] == 9
        assert store.settings()["completion"] == "https://example.org/cc=1"


# -- links and exclusions ---------------------------------------------------------------------


def test_a_lost_link_is_replaced(start: Start) -> None:
    running = start("crowd")
    running.answer("alma", 0, label="ok")
    page = running.act("again", name="alma")
    link = page.text.split("<code>")[1].split("</code>")[0]
    running.client.get(str(page.url))  # a reload makes no other link
    assert "1 of 3" in running.client.get(link).text
    assert running.client.get(f"/j/{running.judges['alma']}").status_code == 404
    (row,) = commands.invite(running.place, ["alma"], again=True).rows
    running.catch_up()
    assert "1 of 3" in running.client.get(row["link"]).text
    assert running.client.get(link).status_code == 404


@pytest.mark.parametrize("action", ["again", "revoke", "exclude"])
def test_changes_that_lock_a_judge_out_are_confirmed(action: str, start: Start) -> None:
    running = start("crowd")
    running.answer("alma", 0, label="ok")
    dashboard = f"/o/{running.organizer}"
    address = f"{dashboard}/{action}?name=alma"
    assert address in running.client.get(dashboard).text
    for _ in range(2):  # also when it is loaded again
        page = running.client.get(address).text
    assert f'action="{dashboard}/{action}"' in page
    assert running.client.get(f"/j/{running.judges['alma']}").status_code == 200
    assert running.client.get(f"{dashboard}/{action}?name=nobody").status_code == 404
    running.act(action, name="alma")
    page = running.client.get(f"/j/{running.judges['alma']}")
    assert (page.status_code == 404) == (action != "exclude")
    assert ("finished this task" in page.text) == (action == "exclude")


def test_judges_are_excluded_and_admitted_again_by_hand(start: Start) -> None:
    running = start("crowd")
    for judge in ("alma", "bruno"):
        running.answer(judge, 0, label="ok")
    for option, counted in (("exclude", {"bruno"}), ("restore", {"alma", "bruno"})):
        (row,) = commands.invite(running.place, ["alma"], **{option: True}).rows
        assert row["link"] == {"exclude": "excluded", "restore": "restored"}[option]
        assert {j.judge for j in export_answers(running.server.store)} == counted


def test_the_database_contains_nothing_that_opens_a_page(tmp_path: Path) -> None:
    """Whatever can be computed from the settings with the program's own functions."""
    place = tmp_path / "c.db"
    made = commands.create(place, task="crowd", file=_items(tmp_path), register=3, judges=["alma"])
    server = CampaignServer(CampaignStore.open(place))
    with TestClient(create_app(server)) as client:
        link = made.rows[1]["link"].partition(":8000")[2]
        form = re.findall(r'name="(form)" value="([^"]+)"', client.get(link).text)
        data = dict(form) | {"identity": "5f3a"}
        own = client.post(link, data=data, follow_redirects=False).headers["location"]
        assert client.get(own).status_code == 200
        settings = server.store.settings()
        secrets = [settings["secret"], settings["organizer"], settings["registration"]["token"]]
        said = ["identity/5f3a", "5f3a", f"overview/{settings['organizer']}", "all campaigns"]
        for secret, text in product(secrets, said):
            digest = hmac.digest(secret.encode(), text.encode(), "sha256")
            guess = urlsafe_b64encode(digest).decode()[:32]
            for kind in "oj":
                assert client.get(f"/{kind}/{guess}").status_code in {404, 429}
            assert guess not in own


def _items(folder: Path) -> Path:
    items = folder / "items.csv"
    items.write_text("text,start,end\nI am good in chess .,3,4\n", encoding="utf-8")
    return items


def test_the_organizers_lost_link_is_replaced(start: Start) -> None:
    running = start("crowd")
    (row,) = commands.invite(running.place, organizer=True).rows
    running.catch_up()
    assert running.client.get(row["link"]).status_code == 200
    assert running.client.get(f"/o/{running.organizer}").status_code == 404


def test_revoking_and_excluding_can_be_undone(start: Start) -> None:
    items = [marked_item(n, gold="error") for n in range(1, 9)]
    running = start("crowd", items=items, gold_threshold=0.7)
    for position in range(5):
        running.answer("alma", position, label="ok")
    assert "excluded from the results" in running.client.get(f"/o/{running.organizer}").text
    running.act("restore", name="alma")
    assert running.answer("alma", 5, label="ok").status_code == 303
    assert running.answer("alma", 6, label="ok").status_code == 303
    assert len(list(export_answers(running.server.store))) == 7
    running.act("revoke", name="alma")
    assert running.client.get(f"/j/{running.judges['alma']}").status_code == 404
    (row,) = commands.invite(running.place, ["alma"], restore=True).rows
    assert row["link"] == "restored"
    running.catch_up()
    assert running.answer("alma", 7, label="ok").status_code == 303


# -- skip, flag, comment ----------------------------------------------------------------------


def test_an_item_can_be_skipped_flagged_and_commented(start: Start, tmp_path: Path) -> None:
    running = start("crowd")
    running.answer("alma", 0, **{"remark-skip": "yes", "remark-comment": "makes no sense"})
    running.answer("alma", 1, **{"label": "ok", "remark-flag": "yes", "remark-comment": "odd"})
    assert "2 of 3" in running.client.get(f"/j/{running.judges['alma']}").text
    (judgment,) = export_answers(running.server.store)
    assert isinstance(judgment, Judgment)
    assert dict(judgment.extra) == {"flagged": "yes", "comment": "odd"}
    page = running.client.get(f"/o/{running.organizer}").text
    assert "2 of 3, 1 skipped, 1 flagged" in page
    again = running.client.get(f"/j/{running.judges['alma']}/1").text
    assert ">odd</textarea>" in again
    assert 'name="remark-flag" value="yes" checked' in again
    running.answer("alma", 0, label="error")  # thought better of it
    assert len(list(export_answers(running.server.store))) == 2
    too_long = {"label": "ok", "remark-comment": "x" * 1001}
    assert running.answer("alma", 2, **too_long).status_code == 422


def test_a_skipped_item_goes_to_another_judge(start: Start) -> None:
    running = start("crowd", items=[marked_item(1)], plan=AssignmentPlan(judgments=1))
    running.client.get(f"/j/{running.judges['alma']}")
    running.answer("alma", 0, **{"remark-skip": "yes"})
    assert _work(running, "alma") == 0
    assert _work(running, "bruno") == 1


# -- more items, several campaigns, copies ----------------------------------------------------


def test_items_are_added_while_it_is_served(start: Start, tmp_path: Path) -> None:
    running = start("crowd", items=[marked_item(1)])
    _work(running, "alma")
    more = tmp_path / "more.csv"
    more.write_text(
        "item,text,start,end,before\ni1,I am good in game 1 .,3,4,Hello .\n"
        "i2,I am good in game 2 .,3,4,Hello .\ni3,I am good in game 3 .,3,4,Hello .\n",
        encoding="utf-8",
    )
    (row,) = commands.add(running.place, file=more).rows
    assert row == {"new": 2, "known": 1, "items": 3}
    running.catch_up()
    assert "1 of 3" in running.client.get(f"/j/{running.judges['alma']}").text
    assert _work(running, "alma") == 2
    assert set(_judged(running)) == {"i1", "i2", "i3"}
    more.write_text("item,text,start,end\ni1,Another sentence .,1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match="a different item named 'i1' already exists"):
        commands.add(running.place, file=more)


def test_several_campaigns_in_one_server(tmp_path: Path) -> None:
    places = [tmp_path / "one.db", tmp_path / "two.db"]
    tokens = [
        make_campaign(place, judges=1, items=n + 1)["judge000"] for n, place in enumerate(places)
    ]
    servers = [CampaignServer(CampaignStore.open(place)) for place in places]
    with TestClient(create_app(*servers, overview="everything")) as client:
        for number, token in enumerate(tokens):
            assert f"0 of {number + 1}" in client.get(f"/j/{token}").text
        page = client.get("/all/everything").text
        links = re.findall(r'href="(/o/[^"]+)"', page)
        assert len(links) == 2
        assert "0 of 1" in page
        assert "0 of 2" in page
        assert [
            re.findall(r"of (\d) answers received", client.get(link).text) for link in links
        ] == [
            ["1"],
            ["2"],
        ]
        assert client.get(f"/all/{tokens[0]}").status_code == 404


def test_a_backup_is_whole_while_serving(place: str, tmp_path: Path) -> None:
    make_campaign(place, judges=2, items=3)
    server = CampaignServer(CampaignStore.open(place))
    (assignment, *_) = server.store.assignments()
    server.store.add_answers([Answer("k", assignment.id, {"label": "ok"}, 1.5, "2026-01-01")])
    copy = tmp_path / "copy.db"
    (row,) = commands.backup(place, copy).rows
    assert row == {"copy": str(copy), "answers": 1}
    server.close()
    assert copy.stat().st_mode & 0o077 == 0
    with (
        closing(CampaignStore.open(place)) as original,
        closing(CampaignStore.open(copy)) as copied,
    ):
        for name in ("settings", "items", "judges", "assignments", "answers"):
            assert list(getattr(copied, name)()) == list(getattr(original, name)())
    CampaignServer(CampaignStore.open(copy)).close()
    with pytest.raises(DataError, match="already exists"):
        commands.backup(place, copy)


# -- what judges and the organizer see ---------------------------------------------------------


def test_items_show_who_said_what_and_where_judges_differ(start: Start) -> None:
    running = start("crowd")
    for name, label in (("alma", "ok"), ("bruno", "error")):
        for position in range(3):
            key = running.item(name, position).key
            running.answer(name, position, label=label if key == "i2" else "ok")
    running.answer("alma", 2, label="unknown")
    running.answer("alma", 2, **{"label": "ok", "remark-comment": "hm"})
    base = f"/o/{running.organizer}"
    page = running.client.get(f"{base}/items").text
    assert "1 of 3 items" in page
    assert re.search(r"i2.*ok: 1, error: 1.*0%", page, re.DOTALL)
    assert "3 of 3 items" in running.client.get(f"{base}/items?show=all&page=99").text
    assert "1 of 3 items" in running.client.get(f"{base}/items?show=remarks").text
    one = running.client.get(f"{base}/items/{running.item('alma', 2).id}").text
    assert "unknown (changed later)" in one
    assert re.search(r"\bhm\b", one)
    assert running.client.get(f"{base}/items/99").status_code == 404


def test_the_dashboard_tells_what_is_new_and_only_then(start: Start) -> None:
    running = start("crowd")
    for name in ("alma", "bruno"):
        for position in range(3):
            running.answer(name, position, label="ok" if position else "error")
    live = f"/o/{running.organizer}/live"
    for _ in range(2400):  # only a test that fails waits so long
        page = running.client.get(live)
        if "As of" in page.text:
            break
        time.sleep(0.05)
    assert "observed agreement 33%" in page.text
    for jargon in ("observed_agreement", "disagreement_rate", "_kappa"):
        assert jargon not in page.text
    tag = {"If-None-Match": page.headers["etag"]}
    assert running.client.get(live, headers=tag).status_code == 304
    running.answer("alma", 0, label="ok")
    assert running.client.get(live, headers=tag).status_code == 200


def test_text_from_right_to_left_is_shown_so_on_every_page(start: Start) -> None:
    item = ranking_item(1)
    item.payload["language"] = "ar"
    running = start("ranking", items=[item])
    for page in (f"/j/{running.judges['alma']}", f"/o/{running.organizer}/items/1"):
        assert 'lang="ar" dir="rtl"' in running.client.get(page).text
    assert "She has 1 cats." in page_of_item(running)
    assert "INPUT, beta" in page_of_item(running)


def page_of_item(running: Running) -> str:
    return running.client.get(f"/o/{running.organizer}/items/1").text


def test_the_dashboard_counts_required_judgments(start: Start) -> None:
    """Three items with two judgments each: six are required, not three per judge."""
    running = start("crowd", judges=("a", "b", "c"), plan=AssignmentPlan(judgments=2))
    running.answer("a", 0, label="ok")
    page = running.client.get(f"/o/{running.organizer}").text
    assert "1 answers received; 6 judgments are required" in page


def test_attention_checks_in_rankings_exclude_careless_judges(start: Start, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("".join(f"She have {n} black cat .\n" for n in range(20)))
    (tmp_path / "a.txt").write_text("".join(f"She has {n} black cat .\n" for n in range(20)))
    material = Material(
        source=tmp_path / "s.txt",
        systems={"a": tmp_path / "a.txt"},
        count=4,
        checks=3,
        visible_checks=2,
    )
    codes = {"completion": "PASS-1", "completion_failed": "FAIL-2", "gold_threshold": 0.7}
    made = TASKS.load("ranking").make_items(material)
    running = start("ranking", items=made, judges=("careful", "careless"), **codes)
    assert Counter(item.gold is not None for item in running.server.items.values()) == {
        True: 5,
        False: 4,
    }

    def rank(text: str) -> int:
        """The rank that a careful judge gives to a version as shown."""
        if "Attention" in text:
            return int(text.split("rank ")[1][0])
        order = ["has" in text, bool(re.match(r"She have \d+ black cat", text))]
        return 1 + order.index(True) if any(order) else 4

    for judge in ("careful", "careless"):
        for position in range(9):
            item = running.item(judge, position)
            page = running.client.get(f"/j/{running.judges[judge]}").text
            if "Thank you" in page:
                break
            assert not re.search("SHUFFLED|SENTENCE|CHECK", page)
            seed = running.server.workloads[hash_token(running.judges[judge])].sequence[position].id
            order = running.server.task.order(item, seed)  # type: ignore[attr-defined]
            texts = [item.payload["outputs"][n]["text"] for n in order]
            ranks = {
                f"rank{n}": str(rank(text) if judge == "careful" else 1)
                for n, text in enumerate(texts)
            }
            running.answer(judge, position, **ranks)
    ends = {name: running.client.get(f"/j/{running.judges[name]}").text for name in running.judges}
    assert ("PASS-1" in ends["careful"], "FAIL-2" in ends["careful"]) == (True, False)
    assert ("PASS-1" in ends["careless"], "FAIL-2" in ends["careless"]) == (False, True)
    rankings = list(export_answers(running.server.store))
    assert len(rankings) == 4
    assert {s for r in rankings for o in r.outputs for s in o.systems} == {"INPUT", "a"}


def test_answers_that_come_too_fast_are_not_accepted(start: Start) -> None:
    running = start("crowd", minimum_seconds=0.5)
    refused = running.answer("alma", 0, label="ok")
    assert (refused.status_code, "take more time" in refused.text) == (422, True)
    time.sleep(0.5)
    assert running.answer("alma", 0, label="ok").status_code == 303
    assert running.answer("alma", 0, label="error").status_code == 303  # a correction may be fast
