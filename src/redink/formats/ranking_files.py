"""Rankings of system outputs by judges: Appraise XML and WMT CSV.

Appraise XML is the format of the human evaluations of WMT and GEC::

    <appraise-results>
    <error-correction-ranking-result id="a" source-language="err" target-language="cor">
      <ranking-item id="0" src-id="135" user="annotator01" duration="00:01:07.524000">
        <translation rank="3" system="CAMB"/>
        <translation rank="1" system="IITB INPUT IPN"/>
      </ranking-item>
    </error-correction-ranking-result>
    </appraise-results>

Systems with the same output share one ``translation``. A document type declaration is an error, so
the reader never loads external entities or expands internal ones. WMT CSV has one row per ranking::

    srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,...,system1rank,...
    err,cor,135,-1,135,annotator01,AMU,...,2,...

Systems with the same output share one cell, separated by spaces. The rank -1 means that the judge
did not rank the output, which is then not part of the ranking.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TextIO
from xml.parsers import expat

from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import placed, read_lines
from redink.formats.delimited import (
    extra_columns,
    format_duration,
    format_seconds,
    parse_optional_duration,
    read_table,
    required_cell,
    reread,
    write_rows_with_gaps,
)
from redink.formats.recognition import COMMA
from redink.model import RankedOutput, Ranking

_ITEM, _OUTPUT, _TASK = "ranking-item", "translation", "ranking-task"
_SET = "error-correction-ranking-result"
_SET_PREFIX = "result-"
"""The prefix in ``extra`` of attributes of the element around the items."""

_OWN = frozenset({"id", "src-id", "user", "duration"})
_SEPARATORS = re.compile(r"[\s,]+")
_XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9._-]*")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_appraise(path: str | Path) -> Iterator[Ranking]:
    """Yield the rankings of an Appraise file; skipped items have no outputs."""
    reader = _AppraiseParser(path)
    for _, line in read_lines(path):
        yield from reader.feed(f"{line}\n")
    yield from reader.feed("", final=True)
    if not reader.seen_items:
        raise FormatError(f"contains no <{_ITEM}> of a judge", path=path)
    if reader.ignored:
        message = f"{path}: {reader.ignored} elements without ranks were ignored"
        warnings.warn(message, RedinkWarning, stacklevel=2)


class _AppraiseParser:
    """Converts the events of the XML parser to rankings."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._around: list[tuple[str, dict[str, str]]] = []
        self._item: dict[str, str] | None = None
        self._outputs: list[RankedOutput] = []
        self._done: list[Ranking] = []
        self.seen_items = False
        self.ignored = 0

    def feed(self, text: str, *, final: bool = False) -> list[Ranking]:
        """Parse the next lines; return the rankings that are complete after them."""
        try:
            self._parser.Parse(text.encode("utf-8"), final)
        except expat.ExpatError as error:
            reason = f"is not valid XML: {expat.ErrorString(error.code)}"
            raise FormatError(reason, path=self._path, line=error.lineno) from None
        done, self._done = self._done, []
        return done

    def _error(self, message: str) -> FormatError:
        return FormatError(message, path=self._path, line=self._parser.CurrentLineNumber)

    def _refuse_doctype(self, *_: object) -> None:
        raise self._error("contains a document type declaration, which is not allowed for security")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._item is not None:
            if name == _OUTPUT:
                self._outputs.append(self._output(attributes))
            else:
                self.ignored += 1
        # Appraise of WMT 2013 to 2016 calls the judged item a ranking-result inside a task.
        elif name == _ITEM or (name == "ranking-result" and "user" in attributes):
            self._item, self._outputs, self.seen_items = attributes, [], True
        elif name == _OUTPUT:
            raise self._error(f"found a <{_OUTPUT}> outside <{_ITEM}>")
        self._around.append((name, attributes))

    def _end(self, _name: str) -> None:
        _, attributes = self._around.pop()
        if attributes is self._item:
            self._done.append(self._ranking(attributes))
            self._item = None

    def _output(self, attributes: Mapping[str, str]) -> RankedOutput:
        systems = tuple(s for s in _SEPARATORS.split(attributes.get("system", "")) if s)
        if not systems:
            raise self._error(f"a <{_OUTPUT}> has no system")
        rank = attributes.get("rank", "")
        if not (rank.isascii() and rank.isdecimal() and len(rank) < 10):
            raise self._error(f"expected a whole number for the rank, found {rank!r}")
        return RankedOutput(int(rank), systems)

    def _ranking(self, item: Mapping[str, str]) -> Ranking:
        around = [
            (f"{_SET_PREFIX}{key}", value)
            for name, attributes in self._around
            if name != _TASK
            for key, value in attributes.items()
        ]
        task = next((attributes for name, attributes in self._around if name == _TASK), {})
        sentence = item.get("src-id", task.get("src-id", task.get("id")))
        judge = item.get("user")
        if sentence is None or judge is None:
            raise self._error(f"a <{_ITEM}> must have src-id and user")
        extra = (*around, *((key, value) for key, value in item.items() if key not in _OWN))
        with placed(self._path, self._parser.CurrentLineNumber):
            check_ranked_once(self._outputs)
            duration = parse_optional_duration(item.get("duration"))
        return Ranking(sentence, judge, tuple(self._outputs), item.get("id"), duration, extra)


