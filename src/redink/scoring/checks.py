"""Warnings that save people from themselves: what is probably wrong with the files."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rapidfuzz.distance import Indel

from redink.errors import RedinkWarning
from redink.model import UNKNOWN, Edit, Hypotheses, References, Sentence
from redink.scoring.metric import Metric

_NAMES = {"en": "English", "zh": "Chinese"}

_FAR = 0.4
"""A hypothesis this unlike its source (share of common tokens) deserves a second look."""
_NEAR = 0.7
_NEIGHBOURS = (-1, 1, -2, 2)
_MANY_FAR = 0.2

_ATTACHED = re.compile(r"\w[.!?]$")
_SEPARATE = re.compile(r"^[.!?]$")
_MOST_ATTACHED = 0.3


def warn_about_input(references: References, systems: Sequence[Hypotheses]) -> tuple[str, ...]:
    """Warn of everything suspicious; the same sentences again, as notes for the result."""
    found = (
        *_untokenised(references.sources, systems),
        *_misaligned(references.sources, systems),
        *_empty(references.sources, systems),
        *([] if references.about_gaps is None else [references.about_gaps]),
        *_unannotatable(references),
    )
    for message in found:
        warnings.warn(message, RedinkWarning, stacklevel=3)
    return found


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


def warn_about_texts(sources: Sequence[Sentence], texts: Mapping[str, Sequence[Sentence]]) -> None:
    """Warn of raw text among what is to be annotated, as :func:`warn_about_input` does."""
    systems = [Hypotheses(name, tuple(sentences)) for name, sentences in texts.items()]
    for message in _untokenised(sources, systems):
        warnings.warn(message, RedinkWarning, stacklevel=3)


def _unannotatable(references: References) -> Iterator[str]:
    count = sum(
        bool(sentence.unannotatable) and not sentence.annotations
        for sentence in references.corpus.sentences
    )
    if count:
        yield (
            f"{_sentences(count)} could not be annotated by anybody: cherrant leaves them out, "
            "other metrics take them to be right as they are"
        )


def _empty(sources: Sequence[Sentence], systems: Sequence[Hypotheses]) -> Iterator[str]:
    for system in systems:
        empty = [
            number
            for number, (source, text) in enumerate(zip(sources, system.texts, strict=True), 1)
            if source.tokens and not text.tokens
        ]
        if empty:
            yield (
                f"system {system.name!r} has nothing in {_sentences(len(empty))} (the first is "
                f"line {empty[0]}); scored as if it had deleted every word"
            )


def _misaligned(sources: Sequence[Sentence], systems: Sequence[Hypotheses]) -> Iterator[str]:
    for system in systems:
        far, moved = [], []
        for number, hypothesis in enumerate(system.texts):
            own = _likeness(sources[number], hypothesis)
            if own >= _FAR or not hypothesis.tokens:
                continue
            far.append(number)
            for step in _NEIGHBOURS:
                other = number + step
                if 0 <= other < len(sources) and (
                    _likeness(sources[other], hypothesis) > max(_NEAR, own)
                ):
                    moved.append((number, other))
                    break
        if moved:
            number, other = moved[0]
            yield (
                f"system {system.name!r} seems misaligned: {_sentences(len(moved))} look like "
                f"corrections of another line (line {number + 1} is near source line {other + 1})"
            )
        elif len(far) > max(3, _MANY_FAR * len(sources)):
            yield (
                f"system {system.name!r} seems to belong to another source: "
                f"{_sentences(len(far))} of {len(sources)} have little in common with it"
            )


def _likeness(source: Sentence, hypothesis: Sentence) -> float:
    if source.tokens == hypothesis.tokens:
        return 1.0
    return float(Indel.normalized_similarity(source.tokens, hypothesis.tokens))


def _untokenised(sources: Sequence[Sentence], systems: Sequence[Hypotheses]) -> Iterator[str]:
    if _share_attached(sources) > _MOST_ATTACHED:
        yield (
            "the source seems untokenised: full stops stick to words; "
            "all metrics here count tokens separated by spaces (--tokenise cuts it into them)"
        )
        return
    for system in systems:
        if _share_attached(system.texts) > _MOST_ATTACHED:
            yield (
                f"system {system.name!r} seems untokenised: full stops stick to words, which the "
                "source writes as tokens; its scores will be too low "
                "(--align cuts it as the source is)"
            )


def _share_attached(sentences: Sequence[Sentence]) -> float:
    """Of the sentences that end in a full stop or the like, how many have it on a word."""
    attached = sum(bool(s.tokens and _ATTACHED.search(s.tokens[-1])) for s in sentences)
    separate = sum(bool(s.tokens and _SEPARATE.match(s.tokens[-1])) for s in sentences)
    return attached / (attached + separate) if attached + separate else 0.0


def _sentences(count: int) -> str:
    return f"{count} sentence" if count == 1 else f"{count} sentences"
