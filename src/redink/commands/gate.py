"""``redink gate``: pass or fail a new version of a system by rules, against a baseline."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from redink.commands.diff import SentenceChange, find_changes
from redink.commands.gate_files import (
    CONFIG,
    SavedBaseline,
    is_baseline,
    read_gate,
    save_baseline,
)
from redink.commands.gate_rules import ALL_TYPES, GateRule, excess_p, make_measure
from redink.commands.gate_summary import write_summary
from redink.errors import DataError, OptionError, unknown_name
from redink.evaluation import Evaluation, EvaluationOptions
from redink.files import append_line, write_atomically
from redink.inputs.input_checks import warn_about_documents
from redink.inputs.input_options import PathLike, ReferenceLike, SystemLike, SystemsLike
from redink.inputs.text_loading import split_name
from redink.model import Definition, Row, Shown, Table, table_of
from redink.options import Confidence, Flag, Limits, Needs, Seed, command
from redink.scoring.engine import ScoredSystem, resample_parts
from redink.scoring.metric import FloatArray, Metric, Statistics
from redink.scoring.specs import METRICS, Metrics, make_metrics
from redink.statistics.distributions import normal_quantile
from redink.statistics.resampling import interval_of
from redink.statistics.significance import holm

Verdict = Literal["pass", "fail"]
_Score = Annotated[float | None, Shown("score")]
_ALPHA = 0.05
POWERS = (0.2, 0.5, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class RuleResult:
    """A rule on all sentences, or on one slice or error type.

    ``difference`` is the candidate minus the baseline, with its 95% confidence interval. ``p`` is
    one-sided: for a change that exceeds its limit (``strict``: that stays below it).
    """

    rule: str
    metric: str
    measure: str
    slice: str | None
    baseline: _Score
    candidate: _Score
    difference: _Score
    low: _Score
    high: _Score
    p: Annotated[float | None, Shown("p")]
    verdict: Verdict


@dataclass(frozen=True)
class DetectableChange:
    """The true change for which a rule fails (``strict``: passes) with some probability."""

    rule: str
    measure: str
    slice: str | None
    sentences: int
    standard_error: _Score
    power: Annotated[float, Shown("rate")]
    change: _Score


@dataclass(frozen=True)
class _Tested:
    """The baseline and the candidate under one rule, on some sentences."""

    rule: GateRule
    metric: str
    measure: str
    slice: str | None
    sentences: int
    baseline: float | None
    candidate: float | None
    spread: FloatArray | None
    differing: int

    @property
    def difference(self) -> float | None:
        if self.baseline is None or self.candidate is None:
            return None
        return self.candidate - self.baseline

    @property
    def error(self) -> float:
        """The standard error of the difference."""
        known = None if self.spread is None else self.spread[~np.isnan(self.spread)]
        return float("nan") if known is None or len(known) < 2 else float(known.std(ddof=1))

    def p(self, *, strict: bool) -> float | None:
        """Return the unadjusted p-value of the rule; None for a limit of the candidate."""
        if self.rule.change is None or self.difference is None or np.isnan(self.error):
            return None
        loss = -self.difference if self.rule.change == "drop" else self.difference
        excess = self.rule.bound - loss if strict else loss - self.rule.bound
        return excess_p(excess, self.error, self.differing)


@command
def gate(
    reference: ReferenceLike | None = None,
    baseline: Annotated[SystemLike | SystemsLike | None, Flag(value="[BASELINE]")] = None,
    candidate: Annotated[SystemLike | None, Flag(value="[CANDIDATE]")] = None,
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    rules: Annotated[Sequence[str], Flag(name="rule", value="RULE", repeat=True)] = (),
    metrics: Metrics = (),
    by: Annotated[Sequence[str], Flag(value="COLUMN,...")] = (),
    alpha: Confidence = _ALPHA,
    strict: bool = False,
    power: bool = False,
    samples: Annotated[int, Limits(100)] = 1000,
    update_baseline: Annotated[PathLike, Flag(value="FILE")] | None = None,
    with_texts: Annotated[bool, Needs(update_baseline=True)] = False,
    summary: Annotated[PathLike, Flag(value="FILE")] | None = None,
    config: Annotated[PathLike, Flag(value="FILE", reads=True)] | None = None,
    seed: Seed = 1,
) -> Table:
    """Test whether a new version of a system got worse than a baseline.

    A rule is a limit of the candidate ('errant.f >= 0.55') or of its change from the baseline
    ('errant.f drop <= 0.01', 'overcorrection rise <= 0.02'). The change is tested on the same
    sentences; the rule fails if it is significantly larger than the limit. Rules can have an error
    type ('errant.f[DET] drop <= 0'), slices ('errant.f drop <= 0.02 by level') and a condition
    ('errant.f >= 0.5 where level == "B1"'). Without arguments, the command reads redink.toml.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        baseline: output of the earlier version, or a file of ``update_baseline``; in Python also
            both versions, as the systems of ``compare``.
        candidate: output of the new version.
        evaluation_options: how references and systems are read, aligned and annotated.
        rules: rule that the candidate must meet. Repeat the option for more rules.
        metrics: metrics whose main score must not get worse: the rule NAME drop <= 0.
        by: also test each rule on the slices with equal values in these columns of the metadata.
        alpha: significance level of each rule.
        strict: fail unless the change is significantly smaller than its limit (non-inferiority).
        power: show the changes that the rules detect with this data, instead of verdicts.
        samples: number of bootstrap samples.
        update_baseline: write the statistics of the candidate per sentence as the next baseline.
        with_texts: also write the text of the candidate.
        summary: write a Markdown summary with examples, as for a pull request.
        config: settings file. [default: redink.toml, if no files are given]
        seed: random seed.

    Returns:
        One row per rule, slice and error type, with the verdict pass or fail.
    """
    given = [one for one in (reference, baseline, candidate) if one is not None]
    if given or evaluation_options.source is not None:
        if config is not None:
            raise OptionError("--config cannot be combined with a REFERENCE")
        reference, systems = _name_files(given, evaluation_options)
    else:
        if config is None and not Path(CONFIG).exists():
            raise OptionError(f"give REFERENCE BASELINE CANDIDATE, or write the file {CONFIG}")
        settings, reference, systems, evaluation_options = read_gate(
            config or CONFIG, evaluation_options
        )
        if not (rules or metrics):
            rules, metrics = settings.rules, settings.metrics
        by, strict = by or settings.by, strict or settings.strict
        alpha = settings.alpha if alpha == _ALPHA else alpha
    worse = (
        ("rise" if m.lower_is_better else "drop", m) for m in make_metrics(metrics or "errant")
    )
    own = [f"{metric} {change} <= 0" for change, metric in worse] if metrics or not rules else []
    texts = [*rules, *own]
    parsed = [GateRule.parse(text) for text in texts]
    parsed += [rule.divided(by) for rule in parsed if by and not rule.by]
    job = _load(reference, systems, evaluation_options, parsed)
    if not job.baselines and update_baseline is None and any(rule.change for rule in parsed):
        raise OptionError("rules with drop or rise need a BASELINE")
    families = [
        [*job.test(rule, samples, seed)] for rule in parsed if job.baselines or not rule.change
    ]
    if update_baseline is not None:
        save_baseline(update_baseline, job.evaluation, job.candidates.values(), texts=with_texts)
    signature = job.evaluation.signature(
        "gate",
        list(job.candidates),
        rule=[rule.text for rule in parsed],
        alpha=alpha,
        strict=strict or None,
        samples=samples,
        seed=seed,
        **evaluation_options.resampling(),
    )
    if power:
        found = [one for family in families for one in _detectable(family, alpha, strict=strict)]
        return table_of(found, DetectableChange, notes=job.notes, signature=signature)
    rows = [row for family in families for row in _judge(family, alpha, strict=strict)]
    notes = [*job.notes, *_describe(rows, alpha, strict=strict)]
    table = table_of(rows, RuleResult, notes=notes, signature=signature)
    if summary is not None:
        text = write_summary(table, list(job.changes()))
        if os.environ.get("GITHUB_STEP_SUMMARY") == str(summary):  # other steps write to it too
            append_line(summary, text)
        else:
            with write_atomically(summary) as stream:
                stream.write(text)
    return table


def _describe(rows: Sequence[RuleResult], alpha: float, *, strict: bool) -> Iterator[str]:
    failed = [row for row in rows if row.verdict == "fail"]
    yield f"{len(failed)} of {len(rows)} checks failed" if failed else "All checks passed."
    for row in failed:
        if row.candidate is None:
            yield f"{row.rule}: the score of the candidate is undefined"
    condition = "unless it is significantly smaller" if strict else "if it is significantly larger"
    yield Definition(
        f"A change fails {condition} than its limit (p < {alpha:g}). p: one-sided paired bootstrap "
        "test, normal approximation, Holm-adjusted within each rule; low, high: 95% confidence "
        "interval of the difference"
    )


def _is_pair(given: Any) -> bool:
    """Return whether a value has both versions: by name, or as a list of two files."""
    if isinstance(given, list | tuple) and len(given) == 2:
        return all(isinstance(one, str | Path) and Path(one).exists() for one in given)
    return isinstance(given, Mapping)


def _name_files(given: Sequence[Any], options: EvaluationOptions) -> tuple[Any, dict[str, Any]]:
    """Return the reference, and the baseline and the candidate by name."""
    reference = None if options.references else given[0]
    files = given[reference is not None :]
    if len(files) == 1 and _is_pair(files[0]):
        (both,) = files
        files = [*both.values()] if isinstance(both, Mapping) else [*both]
    inside = [split_name(one)[1] for one in files]
    if len(inside) > 2 or not (inside or options.system_column):
        raise OptionError("give REFERENCE BASELINE CANDIDATE")
    names = ("baseline", "candidate")[2 - len(inside) :]
    return reference, dict(zip(names, inside, strict=True))


@dataclass(frozen=True)
class _Job:
    """The statistics of both versions under every metric."""

    evaluation: Evaluation
    rules: Sequence[GateRule]
    measures: Mapping[GateRule, Metric]
    baselines: Mapping[Metric, ScoredSystem]
    candidates: Mapping[Metric, ScoredSystem]
    notes: Sequence[str]

    def test(self, rule: GateRule, samples: int, seed: int) -> Iterator[_Tested]:
        """Measure both versions on all sentences of a rule, or on each slice and error type."""
        metric = rule.measured(self.measures[rule])
        both = [found[self.measures[rule]] for found in (self.baselines, self.candidates) if found]
        shared = metric.share_labels([one.statistics for one in both])
        pair = [
            replace(one, metric=metric, statistics=statistics)
            for one, statistics in zip(both, shared, strict=True)
        ]
        parts = [*self._divide(rule)]
        resampled: Sequence[Sequence[FloatArray]] = ()
        if self.baselines:
            rng, members = np.random.default_rng(seed), [part for _, part in parts]
            resampled = resample_parts(pair, members, samples, rng, self.evaluation.groups)[1:]
        for number, (name, part) in enumerate(parts):
            rows = [metric.rows(one.take(part).statistics) for one in pair]
            for at in self._find_types(rule, rows):
                values = [of_one[at][metric.headline] for of_one in rows]
                error_type = rows[-1][at].get("type")
                spread = None
                if self.baselines:
                    spread = resampled[number][1][:, at] - resampled[number][0][:, at]
                yield _Tested(
                    rule=rule,
                    metric=pair[-1].label,
                    measure=metric.headline + (f"[{error_type}]" if rule.type else ""),
                    slice=name,
                    sentences=len(part),
                    baseline=values[0] if self.baselines else None,
                    candidate=values[-1],
                    spread=spread,
                    differing=_count_differing([one.take(part).statistics for one in pair], at),
                )

    def _divide(self, rule: GateRule) -> Iterator[tuple[str | None, NDArray[np.int64]]]:
        """Yield the names and the sentences of the slices of a rule."""
        everything = np.arange(len(self.evaluation.references))
        if rule.where is not None:
            everything = np.array(self.evaluation.metadata.select(rule.where))
        if not rule.by:
            yield rule.where, everything
            return
        for values, members in self.evaluation.divide(rule.by).items():
            part = np.intersect1d(everything, members)
            named = ", ".join(f"{k}={v}" for k, v in zip(rule.by, values, strict=True))
            if len(part):
                yield named if rule.where is None else f"{named} where {rule.where}", part

    def _find_types(self, rule: GateRule, rows: Sequence[Sequence[Row]]) -> list[int]:
        """Return the indices of the rows with the error type of a rule."""
        if rule.type is None:
            return [0]
        found = [
            at
            for at, of_type in enumerate(zip(*rows, strict=True))
            if rule.type in {ALL_TYPES, of_type[0].get("type")}
            and of_type[0].get("type") is not None
            and all(any(row.get(name) for name in ("tp", "fp", "fn")) for row in of_type)
        ]
        if not found and not rule.by:
            known = sorted({row["type"] for row in rows[0] if row.get("type")})
            raise DataError(f"{rule.text}: {unknown_name('error type', str(rule.type), known)}")
        return found

    def changes(self) -> Iterator[SentenceChange]:
        """Yield the sentences whose score under the first metric changed."""
        for metric, old in self.baselines.items():
            if metric.name in METRICS:
                yield from find_changes(old, self.candidates[metric], self.evaluation.kept)
                return


def _count_differing(pair: Sequence[Statistics], row: int) -> int:
    """Count the sentences whose statistics differ: in any type (row 0), or in the row's type."""
    if len(pair) < 2:
        return 0
    differ = np.zeros(len(pair[0]), dtype=bool)
    for name in ["typed"] if row else pair[0].arrays.keys() - {"typed", "annotator"}:
        one, two = (each[name][:, :, row - 1] if row else each[name] for each in pair)
        if one.shape != two.shape:  # systems with several versions of a sentence
            return len(differ)
        differ |= (one != two).reshape(len(differ), -1).any(axis=1)
    return int(differ.sum())


