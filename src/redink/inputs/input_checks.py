"""Find input that is probably wrong, before any number is printed.

Every command that reads sources, references, system outputs or judgments uses these checks, and
``redink doctor`` prints their findings as a table. Each cause is reported once, with the number of
sentences, the first line and advice.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import Indel

from redink.errors import RedinkWarning
from redink.model import (
    Hypotheses,
    References,
    Sentence,
    apply_edits,
    parse_name,
)
from redink.raw_text.sentence_matching import find_moved
from redink.raw_text.tokenization import MarkCount

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from redink.model import Judgment, Ranking

_FEW = 10  # with fewer sentences, two texts may be identical by chance
_FEW_DOCUMENTS = 20  # samples of fewer documents do not generalize to other documents
_BLOCK = 8  # repeated blocks of at least this many sentences are copies
_BASELINES = re.compile(
    r"source|src|input|orig|baseline|identity|unchanged|no.?op|copy|nothing|uncorrected",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class InputFinding:
    """Something in the input that is probably wrong."""

    file: str
    problem: str
    advice: str
    line: int | None = None
    severe: bool = False

    def __str__(self) -> str:
        place = "" if self.line is None else f" (first: line {self.line})"
        advice = f"; {self.advice}" if self.advice else ""
        return f"{self.file} {self.problem}{place}{advice}".strip()


def warn(findings: Iterable[InputFinding], *, stacklevel: int = 3) -> tuple[str, ...]:
    """Warn about each finding; return the messages as notes for the result."""
    told = tuple(dict.fromkeys(map(str, findings)))
    for message in told:
        warnings.warn(message, RedinkWarning, stacklevel=stacklevel)
    return told


def warn_about_input(references: References, systems: Sequence[Hypotheses]) -> tuple[str, ...]:
    """Warn about everything suspicious; return the messages as notes for the result."""
    return warn(check_input(references, systems), stacklevel=4)


# ---- sources, references and systems


def check_input(references: References, systems: Sequence[Hypotheses]) -> list[InputFinding]:
    """Return everything suspicious in references and in the systems that are scored with them."""
    texts = {f"system {system.name!r}": system.texts for system in systems}

    @cache
    def find_shapes() -> Collection[str]:
        from redink.inputs import raw_alignment  # only a suspicious file needs it

        return raw_alignment.find_shapes(references)

    return [
        *check_references(references),
        *check_texts(references.sources, texts, find_shapes=find_shapes),
        *_find_identical(references, systems),
    ]


def check_sources(sources: Sequence[Sentence], name: str = "the source") -> Iterator[InputFinding]:
    """Find everything suspicious in a single text, such as the source."""
    marks = MarkCount()
    invisible = []
    for number, sentence in enumerate(sources, start=1):
        marks.add(number, sentence.tokens)
        if INVISIBLE.search(str(sentence)):
            invisible.append(number)
    if marks.is_untokenized:
        problem = (
            f"seems untokenized: marks are attached to words in {count_sentences(marks.lines)}"
        )
        advice = "redink reads tokens separated by spaces, so tokenize the text (--tokenize)"
        yield InputFinding(name, problem, advice, marks.first, severe=True)
    if invisible:
        problem = f"has invisible characters in {count_sentences(len(invisible))}"
        advice = "remove them from all files, because removing them counts as an edit of a system"
        yield InputFinding(name, problem, advice, invisible[0])
    yield from _find_copies(sources, name)


def _find_copies(sources: Sequence[Sentence], name: str) -> Iterator[InputFinding]:
    """Find repeated ids, and repeated blocks of sentences."""
    ids = Counter(source.id for source in sources if source.id is not None)
    repeated = {one for one, count in ids.items() if count > 1}
    # an id without a position may name a document, which has many sentences
    repeated = {one for one in repeated if parse_name(one) or 2 * len(repeated) <= len(ids)}
    if repeated:
        yield InputFinding(
            name,
            f"has {len(repeated)} sentence ids that occur more than once",
            "remove the copies, or make the ids unique",
            next(n for n, source in enumerate(sources, 1) if source.id in repeated),
        )
    blocks: dict[Hashable, int] = {}
    copied: set[int] = set()
    for at in range(len(sources) - _BLOCK + 1):
        block = tuple(source.tokens for source in sources[at : at + _BLOCK])
        # "Yes ." five times is not a copy
        if at - blocks.setdefault(block, at) >= _BLOCK and len(set(block)) == _BLOCK:
            copied.update(range(at, at + _BLOCK))
    if copied:
        problem = f"has {count_sentences(len(copied))} in blocks that occur a second time"
        advice = "remove the copies, because each sentence counts twice"
        yield InputFinding(name, problem, advice, min(copied) + 1)


def check_references(references: References) -> Iterator[InputFinding]:
    """Find everything suspicious in the source and in the references."""
    sources, sentences = references.sources, references.corpus.sentences
    yield from check_sources(sources)
    if references.given_texts is not None:
        yield from _check_reference_texts(references, references.given_texts)
        return
    is_silent = not any(s.everyone for s in sentences)  # as an M2 file without an A line
    has_edits = any(a.edits for s in sentences for a in s.annotations)
    if is_silent or (len(sentences) >= _FEW and not has_edits):
        problem = f"has no edit in {count_sentences(len(sentences))}"
        advice = "use the annotated file, because every change of a system counts as an error"
        yield InputFinding("the reference", problem, advice, severe=True)
    if references.about_gaps is not None:
        yield InputFinding("", references.about_gaps, "")
    if count := sum(bool(s.unannotatable) and not s.annotations for s in sentences):
        problem = (
            f"{count_sentences(count)} could not be annotated by any annotator: cherrant excludes "
            "them, other metrics treat them as correct"
        )
        yield InputFinding("", problem, "")


def _check_reference_texts(
    references: References, given: Sequence[Sequence[Sentence]]
) -> Iterator[InputFinding]:
    sources = references.sources
    texts = dict(zip(_labels(references), given, strict=True))
    yield from check_texts(sources, texts, are_references=True)
    for name, text in texts.items():
        if len(sources) >= _FEW and _are_same(sources, text):
            advice = "use the corrected text, because every change of a system counts as an error"
            yield InputFinding(name, "is identical to the source", advice, severe=True)
    absent = Counter(at for _, at in references.absent)
    bare = [at for at, count in sorted(absent.items()) if count == len(texts)]
    if bare:
        problem = f"have no text for {count_sentences(len(bare))}"
        advice = "these sentences are treated as correct"
        yield InputFinding("the references", problem, advice, bare[0] + 1)


def _labels(references: References) -> list[str]:
    count = len(references.given_texts or ())
    names = references.names if len(set(references.names)) == count else ()
    return [f"reference {name!r}" for name in names or map(str, range(1, count + 1))]


def check_texts(
    sources: Sequence[Sentence],
    texts: Mapping[str, Sequence[Sentence]],
    *,
    are_references: bool = False,
    find_shapes: Callable[[], Collection[str]] = tuple,
) -> Iterator[InputFinding]:
    """Find everything suspicious in texts that correct the sources, line by line."""
    for name, text in texts.items():
        observed = Observed()
        observed.add(sources, text)
        yield from observed.findings(name, are_references=are_references, find_shapes=find_shapes)


def check_outputs(
    sources: Sequence[Sentence], systems: Mapping[str, Sequence[Sentence]]
) -> list[InputFinding]:
    """Return everything suspicious in systems that are shown to judges, without references."""
    outputs = [Hypotheses(name, tuple(text)) for name, text in systems.items()]
    texts = {f"system {name!r}": text for name, text in systems.items()}
    identical = _find_identical(References.of_sources(sources), outputs)
    return [*check_sources(sources), *check_texts(sources, texts), *identical]


def _find_identical(
    references: References, systems: Sequence[Hypotheses]
) -> Iterator[InputFinding]:
    if len(references) < _FEW:
        return
    others = []
    for system in systems:
        name = f"system {system.name!r}"
        if _are_same(references.sources, system.texts):
            if not _BASELINES.search(system.name):
                advice = "use the corrected text; for a baseline, name the system 'source'"
                yield InputFinding(name, "is identical to the source", advice)
            continue
        others.append(system)
        texts = _reference_texts(references)
        if label := next((label for label, t in texts if _are_same(t, system.texts)), None):
            yield InputFinding(name, f"is identical to {label}", "use the output of the system")
    for first, second in combinations(others, 2):
        if first.texts == second.texts:
            problem = f"is identical to system {first.name!r}"
            advice = "check that both files are the intended ones"
            yield InputFinding(f"system {second.name!r}", problem, advice)


def _reference_texts(references: References) -> Iterator[tuple[str, Iterable[Sentence]]]:
    if references.given_texts is not None:
        yield from zip(_labels(references), references.given_texts, strict=True)
        return
    for who in references.corpus.annotators:
        read = ((s.source.tokens, s.by(who)) for s in references.corpus.sentences)
        texts = (Sentence(t if one is None else apply_edits(t, one.edits)) for t, one in read)
        yield f"the text of annotator {who}", texts


def _are_same(first: Iterable[Sentence], second: Iterable[Sentence]) -> bool:
    return all(a.tokens == b.tokens for a, b in zip(first, second, strict=True))


# ---- documents and judgments


def warn_about_documents(groups: NDArray[np.int64] | None) -> list[str]:
    """Warn if there are too few documents to resample; return the message as a note."""
    count = _FEW_DOCUMENTS if groups is None else int(groups.max()) + 1
    if count >= _FEW_DOCUMENTS:
        return []
    message = (
        f"only {count} documents are resampled: intervals are too narrow and p-values too small; "
        f"use at least {_FEW_DOCUMENTS} documents, or resample sentences"
    )
    warnings.warn(message, RedinkWarning, stacklevel=3)
    return [message]


def check_judgments(
    judgments: Sequence[Judgment], *, repeated: bool = False, name: str = ""
) -> Iterator[InputFinding]:
    """Find repeated judgments of an item by the same judge."""
    keys = [(j.judge, j.item, dict(j.extra).get("question")) for j in judgments]
    copies, conflicts = _find_repeated(keys, judgments, [j.label for j in judgments])
    # the time distinguishes a repeated judgment from a copy
    if copies and (not conflicts or judgments[copies[0] - 1].time is not None):
        yield _copied(copies, "judgment", name)
    elif conflicts and not repeated:
        yield InputFinding(
            name,
            f"{len(conflicts)} judgments have another label than an earlier judgment of the same "
            f"item by the same judge; the first is judgment {conflicts[0]}",
            "redink uses only the first label of a judge",
        )


def check_rankings(rankings: Sequence[Ranking], name: str = "") -> Iterator[InputFinding]:
    """Find repeated rankings of a sentence by the same judge."""
    keys = [(r.judge, r.sentence, frozenset(o.systems for o in r.outputs)) for r in rankings]
    copies, conflicts = _find_repeated(keys, rankings, [frozenset(r.outputs) for r in rankings])
    if copies and (not conflicts or rankings[copies[0] - 1].id is not None):
        yield _copied(copies, "ranking", name)


def _find_repeated(
    keys: Sequence[Hashable], values: Sequence[Hashable], answers: Sequence[Hashable]
) -> tuple[list[int], list[int]]:
    """Return the numbers of exact copies, and of records with the same key but another answer."""
    seen: set[Hashable] = set()
    first: dict[Hashable, Hashable] = {}
    copies, conflicts = [], []
    for number, (key, value, answer) in enumerate(zip(keys, values, answers, strict=True), 1):
        if value in seen:
            copies.append(number)
        elif first.setdefault(key, answer) != answer:
            conflicts.append(number)
        seen.add(value)
    return copies, conflicts


def _copied(copies: Sequence[int], what: str, name: str) -> InputFinding:
    return InputFinding(
        name,
        f"{len(copies)} {what}s are copies of earlier ones by the same judge; the first copy is "
        f"{what} {copies[0]}",
        "remove the copies unless the judge was asked twice",
    )


# ---- one text and its source

_LEAST = 3
_MANY = 0.2  # a change in a larger share of the sentences is not a correction
_SYSTEMATIC = 0.5  # one edit in a larger share of the changed sentences is systematic
_RARE = 0.01
_SPACED = 0.02
_CUT = 0.05
_TWICE = 0.1
_FOREIGN = 5  # more lines than this have little in common with a wrong source
_MOST = 0.8
_AT_HOME = 0.1  # a larger share of moved lines fits another source line
_KEPT = 0.1  # a change of marks is systematic if a smaller share keeps the source mark


@dataclass
class _Seen:
    """A cause: its first line, an example, and the number of affected sentences."""

    line: int
    example: str = ""
    count: int = 0


class Observed:
    """Counts of changes between the lines of a text and its source, by cause.

    Lines may be added in chunks.
    """

    def __init__(self) -> None:
        self._total = self._changed = 0
        self._seen: dict[Cause, _Seen] = {}
        self._lines: dict[Kind, _Seen] = {}
        self._kept: Counter[str] = Counter()
        self._home: tuple[int, int] | None = None
        self._marks, self._source_marks = MarkCount(), MarkCount()

    def add(self, sources: Sequence[Sentence], texts: Sequence[Sentence]) -> None:
        """Compare the next lines."""
        before = self._total
        moved = find_moved([s.tokens for s in sources], [t.tokens for t in texts])
        if self._home is None and len(moved.homes) > _AT_HOME * len(moved.far):
            line, home = next(iter(moved.homes.items()))
            self._home = before + line + 1, before + home + 1
        far = {*moved.far}
        for number, (source, text) in enumerate(zip(sources, texts, strict=True), before + 1):
            self._total += 1
            self._source_marks.add(number, source.tokens)
            self._marks.add(number, text.tokens)
            self._count_kept(text.tokens)
            if source.tokens == text.tokens:
                continue
            self._changed += 1
            is_far = number - before - 1 in far
            causes = {_FAR: ""} if is_far else dict(find_causes(source.tokens, text.tokens))
            for key, example in causes.items():
                self._seen.setdefault(key, _Seen(number, example)).count += 1
            for kind in {kind for kind, _ in causes}:
                self._lines.setdefault(kind, _Seen(number)).count += 1
        # rare edits are corrections; a long file has too many of them to count each
        self._seen = {
            key: seen
            for key, seen in self._seen.items()
            if key[0] not in {"edit", "edge"} or seen.count >= _RARE * self._total
        }

    @property
    def is_unchanged(self) -> bool:
        """Whether a text with many lines is identical to the source."""
        return self._total >= _FEW and not self._changed

    def _count_kept(self, tokens: Sequence[str]) -> None:
        """Count the sentences with each mark: anywhere, attached to a word, and as a token."""
        kept: set[str] = set()
        for token in tokens:
            if token.isalnum():
                continue
            if len(token) == 1:
                kept.add(f"joined{token}")
            inside = zip(token, token[1:], token[2:], strict=False)
            kept.update(
                f"split{mark}"
                for before, mark, after in inside
                if before.isalnum() and after.isalnum() and not mark.isalnum()
            )
            kept.update(mark for mark in token if not mark.isalnum())
        self._kept.update(kept)

    def findings(
        self,
        name: str,
        *,
        are_references: bool = False,
        find_shapes: Callable[[], Collection[str]] = tuple,
    ) -> list[InputFinding]:
        """Return the causes that are too frequent to be corrections.

        Args:
            name: the name of the text.
            are_references: whether the text is a reference.
            find_shapes: returns the marks that annotators replace with a variant.
        """
        found = []
        if self._is_untokenized:
            count = count_sentences(self._marks.lines)
            problem = (
                f"seems untokenized: marks are attached to words in {count}, and separate tokens "
                "in the source"
            )
            advice = "tokenize it like the source (--align does that)"
            found.append(InputFinding(name, problem, advice, self._marks.first, severe=True))
        suspicious: dict[Kind, list[Cause]] = {}
        for key, seen in self._seen.items():
            # annotators correct some marks, such as a hyphen to a dash
            few = are_references and seen.count <= _MANY * self._total
            if self._is_suspicious(key, seen) and (
                key[0] != "marks" or not (few or key[1][1:] in find_shapes())
            ):
                suspicious.setdefault(key[0], []).append(key)
        describe = partial(self._describe, name=name, are_references=are_references)
        return [*found, *map(describe, suspicious.values())]

    @property
    def _is_untokenized(self) -> bool:
        return "leftover" not in self._lines and self._marks.is_less_tokenized(self._source_marks)

    def _is_suspicious(self, key: Cause, seen: _Seen) -> bool:
        kind, share = key[0], seen.count / self._total
        if kind in {"empty", "leftover", "form"}:
            return True
        if kind == "far":
            many = seen.count > max(_FOREIGN, _MANY * self._total)
            return self._home is not None or many or seen.count > max(_LEAST, _MOST * self._total)
        if seen.count < _LEAST or self._is_untokenized:
            return False
        tests = {
            "marks": self._kept[key[1][:1]] <= _KEPT * seen.count,
            "space": seen.count > self._kept[key[1]] and share >= _SPACED,
            "edit": share > _MANY and seen.count > _SYSTEMATIC * self._changed >= _FEW,
            "cut": share > _CUT,
            "long": share > _TWICE,
        }
        return tests.get(kind, share > _MANY)

    def _describe(self, keys: Sequence[Cause], name: str, *, are_references: bool) -> InputFinding:
        kind, detail = keys[0]
        seen = self._lines[kind]
        first = min(self._seen[key].line for key in keys)
        count = f"{seen.count} of {count_sentences(self._total)}"
        words, advice = _WORDS[kind], _ADVICE[kind]
        is_severe = kind == "far"
        if kind == "empty" and are_references:
            advice = _EMPTY_REFERENCE
        elif kind == "far" and self._home is not None:
            line, home = self._home
            words = (
                "seems misaligned: {count} do not belong to their source line, and line "
                f"{line} fits source line {home}"
            )
            advice = "restore the order of the lines (--align finds the sentences of raw text)"
            is_severe = seen.count >= _LEAST
        examples = " and ".join(self._seen[key].example for key in keys[:3])
        problem = words.format(count=count, detail=detail, example=examples)
        return InputFinding(name, problem, advice, first, severe=is_severe)


_FAR: Cause = ("far", "")
_EMPTY_REFERENCE = (
    "an empty line means that the annotator deleted the sentence; with --empty-reference skip, "
    "the annotator is absent for the sentence"
)
_WORDS: dict[Kind, str] = {
    "empty": "has an empty line in {count}",
    "far": "seems to belong to another source: {count} have little in common with it",
    "leftover": "has characters that the source does not have in {count}: {example}",
    "form": "has a different Unicode normalization than the source in {count}, as in {example}",
    "marks": "has {example} in {count}",
    "case": "has no {detail} letters in {count}",
    "long": "has nearly twice as many tokens as the source in {count}",
    "cut": "lacks the end of the sentence in {count}",
    "space": "has different spaces around marks than the source in {count}, as in {example}",
    "edge": "adds {example} in {count}",
    "edit": "makes the same edit, {example}, in {count}",
}
_ADVICE: dict[Kind, str] = {
    "empty": "empty lines are scored as if the system had deleted all words",
    "far": "check that the file belongs to this source",
    "leftover": "remove them unless the system wrote them, because they count as edits",
    "form": "convert both files to NFC",
    "marks": "use the marks of the source, because the change counts as an edit",
    "case": "restore the case",
    "long": "keep only one answer per sentence",
    "cut": "check the maximum length of the system's output",
    "space": "tokenize it like the source (--align does that)",
    "edge": "remove it, because it counts as an edit",
    "edit": "check that this is a correction and not an error in the file",
}


def count_sentences(count: int) -> str:
    """Return "1 sentence" or the number with "sentences"."""
    return f"{count} sentence" if count == 1 else f"{count} sentences"


# ---- causes

Tokens = tuple[str, ...]
Kind = Literal[
    "empty", "far", "leftover", "form", "marks", "case", "long", "cut", "space", "edge", "edit"
]
Cause = tuple[Kind, str]
"""A kind of change, and a detail that distinguishes changes of this kind."""

INVISIBLE = re.compile(r"[\u00ad\u200b\u2060-\u2064\ufeff\x00-\x08\x0e-\x1b\x7f]")
_LEFTOVERS = {
    "invisible characters": INVISIBLE.pattern,
    "lost characters": "\ufffd",
    "characters of the wrong encoding": r"\xc3[\x80-\xbf]|\xe2(?:\x80|\u20ac[^\w\s])",
    "HTML entities": r"&(?:[a-zA-Z]{2,6}|#\d{1,5});",
    "HTML tags": r"<(?:br|p|b|i|em|strong|div|span)\s?/?>",
    "tokens of a language model": r"</?s>|<(?:unk|pad|eos|bos|sep|mask|EOS|UNK)>|<\|\w+\|>"
    r"|\[(?:UNK|SEP|CLS|PAD|MASK|EOS)\]",
    "subword markers": r"\S@@(?!\S)|▁|(?<!\S)##\w|Ġ\S+ Ġ",
    "escaped line breaks": r"\\[nr](?![a-z])",
    "Penn Treebank brackets": r"-[LR][RSC]B-",
}
_ANY_LEFTOVER = re.compile("|".join(_LEFTOVERS.values()))
_IDEOGRAPHIC = str.maketrans({"\u3002": ".", "\u3001": ","})
_SENTENCE_MARKS = frozenset(".,;:!?")
_FINAL_MARKS = frozenset(".!?\u2026\u3002\uff01\uff1f")
_DIGITS = re.compile(r"\d+")


def _show(text: str) -> str:
    """Return text in which invisible characters are visible as their code points."""
    return "".join(
        c if c.isprintable() and not unicodedata.combining(c) else f"U+{ord(c):04X}" for c in text
    )


def find_causes(source: Tokens, text: Tokens) -> Iterator[tuple[Cause, str]]:
    """Return the causes of a line's changes that may not be corrections, each once."""
    if not text:
        if source:
            yield ("empty", ""), ""
        return
    ours, theirs = " ".join(source), " ".join(text)
    if found := _find_leftovers(ours, theirs):
        yield from found
        return
    if not theirs.isascii() and (form := _find_form(source, text)):
        yield ("form", ""), form
        return
    if ours != ours.lower() and theirs == theirs.lower():
        yield ("case", "upper-case"), ""
    elif ours != ours.upper() and theirs == theirs.upper():
        yield ("case", "lower-case"), ""
    elif len(text) >= 1.8 * len(source) and len(text) > len(source) + 3:
        yield ("long", ""), ""
    else:
        yield from _find_changes(source, text)


