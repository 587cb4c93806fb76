"""The pieces of a large job: what a piece is, and on disk, which are done.

A piece is a run of rows of one shard, annotated into a file of its own. What is sent to other
processes and machines is small: workers read and write files themselves.

The manifest is a file of JSON lines beside the output, so that a job can be continued. The first
line says what the job is, then there is one for every shard of the input, then one for every file
of the output that is done.
"""

from __future__ import annotations

import errno
import hashlib
import json
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from redink._version import __version__
from redink.analysis.annotating import Annotating
from redink.errors import FormatError, RedinkError, RedinkWarning
from redink.files import Place, append_line, make_folder, write_atomically
from redink.formats.pairs import Pairs, Part, mark_rows
from redink.inputs.observed import Observed
from redink.model import fingerprint
from redink.progress import watched_by
from redink.workflows.annotate import (
    Reading,
    Tally,
    annotate_rows,
    chunks_of_rows,
    count_words_of_row,
    describe_observed,
    name_annotators,
    observe_rows,
    write_chunks,
)

MANIFEST = "manifest.jsonl"
_LOCK = ".redink.lock"

Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine(Protocol):
    """What does work somewhere and gives the results, each as soon as it is there."""

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Generator[Result]:
        """``map(function, items)``, in any order."""


@dataclass(frozen=True)
class Survey:
    """What a shard holds: digests of its files, how many rows, and where each piece begins."""

    digests: tuple[str, ...]
    rows: int
    places: tuple[tuple[Place, ...], ...]

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Survey:
        """From the manifest."""
        places = tuple(tuple(Place(*one) for one in places) for places in value["places"])
        return cls(tuple(value["digests"]), value["rows"], places)


def survey_shard(shard: tuple[Pairs, Survey | None], *, shard_size: int) -> tuple[Pairs, Survey]:
    """Read a shard, check it and divide it; one that is as it was known is not read again."""
    pairs, known = shard
    digests = tuple(_digest(path) for path in pairs.files)
    if known is not None and known.digests == digests:
        return pairs, known
    parts, rows = mark_rows(pairs, every=shard_size)
    return pairs, Survey(digests, rows, tuple(part.places for part in parts))


def _digest(path: str) -> str:
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()[:16]
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror})", path=path) from error


@dataclass(frozen=True)
class Piece:
    """Some rows of a shard, and the file that they become."""

    pairs: Pairs
    part: Part
    output: str


@dataclass(frozen=True)
class Done:
    """What is told of a piece that is done."""

    output: str
    size: int
    data: str
    blank: int
    tally: Tally
    problems: Sequence[str] = ()

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Done:
        """From the manifest."""
        return cls(**{**value, "tally": Tally(**value["tally"])})


def describe_program(how: Annotating) -> str:
    """What makes the pieces, so that no worker makes one differently."""
    return f"redink {__version__} with {how.pipeline()}"


def annotate_piece(piece: Piece, *, how: Annotating, program: str) -> Done:
    """Annotate a piece into its file, which appears when it is whole."""
    if describe_program(how) != program:
        raise RedinkError(
            f"a worker has {describe_program(how)}, the job has {program}: "
            "install the same everywhere"
        )
    reading = Reading()
    observed: list[Observed] = []
    with watched_by(None):  # how many pieces are done is told where they are given out
        tally = write_chunks(
            partial(annotate_rows, how=how, leave_out=True),
            observe_rows(chunks_of_rows(piece.pairs, reading, piece.part), how, observed),
            piece.output,
            count_words=count_words_of_row,
        )
    output = Path(piece.output)
    problems = map(str, describe_observed(observed, name_annotators(piece.pairs, ()), reading))
    return Done(
        output.name,
        output.stat().st_size,
        fingerprint(reading.digests),
        reading.blank,
        tally,
        [f"{output.name}: {problem}" for problem in problems],
    )


# ---- what is done


