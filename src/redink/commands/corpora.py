"""List public corpora, and check the copies in a folder."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from redink.errors import OptionError, unknown_name
from redink.inputs.input_options import PathLike
from redink.model import Shown, Table, make_signature, table_of
from redink.options import Flag, command
from redink.progress import tell

_CORPORA = Path(__file__).with_name("resources") / "corpora.toml"

State = Literal["whole", "differs", "missing"]


@dataclass(frozen=True)
class KnownCorpus:
    """A public corpus."""

    corpus: str
    title: str
    languages: str
    size: str
    licence: str
    url: Annotated[str, Shown(title="URL")]
    used_by: Annotated[str, Shown(title="commands")]


@dataclass(frozen=True)
class FoundFile:
    """A file of a corpus that is in the folder, complete or in part."""

    corpus: str
    file: str
    state: State
    about: str
    used_by: Annotated[str, Shown(title="commands")]


@command
def corpora(
    folder: Annotated[PathLike | None, Flag(value="[DIR]")] = None,
    *,
    names: Annotated[Sequence[str], Flag(value="NAME,...")] = (),
) -> Table:
    """List public corpora, or check the copies in a folder.

    redink downloads nothing. It finds files in the folder by name, at any depth, and compares
    the checksum of their lines, ignoring carriage returns and trailing spaces. If the checksum is
    not known, redink compares the number of sentences.

    Args:
        folder: the folder of your corpora.
        names: list only these corpora.

    Returns:
        One row per corpus; with a folder, one row per file of the corpora in it.
    """
    known = read_corpora()
    for name in names:
        if name not in known:
            raise unknown_name("corpus", name, known)
    wanted = {name: about for name, about in known.items() if not names or name in names}
    signature = make_signature("corpora")
    if folder is None:
        shown = ("title", "languages", "size", "licence", "url")
        rows = [
            KnownCorpus(
                name, **{key: about[key] for key in shown}, used_by=", ".join(about["used_by"])
            )
            for name, about in wanted.items()
        ]
        return table_of(rows, KnownCorpus, signature=signature)
    if not Path(folder).is_dir():
        raise OptionError(f"{folder} is not a folder")
    found = list(_look_into(Path(folder), wanted))
    notes = () if found else (f"{folder} contains no file of a known corpus.",)
    return table_of(found, FoundFile, notes=notes, signature=signature)


def read_corpora() -> dict[str, dict[str, Any]]:
    """Return the description of every corpus."""
    return tomllib.loads(_CORPORA.read_text(encoding="utf-8"))


def _look_into(folder: Path, corpora: dict[str, dict[str, Any]]) -> Iterator[FoundFile]:
    places: dict[str, list[Path]] = {}
    names = {each["name"] for about in corpora.values() for each in about.get("files", ())}
    for where, _, files in os.walk(folder):
        for file in files:
            if file in names:
                places.setdefault(file, []).append(Path(where) / file)
    for number, (corpus, about) in enumerate(corpora.items()):
        tell(corpus, number, len(corpora))
        expected = {each["name"]: each for each in about.get("files", ())}
        if not expected.keys() & places.keys():
            continue
        used_by = ", ".join(about["used_by"])
        for name, each in expected.items():
            if name not in places:
                yield FoundFile(corpus, name, "missing", about["url"], used_by)
            for path in places.get(name, ()):
                state, told = _compare(path, each)
                yield FoundFile(corpus, path.relative_to(folder).as_posix(), state, told, used_by)


def _compare(path: Path, expected: dict[str, Any]) -> tuple[State, str]:
    digest, lines, sources = hashlib.sha256(), 0, 0
    with path.open("rb") as stream:
        for line in stream:
            digest.update(line.rstrip() + b"\n")
            lines += 1
            sources += line.startswith(b"S ")
    sentences = sources if path.suffix == ".m2" else lines
    if "digest" in expected:
        size = f"{sentences:,} {'sentences' if sources else 'lines'}"
        if digest.hexdigest().startswith(expected["digest"]):
            return "whole", f"{size}, as published"
        return "differs", f"{size}, differs from the published file"
    if sentences == expected["sentences"]:
        return "whole", f"{sentences:,} sentences, the published number"
    return "differs", f"{sentences:,} sentences; published: {expected['sentences']:,}"
