"""``redink profile``: how much systems change, and how much of it the references do not support."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from redink.evaluation import Evaluation, EvaluationOptions
from redink.inputs.input_options import ReferenceLike, SystemsLike
from redink.model import Annotation, Definition, Sentence, Shown, Table, table_of
from redink.options import Limits, Seed, command
from redink.scoring.errant import Errant
from redink.scoring.metric import FloatArray, defined
from redink.statistics.resampling import draw_bootstrap_blocks, interval_of

_End = Annotated[float | None, Shown(optional=True)]
_Number = Annotated[float | None, Shown("count", title="edits/100 words")]
_NumberEnd = Annotated[float | None, Shown("count", optional=True)]
_MEASURES = ("changed", "touched", "edits_per_100", "beyond", "length_change")


@dataclass(frozen=True)
class Profile:
    """The changes of a system, or of a reference (an annotator, compared with the others).

    Attributes:
        changed: share of sentences that are changed.
        correct: number of sentences that no annotator changes; ``touched`` is the share of them
            that the system changes.
        edits_per_100: edits per 100 words of the source.
        beyond: share of edits that no annotator made (same tokens, same correction).
        length_change: words of the output per word of the source, minus 1.
    """

    system: str
    sentences: int
    changed: float | None
    correct: int
    touched: Annotated[float | None, Shown(best="min")]
    edits: int
    edits_per_100: _Number
    beyond: Annotated[float | None, Shown(best="min")]
    length_change: float | None
    changed_low: _End = None
    changed_high: _End = None
    touched_low: _End = None
    touched_high: _End = None
    edits_per_100_low: _NumberEnd = None
    edits_per_100_high: _NumberEnd = None
    beyond_low: _End = None
    beyond_high: _End = None
    length_change_low: _End = None
    length_change_high: _End = None


@command
def profile(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    bootstrap: Annotated[int | None, Limits(2)] = None,
    seed: Seed = 1,
) -> Table:
    """Show how much every SYSTEM changes, and how much of it is over-correction.

    The rows of references show how much the annotators change. Their edits are compared with those
    of the other annotators.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: the systems by name, as for ``score``.
        evaluation_options: how references and systems are read, aligned and annotated.
        bootstrap: number of bootstrap samples for 95% confidence intervals.
        seed: random seed.

    Returns:
        One row per system and per annotator.
    """
    evaluation = Evaluation.load(reference, systems, evaluation_options)
    notes = evaluation.check()
    rows = profile_rows(evaluation.supply_edits([Errant()]), bootstrap, seed)
    options = evaluation_options.resampling() if bootstrap else {}
    return table_of(
        rows,
        notes=[*notes, *PROFILE_NOTES],
        signature=evaluation.signature(
            "profile", [Errant()], bootstrap=bootstrap, seed=seed if bootstrap else None, **options
        ),
    )


PROFILE_NOTES = (
    "touched: share of the sentences without error (no annotator changes them) that are changed",
    "beyond: share of edits that no annotator made; some of them are valid corrections",
    Definition("length change: words of the output per word of the source, minus 1"),
)


def profile_rows(ready: Evaluation, bootstrap: int | None = None, seed: int = 1) -> list[Profile]:
    """Return the profiles of systems with edits, and of the annotators."""
    corpus, sources = ready.references.corpus, ready.references.sources
    gold = [sentence.annotations for sentence in corpus.sentences]
    rows = []
    for system in ready.systems:
        own = [versions[0] if versions else None for versions in system.annotations or ()]
        counts = _count(sources, system.texts, own, gold)
        rows.append(_profile(system.name, counts, ready, bootstrap, seed))
    texts = ready.references.filled_texts
    for name, text in zip(corpus.annotators, texts, strict=False):
        own = [sentence.by(name) for sentence in corpus.sentences]
        others = [tuple(a for a in found if a.annotator != name) for found in gold]
        counts = _count(sources, text, own, others)
        rows.append(_profile(f"reference {name}", counts, ready, bootstrap, seed))
    return rows


def _count(
    sources: Sequence[Sentence],
    texts: Sequence[Sentence],
    own: Sequence[Annotation | None],
    gold: Sequence[Sequence[Annotation]],
) -> FloatArray:
    """Return numerator and denominator of every measure, ``(sentences, measures, 2)``."""

    def count(
        source: Sentence, text: Sentence, mine: Annotation | None, right: Sequence[Annotation]
    ) -> Iterator[tuple[float, float]]:
        if mine is None:
            yield from [(0, 0)] * len(_MEASURES)
            return
        known = {(e.start, e.end, c) for one in right for e in one.edits for c in e.corrections}
        changed, words, edits = source.tokens != text.tokens, len(source), len(mine.edits)
        is_correct = bool(right) and not known
        beyond = sum((e.start, e.end, e.correction) not in known for e in mine.edits)
        yield changed, 1
        yield changed and is_correct, is_correct
        yield 100 * edits, words
        yield (beyond, edits) if right else (0, 0)
        yield len(text) - words, words

    each = zip(sources, texts, own, gold, strict=True)
    return np.array([list(count(*one)) for one in each], dtype=float)


def _profile(
    name: str, counts: FloatArray, ready: Evaluation, bootstrap: int | None, seed: int
) -> Profile:
    sums = counts.sum(axis=0)
    found: dict[str, Any] = dict(zip(_MEASURES, map(defined, _divide(sums).tolist()), strict=True))
    if bootstrap:
        blocks = draw_bootstrap_blocks(
            len(counts), bootstrap, np.random.default_rng(seed), groups=ready.groups
        )
        samples = np.concatenate(
            [_divide(np.tensordot(weights, counts, axes=1)) for weights in blocks]
        )
        for measure, values in zip(_MEASURES, samples.T, strict=True):
            found[f"{measure}_low"], found[f"{measure}_high"] = interval_of(values)
    return Profile(
        system=name,
        sentences=int(sums[0, 1]),
        correct=int(sums[1, 1]),
        edits=round(sums[2, 0] / 100),
        **found,
    )


def _divide(sums: FloatArray) -> FloatArray:
    part, whole = sums[..., 0], sums[..., 1]
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