def _find_leftovers(source: str, text: str) -> list[tuple[Cause, str]]:
    """Return leftovers of programs that only one of two texts contains."""
    found: list[tuple[Cause, str]] = []
    for what, pattern in _LEFTOVERS.items() if _ANY_LEFTOVER.search(text) else ():
        here = re.search(pattern, text)
        if here and not re.search(pattern, source):
            start = text.rfind(" ", 0, here.start()) + 1
            end = text.find(" ", here.end())
            example = text[start : end if end > 0 else None]
            found.append((("leftover", what), f"{what} ({_show(example)[:40]})"))
    return found


def _find_form(source: Tokens, text: Tokens) -> str | None:
    forms = {unicodedata.normalize("NFC", token) for token in source}
    new = (token for token in text if token not in source)
    found = next((t for t in new if unicodedata.normalize("NFC", t) in forms), None)
    return None if found is None else _show(found)


def _find_changes(source: Tokens, text: Tokens) -> Iterator[tuple[Cause, str]]:
    """Compare the tokens that differ."""
    keys: dict[Cause, str] = {}
    for start, end, first, last in _spans(source, text):
        old, new = " ".join(source[start:end]), " ".join(text[first:last])
        if end == len(source) and last == len(text) and len(source) - start >= 5 and not new:
            keys["cut", ""] = ""
        elif kind := _find_mark(old, new) or _find_space(old, new):
            keys.setdefault(kind, f"{_show(new)!r} for {_show(old)!r}")
        elif start == 0 and first == 0 and new.endswith(old) and old != new:
            _add_edge(keys, "beginning", new.removesuffix(old).strip())
        elif end == len(source) and new.startswith(old) and old != new:
            _add_edge(keys, "end", new.removeprefix(old).strip())
        elif old.casefold() != new.casefold():
            keys["edit", f"{old}\0{new}"] = f"{old!r} to {new!r}"
    yield from keys.items()


