"""The sections of a report, each from references and systems that are read and annotated once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import permutations
from typing import Annotated, Any

import numpy as np

from redink.analysis.annotating import Sharing
from redink.analysis.retype import Retyping
from redink.errors import RedinkError
from redink.formats.placing import Documents, Placed
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
from redink.reports.page.rendering import ALL_TYPES, Section
from redink.reports.scores import type_grids
from redink.scoring.engine import Scored, collect_all, make_columns, make_rows, resample_all
from redink.scoring.metric import Metric
from redink.scoring.sensitivity import sensitivity_table
from redink.scoring.specs import make_metrics
from redink.workflows.annotate import annotate_corpus
from redink.workflows.detection import detection
from redink.workflows.score import score_notes, score_signature
from redink.workflows.score_input import ScoringInput


@dataclass(frozen=True)
class Evaluation:
    """What all sections are made from.

    Attributes:
        given: references and systems as they came, for signatures.
        ready: references and systems, with their edits.
        how: what annotates where something must be typed again, and how many processes work.
        bootstrap: samples behind intervals and groups; None for none.
        seed: of everything random.
        warnings: what the input made us say.
        reference_edits: how the references were annotated again, if they were.
        placing: whether samples draw documents.
        placed: the sentences in their documents, where those are known.
    """

    given: ScoringInput
    ready: ScoringInput
    how: Sharing
    bootstrap: int | None
    seed: int = 1
    warnings: tuple[str, ...] = ()
    reference_edits: str | None = None
    placing: Documents = field(default_factory=Documents)
    placed: Placed | None = None
    kept: dict[Any, list[Scored]] = field(default_factory=dict)

    @property
    def corpus(self) -> Corpus:
        """The references."""
        return self.ready.references.corpus

    @cached_property
    def retyped(self) -> Corpus | None:
        """The references typed again, if their own types are not those of the systems.

        Types of another scheme (NUCLE's, say) never match a system's; only the spans do.
        """
        types = {e.type for s in self.corpus.sentences for a in s.annotations for e in a.edits}
        if all(_ERRANT_TYPE.match(kind) for kind in types):
            return None
        return annotate_corpus(
            self.corpus, retyping=Retyping(edits="gold"), how=self.how.annotating
        )

    def collect(self, *given: str | Metric) -> list[Scored]:
        """The statistics of all systems under these metrics, worked out once."""
        metrics = make_metrics(given)
        if metrics not in self.kept:
            ready = self.ready
            self.kept[metrics] = collect_all(
                metrics,
                ready.references,
                ready.systems,
                workers=self.how.workers,
                cache=self.how.cache,
            )
        return self.kept[metrics]

    def tabulate(self, scored: Sequence[Scored], *, bootstrap: int | None = None) -> Table:
        """The scores as ``redink score`` gives them."""
        metrics = tuple(dict.fromkeys(each.metric for each in scored))
        rng = np.random.default_rng(self.seed)
        documents = self.placing.resample == "documents" and self.placed
        groups = documents.drawn() if documents else None
        resampled = resample_all(scored, bootstrap, rng, groups) if bootstrap else None
        rows = make_rows(scored, resampled, extra={})
        notes = [note for each in scored for note in each.statistics.notes]
        signature = score_signature(
            "score",
            self.given,
            metrics,
            (self.reference_edits,),
            self.how.annotating,
            bootstrap=bootstrap,
            seed=self.seed if bootstrap else None,
            **(self.placing.signature() if bootstrap else {}),
        )
        return make_table(
            make_columns(metrics, rows, []),
            rows,
            notes=dict.fromkeys(
                [*notes, *score_notes(metrics, rows, bootstrap, self.placing.resample)]
            ),
            signature=signature,
            groups="metric",
        )

    def score(self, *given: str | Metric) -> Table:
        """Every system under these metrics."""
        return self.tabulate(self.collect(*given))

    def outputs(self) -> list[SystemOutput]:
        """The systems' edits, the first version of each sentence."""
        return [
            SystemOutput(
                system.name,
                annotations=tuple(
                    versions[0] if versions else Annotation(system.name)
                    for versions in system.annotations or ()
                ),
            )
            for system in self.ready.systems
        ]


def make_sections(
    evaluation: Evaluation, metrics: Sequence[Metric]
) -> dict[str, Callable[[], Section]]:
    """Every section: what it is about, and what makes it; the leaderboard is the first."""
    return {
        "leaderboard": partial(_leaderboard, evaluation),
        "metrics": lambda: _metrics(evaluation.score(*metrics)),
        "error types": partial(_types, evaluation),
        "operations": lambda: _operations(evaluation.score("errant(by=operation)")),
        "detection and correction": partial(_levels, evaluation),
        "multi-token edits": lambda: _multi(evaluation.score("errant(only=multi)")),
        "detection": partial(_detection, evaluation),
        **({"documents": partial(_documents, evaluation)} if evaluation.placed else {}),
        "annotators": partial(_annotators, evaluation),
        "reference choice": partial(_sensitivity, evaluation),
    }


_MANY = 10
"""A type with fewer gold edits says little about a difference."""


def answer_questions(sections: Sequence[Section]) -> tuple[tuple[str, str], ...]:
    """Who leads, is it certain, and where do the best two differ."""
    tables = {section.id: section.table for section in sections}
    rows = tables["leaderboard"].rows
    first = rows[0]
    name = str(first["system"])
    title = next(c.heading for c in tables["leaderboard"].columns if c.name == "f")
    interval = ""
    if first.get("low") is not None and first.get("high") is not None:
        interval = f" (95 %: {100 * first['low']:.1f} to {100 * first['high']:.1f})"
    found = [("Who leads?", f"{name}: {title} {100 * first['f']:.1f}{interval}")]
    if len(rows) < 2:
        return tuple(found)
    if first.get("group"):
        equal = [
            str(r["system"]) for r in rows[1:] if set(r.get("group") or "") & set(first["group"])
        ]
        several = f"{', '.join(equal[:4])}{' and others' if len(equal) > 4 else ''}"
        found.append(
            (
                "Is it certain?",
                f"No: {several} cannot be told apart from it."
                if equal
                else "Yes: every other system is significantly behind.",
            )
        )
    second = str(rows[1]["system"])
    gaps = [
        (row[name] - row[second], row["type"])
        for row in (tables["types"].rows if "types" in tables else ())
        if row["type"] != ALL_TYPES and row["gold"] >= _MANY
        if row.get(name) is not None and row.get(second) is not None
    ]
    if gaps:
        (most, at_best), (least, at_worst) = max(gaps), min(gaps)
        parts = [f"better on {at_best} (+{100 * most:.1f})"] if most > 0 else []
        parts += [f"worse on {at_worst} (\N{MINUS SIGN}{-100 * least:.1f})"] if least < 0 else []
        found.append((f"Where does {name} differ from {second}?", "; ".join(parts) or "Nowhere."))
    return tuple(found)


def _without(table: Table, *names: str) -> Table:
    """The table without some of its columns."""
    return replace(table, columns=tuple(c for c in table.columns if c.name not in names))


def _leaderboard(evaluation: Evaluation) -> Section:
    table = evaluation.tabulate(evaluation.collect("errant"), bootstrap=evaluation.bootstrap)
    notes = (*evaluation.warnings, *table.notes)
    table = replace(_without(table, "metric", "type"), notes=notes, groups=None)
    return Section(
        "leaderboard",
        "Leaderboard",
        "ERRANT, span-based correction."
        + (" Systems that share a letter cannot be told apart." if evaluation.bootstrap else ""),
        table,
        "forest",
        leads_to_sentences=True,
    )


def _documents(evaluation: Evaluation) -> Section:
    placed = evaluation.placed
    assert placed is not None
    scored = evaluation.collect("errant")
    rows = []
    for number, name in enumerate(placed.texts):
        places = np.flatnonzero(placed.numbers == number)
        row: dict[str, Any] = {"document": name, "sentences": len(places)}
        for each in scored:
            found = each.metric.rows(each.statistics.take(places))[0]
            row[each.system.name] = found["f"]
            row[f"{each.system.name} counts"] = (
                f"TP {found['tp']}, FP {found['fp']}, FN {found['fn']}"
            )
        rows.append(row)
    columns = [Column("document"), Column("sentences", "count")]
    columns += [Column(each.system.name, "rate") for each in scored]
    return Section(
        "document-scores",
        "Scores by document",
        "ERRANT, span-based correction: F0.5 in percent, the counts on hovering.",
        make_table(columns, rows),
        "heat",
        short="By document",
    )


def _metrics(table: Table) -> Section:
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
        notes=[*table.notes, *_what_metrics_show(names)],
        signature=table.signature,
    )
    return Section(
        "metrics",
        "Every metric",
        "Each metric's own score, in percent.",
        compact,
        short="Metrics",
    )


