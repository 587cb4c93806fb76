"""``redink compare``: compare pairs of systems by paired tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Annotated, Literal, get_args

import numpy as np

from redink.errors import OptionError, RedinkWarning, unknown_name
from redink.evaluation import Evaluation, EvaluationOptions, note_types
from redink.inputs.input_checks import warn_about_documents
from redink.inputs.input_options import ReferenceLike, SystemsLike
from redink.model import Definition, Row, Shown, Table, table_of
from redink.options import Flag, Limits, Seed, command
from redink.progress import tell
from redink.scoring.engine import SIGNIFICANT, ScoredSystem, label_metrics, without_unattempted
from redink.scoring.metric import (
    EditMetric,
    FloatArray,
    Grouping,
    Metric,
    ReferenceEdits,
    reference_edits_of,
)
from redink.scoring.specs import (
    DEFAULT_METRICS,
    MetricDefaults,
    Metrics,
    make_metrics,
    with_reference_edits,
)
from redink.statistics.resampling import BoolArray, draw_swaps, interval_of
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

    ``difference`` is the score of ``system`` minus the score of ``other``. If a system is compared
    under two kinds of reference edits, both names are those of the system.
    """

    metric: str
    level: Annotated[str | None, Shown(optional=True)]
    measure: Annotated[str | None, Shown(optional=True)]
    type: Annotated[str | None, Shown(optional=True)]
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
    other_reference_edits: Annotated[str | None, Shown(optional=True)] = None


@dataclass(frozen=True)
class _Contest:
    """Systems under one metric (or under two kinds of reference edits) by one measure."""

    measure: str | None
    scored: Sequence[ScoredSystem]
    pairs: Sequence[tuple[int, int]]
    is_ordered: bool

    @property
    def tests(self) -> int:
        """The number of tests in the largest family: pairs, or pairs of every error type."""
        return len(self.pairs) * max(1, len(self.scored[0].statistics.labels))


