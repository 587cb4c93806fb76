"""Split a raw sentence into the tokens of its source, so that tokenization never makes an edit.

Text that the hypothesis shares with the source gets the tokens and marks of the source. A tokenizer
splits the rest, held to the habits of the source: whether hyphens and slashes are tokens, whether
contractions are split, whether quotation marks are curly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from redink.raw_text.text_atoms import DASHES, Atoms, fold

Tokenise = Callable[[str], list[tuple[int, int]]]

_CONTRACTION = re.compile(r"(?i)\w+(?:n't|'(?:s|m|d|ll|re|ve))")
_CLITIC = re.compile(r"(?i)(?:n't|'(?:s|m|d|ll|re|ve))")
_INNER = {"-": re.compile(r"\w-\w"), "/": re.compile(r"\w/\w")}
_INNER_END = re.compile(r"(?<=[^\W\d_])(?<![A-Z\u0410-\u042f])(?:[.!?]+(?=\s)|,(?=[^\w\s]))")
_QUOTED = ('\u201c\u201d"', "\u2018\u2019'")
_STRAIGHT = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})


@dataclass(frozen=True, slots=True)
class Habits:
    """How the tokens of a source are cut and written.

    Attributes:
        apart: the marks inside words that stand apart (``-``, ``/``).
        together: those that do not.
        whole: whether contractions are left whole.
        straight: the quotation marks that it has, where it has none that are curly.
        shapes: the marks whose shape its annotators correct, so that it makes an edit.
    """

    apart: frozenset[str] = frozenset()
    together: frozenset[str] = frozenset()
    whole: bool = False
    straight: frozenset[str] = frozenset()
    shapes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], shapes: frozenset[str] = frozenset()) -> Habits:
        """The habits that some sentences show; where they show none, the tokeniser's stay."""
        inner = dict.fromkeys(_INNER, 0)
        alone = dict.fromkeys(_INNER, 0)
        whole = split = 0
        seen: set[str] = set(shapes)
        for tokens in sentences:
            for index, token in enumerate(tokens):
                if token.isalpha():
                    continue
                for mark, pattern in _INNER.items():
                    inner[mark] += bool(pattern.search(token))
                    alone[mark] += (
                        token == mark
                        and 0 < index < len(tokens) - 1
                        and tokens[index - 1].isalpha()
                        and tokens[index + 1].isalpha()
                    )
                seen.update(token)
                plain = token.translate(_STRAIGHT)
                whole += bool(_CONTRACTION.fullmatch(plain))
                split += bool(_CLITIC.fullmatch(plain))
        return cls(
            frozenset(mark for mark in _INNER if alone[mark] > inner[mark]),
            frozenset(mark for mark in _INNER if inner[mark] > alone[mark]),
            whole > split,
            frozenset(
                marks[2] for marks in _QUOTED if marks[2] in seen and seen.isdisjoint(marks[:2])
            ),
            shapes,
        )


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A sentence of the source and its part of the hypothesis."""

    tokens: Sequence[str]
    source: Sequence[Sequence[str]]
    first: int
    last: int
    pairs: Sequence[int]


def project(
    piece: SentencePart, hypothesis: Atoms, text: str, habits: Habits, tokenise: Tokenise
) -> tuple[str, ...]:
    """The tokens of a part of the hypothesis, cut and written as the source's are."""
    first, last = piece.first, piece.last
    if first >= last:
        return ()
    begin, end = hypothesis.starts[first], hypothesis.ends[last - 1]
    body = text[begin:end]
    if lay_tokens(body, piece.tokens, tokenise) is not None:
        return tuple(piece.tokens)
    body = body.translate(
        {
            ord(curly): marks[2]
            for marks in _QUOTED
            if marks[2] in habits.straight
            for curly in marks
        }
    )
    kept = _kept_tokens(piece, hypothesis, text, tokenise)
    cuts = _cuts(body, habits, tokenise)
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
    text: str, tokens: Sequence[str], tokenise: Tokenise
) -> list[tuple[int, int]] | None:
    """Return the spans of the tokens in a text that has these tokens and nothing else.

    None if the text differs, also if it joins or splits words.
    """
    if "".join(text.split()) != "".join(tokens):
        return None
    spans: list[tuple[int, int]] = []
    for word in re.finditer(r"\S+", text):
        first, size = len(spans), 0
        last = first
        while size < word.end() - word.start():
            size += len(tokens[last])
            last += 1
        own = tokens[first:last]
        laid = _lay(word.group(), word.start(), own, tokenise)
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


def _cuts(body: str, habits: Habits, tokenise: Tokenise) -> set[int]:
    cuts: set[int] = set()
    for span in tokenise(body):
        cuts.update(span)
    for match in _INNER_END.finditer(body):
        cuts.add(match.start())  # a tokeniser of sentences sees one end; here may be several
    for mark in habits.apart:
        for match in re.finditer(rf"(?<=\w){re.escape(mark)}(?=\w)", body):
            cuts.update(match.span())
    for mark in habits.together:
        for match in re.finditer(rf"(?<=\w){re.escape(mark)}(?=\w)", body):
            cuts.difference_update(match.span())
    if habits.whole:
        for match in _CONTRACTION.finditer(body):
            cuts.difference_update(range(match.start() + 1, match.end()))
    return cuts


