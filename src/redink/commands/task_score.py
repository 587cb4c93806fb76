"""``redink shared-task score``, ``board`` and ``bundle``: scores of a shared task."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import redink
from redink.commands.report import PAGE_NAME, ReportOptions, report
from redink.commands.score import score
from redink.commands.task import (
    TASK_FILE,
    Task,
    TaskSet,
    find_problems,
    find_submissions,
    opened,
    read_task,
)
from redink.errors import DataError, FormatError, OptionError, RedinkError
from redink.evaluation import EvaluationOptions
from redink.files import make_folder, write_atomically, write_bytes_atomically
from redink.inputs.input_options import PathLike
from redink.model import (
    Column,
    Row,
    Shown,
    Table,
    make_signature,
    make_table,
    table_of,
)
from redink.options import Flag, NotNegative, Positive, Seed, command
from redink.progress import tell
from redink.reports.html import render_board
from redink.scoring.engine import label_metrics
from redink.scoring.specs import make_metrics

BOARD = "index.html"


@command
def score_submissions(
    task: Annotated[PathLike, Flag(value="TASK")],
    submissions: Annotated[Sequence[PathLike], Flag(value="[SUBMISSION]...", many=True)] = (),
    *,
    bootstrap: NotNegative | None = None,
    trust: bool = False,
    workers: Positive = 1,
    seed: Seed = 1,
) -> Table:
    """Score one submission to a shared task, several, or all submissions in its folder.

    A submission is a folder or a .zip file named after the team. Submissions in which
    redink shared-task check finds a problem are excluded, with a note.

    Args:
        task: folder of the task.
        submissions: submissions. By default all in the folder ``submissions``.
        bootstrap: number of bootstrap samples for confidence intervals and groups; 0 for none. By
            default as in the task file.
        trust: accept metrics in the task file that run code or load models.
        workers: number of processes.
        seed: random seed.

    Returns:
        One row per language, track, team and metric.
    """
    asked = read_task(task, trust=trust)
    with gathered(asked, submissions) as (teams, notes):
        scored = {
            each: score_set(each, asked, teams, bootstrap=bootstrap, workers=workers, seed=seed)
            for each in asked.sets
        }
    return _join(asked, scored, notes)


@contextmanager
def gathered(
    task: Task, submissions: Sequence[PathLike]
) -> Iterator[tuple[dict[str, Path], list[str]]]:
    """Yield the folders of the submissions by team, and a note about each excluded one."""
    wanted = find_submissions(task, list(map(Path, submissions)))
    if not wanted:
        raise OptionError(f"no submissions; put them into {task.folder / 'submissions'}")
    with ExitStack() as stack:
        teams, notes = {}, []
        for team, (path, *others) in wanted.items():
            if others:
                notes.append(f"{team} is excluded: it has two submissions, {path} and {others[0]}")
                continue
            try:
                folder = stack.enter_context(opened(path, task))
            except FormatError as error:
                if not path.exists():
                    raise
                notes.append(f"{team} is excluded: {error}")
                continue
            problems = (f for f in find_problems(task, folder) if f.verdict == "problem")
            if (first := next(problems, None)) is None:
                teams[team] = folder
            else:
                where = f"{first.file}, line {first.line}" if first.line else first.file
                notes.append(f"{team} is excluded: {where}: {first.what}")
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
    """Score all teams in one language and track."""
    tell(each.name, 0, None)
    samples = task.bootstrap if bootstrap is None else bootstrap
    inputs = _inputs(each, task, teams, workers)
    return score(**inputs, metrics=task.metrics, bootstrap=samples or None, seed=seed)


def _inputs(each: TaskSet, task: Task, teams: Mapping[str, Path], workers: int) -> dict[str, Any]:
    separate = not each.has_edits
    return {
        "reference": each.references[0] if each.has_edits else None,
        "systems": {team: folder / each.file for team, folder in teams.items()},
        "evaluation_options": EvaluationOptions(
            align=not task.tokenized,
            workers=workers,
            language=each.language,
            source=each.source if separate else None,
            references=each.references if separate else (),
        ),
    }


def _join(task: Task, scored: Mapping[TaskSet, Table], notes: Sequence[str]) -> Table:
    columns: dict[str, Column] = {name: Column(name) for name in ("language", "track")}
    rows: list[Row] = []
    told = list(notes)
    for each, table in scored.items():
        for column in table.columns:
            columns.setdefault(column.name, column)
        rows += [{"language": each.language, "track": each.track, **row} for row in table.rows]
        told += [note for note in table.notes if note not in told]
    shown = [c for c in columns.values() if any(row.get(c.name) is not None for row in rows)]
    data = {each.key: table.signature.get("data") for each, table in scored.items()}
    signature = make_signature("shared-task score", metrics=list(task.metrics), data=data)
    groups = "language" if len(scored) > 1 else None
    return make_table(shown, rows, notes=told, signature=signature, groups=groups)


@command
def task_board(
    task: Annotated[PathLike, Flag(value="TASK")],
    submissions: Annotated[Sequence[PathLike], Flag(value="[SUBMISSION]...", many=True)] = (),
    output: Annotated[PathLike, Flag(name="output", short="o", value="DIR", writes=True)] = "board",
    *,
    bootstrap: NotNegative | None = None,
    reports: Annotated[bool, Flag(name="reports", off="no-reports")] = True,
    publish_references: bool = False,
    trust: bool = False,
    workers: Positive = 1,
    seed: Seed = 1,
) -> Table:
    """Write the leaderboard page of a shared task, and one report per language and track.

    Teams that share a letter are not significantly different (paired bootstrap, Holm-adjusted
    p ≥ .05). You can open the pages from disk; they load nothing from the network and do not
    contain the references.

    Args:
        task: folder of the task.
        submissions: submissions. By default all in the folder ``submissions``.
        output: output folder of the pages.
        bootstrap: number of bootstrap samples for confidence intervals and groups; 0 for none. By
            default as in the task file.
        reports: write one report per language and track. By default yes.
        publish_references: show every sentence with the edits of references and teams in the
            reports.
        trust: accept metrics in the task file that run code or load models.
        workers: number of processes.
        seed: random seed.

    Returns:
        The scores.
    """
    asked = read_task(task, trust=trust)
    place = Path(output)
    make_folder(place)
    samples = asked.bootstrap if bootstrap is None else bootstrap
    with gathered(asked, submissions) as (teams, notes):
        scored: dict[TaskSet, Table] = {}
        sections = []
        for each in asked.sets:
            table = score_set(each, asked, teams, bootstrap=samples, workers=workers, seed=seed)
            scored[each] = table
            if reports:
                contents = ReportOptions(
                    metrics=asked.metrics,
                    title=f"{asked.title}: {each.name}",
                    bootstrap=samples,
                    sentences=publish_references,
                    seed=seed,
                )
                inputs = _inputs(each, asked, teams, workers)
                report(**inputs, output=place / each.key, contents=contents)
            link = f"{each.key}/{PAGE_NAME}" if reports else None
            sections.append((each.name, table, link))
    if len(asked.sets) > 1:
        sections.insert(0, ("All together", _means(asked, scored), None))
    with write_atomically(place / BOARD) as stream:
        stream.write(render_board(asked.title, sections, notes))
    table = _join(asked, scored, notes)
    return replace(table, notes=(f"Leaderboard: {place / BOARD}", *table.notes))


@dataclass(frozen=True)
class Standing:
    """The mean scores of a team over all sets."""

    rank: Annotated[int, Shown(title="#")]
    system: str
    mean: float


def _means(task: Task, scored: Mapping[TaskSet, Table]) -> Table:
    """Rank the teams by the mean of the first metric over all sets."""
    metric = make_metrics(task.metrics)[0]
    values: dict[str, list[float]] = {}
    label = scored[task.sets[0]].rows[0]["metric"]
    for row in (row for table in scored.values() for row in table.rows):
        if row["metric"] == label and _is_whole(row):
            values.setdefault(row["system"], []).append(row[metric.headline] or 0.0)
    means = {team: sum(its) / len(its) for team, its in values.items()}
    rows = [
        Standing(
            1 + sum(metric.orient(other) > metric.orient(mean) for other in means.values()),
            team,
            mean,
        )
        for team, mean in sorted(means.items(), key=lambda one: -metric.orient(one[1]))
    ]
    return table_of(rows, Standing, notes=[f"Mean of {label} over {len(scored)} sets."])


def _is_whole(row: Row) -> bool:
    """Return whether a row is about all corrections, not one error type or only detection."""
    return row.get("type") is None and row.get("level") in {None, "correction"}


# ---- shared-task bundle: the task as a competition on Codabench or CodaLab, with redink inside
#
# A platform unpacks the scoring program, the reference data and a submission, and runs the program
# with input/ref, input/res and output; it reads output/scores.json (Codabench) or
# output/scores.txt (CodaLab).

# packages that scoring does not need
_LEFT_OUT = {"campaign", "explore", "web", "scale", "cli", "detectors", "examples", "compat"}
_LOGO = "logo.png"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PROGRAM = '''\
"""Score a submission with the redink next to this file: score.py INPUT OUTPUT"""

import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))
try:
    from redink.commands.task_score import score_upload
except ImportError:  # install the libraries that the image does not have
    added = mkdtemp()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", added]
    if subprocess.call([*pip, "--requirement", str(here / "requirements.txt")]):
        sys.exit("pip cannot install the libraries that the image lacks; see requirements.txt")
    sys.path.insert(0, added)
    for name in [name for name in sys.modules if name.partition(".")[0] == "redink"]:
        del sys.modules[name]
    from redink.commands.task_score import score_upload

sys.exit(score_upload(sys.argv[1], sys.argv[2]))
'''
_TERMS = b"# Terms\n\nWrite here what participants agree to.\n"
_COMMAND = "python3 $program/score.py $input $output"
_LIBRARIES = (
    "click>=8.2",
    "filelock>=3.15",
    "jinja2>=3.1",
    "numpy>=1.26",
    "platformdirs>=4.2",
    "rapidfuzz>=3.6",
    "rich>=13.7",
    "sacrebleu>=2.4",
    "snowballstemmer>=2.2,<3",
    "threadpoolctl>=3.2",
)
"""The required libraries of redink; a test compares them with ``pyproject.toml``."""


@dataclass(frozen=True)
class Packed:
    """A member of the bundle."""

    file: str
    what: Annotated[str, Shown(title="content")]
    bytes: int


@command
def task_bundle(
    task: Annotated[PathLike, Flag(value="TASK")],
    output: Annotated[PathLike, Flag(short="o", value="FILE", writes=True)] = "bundle.zip",
    *,
    image: Annotated[str, Flag(value="NAME")] = "python:3.11",
    days: Annotated[int, Flag(value="N")] = 30,
    trust: bool = False,
) -> Table:
    """Write a shared task as a competition bundle for Codabench, with redink inside.

    The bundle contains the competition file, pages to edit, the reference data and a scoring
    program. The program installs the libraries in requirements.txt that the image does not have;
    with all of them, it needs no network.

    Args:
        task: folder of the task.
        output: .zip file to write.
        image: Docker image that runs the scoring program.
        days: length of the only phase in days, starting tomorrow; edit competition.yaml for more
            phases.
        trust: accept metrics in the task file that run code or load models.

    Returns:
        One row per file in the bundle.
    """
    if Path(output).suffix != ".zip":
        raise OptionError(f"{output}: must be a .zip file")
    asked = read_task(task, trust=trust)
    data = {each.file: _read(each.source) for each in asked.sets}
    members = [
        ("competition.yaml", "read by the platform", _competition(asked, image, days).encode()),
        (_LOGO, "the logo: replace it", (Path(__file__).parent / "resources" / _LOGO).read_bytes()),
        ("pages/overview.md", "for participants: edit it", _overview(asked).encode()),
        ("pages/terms.md", "for participants: edit it", _TERMS),
        (
            "scoring_program.zip",
            "redink, and score.py, which the platform runs",
            pack(_program_files()),
        ),
        (
            "reference_data.zip",
            "the task with its references: keep it secret",
            pack(_task_files(asked)),
        ),
        ("public_data.zip", "the sources, for participants", pack(data)),
    ]
    with write_bytes_atomically(output) as stream:
        stream.write(pack({name: content for name, _, content in members}))
    rows = [Packed(name, what, len(content)) for name, what, content in members]
    note = f"Libraries that are installed if {image} does not have them: {', '.join(_LIBRARIES)}"
    return table_of(rows, Packed, notes=[note], signature=make_signature("shared-task bundle"))


def pack(members: Mapping[str, bytes]) -> bytes:
    """Return a .zip file; equal members give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            about = zipfile.ZipInfo(name, _EPOCH)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o644 << 16
            archive.writestr(about, content, compresslevel=1)  # models are already compressed
    return buffer.getvalue()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FormatError("is named in the task file but does not exist", path=path) from None


