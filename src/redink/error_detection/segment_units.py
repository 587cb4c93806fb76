"""Units from a file, such as morphemes or phrases, with a bar between units."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from redink.error_detection.units import (
    UNKNOWN_FORM,
    Units,
    collect_changes,
    probabilities_of,
    text_of,
)
from redink.error_detection.writer_annotator_system import Form, Key, UnitChanges
from redink.errors import DataError
from redink.files import read_lines
from redink.formats.ged_tsv import Position
from redink.model import UNCORRECTED, Detection, Edit, Sentence

_SPACE = re.compile(r"\s+")


def read_segments(path: Path, sources: Sequence[Sentence]) -> tuple[tuple[Position, ...], ...]:
    """Read one line per sentence, with ``|`` between units; return their characters."""
    lines = [line for _, line in read_lines(path)]
    if len(lines) != len(sources):
        raise DataError(f"{path}: {len(lines)} lines for {len(sources)} sentences")
    found = []
    for number, (line, source) in enumerate(zip(lines, sources, strict=True), start=1):
        text = text_of(source)
        letters = [at for at, letter in enumerate(text) if not letter.isspace()]
        parts = [part for each in line.split("|") if (part := _SPACE.sub("", each))]
        if "".join(parts) != _SPACE.sub("", text):
            raise DataError(
                f"{path}:{number}: the line without | differs from the sentence {text[:60]!r}"
            )
        segments, at = [], 0
        for part in parts:
            segments.append((letters[at], letters[at + len(part) - 1] + 1))
            at += len(part)
        found.append(tuple(segments))
    return tuple(found)


@dataclass(frozen=True)
class SegmentUnits(Units):
    """The segments of a file; an edit of several segments is aligned by character."""

    segments: tuple[tuple[Position, ...], ...]
    file: str
    name = "segment"

    @property
    def definition(self) -> str:
        return f"every segment of {self.file}; an insertion between segments belongs to the next"

    def keys(self, number: int, source: Sentence, /) -> range:
        return range(len(self.segments[number]))

    def read(self, number: int, source: Sentence, edits: Iterable[Edit], /) -> UnitChanges:
        return collect_changes(c for edit in edits for c in self._changes(number, source, edit))

    def _changes(
        self, number: int, source: Sentence, edit: Edit
    ) -> Iterator[tuple[Key, frozenset[Form]]]:
        start, end = source.to_characters(edit.start, edit.end)
        if edit.type in UNCORRECTED:
            inside = self._inside(number, start, max(end, start + 1))
            yield from ((key, UNKNOWN_FORM) for key in inside)
            return
        text = text_of(source)
        first, *others = (self._rewrite(number, text, start, end, c) for c in edit.corrections)
        for key, form in first.items():
            yield key, frozenset((form, *(other[key] for other in others if key in other)))

    def _inside(self, number: int, start: int, end: int) -> list[int]:
        """Return the segments with one of these characters, or the next one, or the last."""
        segments = self.segments[number]
        found = [key for key, (first, last) in enumerate(segments) if first < end and last > start]
        after = (key for key, (_, last) in enumerate(segments) if last > start)
        return found or [next(after, len(segments) - 1)][: len(segments)]

    def _rewrite(self, number: int, text: str, start: int, end: int, new: str) -> dict[int, str]:
        """Return the new forms of the segments that change if ``start:end`` becomes ``new``."""
        pieces = list(text)
        inserted: dict[int, str] = {start: f"{new} "} if start == end else {}
        for operation in Levenshtein.editops(text[start:end], new) if start < end else ():
            at = start + operation.src_pos
            if operation.tag == "insert":
                inserted[at] = inserted.get(at, "") + new[operation.dest_pos]
            else:
                pieces[at] = new[operation.dest_pos] if operation.tag == "replace" else ""
        for at, letters in inserted.items():
            # letters continue the word before them; words belong to the next segment
            suffix, words = "", f" {letters} " if " " in letters else letters
            if at > start and not text[at - 1].isspace():
                suffix, _, words = letters.partition(" ")
                words = f" {words} " if words else ""
                pieces[at - 1] += suffix
            for key in self._inside(number, at, at):
                first, last = self.segments[number][key]
                if at < last:
                    pieces[max(at, first)] = words + pieces[max(at, first)]
                else:
                    pieces[last - 1] += f" {words}"
        changed = {}
        for key, (first, last) in enumerate(self.segments[number]):
            form = " ".join("".join(pieces[first:last]).split())
            if form != text[first:last]:
                changed[key] = form
        return changed

    def flag(self, number: int, source: Sentence, flags: Sequence[bool], /) -> UnitChanges:
        keys = self.keys(number, source)
        flagged = (key for key in keys if any(flags[slice(*self.place(number, source, key))]))
        return UnitChanges(dict.fromkeys(flagged, UNKNOWN_FORM))

    def site(self, number: int, source: Sentence, key: Key, /) -> int | None:
        return self.place(number, source, key)[0]

    def place(self, number: int, source: Sentence, key: Key, /) -> Position:
        assert isinstance(key, int)
        start, end = self.segments[number][key]
        tokens = [
            token
            for token, (first, last) in enumerate(source.token_offsets())
            if first < end and last > start
        ]
        return tokens[0], tokens[-1] + 1

    def written(self, number: int, source: Sentence, key: Key, /) -> str:
        assert isinstance(key, int)
        return text_of(source)[slice(*self.segments[number][key])]

    def score(self, number: int, source: Sentence, detection: Detection, /) -> dict[Key, float]:
        given = probabilities_of(detection)
        keys = self.keys(number, source)
        return {key: max(given[slice(*self.place(number, source, key))]) for key in keys}
