"""The running campaign: everything in memory, every answer on disk before it is acknowledged.

Reading needs no database: items and assignments never change, and answers pass through here. A
single writer thread takes all answers that are waiting, stores them in one transaction and only
then lets the requests go on; under load, many answers share one flush to disk.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from redink.campaign.store import Answer, Assignment, Item, Judge, Store
from redink.campaign.tasks import TASKS, AnswerError, Task
from redink.campaign.tokens import hash_token, same

_BATCH = 500
_REFRESH_SECONDS = 0.5
MAX_SECONDS = 3600.0
"""A longer stay on one page is a pause, and is recorded as this long."""


@dataclass
class Worker:
    """A judge at work: his sequence, and how far he is."""

    judge: Judge
    sequence: list[Assignment]
    answered: dict[int, Answer] = field(default_factory=dict)
    """The current answer of each position."""

    @property
    def next_position(self) -> int:
        """The first position without an answer; the length of the sequence when all is done."""
        return next(
            (p for p in range(len(self.sequence)) if p not in self.answered), len(self.sequence)
        )


@dataclass(frozen=True, slots=True)
class _Waiting:
    answer: Answer
    done: asyncio.Future[None]
    loop: asyncio.AbstractEventLoop


class Desk:
    """One open campaign. All methods run on one event loop; only the writer has its own thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.settings = store.settings()
        self.task: Task = TASKS[self.settings["task"]]
        self.items: dict[int, Item] = {item.id: item for item in store.items()}
        self.workers: dict[str, Worker] = {}
        self._known: set[str] = set()
        self._in_flight: dict[str, asyncio.Future[None]] = {}
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._refreshed = 0.0
        self._load()
        self._writer = threading.Thread(target=self._write, name="redink-writer", daemon=True)
        self._writer.start()

    def _load(self) -> None:
        sequences: dict[int, list[Assignment]] = {}
        for assignment in self.store.assignments():
            sequences.setdefault(assignment.judge, []).append(assignment)
        by_assignment: dict[int, tuple[Worker, int]] = {}
        for judge in self.store.judges():
            worker = Worker(judge, sequences.get(judge.id, []))
            self.workers[judge.token_hash] = worker
            for assignment in worker.sequence:
                by_assignment[assignment.id] = (worker, assignment.position)
        for answer in self.store.answers():
            worker, position = by_assignment[answer.assignment]
            worker.answered[position] = answer
            self._known.add(answer.submission)

    def close(self) -> None:
        """Finish what is being written, then stop."""
        self._queue.put(None)
        self._writer.join()
        self.store.close()

    @property
    def paused(self) -> bool:
        """Whether the organiser has stopped the work for now."""
        return bool(self.settings["paused"])

    def refresh(self, *, at_once: bool = False) -> None:
        """Take in what another process changed: judges invited or revoked, a pause."""
        now = time.monotonic()
        if not at_once and now - self._refreshed < _REFRESH_SECONDS:
            return
        self._refreshed = now
        self.settings = self.store.settings()
        workers = {worker.judge.id: worker for worker in self.workers.values()}
        current: dict[str, Worker] = {}
        for judge in self.store.judges():
            worker = workers.get(judge.id) or Worker(judge, self.store.assignments(judge.id))
            worker.judge = judge
            current[judge.token_hash] = worker
        self.workers = current

    def worker(self, token: str) -> Worker | None:
        """The judge who holds this token, unless it was revoked."""
        self.refresh()
        found = self.workers.get(hash_token(token))
        return None if found is None or found.judge.revoked else found

    def is_organiser(self, token: str) -> bool:
        """Whether this is the organiser's token."""
        return same(hash_token(token), self.settings["organiser"])

    def item_at(self, worker: Worker, position: int) -> Item:
        """The item that stands at a position of a judge's sequence."""
        return self.items[worker.sequence[position].item]

    async def submit(
        self,
        worker: Worker,
        position: int,
        form: Mapping[str, list[str]],
        *,
        submission: str,
        seconds: float | None,
    ) -> None:
        """Check an answer and store it; when this returns, it is on disk, once.

        Raises:
            AnswerError: the form holds no whole answer.
        """
        if not 8 <= len(submission) <= 64:
            raise AnswerError("The form has no key; please reload the page.")
        assignment = worker.sequence[position]
        # The key belongs to the judge's own page: nobody can use up another's.
        key = f"{assignment.id}:{submission}"
        if key in self._known:
            return
        if key in self._in_flight:
            await asyncio.shield(self._in_flight[key])
            return
        answer = Answer(
            submission=key,
            assignment=assignment.id,
            answer=self.task.read(self.item_at(worker, position), form, assignment.id),
            seconds=None if seconds is None else round(min(max(seconds, 0.0), MAX_SECONDS), 3),
            given=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._in_flight[key] = done
        self._queue.put(_Waiting(answer, done, loop))
        try:
            # A judge who closes the page must not undo what is being written.
            await asyncio.shield(done)
        finally:
            self._in_flight.pop(key, None)
        self._known.add(key)
        worker.answered[position] = answer
        self._check_gold(worker)

    def _write(self) -> None:
        while (first := self._queue.get()) is not None:
            batch = [first]
            while len(batch) < _BATCH:
                try:
                    waiting = self._queue.get_nowait()
                except queue.Empty:
                    break
                if waiting is None:
                    self._queue.put(None)
                    break
                batch.append(waiting)
            error: Exception | None = None
            try:
                self.store.add_answers([waiting.answer for waiting in batch])
            except Exception as problem:  # noqa: BLE001 (every waiting request must hear of it)
                error = problem
            # One wake-up for the whole batch: waking the loop costs a system call.
            batch[0].loop.call_soon_threadsafe(_settle, batch, error)

    def gold_record(self, worker: Worker) -> tuple[int, int]:
        """How many gold questions a judge answered, and how many of them rightly."""
        seen = right = 0
        for position, answer in worker.answered.items():
            gold = self.item_at(worker, position).gold
            if gold is not None:
                seen += 1
                right += self.task.label(answer.answer) == gold
        return seen, right

    def _check_gold(self, worker: Worker) -> None:
        threshold = self.settings.get("gold_threshold")
        if threshold is None or worker.judge.excluded:
            return
        seen, right = self.gold_record(worker)
        if seen >= self.settings["gold_minimum"] and right / seen < threshold:
            worker.judge = replace(worker.judge, excluded=True)
            self.store.change_judge(worker.judge.id, excluded=True)

    def revoke(self, name: str) -> bool:
        """Make a judge's link useless at once; answers stay. False if there is no such judge."""
        for worker in self.workers.values():
            if worker.judge.name == name:
                self.store.change_judge(worker.judge.id, revoked=True)
                self.refresh(at_once=True)
                return True
        return False

    def pause(self, *, paused: bool) -> None:
        """Stop the work, or let it go on."""
        self.store.change_setting("paused", paused)
        self.refresh(at_once=True)

    def setting(self, name: str) -> Any:
        """A setting of the campaign."""
        return self.settings.get(name)


def _settle(batch: list[_Waiting], error: Exception | None) -> None:
    for waiting in batch:
        if waiting.done.done():
            continue
        if error is None:
            waiting.done.set_result(None)
        else:
            waiting.done.set_exception(error)