def _program_files() -> dict[str, bytes]:
    package = Path(redink.__file__).parent
    files = {
        "score.py": _PROGRAM.encode(),
        "metadata.yaml": f"command: {_COMMAND}\n".encode(),
        "metadata": f"command: {_COMMAND}\n".encode(),
        "requirements.txt": "".join(f"{one}\n" for one in _LIBRARIES).encode(),
    }
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(package)
        is_needed = inside.parts[0] not in _LEFT_OUT and "__pycache__" not in inside.parts
        if path.is_file() and is_needed:
            files[f"redink/{inside.as_posix()}"] = path.read_bytes()
    return files


def _task_files(task: Task) -> dict[str, bytes]:
    files = {TASK_FILE: _read(task.folder / TASK_FILE)}
    for each in task.sets:
        for path in (each.source, *each.references):
            files[path.relative_to(task.folder).as_posix()] = _read(path)
    return files


def _key(set_key: str, label: str) -> str:
    letters = (letter if letter.isalnum() else "_" for letter in f"{set_key}_{label}")
    return "".join(letters).strip("_")


def _competition(task: Task, image: str, days: int) -> str:
    """Return the competition file; JSON is YAML."""
    start = datetime.now(tz=UTC).replace(microsecond=0, second=0) + timedelta(days=1)
    labels = list(label_metrics(make_metrics(task.metrics)).values())
    scores = ((each, label) for each in task.sets for label in labels)
    columns = [
        {
            "index": place,
            "title": f"{each.name} {label}",
            "key": _key(each.key, label),
            "sorting": "desc",
        }
        for place, (each, label) in enumerate(scores)
    ]
    competition = {
        "version": 2,
        "title": task.title,
        "description": f"{task.title}, scored by redink {redink.__version__}",
        "image": _LOGO,
        "docker_image": image,
        "enable_detailed_results": True,
        "terms": "pages/terms.md",
        "pages": [{"title": "Overview", "file": "pages/overview.md"}],
        "tasks": [
            {
                "index": 0,
                "name": task.title,
                "description": "All languages and tracks",
                "scoring_program": "scoring_program.zip",
                "reference_data": "reference_data.zip",
            }
        ],
        "phases": [
            {
                "index": 0,
                "name": "Evaluation",
                "description": "Submissions are scored",
                "start": start.isoformat(),
                "end": (start + timedelta(days=days)).isoformat(),
                "max_submissions_per_day": 5,
                "public_data": "public_data.zip",
                "tasks": [0],
            }
        ],
        "leaderboards": [{"index": 0, "title": "Results", "key": "main", "columns": columns}],
    }
    return json.dumps(competition, ensure_ascii=False, indent=2) + "\n"


