"""Chinese as one value: edits of characters, found and typed as ChERRANT does (Zhang et al. 2022).

There are no words and no parts of speech here. An edit is missing (``M``), redundant (``R``),
substituted (``S``) or in the wrong order (``W``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from redink.analysis.align import Step
from redink.analysis.analyzer import Analysis, Tokens
from redink.analysis.chinese.alignments import cheapest_alignments
from redink.analysis.chinese.characters import (
    Cut,
    Likeness,
    load_likeness,
    load_vocabulary,
    simplify,
    split,
)
from redink.analysis.chinese.merging import merge
from redink.analysis.classify import Rule, Section, Typed, Typing
from redink.analysis.language import Alignments, ErrorType, Language
from redink.analysis.merge import Span
from redink.model import NO_ERROR, NOT_ANNOTATABLE, Annotation, Edit

_TYPED: Section[str] = Section(
    "By what is done",
    (
        Rule("missing", "M", "characters are inserted", lambda done: done == "I"),
        Rule("redundant", "R", "characters are deleted", lambda done: done == "D"),
        Rule("word-order", "W", "the same text stands elsewhere", lambda done: done == "T"),
        Rule("substituted", "S", "characters are replaced by others", lambda _: True),
    ),
)


def _type(operation: str) -> Typed:
    rule = _TYPED.find(operation)
    assert rule is not None, "the last rule fits everything"
    return Typed(rule.type_of(operation), rule.name)


@dataclass(frozen=True)
class CharacterFinder:
    """Finds the edits between two sentences, character by character.

    Attributes:
        likeness: what replacing a character costs.
        alignments: of all that cost the least, or of the first of them.
        simplified: whether the correction is simplified first.
        cut: what divides a line into tokens.
        vocabulary: the pieces of words that are not Chinese, where lines are cut into pieces.
        fixed: whether the source is simplified for the comparison too, so that a traditional
            character that stays is no edit.
    """

    likeness: Likeness
    alignments: Alignments = "all"
    simplified: bool = True
    cut: Cut = "characters"
    vocabulary: frozenset[str] = frozenset()
    fixed: bool = False

    def split(self, text: str) -> Tokens:
        """The tokens of a line."""
        return split(text, self.cut, self.vocabulary)

    def annotate(self, source: Tokens, corrected: Tokens, annotator: str) -> Annotation:
        """The edits, with those of every alignment that costs as little."""
        if self.simplified:
            corrected = self._simplify(corrected)
            source = self._compared(source)
        text = "".join(corrected)
        if text in {NO_ERROR, "".join(source)}:
            return Annotation(annotator, target=NO_ERROR)
        if text == NOT_ANNOTATABLE:
            return Annotation(annotator, target=NOT_ANNOTATABLE)
        found = dict.fromkeys(
            merge(alignment, source, corrected)
            for alignment in cheapest_alignments(
                source, corrected, self.likeness, first=self.alignments == "first"
            )
        )
        first, *others = (_edits(steps, corrected) for steps in found)
        return Annotation(annotator, first, " ".join(corrected), tuple(others))

    def _simplify(self, tokens: Tokens) -> Tokens:
        if self.cut == "blanks":
            return tuple(simplify(" ".join(tokens)).split())
        return self.split(simplify("".join(token.removeprefix("##") for token in tokens)))

    def _compared(self, source: Tokens) -> Tokens:
        """What the correction is compared with: place by place the source."""
        simplified = self._simplify(source) if self.fixed else source
        return simplified if len(simplified) == len(source) else source

    def align(self, source: Tokens, corrected: Tokens) -> list[Step]:
        """The steps of the first alignment, matches left out."""
        (steps,) = cheapest_alignments(source, corrected, self.likeness, first=True)
        return [step for step in steps if step.operation != "M"]

    def type_span(self, source: Tokens, corrected: Tokens, span: Span) -> Typed:
        """The type of an edit that somebody else made."""
        start, end, to_start, to_end = span
        ours, theirs = source[start:end], corrected[to_start:to_end]
        if not ours or not theirs:
            return _type("D" if ours else "I")
        return _type("T" if sorted(ours) == sorted(theirs) else "S")


def _edits(steps: Sequence[Step], corrected: Tokens) -> tuple[Edit, ...]:
    return tuple(
        Edit(
            step.start,
            step.end,
            " ".join(corrected[step.to_start : step.to_end]) if step.operation != "D" else "",
            typed.type,
            rule=typed.rule,
        )
        for step in steps
        for typed in [_type(step.operation)]
    )


def make_finder(
    tables: str | None, alignments: Alignments, *, simplified: bool, cut: Cut, fixed: bool
) -> CharacterFinder:
    """What finds the edits under these options."""
    vocabulary = load_vocabulary(tables) if cut == "pieces" else frozenset()
    return CharacterFinder(load_likeness(tables), alignments, simplified, cut, vocabulary, fixed)


class _Characters:
    """An analyser that has nothing to say: a character is a character."""

    name = "characters"

    @property
    def version(self) -> str:
        return characters_version()

    @contextmanager
    def analyze(self, sentences: Sequence[Tokens]) -> Iterator[Any]:
        yield _Batch([Analysis(t, t, t, t, t) for t in sentences])


@dataclass(frozen=True)
class _Batch:
    analyses: Sequence[Analysis]

    def parse(self, indices: Sequence[int]) -> dict[int, Analysis]:
        return {
            index: replace(self.analyses[index], dep=self.analyses[index].tokens)
            for index in indices
        }


def characters_version() -> str:
    """The versions of what knows sounds and simplified forms."""
    found = []
    for package in ("pypinyin", "opencc-python-reimplemented", "opencc"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found) or "none"


class _AnyCharacter:
    """Every token with a Chinese character in it is known."""

    def __contains__(self, token: object) -> bool:
        return any("\u3400" <= character <= "\u9fff" for character in str(token))


def _tokenize(text: str) -> list[tuple[int, int]]:
    spans, place = [], 0
    for token in split(text):
        place = text.index(token[0], place)
        end = place
        for character in token:
            end = text.index(character, end) + 1
        spans.append((place, end))
        place = end
    return spans


def _no_merging(*_: Any, **__: Any) -> Any:
    raise AssertionError("Chinese edits are merged by the language itself")


CHINESE = Language(
    code="zh",
    name="Chinese",
    tokenize=_tokenize,
    load_analyzer=_Characters,
    analyzer_version=characters_version,
    lexicon=lambda _: _AnyCharacter(),
    open_pos=frozenset(),
    merging=_no_merging,
    typing=Typing({"Characters": (_TYPED,)}, _no_merging, _no_merging),
    error_types=(
        ErrorType("M", "Missing", "Characters are inserted.", "", "missing characters", {}),
        ErrorType("R", "Redundant", "Characters are deleted.", "", "redundant characters", {}),
        ErrorType("S", "Substitution", "Characters are replaced.", "", "wrong characters", {}),
        ErrorType("W", "Word order", "The same text elsewhere.", "", "wrong order", {}),
    ),
    finding=make_finder,
)