def _what_metrics_show(names: Sequence[str]) -> Iterator[str]:
    if f_scores := [name for name in names if name in {"errant", "m2"}]:
        yield f"{' and '.join(f_scores)}: F0.5"
    if "imeasure" in names:
        yield "imeasure: I of correction"


_ERRANT_TYPE = re.compile("[MRU]:|UNK$|noop$")
_HEAT_NOTE = (
    "F0.5 in percent, the counts on hovering; gold: the most edits of that type that a system is "
    "scored on; a dash where neither the system nor the chosen annotator has such an edit"
)


def _types(evaluation: Evaluation) -> Section:
    notes: list[str] = []
    if evaluation.retyped is not None:
        references = replace(evaluation.ready.references, corpus=evaluation.retyped)
        ready = replace(evaluation.ready, references=references)
        evaluation = replace(evaluation, ready=ready, kept={})
        notes.append("The references' own types are of another scheme; they were typed again here.")
    table = evaluation.score("errant(by=type)")
    (grid,) = type_grids(table)
    counts = {
        (row["type"] or ALL_TYPES, row["system"]): f"TP {row['tp']}, FP {row['fp']}, FN {row['fn']}"
        for row in table.rows
    }
    heat = make_table(
        [Column("type"), Column("gold", "count"), *(Column(n, "rate") for n in grid.systems)],
        [
            {"type": kind, "gold": gold, **dict(zip(grid.systems, values, strict=True))}
            | {f"{n} counts": counts[kind, n] for n in grid.systems if (kind, n) in counts}
            for kind, gold, values in zip(grid.types, grid.gold, grid.values, strict=True)
        ],
        notes=[_HEAT_NOTE, *notes, *table.notes],
        signature=table.signature,
    )
    about = (
        "F0.5 of each system on each type of error, the most frequent first. A heading sorts; a "
        "cell shows its sentences."
    )
    return Section(
        "types", "Error types", about, heat, "heat", leads_to_sentences=True, short="Types"
    )


