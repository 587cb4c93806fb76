"""Answers as judgments: what every other command of redink reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from redink.campaign.store import Answer, Item, Judge, Store
from redink.campaign.tasks import TASKS
from redink.campaign.tasks.protocol import Task
from redink.errors import DataError, OptionError
from redink.formats import get_format
from redink.model import Judgment, RankedOutput, Ranking

_OWN_COLUMNS = ("label", "confidence")

EXPORTS = {
    "rankings": {".xml": "appraise", ".csv": "wmt-csv", ".jsonl": "jsonl"},
    "judgments": {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"},
}
"""The formats of each kind of answer by suffix, the usual one first."""


@dataclass(frozen=True, slots=True)
class Given:
    """A current answer with who gave it about what."""

    judge: Judge
    item: Item
    answer: Answer


def current_answers(store: Store) -> Iterator[Given]:
    """The newest answer of every assignment, judge by judge in the order of showing."""
    items = {item.id: item for item in store.items()}
    judges = {judge.id: judge for judge in store.judges()}
    newest = {answer.assignment: answer for answer in store.answers()}
    for assignment in store.assignments():
        if assignment.id in newest:
            yield Given(judges[assignment.judge], items[assignment.item], newest[assignment.id])


def task_of(store: Store) -> Task:
    """The task of a campaign."""
    name = store.settings()["task"]
    if name not in TASKS:
        raise DataError(f"{store.place}: is a campaign of a task {name!r}, which is unknown here")
    return TASKS[name]


def export_answers(store: Store) -> tuple[Ranking, ...] | tuple[Judgment, ...]:
    """All answers as rankings or judgments, as the campaign's task has it."""
    task = task_of(store)
    try:
        given = list(current_answers(store))
        if not given:
            raise DataError(f"{store.place}: nobody has answered yet; there is nothing to export")
        if task.kind == "rankings":
            return tuple(_ranking(one) for one in given)
        return tuple(_judgment(one) for one in given)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"{store.place}: is damaged: an answer does not fit its item") from error


def _ranking(given: Given) -> Ranking:
    outputs = given.item.payload["outputs"]
    ranks = given.answer.answer["ranks"]
    return Ranking(
        sentence=str(given.item.payload["sentence"]),
        judge=given.judge.name,
        outputs=tuple(
            RankedOutput(rank, tuple(output["systems"]))
            for rank, output in zip(ranks, outputs, strict=True)
        ),
        id=str(given.answer.assignment),
        duration=given.answer.seconds,
    )


def _judgment(given: Given) -> Judgment:
    answer = given.answer.answer
    extra = []
    for name, value in answer.items():
        if name not in _OWN_COLUMNS and value:
            extra.append((name, value if isinstance(value, str) else "+".join(value)))
    if given.judge.excluded:
        extra.append(("excluded", "yes"))
    return Judgment(
        item=given.item.key,
        judge=given.judge.name,
        label=answer["label"],
        gold=given.item.gold,
        confidence=answer.get("confidence"),
        duration=given.answer.seconds,
        time=given.answer.given,
        extra=tuple(extra),
    )


def choose_export(
    store: Store, form: str | None, suffix: str
) -> Callable[[Iterable[Any], TextIO], None]:
    """The writer of the format that is named, or that the suffix says, or that is usual."""
    kind = task_of(store).kind
    forms = EXPORTS[kind]
    chosen = form or forms.get(suffix) or next(iter(forms.values()))
    if chosen not in forms.values():
        raise OptionError(f"{kind} are exported as {', '.join(forms.values())}, not as {chosen}")
    return get_format(chosen, kind=kind).write
