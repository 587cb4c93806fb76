"""``adjudicate``: one person decides where annotators differ; the export is the gold corpus.

A sentence is split into chunks as in CLEME. Each chunk in which annotators differ is a question.
Sentences on which all agree are not shown; the first item contains them for the export.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from redink.analysis.language import find_language
from redink.campaign.items import Item, Material, read_written
from redink.campaign.tasks.protocol import (
    AnswerError,
    AnswerOption,
    Example,
    Field,
    Instructions,
    TextPart,
    When,
    context_of,
)
from redink.campaign.tasks.questions import read_fields, show_words, written
from redink.campaign.tasks.rewriting import (
    EditingTask,
    find_edits,
    keep_edits,
    language_of,
    one_line,
    restore_edits,
)
from redink.campaign.translation import Phrase
from redink.errors import DataError, OptionError
from redink.model import AnnotatedSentence, Annotation, Edit, Sentence
from redink.scoring.chunks import Chunk, partition

_LEAVE = "leave"
_OTHER = "other"
SETTLED = "settled"
"""Key in the first item's payload: the sentences on which all agree."""


class AdjudicationTask(EditingTask):
    """The positions of a sentence at which annotators differ, one question each."""

    name = "adjudicate"
    title = "Decide between the versions"
    template = "questions.html"
    kind: Literal["corpus"] = "corpus"
    instructions = Instructions(
        purpose=(
            "Several people have corrected the same sentence. You see the places in which their "
            "corrections differ. Decide what should stand there."
        ),
        steps=(
            "Read the sentence with the numbered places.",
            "For every place choose the best version; nobody can tell whose it is.",
            "If none is right, choose “something else” and write what should stand there.",
        ),
        examples=(
            Example(
                "She (1) have two (2) cat.",
                "1: has; 2: cats",
                "one person had missed the first error, another the second",
            ),
        ),
    )

    def make_items(self, given: Material) -> list[Item]:
        from redink.campaign.tasks.item_sources import describe_sentence, read_edits

        if given.count is not None or given.replacement:
            raise OptionError(
                "adjudicate takes all sentences on which annotators differ; leave out items"
            )
        if (file := given.item_file("text", "places")) is not None:
            return read_written(file, self.check)
        corpus = read_edits(given, self.name)
        if len(corpus.annotators) < 2:
            raise OptionError(
                "adjudicate needs a corpus with two annotators or more: --from FILE.m2"
            )
        sources = [sentence.source for sentence in corpus.sentences]
        items: list[Item] = []
        settled = []
        for number, sentence in enumerate(corpus.sentences):
            agreed, places = compare_versions(sentence)
            extra = dict(sentence.extra)
            if not places:
                kept = keep_edits(agreed)
                text = " ".join(sources[number].tokens)
                known = {"sentence": number, "text": text, "edits": kept}
                settled.append(known | ({"extra": extra} if extra else {}))
                continue
            about = describe_sentence(sources, number) | ({"extra": extra} if extra else {})
            if given.language != "en":
                about["language"] = given.language
            about |= {"agreed": keep_edits(agreed), "places": places}
            items.append(Item(len(items) + 1, sources[number].id or f"s{number}", about))
        if not items:
            raise DataError("the annotators agree on every sentence; there is nothing to decide")
        items[0] = replace(items[0], payload=items[0].payload | {SETTLED: settled})
        return items

    def check(self, item: Item) -> None:
        if not item.payload.get("places"):
            raise DataError(f"an item of the task {self.name} needs places that differ")
        self.fields_for(item)

    def fields_for(self, item: Item) -> tuple[Field, ...]:
        """Return a question for every position, and a text field for a new version."""
        tokens = item.payload["text"].split()
        names = find_language(language_of(item)).describe_types()
        fields: list[Field] = []
        for number, place in enumerate(item.payload["places"]):
            start, end = place["start"], place["end"]
            options = [
                AnswerOption(
                    str(index), _describe(tokens, (start, end), restore_edits(kept), names)
                )
                for index, kept in enumerate(place["versions"])
            ]
            if not all(place["versions"]):
                options.sort(key=lambda option: not place["versions"][int(option.value)])
            else:
                options.append(AnswerOption(_LEAVE, "leave it as it is"))
            options.append(AnswerOption(_OTHER, "something else"))
            name = f"place{number}"
            here = show_words(tokens[start:end]) if start < end else "a word may be missing"
            question = Phrase("{number}: {here}", number=number + 1, here=here)
            fields.append(Field(name, question, "choice", tuple(options)))
            fields.append(
                Field(
                    f"{name}_text",
                    Phrase("{number}: what should stand there", number=number + 1),
                    "text",
                    optional=True,
                    hint="empty, if the words should go",
                    when=When(name, (_OTHER,)),
                )
            )
        return tuple(fields)

    def view(self, item: Item, seed: int) -> dict[str, Any]:
        payload = item.payload
        return {
            **context_of(item),
            "source": "",
            "parts": _mark_places(written(payload), payload["places"]),
            "tokens": (),
            "fields": self.fields_for(item),
        }

    def read(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        answer = read_fields(self.fields_for(item), form, 0)
        tokens = item.payload["text"].split()
        edits = list(restore_edits(item.payload["agreed"]))
        for number, place in enumerate(item.payload["places"]):
            chosen = answer[f"place{number}"]
            if chosen == _OTHER:
                text = one_line(answer.get(f"place{number}_text", ""))
                edits += self._own(item, tokens, (place["start"], place["end"]), text)
            elif chosen != _LEAVE:
                edits += restore_edits(place["versions"][int(chosen)])
        edits.sort(key=lambda edit: (edit.start, edit.end))
        return answer | {"edits": keep_edits(edits)}

    def _own(
        self, item: Item, tokens: Sequence[str], span: tuple[int, int], text: str
    ) -> tuple[Edit, ...]:
        start, end = span
        language = find_language(language_of(item))
        new = [text[first:last] for first, last in language.tokenize(text)]
        if new == list(tokens[start:end]):
            raise AnswerError("That is what stands there already; choose to leave it as it is.")
        corrected = [*tokens[:start], *new, *tokens[end:]]
        return find_edits(tokens, corrected, language.code)


def compare_versions(sentence: AnnotatedSentence) -> tuple[list[Edit], list[dict[str, Any]]]:
    """Return the edits on which all annotators agree, and the positions where they differ."""
    versions = [annotation.edits for annotation in sentence.annotations]
    if not versions:
        return [], []
    agreed: list[Edit] = []
    places = []
    for chunks in zip(*partition(sentence.source, versions), strict=True):
        distinct = dict.fromkeys(map(_essence, chunks))
        if len(distinct) == 1:
            agreed += chunks[0].edits
            continue
        kept = {_essence(chunk): keep_edits(chunk.edits) for chunk in reversed(chunks)}
        places.append(
            {
                "start": chunks[0].start,
                "end": chunks[0].end,
                "versions": [kept[essence] for essence in sorted(distinct)],
            }
        )
    return agreed, places


def _essence(chunk: Chunk) -> tuple[tuple[int, int, str, str], ...]:
    return tuple((edit.start, edit.end, edit.correction, edit.type) for edit in chunk.edits)


def _describe(
    tokens: Sequence[str], span: tuple[int, int], edits: Sequence[Edit], names: Mapping[str, str]
) -> str:
    if not edits:
        return "leave it as it is"
    text: list[str] = []
    reached = span[0]
    for edit in edits:
        text += [*tokens[reached : edit.start], *edit.correction.split()]
        reached = edit.end
    text += tokens[reached : span[1]]
    kinds = dict.fromkeys(names.get(edit.type, edit.type) for edit in edits)
    values = {f"kind{number}": kind for number, kind in enumerate(kinds)}
    pattern = ", ".join(f"{{{name}}}" for name in values)
    return Phrase("{words} · {kinds}", words=show_words(text), kinds=Phrase(pattern, **values))


def _mark_places(sentence: Sentence, places: Sequence[Mapping[str, Any]]) -> list[TextPart]:
    text = sentence.text or ""
    parts = []
    reached = 0
    for number, place in enumerate(places, start=1):
        start, end = sentence.to_characters(place["start"], place["end"])
        before = text[reached:start]
        if place["start"] == place["end"]:
            before = f"{before.rstrip()} "
        parts += [TextPart(before), TextPart(f"{number}\u2009{text[start:end]}".strip(), "target")]
        reached = end
        if place["start"] == place["end"] and text[end:]:
            parts.append(TextPart(" "))
    return [part for part in [*parts, TextPart(text[reached:])] if part.text]


def settled_sentences(items: Sequence[Item]) -> list[tuple[int, AnnotatedSentence]]:
    """Return the sentences that need no decision, with their numbers in the corpus."""
    return [
        (
            int(one["sentence"]),
            AnnotatedSentence(
                Sentence.from_line(one["text"]),
                (Annotation("gold", restore_edits(one["edits"])),),
                extra=tuple(one.get("extra", {}).items()),
            ),
        )
        for item in items
        for one in item.payload.get(SETTLED, ())
    ]


ADJUDICATE = AdjudicationTask()
