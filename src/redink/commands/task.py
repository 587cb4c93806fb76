"""``redink task init`` and ``task check``: the folder of a shared task, and submissions.

::

    task.toml         title, metrics, rules, and a [[set]] for every language and track
    sources/          for participants
    references/       secret
    submissions/      one folder or .zip file per team, with an answer for every set
"""

from __future__ import annotations

import difflib
import json
import tomllib
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import all_or_nothing, make_folder, read_lines, write_bytes_atomically
from redink.formats import detect_format
from redink.formats.format_registry import PLAIN
from redink.inputs.input_checks import check_texts
from redink.inputs.input_options import PathLike
from redink.inputs.text_loading import load_corpus, load_references, load_texts
from redink.model import Sentence, Shown, Table, make_signature, table_of
from redink.options import Flag, command
from redink.raw_text.sentence_matching import find_moved
from redink.scoring.specs import make_metrics

TASK_FILE = "task.toml"
SUBMISSIONS = "submissions"
_LARGEST = 200_000_000  # bytes that a submission may unpack to
_ENCRYPTED = 1  # the flag of an encrypted member of a .zip file
_WITH_EDITS = (".m2", ".jsonl", ".json", ".sgml")


@dataclass(frozen=True)
class TaskSet:
    """One language in one track; the references are one file with edits, or corrected texts."""

    language: str
    track: str
    source: Path
    references: tuple[Path, ...]
    file: str  # the name of the answer in a submission

    @property
    def name(self) -> str:
        """Language and track."""
        return f"{self.language} {self.track}"

    @property
    def key(self) -> str:
        """The name as part of a file name."""
        return f"{self.language}-{self.track}"

    @property
    def has_edits(self) -> bool:
        """Whether the references are edits rather than texts."""
        suffix = self.references[0].name.removesuffix(".gz").removesuffix(".zst")
        return len(self.references) == 1 and suffix.endswith(_WITH_EDITS)


@dataclass(frozen=True)
class Task:
    """A shared task; the first metric decides."""

    title: str
    folder: Path
    metrics: tuple[str, ...]
    tokenised: bool  # submissions have the tokens of the source; otherwise they are aligned
    bootstrap: int
    sets: tuple[TaskSet, ...]


_KNOWN = {
    "": {"title": "text", "metrics": "texts", "rules": "table", "set": "tables"},
    "rules": {"tokenised": "flag", "bootstrap": "count"},
    "set": dict.fromkeys(("language", "track", "source", "file"), "text") | {"references": "texts"},
}
_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "text": ("a text in quotes", lambda value: isinstance(value, str)),
    "texts": (
        "a list of texts",
        lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    ),
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "count": ("a number, 0 or more", lambda value: type(value) is int and value >= 0),
    "table": ("a table of keys and values", lambda value: isinstance(value, dict)),
    "tables": ("one table or more, each below [[set]]", lambda value: isinstance(value, list)),
}
_MAY_BE_ONE = ("metrics", "references")


def read_task(folder: PathLike) -> Task:
    """Read the task file in a folder."""
    place = Path(folder)
    path = place / TASK_FILE if place.is_dir() else place
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError("is not there; redink task init writes one", path=path) from None
    except UnicodeDecodeError:
        raise FormatError("is not a task file (it is not UTF-8)", path=path) from None
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"is not a task file ({error})", path=path) from None
    _check_keys(path, "", found)
    rules, sets = found.get("rules", {}), found.get("set", [])
    if not sets:
        raise FormatError("needs a [[set]] for every language and track", path=path)
    for where, members in (("rules", [rules]), ("set", sets)):
        for member in members:
            _check_keys(path, where, member)
    metrics = tuple(found.get("metrics", ("errant",)))
    try:
        make_metrics(metrics)
    except OptionError as error:
        raise FormatError(str(error), path=path) from None
    made = tuple(_read_set(path, each) for each in sets)
    for names in ([each.file for each in made], [each.key for each in made]):
        if repeated := [name for name in names if names.count(name) > 1]:
            raise FormatError(f"two sets have the same name or file: {repeated[0]}", path=path)
    return Task(
        found.get("title", place.name),
        path.parent,
        metrics,
        rules.get("tokenised", True),
        rules.get("bootstrap", 1000),
        made,
    )


def _check_keys(path: Path, where: str, member: Any) -> None:
    if not isinstance(member, dict):
        raise FormatError(f"[[{where}]] has keys and values", path=path)
    for key, value in member.items():
        if key not in _KNOWN[where]:
            known = ", ".join(sorted(_KNOWN[where]))
            raise FormatError(f"unknown key {key!r}; expected one of: {known}", path=path)
        words, fits = _KINDS[_KNOWN[where][key]]
        if key in _MAY_BE_ONE and isinstance(value, str):
            member[key] = [value]
        elif not fits(value):
            raise FormatError(f"{key} is {words}, not {value!r}", path=path)


