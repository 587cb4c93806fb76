"""Rules that select targets and negatives: ``tag:IN,TO``, ``word:of,in``, ``slot:,``, ``np``.

Also judged items: units with the share of judges who see an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from redink.analysis.analyzer import Analysis, Analyzer
from redink.analysis.english.phrases import strict_prepositions
from redink.error_detection.segment_units import SegmentUnits, read_segments
from redink.error_detection.units import (
    CharacterUnits,
    Insertions,
    SentenceUnits,
    SlotUnits,
    SpanUnits,
    TargetUnits,
    TokenUnits,
    Units,
    noun_phrase_starts,
)
from redink.error_detection.writer_annotator_system import Key
from redink.errors import DataError, OptionError
from redink.formats.ged_tsv import Place, Position, check_position, read_positions
from redink.model import Sentence, fingerprint
from redink.options import Flag, Options

Unit = Literal["token", "span", "sentence", "character", "target", "segment"]
ARTICLES = ("a", "an", "the")
_KINDS = (
    "prep · tag:IN,TO · pos:ADP · word:of,in · letters · np · not:RULE · FILE of token positions"
)
_ITEM = re.compile(r"s(\d{1,15})(?:t(\d{1,15})(?:-(\d{1,15}))?)?")
_CHUNK = 2000  # sentences analyzed together, to limit memory use

Selected = tuple[frozenset[int], ...]
"""For every sentence, the tokens that a rule selects."""


@dataclass(frozen=True)
class UnitOptions(Options):
    """Units of comparison.

    Attributes:
        unit: unit of comparison, or several. Spans have no true negatives, so no kappa. By default
            token; with --targets, target; with --segments, segment.
        targets: positions to compare: prep (English prepositions, without infinitive to and
            conjunctions) · tag:IN,TO · pos:ADP · word:of,in · slot:, (every position
            where a comma can occur) · np or np:a,an,the (where noun phrases begin) · a file with
            sentence (from 1), start and end token (from 0).
        negatives: unchanged units that count as true negatives: all · none · tag: · pos: · word: ·
            letters · np · not:RULE · a file. Other units are trivial negatives, counted separately.
        insertions: treatment of insertions (with --unit token): an error of the token to its right
            (right), of the gap (gaps are units too), or ignored (none). By default right; none if
            the reference is flags for tokens.
        segments: file with the units of --unit segment, such as morphemes or phrases: every
            sentence on a line, with | between units.
    """

    unit: Unit | Sequence[Unit] | None = None
    targets: Annotated[str | None, Flag(value="RULE")] = None
    negatives: Annotated[str, Flag(value="RULE")] = "all"
    insertions: Insertions | None = None
    segments: Annotated[Path | str | None, Flag(value="FILE")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.targets is not None and "target" not in self.units:
            raise OptionError("--targets needs --unit target; for other units, use --negatives")
        if (self.segments is None) == ("segment" in self.units):
            raise OptionError("--unit segment and --segments FILE need each other")

    @property
    def units(self) -> Sequence[Unit]:
        """Return the units of comparison, in order."""
        if self.unit is None:
            default: Unit = "token" if self.targets is None else "target"
            return [default if self.segments is None else "segment"]
        return [self.unit] if isinstance(self.unit, str) else self.unit

    @property
    def has_rule(self) -> bool:
        """Whether a rule chooses the negatives."""
        return self.negatives not in {"all", "none"}


@dataclass(frozen=True)
class Text:
    """The source sentences, and their analysis if a rule needs it."""

    sources: tuple[Sentence, ...]
    load_analyzer: Callable[[], Analyzer] = field(repr=False)

    @cached_property
    def analyses(self) -> list[Analysis]:
        """Tags for every sentence."""
        analyzer = self.load_analyzer()
        found: list[Analysis] = []
        for start in range(0, len(self.sources), _CHUNK):
            chunk = [source.tokens for source in self.sources[start : start + _CHUNK]]
            with analyzer.analyze(chunk) as batch:
                found += batch.analyses
        return found


def select_tokens(rule: str, text: Text) -> Selected:
    """Return the tokens that a rule selects in every sentence."""
    kind, colon, values = rule.partition(":")
    if kind == "not" and colon:
        excluded = select_tokens(values, text)
        return tuple(
            frozenset(range(len(source))) - tokens
            for source, tokens in zip(text.sources, excluded, strict=True)
        )
    if rule == "letters":
        return _select(text, lambda token: any(map(str.isalnum, token)))
    if rule in {"np", "prep"}:
        find = noun_phrase_starts if rule == "np" else strict_prepositions
        return tuple(find(each.tokens, each.tag) for each in text.analyses)
    if kind == "word" and colon:
        words = {word.lower() for word in _split(values, rule)}
        return _select(text, lambda token: token.lower() in words)
    if kind in {"tag", "pos"} and colon:
        wanted = set(_split(values, rule))
        return tuple(
            frozenset(i for i, tag in enumerate(getattr(each, kind)) if tag in wanted)
            for each in text.analyses
        )
    if Path(rule).is_file():
        placed = read_positions(rule, text.sources).of_sentences
        return tuple(frozenset(start for start, _ in sentence) for sentence in placed)
    raise OptionError(f"{rule!r} is neither a rule nor a file; expected one of: {_KINDS}")


def _select(text: Text, wanted: Callable[[str], bool]) -> Selected:
    return tuple(
        frozenset(i for i, token in enumerate(source.tokens) if wanted(token))
        for source in text.sources
    )


def _split(values: str, rule: str) -> list[str]:
    # A lone comma is a word like any other: slot:, and word:,
    if found := [","] if values == "," else [value for value in values.split(",") if value]:
        return found
    raise OptionError(f"the rule {rule!r} is empty; expected a rule like tag:IN,TO or word:of,in")


def name_rule(rule: str | None) -> str | None:
    """Return a rule for a signature; a file as its name and a fingerprint."""
    if rule is None or not Path(rule).is_file():
        return rule
    return f"{Path(rule).name}#{fingerprint([Path(rule).read_bytes()])}"


def make_units(
    unit: Unit, division: UnitOptions, text: Text, *, insertions: Insertions, judged: Judged | None
) -> tuple[Units, Mapping[str, Place]]:
    """Return the chosen units, and the names of positions if they come from a file.

    Judged items are the targets if the options name no targets.
    """
    if unit == "target" and division.targets is not None:
        return _make_targets(division.targets, text)
    if unit == "target":
        if judged is None:
            raise OptionError(
                "--unit target needs --targets, for example --targets tag:IN,TO or slot:,"
            )
        return judged.targets(text.sources), {}
    if unit == "segment" and division.segments is not None:
        path = Path(division.segments)
        return SegmentUnits(read_segments(path, text.sources), path.name), {}
    units: dict[Unit, Units] = {
        "token": TokenUnits(insertions=division.insertions or insertions),
        "span": SpanUnits(),
        "sentence": SentenceUnits(),
        "character": CharacterUnits(),
    }
    return units[unit], {}


def _make_targets(rule: str, text: Text) -> tuple[Units, Mapping[str, Place]]:
    kind, colon, values = rule.partition(":")
    if kind == "slot" and colon:
        return SlotUnits(frozenset(_split(values, rule))), {}
    if Path(rule).is_file():
        placed = read_positions(rule, text.sources)
        return TargetUnits(placed.of_sentences, f"of {Path(rule).name}"), placed.names
    if kind == "np":
        words = _split(values, rule) if colon else ARTICLES
        where = "where a noun phrase begins (from tags)"
        return SlotUnits(frozenset(words), select_tokens("np", text), where), {}
    selected = select_tokens(rule, text)
    positions = tuple(tuple((i, i + 1) for i in sorted(tokens)) for tokens in selected)
    return TargetUnits(positions, rule), {}


@dataclass(frozen=True)
class Judged:
    """The share of judges who see an error in each judged item.

    An item is a name from the file of targets, or its position: ``s12`` is sentence 12, ``s12t3``
    its token 3 (from 0), ``s12t3-5`` its tokens 3 and 4, ``s12t3-3`` the gap before token 3.
    """

    shares: Mapping[str, Fraction]
    notes: tuple[str, ...]
    fingerprint: str

    def targets(self, sources: Sequence[Sentence]) -> TargetUnits:
        """Return the judged items as targets."""
        found: list[set[Position]] = [set() for _ in sources]
        for item in self.shares:
            number, position = _find_item(item, sources, {})
            if position is None:
                raise DataError(f"the judged item {item!r} is a sentence; use --unit sentence")
            found[number].add(position)
        return TargetUnits(tuple(tuple(sorted(places)) for places in found), "that were judged")

    def place(
        self, units: Units, sources: Sequence[Sentence], names: Mapping[str, Place]
    ) -> dict[int, dict[Key, Fraction]]:
        """Return the shares by sentence and unit."""
        placed: dict[int, dict[Key, Fraction]] = {}
        for item, share in self.shares.items():
            number, position = _find_item(item, sources, names)
            key = _key_of(units, position)
            if key not in (units.keys(number, sources[number]) or (key,)):
                raise DataError(f"the judged item {item!r} is not one of the targets")
            if placed.setdefault(number, {}).setdefault(key, share) != share:
                raise DataError(f"the judged item {item!r} is the same unit as an earlier item")
        return placed


def _find_item(
    item: str, sources: Sequence[Sentence], names: Mapping[str, Place]
) -> tuple[int, Position | None]:
    if item in names:
        return names[item]
    match = _ITEM.fullmatch(item)
    if match is None:
        raise DataError(
            f"the judged item {item!r} has no position; name it s12 (sentence 12), "
            "s12t3 (its token 3, from 0) or s12t3-5, or give it a name in the file of targets"
        )
    number, position = int(match[1]) - 1, None
    if match[2] is not None:
        start = int(match[2])
        position = (start, int(match[3] or start + 1))
    try:
        check_position(number, position or (0, 0), sources)
    except DataError as error:
        raise DataError(f"the judged item {item!r}: {error}") from None
    return number, position


def _key_of(unit: Units, position: Position | None) -> Key:
    if isinstance(unit, SentenceUnits) and position is None:
        return 0
    if isinstance(unit, SpanUnits | TargetUnits) and position is not None:
        return position
    if isinstance(unit, TokenUnits) and position is not None and position[1] == position[0] + 1:
        return unit.key(position[0])
    where = "a sentence" if position is None else f"tokens {position[0]}:{position[1]}"
    raise DataError(f"a judgment of {where} is not about a {unit.name}")
