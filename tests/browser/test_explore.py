"""The page of ``redink explore`` in a real browser, from a real server."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from playwright.sync_api import TimeoutError as TimeoutExpired
from tests.browser.conftest import find_problems, open_window

from redink.commands.report import report

EXAMPLES = Path(str(files("redink") / "examples"))
HOSTILE = "<script>alert(1)</script> </script><img src=x onerror=alert(2)> &amp; here ."


@contextmanager
def served(*arguments: str | Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Run the command on any free port; the address it prints, and what stops it."""
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "redink", "explore", *map(str, arguments)),
            *("--port", "0", "--no-open", "--bootstrap", "20"),
        ],
        text=True,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        lines = (re.match(r"http://127\.0\.0\.1:\d+/", line) for line in process.stderr)
        found = next(filter(None, lines), None)
        assert found is not None, "the server did not come up"

        def stop() -> None:
            process.terminate()
            assert process.wait() == 0

        try:
            yield found[0], stop
        except BaseException:  # nobody waits for it then
            process.kill()
            raise
        stop()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    systems = [EXAMPLES / f"{name}.txt" for name in ("careful", "eager", "speller")]
    with served(EXAMPLES / "gold.m2", *systems) as (address, _):
        yield address


@pytest.fixture(scope="module")
def hostile_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Sentences, corrections and names that would like to be markup."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "gold.m2").write_text(
        f"S {HOSTILE}\nA 0 1|||R:OTHER|||<b>bold</b>|||REQUIRED|||-NONE-|||0\n", encoding="utf-8"
    )
    (folder / "s.txt").write_text(f"{HOSTILE} <i>more</i>\n", encoding="utf-8")
    with served(folder / "gold.m2", f"<u>x</u>={folder / 's.txt'}") as (address, _):
        yield address


def test_a_view_can_be_kept_and_left(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address)
    count = page.locator("#count")
    expect(count).to_contain_text("64 of 64")
    page.locator("#type").select_option(label="missing")
    expect(count).not_to_contain_text("64 of 64")
    page.locator("#next").click()
    expect(count).to_contain_text("page 2")
    shown = count.inner_text()
    other = open_page(page.url)
    expect(other.locator("#count")).to_have_text(shown)
    expect(other.locator("#type")).to_have_value("M:")
    page.go_back()
    expect(count).to_contain_text("64 of 64")


def test_an_old_answer_does_not_hide_a_new_one(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    names = tmp_path / "documents.txt"
    names.write_text("".join(f"essay {1 + number // 16}\n" for number in range(64)))
    late: list[Route] = []
    with served(EXAMPLES / "gold.m2", EXAMPLES / "eager.txt", "--documents", names) as (address, _):
        page = open_page(address)
        page.route("**/documents/1", lambda route: late.append(route))  # noqa: PLW0108 (kept by it)
        with page.expect_request("**/documents/1"):
            page.locator("#document").select_option(label="essay 2")
        with page.expect_response("**/documents/2"):
            page.locator("#document").select_option(label="essay 3")
        essay = page.locator("#essay")
        expect(essay).to_contain_text("Anselm")
        with page.expect_response("**/documents/1") as old:
            late[0].continue_()
        old.value.finished()
        page.evaluate("fetch('documents/2').then((answer) => answer.json())")
        expect(essay).to_contain_text("Anselm")


def test_a_figure_leads_to_its_sentences(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address)
    row = page.locator("#leaderboard tbody tr", has_text="eager")
    row.locator("td[data-show*='FP']").click()
    expect(page.locator("#system")).to_have_value("eager")
    expect(page.locator("#verdict")).to_have_value("FP")
    expect(page.locator("#list > li").first.locator(".fp")).not_to_have_count(0)
    rows = page.locator("#types tbody tr")  # the first is of all types together
    rows.nth(1).locator("td[data-heat][data-show*='careful']").click()
    expect(page.locator("#system")).to_have_value("careful")
    expect(page.locator("#verdict")).to_have_value("")
    expect(page.locator("#type")).not_to_have_value("")


QUESTIONS = """
?page=3 ?words=the ?words=PENGUIN ?words=have++a ?words=zebra ?system=eager ?verdict=FN
?type=M%3A ?type=DET ?type=R%3AVERB%3ATENSE ?system=careful&type=NOUN%3ANUM&verdict=TP
?system=nobody ?type=NONE&page=x ?words=on&system=speller&verdict=FN&page=2
"""
ASK = """hash => new Promise((done) => {
  addEventListener("hashchange", () => setTimeout(done), { once: true });
  location.hash = hash;
})"""
SHOWN = '["#count", "#list"].map((name) => document.querySelector(name).innerText)'


def test_page_and_server_answer_alike(
    open_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    systems = {name: EXAMPLES / f"{name}.txt" for name in ("careful", "eager", "speller")}
    report(EXAMPLES / "gold.m2", systems, tmp_path, metrics=["errant"], bootstrap=20)
    served, alone = open_page(address), open_page((tmp_path / "report.html").as_uri())
    for question in ("", *QUESTIONS.split()):
        for page in (served, alone):
            page.evaluate(ASK, f"#sentences{question}")
        expected = alone.evaluate(SHOWN)
        assert "of 64 sentences" in expected[0]
        with suppress(TimeoutExpired):  # what the server answers comes a little later
            served.wait_for_function(
                f"expected => `${{{SHOWN}}}` === `${{expected}}`", arg=expected
            )
        assert served.evaluate(SHOWN) == expected, question


def test_axe_finds_nothing(browser: Browser, address: str, axe: str) -> None:
    with open_window(browser, bypass_csp=True) as page:
        page.goto(address)
        expect(page.locator("#list > li")).to_have_count(10)
        found = find_problems(page, axe)
    assert not found, "\n".join(found)


def test_hostile_text_is_text(open_page: Callable[..., Page], hostile_address: str) -> None:
    page = open_page(hostile_address)
    expect(page.locator("#list .source")).to_contain_text(HOSTILE)
    expect(page.locator("#list")).to_contain_text("<b>bold</b>")
    expect(page.locator("#leaderboard")).to_contain_text("<u>x</u>")
    assert page.locator("img, u").count() == 0
    page.locator("#system").select_option(label="<u>x</u>")
    expect(page.locator("#count")).to_contain_text("1 of 1")


def test_a_server_that_has_gone_is_told(open_page: Callable[..., Page]) -> None:
    with served(EXAMPLES / "gold.m2", EXAMPLES / "careful.txt") as (address, stop):
        page = open_page(address, expected="ERR_CONNECTION_REFUSED")
        expect(page.locator("#list > li")).to_have_count(10)
        stop()
        page.locator("#next").click()
        expect(page.locator("#count")).to_contain_text("Is redink still running?")
        expect(page.locator("#list > li")).to_have_count(10)
