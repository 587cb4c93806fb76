"""Task score and board: what the submissions of a shared task are worth, set by set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from redink.analysis.annotation_options import AnnotationResources
from redink.commands.report import PAGE_NAME, ReportOptions, report
from redink.commands.score import score
from redink.commands.task import Task, TaskSet, by_team, opened, read_task, submissions_of
from redink.commands.task_check import find_problems
from redink.errors import DataError, FormatError, OptionError
from redink.files import make_folder, write_atomically
from redink.inputs.alignment import AlignmentOptions
from redink.inputs.loading import PathLike, SeparateTexts
from redink.model import (
    Column,
    DisplayOptions,
    Row,
    Shown,
    Table,
    make_signature,
    make_table,
    table_of,
)
from redink.options import Flag, NotNegative, Positive, Seed, use_case
from redink.progress import tell
from redink.reports.html import render_board
from redink.scoring.specs import make_metrics

BOARD = "index.html"


@use_case
def score_submissions(
    task: Annotated[PathLike, Flag(value="TASK")],
    submissions: Annotated[Sequence[PathLike], Flag(value="[SUBMISSION]...", many=True)] = (),
    *,
    bootstrap: NotNegative | None = None,
    workers: Positive = 1,
    display: DisplayOptions = DisplayOptions(),
    seed: Seed = 1,
) -> Table:
    """Score one submission to a shared task, several, or all that lie in its folder.

    A submission is a folder or a .zip file; its name is the team's. One that redink task check
    finds a problem in is left out, with a note.

    Args:
        task: the folder of the task.
        submissions: these; by default all in the folder ``submissions``.
        bootstrap: samples behind intervals and groups; 0 for neither. By default as the task says.
        workers: how many processes annotate and score.
        display: how figures are written for people.
        seed: the start of the random numbers: same seed, same output.

    Returns:
        A row for every language, track, team and metric.
    """
    asked = read_task(task)
    with gathered(asked, submissions) as (teams, notes):
        scored = {
            each: score_set(each, asked, teams, bootstrap=bootstrap, workers=workers, seed=seed)
            for each in asked.sets
        }
    return _join(asked, scored, notes, display)


@contextmanager
def gathered(
    task: Task, submissions: Sequence[PathLike]
) -> Iterator[tuple[dict[str, Path], list[str]]]:
    """The folders of the submissions by team, and a note about every one that is left out.

    Raises:
        OptionError: there is none.
        DataError: a team has two, or all of them have problems.
    """
    wanted = by_team(map(Path, submissions)) or submissions_of(task)
    if not wanted:
        raise OptionError(f"there is no submission; put them into {task.folder / 'submissions'}")
    with ExitStack() as stack:
        teams, notes = {}, []
        for team, path in wanted.items():
            try:
                folder = stack.enter_context(opened(path, task))
            except FormatError as error:
                if not path.exists():
                    raise
                notes.append(f"{team} is left out: {error}")
                continue
            problems = [f for f in find_problems(task, folder) if f.verdict == "problem"]
            if problems:
                first = problems[0]
                where = f"{first.file}, line {first.line}" if first.line else first.file
                notes.append(f"{team} is left out: {where}: {first.what}")
            else:
                teams[team] = folder
        if not teams:
            raise DataError("; ".join(notes))
        yield teams, notes


def score_set(
    each: TaskSet,
    task: Task,
    teams: Mapping[str, Path],
    *,
    bootstrap: int | None,
    workers: int,
    seed: int,
) -> Table:
    """The scores of all teams in one language and track."""
    tell(each.name, 0, None)
    samples = task.bootstrap if bootstrap is None else bootstrap
    reference, separate_texts = _references(each)
    return score(
        reference,
        {team: folder / each.file for team, folder in teams.items()},
        separate_texts=separate_texts,
        alignment=AlignmentOptions(align=not task.tokenised),
        metrics=task.metrics,
        bootstrap=samples or None,
        annotation_options=AnnotationResources(workers=workers, language=each.language),
        seed=seed,
    )


def _references(each: TaskSet) -> tuple[Path | None, SeparateTexts]:
    if each.has_edits:
        return each.references[0], SeparateTexts()
    return None, SeparateTexts(source=each.source, references=each.references)


def _join(
    task: Task, scored: Mapping[TaskSet, Table], notes: Sequence[str], display: DisplayOptions
) -> Table:
    """One table of all sets, with their language and track first."""
    columns: dict[str, Column] = {name: Column(name) for name in ("language", "track")}
    rows: list[Row] = []
    told = list(notes)
    for each, table in scored.items():
        for column in table.columns:
            columns.setdefault(column.name, column)
        rows += [{"language": each.language, "track": each.track, **row} for row in table.rows]
        told += [note for note in table.notes if note not in told]
    shown = [
        column
        for column in columns.values()
        if any(row.get(column.name) is not None for row in rows)
    ]
    data = {each.key: table.signature.get("data") for each, table in scored.items()}
    signature = make_signature("task score", metrics=list(task.metrics), data=data)
    groups = "language" if len(scored) > 1 else None
    return make_table(shown, rows, notes=told, signature=signature, groups=groups, display=display)


@use_case
def task_board(
    task: Annotated[PathLike, Flag(value="TASK")],
    submissions: Annotated[Sequence[PathLike], Flag(value="[SUBMISSION]...", many=True)] = (),
    output: Annotated[PathLike, Flag(name="output", short="o", value="DIR", writes=True)] = "board",
    *,
    bootstrap: NotNegative | None = None,
    reports: Annotated[bool, Flag(name="reports", off="no-reports")] = True,
    publish_references: bool = False,
    workers: Positive = 1,
    seed: Seed = 1,
) -> Table:
    """Write the leaderboard page of a shared task, and a report for every language and track.

    Teams that share a letter are not significantly different (paired bootstrap, Holm-adjusted
    p ≥ .05). The pages open from disk and load nothing. They do not contain the references.

    Args:
        task: the folder of the task.
        submissions: these; by default all in the folder ``submissions``.
        output: the folder for the pages.
        bootstrap: samples behind intervals and groups; 0 for neither. By default as the task says.
        reports: write a report for every language and track. By default yes.
        publish_references: show every sentence with the edits of references and teams in the
            reports.
        workers: how many processes annotate and score.
        seed: the start of the random numbers: same seed, same output.

    Returns:
        The scores.
    """
    asked = read_task(task)
    place = Path(output)
    make_folder(place)
    with gathered(asked, submissions) as (teams, notes):
        scored: dict[TaskSet, Table] = {}
        sections = []
        for each in asked.sets:
            table = score_set(each, asked, teams, bootstrap=bootstrap, workers=workers, seed=seed)
            scored[each] = table
            link = None
            if reports:
                _report(
                    each,
                    asked,
                    teams,
                    place / each.key,
                    bootstrap=bootstrap,
                    workers=workers,
                    sentences=publish_references,
                )
                link = f"{each.key}/{PAGE_NAME}"
            sections.append((each.name, table, link))
    if len(asked.sets) > 1:
        sections.insert(0, ("All together", _means(asked, scored), None))
    with write_atomically(place / BOARD) as stream:
        stream.write(render_board(asked.title, sections, notes))
    table = _join(asked, scored, notes, DisplayOptions())
    return replace(table, notes=(*table.notes, f"the leaderboard: {place / BOARD}"))


def _report(
    each: TaskSet,
    task: Task,
    teams: Mapping[str, Path],
    place: Path,
    *,
    bootstrap: int | None,
    workers: int,
    sentences: bool,
) -> None:
    reference, separate_texts = _references(each)
    samples = task.bootstrap if bootstrap is None else bootstrap
    report(
        reference,
        {team: folder / each.file for team, folder in teams.items()},
        place,
        separate_texts=separate_texts,
        alignment=AlignmentOptions(align=not task.tokenised),
        contents=ReportOptions(
            metrics=task.metrics,
            title=f"{task.title}: {each.name}",
            bootstrap=samples,
            sentences=sentences,
        ),
        annotation_options=AnnotationResources(workers=workers, language=each.language),
    )


@dataclass(frozen=True)
class Standing:
    """A team over all sets."""

    rank: Annotated[int, Shown(title="#")]
    system: str
    mean: Annotated[float, Shown(best="max")]


def _means(task: Task, scored: Mapping[TaskSet, Table]) -> Table:
    """The mean of the deciding metric over all sets, of every team, the best first."""
    metric = make_metrics(task.metrics)[0]
    values: dict[str, list[float]] = {}
    label = scored[task.sets[0]].rows[0]["metric"]
    for row in (row for table in scored.values() for row in table.rows):
        if row["metric"] == label and is_whole(row):
            values.setdefault(row["system"], []).append(row[metric.headline] or 0.0)
    means = {team: sum(its) / len(its) for team, its in values.items()}
    rows = [
        Standing(1 + sum(other > mean for other in means.values()), team, mean)
        for team, mean in sorted(means.items(), key=lambda one: -one[1])
    ]
    return table_of(rows, Standing, notes=[f"the mean of {label} over {len(scored)} sets"])


def is_whole(row: Row) -> bool:
    """Whether a row is about all corrections, not an error type or detection alone."""
    return row.get("type") is None and row.get("level") in {None, "correction"}
