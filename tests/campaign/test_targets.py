"""Judging every preposition of essays (Tetreault and Chodorow 2008, section 5.1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.campaign.conftest import Running

import redink
from redink.campaign.campaign_commands import create, export, items
from redink.campaign.task_items import Material
from redink.campaign.tasks import TASKS
from redink.errors import OptionError, RedinkWarning
from redink.inputs import read_corpus

Start = Callable[..., Running]
ESSAYS = {
    "a.txt": "I went home. They depend very heavily of their parents in every thing.",
    "b.txt": "He attempts to go. We discussed about the film since it was good.",
}


@pytest.fixture
def essays(tmp_path: Path) -> Path:
    folder = tmp_path / "essays"
    folder.mkdir()
    for name, text in ESSAYS.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def usage(essays: Path, start: Start) -> Running:
    made = TASKS.load("usage").make_items(Material(source=essays, targets="prep"))
    return start("usage", items=made, judges=("alma", "bruno", "carla"))


def test_every_preposition_becomes_an_item(essays: Path, tmp_path: Path) -> None:
    """Neither the infinitive *to* nor the conjunction *since* is a preposition."""
    table = items([str(essays)], targets="prep", output=tmp_path / "items.jsonl")
    assert table.rows == [{"task": "usage", "items": 3}]
    made = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    told = [(m["item"], m["text"].split()[m["start"]], m["text"].split()[m["verb"]]) for m in made]
    assert told == [
        ("s2t4", "of", "depend"),
        ("s2t7", "in", "depend"),
        ("s4t2", "about", "discussed"),
    ]
    assert made[0]["before"] == "I went home."
    create(tmp_path / "c.db", task="usage", file=tmp_path / "items.jsonl")
    create(tmp_path / "d.db", task="crowd", source=essays, targets="word:of,in")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "rate"}, "--targets requires a task about words"),
        ({"targets": "word:xyz"}, "selects no word of the text"),
        ({"targets": "nouns"}, "neither a rule nor a file"),
        ({"targets": None}, "missing --task"),
        ({"source": "x.txt"}, "needs one text or folder"),
    ],
)
def test_impossible_targets(essays: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        items([str(essays)], **{"targets": "prep", **options})


def test_the_page_marks_the_window_and_the_verb(usage: Running) -> None:
    for at in range(3):
        page = usage.client.get(f"/j/{usage.judges['alma']}/{at}").text
        if "<mark>of</mark>" in page:
            break
        usage.answer("alma", at, label="correct", confidence="low")
    assert '<span class="near">very heavily</span> <mark>of</mark>' in page
    assert '<span class="near">their parents</span>' in page
    assert '<span class="unseen">[Verb: </span>depend' in page


def test_usage_judgments_become_m2_and_are_adjudicated(
    usage: Running, start: Start, tmp_path: Path
) -> None:
    answers = {
        "alma": {
            "of": ("incorrect", "on, upon"),
            "in": ("equal", "for"),
            "about": ("extraneous", ""),
        },
        "bruno": {"of": ("correct", ""), "in": ("equal", "for")},
        "carla": {"of": ("correct", "")},
    }
    for judge, given in answers.items():
        for at in range(3):
            word = usage.item(judge, at).payload["extra"]["target"]
            label, words = given.get(word, ("", ""))
            form = {"label": label, "alternatives": words, "confidence": "high"}
            usage.answer(judge, at, **(form if label else {"remark-skip": "yes"}))
    with pytest.warns(RedinkWarning, match=r"marked words \(not exported for this judge\): 1"):
        export(usage.place, output=tmp_path / "gold.m2")
    # A judge who skipped a preposition has no annotation of its sentence.
    assert (tmp_path / "gold.m2").read_text() == (
        "S They depend very heavily of their parents in every thing .\n"
        "A 4 5|||R:PREP|||on||upon|||REQUIRED|||-NONE-|||0\n"
        "A 7 8|||R:PREP|||for|||OPTIONAL|||-NONE-|||0\n"
        "A 7 8|||R:PREP|||for|||OPTIONAL|||-NONE-|||1\n\n"
        "S We discussed about the film since it was good .\n"
        "A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0\n\n"
    )
    system = "They depend very heavily upon their parents for every thing .\n"
    system += "We discussed about the film since it was good .\n"
    rows = redink.detection(
        tmp_path / "gold.m2", {"mine": system.splitlines()}, targets="prep", annotators="best"
    ).rows
    counts = {(r["tp"], r["fp"], r["fn"], r["tn"]) for r in rows}
    assert (1, 0, 1, 1) in counts  # upon: found; for: optional; about: missed

    made = TASKS.load("adjudicate").make_items(Material(file=tmp_path / "gold.m2"))
    (item,) = made
    assert [place["start"] for place in item.payload["places"]] == [4]
    deciding = start("adjudicate", items=made, judges=("ada",))
    assert "on/upon" in deciding.client.get(f"/j/{deciding.judges['ada']}").text
    versions = item.payload["places"][0]["versions"]
    deciding.answer("ada", 0, place0=str(versions.index(next(filter(None, versions)))))
    export(deciding.place, output=tmp_path / "adjudicated.m2")
    decided = read_corpus(tmp_path / "adjudicated.m2").sentences
    assert [edit.corrections for edit in decided[0].annotations[0].edits] == [
        ("on", "upon"),
        ("for",),
    ]
    assert decided[0].annotations[0].edits[1].required == "OPTIONAL"


def test_only_usage_judgments_become_m2(start: Start, tmp_path: Path) -> None:
    running = start("crowd")
    running.answer("alma", 0, label="error")
    with pytest.raises(
        OptionError, match="judgments: can be exported as csv, tsv, jsonl, not as m2"
    ):
        export(running.place, output=tmp_path / "x.m2")
