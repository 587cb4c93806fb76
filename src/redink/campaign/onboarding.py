"""The pages before the first item: consent, instructions, training with feedback.

The settings of the campaign contain each judge's progress and the time of their consent. Answers
to the training are not stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from redink.campaign.server import CampaignServer
from redink.campaign.state import Workload
from redink.campaign.tasks.protocol import Field, Onboarding, Trial
from redink.campaign.tasks.questions import read_fields


@dataclass(frozen=True)
class OnboardingStep:
    """One page before the first item; ``number`` counts from 0."""

    number: int
    kind: Literal["consent", "instructions", "training"]
    trial: Trial | None = None


@dataclass(frozen=True)
class Verdict:
    """Whether an answer to a training question was right, and the right answer."""

    question: str
    right: bool
    answer: str


def _steps(onboarding: Onboarding) -> list[OnboardingStep]:
    kinds: list[tuple[Literal["consent", "instructions", "training"], Trial | None]] = []
    if onboarding.consent:
        kinds.append(("consent", None))
    kinds.append(("instructions", None))
    kinds += [("training", trial) for trial in onboarding.training]
    return [OnboardingStep(number, kind, trial) for number, (kind, trial) in enumerate(kinds)]


def _key(workload: Workload) -> str:
    return f"begun:{workload.judge.id}"


def next_step(server: CampaignServer, workload: Workload) -> OnboardingStep | None:
    """Return the next page before the first item; None if the judge may begin."""
    onboarding = server.task.onboarding
    if onboarding is None or workload.answered:
        return None
    reached = server.settings.get(_key(workload), {}).get("step", 0)
    steps = _steps(onboarding)
    return steps[reached] if reached < len(steps) else None


async def take_step(server: CampaignServer, workload: Workload, step: OnboardingStep) -> None:
    """Store that the judge has finished a step; when this returns, it is on disk."""
    reached = {**server.settings.get(_key(workload), {}), "step": step.number + 1}
    if step.kind == "consent":
        reached["consent"] = datetime.now(UTC).isoformat(timespec="seconds")
    await server.do(lambda: server.store.change_setting(_key(workload), reached))
    server.settings[_key(workload)] = reached


def check_trial(
    fields: Sequence[Field], trial: Trial, form: Mapping[str, list[str]]
) -> list[Verdict]:
    """Check an answer to a training item; raise an AnswerError if it is incomplete."""
    given = read_fields(fields, form, len(trial.item.payload["text"].split()))
    found = []
    for field in fields:
        if field.name in trial.right:
            right = trial.right[field.name]
            same = _folded(given.get(field.name, "")) == _folded(right)
            found.append(Verdict(field.question, same, _describe_answer(field, right, trial)))
    return found


def _folded(value: Any) -> Any:
    return value.casefold().strip() if isinstance(value, str) else value


def _describe_answer(field: Field, value: Any, trial: Trial) -> str:
    values = [value] if isinstance(value, str) else list(value)
    if field.kind == "span":
        words = trial.item.payload["text"].split()
        return " ".join(words[int(place)] for place in values)
    texts = {option.value: option.text for option in field.options}
    return ", ".join(texts.get(one, one) for one in values)
