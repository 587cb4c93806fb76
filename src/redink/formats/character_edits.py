"""Convert raw texts with character edits to sentences with token edits, and back.

NUCLE and W&I have the same structure: a text with several paragraphs and, for each annotator, a
list of marks ``(start, end, correction)``. Reading splits the text into sentences and tokens and
converts each mark to an edit of tokens, by these rules:

- A mark that begins or ends inside a token is extended to the entire token. The additional
  characters are added to the correction.
- Unchanged tokens at the edges of a correction are not part of the edit.
- A mark that crosses a sentence boundary joins the sentences, so no mark is lost.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby

from rapidfuzz.distance import Postfix, Prefix

from redink.errors import DataError
from redink.formats.plain_text import token_line, warn_of_loss
from redink.model import UNKNOWN, AnnotatedSentence, Annotation, Edit, Sentence, parse_name
from redink.raw_text.tokenization import Tokenize, sentence_spans


@dataclass(frozen=True, slots=True)
class CharacterEdit:
    """One annotator's correction of a character span; None marks an error without a correction."""

    annotator: str
    start: int
    end: int
    correction: str | None
    type: str
    comment: str = "-NONE-"


@dataclass(frozen=True)
class MarkedDocument:
    """A text and its marks."""

    id: str
    paragraphs: tuple[str, ...]
    annotators: tuple[str, ...]
    marks: tuple[CharacterEdit, ...]
    title: bool = False
    tokenized: bool = False

    @cached_property
    def text(self) -> str:
        """The paragraphs, one per line."""
        return "\n".join(self.paragraphs)


def paragraph_starts(paragraphs: Iterable[str]) -> list[int]:
    """Return the start of each paragraph in the text, and of the one that would follow."""
    return list(accumulate((len(paragraph) + 1 for paragraph in paragraphs), initial=0))


@dataclass(frozen=True, slots=True)
class _SentencePosition:
    """The position in the document; a sentence that was joined with others has several pieces."""

    pieces: tuple[tuple[int, int], ...]
    paragraph: int
    number: int

    @property
    def start(self) -> int:
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        return self.pieces[-1][1]


def split_document(document: MarkedDocument, tokenize: Tokenize) -> list[AnnotatedSentence]:
    """Split a document into sentences with edits."""
    spans = [_trim_space(document.text, mark) for mark in document.marks]
    places = _places(document)
    if not document.tokenized:
        places = _join_touched(places, spans)
    if not places and spans:
        raise DataError("the text has corrections but no words")
    starts = [place.start for place in places]
    found: list[dict[str, list[Edit]]] = [
        {annotator: [] for annotator in document.annotators} for _ in places
    ]
    sentences = [_sentence(document, place, len(places), tokenize) for place in places]
    for mark, (start, end) in zip(document.marks, spans, strict=True):
        at = max(0, bisect_right(starts, start) - 1)
        if start == end and start > places[at].end and at + 1 < len(places):
            at += 1  # in the space between two sentences: the beginning of the second
        edit = _edit(sentences[at], places[at], (start, end), mark, document, tokenize)
        found[at][mark.annotator].append(edit)
    return [
        AnnotatedSentence(
            sentence, tuple(Annotation(who, tuple(edits)) for who, edits in by_annotator.items())
        )
        for sentence, by_annotator in zip(sentences, found, strict=True)
    ]


def _places(document: MarkedDocument) -> list[_SentencePosition]:
    places: list[_SentencePosition] = []
    starts = paragraph_starts(document.paragraphs)
    numbered = enumerate(document.paragraphs, start=0 if document.title else 1)
    for begin, (number, paragraph) in zip(starts, numbered, strict=False):
        spans = [(0, len(paragraph))] if document.tokenized else sentence_spans(paragraph)
        places.extend(
            _SentencePosition(((begin + start, begin + end),), number, count)
            for count, (start, end) in enumerate(spans, start=1)
        )
    return places


def _trim_space(text: str, mark: CharacterEdit) -> tuple[int, int]:
    body = text[mark.start : mark.end]
    if not body.strip():
        # only whitespace: an insertion before the next word
        return mark.end, mark.end
    start = mark.start + len(body) - len(body.lstrip())
    return start, start + len(body.strip())


