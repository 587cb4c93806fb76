"""``redink campaign ask``: a scripted model answers items as people do."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.conftest import Running, item_for, marked_item
from tests.language_models.scripted_server import Answer, prompt_of, serve

from redink import judge
from redink.campaign.assignment import AssignmentPlan
from redink.campaign.campaign_commands import ask, create, export, status
from redink.campaign.results import export_answers
from redink.campaign.store import CampaignStore
from redink.campaign.task_items import CampaignItem
from redink.errors import RedinkError
from redink.language_models.client import ModelOptions

Start = Callable[..., Running]


def make(folder: Path, task: str, items: list[CampaignItem], **options: Any) -> Path:
    from redink.campaign.setup import create_campaign

    create_campaign(folder / "c.db", task=task, items=items, **options)[0].close()
    return folder / "c.db"


def part(request: dict[str, Any], name: str) -> str:
    """Return a text of the prompt by its tag."""
    found = re.search(rf"<{name}>\n(.*?)\n</{name}>", prompt_of(request), re.DOTALL)
    assert found is not None
    return found[1]


def reply(**answers: Any) -> Any:
    return lambda *_: json.dumps(answers)


def answers_of(place: Path, **options: Any) -> Any:
    with closing(CampaignStore.open(place)) as store:
        return tuple(export_answers(store, **options))


CASES: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("crowd", {"label": "ok"}, [("i1", "ok", {})]),
    ("sample", {"label": "error"}, [("i1", "error", {})]),
    ("edit-check", {"label": "bad"}, [("i1", "bad", {})]),
    ("choice", {"label": "at"}, [("i1", "at", {})]),
    ("cloze", {"label": " at\u0000 <b>last</b>\n"}, [("i1", "at <b>last</b>", {})]),
    (
        "usage",
        {"context": ["spelling"], "label": "equal", "alternatives": "at", "confidence": "high"},
        [("i1", "equal", {"context": "spelling", "alternatives": "at"})],
    ),
    (
        "rate",
        {"grammaticality": 5, "fluency": "4", "meaning": 1},
        [
            (f"i1.{name}", label, {"question": name})
            for name, label in (("grammaticality", "5"), ("fluency", "4"), ("meaning", "1"))
        ],
    ),
    (
        "edit-validity",
        {"edit1": "optional", "remains": "yes", "where": [0, 2]},
        [
            (
                "i1.e1",
                "optional",
                {"question": "edit", "start": "3", "end": "4", "correction": "at"}
                | {"type": "R:PREP"},
            ),
            ("i1.remains", "yes", {"question": "remains", "where": "0+2"}),
        ],
    ),
    ("correct", {"text": "I am good at game 1."}, [(3, 4, "at")]),
    ("correct", {"text": "I am good in game 1."}, []),
    ("post-edit", {"text": "I am good at game 1."}, [(3, 4, "at")]),
    (
        "mark",
        {
            "errors": [
                {"first": 3, "last": 4, "correction": "at the game"},
                {"first": 0, "last": 0, "correction": None},
            ]
        },
        [(0, 1, ""), (3, 4, "at the")],
    ),
    ("mark", {"errors": []}, []),
    ("adjudicate", {"place0": "1", "place0_text": None, "missed": None}, [(3, 4, "at")]),
]


@pytest.mark.parametrize(("task", "answers", "expected"), CASES, ids=[c[0] for c in CASES])
def test_answers_are_stored_as_those_of_people(
    tmp_path: Path, task: str, answers: dict[str, Any], expected: list[Any]
) -> None:
    place = make(tmp_path, task, [item_for(task, 1)])
    with serve(reply(**answers)) as server:
        ask(place, endpoint=server.url, model="m/x")
        ask(place, endpoint=server.url, model="m/x")
    assert len(server.requests) == 1
    (found, *more) = exported = answers_of(place)
    if hasattr(found, "annotations"):
        (annotation,) = found.annotations
        assert annotation.annotator == "m/x"
        assert [(e.start, e.end, e.correction) for e in annotation.edits] == expected
    else:
        assert {one.judge for one in (found, *more)} == {"m/x"}
        assert [(j.item, j.label, dict(j.extra)) for j in exported] == [
            (item, label, dict(one.extra) | extra)
            for one, (item, label, extra) in zip(exported, expected, strict=True)
        ]


def test_versions_are_ranked_in_shuffled_order(tmp_path: Path) -> None:
    """The model prefers the version with "has" and a plural, wherever it is."""
    place = make(tmp_path, "ranking", [item_for("ranking", n) for n in range(1, 13)])
    firsts = set()

    def script(request: dict[str, Any], before: int) -> str:
        texts = [part(request, f"version{n}") for n in (1, 2, 3)]
        firsts.add(texts[0].replace("1", ""))
        ranks = [1 if "cats" in t else 3 if "have" in t else 2 for t in texts]
        return json.dumps({f"version{n}": rank for n, rank in enumerate(ranks, start=1)})

    with serve(script) as server:
        ask(place, endpoint=server.url, model="m")
    assert len(firsts) > 2
    for ranking in answers_of(place):
        assert {o.systems: o.rank for o in ranking.outputs} == {
            ("alpha",): 1,
            ("INPUT", "beta"): 3,
            ("gamma",): 2,
        }


def gold_items(size: int) -> list[CampaignItem]:
    return [marked_item(n, gold=("error", "ok")[n % 2] if n % 4 < 2 else None) for n in range(size)]


def test_gold_questions_exclude_a_random_judge(tmp_path: Path) -> None:
    """A judge who guesses is excluded and asked no more; one who knows the answers is not."""
    place = make(tmp_path, "crowd", gold_items(200), gold_threshold=0.7, gold_minimum=20)
    rng = random.Random(2)

    def guess(request: dict[str, Any], before: int) -> str:
        return json.dumps({"label": rng.choice(["error", "ok"])})

    def know(request: dict[str, Any], before: int) -> str:
        number = int(re.findall(r"game (\d+)", prompt_of(request))[0])
        return json.dumps({"label": ("error", "ok")[number % 2]})

    with serve(guess) as random_judge, serve(know) as good_judge:
        table = ask(place, endpoint=random_judge.url, model="random")
        again = ask(place, endpoint=random_judge.url, model="random")
        ask(place, endpoint=good_judge.url, model="good")
    assert len(random_judge.requests) < 100
    assert any("random is excluded" in note for note in table.notes)
    assert again.rows == table.rows
    states = {row["judge"]: (row["state"], row["gold"]) for row in status(place).rows}
    assert states["random"][0] == "excluded"
    assert states["good"] == ("active", 1)
    assert {judgment.judge for judgment in answers_of(place)} == {"good"}


def test_a_served_campaign_shows_the_model(start: Start) -> None:
    running = start("crowd", [marked_item(n) for n in range(1, 31)])
    running.answer("alma", 0, label="ok")
    with serve(reply(label="error")) as server:
        ask(running.place, endpoint=server.url, model="m")
    running.catch_up()
    done = {one.judge: (one.done, one.total) for one in running.server.statuses()}
    assert done == {"alma": (1, 30), "bruno": (0, 30), "m": (30, 30)}
    assert running.answer("bruno", 0, label="ok").status_code == 303
    assert running.server.problem == ""


def test_items_are_assigned_one_at_a_time(tmp_path: Path) -> None:
    """With two judgments per item, the third model gets none."""
    plan = AssignmentPlan(judgments=2)
    place = make(tmp_path, "crowd", [marked_item(n) for n in range(1, 21)], plan=plan)
    with serve(reply(label="ok")) as server:
        dry = ask(place, endpoint=server.url, model="a", asking=ModelOptions(dry_run=True))
        for name in "abc":
            ask(place, endpoint=server.url, model=name)
    assert dry.rows[0]["requests"] == 20
    counts = Counter(judgment.item for judgment in answers_of(place))
    assert set(counts.values()) == {2}
    assert [row["done"] for row in status(place).rows] == [20, 20, 0]


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    place = make(tmp_path, "crowd", [marked_item(n) for n in range(1, 4)])
    dry = ModelOptions(dry_run=True, price=[1, 2])
    (row,) = ask(place, endpoint="http://127.0.0.1:9/v1", model="m", asking=dry).rows
    assert (row["requests"], row["stored"]) == (3, 0)
    assert status(place).rows == []
    assert not (tmp_path / "c.db.replies.jsonl").exists()


@pytest.mark.parametrize(
    "text",
    [
        "I cannot help with that.",
        '{"label": "perhaps"}',
        '{"label": "ok", "next": "rm -rf /"}',
        '{"label": true}',
        '{"label": ["ok", "error"]}',
        '{"label": {"$ref": "ok"}}',
        '{"remark-flag": "1", "form": "x"}',
        '{"label": NaN}',
    ],
)
def test_a_reply_that_is_invalid_twice_is_a_skipped_item(tmp_path: Path, text: str) -> None:
    place = make(tmp_path, "crowd", [marked_item(1)])
    with serve(lambda *_: text) as server:
        (row,) = ask(place, endpoint=server.url, model="m").rows
        ask(place, endpoint=server.url, model="m")
    assert len(server.requests) == 2  # the question and the repair
    assert (row["done"], row["skipped"], row["flagged"]) == (1, 1, 0)


def test_markup_and_formulas_in_replies_are_only_text(start: Start) -> None:
    """They are escaped on the organizer's page, and disarmed in CSV."""
    text = "=1+1 <script>alert(1)</script> {{ 7*7 }}"
    running = start("cloze", [marked_item(1)])
    with serve(reply(label=text)) as server:
        ask(running.place, endpoint=server.url, model="m")
    running.catch_up()
    page = running.client.get(f"/o/{running.organizer}/items/1").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7*7 }}" in page
    export(running.place, output=running.place.with_suffix(".csv"))
    assert f"'{text}" in running.place.with_suffix(".csv").read_text("utf-8")


