"""Align raw system output with its source, for ``--align`` and ``redink align``.

The batch interfaces of language models return answers in any order. The id that the user gave to
each request (``custom_id``) then identifies the sentence of an answer.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from redink.errors import DataError, FormatError, RedinkWarning
from redink.formats.format_registry import detect_format
from redink.formats.raw_documents import (
    RawDocument,
    has_text,
    read_documents,
    read_json_documents,
    split_documents,
    stream_documents,
)
from redink.formats.recognition import document_layout, first_object, read_head
from redink.inputs.input_options import AlignmentOptions
from redink.inputs.reading import DOCUMENT_TOKENIZER, load_tokenizer, read_values
from redink.inputs.text_loading import is_text
from redink.model import References, Sentence, SystemOutput, document_of
from redink.progress import tell_each
from redink.raw_text import NoAnswer
from redink.raw_text.reply_extraction import decode
from redink.raw_text.text_alignment import (
    AlignedSentence,
    Status,
    align_text,
    find_untouched,
    join_texts,
)
from redink.raw_text.text_atoms import reshaped
from redink.raw_text.token_projection import Habits
from redink.raw_text.tokenization import Tokenize
from redink.raw_text.unanswered_replies import UNANSWERED, Reply, find_remarks, mark_unanswered

_FEW, _MANY, _MOST = 0.02, 0.1, 0.8
"""Minimum shares of matching lines in a text with one source sentence per line."""
_SHIFTED, _FOUND = 0.3, 0.5
"""The confidence below which a line may belong to another sentence, and above which it does."""
_LOOKED_AT = 200  # the number of sentences from which the script of a text is detected


_DOUBTS: dict[Status, str] = {
    "missing": "missing",
    "doubtful": "doubtful",
    "too-large": "in parts too large to align",
}
_NO_ANSWERS: dict[Status, str] = {
    "refusal": "refused",
    "no-answer": "empty",
    "truncated": "truncated",
    "error": "failed",
}
_COUNTED: dict[NoAnswer, str] = {
    "source": "counted as unchanged",
    "skip": "excluded for all systems",
    "delete": "counted as deleted",
}


@dataclass(frozen=True)
class AlignmentCounts:
    """The numbers of sentences of a system by status."""

    name: str
    counts: Counter[Status]
    extra: int
    no_answer: NoAnswer = "source"

    @property
    def total(self) -> int:
        """The total number of sentences."""
        return self.counts.total()

    def __add__(self, other: AlignmentCounts) -> AlignmentCounts:
        return replace(self, counts=self.counts + other.counts, extra=self.extra + other.extra)

    def describe(self) -> str | None:
        """Return a warning about doubtful alignments; None if there are none."""
        doubts = self._list(_DOUBTS)
        if answers := self.describe_answers():
            doubts.append(answers)
        if self.extra:
            doubts.append(f"{self.extra} parts of the text belong to no sentence")
        if not doubts:
            return None
        return (
            f"{self.name}: of {self.total} sentences {', '.join(doubts)} (redink align lists them)"
        )

    def describe_answers(self) -> str | None:
        """Return the number of answers without a correction; None if there are none."""
        parts = []
        if count := sum(self.counts[status] for status in _NO_ANSWERS):
            reasons = ", ".join(self._list(_NO_ANSWERS))
            parts.append(f"{count} without an answer ({reasons}), {_COUNTED[self.no_answer]}")
        if same := self.counts["no-change"]:
            parts.append(f'{same} answered with "no change needed"')
        return ", ".join(parts) or None

    def _list(self, words: dict[Status, str]) -> list[str]:
        return [f"{self.counts[one]} {word}" for one, word in words.items() if self.counts[one]]


@dataclass(frozen=True)
class AlignedSystem:
    """The output of a system for each sentence, found in its raw text."""

    name: str
    sentences: tuple[AlignedSentence, ...]
    extra: tuple[tuple[int, str], ...] = ()
    """Parts of the text that belong to no sentence, with the index of the next sentence."""
    no_answer: NoAnswer = "source"

    @property
    def hypotheses(self) -> tuple[Sentence, ...]:
        """Return the text, tokenized like the source."""
        return tuple(Sentence(sentence.tokens) for sentence in self.sentences)

    def tally(self) -> AlignmentCounts:
        """Count the sentences by status."""
        counts = Counter(sentence.status for sentence in self.sentences)
        return AlignmentCounts(self.name, counts, len(self.extra), self.no_answer)

    @property
    def skipped(self) -> frozenset[int]:
        """The numbers (from 0) of the excluded sentences."""
        return self.unanswered if self.no_answer == "skip" else frozenset()

    @property
    def unanswered(self) -> frozenset[int]:
        """The numbers (from 0) of the sentences without an answer."""
        return frozenset(at for at, one in enumerate(self.sentences) if one.status in UNANSWERED)


def _load_documents(given: Any, field: str | None) -> list[RawDocument]:
    if isinstance(given, str) and is_text(given):
        return [RawDocument("", given)]
    if isinstance(given, str | Path):
        if document_layout(given) is None and detect_format(given).kind == "parallel":
            return _read_column(given, field)
        return read_documents(given, field=field)
    lines = (given.hypotheses or ()) if isinstance(given, SystemOutput) else given
    if lines and isinstance(lines[0], RawDocument):
        return list(lines)
    if None in lines:  # one answer per sentence
        return [RawDocument("", "" if line is None else str(line)) for line in lines]
    return [RawDocument("", "\n".join(map(str, lines)))]


def _read_column(path: str | Path, field: str | None) -> list[RawDocument]:
    """Return the output for each sentence from a file that contains the sources too."""
    if field or has_text(first_object(read_head(path))):
        return list(read_json_documents(path, field))
    rows = [row.corrected for row in read_values(path, kind="parallel")[1]]
    if max(map(len, rows), default=1) > 1:
        raise FormatError("has several corrected columns; expected one per system", path=path)
    return [RawDocument("", " ".join(map(str, row))) for row in rows]


def align_system(
    name: str,
    given: Any,
    sources: Sequence[Sentence],
    alignment: AlignmentOptions = AlignmentOptions(),
    references: References | None = None,
) -> AlignedSystem:
    """Find the output for every sentence in a system's raw text.

    Documents are aligned separately if the ids of source sentences contain document names, if the
    document ids are sentence numbers, or if there is one document per sentence. Otherwise the
    entire text is aligned with the entire source.
    """
    documents = _load_documents(given, alignment.field)
    # a model may have replied with nothing; a file without text is a mistake
    if documents != given and not any(document.text.strip() for document in documents):
        raise DataError(f"system {name!r} has no text to align")
    tokenize = load_tokenizer(alignment.tokenizer or _usual_tokenizer(sources))
    shapes = find_shapes(references) if references else frozenset[str]()
    habits = Habits.of((sentence.tokens for sentence in sources), shapes)
    aligner = _SystemAligner(tokenize, habits, alignment.no_answer)
    sentences: list[AlignedSentence] = []
    extra: list[tuple[int, str]] = []
    for numbers, answers in tell_each(match_answers(name, documents, sources), f"aligned {name}"):
        found = aligner.align([sources[number].tokens for number in numbers], answers)
        extra.extend((numbers.start + before, text) for before, text in found.extra)
        sentences.extend(found.sentences)
    return AlignedSystem(name, tuple(sentences), tuple(extra), alignment.no_answer)


def stream_aligned(
    name: str, source: Any, given: Any, alignment: AlignmentOptions
) -> Iterator[tuple[list[Sentence], AlignedSystem]] | None:
    """Align one document after the other, so that memory use depends on the longest document.

    Return None unless both texts are documents with ids that are unique in each text.
    """
    for one in (source, given):
        if not isinstance(one, str | Path) or is_text(str(one)) or document_layout(one) is None:
            return None
    has_text = False
    theirs = []
    for answer in stream_documents(given, field=alignment.field):
        theirs.append(answer.id)
        has_text = has_text or bool(answer.text.strip())
    ours = [answer.id for answer in stream_documents(source)]
    known, answered = set(ours), set(theirs)
    is_unique = len(known) == len(ours) and len(answered) == len(theirs)
    if not has_text or "" in known or not is_unique or not known & answered:
        return None
    refuse_unknown(name, answered - known)

    def parts() -> Iterator[tuple[list[Sentence], AlignedSystem]]:
        cut = load_tokenizer(alignment.tokenizer or DOCUMENT_TOKENIZER)
        habits = Habits.of(s.tokens for s in split_documents(stream_documents(source), cut))
        first = list(islice(split_documents(stream_documents(source), cut), _LOOKED_AT))
        tokenize = load_tokenizer(alignment.tokenizer or _usual_tokenizer(first))
        aligner = _SystemAligner(tokenize, habits, alignment.no_answer)
        answers = stream_documents(given, field=alignment.field)
        waiting: dict[str, RawDocument] = {}  # answers that precede their source
        for document in tell_each(stream_documents(source), f"aligned {name}"):
            while document.id in answered and document.id not in waiting:
                answer = next(answers)
                waiting[answer.id] = answer
            sentences = list(split_documents([document], cut))
            answer = waiting.pop(document.id, RawDocument(document.id, ""))
            found = aligner.align([sentence.tokens for sentence in sentences], [answer])
            yield sentences, replace(found, name=name)

    return parts()


@dataclass(frozen=True)
class _SystemAligner:
    tokenize: Tokenize
    habits: Habits
    no_answer: NoAnswer

    def align(
        self, tokens: Sequence[Sequence[str]], answers: Sequence[RawDocument]
    ) -> AlignedSystem:
        """Align the sentences of one or all documents; number extra text like the next sentence.

        A text with one line per sentence is aligned line by line, unless the lines are clearly not
        the sentences.
        """
        untouched = find_untouched(tokens, [answer.text for answer in answers], self.tokenize)
        if untouched is not None:
            return AlignedSystem("", untouched.sentences, (), self.no_answer)
        lines = _lines_of(answers)
        if len(tokens) < 2 or len(lines) != len(tokens):
            return self._align_texts(tokens, answers)
        parts = [self.align([own], [line]) for own, line in zip(tokens, lines, strict=True)]
        extra = tuple((at + n, text) for at, part in enumerate(parts) for n, text in part.extra)
        sentences = tuple(part.sentences[0] for part in parts)
        single = AlignedSystem("", sentences, extra, self.no_answer)
        foreign = sum(s.confidence < _SHIFTED for s in sentences)
        same_ends = sum(
            bool(own and s.tokens) and own[:1] == s.tokens[:1] and tuple(own[-2:]) == s.tokens[-2:]
            for own, s in zip(tokens, sentences, strict=True)
        )
        if foreign <= _FEW * len(tokens) and same_ends >= _MOST * len(tokens):
            return single
        whole = self._align_texts(tokens, answers)
        pairs = list(zip(sentences, whole.sentences, strict=True))
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

    def _align_texts(
        self, tokens: Sequence[Sequence[str]], answers: Sequence[RawDocument]
    ) -> AlignedSystem:
        lines = [" ".join(sentence) for sentence in tokens]
        source = "\n".join(lines)
        replies = [Reply.of(decode(one.text, source), lines, one.ending) for one in answers]
        texts = [reply.text for reply in replies]
        found = align_text(tokens, texts, tokenize=self.tokenize, habits=self.habits)
        text = join_texts(texts)
        begins = [s.span[0] for s in found.sentences if s.span[1]]
        extra = tuple((bisect_left(begins, start), text[start:end]) for start, end in found.extra)
        gap = len(join_texts(["", ""]))
        sentences = mark_unanswered(found.sentences, tokens, replies, gap, self.no_answer)
        return AlignedSystem("", sentences, extra, self.no_answer)


def _lines_of(answers: Sequence[RawDocument]) -> list[RawDocument]:
    """Return the lines of one answer; without empty lines if every other line is empty."""
    if len(answers) != 1:
        return []
    lines = answers[0].text.strip("\n").split("\n")
    if len(lines) > 1 and not any(line.strip() for line in lines[1::2]):
        lines = lines[::2]
    *first, last = lines
    return [*(RawDocument("", line) for line in first), RawDocument("", last, answers[0].ending)]


def find_shapes(gold: References) -> frozenset[str]:
    """Return the marks that annotators replace with a variant, such as a hyphen with a dash.

    Only for these marks, the same replacement by a system is an edit.
    """
    changes = [
        ("".join(sentence.source.tokens[edit.start : edit.end]), edit.correction)
        for sentence in gold.corpus.sentences
        for annotation in sentence.everyone
        for edit in annotation.edits
    ]
    for text in gold.given_texts or ():
        changes += zip(map(str, gold.sources), map(str, text), strict=True)
    return frozenset().union(*(reshaped(*change) for change in changes))


def align_output(
    name: str,
    given: Any,
    sources: Sequence[Sentence],
    alignment: AlignmentOptions,
    references: References | None = None,
) -> SystemOutput:
    """Tokenize the raw text of a system like the source, and warn about doubtful alignments."""
    found = align_system(name, given, sources, alignment, references)
    tally = found.tally()
    if doubts := tally.describe():
        warnings.warn(doubts, RedinkWarning, stacklevel=2)
    answers = tally.describe_answers()
    notes = () if answers is None else (f"{name}: {answers}",)
    return SystemOutput(
        name,
        hypotheses=found.hypotheses,
        skipped=found.skipped,
        unanswered=found.unanswered,
        notes=notes,
    )


def _usual_tokenizer(sources: Sequence[Sentence]) -> str:
    letters = [c for s in sources[:_LOOKED_AT] for token in s.tokens for c in token if c.isalpha()]
    foreign = sum(c > "\u024f" for c in letters)
    return "words" if 2 * foreign > len(letters) else DOCUMENT_TOKENIZER


# ---- the sentences that each answer belongs to

_NUMBERED = re.compile(r"(.*?)(\d{1,9})", re.DOTALL)
_WORD = re.compile(r"\w+")
_ENOUGH = 0.35  # minimum similarity of answers and the sentences with their numbers
_UNIQUE = 0.8  # ids that are mostly unique number requests; others may number documents
_COMPARED = 200  # about how many answers are compared with sentences


def match_answers(
    name: str, answers: Sequence[RawDocument], sources: Sequence[Sentence]
) -> list[tuple[range, list[RawDocument]]]:
    """Find the sentences that each answer is about."""
    ids = [sentence.id for sentence in sources]
    documents, sentences = _group(map(document_of, ids)), _group(ids)
    for groups in (documents, sentences if len(sentences) == len(ids) else []):
        known = {one for one, _ in groups}
        if known & {answer.id for answer in answers}:
            by_id = _by_id(name, answers)
            refuse_unknown(name, by_id.keys() - known)
            return [(numbers, [by_id.get(one, RawDocument(one, ""))]) for one, numbers in groups]
    ordered = _by_number(name, answers, sources)
    if len(ordered) == len(sources) > 1:
        return [(range(at, at + 1), [answer]) for at, answer in enumerate(ordered)]
    return [(range(len(sources)), ordered)]


def refuse_unknown(name: str, unknown: Collection[str]) -> None:
    """Raise an error if a document id is not in the source."""
    if unknown:
        problem = f"system {name!r} has a document {min(unknown)!r} that the source does not have"
        raise DataError(problem)


def _by_id(name: str, answers: Sequence[RawDocument]) -> dict[str, RawDocument]:
    found: dict[str, RawDocument] = {}
    for answer in answers:
        if answer.id in found:
            raise DataError(f"system {name!r} has two answers with the id {answer.id!r}")
        found[answer.id] = answer
    return found


def _group(ids: Iterable[str | None]) -> list[tuple[str, range]]:
    """Group neighbors with one id; no groups if an id is missing or occurs in two places."""
    groups: list[tuple[str, range]] = []
    at = 0
    for one, members in groupby(ids):
        if one is None:
            return []
        begin, at = at, at + sum(1 for _ in members)
        groups.append((one, range(begin, at)))
    return groups if len({one for one, _ in groups}) == len(groups) else []


def _numbers(answers: Sequence[RawDocument]) -> list[int] | None:
    """Return the final numbers of all ids, if the ids differ only in these numbers."""
    found = [one for answer in answers if (one := _NUMBERED.fullmatch(answer.id))]
    if len(found) < len(answers) or len({one[1] for one in found}) != 1:
        return None
    return [int(one[2]) for one in found]


def _by_number(
    name: str, answers: Sequence[RawDocument], sources: Sequence[Sentence]
) -> list[RawDocument]:
    """Order answers by the numbers in their ids, if these are sentence numbers.

    Whether numbers start from 0 or 1 is decided by the numbers that occur or, if both are possible,
    by the words of the answers. If a number does not occur, its answer is missing.
    """
    numbers, size = _numbers(answers), len(sources)
    if numbers is None or min(len(answers), size) < 2:
        return list(answers)
    by_number = dict(zip(numbers, answers, strict=True))
    if len(by_number) < len(answers):
        if len(by_number) >= _UNIQUE * len(answers) and max(numbers) <= size:
            _by_id(name, answers)
        return list(answers)
    first, last = min(numbers), max(numbers)
    has_all = last - first == len(numbers) - 1
    in_order = [by_number[number] for number in sorted(numbers)] if has_all else list(answers)
    if len(answers) == size and (has_all or numbers == sorted(numbers)):
        if _resembling(answers, sources) <= _resembling(in_order, sources):
            return in_order
        message = (
            f"{name}: the ids of the answers ({answers[0].id!r}, {answers[1].id!r}, ...) do not "
            "match the sentence numbers of the source; the answers are used in file order"
        )
        warnings.warn(message, RedinkWarning, stacklevel=2)
        return list(answers)
    fitting = [base for base in (1, 0) if base <= first and last < size + base]
    choices = [
        [by_number.get(base + at, RawDocument("", "")) for at in range(size)]
        for base in fitting or (1, 0)
    ]
    best = max(choices, key=lambda one: _resembling(one, sources))
    if _resembling(best, sources) < _ENOUGH:
        return in_order
    used = {id(answer) for answer in best}
    if unused := [answer.id for answer in answers if id(answer) not in used]:
        raise DataError(
            f"system {name!r} has an answer with the id {unused[0]!r}, but the source has only "
            f"{size} sentences"
        )
    return best


def _resembling(answers: Sequence[RawDocument], sources: Sequence[Sentence]) -> float:
    """Return the mean word similarity of answers and their sentences, from 0 to 1."""
    shares = []
    step = max(1, len(answers) // _COMPARED)
    for answer, sentence in list(zip(answers, sources, strict=False))[::step]:
        source = str(sentence)
        ours = Counter(_WORD.findall(source.casefold()))
        if ours and find_remarks(answer.text, [source])[0].strip():
            theirs = Counter(_WORD.findall(answer.text.casefold()))
            shares.append(2 * (ours & theirs).total() / (ours.total() + theirs.total()))
    return sum(shares) / len(shares) if shares else 1.0
