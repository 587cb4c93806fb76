"""A campaign in memory, and the running one: pages from memory, answers acknowledged from disk.

One thread uses the database, one job after the other: so the changes that it reads are never older
than its own. Answers that wait for it share one transaction, and so one flush to disk.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar, overload

import numpy as np

from redink.campaign import setup
from redink.campaign.assignment import RELEASE_SECONDS, AssignmentPlan, ItemAssigner
from redink.campaign.previews import PreviewProcess
from redink.campaign.security import hash_token, new_token, same
from redink.campaign.store import Answer, Assignment, CampaignJudge, CampaignStore, StoredChanges
from redink.campaign.task_items import CampaignItem
from redink.campaign.tasks import TASKS
from redink.campaign.tasks.protocol import AnswerError, CampaignTask
from redink.campaign.translation import ENGLISH, Translation, load_translation
from redink.errors import DataError, RedinkError
from redink.model import Shown

T = TypeVar("T")
_POLL_SECONDS = 0.3
_STORE_SECONDS = 15.0
"""Longest wait for an answer to be stored; then the page is told to send it again."""
_LOOKUP_SECONDS = 1.0  # longest wait for news of a link that is not known yet
MAX_SECONDS = 3600.0  # longer work on one page is recorded as this long
_UNWATCHED_SECONDS = 600.0
"""A longer stay on a page is not recorded unless the page's script measured it."""
MAX_COMMENT = 1000


class StaleError(AnswerError):
    """The item was answered elsewhere since the page was made."""


class NotStoredError(AnswerError):
    """The answer could not be stored now; sending it again is safe."""


@dataclass(frozen=True)
class JudgeStatus:
    """Progress, speed and gold accuracy of a judge."""

    judge: str
    done: int
    total: int
    seconds: Annotated[float | None, Shown("score", title="median seconds")]
    gold: Annotated[float | None, Shown(title="gold accuracy")]
    state: str
    extra: Mapping[str, int]
    """Gold questions ``seen``, and answered ``right``; items ``skipped`` and ``flagged``."""


class AssignmentList(Sequence[Assignment]):
    """A judge's assignments in order, as arrays: a million of them need 16 MB."""

    def __init__(self, judge: int) -> None:
        self._judge = judge
        self._ids, self.items = array("q"), array("q")

    def append(self, assignment: Assignment) -> None:
        """Add the assignment of the next position."""
        self._ids.append(assignment.id)
        self.items.append(assignment.item)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, position: int) -> Assignment: ...

    @overload
    def __getitem__(self, position: slice) -> list[Assignment]: ...

    def __getitem__(self, position: int | slice) -> Assignment | list[Assignment]:
        if isinstance(position, slice):
            return [self[one] for one in range(*position.indices(len(self)))]
        return Assignment(self._ids[position], self._judge, position, self.items[position])


class AnswerMarks(Mapping[int, int]):
    """The answered positions of a judge, with the marks and the time of each answer, as arrays."""

    ANSWERED, SKIPPED, FLAGGED, GOLD, RIGHT = 1, 2, 4, 8, 16

    def __init__(self) -> None:
        self._marks = bytearray()
        self._seconds = array("d")

    def record(self, position: int, mark: int, seconds: float | None) -> bool:
        """Mark a position as answered; return whether that is new."""
        gap = position + 1 - len(self._marks)
        if gap > 0:
            self._marks.extend(bytes(gap))
            self._seconds.extend([-1.0] * gap)
        before = self._marks[position], self._seconds[position]
        now = mark | self.ANSWERED, -1.0 if seconds is None else seconds
        self._marks[position], self._seconds[position] = now
        return before != now

    def __getitem__(self, position: int) -> int:
        if not (position < len(self._marks) and self._marks[position]):
            raise KeyError(position)
        return self._marks[position]

    def __iter__(self) -> Iterator[int]:
        return (position for position, mark in enumerate(self._marks) if mark)

    def __len__(self) -> int:
        return len(self._marks) - self._marks.count(0)

    @property
    def first_gap(self) -> int:
        """The first position without an answer."""
        return found if (found := self._marks.find(0)) >= 0 else len(self._marks)

    def count(self, mark: int) -> int:
        """Return the number of answers with a mark."""
        return sum(self._marks.count(value) for value in range(32) if value & mark == mark)

    @property
    def median_seconds(self) -> float | None:
        """The median time of an answer; None if no time was measured."""
        times = np.frombuffer(self._seconds.tobytes())
        times = times[times >= 0]
        return float(np.median(times)) if len(times) else None


