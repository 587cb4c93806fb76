"""Which positions a user means: ``tag:IN,TO``, ``word:of,in``, ``slot:,``, ``np``, or a file.

Rules choose the targets of ``--unit target`` and the negatives of any unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from redink.analysis.analyser import Analyser, Analysis
from redink.detection.targets import Position, SlotUnits, TargetUnits, noun_phrase_starts
from redink.detection.units import SentenceUnits, SpanUnits, TokenUnits, Units
from redink.detection.was import Key
from redink.errors import DataError, FormatError, OptionError
from redink.files import read_lines
from redink.model import Sentence, fingerprint

ARTICLES = ("a", "an", "the")
_KINDS = "tag:IN,TO · pos:ADP · word:of,in · letters · np · not:RULE · a file of positions"
# no text has so many sentences or tokens that their number needs more digits
_ITEM = re.compile(r"s(\d{1,15})(?:t(\d{1,15})(?:-(\d{1,15}))?)?")
_NUMBER = re.compile(r"\d{1,15}")
_CHUNK = 2000  # sentences analysed together, to bound the memory

Selected = tuple[frozenset[int], ...]
"""For every sentence, the tokens that a rule selects."""


@dataclass(frozen=True)
class Text:
    """The source sentences, and their analysis if a rule asks for it."""

    sources: tuple[Sentence, ...]
    load_analyser: Callable[[], Analyser] = field(repr=False)

    @cached_property
    def analyses(self) -> tuple[Analysis, ...]:
        """Tags for every sentence."""
        analyser = self.load_analyser()
        found: list[Analysis] = []
        for start in range(0, len(self.sources), _CHUNK):
            chunk = [source.tokens for source in self.sources[start : start + _CHUNK]]
            with analyser.analyse(chunk) as batch:
                found += batch.analyses
        return tuple(found)


def select_tokens(rule: str, text: Text) -> Selected:
    """The tokens that a rule selects in every sentence."""
    kind, colon, values = rule.partition(":")
    if kind == "not" and colon:
        excluded = select_tokens(values, text)
        return tuple(
            frozenset(range(len(source))) - tokens
            for source, tokens in zip(text.sources, excluded, strict=True)
        )
    if rule == "letters":
        return _select(text, lambda token: any(map(str.isalnum, token)))
    if rule == "np":
        return tuple(noun_phrase_starts(analysis.tag) for analysis in text.analyses)
    if kind == "word" and colon:
        words = {word.lower() for word in _split(values, rule)}
        return _select(text, lambda token: token.lower() in words)
    if kind in {"tag", "pos"} and colon:
        wanted = set(_split(values, rule))
        return tuple(
            frozenset(i for i, tag in enumerate(getattr(analysis, kind)) if tag in wanted)
            for analysis in text.analyses
        )
    if Path(rule).is_file():
        placed = read_positions(rule, text.sources).positions
        return tuple(frozenset(start for start, _ in sentence) for sentence in placed)
    raise OptionError(f"{rule!r} is neither a rule nor a file; rules are: {_KINDS}")


def _select(text: Text, wanted: Callable[[str], bool]) -> Selected:
    return tuple(
        frozenset(i for i, token in enumerate(source.tokens) if wanted(token))
        for source in text.sources
    )


def _split(values: str, rule: str) -> list[str]:
    # A lone comma is a word like any other: slot:, and word:,
    found = [","] if values == "," else [value for value in values.split(",") if value]
    if not found:
        raise OptionError(f"the rule {rule!r} names nothing; write it like tag:IN,TO or word:of,in")
    return found


def make_targets(rule: str, text: Text) -> tuple[Units, dict[str, tuple[int, Position]]]:
    """The units of ``--unit target``, and named positions where the file gives names."""
    kind, colon, values = rule.partition(":")
    if kind == "slot" and colon:
        return SlotUnits(frozenset(_split(values, rule))), {}
    if kind == "np" and not Path(rule).is_file():
        words = _split(values, rule) if colon else ARTICLES
        sites = select_tokens("np", text)
        where = "where a noun phrase begins (from tags)"
        return SlotUnits(frozenset(words), sites, where), {}
    if Path(rule).is_file():
        placed = read_positions(rule, text.sources)
        return TargetUnits(placed.positions, f"of {Path(rule).name}"), placed.names
    selected = select_tokens(rule, text)
    positions = tuple(tuple((i, i + 1) for i in sorted(tokens)) for tokens in selected)
    return TargetUnits(positions, rule), {}


@dataclass(frozen=True)
class Placed:
    """Positions from a file, by sentence, and by name where they have one."""

    positions: tuple[tuple[Position, ...], ...]
    names: dict[str, tuple[int, Position]]


def read_positions(path: str | Path, sources: Sequence[Sentence]) -> Placed:
    """A file of positions: sentence (from 1), start and end token (from 0), perhaps a name.

    Columns are separated by tabs or blanks; without an end the position is one token; an end that
    equals the start is the gap before that token. Empty lines, comments (``#``) and a first line
    of column names are passed over.

    Raises:
        FormatError: a line is not a position in the text.
    """
    found: list[set[Position]] = [set() for _ in sources]
    names: dict[str, tuple[int, Position]] = {}
    for line, content in read_lines(path):
        cells = content.split()
        if not cells or cells[0].startswith("#") or (line == 1 and not cells[0].isdecimal()):
            continue
        if not 2 <= len(cells) <= 4 or not all(map(_NUMBER.fullmatch, cells[:3])):
            raise FormatError(
                "expected a sentence (from 1), a start and perhaps an end token (from 0) and a "
                f"name, found {content[:60]!r}",
                path=path,
                line=line,
            )
        number, start = int(cells[0]) - 1, int(cells[1])
        end = int(cells[2]) if len(cells) > 2 else start + 1
        try:
            _check_position(number, (start, end), sources)
        except DataError as error:
            raise FormatError(str(error), path=path, line=line) from None
        found[number].add((start, end))
        if len(cells) == 4:
            names[cells[3]] = (number, (start, end))
    return Placed(tuple(tuple(sorted(positions)) for positions in found), names)


def _check_position(number: int, position: Position, sources: Sequence[Sentence]) -> None:
    if not 0 <= number < len(sources):
        raise DataError(f"there is no sentence {number + 1}; the text has {len(sources)}")
    start, end = position
    length = len(sources[number])
    if not 0 <= start <= end <= length:
        raise DataError(f"{start}:{end} does not fit sentence {number + 1} of {length} tokens")


def find_item(
    item: str, sources: Sequence[Sentence], names: dict[str, tuple[int, Position]]
) -> tuple[int, Position | None]:
    """The sentence (from 0) and the position that a judged item stands for.

    An item is a name from the file of targets, or says where it is: ``s12`` is sentence 12,
    ``s12t3`` its token 3 (the first is 0), ``s12t3-5`` its tokens 3 and 4, ``s12t3-3`` the gap
    before token 3.
    """
    if item in names:
        return names[item]
    match = _ITEM.fullmatch(item)
    if match is None:
        raise DataError(
            f"the judged item {item!r} does not say where it is: name it s12 (sentence 12), "
            "s12t3 (its token 3, from 0) or s12t3-5, or give it a name in the file of targets"
        )
    number = int(match[1]) - 1
    if match[2] is None:
        _check_position(number, (0, 0), sources)
        return number, None
    start = int(match[2])
    position = (start, int(match[3]) if match[3] is not None else start + 1)
    _check_position(number, position, sources)
    return number, position


def key_of(unit: Units, position: Position | None) -> Key:
    """The unit at a judged position."""
    if isinstance(unit, SentenceUnits) and position is None:
        return 0
    if isinstance(unit, SpanUnits | TargetUnits) and position is not None:
        return position
    if isinstance(unit, TokenUnits) and position is not None and position[1] == position[0] + 1:
        return unit.key(position[0])
    where = "a sentence" if position is None else f"tokens {position[0]}:{position[1]}"
    raise DataError(f"a judgment of {where} says nothing about one {unit.name}")


def name_rule(rule: str | None) -> str | None:
    """A rule as a signature names it; a file by its name and what is in it."""
    if rule is None or not Path(rule).is_file():
        return rule
    return f"{Path(rule).name}#{fingerprint([Path(rule).read_bytes()])}"
