"""``correct`` and ``post-edit``: a person corrects the sentence.

The page shows ordinary text. Unchanged words keep the tokens of the source; changed words are
tokenized like the source. The edits are those of ``redink annotate``, and shown on the page.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from redink.campaign.items import NOTHING, Item, Material, read_items
from redink.campaign.tasks.protocol import (
    AnswerError,
    CampaignTask,
    Example,
    Instructions,
    context_of,
    only,
)
from redink.campaign.tasks.questions import written
from redink.errors import DataError
from redink.model import Edit, Sentence
from redink.raw_text.text_alignment import align_text
from redink.raw_text.tokenization import space_tokens

LONGEST = 4000
"""Maximum length of a correction."""
AS_IS = "as_is"
"""The button for: nothing to correct."""

_ANALYSING = threading.Lock()
"""Analyzers are not thread-safe."""


def describe_edits(
    tokens: Sequence[str], edits: Sequence[Edit], language: str
) -> list[dict[str, Any]]:
    """Return each edit with its words, type and reason."""
    from redink.analysis.language import find_language

    known = find_language(language)
    return [
        {
            "before": space_tokens(tokens[edit.start : edit.end]).text or "",
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
    from redink.analysis.annotation_options import AnnotationOptions
    from redink.analysis.edit_finder import Job, type_jobs

    job = Job(tuple(source), tuple(corrected), spans)
    with _ANALYSING:
        return type_jobs([job], AnnotationOptions(language=language).load())[job]


def load_finder() -> None:
    """Load the analyzer, so that the first judge does not wait for it."""
    find_edits(("This", "are"), ("This", "is"), "en")


def cut_text(sentence: Sentence, text: str, language: str) -> tuple[str, ...]:
    """Tokenize a corrected sentence; unchanged words keep the tokens of the source."""
    from redink.analysis.language import find_language

    if text == sentence.text:
        return sentence.tokens
    tokenise = find_language(language).tokenize
    tokens = align_text([sentence.tokens], text, tokenise=tokenise).sentences[0].tokens
    if "".join(tokens) != "".join(text.split()):
        # So little is like the sentence that the aligner left something out.
        return tuple(text[start:end] for start, end in tokenise(text))
    return tokens


def language_of(item: Item) -> str:
    """Return the language of an item."""
    return str(item.payload.get("language", "en"))


def one_line(text: str) -> str:
    """Return a text without line breaks and double spaces."""
    return " ".join(text.split())


def keep_edits(edits: Sequence[Edit]) -> list[list[Any]]:
    """Return edits as JSON lists."""
    return [[edit.start, edit.end, edit.correction, edit.type, edit.rule] for edit in edits]


def restore_edits(kept: Sequence[Sequence[Any]]) -> tuple[Edit, ...]:
    """Return edits from JSON lists."""
    return tuple(
        Edit(start, end, correction, kind, rule=rule) for start, end, correction, kind, rule in kept
    )


def summarize_edits(kept: Sequence[Sequence[Any]]) -> str:
    """Return edits in one line."""
    said = [f"{edit[0]}-{edit[1]} → {edit[2] or NOTHING} ({edit[3]})" for edit in kept]
    return "; ".join(said) or "no edit"


class EditingTask(CampaignTask):
    """A task whose answers contain edits."""

    def label(self, answer: dict[str, Any]) -> str:
        return summarize_edits(answer["edits"])

    def edits(self, item: Item, answer: dict[str, Any]) -> tuple[Edit, ...]:
        return restore_edits(answer["edits"])


@dataclass(frozen=True)
class RewritingTask(EditingTask):
    """A text box with the source (``text``) or a system output (``hypothesis``) to correct."""

    name: str
    title: str
    instructions: Instructions
    begins_with: Literal["text", "hypothesis"] = "text"
    template: str = "rewrite.html"
    kind: Literal["corpus"] = "corpus"

    def make_items(self, given: Material) -> list[Item]:
        from redink.campaign.tasks.item_sources import (
            describe_sentence,
            distinct_outputs,
            take_sentences,
        )
        from redink.inputs.loading import load_texts

        if (file := given.item_file()) is not None:
            items = read_items(
                file, own=("hypothesis", "raw", "sentence", "language"), check=self.check
            )
        elif self.begins_with == "text":
            items = take_sentences(given, self.name)
        else:
            sources = load_texts(given.source) if given.source is not None else ()
            items = []
            for number, _, text, systems in distinct_outputs(given, self.name):
                about = describe_sentence(sources, number) | {"hypothesis": text}
                about["extra"] = {"systems": "+".join(systems)}
                items.append(Item(len(items) + 1, f"s{number}.{len(items)}", about))
        if given.language != "en":
            items = [
                Item(item.id, item.key, item.payload | {"language": given.language})
                for item in items
            ]
        return given.draw(items)

    def prepare(self) -> None:
        load_finder()

    def check(self, item: Item) -> None:
        from redink.analysis.language import find_language

        find_language(language_of(item))
        if not item.payload.get(self.begins_with):
            raise DataError(f"an item of the task {self.name} needs {self.begins_with}")
        if item.gold is not None:
            raise DataError(f"the task {self.name} has no gold answers")

    def _begin(self, item: Item) -> str:
        if self.begins_with == "text":
            return written(item.payload).text or ""
        return space_tokens(str(item.payload["hypothesis"]).split()).text or ""

    def view(self, item: Item, seed: int) -> dict[str, Any]:
        return {
            **context_of(item),
            "source": written(item.payload).text,
            "begin": self._begin(item),
            "longest": LONGEST,
        }

    def _work(self, item: Item, text: str) -> tuple[tuple[str, ...], tuple[Edit, ...]]:
        if not text:
            raise AnswerError("Please write the sentence as it should be.")
        if len(text) > LONGEST:
            raise AnswerError("Please keep it under {most} characters.", most=LONGEST)
        sentence = written(item.payload)
        tokens = cut_text(sentence, text, language_of(item))
        if tokens == sentence.tokens:
            return tokens, ()
        return tokens, find_edits(sentence.tokens, tokens, language_of(item))

    def step(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        text = only(form, "text")
        tokens = written(item.payload).tokens
        edits = self._work(item, one_line(text))[1]
        return {"text": text, "edits": describe_edits(tokens, edits, language_of(item))}

    def read(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        begin = self._begin(item)
        text = begin if only(form, AS_IS) else one_line(only(form, "text"))
        if text == begin and not only(form, AS_IS):
            raise AnswerError(
                "You have changed nothing. If there is nothing to correct, press the button that "
                "says so."
            )
        tokens, edits = self._work(item, text)
        return {"text": text, "corrected": " ".join(tokens), "edits": keep_edits(edits)}

    def filled(self, item: Item, answer: dict[str, Any], seed: int) -> dict[str, Any]:
        tokens, edits = written(item.payload).tokens, restore_edits(answer["edits"])
        return {
            "text": answer["text"],
            "edits": describe_edits(tokens, edits, language_of(item)),
        }

    def label(self, answer: dict[str, Any]) -> str:
        return str(answer["text"])


CORRECT = RewritingTask(
    name="correct",
    title="Correct the sentence",
    instructions=Instructions(
        purpose=(
            "You see a sentence as its writer wrote it, with the sentences around it. Put right "
            "what is wrong in it."
        ),
        steps=(
            "Change the sentence in the box until there is no error in it.",
            "Change only what is wrong, and keep what the writer meant.",
            "Below the box you see what you have changed and what each change is called.",
            "If there is nothing to correct, press the button that says so.",
        ),
        examples=(
            Example("She have two cat.", "She has two cats.", "agreement, and a plural"),
            Example(
                "He left early.", "nothing to correct", "it could be said otherwise, but is fine"
            ),
        ),
    ),
)

POST_EDIT = RewritingTask(
    name="post-edit",
    title="Put the correction right",
    begins_with="hypothesis",
    instructions=Instructions(
        purpose=(
            "You see a sentence as its writer wrote it, and a corrected version in a box. The "
            "version may be right, may have missed errors, or may have made new ones."
        ),
        steps=(
            "Compare the version with what the writer wrote.",
            "Change it until there is no error in it and it says what the writer meant.",
            "Undo changes that were not needed.",
            "If the version is right as it is, press the button that says so.",
        ),
        examples=(
            Example("She have two cat. → She has two cat.", "She has two cats.", "one was missed"),
            Example("I like tea. → I love tea.", "I like tea.", "this changed the meaning"),
        ),
    ),
)
