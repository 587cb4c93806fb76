"""What is scored: references and systems, read, annotated where they must be, and looked over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from redink.analysis.annotating import Annotating, Sharing, annotate_references, annotate_texts
from redink.analysis.retype import Retyping
from redink.errors import DataError, OptionError
from redink.formats.aligned import Aligning
from redink.formats.inputs import (
    ReferenceLike,
    SystemsLike,
    TextsApart,
    check_same_length,
    corrected_text,
    load_references,
    load_systems,
)
from redink.model import Hypotheses, References, SystemOutput, Unclear, fingerprint
from redink.scoring.metric import Metric

ReferenceEdits = Literal["auto", "gold"]


@dataclass(frozen=True)
class ScoringInput:
    """References and systems that fit together, sentence by sentence."""

    references: References
    systems: tuple[Hypotheses, ...]
    data: str
    """The fingerprint of all of it."""
    aligning: Aligning
    """How raw text came to its sentences."""

    def take(self, places: Sequence[int]) -> ScoringInput:
        """The same for some of the sentences, in this order."""
        gold = self.references
        corpus = replace(gold.corpus, sentences=tuple(gold.corpus.sentences[at] for at in places))
        texts = gold.given_texts
        if texts is not None:
            texts = tuple(tuple(text[at] for at in places) for text in texts)
        systems = tuple(
            Hypotheses(
                each.name,
                tuple(each.texts[at] for at in places),
                None if each.annotations is None else tuple(each.annotations[at] for at in places),
            )
            for each in self.systems
        )
        kept = References(corpus, texts)
        return ScoringInput(kept, systems, fingerprint(_parts(kept, systems)), self.aligning)


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
    split = how.split
    aligning = aligning.following(reference, how.language)
    gold = load_references(
        reference, source=apart.source, references=apart.references, aligning=aligning
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
    return ScoringInput(gold, loaded, fingerprint(_parts(gold, loaded)), aligning)


def _hypotheses(output: SystemOutput, references: References) -> Hypotheses:
    check_same_length(references.corpus, [output])
    versions = output.versions
    if versions is None and output.annotations is not None:
        versions = tuple((annotation,) for annotation in output.annotations)
    return Hypotheses(output.name, corrected_text(references.sources, output), versions)


def _parts(references: References, systems: Sequence[Hypotheses]) -> Iterable[str]:
    for sentence in references.corpus.sentences:
        yield str(sentence.source)
        for annotation in sentence.annotations:
            yield repr((annotation.annotator, annotation.edits))
    for texts in references.given_texts or ():
        yield from map(str, texts)
    for system in systems:
        yield system.name
        yield from map(str, system.texts)
        if system.annotations is not None:
            yield from (repr([a.edits for a in versions]) for versions in system.annotations)


def supply_edits(
    loaded: ScoringInput,
    metrics: Sequence[Metric],
    *,
    reference_edits: str | None,
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
    if texts is not None:
        references = replace(references, given_texts=texts)
    return replace(loaded, references=references, systems=systems)


def type_references_again(ready: ScoringInput, how: Sharing) -> ScoringInput:
    """The references' edits under the types of the systems' analyser; nothing else changes."""
    from redink.workflows.annotate import annotate_corpus

    retyping = Retyping(edits="gold", minimise=False)
    corpus = annotate_corpus(ready.references.corpus, retyping=retyping, how=how.annotating)
    return replace(ready, references=replace(ready.references, corpus=corpus))


def annotates(loaded: ScoringInput, metrics: Sequence[Metric], reference_edits: str | None) -> bool:
    """Whether :func:`supply_edits` has anything to annotate, so that the analyser matters."""
    needs = {metric.needs for metric in metrics}
    of_references = loaded.references.given_texts is not None or reference_edits is not None
    of_systems = any(system.annotations is None for system in loaded.systems)
    return (needs != {"text"} and of_references) or ("edits" in needs and of_systems)


def _annotate_references(references: References, reference_edits: str, how: Sharing) -> References:
    if references.given_texts is None:
        from redink.workflows.annotate import annotate_corpus

        edits: ReferenceEdits = "gold" if reference_edits == "gold" else "auto"
        retyping = Retyping(edits=edits)
        corpus = annotate_corpus(references.corpus, retyping=retyping, how=how.annotating)
        return References(corpus)
    return annotate_references(references, how=how)
