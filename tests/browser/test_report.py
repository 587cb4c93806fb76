"""The report in a real browser, opened from disk."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import LOOKS, find_problems, open_window

from redink.commands.report import report
from redink.model import Column, make_table
from redink.reports.html import render_board


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


in_every_look = pytest.mark.parametrize(("size", "scheme"), LOOKS)


@pytest.fixture
def opened(open_page: Callable[..., Page], page_path: Path, size: str, scheme: str) -> Page:
    """The page in a size and scheme; no error is logged and no request leaves it."""
    page = open_page(page_path.as_uri(), size=size, scheme=scheme)
    expect(page.locator("#list > li")).to_have_count(10)
    return page


@in_every_look
def test_the_page_sorts_filters_and_turns(opened: Page, request: pytest.FixtureRequest) -> None:
    page = opened
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    table = page.locator("#leaderboard table:visible")
    names = table.locator("tbody tr td:first-child")
    expect(names).to_have_text(["careful", "eager", "speller"])
    table.get_by_role("button", name=re.compile("^R( |$)")).click()
    expect(names).to_have_text(["eager", "careful", "speller"])
    score, whole = table.locator("tbody td:nth-child(2)").first.bounding_box(), table.bounding_box()
    assert score
    assert whole
    assert score["x"] - whole["x"] < 250
    table.get_by_role("button", name=re.compile("^R( |$)")).click()
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
    expect(count).to_contain_text("where careful is further ahead first")
    first = page.locator("#list > li").first
    expect(first.locator(".reading", has_text="careful").locator(".fp")).to_have_count(0)
    expect(first.locator(".reading", has_text="eager").locator(".fp")).not_to_have_count(0)
    expect(first).not_to_contain_text("speller")
    page.locator("#reset").click()
    page.locator("#which").select_option(value="nobody")
    expect(count).not_to_contain_text("64 of 64")
    expect(page.locator("#list .tp")).to_have_count(0)
    expect(page.locator("#list .fn")).not_to_have_count(0)


@in_every_look
def test_another_metric_ranks_and_is_remembered(opened: Page) -> None:
    page = opened
    expect(page.locator(".answers dt:visible").first).to_have_text("Who leads?")
    page.locator("#metric").select_option("m2")
    expect(page.locator("#leaderboard table:visible")).to_have_count(1)
    expect(page.locator("#leaderboard p:visible", has_text="By m2.")).to_be_visible()
    expect(page.locator(".answers dt:visible").first).to_have_text("Who leads by m2?")
    page.reload()
    expect(page.locator("#metric")).to_have_value("m2")
    expect(page.locator("#leaderboard p:visible", has_text="By m2.")).to_be_visible()


@in_every_look
def test_two_systems_are_compared_type_by_type(opened: Page) -> None:
    """Any two; the best type of the first on top; a type leads to where they differ on it."""
    page = opened
    rows = page.locator("#pair tbody tr")
    expect(rows.first).to_contain_text("+11.7")  # of all types together
    page.locator("#second").select_option("speller")
    page.locator("#least").select_option("1")
    figures = rows.locator("td:nth-child(2)").all_inner_texts()
    gaps = [float(text.replace("\N{MINUS SIGN}", "-")) for text in figures]
    assert len(gaps) > 5
    assert gaps[1:] == sorted(gaps[1:], reverse=True)
    page.locator("#swap").click()
    expect(page.locator("#first")).to_have_value("speller")
    turned = rows.locator("td:nth-child(2)").all_inner_texts()
    assert [float(text.replace("\N{MINUS SIGN}", "-")) for text in turned[1:]] == [
        -gap or 0.0 for gap in reversed(gaps[1:])
    ]
    shown = rows.all_inner_texts()
    page.reload()  # the address has kept the pair
    expect(rows.first).to_contain_text(shown[0].split()[1])
    assert rows.all_inner_texts() == shown
    rows.nth(1).get_by_role("link").click()
    expect(page.locator("#system")).to_have_value("speller")
    expect(page.locator("#other")).to_have_value("careful")
    expect(page.locator("#type")).not_to_have_value("")


@pytest.fixture
def desktop(open_page: Callable[..., Page], page_path: Path) -> Page:
    """The page on a desktop, where scripts may write to the clipboard."""
    page = open_page(page_path.as_uri())
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(page.locator("#list > li")).to_have_count(10)
    return page


def test_a_system_is_hidden_everywhere_and_the_address_keeps_it(desktop: Page) -> None:
    page = desktop
    chart = page.locator("#leaderboard svg.lines:visible")
    ticks = chart.locator(".axis text")
    before = ticks.all_text_contents()
    height = chart.bounding_box()["height"]  # type: ignore[index]
    expect(page.locator("#list")).to_contain_text("speller")
    page.locator("#shown summary").click()
    page.get_by_label("speller", exact=True).uncheck()
    assert float(ticks.all_text_contents()[0]) > float(before[0])
    page.locator("#metric").select_option("m2")
    for _ in range(2):
        expect(page.locator("#shown summary")).to_have_text("Systems: 2 of 3")
        rows = page.locator("#leaderboard table:visible tbody tr:visible")
        expect(rows.locator("td:first-child")).to_have_text(["careful", "eager"])
        heads = page.locator("#types thead th:visible")
        expect(heads).to_have_text(["type", "gold", "careful", "eager"])
        assert chart.bounding_box()["height"] < height  # type: ignore[index]
        gone = page.locator("#leaderboard div:not([hidden]) svg [data-system=speller]")
        looks = gone.evaluate_all("(all) => all.map((one) => getComputedStyle(one).visibility)")
        assert set(looks) == {"hidden"}
        expect(page.locator("#list")).not_to_contain_text("speller")
        page.goto(page.url)  # as somebody else would who was sent the address
        expect(page.locator("#list > li")).to_have_count(10)
    expect(page.locator("#metric")).to_have_value("m2")
    page.locator("#metric").select_option("errant")
    page.locator("#shown").get_by_role("button", name="All").click()
    assert ticks.all_text_contents() == before
    assert "hide" not in page.url
    expect(page.locator("#list")).to_contain_text("speller")


CLICK = """button => new Promise((done) => {
  new MutationObserver(() => done(button.textContent)).observe(button, { childList: true });
  button.click();
})"""
"""What a button says next: it says so for a moment only, which a slow machine can miss."""


def test_tables_and_charts_are_taken_along(desktop: Page, tmp_path: Path) -> None:
    page = desktop
    bar = page.locator("#metrics .scroll + .take")
    copied = {}
    for form in ("LaTeX", "Markdown", "CSV"):
        button = bar.get_by_role("button", name=f"as {form}")
        assert button.evaluate(CLICK) == "copied"
        copied[form] = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied["LaTeX"][1:4] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"system & errant & m2 \\",
    ]
    assert r"careful & \textbf{74.5} & \textbf{74.5} \\" in copied["LaTeX"]
    assert copied["Markdown"][:2] == ["| system | errant | m2 |", "|:---|---:|---:|"]
    assert copied["CSV"][0] == "system,errant,m2"
    assert float(copied["CSV"][1].split(",")[1]) == pytest.approx(0.745, abs=1e-3)
    figure = page.locator("#leaderboard figure:visible").nth(1)
    for form, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            figure.get_by_role("button", name=form).click()
        assert download.value.suggested_filename == f"precision-recall.{form.lower()}"
        download.value.save_as(tmp_path / form)
        assert (tmp_path / form).read_bytes().startswith(start)
    drawing = (tmp_path / "SVG").read_text(encoding="utf-8")
    assert "careful" in drawing
    assert "var(" not in drawing  # nothing of it hangs on the page


@in_every_look
def test_a_document_shows_the_edits_of_one_reader(opened: Page) -> None:
    essay = opened.locator("#essay")
    expect(essay.locator(".tp, .fp, .fn")).not_to_have_count(0)
    first = essay.inner_text()
    opened.locator("#document").select_option(label="essay 2")
    expect(essay).not_to_have_text(first)
    opened.locator("#reader").select_option(label="annotator 0")
    expect(essay.locator(".gold")).not_to_have_count(0)
    expect(essay.locator(".tp, .fp, .fn")).to_have_count(0)


def test_axe_finds_nothing(browser: Browser, page_path: Path, tmp_path: Path, axe: str) -> None:
    board = make_table(["system", Column("f", "rate")], [{"system": "a", "f": 0.5}])
    (tmp_path / "board.html").write_text(
        render_board("Task", [("Test", board, "report.html")], ["A note."])
    )
    found = []
    with open_window(browser, bypass_csp=True) as page:
        for path in (page_path, tmp_path / "board.html"):
            page.goto(path.as_uri())
            page.evaluate(
                "document.querySelectorAll('details').forEach(one => { one.open = true; })"
            )
            found += find_problems(page, axe, name=path.name)
    assert not found, "\n".join(found)


def test_the_page_prints(browser: Browser, page_path: Path, tmp_path: Path) -> None:
    with open_window(browser) as page:
        page.goto(page_path.as_uri())
        page.emulate_media(media="print")
        expect(page.locator("#sentences .filters")).to_be_hidden()
        page.pdf(path=tmp_path / "report.pdf")
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes())
    assert 1 <= len(pages) <= 40
