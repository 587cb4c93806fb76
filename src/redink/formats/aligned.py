"""Raw output of systems, aligned with its source: what ``--align`` and ``redink align`` read."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from redink.errors import DataError, FormatError, RedinkWarning
from redink.formats.essays import (
    Essay,
    form_of,
    has_text,
    read_essays,
    read_jsonl,
    split_essays,
    stream_essays,
)
from redink.formats.json_lines import first_object, read_head
from redink.formats.reading import (
    DOCUMENT_TOKENISER,
    Tokeniser,
    load_tokenizer,
    read_values,
)
from redink.formats.registry import PLAIN, TOKENISERS, detect_format
from redink.model import Corpus, References, Sentence, SystemOutput, document_of
from redink.options import Flag, Needs, Options
from redink.progress import tell_each

if TYPE_CHECKING:
    from redink.aligning.projecting import Habits, Tokenise
    from redink.aligning.texts import AlignedSentence, Status

_PATH = re.compile(r"[^\s=]+=|[^\n]+\.(?:txt|md|m2|jsonl?|tsv|gz|zst)\Z")
_LONGEST_PATH = 4096
_LOOKED_AT = 200
"""How many sentences tell in which script a text is written."""


def _is_documents(given: Any) -> bool:
    """Whether text is tokenised without being asked for: documents, or what is not a file."""
    return given is not None and (not isinstance(given, str | Path) or form_of(given) is not None)


TokeniserName = Annotated[str, Flag(value="NAME", parse=str, known=lambda: TOKENISERS.names)]


@dataclass(frozen=True)
class Aligning(Options):
    """Whether the systems' text is raw, and has to be aligned with the source first.

    Attributes:
        align: the systems' text is raw: paragraphs, other line breaks, Markdown or remarks around
            it. Find the source's sentences in it, and cut it into the source's tokens.
        field: with align, where a system is JSON lines: the field that holds the text, such as
            choices.0.message.content. [default: text, or the last answer]
        tokenise: the source is raw text too, a sentence a line: tokenise it, and align all other
            text with it. Documents always are.
        tokeniser: what cuts raw text: treebank, spacy, words, or the code of a language.
            [default: as the source was cut, or by its language]
    """

    align: bool = False
    field: Annotated[str | None, Flag(value="NAME"), Needs(align=True, tokenise=True)] = None
    tokenise: bool = False
    tokeniser: Annotated[
        TokeniserName | None,
        Needs(align=True, tokenise=True, source=_is_documents, file=_is_documents),
    ] = None

    @property
    def raw(self) -> bool:
        """Whether the systems' text is raw."""
        return self.align or self.tokenise

    def signature(self) -> dict[str, Any]:
        """What to say of it in a signature: nothing where no text was raw."""
        named = {} if self.tokeniser is None else {"tokeniser": self.tokeniser}
        return {"align": "yes", **named} if self.raw else {}

    def following(self, source: Any = None, language: str = "en") -> Aligning:
        """The same, where nothing else is said with the tokeniser of a format or a language.

        Args:
            source: a file whose format may say by what rules its text is cut.
            language: of the text.
        """
        chosen = self.tokeniser
        if chosen is None and self.raw and isinstance(source, str | Path) and Path(source).exists():
            chosen = detect_format(source).raw
        if chosen is None and language != "en":
            chosen = language
        return replace(self, tokeniser=chosen)


@dataclass(frozen=True)
class Tally:
    """How many sentences of a system have which status.

    Attributes:
        name: of the system.
        counts: by status.
        extra: how many parts of its text belong to no sentence.
    """

    name: str
    counts: Counter[Status]
    extra: int

    @property
    def total(self) -> int:
        """How many sentences there are."""
        return self.counts.total()

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.name, self.counts + other.counts, self.extra + other.extra)

    def describe(self) -> str | None:
        """What a reader of scores should know, in a sentence; None if all is well."""
        said: dict[Status, str] = {
            "missing": "missing",
            "doubtful": "doubtful",
            "too-large": "in parts too large to align",
        }
        found = self.counts
        doubts = [f"{found[status]} {words}" for status, words in said.items() if found[status]]
        if self.extra:
            doubts.append(f"{self.extra} pieces of its text belong to none")
        if not doubts:
            return None
        return (
            f"{self.name}: of {self.total} sentences {', '.join(doubts)} (redink align lists them)"
        )


@dataclass(frozen=True)
class AlignedSystem:
    """What a system made of every sentence, found in its raw text.

    Attributes:
        name: of the system.
        sentences: one a sentence of the source.
        extra: parts of its text that belong to no sentence, with the number of the sentence
            (from 0) before which they stand.
    """

    name: str
    sentences: tuple[AlignedSentence, ...]
    extra: tuple[tuple[int, str], ...] = field(default=())

    @property
    def hypotheses(self) -> tuple[Sentence, ...]:
        """The text in the tokens of the source."""
        return tuple(Sentence(sentence.tokens) for sentence in self.sentences)

    def describe(self) -> str | None:
        """What a reader of its scores should know, in a sentence; None if all is well."""
        return self.tally().describe()

    def tally(self) -> Tally:
        """How many sentences were found, and how well."""
        counts = Counter(sentence.status for sentence in self.sentences)
        return Tally(self.name, counts, len(self.extra))


