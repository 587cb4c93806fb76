"""``mark``: select wrong words, classify the error, and correct it.

Errors are collected one by one: each step returns the page with the errors so far, so that the
task also works without scripts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from redink.campaign.items import Item, Material, read_items
from redink.campaign.tasks.protocol import AnswerError, Example, Instructions, context_of, only
from redink.campaign.tasks.questions import written
from redink.campaign.tasks.rewriting import (
    AS_IS,
    EditingTask,
    describe_edits,
    find_edits,
    keep_edits,
    language_of,
    load_finder,
    restore_edits,
)
from redink.errors import DataError
from redink.model import UNKNOWN, Edit, apply_edits

AUTOMATIC = ""
"""Lets the rules classify the error."""
_LONGEST = 500


class MarkingTask(EditingTask):
    """A sentence as words to select, and the errors so far."""

    name = "mark"
    title = "Mark the errors"
    template = "mark.html"
    kind: Literal["corpus"] = "corpus"
    instructions = Instructions(
        purpose=(
            "You see a sentence with the sentences around it. Mark every error in it: select the "
            "words, write what should stand there, and say what kind of error it is."
        ),
        steps=(
            "Select the words that are wrong; words of one error stand together.",
            "Write what should stand there instead; nothing, if the words should go.",
            "Where a word is missing, select the word beside it and write both.",
            "Choose the kind of error, or leave it to be found.",
            "If you see that something is wrong and cannot correct it, choose that as the kind.",
            "Add the error, then mark the next one.",
            "If there is no error, press the button that says so.",
        ),
        examples=(
            Example("She have two cats.", "have → has: agreement", "one word is wrong"),
            Example("He went to cinema.", "cinema → the cinema: determiner", "a word is missing"),
        ),
    )

    def make_items(self, given: Material) -> list[Item]:
        from redink.campaign.tasks.item_sources import take_sentences

        if (file := given.item_file()) is not None:
            return given.draw(
                read_items(file, own=("raw", "sentence", "language"), check=self.check)
            )
        items = take_sentences(given, self.name)
        if given.language != "en":
            for item in items:
                item.payload["language"] = given.language
        return given.draw(items)

    def prepare(self) -> None:
        load_finder()

    def check(self, item: Item) -> None:
        if item.gold is not None:
            raise DataError(f"the task {self.name} has no gold answers")

    def view(self, item: Item, seed: int) -> dict[str, Any]:
        from redink.analysis.language import find_language

        sentence = written(item.payload)
        text, offsets = sentence.text or "", sentence.token_offsets()
        ends = [start for start, _ in offsets[1:]] + [len(text)]
        language = find_language(language_of(item))
        return {
            **context_of(item),
            "words": [
                (token, end > stop)
                for token, (_, stop), end in zip(sentence.tokens, offsets, ends, strict=True)
            ],
            "types": [
                (kind.name, kind.title) for kind in language.error_types if kind.name != UNKNOWN
            ],
            "unknown": UNKNOWN,
        }

    def step(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        edits = self._listed(item, form)
        removed = only(form, "remove")
        if removed.isdecimal() and int(removed) < len(edits):
            return self._show(item, edits[: int(removed)] + edits[int(removed) + 1 :])
        return self._show(item, self._with_new(item, edits, form))

    def restored(self, item: Item, form: Mapping[str, list[str]]) -> dict[str, Any]:
        try:
            shown = self._show(item, self._listed(item, form))
        except AnswerError:
            shown = {}
        typed = {name: form[name][0] for name in ("correction", "type") if form.get(name)}
        return shown | typed | {"word": form.get("word", [])}

    def _show(self, item: Item, edits: Sequence[Edit]) -> dict[str, Any]:
        tokens = written(item.payload).tokens
        return {
            "edit": [_write(edit) for edit in edits],
            "edits": describe_edits(tokens, edits, language_of(item)),
            "marked": {place for edit in edits for place in range(edit.start, edit.end)},
        }

    def _listed(self, item: Item, form: Mapping[str, list[str]]) -> list[Edit]:
        length = len(item.payload["text"].split())
        found = []
        for line in form.get("edit", []):
            start, end, kind, rule, correction = (*line.split(" ", 4), *[""] * 5)[:5]
            if not (start.isdecimal() and end.isdecimal() and kind):
                raise AnswerError("The form could not be read; please reload the page.")
            if not int(start) <= int(end) <= length or len(correction) > _LONGEST:
                raise AnswerError("The form could not be read; please reload the page.")
            found.append(
                Edit(int(start), int(end), correction, kind, rule=None if rule == "-" else rule)
            )
        return found

    def _with_new(
        self, item: Item, edits: Sequence[Edit], form: Mapping[str, list[str]]
    ) -> list[Edit]:
        tokens = written(item.payload).tokens
        places = sorted({int(place) for place in form.get("word", []) if place.isdecimal()})
        if not places:
            raise AnswerError("Please select the words that are wrong.")
        if places[-1] >= len(tokens) or places[-1] - places[0] >= len(places):
            raise AnswerError("The words of one error stand together; mark the others apart.")
        new = self._make(item, tokens, (places[0], places[-1] + 1), form)
        for edit in edits:
            if (new.start < edit.end and edit.start < new.end) or (
                new.start == edit.start and new.end == edit.end
            ):
                raise AnswerError("These words are part of another error; remove that one first.")
        return sorted([*edits, new], key=lambda edit: (edit.start, edit.end))

    def _make(
        self,
        item: Item,
        tokens: Sequence[str],
        span: tuple[int, int],
        form: Mapping[str, list[str]],
    ) -> Edit:
        from redink.analysis.language import find_language

        language = find_language(language_of(item))
        kind, text = only(form, "type"), only(form, "correction")
        if kind == UNKNOWN:
            return Edit(*span, "", UNKNOWN)
        if kind and kind not in {known.name for known in language.error_types}:
            raise AnswerError("There is no such kind of error.")
        if len(text) > _LONGEST:
            raise AnswerError("Please keep it under {most} characters.", most=_LONGEST)
        new = [text[start:end] for start, end in language.tokenize(text)]
        start, end = span
        # The words that are the same on either side are not part of the error.
        while new and start < end and new[0] == tokens[start]:
            new, start = new[1:], start + 1
        while new and start < end and new[-1] == tokens[end - 1]:
            new, end = new[:-1], end - 1
        if start == end and not new:
            raise AnswerError("That is what stands there already.")
        edit = Edit(start, end, " ".join(new))
        if kind != AUTOMATIC:  # English types have the operation before them, Chinese ones not
            known = language.describe_types()
            return edit.retyped(kind if kind in known else f"{edit.operation}:{kind}")
        corrected = apply_edits(tokens, [edit])
        place = (start, end, start, start + len(new))
        return find_edits(tokens, corrected, language.code, (place,))[0]

    def read(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        edits = self._listed(item, form)
        if form.get("word"):
            edits = self._with_new(item, edits, form)
        elif only(form, "correction"):
            raise AnswerError("Please select the words that are wrong.")
        if only(form, AS_IS) and edits:
            raise AnswerError("You have marked errors; remove them if there are none.")
        if not edits and not only(form, AS_IS):
            raise AnswerError(
                "You have marked no error. If there is none, press the button that says so."
            )
        return {"edits": keep_edits(edits)}

    def filled(self, item: Item, answer: dict[str, Any], seed: int) -> dict[str, Any]:
        return self._show(item, restore_edits(answer["edits"]))


def _write(edit: Edit) -> str:
    return f"{edit.start} {edit.end} {edit.type} {edit.rule or '-'} {edit.correction}"


MARK = MarkingTask()
