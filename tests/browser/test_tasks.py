"""The tasks that make references, and your own questions, in a real browser: one server for all."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import free_port, start, wait_until_up

import redink
from redink.campaign.commands import create

Opener = Callable[..., Page]
Picture = Callable[[Page, str], None]
SENTENCES = ["Last year I moved at a city far away .", "I am good in chess .", "He like tea ."]
CORRECTED = ["Last year I moved to a city far away .", "I am good at chess .", "He likes tea ."]
OTHER = ["Last year , I moved to a city .", "I am good in chess .", "He like teas ."]
POLITE = """
title = "Is it polite?"
instructions = "Judge the **whole** sentence."
consent = "Your answers are published without your name."
[[question]]
name = "label"
ask = "The sentence is"
options = { yes = "polite", no = "rude" }
keys = { yes = "p", no = "r" }
[[question]]
name = "words"
ask = "Which words make it so?"
kind = "span"
only_if = { label = ["no"] }
[[question]]
name = "degree"
ask = "How much"
kind = "scale"
low = "a little"
high = "very"
[[training]]
text = "Sit down !"
answers = { label = "no" }
feedback = "An order is rude."
"""
TASKS = ("correct", "post-edit", "mark", "adjudicate", "edit-validity", "rate", "usage")


@dataclass(frozen=True)
class Served:
    """The address of a server, and the paths of all links by task and person."""

    address: str
    links: dict[str, dict[str, str]]

    def link(self, task: str, judge: str) -> str:
        """Where somebody begins."""
        return f"{self.address}{self.links[task][judge]}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A campaign of every task, all on one server."""
    folder = tmp_path_factory.mktemp("tasks")
    for name, lines in (("s", SENTENCES), ("a", CORRECTED), ("b", OTHER)):
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "polite.toml").write_text(POLITE, encoding="utf-8")
    systems = {"a": folder / "a.txt", "b": folder / "b.txt"}
    redink.annotate_files(folder / "s.txt", list(systems.values()), folder / "g.m2")
    given: dict[str, dict[str, Any]] = {
        "correct": {"source": folder / "s.txt"},
        "mark": {"source": folder / "s.txt"},
        "adjudicate": {"file": folder / "g.m2"},
        "usage": {"file": folder / "g.m2"},
        "polite": {"source": folder / "s.txt", "interface": "de"},
    }
    links = {}
    for task in (*TASKS, "polite"):
        what = given.get(task, {"source": folder / "s.txt", "systems": systems})
        name = str(folder / "polite.toml") if task == "polite" else task
        judges = ["keys", "touch", "plain", "axe"]
        extra = {"register": 5} if task == "rate" else {}
        made = create(folder / f"{task}.db", task=name, judges=judges, **what, **extra)
        links[task] = {row["name"]: "/" + row["link"].split("/", 3)[3] for row in made.rows}
    port = free_port()
    places = [folder / f"{task}.db" for task in links]
    process = start("campaign", "serve", *places, "--port", str(port))
    address = f"http://127.0.0.1:{port}"
    wait_until_up(address, process)
    yield Served(address, links)
    process.terminate()
    process.join(30)


def press(page: Page, *keys: str) -> None:
    """Type as a judge does, once the page has put the focus; ``text:`` is typed by letters."""
    expect(page.locator("#task :focus")).to_have_count(1)
    for key in keys:
        if key.startswith("text:"):
            page.keyboard.type(key.removeprefix("text:"))
        else:
            page.keyboard.press(key)


