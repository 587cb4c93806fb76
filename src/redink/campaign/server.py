"""A campaign in memory, and the running one: pages from memory, answers acknowledged from disk.

One thread uses the database, one job after the other: so the changes that it reads are never older
than its own. Answers that wait for it share one transaction, and so one flush to disk.
"""

from __future__ import annotations

import asyncio
import hashlib
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

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


@dataclass
class Workload:
    """A judge's items in order, and the answers so far."""

    judge: CampaignJudge
    sequence: list[Assignment] = field(default_factory=list)
    answered: dict[int, Answer] = field(default_factory=dict)  # the current answer of each position
    goal: int | None = None  # number of items in the end, if they are assigned one at a time
    active: float = field(default_factory=time.monotonic)  # time of the last request
    assigning: asyncio.Lock = field(default_factory=asyncio.Lock)
    submitting: asyncio.Lock = field(default_factory=asyncio.Lock)
    stepping: asyncio.Lock = field(default_factory=asyncio.Lock)
    status: JudgeStatus | None = None  # progress as last counted; None if it must be counted again

    @property
    def next_position(self) -> int:
        """The first position without an answer; the length of the sequence at the end."""
        return next(
            (p for p in range(len(self.sequence)) if p not in self.answered), len(self.sequence)
        )

    @property
    def total(self) -> int:
        """How many items the judge has, or will have."""
        return max(self.goal or 0, len(self.sequence))

    def basis(self, position: int) -> str:
        """Identify the answer that a page may replace."""
        if (answer := self.answered.get(position)) is None:
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
        self.submissions: set[str] = set()
        by_assignment: dict[int, tuple[Workload, int]] = {}
        with store.reporting_damage():
            name = self.settings["task"]
            if self.settings.get("definition") is None and name not in TASKS:
                raise DataError(f"{store.place}: is a campaign of the unknown task {name!r}")
            self.task: CampaignTask = setup.task_of(self.settings)
            for assignment in store.assignments():
                workload = by_judge[assignment.judge]
                workload.sequence.append(assignment)
                by_assignment[assignment.id] = (workload, assignment.position)
            for answer in store.answers():
                workload, position = by_assignment[answer.assignment]
                workload.answered[position] = answer
                self.submissions.add(answer.submission)

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
        self, *, excluded: bool = False
    ) -> Iterator[tuple[CampaignJudge, CampaignItem, Answer]]:
        """Yield the newest answer of every assignment, by judge and position."""
        for workload in list(self.workloads.values()):
            if excluded or not workload.judge.excluded:
                for position, answer in sorted(workload.answered.items()):
                    yield workload.judge, self.item_at(workload, position), answer

    def count_gold(self, workload: Workload) -> tuple[int, int]:
        """Return how many gold questions a judge answered, and how many correctly."""
        right = [
            self.task.is_right(item, answer.answer)
            for position, answer in workload.answered.items()
            if (item := self.item_at(workload, position)).gold is not None and not answer.skipped
        ]
        return len(right), sum(right)

    def statuses(self) -> list[JudgeStatus]:
        """Return the progress of every judge, in the order of invitation."""
        with self.store.reporting_damage():
            return [self._status(workload) for workload in self.workloads.values()]

    def _status(self, workload: Workload) -> JudgeStatus:
        if workload.status is not None:
            return workload.status
        answers = workload.answered.values()
        times = [answer.seconds for answer in answers if answer.seconds is not None]
        seen, right = self.count_gold(workload)
        workload.status = JudgeStatus(
            workload.judge.name,
            done=len(workload.answered),
            total=workload.total,
            seconds=statistics.median(times) if times else None,
            gold=right / seen if seen else None,
            state=workload.judge.state,
            extra={
                "seen": seen,
                "right": right,
                "skipped": sum(answer.skipped for answer in answers),
                "flagged": sum("flagged" in (answer.remark or ()) for answer in answers),
            },
        )
        return workload.status


class CampaignServer(Campaign):
    """One campaign that is being served. All methods run on one event loop."""

    def __init__(self, store: CampaignStore, *, exclusive: bool = True) -> None:
        if exclusive:
            store.lock()
        super().__init__(store)
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
        self._polling = asyncio.create_task(self._poll())

    async def stop(self) -> None:
        """Stop reading changes, and close."""
        await self.previews.stop()
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.wait([self._polling])
        self.close()

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
        new = [answer for answer in changes.answers if answer.submission not in self.submissions]
        changed = bool(new) or changes.items is not None or changes.assignments is not None
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
        self._take_over(new)
        if changed:
            for workload in current.values():
                workload.goal, workload.status = self.goal, None
            self.version += 1
            self._assigner = self._count_judgments()

    def _take_over(self, answers: Collection[Answer]) -> None:
        """Add answers that another process (campaign ask) stored."""
        if not answers:
            return
        places = {a.id: (w, a.position) for w in self.workloads.values() for a in w.sequence}
        for answer in answers:
            workload, position = places[answer.assignment]
            workload.answered[position] = answer
            self.submissions.add(answer.submission)

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
        assigned = sum(len(workload.sequence) for workload in self.workloads.values())
        return self.store.changes(
            items=len(self.items), assignments=assigned, answers=len(self.submissions)
        )

    def report(self, error: Exception | None) -> None:
        """Show the organizer, and once on stderr, why answers cannot be stored."""
        text = "" if error is None else str(error)
        if text and text != self.problem:
            sys.stderr.write(f"redink: {text}\n")
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
            for assignment in workload.sequence:
                answer = workload.answered.get(assignment.position)
                counts = not judge.revoked if answer is None else not answer.skipped
                if counts and not judge.excluded:
                    assigner.take(assignment.item, judge.id)
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
        item = assigner.choose(judge.id, {one.item for one in sequence})
        if item is None:
            return False
        assigner.take(item, judge.id)
        new = await self._run(self.store.assign, judge.id, [item])
        if new[0].position == len(sequence):  # else it was read back meanwhile
            sequence += new
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
            if key in self.submissions:
                return
            if self.paused:
                raise NotStoredError(
                    "The organizer has paused this task; this answer is not saved."
                )
            _, known, basis = submission.rpartition(".")
            if known and basis != workload.basis(position):
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
            self.submissions.add(key)
            workload.answered[position] = answer
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
        seen, right = self.count_gold(workload)
        if seen >= self.settings["gold_minimum"] and right / seen < threshold:
            with suppress(RedinkError):  # if it cannot be stored now, the next answer does it
                await self._run(self.store.change_judge, judge.id, excluded=True)
                workload.judge, workload.status = replace(workload.judge, excluded=True), None
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
