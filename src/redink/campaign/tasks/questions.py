"""Tasks that ask questions about a sentence."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from redink.campaign.items import NOTHING, Item, Material, read_items
from redink.campaign.tasks.protocol import (
    MAX_TEXT,
    AnswerError,
    AnswerOption,
    CampaignTask,
    Field,
    Instructions,
    Onboarding,
    TextPart,
    context_of,
    only,
)
from redink.campaign.translation import Verbatim
from redink.errors import DataError, OptionError
from redink.model import Sentence
from redink.raw_text.tokenization import locate_tokens, space_tokens

LABEL = "label"
"""The question whose answer is the judgment."""


def _take_no_other(_: Material, task: str) -> list[Item]:
    raise OptionError(f"the task {task} takes its items from one file: --from FILE")


@dataclass(frozen=True)
class QuestionTask(CampaignTask):
    """Questions about one sentence in which one span may be marked.

    The payload contains ``text`` (tokens), and optionally ``start`` and ``end`` of the span,
    ``before`` and ``after`` (neighboring sentences), ``note``, ``source`` and ``choices`` (options
    of the question ``label``, in random order). The answer to ``label`` is the judgment; without
    such a question, every answer is one.

    Attributes:
        needs: the required columns of an item.
        find: makes items from other input than a file of items.
    """

    name: str
    title: str
    instructions: Instructions
    fields: tuple[Field, ...]
    mark: Literal["target", "blank"] = "target"
    needs: tuple[str, ...] = ()
    find: Callable[[Material, str], list[Item]] = _take_no_other
    template: str = "questions.html"
    kind: Literal["judgments"] = "judgments"
    onboarding: Onboarding | None = None

    @property
    def scales(self) -> Mapping[str, tuple[str, ...]]:
        return {
            field.name: tuple(option.value for option in field.options)
            for field in self.fields
            if field.kind == "scale"
        }

    def make_items(self, given: Material) -> list[Item]:
        if (file := given.item_file()) is not None:
            items = read_items(
                file,
                own=("source", "raw", "language"),
                taken=[field.name for field in self.fields],
                check=self.check,
            )
        else:
            items = self.find(given, self.name)
        return given.draw(items)

    def check(self, item: Item) -> None:
        payload = item.payload
        for name in self.needs:
            if name not in payload:
                raise DataError(f"an item of the task {self.name} needs {name}")
        choices = payload.get("choices")
        if choices is not None:
            if "choices" not in self.needs:
                raise DataError(f"the task {self.name} takes no choices")
            fixed = {option.value for option in self._question(LABEL).options}
            for place, choice in enumerate(choices):
                if choice in choices[:place] or choice in fixed:
                    raise DataError(f"the choice {choice!r} is there twice")
            if len(choices) < 2:
                raise DataError("there must be two choices or more, separated by |")
        self._check_gold(item)

    def _check_gold(self, item: Item) -> None:
        if item.gold is None:
            return
        asked = {field.name: field for field in self.fields_for(item, 0)}
        if LABEL not in asked:
            raise DataError(f"the task {self.name} has no question {LABEL!r} for a gold answer")
        values = [option.value for option in asked[LABEL].options]
        if values and item.gold not in values:
            raise DataError(
                f"the gold answer {item.gold!r} cannot be given; it can be: {', '.join(values)}"
            )

    def _question(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    def fields_for(self, item: Item, seed: int) -> tuple[Field, ...]:
        """Return the questions; the item's own choices come first, shuffled."""
        choices = item.payload.get("choices")
        if not choices:
            return self.fields
        shuffled = list(choices)
        random.Random(seed).shuffle(shuffled)
        own = tuple(
            AnswerOption(choice, choice if choice == NOTHING else Verbatim(choice))
            for choice in shuffled
        )
        return tuple(
            replace(question, options=own + question.options)
            if question.name == LABEL
            else question
            for question in self.fields
        )

    def view(self, item: Item, seed: int) -> dict[str, Any]:
        payload = item.payload
        sentence = written(payload)
        parts = [TextPart(sentence.text or "")]
        if "start" in payload:
            parts = mark_span(sentence, payload["start"], payload["end"], self.mark)
        source = payload.get("source", "")
        return {
            **context_of(item),
            "parts": parts,
            "source": space_tokens(source.split()).text if source else "",
            "tokens": sentence.tokens,
            "fields": self.fields_for(item, seed),
        }

    def read(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        return read_fields(self.fields_for(item, seed), form, len(item.payload["text"].split()))

    def label(self, answer: dict[str, Any]) -> str | None:
        value = answer.get(LABEL)
        return value if isinstance(value, str) else None

    def is_right(self, item: Item, answer: dict[str, Any]) -> bool:
        label = self.label(answer)
        if label is None or item.gold is None:
            return False
        if self._question(LABEL).kind == "text":
            right = {word.strip().casefold() for word in item.gold.split("|")}
            return label.strip().casefold() in right
        return label == item.gold


def read_fields(
    fields: Sequence[Field], form: Mapping[str, list[str]], length: int
) -> dict[str, Any]:
    """Return the answers in a form; ``length`` is the number of words for ``span`` questions.

    Raises:
        AnswerError: an answer is missing or not possible.
    """
    answer: dict[str, Any] = {}
    for question in fields:
        if question.when is not None and not question.when.holds(form):
            continue
        if question.kind in {"flags", "span"}:
            answer[question.name] = _read_several(question, form.get(question.name, []), length)
            continue
        value = only(form, question.name)
        if not value and not question.optional:
            raise AnswerError("Please answer: {question}", question=question.question)
        allowed = {option.value for option in question.options}
        if question.kind != "text" and value and value not in allowed:
            raise AnswerError(
                "This cannot be the answer to: {question}", question=question.question
            )
        if len(value) > MAX_TEXT:
            raise AnswerError("Please keep it under {most} characters.", most=MAX_TEXT)
        answer[question.name] = value
    return answer


def _read_several(question: Field, given: Sequence[str], length: int) -> list[str]:
    if question.kind == "flags":
        allowed = [option.value for option in question.options]
    else:
        allowed = [str(place) for place in range(length)]
        if not given and not question.optional:
            raise AnswerError("Please answer: {question}", question=question.question)
    if not set(given) <= set(allowed):
        raise AnswerError("This cannot be the answer to: {question}", question=question.question)
    return [value for value in allowed if value in given]


def written(payload: Mapping[str, Any]) -> Sentence:
    """Return the sentence of an item as ordinary text with its tokens."""
    tokens = payload["text"].split()
    found = locate_tokens(tokens, payload["raw"]) if "raw" in payload else None
    return found or space_tokens(tokens)


def show_words(tokens: Sequence[str]) -> str:
    """Return words of a sentence as people write them; or a text for no words."""
    text = space_tokens(tokens).text
    return Verbatim(text) if text else NOTHING


def mark_span(
    sentence: Sentence, start: int, end: int, kind: Literal["target", "blank"] = "target"
) -> list[TextPart]:
    """Return the sentence in parts, with one span marked or replaced by a gap."""
    text = sentence.text or ""
    first, last = sentence.to_characters(start, end)
    middle = "" if kind == "blank" else text[first:last]
    before, after = text[:first], text[last:]
    if start == end:  # a place between two words has a space on either side
        before, after = f"{before.rstrip()} ".lstrip(), f" {after.lstrip()}".rstrip()
    parts = [TextPart(before), TextPart(middle, kind), TextPart(after)]
    return [part for part in parts if part.text or part.kind != "plain"]


def dress(tokens: Sequence[tuple[str, Literal["plain", "new", "gone"]]]) -> list[TextPart]:
    """Return tokens, each plain, new or gone, as ordinary text in parts."""
    sentence = space_tokens([token for token, _ in tokens])
    text, offsets = sentence.text or "", sentence.offsets or ()
    parts: list[TextPart] = []
    for number, ((start, end), (_, kind)) in enumerate(zip(offsets, tokens, strict=True)):
        reached = offsets[number - 1][1] if number else 0
        if parts and parts[-1].kind == kind:
            parts[-1] = TextPart(parts[-1].text + text[reached:end], kind)
            continue
        if text[reached:start]:
            parts.append(TextPart(text[reached:start]))
        parts.append(TextPart(text[start:end], kind))
    return parts
