"""Raw output of systems, aligned with its source: what ``--align`` and ``redink align`` read."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
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
from redink.formats.registry import PLAIN, TOKENISERS, detect_format
from redink.inputs.answer_ids import match_answers, refuse_unknown
from redink.inputs.reading import (
    DOCUMENT_TOKENISER,
    Tokeniser,
    load_tokenizer,
    read_values,
)
from redink.model import Corpus, References, Sentence, SystemOutput
from redink.options import Flag, Needs, Options
from redink.progress import tell_each
from redink.raw_text.unanswered_replies import UNANSWERED, NoAnswer

if TYPE_CHECKING:
    from redink.raw_text.text_alignment import AlignedSentence, Status
    from redink.raw_text.token_projection import Habits, Tokenise

_PATH = re.compile(r"[^\s=]+=|[^\n]+\.(?:txt|md|m2|jsonl?|tsv|gz|zst)\Z")
_LONGEST_PATH = 4096
_FEW, _MANY, _MOST = 0.02, 0.1, 0.8
"""Shares of the lines of a text that decide whether each line is one sentence of the source."""
_SHIFTED, _FOUND = 0.3, 0.5
"""The confidence below which a line may belong to another sentence, and above which one has it."""
_LOOKED_AT = 200
"""How many sentences tell in which script a text is written."""


def _is_documents(given: Any) -> bool:
    """Whether text is tokenised without being asked for: documents, or what is not a file."""
    return given is not None and (not isinstance(given, str | Path) or form_of(given) is not None)


TokeniserName = Annotated[str, Flag(value="NAME", parse=str, known=lambda: TOKENISERS.names)]


@dataclass(frozen=True)
class AlignmentOptions(Options):
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
        no_answer: how to score a sentence without an answer (refused, empty, truncated, failed): as
            unchanged (source), not at all for any system (skip), or as deleted (delete).
    """

    align: bool = False
    field: Annotated[str | None, Flag(value="NAME"), Needs(align=True, tokenise=True)] = None
    tokenise: bool = False
    tokeniser: Annotated[
        TokeniserName | None,
        Needs(align=True, tokenise=True, source=_is_documents, file=_is_documents),
    ] = None
    no_answer: Annotated[NoAnswer, Needs(align=True, tokenise=True)] = "source"

    @property
    def raw(self) -> bool:
        """Whether the systems' text is raw."""
        return self.align or self.tokenise

    def signature(self) -> dict[str, Any]:
        """What to say of it in a signature: nothing where no text was raw."""
        named = {} if self.tokeniser is None else {"tokeniser": self.tokeniser}
        if self.no_answer != "source":
            named["no_answer"] = self.no_answer
        return {"align": "yes", **named} if self.raw else {}

    def following(self, source: Any = None, language: str = "en") -> AlignmentOptions:
        """The same, where nothing else is said with the tokeniser of a format or a language."""
        chosen = self.tokeniser
        if chosen is None and self.raw and isinstance(source, str | Path) and Path(source).exists():
            chosen = detect_format(source).raw
        if chosen is None and language != "en":
            chosen = language
        return replace(self, tokeniser=chosen)


@dataclass(frozen=True)
class Tally:
    """How many sentences of a system have which status."""

    name: str
    counts: Counter[Status]
    extra: int
    no_answer: NoAnswer = "source"

    @property
    def total(self) -> int:
        """How many sentences there are."""
        return self.counts.total()

    def __add__(self, other: Tally) -> Tally:
        return replace(self, counts=self.counts + other.counts, extra=self.extra + other.extra)

    def describe(self) -> str | None:
        """What a reader of scores should know, in a sentence; None if all is well."""
        said: dict[Status, str] = {
            "missing": "missing",
            "doubtful": "doubtful",
            "too-large": "in parts too large to align",
        }
        found = self.counts
        doubts = [f"{found[status]} {words}" for status, words in said.items() if found[status]]
        if answers := self.describe_answers():
            doubts.append(answers)
        if self.extra:
            doubts.append(f"{self.extra} pieces of its text belong to none")
        if not doubts:
            return None
        return (
            f"{self.name}: of {self.total} sentences {', '.join(doubts)} (redink align lists them)"
        )

    def describe_answers(self) -> str | None:
        """The answers without a correction, counted; None if there are none."""
        said: dict[Status, str] = {
            "refusal": "refused",
            "no-answer": "empty",
            "truncated": "truncated",
            "error": "failed",
        }
        found = self.counts
        parts = []
        if count := sum(found[status] for status in said):
            reasons = (f"{found[status]} {word}" for status, word in said.items() if found[status])
            parts.append(f"{count} without an answer ({', '.join(reasons)}), {self.counted}")
        if found["no-change"]:
            parts.append(f'{found["no-change"]} answered with "no change needed"')
        return ", ".join(parts) or None

    @property
    def counted(self) -> str:
        """What sentences without an answer count as."""
        return {
            "source": "counted as unchanged",
            "skip": "left out for all systems",
            "delete": "counted as deleted",
        }[self.no_answer]


