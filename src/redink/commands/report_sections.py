"""The sections of a report, in their order, and the answers at the top of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from redink.commands.detection import detection
from redink.commands.judge import judge
from redink.commands.profile import PROFILE_NOTES, Profile, profile_rows
from redink.errors import DataError, RedinkError
from redink.evaluation import Evaluation
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Column,
    Corpus,
    Hypotheses,
    References,
    Row,
    SystemOutput,
    Table,
    make_table,
    table_of,
)
from redink.reports.page.charts import ChartKind, write_percent
from redink.reports.page.rendering import ALL_TYPES, Answers, Interval, MetricView, ReportSection
from redink.reports.views import TypeGrid, type_grids, view_measures
from redink.scoring.engine import ScoredSystem, label_metrics
from redink.scoring.metric import Metric, ReferenceEdits, reference_edits_of
from redink.scoring.sensitivity import sensitivity_table
from redink.scoring.specs import make_metrics, with_reference_edits
from redink.statistics.resampling import ResamplingOptions, percentile_interval

if TYPE_CHECKING:
    from redink.inputs.document_ids import DocumentPositions


@dataclass(frozen=True)
class ReportData:
    """The data of all sections; statistics are collected once.

    ``given`` is the input as loaded, ``ready`` has the edits, ``reference_edits`` is how the
    references were annotated again, ``placed`` has the documents, if they are known, and ``judged``
    has judgments and the judge who is a model.
    """

    given: Evaluation
    ready: Evaluation
    metrics: Sequence[Metric]
    bootstrap: int | None
    seed: int
    warnings: Sequence[str]
    reference_edits: ReferenceEdits | None
    placed: DocumentPositions | None
    judged: tuple[Any, str | None] = (None, None)
    type_notes: Sequence[str] = ()
    collected: dict[Metric, list[ScoredSystem]] = field(default_factory=dict)

    @property
    def corpus(self) -> Corpus:
        """The references."""
        return self.ready.references.corpus

    @cached_property
    def typed(self) -> ReportData:
        """The data with references whose error types are those of the systems."""
        if self.reference_edits is not None:
            return self
        ready, notes = self.ready.fit_types(make_metrics("errant(by=type)"))
        return replace(self, ready=ready, type_notes=tuple(notes), collected={}) if notes else self

    def collect(self, *given: str | Metric) -> list[ScoredSystem]:
        """Return the statistics of all systems under these metrics."""
        metrics = make_metrics(given)
        if any(metric.needs != "text" for metric in metrics):
            metrics = with_reference_edits(metrics, self.reference_edits)
        missing = [metric for metric in metrics if metric not in self.collected]
        own = [
            metric
            for metric in missing
            if metric.needs == "text" or reference_edits_of(metric) == self.reference_edits
        ]
        annotated = replace(self.given, systems=self.ready.systems)
        others, _ = annotated.collect([m for m in missing if m not in own], fit=False)
        for each in [*self.ready.collect_ready(own), *others]:
            self.collected.setdefault(each.metric, []).append(each)
        labels = label_metrics(metrics)
        return [
            replace(each, label=labels[metric])
            for metric in metrics
            for each in self.collected[metric]
        ]

    def tabulate(self, *metrics: str | Metric, bootstrap: int | None = None) -> Table:
        """Return the table of ``redink score``; ``score`` is no column next to an equal ``f``."""
        table = self.given.tabulate(self.collect(*metrics), bootstrap=bootstrap, seed=self.seed)
        return _without(table, "score") if "f" in table.column_names else table


def _without(table: Table, *names: str) -> Table:
    return replace(table, columns=tuple(c for c in table.columns if c.name not in names))


# ---- answers

_FEW = 10
"""A difference on a type with fewer gold edits is not mentioned."""


def answer_questions(sections: Sequence[ReportSection]) -> Answers:
    """Answer who leads, whether the lead is significant, and where the best two differ."""
    tables = {section.id: section.table for section in sections}
    answers = _answer_board(tables["leaderboard"])
    if "differences" not in tables:
        return answers
    table = tables["differences"]
    first, second = (column.name for column in table.columns[2:4])
    gaps = [
        (row["difference"], row["type"])
        for row in table.rows
        if row["type"] != ALL_TYPES and row["gold"] >= _FEW and row["difference"] is not None
        # an interval, if there is one, must not include 0
        if row.get("low") is None or row["low"] > 0 or row["high"] < 0
    ]
    (most, at_best), (least, at_worst) = max(gaps, default=(0, "")), min(gaps, default=(0, ""))
    parts = [f"better on {at_best} (+{write_percent(most, 1)})"] if most > 0 else []
    parts += [f"worse on {at_worst} ({write_percent(least, 1)})"] if least < 0 else []
    said = "; ".join(parts) or "No clear difference on any error type."
    return (*answers, (f"Where does {first} differ from {second}?", said))


def _answer_board(table: Table, by: str = "") -> Answers:
    question = f"Who leads{by}?"
    first, *others = table.rows
    headline = "f" if "f" in table.column_names else "score"
    if first.get(headline) is None:
        return ()
    title = next(c.heading for c in table.columns if c.name == headline)
    interval = ""
    if first.get("low") is not None and first.get("high") is not None:
        ends = (write_percent(first[name], 1) for name in ("low", "high"))
        interval = f" (95%: {' to '.join(ends)})"
    leads = f"{first['system']}: {title} {write_percent(first[headline], 1)}{interval}"
    if not others or not first.get("group"):
        return ((question, leads),)
    equal = [str(r["system"]) for r in others if set(r.get("group") or "") & set(first["group"])]
    several = f"{', '.join(equal[:4])}{' and others' if len(equal) > 4 else ''}"
    significant = (
        f"No: {several} {'is' if len(equal) == 1 else 'are'} not significantly different (p ≥ .05)."
        if equal
        else "Yes: every other system is significantly behind (p < .05, Holm-adjusted)."
    )
    return ((question, leads), ("Is the lead significant?", significant))


# ---- scores


def _leaderboard(data: ReportData) -> ReportSection:
    errant = data.collect("errant")[0].metric
    boards = (errant, *(metric for metric in data.metrics if metric != errant))
    views = [
        _board(data, each, name, is_first=each is errant)
        for each, name in label_metrics(boards).items()
    ]
    own = data.ready.note_gold_edits(boards) if data.reference_edits is None else ()
    first = views[0]
    table = replace(first.table, notes=(*data.warnings, *own, *first.table.notes))
    views[0] = replace(first, table=table)
    return ReportSection(
        "leaderboard",
        "Leaderboard",
        first.about,
        table,
        "forest",
        leads_to_sentences=True,
        views=tuple(views) if len(views) > 1 else (),
    )


def _board(data: ReportData, metric: Metric, name: str, *, is_first: bool) -> MetricView:
    """Return all systems under one metric, the best first."""
    table = data.tabulate(metric, bootstrap=data.bootstrap)
    rows = [row for row in table.rows if row.get("level") != "detection"]
    table = replace(_without(table, "metric", "type", "level"), rows=rows, groups=None)
    if not is_first:
        columns = (replace(c, title=name) if c.name == "score" else c for c in table.columns)
        table = replace(table, columns=tuple(columns))
    about = "ERRANT (span-based correction)." if is_first else f"By {name}."
    if data.bootstrap:
        about += " Systems that share a letter are not significantly different (p ≥ .05)."
    return MetricView(name, about, table, _answer_board(table, "" if is_first else f" by {name}"))


def _metrics(data: ReportData) -> ReportSection:
    table = data.tabulate(*data.metrics)
    names = list(dict.fromkeys(row["metric"] for row in table.rows))
    by_system: dict[str, Row] = {}
    for row in table.rows:
        if row.get("level") != "detection":
            value = row.get("f") if row.get("f") is not None else row.get("score")
            by_system.setdefault(row["system"], {"system": row["system"]})[row["metric"]] = value
    measures: dict[str, list[str]] = {}
    for metric, label in label_metrics(data.metrics).items():
        shown = next((c.heading for c in metric.columns if c.name == "f"), None)
        shown = "I (correction)" if metric.name == "imeasure" else shown
        if shown is not None:
            measures.setdefault(shown, []).append(label)
    notes = [f"{' and '.join(labels)}: {shown}" for shown, labels in measures.items()]
    compact = make_table(
        [
            Column("system"),
            *(
                Column(
                    name, "score", best="min" if name in table.extra["lower_is_better"] else "max"
                )
                for name in names
            ),
        ],
        by_system.values(),
        notes=[*table.notes, *notes],
        signature=table.signature,
    )
    about = "The score of each metric, in percent."
    return ReportSection("metrics", "All metrics", about, compact, short="Metrics")


def _levels(data: ReportData) -> ReportSection:
    table = data.tabulate("errant", "errant(level=detection-span)")
    f: dict[str, list[float]] = {}
    for row in table.rows:  # all rows of one metric come before those of the other
        f.setdefault(row["system"], []).append(row["f"])
    levels = (Column(name, "rate", best="max") for name in ("correction", "detection"))
    both = make_table(
        [Column("system"), *levels, Column("difference", "rate")],
        (
            {"system": system, "correction": c, "detection": d, "difference": d - c}
            for system, (c, d) in f.items()
        ),
        signature=table.signature,
    )
    about = "F0.5 of error detection (by span) compared with F0.5 of correction."
    title = "Detection and correction"
    return ReportSection("levels", title, about, both, "pairs", short="Levels")


def _multi(data: ReportData) -> ReportSection:
    about = "Only edits with two or more tokens in the source or in the correction."
    plain = _without(data.tabulate("errant(only=multi)"), "metric", "type")
    return ReportSection("multi", "Multi-token edits", about, plain, short="Multi-token")


def _documents(data: ReportData) -> ReportSection:
    assert data.placed is not None
    parts = ((name, data.placed.members(name)) for name in data.placed.texts)
    about = "ERRANT (span-based correction): F0.5 in percent. Hover over a cell for the counts."
    table = _score_parts(data, "document", parts)
    title = "Scores by document"
    return ReportSection("document-scores", title, about, table, "heat", short="By document")


_LONG = 40
"""Sentences with at least this number of tokens are one group."""


def _lengths(data: ReportData) -> ReportSection:
    lengths = np.array([len(sentence.source.tokens) for sentence in data.corpus.sentences])
    tens = np.minimum(10 * (lengths // 10), _LONG)
    names = {ten: f"{ten or 1} to {ten + 9}" for ten in range(0, _LONG, 10)}
    names[_LONG] = f"{_LONG} or more"
    parts = ((names[ten], np.flatnonzero(tens == ten)) for ten in np.unique(tens))
    about = "ERRANT (span-based correction): F0.5 in percent by number of source tokens."
    table = _score_parts(data, "tokens", parts)
    title = "Scores by sentence length"
    return ReportSection("lengths", title, about, table, "heat", short="Lengths")


def _score_parts(data: ReportData, part: str, parts: Iterable[tuple[str, ArrayLike]]) -> Table:
    """Return F of every system on separate parts of the text, the best system first."""
    scored = sorted(
        data.collect("errant"), key=lambda each: -(each.metric.rows(each.statistics)[0]["f"] or 0)
    )
    rows = []
    for name, members in parts:
        places = np.asarray(members)
        row: Row = {part: name, "sentences": len(places)}
        for each in scored:
            found = each.metric.rows(each.statistics.take(places))[0]
            row |= {each.system.name: found["f"], f"{each.system.name} counts": _counts(found)}
        rows.append(row)
    systems = (Column(each.system.name, "rate") for each in scored)
    return make_table([Column(part), Column("sentences", "count"), *systems], rows)


def _counts(row: Row) -> str:
    return f"TP {row['tp']}, FP {row['fp']}, FN {row['fn']}"


# ---- error types

_HEAT_NOTE = (
    "Hover over a cell for the counts. gold: number of gold edits (maximum over the systems). "
    "Dash: the system proposed no edit of this type."
)
_INTERVALS = (
    "Lines: 95% intervals for each type separately (paired bootstrap). Pale bars: the interval "
    "includes 0."
)
_OPERATIONS = {"M": "missing", "R": "replacement", "U": "unnecessary"}


def _types(data: ReportData) -> ReportSection:
    table = data.typed.tabulate("errant(by=type)")
    if not (grids := type_grids(table)):
        raise DataError("neither the references nor the systems have edits")
    (grid,) = grids
    counts = {(row["type"] or ALL_TYPES, row["system"]): _counts(row) for row in table.rows}
    heat = make_table(
        [Column("type"), Column("gold", "count"), *(Column(n, "rate") for n in grid.systems)],
        [
            {"type": kind, "gold": gold, **dict(zip(grid.systems, values, strict=True))}
            | {f"{n} counts": counts[kind, n] for n in grid.systems if (kind, n) in counts}
            for kind, gold, values in zip(grid.types, grid.gold, grid.values, strict=True)
        ],
        notes=[_HEAT_NOTE, *data.typed.type_notes, *table.notes],
        signature=table.signature,
    )
    about = (
        "F0.5 in percent of each system on each error type, most frequent first. Click a heading "
        "to sort, or a cell to see its sentences."
    )
    return ReportSection(
        "types", "Error types", about, heat, "heat", leads_to_sentences=True, short="Types"
    )


def _differences(data: ReportData) -> ReportSection:
    """Compare the best two systems; the intervals of all pairs are for the reader's choice."""
    if len(data.given.systems) < 2:
        raise RedinkError("differences need at least two systems")
    table = data.typed.tabulate("errant(by=type)")
    if not (grids := type_grids(table)):
        raise DataError("neither the references nor the systems have edits")
    (grid,) = grids
    intervals = _find_intervals(data, grid)
    first, second = grid.systems[:2]
    known = intervals.get((first, second), [None] * len(grid.types))
    scores = {(row["type"] or ALL_TYPES, row["system"]): row["f"] for row in table.rows}
    rows: list[Row] = []
    for kind, gold, interval in zip(grid.types, grid.gold, known, strict=True):
        one, other = (scores.get((kind, system)) for system in (first, second))
        row = {"type": kind, "gold": gold, first: one, second: other}
        row["difference"] = None if one is None or other is None else one - other
        rows.append(row | dict(zip(("low", "high"), interval or (), strict=False)))
    rates = (first, second, "difference", *(("low", "high") if data.bootstrap else ()))
    shown = make_table(
        [Column("type"), Column("gold", "count"), *(Column(name, "rate") for name in rates)],
        rows,
        notes=[*data.typed.type_notes, *([_INTERVALS] if data.bootstrap else [])],
        signature=table.signature,
        extra={"intervals": intervals},
    )
    about = (
        "Difference in F0.5 between two systems on each error type, in percentage points. "
        "Positive values: the first system is better."
    )
    title = "Differences by error type"
    return ReportSection("differences", title, about, shown, "differences", short="Differences")


