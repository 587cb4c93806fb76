"""The running campaign: everything in memory, every answer on disk before it is acknowledged.

Reading needs no database: items and assignments never change, and answers pass through here. A
single writer thread takes all answers that are waiting, stores them in one transaction and only
then lets the requests go on; under load, many answers share one flush to disk.
"""

from __future__ import annotations

import asyncio
import queue
import statistics
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated

from redink.campaign import setup
from redink.campaign.guards import hash_token, same
from redink.campaign.items import Item
from redink.campaign.store import Answer, Assignment, Judge, Store
from redink.campaign.tasks import TASKS
from redink.campaign.tasks.protocol import AnswerError, Task
from redink.errors import DataError
from redink.model import Shown

_BATCH = 500
_REFRESH_SECONDS = 0.5
MAX_SECONDS = 3600.0
"""A longer stay on one page is a pause, and is recorded as this long."""


@dataclass
class Workload:
    """A judge's items in their order, and how far they are."""

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


@dataclass(frozen=True)
class JudgeStatus:
    """How far a judge is, how fast, and how well on gold questions."""

    judge: str
    done: int
    total: int
    seconds: Annotated[float | None, Shown("score", title="median seconds")]
    gold: Annotated[float | None, Shown(title="gold accuracy")]
    state: str
    extra: Mapping[str, int]
    """Gold questions ``seen``, and answered ``right``."""


class Campaign:
    """A campaign as its store has it: the task, the items, and the work of every judge."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.settings = store.settings()
        self.items: dict[int, Item] = {item.id: item for item in store.items()}
        self.workloads = {judge.token_hash: Workload(judge, []) for judge in store.judges()}
        self.submissions: set[str] = set()
        with store.telling_damage():
            if (name := self.settings["task"]) not in TASKS:
                raise DataError(f"{store.place}: is a campaign of the unknown task {name!r}")
            self.task: Task = TASKS.load(name)
            self._load_answers()

    def _load_answers(self) -> None:
        by_judge = {workload.judge.id: workload for workload in self.workloads.values()}
        by_assignment: dict[int, tuple[Workload, int]] = {}
        for assignment in self.store.assignments():
            workload = by_judge[assignment.judge]
            workload.sequence.append(assignment)
            by_assignment[assignment.id] = (workload, assignment.position)
        for answer in self.store.answers():
            workload, position = by_assignment[answer.assignment]
            workload.answered[position] = answer
            self.submissions.add(answer.submission)

    def item_at(self, workload: Workload, position: int) -> Item:
        """The item that stands at a position of a judge's sequence."""
        return self.items[workload.sequence[position].item]

    def count_gold(self, workload: Workload) -> tuple[int, int]:
        """How many gold questions a judge answered, and how many of them rightly."""
        seen = right = 0
        for position, answer in workload.answered.items():
            item = self.item_at(workload, position)
            if item.gold is not None:
                seen += 1
                right += self.task.is_right(item, answer.answer)
        return seen, right

    def statuses(self) -> list[JudgeStatus]:
        """How every judge stands, in the order of invitation."""
        found = []
        with self.store.telling_damage():
            for workload in self.workloads.values():
                judge = workload.judge
                times = [a.seconds for a in workload.answered.values() if a.seconds is not None]
                seen, right = self.count_gold(workload)
                found.append(
                    JudgeStatus(
                        judge.name,
                        done=len(workload.answered),
                        total=len(workload.sequence),
                        seconds=statistics.median(times) if times else None,
                        gold=right / seen if seen else None,
                        state=judge.state,
                        extra={"seen": seen, "right": right},
                    )
                )
        return found


@dataclass(frozen=True, slots=True)
class _Waiting:
    answer: Answer
    done: asyncio.Future[None]
    loop: asyncio.AbstractEventLoop


class Desk(Campaign):
    """One open campaign. All methods run on one event loop; only the writer has its own thread."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._in_flight: dict[str, asyncio.Future[None]] = {}
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._refreshed = 0.0
        self._writer = threading.Thread(target=self._write, name="redink-writer", daemon=True)
        self._writer.start()

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
        known = {workload.judge.id: workload for workload in self.workloads.values()}
        current: dict[str, Workload] = {}
        for judge in self.store.judges():
            workload = known.get(judge.id) or Workload(judge, self.store.assignments(judge.id))
            workload.judge = judge
            current[judge.token_hash] = workload
        self.workloads = current

    def find(self, token: str) -> Workload | None:
        """The work of the judge who holds this token, unless it was revoked."""
        self.refresh()
        found = self.workloads.get(hash_token(token))
        return None if found is None or found.judge.revoked else found

    def is_organiser(self, token: str) -> bool:
        """Whether this is the organiser's token."""
        return same(hash_token(token), self.settings["organiser"])

    async def submit(
        self,
        workload: Workload,
        position: int,
        form: Mapping[str, list[str]],
        *,
        submission: str,
        seconds: float | None,
    ) -> None:
        """Check an answer and store it; when this returns, it is on disk, once.

        Raises:
            AnswerError: the answer is not whole.
        """
        if not 8 <= len(submission) <= 64:
            raise AnswerError("The form has no key; please reload the page.")
        assignment = workload.sequence[position]
        # The key belongs to the judge's own page: nobody can use up another's.
        key = f"{assignment.id}:{submission}"
        if key in self.submissions:
            return
        if key in self._in_flight:
            await asyncio.shield(self._in_flight[key])
            return
        answer = Answer(
            submission=key,
            assignment=assignment.id,
            answer=self.task.read(self.item_at(workload, position), form, assignment.id),
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
        self.submissions.add(key)
        workload.answered[position] = answer
        self._check_gold(workload)

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

    def _check_gold(self, workload: Workload) -> None:
        threshold = self.settings.get("gold_threshold")
        if threshold is None or workload.judge.excluded:
            return
        seen, right = self.count_gold(workload)
        if seen >= self.settings["gold_minimum"] and right / seen < threshold:
            workload.judge = replace(workload.judge, excluded=True)
            self.store.change_judge(workload.judge.id, excluded=True)

    def revoke(self, name: str) -> None:
        """Make a judge's link useless at once; answers stay."""
        setup.revoke(self.store, name)
        self.refresh(at_once=True)

    def pause(self, *, paused: bool) -> None:
        """Stop the work, or let it go on."""
        self.store.change_setting("paused", paused)
        self.refresh(at_once=True)


def _settle(batch: list[_Waiting], error: Exception | None) -> None:
    for waiting in batch:
        if waiting.done.done():
            continue
        if error is None:
            waiting.done.set_result(None)
        else:
            waiting.done.set_exception(error)
