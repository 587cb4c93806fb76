"""Many judges at once, and a server that dies: nothing is lost and nothing doubled."""

from __future__ import annotations

import asyncio
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaign_driver import (
    Record,
    check_nothing_lost_or_doubled,
    free_port,
    kill_again_and_again,
    make_campaign,
    start_server,
    wait_until_up,
    work_all,
)

JUDGES = [8, pytest.param(100, marks=pytest.mark.slow)]
KILLS = [1, pytest.param(4, marks=pytest.mark.slow)]
"""How often the server is killed here; ``benchmarks/campaign.py`` does it fifty times."""


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
    name = f"c{random.randrange(10**9)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


@pytest.mark.parametrize("judges", JUDGES)
def test_many_judges_at_once(place: str, judges: int) -> None:
    """Every answer of simultaneous judges is stored once, and no request fails."""
    tokens = make_campaign(place, judges=judges, items=5)
    port = free_port()
    server = start_server(place, port)
    record = Record()
    try:
        wait_until_up(port, server)
        asyncio.run(work_all(port, tokens, answers=5, record=record))
    finally:
        server.terminate()
        server.wait(20)
    assert record.errors == []
    assert len(record.acknowledged) == judges * 5
    check_nothing_lost_or_doubled(place, record)


@pytest.mark.parametrize("kills", KILLS)
def test_a_killed_server_keeps_every_acknowledged_answer(place: str, kills: int) -> None:
    """``kill -9`` at random moments under load: after each restart all that was said is there."""
    acknowledged = kill_again_and_again(place, judges=10, items=200, times=kills)
    assert acknowledged > kills
