"""Report: everything about a set of systems on one page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from redink.analysis.analyser import Analyser
from redink.analysis.annotating import Annotating
from redink.errors import RedinkError
from redink.files import undo_on_error, write_atomically
from redink.formats.inputs import PathLike, ReferenceLike, SystemsLike
from redink.model import Corpus, Edit, Table, make_table
from redink.reports.page.rendering import Report, render_report
from redink.reports.page.sentences import Edits, SentenceIndex, index_sentences
from redink.reports.tables import to_json
from redink.scoring.engine import Progress
from redink.scoring.metric import make_metrics
from redink.workflows.report_sections import Evaluation, make_sections
from redink.workflows.score_input import load_scoring_input, supply_edits
from redink.workflows.score_warnings import warn_about_input

METRICS = ("errant", "m2", "gleu", "imeasure", "bleu", "meteor")
TITLE = "Evaluation of grammatical error correction"
PAGE_NAME = "report.html"


@dataclass(frozen=True)
class Reported:
    """A page, and the values it was made from.

    Attributes:
        page: what is shown.
        corpus: the references.
        board: the leaderboard, with the notes and the signature of the whole.
    """

    page: Report
    corpus: Corpus
    board: Table


def report(
    reference: ReferenceLike,
    systems: SystemsLike,
    output: PathLike,
    *,
    source: PathLike | None = None,
    metrics: Sequence[str] = METRICS,
    title: str = TITLE,
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
        workers: how many processes annotate and score.
        seed: of the bootstrap.
        progress: told what is done.

    Returns:
        The leaderboard.
    """
    reported = make_report(
        reference,
        systems,
        source=source,
        metrics=metrics,
        title=title,
        bootstrap=bootstrap,
        analyser=analyser,
        workers=workers,
        seed=seed,
        progress=progress,
    )
    folder = Path(output)
    _write(folder, reported.page)
    board = reported.board
    return replace(board, notes=(*board.notes, f"the report: {folder / PAGE_NAME}"))


def make_report(
    reference: ReferenceLike,
    systems: SystemsLike,
    *,
    command: str = "report",
    source: PathLike | None = None,
    metrics: Sequence[str] = METRICS,
    title: str = TITLE,
    bootstrap: int | None = 1000,
    analyser: str | Analyser = "embedded",
    workers: int = 1,
    seed: int = 1,
    progress: Progress | None = None,
) -> Reported:
    """Work out what stands on the page; the options are those of :func:`report`.

    Args:
        reference: as for :func:`redink.score`.
        systems: as for score.
        command: what the signature says.
        source: the source sentences, where the references are text.
        metrics: the metrics of the table of metrics.
        title: the heading of the page.
        bootstrap: samples behind intervals and groups; None for neither.
        analyser: for what must be annotated.
        workers: how many processes annotate and score.
        seed: of everything random.
        progress: told what is done.
    """
    how = Annotating(analyser=analyser)
    make_metrics(metrics)  # a name that is wrong is told before the work begins
    given = load_scoring_input(reference, systems, source=source)
    errant = make_metrics(["errant"])
    evaluation = Evaluation(
        given=given,
        ready=supply_edits(given, errant, reference_edits=None, how=how, workers=workers),
        how=how,
        bootstrap=bootstrap,
        seed=seed,
        workers=workers,
        warnings=warn_about_input(given.references, given.systems, errant),
    )
    corpus = evaluation.corpus
    sections = []
    left_out = []
    makers = list(make_sections(evaluation, metrics))
    steps = len(makers) + len(given.systems)
    for done, (name, make) in enumerate(makers):
        if progress is not None:
            progress(name, done, steps)
        try:
            sections.append(make())
        except RedinkError as problem:
            # Data without this part (a single annotator, say) still deserves the rest.
            left_out.append(f"{name}: {problem}")
    board = sections[0].tables[0]
    order = [str(row["system"]) for row in board.rows]
    index = _index(evaluation, order, progress, len(makers))
    if progress is not None:
        progress("report", steps, steps)
    signature = how.signature(command, data=given.data, bootstrap=bootstrap, seed=seed)
    facts = (
        _count(len(corpus), "sentence"),
        _count(len(order), "system"),
        _count(len(corpus.annotators), "annotator") if corpus.annotators else "reference texts",
        *left_out,
    )
    page = Report(
        title=title,
        facts=facts,
        sections=tuple(sections),
        sentences=index,
        signature=" | ".join(f"{name}:{value}" for name, value in signature.items()),
    )
    summary = make_table(
        board.columns,
        board.rows,
        notes=(*board.notes, *left_out),
        signature=signature,
        title=board.title,
    )
    return Reported(page, corpus, summary)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _index(
    evaluation: Evaluation, order: Sequence[str], progress: Progress | None, done: int
) -> SentenceIndex:
    """The sentences with everybody's edits, the systems in the order of the leaderboard."""
    references = evaluation.ready.references
    sentences = evaluation.corpus.sentences
    scored = {each.system.name: each for each in evaluation.collect("errant")}
    new_types = _new_types(evaluation)

    def retype(number: int, edits: Edits) -> Edits:
        if new_types is None:
            return edits
        types = new_types[number]
        return [
            {**e, "type": types.get((e["start"], e["end"], e["correction"]), e["type"])}
            if e.get("verdict") != "FP"
            else e
            for e in edits
        ]

    def judged() -> Iterator[tuple[str, Iterable[Edits]]]:
        for place, name in enumerate(order):
            if progress is not None:
                progress(f"sentences: {name}", done + place, done + len(order))
            one = scored[name]
            verdicts = one.metric.verdicts(references, one.system, one.statistics) or ()
            yield name, (retype(number, edits) for number, edits in enumerate(verdicts))

    return index_sentences(
        [str(sentence.source) for sentence in sentences],
        [
            {a.annotator: retype(number, [_plain(e) for e in a.edits]) for a in s.annotations}
            for number, s in enumerate(sentences)
        ],
        judged(),
    )


Place = tuple[int, int, str]


def _new_types(evaluation: Evaluation) -> list[dict[Place, str]] | None:
    """For every sentence the new type of each edit of the references, if they were typed again."""
    if evaluation.retyped is None:
        return None
    return [
        {(e.start, e.end, e.correction): e.type for a in s.annotations for e in a.edits}
        for s in evaluation.retyped.sentences
    ]


def _plain(edit: Edit) -> dict[str, Any]:
    return {
        "start": edit.start,
        "end": edit.end,
        "correction": edit.correction,
        "type": edit.type,
    }


def _write(folder: Path, page: Report) -> None:
    for made in (folder, folder / "tables"):
        undo_on_error(made)
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
