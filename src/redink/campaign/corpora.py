"""Corrections as a corpus, and its export formats."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TextIO

from redink.campaign.state import Campaign
from redink.campaign.tasks.adjudication import settled_sentences
from redink.errors import DataError, RedinkWarning
from redink.formats import get_format
from redink.inputs.conversion import change_kind
from redink.model import AnnotatedSentence, Annotation, Sentence

FORMS = {".m2": "m2", ".jsonl": "jsonl", ".tsv": "parallel", ".ged.tsv": "ged-tsv"}
"""The formats of a corpus by suffix, the default first."""


def collect_corpus(campaign: Campaign, *, excluded: bool = False) -> tuple[AnnotatedSentence, ...]:
    """Return the sentences with the edits of every judge, in the order of the items.

    Sentences without an answer are left out, with a warning. If a judge answered an item twice
    (repeated items), the later answer counts.
    """
    made: dict[int, dict[str, Annotation]] = {}
    for judge, item, answer in campaign.current_answers(excluded=excluded):
        if not answer.skipped:
            edits = campaign.task.edits(item, answer.answer)
            made.setdefault(item.id, {})[judge.name] = Annotation(judge.name, edits)
    found = []
    for item in campaign.items.values():
        if item.id in made:
            sentence = AnnotatedSentence(
                # the name leads back to the item if a format has no other columns
                Sentence.from_line(item.payload["text"], id=item.key),
                tuple(made[item.id].values()),
                extra=tuple(item.payload.get("extra", {}).items()),
            )
            found.append((int(item.payload.get("sentence", item.id)), sentence))
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
        # sentences on which all annotators agree need no decision
        edits = sentence.annotations[0].edits
        found.append(
            (place, replace(sentence, annotations=tuple(Annotation(j, edits) for j in judges)))
        )
    return tuple(sentence for _, sentence in sorted(found, key=lambda pair: pair[0]))


def number_judges(
    sentences: Iterable[AnnotatedSentence],
) -> tuple[list[AnnotatedSentence], list[str]]:
    """Replace the names of annotators by numbers, as in M2; return the names too."""
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
    """Return the writer of a format; ``annotator`` selects the edits of one judge."""
    kind = {"parallel": "parallel", "ged-tsv": "detections"}.get(form, "corpus")
    chosen = get_format(form, kind=kind)  # type: ignore[arg-type]

    def write(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
        values = change_kind(sentences, "corpus", chosen.kind, annotator=annotator)
        if form == "m2":
            values = number_judges(values)[0]
        chosen.write(values, stream)

    return write
