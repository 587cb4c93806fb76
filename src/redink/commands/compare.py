"""``redink compare``: compare pairs of systems by paired tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal, get_args

import numpy as np

from redink.errors import OptionError, RedinkWarning, unknown_name
from redink.evaluation import Evaluation, EvaluationOptions
from redink.inputs.input_checks import warn_about_documents
from redink.inputs.input_options import ReferenceLike, SystemsLike
from redink.model import Definition, Row, Shown, Table, table_of
from redink.options import Flag, Limits, Seed, command
from redink.progress import tell
from redink.scoring.engine import SIGNIFICANT, ScoredSystem
from redink.scoring.metric import FloatArray, ReferenceEdits, reference_edits_of
from redink.scoring.specs import (
    DEFAULT_METRICS,
    MetricDefaults,
    Metrics,
    make_metrics,
    with_reference_edits,
)
from redink.statistics.resampling import BoolArray, draw_swaps, percentile_interval
from redink.statistics.significance import (
    bootstrap_p,
    count_reached,
    holm,
    samples_for,
    share_reached,
)

Test = Literal["bootstrap", "randomization"]
TESTS: tuple[Test, ...] = get_args(Test)
_Score = Annotated[float | None, Shown("score")]


@dataclass(frozen=True)
class Difference:
    """Two systems under one metric: the better one first, or a candidate and the baseline.

    ``difference`` is the score of ``system`` minus the score of ``other``.
    """

    metric: str
    level: Annotated[str | None, Shown(optional=True)]
    system: str
    other: Annotated[str, Shown(title="against")]
    score: _Score
    other_score: Annotated[float | None, Shown("score", title="against it")]
    difference: _Score = None
    low: _Score = None
    high: _Score = None
    p_bootstrap: Annotated[float | None, Shown("p", optional=True)] = None
    p_bootstrap_holm: Annotated[
        float | None, Shown("p", title="p bootstrap, Holm", optional=True)
    ] = None
    p_randomization: Annotated[float | None, Shown("p", optional=True)] = None
    p_randomization_holm: Annotated[
        float | None, Shown("p", title="p randomization, Holm", optional=True)
    ] = None
    significant: bool | None = None
    reference_edits: Annotated[str | None, Shown(optional=True)] = None


@command(draws="Draw the differences with their confidence intervals.")
def compare(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    metrics: Metrics = DEFAULT_METRICS,
    metric_defaults: MetricDefaults = MetricDefaults(),
    reference_edits: ReferenceEdits | None = None,
    samples: Annotated[int, Limits(2)] | None = None,
    tests: Annotated[Sequence[Test], Flag(name="test")] = TESTS,
    baseline: Annotated[str, Flag(value="SYSTEM")] | None = None,
    wide: bool = False,
    seed: Seed | np.random.Generator = 1,
) -> Table:
    """Compare every pair of systems by paired significance tests.

    For every pair under every metric, the table has the difference, its 95% confidence interval,
    and two-sided p-values of a paired bootstrap test (on sentences or documents) and of approximate
    randomization (the two systems exchange sentences or documents). Both are also Holm-adjusted for
    the number of pairs. If the choice of annotators depends on the sampled sentences, redink
    chooses again in every sample.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: at least two, as for ``score``.
        evaluation_options: how references and systems are read, aligned and annotated.
        metrics: metrics, with options in parentheses.
        metric_defaults: options that apply to all metrics that have them.
        reference_edits: classify the edits of the references again (gold), or extract them again
            (auto), for all metrics that use edits; errant(reference_edits=auto) does so for one
            metric. By default as they are in the file.
        samples: number of bootstrap samples, and of permutations. By default 1000, or more if there
            are many pairs.
        tests: paired bootstrap, approximate randomization, or both.
        baseline: compare every system only with this one; differences are the system minus the
            baseline.
        wide: show one row per system and one column per metric, with significance marks.
        seed: random seed.

    Returns:
        One row per pair under every metric (and level), the better system first. With a baseline,
        ``system`` is the system that is compared with it, and ``difference`` is its score minus the
        score of the baseline: negative if the system is worse.
    """
    chosen = with_reference_edits(make_metrics(metrics, metric_defaults), reference_edits)
    if not tests:
        raise OptionError(f"give at least one test: {', '.join(TESTS)}")
    wanted = tuple(test for test in TESTS if test in tests)
    evaluation = Evaluation.load(reference, systems, evaluation_options)
    names = [system.name for system in evaluation.systems]
    if len(names) < 2:
        raise OptionError("give at least two systems to compare")
    notes = evaluation.check()
    if baseline is None:
        pairs = list(combinations(range(len(names)), 2))
    elif baseline not in names:
        raise unknown_name("system", baseline, names)
    else:
        pairs = [(at, names.index(baseline)) for at in range(len(names)) if names[at] != baseline]
    samples = _enough_samples(samples, len(pairs))
    scored, said = evaluation.collect(chosen)
    notes += [*said, *warn_about_documents(evaluation.groups)]
    rng = np.random.default_rng(seed)
    resampled = evaluation.resample(scored, samples, rng)
    swaps = draw_swaps(len(evaluation.references), samples, rng, groups=evaluation.groups)
    rows: list[Difference] = []
    for metric in chosen:
        members = [index for index, each in enumerate(scored) if each.metric is metric]
        rows += _compare_all(
            [scored[index] for index in members],
            [resampled[index] for index in members],
            swaps,
            wanted,
            pairs,
            in_order=baseline is not None,
        )
    drawn = " of documents" if evaluation_options.resample == "documents" else ""
    definition = Definition(
        f"Two-sided p from {samples} samples{drawn}, Holm-adjusted. "
        f"Significant: p < {SIGNIFICANT:g} in all tests."
    )
    signature = evaluation.signature(
        "compare",
        chosen,
        baseline=baseline,
        tests=list(wanted),
        samples=samples,
        seed=seed if isinstance(seed, int) else None,
        **evaluation_options.resampling(),
    )
    return table_of(
        rows,
        notes=[*notes, definition],
        signature=signature,
        groups="metric",
        view="differences-wide" if wide else "differences",
        plot_name="differences",
        extra={"systems": names, **({} if baseline is None else {"baseline": baseline})},
    )


_MANY_PAIRS = 1000


def _enough_samples(given: int | None, pairs: int) -> int:
    if given is None:
        samples = samples_for(pairs)
        if pairs > _MANY_PAIRS:
            warnings.warn(
                f"{pairs:,} pairs need {samples:,} samples each; this takes minutes to hours. "
                "--baseline SYSTEM compares all systems with one system",
                RedinkWarning,
                stacklevel=3,
            )
        return samples
    if pairs / (given + 1) >= SIGNIFICANT:
        warnings.warn(
            f"{given} samples are too few for {pairs} pairs: no adjusted p-value can be below "
            f"{SIGNIFICANT:g}; use at least {samples_for(pairs)}",
            RedinkWarning,
            stacklevel=3,
        )
    return given


def _compare_all(
    scored: Sequence[ScoredSystem],
    resampled: Sequence[FloatArray],
    swaps: BoolArray,
    tests: Sequence[Test],
    pairs: Sequence[tuple[int, int]],
    *,
    in_order: bool,
) -> Iterator[Difference]:
    """Compare pairs under one metric at every level; the better system first unless in order."""
    metric, label = scored[0].metric, scored[0].label
    blocks = [metric.rows(each.statistics) for each in scored]
    of_rows = [[row[metric.headline] for row in level] for level in zip(*blocks, strict=True)]
    shuffled = _randomize(scored, of_rows, pairs, swaps) if "randomization" in tests else None
    for index, (about, values) in enumerate(zip(blocks[0], of_rows, strict=True)):
        rows: list[Row] = []
        for place, (a, b) in enumerate(pairs):
            one, two = (-np.inf if values[at] is None else values[at] for at in (a, b))
            first, other = (a, b) if in_order or one >= two else (b, a)
            row: Row = {
                "system": scored[first].system.name,
                "other": scored[other].system.name,
                "score": values[first],
                "other_score": values[other],
                "p_randomization": None if shuffled is None else shuffled[place][index],
            }
            if row["score"] is not None and row["other_score"] is not None:
                spread = resampled[first][:, index] - resampled[other][:, index]
                difference = row["score"] - row["other_score"]
                low, high = map(float, percentile_interval(spread))
                row |= {"difference": difference, "low": low, "high": high}
                if "bootstrap" in tests:
                    row["p_bootstrap"] = bootstrap_p(difference, spread)
            rows.append(row)
        for test in tests:
            adjusted = holm([row.get(f"p_{test}") for row in rows])
            for row, p in zip(rows, adjusted, strict=True):
                row[f"p_{test}_holm"] = p
        for row in sorted(rows, key=lambda row: (-(row["score"] or 0), -(row["other_score"] or 0))):
            known = [p for test in tests if (p := row[f"p_{test}_holm"]) is not None]
            yield Difference(
                metric=label,
                level=about.get("level"),
                **row,
                significant=max(known) < SIGNIFICANT if known else None,
                reference_edits=reference_edits_of(metric),
            )


def _randomize(
    scored: Sequence[ScoredSystem],
    of_rows: Sequence[Sequence[float | None]],
    pairs: Sequence[tuple[int, int]],
    swaps: BoolArray,
) -> list[list[float | None]]:
    """Return p of every row for every pair; results of permutations are counted, not stored."""
    values = np.array(of_rows, dtype=float)  # NaN for undefined scores
    observed = [values[:, a] - values[:, b] for a, b in pairs]
    counts = np.zeros((len(pairs), 2, len(values)), dtype=np.int64)
    what, done = f"{scored[0].label}: randomization", 0
    tell(what, 0, len(pairs))
    parts = scored[0].metric.shuffle([each.statistics for each in scored], pairs, swaps)
    for place, differences in parts:
        counts[place] += count_reached(observed[place], differences)
        done += len(differences)
        tell(what, done // len(swaps), len(pairs))
    return [
        [
            None if np.isnan(seen) else share_reached(*both)
            for seen, both in zip(seen_of, of_pair.T.tolist(), strict=True)
        ]
        for seen_of, of_pair in zip(observed, counts, strict=True)
    ]
