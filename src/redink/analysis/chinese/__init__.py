"""Chinese: extract and classify edits of characters like ChERRANT (Zhang et al. 2022).

An edit is missing (``M``), redundant (``R``), substituted (``S``) or in the wrong order (``W``).
Costs are as for English, but the edits of all cheapest alignments are used.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate, groupby
from typing import Any

from rapidfuzz.distance import Levenshtein

from redink.analysis.analyzer import Analysis, Tokens, WholeAnalyzer
from redink.analysis.chinese.characters import (
    Cut,
    Likeness,
    load_likeness,
    simplify,
    split,
)
from redink.analysis.classify import Rule, RuleSection, Typed, Typing
from redink.analysis.edit_extraction import AlignmentStep, Span
from redink.analysis.language import Alignments, ErrorType, Language
from redink.model import NO_ERROR, NOT_ANNOTATABLE, Annotation, Edit

_ONE_SUFFICES = 10
"""If lengths differ by more, only the first alignment is used, as in ChERRANT."""
MOST_STEPS = 3_000_000
"""The maximum number of alignment steps to examine, because it grows exponentially."""

_MATCH, _SUBSTITUTE, _INSERT, _DELETE = 1, 2, 4, 8
_TRANSPOSE = 16
"""The code of a transposition of n tokens is n times this; other operations are single bits."""

Alignment = tuple[AlignmentStep, ...]
"""All steps from left to right, including matches (``M``)."""


def cheapest_alignments(
    source: Tokens, corrected: Tokens, likeness: Likeness, *, first: bool = False
) -> Iterator[Alignment]:
    """Return the cheapest alignments."""
    alone = first or abs(len(source) - len(corrected)) > _ONE_SUFFICES
    height, width = len(source), len(corrected)
    path: _Path = None
    # equal tokens match, so common tokens at the end can be skipped
    while height and width and source[height - 1] == corrected[width - 1]:
        height, width = height - 1, width - 1
        path = (AlignmentStep("M", height, height + 1, width, width + 1), path)
    operations = _work_out(source[:height], corrected[:width], likeness)
    # a cell that is not yet processed, and the steps from it to the end
    waiting: list[tuple[int, int, _Path]] = [(height, width, path)]
    found, most = 0, MOST_STEPS // (len(source) + len(corrected) + 1) + 1
    while waiting and found < most:
        i, j, path = waiting.pop()
        while i or j:
            choices = _choices(operations[i][j], i, j)
            step = choices[0]
            if not alone:
                # follow the first one first
                waiting.extend(
                    (other.start, other.to_start, (other, path)) for other in choices[:0:-1]
                )
            i, j, path = step.start, step.to_start, (step, path)
        found += 1
        steps = []
        while path is not None:
            step, path = path
            steps.append(step)
        yield tuple(steps)
        if alone:
            return


_Path = tuple[AlignmentStep, "_Path"] | None


def _choices(operations: int, i: int, j: int) -> list[AlignmentStep]:
    """Yield the cheapest steps to a cell, in the order of ChERRANT."""
    if operations == _MATCH:
        return [AlignmentStep("M", i - 1, i, j - 1, j)]
    steps = []
    tokens = operations // _TRANSPOSE
    if tokens:
        steps.append(AlignmentStep("T", i - tokens, i, j - tokens, j))
    if operations & _SUBSTITUTE:
        steps.append(AlignmentStep("S", i - 1, i, j - 1, j))
    if operations & _INSERT:
        steps.append(AlignmentStep("I", i, i, j - 1, j))
    if operations & _DELETE:
        steps.append(AlignmentStep("D", i - 1, i, j, j))
    return steps


def _work_out(source: Tokens, corrected: Tokens, likeness: Likeness) -> list[list[int]]:
    """Return the operations that lead to each cell ``(i, j)`` at the lowest cost.

    A transposition has the same tokens on both sides. Each token gets a large random number, and
    each cell the sum of the source numbers before it minus those of the correction: two cells of a
    diagonal with the same sum have the same tokens between them. For each diagonal, ``starts``
    contains the last cell with each sum. It is cleared where the cost does not change from one
    cell of the diagonal to the next, because ChERRANT stops its search there.
    """
    height, width = len(source), len(corrected)
    cost_of = likeness.cost
    before, after = ([0, *accumulate(map(_number, side))] for side in (source, corrected))
    starts: list[dict[int, int]] = [{} for _ in range(height + width)]
    costs = [[float(j) for j in range(width + 1)]]
    operations = [[_INSERT] * (width + 1)]
    for i, token in enumerate(source):
        above = costs[i]
        row, done = [i + 1.0], [_DELETE]
        left, corner = row[0], above[0]
        for j, other in enumerate(corrected):
            upper = above[j + 1]
            known = starts[j - i + height - 1]
            if token == other:
                cost, operation = corner, _MATCH
            else:
                replaced, inserted, deleted = corner + cost_of(token, other), left + 1, upper + 1
                cost = min(replaced, inserted, deleted)
                start = known.get(before[i + 1] - after[j + 1])
                moved = cost + 1 if start is None else costs[start][j - i + start] + (i - start)
                cost = min(cost, moved)
                operation = (
                    (moved == cost and start is not None and (i + 1 - start) * _TRANSPOSE)
                    + (replaced == cost and _SUBSTITUTE)
                    + (inserted == cost and _INSERT)
                    + (deleted == cost and _DELETE)
                )
            if cost == corner:
                known.clear()
            else:
                known[before[i] - after[j]] = i
            row.append(cost)
            done.append(operation)
            left, corner = cost, upper
        costs.append(row)
        operations.append(done)
    return operations


@cache
def _number(token: str) -> int:
    return int.from_bytes(blake2b(token.encode(errors="surrogatepass"), digest_size=8).digest())


_NEVER_MOVED = string.punctuation + (
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
    "–—‘'‛“”„‟…‧."
)
"""Marks, and sequences of them in this order, that never count as moved."""


def merge(
    alignment: Iterable[AlignmentStep], source: Tokens, corrected: Tokens
) -> tuple[AlignmentStep, ...]:
    """Return the edits; the operation is ``D``, ``I``, ``S``, or ``T`` for word order."""
    parts = _join_touching(alignment)
    found = []
    place = 0
    while place < len(parts):
        three = parts[place : place + 3]
        if _moved(three, source, corrected):
            found.append(_joined(three, "T"))
            place += 3
            continue
        if parts[place].operation != "M":
            found.append(parts[place])
        place += 1
    return tuple(
        _trimmed(edit, source, corrected) if edit.operation == "S" else edit
        for edit in found
        if _before(edit, source) != _after(edit, corrected)
    )


def _join_touching(alignment: Iterable[AlignmentStep]) -> list[AlignmentStep]:
    """Join runs of matches and runs of changes; transpositions stay separate."""
    parts: list[AlignmentStep] = []
    for kind, group in groupby(alignment, lambda step: step.operation in "MT" and step.operation):
        steps = list(group)
        operations = {step.operation for step in steps}
        if kind == "T" or operations == {"D", "I"}:
            parts.extend(steps)
        else:
            parts.append(_joined(steps, operations.pop() if len(operations) == 1 else "S"))
    return parts


def _joined(steps: Sequence[AlignmentStep], operation: str) -> AlignmentStep:
    first, last = steps[0], steps[-1]
    return AlignmentStep(operation, first.start, last.end, first.to_start, last.to_end)


def _before(step: AlignmentStep, source: Tokens) -> str:
    return "".join(source[step.start : step.end])


def _after(step: AlignmentStep, corrected: Tokens) -> str:
    return "".join(corrected[step.to_start : step.to_end])


def _moved(parts: Sequence[AlignmentStep], source: Tokens, corrected: Tokens) -> bool:
    if len(parts) < 3:
        return False
    first, _, last = parts
    pattern = "".join(part.operation for part in parts)
    if pattern == "SMS":
        return _are_swapped(
            *(_before(first, source), _after(first, corrected)),
            *(_before(last, source), _after(last, corrected)),
        )
    if pattern in {"DMI", "DTI"}:
        return _is_same_text(_before(first, source), _after(last, corrected))
    if pattern in {"IMD", "ITD"}:
        return _is_same_text(_before(last, source), _after(first, corrected))
    return False


def _are_swapped(first: str, becomes: str, last: str, turns_into: str) -> bool:
    if min(map(len, (first, becomes, last, turns_into))) == 1:
        return first == turns_into and becomes == last
    return _is_near(first, turns_into) and _is_near(becomes, last)


def _is_same_text(deleted: str, inserted: str) -> bool:
    if deleted in _NEVER_MOVED or inserted in _NEVER_MOVED:
        return False
    longer, shorter = sorted((deleted, inserted), key=len, reverse=True)
    if len(longer) - len(shorter) > 1:
        return False
    if len(shorter) == 1:
        return longer == shorter
    rotated = len(longer) == len(shorter) and shorter in longer * 2
    return rotated or _is_near(longer, shorter)


def _is_near(one: str, other: str) -> bool:
    return Levenshtein.distance(one, other, score_cutoff=1) <= 1


def _trimmed(edit: AlignmentStep, source: Tokens, corrected: Tokens) -> AlignmentStep:
    """Remove unchanged tokens at the edges of an edit, either all or none at an edge."""
    text = _after(edit, corrected)
    same, begin = "", edit.start
    while begin < edit.end and text.startswith(same + source[begin]):
        same += source[begin]
        begin += 1
    to_begin = _reach(corrected[edit.to_start : edit.to_end], same)
    begin, to_begin = (begin, edit.to_start + to_begin) if to_begin else (edit.start, edit.to_start)
    same, end = "", edit.end
    while end > begin and text.endswith(source[end - 1] + same):
        end -= 1
        same = source[end] + same
    to_end = _reach(
        [token[::-1] for token in reversed(corrected[to_begin : edit.to_end])], same[::-1]
    )
    end, to_end = (end, edit.to_end - to_end) if to_end else (edit.end, edit.to_end)
    operation = "I" if begin == end else "D" if to_begin == to_end else "S"
    return AlignmentStep(operation, begin, end, to_begin, to_end)


def _reach(tokens: Sequence[str], text: str) -> int:
    """Return the number of initial tokens that form the text; 0 if there is none."""
    length = 0
    for count, token in enumerate(tokens, start=1):
        length += len(token)
        if length >= len(text):
            return count if text and length == len(text) else 0
    return 0


_TYPED: RuleSection[str] = RuleSection(
    "By operation",
    (
        Rule("missing", "M", "characters are inserted", lambda done: done == "I"),
        Rule("redundant", "R", "characters are deleted", lambda done: done == "D"),
        Rule("word-order", "W", "the same text is in another position", lambda done: done == "T"),
        Rule("substituted", "S", "characters are replaced by others", lambda _: True),
    ),
)


def _type(operation: str) -> Typed:
    rule = _TYPED.find(operation)
    assert rule is not None, "the last rule applies to everything"
    return Typed(rule.type_of(operation), rule.name)


@dataclass(frozen=True)
class CharacterFinder:
    """Extracts the edits between two sentences by character."""

    likeness: Likeness
    alignments: Alignments = "all"
    simplified: bool = True
    cut: Cut = "characters"
    fixed: bool = False

    def split(self, text: str) -> Tokens:
        """Tokenize a line."""
        return split(text, self.cut)

    def annotate(self, source: Tokens, corrected: Tokens, annotator: str) -> Annotation:
        """Return the edits, with those of all other cheapest alignments."""
        if self.simplified:
            corrected = self._simplify(corrected)
            simplified = self._simplify(source) if self.fixed else source
            source = simplified if len(simplified) == len(source) else source
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
        return self.split(simplify("".join(tokens)))

    def align(self, source: Tokens, corrected: Tokens) -> list[AlignmentStep]:
        """Return the steps of the first alignment, without matches."""
        (steps,) = cheapest_alignments(source, corrected, self.likeness, first=True)
        return [step for step in steps if step.operation != "M"]

    def type_span(self, source: Tokens, corrected: Tokens, span: Span) -> Typed:
        """Return the type of an existing edit."""
        start, end, to_start, to_end = span
        ours, theirs = source[start:end], corrected[to_start:to_end]
        if not ours or not theirs:
            return _type("D" if ours else "I")
        return _type("T" if sorted(ours) == sorted(theirs) else "S")


def _edits(steps: Sequence[AlignmentStep], corrected: Tokens) -> tuple[Edit, ...]:
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
    """Return the edit finder for these options."""
    return CharacterFinder(load_likeness(tables), alignments, simplified, cut, fixed)


def characters_version() -> str:
    """Return the versions of the libraries for pronunciation and simplified forms."""
    found = []
    for package in ("pypinyin", "opencc-python-reimplemented", "opencc"):
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return ", ".join(found) or "none"


class _AnyCharacter:
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
    load_analyzer=lambda: WholeAnalyzer(
        "characters",
        characters_version(),
        lambda sentences: [Analysis(t, t, t, t, t, dep=t) for t in sentences],
    ),
    analyzer_version=characters_version,
    lexicon=lambda _: _AnyCharacter(),
    open_pos=frozenset(),
    merging=_no_merging,
    typing=Typing({"Characters": (_TYPED,)}, _no_merging, _no_merging),
    error_types=(
        ErrorType("M", "Missing", "Characters are inserted.", "", "missing characters", {}),
        ErrorType("R", "Redundant", "Characters are deleted.", "", "redundant characters", {}),
        ErrorType("S", "Substitution", "Characters are replaced.", "", "wrong characters", {}),
        ErrorType(
            "W", "Word order", "The same text is in another position.", "", "wrong order", {}
        ),
    ),
    finding=make_finder,
)
