"""One file for every model: a header that people can read, then arrays that are memory-mapped.

The first line names the format and its version; the second is a JSON object (kind, provenance,
and where each array lies); the arrays follow, each on a multiple of 64 bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.errors import DataError, FormatError
from redink.files import write_bytes_atomically

VERSION = 2
_MAGIC = b"redink model "
_ALIGNMENT = 64
_HEADER_LIMIT = 1 << 24
_NOT_A_HEADER = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    SyntaxError,
)
"""What JSON, numpy and our own look-ups raise when a header is not what we wrote."""


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    Attributes:
        kind: ``maxent``, ``perceptron`` or ``lm``.
        about: provenance and settings, as they were written.
        arrays: the arrays by name, mapped from the file and read only.
    """

    kind: str
    about: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write_model(
    path: str | Path, kind: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model; the file appears only when it is whole."""
    places: dict[str, dict[str, Any]] = {}
    offset = 0
    for name, array in arrays.items():
        places[name] = {"type": array.dtype.str, "shape": array.shape, "offset": offset}
        offset += math.ceil(array.nbytes / _ALIGNMENT) * _ALIGNMENT
    header = json.dumps({"kind": kind, "about": dict(about), "arrays": places}, sort_keys=True)
    opening = _MAGIC + f"{VERSION}\n".encode() + header.encode()
    # Spaces before the line end bring the arrays to a multiple of the alignment.
    padding = -(len(opening) + 1) % _ALIGNMENT
    with write_bytes_atomically(path) as stream:
        stream.write(opening + b" " * padding + b"\n")
        for array in arrays.values():
            stream.write(np.ascontiguousarray(array).tobytes())
            stream.write(bytes(-array.nbytes % _ALIGNMENT))


def read_model(path: str | Path, *, kind: str | None = None) -> ModelFile:
    """Open a model of the wanted kind.

    Raises:
        FormatError: the file is not a model, or of another version or kind, or cut short.
    """
    try:
        with Path(path).open("rb") as stream:
            first = stream.readline(100)
            if not first.startswith(_MAGIC):
                raise FormatError("is not a model of redink", path=path)
            version = first[len(_MAGIC) :].strip().decode("ascii", "replace")
            if version != str(VERSION):
                raise FormatError(
                    f"is a model of version {version}; this redink reads version {VERSION}: "
                    "train it again with 'redink detect train'",
                    path=path,
                )
            line = stream.readline(_HEADER_LIMIT)
            start = stream.tell()
            size = stream.seek(0, 2)
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise FormatError(f"cannot be opened ({reason})", path=path) from error
    except ValueError as error:  # a NUL in its name
        raise FormatError("cannot be opened (no such file)", path=path) from error
    try:
        header = json.loads(line)
        found, about, places = str(header["kind"]), dict(header["about"]), header["arrays"]
        arrays = {
            name: _map_array(Path(path), place, start, size) for name, place in places.items()
        }
    except DataError as error:
        raise FormatError(f"is a damaged model: {error}", path=path) from error
    except _NOT_A_HEADER as error:
        raise FormatError("is a damaged model: its header makes no sense", path=path) from error
    if kind is not None and found != kind:
        raise FormatError(f"is a model of the kind {found!r}; {kind!r} was expected", path=path)
    return ModelFile(found, about, arrays)


def _map_array(path: Path, place: Mapping[str, Any], start: int, size: int) -> NDArray[Any]:
    kind, shape = np.dtype(place["type"]), tuple(place["shape"])
    begin = start + place["offset"]
    if kind.kind not in "uif" or not all(type(n) is int and n >= 0 for n in (*shape, begin)):
        raise DataError("its header makes no sense")
    length = math.prod(shape) * kind.itemsize
    if begin < start or begin + length > size:
        raise DataError("it is cut short")
    if not length:
        return np.empty(shape, kind)
    return np.memmap(path, kind, mode="r", offset=begin, shape=shape)
