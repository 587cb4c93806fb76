"""Split a raw sentence into the tokens of its source, so that tokenization never causes an edit.

Text that the hypothesis shares with the source gets the tokens and marks of the source. A tokenizer
splits the rest and follows the conventions of the source: whether hyphens and slashes are tokens,
whether contractions are split, and whether quotation marks are curly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, islice

from redink.raw_text.text_atoms import DASHES, Atoms, fold

Tokenize = Callable[[str], list[tuple[int, int]]]

_CONTRACTION = re.compile(r"(?i)\w+(?:n't|'(?:s|m|d|ll|re|ve))")
_CLITIC = re.compile(r"(?i)(?:n't|'(?:s|m|d|ll|re|ve))")
_INNER = {"-": re.compile(r"\w-\w"), "/": re.compile(r"\w/\w")}
_INNER_END = re.compile(r"(?<=[^\W\d_])(?<![A-Z\u0410-\u042f])(?:[.!?]+(?=\s)|,(?=[^\w\s]))")
_QUOTED = ('\u201c\u201d"', "\u2018\u2019'")
_STRAIGHT = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})


@dataclass(frozen=True, slots=True)
class Habits:
    """The conventions of tokenization and marks in a source.

    Attributes:
        apart: the marks inside words that are separate tokens (``-``, ``/``).
        together: the marks inside words that are not separate tokens.
        whole: whether contractions are not split.
        straight: the quotation marks of the source, if none of them is curly.
        shapes: the marks that annotators replace with a variant, so that the change is an edit.
    """

    apart: frozenset[str] = frozenset()
    together: frozenset[str] = frozenset()
    whole: bool = False
    straight: frozenset[str] = frozenset()
    shapes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], shapes: frozenset[str] = frozenset()) -> Habits:
        """Derive the conventions from sentences; without evidence, those of the tokenizer apply."""
        balance = dict.fromkeys(_INNER, 0)  # how much more often a mark is a token than inside one
        whole = 0  # how many more contractions are complete than split
        seen = set(shapes)
        for tokens in sentences:
            for index, token in enumerate(tokens):
                if token.isalpha():
                    continue
                around = [*tokens[max(0, index - 1) : index], *tokens[index + 1 : index + 2]]
                is_inside = len(around) == 2 and all(map(str.isalpha, around))
                for mark, pattern in _INNER.items():
                    balance[mark] += (token == mark and is_inside) - bool(pattern.search(token))
                seen.update(token)
                plain = token.translate(_STRAIGHT)
                whole += bool(_CONTRACTION.fullmatch(plain)) - bool(_CLITIC.fullmatch(plain))
        return cls(
            frozenset(mark for mark in _INNER if balance[mark] > 0),
            frozenset(mark for mark in _INNER if balance[mark] < 0),
            whole > 0,
            frozenset(
                marks[2] for marks in _QUOTED if marks[2] in seen and seen.isdisjoint(marks[:2])
            ),
            shapes,
        )


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A source sentence and its part of the hypothesis."""

    tokens: Sequence[str]
    source: Sequence[Sequence[str]]
    first: int
    last: int
    pairs: Sequence[int]


def project(
    piece: SentencePart, hypothesis: Atoms, text: str, habits: Habits, tokenize: Tokenize
) -> tuple[str, ...]:
    """Return the tokens of a part of the hypothesis, in the conventions of the source."""
    first, last = piece.first, piece.last
    if first >= last:
        return ()
    begin, end = hypothesis.starts[first], hypothesis.ends[last - 1]
    body = text[begin:end]
    if lay_tokens(body, piece.tokens, tokenize) is not None:
        return tuple(piece.tokens)
    body = body.translate(
        {
            ord(curly): marks[2]
            for marks in _QUOTED
            if marks[2] in habits.straight
            for curly in marks
        }
    )
    kept = _KeptTokens(piece, hypothesis, text, tokenize).find()
    cuts = _cuts(body, habits, tokenize)
    tokens: list[str] = []
    at = begin
    for start, stop, form in [*kept, (end, end, "")]:
        tokens.extend(_cut(body, cuts, at - begin, start - begin))
        if form:
            own = "".join(body[start - begin : stop - begin].split())
            glued = not (_is_blank(text, start - 1) or _is_blank(text, stop))
            if not _is_only_shape(own, form, glued=glued):
                tokens.append(own)
            elif habits.shapes.intersection(own).difference(form):
                tokens.extend(_cut(body, cuts, start - begin, stop - begin))
            else:
                tokens.append(form)
        at = stop
    return tuple(tokens)