def _find_intervals(
    data: ReportData, grid: TypeGrid
) -> dict[tuple[str, str], list[Interval | None]]:
    """Return for every pair of systems the interval of the difference on each type."""
    if not data.bootstrap:
        return {}
    scored = data.typed.collect("errant(by=type)")
    samples = data.given.resample(scored, data.bootstrap, np.random.default_rng(data.seed))
    undefined = np.full(data.bootstrap, np.nan)
    values = {}
    for each, found in zip(scored, samples, strict=True):
        kinds = [row.get("type") or ALL_TYPES for row in each.metric.rows(each.statistics)]
        by_type = dict(zip(kinds, found.T, strict=True))
        values[each.system.name] = np.stack([by_type.get(k, undefined) for k in grid.types])
    intervals: dict[tuple[str, str], list[Interval | None]] = {}
    for one, other in combinations(grid.systems, 2):
        ends = zip(*percentile_interval(values[one] - values[other], axis=1), strict=True)
        intervals[one, other] = [
            None if np.isnan(low) else (float(low), float(high)) for low, high in ends
        ]
    return intervals


def _operations(data: ReportData) -> ReportSection:
    table = data.tabulate("errant(by=operation)", bootstrap=data.bootstrap)
    rows = [
        {**row, "type": _OPERATIONS.get(row["type"], row["type"])}
        for row in table.rows
        if row.get("type")
    ]
    rows.sort(key=lambda row: str(row["type"]))
    return ReportSection(
        "operations",
        "Edit operations",
        "F0.5 of each system on missing, replacement and unnecessary edits.",
        replace(_without(table, "metric", "rank", "group"), rows=rows, groups="type"),
        "operations",
        leads_to_sentences=True,
        short="Operations",
    )


