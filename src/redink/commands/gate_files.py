"""Files of ``redink gate``: the settings in redink.toml, and statistics of a baseline."""

from __future__ import annotations

import json
import shlex
import subprocess
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from redink._version import __version__
from redink.errors import DataError, FormatError, OptionError, unknown_name
from redink.evaluation import Evaluation, EvaluationOptions
from redink.files import write_bytes_atomically
from redink.inputs.settings import read_settings
from redink.inputs.text_loading import load_texts
from redink.model import Hypotheses
from redink.options import Confidence, Flag, Options
from redink.scoring.engine import ScoredSystem
from redink.scoring.metric import Metric, Statistics

CONFIG = "redink.toml"
_PATHS = ("source", "references", "metadata", "documents")


@dataclass(frozen=True)
class GateSettings(Options):
    """The contents of redink.toml.

    Attributes:
        data: ``reference``, and options such as ``source``, ``references``, ``metadata``.
        systems: ``baseline`` and ``candidate``: a file, or a table with a ``command`` that reads
            the source on standard input and prints the corrected text.
        rules: the rules.
        metrics: metrics that must not get worse.
        by: columns; each rule is also tested on every slice.
        alpha: significance level of the tests.
        strict: whether a change must be significantly smaller than its limit.
    """

    data: Mapping[str, Any]
    systems: Mapping[str, Any]
    rules: Annotated[Sequence[str], Flag(repeat=True)] = ()
    metrics: Annotated[Sequence[str], Flag(repeat=True)] = ()
    by: Sequence[str] = ()
    alpha: Confidence = 0.05
    strict: bool = False


def read_gate(
    path: str | Path, options: EvaluationOptions
) -> tuple[GateSettings, Any, dict[str, Any], EvaluationOptions]:
    """Read the settings; return them with the reference, the systems and the options.

    Paths are relative to the folder of the file.
    """
    settings = read_settings(path, GateSettings)
    folder = Path(path).parent
    known = {field.name for field in fields(EvaluationOptions)}
    _check_keys(path, "data", settings.data, {"reference", *known})
    _check_keys(path, "systems", settings.systems, {"baseline", "candidate"})
    if "candidate" not in settings.systems:
        raise FormatError("[systems] needs a candidate", path=path)
    given = dict(settings.data)
    for name in given.keys() & {"reference", *_PATHS}:
        value = given[name]
        names = [value] if isinstance(value, str) else value
        if not (isinstance(names, list) and names and all(isinstance(one, str) for one in names)):
            raise FormatError(f"[data] {name}: expected a file name, not {value!r}", path=path)
        located = [str(folder / one) for one in names]
        given[name] = located if name == "references" else located[0]
    reference = given.pop("reference", None)
    try:
        options = replace(options, **given)
    except OptionError as error:
        raise FormatError(f"[data]: {error}", path=path) from None
    source = reference if options.source is None else options.source
    systems = {
        name: _load_system(settings.systems[name], source, folder, f"{path}: {name}")
        for name in ("baseline", "candidate")
        if name in settings.systems
    }
    return settings, reference, systems, options


def _check_keys(
    path: str | Path, table: str, given: Iterable[str], allowed: Collection[str]
) -> None:
    for name in given:
        if name not in allowed:
            problem = f"[{table}]: {unknown_name('key', name, sorted(allowed))}"
            raise FormatError(problem, path=path)


def _load_system(given: Any, source: Any, folder: Path, name: str) -> Any:
    """Return the file of a system, or the lines that its command prints for the source."""
    if isinstance(given, str):
        return str(folder / given)
    command = given.get("command") if isinstance(given, Mapping) else None
    if not command or source is None:
        raise OptionError(f"{name}: expected a file, or a command = and a source in [data]")
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        words = command
    else:
        try:
            words = shlex.split(str(command))
        except ValueError as error:
            raise OptionError(f"{name}: {command!r} is not a command ({error})") from None
    text = "".join(f"{sentence}\n" for sentence in load_texts(source))
    try:
        ran = subprocess.run(  # noqa: S603 (the user's own command)
            words, check=False, input=text, capture_output=True, encoding="utf-8", cwd=folder
        )
    except (OSError, ValueError) as error:
        raise DataError(f"{name}: {shlex.join(words)} cannot be started ({error})") from None
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or [""])[-1]
        raise DataError(f"{name}: {shlex.join(words)} failed with {ran.returncode}: {last}")
    return ran.stdout.removesuffix("\n").split("\n")


# ---- statistics of a baseline

_ABOUT = "about"


def is_baseline(given: Any) -> bool:
    """Return whether this is a file with the statistics of a baseline."""
    return isinstance(given, str | Path) and Path(given).is_file() and zipfile.is_zipfile(given)


def save_baseline(
    path: str | Path, evaluation: Evaluation, scored: Iterable[ScoredSystem], *, texts: bool
) -> None:
    """Write the statistics of the candidate per sentence, and on request its text."""
    arrays: dict[str, Any] = {}
    metrics: list[dict[str, Any]] = []
    for number, each in enumerate(scored):
        statistics = each.statistics
        metrics.append({"metric": str(each.metric), "labels": statistics.labels})
        for name, array in statistics.arrays.items():
            arrays[f"{number}/{name}"] = array.astype(str) if array.dtype == object else array
    if Path(path).exists() and not is_baseline(path):
        raise OptionError(f"{path}: exists and is not a baseline; name another file")
    about = {
        "redink": __version__,
        "references": evaluation.fingerprints()["references"],
        "metrics": metrics,
        "texts": [str(text) for text in evaluation.systems[-1].texts] if texts else None,
    }
    arrays[_ABOUT] = np.array(json.dumps(about))
    with write_bytes_atomically(path) as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)


class SavedBaseline:
    """The statistics of a baseline, read from a file."""

    def __init__(self, path: str | Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as found:
                self._arrays = dict(found)
            about = json.loads(str(self._arrays.pop(_ABOUT)))
            self._about = {name: about[name] for name in ("references", "metrics", "texts")}
        except (OSError, TypeError, ValueError, KeyError, zipfile.BadZipFile):
            raise FormatError("is not a file of --update-baseline", path=path) from None
        self.path = path

    @property
    def texts(self) -> list[str] | None:
        """The texts of the baseline, if they were stored."""
        texts: list[str] | None = self._about["texts"]
        return texts

    def find(self, evaluation: Evaluation, metric: Metric, candidate: ScoredSystem) -> ScoredSystem:
        """Return the baseline under a metric."""
        if self._about["references"] != evaluation.fingerprints()["references"]:
            raise DataError(
                f"{self.path}: the references are not those of the baseline; write it again with "
                "--update-baseline"
            )
        known = [one["metric"] for one in self._about["metrics"]]
        if str(metric) not in known:
            raise DataError(
                f"{self.path}: the baseline has no statistics of {metric}; write it again with "
                "--update-baseline and the same rules"
            )
        number = known.index(str(metric))
        prefix = f"{number}/"
        arrays = {
            k.removeprefix(prefix): v for k, v in self._arrays.items() if k.startswith(prefix)
        }
        statistics = Statistics(arrays, tuple(self._about["metrics"][number]["labels"]))
        return replace(candidate, system=Hypotheses("baseline", ()), statistics=statistics)
