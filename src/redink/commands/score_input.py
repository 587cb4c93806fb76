"""What is scored: references and systems, read, annotated where they must be, and looked over."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from typing import Any

from redink.analysis.annotating import Annotating, Sharing, annotate_references, annotate_texts
from redink.analysis.language import OPERATIONS, find_language
from redink.analysis.retype import Retyping
from redink.errors import DataError, OptionError, RedinkWarning
from redink.inputs.alignment import Aligning
from redink.inputs.loading import (
    ReferenceLike,
    SystemsLike,
    TextsApart,
    check_same_length,
    corrected_text,
    kept_sentences,
    load_references,
    load_systems,
    split_frame,
)
from redink.model import (
    UNKNOWN,
    AnnotatedSentence,
    Hypotheses,
    References,
    SystemOutput,
    Unclear,
    fingerprint_data,
)
from redink.scoring.checks import differ_in_types
from redink.scoring.count_metric import is_selected, type_names
from redink.scoring.engine import Scored, collect_all
from redink.scoring.metric import Metric, ReferenceEdits, reference_edits_of


@dataclass(frozen=True)
class ScoringInput:
    """References and systems that fit together, sentence by sentence."""

    references: References
    systems: tuple[Hypotheses, ...]
    aligning: Aligning
    """How raw text came to its sentences."""
    notes: tuple[str, ...] = ()
    """What a reader of the scores should know about the systems' answers."""
    kept: tuple[int, ...] | None = None
    """The sentences (from 0) that are scored, where some system has no answer; None for all."""

    def fingerprints(self) -> dict[str, Any]:
        """The parts of a signature that identify the references and each system."""
        return fingerprint_data(self.references, self.systems)

    def take(self, places: Sequence[int]) -> ScoringInput:
        """The same for some of the sentences, in this order."""
        systems = tuple(
            Hypotheses(
                each.name,
                tuple(each.texts[at] for at in places),
                None if each.annotations is None else tuple(each.annotations[at] for at in places),
            )
            for each in self.systems
        )
        return replace(self, references=self.references.take(places), systems=systems)


def load_scoring_input(
    reference: ReferenceLike | None,
    systems: SystemsLike,
    apart: TextsApart = TextsApart(),
    aligning: Aligning = Aligning(),
    *,
    how: Annotating = Annotating(),
) -> ScoringInput:
    """Read what is to be scored, and check that it fits together.

    Args:
        reference: a corpus with edits, or its file.
        systems: by name or by file.
        apart: the source and the reference texts, where they come apart.
        aligning: whether the systems' text is raw.
        how: how edits are found: in what language, and in which tokens.
    """
    reference, systems, apart = split_frame(reference, systems, apart)
    split = how.split
    aligning = aligning.following(reference, how.language)
    gold = load_references(
        reference,
        source=apart.source,
        references=apart.references,
        aligning=aligning,
        empty_reference=apart.empty_reference,
    ).cut(split)
    if gold.are_flags:
        raise DataError(
            "the reference flags tokens and corrects nothing; redink detection scores against it"
        )
    if not len(gold):
        raise DataError("there is no sentence to score")
    outputs = load_systems(systems, gold, aligning)
    loaded = tuple(_hypotheses(output.cut(split), gold) for output in outputs)
    if not loaded:
        raise OptionError("there is no system to score; give at least one")
    notes = tuple(note for output in outputs for note in output.notes)
    everything = ScoringInput(gold, loaded, aligning, notes)
    kept = kept_sentences(outputs, len(gold))
    return everything if kept is None else replace(everything.take(kept), kept=kept)


def _hypotheses(output: SystemOutput, references: References) -> Hypotheses:
    check_same_length(references.corpus, [output])
    versions = output.versions
    if versions is None and output.annotations is not None:
        versions = tuple((annotation,) for annotation in output.annotations)
    return Hypotheses(output.name, corrected_text(references.sources, output), versions)


