"""Benchmarks of metrics: which files of a folder are judgments, outputs, references and scores.

A description is a small TOML file; all paths and patterns in it are relative to the folder::

    name = "mine"
    source = "source.txt"
    outputs = "outputs/*.txt"            # a file a system, named by its stem
    reference = "gold.m2"                # or several corrected texts
    judgments = {edit = "edit.xml"}      # rankings, by name
    ratings = {fluency = "ratings.csv"}  # or ratings
    scores = "metrics/*"                 # scores of other metrics, if any
    first_line = 1                       # how the judgments number the first line
    lines = "all"                        # score all lines, not only those that were judged

    [human.edit]                         # aggregated human scores, if they were published
    EW = "human/EW_edit.txt"

    [sets.base]                          # sets of systems
    without = ["INPUT"]

The benchmarks of the literature are described here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
"""How rankings become scores: Expected Wins, TrueSkill, Bradley-Terry."""
_NAMED = (dict, "a table of names: {NAME = ...}")
_TYPES: dict[str, tuple[type, str]] = {
    "source_is": (str, "the name of a system"),
    "first_line": (int, "a number"),
    "aggregations": (list, "a list"),
    **dict.fromkeys(("judgments", "ratings", "human", "sets", "windows"), _NAMED),
}
BENCHMARKS = tuple(_KNOWN)
"""Those that are described here."""
_KEYS = {
    *("about", "name", "source", "source_is", "outputs", "subset", "reference", "first_line"),
    *("judgments", "ratings", "human", "aggregations", "scores", "sets", "windows", "lines"),
}


@dataclass(frozen=True)
class SystemSet:
    """Some of the systems, by name: only these, or all without those."""

    name: str
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def choose(self, systems: Sequence[str]) -> tuple[str, ...]:
        """The members among the systems."""
        return tuple(
            s for s in systems if s not in self.without and (not self.only or s in self.only)
        )


@dataclass(frozen=True)
class Windows:
    """Windows of neighbours in the human ranking: so many of a set, by an aggregation."""

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
    """The files of a benchmark: one, or one for every domain that is there."""
    home = Path(folder)
    if not home.is_dir():
        raise FormatError("is not a folder; the files of a benchmark are in one", path=home)
    if name in _KNOWN:
        told, path = _KNOWN[name], home
    else:
        path = next((one for one in (home / name, Path(name)) if one.is_file()), Path(name))
        if not path.is_file():
            raise OptionError(
                f"there is no benchmark {name!r}; there are: {', '.join(BENCHMARKS)}, "
                "or a TOML file that describes one"
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
        raise FormatError(f"holds no judgments of the benchmark {name}", path=home)
    return tuple(found)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        told = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"is not well-formed TOML: {error}", path=path) from None
    for key in told:
        if key not in _KEYS:
            raise FormatError(
                f"a description has no {key!r}; it has: {', '.join(sorted(_KEYS))}", path=path
            )
    _check_values(told, path)
    return told


def _check_values(told: Mapping[str, Any], path: Path) -> None:
    for key, (kind, what) in _TYPES.items():
        if not isinstance(told.get(key, kind()), kind):
            raise FormatError(f"{key} is {what}, not {told[key]!r}", path=path)
    for one in told.get("aggregations", ()):
        if one not in AGGREGATIONS:
            listed = ", ".join(AGGREGATIONS)
            raise FormatError(f"rankings are aggregated by {listed}, not by {one!r}", path=path)
    for name, one in told.get("sets", {}).items():
        if not isinstance(one, dict):
            raise FormatError(f"the set {name} is a table of only or without", path=path)
    windows = told.get("windows")
    if windows and (type(windows.get("size")) is not int or "set" not in windows):
        raise FormatError("windows have a size, a whole number, and a set", path=path)
    _check_names(told, path)


def _check_names(told: Mapping[str, Any], path: Path) -> None:
    """What refers to something else must find it."""
    sets = [*told.get("sets", {})] or ["all"]
    judged = [*told.get("judgments", {}), *told.get("ratings", {})]
    for what, names, known in (
        ("windows are of a set", [told.get("windows", {}).get("set", sets[0])], sets),
        ("human scores are of judgments", told.get("human", {}), judged),
    ):
        for name in names:
            if name not in known:
                there = ", ".join(known) or "none are named"
                raise FormatError(f"{what} ({there}), not of {name!r}", path=path)


def _for_domain(told: Mapping[str, Any], domain: str) -> dict[str, Any]:
    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("{}", domain)
        return [fill(one) for one in value] if isinstance(value, list) else value

    filled = {key: fill(value) for key, value in told.items()}
    return {**filled, "ratings": {domain: filled["ratings"]}}


def _resolve(name: str, told: Mapping[str, Any], home: Path, path: Path) -> Benchmark:
    def tables(key: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = told.get(key, {})
        return found

    own = path.is_file()  # what a user's description names must be there
    references: tuple[Path, ...] = ()
    options = told.get("reference", [])
    for option in options if not own and isinstance(options, list) else [options]:
        references = references or _find(home, option, path, must=own, every=True)
    source = _find(home, told.get("source", []), path, must=own)
    separate_texts = {*references, *source}
    outputs = {
        one.stem: one
        for one in _find(home, told.get("outputs", []), path, must=own)
        if one not in separate_texts or told.get("source_is") is None
    }
    windows = tables("windows")
    try:
        return Benchmark(
            name,
            outputs,
            source[0] if source else None,
            told.get("source_is"),
            references,
            {one.stem: one for one in _find(home, told.get("subset", []), path)},
            told.get("first_line", 1),
            told.get("lines") == "all",
            _named(home, tables("judgments"), path, must=own),
            _named(home, tables("ratings"), path, must=own),
            {kind: _named(home, files, path, must=own) for kind, files in tables("human").items()},
            tuple(told.get("aggregations", ("EW",))),
            _find(home, told.get("scores", []), path, must=own),
            tuple(
                SystemSet(key, tuple(one.get("only", ())), tuple(one.get("without", ())))
                for key, one in tables("sets").items()
            )
            or (SystemSet("all"),),
            Windows(int(windows["size"]), str(windows["set"]), windows.get("human"))
            if windows
            else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"the description is wrong near {error}", path=path) from None


def _named(home: Path, told: Mapping[str, Any], path: Path, *, must: bool) -> dict[str, Path]:
    found = {name: _find(home, patterns, path, must=must) for name, patterns in told.items()}
    return {name: files[0] for name, files in found.items() if files}


def _find(
    home: Path, patterns: Any, path: Path, *, must: bool = False, every: bool = False
) -> tuple[Path, ...]:
    """The files that patterns find: of alternatives the first that finds any, or of all of them."""
    listed = [patterns] if isinstance(patterns, str) else patterns
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise FormatError(f"expected a file, a pattern or a list, found {patterns!r}", path=path)
    each = [tuple(_glob(home, pattern)) for pattern in listed]
    for pattern, files in zip(listed, each, strict=True):
        if must and not files:
            raise FormatError(f"names {pattern!r}, which is not in {home}", path=path)
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
