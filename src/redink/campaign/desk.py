"""The running campaign: everything in memory, every answer on disk before it is acknowledged.

No page waits for the database to be read: items, assignments and answers are here, and a task in
the background takes in what another process changes. What is written goes through one
:class:`~redink.campaign.writer.Writer`.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from redink.campaign import setup
from redink.campaign.dealing import RELEASE_SECONDS, Dealer
from redink.campaign.guards import hash_token, same
from redink.campaign.state import Campaign, Workload
from redink.campaign.store import Answer, Changes, Store
from redink.campaign.tasks.protocol import AnswerError
from redink.campaign.writer import Writer
from redink.errors import DataError, RedinkError

T = TypeVar("T")
_REFRESH_SECONDS = 0.3
_STORE_SECONDS = 15.0
"""A judge who waits longer for an answer to be stored is told, and can send it again."""
_LOOK_SECONDS = 1.0
"""So long is looked for a link that is not known yet."""
MAX_SECONDS = 3600.0
"""Longer work on one page is recorded as this long."""
_UNWATCHED_SECONDS = 600.0
"""Without a script that says how long the page was in view, a longer stay says nothing."""
MAX_COMMENT = 1000


class StaleError(AnswerError):
    """The item has another answer by now than the page knew of."""


class NotStoredError(AnswerError):
    """The answer could not be stored now; sending it again is safe."""


class Desk(Campaign):
    """One open campaign. All methods run on one event loop; only the writer has its own thread."""

    def __init__(self, store: Store) -> None:
        store.hold()
        super().__init__(store)
        self.problem = ""
        """What stands in the way of storing answers, if something does."""
        self.version = 0
        """Grows with every answer and every change of judges or items."""
        self._readings = 0
        self._taken_in = 0
        """The newest reading that was taken in; one that began earlier adds nothing."""
        self._outdated = 0
        """A reading up to this one may not know yet what was changed here meanwhile."""
        self._in_flight: dict[int, tuple[str, asyncio.Task[None]]] = {}
        self._refreshing: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._dealer: Dealer | None = None
        self._prepare_dealing()
        self._writer = Writer(store)

    async def start(self) -> None:
        """Begin to take in what other processes change."""
        self._watching = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Finish what is being written, then let go of the campaign."""
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
        if self._refreshing is not None:  # it has a connection
            await asyncio.wait([self._refreshing], timeout=_LOOK_SECONDS)
        self.close()

    def close(self) -> None:
        """Finish what is being written, then let go of the campaign."""
        self._writer.close()
        self.store.close()

    @property
    def paused(self) -> bool:
        """Whether the organiser has stopped the work for now."""
        return bool(self.settings["paused"])

    # -- what other processes change ---------------------------------------------------------

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_REFRESH_SECONDS)
            try:
                await self.catch_up()
                self.report(None)
            except RedinkError as error:
                self.report(error)
            self._release_what_was_left()

    async def catch_up(self) -> None:
        """Take in what is new in the database by now, without holding up anybody."""
        if self._refreshing is not None and not self._refreshing.done():
            # It may have begun too early to know; whoever waits here shares the one after it.
            with suppress(RedinkError):
                await asyncio.shield(self._refreshing)
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.create_task(self._catch_up())
        await asyncio.shield(self._refreshing)

    async def _catch_up(self) -> None:
        while True:
            self._readings += 1
            reading = self._readings
            changes = await in_thread(self._read_changes)
            if reading > self._outdated:
                break
        if reading > self._taken_in:
            self._taken_in = reading
            self._take_in(changes)

    def refresh(self) -> None:
        """Take in what another process changed: judges invited or revoked, items, a pause."""
        self._readings += 1
        self._taken_in = self._readings
        self._take_in(self._read_changes())

    def _read_changes(self) -> Changes:
        self.store.check_hold()
        dealt = sum(len(workload.sequence) for workload in self.workloads.values())
        return self.store.changes(items=len(self.items), assignments=dealt)

    def _take_in(self, changes: Changes) -> None:
        known = {workload.judge.id: workload for workload in self.workloads.values()}
        changed = changes.items is not None or changes.assignments is not None
        self.settings = changes.settings
        if changes.items is not None:
            self.items = {item.id: item for item in changes.items}
        current: dict[str, Workload] = {}
        goal = self.goal
        for judge in changes.judges:
            workload = known.get(judge.id) or Workload(judge, [])
            workload.goal = goal
            changed |= workload.judge != judge
            workload.judge = judge
            current[judge.token_hash] = workload
        by_judge = {workload.judge.id: workload for workload in current.values()}
        for assignment in changes.assignments or ():
            sequence = by_judge[assignment.judge].sequence
            if assignment.position == len(sequence):
                sequence.append(assignment)
        self.workloads = current
        if changed:
            self.version += 1
            self._prepare_dealing()

    def report(self, error: Exception | None) -> None:
        """Say to the organiser, and once on stderr, what stands in the way of storing answers."""
        text = "" if error is None else str(error)
        if text and text != self.problem:
            sys.stderr.write(f"redink: {text}\n")
        self.problem = text

    async def do(self, change: Callable[[], T]) -> T:
        """Make a change of the organiser's, and take it in."""
        result = await self._writer.do(change)
        await self._catch_up()
        return result

    def find(self, token: str) -> Workload | None:
        """The work of the judge who holds this token, unless it was revoked."""
        found = self.workloads.get(hash_token(token))
        if found is None or found.judge.revoked:
            return None
        found.active = time.monotonic()
        return found

    async def look(self, token: str) -> Workload | None:
        """The same for a token that is not known yet: it may be a new one."""
        if hash_token(token) not in self.workloads:
            with suppress(TimeoutError, RedinkError):
                await asyncio.wait_for(self.catch_up(), _LOOK_SECONDS)
        return self.find(token)

    def is_organiser(self, token: str) -> bool:
        """Whether this is the organiser's token, or the one that the overview has."""
        return same(hash_token(token), self.settings["organiser"]) or same(
            token, setup.own_token(self.settings)
        )

    @property
    def wanted(self) -> int | None:
        """How many judgments are still wanted, where items are dealt one at a time."""
        return None if self._dealer is None else self._dealer.open

    @property
    def registered(self) -> int:
        """How many have registered by themselves."""
        return sum(one.judge.registered for one in self.workloads.values())

    @property
    def last_given(self) -> str:
        """When the last answer was given; empty if there is none."""
        return max(
            (a.given for one in self.workloads.values() for a in one.answered.values()), default=""
        )

    # -- who gets what -----------------------------------------------------------------------

    def _prepare_dealing(self) -> None:
        """Count again who has judged or is judging what, where items are dealt one at a time."""
        wanted = self.plan.judgments
        if wanted is None:
            self._dealer = None
            return
        self._dealer = Dealer(
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
                    self._dealer.take(assignment.item, judge.id)

    def _release_what_was_left(self) -> None:
        if self._dealer is None:
            return
        before = time.monotonic() - RELEASE_SECONDS
        for workload in self.workloads.values():
            position = workload.next_position
            if workload.active < before and position < len(workload.sequence):
                self._dealer.release(workload.sequence[position].item, workload.judge.id)

    async def next_position(self, workload: Workload) -> int:
        """The first position without an answer; an item is dealt for it if that is the plan."""
        async with workload.dealing:
            position = workload.next_position
            dealer, judge = self._dealer, workload.judge
            if dealer is None or judge.excluded or self.paused:
                return position
            if position < len(workload.sequence):
                dealer.take(workload.sequence[position].item, judge.id)
                return position
            if workload.goal is not None and position >= workload.goal:
                return position
            item = dealer.choose(judge.id, {one.item for one in workload.sequence})
            if item is None:
                return position
            dealer.take(item, judge.id)
            dealt = await self._writer.do(lambda: self.store.deal(judge.id, [item]))
            if dealt[0].position == len(workload.sequence):  # else it was read back meanwhile
                workload.sequence += dealt
            return position

    # -- answers -----------------------------------------------------------------------------

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
            StaleError: the item was answered elsewhere since the page was made.
            NotStoredError: the work is paused, or the database cannot be used now.
        """
        if not 8 <= len(submission) <= 64:
            raise AnswerError("The form has no key; please reload the page.")
        assignment = workload.sequence[position]
        # The key belongs to the judge's own page: nobody can use up another's.
        key = f"{assignment.id}:{submission}"
        if key in self.submissions:
            return
        if self.paused:
            raise NotStoredError("The organiser has paused the work; this answer is not saved.")
        while (flying := self._in_flight.get(assignment.id)) and flying[0] != key:
            # Another window was quicker: what it saves decides what this page is told.
            done, _ = await asyncio.wait([flying[1]], timeout=_STORE_SECONDS)
            if not done:
                raise NotStoredError("The answer is not saved yet.")
        if flying is None:
            _, known, basis = submission.rpartition(".")
            if known and basis != workload.basis(position):
                raise StaleError(
                    "This item was answered in another window since this page was opened."
                )
            reading = partial(self._read, workload, position, form, key, seconds)
            task = asyncio.create_task(self._store(workload, position, reading))
            flying = self._in_flight[assignment.id] = (key, task)
        await self._settle(flying[1])

    async def _settle(self, task: asyncio.Task[None]) -> None:
        """Wait until an answer is stored, and say if it was not."""
        # A judge who closes the page does not undo what is being written.
        done, _ = await asyncio.wait([task], timeout=_STORE_SECONDS)
        error = task.exception() if done else RedinkError("the database hangs")
        if isinstance(error, AnswerError):
            raise error
        if isinstance(error, DataError):
            raise AnswerError("This answer cannot be stored.") from error
        if isinstance(error, RedinkError):
            self.report(error)
            raise NotStoredError("The answer is not saved yet.") from error
        if error is not None:
            raise error

    def _read(
        self,
        workload: Workload,
        position: int,
        form: Mapping[str, list[str]],
        key: str,
        seconds: float | None,
    ) -> Answer:
        fields = {name: list(values) for name, values in form.items()}
        remark = _read_remark(fields)
        assignment = workload.sequence[position]
        answer: dict[str, Any] = {}
        if not remark.get("skipped"):
            answer = self.task.read(self.item_at(workload, position), fields, assignment.id)
        return Answer(
            submission=key,
            assignment=assignment.id,
            answer=answer,
            seconds=None if seconds is None else round(min(max(seconds, 0.0), MAX_SECONDS), 3),
            given=datetime.now(UTC).isoformat(timespec="milliseconds"),
            remark=remark or None,
        )

    async def _store(
        self, workload: Workload, position: int, reading: Callable[[], Answer]
    ) -> None:
        try:
            # Finding edits takes a while, and must not hold up the other judges.
            is_slow = self.task.kind == "corpus"
            answer = await asyncio.to_thread(reading) if is_slow else reading()
            await self._writer.store(answer)
        finally:
            self._in_flight.pop(workload.sequence[position].id, None)
        self.report(None)
        self.submissions.add(answer.submission)
        workload.answered[position] = answer
        workload.changes += 1
        self.version += 1
        if self._dealer is not None:
            item = workload.sequence[position].item
            change = self._dealer.release if answer.skipped else self._dealer.take
            change(item, workload.judge.id)
        await self._check_gold(workload)

    async def _check_gold(self, workload: Workload) -> None:
        threshold = self.settings.get("gold_threshold")
        judge = workload.judge
        if threshold is None or judge.excluded or judge.kept:
            return
        seen, right = self.count_gold(workload)
        if seen >= self.settings["gold_minimum"] and right / seen < threshold:
            with suppress(RedinkError):  # if it cannot be stored now, the next answer does it
                await self._writer.do(lambda: self.store.change_judge(judge.id, excluded=True))
                self._outdated = self._readings
                workload.judge = replace(workload.judge, excluded=True)
                self._prepare_dealing()

    def revoke(self, name: str) -> None:
        """Make a judge's link useless at once; answers stay."""
        setup.revoke(self.store, name)
        self.refresh()


def worked_seconds(stayed: float | None, said: str) -> float | None:
    """How long a judge worked: the page's script says how long it was in view and in use.

    Args:
        stayed: seconds since the page was sent; None if that is not known.
        said: milliseconds, as the script sends them.
    """
    if said.isdecimal() and len(said) <= len(str(int(MAX_SECONDS * 1000))):
        seconds = int(said) / 1000
        return seconds if stayed is None else min(seconds, stayed)
    return None if stayed is None or stayed > _UNWATCHED_SECONDS else stayed


def _read_remark(fields: dict[str, list[str]]) -> dict[str, Any]:
    """Take what is said beside the answer out of a form."""
    remark: dict[str, Any] = {}
    if fields.pop("remark-skip", [""])[0]:
        remark["skipped"] = True
    if fields.pop("remark-flag", [""])[0]:
        remark["flagged"] = True
    comment = fields.pop("remark-comment", [""])[0].strip()
    if len(comment) > MAX_COMMENT:
        raise AnswerError("Please keep the comment under {most} characters.", most=MAX_COMMENT)
    return remark | ({"comment": comment} if comment else {})


async def in_thread(work: Callable[[], T]) -> T:
    """Wait for work in a thread of its own: a database that hangs stops nobody else."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: Exception | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def run() -> None:
        result, problem = None, None
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 (whoever waits hears of it)
            problem = error
        with suppress(RuntimeError):  # the server has stopped meanwhile
            loop.call_soon_threadsafe(settle, result, problem)

    threading.Thread(target=run, daemon=True).start()
    return await done