def test_a_person_or_another_prompt_is_not_continued(tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text("text,start\na b c,1\n", "utf-8")
    create(place := tmp_path / "c.db", task="crowd", judges=["alma"], file=tmp_path / "i.csv")
    (prompt := tmp_path / "p.jinja").write_text("{{ parts }} {{ answers }}", "utf-8")
    with serve(reply(label="ok")) as server:
        with pytest.raises(RedinkError, match="'alma' is a person"):
            ask(place, endpoint=server.url, model="m", judge="alma")
        ask(place, endpoint=server.url, model="m")
        other = ModelOptions(prompt=str(prompt))
        with pytest.raises(RedinkError, match="asked with another prompt"):
            ask(place, endpoint=server.url, model="m", asking=other)
        ask(place, endpoint=server.url, model="m", judge="m2", asking=other)
    assert len(server.requests) == 2


def test_the_key_is_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that repeats it in answers and comments gets it into nothing that is stored."""
    monkeypatch.setenv("REDINK_API_KEY", key := "sk-secret-key-in-no-file")
    place = make(tmp_path, "cloze", [marked_item(n) for n in range(1, 5)])
    with serve(
        lambda r, _: json.dumps({"label" if "game 1" in prompt_of(r) else "x": key})
    ) as server:
        table = ask(place, endpoint=server.url, model="m")
    assert server.keys == {f"Bearer {key}"}
    export(place, output=tmp_path / "out.csv")
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert key.encode() not in written + str((table, table.signature, table.notes)).encode()
    assert b"***" in written


def test_a_repeated_item_is_asked_again(tmp_path: Path) -> None:
    """The second showing has another sample number, so that consistency can be measured."""
    items = [replace(marked_item(n), id=0) for n in range(1, 9)]
    place = make(tmp_path, "crowd", items, plan=AssignmentPlan(repeated=0.5))
    with serve(lambda _, before: json.dumps({"label": ("ok", "error")[before]})) as server:
        ask(place, endpoint=server.url, model="m", asking=ModelOptions(concurrency=1))
    assert len(server.requests) == 12
    assert Counter(j.label for j in answers_of(place)) == {"ok": 8, "error": 4}


def interrupt(folder: Path, kills: int, signals: list[signal.Signals]) -> None:
    """Kill the command at random moments; every item is answered once, and no stored reply lost."""
    rng, size = random.Random(7), 30 * kills
    place = make(folder, "crowd", [marked_item(n) for n in range(size)])

    def script(request: dict[str, Any], before: int) -> Answer:
        return Answer('{"label": "ok"}', delay=rng.random() * 0.2)

    with serve(script) as server:
        command = [sys.executable, "-m", "redink", "campaign", "ask", place, "--model", "m"]
        command += ["--endpoint", server.url, "--concurrency", "4", "--quiet"]
        for _ in range(kills):
            before, until = len(server.requests), time.monotonic() + 30
            running = subprocess.Popen(command, stderr=subprocess.PIPE)
            while len(server.requests) == before and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(rng.random() * 0.8)
            running.send_signal(rng.choice(signals))
            running.communicate(timeout=60)
        assert len(server.answered) < size
        subprocess.run(command, check=True, timeout=300)
    again = Counter(server.answered)
    assert len(again) == size
    assert sum(again.values()) - size <= 4 * kills  # only those in flight
    assert Counter(j.item for j in answers_of(place)) == {f"i{n}": 1 for n in range(size)}


@pytest.mark.slow
def test_a_run_that_is_killed_continues(tmp_path: Path) -> None:
    interrupt(tmp_path, 12, [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])


def test_a_run_that_is_killed_twice_continues(tmp_path: Path) -> None:
    interrupt(tmp_path, 2, [signal.SIGKILL, signal.SIGINT])


def test_position_bias_of_a_ranking_model_is_recovered(tmp_path: Path) -> None:
    """A judge who prefers the first of two versions with probability .75 has the bias .25.

    The ranking campaign has 400 sentences; a person who sees no difference is not biased.
    """
    outputs = [{"text": "a .", "systems": ["x"]}, {"text": "a long b .", "systems": ["y"]}]
    items = [
        CampaignItem(f"s{n}", {"sentence": n, "source": f"b {n} .", "outputs": outputs})
        for n in range(400)
    ]
    place = make(tmp_path, "ranking", items)

    def choose(share: float) -> Callable[..., str]:
        def script(request: dict[str, Any], before: int) -> str:
            first = 1 + (random.Random(f"{share} {prompt_of(request)}").random() >= share)
            return json.dumps({"version1": first, "version2": 3 - first})

        return script

    for name, share in (("biased", 0.75), ("person", 0.5)):
        with serve(choose(share)) as server:
            ask(place, endpoint=server.url, model=name)
    rows = {row["statistic"]: row for row in judge(place, model="biased", bootstrap=500).rows}
    bias, fair = rows["position_bias"], rows["position_bias_of_people"]
    assert bias["low"] < 0.25 < bias["high"]
    assert 0.06 < bias["high"] - bias["low"] < 0.11
    assert fair["low"] < 0 < fair["high"]
    assert rows["length_bias"]["low"] < 0 < rows["length_bias"]["high"]
