"""A campaign in a real browser: results taking shape, pauses, second windows, a lost server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from campaign_driver import free_port
from playwright.sync_api import Browser, Page, Route, expect
from tests.browser.campaigns import SENTENCES, fits, make_campaigns, paths_of, press
from tests.browser.conftest import SIZES, open_window, start, stop, wait_until_up

from redink.campaign.campaign_commands import create, export
from redink.campaign.store import CampaignStore
from redink.inputs import read_rankings

Opener = Callable[..., Page]
Server = Callable[[Path], str]


def check_sizes(page: Page) -> None:
    """Nothing is wider than the window, on a desktop or on a phone."""
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert fits(page)


def make_ranking(folder: Path, *judges: str) -> dict[str, str]:
    return make_campaigns(folder, tasks=["ranking"], people=judges)["ranking"]


def rank(page: Page) -> None:
    """Rank the versions in their order, once the page has put the focus: then all of them stand."""
    expect(page.locator("#task :focus")).to_have_count(1)
    press(page, *map(str, range(1, 1 + page.locator(".outputs li").count())), "Enter")


def test_a_lost_server_loses_no_answer(tmp_path: Path, browser: Browser) -> None:
    links = make_ranking(tmp_path, "alma")
    port = free_port()
    command = ("campaign", "serve", tmp_path / "ranking.db", "--port", str(port))
    server = start(*command)
    address = f"http://127.0.0.1:{port}"
    wait_until_up(address, server)
    with open_window(browser) as page:
        page.goto(address + links["alma"])
        server.kill()
        server.join()
        rank(page)
        expect(page.locator("#saving")).to_contain_text("Not saved yet")
        server = start(*command)
        wait_until_up(address, server)
        expect(page.locator(".progress span")).to_have_text("1 of 3")
    stop(server)
    export(tmp_path / "ranking.db", output=tmp_path / "out.xml")
    assert len(read_rankings(tmp_path / "out.xml")) == 1


def test_the_dashboard_shows_progress_and_results(
    tmp_path: Path, serve: Server, open_page: Opener
) -> None:
    links = make_ranking(tmp_path, "alma", "bruno")
    address = serve(tmp_path / "ranking.db")
    for judge in ("alma", "bruno"):
        page = open_page(address + links[judge])
        for number in range(3):
            expect(page.locator(".progress span")).to_have_text(f"{number} of 3")
            rank(page)
        expect(page.locator("h1")).to_have_text("Thank you")
    page = open_page(address + links["organizer"])
    expect(page.locator("table.judges")).to_contain_text("3 of 3")
    # The page came at once; the results follow by themselves, from a process of their own.
    expect(page.locator("figure.redink-table").first).to_contain_text("INPUT")
    check_sizes(page)
    with page.expect_navigation():
        page.get_by_role("link", name="Items and disagreements").click()
    with page.expect_navigation():
        page.get_by_role("link", name="all", exact=True).click()
    check_sizes(page)
    with page.expect_navigation():
        page.locator("table a").first.click()
    expect(page.locator("h2").first).to_have_text("Answers")
    check_sizes(page)
    page.goto(address + links["organizer"])
    page.get_by_label("Invite a judge").fill("chidi")
    page.get_by_role("button", name="Create link").click()
    expect(page.locator(".link code")).to_contain_text("/j/")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.get_by_role("link", name="Revoke the link of chidi").click()
    check_sizes(page)
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator("table.judges")).to_contain_text("revoked")


def test_a_press_is_not_lost_to_news(tmp_path: Path, serve: Server, open_page: Opener) -> None:
    links = make_ranking(tmp_path, "alma")
    page = open_page(serve(tmp_path / "ranking.db") + links["organizer"])

    def ask_for_all(route: Route) -> None:
        known = {"if-none-match"}
        asked = {name: text for name, text in route.request.headers.items() if name not in known}
        route.continue_(headers=asked)

    page.route("**/live", ask_for_all)
    page.get_by_role("link", name="Revoke the link of alma").hover()
    page.mouse.down()
    for _ in range(2):  # when the page asks again, it is done with the answer before
        with page.expect_response("**/live") as news:
            pass
        assert news.value.status == 200
    page.unroute_all(behavior="ignoreErrors")
    page.mouse.up()
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator("table.judges")).to_contain_text("revoked")


def test_remarks_pauses_and_second_windows(
    tmp_path: Path, serve: Server, open_page: Opener
) -> None:
    rows = [f"{sentence},1,2\n" for sentence in SENTENCES]
    (tmp_path / "items.csv").write_text("".join(["text,start,end\n", *rows]), encoding="utf-8")
    made = create(tmp_path / "c.db", task="crowd", file=tmp_path / "items.csv", judges=["bruno"])
    links = paths_of(made)
    address = serve(tmp_path / "c.db")
    page = open_page(address + links["bruno"], size="phone", scheme="dark", expected="503")
    page.get_by_text("Report a problem").click()
    page.get_by_label("Comment").fill("12 ? u")
    assert fits(page)
    page.get_by_role("button", name="Skip this item").click()
    expect(page.locator(".progress span")).to_have_text("1 of 3")
    second = page.context.new_page()
    second.goto(f"{address}{links['bruno']}/1")
    press(page, "1", "Enter")
    expect(page.locator(".progress span")).to_have_text("2 of 3")
    press(second, "2", "Enter")
    expect(second.locator("#error")).to_contain_text("answered in another window")
    second.goto(address + links["organizer"])
    second.get_by_role("button", name="Pause").click()
    expect(second.get_by_role("button", name="Resume")).to_be_visible()
    with closing(CampaignStore.open(tmp_path / "c.db")) as store:
        press(page, "2", "Enter")
        expect(page.locator("#saving")).to_contain_text("Not saved yet")
        assert len(store.answers()) == 2
        second.get_by_role("button", name="Resume").click()
        expect(page.locator("h1")).to_have_text("Thank you")
        given = store.answers()
    page.wait_for_load_state()  # the script that hears the key
    page.keyboard.press("u")
    expect(page.locator("input:checked")).to_have_attribute("value", "ok")
    assert [answer.remark for answer in given] == [
        {"skipped": True, "comment": "12 ? u"},
        None,
        None,
    ]
    assert [answer.answer.get("label") for answer in given] == [None, "error", "ok"]
    assert all(answer.seconds is not None and answer.seconds < 600 for answer in given)
