"""The sections of a report, in their order, and the answers at the top of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from redink.commands.detection import detection
from redink.errors import RedinkError
from redink.evaluation import Evaluation
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Column,
    Corpus,
    Hypotheses,
    References,
    Row,
    Shown,
    SystemOutput,
    Table,
    make_table,
    table_of,
)
from redink.reports.page.charts import write_percent
from redink.reports.page.rendering import ALL_TYPES, Answers, Interval, MetricView, ReportSection
from redink.reports.views import TypeGrid, type_grids, view_measures
from redink.scoring.engine import ScoredSystem, label_metrics
from redink.scoring.metric import Metric, ReferenceEdits, reference_edits_of
from redink.scoring.sensitivity import sensitivity_table
from redink.scoring.specs import make_metrics, with_reference_edits
from redink.statistics.resampling import percentile_interval

if TYPE_CHECKING:
    from redink.inputs.document_ids import DocumentPositions


@dataclass(frozen=True)
class ReportData:
    """The data of all sections; statistics are collected once.

    ``given`` is the input as loaded, ``ready`` has the edits, ``reference_edits`` says how the
    references were annotated again, and ``placed`` has the documents, if they are known.
    """

    given: Evaluation
    ready: Evaluation
    bootstrap: int | None
    seed: int = 1
    warnings: tuple[str, ...] = ()
    reference_edits: ReferenceEdits | None = None
    placed: DocumentPositions | None = None
    type_notes: tuple[str, ...] = ()
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
        found = self.ready.collect_ready(own)
        if others := [metric for metric in missing if metric not in own]:
            annotated = replace(self.given, systems=self.ready.systems)
            found += annotated.collect(others, fit=False)[0]
        for each in found:
            self.collected.setdefault(each.metric, []).append(each)
        labels = label_metrics(metrics)
        return [
            replace(each, label=labels[metric])
            for metric in metrics
            for each in self.collected[metric]
        ]

    def tabulate(self, *metrics: str | Metric, bootstrap: int | None = None) -> Table:
        """Return the table of ``redink score``."""
        return self.given.tabulate(self.collect(*metrics), bootstrap=bootstrap, seed=self.seed)


def make_sections(
    data: ReportData, metrics: Sequence[Metric]
) -> dict[str, Callable[[], ReportSection]]:
    """Return a function for every section, by its name in messages; the leaderboard is first."""
    return {
        "leaderboard": partial(_leaderboard, data, metrics),
        "metrics": partial(_metrics, data, metrics),
        "error types": partial(_types, data),
        "differences": partial(_differences, data),
        "operations": partial(_operations, data),
        "detection and correction": partial(_levels, data),
        "sentence lengths": partial(_lengths, data),
        "multi-token edits": partial(_multi, data),
        "detection": partial(_detection, data),
        **({"documents": partial(_documents, data, data.placed)} if data.placed else {}),
        "annotators": partial(_annotators, data),
        "reference choice": partial(_sensitivity, data),
    }


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
        interval = f" (95 %: {' to '.join(ends)})"
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


def _leaderboard(data: ReportData, metrics: Sequence[Metric]) -> ReportSection:
    errant = data.collect("errant")[0].metric
    boards = (errant, *(metric for metric in metrics if metric != errant))
    views = [
        _board(data, each, name, is_first=each is errant)
        for each, name in label_metrics(boards).items()
    ]
    own = data.ready.note_gold_edits(boards) if data.reference_edits is None else ()
    table = replace(views[0].table, notes=(*data.warnings, *own, *views[0].table.notes))
    views[0] = replace(views[0], table=table)
    return ReportSection(
        "leaderboard",
        "Leaderboard",
        views[0].about,
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
    about = "ERRANT, span-based correction." if is_first else f"By {name}."
    if data.bootstrap:
        about += " Systems that share a letter are not significantly different (p ≥ .05)."
    return MetricView(name, about, table, _answer_board(table, "" if is_first else f" by {name}"))


def _metrics(data: ReportData, metrics: Sequence[Metric]) -> ReportSection:
    table = data.tabulate(*metrics)
    names = list(dict.fromkeys(row["metric"] for row in table.rows))
    by_system: dict[str, Row] = {}
    for row in table.rows:
        if row.get("level") != "detection":
            value = row.get("f") if row.get("f") is not None else row.get("score")
            by_system.setdefault(row["system"], {"system": row["system"]})[row["metric"]] = value
    measures: dict[str, list[str]] = {}
    for metric, label in label_metrics(metrics).items():
        shown = next((c.heading for c in metric.columns if c.name == "f"), None)
        shown = "I of correction" if metric.name == "imeasure" else shown
        if shown is not None:
            measures.setdefault(shown, []).append(label)
    notes = [f"{' and '.join(labels)}: {shown}" for shown, labels in measures.items()]
    compact = make_table(
        [Column("system"), *(Column(name, "score", best="max") for name in names)],
        by_system.values(),
        notes=[*table.notes, *notes],
        signature=table.signature,
    )
    about = "Each metric's own score, in percent."
    return ReportSection("metrics", "Every metric", about, compact, short="Metrics")


@dataclass(frozen=True)
class _Levels:
    """F of a system in correction and in detection."""

    system: str
    correction: Annotated[float, Shown(best="max")]
    detection: Annotated[float, Shown(best="max")]
    difference: float


def _levels(data: ReportData) -> ReportSection:
    table = data.tabulate("errant", "errant(level=detection-span)")
    f: dict[str, list[float]] = {}
    for row in table.rows:  # all rows of one metric come before those of the other
        f.setdefault(row["system"], []).append(row["f"])
    both = table_of(
        (_Levels(system, c, d, difference=d - c) for system, (c, d) in f.items()),
        signature=table.signature,
    )
    about = "How much better a system finds errors (detection by span) than it corrects them."
    title = "Detection against correction"
    return ReportSection("levels", title, about, both, "pairs", short="Levels")


def _multi(data: ReportData) -> ReportSection:
    about = "Only edits that change or make two tokens or more."
    plain = _without(data.tabulate("errant(only=multi)"), "metric", "type")
    return ReportSection("multi", "Multi-token edits", about, plain, short="Multi-token")


def _documents(data: ReportData, placed: DocumentPositions) -> ReportSection:
    parts = ((name, placed.numbers == number) for number, name in enumerate(placed.texts))
    about = "ERRANT, span-based correction: F0.5 in percent, the counts on hovering."
    table = _score_parts(data, "document", parts)
    title = "Scores by document"
    return ReportSection("document-scores", title, about, table, "heat", short="By document")


_LONG = 40
"""Sentences with at least this number of tokens are one group."""


def _lengths(data: ReportData) -> ReportSection:
    lengths = np.array([len(sentence.source.tokens) for sentence in data.corpus.sentences])
    tens = np.minimum(10 * (lengths // 10), _LONG)
    parts = (
        (f"{ten} or more" if ten == _LONG else f"{ten or 1} to {ten + 9}", tens == ten)
        for ten in range(0, _LONG + 1, 10)
        if ten in tens
    )
    about = "ERRANT, span-based correction: F0.5 in percent by the number of tokens of the source."
    table = _score_parts(data, "tokens", parts)
    title = "Short and long sentences"
    return ReportSection("lengths", title, about, table, "heat", short="Lengths")


def _score_parts(
    data: ReportData, what: str, parts: Iterable[tuple[str, NDArray[np.bool_]]]
) -> Table:
    """Return F of every system on separate parts of the text, the best system first."""
    scored = sorted(
        data.collect("errant"), key=lambda each: -(each.metric.rows(each.statistics)[0]["f"] or 0)
    )
    rows = []
    for name, which in parts:
        places = np.flatnonzero(which)
        row: Row = {what: name, "sentences": len(places)}
        for each in scored:
            found = each.metric.rows(each.statistics.take(places))[0]
            row |= {each.system.name: found["f"], f"{each.system.name} counts": _counts(found)}
        rows.append(row)
    columns = [Column(what), Column("sentences", "count")]
    return make_table([*columns, *(Column(each.system.name, "rate") for each in scored)], rows)


def _counts(row: Row) -> str:
    return f"TP {row['tp']}, FP {row['fp']}, FN {row['fn']}"


# ---- error types

_HEAT_NOTE = (
    "F0.5 in percent, the counts on hovering; gold: the most edits of that type that a system is "
    "scored on; a dash where the system proposed no edit of that type"
)
_INTERVALS = (
    "The lines are 95 % intervals of each type by itself, from paired bootstrap samples; a bar is "
    "pale where its interval includes 0."
)
_OPERATIONS = {"M": "missing", "R": "replacement", "U": "unnecessary"}


def _types(data: ReportData) -> ReportSection:
    table = data.typed.tabulate("errant(by=type)")
    (grid,) = type_grids(table)
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
        "F0.5 of each system on each type of error, the most frequent first. A heading sorts; a "
        "cell shows its sentences."
    )
    return ReportSection(
        "types", "Error types", about, heat, "heat", leads_to_sentences=True, short="Types"
    )


def _differences(data: ReportData) -> ReportSection:
    """Compare the best two systems; the intervals of all pairs are for the reader's choice."""
    if len(data.given.systems) < 2:
        raise RedinkError("differences need at least two systems")
    table = data.typed.tabulate("errant(by=type)")
    (grid,) = type_grids(table)
    intervals = _find_intervals(data, grid)
    first, second = grid.systems[:2]
    known = intervals.get((first, second), [None] * len(grid.types))
    scores = {(row["type"] or ALL_TYPES, row["system"]): row["f"] for row in table.rows}
    rows: list[Row] = []
    for kind, gold, interval in zip(grid.types, grid.gold, known, strict=True):
        one, other = (scores.get((kind, system)) for system in (first, second))
        gap = None if one is None or other is None else one - other
        row = {"type": kind, "gold": gold, first: one, second: other, "difference": gap}
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
        "The difference in F0.5 between two systems on each type of error, in percentage points: "
        "where the first is better, and where the second."
    )
    title = "Two systems, type by type"
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
        "Missing, replacement, unnecessary",
        "What kind of change each system gets right.",
        replace(_without(table, "metric", "rank", "group"), rows=rows, groups="type"),
        "operations",
        leads_to_sentences=True,
        short="Operations",
    )