def _kept_tokens(
    piece: SentencePart, hypothesis: Atoms, text: str, tokenise: Tokenise
) -> list[tuple[int, int, str]]:
    """The tokens of the source that the hypothesis has too, and where in the text.

    A token that is glued to something new (``the`` in ``the/their``) is not among them.
    """
    spans: list[tuple[int, int] | None] = []
    place = 0
    for forms in piece.source:
        atoms = piece.pairs[place : place + len(forms)]
        place += len(forms)
        spans.append(_span_of(forms, atoms, hypothesis, text))
    _match_blocks(piece, hypothesis, text, tokenise, spans)
    found = [
        (*span, token) for span, token in zip(spans, piece.tokens, strict=True) if span is not None
    ]
    found.sort()
    low, high = hypothesis.starts[piece.first], hypothesis.ends[piece.last - 1]
    begins, ends = {start for start, _, _ in found}, {stop for _, stop, _ in found}
    cuts: set[int] | None = None
    loose: set[int] = set()
    waiting = list(range(len(found)))
    while waiting:
        number = waiting.pop()
        if number in loose:
            continue
        start, stop, _ = found[number]
        for at, beside, known in ((start, number - 1, ends), (stop, number + 1, begins)):
            touches = at in known and beside not in loose
            if low < at < high and not touches and not _is_edge(text, at):
                if cuts is None:
                    cuts = {edge for s in tokenise(text[low:high]) for edge in s}
                if at - low not in cuts:
                    loose.add(number)
                    waiting += (each for each in (number - 1, number + 1) if 0 <= each < len(found))
                    break
    return [each for number, each in enumerate(found) if number not in loose]


def _is_edge(text: str, at: int) -> bool:
    """Whether a token may begin or end here: at a blank, or at a mark that joins no words."""
    return any(char.isspace() or char in ',;:!?()"' for char in text[at - 1 : at + 1])


def _span_of(
    forms: Sequence[str], atoms: Sequence[int], hypothesis: Atoms, text: str
) -> tuple[int, int] | None:
    if not atoms or atoms[0] < 0:
        return None
    for shift, (form, atom) in enumerate(zip(forms, atoms, strict=True)):
        if atom != atoms[0] + shift or hypothesis.forms[atom] != form:
            return None
    start, stop = hypothesis.starts[atoms[0]], hypothesis.ends[atoms[-1]]
    inside = text[start:stop].split()
    if len(inside) > 1 and any(len(part) > 1 or part.isalnum() for part in inside[1::2]):
        return None  # ``this, they`` is not ``this,they``; ``well - known`` is ``well-known``
    return start, stop


def _match_blocks(
    piece: SentencePart,
    hypothesis: Atoms,
    text: str,
    tokenise: Tokenise,
    spans: list[tuple[int, int] | None],
) -> None:
    """Tokens that are cut inside a word (``do n't``, ``can not``) and written together, or not."""
    count = len(spans)
    index = 0
    while index < count:
        if spans[index] is not None:
            index += 1
            continue
        stop = index
        while stop < count and spans[stop] is None:
            stop += 1
        left = spans[index - 1] if index else None
        right = spans[stop] if stop < count else None
        begin = left[1] if left else hypothesis.starts[piece.first]
        end = right[0] if right else hypothesis.ends[piece.last - 1]
        _match_block(piece.tokens, index, stop, (begin, end), text, tokenise, spans)
        index = stop


def _match_block(
    tokens: Sequence[str],
    index: int,
    stop: int,
    block: tuple[int, int],
    text: str,
    tokenise: Tokenise,
    spans: list[tuple[int, int] | None],
) -> None:
    begin, end = block
    if begin >= end:
        return
    body = text[begin:end]
    folded = [fold(token) for token in tokens[index:stop]]
    places = accumulate(map(len, folded), initial=0)
    number_at = {place: number for number, place in enumerate(places, start=index)}
    whole = "".join(folded)
    reached = 0  # in the tokens, written together
    for word in re.finditer(r"\S+", body):
        form = fold(word.group())
        place = whole.find(form, reached)
        while place >= 0:
            first, after = (number_at.get(edge) for edge in (place, place + len(form)))
            if first is None or after is None or after - first < 2:
                place = whole.find(form, place + 1)
                continue
            spans_of = _lay(word.group(), begin + word.start(), tokens[first:after], tokenise)
            if spans_of:
                spans[first:after] = spans_of
                reached = place + len(form)
            break
    for first in range(number_at[reached], stop):
        # ``can not`` where the source has ``cannot``
        pieces = [tokens[first][s:e] for s, e in tokenise(tokens[first])]
        if len(pieces) > 1 and spans[first] is None:
            pattern = r"\s+".join(map(re.escape, pieces))
            found = re.search(rf"(?i)(?<!\w){pattern}(?!\w)", body)
            if found and fold("".join(found.group().split())) == fold(tokens[first]):
                spans[first] = (begin + found.start(), begin + found.end())
                return


def _lay(word: str, start: int, tokens: Sequence[str], tokenise: Tokenise) -> list[tuple[int, int]]:
    if len(word) != sum(map(len, tokens)):
        return []
    spans, at = [], 0
    own: set[int] | None = None
    for token in tokens:
        if at and word[at - 1].isalnum() and word[at].isalnum():
            if own is None:
                own = {edge for span in tokenise(word.translate(_STRAIGHT)) for edge in span}
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
    """Whether two tokens differ in nothing but the shape of quotation marks, dots or a hyphen.

    A dash between blanks is no hyphen: who changes it corrects it.
    """
    if own == form:
        return True
    ours, theirs = (
        text.translate(_SHAPES).replace("''", '"').replace("``", '"') for text in (own, form)
    )
    if glued or len(own) > 1:
        ours, theirs = ours.translate(_DASHED), theirs.translate(_DASHED)
    return ours == theirs
