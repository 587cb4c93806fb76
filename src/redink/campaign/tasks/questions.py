"""Tasks that ask questions about a sentence. Their texts are in ``texts/*.toml``."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from redink.campaign.task_items import (
    NOTHING,
    CampaignItem,
    Material,
    read_items,
)
from redink.campaign.tasks.protocol import (
    AnswerError,
    AnswerOption,
    CampaignTask,
    Field,
    Instructions,
    Onboarding,
    PartKind,
    TextPart,
    context_of,
    only,
)
from redink.campaign.translation import Verbatim
from redink.errors import DataError, OptionError
from redink.model import Edit, Sentence
from redink.raw_text.tokenization import locate_tokens, space_tokens

LABEL = "label"  # the question whose answer is the judgment
ALTERNATIVES = "alternatives"  # the question about better or equally good words
ShownToken = tuple[str, PartKind]


@dataclass(frozen=True)
class QuestionTask(CampaignTask):
    """Questions about one sentence in which one span may be marked.

    The payload contains ``text`` (tokens), and optionally ``start`` and ``end`` of the span,
    ``before`` and ``after`` (neighboring sentences), ``note``, ``source`` and ``choices`` (options
    of the question ``label``, in random order). The answer to ``label`` is the judgment; without
    such a question, every answer is one. ``needs`` are the required columns of an item; ``find``
    makes items from other input than a file of items.
    """

    name: str
    title: str
    instructions: Instructions
    fields: tuple[Field, ...]
    mark: Literal["target", "blank"] = "target"
    needs: tuple[str, ...] = ()
    find: Callable[[Material, str], list[CampaignItem]] | None = None
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

    def make_items(self, given: Material) -> list[CampaignItem]:
        if (file := given.item_file()) is not None:
            own = ("source", "raw", "language", "window", "verb")
            taken = [field.name for field in self.fields]
            return given.draw(read_items(file, own=own, taken=taken, check=self.check))
        if self.find is None:
            raise OptionError(f"the task {self.name} takes its items from one file: --from FILE")
        return given.draw(self.find(given, self.name))

    def check(self, item: CampaignItem) -> None:
        payload = item.payload
        if missing := [name for name in self.needs if name not in payload]:
            raise DataError(f"an item of the task {self.name} needs {missing[0]}")
        choices = payload.get("choices")
        if choices is not None:
            if "choices" not in self.needs:
                raise DataError(f"the task {self.name} has no choices")
            if len(choices) < 2:
                raise DataError("there must be two choices or more, separated by |")
        asked = {field.name: field for field in self.fields_for(item, 0)}
        values = [option.value for option in asked[LABEL].options] if LABEL in asked else []
        for choice in choices or ():
            if values.count(choice) > 1:
                raise DataError(f"duplicate choice {choice!r}")
        if item.gold is None:
            return
        if LABEL not in asked:
            raise DataError(f"the task {self.name} has no question {LABEL!r} for a gold answer")
        if values and item.gold not in values:
            raise DataError(
                f"unknown gold answer {item.gold!r}; expected one of: {', '.join(values)}"
            )

    def fields_for(self, item: CampaignItem, seed: int) -> tuple[Field, ...]:
        """Return the questions; the item's own choices come first, shuffled."""
        choices = item.payload.get("choices")
        if not choices:
            return self.fields
        own = [AnswerOption(one, one if one == NOTHING else Verbatim(one)) for one in choices]
        random.Random(seed).shuffle(own)
        return tuple(
            replace(field, options=(*own, *field.options)) if field.name == LABEL else field
            for field in self.fields
        )

    def view(self, item: CampaignItem, seed: int) -> dict[str, Any]:
        payload, sentence = item.payload, written(item.payload)
        parts = [TextPart(sentence.text or "")]
        if "start" in payload:
            parts = mark_span(sentence, payload["start"], payload["end"], self.mark)
            if "window" in payload and self.mark == "target":
                parts = join_parts(_show_context(payload, sentence.tokens), sentence)
        source = payload.get("source", "")
        return {
            **context_of(item),
            "parts": parts,
            "source": space_tokens(source.split()).text if source else "",
            "tokens": sentence.tokens,
            "fields": self.fields_for(item, seed),
        }

    def read(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        return read_fields(self.fields_for(item, seed), form, len(item.tokens))

    def edits(self, item: CampaignItem, answer: dict[str, Any]) -> tuple[Edit, ...]:
        """Return a usage judgment as an edit; equally good words make an optional one."""
        label, tokens = self.label(answer), item.tokens
        start, end = item.payload["start"], item.payload["end"]
        given = [" ".join(one.split()) for one in answer.get(ALTERNATIVES, "").split(",")]
        words = list(dict.fromkeys(one for one in given if one))
        if label == "extraneous":
            words = [""]
        elif label == "incorrect" and not words:
            return (Edit(start, end, "", "UNK"),)  # an error without a known correction
        elif label not in {"incorrect", "equal"} or not words:
            return ()
        from redink.campaign.tasks.editing import find_edits

        found = find_edits(
            tokens, [*tokens[:start], *words[0].split(), *tokens[end:]], item.language
        )
        kind = found[0].type if len(found) == 1 else f"{'R' if words[0] else 'U'}:OTHER"
        required = "OPTIONAL" if label == "equal" else "REQUIRED"
        return (Edit(start, end, words[0], kind, tuple(words[1:]), required=required),)

    def label(self, answer: dict[str, Any]) -> str | None:
        value = answer.get(LABEL)
        return value if isinstance(value, str) else None

    def is_right(self, item: CampaignItem, answer: dict[str, Any]) -> bool:
        label, gold = self.label(answer), item.gold
        if label is None or gold is None:
            return False
        if any(field.name == LABEL and field.kind == "text" for field in self.fields):
            return label.strip().casefold() in {one.strip().casefold() for one in gold.split("|")}
        return label == gold


def read_fields(
    fields: Sequence[Field], form: Mapping[str, list[str]], length: int
) -> dict[str, Any]:
    """Return the answers in a form; raise an AnswerError if one is missing or not possible.

    ``length`` is the number of words for ``span`` questions.
    """
    answer: dict[str, Any] = {}
    for question in fields:
        when = question.when
        if when is not None and set(when.values).isdisjoint(form.get(when.name, ())):
            continue
        is_list = question.kind in {"flags", "span"}
        given = form.get(question.name, []) if is_list else [only(form, question.name)]
        given = [value for value in given if value or is_list]
        if not given and not question.optional and question.kind != "flags":
            raise AnswerError("Please answer: {question}", question=question.question)
        allowed = [option.value for option in question.options]
        if question.kind == "span":
            allowed = [str(place) for place in range(length)]
        if question.kind != "text" and not set(given) <= set(allowed):
            raise AnswerError(
                "This is not a valid answer to: {question}", question=question.question
            )
        if is_list:
            answer[question.name] = [value for value in allowed if value in given]
            continue
        value = given[0] if given else ""
        if len(value) > question.longest:
            raise AnswerError("Please use at most {most} characters.", most=question.longest)
        answer[question.name] = value
    return answer


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


def _show_context(payload: Mapping[str, Any], tokens: Sequence[str]) -> list[ShownToken]:
    """Return each token as the target, in its window, the commanding verb, or plain."""
    length = len(tokens)
    start, end, window = payload["start"], payload["end"], payload["window"]
    kinds: list[PartKind] = ["plain"] * length
    for at in range(max(0, start - window), min(length, end + window)):
        kinds[at] = "target" if start <= at < end else "near"
    if 0 <= payload.get("verb", -1) < length:
        kinds[payload["verb"]] = "verb"
    return list(zip(tokens, kinds, strict=True))


def join_parts(tokens: Sequence[ShownToken], sentence: Sentence | None = None) -> list[TextPart]:
    """Return tokens, each of a kind, as ordinary text in parts; ``sentence`` is their raw text."""
    sentence = sentence or space_tokens([token for token, _ in tokens])
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


def make_scale(first: int, last: int, low: str, high: str) -> tuple[AnswerOption, ...]:
    """Return the grades of a scale; ``low`` and ``high`` describe its ends."""
    texts = {grade: str(grade) for grade in range(first, last + 1)}
    texts |= {first: low or str(first), last: high or str(last)}
    return tuple(AnswerOption(str(grade), text) for grade, text in texts.items())