# ---- detection and annotators


def _detection(data: ReportData) -> ReportSection:
    outputs = []
    for system in data.ready.systems:
        each = (versions or (Annotation(system.name),) for versions in system.annotations or ())
        outputs.append(SystemOutput(system.name, annotations=tuple(v[0] for v in each)))
    table = view_measures(detection(data.corpus, outputs, all_measures=True))  # the best first
    usual = table.columns[: table.column_names.index("mcc") + 1]
    table = _without(replace(table, columns=usual, title="", groups=None), "unit")
    about = (
        "Source, references and system output compared token by token, with true negatives. Rates "
        "in percent; kappa and MCC as proportions."
    )
    title = "Token-level detection"
    return ReportSection("detection", title, about, table, short="Detection")


def _over_correction(data: ReportData) -> ReportSection:
    table = table_of(profile_rows(data.ready), Profile, notes=PROFILE_NOTES)
    about = "How much systems and annotators change, and how much of it no annotator supports."
    return ReportSection("profile", "Over-correction", about, table, short="Over-correction")


def _sensitivity(data: ReportData) -> ReportSection:
    scored = data.collect("errant")
    table = sensitivity_table(
        scored,
        np.random.default_rng(data.seed),
        notes=(),
        signature=data.given.signature("score", (scored[0].metric,)),
    )
    about = "Effect of the annotator selection on each system's score."
    chart: ChartKind = "none"
    if all(row["spread"] == 0 and row["order_low"] == row["order_high"] for row in table.rows):
        about = "The scores are the same for every method of selecting annotators."
        chart = "text"
    table = _without(table, "metric")
    return ReportSection("sensitivity", "Reference choice", about, table, chart, short="References")