@dataclass
class Workload:
    """A judge's items in order, and which of them have an answer."""

    judge: CampaignJudge
    goal: int | None = None  # number of items in the end, if they are assigned one at a time
    active: float = field(default_factory=time.monotonic)  # time of the last request
    assigning: asyncio.Lock = field(default_factory=asyncio.Lock)
    submitting: asyncio.Lock = field(default_factory=asyncio.Lock)
    stepping: asyncio.Lock = field(default_factory=asyncio.Lock)
    status: JudgeStatus | None = None  # progress as last counted; None if it must be counted again

    def __post_init__(self) -> None:
        self.sequence = AssignmentList(self.judge.id)
        self.answered = AnswerMarks()

    @property
    def next_position(self) -> int:
        """The first position without an answer; the length of the sequence at the end."""
        return self.answered.first_gap

    @property
    def total(self) -> int:
        """How many items the judge has, or will have."""
        return max(self.goal or 0, len(self.sequence))


def basis_of(answer: Answer | None) -> str:
    """Identify the answer that a page may replace."""
    if answer is None:
        return "new"
    return hashlib.sha256(answer.submission.encode()).hexdigest()[:12]


class Campaign:
    """A campaign as read from its database."""

    def __init__(self, store: CampaignStore) -> None:
        self.store = store
        self.settings = store.settings()
        self.items: dict[int, CampaignItem] = {item.id: item for item in store.items()}
        by_judge = {judge.id: Workload(judge, goal=self.goal) for judge in store.judges()}
        self.workloads = {workload.judge.token_hash: workload for workload in by_judge.values()}
        self.newest = 0  # number of the newest answer that was read
        with store.reporting_damage():
            name = self.settings["task"]
            if self.settings.get("definition") is None and name not in TASKS:
                raise DataError(f"{store.place}: is a campaign of the unknown task {name!r}")
            self.task: CampaignTask = setup.task_of(self.settings)
            for assignment in store.assignments():
                by_judge[assignment.judge].sequence.append(assignment)
            self._record_marks(by_judge, store.marks())

    def _record_marks(self, by_judge: Mapping[int, Workload], marks: Iterable[Any]) -> bool:
        """Mark stored answers; return whether any is new."""
        is_new = False
        for number, judge, position, seconds, remark, answer in marks:
            workload, self.newest = by_judge[judge], max(self.newest, number)
            said = remark and json.loads(remark)
            mark = self.mark_of(self.items[workload.sequence.items[position]], answer, said or {})
            is_new |= workload.answered.record(position, mark, seconds)
        return is_new

    def mark_of(
        self, item: CampaignItem, answer: str | dict[str, Any] | None, remark: Mapping[str, Any]
    ) -> int:
        """Return the marks of an answer, which may be JSON; only gold questions need it."""
        marks = AnswerMarks
        mark = marks.SKIPPED * bool(remark.get("skipped")) | marks.FLAGGED * ("flagged" in remark)
        if item.gold is not None and not mark & marks.SKIPPED:
            given = json.loads(answer) if isinstance(answer, str) else answer or {}
            mark |= marks.GOLD | marks.RIGHT * self.task.is_right(item, given)
        return mark

    @property
    def translation(self) -> Translation:
        """The language of the judges' pages."""
        return load_translation(self.settings.get("interface", ENGLISH))

    @property
    def goal(self) -> int | None:
        """How many items a judge gets at most, if they are assigned one at a time."""
        plan = AssignmentPlan(**self.settings["plan"])
        if plan.judgments is None:
            return None
        return min(plan.per_judge or len(self.items), len(self.items))

    def item_at(self, workload: Workload, position: int) -> CampaignItem:
        """Return the item at a position of a judge's sequence."""
        return self.items[workload.sequence[position].item]

    def current_answers(
        self, *, excluded: bool = False, until: int | None = None
    ) -> Iterator[tuple[CampaignJudge, CampaignItem, Answer]]:
        """Yield the newest answer of every assignment, by judge and position, from the database.

        ``until`` ignores answers with a larger number.
        """
        judges = {workload.judge.id: workload.judge for workload in self.workloads.values()}
        last = self.store.last_answer()[0] if until is None else until
        for assignment, answer in self.store.current_answers(last):
            if excluded or not judges[assignment.judge].excluded:
                yield judges[assignment.judge], self.items[assignment.item], answer

    def statuses(self) -> list[JudgeStatus]:
        """Return the progress of every judge, in the order of invitation."""
        with self.store.reporting_damage():
            return [self._status(workload) for workload in self.workloads.values()]

    def _status(self, workload: Workload) -> JudgeStatus:
        if workload.status is not None:
            return workload.status
        answered = workload.answered
        seen, right = answered.count(AnswerMarks.GOLD), answered.count(AnswerMarks.RIGHT)
        workload.status = JudgeStatus(
            workload.judge.name,
            done=len(answered),
            total=workload.total,
            seconds=answered.median_seconds,
            gold=right / seen if seen else None,
            state=workload.judge.state,
            extra={
                "seen": seen,
                "right": right,
                "skipped": answered.count(AnswerMarks.SKIPPED),
                "flagged": answered.count(AnswerMarks.FLAGGED),
            },
        )
        return workload.status


