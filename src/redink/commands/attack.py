"""How easily metrics are fooled: outputs made worse in known ways, scored again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from redink.analysis.annotation_options import AnnotationResources
from redink.commands.benchmark import choose_lines, load_benchmark_texts
from redink.commands.rank_choice import choose_systems
from redink.errors import OptionError
from redink.evaluation import Evaluation
from redink.formats.metric_scores import read_lines_chosen
from redink.inputs.benchmarks import Benchmark
from redink.inputs.loading import PathLike, ReferenceLike, SystemsLike, TextLike
from redink.judging.attacks import (
    ATTACKS,
    AttackRow,
    ScoredOutput,
    Target,
    judge_attack,
)
from redink.model import Hypotheses, Table, make_signature, table_of
from redink.scoring.engine import ScoredSystem, label_metrics
from redink.scoring.errant import Errant
from redink.scoring.metric import Metric
from redink.scoring.specs import DEFAULT_METRICS, MetricLike, make_metrics


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
    """A row for every metric under every attack.

    Args:
        reference: sentences with the edits of annotators, or a benchmark.
        outputs: what systems made; of a benchmark its own.
        metrics: by default errant, m2 and gleu.
        references: of a benchmark, where they are not with it.
        systems: attack these systems only.
        without: attack all systems but these.
        lines: only the sentences that this file names by their numbers from 1.
        annotation_options: by what and by how many processes outputs are annotated.
        seed: of the words that are dropped, doubled and swapped.
    """
    chosen = make_metrics(metrics or DEFAULT_METRICS)
    if isinstance(reference, Benchmark):
        loaded = load_benchmark_texts(reference, references)
        loaded = loaded.take(choose_lines(reference, lines).places)
    else:
        loaded = Evaluation.load(reference, outputs)
        if lines is not None:
            size = len(loaded.references)
            loaded = loaded.take([_line(one, size) for one in read_lines_chosen(lines)])
    wanted = choose_systems([each.name for each in loaded.systems], systems, without)
    kept = tuple(each for each in loaded.systems if each.name in wanted)
    loaded = replace(loaded, systems=kept, annotation_options=annotation_options)
    # what reverts corrections needs to know them, even where no metric does
    ready = loaded.supply_edits([*chosen, Errant()])
    before = _score(replace(loaded, systems=ready.systems), chosen)
    rows: list[AttackRow] = []
    labels = label_metrics(chosen)
    for name, attack in ATTACKS.items():
        attacked = tuple(
            Hypotheses(each.name, attack(Target(ready.references, each, seed)))
            for each in ready.systems
        )
        changed = [
            [one != other for one, other in zip(old.texts, new.texts, strict=True)]
            for old, new in zip(ready.systems, attacked, strict=True)
        ]
        after = _score(replace(loaded, systems=attacked), chosen)
        rows += [
            judge_attack(labels[metric], name, before[metric], after[metric], changed)
            for metric in chosen
        ]
    order = {labels[metric]: at for at, metric in enumerate(chosen)}
    rows.sort(key=lambda row: order[row.metric])
    signature = make_signature(
        "meta",
        attack=True,
        metrics=[str(metric) for metric in chosen],
        seed=seed,
        **loaded.fingerprints(),
    )
    notes = [
        "before, after: the mean score of the systems as they are, and attacked.",
        "lower: systems whose score falls; down, same, up: shares of the changed sentences.",
        "noticed: every system and most sentences score lower; fooled: most systems score higher.",
    ]
    title = "Metrics under attack"
    return table_of(rows, AttackRow, notes=notes, signature=signature, title=title, groups="metric")


def _line(text: str, total: int) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= total):
        raise OptionError(f"{text!r} is not the number of one of the {total} lines")
    return int(text) - 1


def _score(given: Evaluation, metrics: Sequence[Metric]) -> dict[Metric, list[ScoredOutput]]:
    scored, _ = given.collect(metrics, fit=False)
    found: dict[Metric, list[ScoredOutput]] = {}
    for each in scored:
        found.setdefault(each.metric, []).append(_headlines(each))
    return found


def _headlines(each: ScoredSystem) -> ScoredOutput:
    """The overall score of an output, and those of its sentences (the last level of several)."""
    headline = each.metric.headline
    size = len(each.statistics)
    rows = each.metric.sentence_rows(each.statistics)
    step = max(len(rows) // size, 1)
    return ScoredOutput(
        each.metric.rows(each.statistics)[0][headline],
        [row.get(headline) for row in rows[::step]],
    )
