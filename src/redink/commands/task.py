"""``redink shared-task init`` and ``check``: the folder of a shared task, and submissions.

::

    task.toml         title, metrics, rules, and a [[set]] for every language and track
    sources/          for participants
    references/       secret
    submissions/      one folder or .zip file per team, with an answer for every set
"""

from __future__ import annotations

import difflib
import json
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import all_or_nothing, make_folder, read_lines, write_bytes_atomically
from redink.formats import detect_format
from redink.formats.format_registry import PLAIN
from redink.inputs.input_checks import check_texts
from redink.inputs.input_options import PathLike
from redink.inputs.settings import read_settings
from redink.inputs.text_loading import load_corpus, load_references, load_texts
from redink.model import Sentence, Shown, Table, make_signature, table_of
from redink.options import Flag, NotNegative, Options, command
from redink.raw_text.sentence_matching import find_moved
from redink.reports.table_formats import group_by
from redink.scoring.specs import make_metrics, refuse_code

TASK_FILE = "task.toml"
SUBMISSIONS = "submissions"
_LARGEST = 200_000_000  # maximum size of an unpacked submission in bytes
_MOST_FILES = 1000  # maximum number of files in a submission
_ENCRYPTED = 1  # the flag of an encrypted member of a .zip file
_WITH_EDITS = (".m2", ".jsonl", ".json", ".sgml")


@dataclass(frozen=True)
class TaskSet:
    """One language in one track; the references are one file with edits, or corrected texts."""

    language: str
    track: str
    source: Path
    references: tuple[Path, ...]
    file: str  # file name of the answer in a submission

    @property
    def name(self) -> str:
        """Return the language and the track."""
        return f"{self.language} {self.track}"

    @property
    def key(self) -> str:
        """Return the name as part of a file name."""
        return f"{self.language}-{self.track}"

    @property
    def has_edits(self) -> bool:
        """Whether the references are edits rather than texts."""
        suffix = self.references[0].name.removesuffix(".gz").removesuffix(".zst")
        return len(self.references) == 1 and suffix.endswith(_WITH_EDITS)


@dataclass(frozen=True)
class Task:
    """A shared task; the first metric determines the ranking."""

    title: str
    folder: Path
    metrics: tuple[str, ...]
    tokenized: bool  # submissions have the tokens of the source; otherwise they are aligned
    bootstrap: int
    sets: tuple[TaskSet, ...]


@dataclass(frozen=True)
class _Rules(Options):
    tokenized: bool = True
    bootstrap: NotNegative = 1000


@dataclass(frozen=True)
class _Set(Options):
    source: str
    references: Sequence[str]
    language: str = "en"
    track: str = "main"
    file: str | None = None

    def place(self, folder: Path) -> TaskSet:
        """Return the set with its files in a folder."""
        file = self.file or Path(self.source).name
        if Path(file).name != file:
            raise OptionError(f"file must be a name without folders, not {file}")
        source, *references = (folder / one for one in (self.source, *self.references))
        return TaskSet(self.language, self.track, source, tuple(references), file)


@dataclass(frozen=True)
class _TaskFile(Options):
    title: str = ""
    metrics: Sequence[str] = ("errant",)
    rules: _Rules = _Rules()
    set: Sequence[_Set] = ()


def read_task(folder: PathLike, *, trust: bool = False) -> Task:
    """Read the task file in a folder.

    Its metrics may run code only with ``trust``, because the file may be somebody else's.
    """
    place = Path(folder)
    path = place / TASK_FILE if place.is_dir() else place
    if not path.exists():
        raise FormatError("does not exist; redink shared-task init writes one", path=path)
    found = read_settings(path, _TaskFile)
    try:
        if not trust:
            refuse_code(found.metrics)
        make_metrics(found.metrics)
        sets = tuple(each.place(path.parent) for each in found.set)
    except OptionError as error:
        raise FormatError(str(error), path=path) from None
    if not sets:
        raise FormatError("needs a [[set]] for every language and track", path=path)
    for names in ([each.file for each in sets], [each.key for each in sets]):
        if repeated := [name for name in names if names.count(name) > 1]:
            raise FormatError(f"two sets have the same name or file: {repeated[0]}", path=path)
    rules = found.rules
    title, metrics = found.title or place.name, tuple(found.metrics)
    return Task(title, path.parent, metrics, rules.tokenized, rules.bootstrap, sets)


