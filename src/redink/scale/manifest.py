"""What is done of a job, on disk: so that it can be continued, by one process at a time.

The manifest is a file of JSON lines beside the output. The first says what the job is, then
there is one for every shard of the input, then one for every file of the output that is done.
"""

from __future__ import annotations

import errno
import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from redink.errors import FormatError, RedinkError, RedinkWarning
from redink.files import append_line, write_atomically
from redink.scale.pieces import Done, Survey

MANIFEST = "manifest.jsonl"
LOCK = ".redink.lock"


@dataclass(frozen=True)
class Manifest:
    """What the job is, what its input held when it began, and what is done."""

    job: dict[str, Any]
    surveys: Sequence[Survey]
    done: dict[str, Done] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write all of it, or nothing."""
        with write_atomically(folder / MANIFEST) as stream:
            for value in (
                {"job": self.job, "shards": len(self.surveys)},
                *(survey.to_json() for survey in self.surveys),
                *(done.to_json() for done in self.done.values()),
            ):
                stream.write(f"{json.dumps(value, ensure_ascii=False)}\n")

    def add(self, folder: Path, done: Done) -> None:
        """One more file is done."""
        self.done[done.name] = done
        append_line(folder / MANIFEST, json.dumps(done.to_json(), ensure_ascii=False))

    def forget_lost(self, folder: Path) -> None:
        """Leave out what was done and is not there any more, or not whole."""
        for name, done in list(self.done.items()):
            file = folder / name
            if not file.is_file() or file.stat().st_size != done.size:
                del self.done[name]


def read_manifest(folder: Path) -> Manifest | None:
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
        count, size = head["shards"], head["job"]["shard_size"]
        surveys = [Survey.from_json(value, shard_size=size) for value in others[:count]]
        done = [Done.from_json(value) for value in others[count:]]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise FormatError("is no manifest of redink, or is damaged", path=path) from error
    return Manifest(head["job"], surveys, {each.name: each for each in done})


def check_same_job(before: Manifest, job: dict[str, Any], folder: Path) -> None:
    """Refuse to continue a job with other options, or on other files.

    Raises:
        RedinkError: says what is different.
    """
    for option in dict.fromkeys([*before.job, *job]):
        old, new = before.job.get(option), job.get(option)
        if old == new:
            continue
        what = f"with {option.replace('_', ' ')} {_shown(old)}, not {_shown(new)}"
        if option == "inputs":
            what = f"on other inputs ({_first_difference(old or [], new or [])})"
        raise RedinkError(
            f"{folder}: the job there was begun {what}; give the same to continue it, "
            "or another folder for another job"
        )


def _shown(value: Any) -> str:
    return "not given" if value is None else repr(value)


def _first_difference(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> str:
    for ours, theirs in zip(old, new, strict=False):
        for one, other in zip(ours, theirs, strict=False):
            if one != other:
                return f"{one!r} where {other!r} is given now"
        if len(ours) != len(theirs):
            return f"{len(ours) - 1} corrected files for {ours[0]!r}, now {len(theirs) - 1}"
    return f"{len(old)} shards, now {len(new)}"


def check_same_input(
    before: Manifest, surveys: Sequence[Survey], files: Sequence[tuple[str, ...]], folder: Path
) -> None:
    """Refuse to continue a job whose input has changed.

    Raises:
        RedinkError: says which file.
    """
    for old, new, paths in zip(before.surveys, surveys, files, strict=True):
        for was, now, path in zip(old.digests, new.digests, paths, strict=True):
            if was != now:
                raise RedinkError(
                    f"{path}: has changed since the job in {folder} began; put it back to "
                    "continue the job, or give another folder to begin anew"
                )


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep other jobs out of a folder; the lock ends with this process, however it ends.

    Raises:
        RedinkError: another job is at work there.
    """
    try:
        stream = (folder / LOCK).open("ab")
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
        yield


def _lock(stream: IO[bytes]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
