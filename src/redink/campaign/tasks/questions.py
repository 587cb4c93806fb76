"""Tasks that ask a few questions about a marked sentence: one class, a table of questions each."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from redink.campaign.store import Item
from redink.campaign.tasks.marking import mark_span
from redink.campaign.tasks.protocol import (
    MAX_TEXT,
    AnswerError,
    Field,
    Instructions,
    Option,
    only,
)

LABEL = "label"
"""The question whose answer is the judgment."""


@dataclass(frozen=True)
class QuestionTask:
    """Questions about one sentence in which one span is marked.

    The payload holds ``text`` (tokens) with ``start`` and ``end`` of the span, and perhaps
    ``before`` (the previous sentence), ``note`` (what is said of the span) and ``choices`` (the
    options of the question ``label``, shown in random order). Every task has a field ``label``.
    """

    name: str
    title: str
    instructions: Instructions
    fields: tuple[Field, ...]
    mark: Literal["target", "blank"] = "target"
    template: str = "questions.html"
    kind: Literal["judgments"] = "judgments"

    def fields_for(self, item: Item, seed: int) -> tuple[Field, ...]:
        """The questions; an item's own choices come first among the options, shuffled."""
        choices = item.payload.get("choices")
        if not choices:
            return self.fields
        shuffled = list(choices)
        random.Random(seed).shuffle(shuffled)
        own = tuple(Option(choice, choice or "(nothing)") for choice in shuffled)
        return tuple(
            replace(question, options=own + question.options)
            if question.name == LABEL
            else question
            for question in self.fields
        )

    def view(self, item: Item, seed: int) -> dict[str, Any]:
        """The sentence with its marked span, and the questions."""
        payload = item.payload
        tokens = payload["text"].split()
        start, end = payload.get("start", 0), payload.get("end", 0)
        return {
            "before": payload.get("before", ""),
            "parts": mark_span(tokens, start, end, self.mark),
            "note": payload.get("note", ""),
            "fields": self.fields_for(item, seed),
        }

    def read(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        """The answer to every question, checked against what could be chosen."""
        answer: dict[str, Any] = {}
        for question in self.fields_for(item, seed):
            allowed = {option.value for option in question.options}
            if question.kind == "flags":
                given = form.get(question.name, [])
                if not set(given) <= allowed:
                    raise AnswerError(f"That is no answer to: {question.question}")
                answer[question.name] = sorted(set(given))
                continue
            value = only(form, question.name)
            if not value and not question.optional:
                raise AnswerError(f"Please answer: {question.question}")
            if question.kind == "choice" and value and value not in allowed:
                raise AnswerError(f"That is no answer to: {question.question}")
            if len(value) > MAX_TEXT:
                raise AnswerError(f"Please keep it under {MAX_TEXT} characters.")
            answer[question.name] = value
        return answer

    def filled(self, item: Item, answer: dict[str, Any], seed: int) -> dict[str, Any]:  # noqa: ARG002
        """The answer, field by field."""
        return answer

    def label(self, answer: dict[str, Any]) -> str | None:
        """The answer to the question that is the judgment."""
        value = answer.get(LABEL)
        return value if isinstance(value, str) else None
