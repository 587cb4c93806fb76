"""Find the shards of a corpus by a pattern or in a folder, match them and name them."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from redink.errors import OptionError
from redink.inputs.loading import PathLike

_COMPRESSED = (".gz", ".zst")


def is_many(path: PathLike) -> bool:
    """Return whether a path is a folder, or a pattern rather than a file."""
    place = Path(path)
    return place.is_dir() or (glob.has_magic(str(path)) and not place.exists())


def find_shards(source: PathLike, corrected: Sequence[PathLike]) -> list[tuple[str, ...]]:
    """Return the files of each shard: a source file and its corrected files.

    Each argument is a file, a folder (all files in it) or a pattern. The files of the arguments
    are matched in sorted order.
    """
    _refuse_expanded_pattern([source, *corrected])
    sides = [_find(path) for path in (source, *corrected)]
    first = sides[0]
    for path, files in zip(corrected, sides[1:], strict=True):
        if len(files) != len(first):
            raise OptionError(
                f"{source} has {len(first)} and {path} has {len(files)} shards; "
                f"they must match one to one{_find_unmatched(first, files)}"
            )
        if len(first) > 1:
            for ours, theirs in zip(first, files, strict=True):
                _check_numbers(ours, theirs)
    return list(zip(*sides, strict=True))


def _find(path: PathLike) -> list[str]:
    place = Path(path)
    if place.is_dir():
        # names that begin with _ are other programs' notes on what they wrote (_SUCCESS)
        files = [str(f) for f in place.iterdir() if f.is_file() and f.name[0] not in "._"]
    elif is_many(path):
        files = [f for f in glob.glob(str(path), recursive=True) if Path(f).is_file()]  # noqa: PTH207 (also absolute patterns)
    else:
        return [str(path)]  # a missing file is reported when it is read
    if not files:
        raise OptionError(f"{path}: no file is found there")
    return sorted(files)


def _find_unmatched(first: Sequence[str], other: Sequence[str]) -> str:
    """Name a file without a partner, as far as the file names show it."""
    ours, theirs = ({_key(f): f for f in files} for files in (first, other))
    for one, another in ((ours, theirs), (theirs, ours)):
        alone = [file for key, file in one.items() if key not in another]
        if alone and len(alone) < len(one):
            return f" ({alone[0]} has no partner)"
    return ""


def _key(file: str) -> str | tuple[int, ...]:
    """Return the part of a file name by which files are matched: its numbers, or all of it."""
    name = Path(file).name
    return tuple(map(int, re.findall(r"\d+", name))) or name


def _check_numbers(ours: str, theirs: str) -> None:
    """Raise an error if two matched files are numbered differently."""
    numbers = [re.findall(r"\d+", Path(file).name.partition(".")[0]) for file in (ours, theirs)]
    if all(numbers) and int(numbers[0][-1]) != int(numbers[1][-1]):
        raise OptionError(
            f"{ours} would be matched with {theirs}: in sorted order their numbers differ; "
            "a file is missing, or the names of the two sides do not sort alike"
        )


def _refuse_expanded_pattern(paths: Iterable[PathLike]) -> None:
    """Raise an error if the shell expanded a pattern: its files would become annotators."""
    groups = [
        [Path(path).name for path in group]
        for _, group in groupby(paths, key=lambda path: Path(path).parent)
    ]
    if len(groups) > 1 and len(groups[0]) > 1 and all(group == groups[0] for group in groups):
        raise OptionError(
            "the shell has put all files in place of a pattern; "
            "put the pattern between quotes, or give the folder"
        )


def name_shards(sources: Sequence[str]) -> list[str]:
    """Return a short name for each shard, used for its output."""
    names = [
        Path(source).stem if Path(source).suffix in _COMPRESSED else Path(source).name
        for source in sources
    ]
    folder = Path(os.path.commonpath([Path(s).parent for s in sources]))
    for candidates in (
        [Path(name).stem for name in names],
        names,
        [
            "-".join((*Path(source).parent.relative_to(folder).parts, name))
            for source, name in zip(sources, names, strict=True)
        ],
    ):
        [(name, times)] = Counter(candidates).most_common(1)
        if times == 1:
            return candidates
    same = [source for source, own in zip(sources, candidates, strict=True) if own == name]
    raise OptionError(f"{same[0]} and {same[1]} would have one name in the output; rename one")