def _load(
    reference: Any,
    systems: Mapping[str, Any],
    options: EvaluationOptions,
    rules: Sequence[GateRule],
) -> _Job:
    """Load both versions, and collect their statistics under the metrics of all rules."""
    saved = None
    given = dict(systems)
    if is_baseline(given.get("baseline")):
        saved = SavedBaseline(given.pop("baseline"))
        if saved.texts is not None:
            given, saved = {"baseline": saved.texts, **given}, None
    columns = tuple(dict.fromkeys(column for rule in rules for column in rule.by))
    evaluation = Evaluation.load(reference, given, options, slices=columns)
    names = [system.name for system in evaluation.systems]
    if len(names) > (1 if saved else 2):
        raise OptionError(f"expected a baseline and a candidate, found {', '.join(names)}")
    types = {rule.spec: rule.by_type for rule in rules if rule.by_type}
    measures = {rule: make_measure(rule, types.get(rule.spec), evaluation, given) for rule in rules}
    metrics = tuple(dict.fromkeys(measures.values()))
    notes = [*evaluation.check(), *warn_about_documents(evaluation.groups)]
    scored, said = evaluation.collect(metrics)
    candidates = {one.metric: one for one in scored if one.system.name == names[-1]}
    if saved is not None:
        baselines = {m: saved.find(evaluation, m, one) for m, one in candidates.items()}
    else:
        baselines = {one.metric: one for one in scored if one.system.name != names[-1]}
    return _Job(evaluation, rules, measures, baselines, candidates, [*notes, *said])


