"""Check that metrics and error types fit the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from redink.model import UNKNOWN, Edit, Hypotheses, References
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