def _overview(task: Task) -> str:
    files = "".join(f"- `{each.file}`: {each.name}\n" for each in task.sets)
    tokens = (
        "One sentence per line, words and marks separated by spaces, in the order of the source."
        if task.tokenized
        else "Raw text; redink aligns it with the source."
    )
    return (
        f"# {task.title}\n\nA submission is a .zip file with:\n\n{files}\n{tokens}\n\n"
        f"Metrics: {', '.join(task.metrics)}. Check a submission before you send it:\n\n"
        "    redink shared-task check TASK SUBMISSION.zip\n"
    )


def score_upload(received: PathLike, results: PathLike) -> int:
    """Score ``received/res`` against ``received/ref`` on the platform.

    Return the exit code: 0, or 1 after a message for the participant on standard error.
    """
    place, output = Path(received), Path(results)
    output.mkdir(parents=True, exist_ok=True)
    try:
        table = score_submissions(place / "ref", [place / "res"], bootstrap=0, trust=True)
    except RedinkError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    task = read_task(place / "ref", trust=True)
    headlines = {m.name: m.headline for m in make_metrics(task.metrics)}
    scores: dict[str, float] = {}
    for row in filter(_is_whole, table.rows):
        value = row.get(headlines[row["metric"].partition("(")[0]])
        key = _key(f"{row['language']}-{row['track']}", row["metric"])
        scores[key] = float(value or 0.0)
    with write_atomically(output / "scores.json") as stream:
        stream.write(json.dumps(scores, indent=1) + "\n")
    with write_atomically(output / "scores.txt") as stream:
        stream.writelines(f"{key}: {value}\n" for key, value in scores.items())
    with write_atomically(output / "detailed_results.html") as stream:
        stream.write(table.to_html())
    return 0