def _add_edge(keys: dict[Cause, str], where: str, added: str) -> None:
    if added and added not in _FINAL_MARKS:
        key = f"{where} {_DIGITS.sub('0', added)}"
        keys["edge", key] = f"{_show(added)!r} at the {where}"


def _spans(source: Tokens, text: Tokens) -> Iterator[tuple[int, int, int, int]]:
    """Return the spans of differing tokens in both texts."""
    for is_equal, group in groupby(Indel.opcodes(source, text), lambda step: step.tag == "equal"):
        steps = list(group)
        if not is_equal:
            yield steps[0].src_start, steps[-1].src_end, steps[0].dest_start, steps[-1].dest_end


def _find_mark(old: str, new: str) -> Cause | None:
    """Return the mark that is replaced with a variant, if nothing else changes."""
    bare, other = _bare(old), _bare(new)
    are_words = all(text.isascii() and text.isalnum() for text in (bare, other))
    if not bare or not other or bare == other or are_words or _plain(old) != _plain(new):
        return None
    changed = (f"{a}{b}" for a, b in zip(old, new, strict=False) if b not in {a, " "})
    return "marks", next(changed, f"{old[-1]}{new[-1]}")


def _bare(text: str) -> str:
    return text.replace(" ", "").casefold()


def _plain(text: str) -> str:
    from redink.raw_text.text_atoms import fold  # imports numpy, which help pages do not need

    return "".join(map(fold, text.translate(_IDEOGRAPHIC).split()))


def _find_space(old: str, new: str) -> Cause | None:
    """Return the mark if only spaces around it change."""
    if old.replace(" ", "") != new.replace(" ", ""):
        return None
    marks = [c for c in old if not c.isalnum() and c != " "]
    if not marks:
        return None
    is_split = new.count(" ") > old.count(" ")
    if is_split and marks[0] in _SENTENCE_MARKS:
        return None  # a missing space is an error of the source
    return "space", f"{'split' if is_split else 'joined'}{marks[0]}"
