"""Tasks are found by name, and another package adds its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import redink
from redink.campaign.campaign_commands import create
from redink.campaign.setup import create_campaign
from redink.campaign.task_items import CampaignItem, Material
from redink.campaign.tasks import TASKS
from redink.cli.main import cli
from redink.errors import DataError, OptionError

MODULE = """
from redink.campaign.tasks.protocol import Example, Field, Instructions, AnswerOption
from redink.campaign.tasks.questions import QuestionTask

POLITE = QuestionTask(
    name="polite",
    title="Is it polite?",
    instructions=Instructions(purpose="Say whether the sentence is polite.", steps=()),
    fields=(
        Field("label", "Is", "choice", (AnswerOption("yes", "kind"), AnswerOption("no", "rude"))),
    ),
)
"""


@pytest.fixture
def added(tmp_path: Path) -> dict[str, str]:
    """Surroundings in which a package with a task of its own is installed."""
    about = tmp_path / "polite-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: polite\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[redink.tasks]\npolite = polite_task:POLITE\n")
    (tmp_path / "polite_task.py").write_text(MODULE)
    places = [str(tmp_path), str(Path(redink.__file__).parents[1])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}


def test_a_task_of_another_package_is_asked(added: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("text\nSit down !\nPlease sit down .\n")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "redink", "campaign", *words],
            cwd=tmp_path,
            env=added,
            capture_output=True,
            text=True,
            check=False,
        )

    assert "adjudicate,polite." in "".join(run("create", "--help").stdout.split())
    made = run("create", "c.db", "--task", "polite", "--from", "items.csv", "--judge", "alma")
    assert made.returncode == 0, made.stderr
    table = json.loads(run("status", "c.db", "--format", "json").stdout)
    assert table["signature"]["task"] == "polite"
    assert [(row["judge"], row["total"]) for row in table["rows"]] == [("alma", 2)]


def test_a_campaign_of_a_task_that_is_gone_is_told(added: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("text\nSit down !\n")
    words = ["campaign", "create", "c.db", "--task", "polite", "--from", "items.csv"]
    command = [sys.executable, "-m", "redink"]
    subprocess.run([*command, *words], cwd=tmp_path, env=added, check=True, capture_output=True)
    from redink.campaign.campaign_commands import status

    with pytest.raises(DataError, match=r"c\.db: is a campaign of the unknown task 'polite'"):
        status(tmp_path / "c.db")


def test_every_task_knows_its_name() -> None:
    assert [TASKS.load(name).name for name in TASKS] == list(TASKS)


def test_a_task_must_be_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["campaign", "create", str(tmp_path / "c.db")])
    assert done.exit_code == 2
    assert "Missing option '--task'" in done.output
    assert "edit-check" in done.output
    assert not list(tmp_path.iterdir())


def test_an_unknown_task_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="task cannot be 'nope'; it can be: ranking, usage"):
        create(tmp_path / "c.db", task="nope")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("task", "words"), [("ranking", "needs --source"), ("crowd", "--from")])
def test_a_task_says_what_it_needs(task: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        TASKS.load(task).make_items(Material())


def test_an_item_of_another_task_is_refused(tmp_path: Path) -> None:
    item = CampaignItem("i1", {"text": "Fine .", "start": 0, "end": 1})
    with pytest.raises(DataError, match="item 'i1' does not fit the task 'ranking'"):
        create_campaign(tmp_path / "c.db", task="ranking", items=[item])
    assert not (tmp_path / "c.db").exists()
