"""Items as the organizer sees them, with their answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from redink.campaign.items import Item
from redink.campaign.state import Campaign
from redink.campaign.store import Answer
from redink.raw_text.tokenization import space_tokens

_SHOWN = 160


@dataclass(frozen=True)
class ItemView:
    """An item with the answers of judges who are not excluded."""

    item: Item
    text: str
    labels: tuple[tuple[str, int], ...]
    """Answers and their frequencies, the most frequent first."""
    skipped: int
    flagged: int
    comments: int

    @property
    def judged(self) -> int:
        """Number of judges."""
        return sum(count for _, count in self.labels)

    @property
    def agreed(self) -> float:
        """Share of pairs of judges who agree; 1 if there are no pairs."""
        pairs = self.judged * (self.judged - 1)
        same = sum(count * (count - 1) for _, count in self.labels)
        return same / pairs if pairs else 1.0

    @property
    def disputed(self) -> bool:
        """Whether two judges disagree."""
        return len(self.labels) > 1


@dataclass(frozen=True)
class Said:
    """One answer in the history of an item."""

    judge: str
    state: str
    text: str
    current: bool
    answer: Answer


def view_items(campaign: Campaign, items: Iterable[Item] | None = None) -> list[ItemView]:
    """Return some items, or all in order, with their answers."""
    wanted = list(campaign.items.values() if items is None else items)
    labels: dict[int, Counter[str]] = {item.id: Counter() for item in wanted}
    remarks: dict[int, Counter[str]] = {item.id: Counter() for item in wanted}
    for _, item, answer in campaign.current_answers():
        if item.id in labels:
            remarks[item.id].update(list(answer.remark or ()))
            if not answer.skipped:
                labels[item.id][describe_answer(campaign, item, answer.answer)] += 1
    return [
        ItemView(
            item,
            shorten(describe_item(item)),
            tuple(labels[item.id].most_common()),
            skipped=remarks[item.id]["skipped"],
            flagged=remarks[item.id]["flagged"],
            comments=remarks[item.id]["comment"],
        )
        for item in wanted
    ]


def history(campaign: Campaign, item: Item) -> list[Said]:
    """Return all answers that were ever given to an item, oldest first."""
    answers = campaign.store.answers(item=item.id)
    places = {
        assignment.id: workload
        for workload in campaign.workloads.values()
        for assignment in workload.sequence
        if assignment.item == item.id
    }
    newest = {answer.assignment: answer.submission for answer in answers}
    return [
        Said(
            judge=places[answer.assignment].judge.name,
            state=places[answer.assignment].judge.state,
            text="skipped" if answer.skipped else describe_answer(campaign, item, answer.answer),
            current=newest[answer.assignment] == answer.submission,
            answer=answer,
        )
        for answer in answers
        if answer.assignment in places
    ]


def describe_item(item: Item) -> str:
    """Return the text of an item in one line."""
    for name in ("text", "source"):
        if isinstance(item.payload.get(name), str):
            return space_tokens(item.payload[name].split()).text or ""
    return item.key


def describe_answer(campaign: Campaign, item: Item, answer: Mapping[str, Any]) -> str:
    """Return an answer in one line: its label, the order of the systems, or all its fields."""
    if "ranks" in answer and "outputs" in item.payload:
        placed: dict[int, list[str]] = {}
        for rank, output in zip(answer["ranks"], item.payload["outputs"], strict=True):
            placed.setdefault(rank, []).append("+".join(output["systems"]))
        return " > ".join(" = ".join(sorted(placed[rank])) for rank in sorted(placed))
    label = campaign.task.label(dict(answer))
    if label is not None:
        return label
    return "; ".join(f"{name}: {value}" for name, value in answer.items() if value) or "nothing"


def shorten(text: str) -> str:
    """Cut a text to one or two lines."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
