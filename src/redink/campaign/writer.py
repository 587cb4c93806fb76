"""The one thread that changes a campaign's database while it is served.

It takes all answers that are waiting, stores them in one transaction and only then lets the
requests go on; under load, many answers share one flush to disk. An answer that cannot be stored
fails alone.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from redink.campaign.store import Answer, Store
from redink.errors import DataError

T = TypeVar("T")
_BATCH = 500
_CHECKPOINT_SECONDS = 1.0
"""An answer is in the database's own file, not only in SQLite's ``-wal``, after so long."""
_PATIENCE = 10.0
"""Seconds that are given to a database that hangs when the server stops."""


@dataclass(frozen=True, slots=True)
class _Job:
    """An answer to store, or another change to make, and who waits for it."""

    work: Answer | Callable[[], Any]
    done: asyncio.Future[Any]


Outcome = tuple[_Job, Any, Exception | None]
"""A job, what came of it, and what went wrong."""


class Writer:
    """A queue of changes, and the thread that makes them in order."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="redink-writer", daemon=True)
        self._thread.start()

    async def store(self, answer: Answer) -> None:
        """When this returns, the answer is on disk."""
        await self._wait(answer)

    async def do(self, change: Callable[[], T]) -> T:
        """What comes of a change to the database."""
        result: T = await self._wait(change)
        return result

    async def _wait(self, work: Answer | Callable[[], Any]) -> Any:
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.put(_Job(work, done))
        return await done

    def close(self) -> None:
        """Finish what is being written, then stop."""
        self._queue.put(None)
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        checked = time.monotonic()
        waiting = False  # whether something is in the -wal file only
        while True:
            try:
                wait = max(0.0, checked + _CHECKPOINT_SECONDS - time.monotonic())
                first = self._queue.get(timeout=wait if waiting else None)
            except queue.Empty:
                first = None
            else:
                if first is None:
                    return  # closing the database brings everything over
                self._work_off(self._take_more(first))
                waiting = True
            if waiting and (first is None or time.monotonic() - checked > _CHECKPOINT_SECONDS):
                try:
                    self._store.checkpoint()
                    waiting = False
                except Exception:  # noqa: BLE001, S110 (nothing is lost; the next one may do it)
                    pass
                checked = time.monotonic()

    def _take_more(self, first: _Job) -> list[_Job]:
        batch = [first]
        while len(batch) < _BATCH:
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._queue.put(None)
                break
            batch.append(job)
        return batch

    def _work_off(self, batch: Sequence[_Job]) -> None:
        outcomes: list[Outcome] = []
        answers = [job for job in batch if isinstance(job.work, Answer)]
        outcomes += self._store_answers(answers)
        for job in batch:
            if not isinstance(job.work, Answer):
                try:
                    outcomes.append((job, job.work(), None))
                except Exception as error:  # noqa: BLE001 (whoever waits must hear of it)
                    outcomes.append((job, None, error))
        # One wake-up for the whole batch: waking the loop costs a system call.
        batch[0].done.get_loop().call_soon_threadsafe(_settle, outcomes)

    def _store_answers(self, jobs: Sequence[_Job]) -> list[Outcome]:
        if not jobs:
            return []
        try:
            self._store.add_answers([job.work for job in jobs if isinstance(job.work, Answer)])
        except DataError as error:
            if len(jobs) == 1:
                return [(jobs[0], None, error)]
            # One of them is bad: each by itself, so that it fails alone.
            return [outcome for job in jobs for outcome in self._store_answers([job])]
        except Exception as error:  # noqa: BLE001 (every waiting request must hear of it)
            return [(job, None, error) for job in jobs]
        return [(job, None, None) for job in jobs]


def _settle(outcomes: Sequence[Outcome]) -> None:
    for job, result, error in outcomes:
        if job.done.done():
            continue
        if error is None:
            job.done.set_result(result)
        else:
            job.done.set_exception(error)
