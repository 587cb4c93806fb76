"""A small campaign of each kind, made for real in a temporary place."""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from campaign_driver import free_port
from starlette.testclient import TestClient

from redink.campaign import server as server_module
from redink.campaign.assignment import AssignmentPlan
from redink.campaign.pages import Site
from redink.campaign.server import CampaignServer
from redink.campaign.setup import create_campaign, invite
from redink.campaign.store import CampaignStore
from redink.campaign.task_items import CampaignItem
from redink.campaign.web_app import create_app

_NUMBERS = count()
"""Of the databases on our server."""


def ranking_item(number: int) -> CampaignItem:
    return CampaignItem(
        id=number,
        key=f"s{number}",
        payload={
            "sentence": number,
            "before": "It rained .",
            "source": f"She have {number} cat .",
            "after": "They sleep .",
            "outputs": [
                {"text": f"She has {number} cats .", "systems": ["alpha"]},
                {"text": f"She have {number} cat .", "systems": ["INPUT", "beta"]},
                {"text": f"She has {number} cat .", "systems": ["gamma"]},
            ],
        },
    )


def marked_item(number: int, gold: str | None = None) -> CampaignItem:
    payload = {"text": f"I am good in game {number} .", "start": 3, "end": 4, "before": "Hello ."}
    return CampaignItem(id=number, key=f"i{number}", payload=payload, gold=gold)


def item_for(task: str, number: int) -> CampaignItem:
    if task == "ranking":
        return ranking_item(number)
    item = marked_item(number)
    edits = [[3, 4, "at", "R:PREP", "part-of-speech"]]
    more: dict[str, dict[str, object]] = {
        "choice": {"choices": ["in", "at"]},
        "edit-check": {"note": "in → at: wrong preposition (R:PREP)"},
        "edit-validity": {"edits": edits},
        "post-edit": {"hypothesis": f"I am good on game {number} ."},
        "adjudicate": {"agreed": [], "places": [{"start": 3, "end": 4, "versions": [[], edits]}]},
    }
    return replace(item, payload=item.payload | more.get(task, {}))


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, a database that answers is not taken for one that hangs."""
    for name in ("_STORE_SECONDS", "_LOOKUP_SECONDS"):
        monkeypatch.setattr(server_module, name, 250.0)


@dataclass
class Running:
    """A campaign that is being served, and its links."""

    place: Path
    client: TestClient
    server: CampaignServer
    organizer: str
    judges: dict[str, str]

    def form(self, address: str) -> dict[str, str]:
        page = self.client.get(address)
        assert page.status_code == 200, page.text
        found = re.findall(r'name="(form|submission)" value="([^"]+)"', page.text)
        return dict(found)

    def act(self, action: str, **fields: str) -> httpx.Response:
        dashboard = f"/o/{self.organizer}"
        data = {"form": self.form(dashboard)["form"]} | fields
        return self.client.post(f"{dashboard}/{action}", data=data)

    def item(self, judge: str, position: int) -> CampaignItem:
        workload = self.server.find(self.judges[judge])
        assert workload is not None
        return self.server.item_at(workload, position)

    def restart(self) -> None:
        self.client.__exit__(None, None, None)
        self.server = CampaignServer(CampaignStore.open(self.place))
        self.client = TestClient(create_app(self.server))
        self.client.__enter__()

    def catch_up(self) -> None:
        """Wait until the server knows what is in the database by now."""
        assert self.client.portal is not None
        self.client.portal.call(self.server.catch_up)

    def answer(self, judge: str, position: int, **fields: str) -> httpx.Response:
        base = f"/j/{self.judges[judge]}"
        data = self.form(f"{base}/{position}") | fields
        return self.client.post(f"{base}/{position}", data=data, follow_redirects=False)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    running: list[Running] = []

    def make(
        task: str = "ranking",
        items: list[CampaignItem] | None = None,
        judges: tuple[str, ...] = ("alma", "bruno"),
        plan: AssignmentPlan | None = None,
        gold_threshold: float | None = None,
        site: Site | None = None,
        interface: str | None = None,
        **options: Any,
    ) -> Running:
        if items is None:
            items = [item_for(task, number) for number in range(1, 4)]
        place = tmp_path / f"{secrets.token_hex(4)}.db"
        store, organizer = create_campaign(
            place,
            task=task,
            items=items,
            plan=plan,
            gold_threshold=gold_threshold,
            interface=interface,
            **options,
        )
        links = {name: invite(store, name) for name in judges}
        store.close()
        server = CampaignServer(CampaignStore.open(place))
        client = TestClient(create_app(server, site=site))
        client.__enter__()
        running.append(Running(place, client, server, organizer, links))
        return running[-1]

    yield make
    for one in running:
        one.client.__exit__(None, None, None)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of our own on a free port; the answer is the start of its URLs."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = shutil.which("initdb") or (str(programs[-1]) if programs else None)
    if found is None:
        pytest.skip("no PostgreSQL server on this machine")
    folder = tmp_path_factory.mktemp("postgres")
    binaries = Path(found).parent
    port = free_port()
    # The server refuses to run as root; then it runs as the user that its package made.
    is_root = Path.home() == Path("/root")
    prefix = ["runuser", "-u", "postgres", "--"] if is_root else []
    if is_root:
        for parent in (folder, *folder.parents):
            if parent.name.startswith(("pytest", "popen")):  # those of pytest and its workers
                parent.chmod(0o755)
        shutil.chown(folder, "postgres")
    data = folder / "data"

    def run(*command: str) -> None:
        subprocess.run([*prefix, *command], check=True, capture_output=True, cwd=folder)

    run(str(binaries / "initdb"), "-D", str(data), "-A", "trust", "-U", "redink")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
    run(str(binaries / "pg_ctl"), "-D", str(data), "-o", options, "-w", "-l", "log", "start")
    yield f"postgresql://redink@127.0.0.1:{port}"
    stop = [*prefix, str(binaries / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"]
    subprocess.run(stop, check=False, capture_output=True, cwd="/")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a campaign can be made: a new file, or a new database."""
    if request.param == "sqlite":
        return str(tmp_path / "c.db")
    import psycopg

    server = request.getfixturevalue("postgres")
    name = f"c{next(_NUMBERS)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"