def lay_tokens(
    text: str, tokens: Sequence[str], tokenize: Tokenize
) -> list[tuple[int, int]] | None:
    """Return the spans of tokens in a text that contains only these tokens.

    None if the text differs, also if it joins or splits words.
    """
    if "".join(text.split()) != "".join(tokens):
        return None
    spans: list[tuple[int, int]] = []
    rest = iter(tokens)
    for word in re.finditer(r"\S+", text):
        own, size = [], 0
        while size < len(word.group()):
            own.append(next(rest))
            size += len(own[-1])
        laid = _lay(word.group(), word.start(), own, tokenize)
        if not laid:
            return None
        spans += laid
    return spans


def _is_blank(text: str, at: int) -> bool:
    return not 0 <= at < len(text) or text[at].isspace()


def _cut(body: str, cuts: set[int], start: int, stop: int) -> list[str]:
    found = []
    word = start
    for at in range(start, stop + 1):
        if at == stop or at in cuts or body[at].isspace():
            part = body[word:at].strip()
            if part:
                found.append(part)
            word = at
    return found


def _cuts(body: str, habits: Habits, tokenize: Tokenize) -> set[int]:
    cuts: set[int] = set()
    for span in tokenize(body):
        cuts.update(span)
    for match in _INNER_END.finditer(body):
        cuts.add(
            match.start()
        )  # the tokenizer expects one sentence end; this text may have several
    for marks, change in (
        (habits.apart, cuts.update),
        (habits.together, cuts.difference_update),
    ):
        for mark in marks:
            for match in re.finditer(rf"(?<=\w){re.escape(mark)}(?=\w)", body):
                change(match.span())
    if habits.whole:
        for match in _CONTRACTION.finditer(body):
            cuts.difference_update(range(match.start() + 1, match.end()))
    return cuts


