"""What a system says of each item: error or not; from labels of its own, or flags for words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from redink.errors import DataError, FormatError, OptionError
from redink.files import read_head
from redink.formats import detect_format
from redink.formats.delimited import COMMA, TAB, read_rows, split_header
from redink.formats.inputs import PathLike
from redink.formats.json_lines import first_object, read_objects
from redink.judging.labels import ERROR_WORDS, FINE_WORDS
from redink.model import Detection, Judgment

ERROR, OK = "error", "ok"
SystemLike = PathLike | Mapping[str, str] | Iterable[Judgment]

_WORD = re.compile(r"s0*(\d{1,15})t0*(\d{1,15})")


def word_name(sentence: int, position: int) -> str:
    """The name of a word as an item: sentences count from 1, words in them from 0."""
    return f"s{sentence}t{position}"


def _without_zeros(item: str) -> str:
    match = _WORD.fullmatch(item)
    return word_name(int(match[1]), int(match[2])) if match else item


@dataclass(frozen=True)
class Decisions:
    """A system's label for every item it has seen."""

    name: str
    labels: Mapping[str, str]

    def label(self, item: str) -> str | None:
        """What the system says, or None. ``s07t03`` and ``s7t3`` name the same word."""
        found = self.labels.get(item)
        return self.labels.get(_without_zeros(item)) if found is None else found

    def flags(
        self, items: Iterable[str], *, fine: Sequence[str], known: Iterable[str]
    ) -> list[bool | None]:
        """Whether the system calls each item an error; None where it says nothing.

        Raises:
            DataError: a label that no judge uses and whose word does not say what it means.
        """
        usual = set(known)
        flags: list[bool | None] = []
        for item in items:
            label = self.label(item)
            if label is None:
                flags.append(None)
                continue
            word = label.strip().casefold()
            if label in fine or (label not in usual and word in FINE_WORDS):
                flags.append(False)
            elif label in usual or word in ERROR_WORDS:
                flags.append(True)
            else:
                raise DataError(
                    f"system {self.name!r} says {label!r} of item {item!r}, which no judge says; "
                    f"labels are: {', '.join(sorted(usual))} (merge it with --merge)"
                )
        return flags


def load_cases(cases: SystemLike, *, name: str = "system") -> tuple[Judgment, ...]:
    """A system's cases: judgments of its own, labels by item, or flags for every word (GED TSV).

    A table needs the columns ``item`` and ``label``; ``judge`` may be left out.
    """
    if isinstance(cases, Mapping):
        return tuple(Judgment(item, name, label) for item, label in cases.items())
    if not isinstance(cases, str | Path):
        return tuple(cases)
    found = tuple(_read_cases(cases, name))
    if not found:
        raise FormatError("holds no cases; items with labels were expected", path=cases)
    return found


def _read_cases(path: PathLike, name: str) -> Iterator[Judgment]:
    head = read_head(path, lines=1)
    first = head[0] if head else ""
    if first_object([first]).keys() >= {"item", "label"}:
        yield from _read_jsonl(path, name)
        return
    for separator in (TAB, COMMA):
        columns = {column.lower() for column in split_header(first, separator)}
        if columns.issuperset({"item", "label"}):
            for row in read_rows(path, separator):
                cells = {key.lower(): value for key, value in row.cells.items()}
                yield _case(cells, name, path, row.line)
            return
    found = detect_format(path)
    if found.kind == "judgments":
        yield from found.read(path)
    elif found.kind == "detections":
        yield from word_cases(found.read(path), name=name)
    else:
        raise FormatError(
            f"holds {found.kind} ({found.name}); a table with the columns item and label, or "
            "flags for words (GED TSV), was expected",
            path=path,
        )


def _read_jsonl(path: PathLike, name: str) -> Iterator[Judgment]:
    for number, record in read_objects(path, numbers_as_text=True):
        cells = {key: str(value) for key, value in record.items() if value is not None}
        yield _case(cells, name, path, number)


def _case(cells: Mapping[str, str], name: str, path: PathLike, line: int) -> Judgment:
    for column in ("item", "label"):
        if not cells.get(column):
            raise FormatError(f"the column {column!r} is empty or missing", path=path, line=line)
    own = {"item", "label", "judge", "gold"}
    extra = tuple((key, value) for key, value in cells.items() if key not in own and value)
    return Judgment(
        cells["item"],
        cells.get("judge") or name,
        cells["label"],
        cells.get("gold") or None,
        extra=extra,
    )


def word_cases(detections: Iterable[Detection], *, name: str) -> Iterator[Judgment]:
    """Every word of flagged sentences as a case, with its sentence and the one before."""
    before = ""
    for number, detection in enumerate(detections, start=1):
        text = " ".join(detection.tokens)
        for position, flag in enumerate(detection.flags):
            place = (("text", text), ("start", str(position)), ("end", str(position + 1)))
            context = (("before", before),) if before else ()
            yield Judgment(
                word_name(number, position), name, ERROR if flag else OK, extra=place + context
            )
        before = text


def load_decisions(system: SystemLike, *, name: str) -> Decisions:
    """A system's labels by item.

    Raises:
        DataError: several judges' labels in one file, or two labels for one item.
    """
    cases = load_cases(system, name=name)
    judges = {case.judge for case in cases}
    if len(judges) > 1:
        if name not in judges:
            raise DataError(
                f"system {name!r} is a file with {len(judges)} judges; a system has one, "
                "or is called like one of them (NAME=PATH)"
            )
        cases = tuple(case for case in cases if case.judge == name)
    labels: dict[str, str] = {}
    for case in cases:
        if labels.setdefault(_without_zeros(case.item), case.label) != case.label:
            raise DataError(f"system {name!r} has two different labels for item {case.item!r}")
    return Decisions(name, labels)


def find_systems(
    systems: Mapping[str, SystemLike] | Sequence[str],
    judgments: Sequence[Judgment],
    *,
    merge: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Decisions, ...]:
    """Systems by name; or strings: a judge of the judgments, ``NAME=PATH``, or ``PATH``.

    Labels from files are merged as the judges' were; judgments have been merged already.
    """
    if isinstance(systems, Mapping):
        return tuple(
            _merged(load_decisions(system, name=name), merge) for name, system in systems.items()
        )
    judges = {judgment.judge for judgment in judgments}
    found: dict[str, Decisions] = {}
    for given in systems:
        name, equals, path = given.partition("=")
        if given in judges:
            own = [judgment for judgment in judgments if judgment.judge == given]
            decisions = load_decisions(own, name=given)
        elif equals and name and not Path(given).exists():
            decisions = _merged(load_decisions(path, name=name), merge)
        elif Path(given).exists():
            name = Path(given).stem.removesuffix(".ged")
            decisions = _merged(load_decisions(given, name=name), merge)
        else:
            raise OptionError(f"{given!r} is neither a judge in the file nor a file")
        if decisions.name in found:
            raise DataError(f"two systems are called {decisions.name!r}")
        found[decisions.name] = decisions
    return tuple(found.values())


def _merged(decisions: Decisions, merge: Mapping[str, Sequence[str]] | None) -> Decisions:
    new = {old: name for name, olds in (merge or {}).items() for old in olds}
    labels = {item: new.get(label, label) for item, label in decisions.labels.items()}
    return Decisions(decisions.name, labels)
