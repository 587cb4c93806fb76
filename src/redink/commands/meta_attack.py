"""``redink meta --attack``: score system outputs that were made worse on purpose.

Each attack makes the output of any useful system clearly worse, so a metric whose score stays or
rises can be fooled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from redink.analysis.annotation_options import AnnotationResources
from redink.commands.meta_inputs import choose_lines, load_benchmark_texts
from redink.errors import OptionError
from redink.evaluation import Evaluation, EvaluationOptions
from redink.formats.metric_scores import read_lines_chosen
from redink.inputs.benchmarks import Benchmark
from redink.inputs.input_options import PathLike, ReferenceLike, SystemsLike, TextLike
from redink.judging.rankings import choose_systems
from redink.model import (
    Annotation,
    Definition,
    Hypotheses,
    References,
    Sentence,
    Shown,
    Table,
    apply_edits,
    make_signature,
    table_of,
)
from redink.scoring.engine import label_metrics, sentence_scores
from redink.scoring.errant import Errant
from redink.scoring.metric import Metric
from redink.scoring.specs import DEFAULT_METRICS, MetricLike, make_metrics

FLUENT = Sentence.from_line("This is a very good sentence .")

Texts = tuple[Sentence, ...]


@dataclass(frozen=True)
class AttackTarget:
    """The references, and the attacked output of a system with its edits."""

    references: References
    system: Hypotheses
    seed: int

    def each_word(self, change: Callable[[list[str], int], list[str]], least: int) -> Texts:
        """Change a random word of every sentence that has at least ``least`` words."""
        rng = np.random.default_rng(self.seed)
        made = []
        for text in self.system.texts:
            words = list(text.tokens)
            at = int(rng.integers(0, max(len(words) - least + 1, 1)))
            made.append(Sentence(tuple(change(words, at))) if len(words) >= least else text)
        return tuple(made)


def _revert(target: AttackTarget) -> Texts:
    """Undo every edit that some annotator made too, and keep the system's mistakes."""
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


ATTACKS: Mapping[str, Callable[[AttackTarget], Texts]] = {
    "word dropped": lambda target: target.each_word(lambda w, at: w[:at] + w[at + 1 :], 2),
    "word doubled": lambda target: target.each_word(lambda w, at: w[: at + 1] + w[at:], 1),
    "words swapped": lambda target: target.each_word(
        lambda w, at: [*w[:at], w[at + 1], w[at], *w[at + 2 :]], 2
    ),
    "corrections reverted": _revert,
    "source copied": lambda target: target.references.sources,
    "one fluent sentence": lambda target: (FLUENT,) * len(target.system.texts),
    "other sentence's reference": lambda target: (
        *target.references.filled_texts[0][1:],
        target.references.filled_texts[0][0],
    ),
}


@dataclass(frozen=True)
class AttackRow:
    """The reaction of one metric to one attack.

    Attributes:
        before: the mean score of the systems; ``after`` is the mean of the attacked systems.
        lower: the number of systems with a lower score.
        down: the share of the changed sentences with a lower score; ``same`` and ``up``: with an
            equal and a higher score.
        verdict: noticed, if the scores of all systems and most sentences fall; fooled, if the
            scores of most systems rise; not noticed, if none falls; partly otherwise.
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
    """The corpus score of an output and the scores of its sentences; None if undefined."""

    score: float | None
    sentences: Sequence[float | None]


def judge_attack(
    metric: str,
    attack: str,
    before: Sequence[ScoredOutput],
    after: Sequence[ScoredOutput],
    changed: Sequence[Sequence[bool]],
) -> AttackRow:
    """Compare the scores of all systems before and after an attack.

    ``changed`` has one flag per system and sentence.
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
    down, same, up = (
        sum(move == sign for move in moves) / len(moves) if moves else None for sign in (-1, 0, 1)
    )
    lower, higher = int((gaps < -1e-12).sum()), int((gaps > 1e-12).sum())
    verdict = "partly"
    if pairs and lower == len(pairs) and (down or 0) > 0.5:
        verdict = "noticed"
    elif 2 * higher > len(pairs):
        verdict = "fooled"
    elif not lower and not (down or 0):
        verdict = "not noticed"
    score = score_after = change = None
    if pairs:
        score, score_after = np.mean(pairs, axis=0).tolist()
        change = float(gaps.mean())
    return AttackRow(
        metric, attack, score, score_after, change, lower, len(pairs), down, same, up, verdict
    )


