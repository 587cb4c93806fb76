"""What a judge sees before the first item: consent, the instructions, a training with feedback.

How far each judge is stands among the settings of the campaign, with the time of their consent.
Answers to the training are not stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from redink.campaign.desk import Desk
from redink.campaign.state import Workload
from redink.campaign.tasks.protocol import Entrance, Field, Trial
from redink.campaign.tasks.questions import read_fields


@dataclass(frozen=True)
class Step:
    """One page of the entrance; ``number`` counts from 0."""

    number: int
    kind: Literal["consent", "instructions", "training"]
    trial: Trial | None = None


@dataclass(frozen=True)
class Verdict:
    """What a judge said to a question of the training, and what would have been right."""

    question: str
    right: bool
    answer: str


def _steps(entrance: Entrance) -> list[Step]:
    kinds: list[tuple[Literal["consent", "instructions", "training"], Trial | None]] = []
    if entrance.consent:
        kinds.append(("consent", None))
    kinds.append(("instructions", None))
    kinds += [("training", trial) for trial in entrance.training]
    return [Step(number, kind, trial) for number, (kind, trial) in enumerate(kinds)]


def _key(workload: Workload) -> str:
    return f"begun:{workload.judge.id}"


def next_step(desk: Desk, workload: Workload) -> Step | None:
    """The page that comes before the first item; None when the judge may begin."""
    entrance = desk.task.entrance
    if entrance is None or workload.answered:
        return None
    reached = desk.settings.get(_key(workload), {}).get("step", 0)
    steps = _steps(entrance)
    return steps[reached] if reached < len(steps) else None


async def take_step(desk: Desk, workload: Workload, step: Step) -> None:
    """Keep that the judge is past a step; when this returns, it is on disk."""
    reached = {**desk.settings.get(_key(workload), {}), "step": step.number + 1}
    if step.kind == "consent":
        reached["consent"] = datetime.now(UTC).isoformat(timespec="seconds")
    await desk.do(lambda: desk.store.change_setting(_key(workload), reached))
    desk.settings[_key(workload)] = reached


def judge_trial(
    fields: Sequence[Field], trial: Trial, form: Mapping[str, list[str]]
) -> list[Verdict]:
    """What is right of an answer to the training.

    Raises:
        AnswerError: it is not whole.
    """
    given = read_fields(fields, form, len(trial.item.payload["text"].split()))
    found = []
    for field in fields:
        if field.name in trial.right:
            right = trial.right[field.name]
            same = _folded(given.get(field.name, "")) == _folded(right)
            found.append(Verdict(field.question, same, _read_aloud(field, right, trial)))
    return found


def _folded(value: Any) -> Any:
    return value.casefold().strip() if isinstance(value, str) else value


def _read_aloud(field: Field, value: Any, trial: Trial) -> str:
    """An answer as the page would say it."""
    values = [value] if isinstance(value, str) else list(value)
    if field.kind == "span":
        words = trial.item.payload["text"].split()
        return " ".join(words[int(place)] for place in values)
    texts = {option.value: option.text for option in field.options}
    return ", ".join(texts.get(one, one) for one in values)
