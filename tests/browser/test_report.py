"""The report in a real browser, opened from disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from redink.workflows.report import report

Picture = Callable[[Page, str], None]


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the bundled example."""
    folder = tmp_path_factory.mktemp("report")
    examples = Path(str(files("redink") / "examples"))
    systems = {name: examples / f"{name}.txt" for name in ("careful", "eager", "speller")}
    names = folder / "documents.txt"
    names.write_text("".join(f"essay {1 + number // 16}\n" for number in range(64)))
    report(
        examples / "gold.m2",
        systems,
        folder,
        metrics=["errant", "m2"],
        bootstrap=100,
        documents=names,
    )
    return folder / "report.html"


@pytest.fixture(params=["desktop-light", "desktop-dark", "phone-light", "phone-dark"])
def opened(request: pytest.FixtureRequest, browser: Browser, page_path: Path) -> Iterator[Page]:
    """The page in every size and scheme; no error is logged and no request leaves it."""
    size, scheme = request.param.split("-")
    width, height = {"desktop": (1280, 900), "phone": (375, 720)}[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda r: problems.append(r.url) if not r.url.startswith(("file:", "data:")) else None,
    )
    page.goto(page_path.as_uri())
    expect(page.locator("#list > li")).to_have_count(10)
    yield page
    context.close()
    assert problems == []


def test_the_page_sorts_filters_and_turns(
    opened: Page, picture: Picture, request: pytest.FixtureRequest
) -> None:
    """Sort a table by a heading, filter by type, verdict, system and words, turn pages by key."""
    page = opened
    picture(page, f"report-{request.node.callspec.id}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    table = page.locator("#leaderboard table")
    names = table.locator("tbody tr td:first-child")
    expect(names).to_have_text(["careful", "eager", "speller"])
    table.get_by_role("button", name="recall").click()
    expect(names).to_have_text(["eager", "careful", "speller"])
    table.get_by_role("button", name="recall").click()
    expect(names).to_have_text(["speller", "careful", "eager"])

    count = page.locator("#count")
    expect(count).to_contain_text("64 of 64 sentences, page 1 of 7")
    page.locator("h1").click()
    page.keyboard.press("n")
    expect(count).to_contain_text("page 2 of 7")
    page.keyboard.press("p")
    expect(count).to_contain_text("page 1 of 7")

    page.keyboard.press("/")
    page.keyboard.type("penguin")
    expect(count).to_contain_text("2 of 64 sentences")
    page.locator("#words").fill("")
    page.locator("#system").select_option(label="eager")
    page.locator("#verdict").select_option(label="FP")
    page.locator("#type").select_option(label="M:DET")
    first = page.locator("#list > li").first
    expect(first.locator(".fp")).not_to_have_count(0)
    expect(first).not_to_contain_text("careful")
    found = re.match(r"(\d+) of 64", count.inner_text())
    assert found is not None
    assert 0 < int(found[1]) < 64

    page.locator("#reset").click()
    page.locator("#system").select_option(label="careful")
    page.locator("#other").select_option(label="eager")
    expect(count).not_to_contain_text("64 of 64")
    first = page.locator("#list > li").first
    expect(first).to_contain_text("careful")
    expect(first).to_contain_text("eager")
    expect(first).not_to_contain_text("speller")
    page.locator("#reset").click()
    page.locator("#which").select_option(value="nobody")
    expect(count).not_to_contain_text("64 of 64")
    expect(page.locator("#list .tp")).to_have_count(0)
    expect(page.locator("#list .fn")).not_to_have_count(0)


def test_a_document_shows_the_edits_of_one_reader(opened: Page) -> None:
    """The essay as written; another document or reader, and it shows theirs."""
    essay = opened.locator("#essay")
    expect(essay.locator(".tp, .fp, .fn")).not_to_have_count(0)
    first = essay.inner_text()
    opened.locator("#document").select_option(label="essay 2")
    expect(essay).not_to_have_text(first)
    opened.locator("#reader").select_option(label="annotator 0")
    expect(essay.locator(".gold")).not_to_have_count(0)
    expect(essay.locator(".tp, .fp, .fn")).to_have_count(0)


def test_the_page_stands_alone(page_path: Path) -> None:
    """Nothing on it refers to another file or site."""
    text = page_path.read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!#|data:)', text)
    assert "http:" not in text.replace("http-equiv", "")


def test_the_page_prints(browser: Browser, page_path: Path, tmp_path: Path) -> None:
    """The page becomes a PDF of a few pages without its controls."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(page_path.as_uri())
    page.emulate_media(media="print")
    expect(page.locator("#sentences .filters")).to_be_hidden()
    page.pdf(path=tmp_path / "report.pdf")
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes())
    assert 1 <= len(pages) <= 40
    context.close()
