"""Your own questions: a small file becomes a task with instructions, training and consent."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.campaign.conftest import Running

import redink
from redink.campaign.campaign_commands import create, export, status
from redink.campaign.server import CampaignServer
from redink.campaign.store import CampaignStore
from redink.campaign.tasks.protocol import AnswerError
from redink.campaign.tasks.task_files import find_task, to_html
from redink.errors import FormatError, OptionError

Start = Callable[..., Running]
POLITE = (Path(__file__).parent / "polite.toml").read_text("utf-8")
"""The tests in a browser use this task too."""


@pytest.fixture
def polite(tmp_path: Path) -> Path:
    path = tmp_path / "polite.toml"
    path.write_text(POLITE, encoding="utf-8")
    return path


def test_a_file_becomes_a_task(polite: Path, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("Sit down !\nPlease sit down .\n")
    create(tmp_path / "c.db", task=str(polite), source=tmp_path / "s.txt", judges=["alma"])
    polite.unlink()
    assert status(tmp_path / "c.db").signature["task"] == "polite"
    server = CampaignServer(CampaignStore.open(tmp_path / "c.db"))
    assert [field.kind for field in server.task.fields] == [  # type: ignore[attr-defined]
        "choice",
        "span",
        "flags",
        "scale",
        "text",
    ]
    assert server.settings["interface"] == "de"
    server.close()


def test_conditions_are_held_by_the_server_too(polite: Path) -> None:
    task, _ = find_task(str(polite))
    (item, *_) = task.make_items(material(["Sit down !"]))
    kept = task.read(item, {"label": ["yes"], "words": ["0"], "degree": ["2"]}, 1)
    assert kept == {"label": "yes", "marks": [], "degree": "2", "more": ""}
    with pytest.raises(AnswerError, match="Which words"):
        task.read(item, {"label": ["no"]}, 1)
    kept = task.read(item, {"label": ["no"], "words": ["1", "0"], "marks": ["shouting"]}, 1)
    assert (kept["words"], kept["marks"]) == (["0", "1"], ["shouting"])


def material(sentences: list[str]) -> object:
    from redink.campaign.task_items import Material

    return Material(source=sentences)


def go_on(running: Running, judge: str, **fields: str) -> str:
    base = f"/j/{running.judges[judge]}"
    page = running.client.get(base).text
    data = dict(re.findall(r'name="(form|at)" value="([^"]*)"', page)) | fields
    return running.client.post(f"{base}/begin", data=data).text


def test_consent_instructions_and_training_come_first(
    polite: Path, start: Start, tmp_path: Path
) -> None:
    task, _ = find_task(str(polite))
    running = start(str(polite), items=task.make_items(material(["Sit down !", "Hello ."])))
    base = f"/j/{running.judges['alma']}"
    assert "<em>published</em>" in running.client.get(base).text
    early = running.client.post(f"{base}/0", data={"form": "x"})
    assert early.status_code in {403, 409}
    page = go_on(running, "alma")
    assert "<strong>whole</strong>" in page
    assert "&lt;b&gt;" in page
    assert "consent" in running.server.store.settings()["begun:1"]
    page = go_on(running, "alma")
    assert 'data-key="p"' in page
    assert "data-plain" in page
    base_form = running.client.get(base).text
    data = dict(re.findall(r'name="(form|at)" value="([^"]*)"', base_form))
    unfinished = running.client.post(f"{base}/begin", data=data)
    assert unfinished.status_code == 422
    feedback = running.client.post(f"{base}/begin", data=data | {"label": "yes"}).text
    assert feedback.count('class="wrong"') == 2
    assert "rude" in feedback
    assert "Sit down" in feedback
    assert "<strong>without</strong>" in feedback
    page = go_on(running, "alma", go_on="1")
    assert 'id="task"' in page
    assert "data-plain" not in page
    running.answer("alma", 0, label="no", words="0", degree="3")
    export(running.place, output=tmp_path / "out.csv")
    (judgment,) = redink.read_judgments(tmp_path / "out.csv")
    assert judgment.label == "no"
    assert dict(judgment.extra) == {"words": "0", "degree": "3"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "span"', 'kind = "spam"', "toml:19: question 2: unknown kind 'spam'"),
        ('label = ["no"]', 'label = ["maybe"]', "question 2: only_if contains an answer"),
        ('{ label = ["no"] }', '{ degree = ["1"] }', "not an earlier question"),
        ('name = "words"', 'name = "label"', "there is a question 'label' already"),
        ('name = "words"', 'name = "judge"', "invalid name 'judge'"),
        ('options = ["shouting", "swearing"]', "", "question 3: needs two options"),
        ("to = 3", "to = 99", "question 4: from and to must be"),
        ('no = "r"', 'no = "u"', "the key 'u' is taken"),
        ('label = "no", words', 'label = "x", words', "training 1: This is not a valid answer"),
        ('title = "Is it polite?"', 'titel = "x"', "unknown key 'titel' in a task; expected"),
        ('title = "Is it polite?"', "", "a task needs a title"),
        (
            'kind = "span"',
            'kind = "span"\noptions = ["a", "b"]',
            "question 2: a span has no options",
        ),
        (
            'kind = "choice"',
            'kind = "several"',
            "question 1: the question label must have a single answer",
        ),
        ('{ label = ["no"] }', '"label"', "question 2: only_if must name one question"),
        ('help = "a few words"', "help = 3", "question 5: help is a text"),
        ("[[training]]", "[[training]", "toml:53: is not well-formed TOML: "),
        ('language = "de"', 'language = "xx"', "unknown interface language 'xx'"),
    ],
)
def test_a_mistake_in_the_file_is_told_in_a_sentence(
    old: str, new: str, words: str, polite: Path, tmp_path: Path
) -> None:
    polite.write_text(polite.read_text().replace(old, new, 1))
    (tmp_path / "s.txt").write_text("Sit down !\n")
    with pytest.raises((FormatError, OptionError), match=re.escape(words)):
        create(tmp_path / "c.db", task=str(polite), source=tmp_path / "s.txt")
    assert not (tmp_path / "c.db").exists()


def test_markdown_can_hold_no_html_of_its_own() -> None:
    html = to_html("# A\nb *c* `<d>` **e**\n\n1. f\n2. [g](https://h.org) [i](javascript:j)\n<k>")
    assert html == (
        "<h2>A</h2>\n<p>b <em>c</em> <code>&lt;d&gt;</code> <strong>e</strong></p>\n"
        '<ol>\n<li>f</li>\n<li><a href="https://h.org">g</a> [i](javascript:j)\n&lt;k&gt;</li>\n'
        "</ol>\n"
    )
