"""M2: source sentences and one line per edit of an annotator.

::

    S This are wrong .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

All dialects in use are accepted: any number of annotators, ``noop``, sentences without an A line,
alternatives (``the||a``), deletions with an empty correction or ``-NONE-``. Tokens are separated by
any Unicode whitespace, as in the original scorers. Published references contain edits that cannot
all be applied; they are kept unchanged, and one warning counts them.

In Chinese corpora (ChERRANT), a T line precedes the edits of each annotator, and the edits of each
further alignment with the same minimal cost::

    S 我 门
    T0-A0 我 们
    A 1 2|||S|||们|||REQUIRED|||-NONE-|||0
    T1 没有错误
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
    T2 无法标注
    A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||2
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TextIO

from redink.errors import DataError, FormatError, RedinkWarning
from redink.files import read_lines
from redink.formats.plain_text import token_line, warn_of_loss
from redink.formats.recognition import is_source_line
from redink.model import (
    NO_ERROR,
    NOOP,
    NOT_ANNOTATABLE,
    UNCORRECTED,
    AnnotatedSentence,
    Annotation,
    Edit,
    Sentence,
)

_NONE = "-NONE-"
_T_LINE = re.compile(r"T(\S+?)(?:-A(\d{1,9}))? (.*)", re.ASCII)
_REFUSAL = re.compile(r"A -1 -1\|\|\|NA\|\|\|.*\|\|\|(.*)")
_SPAN = re.compile(r"\s*(-?\d{1,9})\s+(-?\d{1,9})\s*", re.ASCII)

_SAME_SPAN = "edits with the span of another edit by the same annotator"
_OVERLAP = "edits that overlap another edit by the same annotator"
_NOTHING = "insertions of nothing"
_NOOP_BESIDE = "noop lines next to edits by the same annotator"
_ODD = (_SAME_SPAN, _OVERLAP, _NOTHING, _NOOP_BESIDE)
_I_LINES = "I lines"
_T_LINES = "T lines"
_BEYOND = "edits that begin and end after the end of their sentence"


def read_m2(path: str | Path) -> Iterator[AnnotatedSentence]:
    """Yield the sentences of an M2 file."""
    odd = Counter[str]()
    block = None
    for number, line in read_lines(path):
        if is_source_line(line):
            if block is not None:
                yield block.finished(odd)
            block = _SentenceBlock(line[2:])
            continue
        try:
            is_taken = block is not None and block.take(line)
        except DataError as error:
            raise FormatError(str(error), path=path, line=number) from None
        if line.startswith("I "):
            odd[_I_LINES] += 1
        elif line.strip() and not is_taken:
            problem = f"expected a line that begins with S, A, T or I, found {line[:40]!r}"
            if line.startswith("A "):
                problem = "found an A line before the first S line"
            raise FormatError(problem, path=path, line=number)
    if block is None:
        raise FormatError("contains no sentence (no line begins with S)", path=path)
    yield block.finished(odd)
    _warn_of_odd(path, odd)


def _warn_of_odd(path: str | Path, odd: Counter[str]) -> None:
    told = [f"{what}: {odd[what]}" for what in _ODD if odd[what]]
    if told:
        message = f"{path}: unusual but kept unchanged: {'; '.join(told)}"
        warnings.warn(message, RedinkWarning, stacklevel=3)
    for what, why in (
        (_I_LINES, "which contain no edits"),
        (_T_LINES, "which no A line follows"),
        (_BEYOND, "which must be of another sentence"),
    ):
        if odd[what]:
            message = f"{path}: {what}, {why}, are ignored: {odd[what]}"
            warnings.warn(message, RedinkWarning, stacklevel=3)


class _SentenceBlock:
    """One sentence while its lines are read."""

    def __init__(self, line: str) -> None:
        self._source = _read_source(line)
        self._length = len(self._source.tokens)
        self._alignments: dict[str, list[list[Edit]]] = {}
        self._targets: dict[str, str] = {}
        self._noops: list[str] = []
        self._beyond = 0
        self._refusals: list[str] = []

    def take(self, line: str) -> bool:
        """Add an A or T line; return whether the line is one."""
        if line.startswith("A "):
            self._add(line)
            return True
        target = _T_LINE.fullmatch(line) if line.startswith("T") else None
        if target is None:
            return False
        annotator, alignment, text = target.groups()
        self._targets[annotator] = text
        if alignment and int(alignment):  # the following edits are of another alignment
            self._alignments.setdefault(annotator, [[]]).append([])
        return True

    def _add(self, line: str) -> None:
        refusal = _REFUSAL.fullmatch(line) if line.startswith("A -1") else None
        if refusal is not None:
            self._refusals.append(refusal[1].strip())
            return
        annotator, edit = _read_edit(line)
        alignments = self._alignments.setdefault(annotator, [[]])
        if edit is None:
            self._noops.append(annotator)
            return
        if edit.start >= self._length and edit.end > self._length:
            self._beyond += 1  # probably of another sentence
            return
        edit.check_fits(self._length)
        alignments[-1].append(edit)

    def finished(self, odd: Counter[str]) -> AnnotatedSentence:
        """Return the sentence; count unusual edits."""
        silent = self._targets.keys() - {*self._noops, *self._refusals}
        silent = {who for who in silent if not any(self._alignments.get(who, ()))}
        odd[_T_LINES] += len(silent)
        odd[_BEYOND] += self._beyond
        for edits in chain.from_iterable(self._alignments.values()):
            # the same words may have a mark (Um, UNK) and a correction
            _count_odd([edit for edit in edits if edit.type not in UNCORRECTED], odd)
        if self._noops:
            odd[_NOOP_BESIDE] += sum(any(self._alignments[who]) for who in self._noops)
        annotations = tuple(
            Annotation(who, tuple(first), self._targets.get(who), tuple(map(tuple, others)))
            for who, (first, *others) in self._alignments.items()
            if who not in silent
        )
        return AnnotatedSentence(self._source, annotations, tuple(self._refusals))


_read_source = lru_cache(maxsize=4_000)(Sentence.from_line)  # the same for every system


def _count_odd(edits: Sequence[Edit], odd: Counter[str]) -> None:
    spans = {(edit.start, edit.end) for edit in edits}
    odd[_NOTHING] += sum(not edit.correction and edit.start == edit.end for edit in edits)
    odd[_SAME_SPAN] += len(edits) - len(spans)
    reached = 0
    for start, end in sorted(spans):
        odd[_OVERLAP] += start < reached
        reached = max(reached, end)


def _parse_edit(line: str) -> tuple[str, Edit | None]:
    fields = line[2:].split("|||")
    if len(fields) != 6:
        raise DataError(f"expected 6 fields separated by ||| in an A line, found {len(fields)}")
    span, kind, corrections, required, comment, annotator = fields
    numbers = _SPAN.fullmatch(span)
    if numbers is None:
        raise DataError(f"expected two whole numbers for the span, found {span[:40]!r}")
    annotator = annotator.strip()
    if kind == NOOP:
        return annotator, None
    start, end = int(numbers[1]), int(numbers[2])
    if start > end:
        raise DataError(f"the span {start} {end} is reversed")
    if start < 0:
        raise DataError(f"the span {start} {end} begins before the sentence")
    first, *others = map(_correction, corrections.split("||"))
    return annotator, Edit(start, end, first, kind, tuple(others), None, required, comment)


_read_edit = lru_cache(maxsize=16_000)(_parse_edit)  # the outputs of systems share many lines


def _correction(text: str) -> str:
    text = text.strip()
    return "" if text == _NONE else text


def write_m2(sentences: Iterable[AnnotatedSentence], stream: TextIO) -> None:
    """Write sentences as M2, each followed by an empty line; one warning counts omitted values."""
    lost = Counter[str]()
    for sentence in sentences:
        source = sentence.source
        lost["raw texts"] += source.text is not None
        lost["sentence names"] += source.id is not None
        lost["extra values"] += bool(sentence.extra)
        lost["names of rules"] += sum(
            edit.rule is not None for annotation in sentence.everyone for edit in annotation.edits
        )
        stream.write(m2_block(sentence))
    warn_of_loss("M2", lost)


def m2_block(sentence: AnnotatedSentence) -> str:
    """Return a sentence as M2, with the empty line after it."""
    source = sentence.source
    edits = (line for a in sentence.everyone for line in _annotation_lines(a, len(source)))
    return "".join([f"S {token_line(source, 'M2')}\n", *edits, "\n"])


def _annotation_lines(annotation: Annotation, length: int) -> Iterator[str]:
    who, target = annotation.annotator, annotation.target
    if target in {NO_ERROR, NOT_ANNOTATABLE}:
        yield f"T{who} {target}\n"
    for number, edits in enumerate((annotation.edits, *annotation.alignments)):
        if target not in {None, NO_ERROR, NOT_ANNOTATABLE}:
            yield f"T{who}-A{number} {target}\n"
        for edit in edits:
            yield _edit_line(edit, who, length, nothing="" if target is None else _NONE)
    if not annotation.edits and target in {None, NO_ERROR}:
        yield _noop_line(who)
    elif target == NOT_ANNOTATABLE:
        yield _noop_line(who, kind="NA")


def _noop_line(annotator: str, *, kind: str = NOOP) -> str:
    if annotator.strip() != annotator or any(c in annotator for c in ("|||", "\n", "\r", "\0")):
        raise DataError(f"M2 cannot represent the annotator {annotator!r}")
    return f"A -1 -1|||{kind}|||{_NONE}|||REQUIRED|||{_NONE}|||{annotator}\n"


def _edit_line(edit: Edit, annotator: str, length: int, *, nothing: str) -> str:
    corrections = edit.correction or nothing
    if edit.alternatives:  # among alternatives, an empty one is written as a word
        corrections = "||".join(correction or _NONE for correction in edit.corrections)
    line = (
        f"A {edit.start} {edit.end}|||{edit.type}|||{corrections}"
        f"|||{edit.required}|||{edit.comment}|||{annotator}"
    )
    # a | or a space may change the meaning of the line, so it is read again
    try:
        read = _parse_edit(line)
        edit.check_fits(length)
    except DataError as error:
        raise DataError(f"M2 cannot represent {_describe(edit, annotator)}: {error}") from None
    same = annotator, edit if edit.rule is None else edit.retyped(edit.type)
    if read != same or any(c in line for c in "\n\r\0"):
        why = ": '|' separates the fields of M2" if line.count("|") > _BARS else ""
        raise DataError(f"M2 cannot represent {_describe(edit, annotator)}{why}")
    return f"{line}\n"


def _describe(edit: Edit, annotator: str) -> str:
    corrections = " or ".join(map(repr, edit.corrections))
    return (
        f"the correction {corrections} (type {edit.type!r}) of tokens {edit.start}:{edit.end} "
        f"by annotator {annotator!r}"
    )


_BARS = 15  # the number in a line whose edit contains none
