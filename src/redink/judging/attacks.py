"""Outputs made worse in known ways, to see which metrics notice.

A metric that people can trust gives a lower score to an output with a word missing than to the
output itself. Each attack here makes an output worse beyond doubt (for a system that is better
than none), so that a score that stays or rises shows how a metric can be fooled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from redink.model import Annotation, Hypotheses, References, Sentence, Shown, apply_edits

FLUENT = Sentence.from_line("This is a very good sentence .")
"""What every sentence becomes under ``one sentence``."""

Texts = tuple[Sentence, ...]


@dataclass(frozen=True)
class Target:
    """What is attacked: the references, and a system's output with its edits."""

    references: References
    system: Hypotheses
    seed: int

    def rng(self) -> np.random.Generator:
        """Always the same numbers."""
        return np.random.default_rng(self.seed)

    def each_word(self, change: Callable[[list[str], int], list[str]], least: int) -> Texts:
        """Every sentence of at least so many words with a change at a random word."""
        rng = self.rng()
        made = []
        for text in self.system.texts:
            place = int(rng.integers(0, max(len(text.tokens) - least + 1, 1)))
            tokens = list(text.tokens)
            made.append(Sentence(tuple(change(tokens, place))) if len(tokens) >= least else text)
        return tuple(made)


def _drop(target: Target) -> Texts:
    return target.each_word(lambda words, at: words[:at] + words[at + 1 :], 2)


def _double(target: Target) -> Texts:
    return target.each_word(lambda words, at: [*words[:at], words[at], *words[at:]], 1)


def _swap(target: Target) -> Texts:
    return target.each_word(
        lambda words, at: [*words[:at], words[at + 1], words[at], *words[at + 2 :]], 2
    )


def _one_sentence(target: Target) -> Texts:
    return (FLUENT,) * len(target.system.texts)


def _source(target: Target) -> Texts:
    return target.references.sources


def _other_reference(target: Target) -> Texts:
    right = target.references.filled_texts[0]
    return (*right[1:], right[0])


def _revert(target: Target) -> Texts:
    """Undo every edit that some annotator made too; what the system did wrong stays."""
    annotations = target.system.annotations
    if annotations is None:
        return target.system.texts
    made = []
    for sentence, own in zip(target.references.corpus.sentences, annotations, strict=True):
        right = {
            (edit.start, edit.end, edit.correction)
            for annotation in sentence.annotations
            for edit in annotation.edits
        }
        edits = own[0].edits if own else Annotation("0").edits
        kept = [edit for edit in edits if (edit.start, edit.end, edit.correction) not in right]
        made.append(Sentence(apply_edits(sentence.source.tokens, kept)))
    return tuple(made)


ATTACKS: Mapping[str, Callable[[Target], Texts]] = {
    "word dropped": _drop,
    "word doubled": _double,
    "words swapped": _swap,
    "corrections reverted": _revert,
    "source copied": _source,
    "one fluent sentence": _one_sentence,
    "other sentence's reference": _other_reference,
}
"""By name; each makes the texts of a system worse."""


@dataclass(frozen=True)
class AttackRow:
    """Whether one metric notices one attack.

    Attributes:
        metric: the metric.
        attack: what was done to every output.
        before: the mean over systems of the score.
        after: the same when they are attacked.
        change: the difference.
        lower: how many systems get a lower score.
        systems: of how many.
        down: of the sentences that were changed, the share that gets a lower score.
        same: the share whose score stays.
        up: the share that gets a higher score: the metric is fooled.
        verdict: noticed, if all systems and most sentences go down; fooled, if scores rise for
            most systems; partly otherwise.
    """

    metric: str
    attack: str
    before: float | None
    after: float | None
    change: Annotated[float | None, Shown(best="min")]
    lower: int
    systems: int
    down: Annotated[float | None, Shown(best="max")]
    same: float | None
    up: float | None
    verdict: str


@dataclass(frozen=True)
class ScoredOutput:
    """The corpus score of an output and the scores of its sentences; None where undefined."""

    score: float | None
    sentences: Sequence[float | None]


def judge_attack(
    metric: str,
    attack: str,
    before: Sequence[ScoredOutput],
    after: Sequence[ScoredOutput],
    changed: Sequence[Sequence[bool]],
) -> AttackRow:
    """What became of the scores, system by system and sentence by sentence.

    Args:
        metric: the metric.
        attack: the attack.
        before: every system as it is.
        after: the same systems when attacked.
        changed: for each which sentences were changed.
    """
    pairs = [
        (one.score, other.score)
        for one, other in zip(before, after, strict=True)
        if one.score is not None and other.score is not None
    ]
    gaps = np.array([other - one for one, other in pairs])
    moves = [
        np.sign(round(other - one, 12))
        for first, second, which in zip(before, after, changed, strict=True)
        for one, other, was in zip(first.sentences, second.sentences, which, strict=True)
        if was and one is not None and other is not None
    ]
    shares = [
        sum(move == sign for move in moves) / len(moves) if moves else None for sign in _SIGNS
    ]
    down, same, up = shares
    lower, higher = int((gaps < -1e-12).sum()), int((gaps > 1e-12).sum())
    verdict = "partly"
    if pairs and lower == len(pairs) and (down or 0) > 0.5:
        verdict = "noticed"
    elif 2 * higher > len(pairs):
        verdict = "fooled"
    elif not lower and not (down or 0):
        verdict = "not noticed"
    means = [float(np.mean([pair[at] for pair in pairs])) if pairs else None for at in (0, 1)]
    change = float(gaps.mean()) if pairs else None
    return AttackRow(
        metric, attack, means[0], means[1], change, lower, len(pairs), down, same, up, verdict
    )


_SIGNS = (-1, 0, 1)
