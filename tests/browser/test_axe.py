"""Every page of a campaign, seen by axe-core: people with a screen reader can judge too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.campaigns import (
    EVERY_TASK,
    OWN,
    WANTED,
    Served,
    answer_by_pointing,
    expect_done,
    fill_by_pointing,
    fits,
    go_on,
)
from tests.browser.conftest import LAYOUT, SIZES, ask_axe, open_window, show

pytestmark = pytest.mark.xdist_group("campaigns")
ALL_RULES = {"rules": {"target-size": {"enabled": True}}}
SOMEBODY = "harm"
"""Whose work nobody else needs, in the campaigns where they are named here."""
LOOKS = {"axe": [("desktop", "light")]}
LOOKS["axe-all"] = [(size, scheme) for size in SIZES for scheme in ("light", "dark")]
"""Who looks, and at what: other windows and colours come in the long tests."""


class Looker:
    """Looks at a page in every way, and keeps what is found."""

    def __init__(self, page: Page, script: str, looks: list[tuple[str, str]]) -> None:
        self.page = page
        self.found: list[str] = []
        self._script = script
        self._looks = looks

    def look(self, name: str, *, again: bool = False) -> None:
        """What axe-core says of the page as it is now; ``again``, if only its colours are new."""
        self.page.wait_for_load_state()  # with its colours and scripts
        self.page.evaluate(self._script)
        for size, scheme in self._looks:
            show(self.page, size, scheme)
            rules = {"runOnly": [*LAYOUT, "target-size"]} if again else ALL_RULES
            for problem in ask_axe(self.page, **rules):
                self.found.append(f"{name}, {size}, {scheme}: {problem}")
            if not fits(self.page):
                self.found.append(f"{name}, {size}: wider than the window")

    def visit(self, name: str, address: str) -> None:
        self.page.goto(address)
        self.look(name)


@pytest.fixture(params=["axe", pytest.param("axe-all", marks=pytest.mark.slow)])
def judge(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def looker(judge: str, browser: Browser, axe: str) -> Iterator[Looker]:
    """Nothing may be found by axe-core's rules for WCAG 2.2 AA and good practice."""
    with open_window(browser, bypass_csp=True) as page:
        looker = Looker(page, axe, LOOKS[judge])
        yield looker
    assert not looker.found, "\n".join(looker.found)


@pytest.mark.parametrize("task", EVERY_TASK)
def test_the_page_of_a_task(task: str, looker: Looker, served: Served, judge: str) -> None:
    page = looker.page
    page.goto(served.link(task, judge))
    if task == OWN:
        looker.look("consent")
        go_on(page, lambda target: target.click())
        looker.look("instructions")
        go_on(page, lambda target: target.click())
        looker.look("training")
        fill_by_pointing(page, {"label": "yes", "degree": "3"}, lambda target: target.click())
        with page.expect_navigation():
            page.locator("#submit").click()
        looker.look("feedback")
        go_on(page, lambda target: target.click())
    looker.look(task)
    answer_by_pointing(page, task, lambda target: target.click(), script=True)
    expect_done(page)
    page.goto(f"{served.link(task, judge)}/0")
    page.locator("#help summary").click()
    looker.look(f"{task}, answered", again=True)


def test_before_and_after(looker: Looker, served: Served, judge: str) -> None:
    page = looker.page
    looker.visit("help", f"{served.link('rate', judge)}/help")
    entry = served.link("rate", "up to 2 people")
    looker.visit("registration", entry)
    page.locator("#name").fill(judge)
    with page.expect_navigation():
        page.locator("main button").click()
    looker.look("registration, name taken")
    looker.visit("preview", f"{entry}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    registered = [f"{entry}?PROLIFIC_PID={judge}{number}" for number in range(2)]
    for address in registered:
        page.goto(address)
        if page.locator("main button").count():
            with page.expect_navigation():
                page.locator("main button").first.click()
    looker.visit("registration, full", entry)
    for button in ("Pause", "Resume"):
        page.goto(served.link("rate", "organizer"))
        with page.expect_navigation():
            page.get_by_role("button", name=button, exact=True).click()
        if button == "Pause":
            looker.visit("paused", served.link("rate", judge))
    page.goto(served.link("adjudicate", SOMEBODY))
    while page.locator("#submit").count():
        with page.expect_navigation():
            answer_by_pointing(page, "adjudicate", lambda target: target.click(), script=True)
    expect(page.locator("main")).to_contain_text("C0DE")
    looker.look("finished")


def test_pages_of_the_organizer(looker: Looker, served: Served, judge: str) -> None:
    page = looker.page
    looker.visit("overview", served.link("all", "overview"))
    for task in ("ranking", "correct", "rate"):
        page.goto(served.link(task, "organizer"))
        expect(page.locator("[data-pending]")).to_have_count(0)
        looker.look(f"dashboard of {task}")
    page.get_by_label("Invite a judge").fill(judge)
    with page.expect_navigation():
        page.get_by_role("button", name="Create link").click()
    looker.look("dashboard, a mistake")
    with page.expect_navigation():
        page.get_by_role("link", name=f"New link for {SOMEBODY}").first.click()
    looker.look("confirmation")
    with page.expect_navigation():
        page.get_by_role("button", name="New link").click()
    looker.look("dashboard, a link")
    for some in ("disputed", "all"):
        looker.visit(f"items {some}", f"{served.link('rate', 'organizer')}/items?show={some}")
    with page.expect_navigation():
        page.locator("table a").first.click()
    looker.look("item")


def test_errors(looker: Looker, served: Served, judge: str) -> None:
    page = looker.page
    looker.visit("welcome", served.address)
    looker.visit("no such page", f"{served.address}/nowhere")
    looker.visit("no such link", f"{served.address}/j/nobody")
    looker.visit("not open yet", f"{served.link('crowd', judge)}/99")
    looker.visit("an error of the server", served.link("broken", "anna"))
    expect(page.locator("main")).to_contain_text("An error occurred")
    address = served.link("crowd", SOMEBODY)
    page.goto(f"{address}/0")
    fill_by_pointing(page, WANTED["crowd"], lambda target: target.click())
    second = page.context.new_page()
    second.goto(f"{address}/0")
    with second.expect_response(lambda response: response.request.method == "POST") as saved:
        answer_by_pointing(second, "crowd", lambda target: target.click(), script=True)
    assert saved.value.ok
    page.bring_to_front()
    page.locator("#task").evaluate("form => form.setAttribute('data-plain', '')")
    page.locator("#submit").click()
    expect(page.locator("#error")).to_contain_text("answered in another window")
    looker.look("a tab that is too old")
    page.goto(served.link("crowd", "organizer"))
    page.get_by_role("link", name=f"Revoke the link of {SOMEBODY}", exact=True).click()
    looker.look("confirmation")
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator("main")).to_contain_text("link revoked")
    looker.look("dashboard, revoked")
    looker.visit("revoked", address)
    expect(page.locator("main")).to_contain_text("not valid")
    page.goto(served.link("crowd", "organizer"))
    with page.expect_navigation():
        page.get_by_role("button", name=f"Undo: let {SOMEBODY} continue").click()
