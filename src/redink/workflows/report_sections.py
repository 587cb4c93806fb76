"""The sections of a report, each from references and systems that are read and annotated once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import permutations
from typing import Any

import numpy as np

from redink.analysis.annotating import Annotating
from redink.analysis.retype import Retyping
from redink.errors import RedinkError
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Column,
    Corpus,
    Hypotheses,
    References,
    SystemOutput,
    Table,
    make_table,
)
from redink.reports.page.rendering import Section
from redink.scoring.engine import Scored, collect_all, make_columns, make_rows, resample_all
from redink.scoring.metric import make_metrics
from redink.scoring.sensitivity import sensitivity_table
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
        how: what annotates, where something must be typed again.
        bootstrap: samples behind intervals and groups; None for none.
        seed: of everything random.
        workers: how many processes score.
        warnings: what the input made us say.
    """

    given: ScoringInput
    ready: ScoringInput
    how: Annotating
    bootstrap: int | None
    seed: int = 1
    workers: int = 1
    warnings: tuple[str, ...] = ()
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
        return annotate_corpus(self.corpus, retyping=Retyping(edits="gold"), how=self.how)

    def collect(self, *names: str, **options: Any) -> list[Scored]:
        """The statistics of all systems under these metrics; the plain ones are kept."""
        if not options and names in self.kept:
            return self.kept[names]
        metrics = make_metrics(names, **options)
        ready = self.ready
        scored = collect_all(metrics, ready.references, ready.systems, workers=self.workers)
        if not options:
            self.kept[names] = scored
        return scored

    def tabulate(self, scored: Sequence[Scored], *, bootstrap: int | None = None) -> Table:
        """The scores as ``redink score`` gives them."""
        metrics = tuple(dict.fromkeys(each.metric for each in scored))
        rng = np.random.default_rng(self.seed)
        resampled = resample_all(scored, bootstrap, rng) if bootstrap else None
        rows = make_rows(scored, resampled, extra={})
        notes = [note for each in scored for note in each.statistics.notes]
        signature = score_signature(
            "score",
            self.given,
            metrics,
            (None,),
            self.how,
            bootstrap=bootstrap,
            seed=self.seed if bootstrap else None,
        )
        return make_table(
            [_titled(column) for column in make_columns(metrics, rows, [])],
            rows,
            notes=dict.fromkeys([*notes, *score_notes(metrics, rows, bootstrap)]),
            signature=signature,
            groups="metric",
        )

    def score(self, *names: str, **options: Any) -> Table:
        """Every system under these metrics."""
        return self.tabulate(self.collect(*names, **options))

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


def _titled(column: Column) -> Column:
    return replace(column, title=column.name.upper()) if column.name in _COUNTS else column


_COUNTS = {"tp", "fp", "fn"}
Maker = Callable[[Evaluation], Section]


def make_sections(
    evaluation: Evaluation, metrics: Sequence[str]
) -> Iterator[tuple[str, Callable[[], Section]]]:
    """Every section: what it is about, and what makes it; the leaderboard is the first."""
    makers: dict[str, Maker] = {
        "leaderboard": _leaderboard,
        "metrics": lambda e: _metrics(e.score(*metrics)),
        "error types": _types,
        "operations": lambda e: _operations(e.score("errant", by="operation")),
        "detection and correction": _levels,
        "multi-token edits": lambda e: _multi(e.score("errant", only="multi")),
        "detection": _detection,
        "annotators": _annotators,
        "reference choice": _sensitivity,
    }
    for name, make in makers.items():
        yield name, partial(make, evaluation)


def _leaderboard(evaluation: Evaluation) -> Section:
    table = evaluation.tabulate(evaluation.collect("errant"), bootstrap=evaluation.bootstrap)
    columns = tuple(c for c in table.columns if c.name not in {"metric", "type"})
    notes = (*evaluation.warnings, *table.notes)
    table = replace(table, columns=columns, notes=notes, groups=None)
    return Section(
        "leaderboard",
        "Leaderboard",
        "ERRANT, span-based correction."
        + (" Systems that share a letter cannot be told apart." if evaluation.bootstrap else ""),
        (table,),
        "forest",
        leads_to_sentences=True,
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
        "Each metric's own score, as a proportion.",
        (compact,),
        short="Metrics",
    )


def _what_metrics_show(names: Sequence[str]) -> Iterator[str]:
    if f_scores := [name for name in names if name in {"errant", "m2"}]:
        yield f"{' and '.join(f_scores)}: F0.5"
    if "imeasure" in names:
        yield "imeasure: I of correction"


_ERRANT_TYPE = re.compile("[MRU]:|UNK$|noop$")
_HEAT_NOTE = (
    "F0.5 in percent, the counts on hovering; a dash where neither the system nor the chosen "
    "annotator has such an edit"
)


