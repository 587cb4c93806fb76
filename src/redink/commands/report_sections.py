"""The sections of a report, in their order, and the answers that stand above them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from redink.commands.detection import detection
from redink.commands.report_evaluation import ReportData, without_columns
from redink.commands.report_types import make_differences, make_operations, make_types
from redink.errors import RedinkError
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Column,
    Corpus,
    Hypotheses,
    References,
    Shown,
    SystemOutput,
    Table,
    make_table,
    table_of,
)
from redink.reports.page.charts import write_percent
from redink.reports.page.rendering import ALL_TYPES, Answers, MetricView, ReportSection
from redink.reports.views import view_measures
from redink.scoring.engine import label_metrics
from redink.scoring.metric import Metric
from redink.scoring.sensitivity import sensitivity_table
from redink.scoring.specs import make_metrics


def make_sections(
    evaluation: ReportData, metrics: Sequence[Metric]
) -> dict[str, Callable[[], ReportSection]]:
    """Every section: what it is about, and what makes it; the leaderboard is the first."""
    return {
        "leaderboard": partial(_leaderboard, evaluation, metrics),
        "metrics": partial(_metrics, evaluation, metrics),
        "error types": partial(make_types, evaluation),
        "differences": partial(make_differences, evaluation),
        "operations": partial(make_operations, evaluation),
        "detection and correction": partial(_levels, evaluation),
        "sentence lengths": partial(_lengths, evaluation),
        "multi-token edits": lambda: _multi(evaluation.score("errant(only=multi)")),
        "detection": partial(_detection, evaluation),
        **({"documents": partial(_documents, evaluation)} if evaluation.placed else {}),
        "annotators": partial(_annotators, evaluation),
        "reference choice": partial(_sensitivity, evaluation),
    }


_MANY = 10
"""A type with fewer gold edits says little about a difference."""


def answer_questions(sections: Sequence[ReportSection]) -> Answers:
    """Who leads, is the lead significant, and where do the best two differ."""
    tables = {section.id: section.table for section in sections}
    answers = _answer_board(tables["leaderboard"])
    if "differences" not in tables:
        return answers
    table = tables["differences"]
    first, second = (column.name for column in table.columns[2:4])
    gaps = [
        (row["difference"], row["type"])
        for row in table.rows
        if row["type"] != ALL_TYPES and row["gold"] >= _MANY and row["difference"] is not None
        # where there are intervals, only those that do not include 0
        if row.get("low") is None or row["low"] > 0 or row["high"] < 0
    ]
    (most, at_best), (least, at_worst) = max(gaps, default=(0, "")), min(gaps, default=(0, ""))
    parts = [f"better on {at_best} (+{write_percent(most, 1)})"] if most > 0 else []
    parts += [f"worse on {at_worst} ({write_percent(least, 1)})"] if least < 0 else []
    said = "; ".join(parts) or "No clear difference on any error type."
    return (*answers, (f"Where does {first} differ from {second}?", said))


def _answer_board(table: Table, by: str = "") -> Answers:
    """Who leads, and is the lead significant."""
    question = f"Who leads{by}?"
    rows, first = table.rows, table.rows[0]
    headline = _headline(table)
    if first.get(headline) is None:
        return ()
    title = next(c.heading for c in table.columns if c.name == headline)
    interval = ""
    if first.get("low") is not None and first.get("high") is not None:
        ends = (write_percent(first[name], 1) for name in ("low", "high"))
        interval = f" (95 %: {' to '.join(ends)})"
    leads = f"{first['system']}: {title} {write_percent(first[headline], 1)}{interval}"
    if len(rows) < 2 or not first.get("group"):
        return ((question, leads),)
    equal = [str(r["system"]) for r in rows[1:] if set(r.get("group") or "") & set(first["group"])]
    several = f"{', '.join(equal[:4])}{' and others' if len(equal) > 4 else ''}"
    significant = (
        f"No: {several} {'is' if len(equal) == 1 else 'are'} not significantly different (p ≥ .05)."
        if equal
        else "Yes: every other system is significantly behind (p < .05, Holm-adjusted)."
    )
    return ((question, leads), ("Is the lead significant?", significant))


def _headline(table: Table) -> str:
    return "f" if "f" in table.column_names else "score"


def _leaderboard(evaluation: ReportData, metrics: Sequence[Metric]) -> ReportSection:
    errant = evaluation.collect("errant")[0].metric
    boards = (errant, *(metric for metric in metrics if metric != errant))
    evaluation.collect(*boards)
    views = [
        _board(evaluation, each, name, is_first=each is errant)
        for each, name in label_metrics(boards).items()
    ]
    own = evaluation.ready.note_gold_edits(boards) if evaluation.reference_edits is None else ()
    table = replace(views[0].table, notes=(*evaluation.warnings, *own, *views[0].table.notes))
    first = replace(views[0], table=table)
    return ReportSection(
        "leaderboard",
        "Leaderboard",
        first.about,
        table,
        "forest",
        leads_to_sentences=True,
        views=(first, *views[1:]) if len(views) > 1 else (),
    )


def _board(evaluation: ReportData, metric: Metric, name: str, *, is_first: bool) -> MetricView:
    """All systems under one metric, the best first."""
    table = evaluation.tabulate(evaluation.collect(metric), bootstrap=evaluation.bootstrap)
    rows = [row for row in table.rows if row.get("level") != "detection"]
    table = replace(without_columns(table, "metric", "type", "level"), rows=rows, groups=None)
    if not is_first:  # "score" says little
        columns = (replace(c, title=name) if c.name == "score" else c for c in table.columns)
        table = replace(table, columns=tuple(columns))
    about = "ERRANT, span-based correction." if is_first else f"By {name}."
    if evaluation.bootstrap:
        about += " Systems that share a letter are not significantly different (p ≥ .05)."
    return MetricView(name, about, table, _answer_board(table, "" if is_first else f" by {name}"))


def _documents(evaluation: ReportData) -> ReportSection:
    placed = evaluation.placed
    assert placed is not None
    groups = ((name, placed.numbers == number) for number, name in enumerate(placed.texts))
    return ReportSection(
        "document-scores",
        "Scores by document",
        "ERRANT, span-based correction: F0.5 in percent, the counts on hovering.",
        _score_parts(evaluation, "document", groups),
        "heat",
        short="By document",
    )


def _lengths(evaluation: ReportData) -> ReportSection:
    lengths = np.array([len(sentence.source.tokens) for sentence in evaluation.corpus.sentences])
    tens = np.minimum(lengths // 10, _LONG // 10)
    groups = (
        (
            f"{10 * ten} or more" if 10 * ten == _LONG else f"{10 * ten or 1} to {10 * ten + 9}",
            which,
        )
        for ten in range(_LONG // 10 + 1)
        if (which := tens == ten).any()
    )
    return ReportSection(
        "lengths",
        "Short and long sentences",
        "ERRANT, span-based correction: F0.5 in percent by the number of tokens of the source.",
        _score_parts(evaluation, "tokens", groups),
        "heat",
        short="Lengths",
    )


_LONG = 40
"""From so many tokens, sentences are taken together."""


def _score_parts(
    evaluation: ReportData, what: str, parts: Iterable[tuple[str, NDArray[np.bool_]]]
) -> Table:
    """F of every system on parts of the text, each scored by itself; the best of all first."""
    scored = sorted(
        evaluation.collect("errant"),
        key=lambda each: -(each.metric.rows(each.statistics)[0]["f"] or 0),
    )
    rows = []
    for name, which in parts:
        places = np.flatnonzero(which)
        row: dict[str, Any] = {what: name, "sentences": len(places)}
        for each in scored:
            found = each.metric.rows(each.statistics.take(places))[0]
            row[each.system.name] = found["f"]
            row[f"{each.system.name} counts"] = (
                f"TP {found['tp']}, FP {found['fp']}, FN {found['fn']}"
            )
        rows.append(row)
    columns = [Column(what), Column("sentences", "count")]
    return make_table([*columns, *(Column(each.system.name, "rate") for each in scored)], rows)


def _metrics(evaluation: ReportData, metrics: Sequence[Metric]) -> ReportSection:
    table = evaluation.score(*metrics)
    names = list(dict.fromkeys(row["metric"] for row in table.rows))
    by_system: dict[str, dict[str, Any]] = {}
    for row in table.rows:
        if row.get("level") == "detection":
            continue
        value = row.get("f") if row.get("f") is not None else row.get("score")
        by_system.setdefault(row["system"], {"system": row["system"]})[row["metric"]] = value
    compact = make_table(
        [Column("system"), *(Column(name, "score", best="max") for name in names)],
        by_system.values(),
        notes=[*table.notes, *_what_metrics_show(metrics)],
        signature=table.signature,
    )
    return ReportSection(
        "metrics",
        "Every metric",
        "Each metric's own score, in percent.",
        compact,
        short="Metrics",
    )


def _what_metrics_show(metrics: Sequence[Metric]) -> Iterator[str]:
    by_measure: dict[str, list[str]] = {}
    for metric, label in label_metrics(metrics).items():
        shown = next((c.heading for c in metric.columns if c.name == "f"), None)
        shown = "I of correction" if metric.name == "imeasure" else shown
        if shown is not None:
            by_measure.setdefault(shown, []).append(label)
    for shown, labels in by_measure.items():
        yield f"{' and '.join(labels)}: {shown}"


@dataclass(frozen=True)
class _Levels:
    """How a system corrects, and how it detects."""

    system: str
    correction: Annotated[float, Shown(best="max")]
    detection: Annotated[float, Shown(best="max")]
    difference: float


def _levels(evaluation: ReportData) -> ReportSection:
    scored = evaluation.collect("errant", "errant(level=detection-span)")
    levels = list(dict.fromkeys(each.label for each in scored))
    table = evaluation.tabulate(scored)
    f = {(row["metric"], row["system"]): row["f"] for row in table.rows}
    systems = dict.fromkeys(row["system"] for row in table.rows)
    pairs = {system: (f[levels[0], system], f[levels[1], system]) for system in systems}
    both = table_of(
        (_Levels(system, c, d, difference=d - c) for system, (c, d) in pairs.items()),
        signature=table.signature,
    )
    about = "How much better a system finds errors (detection by span) than it corrects them."
    return ReportSection(
        "levels",
        "Detection against correction",
        about,
        both,
        "pairs",
        short="Levels",
    )


def _multi(table: Table) -> ReportSection:
    about = "Only edits that change or make two tokens or more."
    plain = without_columns(table, "metric", "type")
    return ReportSection("multi", "Multi-token edits", about, plain, short="Multi-token")


def _detection(evaluation: ReportData) -> ReportSection:
    table = view_measures(detection(evaluation.corpus, evaluation.outputs()))  # the best first
    usual = table.columns[: table.column_names.index("mcc") + 1]
    table = without_columns(replace(table, columns=usual, title="", groups=None), "unit")
    about = "Writer, annotator and system compared token by token, with true negatives."
    return ReportSection(
        "detection", "Detection, true negatives and all", about, table, short="Detection"
    )


def _sensitivity(evaluation: ReportData) -> ReportSection:
    scored = evaluation.collect("errant")
    table = sensitivity_table(
        scored,
        np.random.default_rng(evaluation.seed),
        notes=(),
        signature=evaluation.given.signature("score", (scored[0].metric,)),
    )
    table = without_columns(table, "metric")
    about = "How much the choice among annotators moves each system."
    return ReportSection("sensitivity", "Reference choice", about, table, short="References")


def _annotators(evaluation: ReportData) -> ReportSection:
    """Each annotator scored as a system against each other one."""
    corpus = evaluation.corpus
    names = corpus.annotators
    if len(names) < 2:
        raise RedinkError("agreement needs at least two annotators")
    rows = []
    for judge, other in permutations(names, 2):
        common = [s for s in corpus.sentences if s.by(judge) and s.by(other)]
        if common:
            rows.append(_against(judge, other, common))
    if not rows:
        raise RedinkError("no sentence was annotated twice")
    table = table_of(
        rows,
        notes=["Only sentences that both annotated; kappa over tokens, error or not."],
    )
    about = "Each annotator scored as if they were a system, against each other annotator."
    return ReportSection("annotators", "Agreement of annotators", about, table, short="Annotators")


@dataclass(frozen=True)
class _Against:
    """An annotator scored against another one, on what both annotated."""

    annotator: str
    against: str
    sentences: int
    tp: int
    fp: int
    fn: int
    f: Annotated[float, Shown(title="F0.5")]
    kappa: Annotated[float | None, Shown(title="kappa (tokens)")]


def _against(judge: str, other: str, common: Sequence[AnnotatedSentence]) -> _Against:
    def edits_of(name: str) -> tuple[Annotation, ...]:
        return tuple(s.by(name) or Annotation(name) for s in common)

    reference = Corpus(
        tuple(
            AnnotatedSentence(sentence.source, (annotation,))
            for sentence, annotation in zip(common, edits_of(other), strict=True)
        )
    )
    system = SystemOutput(judge, annotations=edits_of(judge))
    metric = make_metrics("errant")[0]
    # errant reads the edits alone
    hypotheses = Hypotheses(judge, (), tuple((annotation,) for annotation in edits_of(judge)))
    counts = metric.rows(metric.collect(References(reference), hypotheses))[0]
    found = detection(reference, [system]).rows[0]
    return _Against(
        judge,
        other,
        len(common),
        **{name: counts[name] for name in ("tp", "fp", "fn", "f")},
        kappa=found["kappa"],
    )
