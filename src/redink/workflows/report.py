"""Report: everything about a set of systems on one page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from redink.analysis.analyser import Analyser
from redink.errors import RedinkError
from redink.files import write_atomically
from redink.model import Annotation, Column, Corpus, SystemOutput, Table, make_table
from redink.reports.page.content import JudgedEdit, ReferenceEdit, Report, Section, SentenceView
from redink.reports.page.rendering import render_report
from redink.reports.tables import signature_line, to_json
from redink.scoring.metric import make_metrics
from redink.workflows.annotate import annotate_corpus
from redink.workflows.annotating import Annotating
from redink.workflows.detection import detection
from redink.workflows.inputs import PathLike
from redink.workflows.score import score
from redink.workflows.score_input import (
    Reference,
    ScoringInput,
    Systems,
    load_scoring_input,
    supply_edits,
)
from redink.workflows.score_rows import Progress, collect_all

METRICS = ("errant", "m2", "gleu", "imeasure", "bleu", "meteor")
PAGE_NAME = "report.html"


def report(
    reference: Reference,
    systems: Systems,
    output: PathLike,
    *,
    source: PathLike | None = None,
    metrics: Sequence[str] = METRICS,
    title: str = "Evaluation of grammatical error correction",
    bootstrap: int = 1000,
    analyser: str | Analyser = "embedded",
    workers: int = 1,
    seed: int = 1,
    progress: Progress | None = None,
) -> Table:
    """Write a report of all systems into a folder: ``report.html``, and every table as JSON.

    Args:
        reference: as for :func:`redink.score`.
        systems: as for score.
        output: the folder, made if it is not there.
        source: the source sentences, where the references are text.
        metrics: the metrics of the table of metrics; the leaderboard is errant's.
        title: the heading of the page.
        bootstrap: samples behind intervals and groups.
        analyser: for what must be annotated.
        workers: how many processes annotate.
        seed: of the bootstrap.
        progress: told what is done.

    Returns:
        The leaderboard.
    """
    how = Annotating(analyser)
    loaded = load_scoring_input(reference, systems, source=source)
    errant = make_metrics(["errant"])
    ready = supply_edits(loaded, errant, reference_edits=None, how=how, workers=workers)
    corpus = ready.references.corpus
    # Annotated once here; every table below reuses the edits.
    outputs = {
        system.name: SystemOutput(
            system.name, annotations=tuple(v[0] for v in system.annotations or ())
        )
        for system in ready.systems
    }

    def scored(**options: Any) -> Table:
        return score(corpus, outputs, seed=seed, **options)

    makers: list[tuple[str, Callable[[], Section]]] = [
        ("leaderboard", lambda: _leaderboard(scored(metrics=["errant"], bootstrap=bootstrap))),
        ("metrics", lambda: _metrics(scored(metrics=metrics))),
        ("error types", lambda: _types(corpus, outputs, analyser)),
        ("operations", lambda: _operations(scored(metrics=["errant"], by="operation"))),
        ("detection and correction", lambda: _levels(scored)),
        ("multi-token edits", lambda: _multi(scored(metrics=["errant"], only="multi"))),
        ("detection", lambda: _detection(detection(corpus, outputs, unit="token"))),
        ("annotators", lambda: _annotators(ready, bootstrap=None)),
        ("reference choice", lambda: _sensitivity(scored(metrics=["errant"], sensitivity=True))),
    ]
    sections = []
    notes = []
    for done, (name, make) in enumerate(makers):
        if progress is not None:
            progress(name, done, len(makers))
        try:
            sections.append(make())
        except RedinkError as problem:
            # Data without this part (a single annotator, say) still deserves the rest.
            notes.append(f"{name}: {problem}")
    if progress is not None:
        progress("report", len(makers), len(makers))
    board = sections[0].tables[0]
    signature = how.signature("report", data=loaded.data, bootstrap=bootstrap, seed=seed)
    facts = (
        f"{len(corpus)} sentences",
        f"{len(outputs)} systems",
        f"{len(corpus.annotators)} annotators" if corpus.annotators else "reference texts",
        *notes,
    )
    page = Report(
        title=title,
        facts=facts,
        sections=tuple(sections),
        sentences=_sentences(ready),
        systems=tuple(str(row["system"]) for row in board.rows),
        signature=" | ".join(f"{name}:{value}" for name, value in signature.items()),
    )
    _write(Path(output), page)
    return make_table(
        board.columns,
        board.rows,
        notes=(*board.notes, *notes, f"the report: {Path(output) / PAGE_NAME}"),
        signature=signature,
        title=board.title,
    )


def _write(folder: Path, page: Report) -> None:
    try:
        (folder / "tables").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RedinkError(f"{folder}: cannot be made ({error.strerror})") from error
    for section in page.sections:
        for number, table in enumerate(section.tables):
            name = section.id + (f"-{number + 1}" if number else "")
            with write_atomically(folder / "tables" / f"{name}.json") as stream:
                stream.write(to_json(table))
    with write_atomically(folder / PAGE_NAME) as stream:
        stream.write(render_report(page))


def _leaderboard(table: Table) -> Section:
    columns = tuple(c for c in table.columns if c.name not in {"metric", "type"})
    table = replace(table, columns=columns, groups=None)
    return Section(
        "leaderboard",
        "Leaderboard",
        "ERRANT, span-based correction. Systems that share a letter cannot be told apart.",
        (table,),
        "forest",
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
        notes=[*table.notes, "F of errant and m2; I of imeasure (correction)"],
        signature=table.signature,
    )
    return Section(
        "metrics", "Every metric", "Each metric's own score, as a proportion.", (compact,)
    )


_ERRANT_TYPE = re.compile("[MRU]:|UNK$|noop$")
_HEAT_NOTE = (
    "F0.5 in percent, the counts on hovering; a dash where neither the system nor the chosen "
    "annotator has such an edit"
)


def _types(corpus: Corpus, outputs: dict[str, SystemOutput], analyser: str | Analyser) -> Section:
    types = {edit.type for s in corpus.sentences for a in s.annotations for edit in a.edits}
    notes: list[str] = []
    if any(not _ERRANT_TYPE.match(kind) for kind in types):
        # Types of another scheme never match a system's; only the spans are comparable.
        corpus = annotate_corpus(corpus, edits="gold", analyser=analyser)
        notes.append("The references' own types are of another scheme; they were typed anew here.")
    table = score(corpus, outputs, metrics=["errant"], by="type")
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
    about = "F0.5 of each system on each type of error; click a heading to sort."
    return Section("types", "Error types", about, (heat,), "heat")


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
    )


def _levels(scored: Callable[..., Table]) -> Section:
    levels = {"correction": "correction", "detection": "detection-span"}
    by_system: dict[str, dict[str, Any]] = {}
    signature: dict[str, Any] = {}
    for name, level in levels.items():
        table = scored(metrics=["errant"], level=level)
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
    return Section("levels", "Detection against correction", about, (both,), "pairs")


def _multi(table: Table) -> Section:
    table = replace(
        table, columns=tuple(c for c in table.columns if c.name not in {"metric", "type"})
    )
    about = "Only edits that change or make two tokens or more."
    return Section("multi", "Multi-token edits", about, (table,))


_DETECTION_COLUMNS = (
    "system", "tp", "fp", "fn", "tn", "precision", "recall", "f", "accuracy", "tnr", "kappa",
    "prevalence", "bias", "mcc",
)  # fmt: skip


def _detection(table: Table) -> Section:
    columns = [column for column in table.columns if column.name in _DETECTION_COLUMNS]
    short = make_table(columns, table.rows, notes=table.notes, signature=table.signature)
    about = "Writer, annotator and system compared token by token, with true negatives."
    return Section("detection", "Detection, true negatives and all", about, (short,))


def _sensitivity(table: Table) -> Section:
    about = "How much the choice among annotators moves each system."
    return Section("sensitivity", "Reference choice", about, (table,))


def _annotators(ready: ScoringInput, *, bootstrap: int | None) -> Section:
    """Each annotator scored as a system against each other one."""
    corpus = ready.references.corpus
    names = corpus.annotators
    if len(names) < 2:
        raise RedinkError("agreement needs at least two annotators")
    rows = []
    for judge in names:
        others = [name for name in names if name != judge]
        both = [
            s for s in corpus.sentences if s.by(judge) and any(s.by(o) for o in others)
        ]  # fmt: skip
        if not both:
            continue
        for other in others:
            common = [s for s in both if s.by(other)]
            if not common:
                continue
            rows.append(_against(corpus, judge, other, common, bootstrap))
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
    about = "Each annotator scored as if he were a system, against each other annotator."
    return Section("annotators", "Agreement of annotators", about, (table,))


def _against(
    corpus: Any, judge: str, other: str, common: Sequence[Any], bootstrap: int | None
) -> dict[str, Any]:
    reference = replace(
        corpus,
        sentences=tuple(replace(s, annotations=(s.by(other),)) for s in common),
    )
    system = SystemOutput(
        judge, annotations=tuple(s.by(judge) or Annotation(judge) for s in common)
    )
    counts = score(reference, [system], metrics=["errant"], bootstrap=bootstrap).rows[0]
    found = detection(reference, [system], unit="token").rows[0]
    return {
        "annotator": judge,
        "against": other,
        "sentences": len(common),
        "tp": counts["tp"],
        "fp": counts["fp"],
        "fn": counts["fn"],
        "f": counts["f"],
        "kappa": found["kappa"],
    }


def _sentences(ready: ScoringInput) -> tuple[SentenceView, ...]:
    scored = collect_all(make_metrics(["errant"]), ready.references, ready.systems)
    verdicts = {
        each.system.name: each.metric.verdicts(ready.references, each.system, each.statistics) or ()
        for each in scored
    }
    views = []
    for number, sentence in enumerate(ready.references.corpus.sentences):
        views.append(
            SentenceView(
                source=str(sentence.source),
                references={
                    a.annotator: tuple(
                        ReferenceEdit(e.start, e.end, e.correction, e.type) for e in a.edits
                    )
                    for a in sentence.annotations
                },
                systems={
                    name: tuple(
                        JudgedEdit(e["start"], e["end"], e["correction"], e["type"], e["verdict"])
                        for e in rows[number]
                    )
                    for name, rows in verdicts.items()
                },
            )
        )
    return tuple(views)


__all__ = ["METRICS", "PAGE_NAME", "report", "signature_line"]