def collect_scores(
    loaded: ScoringInput,
    metrics: Sequence[Metric],
    *,
    how: Sharing,
    unclear: Unclear = "apply",
    fit: bool = True,
) -> tuple[list[Scored], list[str]]:
    """Collect the statistics of every system under every metric.

    Each metric is given the kind of reference edits that it asks for.

    Args:
        loaded: references and systems.
        metrics: the metrics.
        how: what annotates, and how many processes work.
        unclear: what edits of the types Um and UNK do to the texts of references.
        fit: whether references of another type inventory get the systems' types (:func:`fit_types`)
            where the metrics need that.

    Returns:
        The statistics in the order of the metrics, and the notes for the result.
    """
    scored: list[Scored] = []
    notes: list[str] = []
    for kind in dict.fromkeys(map(reference_edits_of, metrics)):
        members = [metric for metric in metrics if reference_edits_of(metric) == kind]
        ready = supply_edits(loaded, members, reference_edits=kind, how=how, unclear=unclear)
        loaded = replace(loaded, systems=ready.systems)
        if kind is None and fit:
            ready, told = fit_types(ready, members, how)
            notes += told or note_gold_edits(ready, members)
        scored += collect_all(
            members, ready.references, ready.systems, workers=how.workers, cache=how.cache
        )
    order = {metric: place for place, metric in enumerate(metrics)}
    return sorted(scored, key=lambda each: order[each.metric]), notes


def note_gold_edits(ready: ScoringInput, metrics: Sequence[Metric]) -> list[str]:
    """Recommend extracted reference edits where those of the file are of another inventory."""
    named = dict.fromkeys(metric.name for metric in metrics if metric.needs == "edits")
    if not named or not differ_in_types(ready.references, ready.systems):
        return []
    return [
        f"{', '.join(named)}: scored against the annotators' own edits; papers usually extract the "
        "reference edits too: " + ", ".join(f"{name}(reference_edits=auto)" for name in named)
    ]


def supply_edits(
    loaded: ScoringInput,
    metrics: Sequence[Metric],
    *,
    reference_edits: ReferenceEdits | None,
    how: Sharing,
    unclear: Unclear = "apply",
) -> ScoringInput:
    """Annotate what has no edits and needs them, and the references again if that is asked for.

    The texts of the references stay those of the edits that were given.
    """
    needs = {metric.needs for metric in metrics}
    references = loaded.references
    texts = references.with_texts(unclear).given_texts if "text" in needs else None
    bare = references.given_texts is not None
    if bare and reference_edits == "gold":
        raise OptionError("reference texts have no gold edits; reference-edits can only be auto")
    if needs != {"text"} and (bare or reference_edits is not None):
        references = _annotate_references(references, reference_edits or "auto", how)
    systems = loaded.systems
    if "edits" in needs:
        unannotated = {s.name: s.texts for s in systems if s.annotations is None}
        found = annotate_texts(
            references.sources,
            unannotated,
            how=how.annotating,
            workers=how.workers,
            cache=how.cache,
        )
        systems = tuple(
            replace(s, annotations=tuple((a,) for a in found[s.name])) if s.name in found else s
            for s in systems
        )
    if problem := _find_unknown_type(metrics, references, systems, how.language):
        raise OptionError(problem)
    if texts is not None:
        references = replace(references, given_texts=texts)
    return replace(loaded, references=references, systems=systems)