_OPERATIONS = {"M": "missing", "R": "replacement", "U": "unnecessary"}


def _operations(table: Table) -> Section:
    rows = [
        {**row, "type": _OPERATIONS.get(row["type"], row["type"])}
        for row in table.rows
        if row.get("type")
    ]
    rows.sort(key=lambda row: str(row["type"]))
    only = replace(_without(table, "metric", "rank"), rows=rows, groups="type")
    return Section(
        "operations",
        "Missing, replacement, unnecessary",
        "What kind of change each system gets right.",
        only,
        leads_to_sentences=True,
        short="Operations",
    )


@dataclass(frozen=True)
class _Levels:
    """How a system corrects, and how it detects."""

    system: str
    correction: Annotated[float, Shown(best="max")]
    detection: Annotated[float, Shown(best="max")]
    difference: float


def _levels(evaluation: Evaluation) -> Section:
    levels = ("errant", "errant(level=detection-span)")
    table = evaluation.score(*levels)
    f = {(row["metric"], row["system"]): row["f"] for row in table.rows}
    systems = dict.fromkeys(row["system"] for row in table.rows)
    pairs = {system: (f[levels[0], system], f[levels[1], system]) for system in systems}
    both = table_of(
        (_Levels(system, c, d, difference=d - c) for system, (c, d) in pairs.items()),
        signature=table.signature,
    )
    about = "How much better a system finds errors (detection by span) than it corrects them."
    return Section(
        "levels",
        "Detection against correction",
        about,
        both,
        "pairs",
        short="Levels",
    )


def _multi(table: Table) -> Section:
    about = "Only edits that change or make two tokens or more."
    plain = _without(table, "metric", "type")
    return Section("multi", "Multi-token edits", about, plain, short="Multi-token")


def _detection(evaluation: Evaluation) -> Section:
    table = detection(evaluation.corpus, evaluation.outputs())
    usual = table.columns[: table.column_names.index("mcc") + 1]
    table = _without(replace(table, columns=usual, title="", groups=None), "unit")
    about = "Writer, annotator and system compared token by token, with true negatives."
    return Section(
        "detection", "Detection, true negatives and all", about, table, short="Detection"
    )


def _sensitivity(evaluation: Evaluation) -> Section:
    scored = evaluation.collect("errant")
    table = sensitivity_table(
        scored,
        np.random.default_rng(evaluation.seed),
        notes=(),
        signature=score_signature(
            "score",
            evaluation.given,
            (scored[0].metric,),
            (evaluation.reference_edits,),
            evaluation.how.annotating,
        ),
    )
    about = "How much the choice among annotators moves each system."
    return Section("sensitivity", "Reference choice", about, table, short="References")


def _annotators(evaluation: Evaluation) -> Section:
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
    return Section("annotators", "Agreement of annotators", about, table, short="Annotators")


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