def _types(evaluation: Evaluation) -> Section:
    notes: list[str] = []
    if evaluation.retyped is not None:
        references = replace(evaluation.ready.references, corpus=evaluation.retyped)
        evaluation = replace(evaluation, ready=replace(evaluation.ready, references=references))
        notes.append("The references' own types are of another scheme; they were typed again here.")
    table = evaluation.score("errant", by="type")
    kinds = sorted({row["type"] for row in table.rows if row.get("type")})
    cells: dict[str, dict[str, Any]] = {}
    for row in table.rows:
        system = cells.setdefault(row["system"], {"system": row["system"]})
        if row.get("type"):
            system[row["type"]] = row["f"]
            system[f"{row['type']} counts"] = f"TP {row['tp']}, FP {row['fp']}, FN {row['fn']}"
    heat = make_table(
        [Column("system"), *(Column(kind, "rate") for kind in kinds)],
        cells.values(),
        notes=[_HEAT_NOTE, *notes, *table.notes],
        signature=table.signature,
    )
    about = (
        "F0.5 of each system on each type of error. A heading sorts; a cell shows its sentences."
    )
    return Section(
        "types", "Error types", about, (heat,), "heat", leads_to_sentences=True, short="Types"
    )


_OPERATIONS = {"M": "missing", "R": "replacement", "U": "unnecessary"}


def _operations(table: Table) -> Section:
    rows = [
        {**row, "type": _OPERATIONS.get(row["type"], row["type"])}
        for row in table.rows
        if row.get("type")
    ]
    columns = [column for column in table.columns if column.name not in {"metric", "rank"}]
    rows.sort(key=lambda row: str(row["type"]))
    only = make_table(columns, rows, notes=table.notes, signature=table.signature, groups="type")
    return Section(
        "operations",
        "Missing, replacement, unnecessary",
        "What kind of change each system gets right.",
        (only,),
        leads_to_sentences=True,
        short="Operations",
    )


def _levels(evaluation: Evaluation) -> Section:
    levels = {"correction": "correction", "detection": "detection-span"}
    by_system: dict[str, dict[str, Any]] = {}
    signature: dict[str, Any] = {}
    for name, level in levels.items():
        options = {} if level == "correction" else {"level": level}
        table = evaluation.score("errant", **options)
        signature = table.signature
        for row in table.rows:
            by_system.setdefault(row["system"], {"system": row["system"]})[name] = row["f"]
    for row in by_system.values():
        row["difference"] = row["detection"] - row["correction"]
    both = make_table(
        [
            Column("system"),
            Column("correction", "rate", best="max"),
            Column("detection", "rate", best="max"),
            Column("difference", "rate"),
        ],
        by_system.values(),
        signature={name: value for name, value in signature.items() if name != "errant"},
    )
    about = "How much better a system finds errors (detection by span) than it corrects them."
    return Section(
        "levels",
        "Detection against correction",
        about,
        (both,),
        "pairs",
        short="Levels",
    )


def _multi(table: Table) -> Section:
    table = replace(
        table, columns=tuple(c for c in table.columns if c.name not in {"metric", "type"})
    )
    about = "Only edits that change or make two tokens or more."
    return Section("multi", "Multi-token edits", about, (table,), short="Multi-token")


_DETECTION_COLUMNS = (
    "system",
    "tp",
    "fp",
    "fn",
    "tn",
    "precision",
    "recall",
    "f",
    "accuracy",
    "tnr",
    "kappa",
    "prevalence",
    "bias",
    "mcc",
)


def _detection(evaluation: Evaluation) -> Section:
    table = detection(evaluation.corpus, evaluation.outputs())
    columns = [column for column in table.columns if column.name in _DETECTION_COLUMNS]
    short = make_table(columns, table.rows, notes=table.notes, signature=table.signature)
    about = "Writer, annotator and system compared token by token, with true negatives."
    return Section(
        "detection", "Detection, true negatives and all", about, (short,), short="Detection"
    )


def _sensitivity(evaluation: Evaluation) -> Section:
    scored = evaluation.collect("errant")
    table = sensitivity_table(
        scored,
        np.random.default_rng(evaluation.seed),
        notes=(),
        signature=score_signature(
            "score", evaluation.given, (scored[0].metric,), (None,), evaluation.how
        ),
    )
    about = "How much the choice among annotators moves each system."
    return Section("sensitivity", "Reference choice", about, (table,), short="References")


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
    table = make_table(
        [
            Column("annotator"),
            Column("against"),
            Column("sentences", "count"),
            Column("tp", "count", title="TP"),
            Column("fp", "count", title="FP"),
            Column("fn", "count", title="FN"),
            Column("f", "rate", title="F0.5"),
            Column("kappa", "rate", title="kappa (tokens)"),
        ],
        rows,
        notes=["Only sentences that both annotated; kappa over tokens, error or not."],
    )
    about = "Each annotator scored as if they were a system, against each other annotator."
    return Section("annotators", "Agreement of annotators", about, (table,), short="Annotators")


def _against(judge: str, other: str, common: Sequence[AnnotatedSentence]) -> dict[str, Any]:
    def edits_of(name: str) -> tuple[Annotation, ...]:
        return tuple(s.by(name) or Annotation(name) for s in common)

    reference = Corpus(
        tuple(
            AnnotatedSentence(sentence.source, (annotation,))
            for sentence, annotation in zip(common, edits_of(other), strict=True)
        )
    )
    system = SystemOutput(judge, annotations=edits_of(judge))
    metric = make_metrics(["errant"])[0]
    # errant reads the edits alone
    hypotheses = Hypotheses(judge, (), tuple((annotation,) for annotation in edits_of(judge)))
    counts = metric.rows(metric.collect(References(reference), hypotheses))[0]
    found = detection(reference, [system]).rows[0]
    return {
        "annotator": judge,
        "against": other,
        "sentences": len(common),
        **{name: counts[name] for name in ("tp", "fp", "fn", "f")},
        "kappa": found["kappa"],
    }
