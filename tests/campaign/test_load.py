"""Many judges at once, and a server that dies: nothing is lost and nothing doubled."""

from __future__ import annotations

import asyncio

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
KILLS = [
    ("crowd", 1),
    *(pytest.param(task, 4, marks=pytest.mark.slow) for task in ("crowd", "correct", "mark")),
]
"""The task, and how often the server is killed; ``benchmarks/campaign.py`` does it 50 times."""


@pytest.mark.parametrize("judges", JUDGES)
def test_many_judges_at_once(place: str, judges: int) -> None:
    tokens = make_campaign(place, judges=judges, items=5)
    port = free_port()
    server = start_server(place, port)
    record = Record()
    try:
        wait_until_up(port, server)
        asyncio.run(work_all(port, tokens, answers=5, record=record))
    finally:
        server.terminate()
        server.wait()
    assert record.errors == []
    assert len(record.acknowledged) == judges * 5
    check_nothing_lost_or_doubled(place, record)


@pytest.mark.parametrize(("task", "kills"), KILLS)
def test_a_killed_server_keeps_every_acknowledged_answer(place: str, task: str, kills: int) -> None:
    acknowledged = kill_again_and_again(place, judges=10, items=200, times=kills, task=task)
    assert acknowledged > kills