class _KeptTokens:
    """Return the source tokens that the hypothesis has too, and their positions in the text.

    Tokens with attached new text (``the`` in ``the/their``) are not included.
    """

    def __init__(
        self, part: SentencePart, hypothesis: Atoms, text: str, tokenize: Tokenize
    ) -> None:
        self._tokens, self._hypothesis = part.tokens, hypothesis
        self._text, self._tokenize = text, tokenize
        self._low, self._high = hypothesis.starts[part.first], hypothesis.ends[part.last - 1]
        atoms = iter(part.pairs)
        self._spans = [
            self._span_of(forms, list(islice(atoms, len(forms)))) for forms in part.source
        ]

    def find(self) -> list[tuple[int, int, str]]:
        numbers = range(len(self._tokens))
        blocks = [
            list(block)
            for is_open, block in groupby(numbers, lambda number: self._spans[number] is None)
            if is_open
        ]
        for block in blocks:
            self._match_block(block[0], block[-1] + 1)
        found = sorted(
            (*span, token)
            for span, token in zip(self._spans, self._tokens, strict=True)
            if span is not None
        )
        cuts = {
            self._low + edge
            for span in self._tokenize(self._text[self._low : self._high])
            for edge in span
        }
        while True:
            begins, ends = {start for start, _, _ in found}, {stop for _, stop, _ in found}
            kept = [
                (start, stop, token)
                for start, stop, token in found
                if self._may_cut(start, cuts | ends) and self._may_cut(stop, cuts | begins)
            ]
            if kept == found:
                return kept
            found = kept

    def _may_cut(self, at: int, known: set[int]) -> bool:
        """Return whether a token may begin or end here, as at a space or a mark between words."""
        if not self._low < at < self._high or at in known:
            return True
        return any(char.isspace() or char in ',;:!?()"' for char in self._text[at - 1 : at + 1])

    def _span_of(self, forms: Sequence[str], atoms: Sequence[int]) -> tuple[int, int] | None:
        if not atoms or atoms[0] < 0:
            return None
        hypothesis = self._hypothesis
        for atom, (form, found) in enumerate(zip(forms, atoms, strict=True), start=atoms[0]):
            if atom != found or hypothesis.forms[atom] != form:
                return None
        start, stop = hypothesis.starts[atoms[0]], hypothesis.ends[atoms[-1]]
        inside = self._text[start:stop].split()
        if any(len(part) > 1 or part.isalnum() for part in inside[1::2]):
            return None  # ``this, they`` is not ``this,they``; ``well - known`` is ``well-known``
        return start, stop

    def _match_block(self, first: int, last: int) -> None:
        """Find tokens that are split inside a word (``do n't``) and joined in the text, or not."""
        left = self._spans[first - 1] if first else None
        right = self._spans[last] if last < len(self._spans) else None
        begin, end = left[1] if left else self._low, right[0] if right else self._high
        if begin >= end:
            return
        tokens, body = self._tokens, self._text[begin:end]
        folded = [fold(token) for token in tokens[first:last]]
        places = accumulate(map(len, folded), initial=0)
        number_at = {place: number for number, place in enumerate(places, start=first)}
        whole = "".join(folded)
        reached = 0  # in the joined tokens
        for word in re.finditer(r"\S+", body):
            form = fold(word.group())
            place = whole.find(form, reached)
            while place >= 0:
                start, stop = (number_at.get(edge) for edge in (place, place + len(form)))
                if start is not None and stop is not None and stop - start > 1:
                    own = tokens[start:stop]
                    spans = _lay(word.group(), begin + word.start(), own, self._tokenize)
                    if spans:
                        self._spans[start:stop] = spans
                        reached = place + len(form)
                    break
                place = whole.find(form, place + 1)
        for number in range(number_at[reached], last):
            # ``can not`` instead of ``cannot`` in the source
            pieces = [tokens[number][s:e] for s, e in self._tokenize(tokens[number])]
            if len(pieces) > 1 and self._spans[number] is None:
                pattern = r"\s+".join(map(re.escape, pieces))
                found = re.search(rf"(?i)(?<!\w){pattern}(?!\w)", body)
                if found and fold("".join(found.group().split())) == fold(tokens[number]):
                    self._spans[number] = (begin + found.start(), begin + found.end())
                    return


def _lay(word: str, start: int, tokens: Sequence[str], tokenize: Tokenize) -> list[tuple[int, int]]:
    if len(word) != sum(map(len, tokens)):
        return []
    spans, at = [], 0
    own: set[int] | None = None
    for token in tokens:
        if at and word[at - 1].isalnum() and word[at].isalnum():
            if own is None:
                own = {edge for span in tokenize(word.translate(_STRAIGHT)) for edge in span}
            if at not in own:
                return []
        spans.append((start + at, start + at + len(token)))
        at += len(token)
    return spans


_SHAPES = {
    **dict.fromkeys(map(ord, _QUOTED[0]), '"'),
    **dict.fromkeys(map(ord, _QUOTED[1]), "'"),
    ord("\u2026"): "...",
}
_DASHED = dict.fromkeys(map(ord, DASHES), "-")


def _is_only_shape(own: str, form: str, *, glued: bool) -> bool:
    """Return whether two tokens differ only in variants of quotation marks, dots or a hyphen.

    A dash between spaces is not a hyphen, so changing it is a correction.
    """
    if own == form:
        return True
    ours, theirs = (
        text.translate(_SHAPES).replace("''", '"').replace("``", '"') for text in (own, form)
    )
    if glued or len(own) > 1:
        ours, theirs = ours.translate(_DASHED), theirs.translate(_DASHED)
    return ours == theirs
