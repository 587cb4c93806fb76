"""A campaign in a real browser: results taking shape, pauses, second windows, a lost server."""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from campaign_driver import free_port
from playwright.sync_api import Browser, Page, Route, expect
from tests.browser.campaigns import answer_by_keys, fits, press
from tests.browser.conftest import SIZES, open_window, start, stop, wait_until_up
from tests.terminal import run_command

from redink.campaign.store import CampaignStore
from redink.inputs import read_rankings

Opener = Callable[..., Page]
Server = Callable[[Path], str]

SENTENCES = [
    "Last year I moved at a city far away .",
    "I am good in chess and afraid from spiders .",
    "She explained me the way to the station .",
]


def run(*words: str, cwd: Path) -> str:
    done = run_command(cwd, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def links_of(output: str) -> dict[str, str]:
    pairs = (line.split("\t") for line in output.splitlines())
    return {name: "/" + link.split("/", 3)[3] for name, link in pairs}


def check_sizes(page: Page) -> None:
    """Nothing is wider than the window, on a desktop or on a phone."""
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        assert fits(page)


def write_items(folder: Path) -> str:
    """A file of items, each with a word marked."""
    with (folder / "items.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["item", "text", "start", "end", "before"])
        for number, sentence in enumerate(SENTENCES):
            writer.writerow([f"i{number}", sentence, 4, 5, "Hello ."])
    return "items.csv"


def make_ranking(folder: Path, *, judges: tuple[str, ...] = ("alma",)) -> dict[str, str]:
    """A ranking campaign on three sentences and three systems."""
    (folder / "source.txt").write_text("\n".join(SENTENCES) + "\n", encoding="utf-8")
    good = ["Last year I moved to a city far away .", *SENTENCES[1:]]
    good[1] = "I am good at chess and afraid of spiders ."
    good[2] = "She explained the way to the station to me ."
    bad = [sentence.replace(" I ", " me ").replace("She", "Her") for sentence in SENTENCES]
    (folder / "good.txt").write_text("\n".join(good) + "\n", encoding="utf-8")
    (folder / "bad.txt").write_text("\n".join(bad) + "\n", encoding="utf-8")
    invitations = [word for name in judges for word in ("--judge", name)]
    words = [
        "campaign",
        "create",
        "r.db",
        "--task",
        "ranking",
        "--source",
        "source.txt",
        "good.txt",
        "bad.txt",
    ]
    return links_of(run(*words, *invitations, "--title", "Learner essays", cwd=folder))


def rank(page: Page) -> None:
    """Rank the versions in their order, once the page has put the focus: then all of them stand."""
    expect(page.locator("#task :focus")).to_have_count(1)
    press(page, *map(str, range(1, 1 + page.locator(".outputs li").count())), "Enter")


def test_an_incomplete_ranking_is_explained(
    tmp_path: Path, serve: Server, open_page: Opener
) -> None:
    links = make_ranking(tmp_path)
    page = open_page(serve(tmp_path / "r.db") + links["alma"], expected="422")
    press(page, "1")
    page.evaluate("document.getElementById('task').noValidate = true")
    page.locator("#task").evaluate(
        "form => form.dispatchEvent(new SubmitEvent('submit', {cancelable: true}))"
    )
    expect(page.locator("#error")).to_have_text("Please give every version a rank.")
    expect(page.locator("input:checked")).to_have_count(1)


def test_a_lost_server_loses_no_answer(tmp_path: Path, browser: Browser) -> None:
    links = make_ranking(tmp_path)
    port = free_port()
    command = ("campaign", "serve", tmp_path / "r.db", "--port", str(port))
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
    run("campaign", "export", "r.db", "-o", "out.xml", cwd=tmp_path)
    assert len(read_rankings(tmp_path / "out.xml")) == 1


def test_the_dashboard_shows_progress_and_results(
    tmp_path: Path, serve: Server, open_page: Opener
) -> None:
    links = make_ranking(tmp_path, judges=("alma", "bruno"))
    address = serve(tmp_path / "r.db")
    for judge in ("alma", "bruno"):
        page = open_page(address + links[judge])
        for number in range(3):
            expect(page.locator(".progress span")).to_have_text(f"{number} of 3")
            rank(page)
        expect(page.locator("h1")).to_have_text("Thank you")
    page = open_page(address + links["organiser"])
    expect(page.locator("table.judges")).to_contain_text("3 of 3")
    # The page came at once; the results follow by themselves, from a process of their own.
    expect(page.locator("figure.redink-table").first).to_contain_text("good")
    check_sizes(page)
    with page.expect_navigation():
        page.get_by_role("link", name="Items and disputes").click()
    with page.expect_navigation():
        page.get_by_role("link", name="all", exact=True).click()
    check_sizes(page)
    with page.expect_navigation():
        page.locator("table a").first.click()
    expect(page.locator("h2").first).to_have_text("What was said")
    check_sizes(page)
    page.goto(address + links["organiser"])
    page.get_by_label("Invite a judge").fill("chidi")
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator(".link code")).to_contain_text("/j/")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    page.get_by_role("button", name="Revoke the link of chidi").click()
    expect(page.locator("table.judges")).to_contain_text("revoked")


def test_wide_results_scroll_by_themselves(
    tmp_path: Path, serve: Server, open_page: Opener
) -> None:
    (tmp_path / "s.txt").write_text(f"{SENTENCES[0]}\n", encoding="utf-8")
    made = run(
        *("campaign", "create", "c.db", "--task", "correct", "--source", "s.txt"),
        *("--judge", "alma", "--judge", "bruno"),
        cwd=tmp_path,
    )
    links, address = links_of(made), serve(tmp_path / "c.db")
    for judge in ("alma", "bruno"):
        page = open_page(address + links[judge])
        answer_by_keys(page, "correct")
        expect(page.locator("h1")).to_have_text("Thank you")
    page = open_page(address + links["organiser"], size="phone")
    expect(page.locator("figure.redink-table").first).to_be_visible()
    assert fits(page)


def test_a_press_is_not_lost_to_news(tmp_path: Path, serve: Server, open_page: Opener) -> None:
    links = make_ranking(tmp_path)
    page = open_page(serve(tmp_path / "r.db") + links["organiser"])

    def ask_for_all(route: Route) -> None:
        known = {"if-none-match"}
        asked = {name: text for name, text in route.request.headers.items() if name not in known}
        route.continue_(headers=asked)

    page.route("**/live", ask_for_all)
    page.get_by_role("button", name="Revoke the link of alma").hover()
    page.mouse.down()
    for _ in range(2):  # when the page asks again, it is done with the answer before
        with page.expect_response("**/live") as news:
            pass
        assert news.value.status == 200
    page.unroute_all(behavior="ignoreErrors")
    page.mouse.up()
    expect(page.locator("table.judges")).to_contain_text("revoked")


def test_remarks_pauses_and_second_windows(
    tmp_path: Path, serve: Server, open_page: Opener
) -> None:
    made = run(
        *("campaign", "create", "c.db", "--task", "crowd", "--judge", "alma"),
        *("--from", write_items(tmp_path)),
        cwd=tmp_path,
    )
    (link,) = run("campaign", "invite", "c.db", "bruno", cwd=tmp_path).splitlines()
    token = link.rpartition("/")[2]
    address = serve(tmp_path / "c.db")
    page = open_page(f"{address}/j/{token}", size="phone", scheme="dark", expected="503")
    page.get_by_text("Something is wrong").click()
    page.get_by_label("Comment").fill("12 ? u")
    assert fits(page)
    page.get_by_role("button", name="Skip this item").click()
    expect(page.locator(".progress span")).to_have_text("1 of 3")
    second = page.context.new_page()
    second.goto(f"{address}/j/{token}/1")
    press(page, "1", "Enter")
    expect(page.locator(".progress span")).to_have_text("2 of 3")
    press(second, "2", "Enter")
    expect(second.locator("#error")).to_contain_text("answered in another window")
    second.goto(address + links_of(made)["organiser"])
    second.get_by_role("button", name="Pause").click()
    expect(second.get_by_role("button", name="Go on")).to_be_visible()
    with closing(CampaignStore.open(tmp_path / "c.db")) as store:
        press(page, "2", "Enter")
        expect(page.locator("#saving")).to_contain_text("Not saved yet")
        assert len(store.answers()) == 2
        second.get_by_role("button", name="Go on").click()
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
