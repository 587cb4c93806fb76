"""Tasks that ask a few questions about a marked sentence: one class, a table of questions each."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from redink.campaign.items import Item, Material, read_items
from redink.campaign.tasks.protocol import (
    MAX_TEXT,
    AnswerError,
    Field,
    Instructions,
    Option,
    Part,
    only,
)
from redink.errors import OptionError
from redink.formats.inputs import PathLike

LABEL = "label"
"""The question whose answer is the judgment."""


@dataclass(frozen=True)
class QuestionTask:
    """Questions about one sentence in which one span is marked.

    The payload holds ``text`` (tokens) with ``start`` and ``end`` of the span, and perhaps
    ``before`` (the previous sentence), ``note`` (what is said of the span) and ``choices`` (the
    options of the question ``label``, shown in random order). Every task has a field ``label``.
    ``read_file`` reads the items from the file that the organiser gives.
    """

    name: str
    title: str
    instructions: Instructions
    fields: tuple[Field, ...]
    mark: Literal["target", "blank"] = "target"
    read_file: Callable[[PathLike], list[Item]] = read_items
    template: str = "questions.html"
    kind: Literal["judgments"] = "judgments"

    def make_items(self, given: Material) -> list[Item]:
        """The items of a file, or as many of them as are wanted, drawn at random."""
        if given.file is None or given.systems or given.source:
            raise OptionError(f"a {self.name} campaign takes its items from one file: --from FILE")
        items = self.read_file(given.file)
        if given.count is None or given.count >= len(items):
            return items
        import numpy as np

        rng = np.random.default_rng(given.seed)
        return [items[at] for at in sorted(rng.choice(len(items), given.count, replace=False))]

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
                    raise AnswerError(f"This cannot be the answer to: {question.question}")
                answer[question.name] = sorted(set(given))
                continue
            value = only(form, question.name)
            if not value and not question.optional:
                raise AnswerError(f"Please answer: {question.question}")
            if question.kind == "choice" and value and value not in allowed:
                raise AnswerError(f"This cannot be the answer to: {question.question}")
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


def mark_span(
    tokens: Sequence[str], start: int, end: int, kind: Literal["target", "blank"] = "target"
) -> list[Part]:
    """The sentence with one span set apart; a blank stands for the span itself."""
    middle = "" if kind == "blank" else " ".join(tokens[start:end])
    parts = [Part(" ".join(tokens[:start])), Part(middle, kind), Part(" ".join(tokens[end:]))]
    return [part for part in parts if part.text or part.kind != "plain"]