class CampaignServer(Campaign):
    """One campaign that is being served. All methods run on one event loop."""

    def __init__(self, store: CampaignStore, *, exclusive: bool = True) -> None:
        if exclusive:
            store.lock()
        super().__init__(store)
        self._is_serving = exclusive  # otherwise it only stores the answers of a model
        self.overview_token = new_token()  # for links in the overview, as long as this runs
        self.problem = ""  # why answers cannot be stored now; empty if they can
        self.version = 0  # grows with every answer and every change of judges or items
        self._waiting: deque[tuple[Answer, Future[None]]] = deque()
        self._database = ThreadPoolExecutor(1, "redink-database")
        self._polling: asyncio.Task[None] | None = None
        self.previews = PreviewProcess()
        self._assigner = self._count_judgments()

    async def start(self) -> None:
        """Begin to read the changes that other processes make."""
        self.log("started", judges=len(self.workloads))
        self._polling = asyncio.create_task(self._poll())

    async def stop(self) -> None:
        """Stop reading changes, and close."""
        await self.previews.stop()
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.wait([self._polling])
        self.close()
        self.log("stopped")

    def close(self) -> None:
        """Finish the pending changes, then release the campaign."""
        self._database.shutdown()
        self.store.close()

    @property
    def paused(self) -> bool:
        """Whether the organizer has paused the work."""
        return bool(self.settings["paused"])

    # -- changes by other processes and by the organizer -----------------------------------------

    async def _run(self, work: Callable[..., T], *given: Any, **named: Any) -> T:
        return await asyncio.wrap_future(self._database.submit(work, *given, **named))

    async def do(self, change: Callable[..., T], *given: Any, **named: Any) -> T:
        """Change the database, and read it again."""
        result = await self._run(change, *given, **named)
        await self.catch_up()
        return result

    async def catch_up(self) -> None:
        """Take over the changes that are in the database by now."""
        changes = await self._run(self._read_changes)
        changed = changes.items is not None or changes.assignments is not None
        changed |= changes.judges != [workload.judge for workload in self.workloads.values()]
        self.settings = changes.settings
        if changes.items is not None:
            self.items = {item.id: item for item in changes.items}
        current = {workload.judge.id: workload for workload in self.workloads.values()}
        for judge in changes.judges:
            current.setdefault(judge.id, Workload(judge)).judge = judge
        for assignment in changes.assignments or ():
            sequence = current[assignment.judge].sequence
            if assignment.position == len(sequence):
                sequence.append(assignment)
        self.workloads = {workload.judge.token_hash: workload for workload in current.values()}
        changed |= self._record_marks(current, changes.marks)
        if changed:
            for workload in current.values():
                workload.goal, workload.status = self.goal, None
            self.version += 1
            self._assigner = self._count_judgments()

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            try:
                await self.catch_up()
                await self._run(self.store.checkpoint)
                self.report(None)
            except RedinkError as error:
                self.report(error)
            self._release_abandoned()

    def _read_changes(self) -> StoredChanges:
        self.store.check_files()
        assigned = {w.judge.id: len(w.sequence) for w in self.workloads.values()}
        return self.store.changes(items=len(self.items), assignments=assigned, answers=self.newest)

    async def answers_at(self, workload: Workload, position: int) -> list[Answer]:
        """Return the answers to a position, oldest first; only a position with answers is read."""
        if position not in workload.answered:
            return []
        return await self._run(self.store.answers, assignment=workload.sequence[position].id)

    def log(self, event: str, **values: object) -> None:
        """Write an event with its time and values to stderr, as one line."""
        if not self._is_serving:
            return
        pairs = {"campaign": self.store.place, **values}.items()
        told = " ".join(f"{k}={json.dumps(str(value), ensure_ascii=False)}" for k, value in pairs)
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        sys.stderr.write(f"{now} {event} {told}\n")

    def report(self, error: Exception | None) -> None:
        """Show the organizer, and once in the log, why answers cannot be stored."""
        text = "" if error is None else str(error)
        if text and text != self.problem:
            self.log("problem", message=text)
        if self.problem and not text:
            self.log("recovered")
        self.problem = text

    # -- links -----------------------------------------------------------------------------------

    def find(self, token: str) -> Workload | None:
        """Return the work of the judge with this token, unless it was revoked."""
        found = self.workloads.get(hash_token(token))
        if found is None or found.judge.revoked:
            return None
        found.active = time.monotonic()
        return found

    async def look_up(self, token: str) -> Workload | None:
        """Find a judge whose token may be newer than the last reading."""
        if hash_token(token) not in self.workloads:
            with suppress(TimeoutError, RedinkError):
                await asyncio.wait_for(self.catch_up(), _LOOKUP_SECONDS)
        return self.find(token)

    def is_organizer(self, token: str) -> bool:
        """Whether this is the organizer's token, or the one that the overview uses."""
        is_own = same(token, self.overview_token)
        return same(hash_token(token), self.settings["organizer"]) or is_own

    @property
    def wanted(self) -> int | None:
        """How many judgments are still required, if items are assigned one at a time."""
        return None if self._assigner is None else self._assigner.open

    @property
    def required(self) -> int | None:
        """Return the number of required judgments if items are assigned one at a time."""
        return None if self._assigner is None else self._assigner.required

    @property
    def registered(self) -> int:
        """How many judges registered themselves."""
        return sum(one.judge.registered for one in self.workloads.values())

    # -- assignment of items ---------------------------------------------------------------------

    def _count_judgments(self) -> ItemAssigner | None:
        """Count who has judged or is judging which item, if items are assigned one at a time."""
        wanted = self.settings["plan"].get("judgments")
        if wanted is None:
            return None
        assigner = ItemAssigner(
            self.items.values(),
            wanted=wanted,
            seed=self.settings["seed"],
            gold_share=setup.least_gold(self.settings) / (self.goal or 1),
        )
        for workload in self.workloads.values():
            judge = workload.judge
            for position, item in enumerate(workload.sequence.items):
                mark = workload.answered.get(position)
                counts = not judge.revoked if mark is None else not mark & AnswerMarks.SKIPPED
                if counts and not judge.excluded:
                    assigner.take(item, judge.id)
        return assigner

    def _release_abandoned(self) -> None:
        if self._assigner is None:
            return
        before = time.monotonic() - RELEASE_SECONDS
        for workload in self.workloads.values():
            position = workload.next_position
            if workload.active < before and position < len(workload.sequence):
                self._assigner.release(workload.sequence[position].item, workload.judge.id)

    async def next_position(self, workload: Workload) -> int:
        """Return the first position without an answer; assign an item to it if necessary."""
        async with workload.assigning:
            position, judge = workload.next_position, workload.judge
            assigner = self._assigner
            if assigner is None or judge.excluded or self.paused:
                return position
            if position < len(workload.sequence):
                assigner.take(workload.sequence[position].item, judge.id)
            else:
                await self.assign_one(workload)
            return position

    async def assign_one(self, workload: Workload) -> bool:
        """Append an item to a judge's sequence if items are assigned one at a time."""
        assigner, judge, sequence = self._assigner, workload.judge, workload.sequence
        if assigner is None or (workload.goal is not None and len(sequence) >= workload.goal):
            return False
        item = assigner.choose(judge.id, set(sequence.items))
        if item is None:
            return False
        assigner.take(item, judge.id)
        new = await self._run(self.store.assign, judge.id, [item])
        if new[0].position == len(sequence):  # else it was read back meanwhile
            sequence.append(new[0])
        return True

    # -- answers ---------------------------------------------------------------------------------

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
            AnswerError: the answer is incomplete.
            StaleError: the item was answered elsewhere since the page was made.
            NotStoredError: the work is paused, or the database cannot be used now.
        """
        if not 8 <= len(submission) <= 64:
            raise AnswerError("This page has expired; please reload it.")
        # In a task of its own: a judge who closes the page does not undo the storing.
        task = asyncio.create_task(self._accept(workload, position, form, submission, seconds))
        task.add_done_callback(lambda task: task.cancelled() or task.exception())
        done, _ = await asyncio.wait([task], timeout=_STORE_SECONDS)
        error = task.exception() if done else RedinkError("the database does not respond")
        if isinstance(error, DataError):
            raise AnswerError("This answer cannot be stored.") from error
        if isinstance(error, RedinkError) and not isinstance(error, AnswerError):
            self.report(error)
            raise NotStoredError("The answer is not saved yet.") from error
        if error is not None:
            raise error

    async def _accept(
        self,
        workload: Workload,
        position: int,
        form: Mapping[str, list[str]],
        submission: str,
        seconds: float | None,
    ) -> None:
        assignment = workload.sequence[position]
        # The key belongs to the judge's own page: nobody can use up the key of another judge.
        key = f"{assignment.id}:{submission}"
        async with workload.submitting:  # a second window waits for the first
            before = await self.answers_at(workload, position)
            if key in {answer.submission for answer in before}:
                return
            if self.paused:
                raise NotStoredError(
                    "The organizer has paused this task; this answer is not saved."
                )
            _, known, basis = submission.rpartition(".")
            if known and basis != basis_of(before[-1] if before else None):
                raise StaleError(
                    "This item was answered in another window after this page was opened."
                )
            fields = {name: list(values) for name, values in form.items()}
            remark = _read_remark(fields)
            content: dict[str, Any] = {}
            if not remark.get("skipped"):
                given = self.item_at(workload, position), fields, assignment.id
                if self.task.kind == "corpus":  # finding edits must not delay the other judges
                    content = await asyncio.to_thread(self.task.read, *given)
                else:
                    content = self.task.read(*given)
            answer = Answer(
                submission=key,
                assignment=assignment.id,
                answer=content,
                seconds=None if seconds is None else round(min(seconds, MAX_SECONDS), 3),
                given=datetime.now(UTC).isoformat(timespec="milliseconds"),
                remark=remark or None,
            )
            await self._store(answer)
            self.report(None)
            mark = self.mark_of(self.item_at(workload, position), content, remark)
            workload.answered.record(position, mark, answer.seconds)
            workload.status = None
            self.version += 1
            if self._assigner is not None:
                change = self._assigner.release if answer.skipped else self._assigner.take
                change(assignment.item, workload.judge.id)
        await self._check_gold(workload)

    async def _store(self, answer: Answer) -> None:
        stored: Future[None] = Future()
        self._waiting.append((answer, stored))
        self._database.submit(self._store_waiting)
        await asyncio.wrap_future(stored)

    def _store_waiting(self) -> None:
        """Store all answers that wait; the first of several calls takes them all."""
        if batch := [self._waiting.popleft() for _ in range(len(self._waiting))]:
            self._store_batch(batch)

    def _store_batch(self, batch: list[tuple[Answer, Future[None]]]) -> None:
        try:
            self.store.add_answers([answer for answer, _ in batch])
        except Exception as error:  # noqa: BLE001 (every waiting request must get it)
            for one in batch:
                if isinstance(error, DataError) and len(batch) > 1:
                    self._store_batch([one])  # so that the bad answer fails alone
                else:
                    one[1].set_exception(error)
        else:
            for _, stored in batch:
                stored.set_result(None)

    async def _check_gold(self, workload: Workload) -> None:
        threshold, judge = self.settings.get("gold_threshold"), workload.judge
        if threshold is None or judge.excluded or judge.kept:
            return
        answered = workload.answered
        seen, right = answered.count(AnswerMarks.GOLD), answered.count(AnswerMarks.RIGHT)
        if seen >= self.settings["gold_minimum"] and right / seen < threshold:
            with suppress(RedinkError):  # if it cannot be stored now, the next answer does it
                await self._run(self.store.change_judge, judge.id, excluded=True)
                workload.judge, workload.status = replace(workload.judge, excluded=True), None
                self.log("excluded", judge=judge.id, gold=f"{right}/{seen}")
                self._assigner = self._count_judgments()


def worked_seconds(stayed: float | None, measured: str) -> float | None:
    """Return how long a judge worked.

    ``stayed`` are the seconds since the page was sent, ``measured`` the milliseconds for which the
    page was in use, as its script sends them.
    """
    if measured.isdecimal() and len(measured) <= len("3600000"):
        return min(int(measured) / 1000, MAX_SECONDS if stayed is None else stayed)
    return None if stayed is None or stayed > _UNWATCHED_SECONDS else stayed


def _read_remark(fields: dict[str, list[str]]) -> dict[str, Any]:
    """Take skip, flag and comment out of a form."""
    keys = {"remark-skip": "skipped", "remark-flag": "flagged"}
    remark: dict[str, Any] = {k: True for name, k in keys.items() if fields.pop(name, [""])[0]}
    comment = fields.pop("remark-comment", [""])[0].strip()
    if len(comment) > MAX_COMMENT:
        raise AnswerError("Please use at most {most} characters in the comment.", most=MAX_COMMENT)
    return remark | ({"comment": comment} if comment else {})
