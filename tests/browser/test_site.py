"""The documentation as a site: built here, and opened in a real browser."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import find_problems, open_window

pytest.importorskip("sphinx", reason="sphinx is not installed")
pytest.importorskip("furo", reason="furo is not installed")
pytest.importorskip("myst_nb", reason="myst-nb is not installed")

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
Opener = Callable[..., Page]
PAGES = ("index", "api", "gallery", "paper-table", "judgments", "cli", "scoring")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "docs.write_site", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Served, as it will be: a browser does not search in files."""
    quiet = partial(SimpleHTTPRequestHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_every_link_leads_somewhere(site: Path) -> None:
    places = {
        path.name: set(re.findall(r'\bid="([^"]+)"', path.read_text(encoding="utf-8")))
        for path in site.glob("*.html")
    }
    assert len(places) > 30
    lost = []
    for path in site.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            target, _, place = unquote(unescape(link)).partition("#")
            if re.match(r"[a-z]+:|//", target):
                continue
            name = target.split("?")[0] or path.name
            if not (site / name).exists() or (
                place and name in places and place not in places[name]
            ):
                lost.append((path.name, link))
    assert lost == []


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_pages_can_be_read(address: str, size: str, scheme: str, open_page: Opener) -> None:
    for name in PAGES:
        page = open_page(f"{address}/{name}.html", size=size, scheme=scheme)
        expect(page.locator("h1").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
        broken = "[...document.images].filter(one => one.complete && !one.naturalWidth).length"
        assert page.evaluate(broken) == 0


def test_axe_finds_nothing_serious(address: str, browser: Browser, axe: str) -> None:
    found = []
    with open_window(browser, bypass_csp=True) as page:
        for name in PAGES:  # of these, api takes axe-core twenty seconds: it is very long
            page.goto(f"{address}/{name}.html")
            found += find_problems(page, axe, name=name)
    serious = [problem for problem in found if re.search(r": (serious|critical) ", problem)]
    assert not serious, "\n".join(serious)


def test_search_finds_a_page(address: str, open_page: Opener) -> None:
    page = open_page(f"{address}/search.html?q=bootstrap")
    found = page.locator("#search-results li a", has_text="Comparing")  # one comes after another
    expect(found.first).to_be_visible()


def test_names_of_the_package_are_explained(site: Path) -> None:
    import redink

    text = "".join(page.read_text(encoding="utf-8") for page in site.glob("api-*.html"))
    for name in redink.__all__:
        if name != "__version__":
            is_class = isinstance(getattr(redink, name), type)
            anchor = f"redink.{name}" if is_class else name.replace("_", "-")
            assert f'id="{anchor}"' in text, name
    shown = unescape(re.sub(r"<[^>]+>", "", text))
    assert not re.findall(r"Annotated\[|Flag\(|Limits\(", shown)
