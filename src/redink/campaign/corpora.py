"""Answers that are corrections: the corpus they make, and in which form it leaves."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TextIO

from redink.campaign.items import Item
from redink.campaign.state import Campaign
from redink.campaign.tasks.adjudication import settled_sentences
from redink.errors import DataError, RedinkWarning
from redink.formats import get_format
from redink.formats.kinds import change_kind
from redink.model import AnnotatedSentence, Annotation, Sentence

FORMS = {".m2": "m2", ".jsonl": "jsonl", ".tsv": "parallel", ".ged.tsv": "ged-tsv"}
"""The formats of a corpus by suffix, the usual one first."""


def collect_corpus(campaign: Campaign, *, excluded: bool = False) -> tuple[AnnotatedSentence, ...]:
    """The sentences with what every judge made of them, in the order of the items.

    Judges who are excluded are left out unless ``excluded`` is said. So are sentences that nobody
    has answered, with a warning that counts them. Of two answers of a judge to one item the later
    counts.
    """
    made: dict[int, dict[str, Annotation]] = {}
    for workload in list(campaign.workloads.values()):
        if workload.judge.excluded and not excluded:
            continue
        for position, answer in sorted(workload.answered.items()):
            if answer.skipped:
                continue
            item = campaign.item_at(workload, position)
            edits = campaign.task.edits(item, answer.answer)
            name = workload.judge.name
            made.setdefault(item.id, {})[name] = Annotation(name, edits)
    found = []
    for item in campaign.items.values():
        if item.id in made:
            sentence = AnnotatedSentence(
                # the name leads back to the item where a format has no place for the rest
                Sentence.from_line(item.payload["text"], id=item.key),
                tuple(made[item.id].values()),
                extra=tuple(item.payload.get("extra", {}).items()),
            )
            found.append((_place(item), sentence))
    if not found:
        raise DataError(
            f"{campaign.store.place}: nobody has answered yet; there is nothing to export"
        )
    if len(found) < len(campaign.items):
        warnings.warn(
            f"sentences without an answer, left out: {len(campaign.items) - len(found)}",
            RedinkWarning,
            stacklevel=2,
        )
    judges = dict.fromkeys(a.annotator for _, s in found for a in s.annotations)
    for place, sentence in settled_sentences(list(campaign.items.values())):
        # what all annotators did needs no decision, whoever decides about the rest
        edits = sentence.annotations[0].edits
        found.append(
            (place, replace(sentence, annotations=tuple(Annotation(j, edits) for j in judges)))
        )
    return tuple(sentence for _, sentence in sorted(found, key=lambda pair: pair[0]))


def _place(item: Item) -> int:
    return int(item.payload.get("sentence", item.id))


def number_judges(
    sentences: Iterable[AnnotatedSentence],
) -> tuple[list[AnnotatedSentence], list[str]]:
    """The same with numbers for annotators, as programs that read M2 want them; and the names."""
    given = list(sentences)
    names = sorted({a.annotator for s in given for a in s.annotations})
    numbered = [
        AnnotatedSentence(
            sentence.source,
            tuple(
                Annotation(str(names.index(a.annotator)), a.edits)
                for a in sorted(sentence.annotations, key=lambda a: a.annotator)
            ),
        )
        for sentence in given
    ]
    return numbered, names


def corpus_writer(
    form: str, annotator: str | None = None
) -> Callable[[Iterable[Any], TextIO], None]:
    """Writes a corpus in one of the forms; ``annotator`` is whose edits count, if one's do."""
    kind = {"parallel": "parallel", "ged-tsv": "detections"}.get(form, "corpus")
    chosen = get_format(form, kind=kind)  # type: ignore[arg-type]

    def write(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
        values = change_kind(sentences, "corpus", chosen.kind, annotator=annotator)
        if form == "m2":
            values = number_judges(values)[0]
        chosen.write(values, stream)

    return write