def _judge(family: Sequence[_Tested], alpha: float, *, strict: bool) -> Iterator[RuleResult]:
    """Yield the verdicts of a rule; its p-values are adjusted for its slices and types."""
    ps = [one.p(strict=strict) for one in family]
    for one, p in zip(family, ps if strict else holm(ps), strict=True):
        low, high = (None, None) if one.spread is None else interval_of(one.spread)
        if one.rule.change is None:
            is_met = one.candidate is not None and one.rule.is_met(one.candidate)
        else:
            is_met = p is not None and (p < alpha) == strict
        yield RuleResult(
            one.rule.text,
            one.metric,
            one.measure,
            one.slice,
            one.baseline,
            one.candidate,
            one.difference,
            low,
            high,
            p,
            "pass" if is_met else "fail",
        )


def _detectable(
    family: Sequence[_Tested], alpha: float, *, strict: bool
) -> Iterator[DetectableChange]:
    """Yield the power of each part of a rule; it is unknown if the versions do not differ."""
    tested = [one for one in family if one.rule.change is not None]
    for one in tested:
        error = one.error if one.error > 1e-12 else None
        reach = -normal_quantile(alpha if strict else alpha / len(tested))
        for power in POWERS:
            change = None
            if error is not None:
                away = (reach + normal_quantile(power)) * error
                change = one.rule.bound + (-away if strict else away)
            yield DetectableChange(
                one.rule.text, one.measure, one.slice, one.sentences, error, power, change
            )
