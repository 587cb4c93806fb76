"""The state of a campaign: its task, its items, and the work of every judge."""

from __future__ import annotations

import asyncio
import hashlib
import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from redink.campaign.assignment import Plan
from redink.campaign.items import Item
from redink.campaign.store import Answer, Assignment, CampaignStore, Judge
from redink.campaign.tasks import TASKS
from redink.campaign.tasks.definition import load_task
from redink.campaign.tasks.protocol import CampaignTask
from redink.campaign.translation import ENGLISH, Translate, Translation, load_translation
from redink.errors import DataError
from redink.model import Shown


@dataclass
class Workload:
    """A judge's items in order, and the answers so far."""

    judge: Judge
    sequence: list[Assignment]
    answered: dict[int, Answer] = field(default_factory=dict)
    """The current answer of each position."""
    goal: int | None = None
    """Number of items in the end, if they are assigned one at a time."""
    active: float = field(default_factory=time.monotonic)
    """Time of the last request."""
    assigning: asyncio.Lock = field(default_factory=asyncio.Lock)
    submitting: asyncio.Lock = field(default_factory=asyncio.Lock)
    status: JudgeStatus | None = None
    """Progress as last counted; None if it must be counted again."""

    @property
    def next_position(self) -> int:
        """The first position without an answer; the length of the sequence at the end."""
        return next(
            (p for p in range(len(self.sequence)) if p not in self.answered), len(self.sequence)
        )

    @property
    def total(self) -> int:
        """How many items the judge has, or will have."""
        return len(self.sequence) if self.goal is None else max(self.goal, len(self.sequence))

    def basis(self, position: int) -> str:
        """Identify the answer that a page may replace."""
        if (answer := self.answered.get(position)) is None:
            return "new"
        return hashlib.sha256(answer.submission.encode()).hexdigest()[:12]


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


class Campaign:
    """A campaign as read from its database."""

    def __init__(self, store: CampaignStore) -> None:
        self.store = store
        self.settings = store.settings()
        self.items: dict[int, Item] = {item.id: item for item in store.items()}
        goal = self.goal
        self.workloads = {
            judge.token_hash: Workload(judge, [], goal=goal) for judge in store.judges()
        }
        self.submissions: set[str] = set()
        with store.reporting_damage():
            name, definition = self.settings["task"], self.settings.get("definition")
            if definition is None and name not in TASKS:
                raise DataError(f"{store.place}: is a campaign of the unknown task {name!r}")
            self.task: CampaignTask = load_task(name, definition)
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

    @property
    def translation(self) -> Translation:
        """The language of the judges' pages."""
        return load_translation(self.settings.get("interface", ENGLISH))

    @property
    def translate(self) -> Translate:
        """Translates a text into the language of the judges' pages."""
        return self.translation.translate

    @property
    def plan(self) -> Plan:
        """How items are assigned."""
        return Plan(**self.settings["plan"])

    @property
    def goal(self) -> int | None:
        """How many items a judge gets at most, if they are assigned one at a time."""
        plan = self.plan
        if plan.judgments is None:
            return None
        return min(plan.per_judge or len(self.items), len(self.items))

    def item_at(self, workload: Workload, position: int) -> Item:
        """Return the item at a position of a judge's sequence."""
        return self.items[workload.sequence[position].item]

    def current_answers(self, *, excluded: bool = False) -> Iterator[tuple[Judge, Item, Answer]]:
        """Yield the newest answer of every assignment, by judge and position.

        Args:
            excluded: whether to include excluded judges.
        """
        for workload in list(self.workloads.values()):
            if excluded or not workload.judge.excluded:
                for position, answer in sorted(workload.answered.items()):
                    yield workload.judge, self.item_at(workload, position), answer

    def count_gold(self, workload: Workload) -> tuple[int, int]:
        """Return how many gold questions a judge answered, and how many correctly."""
        seen = right = 0
        for position, answer in workload.answered.items():
            item = self.item_at(workload, position)
            if item.gold is not None and not answer.skipped:
                seen += 1
                right += self.task.is_right(item, answer.answer)
        return seen, right

    def statuses(self) -> list[JudgeStatus]:
        """Return the progress of every judge, in the order of invitation."""
        with self.store.reporting_damage():
            for workload in self.workloads.values():
                workload.status = workload.status or self._count(workload)
            return [w.status for w in self.workloads.values() if w.status]

    def _count(self, workload: Workload) -> JudgeStatus:
        answers = workload.answered.values()
        times = [answer.seconds for answer in answers if answer.seconds is not None]
        seen, right = self.count_gold(workload)
        return JudgeStatus(
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
                "flagged": sum(bool(a.remark and a.remark.get("flagged")) for a in answers),
            },
        )