def is_text(given: str) -> bool:
    """Whether a string is a text itself: it has several words, and no file is called so."""
    if len(given) > _LONGEST_PATH:
        return True
    if not set(given) & {" ", "\n"}:
        return False
    try:
        return not Path(given).exists() and not _PATH.match(given)
    except (OSError, ValueError):
        return True


def is_raw(given: Any) -> bool:
    """Whether a system is text that can be aligned, also in a column, not edits or flags."""
    if isinstance(given, str) and is_text(given):
        return True
    if isinstance(given, str | Path):
        if form_of(given) is not None:
            return True
        try:
            found = detect_format(given)
        except FormatError:
            return True
        return found.name in PLAIN or found.kind == "parallel"
    if isinstance(given, SystemOutput):
        return given.hypotheses is not None
    return not isinstance(given, Corpus) and all(isinstance(one, str | Sentence) for one in given)


def load_essays(given: Any, *, field: str | None = None) -> list[Essay]:
    """The raw documents of a file, a folder, a text or its lines."""
    if isinstance(given, str) and is_text(given):
        return [Essay("", given)]
    if isinstance(given, str | Path):
        if form_of(given) is None and detect_format(given).kind == "parallel":
            return _read_column(given, field)
        return read_essays(given, field=field)
    lines = (given.hypotheses or ()) if isinstance(given, SystemOutput) else given
    return [Essay("", "\n".join(map(str, lines)))]


def _read_column(path: str | Path, field: str | None) -> list[Essay]:
    """What was made of every sentence, of a file that holds the sources beside it."""
    if field or has_text(first_object(read_head(path))):
        return list(read_jsonl(path, field))
    rows = [row.corrected for row in read_values(path, kind="parallel")[1]]
    if max(map(len, rows), default=1) > 1:
        raise FormatError("has several corrected columns; a system has one", path=path)
    return [Essay("", " ".join(map(str, row))) for row in rows]


def align_system(
    name: str,
    given: Any,
    sources: Sequence[Sentence],
    *,
    field: str | None = None,
    tokeniser: Tokeniser | None = None,
    shapes: frozenset[str] = frozenset(),
) -> AlignedSystem:
    """Find what a system made of every sentence in its raw text.

    Documents are aligned one by one where the ids of the source's sentences name them, or where
    there is one for every sentence; otherwise all text is aligned with all of the source.

    Args:
        name: of the system.
        given: its text.
        sources: the sentences.
        field: of JSON lines, the field that holds the text.
        tokeniser: what cuts text that the source does not have; by default the treebank's rules
            for English, and words where most letters are not Latin.
        shapes: see :func:`find_shapes`.

    Raises:
        DataError: there is no text, or its documents are not the source's.
    """
    from redink.aligning.projecting import Habits

    essays = load_essays(given, field=field)
    if not any(essay.text.strip() for essay in essays):
        raise DataError(f"system {name!r} has no text to align")
    tokenise = load_tokenizer(tokeniser or _usual_tokeniser(sources))
    habits = Habits.of((sentence.tokens for sentence in sources), shapes)
    sentences: list[AlignedSentence] = []
    extra: list[tuple[int, str]] = []
    for numbers, texts in tell_each(_match(name, essays, sources), f"aligned {name}"):
        tokens = [sources[number].tokens for number in numbers]
        found = _align_part(tokens, texts, tokenise, habits)
        extra.extend((numbers.start + before, text) for before, text in found.extra)
        sentences.extend(found.sentences)
    return AlignedSystem(name, tuple(sentences), tuple(extra))


def stream_aligned(
    name: str,
    source: Any,
    given: Any,
    *,
    field: str | None = None,
    tokeniser: Tokeniser | None = None,
) -> Iterator[tuple[list[Sentence], AlignedSystem]] | None:
    """Align document after document, so that memory grows with the longest alone.

    Returns:
        For every document its sentences and what the system made of them; None where source and
        system are not files of documents with the same ids.
    """
    for one in (source, given):
        if not isinstance(one, str | Path) or is_text(str(one)) or form_of(one) is None:
            return None
    has_text = False
    theirs = []
    for essay in stream_essays(given, field=field):
        theirs.append(essay.id)
        has_text = has_text or bool(essay.text.strip())
    if not has_text:
        return None
    ours = [essay.id for essay in stream_essays(source)]
    known = set(ours)
    if "" in known or len(known) < len(ours) or len(set(theirs)) < len(theirs):
        return None
    if not known.intersection(theirs):
        return None
    _refuse_unknown(name, set(theirs) - known)
    return _stream(name, source, given, set(theirs), field, tokeniser)


