"""Model files: NumPy ``.npz`` archives with the arrays and a JSON header (kind, provenance)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.errors import FormatError
from redink.files import write_bytes_atomically

VERSION = 4
_KENLM = b"mmap lm http://kheafield.com/code"  # the first bytes of a KenLM binary
_EARLIER = b"redink model "  # the first bytes of files of version 1 and 2
_ADVICE = f"this redink reads version {VERSION}; train it again with 'redink detector train'"


@dataclass(frozen=True)
class ModelFile:
    """The content of a model file; ``kind`` is ``maxent``, ``perceptron`` or ``lm``."""

    kind: str
    about: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write_model(
    path: str | Path, kind: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model; the file appears only when it is complete."""
    header = json.dumps({"version": VERSION, "kind": kind, "about": dict(about)}, sort_keys=True)
    content: dict[str, Any] = {"header": np.frombuffer(header.encode(), np.uint8), **arrays}
    with write_bytes_atomically(path) as stream:
        np.savez_compressed(stream, **content)


def read_model(path: str | Path) -> ModelFile:
    """Read a model.

    Raises:
        FormatError: the file is not a model, has another version, or is damaged.
    """
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = "no such file"  # also for a NUL in its name
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            reason = str(error.strerror)
        raise FormatError(f"cannot be opened ({reason})", path=path) from error
    if content.startswith(_EARLIER):
        version = content[len(_EARLIER) : 100].partition(b"\n")[0].decode("ascii", "replace")
        raise FormatError(f"is a model of version {version}; {_ADVICE}", path=path)
    if content.startswith(_KENLM):
        raise FormatError(
            "is a binary of KenLM; pass the ARPA file that it was built from", path=path
        )
    if not content.startswith(b"PK"):
        raise FormatError("is not a redink model", path=path)
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        version, kind, about = header["version"], str(header["kind"]), dict(header["about"])
    except Exception as error:  # zipfile, zlib, numpy and json each raise their own
        raise FormatError("is damaged, or not a redink model", path=path) from error
    if version != VERSION:
        raise FormatError(f"is a model of version {version}; {_ADVICE}", path=path)
    return ModelFile(kind, about, arrays)
