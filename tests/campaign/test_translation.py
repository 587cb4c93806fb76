"""The pages in other languages: catalogues that lack nothing, and pages that use them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.campaign.conftest import Running, item_for, marked_item

import redink.campaign
from redink.analysis.classify import CASE_AT_END
from redink.analysis.language import find_language
from redink.campaign.tasks import TASKS
from redink.campaign.translation import interface_languages, load_translation
from redink.errors import OptionError

HOME = Path(redink.campaign.__file__).parent
OTHERS = [language for language in interface_languages() if language != "en"]


def said_on_pages() -> set[str]:
    """What the templates say, and the sentences for answers that are not whole."""
    found = set()
    for template in (HOME / "templates").glob("*.html"):
        found |= set(re.findall(r'\bt\("([^"]*)"', template.read_text(encoding="utf-8")))
    for module in (*HOME.glob("tasks/*.py"), HOME / "server.py"):
        calls = r'(?:AnswerError|StaleError|NotStoredError)\(\s*((?:"[^"]*"\s*)+)'
        for call in re.findall(calls, module.read_text("utf-8")):
            found.add("".join(re.findall(r'"([^"]*)"', call)))
    return found


def said_by_tasks() -> set[str]:
    """Titles, instructions and questions of redink's own tasks."""
    found = set()
    for name in TASKS:
        task = TASKS.load(name)
        found |= {task.title, task.instructions.purpose, *task.instructions.steps}
        for field in getattr(task, "fields", ()):
            found |= {field.question, field.hint, *(option.text for option in field.options)}
    for code in ("en", "zh"):
        language = find_language(code)
        found |= {*language.describe_types().values(), *(k.title for k in language.error_types)}
    for code in ("en", "de", "zh"):  # English, universal and Chinese rules
        typing = find_language(code).typing
        for rule in typing.rules:
            found |= {*typing.reasons(f"{CASE_AT_END}/{rule.name}")}
    found.discard("Unknown")  # no kind that anybody can choose
    return {text for text in found if text and not text.isdecimal()}


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_has_everything_that_is_said(language: str) -> None:
    catalogue = load_translation(language).texts
    wanted = said_on_pages() | said_by_tasks()
    assert sorted(wanted - catalogue.keys()) == []
    for text, said in catalogue.items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", said)), text


def test_what_a_sentence_says_is_never_translated(start: Callable[..., Running]) -> None:
    item = marked_item(1)
    item.payload["choices"] = ["right", "no", "(nothing)"]
    running = start("choice", items=[item], interface="de")
    page = running.client.get(f"/j/{running.judges['alma']}").text
    assert "</kbd> right<" in page
    assert "</kbd> no<" in page
    assert "</kbd> (nichts)<" in page
    items = [item_for(task, 1) for task in ("edit-validity", "adjudicate")]
    items[0].payload["edits"] = [[3, 4, "right", "R:PREP", None], [4, 4, "no", "M:DET", None]]
    items[1].payload["places"][0]["start"] = 4
    said = []
    for task, one in zip(("edit-validity", "adjudicate"), items, strict=True):
        running = start(task, items=[one], interface="de")
        said.append(running.client.get(f"/j/{running.judges['alma']}").text)
    assert "1: in → right" in said[0]
    assert "2: (nichts) → no" in said[0]
    assert "falsche Präposition" in said[0]
    assert "1: hier fehlt vielleicht ein Wort" in said[1]
    assert "at · falsche Präposition" in said[1]


def test_the_reason_of_an_edit_is_said_in_the_language(start: Callable[..., Running]) -> None:
    running = start("correct", items=[item_for("correct", 1)], interface="es")
    first = f"/j/{running.judges['alma']}/0"
    sent = running.form(first) | {"text": "I am good at game 1."}
    page = running.client.post(f"{first}/step", data=sent).text
    assert "<strong>preposición incorrecta</strong> <code>R:PREP</code>: ambas palabras son" in page


def test_a_page_that_cannot_be_shown_says_so_in_the_language(start: Callable[..., Running]) -> None:
    running = start("crowd", interface="de")
    page = running.client.get("/j/nobody").text
    assert '<html lang="de">' in page
    assert "Dieser Link ist nicht gültig" in page
    assert "This link is not valid" in running.client.get("/o/nobody").text
    form = running.form(f"/j/{running.judges['alma']}/0")
    for label in ("ok", "error"):
        sent = form | {"label": label, "submission": f"{label}{form['submission']}"}
        reply = running.client.post(f"/j/{running.judges['alma']}/0", data=sent)
    assert "in einem anderen Fenster beantwortet" in reply.text


def test_english_german_spanish_and_chinese_are_there() -> None:
    assert interface_languages() == ("en", "de", "es", "zh")
    with pytest.raises(OptionError, match="expected one of: en, de, es, zh"):
        load_translation("xx")


def test_pages_and_complaints_are_in_the_language_of_the_campaign(
    start: Callable[..., Running],
) -> None:
    running = start("usage", items=[marked_item(1)], interface="de")
    base = f"/j/{running.judges['alma']}"
    page = running.client.get(base).text
    assert '<html lang="de">' in page
    assert "Speichern und weiter" in page
    assert "Das markierte Wort ist" in page
    assert re.search(r'<section[^>]*lang="en"', page)
    reply = running.answer("alma", 0, label="correct")
    assert "Bitte antworten Sie: Wie sicher sind Sie?" in reply.text