@dataclass(frozen=True)
class AlignedSystem:
    """What a system made of every sentence, found in its raw text."""

    name: str
    sentences: tuple[AlignedSentence, ...]
    extra: tuple[tuple[int, str], ...] = field(default=())
    no_answer: NoAnswer = "source"

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
        return Tally(self.name, counts, len(self.extra), self.no_answer)

    @property
    def skipped(self) -> frozenset[int]:
        """The numbers (from 0) of the sentences that are left out."""
        if self.no_answer != "skip":
            return frozenset()
        return frozenset(at for at, one in enumerate(self.sentences) if one.status in UNANSWERED)


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
    kinds = str | Sentence | None
    return not isinstance(given, Corpus) and all(isinstance(one, kinds) for one in given)


def load_essays(given: Any, *, field: str | None = None) -> list[Essay]:
    """The raw documents of a file, a folder, a text or its lines."""
    if isinstance(given, str) and is_text(given):
        return [Essay("", given)]
    if isinstance(given, str | Path):
        if form_of(given) is None and detect_format(given).kind == "parallel":
            return _read_column(given, field)
        return read_essays(given, field=field)
    lines = (given.hypotheses or ()) if isinstance(given, SystemOutput) else given
    if None in lines:  # one answer each
        return [Essay("", "" if line is None else str(line)) for line in lines]
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
    no_answer: NoAnswer = "source",
) -> AlignedSystem:
    """Find what a system made of every sentence in its raw text.

    Documents are aligned one by one where the ids of the source's sentences name them, where their
    own ids number the sentences, or where there is one for every sentence; otherwise all text is
    aligned with all of the source.
    """
    from redink.raw_text.token_projection import Habits

    essays = load_essays(given, field=field)
    if not any(essay.text.strip() for essay in essays):
        raise DataError(f"system {name!r} has no text to align")
    tokenise = load_tokenizer(tokeniser or _usual_tokeniser(sources))
    habits = Habits.of((sentence.tokens for sentence in sources), shapes)
    sentences: list[AlignedSentence] = []
    extra: list[tuple[int, str]] = []
    for numbers, answers in tell_each(match_answers(name, essays, sources), f"aligned {name}"):
        tokens = [sources[number].tokens for number in numbers]
        found = _align_part(tokens, answers, tokenise, habits, no_answer)
        extra.extend((numbers.start + before, text) for before, text in found.extra)
        sentences.extend(found.sentences)
    return AlignedSystem(name, tuple(sentences), tuple(extra), no_answer)


def stream_aligned(
    name: str,
    source: Any,
    given: Any,
    *,
    field: str | None = None,
    tokeniser: Tokeniser | None = None,
    no_answer: NoAnswer = "source",
) -> Iterator[tuple[list[Sentence], AlignedSystem]] | None:
    """Align document after document, so that memory grows with the longest alone."""
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
    refuse_unknown(name, set(theirs) - known)
    return _stream(name, source, given, set(theirs), field, tokeniser, no_answer)


def _stream(
    name: str,
    source: str | Path,
    given: str | Path,
    answered: set[str],
    field: str | None,
    tokeniser: Tokeniser | None,
    no_answer: NoAnswer,
) -> Iterator[tuple[list[Sentence], AlignedSystem]]:
    from redink.raw_text.token_projection import Habits

    cut = load_tokenizer(tokeniser or DOCUMENT_TOKENISER)
    habits = Habits.of(sentence.tokens for sentence in split_essays(stream_essays(source), cut))
    first = list(islice(split_essays(stream_essays(source), cut), _LOOKED_AT))
    tokenise = load_tokenizer(tokeniser or _usual_tokeniser(first))
    answers = stream_essays(given, field=field)
    waiting: dict[str, Essay] = {}  # answers that come before their source does
    for essay in tell_each(stream_essays(source), f"aligned {name}"):
        while essay.id in answered and essay.id not in waiting:
            answer = next(answers)
            waiting[answer.id] = answer
        sentences = list(split_essays([essay], cut))
        tokens = [sentence.tokens for sentence in sentences]
        answer = waiting.pop(essay.id, Essay(essay.id, ""))
        found = _align_part(tokens, [answer], tokenise, habits, no_answer)
        yield sentences, replace(found, name=name)