def _join_touched(
    places: list[_SentencePosition], spans: Iterable[tuple[int, int]]
) -> list[_SentencePosition]:
    """Join sentences that share a mark."""
    ends = [place.end for place in places]
    starts = [place.start for place in places]
    joined: set[int] = set()  # sentences to join with the previous one
    for start, end in spans:
        joined.update(range(bisect_right(ends, start) + 1, bisect_left(starts, end)))
    result: list[_SentencePosition] = []
    for number, place in enumerate(places):
        if number in joined:
            result[-1] = replace(result[-1], pieces=(*result[-1].pieces, *place.pieces))
        else:
            result.append(place)
    return result


def _sentence(
    document: MarkedDocument, place: _SentencePosition, count: int, tokenize: Tokenize
) -> Sentence:
    body = document.text[place.start : place.end]
    name = document.id or None
    if name and (count > 1 or not place.paragraph):
        name = f"{name}.{place.paragraph}.{place.number}"
    if document.tokenized:
        return Sentence.from_line(body, id=name)
    spans = tuple(
        (piece - place.start + start, piece - place.start + end)
        for piece, stop in place.pieces
        for start, end in tokenize(document.text[piece:stop])
    )
    return Sentence.from_text(body, spans, id=name)


def _edit(
    sentence: Sentence,
    place: _SentencePosition,
    span: tuple[int, int],
    mark: CharacterEdit,
    document: MarkedDocument,
    tokenize: Tokenize,
) -> Edit:
    """Convert a mark that covers ``span`` of the document to an edit of tokens."""
    begin = place.start
    # a mark in the whitespace before the first sentence applies to its beginning
    start, end = max(span[0], begin), max(span[1], begin)
    first, last = sentence.to_tokens(start - begin, end - begin)
    correction = mark.correction
    if document.tokenized:
        if end > place.end:
            raise DataError(f"the correction {correction!r} crosses a sentence boundary")
        return Edit(first, last, (correction or "").strip(), mark.type, comment=mark.comment)
    if correction is None:
        return Edit(first, last, "", mark.type, comment=mark.comment)
    if first < last:
        left, right = sentence.to_characters(first, last)
        # part of a word is marked: the rest is added to the correction
        correction = (
            document.text[begin + left : start] + correction + document.text[end : begin + right]
        )
    source = sentence.tokens[first:last]
    target = [
        correction[begins + a : begins + b]
        for begins, ends in sentence_spans(correction)
        for a, b in tokenize(correction[begins:ends])
    ]
    before, after = _common_ends(source, target)
    changed = " ".join(target[before : len(target) - after])
    return Edit(first + before, last - after, changed, mark.type, comment=mark.comment)


def _common_ends(source: Sequence[str], target: Sequence[str]) -> tuple[int, int]:
    """Count the tokens that two texts share at the beginning and, after those, at the end."""
    if list(source) == list(target):
        return 0, 0  # a mark without a change keeps its position
    before = Prefix.similarity(source, target)
    return before, Postfix.similarity(source[before:], target[before:])


# ---- from token edits to character edits


def join_sentences(
    sentences: Iterable[AnnotatedSentence], tokenize: Tokenize, *, format_name: str, comments: bool
) -> Iterator[MarkedDocument]:
    """Return documents from which these sentences can be read again.

    Sentences named ``DOCUMENT.PARAGRAPH.NUMBER`` are joined to documents where possible; each other
    sentence becomes a separate document. A sentence whose raw text would be tokenized differently
    is written as tokens. One warning counts all omitted values.
    """
    lost = Counter[str]()
    carried = (_carried(sentence, format_name, lost, comments=comments) for sentence in sentences)
    for _, group in groupby(carried, key=_document_of):
        members = list(group)
        together = _build(members)
        if together is not None and split_document(together, tokenize) == members:
            yield together
            continue
        for member in members:
            alone = _build_alone(member)
            if alone is None or split_document(alone, tokenize) != [member]:
                what = "raw texts (reading them again would give other tokens)"
                lost[what] += member.source.text is not None
                alone = _build_tokenized(member, format_name)
            yield alone
    warn_of_loss(format_name, lost)