# ---- detection and annotators


def _detection(data: ReportData) -> ReportSection:
    outputs = [
        SystemOutput(
            system.name,
            annotations=tuple(
                versions[0] if versions else Annotation(system.name)
                for versions in system.annotations or ()
            ),
        )
        for system in data.ready.systems
    ]
    table = view_measures(detection(data.corpus, outputs))  # the best first
    usual = table.columns[: table.column_names.index("mcc") + 1]
    table = _without(replace(table, columns=usual, title="", groups=None), "unit")
    about = "Writer, annotator and system compared token by token, with true negatives."
    title = "Detection, true negatives and all"
    return ReportSection("detection", title, about, table, short="Detection")


def _sensitivity(data: ReportData) -> ReportSection:
    scored = data.collect("errant")
    table = sensitivity_table(
        scored,
        np.random.default_rng(data.seed),
        notes=(),
        signature=data.given.signature("score", (scored[0].metric,)),
    )
    about = "How much the choice among annotators moves each system."
    table = _without(table, "metric")
    return ReportSection("sensitivity", "Reference choice", about, table, short="References")


@dataclass(frozen=True)
class _Against:
    """An annotator scored against another one, on the sentences that both annotated."""

    annotator: str
    against: str
    sentences: int
    tp: int
    fp: int
    fn: int
    f: Annotated[float, Shown(title="F0.5")]
    kappa: Annotated[float | None, Shown(title="kappa (tokens)")]


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
    notes = ["Only sentences that both annotated; kappa over tokens, error or not."]
    about = "Each annotator scored as if they were a system, against each other annotator."
    title = "Agreement of annotators"
    table = table_of(rows, notes=notes)
    return ReportSection("annotators", title, about, table, short="Annotators")


def _score_annotator(one: str, other: str, common: Sequence[AnnotatedSentence]) -> _Against:
    ours, theirs = (tuple(s.by(name) or Annotation(name) for s in common) for name in (one, other))
    sentences = (s.source for s in common)
    pairs = zip(sentences, theirs, strict=True)
    reference = Corpus(tuple(AnnotatedSentence(source, (edits,)) for source, edits in pairs))
    (metric,) = make_metrics("errant")
    # errant reads only the edits
    hypotheses = Hypotheses(one, (), tuple((annotation,) for annotation in ours))
    counts: dict[str, Any] = metric.rows(metric.collect(References(reference), hypotheses))[0]
    kappa = detection(reference, [SystemOutput(one, annotations=ours)]).rows[0]["kappa"]
    measures = {name: counts[name] for name in ("tp", "fp", "fn", "f")}
    return _Against(one, other, len(common), **measures, kappa=kappa)