def fits(page: Page) -> bool:
    """Whether the page fits its window."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def expect_done(page: Page, count: int = 1) -> None:
    """An answer is saved and the next item is there."""
    expect(page.locator(".progress span")).to_contain_text(f"{count} ")


def find_item(page: Page, word: str) -> None:
    """Say of items that there is nothing to correct until the one with a word comes."""
    for done in range(1, 4):
        if word in page.locator("#sentence .source").inner_text():
            return
        press(page, "0")
        expect_done(page, done)


def test_correcting_by_keyboard(served: Served, open_page: Opener, picture: Picture) -> None:
    """Enter leads into the box; the edits are shown while one types; Enter saves; 0 is nothing."""
    page = open_page(served.link("correct", "keys"), scheme="dark")
    find_item(page, "chess")
    before = int(page.locator(".progress span").inner_text().split()[0])
    press(page, "Enter")
    expect(page.locator("#text")).to_be_focused()
    page.locator("#text").evaluate("box => box.setSelectionRange(10, 12)")
    page.keyboard.type("at")
    expect(page.locator("#preview ins")).to_have_text("at")
    expect(page.locator("#preview")).to_contain_text("R:PREP")
    picture(page, "correct-keys-dark")
    page.keyboard.press("Enter")
    expect_done(page, before + 1)


def test_correcting_nothing_needs_the_key(served: Served, open_page: Opener) -> None:
    """Enter alone, without a change, is explained."""
    page = open_page(served.link("post-edit", "keys"), expected="422")
    press(page, "Enter", "Enter")
    expect(page.locator("#error")).to_contain_text("changed nothing")
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    expect_done(page)


def test_marking_by_keyboard(served: Served, open_page: Opener, picture: Picture) -> None:
    """Arrows and space select, Enter leads on and adds; the errors so far are listed."""
    page = open_page(served.link("mark", "keys"))
    find_item(page, "chess")
    before = int(page.locator(".progress span").inner_text().split()[0])
    press(
        page, "Tab", "ArrowRight", "ArrowRight", "ArrowRight", "Space", "Enter", "text:at", "Enter"
    )
    expect(page.locator(".edits li")).to_have_count(1)
    expect(page.locator(".edits li ins")).to_have_text("at")
    press(page, "Tab", "Shift+ArrowRight", "Enter", "text:You are", "Enter")
    expect(page.locator(".edits li")).to_have_count(2)
    picture(page, "mark-keys")
    page.locator("button[name=remove]").first.press("Enter")
    expect(page.locator(".edits li")).to_have_count(1)
    press(page, "Enter")
    expect_done(page, before + 1)


@pytest.mark.parametrize(
    ("task", "keys"),
    [
        ("adjudicate", ["1", "1", "1", "Enter"]),
        ("edit-validity", ["1", "2", "2", "Enter"]),
        ("rate", ["4", "3", "5", "Enter"]),
    ],
)
def test_questions_by_keyboard(
    task: str, keys: list[str], served: Served, open_page: Opener, picture: Picture
) -> None:
    """Numbers answer one question after the other."""
    page = open_page(served.link(task, "keys"), scheme="dark")
    groups = page.locator("fieldset:not([hidden])")
    press(page, *keys[:-1])
    for _ in range(6):
        if page.locator(
            "fieldset:not([hidden]):has(input[type=radio]):not(:has(:checked))"
        ).count():
            page.keyboard.press("1")
    assert groups.count() >= 1
    picture(page, f"{task}-keys-dark")
    page.locator("fieldset:not([hidden])").last.evaluate("group => group.focus()")
    page.keyboard.press("Enter")
    expect_done(page)


def test_your_own_questions_by_keyboard(
    served: Served, open_page: Opener, picture: Picture
) -> None:
    """Consent, instructions and training come first; own keys; a question that appears."""
    page = open_page(served.link("polite", "keys"))
    page.get_by_role("button", name="Ich stimme zu").press("Enter")
    page.get_by_role("button", name="Weiter").press("Enter")
    press(page, "p", "3", "Enter")
    expect(page.locator(".verdicts .wrong")).to_have_count(1)
    picture(page, "training-feedback")
    page.keyboard.press("Enter")
    expect(page.locator(".note")).to_have_count(0)
    words = page.locator("fieldset[data-when]")
    expect(words).to_be_hidden()
    press(page, "r")
    expect(words).to_be_visible()
    press(page, "Tab", "Space", "Tab", "2")
    picture(page, "polite-keys")
    page.keyboard.press("Enter")
    expect_done(page)


def answer_by(page: Page, task: str, tap: Callable[[Any], None]) -> None:
    """Answer one item by pointing alone; every field that is shown is filled."""
    if task in {"correct", "post-edit"}:
        page.locator("#text").fill(page.locator("#text").input_value() + " Indeed .")
    elif task == "mark":
        tap(page.locator(".words span").first)
        page.locator("#correction").fill("Whatever")
    else:
        for group in page.locator("fieldset").all():
            # without script a question that is asked only sometimes is there all the time
            if group.is_visible() and group.locator("input[type=radio]").count():
                tap(group.locator("label span").first)
    tap(page.locator("#submit"))


def test_every_task_by_touch(served: Served, open_page: Opener, picture: Picture) -> None:
    """On a phone: no sideways scrolling, targets for a thumb, an answer by tapping."""
    for task in TASKS:
        page = open_page(served.link(task, "touch"), size="phone", scheme="light")
        assert fits(page), task
        for target in page.locator(".option span, .word span, .button:visible").all()[:12]:
            box = target.bounding_box()
            assert box is None or box["height"] >= 39, task
        picture(page, f"{task}-touch")
        answer_by(page, task, lambda target: target.tap())
        expect_done(page)


def test_every_task_without_script(served: Served, browser: Browser) -> None:
    """Plain forms: the changes on request, an error added by a page, and an answer saved."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(10_000)
    for task in TASKS:
        page.goto(served.link(task, "plain"))
        if task == "correct":
            page.locator("#text").fill("He likes teas .")
            page.get_by_role("button", name="Show what I have changed").click()
            expect(page.locator("#preview li")).not_to_have_count(0)
        if task == "mark":
            page.locator(".words span").nth(1).click()
            page.locator("#correction").fill("Whatever")
            page.get_by_role("button", name="Add this error").click()
            expect(page.locator(".edits li")).to_have_count(1)
            page.get_by_role("button", name="Remove").click()
            expect(page.locator(".edits li")).to_have_count(0)
        answer_by(page, task, lambda target: target.click())
        expect_done(page)
    context.close()


