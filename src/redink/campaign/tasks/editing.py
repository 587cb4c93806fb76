"""Tasks whose answers are edits: ``correct``, ``post-edit`` and ``mark``.

The pages show ordinary text. Unchanged words keep the tokens of the source; changed words are
tokenized like the source. The edits are those of ``redink annotate``, and shown on the page.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.edit_finder import Job, type_jobs
from redink.analysis.language import find_language
from redink.campaign.task_items import (
    NOTHING,
    CampaignItem,
    Material,
    describe_sentence,
    distinct_outputs,
    read_items,
    take_sentences,
)
from redink.campaign.tasks.protocol import (
    AnswerError,
    CampaignTask,
    Instructions,
    context_of,
    only,
    read_texts,
)
from redink.campaign.tasks.questions import written
from redink.errors import DataError
from redink.inputs.text_loading import load_texts
from redink.model import UNKNOWN, Edit, apply_edits
from redink.raw_text.text_alignment import align_text
from redink.raw_text.tokenization import space_tokens

LONGEST = 4000  # maximum length of a corrected sentence
_LONGEST_EDIT = 500
AS_IS = "as_is"  # the button for: nothing to correct
_EDIT = re.compile(rf"(\d{{1,9}}) (\d{{1,9}}) (\S+) (\S+) ?(.{{0,{_LONGEST_EDIT}}})")
"""A marked error in the form: the span, the type, the rule (or ``-``), and the correction."""
_ANALYZING = threading.Lock()  # analyzers are not thread-safe


_IN_M2 = ("||", "-NONE-")  # separate the fields of M2


def check_typed(text: str, source: str) -> None:
    """Raise an AnswerError for text that M2 cannot represent, unless the source has it."""
    for mark in _IN_M2:
        if mark in text and mark not in source:
            raise AnswerError("Please do not use “{mark}” in the correction.", mark=mark)


def check_sentence(item: CampaignItem, text: str) -> None:
    """Raise an AnswerError if text cannot be the corrected sentence."""
    if not text:
        raise AnswerError("Please enter the corrected sentence.")
    if len(text) > LONGEST:
        raise AnswerError("Please use at most {most} characters.", most=LONGEST)
    check_typed(text, written(item.payload).text or "")


def find_typed_edits(item: CampaignItem, text: str) -> tuple[Edit, ...]:
    """Return the edits of a corrected sentence; unchanged words keep their tokens."""
    check_sentence(item, text)
    sentence = written(item.payload)
    if text == sentence.text:
        return ()
    tokenize = find_language(item.language).tokenize
    tokens = align_text([sentence.tokens], text, tokenize=tokenize).sentences[0].tokens
    if "".join(tokens) != "".join(text.split()):
        # So little is like the sentence that the aligner left something out.
        tokens = tuple(text[start:end] for start, end in tokenize(text))
    return find_edits(sentence.tokens, tokens, item.language)


def describe_edits(item: CampaignItem, edits: Sequence[Edit]) -> list[dict[str, Any]]:
    """Return each edit with its words, type and reason."""
    known = find_language(item.language)
    return [
        {
            "before": space_tokens(item.tokens[edit.start : edit.end]).text or "",
            "after": space_tokens(edit.correction.split()).text or "",
            "type": edit.type,
            "meaning": known.describe(edit.type),
            "because": known.typing.reasons(edit.rule) if edit.rule else (),
        }
        for edit in edits
    ]


def find_edits(
    source: Sequence[str],
    corrected: Sequence[str],
    language: str,
    spans: tuple[tuple[int, int, int, int], ...] | None = None,
) -> tuple[Edit, ...]:
    """Return the classified edits between two sentences, at ``spans`` if they are known."""
    job = Job(tuple(source), tuple(corrected), spans)
    with _ANALYZING:
        return type_jobs([job], AnnotationOptions(language=language).load())[job]


def keep_edits(edits: Sequence[Edit]) -> list[list[Any]]:
    """Return edits as JSON lists."""
    return [
        [e.start, e.end, e.correction, e.type, e.rule, e.alternatives, e.required] for e in edits
    ]


def restore_edits(kept: Sequence[Sequence[Any]]) -> tuple[Edit, ...]:
    """Return edits from JSON lists."""
    return tuple(
        Edit(start, end, correction, kind, tuple(more[0]), rule, more[1])
        if more
        else Edit(start, end, correction, kind, rule=rule)  # of an earlier version
        for start, end, correction, kind, rule, *more in kept
    )


class EditingTask(CampaignTask):
    """A task whose answers contain edits."""

    kind: Literal["corpus"] = "corpus"

    def prepare(self) -> None:
        find_edits(("This", "are"), ("This", "is"), "en")

    def check(self, item: CampaignItem) -> None:
        if item.gold is not None:
            raise DataError(f"the task {self.name} has no gold answers")

    def label(self, answer: dict[str, Any]) -> str:
        edits = restore_edits(answer["edits"])
        texts = [f"{e.start}-{e.end} → {e.correction or NOTHING} ({e.type})" for e in edits]
        return "; ".join(texts) or "no edit"

    def edits(self, item: CampaignItem, answer: dict[str, Any]) -> tuple[Edit, ...]:
        return restore_edits(answer["edits"])


@dataclass(frozen=True)
class RewritingTask(EditingTask):
    """A text box with the source (``text``) or a system output (``hypothesis``) to correct."""

    name: str
    title: str
    instructions: Instructions
    begins_with: Literal["text", "hypothesis"] = "text"
    template: str = "rewrite.html"

    def make_items(self, given: Material) -> list[CampaignItem]:
        if (file := given.item_file()) is not None:
            own = ("hypothesis", "raw", "sentence", "language")
            items = read_items(file, own=own, check=self.check)
        elif self.begins_with == "text":
            items = take_sentences(given, self.name)
        else:
            sources = load_texts(given.source) if given.source is not None else ()
            items = []
            for number, _, text, systems in distinct_outputs(given, self.name):
                about = describe_sentence(sources, number) | {"hypothesis": text}
                about["extra"] = {"systems": systems}
                items.append(CampaignItem(f"s{number}.{len(items)}", about))
        return given.draw(items)

    def check(self, item: CampaignItem) -> None:
        find_language(item.language)
        if not item.payload.get(self.begins_with):
            raise DataError(f"an item of the task {self.name} needs {self.begins_with}")
        super().check(item)

    def _begin(self, item: CampaignItem) -> str:
        if self.begins_with == "text":
            return written(item.payload).text or ""
        return space_tokens(str(item.payload["hypothesis"]).split()).text or ""

    def view(self, item: CampaignItem, seed: int) -> dict[str, Any]:
        return {
            **context_of(item),
            "source": written(item.payload).text,
            "begin": self._begin(item),
            "longest": LONGEST,
        }

    def step(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        text = only(form, "text")
        edits = find_typed_edits(item, " ".join(text.split()))
        return {"text": text, "edits": describe_edits(item, edits)}

    def read(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        begin = self._begin(item)
        text = begin if only(form, AS_IS) else " ".join(only(form, "text").split())
        if text == begin and not only(form, AS_IS):
            raise AnswerError(
                "You have not changed anything. If there is nothing to correct, press “Nothing "
                "to correct”."
            )
        check_sentence(item, text)
        # The edits are found for the preview and the export: storing does not wait for them.
        return {"text": text}

    def filled(self, item: CampaignItem, answer: dict[str, Any], seed: int) -> dict[str, Any]:
        return {"text": answer["text"]}

    def edits(self, item: CampaignItem, answer: dict[str, Any]) -> tuple[Edit, ...]:
        if "edits" in answer:  # stored by an earlier version
            return super().edits(item, answer)
        return find_typed_edits(item, answer["text"])

    def label(self, answer: dict[str, Any]) -> str:
        return str(answer["text"])


CORRECT = RewritingTask("correct", *read_texts("correct"))

POST_EDIT = RewritingTask("post-edit", *read_texts("post-edit"), begins_with="hypothesis")


class MarkingTask(EditingTask):
    """A sentence as words to select, and the errors so far.

    Each step returns the page with the errors so far, so that the task also works without scripts.
    """

    name = "mark"
    title, instructions = read_texts("mark")
    template = "mark.html"

    def make_items(self, given: Material) -> list[CampaignItem]:
        if (file := given.item_file()) is not None:
            own = ("raw", "sentence", "language")
            return given.draw(read_items(file, own=own, check=self.check))
        return given.draw(take_sentences(given, self.name))

    def view(self, item: CampaignItem, seed: int) -> dict[str, Any]:
        sentence = written(item.payload)
        text, offsets = sentence.text or "", sentence.token_offsets()
        ends = [start for start, _ in offsets[1:]] + [len(text)]
        language = find_language(item.language)
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

    def step(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        edits = self._listed(item, form)
        removed = only(form, "remove")
        if removed.isdecimal() and int(removed) < len(edits):
            return self._show(item, edits[: int(removed)] + edits[int(removed) + 1 :])
        return self._show(item, self._with_new(item, edits, form))

    def restored(self, item: CampaignItem, form: Mapping[str, list[str]]) -> dict[str, Any]:
        try:
            shown = self._show(item, self._listed(item, form))
        except AnswerError:
            shown = {}
        typed = {name: form[name][0] for name in ("correction", "type") if form.get(name)}
        return shown | typed | {"word": form.get("word", [])}

    def _show(self, item: CampaignItem, edits: Sequence[Edit]) -> dict[str, Any]:
        return {
            "edit": [f"{e.start} {e.end} {e.type} {e.rule or '-'} {e.correction}" for e in edits],
            "edits": describe_edits(item, edits),
            "marked": {place for edit in edits for place in range(edit.start, edit.end)},
        }

    def _listed(self, item: CampaignItem, form: Mapping[str, list[str]]) -> list[Edit]:
        found = []
        for line in form.get("edit", []):
            parts = _EDIT.fullmatch(line)
            if parts is None or not int(parts[1]) <= int(parts[2]) <= len(item.tokens):
                raise AnswerError("This page could not be read; please reload it.")
            rule = None if parts[4] == "-" else parts[4]
            found.append(Edit(int(parts[1]), int(parts[2]), parts[5], parts[3], rule=rule))
        return found

    def _with_new(
        self, item: CampaignItem, edits: Sequence[Edit], form: Mapping[str, list[str]]
    ) -> list[Edit]:
        places = sorted({int(place) for place in form.get("word", []) if place.isdecimal()})
        if not places:
            raise AnswerError("Please select the incorrect words.")
        if places[-1] >= len(item.tokens) or places[-1] - places[0] >= len(places):
            raise AnswerError("Select adjacent words; mark other errors separately.")
        new = self._make(item, places[0], places[-1] + 1, form)
        for edit in edits:
            overlaps = new.start < edit.end and edit.start < new.end
            if overlaps or (new.start, new.end) == (edit.start, edit.end):
                raise AnswerError("These words are part of another error; remove that error first.")
        return sorted([*edits, new], key=lambda edit: (edit.start, edit.end))

    def _make(
        self, item: CampaignItem, start: int, end: int, form: Mapping[str, list[str]]
    ) -> Edit:
        tokens, language = item.tokens, find_language(item.language)
        kind, text = only(form, "type"), only(form, "correction")
        if kind == UNKNOWN:
            return Edit(start, end, "", UNKNOWN)
        if kind and kind not in {known.name for known in language.error_types}:
            raise AnswerError("Unknown error type.")
        if len(text) > _LONGEST_EDIT:
            raise AnswerError("Please use at most {most} characters.", most=_LONGEST_EDIT)
        check_typed(text, "")
        new = [text[first:last] for first, last in language.tokenize(text)]
        # The words that are the same on either side are not part of the error.
        while new and start < end and new[0] == tokens[start]:
            new, start = new[1:], start + 1
        while new and start < end and new[-1] == tokens[end - 1]:
            new, end = new[:-1], end - 1
        if start == end and not new:
            raise AnswerError("This is the same as the original.")
        edit = Edit(start, end, " ".join(new))
        if kind:  # English types have the operation before them, Chinese ones not
            known = language.describe_types()
            return edit.retyped(kind if kind in known else f"{edit.operation}:{kind}")
        corrected = apply_edits(tokens, [edit])
        place = (start, end, start, start + len(new))
        return find_edits(tokens, corrected, language.code, (place,))[0]

    def read(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        edits = self._listed(item, form)
        if form.get("word"):
            edits = self._with_new(item, edits, form)
        elif only(form, "correction"):
            raise AnswerError("Please select the incorrect words.")
        if only(form, AS_IS) and edits:
            raise AnswerError("You have marked errors. If there are none, remove the marks first.")
        if not edits and not only(form, AS_IS):
            raise AnswerError(
                "You have not marked any errors. If there are none, press “No error”."
            )
        return {"edits": keep_edits(edits)}

    def filled(self, item: CampaignItem, answer: dict[str, Any], seed: int) -> dict[str, Any]:
        return self._show(item, restore_edits(answer["edits"]))


MARK = MarkingTask()