def _annotators(data: ReportData) -> ReportSection:
    corpus = data.corpus
    if len(corpus.annotators) < 2:
        raise RedinkError("agreement needs at least two annotators")
    rows = []
    for one, other in permutations(corpus.annotators, 2):
        if common := [s for s in corpus.sentences if s.by(one) and s.by(other)]:
            rows.append(_score_annotator(one, other, common))
    if not rows:
        raise RedinkError("no sentence was annotated twice")
    measures = [Column("f", "rate", title="F0.5"), Column("kappa", "rate", title="kappa (tokens)")]
    counts = (Column(name, "count") for name in ("sentences", "tp", "fp", "fn"))
    table = make_table(
        [Column("annotator"), Column("against"), *counts, *measures],
        rows,
        notes=[
            "Only sentences annotated by both. Kappa is computed over tokens (error or no error)."
        ],
    )
    about = "Each annotator scored like a system, with each other annotator as the reference."
    title = "Inter-annotator agreement"
    return ReportSection("annotators", title, about, table, short="Annotators")


def _score_annotator(one: str, other: str, common: Sequence[AnnotatedSentence]) -> Row:
    """Return the scores of an annotator against another one, on the sentences of both."""
    own, reference = (
        tuple(s.by(name) or Annotation(name) for s in common) for name in (one, other)
    )
    pairs = zip(common, reference, strict=True)
    gold = Corpus(tuple(AnnotatedSentence(each.source, (edits,)) for each, edits in pairs))
    (metric,) = make_metrics("errant")
    # errant reads only the edits
    hypotheses = Hypotheses(one, (), tuple((annotation,) for annotation in own))
    measures = metric.rows(metric.collect(References(gold), hypotheses))[0]
    kappa = detection(gold, [SystemOutput(one, annotations=own)]).rows[0]["kappa"]
    about = {"annotator": one, "against": other, "sentences": len(common), "kappa": kappa}
    return about | {name: measures[name] for name in ("tp", "fp", "fn", "f")}


def _judge(data: ReportData) -> ReportSection:
    judgments, model = data.judged
    resampling = ResamplingOptions(data.bootstrap or 0, seed=data.seed)
    table = judge(judgments, model=model or "", resampling=resampling)
    about = (
        "The model compared with human judges: alternative annotator test, agreement next to that "
        "of people, biases, and corrected rates, with 95% confidence intervals."
    )
    return ReportSection(
        "judge", f"Language model as a judge: {model}", about, table, short="Judge"
    )


SECTIONS: dict[str, Callable[[ReportData], ReportSection]] = {
    "leaderboard": _leaderboard,
    "metrics": _metrics,
    "error types": _types,
    "differences": _differences,
    "operations": _operations,
    "detection and correction": _levels,
    "sentence lengths": _lengths,
    "multi-token edits": _multi,
    "detection": _detection,
    "documents": _documents,
    "over-correction": _over_correction,
    "annotators": _annotators,
    "reference choice": _sensitivity,
    "judge": _judge,
}
"""Functions that make the sections, by their names in messages."""
