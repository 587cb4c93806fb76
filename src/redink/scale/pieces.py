"""The pieces of a large job, and the manifest that lists those that are done.

A piece is a range of rows of one shard, annotated into its own file. Workers read and write files
themselves, so little is sent to other processes and machines.

The manifest is a JSON Lines file in the output folder, by which a job can be continued. The first
line describes the job, then there is one line per input shard, then one per finished output file.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from redink._version import __version__
from redink.analysis.annotation_options import AnnotationOptions
from redink.commands.annotate import (
    AnnotationCounts,
    ReadLines,
    annotate_rows,
    chunks_of_rows,
    count_words_of_row,
    describe_observed,
    name_annotators,
    observe_rows,
    write_chunks,
)
from redink.errors import FormatError, RedinkError, RedinkWarning
from redink.files import Place, append_line, make_folder, write_atomically
from redink.inputs.observed import Observed
from redink.inputs.parallel_text import Pairs, Part, mark_rows
from redink.model import fingerprint
from redink.progress import watched_by

MANIFEST = "manifest.jsonl"
_LOCK = ".redink.lock"

Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine(Protocol):
    """A function that does work somewhere and yields each result as soon as it is there."""

    def __call__(
        self, function: Callable[[Item], Result], items: Iterable[Item], /
    ) -> Generator[Result]:
        """``map(function, items)``, in any order."""


@dataclass(frozen=True)
class Survey:
    """The content of a shard: digests of its files, number of rows, start of each piece."""

    digests: tuple[str, ...]
    rows: int
    places: tuple[tuple[Place, ...], ...]


def survey_shard(shard: tuple[Pairs, Survey | None], *, shard_size: int) -> tuple[Pairs, Survey]:
    """Read, check and divide a shard; an unchanged one is not read again."""
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
    """Some rows of a shard, and the output file for them."""

    pairs: Pairs
    part: Part
    output: str


@dataclass(frozen=True)
class Done:
    """The record of a finished piece."""

    output: str
    size: int
    data: str
    blank: int
    tally: AnnotationCounts
    problems: Sequence[str] = ()


def describe_program(annotation_options: AnnotationOptions) -> str:
    """Return the versions that decide the output; all workers must have the same."""
    return f"redink {__version__} with {annotation_options.pipeline()}"


def annotate_piece(piece: Piece, *, annotation_options: AnnotationOptions, program: str) -> Done:
    """Annotate a piece into its file, which appears when it is complete."""
    if describe_program(annotation_options) != program:
        raise RedinkError(
            f"a worker has {describe_program(annotation_options)}, the job has {program}: "
            "install the same everywhere"
        )
    reading = ReadLines()
    observed: list[Observed] = []
    with watched_by(None):  # how many pieces are done is told where they are given out
        tally = write_chunks(
            partial(annotate_rows, annotation_options=annotation_options, leave_out=True),
            observe_rows(
                chunks_of_rows(piece.pairs, reading, piece.part), annotation_options, observed
            ),
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


@dataclass(frozen=True)
class Manifest:
    """The job in a folder, its input when it began, and the finished pieces."""

    folder: Path
    job: dict[str, Any]
    surveys: Sequence[Survey] = ()
    done: dict[str, Done] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """Read the manifest of a folder, or return None; a cut-off last line is ignored."""
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
            surveys = [
                Survey(
                    tuple(value["digests"]),
                    value["rows"],
                    tuple(tuple(Place(*one) for one in places) for places in value["places"]),
                )
                for value in others[:count]
            ]
            done = [Done(**{**v, "tally": AnnotationCounts(**v["tally"])}) for v in others[count:]]
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
        """Record a finished piece."""
        self.done[done.output] = done
        append_line(self.folder / MANIFEST, json.dumps(asdict(done), ensure_ascii=False))

    def intact(self) -> dict[str, Done]:
        """Return the finished pieces whose file still exists with its full size."""
        files = {name: self.folder / name for name in self.done}
        return {
            name: done
            for name, done in self.done.items()
            if files[name].is_file() and files[name].stat().st_size == done.size
        }

    def check_job(self, job: dict[str, Any]) -> None:
        """Raise an error if the options or the names of the input files differ."""
        for option in dict.fromkeys([*self.job, *job]):
            old, new = self.job.get(option), job.get(option)
            if old != new:
                raise RedinkError(
                    f"{self.folder}: the job there was begun {_difference(option, old, new)}; "
                    "give the same to continue it, or another folder for another job"
                )

    def check_input(self, surveys: Sequence[Survey], shards: Sequence[Pairs]) -> None:
        """Raise an error if the content of the input has changed."""
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
    """Make the folder if it is missing and lock it; without a manifest it is removed again.

    The lock ends with this process, however it ends.
    """
    from filelock import FileLock, Timeout

    is_new = not folder.exists()
    make_folder(folder)
    lock = FileLock(folder / _LOCK, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise RedinkError(f"{folder}: another job is at work there") from None
    except NotImplementedError:
        warnings.warn(
            f"{folder}: this file system has no locks; run only one job there at a time",
            RedinkWarning,
            stacklevel=3,
        )
    except OSError as error:
        raise RedinkError(f"{folder}: cannot be written ({error.strerror})") from error
    try:
        yield
    finally:
        lock.release()
        if not (folder / MANIFEST).exists():
            with suppress(OSError):
                (folder / _LOCK).unlink(missing_ok=True)
                if is_new:
                    folder.rmdir()
