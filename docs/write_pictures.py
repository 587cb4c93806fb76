"""Write the pictures of the front page from the bundled example: docs/pictures/*.png.

    python docs/write_pictures.py

It needs Chromium, and the extras ``campaign`` and ``dev``. The pictures are committed because code
hosting sites display them; write them again when the pages have changed.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, sync_playwright

FOLDER = Path(__file__).with_name("pictures")
EXAMPLES = Path(str(files("redink") / "examples"))
SYSTEMS = ("careful.txt", "eager.txt", "speller.txt")


def redink(*words: str, where: Path) -> str:
    """Run a command in the example's folder and return its output."""
    command = [sys.executable, "-m", "redink", *words]
    return subprocess.run(command, cwd=where, check=True, capture_output=True, text=True).stdout


def shoot(browser: Browser, address: str, name: str, *, height: int) -> None:
    """Take a screenshot of a page at desktop size."""
    page = browser.new_page(viewport={"width": 1080, "height": height}, color_scheme="light")
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=FOLDER / name)
    page.close()


def shoot_campaign(browser: Browser, where: Path) -> None:
    """Take a screenshot of a ranking task as a judge sees it."""
    words = ["--task", "ranking", "--source", "source.txt", *SYSTEMS, "--items", "5"]
    made = redink("campaign", "create", "c.db", *words, "--judge", "alma", where=where)
    link = next(line.split("\t")[1] for line in made.splitlines() if line.startswith("alma"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "redink", "campaign", "serve", "c.db", "--port", str(port)]
    with subprocess.Popen(command, cwd=where, stderr=subprocess.DEVNULL) as server:
        try:
            address = f"http://127.0.0.1:{port}/{link.split('/', 3)[3]}"
            for _ in range(100):
                try:
                    urlopen(address).close()
                    break
                except URLError:
                    time.sleep(0.1)
            shoot(browser, address, "campaign.png", height=640)
        finally:
            server.terminate()


def main() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        where = Path(folder)
        shutil.copytree(EXAMPLES, where, dirs_exist_ok=True)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        redink("report", "gold.m2", *SYSTEMS, "-o", "out", "-q", where=where)
        shoot(browser, (where / "out" / "report.html").as_uri(), "report.png", height=890)
        types = ["--metric", "errant", "--by", "type", "--plot", str(FOLDER / "types.png")]
        redink("score", "gold.m2", *SYSTEMS, *types, "-q", where=where)
        shoot_campaign(browser, where)
        browser.close()


if __name__ == "__main__":
    main()