def _align_part(
    tokens: Sequence[Sequence[str]],
    answers: Sequence[Essay],
    tokenise: Tokenise,
    habits: Habits,
    no_answer: NoAnswer,
) -> AlignedSystem:
    """Align the sentences of one document or of all, with extra text by the sentence after it.

    A text with one line per sentence is aligned line by line, unless the lines are clearly not the
    sentences.
    """
    from redink.raw_text.text_alignment import find_untouched

    untouched = find_untouched(tokens, [answer.text for answer in answers], tokenise)
    if untouched is not None:
        return AlignedSystem("", untouched.sentences, (), no_answer)
    lines = _lines_of(answers)
    if len(tokens) < 2 or len(lines) != len(tokens):
        return _align_texts(tokens, answers, tokenise, habits, no_answer)
    parts = [
        _align_part([own], [line], tokenise, habits, no_answer)
        for own, line in zip(tokens, lines, strict=True)
    ]
    single = AlignedSystem(
        "",
        tuple(part.sentences[0] for part in parts),
        tuple((at + n, text) for at, part in enumerate(parts) for n, text in part.extra),
        no_answer,
    )
    foreign = sum(s.confidence < _SHIFTED for s in single.sentences)
    same_ends = sum(
        bool(own and s.tokens) and own[:1] == s.tokens[:1] and tuple(own[-2:]) == s.tokens[-2:]
        for own, s in zip(tokens, single.sentences, strict=True)
    )
    if foreign <= _FEW * len(tokens) and same_ends >= _MOST * len(tokens):
        return single
    whole = _align_texts(tokens, answers, tokenise, habits, no_answer)
    pairs = list(zip(single.sentences, whole.sentences, strict=True))
    gained = sum(theirs.confidence - ours.confidence for ours, theirs in pairs)
    moved = sum(ours.tokens != theirs.tokens for ours, theirs in pairs)
    shifted = sum(
        bool(line.text.strip()) and ours.confidence < _SHIFTED and theirs.confidence > _FOUND
        for line, (ours, theirs) in zip(lines, pairs, strict=True)
    )
    wrong = gained > 0 and (moved > _MANY * len(pairs) or shifted > max(1, _FEW * len(pairs)))
    lost = any(
        ours.status == "aligned" and ours.tokens == tuple(own) != theirs.tokens
        for own, (ours, theirs) in zip(tokens, pairs, strict=True)
    )
    return whole if wrong and not lost else single


def _lines_of(answers: Sequence[Essay]) -> list[Essay]:
    """Return the lines of one answer; without empty lines if every other line is empty."""
    if len(answers) != 1:
        return []
    lines = answers[0].text.strip("\n").split("\n")
    separate_texts = len(lines) > 1 and not any(line.strip() for line in lines[1::2])
    made = [Essay("", line) for line in (lines[::2] if separate_texts else lines)]
    return [*made[:-1], replace(made[-1], ending=answers[0].ending)]


def _align_texts(
    tokens: Sequence[Sequence[str]],
    answers: Sequence[Essay],
    tokenise: Tokenise,
    habits: Habits,
    no_answer: NoAnswer,
) -> AlignedSystem:
    """Align some sentences with all of some texts."""
    from redink.raw_text.reply_extraction import decode
    from redink.raw_text.text_alignment import align_text, join_texts
    from redink.raw_text.unanswered_replies import Reply, mark_unanswered

    lines = [" ".join(sentence) for sentence in tokens]
    source = "\n".join(lines)
    replies = [Reply.of(decode(one.text, source), lines, one.ending) for one in answers]
    texts = [reply.text for reply in replies]
    found = align_text(tokens, texts, tokenise=tokenise, habits=habits)
    text = join_texts(texts)
    begins = [s.span[0] for s in found.sentences if s.span[1]]
    extra = tuple((bisect_left(begins, start), text[start:end]) for start, end in found.extra)
    gap = len(join_texts(["", ""]))
    sentences = mark_unanswered(found.sentences, tokens, replies, gap, no_answer)
    return AlignedSystem("", sentences, extra, no_answer)


def find_shapes(gold: References) -> frozenset[str]:
    """The marks whose shape annotators correct: a dash for a hyphen, curly quotation marks.

    Where they do, a system that does so too makes an edit; elsewhere it only types otherwise.
    """
    from redink.raw_text.text_atoms import reshaped

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
    alignment: AlignmentOptions,
    shapes: frozenset[str] = frozenset(),
) -> SystemOutput:
    """A system's raw text as text in the source's tokens, with a warning about what is doubtful."""
    found = align_system(
        name,
        given,
        sources,
        field=alignment.field,
        tokeniser=alignment.tokeniser,
        shapes=shapes,
        no_answer=alignment.no_answer,
    )
    tally = found.tally()
    doubts = tally.describe()
    if doubts is not None:
        warnings.warn(doubts, RedinkWarning, stacklevel=2)
    answers = tally.describe_answers()
    return SystemOutput(
        name,
        hypotheses=found.hypotheses,
        skipped=found.skipped,
        notes=() if answers is None else (f"{name}: {answers}",),
    )


def _usual_tokeniser(sources: Sequence[Sentence]) -> str:
    letters = [c for s in sources[:_LOOKED_AT] for token in s.tokens for c in token if c.isalpha()]
    foreign = sum(c > "\u024f" for c in letters)
    return "words" if 2 * foreign > len(letters) else DOCUMENT_TOKENISER