@contextmanager
def opened(submission: PathLike, task: Task) -> Iterator[Path]:
    """Yield the folder of a submission; a .zip file is unpacked temporarily.

    If the task has only one set, the submission can also be the file with the answer.
    """
    path = Path(submission)
    waiting = (task.folder / SUBMISSIONS).resolve()
    if path.parent.resolve() == waiting and path.exists():
        _refuse_links([path], waiting)
    if path.is_dir():
        folder = _inner(path)
        _refuse_links([folder, *folder.iterdir()], path)
        yield folder
        return
    if not path.exists():
        raise FormatError("does not exist", path=path)
    is_archive = zipfile.is_zipfile(path)
    if not is_archive and (len(task.sets) > 1 or path.suffix == ".zip"):
        raise FormatError(
            "is neither a folder nor a .zip file with files named as in the task", path=path
        )
    with TemporaryDirectory() as place:
        try:
            if is_archive:
                unpack(path, place)
            else:
                copyfile(path, Path(place) / task.sets[0].file)
        except (OSError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            verb = "unpacked" if is_archive else "read"
            raise FormatError(f"cannot be {verb} ({error})", path=path) from None
        yield _inner(Path(place))


def _refuse_links(paths: Iterable[Path], home: Path) -> None:
    """Raise an error if a path is a link to another folder, such as that of the references."""
    for path in paths:
        if not path.resolve().is_relative_to(home.resolve()):
            raise FormatError("is a link that leaves the submission", path=path)


def unpack(path: Path, place: str) -> None:
    """Unpack a .zip file that is not too large into a folder."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        if size > _LARGEST:
            raise FormatError(
                f"unpacks to {size:,} bytes; at most {_LARGEST:,} are allowed", path=path
            )
        if len(members) > _MOST_FILES:
            raise FormatError(
                f"contains {len(members):,} files; at most {_MOST_FILES:,} are allowed", path=path
            )
        if any(member.flag_bits & _ENCRYPTED for member in members):
            raise FormatError("is protected by a password", path=path)
        archive.extractall(place)


def _inner(folder: Path) -> Path:
    """Return the folder with the files, if it is the only one in the packed folder."""
    members = [one for one in folder.iterdir() if not one.name.startswith((".", "__MACOSX"))]
    return members[0] if len(members) == 1 and members[0].is_dir() else folder


def find_submissions(task: Task, given: Iterable[Path] = ()) -> dict[str, list[Path]]:
    """Return submissions by team (name of the file or folder); by default all of the task."""
    place, single = task.folder / SUBMISSIONS, len(task.sets) == 1
    if not given and place.is_dir():
        given = (
            one
            for one in sorted(place.iterdir())
            if one.is_dir() or one.suffix == ".zip" or (single and not one.name.startswith("."))
        )
    return group_by(given, lambda one: one.stem if one.is_file() else one.name)


# ---- shared-task init


@dataclass(frozen=True)
class TaskFile:
    """A file of a new task."""

    file: str
    what: Annotated[str, Shown(title="content")]


@command
def init_task(
    folder: Annotated[PathLike, Flag(value="DIR")],
    *,
    title: str = "A shared task",
    languages: Annotated[Sequence[str], Flag(name="language", value="CODE,...")] = ("en",),
    tracks: Annotated[Sequence[str], Flag(name="track", value="NAME,...")] = ("main",),
    source: PathLike | None = None,
    references: Annotated[Sequence[PathLike], Flag(name="reference", repeat=True)] = (),
) -> Table:
    """Create the folder of a shared task: a task file, and folders for sources and references.

    With one language and track, you can give the source and the references here. Without a source,
    redink takes the source from the S lines of the M2 reference.

    Args:
        folder: folder to create, which must be new or empty.
        title: name of the task.
        languages: language codes.
        tracks: names of the tracks.
        source: text that participants correct.
        references: one file with edits, or one corrected text per annotator.

    Returns:
        One row per file.
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise OptionError(f"{place} exists and is not empty; a task needs a new or empty folder")
    pairs = [(language, track) for language in languages for track in tracks]
    if (source or references) and len(pairs) > 1:
        raise OptionError("--source and --reference need a single language and a single track")
    if source and not references:
        raise OptionError("--source needs at least one --reference")
    if references:
        _check_references(source, references)
    sets = [_name_files(*pair, references) for pair in pairs]
    contents = {TASK_FILE: _task_text(title, sets).encode()}
    for each in sets if references else ():
        for own, given in zip(each.references, references, strict=True):
            contents[str(own)] = Path(given).read_bytes()
        contents[str(each.source)] = _read_source(source, references[0])
    with all_or_nothing():
        for made in (place, *(place / name for name in ("sources", "references", SUBMISSIONS))):
            make_folder(made)
        for name, content in contents.items():
            with write_bytes_atomically(place / name) as stream:
                stream.write(content)
    rows = [TaskFile(TASK_FILE, "title, metrics, rules and sets: edit it")]
    for each in sets:
        rows.append(TaskFile(each.source.as_posix(), "source, for participants"))
        rows += [TaskFile(own.as_posix(), "reference: keep it secret") for own in each.references]
    missing = [] if references else [row.file for row in rows[1:]]
    rows.append(TaskFile(f"{SUBMISSIONS}/", "one folder or .zip file per team"))
    notes = [f"Add these files: {', '.join(missing)}"] if missing else []
    return table_of(rows, TaskFile, notes=notes, signature=make_signature("shared-task init"))


def _check_references(source: PathLike | None, references: Sequence[PathLike]) -> None:
    """Reject a single text, which would become its own source; warn if lines do not match."""
    if source is None:
        load_references(references[0])
        return
    said = ""
    if detect_format(references[0]).name in PLAIN | {"documents", "multigec"}:
        try:
            load_references(source=source, references=list(references))
        except DataError as error:
            said = str(error)
    else:
        sizes = len(load_references(references[0])), len(load_texts(source))
        if sizes[0] != sizes[1]:
            said = f"{references[0]} has {sizes[0]} sentences, {source} has {sizes[1]}"
    if said:
        warnings.warn(
            f"{said}: the task cannot be scored until they match, or tokenized is false",
            RedinkWarning,
            stacklevel=3,
        )


def _name_files(language: str, track: str, references: Sequence[PathLike]) -> TaskSet:
    name = language if track == "main" else f"{language}-{track}"
    numbers = [""] if len(references) < 2 else [f".{i}" for i in range(len(references))]
    suffixes = [Path(one).suffix for one in references] or [".m2"]
    own = (f"references/{name}{n}{s}" for n, s in zip(numbers, suffixes, strict=True))
    return TaskSet(language, track, Path(f"sources/{name}.txt"), tuple(map(Path, own)), "")


def _read_source(source: PathLike | None, reference: PathLike) -> bytes:
    if source is not None:
        return Path(source).read_bytes()
    sentences = load_corpus(reference).sentences
    return "".join(f"{sentence.source}\n" for sentence in sentences).encode()


def _task_text(title: str, sets: Sequence[TaskSet]) -> str:
    # strings of JSON are strings of TOML
    texts = "".join(
        f"\n[[set]]\nlanguage = {json.dumps(each.language)}\ntrack = {json.dumps(each.track)}\n"
        f"source = {json.dumps(each.source.as_posix())}\n"
        f"references = {json.dumps([one.as_posix() for one in each.references])}\n"
        f"file = {json.dumps(each.source.name)}  # file name of the answer in a submission\n"
        for each in sets
    )
    return (
        f"title = {json.dumps(title, ensure_ascii=False)}\n"
        'metrics = ["errant", "gleu"]  # the first determines the ranking; see redink metrics\n\n'
        "[rules]\n"
        "tokenized = true  # false: raw text, which redink aligns with the source\n"
        f"bootstrap = 1000  # samples for confidence intervals and groups\n{texts}"
    )


# ---- shared-task check

Verdict = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class SubmissionFinding:
    """A problem, a note, or a file without problems."""

    set: str
    file: str
    verdict: Verdict
    line: Annotated[int | None, Shown(optional=True)]
    what: str


@command
def check_submission(
    task: Annotated[PathLike, Flag(value="TASK")],
    submission: Annotated[PathLike, Flag(value="SUBMISSION")],
    *,
    trust: bool = False,
) -> Table:
    """Check a submission before sending it: file names, encoding, line counts, tokens, line order.

    SUBMISSION is a folder or a .zip file with one answer file per set, named as in the task file.
    For a task with one set, SUBMISSION can also be the answer file. The exit code is 1 if there is
    a problem; notes are not problems. The check does not use the references, so participants can
    run it with only the sources.

    Args:
        task: the folder of the task.
        submission: the folder or .zip file.
        trust: accept metrics in the task file that run code or load models.

    Returns:
        One row per problem or note, and per file without problems.
    """
    asked = read_task(task, trust=trust)
    with opened(submission, asked) as folder:
        rows = list(find_problems(asked, folder))
    problems = sum(row.verdict == "problem" for row in rows)
    note = f"{problems} problem{'s' * (problems != 1)}" if problems else "Ready to send."
    return table_of(
        rows, SubmissionFinding, notes=[note], signature=make_signature("shared-task check")
    )


def find_problems(task: Task, folder: Path) -> Iterator[SubmissionFinding]:
    """Yield the problems of the files in a folder, set by set."""
    there = {path.name for path in folder.iterdir() if path.is_file()}
    expected = {each.file for each in task.sets}
    for each in task.sets:
        if each.file not in there:
            near = difflib.get_close_matches(each.file, sorted(there - expected), n=1)
            hint = f"; is it {near[0]}?" if near else ""
            yield SubmissionFinding(each.name, each.file, "problem", None, f"is missing{hint}")
            continue
        found = list(_look_at(each, folder / each.file, tokenized=task.tokenized))
        if not any(finding.verdict == "problem" for finding in found):
            yield SubmissionFinding(each.name, each.file, "ok", None, "")
        yield from found
    for name in sorted(there - expected):
        if not name.startswith("."):
            yield SubmissionFinding("", name, "note", None, "is not part of the task (ignored)")


def _look_at(each: TaskSet, path: Path, *, tokenized: bool) -> Iterator[SubmissionFinding]:
    def tell(verdict: Verdict, line: int | None, what: str) -> SubmissionFinding:
        return SubmissionFinding(each.name, each.file, verdict, line, what)

    raw = path.read_bytes()
    if not raw.strip():
        yield tell("problem", None, "is empty")
    elif raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield tell("problem", 1, "is UTF-16; expected UTF-8")
    elif (at := _find_bad_byte(raw)) is not None:
        line = raw[:at].count(b"\n") + 1
        yield tell("problem", line, "contains a NUL character" if raw[at] == 0 else "is not UTF-8")
    else:
        text = raw.decode("utf-8-sig").removesuffix("\n")
        lines = [line.removesuffix("\r") for line in text.split("\n")]
        source = [line for _, line in read_lines(each.source)]
        if lines == source:
            yield tell("note", None, "is identical to the source")
        elif tokenized:
            yield from (tell(*found) for found in _compare_lines(source, lines))


def _find_bad_byte(raw: bytes) -> int | None:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error.start
    return raw.index(0) if 0 in raw else None


def _compare_lines(
    source: Sequence[str], lines: Sequence[str]
) -> Iterator[tuple[Verdict, int | None, str]]:
    sources, texts = (list(map(Sentence.from_line, some)) for some in (source, lines))
    moved = find_moved([s.tokens for s in sources], [t.tokens for t in texts])
    if len(lines) != len(source):
        line, home = next(iter(moved.homes.items()), (None, 0))
        what = f"has {len(lines)} lines, the source has {len(source)}"
        if line is None:
            yield "problem", None, what
        else:
            fault = "a line before it is missing" if home > line else "a line before it is extra"
            where = f"line {line + 1} matches source line {home + 1}: {fault}"
            yield "problem", line + 1, f"{what}; {where}"
        return
    suspicious = list(check_texts(sources, {"": texts}))
    for found in suspicious:
        verdict: Verdict = "problem" if found.severe else "note"
        yield verdict, found.line, f"{found.problem}; {found.advice}"
    if moved.far and not any(found.severe for found in suspicious):
        what = f"{len(moved.far)} with little in common with the source"
        yield "note", moved.far[0] + 1, what