def _stream(
    name: str,
    source: str | Path,
    given: str | Path,
    answered: set[str],
    field: str | None,
    tokeniser: Tokeniser | None,
) -> Iterator[tuple[list[Sentence], AlignedSystem]]:
    from redink.aligning.projecting import Habits

    cut = load_tokenizer(tokeniser or DOCUMENT_TOKENISER)
    habits = Habits.of(sentence.tokens for sentence in split_essays(stream_essays(source), cut))
    first = list(islice(split_essays(stream_essays(source), cut), _LOOKED_AT))
    tokenise = load_tokenizer(tokeniser or _usual_tokeniser(first))
    answers = stream_essays(given, field=field)
    waiting: dict[str, str] = {}  # answers that come before their source does
    for essay in tell_each(stream_essays(source), f"aligned {name}"):
        while essay.id in answered and essay.id not in waiting:
            answer = next(answers)
            waiting[answer.id] = answer.text
        sentences = list(split_essays([essay], cut))
        tokens = [sentence.tokens for sentence in sentences]
        found = _align_part(tokens, [waiting.pop(essay.id, "")], tokenise, habits)
        yield sentences, AlignedSystem(name, found.sentences, found.extra)


def _align_part(
    tokens: Sequence[Sequence[str]], texts: Sequence[str], tokenise: Tokenise, habits: Habits
) -> AlignedSystem:
    """The sentences of a document, or of all; extra text by the number of the sentence after it."""
    from redink.aligning.answers import decode
    from redink.aligning.texts import align_text, join_texts

    source = "\n".join(" ".join(sentence) for sentence in tokens)
    decoded = [decode(text, source) for text in texts]
    found = align_text(tokens, decoded, tokenise=tokenise, habits=habits)
    text = join_texts(decoded)
    begins = [s.span[0] for s in found.sentences if s.span[1]]
    extra = tuple((bisect_left(begins, start), text[start:end]) for start, end in found.extra)
    return AlignedSystem("", found.sentences, extra)


def find_shapes(gold: References) -> frozenset[str]:
    """The marks whose shape annotators correct: a dash for a hyphen, curly quotation marks.

    Where they do, a system that does so too makes an edit; elsewhere it only types otherwise.
    """
    from redink.aligning.atoms import reshaped

    found: set[str] = set()
    for sentence in gold.corpus.sentences:
        for annotation in sentence.everyone:
            for edit in annotation.edits:
                before = "".join(sentence.source.tokens[edit.start : edit.end])
                found |= reshaped(before, edit.correction)
    for text in gold.given_texts or ():
        for source, corrected in zip(gold.sources, text, strict=True):
            found |= reshaped(str(source), str(corrected))
    return frozenset(found)


def align_output(
    name: str,
    given: Any,
    sources: Sequence[Sentence],
    aligning: Aligning,
    shapes: frozenset[str] = frozenset(),
) -> SystemOutput:
    """A system's raw text as text in the source's tokens, with a warning about what is doubtful."""
    found = align_system(
        name,
        given,
        sources,
        field=aligning.field,
        tokeniser=aligning.tokeniser,
        shapes=shapes,
    )
    doubts = found.describe()
    if doubts is not None:
        warnings.warn(doubts, RedinkWarning, stacklevel=2)
    return SystemOutput(name, hypotheses=found.hypotheses)


def _usual_tokeniser(sources: Sequence[Sentence]) -> str:
    letters = [c for s in sources[:_LOOKED_AT] for token in s.tokens for c in token if c.isalpha()]
    foreign = sum(c > "\u024f" for c in letters)
    return "words" if 2 * foreign > len(letters) else DOCUMENT_TOKENISER


def _match(
    name: str, essays: Sequence[Essay], sources: Sequence[Sentence]
) -> list[tuple[range, list[str]]]:
    """Which sentences which texts are to be aligned with."""
    groups = _documents(sources)
    by_id = {essay.id: essay.text for essay in essays}
    if groups and len(by_id) == len(essays) and by_id.keys() & {known for known, _ in groups}:
        _refuse_unknown(name, by_id.keys() - {known for known, _ in groups})
        return [(numbers, [by_id.get(known, "")]) for known, numbers in groups]
    if len(essays) == len(sources) > 1:
        return [(range(at, at + 1), [essay.text]) for at, essay in enumerate(essays)]
    return [(range(len(sources)), [essay.text for essay in essays])]


def _refuse_unknown(name: str, unknown: Collection[str]) -> None:
    if unknown:
        raise DataError(
            f"system {name!r} has a document {min(unknown)!r} that the source does not have"
        )


def _documents(sources: Sequence[Sentence]) -> list[tuple[str, range]]:
    """The documents that the ids of sentences name, with their sentences; none if some do not."""
    found: list[tuple[str, range]] = []
    for number, sentence in enumerate(sources):
        known = document_of(sentence.id)
        if known is None:
            return []
        if found and found[-1][0] == known:
            found[-1] = (known, range(found[-1][1].start, number + 1))
        else:
            found.append((known, range(number, number + 1)))
    return found if len({known for known, _ in found}) == len(found) else []
