"""A real browser and a real server."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from campaign_driver import free_port
from playwright.sync_api import Browser, Page, expect, sync_playwright

from redink.campaign import server
from redink.cli.main import main

if TYPE_CHECKING:
    from tests.browser.campaigns import Served

Listeners = dict[str, Callable[[Any], None]]
"""Listeners to the events of a page."""
PATIENCE = 250_000
"""Milliseconds; only a test that fails waits so long, on however busy a machine."""
expect.set_options(timeout=PATIENCE)
SIZES = {"desktop": (1280, 800), "phone": (375, 720)}
LOOKS = [
    ("desktop", "light"),
    ("phone", "dark"),
    pytest.param("desktop", "dark", marks=pytest.mark.slow),
    pytest.param("phone", "light", marks=pytest.mark.slow),
]
"""Sizes and schemes: each in the quick tests, all together in the long ones."""
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium, as the system has it.

    Its shell without windows draws the same pages with less than half of the work.
    """
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE)
        yield browser
        browser.close()


@contextmanager
def open_window(
    browser: Browser,
    *,
    size: str = "desktop",
    scheme: str = "light",
    listeners: Listeners | None = None,
    **options: Any,
) -> Iterator[Page]:
    """A window with these options of a browser context, and listeners to its events."""
    with closing(browser.new_context(**options)) as context:
        context.set_default_timeout(PATIENCE)  # by itself the browser gives up soon
        page = context.new_page()
        show(page, size, scheme)
        for event, listener in (listeners or {}).items():
            page.on(event, listener)  # type: ignore[call-overload]
        yield page


def show(page: Page, size: str, scheme: str) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page of a size and scheme; console errors and foreign requests fail the test.

    ``mobile`` has no mouse and no keyboard; ``expected`` is part of the one console error that the
    test provokes.
    """
    problems: list[str] = []
    with ExitStack() as opened:

        def make(
            address: str,
            *,
            size: str = "desktop",
            scheme: str = "light",
            mobile: bool = False,
            expected: str | None = None,
        ) -> Page:
            home = address.split("/", 3)[:3]
            listeners: Listeners = {
                "console": lambda message: (
                    problems.append(message.text)
                    if message.type == "error" and not (expected and expected in message.text)
                    else None
                ),
                "pageerror": lambda error: problems.append(str(error)),
                "request": lambda request: (
                    None
                    if request.url.split("/", 3)[:3] == home or request.url.startswith("data:")
                    else problems.append(f"a request left the page: {request.url}")
                ),
            }
            touch = {"has_touch": size == "phone", "is_mobile": mobile}
            window = open_window(browser, size=size, scheme=scheme, listeners=listeners, **touch)
            page = opened.enter_context(window)
            page.goto(address)
            return page

        yield make
    assert problems == []


def start(*words: str | Path, log: str = os.devnull) -> BaseProcess:
    """``redink WORDS`` in a process of its own, copied from one that has the libraries loaded."""
    way = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(way)
    context.set_forkserver_preload(["redink.campaign.web_app", "redink.campaign.server", "uvicorn"])
    process = context.Process(target=_run, args=([str(word) for word in words], log), daemon=True)
    process.start()
    return process


def _run(words: list[str], log: str) -> None:
    with Path(log).open("w", encoding="utf-8") as errors:
        os.dup2(errors.fileno(), 2)
    sys.argv = ["redink", *words]
    server._STORE_SECONDS = PATIENCE / 1000  # a slow disk is not taken for one that hangs
    main()


def wait_until_up(address: str, process: BaseProcess) -> None:
    while True:
        assert process.is_alive(), "the server has stopped"
        try:
            with urlopen(address):  # noqa: S310 (our own server)
                return
        except (URLError, ConnectionError):
            time.sleep(0.02)


def stop(process: BaseProcess) -> None:
    process.terminate()
    process.join()


@pytest.fixture
def serve() -> Iterator[Callable[[Path], str]]:
    """Serve campaigns with the real command; the answer is the address."""
    processes: list[BaseProcess] = []

    def serve_place(place: Path) -> str:
        port = free_port()
        processes.append(start("campaign", "serve", place, "--port", str(port)))
        address = f"http://127.0.0.1:{port}"
        wait_until_up(address, processes[-1])
        return address

    yield serve_place
    for process in processes:
        stop(process)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A campaign of every task, all on one server; tests that use it are of one xdist group."""
    from tests.browser.campaigns import serve_campaigns

    with serve_campaigns(tmp_path_factory.mktemp("tasks")) as served:
        yield served


def find_axe() -> Path | None:
    """The script of axe-core, where npm has put it; REDINK_AXE may name it."""
    places = [Path(os.environ["REDINK_AXE"])] if "REDINK_AXE" in os.environ else []
    places.append(Path("node_modules/axe-core/axe.min.js"))
    npm = shutil.which("npm")
    if npm:
        done = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, check=False)
        places.append(Path(done.stdout.strip()) / "axe-core" / "axe.min.js")
    return next((place for place in places if place.is_file()), None)


@pytest.fixture(scope="session")
def axe() -> str:
    place = find_axe()
    if place is None:
        pytest.skip("axe-core is not installed: npm install axe-core, or REDINK_AXE=FILE")
    return place.read_text(encoding="utf-8")


LAYOUT = ("color-contrast", "scrollable-region-focusable")
"""All that is different on a phone in the dark."""


def ask_axe(page: Page, **options: object) -> list[str]:
    """What axe-core finds on a page into which it was loaded.

    Only that is brought here: what it finds to be right is a hundred times as much.
    """
    asked = {"resultTypes": ["violations"], "selectors": False, **options}
    problems = page.evaluate("options => axe.run(options).then((all) => all.violations)", asked)
    found = []
    for problem in problems:
        nodes = [node["html"][:160] for node in problem["nodes"][:3]]
        found.append(f"{problem['impact']} {problem['id']} {nodes}")
    return found


def find_problems(page: Page, axe: str, *, name: str = "") -> list[str]:
    """What axe-core's rules for WCAG 2.2 AA and good practice find, on a desktop and on a phone."""
    page.evaluate(axe)
    found = [f"{name} light: {problem}" for problem in ask_axe(page)]
    show(page, "phone", "dark")
    found += [f"{name} dark: {problem}" for problem in ask_axe(page, runOnly=LAYOUT)]
    show(page, "desktop", "light")
    return found