def check_ranked_once(outputs: Iterable[RankedOutput]) -> None:
    """Raise an error if a system has two ranks."""
    seen: set[str] = set()
    for system in (system for output in outputs for system in output.systems):
        if system in seen:
            raise DataError(f"the system {system!r} occurs twice in one ranking")
        seen.add(system)


def write_appraise(rankings: Iterable[Ranking], stream: TextIO) -> None:
    """Write rankings as Appraise XML."""
    stream.write('<?xml version="1.0" encoding="UTF-8"?>\n<appraise-results>\n')
    for around, group in groupby(rankings, key=_set_attributes):
        stream.write(f"\n<{_SET}{_attributes(around)}>\n")
        for ranking in group:
            _write_item(ranking, stream)
        stream.write(f"</{_SET}>\n")
    stream.write("\n</appraise-results>\n")


def _set_attributes(ranking: Ranking) -> tuple[tuple[str, str], ...]:
    return tuple(
        (key.removeprefix(_SET_PREFIX), value)
        for key, value in ranking.extra
        if key.startswith(_SET_PREFIX)
    )


def _write_item(ranking: Ranking, stream: TextIO) -> None:
    own = {"id": ranking.id, "src-id": ranking.sentence, "user": ranking.judge}
    if ranking.duration is not None:
        own["duration"] = format_duration(ranking.duration)
    extra = [(key, value) for key, value in ranking.extra if not key.startswith(_SET_PREFIX)]
    if twice := [key for key, _ in extra if key in _OWN]:
        raise DataError(f"a ranking has a second {twice[0]!r}, which Appraise XML cannot represent")
    given = [(key, value) for key, value in own.items() if value is not None]
    opening = f"\n  <{_ITEM}{_attributes([*given, *extra])}"
    stream.write(f"{opening}>\n" if ranking.outputs else f"{opening}/>\n")
    for output in ranking.outputs:
        for system in output.systems:
            if not system or _SEPARATORS.search(system):
                raise DataError(
                    f"Appraise XML cannot represent the system name {system!r} "
                    "(empty, or with a space or comma)"
                )
        if output.rank < 0:
            raise DataError(f"Appraise XML cannot represent the rank {output.rank}")
        shown = _attributes([("rank", str(output.rank)), ("system", " ".join(output.systems))])
        stream.write(f"    <{_OUTPUT}{shown}/>\n")
    if ranking.outputs:
        stream.write(f"  </{_ITEM}>\n")


def _attributes(pairs: Sequence[tuple[str, str]]) -> str:
    names = [name for name, _ in pairs]
    for name, value in pairs:
        if not _XML_NAME.fullmatch(name) or names.count(name) > 1:
            raise DataError(f"Appraise XML cannot represent an attribute {name!r} here")
        if _NOT_XML.search(value):
            raise DataError(f"XML cannot represent the control character in {value!r}")
    from xml.sax.saxutils import quoteattr  # imports large parts of urllib

    return "".join(f" {name}={quoteattr(value)}" for name, value in pairs)


# ---- WMT CSV

_SENTENCE, _JUDGE, _ID, _DURATION = "srcIndex", "judgeId", "rankingID", "duration"
_WMT_OWN = (_SENTENCE, _JUDGE, _ID, _DURATION)
_LOWER = {name.lower(): name for name in _WMT_OWN}
_SYSTEM = re.compile(r"system([1-9]\d{0,3})(id|rank)", re.IGNORECASE | re.ASCII)
_RANK = re.compile(r"\d{1,9}", re.ASCII)
_UNRANKED = "-1"