def test_keys_do_no_harm(served: Served, open_page: Opener) -> None:
    """Nothing looks chosen at first, Backspace stays, u asks first, a digit is no word, no red."""
    page = open_page(served.link("usage", "keys"))
    press(page, "Enter")
    expect(page.locator("input:focus")).to_have_count(0)
    press(page, "2")
    colour = page.locator("input:checked + span").evaluate(
        "n => getComputedStyle(n).backgroundColor"
    )
    assert colour == "rgb(11, 87, 164)"
    expect(page.locator("#alternatives")).to_be_focused()
    page.keyboard.press("2")
    expect(page.locator("#alternatives")).to_have_value("")
    expect(page.locator("input[name=confidence][value=high]")).to_be_checked()
    page.keyboard.press("Enter")
    expect_done(page)
    press(page, "Enter", "1", "Backspace")
    expect(page.locator("input:checked")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator("#saving")).to_contain_text("not saved")
    expect(page.locator("input:checked")).to_have_count(1)
    page.keyboard.press("u")
    page.wait_for_url("**/0")


def find_axe() -> Path | None:
    """The script of axe-core, where npm has put it; REDINK_AXE may name it."""
    places = [Path(os.environ["REDINK_AXE"])] if "REDINK_AXE" in os.environ else []
    places.append(Path("node_modules/axe-core/axe.min.js"))
    npm = shutil.which("npm")
    if npm:
        done = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, check=False)
        places.append(Path(done.stdout.strip()) / "axe-core" / "axe.min.js")
    return next((place for place in places if place.is_file()), None)


def test_axe_finds_nothing_serious(served: Served, browser: Browser) -> None:
    """Every page, in light and dark, by axe-core's rules for WCAG 2.2 AA and good practice."""
    axe = find_axe()
    if axe is None:
        pytest.skip("axe-core is not installed: npm install axe-core, or REDINK_AXE=FILE")
    script = axe.read_text(encoding="utf-8")
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    found: list[str] = []

    def look(name: str) -> None:
        page.evaluate(script)
        # in the dark only colours are different
        for scheme, rules in (("light", "{}"), ("dark", "{runOnly: ['color-contrast']}")):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            for problem in page.evaluate(f"axe.run({rules})")["violations"]:
                nodes = [node["html"][:160] for node in problem["nodes"][:3]]
                found.append(f"{name} {scheme}: {problem['impact']} {problem['id']} {nodes}")

    for task in TASKS:
        page.goto(served.link(task, "axe"))
        look(task)
        answer_by(page, task, lambda target: target.click())
        expect_done(page)
        page.goto(f"{served.link(task, 'axe')}/0")
        look(f"{task}, answered")
    page.goto(f"{served.link('rate', 'axe')}/help")
    look("help")
    page.goto(served.link("polite", "axe"))
    look("consent")
    page.locator("#go-on").click()
    look("instructions")
    page.locator("#go-on").click()
    look("training")
    answer_by(page, "polite", lambda target: target.click())
    look("feedback")
    page.locator("#go-on").click()
    look("own questions")
    for name, path in (
        ("dashboard", served.links["correct"]["organiser"]),
        ("items", f"{served.links['rate']['organiser']}/items"),
        ("item", f"{served.links['rate']['organiser']}/items/1"),
        ("register", served.links["rate"]["up to 5 people"]),
        ("welcome", "/"),
        ("refused", "/j/nobody"),
    ):
        page.goto(f"{served.address}{path}")
        look(name)
    context.close()
    assert found == []
