"""Task: a shared task as a folder, its task file, and what participants send in.

::

    task.toml         title, metrics, rules, and a [[set]] for every language and track
    sources/          what participants get
    references/       what they do not
    submissions/      a folder or a .zip file a team, with an answer for every set
"""

from __future__ import annotations

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
from typing import Annotated, Any

from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import all_or_nothing, make_folder, write_bytes_atomically
from redink.formats import detect_format
from redink.formats.registry import PLAIN
from redink.inputs.loading import PathLike, load_corpus, load_references, load_texts
from redink.model import Shown, Table, make_signature, table_of
from redink.options import Flag, use_case
from redink.scoring.specs import make_metrics

TASK_FILE = "task.toml"
SUBMISSIONS = "submissions"
_LARGEST = 200_000_000
"""Bytes that a submission may unpack to."""
_LOCKED = 1
"""The flag of a member of a .zip file that is encrypted."""
_WITH_EDITS = (".m2", ".jsonl", ".json", ".sgml")


@dataclass(frozen=True)
class TaskSet:
    """One language in one track.

    Attributes:
        language: its code.
        track: its name.
        source: the text that participants correct.
        references: one file with edits, or corrected texts.
        file: what a submission calls its answer.
    """

    language: str
    track: str
    source: Path
    references: tuple[Path, ...]
    file: str

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
    """A shared task.

    Attributes:
        title: its name.
        folder: where it lies.
        metrics: specs of the metrics, the one that decides first.
        tokenised: whether submissions have the tokens of the source; otherwise they are aligned.
        bootstrap: samples behind intervals and groups.
        sets: one a language and track.
    """

    title: str
    folder: Path
    metrics: tuple[str, ...]
    tokenised: bool
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
"""What a value can be: in words, and how it is told."""
_ONE_WILL_DO = ("metrics", "references")


def read_task(folder: PathLike) -> Task:
    """The task in a folder.

    Raises:
        FormatError: the task file is missing, or something in it is wrong.
    """
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
    metrics = _check_metrics(path, tuple(found.get("metrics", ("errant",))))
    made = tuple(_read_set(path, each) for each in sets)
    for what in ("file", "key"):
        names = [getattr(each, what) for each in made]
        for name in names:
            if names.count(name) > 1:
                raise FormatError(f"two sets have the same name or file: {name}", path=path)
    return Task(
        found.get("title", place.name),
        path.parent,
        metrics,
        rules.get("tokenised", True),
        rules.get("bootstrap", 1000),
        made,
    )


def _check_metrics(path: Path, metrics: tuple[str, ...]) -> tuple[str, ...]:
    try:
        make_metrics(metrics)
    except OptionError as error:
        raise FormatError(str(error), path=path) from None
    return metrics


def _check_keys(path: Path, where: str, member: Any) -> None:
    if not isinstance(member, dict):
        raise FormatError(f"[[{where}]] has keys and values", path=path)
    for key, value in member.items():
        if key not in _KNOWN[where]:
            known = ", ".join(sorted(_KNOWN[where]))
            inside = f"[{where}] has" if where else "there are"
            raise FormatError(f"what is {key!r}? {inside}: {known}", path=path)
        words, fits = _KINDS[_KNOWN[where][key]]
        if key in _ONE_WILL_DO and isinstance(value, str):
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
        raise FormatError(
            f"the file of an answer has a name without folders, not {file}", path=path
        )
    return TaskSet(
        language, track, folder / given["source"], tuple(folder / one for one in references), file
    )


@contextmanager
def opened(submission: PathLike, task: Task) -> Iterator[Path]:
    """The folder of a submission; a .zip file is unpacked for the time being.

    Where the task has one set, the answer alone will do, whatever its file is called.

    Raises:
        FormatError: it is nothing of these, or too large, or cannot be unpacked.
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
            "is neither a folder nor a .zip file; a submission is one of these, with files named "
            "as in the task",
            path=path,
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
        if any(member.flag_bits & _LOCKED for member in members):
            raise FormatError("is locked with a password", path=path)
        archive.extractall(place)


def _inner(folder: Path) -> Path:
    """The folder that holds the files, where a person has packed a folder around them."""
    members = [one for one in folder.iterdir() if not one.name.startswith((".", "__MACOSX"))]
    return members[0] if len(members) == 1 and members[0].is_dir() else folder


def submissions_of(task: Task) -> dict[str, Path]:
    """Every submission in the folder of the task, by team.

    Raises:
        DataError: a team has two.
    """
    place = task.folder / SUBMISSIONS
    found = sorted(place.iterdir()) if place.is_dir() else []
    return by_team(
        one
        for one in found
        if one.is_dir()
        or one.suffix == ".zip"
        or (len(task.sets) == 1 and not one.name.startswith("."))
    )


def by_team(submissions: Iterable[Path]) -> dict[str, Path]:
    """Submissions by the names of their teams, which are those of their files.

    Raises:
        DataError: a team has two.
    """
    teams: dict[str, Path] = {}
    for one in submissions:
        team = one.stem if one.is_file() else one.name
        if team in teams:
            raise DataError(f"{teams[team]} and {one} are both by {team}; give one of them")
        teams[team] = one
    return teams


# ---- making one


@dataclass(frozen=True)
class Made:
    """A file of a new task."""

    file: str
    what: Annotated[str, Shown(title="what it is")]


@use_case
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
    rows = [Made(TASK_FILE, "title, metrics, rules and sets: edit it")]
    for own_source, own_references in files:
        rows.append(Made(own_source, "what participants get"))
        rows += [Made(reference, "what they do not") for reference in own_references]
    rows.append(Made(f"{SUBMISSIONS}/", "a folder or a .zip file a team"))
    missing = [] if references else [row.file for row in rows[1:-1]]
    notes = [f"put these there: {', '.join(missing)}"] if missing else []
    return table_of(rows, Made, notes=notes, signature=make_signature("task init"))


def _check_references(source: PathLike | None, references: Sequence[PathLike]) -> None:
    """Refuse a text alone, which would become its own source; warn if lines do not match."""
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
    """Where the files of a set are, or should be; what was given is read to be put there."""
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
    import json  # its strings are those of TOML

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
