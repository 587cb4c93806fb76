"""Appraise XML: rankings of a few outputs by a judge, as in the human evaluations of WMT and GEC.

::

    <appraise-results>
    <error-correction-ranking-result id="a" source-language="err" target-language="cor">
      <ranking-item id="0" src-id="135" user="annotator01" duration="00:01:07.524000">
        <translation rank="3" system="CAMB"/>
        <translation rank="1" system="IITB INPUT IPN"/>
      </ranking-item>
    </error-correction-ranking-result>
    </appraise-results>

Systems with the same output share one ``translation``. A document type, and with it every
entity of the file's own, is refused: no file can make the reader fetch or expand anything.
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
from redink.files import read_lines
from redink.formats.durations import format_duration, parse_optional_duration
from redink.formats.registry import Format
from redink.model import RankedOutput, Ranking

_ITEM, _OUTPUT, _TASK = "ranking-item", "translation", "ranking-task"
_SET = "error-correction-ranking-result"
_SET_PREFIX = "result-"
"""Attributes of the element around the items are kept in ``extra`` under this prefix."""

_OWN = frozenset({"id", "src-id", "user", "duration"})
_SEPARATORS = re.compile(r"[\s,]+")
_XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9._-]*")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_appraise(path: str | Path) -> Iterator[Ranking]:
    """The rankings of an Appraise file, one at a time; skipped items have no outputs."""
    reader = _Reader(path)
    number = 0
    for number, line in read_lines(path):  # noqa: B007 (the last number is used below)
        reader.feed(f"{line}\n")
        yield from reader.take()
    reader.close()
    yield from reader.take()
    if not reader.seen_items:
        raise FormatError(f"holds no <{_ITEM}> of a judge", path=path, line=number or None)
    if reader.ignored:
        warnings.warn(
            f"{path}: {reader.ignored} elements that say nothing about ranks were left out",
            RedinkWarning,
            stacklevel=2,
        )


class _Reader:
    """Turns the events of the XML parser into rankings."""

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

    def feed(self, text: str, *, final: bool = False) -> None:
        try:
            self._parser.Parse(text.encode("utf-8"), final)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise FormatError(
                f"is not well-formed XML: {reason}", path=self._path, line=error.lineno
            ) from None

    def close(self) -> None:
        self.feed("", final=True)

    def take(self) -> list[Ranking]:
        done, self._done = self._done, []
        return done

    def _error(self, message: str) -> FormatError:
        return FormatError(message, path=self._path, line=self._parser.CurrentLineNumber)

    def _refuse_doctype(self, *_: object) -> None:
        raise self._error("declares a document type, which is refused for safety")

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
            raise self._error(f"a <{_OUTPUT}> outside every <{_ITEM}>")
        self._around.append((name, attributes))

    def _end(self, name: str) -> None:
        _, attributes = self._around.pop()
        if attributes is self._item:
            self._done.append(self._ranking(attributes))
            self._item = None
        del name

    def _output(self, attributes: Mapping[str, str]) -> RankedOutput:
        systems = tuple(s for s in _SEPARATORS.split(attributes.get("system", "")) if s)
        if not systems:
            raise self._error(f"a <{_OUTPUT}> names no system")
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
            raise self._error(f"a <{_ITEM}> needs src-id and user")
        systems = [system for output in self._outputs for system in output.systems]
        if len(set(systems)) < len(systems):
            twice = next(system for system in systems if systems.count(system) > 1)
            raise self._error(f"the system {twice!r} is ranked twice in one item")
        try:
            duration = parse_optional_duration(item.get("duration"))
        except DataError as error:
            raise self._error(str(error)) from None
        extra = [*around, *((key, value) for key, value in item.items() if key not in _OWN)]
        return Ranking(
            sentence, judge, tuple(self._outputs), item.get("id"), duration, tuple(extra)
        )


def write_appraise(rankings: Iterable[Ranking], stream: TextIO) -> None:
    """The rankings as Appraise XML."""
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
    for key, _ in extra:
        if key in _OWN:
            raise DataError(f"a ranking has a second {key!r}, which Appraise XML cannot carry")
    given = [(key, value) for key, value in own.items() if value is not None]
    opening = f"\n  <{_ITEM}{_attributes([*given, *extra])}"
    if not ranking.outputs:
        stream.write(f"{opening}/>\n")
        return
    stream.write(f"{opening}>\n")
    for output in ranking.outputs:
        for system in output.systems:
            if not system or _SEPARATORS.search(system):
                raise DataError(
                    f"Appraise XML cannot carry the system name {system!r} "
                    "(empty, or with a space or comma)"
                )
        if output.rank < 0:
            raise DataError(f"Appraise XML cannot carry the rank {output.rank}")
        shown = _attributes([("rank", str(output.rank)), ("system", " ".join(output.systems))])
        stream.write(f"    <{_OUTPUT}{shown}/>\n")
    stream.write(f"  </{_ITEM}>\n")


def _attributes(pairs: Sequence[tuple[str, str]]) -> str:
    names = [name for name, _ in pairs]
    for name, value in pairs:
        if not _XML_NAME.fullmatch(name) or names.count(name) > 1:
            raise DataError(f"Appraise XML cannot carry an attribute called {name!r} (here)")
        if _NOT_XML.search(value):
            raise DataError(f"XML cannot carry the control character in {value!r}")
    from xml.sax.saxutils import quoteattr  # loads half of the network library

    return "".join(f" {name}={quoteattr(value)}" for name, value in pairs)


def _recognise(head: Sequence[str]) -> bool:
    start = "\n".join(head).lstrip()
    return start.startswith("<") and ("ranking-item" in start or "ranking-result" in start)


APPRAISE = Format(
    name="appraise",
    kind="rankings",
    description="rankings of outputs by judges, XML (Appraise, WMT and GEC evaluations)",
    suffixes=(".xml",),
    recognise=_recognise,
    read=read_appraise,
    write=write_appraise,
)
