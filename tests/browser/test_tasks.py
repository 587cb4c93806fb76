"""Every task in a real browser: by keyboard, by touch, and without scripts; one server for all."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.campaigns import (
    EVERY_TASK,
    OWN,
    Served,
    answer_by_keys,
    answer_by_pointing,
    expect_done,
    fits,
    go_in,
    is_answer,
    press,
)
from tests.browser.conftest import open_window

Opener = Callable[..., Page]
pytestmark = pytest.mark.xdist_group("campaigns")


def tap(target: Locator) -> None:
    target.tap()


def click(target: Locator) -> None:
    target.click()


def check_stored(served: Served, task: str, judge: str, wanted: dict[str, object]) -> None:
    (stored,) = served.stored(task, judge)
    assert is_answer(wanted, stored), stored


@pytest.mark.parametrize("task", EVERY_TASK)
@pytest.mark.parametrize(
    ("judge", "size", "scheme"),
    [
        ("keys", "desktop", "light"),
        pytest.param("keys-dark", "phone", "dark", marks=pytest.mark.slow),
    ],
)
def test_by_keyboard(
    task: str, judge: str, size: str, scheme: str, served: Served, open_page: Opener
) -> None:
    page = open_page(served.link(task, judge), size=size, scheme=scheme)
    if task == OWN:
        go_in(page, None)
    assert fits(page)
    wanted = answer_by_keys(page, task)
    expect_done(page)
    check_stored(served, task, judge, wanted)
    press(page, "Escape", "u")  # out of a text, and back
    page.wait_for_url("**/0")
    expect(page.locator("#submit")).to_be_visible()
    expect(page.locator("#back")).to_have_count(0)


@pytest.mark.parametrize("task", EVERY_TASK)
@pytest.mark.parametrize(
    ("judge", "scheme"),
    [("touch", "dark"), pytest.param("touch-light", "light", marks=pytest.mark.slow)],
)
def test_by_touch(task: str, judge: str, scheme: str, served: Served, open_page: Opener) -> None:
    page = open_page(served.link(task, judge), size="phone", scheme=scheme, mobile=True)
    if task == OWN:
        go_in(page, tap)
    assert fits(page)
    assert page.locator("kbd:visible").count() == 0
    heights = page.locator(".option span, .ranks label, .word, .button").evaluate_all(
        "nodes => nodes.filter((n) => n.checkVisibility()).map((n) => n.offsetHeight)"
    )
    assert min(heights) >= 39
    wanted = answer_by_pointing(page, task, tap, script=True)
    expect_done(page)
    check_stored(served, task, judge, wanted)


@pytest.mark.parametrize("task", EVERY_TASK)
def test_without_script(task: str, served: Served, browser: Browser) -> None:
    with open_window(browser, java_script_enabled=False) as page:
        page.goto(served.link(task, "plain"))
        if task == OWN:
            go_in(page, click)
        wanted = answer_by_pointing(page, task, click, script=False)
        expect_done(page)
    check_stored(served, task, "plain", wanted)


def test_changes_are_shown_while_one_types(served: Served, open_page: Opener) -> None:
    page = open_page(served.link("correct", "harm"), scheme="dark")
    sentence = page.locator("#sentence .source").inner_text()
    press(page, "Enter", "Control+a", f"text:{sentence[:-1]} an .")
    expect(page.locator("#preview ins")).to_have_text("an")
    expect(page.locator("#preview .why")).to_have_text(re.compile("determiner.*M:DET", re.DOTALL))


def test_what_a_system_has_changed_is_shown_at_once(served: Served, open_page: Opener) -> None:
    page = open_page(served.link("post-edit", "harm"))
    while page.locator("#text").input_value() == page.locator("#sentence .source").inner_text():
        with page.expect_navigation():
            page.keyboard.press("0")  # here the system left all as it was
    expect(page.locator("#preview .why").first).to_contain_text(":")


def test_correcting_nothing_needs_the_key(served: Served, open_page: Opener) -> None:
    page = open_page(served.link("post-edit", "harm"), expected="422")
    done = int(page.locator(".progress span").inner_text().split()[0])
    press(page, "Enter", "Enter")
    expect(page.locator("#error")).to_contain_text("not changed anything")
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    expect_done(page, done + 1)


def test_marking_by_keyboard(served: Served, open_page: Opener) -> None:
    page = open_page(served.link("mark", "harm"))
    press(page, "Tab", "ArrowRight", "ArrowRight", "Space", "Enter", "text:at", "Enter")
    expect(page.locator(".edits li ins")).to_have_text("at")
    press(page, "Tab", "Shift+ArrowRight", "Enter", "text:You are", "Enter")
    expect(page.locator(".edits li")).to_have_count(2)
    page.locator("button[name=remove]").first.press("Enter")
    expect(page.locator(".edits li ins")).to_have_text(["at"])


def test_keys_do_no_harm(served: Served, open_page: Opener) -> None:
    page = open_page(served.link("usage", "harm"))
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
