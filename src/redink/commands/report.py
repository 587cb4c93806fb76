"""``redink report``: an evaluation of all systems on one HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from redink.commands.report_sections import SECTIONS, ReportData, answer_questions
from redink.errors import RedinkError
from redink.evaluation import Evaluation, EvaluationOptions
from redink.files import check_target, make_folder, write_atomically
from redink.inputs.input_checks import warn_about_documents
from redink.inputs.input_options import PathLike, ReferenceLike, SystemsLike
from redink.model import Corpus, Edit, Table, parse_name
from redink.options import Flag, Needs, NotNegative, Options, Seed, command
from redink.progress import tell
from redink.reports.page.rendering import PageDocument, Report, render_report
from redink.reports.page.sentences import Edits, SentenceIndex, index_sentences
from redink.reports.table_formats import signature_line
from redink.scoring.metric import ReferenceEdits
from redink.scoring.specs import Metrics, make_metrics, with_reference_edits
from redink.statistics.resampling import refuse_one_sample
from redink.value_types import Frame

if TYPE_CHECKING:
    from redink.inputs.document_ids import DocumentPositions

METRICS = ("errant", "m2", "gleu", "imeasure", "bleu", "meteor")
PAGE_NAME = "report.html"


@dataclass(frozen=True)
class ReportOptions(Options):
    """The parts of the page.

    Attributes:
        metrics: metrics of the table "All metrics"; the leaderboard uses errant. Any of these.
        title: title of the page.
        reference_edits: reclassify the reference edits (gold) or extract them again (auto), for
            all metrics that read edits. The default is to use the edits of the file.
            errant(reference_edits=auto) changes this for one metric.
        bootstrap: number of bootstrap samples for confidence intervals and groups; 0 omits both.
        sentences: show every sentence with all edits of annotators and systems. By default yes.
        judgments: add a section that compares a model (--judge-model) with human judges. The file
            is as for redink judge.
        judge_model: the judge in these judgments that is a model.
        seed: random seed.
    """

    metrics: Metrics = METRICS
    title: str = "Evaluation of grammatical error correction"
    reference_edits: ReferenceEdits | None = None
    bootstrap: NotNegative = 1000
    sentences: Annotated[bool, Flag(name="sentences", off="no-sentences")] = True
    judgments: Annotated[PathLike | Sequence[object] | Frame | None, Needs(judge_model=True)] = None
    judge_model: Annotated[str | None, Flag(value="NAME"), Needs(judgments=True)] = None
    seed: Seed = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_one_sample(self.bootstrap)


@command
def report(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    output: Annotated[PathLike, Flag(short="o", value="DIR", writes=True)] = "report",
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    contents: ReportOptions = ReportOptions(),
) -> Table:
    """Write an evaluation of all systems as one HTML page.

    The page is self-contained and needs no network. You can print it, use it with the keyboard
    only, and read it on a phone. The folder also contains every table as JSON. If OUTPUT ends in
    .html, redink writes only the page.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: the systems by name: files of text or edits, lists of strings, or values.
        output: the folder for the report (created if missing), or the HTML file.
        evaluation_options: how references and systems are read, aligned and annotated.
        contents: the parts of the page.

    Returns:
        The leaderboard.
    """
    page = Path(output)
    is_folder = page.is_dir() or page.suffix != ".html"
    check_target(page, folder=is_folder)
    reported = make_report(
        reference,
        systems,
        evaluation_options,
        contents=contents,
    )
    if is_folder:
        tables = page / "tables"
        for folder in (page, tables):
            make_folder(folder)
        for section in reported.page.sections:
            section.table.save(tables / f"{section.id}.json")
        page /= PAGE_NAME
    with write_atomically(page) as stream:
        stream.write(render_report(reported.page))
    board = reported.board
    return replace(board, notes=(f"report written to {page}", *board.notes))


@dataclass(frozen=True)
class Reported:
    """A page, its references, and the leaderboard with the notes and signature of the report."""

    page: Report
    corpus: Corpus
    board: Table


def make_report(
    reference: ReferenceLike | None,
    systems: SystemsLike,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    *,
    command: str = "report",
    contents: ReportOptions = ReportOptions(),
) -> Reported:
    """Compute the page of :func:`report`, or of another ``command``."""
    metrics = with_reference_edits(
        (*make_metrics("errant"), *make_metrics(contents.metrics)), contents.reference_edits
    )
    given = Evaluation.load(reference, systems, evaluation_options)
    data = ReportData(
        given=given,
        ready=given.supply_edits(metrics, contents.reference_edits),
        metrics=metrics[1:],
        reference_edits=contents.reference_edits,
        bootstrap=contents.bootstrap or None,
        seed=contents.seed,
        warnings=(*given.check(), *warn_about_documents(given.groups)),
        placed=_place_documents(given),
        judged=(contents.judgments, contents.judge_model),
    )
    data.collect(*metrics)  # without scores there is no page
    sections = []
    missing = []
    without = {"documents": data.placed is None, "judge": contents.judgments is None}
    makers = {name: make for name, make in SECTIONS.items() if not without.get(name)}
    steps = len(makers) + len(given.systems)
    for done, (name, make) in enumerate(makers.items()):
        tell(name, done, steps)
        try:
            sections.append(make(data))
        except RedinkError as problem:  # such as a single annotator; the other sections remain
            if name == "judge":  # the user asked for it
                raise
            missing.append(f"{name}: {problem}")
    board = sections[0].table
    order = [str(row["system"]) for row in board.rows]
    if contents.sentences:
        index = _index(data, order, len(makers))
    else:
        index = index_sentences([], [], [(name, ()) for name in order])
        sections = [replace(section, leads_to_sentences=False) for section in sections]
    tell("report", steps, steps)
    summary = replace(
        board,
        notes=(*board.notes, *missing),
        signature=given.signature(
            command,
            tuple(dict.fromkeys(metrics)),
            bootstrap=data.bootstrap,
            seed=contents.seed,
            **evaluation_options.resampling(),
        ),
        view="scores",
        plot_name="scores",
    )
    documents = _documents(data.placed) if data.placed and contents.sentences else ()
    page = Report(
        title=contents.title,
        facts=(*_facts(data, len(order)), *missing),
        sections=tuple(sections),
        sentences=index,
        signature=signature_line(summary),
        answers=answer_questions(sections),
        documents=tuple(documents),
    )
    return Reported(page, data.corpus, summary)


_REFERENCE_EDITS: Mapping[ReferenceEdits | None, str] = {
    None: "as in the file",
    "gold": "reclassified (gold)",
    "auto": "extracted again (auto)",
}


def _facts(data: ReportData, systems: int) -> Iterator[str]:
    annotators = len(data.corpus.annotators)
    yield _count(len(data.corpus), "sentence")
    if data.placed:
        yield _count(len(data.placed.texts), "document")
    yield _count(systems, "system")
    yield _count(annotators, "annotator") if annotators else "reference texts"
    if data.given.references.given_texts is None:
        yield f"reference edits: {_REFERENCE_EDITS[data.reference_edits]}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _place_documents(given: Evaluation) -> DocumentPositions | None:
    """Return the sentences in their documents, if the documents are known."""
    options, sources = given.options, given.references.sources
    is_named = options.documents is not None or options.resample == "documents"
    is_named = is_named or all(parse_name(sentence.id) for sentence in sources)
    return options.place(sources) if is_named else None


def _documents(placed: DocumentPositions) -> Iterator[PageDocument]:
    for name, text in placed.texts.items():
        offsets = (
            (at, chain.from_iterable(placed.token_offsets(at))) for at in placed.members(name)
        )
        yield PageDocument(name, text, tuple((at, tuple(ends)) for at, ends in offsets))


def _index(data: ReportData, order: Sequence[str], done: int) -> SentenceIndex:
    """Index the sentences with all edits, the systems in the order of the leaderboard."""
    references = data.typed.ready.references
    scored = {each.system.name: each for each in data.collect("errant")}

    def judged() -> Iterator[tuple[str, Iterable[Edits]]]:
        for place, name in enumerate(order):
            tell(f"sentences: {name}", done + place, done + len(order))
            one = scored[name]
            yield name, one.metric.verdicts(references, one.system, one.statistics) or ()

    sentences = references.corpus.sentences
    return index_sentences(
        [str(sentence.source) for sentence in sentences],
        [{a.annotator: list(map(_plain, a.edits)) for a in s.annotations} for s in sentences],
        judged(),
    )


def _plain(edit: Edit) -> Mapping[str, Any]:
    return {name: getattr(edit, name) for name in ("start", "end", "correction", "type")}
