"""The shards of a corpus, the pieces of a job, and the manifest of finished pieces.

A piece is a range of rows of one shard, annotated into its own file. Workers read and write files
themselves, so little data is sent between processes and machines.

The manifest is a JSON Lines file in the output folder, with which a job can be resumed: one line
for the job and digests of its input, then one line per finished output file.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from redink._version import __version__
from redink.analysis.annotation_options import AnnotationOptions
from redink.commands.annotate import (
    AnnotationCounts,
    PairReader,
    annotate_rows,
    count_words_of_row,
    name_annotators,
    write_chunks,
)
from redink.errors import FormatError, OptionError, RedinkError, RedinkWarning
from redink.files import append_line, make_folder, write_atomically
from redink.inputs.input_options import PathLike
from redink.inputs.parallel_text import ParallelFiles, RowRange, mark_rows
from redink.model import fingerprint
from redink.progress import watched_by

MANIFEST = "manifest.jsonl"
_LOCK = ".redink.lock"

Engine = Callable[[Callable[[Any], Any], Iterable[Any]], Generator[Any]]
"""Yields the results of ``map(function, items)`` in any order, as soon as they are available."""

# ---- shards

_COMPRESSED = (".gz", ".zst")


def is_many(path: PathLike) -> bool:
    """Return whether a path is a folder or a pattern instead of a file."""
    place = Path(path)
    return place.is_dir() or (glob.has_magic(str(path)) and not place.exists())


def find_shards(source: PathLike, corrected: Sequence[PathLike]) -> list[tuple[str, ...]]:
    """Return the files of each shard: a source file and its corrected files.

    Each argument is a file, a folder (all files in it) or a pattern. The files of the arguments
    are matched in sorted order.
    """
    _check_quotes([source, *corrected])
    first, *others = map(_find, (source, *corrected))
    for path, files in zip(corrected, others, strict=True):
        if len(files) != len(first):
            raise OptionError(
                f"the numbers of shards must be equal: {source} has {len(first)}, "
                f"{path} has {len(files)}"
            )
        for pair in zip(first, files, strict=True):
            numbers = [_numbers(file) for file in pair]
            if len(first) > 1 and all(numbers) and numbers[0][-1] != numbers[1][-1]:
                raise OptionError(
                    f"{pair[0]} would be matched with {pair[1]}, but their numbers differ; check "
                    "for a missing file, or rename the files so that sorting by name matches them"
                )
    return list(zip(first, *others, strict=True))


def _find(path: PathLike) -> list[str]:
    place = Path(path)
    if place.is_dir():
        # files whose names begin with _ are status files of other programs (_SUCCESS)
        files = [str(f) for f in place.iterdir() if f.is_file() and f.name[0] not in "._"]
    elif is_many(path):
        files = [f for f in glob.glob(str(path), recursive=True) if Path(f).is_file()]  # noqa: PTH207 (also absolute patterns)
    else:
        return [str(path)]  # a missing file is reported when it is read
    if not files:
        raise OptionError(f"{path}: no files found")
    return sorted(files)


def _numbers(file: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", Path(file).name.partition(".")[0])))


def _check_quotes(paths: Iterable[PathLike]) -> None:
    """Raise an error if the shell expanded a pattern: its files would count as annotators."""
    groups = [
        [Path(path).name for path in group]
        for _, group in groupby(paths, key=lambda path: Path(path).parent)
    ]
    if len(groups) > 1 and len(groups[0]) > 1 and all(group == groups[0] for group in groups):
        raise OptionError(
            "the shell expanded a pattern; put the pattern in quotes, or give the folder"
        )


def name_shards(sources: Sequence[str]) -> list[str]:
    """Return a short name for each shard, used for its output."""
    paths = list(map(Path, sources))
    names = [path.stem if path.suffix in _COMPRESSED else path.name for path in paths]
    folder = os.path.commonpath([path.parent for path in paths])
    long = (
        "-".join((*path.parent.relative_to(folder).parts, name))
        for path, name in zip(paths, names, strict=True)
    )
    for candidates in ([Path(name).stem for name in names], names, list(long)):
        [(name, times)] = Counter(candidates).most_common(1)
        if times == 1:
            return candidates
    same = [source for source, own in zip(sources, candidates, strict=True) if own == name]
    raise OptionError(f"{same[0]} and {same[1]} would have the same output name; rename one")


@dataclass(frozen=True)
class CheckedShard:
    """The content of a shard: its files, their digests, and its parts."""

    pairs: ParallelFiles
    digests: list[str]
    parts: list[RowRange]


def check_shard(pairs: ParallelFiles, *, shard_size: int) -> CheckedShard:
    """Read, check and divide a shard."""
    digests = [_digest(path) for path in pairs.files]
    return CheckedShard(pairs, digests, mark_rows(pairs, every=shard_size)[0])


def _digest(path: str) -> str:
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()[:16]
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror})", path=path) from error


# ---- pieces


@dataclass(frozen=True)
class ShardPiece:
    """Some rows of a shard, and their output file."""

    pairs: ParallelFiles
    part: RowRange
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
    """Return the versions that determine the output, which must be equal in all workers."""
    return f"redink {__version__} with {annotation_options.pipeline()}"


def annotate_piece(
    piece: ShardPiece, *, annotation_options: AnnotationOptions, program: str
) -> Done:
    """Annotate a piece into its file, which appears when it is complete."""
    if describe_program(annotation_options) != program:
        raise RedinkError(
            f"a worker has {describe_program(annotation_options)}, the job has {program}: "
            "install the same version on all machines"
        )
    reader = PairReader(piece.pairs, annotation_options, piece.part)
    with watched_by(None):  # progress is shown by the process that assigns the pieces
        tally = write_chunks(
            partial(annotate_rows, annotation_options=annotation_options),
            reader.chunks(),
            piece.output,
            count_words=count_words_of_row,
        )
    output = Path(piece.output)
    problems = reader.findings(name_annotators(piece.pairs, ()))
    named = [f"{output.name}: {problem}" for problem in problems]
    size, data = output.stat().st_size, fingerprint(reader.digests)
    return Done(output.name, size, data, len(reader.skipped), tally, named)


@dataclass(frozen=True)
class Manifest:
    """The job in a folder, its input at the start, and the finished pieces."""

    folder: Path
    job: dict[str, Any]
    digests: list[list[str]]
    done: dict[str, Done] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """Read the manifest of a folder, or return None; an incomplete last line is ignored."""
        path = folder / MANIFEST
        try:
            lines = path.read_bytes().split(b"\n")[:-1]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise FormatError(f"cannot be read ({error.strerror})", path=path) from error
        try:
            head, *others = map(json.loads, lines)
            job, digests = head["job"], head["digests"]
            done = [Done(**{**v, "tally": AnnotationCounts(**v["tally"])}) for v in others]
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise FormatError("not a redink manifest, or damaged", path=path) from error
        return cls(folder, job, digests, {each.output: each for each in done})

    def write(self) -> None:
        """Write the manifest atomically."""
        head = {"job": self.job, "digests": self.digests}
        with write_atomically(self.folder / MANIFEST) as stream:
            for value in (head, *map(asdict, self.done.values())):
                stream.write(f"{json.dumps(value, ensure_ascii=False)}\n")

    def add(self, done: Done) -> None:
        """Record a finished piece."""
        self.done[done.output] = done
        append_line(self.folder / MANIFEST, json.dumps(asdict(done), ensure_ascii=False))

    def forget_missing(self) -> None:
        """Remove the pieces whose output file is missing or incomplete."""
        for name, done in list(self.done.items()):
            file = self.folder / name
            if not file.is_file() or file.stat().st_size != done.size:
                del self.done[name]

    def check_job(self, job: dict[str, Any]) -> None:
        """Raise an error if the options or the names of the input files differ."""
        for option in dict.fromkeys([*self.job, *job]):
            old, new = self.job.get(option), job.get(option)
            if old != new:
                raise RedinkError(
                    f"{self.folder}: the job there was started {_difference(option, old, new)}; "
                    "use the same to resume it, or another folder for another job"
                )

    def check_input(self, shards: Sequence[CheckedShard]) -> None:
        """Raise an error if the content of the input has changed."""
        for old, shard in zip(self.digests, shards, strict=True):
            for was, now, path in zip(old, shard.digests, shard.pairs.files, strict=True):
                if was != now:
                    raise RedinkError(
                        f"{path}: changed since the job in {self.folder} started; restore it to "
                        "resume the job, or use another folder to start again"
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
    """Create the folder if necessary and lock it; without a manifest it is removed again.

    The lock is released when this process ends, even if it is killed.
    """
    from filelock import FileLock, Timeout

    is_new = not folder.exists()
    make_folder(folder)
    lock = FileLock(folder / _LOCK, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise RedinkError(f"{folder}: another job is using this folder") from None
    except NotImplementedError:
        warnings.warn(
            f"{folder}: the file system does not support locks; run only one job there at a time",
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
