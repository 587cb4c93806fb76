"""Items are checked against their task, and made of whatever an organizer has."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.campaign.conftest import Running

from redink.campaign.campaign_commands import create, export, items
from redink.campaign.task_items import CampaignItem, Material, read_items
from redink.campaign.tasks import TASKS
from redink.errors import DataError, FormatError, OptionError, RedinkError, RedinkWarning

HEAD = "item,text,start,end,choices,gold,essay\n"
M2 = (
    "S I am good in chess .\nA 3 4|||R:PREP|||at|||REQUIRED|||-NONE-|||0\n"
    "A 3 4|||R:PREP|||at|||REQUIRED|||-NONE-|||1\nA 5 5|||M:OTHER|||club|||REQUIRED|||-NONE-|||1\n"
    "\n"
    "S Fine .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
)


@pytest.mark.parametrize(
    ("task", "row", "words"),
    [
        (
            "crowd",
            "a,I am here .,1,2,,mistake,",
            "unknown gold answer 'mistake'; expected one of: error, ok",
        ),
        ("crowd", "a,I am here .,,,,error,", "needs start"),
        ("crowd", "a,I am here .,,2,,,", "needs a start"),
        ("crowd", "a,I am here .,one,2,,,", "start and end are whole numbers"),
        ("crowd", "a,I am here .,1,2,x|y,,", "has no choices"),
        ("choice", "a,I am here .,1,2,,,", "needs choices"),
        ("choice", "a,I am here .,1,2,at|at,,", "duplicate choice 'at'"),
        ("choice", "a,I am here .,1,2,at|both,,", "duplicate choice 'both'"),
        ("choice", "a,I am here .,1,2,at,,", "two choices or more"),
        ("choice", "a,I am here .,1,2,at|on,in,", "unknown gold answer 'in'"),
        ("correct", "a,I am here .,,,,ok,", "no gold answers"),
        ("post-edit", "a,I am here .,,,,,", "needs hypothesis"),
        ("edit-check", "a,I am here .,1,2,,good,", "needs note"),
        ("rate", "a,I am here .,,,,5,", "has no question 'label'"),
    ],
)
def test_an_item_that_does_not_fit_its_task_is_refused(
    task: str, row: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "items.csv"
    file.write_text(f"{HEAD}{row}\n")
    with pytest.raises(FormatError, match=r"items\.csv:2.*" + words.replace("|", r"\|")):
        create(tmp_path / "c.db", task=task, file=file)
    assert not (tmp_path / "c.db").exists()


@pytest.mark.parametrize("task", ["correct", "mark", "crowd", "post-edit"])
def test_nothing_stands_beside_a_file_of_items(task: str, tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text("item,text\na,I am here .\n")
    (tmp_path / "s.txt").write_text("You are there .\n")
    with pytest.raises(OptionError, match=r"i\.csv: is a file of items and cannot be combined"):
        create(tmp_path / "c.db", task=task, file=tmp_path / "i.csv", source=tmp_path / "s.txt")


def test_other_columns_come_out_beside_the_answers(tmp_path: Path, start: object) -> None:
    (tmp_path / "i.csv").write_text("item,text,start,end,essay,level\na,I am .,0,1,e7,beginner\n")
    made = TASKS.load("crowd").make_items(Material(file=tmp_path / "i.csv"))
    running: Running = start("crowd", items=made)  # type: ignore[operator]
    page = running.client.get(f"/j/{running.judges['alma']}").text
    assert "beginner" not in page
    running.answer("alma", 0, label="ok")
    export(running.place, output=tmp_path / "out.csv")
    head, row = (tmp_path / "out.csv").read_text().splitlines()
    assert head.endswith(",essay,level")
    assert row.endswith(",e7,beginner")


def test_nothing_can_be_chosen(tmp_path: Path, start: object) -> None:
    (tmp_path / "i.csv").write_text(
        "text,start,end,choices,gold\nI am the here .,2,3,the|,(nothing)\n"
    )
    made = TASKS.load("choice").make_items(Material(file=tmp_path / "i.csv"))
    running: Running = start("choice", items=made)  # type: ignore[operator]
    assert running.answer("alma", 0, label="(nothing)").status_code == 303
    (status,) = [one for one in running.server.statuses() if one.done]
    assert (status.extra["seen"], status.extra["right"]) == (1, 1)
    export(running.place, output=tmp_path / "out.csv")
    assert ",(nothing),(nothing)," in (tmp_path / "out.csv").read_text()


@pytest.mark.parametrize(("typed", "right"), [("Of", True), ("from", True), ("on", False)])
def test_typed_gold_answers_do_not_depend_on_case(typed: str, *, right: bool) -> None:
    item = CampaignItem("i", {"text": "She is afraid of it .", "start": 3, "end": 4}, "of|from")
    assert TASKS.load("cloze").is_right(item, {"label": typed}) is right


def test_choices_that_differ_in_case_stay_different() -> None:
    item = CampaignItem(
        "i", {"text": "a b", "start": 0, "end": 1, "choices": ["Polish", "polish"]}, "Polish"
    )
    task = TASKS.load("choice")
    task.check(item)
    assert not task.is_right(item, {"label": "polish"})


def write_material(folder: Path) -> dict[str, Material]:
    """M2, GED TSV, text and outputs of systems."""
    (folder / "g.m2").write_text(M2)
    (folder / "g.ged.tsv").write_text("I\tc\nam\tc\ngood\tc\nin\ti\nchess\tc\n.\tc\n\n")
    (folder / "s.txt").write_text("I am good in chess .\nFine .\n")
    (folder / "a.txt").write_text("I am good at chess .\nFine .\n")
    (folder / "b.txt").write_text("I am good at chess .\nFine , .\n")
    systems = {"a": folder / "a.txt", "b": folder / "b.txt"}
    return {
        "m2": Material(file=folder / "g.m2"),
        "flags": Material(file=folder / "g.ged.tsv"),
        "text": Material(source=folder / "s.txt"),
        "systems": Material(source=folder / "s.txt", systems=systems),
    }


# How many items each task makes of each kind of material; where there is no number it refuses.
COUNTS = {
    "ranking": {"systems": 2},
    "usage": {"m2": 1, "flags": 1, "systems": 1},  # of words, not of places for a missing one
    "crowd": {"m2": 1, "flags": 1, "systems": 1},  # of words, not of places for a missing one
    "cloze": {"m2": 2, "flags": 1, "systems": 2},
    "choice": {"m2": 2, "flags": 1, "systems": 2},
    "sample": {"m2": 2, "flags": 1, "systems": 2},
    "edit-check": {"m2": 3, "flags": 1, "systems": 3},
    "edit-validity": {"m2": 2, "flags": 1, "systems": 2},
    "rate": {"m2": 2, "flags": 1, "text": 2, "systems": 3},
    "correct": {"m2": 2, "flags": 1, "text": 2, "systems": 2},
    "post-edit": {"systems": 3},
    "mark": {"m2": 2, "flags": 1, "text": 2, "systems": 2},
    "adjudicate": {"m2": 1, "systems": 1},
}


@pytest.mark.parametrize("task", list(TASKS))
def test_items_are_made_for_every_task(task: str, tmp_path: Path) -> None:
    found = {}
    for name, given in write_material(tmp_path).items():
        try:
            made = TASKS.load(task).make_items(given)
        except RedinkError:
            continue
        found[name] = len(made)
        for item in made:
            TASKS.load(task).check(item)
            TASKS.load(task).view(item, 1)
        items(
            given.systems,
            task=task,
            source=given.source,
            file=given.file,
            output=tmp_path / "i.jsonl",
        )
        again = TASKS.load(task).make_items(Material(file=tmp_path / "i.jsonl"))
        shown = [TASKS.load(task).view(item, 1) for item in made]
        assert [TASKS.load(task).view(item, 1) for item in again] == shown
        assert [item.key for item in again] == [item.key for item in made]
    assert found == COUNTS[task]


def test_systems_behind_an_item_come_out_with_it(tmp_path: Path) -> None:
    given = write_material(tmp_path)["systems"]
    made = TASKS.load("rate").make_items(given)
    assert [item.payload["extra"]["systems"] for item in made] == ["a+b", "a", "b"]
    items(given.systems, task="rate", source=given.source, output=tmp_path / "i.jsonl")
    first = json.loads((tmp_path / "i.jsonl").read_text().splitlines()[0])
    assert first["systems"] == "a+b"
    assert read_items(tmp_path / "i.jsonl", own=("source",))[0].payload["extra"]["systems"] == "a+b"


@pytest.mark.parametrize("name", ["Team A", "a,b", "a+b"])
def test_a_system_name_that_no_ranking_file_has_is_refused(name: str, tmp_path: Path) -> None:
    given = write_material(tmp_path)["systems"]
    with pytest.raises(DataError, match=re.escape(repr(name)) + r".* rename it: NAME=FILE"):
        create(tmp_path / "c.db", {name: tmp_path / "a.txt"}, task="ranking", source=given.source)
    assert not (tmp_path / "c.db").exists()


def test_more_items_than_there_are_is_warned_of() -> None:
    """Two of three sentences have outputs that differ; drawn again, they make as many as wanted."""
    given = Material(
        source=["a b", "c", "d e"],
        systems={"one": ["a x", "c", "d y"], "two": ["a b", "c", "z e"]},
        count=20,
    )
    task = TASKS.load("ranking")
    with pytest.warns(RedinkWarning, match=r"--items 20: there are only 2, .*--with-replacement"):
        assert len(task.make_items(given)) == 2
    again = task.make_items(replace(given, replacement=True))
    assert len(again) == len({item.key for item in again}) == 20
    assert {item.payload["sentence"] for item in again} == {0, 2}
    with pytest.warns(RedinkWarning, match="--items 20: there are only 3"):
        assert len(TASKS.load("correct").make_items(replace(given, systems={}))) == 3
    with pytest.raises(OptionError, match="--with-replacement requires --task ranking"):
        TASKS.load("correct").make_items(replace(given, systems={}, replacement=True))
