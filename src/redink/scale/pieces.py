"""The unit of a large job: a run of rows of one shard, annotated into a file of its own.

Everything here is sent to other processes and machines, and small: workers read and write files
themselves.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from redink._version import __version__
from redink.analysis.annotating import Annotating
from redink.errors import FormatError, RedinkError
from redink.files import Place
from redink.formats.pairs import Pairs, Part, mark_rows
from redink.workflows.annotate_stream import (
    Reading,
    Tally,
    annotate_rows,
    chunks_of_rows,
    write_chunks,
)

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
    """What a shard holds: digests of its files, how many rows, and how they are divided."""

    digests: tuple[str, ...]
    rows: int
    parts: tuple[Part, ...]

    def to_json(self) -> dict[str, Any]:
        """For the manifest."""
        places = [[list(place) for place in part.places] for part in self.parts]
        return {"digests": list(self.digests), "rows": self.rows, "places": places}

    @classmethod
    def from_json(cls, value: dict[str, Any], *, shard_size: int) -> Survey:
        """From the manifest."""
        parts = []
        for places in value["places"]:
            start = tuple(Place(*place) for place in places)
            parts.append(Part(start, min(shard_size, value["rows"] - start[0].line)))
        return cls(tuple(value["digests"]), value["rows"], tuple(parts))


@dataclass(frozen=True)
class Shard:
    """Some pairs, and what was known of them when the job began, if it has begun."""

    number: int
    pairs: Pairs
    known: Survey | None = None


def survey_shard(shard: Shard, *, shard_size: int) -> tuple[int, Survey]:
    """Read a shard, check it and divide it; one that is as it was is not read again."""
    digests = tuple(_digest(path) for path in shard.pairs.files)
    if shard.known is not None and shard.known.digests == digests:
        return shard.number, shard.known
    parts, rows = mark_rows(shard.pairs, every=shard_size)
    return shard.number, Survey(digests, rows, tuple(parts))


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

    name: str
    size: int
    blank: int
    data: str
    tally: Tally = field(default_factory=Tally)

    def to_json(self) -> dict[str, Any]:
        """For the manifest."""
        counts = self.tally
        return {
            "output": self.name,
            "bytes": self.size,
            "data": self.data,
            "blank": self.blank,
            "left_out": counts.left_out,
            "sentences": counts.sentences,
            "annotators": {
                who: [seen, counts.changed[who], counts.edits[who]]
                for who, seen in counts.seen.items()
            },
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Done:
        """From the manifest."""
        seen, changed, edits = (
            Counter({who: counts[place] for who, counts in value["annotators"].items()})
            for place in range(3)
        )
        tally = Tally(value["sentences"], value["left_out"], seen, changed, edits)
        return cls(value["output"], value["bytes"], value["blank"], value["data"], tally)


@dataclass(frozen=True)
class Expected:
    """What made the rest of the job, so that no worker makes a part of it differently."""

    pipeline: str
    version: str = __version__


def annotate_piece(piece: Piece, *, how: Annotating, expected: Expected) -> Done:
    """Annotate a piece into its file, which appears when it is whole."""
    found = Expected(how.pipeline())
    if found != expected:
        raise RedinkError(
            f"a worker has redink {found.version} with {found.pipeline}, the job has redink "
            f"{expected.version} with {expected.pipeline}: install the same everywhere"
        )
    reading = Reading()
    tally = write_chunks(
        partial(annotate_rows, how=how, leave_out=True),
        chunks_of_rows(piece.pairs, reading, piece.part),
        piece.output,
        workers=1,
        progress=None,
    )
    output = Path(piece.output)
    return Done(output.name, output.stat().st_size, reading.blank, reading.fingerprint(), tally)


def divide(
    shards: Sequence[Shard], names: Sequence[str], surveys: Sequence[Survey], *, suffix: str
) -> list[tuple[str, Shard, Part]]:
    """The pieces of a job in order, each with the name of its output."""
    pieces = []
    for shard, name, survey in zip(shards, names, surveys, strict=True):
        if len(survey.parts) == 1:
            pieces.append((f"{name}{suffix}", shard, survey.parts[0]))
            continue
        width = max(5, len(str(len(survey.parts))))
        for number, part in enumerate(survey.parts):
            pieces.append((f"{name}-{number:0{width}}{suffix}", shard, part))
    return pieces
