"""Check that metrics and error types fit the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain

from redink.model import UNKNOWN, AnnotatedSentence, Edit, Hypotheses, References
from redink.scoring.count_metric import OPERATIONS, is_selected, type_names
from redink.scoring.metric import Metric

_NAMES = {"en": "English", "zh": "Chinese"}


def note_foreign(metrics: Iterable[Metric], language: str) -> list[str]:
    """What to say of metrics that were made for other languages than the text's."""
    return [
        f"{metric.name} was made for {_NAMES.get(languages, languages)} and knows nothing of "
        f"{_NAMES.get(language, language)}: its figures are to be read with care"
        for metric in metrics
        for languages in [metric.about.languages if metric.about else "any"]
        if languages != "any" and language not in languages.split()
    ]


def differ_in_types(references: References, systems: Sequence[Hypotheses]) -> list[str]:
    """The systems whose error types are of another inventory than those of the references.

    An edit that an annotator made too has the annotator's type if the inventories are the same.
    Where a system shares no edit with any annotator, most of its types must occur in the
    references.
    """
    gold: list[dict[_Change, set[str]]] = []
    for sentence in references.corpus.sentences:
        gold.append({})
        for annotation in sentence.annotations:
            for edit in annotation.edits:
                if edit.type != UNKNOWN:
                    gold[-1].setdefault(_change(edit), set()).add(edit.type)
    known = {error_type for changes in gold for types in changes.values() for error_type in types}
    return [s.name for s in systems if known and _is_of_other_inventory(s, gold, known)]


def _is_of_other_inventory(
    system: Hypotheses, gold: Sequence[Mapping[_Change, set[str]]], known: set[str]
) -> bool:
    typed = [
        (edit.type, changes.get(_change(edit)))
        for changes, versions in zip(gold, system.annotations or (), strict=False)
        for version in versions
        for edit in version.edits
        if edit.type != UNKNOWN
    ]
    shared = [error_type in types for error_type, types in typed if types is not None]
    if not shared:
        shared = [error_type in known for error_type, _ in typed]
    return 2 * sum(shared) < len(shared)


_Change = tuple[int, int, str]


def _change(edit: Edit) -> _Change:
    return edit.start, edit.end, edit.correction


def uses_types(metric: Metric) -> bool:
    """Whether the scores of a metric depend on error types."""
    if getattr(metric, "level", None) == "correction-typed":
        return True
    return any(getattr(metric, name, None) for name in ("by", "exclude", "types"))


def with_types(old: AnnotatedSentence, new: AnnotatedSentence) -> AnnotatedSentence:
    """The edits of a sentence under new types; one that the analyser cannot type keeps its own."""
    typed = {annotation.annotator: annotation.edits for annotation in new.annotations}
    annotations = []
    for annotation in old.annotations:
        places = sorted(
            range(len(annotation.edits)),
            key=lambda at: (annotation.edits[at].start, annotation.edits[at].end),
        )
        edits = list(annotation.edits)
        for at, edit in zip(places, typed.get(annotation.annotator, ()), strict=True):
            if edit.type != UNKNOWN:
                edits[at] = replace(edits[at], type=edit.type)
        annotations.append(replace(annotation, edits=tuple(edits)))
    return replace(old, annotations=tuple(annotations))


def find_unknown_type(
    metrics: Sequence[Metric],
    references: References,
    systems: Sequence[Hypotheses],
    known_types: Iterable[str],
) -> str | None:
    """What is wrong with the first of ``types`` and ``exclude`` that no known type fits.

    Known are the given types (of the language) and those of all edits.
    """
    wanted = dict.fromkeys(
        pattern
        for metric in metrics
        for name in ("types", "exclude")
        for pattern in getattr(metric, name, ())
    )
    if not wanted:
        return None
    gold = (a for sentence in references.corpus.sentences for a in sentence.annotations)
    ours = (a for system in systems for versions in system.annotations or () for a in versions)
    known = {(edit.type, edit.operation) for a in chain(gold, ours) for edit in a.edits}
    known |= {(error_type, "") for error_type in known_types}
    for pattern in wanted:
        if not any(is_selected(*one, (pattern,)) for one in known):
            return f"unknown error type {pattern!r}; {_suggest(pattern, known)}"
    return None


def _suggest(pattern: str, known: Iterable[tuple[str, str]]) -> str:
    names = {name for one in known for name in type_names(*one)}
    by_capitals = {name.upper(): name for name in (*names, *(f"{o}:" for o in sorted(OPERATIONS)))}
    if near := get_close_matches(pattern.upper(), sorted(by_capitals), n=1, cutoff=0.65):
        return f"did you mean {by_capitals[near[0]]!r}?"
    return f"choose from: {', '.join(sorted(name for name in names if name[1:2] != ':'))}"