def _carried(
    sentence: AnnotatedSentence, format_name: str, lost: Counter[str], *, comments: bool
) -> AnnotatedSentence:
    """Remove and count the values of a sentence that such a format cannot represent."""

    def reduce(edit: Edit) -> Edit:
        if edit.alternatives:
            raise DataError(
                f"{format_name} cannot represent alternative corrections "
                f"({' || '.join(edit.corrections)}) of {str(sentence.source)[:60]!r}"
            )
        comment = edit.comment if comments else "-NONE-"
        plain = Edit(edit.start, edit.end, edit.correction, edit.type, comment=comment)
        for name in ("rule", "required", "comment"):
            lost[f"values of {name!r}"] += getattr(edit, name) != getattr(plain, name)
        return plain

    annotations = tuple(
        replace(annotation, edits=tuple(reduce(edit) for edit in annotation.edits))
        for annotation in sentence.annotations
    )
    return AnnotatedSentence(sentence.source, annotations)


def _document_of(sentence: AnnotatedSentence) -> object:
    name = parse_name(sentence.source.id)
    return name[0] if name else object()  # unique


def _build(members: Sequence[AnnotatedSentence]) -> MarkedDocument | None:
    """Join all sentences to one document with paragraphs; None if they are not one document."""
    names = [parse_name(member.source.id) for member in members]
    readers = {_annotators(member) for member in members}
    if len(readers) > 1:
        return None  # every annotator of a document has read every sentence
    paragraphs: dict[int, list[AnnotatedSentence]] = {}
    for name, member in zip(names, members, strict=True):
        if name is None or member.source.text is None:
            return None
        paragraphs.setdefault(name[1], []).append(member)
    assert names[0] is not None
    first = 0 if 0 in paragraphs else 1
    if list(paragraphs) != sorted(paragraphs) or (len(members) < 2 and first):
        return None
    texts: list[str] = []
    marks: list[CharacterEdit] = []
    at = 0
    for number in range(first, max(paragraphs) + 1):
        bodies = []
        for member in paragraphs.get(number, ()):
            marks.extend(_marks(member, at))
            bodies.append(member.source.text or "")
            at += len(bodies[-1]) + 1
        at += not bodies  # an empty paragraph
        texts.append(" ".join(bodies))
    annotators = _annotators(members[0])
    marks.sort(key=lambda mark: annotators.index(mark.annotator))
    return MarkedDocument(names[0][0], tuple(texts), annotators, tuple(marks), title=first == 0)


def _annotators(member: AnnotatedSentence) -> tuple[str, ...]:
    return tuple(annotation.annotator for annotation in member.annotations)


def _build_alone(member: AnnotatedSentence) -> MarkedDocument | None:
    text = member.source.text
    if text is None:
        return None
    name, marks = member.source.id or "", tuple(_marks(member, 0))
    return MarkedDocument(name, tuple(text.split("\n")), _annotators(member), marks)


def _build_tokenized(member: AnnotatedSentence, format_name: str) -> MarkedDocument:
    plain = AnnotatedSentence(replace(member.source, text=None, offsets=None), member.annotations)
    name, line = member.source.id or "", token_line(plain.source, format_name)
    marks = tuple(_marks(plain, 0))
    document = MarkedDocument(name, (line,), _annotators(member), marks, tokenized=True)
    if split_document(document, _no_tokens) != [plain]:
        raise DataError(f"{format_name} cannot represent the edits of {str(plain.source)[:60]!r}")
    return document


def _no_tokens(_: str) -> list[tuple[int, int]]:
    raise AssertionError("tokenized text is never tokenized again")


def _marks(member: AnnotatedSentence, begin: int) -> Iterator[CharacterEdit]:
    for annotation in member.annotations:
        for edit in annotation.edits:
            start, end = member.source.to_characters(edit.start, edit.end)
            nothing = edit.type == UNKNOWN and not edit.correction
            correction = None if nothing else edit.correction
            who, span = annotation.annotator, (begin + start, begin + end)
            yield CharacterEdit(who, *span, correction, edit.type, edit.comment)