def fit_types(
    ready: ScoringInput, metrics: Sequence[Metric], how: Sharing
) -> tuple[ScoringInput, list[str]]:
    """Where error types count, give references of another inventory the systems' types.

    Only the types change, so that scores of all types together stay the same. Where that does not
    help, because a system came with types of its own, a warning says so.

    Returns:
        The input, and the notes for the result.
    """
    if not any(metric.needs == "edits" and uses_types(metric) for metric in metrics):
        return ready, []
    before = differ_in_types(ready.references, ready.systems)
    if not before:
        return ready, []
    typed = _type_references_again(ready, how)
    after = differ_in_types(typed.references, typed.systems)
    # whoever names types of the references wants these
    names_gold = _find_unknown_type(metrics, typed.references, typed.systems, how.language)
    if len(after) < len(before) and not names_gold:
        ready, before, notes = typed, after, [TYPED_AGAIN]
    else:
        notes = []
    for name in before:
        notes.append(
            f"system {name!r} and the references have error types of different inventories, so "
            "scores that depend on error types (--by, --types, --exclude) are not comparable; give "
            "the text of the system, or --reference-edits gold"
        )
        warnings.warn(notes[-1], RedinkWarning, stacklevel=3)
    return ready, notes


TYPED_AGAIN = (
    "the references' own error types are of another inventory than the systems', so their edits "
    "were typed again by the systems' analyser (reference-edits gold or auto decides otherwise)"
)


def uses_types(metric: Metric) -> bool:
    """Whether the scores of a metric depend on error types."""
    if getattr(metric, "level", None) == "correction-typed":
        return True
    return any(getattr(metric, name, None) for name in ("by", "exclude", "types"))


def _type_references_again(ready: ScoringInput, how: Sharing) -> ScoringInput:
    """The references' edits under the types of the systems' analyser; nothing else changes."""
    from redink.commands.annotate import annotate_corpus

    gold = ready.references.corpus
    retyping = Retyping(edits="gold", minimise=False)
    typed = annotate_corpus(gold, retyping=retyping, how=how.annotating)
    sentences = tuple(
        _with_types(old, new) for old, new in zip(gold.sentences, typed.sentences, strict=True)
    )
    corpus = replace(gold, sentences=sentences)
    return replace(ready, references=replace(ready.references, corpus=corpus))


def _with_types(old: AnnotatedSentence, new: AnnotatedSentence) -> AnnotatedSentence:
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


def _find_unknown_type(
    metrics: Sequence[Metric], references: References, systems: Sequence[Hypotheses], language: str
) -> str | None:
    """What is wrong with the first of ``types`` and ``exclude`` that no known type fits.

    Known are the types of the language, and those of all edits.
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
    known |= {(error_type, "") for error_type in find_language(language).describe_types()}
    for pattern in wanted:
        if not any(is_selected(*one, (pattern,)) for one in known):
            return f"unknown error type {pattern!r}; {_suggest(pattern, known)}"
    return None


def _suggest(pattern: str, known: Iterable[tuple[str, str]]) -> str:
    names = {name for one in known for name in type_names(*one)}
    by_capitals = {name.upper(): name for name in (*names, *(f"{o}:" for o in OPERATIONS))}
    if near := get_close_matches(pattern.upper(), sorted(by_capitals), n=1, cutoff=0.65):
        return f"did you mean {by_capitals[near[0]]!r}?"
    return f"choose from: {', '.join(sorted(name for name in names if name[1:2] != ':'))}"


def annotates(loaded: ScoringInput, metrics: Sequence[Metric]) -> bool:
    """Whether :func:`supply_edits` has anything to annotate, so that the analyser matters."""
    are_texts = loaded.references.given_texts is not None
    are_systems = any(system.annotations is None for system in loaded.systems)
    return any(
        (metric.needs != "text" and (are_texts or reference_edits_of(metric) is not None))
        or (metric.needs == "edits" and are_systems)
        for metric in metrics
    )


def _annotate_references(
    references: References, reference_edits: ReferenceEdits, how: Sharing
) -> References:
    if references.given_texts is None:
        from redink.commands.annotate import annotate_corpus

        retyping = Retyping(edits=reference_edits)
        corpus = annotate_corpus(references.corpus, retyping=retyping, how=how.annotating)
        return References(corpus)
    return annotate_references(references, how=how)
