"""``redink archive`` and ``redink verify``: results that others can compute again."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import distributions
from pathlib import Path, PurePath
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from redink._version import __version__
from redink.commands.task import unpack
from redink.commands.task_score import pack
from redink.errors import DataError, FormatError, OptionError
from redink.files import write_bytes_atomically
from redink.inputs.input_options import PathLike
from redink.model import Table, make_signature, table_of
from redink.options import Flag, command

_ABOUT, _RESULT, _INPUTS = "archive.json", "result.json", "inputs"
_WRITING = ("-o", "--output", "--plot", "--format", "-f", "--sentences")
_MOST_DIFFERENCES = 20


@dataclass(frozen=True)
class ArchivedFile:
    """An input file of an archived result."""

    file: str
    bytes: int
    sha256: str
    packed: bool


@dataclass(frozen=True)
class VerifiedPart:
    """A part of an archived result, compared with the same part computed again."""

    part: str
    verdict: Literal["same", "problem"]
    expected: str
    found: str


@command
def archive(
    words: Annotated[Sequence[str], Flag(value="COMMAND...", many=True)],
    *,
    output: Annotated[PathLike, Flag(short="o", value="FILE", writes=True)] = "results.zip",
    hashes_only: bool = False,
) -> Table:
    """Run a command and pack its result with everything that is needed to compute it again.

    COMMAND is a redink command that prints a table, after ``--``. The archive contains the command,
    its result as JSON, its input files, and the versions of Python and all packages. Files that
    input files name are not packed.

    Args:
        words: the command and its arguments.
        output: .zip file to write.
        hashes_only: store the checksums of the input files instead of the files.

    Returns:
        One row per input file.
    """
    if writing := [word for word in words if word.partition("=")[0] in _WRITING]:
        raise OptionError(f"{writing[0]} is not allowed in an archived command; it must print")
    inputs: dict[str, Path] = {}
    staged = [_stage(word, inputs) for word in words]
    rows = [
        ArchivedFile(name, path.stat().st_size, _hash(path), not hashes_only)
        for name, path in inputs.items()
    ]
    code, result = _run(staged, inputs)
    environment = {
        "redink": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {found.name: found.version for found in distributions()},
    }
    about = {
        "command": staged,
        "exit_code": code,
        "inputs": [asdict(row) for row in rows],
        "environment": environment,
    }
    members = {
        _ABOUT: json.dumps(about, indent=1, sort_keys=True).encode(),
        _RESULT: json.dumps(result, indent=1).encode(),
    }
    if not hashes_only:
        members |= {name: path.read_bytes() for name, path in inputs.items()}
    with write_bytes_atomically(output) as stream:
        stream.write(pack(members))
    return table_of(rows, ArchivedFile, signature=make_signature("archive"))


@command
def verify(
    results: Annotated[PathLike, Flag(value="ARCHIVE")],
    *,
    inputs: Annotated[PathLike | None, Flag(value="DIR")] = None,
    trust: bool = False,
) -> Table:
    """Compute an archived result again and compare it.

    The exit code is 1 if an input file or a part of the result differs.

    Args:
        results: a .zip file that ``archive`` wrote.
        inputs: folder with the input files, if the archive has only their checksums.
        trust: run the command even if it may run code or read other files.

    Returns:
        One row per input file and part of the result; of many differing cells, the first ones.
    """
    path = Path(results)
    if not zipfile.is_zipfile(path):
        raise FormatError("is not a .zip file of redink archive", path=path)
    with TemporaryDirectory() as folder:
        unpack(path, folder)
        try:
            about = json.loads((Path(folder) / _ABOUT).read_text(encoding="utf-8"))
            expected = json.loads((Path(folder) / _RESULT).read_text(encoding="utf-8"))
            words = [str(word) for word in about["command"]]
            files = [ArchivedFile(**each) for each in about["inputs"]]
            versions = {
                "redink": about["environment"]["redink"],
                **about["environment"]["packages"],
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FormatError(f"is not an archive of redink ({error})", path=path) from None
        if not trust:
            _refuse_code(words, {file.file for file in files})
        home = Path(folder) if inputs is None else Path(inputs)
        found = {file.file: home / _name_in(file.file, given=inputs is not None) for file in files}
        rows = [_compare_file(file, found[file.file]) for file in files]
        if all(row.verdict == "same" for row in rows):
            _, result = _run(words, found)
            rows += _compare(expected, result)
    now = {"redink": __version__, **{one.name: one.version for one in distributions()}}
    others = sorted(
        name for name in ("redink", "numpy", "sacrebleu") if versions.get(name) != now[name]
    )
    notes = [f"Computed with {name} {versions.get(name)}, now {now[name]}." for name in others]
    return table_of(rows, VerifiedPart, notes=notes, signature=make_signature("verify"))


def _stage(word: str, inputs: dict[str, Path]) -> str:
    """Add the files that a word names to the inputs; return the word with their archived names."""
    names = [word, word.rpartition("=")[2]]
    name = next((n for n in names if n and not n.startswith("-") and Path(n).exists()), None)
    if name is None:
        return word
    path = Path(name)
    place = PurePath(_INPUTS, name)
    if path.is_absolute() or ".." in path.parts:
        place = PurePath(_INPUTS, str(len(inputs)), path.resolve().name)
    members = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    inputs |= {(place / member.relative_to(path)).as_posix(): member for member in members}
    return word.removesuffix(name) + place.as_posix()


def _run(words: Sequence[str], inputs: Mapping[str, Path]) -> tuple[int, Any]:
    """Run a command in a folder that has only its inputs; return its exit code and result."""
    with TemporaryDirectory() as folder:
        for name, path in inputs.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            copyfile(path, Path(folder) / name)
        ran = subprocess.run(  # noqa: S603  (the words are those of the user)
            [sys.executable, "-m", "redink", *words, "--format", "json"],
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            check=False,
        )
    try:
        return ran.returncode, json.loads(ran.stdout)
    except ValueError:
        told = (ran.stderr.strip() or "it prints no table").splitlines()[-1]
        told = told.removeprefix("redink: error: ")
        raise DataError(f"the command cannot be archived: {told}") from None


def _refuse_code(words: Sequence[str], inputs: set[str]) -> None:
    """Raise an error if the command of an archive names anything except its inputs."""
    for word in words:
        path = word.rpartition("=")[2]
        is_input = any(name == path or name.startswith(f"{path}/") for name in inputs)
        outside = "/" in word.removesuffix(path if is_input else "") or "\\" in word
        if outside or "python:" in word or word.partition("=")[0] in _WRITING:
            raise DataError(
                f"the archived command has {word!r}, which may run code or use other files; check "
                "the archive, and accept it with --trust"
            )


def _name_in(name: str, *, given: bool) -> str:
    return name.removeprefix(f"{_INPUTS}/") if given else name


def _compare_file(file: ArchivedFile, path: Path) -> VerifiedPart:
    found = _hash(path) if path.is_file() else "missing (--inputs DIR)"
    verdict: Literal["same", "problem"] = "same" if found == file.sha256 else "problem"
    return VerifiedPart(
        file.file, verdict, file.sha256[:12], found[:12] if path.is_file() else found
    )


def _compare(expected: Any, found: Any) -> Iterator[VerifiedPart]:
    """Compare two results part by part, and cell by cell if rows differ."""
    for part in ("signature", "columns", "rows"):
        first, second = (json.dumps(one[part], sort_keys=True) for one in (expected, found))
        if first == second:
            yield VerifiedPart(part, "same", "", "")
        elif part != "rows":
            yield VerifiedPart(part, "problem", first, second)
        else:
            yield from list(_differing_cells(expected["rows"], found["rows"]))[:_MOST_DIFFERENCES]


def _differing_cells(
    expected: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]
) -> Iterator[VerifiedPart]:
    if len(expected) != len(found):
        yield VerifiedPart("rows", "problem", str(len(expected)), str(len(found)))
    for number, (first, second) in enumerate(zip(expected, found, strict=False), start=1):
        for name in {**first, **second}:
            if first.get(name) != second.get(name):
                values = str(first.get(name)), str(second.get(name))
                yield VerifiedPart(f"row {number}: {name}", "problem", *values)


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
