"""Task bundle: a shared task as Codabench and CodaLab take it, with redink inside.

A platform unpacks the scoring program, the reference data and a submission, and runs the program
with ``input/ref``, ``input/res`` and ``output``; it reads ``output/scores.json`` (Codabench) or
``output/scores.txt`` (CodaLab). Nothing is fetched: the libraries that redink needs have to be in
the image, and the program says so if they are not.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import redink
from redink.commands.task import TASK_FILE, Task, read_task
from redink.commands.task_score import is_whole, score_submissions
from redink.errors import FormatError, OptionError
from redink.files import write_atomically, write_bytes_atomically
from redink.inputs.loading import PathLike
from redink.model import Row, Shown, Table, make_signature, table_of
from redink.options import Flag, use_case
from redink.scoring.engine import label_metrics
from redink.scoring.specs import make_metrics

_LEFT_OUT = {"campaign", "explore", "web", "scale", "cli", "detectors", "examples", "compat"}
"""Rooms that scoring does not need."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PROGRAM = '''\
"""Scores a submission with the redink that lies beside this file: score.py INPUT OUTPUT"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
try:
    from redink.commands.task_bundle import score_upload
except ImportError as error:
    sys.exit(f"the image lacks a library that redink needs ({error}); see requirements.txt")

sys.exit(score_upload(sys.argv[1], sys.argv[2]))
'''
_COMMAND = "python3 $program/score.py $input $output"
_LIBRARIES = (
    "jinja2",
    "numpy",
    "rapidfuzz",
    "sacrebleu",
    "scipy",
    "snowballstemmer<3",
    "threadpoolctl",
)


@dataclass(frozen=True)
class Packed:
    """A member of the bundle."""

    file: str
    what: Annotated[str, Shown(title="what it is")]
    bytes: int


@use_case
def task_bundle(
    task: Annotated[PathLike, Flag(value="TASK")],
    output: Annotated[PathLike, Flag(short="o", value="FILE", writes=True)] = "bundle.zip",
    *,
    image: Annotated[str, Flag(value="NAME")] = "python:3.11",
    days: Annotated[int, Flag(value="N")] = 30,
) -> Table:
    """Write a shared task as a competition bundle for Codabench, with redink inside.

    The bundle holds the competition file, pages to edit, the reference data and a scoring program.
    The program runs without a network. The image must have the libraries in requirements.txt.

    Args:
        task: the folder of the task.
        output: the .zip file to write.
        image: the Docker image that runs the scoring program.
        days: how long the one phase lasts, from tomorrow on; edit competition.yaml for more.

    Returns:
        What is inside.
    """
    if Path(output).suffix != ".zip":
        raise OptionError(f"{output}: a bundle is a .zip file")
    asked = read_task(task)
    members = {
        "competition.yaml": _competition(asked, image, days).encode(),
        "pages/overview.md": _overview(asked).encode(),
        "pages/terms.md": b"# Terms\n\nWrite here what participants agree to.\n",
        "scoring_program.zip": _pack(_program_files()),
        "reference_data.zip": _pack(_task_files(asked)),
        "public_data.zip": _pack({each.file: _read(each.source) for each in asked.sets}),
    }
    with write_bytes_atomically(output) as stream:
        stream.write(_pack(members))
    about = {
        "competition.yaml": "what the platform reads",
        "pages/overview.md": "for participants: edit it",
        "pages/terms.md": "for participants: edit it",
        "scoring_program.zip": "redink, and score.py, which the platform runs",
        "reference_data.zip": "the task with its references: keep it secret",
        "public_data.zip": "the sources, for participants",
    }
    rows = [Packed(name, about[name], len(members[name])) for name in members]
    note = f"the image {image} must have: {', '.join(_LIBRARIES)}"
    return table_of(rows, Packed, notes=[note], signature=make_signature("task bundle"))


def _pack(members: Mapping[str, bytes]) -> bytes:
    """A .zip file, the same bytes for the same members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            about = zipfile.ZipInfo(name, _EPOCH)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o644 << 16
            archive.writestr(about, content, compresslevel=1)  # models are packed already
    return buffer.getvalue()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FormatError("is named in the task file and not there", path=path) from None


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
        if (
            path.is_file()
            and "__pycache__" not in inside.parts
            and inside.parts[0] not in _LEFT_OUT
        ):
            files[f"redink/{inside.as_posix()}"] = path.read_bytes()
    return files


def _task_files(task: Task) -> dict[str, bytes]:
    files = {TASK_FILE: _read(task.folder / TASK_FILE)}
    for each in task.sets:
        for path in (each.source, *each.references):
            files[path.relative_to(task.folder).as_posix()] = _read(path)
    return files


def _score_keys(task: Task) -> Iterable[tuple[str, str]]:
    """The name of every figure on the leaderboard, and its heading."""
    labels = list(label_metrics(make_metrics(task.metrics)).values())
    for each in task.sets:
        for label in labels:
            yield _key(each.key, label), f"{each.name} {label}"


def _key(set_key: str, label: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in f"{set_key}_{label}").strip(
        "_"
    )


def _competition(task: Task, image: str, days: int) -> str:
    """The competition file; JSON is YAML."""
    start = datetime.now(tz=UTC).replace(microsecond=0, second=0) + timedelta(days=1)
    columns = [
        {"index": place, "title": title, "key": key, "sorting": "desc"}
        for place, (key, title) in enumerate(_score_keys(task))
    ]
    competition = {
        "version": 2,
        "title": task.title,
        "description": f"{task.title}, scored by redink {redink.__version__}",
        "docker_image": image,
        "terms": "pages/terms.md",
        "pages": [{"title": "Overview", "file": "pages/overview.md"}],
        "tasks": [
            {
                "index": 0,
                "name": task.title,
                "description": "All languages and tracks",
                "scoring_program": "scoring_program.zip",
                "reference_data": "reference_data.zip",
                "public_data": "public_data.zip",
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
                "tasks": [0],
            }
        ],
        "leaderboards": [{"index": 0, "title": "Results", "key": "main", "columns": columns}],
    }
    return json.dumps(competition, ensure_ascii=False, indent=2) + "\n"


def _overview(task: Task) -> str:
    files = "".join(f"- `{each.file}`: {each.name}\n" for each in task.sets)
    tokens = (
        "One sentence a line, words and marks between spaces, in the order of the source."
        if task.tokenised
        else "Text as it is; it is aligned with the source."
    )
    return (
        f"# {task.title}\n\nA submission is a .zip file with:\n\n{files}\n{tokens}\n\n"
        f"Metrics: {', '.join(task.metrics)}. Check a submission before you send it:\n\n"
        "    redink task check TASK SUBMISSION.zip\n"
    )


def score_upload(received: PathLike, results: PathLike) -> int:
    """What the platform runs: scores ``received/res`` against ``received/ref``.

    Returns:
        The exit code: 0, or 1 after a sentence on standard error that the participant sees.
    """
    import sys

    from redink.errors import RedinkError

    place, output = Path(received), Path(results)
    output.mkdir(parents=True, exist_ok=True)
    try:
        table = score_submissions(place / "ref", [place / "res"], bootstrap=0)
    except RedinkError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    task = read_task(place / "ref")
    headlines = {m.name: m.headline for m in make_metrics(task.metrics)}
    scores = dict(_figures(table.rows, headlines))
    with write_atomically(output / "scores.json") as stream:
        stream.write(json.dumps(scores, indent=1) + "\n")
    with write_atomically(output / "scores.txt") as stream:
        stream.writelines(f"{key}: {value}\n" for key, value in scores.items())
    with write_atomically(output / "detailed_results.html") as stream:
        stream.write(table.to_html())
    return 0


def _figures(rows: Iterable[Row], headlines: Mapping[str, str]) -> Iterable[tuple[str, float]]:
    for row in rows:
        if is_whole(row):
            value = row.get(headlines[row["metric"].partition("(")[0]])
            yield _key(f"{row['language']}-{row['track']}", row["metric"]), float(value or 0.0)