def attack_metrics(
    reference: ReferenceLike | Benchmark,
    outputs: SystemsLike,
    metrics: Sequence[MetricLike],
    *,
    references: Sequence[TextLike] = (),
    systems: Sequence[str] = (),
    without: Sequence[str] = (),
    lines: PathLike | None = None,
    annotation_options: AnnotationResources = AnnotationResources(),
    seed: int = 1,
) -> Table:
    """Return one row per metric and attack.

    ``reference`` is a reference with ``outputs`` of systems, or a benchmark with its own outputs,
    to which ``references`` can be added.
    """
    chosen = make_metrics(metrics or DEFAULT_METRICS)
    if isinstance(reference, Benchmark):
        loaded = load_benchmark_texts(reference, references)
        loaded = loaded.take(choose_lines(reference, lines).positions)
    else:
        loaded = Evaluation.load(reference, outputs)
        if lines is not None:
            size = len(loaded.references)
            loaded = loaded.take([_line(one, size) for one in read_lines_chosen(lines)])
    wanted = choose_systems([each.name for each in loaded.systems], systems, without)
    kept = tuple(each for each in loaded.systems if each.name in wanted)
    loaded = replace(loaded, systems=kept, options=EvaluationOptions(**vars(annotation_options)))
    # the attack that reverts corrections needs edits, even if no metric does
    ready = loaded.supply_edits([*chosen, Errant()])
    before = _score(replace(loaded, systems=ready.systems), chosen)
    rows: dict[Metric, list[AttackRow]] = {metric: [] for metric in chosen}
    labels = label_metrics(chosen)
    for name, attack in ATTACKS.items():
        attacked = tuple(
            Hypotheses(each.name, attack(AttackTarget(ready.references, each, seed)))
            for each in ready.systems
        )
        changed = [
            [one != other for one, other in zip(old.texts, new.texts, strict=True)]
            for old, new in zip(ready.systems, attacked, strict=True)
        ]
        after = _score(replace(loaded, systems=attacked), chosen)
        for metric in chosen:
            rows[metric].append(
                judge_attack(labels[metric], name, before[metric], after[metric], changed)
            )
    signature = make_signature(
        "meta",
        attack=True,
        metrics=[str(metric) for metric in chosen],
        seed=seed,
        **loaded.fingerprints(),
    )
    definitions = (
        "before, after: mean score of the original and of the attacked systems.",
        "lower: systems whose score falls. down, same, up: shares of the changed sentences.",
        "noticed: every system and most sentences score lower; fooled: most systems score higher.",
    )
    notes = [Definition(text) for text in definitions]
    title = "Metrics under attack"
    every = [row for of_metric in rows.values() for row in of_metric]
    return table_of(
        every, AttackRow, notes=notes, signature=signature, title=title, groups="metric"
    )


def _line(text: str, total: int) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= total):
        raise OptionError(f"{text!r} is not a line number from 1 to {total}")
    return int(text) - 1


def _score(given: Evaluation, metrics: Sequence[Metric]) -> dict[Metric, list[ScoredOutput]]:
    """Return the overall score of every output, and of its sentences, at a single level."""
    found: dict[Metric, list[ScoredOutput]] = {}
    for each in given.collect(metrics, fit=False)[0]:
        values = [each.score(), *sentence_scores(each)]
        score, *of_sentences = (None if v is None else each.metric.orient(v) for v in values)
        output = ScoredOutput(score, of_sentences)
        found.setdefault(each.metric, []).append(output)
    return found
