"""A campaign of every task on one server, and the ways in which a judge can answer its items."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaign_driver import free_port
from playwright.sync_api import Locator, Page, expect
from tests.browser.conftest import start, stop, wait_until_up

import redink
from redink.campaign.campaign_commands import create
from redink.campaign.server import Campaign
from redink.campaign.store import CampaignStore
from redink.campaign.tasks import TASKS
from redink.model import Table

SENTENCES = ["Last year I moved at a city far away .", "I am good in chess .", "He like tea ."]
CORRECTED = ["Last year I moved to a city far away .", "I am good at chess .", "He likes tea ."]
OTHER = ["Last year , I moved to a city .", "I am good in chess .", "He like teas ."]
OWN = "own"
"""The campaign with questions of its own, in German."""
EVERY_TASK = (*TASKS, OWN)
PEOPLE = ("keys", "keys-dark", "touch", "touch-light", "plain", "harm", "axe", "axe-all")
QUESTIONS = Path(__file__).parents[1] / "campaign" / "polite.toml"
WANTED: dict[str, dict[str, str | list[str]]] = {
    "usage": {
        "context": ["determiner", "grammar"],
        "label": "incorrect",
        "alternatives": "to, into",
        "confidence": "high",
    },
    "crowd": {"label": "error"},
    "cloze": {"label": "to"},
    "choice": {"label": "neither"},
    "sample": {"label": "ok"},
    "edit-check": {"label": "bad"},
    "rate": {"grammaticality": "4", "fluency": "3", "meaning": "5"},
    "correct": {"text": "We never know."},
    "post-edit": {"text": "We never know."},
    "mark": {"word": ["0"], "correction": "Whatever"},
    OWN: {
        "label": "no",
        "words": ["0", "2"],
        "marks": ["swearing"],
        "degree": "2",
        "more": "really",
    },
}
"""What is answered to any item of a task, field by field, in the order of the page."""

Point = Callable[[Locator], None]


@dataclass(frozen=True)
class Served:
    """The address of a server, the folder of its campaigns, and all links by task and person."""

    address: str
    folder: Path
    links: dict[str, dict[str, str]]

    def link(self, task: str, judge: str) -> str:
        return f"{self.address}{self.links[task][judge]}"

    def stored(self, task: str, judge: str) -> list[dict[str, Any]]:
        """What somebody answered, in the order of their items, as the fields of the page."""
        with closing(CampaignStore.open(self.folder / f"{task}.db")) as store:
            campaign = Campaign(store)
            (work,) = (w for w in campaign.workloads.values() if w.judge.name == judge)
            return [
                campaign.task.filled(campaign.items[place.item], answer.answer, place.id)
                for place, answer in store.current_answers(store.last_answer()[0])
                if place.judge == work.judge.id
            ]


def make_campaigns(
    folder: Path,
    interface: str | None = None,
    *,
    tasks: Sequence[str] = EVERY_TASK,
    people: Sequence[str] = PEOPLE,
) -> dict[str, dict[str, str]]:
    """Campaigns of these tasks in a folder; the paths of their links, by task and person."""
    for name, lines in (("s", SENTENCES), ("a", CORRECTED), ("b", OTHER)):
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    systems = {"a": folder / "a.txt", "b": folder / "b.txt"}
    redink.annotate_files(folder / "s.txt", list(systems.values()), folder / "g.m2")
    text: dict[str, Any] = {"source": folder / "s.txt"}
    made_by: dict[str, Any] = text | {"systems": systems}
    marked: dict[str, Any] = {"file": folder / "g.m2"}
    given = {
        **dict.fromkeys(("correct", "mark", OWN), text),
        **dict.fromkeys(("ranking", "post-edit", "edit-validity"), made_by),
        "rate": made_by | {"register": 2},
        "adjudicate": marked | {"completion": "C0DE"},
    }
    links = {}
    for task in tasks:
        name = str(QUESTIONS) if task == OWN else task
        what = given.get(task, marked)
        made = create(folder / f"{task}.db", task=name, judges=people, interface=interface, **what)
        links[task] = paths_of(made)
    return links


def paths_of(made: Table) -> dict[str, str]:
    return {row["name"]: "/" + row["link"].split("/", 3)[3] for row in made.rows}


@contextmanager
def serve_campaigns(folder: Path, interface: str | None = None) -> Iterator[Served]:
    """A server of them all, with the overview, and of one whose file somebody has damaged."""
    links = make_campaigns(folder, interface)
    made = create(folder / "broken.db", task="crowd", file=folder / "g.m2", judges=["anna"])
    links["broken"] = paths_of(made)
    with closing(sqlite3.connect(folder / "broken.db")) as connection, connection:
        connection.execute("UPDATE items SET payload = '{}'")
    places = [folder / f"{task}.db" for task in links]
    port, log = free_port(), folder / "log"
    process = start("campaign", "serve", *places, "--port", str(port), log=str(log))
    address = f"http://127.0.0.1:{port}"
    wait_until_up(address, process)
    found = re.search(r"/all/\S+", log.read_text(encoding="utf-8"))
    assert found, "the greeting has the link of the overview"
    links["all"] = {"overview": found[0]}
    yield Served(address, folder, links)
    stop(process)


def wanted_on(page: Page, task: str) -> dict[str, Any]:
    """What shall be answered to the item on a page; some items have questions of their own."""
    if task in WANTED:
        return WANTED[task]
    names = page.locator("#work input[type=radio]").evaluate_all(
        "inputs => [...new Set(inputs.map((input) => input.name))]"
    )
    if task == "ranking":
        return {name: str(rank) for rank, name in enumerate(names, start=1)}
    if task == "edit-validity":
        edits = [name for name in names if name.startswith("edit")]
        verdicts: dict[str, Any] = dict.fromkeys(edits, "optional")
        return verdicts | {"remains": "yes", "where": ["0", "1"]}
    return {"place0": "other", "place0_text": "quite else"} | dict.fromkeys(names[1:], "0")


def focused(page: Page) -> str:
    expect(page.locator("#task :focus")).to_have_count(1)
    name: str = page.evaluate(
        "document.activeElement.closest('fieldset').querySelector('[name]').name"
    )
    return name


def press(page: Page, *keys: str) -> None:
    """Type as a judge does, once the page has put the focus; ``text:`` is typed by letters."""
    expect(page.locator("#task :focus")).to_have_count(1)
    for key in keys:
        if key.startswith("text:"):
            page.keyboard.type(key.removeprefix("text:"))
        else:
            page.keyboard.press(key)


def fill_by_keys(page: Page, wanted: dict[str, Any]) -> None:
    """Answer one question after the other; the focus is always where it is needed."""
    for number, (name, value) in enumerate(wanted.items(), start=1):
        assert focused(page) == name
        field = page.locator(f'[name="{name}"]')
        kind = field.first.get_attribute("type")
        is_last = number == len(wanted)
        if kind == "radio":
            key = page.locator(f'[name="{name}"][value="{value}"]').get_attribute("data-key")
            page.keyboard.press(str(key))
            continue
        if field.first.locator("xpath=ancestor::*[@class='words']").count():
            page.keyboard.press("Tab")
            for place in range(int(value[-1]) + 1):
                page.keyboard.press("ArrowRight" if place else "Shift")
                if str(place) in value:
                    page.keyboard.press("Space")
        elif kind == "checkbox":
            for one in value:
                box = page.locator(f'[name="{name}"][value="{one}"]')
                page.keyboard.press(str(box.get_attribute("data-key")))
        else:
            page.keyboard.type(value)
        if not is_last:
            page.keyboard.press("Enter")


def fill_by_pointing(page: Page, wanted: dict[str, Any], point: Point) -> None:
    """Answer every question with a finger or a mouse; only words are typed."""
    for name, value in wanted.items():
        field = page.locator(f'[name="{name}"]')
        if field.first.get_attribute("type") in {"radio", "checkbox"}:
            for one in [value] if isinstance(value, str) else value:
                point(page.locator(f'label:has([name="{name}"][value="{one}"])'))
        else:
            point(field)
            field.fill(value)


def answer_by_keys(page: Page, task: str) -> dict[str, Any]:
    """Answer the item on the page without a mouse; what must be stored."""
    wanted = wanted_on(page, task)
    if task in {"correct", "post-edit"}:
        press(page, "Enter")
        expect(page.locator("#text")).to_be_focused()
        press(page, "Control+a", f"text:{wanted['text']}")
        expect(page.locator("#preview ins").first).to_be_visible()
    else:
        fill_by_keys(page, wanted)
    if task == "mark":
        press(page, "Enter")
        expect(page.locator(".edits li")).to_have_count(1)
    press(page, "Enter")
    if task == "adjudicate" and focused(page) == "missed":  # optional, and last
        press(page, "Enter")
    return wanted


def answer_by_pointing(page: Page, task: str, point: Point, *, script: bool) -> dict[str, Any]:
    """The same with a finger, or with a mouse where there is no script."""
    wanted = wanted_on(page, task)
    fill_by_pointing(page, wanted, point)
    if task == "mark":
        point(page.locator("#add"))
        expect(page.locator(".edits li")).to_have_count(1)
    if task in {"correct", "post-edit"}:
        if not script:
            point(page.get_by_role("button", name="Show my changes"))
        expect(page.locator("#preview ins").first).to_be_visible()
    point(page.locator("#submit"))
    return wanted


def is_answer(wanted: dict[str, Any], stored: dict[str, Any]) -> bool:
    if "word" in wanted:  # an error of one word
        (line,) = stored["edit"]
        return line.startswith("0 1 ") and line.endswith(f" {wanted['correction']}")
    return {name: stored.get(name) for name in wanted} == wanted


def go_in(page: Page, point: Point | None) -> None:
    """Past consent, instructions and a training that is answered wrongly."""
    for _ in range(2):
        go_on(page, point)
    wanted = {"label": "yes", "marks": [], "degree": "3"}
    if point is None:
        fill_by_keys(page, wanted)
        page.keyboard.press("Enter")
    else:
        fill_by_pointing(page, wanted, point)
        point(page.locator("#submit"))
    expect(page.locator(".verdicts .wrong")).to_have_count(2)
    go_on(page, point)
    expect(page.locator("#submit")).to_be_visible()
    expect(page.locator(".note")).to_have_count(0)


def go_on(page: Page, point: Point | None) -> None:
    button = page.locator("#go-on")
    expect(button).to_be_visible()
    with page.expect_navigation():
        if point is None:
            expect(button).to_be_focused()
            page.keyboard.press("Enter")
        else:
            point(button)


def fits(page: Page) -> bool:
    size = page.viewport_size
    return size is not None and page.evaluate("document.body.scrollWidth") <= size["width"]


def expect_done(page: Page, count: int = 1) -> None:
    expect(page.locator(".progress span")).to_have_text(re.compile(rf"^\s*{count} "))
