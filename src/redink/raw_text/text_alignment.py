"""Align a raw hypothesis with the lines and tokens of its source, with a confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise
from typing import Literal

from redink.raw_text import Unanswered
from redink.raw_text.reply_cleaning import clean
from redink.raw_text.text_atoms import SEAM, Atoms, cut_atoms, join_atoms, weight
from redink.raw_text.token_projection import Habits, SentencePart, Tokenize, lay_tokens, project

Status = Literal["aligned", "doubtful", "missing", "too-large", "no-change"] | Unanswered

Pieces = tuple[tuple[int, int], ...]

DOUBTFUL = 0.4
"""Below this confidence an alignment is doubtful."""


@dataclass(frozen=True, slots=True)
class AlignedSentence:
    """The part of a raw hypothesis that corresponds to one source sentence.

    Attributes:
        tokens: the tokens, with tokenization and marks as in the source.
        span: the character span in the raw hypothesis.
        confidence: the share of the two sentences that corresponds, from 0 to 1.
        status: whether the sentence was found.
        reply: the original reply, if it contains no correction of the sentence.
    """

    tokens: tuple[str, ...]
    span: tuple[int, int]
    confidence: float
    status: Status
    reply: str = ""

    def __str__(self) -> str:
        return " ".join(self.tokens)


@dataclass(frozen=True, slots=True)
class AlignedText:
    """A raw hypothesis, divided into the sentences of the source."""

    sentences: tuple[AlignedSentence, ...]
    extra: tuple[tuple[int, int], ...]

    @property
    def lines(self) -> list[str]:
        """The hypothesis with one tokenized line per source sentence."""
        return [str(sentence) for sentence in self.sentences]


_BETWEEN = "\n\n"
_LITTLE = 0.15
"""The share of common words below which a paragraph at an edge of an answer is a comment."""


def join_texts(texts: Sequence[str]) -> str:
    """Join texts to one."""
    return _BETWEEN.join(texts)


def find_untouched(
    source: Sequence[Sequence[str]], texts: Sequence[str], tokenize: Tokenize
) -> AlignedText | None:
    """Return the source sentences in a hypothesis that contains only them; None for others."""
    laid = lay_tokens(join_texts(texts), list(chain.from_iterable(source)), tokenize)
    if laid is None:
        return None
    spans, sentences = iter(laid), []
    for tokens in source:
        own = list(islice(spans, len(tokens)))
        span = (own[0][0], own[-1][1]) if own else (0, 0)
        sentences.append(AlignedSentence(tuple(tokens), span, 1.0, "aligned"))
    return AlignedText(tuple(sentences), ())


def align_text(
    source: Sequence[Sequence[str]],
    text: str | Sequence[str],
    *,
    tokenize: Tokenize,
    habits: Habits | None = None,
) -> AlignedText:
    """Find the sentences of a source in a raw hypothesis."""
    from redink.raw_text.sentence_alignment import align_atoms  # loads numpy

    lines = [" ".join(tokens) for tokens in source]
    whole = "\n".join(lines)
    cleaned = [clean(part, whole) for part in ([text] if isinstance(text, str) else text)]
    plain = join_texts(cleaned)
    parts = [[cut_atoms(token).forms for token in tokens] for tokens in source]
    forms = [form for tokens in parts for token in tokens for form in token]
    ends = list(accumulate(sum(map(len, tokens)) for tokens in parts))
    dots_apart = any(pair == (".", ".") for tokens in source for pair in pairwise(tokens))
    atoms = join_atoms(cleaned, len(_BETWEEN), dots_apart=dots_apart)
    nothing = (0,) * len(forms)
    found = align_atoms(Atoms(forms, nothing, nothing), ends, atoms, plain)
    known = habits or Habits.of(source)
    pieces = _without_remarks(found.pieces, ends, forms, atoms, plain)
    sentences = []
    for number, tokens in enumerate(source):
        begin = ends[number - 1] if number else 0
        first, last = pieces[number]
        # comments correspond to no sentence
        own = range(first, last)
        pairs = [at if at in own else -1 for at in found.pairs[begin : ends[number]]]
        piece = SentencePart(tokens, parts[number], first, last, pairs)
        span = (atoms.starts[first], atoms.ends[last - 1]) if first < last else (0, 0)
        confidence = _confidence(forms[begin : ends[number]], piece, atoms)
        sentences.append(
            AlignedSentence(
                project(piece, atoms, plain, known, tokenize),
                span,
                confidence,
                _status(confidence, piece, given_up=found.given_up[number]),
            )
        )
    return AlignedText(tuple(sentences), _extra(pieces, atoms))


def _without_remarks(
    pieces: Pieces, ends: Sequence[int], forms: Sequence[str], atoms: Atoms, text: str
) -> Pieces:
    """Find comments at the edges of a hypothesis, which have little in common with their sentence.

    Such text is a comment if it is a separate paragraph, or if it shares no word with the sentence
    and is much longer or shorter.
    """
    if len(pieces) < 2:
        return pieces
    kept = list(pieces)
    for outside in (-1, 1):
        for number in range(len(kept))[::-outside]:
            own = forms[ends[number - 1] if number else 0 : ends[number]]
            ours = _stems(own)
            first, last = kept[number]
            if list(atoms.forms[first:last]) == list(own):
                break
            bounds = [
                first,
                *(at for at in range(first + 1, last) if _opens(at, atoms, text)),
                last,
            ][::-outside]
            outer = bounds[0]
            for edge, inner in pairwise(bounds):
                size = len(own), abs(edge - inner)
                share = _share(ours, _stems(atoms.forms[min(edge, inner) : max(edge, inner)]))
                alone = inner != bounds[-1] or _opens(inner, atoms, text)
                uneven = max(size) > 2 * min(size)
                if not (alone and share < _LITTLE) and not (uneven and not share):
                    break
                outer = inner
            kept[number] = min(outer, bounds[-1]), max(outer, bounds[-1])
            if outer != bounds[-1]:
                break
    return tuple(kept)


def _stems(forms: Sequence[str]) -> dict[str, float]:
    return {form[:4]: weight(form) for form in forms if form[0].isalnum()}


def _share(ours: dict[str, float], theirs: dict[str, float]) -> float:
    """Return the share of two sentences with equal words or word beginnings, in any order."""
    both = sum(ours[stem] for stem in ours.keys() & theirs.keys())
    return 2 * both / (sum(ours.values()) + sum(theirs.values()) or 1)


def _opens(at: int, atoms: Atoms, text: str) -> bool:
    from redink.raw_text.sentence_alignment import is_paragraph

    before = atoms.ends[at - 1] if at else 0
    return is_paragraph(text[before : atoms.starts[at] if at < len(atoms) else None])


def _confidence(forms: Sequence[str], piece: SentencePart, atoms: Atoms) -> float:
    ours = sum(map(weight, forms))
    theirs = sum(weight(atoms.forms[atom]) for atom in range(piece.first, piece.last))
    if not ours + theirs:
        return 1.0
    same = sum(
        weight(form)
        for form, atom in zip(forms, piece.pairs, strict=True)
        if atom >= 0 and atoms.forms[atom] == form
    )
    return 2 * same / (ours + theirs)


def _status(confidence: float, piece: SentencePart, *, given_up: bool) -> Status:
    if given_up:
        return "too-large"
    if piece.first == piece.last and piece.tokens:
        return "missing"
    return "aligned" if confidence >= DOUBTFUL else "doubtful"


def _extra(pieces: Pieces, atoms: Atoms) -> tuple[tuple[int, int], ...]:
    spans = []
    edges = [(0, 0), *sorted(piece for piece in pieces if piece[0] < piece[1])]
    for (_, end), (start, _) in pairwise([*edges, (len(atoms), len(atoms))]):
        seams = [at for at in range(end, start) if atoms.forms[at] == SEAM]
        for before, after in pairwise([end - 1, *seams, start]):
            if before + 1 < after:
                spans.append((atoms.starts[before + 1], atoms.ends[after - 1]))
    return tuple(spans)