def read_wmt_csv(path: str | Path) -> Iterator[Ranking]:
    """Yield the rankings of a WMT CSV file."""
    return read_table(path, "csv", _rankings, "rankings")


def _rankings(cells: Mapping[str, str]) -> Iterable[Ranking]:
    own: dict[str, str] = {}
    systems: dict[int, dict[str, str]] = {}
    extra: list[tuple[str, str]] = []
    for name, value in cells.items():
        if name.lower() in _LOWER:
            own[_LOWER[name.lower()]] = value
        elif numbered := _SYSTEM.fullmatch(name):
            systems.setdefault(int(numbered[1]), {})[numbered[2].lower()] = value
        elif value:
            extra.append((name, value))
    if _SENTENCE not in own:
        raise DataError(
            f"the column {_SENTENCE!r} is missing from the header; a table of rankings has "
            "srcIndex, judgeId, system1Id, system1rank and so on, one of ratings has sentence, "
            "system, judge and rating, or sentence and a column of numbers for each system"
        )
    outputs = tuple(_wmt_outputs(systems))
    check_ranked_once(outputs)
    return [
        Ranking(
            required_cell(own, _SENTENCE),
            required_cell(own, _JUDGE),
            outputs,
            own.get(_ID) or None,
            parse_optional_duration(own.get(_DURATION)),
            tuple(extra),
        )
    ]


def _wmt_outputs(systems: Mapping[int, Mapping[str, str]]) -> Iterator[RankedOutput]:
    for number, cells in sorted(systems.items()):
        names, rank = tuple(cells.get("id", "").split()), cells.get("rank", "").strip()
        if names and _RANK.fullmatch(rank):
            yield RankedOutput(int(rank), names)
        # a rank alone: the row has fewer systems than the table
        elif rank != _UNRANKED and (names or rank):
            raise DataError(
                f"expected a system and a rank for system {number}, "
                f"found {' '.join(names)!r} and {rank!r}"
            )


def write_wmt_csv(rankings: Iterable[Ranking], stream: TextIO) -> None:
    """Write rankings as WMT CSV, with enough columns for the longest ranking."""
    rows = reread(rankings)
    longest = 0
    found: set[str] = set()

    def extras() -> Iterator[tuple[tuple[str, str], ...]]:
        nonlocal longest
        for ranking in rows:
            longest = max(longest, len(ranking.outputs))
            own = {_ID: ranking.id, _DURATION: ranking.duration}
            found.update(name for name, value in own.items() if value is not None)
            yield ranking.extra

    further = extra_columns(extras(), _WMT_OWN)
    places = range(1, longest + 1)
    optional = [name for name in (_ID, _DURATION) if name in found]
    if bad := [name for name in further if _SYSTEM.fullmatch(name)]:
        raise DataError(f"WMT CSV cannot represent an extra value {bad[0]!r}")

    def values_of(ranking: Ranking) -> list[str | None]:
        if not (ranking.sentence and ranking.judge):
            raise DataError(
                f"a ranking must have a sentence and a judge; found {ranking.sentence!r} and "
                f"{ranking.judge!r}"
            )
        names = [_names(output) for output in ranking.outputs]
        ranks = [str(output.rank) for output in ranking.outputs]
        gaps = [None] * (len(places) - len(names))
        values = {_ID: ranking.id, _DURATION: format_seconds(ranking.duration)}
        values |= dict(ranking.extra)
        more = (values.get(name) for name in (*optional, *further))
        return [ranking.sentence, ranking.judge, *names, *gaps, *ranks, *gaps, *more]

    header = [f"system{place}{column}" for column in ("Id", "rank") for place in places]
    names = [_SENTENCE, _JUDGE, *header, *optional, *further]
    write_rows_with_gaps(names, map(values_of, rows), stream, COMMA)


def _names(output: RankedOutput) -> str:
    for system in output.systems:
        if len(system.split()) != 1 or system.strip() != system:
            raise DataError(
                f"WMT CSV cannot represent the system name {system!r} (empty or a space)"
            )
    if output.rank < 0:
        raise DataError(f"WMT CSV cannot represent the rank {output.rank}")
    return " ".join(output.systems)
