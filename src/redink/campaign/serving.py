"""Putting a campaign on the network, and the table of how it stands."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from redink.campaign.app import create_app
from redink.campaign.desk import Desk
from redink.campaign.exporting import current_answers, task_of
from redink.campaign.store import Store
from redink.errors import DataError
from redink.model import Column, Table, make_signature, make_table
from redink.web.serving import listen, run


def serve(
    place: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    on_ready: Callable[[], None] | None = None,
) -> None:
    """Serve until interrupted. One process: it holds the campaign in memory.

    Args:
        place: the campaign.
        host: the address to listen on.
        port: the port.
        on_ready: called when the port is ours and the campaign is read.
    """
    # The port first: one that is taken is told before the campaign is read.
    with listen(host, port) as listening:
        store = Store.open(place)
        with _telling_damage(place), store.closed_on_error():
            desk = Desk(store)
        if on_ready is not None:
            on_ready()
        run(create_app(desk), listening)


@contextmanager
def _telling_damage(place: str | Path) -> Iterator[None]:
    try:
        yield
    except (LookupError, TypeError, AttributeError) as error:
        raise DataError(f"{place}: is damaged: an answer does not fit its item") from error


def status(place: str | Path) -> Table:
    """How far each judge is."""
    with closing(Store.open(place)) as store, _telling_damage(place):
        return _status(store)


def _status(store: Store) -> Table:
    settings = store.settings()
    task = task_of(store)
    sizes: dict[int, int] = {}
    for assignment in store.assignments():
        sizes[assignment.judge] = sizes.get(assignment.judge, 0) + 1
    given = list(current_answers(store))
    rows = []
    for judge in store.judges():
        own = [one for one in given if one.judge.id == judge.id]
        times = [one.answer.seconds for one in own if one.answer.seconds is not None]
        tested = [one for one in own if one.item.gold is not None]
        right = sum(task.label(one.answer.answer) == one.item.gold for one in tested)
        state = "revoked" if judge.revoked else "excluded" if judge.excluded else "active"
        rows.append(
            {
                "judge": judge.name,
                "done": len(own),
                "total": sizes.get(judge.id, 0),
                "seconds": statistics.median(times) if times else None,
                "gold": right / len(tested) if tested else None,
                "state": state,
            }
        )
    return make_table(
        [
            Column("judge"),
            Column("done", "count"),
            Column("total", "count"),
            Column("seconds", "score", title="median seconds"),
            Column("gold", "rate", title="gold accuracy"),
            Column("state"),
        ],
        rows,
        title=settings["title"],
        notes=["The campaign is paused."] if settings["paused"] else [],
        signature=make_signature("campaign status", task=task.name),
    )
