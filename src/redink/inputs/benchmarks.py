"""Benchmarks for meta-evaluation: the files with judgments, outputs, references and scores.

A description is a small TOML file; all paths and patterns in it are relative to the folder::

    name = "mine"
    source = "source.txt"
    outputs = "outputs/*.txt"            # one file per system, named by its stem
    reference = "gold.m2"                # or several corrected texts
    judgments = {edit = "edit.xml"}      # rankings, with a name
    ratings = {fluency = "ratings.csv"}  # or ratings
    scores = "metrics/*"                 # scores of other metrics, if any
    first_line = 1                       # number of the first line in the judgments
    lines = "all"                        # score all lines, not only judged lines

    [human.edit]                         # aggregated human scores, if published
    EW = "human/EW_edit.txt"

    [sets.base]                          # sets of systems
    without = ["INPUT"]

This module describes the published benchmarks.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from redink.errors import FormatError, OptionError
from redink.files import read_text

_CONLL = ("official-2014.combined.m2", "../conll14/official-2014.combined.m2")
_KNOWN: dict[str, dict[str, Any]] = {
    "seeda": {
        "about": "SEEDA (Kobayashi, Mita and Komachi 2024): 15 systems on CoNLL-2014",
        "source": ["outputs/all/INPUT.txt"],
        "outputs": ["outputs/all/*.txt"],
        "subset": ["outputs/subset/*.txt"],
        "reference": [[one] for one in _CONLL],
        "judgments": {
            "edit": ["judgments_edit.xml", "data/judgments_edit.xml"],
            "sent": ["judgments_sent.xml", "data/judgments_sent.xml"],
        },
        "human": {
            kind: {name: f"scores/human/{name}_{kind}.txt" for name in ("EW", "TS")}
            for kind in ("edit", "sent")
        },
        "aggregations": ["EW", "TS"],
        "sets": {
            "base": {"without": ["GPT-3.5", "INPUT", "REF-F"]},
            "+INPUT": {"without": ["GPT-3.5", "REF-F"]},
            "+REF-F_GPT-3.5": {"without": ["INPUT"]},
            "all": {},
        },
        "windows": {"size": 8, "set": "base", "human": "TS"},
    },
    "gjg15": {
        "about": "Grundkiewicz et al. (2015): 12 systems on CoNLL-2014 and the source",
        "source": ["source.txt", "../conll14/source.txt"],
        "source_is": "INPUT",
        "outputs": ["outputs/*.txt", "../conll14/systems/*.txt"],
        "reference": [[one] for one in _CONLL],
        "first_line": 0,
        "lines": "all",
        "judgments": {"rankings": ["judgments.xml"]},
        "scores": ["metrics/scores.*"],
        "aggregations": ["EW", "TS"],
        "sets": {"all": {}, "without INPUT": {"without": ["INPUT"]}},
    },
    "gmeg": {
        "about": "GMEG (Napoles, Nădejde and Tetreault 2019): ratings from 0 to 100",
        "domains": ["wiki", "fce", "yahoo"],
        "source": ["{}/source.txt"],
        "source_is": "source",
        "outputs": ["{}/*.txt"],
        "reference": [[f"{{}}/ref{number}.txt" for number in range(4)]],
        "ratings": ["{}-segment-scores.csv", "{}/segment-scores.csv"],
        "sets": {"systems": {"without": ["ref", "source"]}, "all": {}},
    },
}
AGGREGATIONS = ("EW", "TS", "BT")
"""Aggregations of rankings to scores: Expected Wins, TrueSkill, Bradley-Terry."""
_NAMES = "a table of names: {NAME = ...}"
_TYPES: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(("about", "name", "lines"), (str, "text")),
    **dict.fromkeys(("source", "outputs", "subset", "reference", "scores"), (object, "files")),
    "source_is": (str, "the name of a system"),
    "first_line": (int, "a number"),
    "aggregations": (list, "a list"),
    **dict.fromkeys(("judgments", "ratings", "human", "sets", "windows"), (dict, _NAMES)),
}
"""The keys of a description and the types of their values."""
BENCHMARKS = tuple(_KNOWN)
"""The names of the published benchmarks."""


@dataclass(frozen=True)
class SystemSet:
    """A selection of systems by name: only some, or all without some."""

    name: str
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def choose(self, systems: Sequence[str]) -> tuple[str, ...]:
        """Return the systems that belong to the set."""
        return tuple(
            s for s in systems if s not in self.without and (not self.only or s in self.only)
        )


@dataclass(frozen=True)
class Windows:
    """Windows of neighboring systems in a human ranking: size, set and aggregation."""

    size: int
    set: str | None
    human: str | None = None


@dataclass(frozen=True)
class Benchmark:
    """The files of a benchmark."""

    name: str
    outputs: Mapping[str, Path] = field(default_factory=dict)
    source: Path | None = None
    source_is: str | None = None
    references: tuple[Path, ...] = ()
    subset: Mapping[str, Path] = field(default_factory=dict)
    first_line: int = 1
    all_lines: bool = False
    judgments: Mapping[str, Path] = field(default_factory=dict)
    ratings: Mapping[str, Path] = field(default_factory=dict)
    human: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    aggregations: tuple[str, ...] = ("EW",)
    scores: tuple[Path, ...] = ()
    sets: tuple[SystemSet, ...] = (SystemSet("all"),)
    windows: Windows | None = None


def read_benchmark(name: str, folder: str | Path) -> tuple[Benchmark, ...]:
    """Find the files of a benchmark: one value, or one per domain that has files."""
    home = Path(folder)
    if not home.is_dir():
        raise FormatError("is not a folder; expected the folder of a benchmark", path=home)
    if name in _KNOWN:
        told, path = _KNOWN[name], home
    else:
        path = next((one for one in (home / name, Path(name)) if one.is_file()), Path(name))
        if not path.is_file():
            raise OptionError(
                f"unknown benchmark {name!r}; expected one of: {', '.join(BENCHMARKS)}, "
                "or a TOML file that describes a benchmark"
            )
        told = _read_toml(path)
        name = str(told.get("name", path.stem))
    domains = told.get("domains")
    if domains is None:
        found = [_resolve(name, told, home, path)]
    else:
        there = [domain for domain in domains if (home / domain).is_dir()]
        found = [_resolve(domain, _for_domain(told, domain), home, path) for domain in there]
    found = [one for one in found if one.judgments or one.ratings]
    if not found:
        raise FormatError(f"contains no judgments of the benchmark {name}", path=home)
    return tuple(found)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        told = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"is not valid TOML: {error}", path=path) from None
    for problem in chain(_find_wrong_types(told), _find_wrong_values(told)):
        raise FormatError(problem, path=path)
    return told


def _find_wrong_types(told: Mapping[str, Any]) -> Iterator[str]:
    for key, value in told.items():
        if key not in _TYPES:
            yield f"unknown key {key!r}; expected one of: {', '.join(sorted(_TYPES))}"
        elif not isinstance(value, _TYPES[key][0]):
            yield f"{key} must be {_TYPES[key][1]}, not {value!r}"


def _find_wrong_values(told: Mapping[str, Any]) -> Iterator[str]:
    for one in told.get("aggregations", ()):
        if one not in AGGREGATIONS:
            yield f"unknown aggregation {one!r}; expected one of: {', '.join(AGGREGATIONS)}"
    for name, one in told.get("sets", {}).items():
        if not isinstance(one, dict):
            yield f"the set {name} must be a table with only or without"
    windows = told.get("windows", {})
    if windows and (type(windows.get("size")) is not int or "set" not in windows):
        yield "windows must have a set and a size, which is a whole number"
    sets = [*told.get("sets", {})] or ["all"]
    judged = [*told.get("judgments", {}), *told.get("ratings", {})]
    for what, names, known in (
        ("set in windows", [windows["set"]] if windows else [], sets),
        ("judgments in human", told.get("human", {}), judged),
    ):
        for name in names:
            if name not in known:
                yield f"unknown {what}: {name!r}; expected one of: {', '.join(known) or '(none)'}"


def _for_domain(told: Mapping[str, Any], domain: str) -> dict[str, Any]:
    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("{}", domain)
        return [fill(one) for one in value] if isinstance(value, list) else value

    filled = {key: fill(value) for key, value in told.items()}
    return {**filled, "ratings": {domain: filled["ratings"]}}


def _resolve(name: str, told: Mapping[str, Any], home: Path, path: Path) -> Benchmark:
    own = path.is_file()  # files in a user's description must exist

    def find(patterns: Any, *, every: bool = False) -> tuple[Path, ...]:
        return _find(home, patterns, path, must=own, every=every)

    def named(files: Mapping[str, Any]) -> dict[str, Path]:
        found = {name: find(patterns) for name, patterns in files.items()}
        return {name: paths[0] for name, paths in found.items() if paths}

    options = told.get("reference", [])
    options = options if not own and isinstance(options, list) else [options]
    references = next(filter(None, (find(one, every=True) for one in options)), ())
    source = find(told.get("source", []))
    is_separate = told.get("source_is") is not None
    outputs = [
        one
        for one in find(told.get("outputs", []))
        if not (is_separate and one in {*references, *source})
    ]
    windows = told.get("windows")
    try:
        sets = tuple(
            SystemSet(key, tuple(one.get("only", ())), tuple(one.get("without", ())))
            for key, one in told.get("sets", {}).items()
        )
        return Benchmark(
            name,
            {one.stem: one for one in outputs},
            source[0] if source else None,
            told.get("source_is"),
            references,
            {one.stem: one for one in _find(home, told.get("subset", []), path)},
            told.get("first_line", 1),
            told.get("lines") == "all",
            named(told.get("judgments", {})),
            named(told.get("ratings", {})),
            {kind: named(files) for kind, files in told.get("human", {}).items()},
            tuple(told.get("aggregations", ("EW",))),
            find(told.get("scores", [])),
            sets or (SystemSet("all"),),
            Windows(windows["size"], windows["set"], windows.get("human")) if windows else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"the description is invalid near {error}", path=path) from None


def _find(
    home: Path, patterns: Any, path: Path, *, must: bool = False, every: bool = False
) -> tuple[Path, ...]:
    """Find the files of patterns; of alternative patterns, use the first that matches a file."""
    listed = [patterns] if isinstance(patterns, str) else patterns
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise FormatError(f"expected a file, a pattern or a list, found {patterns!r}", path=path)
    each = [tuple(_glob(home, pattern)) for pattern in listed]
    for pattern, files in zip(listed, each, strict=True):
        if must and not files:
            raise FormatError(f"contains {pattern!r}, which does not exist in {home}", path=path)
    if must or (every and all(each)):
        return tuple(dict.fromkeys(file for files in each for file in files))
    return () if every else next((files for files in each if files), ())


def _glob(home: Path, pattern: str) -> Iterator[Path]:
    if any(sign in pattern for sign in "*?["):
        folder = (home / pattern).parent
        if folder.is_dir():
            yield from sorted(one for one in folder.glob(Path(pattern).name) if one.is_file())
    elif (home / pattern).is_file():
        yield home / pattern
