"""``redink compare``: compare pairs of systems by paired tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from redink.errors import OptionError, RedinkWarning, unknown_name
from redink.evaluation import (
    By,
    Evaluation,
    EvaluationOptions,
    note_types,
    slice_columns,
    split_by,
)
from redink.inputs.input_checks import warn_about_documents
from redink.inputs.input_options import ReferenceLike, SystemsLike
from redink.model import Definition, Row, Shown, Table, table_of
from redink.options import Flag, Limits, Seed, command
from redink.progress import tell
from redink.scoring.engine import (
    SIGNIFICANT,
    ScoredSystem,
    label_metrics,
    resample_parts,
    without_unattempted,
)
from redink.scoring.metric import (
    EditMetric,
    FloatArray,
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
    normal_p,
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
    p_slice: Annotated[float | None, Shown("p", title="p (slice)", optional=True)] = None
    extra: Mapping[str, Any] = field(default_factory=dict)


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
    by: By = None,
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
        by: also test each operation, main type or full type (errant, m2), or each value of
            one or more metadata columns.
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
    types, slices = split_by(by)
    chosen = make_metrics(metrics, metric_defaults, by=types)
    kinds = tuple(dict.fromkeys(reference_edits))
    if wide and (by or len(kinds) > 1):
        raise OptionError("--wide cannot be combined with --by or --reference-edits gold,auto")
    if baseline is not None and len(kinds) > 1:
        raise OptionError("--baseline cannot be combined with --reference-edits gold,auto")
    if not tests:
        raise OptionError(f"give at least one test: {', '.join(TESTS)}")
    wanted = tuple(test for test in TESTS if test in tests)
    evaluation = Evaluation.load(reference, systems, evaluation_options, slices=slices)
    names = [system.name for system in evaluation.systems]
    if len(names) < 2 and len(kinds) < 2:
        raise OptionError("give at least two systems to compare")
    notes = evaluation.check()
    pairs = _choose_pairs(names, baseline, kinds)
    chosen, left_out = _choose(chosen, measure, kinds)
    notes += [*left_out, *note_types(chosen)]
    versions = [with_reference_edits(chosen, kind) for kind in kinds or [None]]
    scored, said = evaluation.collect(tuple(chain.from_iterable(versions)))
    notes += [*said, *warn_about_documents(evaluation.groups)]
    contests = list(
        _arrange(scored, chosen, versions, measure, pairs, is_ordered=baseline is not None)
    )
    divided = evaluation.divide(slices) if slices else {}
    parts = [np.array(members) for members in divided.values()]
    largest = max(contest.tests for contest in contests) * max(1, len(parts))
    samples = _enough_samples(samples, largest)
    rng = np.random.default_rng(seed)
    everyone = [each for contest in contests for each in contest.scored]
    resampled = resample_parts(everyone, parts, samples, rng, evaluation.groups)
    swaps = draw_swaps(len(evaluation.references), samples, rng, groups=evaluation.groups)
    about = [{**dict(zip(slices, v, strict=True)), "sentences": len(divided[v])} for v in divided]
    rows: list[Difference] = []
    remaining = [iter(values) for values in resampled]
    for contest in contests:
        own = [[next(values) for _ in contest.scored] for values in remaining]
        rows += _compare_all(contest, own, swaps, wanted, list(zip(about, parts, strict=True)))
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
        by=list(slices) or None,
        **evaluation_options.resampling(),
    )
    if slices:
        notes.append(Definition(_ABOUT_SLICES))
    return table_of(
        rows,
        extra_columns=[c for c in slice_columns(chosen, slices) if c.name != "level"],
        notes=[*notes, definition],
        signature=signature,
        groups="metric",
        view=None if slices else "differences-wide" if wide else "differences",
        plot_name=None if slices else "differences",
        extra={
            "systems": names,
            "lower_is_better": {each.label for each in scored if each.metric.lower_is_better},
            **({} if baseline is None else {"baseline": baseline}),
        },
    )


_MANY_PAIRS = 1000
_ABOUT_SLICES = (
    "Slices: p-values are adjusted for all slices and pairs. p_slice: whether the difference in "
    "the slice is that of all sentences (bootstrap, normal approximation, Holm-adjusted)"
)


def _choose_pairs(
    names: Sequence[str], baseline: str | None, kinds: Sequence[ReferenceEdits]
) -> list[tuple[int, int]]:
    if len(kinds) > 1:
        return [(at, at + len(names)) for at in range(len(names))]
    if baseline is None:
        return list(combinations(range(len(names)), 2))
    if baseline not in names:
        raise unknown_name("system", baseline, names)
    return [(at, names.index(baseline)) for at in range(len(names)) if names[at] != baseline]


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
    resampled: Sequence[Sequence[FloatArray]],
    swaps: BoolArray,
    tests: Sequence[Test],
    slices: Sequence[tuple[Row, NDArray[np.int64]]],
) -> list[Difference]:
    """Compare pairs on all sentences, and on slices with their columns and sentences."""
    total = _compare_pairs(contest, resampled[0], swaps, tests)
    inside: dict[int, list[Row]] = {}
    for (about, part), values in zip(slices, resampled[1:], strict=True):
        smaller = replace(contest, scored=[each.take(part) for each in contest.scored])
        # a column "level" has the place of the level of a metric
        named = {name: about[name] for name in about if name == "level"}
        for family, rows in _compare_pairs(smaller, values, swaps[:, part], tests).items():
            _test_slice(rows, total[family])
            inside.setdefault(family, []).extend({**row, **named, "extra": about} for row in rows)
    if slices:
        about = {**dict.fromkeys(slices[0][0]), "sentences": swaps.shape[1]}
        total = {f: [{**row, "extra": about} for row in rows] for f, rows in total.items()}
    return [*_adjust(contest, total, tests), *_adjust(contest, inside, tests)]


def _compare_pairs(
    contest: _Contest,
    resampled: Sequence[FloatArray],
    swaps: BoolArray,
    tests: Sequence[Test],
) -> dict[int, list[Row]]:
    """Compare pairs in every row; the rows of all error types are one family."""
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
                row |= {"difference": difference, "low": low, "high": high, "spread": spread}
                if "bootstrap" in tests:
                    row["p_bootstrap"] = bootstrap_p(difference, spread)
            if row["type"] is None or not row["score"] is row["other_score"] is None:
                rows.append(row)
        rows.sort(
            key=lambda row: [-metric.orient(row[name] or 0) for name in ("score", "other_score")]
        )
        families.setdefault(index if about.get("type") is None else -1, []).extend(rows)
    return families


def _test_slice(rows: Iterable[Row], total: Iterable[Row]) -> None:
    """Test whether differences in a slice are those of all sentences, in either order of a pair."""
    known = {(row["type"], row["system"], row["other"]): row for row in total}
    for row in rows:
        sign, whole = 1, known.get((row["type"], row["system"], row["other"]))
        if whole is None:
            sign, whole = -1, known.get((row["type"], row["other"], row["system"]))
        if whole is not None and "spread" in whole and "spread" in row:
            change = row["difference"] - sign * whole["difference"]
            row["p_slice"] = normal_p(change, row["spread"] - sign * whole["spread"])


def _adjust(
    contest: _Contest, families: Mapping[int, list[Row]], tests: Sequence[Test]
) -> list[Difference]:
    """Adjust the p-values of each family for their number, and decide on significance."""
    scored = contest.scored
    for family in families.values():
        for test in tests:
            adjusted = holm([row.get(f"p_{test}") for row in family])
            for row, p in zip(family, adjusted, strict=True):
                row[f"p_{test}_holm"] = p
        for row in family:
            known = [p for test in tests if (p := row[f"p_{test}_holm"]) is not None]
            row["significant"] = max(known) < SIGNIFICANT if known else None
        for row, p in zip(family, holm([row.get("p_slice") for row in family]), strict=True):
            row["p_slice"] = p
    kind, other_kind = (reference_edits_of(each.metric) for each in (scored[0], scored[-1]))
    return [
        Difference(
            metric=scored[0].label,
            measure=contest.measure,
            **{name: value for name, value in row.items() if name != "spread"},
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