def _read_set(path: Path, given: dict[str, Any]) -> TaskSet:
    language, track = given.get("language", "en"), given.get("track", "main")
    references = given.get("references", [])
    if "source" not in given or not references:
        raise FormatError(f"the set {language} {track} needs source and references", path=path)
    folder = path.parent
    file = given.get("file", Path(given["source"]).name)
    if Path(file).name != file:
        raise FormatError(f"file must be a name without folders, not {file}", path=path)
    own_references = tuple(folder / one for one in references)
    return TaskSet(language, track, folder / given["source"], own_references, file)


@contextmanager
def opened(submission: PathLike, task: Task) -> Iterator[Path]:
    """Yield the folder of a submission; a .zip file is unpacked temporarily.

    If the task has only one set, the submission can also be the file with the answer.
    """
    path = Path(submission)
    if path.is_dir():
        yield _inner(path)
        return
    if not path.exists():
        raise FormatError("is not there", path=path)
    is_archive = zipfile.is_zipfile(path)
    if not is_archive and (len(task.sets) > 1 or path.suffix == ".zip"):
        raise FormatError(
            "is neither a folder nor a .zip file with files named as in the task", path=path
        )
    with TemporaryDirectory() as place:
        try:
            if is_archive:
                _unpack(path, place)
            else:
                copyfile(path, Path(place) / task.sets[0].file)
        except (OSError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            verb = "unpacked" if is_archive else "read"
            raise FormatError(f"cannot be {verb} ({error})", path=path) from None
        yield _inner(Path(place))


def _unpack(path: Path, place: str) -> None:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        if size > _LARGEST:
            raise FormatError(f"unpacks to {size:,} bytes; {_LARGEST:,} are allowed", path=path)
        if any(member.flag_bits & _ENCRYPTED for member in members):
            raise FormatError("is locked with a password", path=path)
        archive.extractall(place)


def _inner(folder: Path) -> Path:
    """Return the folder with the files, if it is the only one in the packed folder."""
    members = [one for one in folder.iterdir() if not one.name.startswith((".", "__MACOSX"))]
    return members[0] if len(members) == 1 and members[0].is_dir() else folder


def submissions_of(task: Task) -> dict[str, Path]:
    """Return the submissions in the folder of the task by team."""
    place = task.folder / SUBMISSIONS
    found = sorted(place.iterdir()) if place.is_dir() else []
    single = len(task.sets) == 1
    return by_team(
        one
        for one in found
        if one.is_dir() or one.suffix == ".zip" or (single and not one.name.startswith("."))
    )


def by_team(submissions: Iterable[Path]) -> dict[str, Path]:
    """Return submissions by team: the name of the file or folder. A team can have only one."""
    teams: dict[str, Path] = {}
    for one in submissions:
        team = one.stem if one.is_file() else one.name
        if team in teams:
            raise DataError(f"{teams[team]} and {one} are both by {team}; give one of them")
        teams[team] = one
    return teams


# ---- task init


@dataclass(frozen=True)
class TaskFile:
    """A file of a new task."""

    file: str
    what: Annotated[str, Shown(title="what it is")]


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
    """Make the folder of a shared task: a task file, and places for sources and references.

    With one language and track, the source and the references can be given here; of an M2 file
    alone, the source is what its S lines say.

    Args:
        folder: the folder, which must be new or empty.
        title: the name of the task.
        languages: their codes.
        tracks: their names.
        source: the text that participants correct.
        references: one file with edits, or a corrected text for every annotator.

    Returns:
        What was made.
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise OptionError(f"{place} is there and not empty; a task needs a folder of its own")
    pairs = [(language, track) for language in languages for track in tracks]
    if (source or references) and len(pairs) > 1:
        raise OptionError("--source and --reference go with one language and one track")
    if source and not references:
        raise OptionError("--source needs at least one --reference")
    if references:
        _check_references(source, references)
    contents: dict[str, bytes] = {}
    files = [_name_files(*pair, source, references, contents) for pair in pairs]
    contents[TASK_FILE] = _task_text(title, pairs, files).encode()
    with all_or_nothing():
        for made in (place, *(place / name for name in ("sources", "references", SUBMISSIONS))):
            make_folder(made)
        for name, content in contents.items():
            with write_bytes_atomically(place / name) as stream:
                stream.write(content)
    rows = [TaskFile(TASK_FILE, "title, metrics, rules and sets: edit it")]
    for own_source, own_references in files:
        rows.append(TaskFile(own_source, "what participants get"))
        rows += [TaskFile(reference, "what they do not") for reference in own_references]
    rows.append(TaskFile(f"{SUBMISSIONS}/", "a folder or a .zip file a team"))
    missing = [] if references else [row.file for row in rows[1:-1]]
    notes = [f"put these there: {', '.join(missing)}"] if missing else []
    return table_of(rows, TaskFile, notes=notes, signature=make_signature("task init"))


def _check_references(source: PathLike | None, references: Sequence[PathLike]) -> None:
    """Reject a single text, which would become its own source; warn if lines do not match."""
    said = ""
    if source is None:
        load_references(references[0])
    elif detect_format(references[0]).name in PLAIN | {"documents", "multigec"}:
        try:
            load_references(source=source, references=list(references))
        except DataError as error:
            said = str(error)
    else:
        ours, theirs = len(load_texts(source)), len(load_references(references[0]).sources)
        if ours != theirs:
            said = f"{references[0]} has {theirs} sentences, {source} has {ours}"
    if said:
        warnings.warn(
            f"{said}: nothing can be scored until they match, or the task says tokenised = false",
            RedinkWarning,
            stacklevel=3,
        )


def _name_files(
    language: str,
    track: str,
    source: PathLike | None,
    references: Sequence[PathLike],
    contents: dict[str, bytes],
) -> tuple[str, list[str]]:
    """Return the names of the source and references of a set; add given files to the contents."""
    name = language if track == "main" else f"{language}-{track}"
    own_source = f"sources/{name}.txt"
    if not references:
        return own_source, [f"references/{name}.m2"]
    copies = [
        f"references/{name}{'' if len(references) == 1 else f'.{number}'}{Path(one).suffix}"
        for number, one in enumerate(references)
    ]
    contents |= {copy: Path(one).read_bytes() for one, copy in zip(references, copies, strict=True)}
    if source is not None:
        contents[own_source] = Path(source).read_bytes()
    else:
        corpus = load_corpus(references[0])
        lines = (f"{sentence.source}\n" for sentence in corpus.sentences)
        contents[own_source] = "".join(lines).encode()
    return own_source, copies


def _task_text(
    title: str, pairs: Sequence[tuple[str, str]], files: Sequence[tuple[str, list[str]]]
) -> str:
    # strings of JSON are strings of TOML
    sets = "".join(
        f"\n[[set]]\nlanguage = {json.dumps(language)}\ntrack = {json.dumps(track)}\n"
        f"source = {json.dumps(source)}\nreferences = {json.dumps(references)}\n"
        f"file = {json.dumps(Path(source).name)}  # what a submission calls its answer\n"
        for (language, track), (source, references) in zip(pairs, files, strict=True)
    )
    return (
        f"title = {json.dumps(title, ensure_ascii=False)}\n"
        'metrics = ["errant", "gleu"]  # the first decides; redink metrics lists all\n\n'
        "[rules]\n"
        "tokenised = true  # false: raw text, which is aligned with the source\n"
        f"bootstrap = 1000  # samples behind intervals and groups\n{sets}"
    )


# ---- task check

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
) -> Table:
    """Check a submission before it is sent: names, encoding, counts, tokens, lines in place.

    SUBMISSION is a folder or a .zip file with an answer for every set, named as the task file
    says; for a task with one set, the answer alone will do. The exit code is 1 if there is a
    problem; a note is not one. The references are not looked at, so that participants can do the
    same with the sources alone.

    Args:
        task: the folder of the task.
        submission: the folder or .zip file.

    Returns:
        A row for every file that is well, and for everything that is not.
    """
    asked = read_task(task)
    with opened(submission, asked) as folder:
        rows = list(find_problems(asked, folder))
    problems = sum(row.verdict == "problem" for row in rows)
    note = f"{problems} problem{'s' * (problems != 1)}" if problems else "ready to be sent"
    return table_of(rows, SubmissionFinding, notes=[note], signature=make_signature("task check"))


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
        found = list(_look_at(each, folder / each.file, tokenised=task.tokenised))
        if not any(finding.verdict == "problem" for finding in found):
            yield SubmissionFinding(each.name, each.file, "ok", None, "")
        yield from found
    for name in sorted(there - expected):
        if not name.startswith("."):
            yield SubmissionFinding("", name, "note", None, "is not asked for, and not looked at")


def _look_at(each: TaskSet, path: Path, *, tokenised: bool) -> Iterator[SubmissionFinding]:
    def tell(verdict: Verdict, line: int | None, what: str) -> SubmissionFinding:
        return SubmissionFinding(each.name, each.file, verdict, line, what)

    raw = path.read_bytes()
    if not raw.strip():
        yield tell("problem", None, "is empty")
        return
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield tell("problem", 1, "is UTF-16; UTF-8 was expected")
        return
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        yield tell("problem", line, "is not UTF-8")
        return
    if "\x00" in text:
        yield tell("problem", text[: text.index("\x00")].count("\n") + 1, "holds a NUL character")
        return
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    source = [line for _, line in read_lines(each.source)]
    if lines == source:
        yield tell("note", None, "changes nothing: it is the source")
        return
    if tokenised:
        yield from (tell(*found) for found in _compare_lines(source, lines))


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
            fault = "is missing" if home > line else "is too many"
            where = f"line {line + 1} fits source line {home + 1}: a line before {fault}"
            yield "problem", line + 1, f"{what}; {where}"
        return
    suspicious = list(check_texts(sources, {"": texts}))
    for found in suspicious:
        verdict: Verdict = "problem" if found.severe else "note"
        yield verdict, found.line, f"{found.problem}; {found.advice}"
    if moved.far and not any(found.severe for found in suspicious):
        what = f"{len(moved.far)} with little in common with the source"
        yield "note", moved.far[0] + 1, what