@command(draws="Draw the differences with their confidence intervals.")
def compare(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    metrics: Metrics = DEFAULT_METRICS,
    metric_defaults: MetricDefaults = MetricDefaults(),
    by: Grouping | None = None,
    measure: Annotated[Sequence[str], Flag(value="NAME,...")] = (),
    reference_edits: Annotated[Sequence[ReferenceEdits], Flag(value="gold|auto|gold,auto")] = (),
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
    the number of pairs (by error type: of pairs and types). If the choice of annotators depends on
    the sampled sentences, redink chooses again in every sample.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: at least two, as for ``score``.
        evaluation_options: how references and systems are read, aligned and annotated.
        metrics: metrics, with options in parentheses.
        metric_defaults: options that apply to all metrics that have them.
        by: also test each operation, main type or full type (errant, m2).
        measure: measures to test: any rates of the metrics, such as precision, recall, f or kappa.
            By default the main score of each metric.
        reference_edits: classify the edits of the references again (gold), or extract them again
            (auto), for all metrics that use edits; errant(reference_edits=auto) does so for one
            metric. With gold,auto, every system is compared with itself: its score under gold edits
            minus its score under automatic edits. By default as they are in the file.
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
    chosen = make_metrics(metrics, metric_defaults, by=by)
    kinds = tuple(dict.fromkeys(reference_edits))
    if wide and (by or len(kinds) > 1):
        raise OptionError("--wide cannot be combined with --by or --reference-edits gold,auto")
    if baseline is not None and len(kinds) > 1:
        raise OptionError("--baseline cannot be combined with --reference-edits gold,auto")
    if not tests:
        raise OptionError(f"give at least one test: {', '.join(TESTS)}")
    wanted = tuple(test for test in TESTS if test in tests)
    evaluation = Evaluation.load(reference, systems, evaluation_options)
    names = [system.name for system in evaluation.systems]
    if len(names) < 2 and len(kinds) < 2:
        raise OptionError("give at least two systems to compare")
    notes = evaluation.check()
    if len(kinds) > 1:
        pairs = [(at, at + len(names)) for at in range(len(names))]
    elif baseline is None:
        pairs = list(combinations(range(len(names)), 2))
    elif baseline not in names:
        raise unknown_name("system", baseline, names)
    else:
        pairs = [(at, names.index(baseline)) for at in range(len(names)) if names[at] != baseline]
    chosen, left_out = _choose(chosen, measure, kinds)
    notes += [*left_out, *note_types(chosen)]
    versions = [with_reference_edits(chosen, kind) for kind in kinds or [None]]
    scored, said = evaluation.collect(tuple(chain.from_iterable(versions)))
    notes += [*said, *warn_about_documents(evaluation.groups)]
    contests = list(
        _arrange(scored, chosen, versions, measure, pairs, is_ordered=baseline is not None)
    )
    samples = _enough_samples(samples, max(contest.tests for contest in contests))
    rng = np.random.default_rng(seed)
    resampled = iter(evaluation.resample([s for c in contests for s in c.scored], samples, rng))
    swaps = draw_swaps(len(evaluation.references), samples, rng, groups=evaluation.groups)
    rows: list[Difference] = []
    for contest in contests:
        own = [next(resampled) for _ in contest.scored]
        rows += _compare_all(contest, own, swaps, wanted)
    drawn = " of documents" if evaluation_options.resample == "documents" else ""
    definition = Definition(
        f"Two-sided p from {samples} samples{drawn}, Holm-adjusted. "
        f"Significant: p < {SIGNIFICANT:g} in all tests."
    )
    signature = evaluation.signature(
        "compare",
        tuple(chain.from_iterable(versions)),
        baseline=baseline,
        measure=list(measure) or None,
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
        extra={
            "systems": names,
            "lower_is_better": {each.label for each in scored if each.metric.lower_is_better},
            **({} if baseline is None else {"baseline": baseline}),
        },
    )


_MANY_PAIRS = 1000


def _measures_of(metric: Metric) -> list[str]:
    return [column.name for column in metric.columns if column.kind in {"rate", "score"}]


def _choose(
    metrics: Sequence[Metric], measures: Sequence[str], kinds: Sequence[ReferenceEdits]
) -> tuple[tuple[Metric, ...], list[str]]:
    """Return the metrics that have a measure and read reference edits, and notes on the others."""
    chosen, notes = [], []
    for metric in metrics:
        names = _measures_of(metric)
        if measures and not set(names).intersection(measures):
            notes.append(f"{metric.label} is left out: it has no {' or '.join(measures)}")
        elif len(kinds) > 1 and not (
            isinstance(metric, EditMetric) and metric.needs != "text" and not metric.reference_edits
        ):
            notes.append(f"{metric.label} is left out: --reference-edits does not change it")
        else:
            chosen.append(metric)
    if not chosen:
        raise OptionError(f"no metric to compare: {'; '.join(notes)}")
    return tuple(chosen), notes


def _arrange(
    scored: Sequence[ScoredSystem],
    chosen: Sequence[Metric],
    versions: Sequence[Sequence[Metric]],
    measures: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    *,
    is_ordered: bool,
) -> Iterator[_Contest]:
    labels = label_metrics(chosen)
    for metric, *variants in zip(chosen, *versions, strict=True):
        members = [each for one in variants for each in scored if each.metric is one]
        shared = metric.share_labels([each.statistics for each in members])
        for measure in measures or (None,):
            if measure not in {None, *_measures_of(metric)}:
                continue
            tested = [
                replace(
                    each,
                    metric=each.metric.measured_by(measure or metric.headline),
                    label=each.label if len(variants) == 1 else labels[metric],
                    statistics=statistics,
                )
                for each, statistics in zip(members, shared, strict=True)
            ]
            yield _Contest(measure, tested, pairs, is_ordered or len(variants) > 1)


def _enough_samples(given: int | None, pairs: int) -> int:
    if given is None:
        samples = samples_for(pairs)
        if pairs > _MANY_PAIRS:
            warnings.warn(
                f"{pairs:,} tests need {samples:,} samples each; this takes minutes to hours. "
                "--baseline SYSTEM compares all systems with one system",
                RedinkWarning,
                stacklevel=3,
            )
        return samples
    if pairs / (given + 1) >= SIGNIFICANT:
        warnings.warn(
            f"{given} samples are too few for {pairs} tests: no adjusted p-value can be below "
            f"{SIGNIFICANT:g}; use at least {samples_for(pairs)}",
            RedinkWarning,
            stacklevel=3,
        )
    return given


def _compare_all(
    contest: _Contest,
    resampled: Sequence[FloatArray],
    swaps: BoolArray,
    tests: Sequence[Test],
) -> list[Difference]:
    """Compare pairs in every row; the p-values of all error types are adjusted together."""
    scored, metric = contest.scored, contest.scored[0].metric
    blocks = [[*map(without_unattempted, metric.rows(each.statistics))] for each in scored]
    of_rows = [[row[metric.headline] for row in level] for level in zip(*blocks, strict=True)]
    shuffled = _randomize(contest, of_rows, swaps) if "randomization" in tests else None
    families: dict[int, list[Row]] = {}
    for index, (about, values) in enumerate(zip(blocks[0], of_rows, strict=True)):
        rows: list[Row] = []
        for place, (a, b) in enumerate(contest.pairs):
            one, two = (
                -np.inf if (value := values[at]) is None else metric.orient(value) for at in (a, b)
            )
            first, other = (a, b) if contest.is_ordered or one >= two else (b, a)
            row: Row = {
                "level": about.get("level"),
                "type": about.get("type"),
                "system": scored[first].system.name,
                "other": scored[other].system.name,
                "score": values[first],
                "other_score": values[other],
                "p_randomization": None if shuffled is None else shuffled[place][index],
            }
            if row["score"] is not None and row["other_score"] is not None:
                spread = resampled[first][:, index] - resampled[other][:, index]
                difference = row["score"] - row["other_score"]
                low, high = interval_of(spread)
                row |= {"difference": difference, "low": low, "high": high}
                if "bootstrap" in tests:
                    row["p_bootstrap"] = bootstrap_p(difference, spread)
            if row["type"] is None or not row["score"] is row["other_score"] is None:
                rows.append(row)
        rows.sort(
            key=lambda row: [-metric.orient(row[name] or 0) for name in ("score", "other_score")]
        )
        families.setdefault(index if about.get("type") is None else -1, []).extend(rows)
    for family in families.values():
        for test in tests:
            adjusted = holm([row.get(f"p_{test}") for row in family])
            for row, p in zip(family, adjusted, strict=True):
                row[f"p_{test}_holm"] = p
        for row in family:
            known = [p for test in tests if (p := row[f"p_{test}_holm"]) is not None]
            row["significant"] = max(known) < SIGNIFICANT if known else None
    kind, other_kind = (reference_edits_of(each.metric) for each in (scored[0], scored[-1]))
    return [
        Difference(
            metric=scored[0].label,
            measure=contest.measure,
            **row,
            reference_edits=kind,
            other_reference_edits=None if kind == other_kind else other_kind,
        )
        for row in chain.from_iterable(families.values())
    ]


def _randomize(
    contest: _Contest, of_rows: Sequence[Sequence[float | None]], swaps: BoolArray
) -> list[list[float | None]]:
    """Return p of every row for every pair; results of permutations are counted, not stored."""
    scored, pairs = contest.scored, contest.pairs
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