@dataclass(frozen=True)
class Manifest:
    """What the job in a folder is, what its input held when it began, and what is done."""

    folder: Path
    job: dict[str, Any]
    surveys: Sequence[Survey] = ()
    done: dict[str, Done] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """The manifest of a folder, or None where there is none.

        A last line that was being written when the machine stopped is left out.
        """
        path = folder / MANIFEST
        try:
            lines = path.read_bytes().split(b"\n")[:-1]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FormatError(f"cannot be read ({error.strerror})", path=path) from error
        try:
            head, *others = map(json.loads, lines)
            job, count = head["job"], head["shards"]
            surveys = [Survey.from_json(value) for value in others[:count]]
            done = [Done.from_json(value) for value in others[count:]]
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise FormatError("is not a manifest of redink, or is damaged", path=path) from error
        return cls(folder, job, surveys, {each.output: each for each in done})

    def write(self) -> None:
        """Write all of it, or nothing."""
        head = {"job": self.job, "shards": len(self.surveys)}
        with write_atomically(self.folder / MANIFEST) as stream:
            for value in (head, *map(asdict, self.surveys), *map(asdict, self.done.values())):
                stream.write(f"{json.dumps(value, ensure_ascii=False)}\n")

    def add(self, done: Done) -> None:
        """One more file is done."""
        self.done[done.output] = done
        append_line(self.folder / MANIFEST, json.dumps(asdict(done), ensure_ascii=False))

    def forget_lost(self) -> None:
        """Leave out what was done and is not there any more, or not whole."""
        for name, done in list(self.done.items()):
            file = self.folder / name
            if not file.is_file() or file.stat().st_size != done.size:
                del self.done[name]

    def check_job(self, job: dict[str, Any]) -> None:
        """Refuse to continue with other options, or on other files.

        Raises:
            RedinkError: says what is different.
        """
        for option in dict.fromkeys([*self.job, *job]):
            old, new = self.job.get(option), job.get(option)
            if old != new:
                raise RedinkError(
                    f"{self.folder}: the job there was begun {_difference(option, old, new)}; "
                    "give the same to continue it, or another folder for another job"
                )

    def check_input(self, surveys: Sequence[Survey], shards: Sequence[Pairs]) -> None:
        """Refuse to continue if the input has changed.

        Raises:
            RedinkError: says which file.
        """
        for old, new, shard in zip(self.surveys, surveys, shards, strict=True):
            for was, now, path in zip(old.digests, new.digests, shard.files, strict=True):
                if was != now:
                    raise RedinkError(
                        f"{path}: has changed since the job in {self.folder} began; put it back to "
                        "continue the job, or give another folder to begin again"
                    )


def _difference(option: str, old: Any, new: Any) -> str:
    if option == "inputs":
        for ours, theirs in zip(old, new, strict=False):
            if ours != theirs:
                return f"on other inputs ({', '.join(ours)}, now {', '.join(theirs)})"
        return f"on other inputs ({len(old)} shards, now {len(new)})"
    old, new = ("not given" if value is None else repr(value) for value in (old, new))
    return f"with {option.replace('_', ' ')} {old}, not {new}"


@contextmanager
def open_folder(folder: Path) -> Iterator[None]:
    """Make the folder if need be and keep other jobs out; if nothing comes of it, it is as it was.

    The lock ends with this process, however it ends.

    Raises:
        RedinkError: it cannot be made or written, or another job is at work there.
    """
    is_new = not folder.exists()
    try:
        make_folder(folder)
        stream = (folder / _LOCK).open("ab")
    except OSError as error:
        raise RedinkError(f"{folder}: cannot be written ({error.strerror})") from error
    with stream:
        try:
            _lock(stream)
        except OSError as error:
            if error.errno in {errno.EAGAIN, errno.EACCES, errno.EDEADLK}:
                raise RedinkError(f"{folder}: another job is at work there") from error
            warnings.warn(
                f"{folder}: this file system cannot lock; see to it that no other job works there",
                RedinkWarning,
                stacklevel=3,
            )
        try:
            yield
        finally:
            if not (folder / MANIFEST).exists():
                with suppress(OSError):
                    (folder / _LOCK).unlink()
                    if is_new:
                        folder.rmdir()


def _lock(stream: IO[bytes]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
