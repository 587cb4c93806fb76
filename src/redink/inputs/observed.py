"""One text compared with its source, line by line: findings that are probably faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from redink.inputs.causes import Cause, Kind, find_causes
from redink.model import Sentence
from redink.raw_text.sentence_matching import find_moved
from redink.raw_text.tokenization import MarkCount

_LEAST = 3
_FEW = 10
_MANY = 0.2
"""A change in a larger share of the sentences is not a correction."""
_SYSTEMATIC = 0.5
"""One edit in a larger share of the changed sentences is systematic."""
_RARE = 0.01
_SPACED = 0.02
_CUT = 0.05
_TWICE = 0.1
_FOREIGN = 5
"""A text of another source has more lines than this that have little in common with it."""
_MOST = 0.8
_AT_HOME = 0.1
"""Of lines that were moved, more than this share fits another source line."""
_KEPT = 0.1
"""A change of marks is systematic if a smaller share keeps the mark of the source."""


@dataclass(frozen=True)
class Finding:
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


@dataclass
class _Seen:
    """The first line in which something was seen, an example, and the number of sentences."""

    line: int
    example: str = ""
    count: int = 0


class Observed:
    """Changes between the lines of a text and of its source, counted by their cause.

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
        """Whether there are many lines, and none of them differs from the source."""
        return self._total >= _FEW and not self._changed

    def _count_kept(self, tokens: Sequence[str]) -> None:
        """Count a sentence for every mark in it: as it is, inside a word, and as a token."""
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
        self, name: str, *, are_references: bool = False, shapes: Collection[str] = ()
    ) -> list[Finding]:
        """Return the causes that are too frequent to be corrections, each once."""
        found = []
        if self._is_untokenized:
            found.append(
                Finding(
                    name,
                    f"seems untokenized: marks are attached to words in "
                    f"{count_sentences(self._marks.lines)}, and separate tokens in the source",
                    "tokenize it as the source is tokenized (--align does that)",
                    self._marks.first,
                    severe=True,
                )
            )
        suspicious: dict[Kind, list[Cause]] = {}
        for key, seen in self._seen.items():
            # annotators correct the shape of some marks: a dash for a hyphen
            few = are_references and seen.count <= _MANY * self._total
            is_corrected = key[0] == "marks" and (few or key[1][1:] in shapes)
            if self._is_suspicious(key, seen) and not is_corrected:
                suspicious.setdefault(key[0], []).append(key)
        return found + [
            self._describe(keys, name, are_references=are_references)
            for keys in suspicious.values()
        ]

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

    def _describe(self, keys: Sequence[Cause], name: str, *, are_references: bool) -> Finding:
        kind, detail = keys[0]
        seen = self._lines[kind]
        first = min(self._seen[key].line for key in keys)
        count = f"{seen.count} of {count_sentences(self._total)}"
        if kind == "empty":
            advice = _EMPTY_REFERENCE if are_references else _EMPTY_SYSTEM
            return Finding(name, f"is empty in {count}", advice, first)
        if kind == "far" and self._home is not None:
            line, home = self._home
            return Finding(
                name,
                f"seems misaligned: {count} do not belong to their source line, and line {line} "
                f"fits source line {home}",
                "restore the order of the lines (--align finds the sentences of raw text)",
                first,
                severe=seen.count >= _LEAST,
            )
        words, advice = _WORDS[kind]
        examples = " and ".join(self._seen[key].example for key in keys[:3])
        problem = words.format(count=count, detail=detail, example=examples)
        return Finding(name, problem, advice, first, severe=kind == "far")


_FAR: Cause = ("far", "")
_EMPTY_SYSTEM = "empty lines are scored as if the system had deleted every word"
_EMPTY_REFERENCE = (
    "an empty line means that the annotator deleted the sentence; with --empty-reference skip, "
    "the annotator is absent there"
)
_WORDS: dict[str, tuple[str, str]] = {
    "far": (
        "seems to belong to another source: {count} have little in common with it",
        "check that the file belongs to this source",
    ),
    "leftover": (
        "has characters that the source does not have in {count}: {example}",
        "remove them unless the system wrote them, because they count as edits",
    ),
    "form": (
        "has another Unicode normalization form than the source in {count}, as in {example}",
        "convert both files to NFC",
    ),
    "marks": (
        "has {example} in {count}",
        "use the marks of the source, because the change counts as an edit",
    ),
    "case": ("has no {detail} letters in {count}", "restore the case"),
    "long": (
        "has nearly twice as many tokens as the source in {count}",
        "keep only one answer per sentence",
    ),
    "cut": (
        "lacks the end of the sentence in {count}",
        "check the maximum length of the system's output",
    ),
    "space": (
        "has other spaces around marks than the source in {count}, as in {example}",
        "tokenize it as the source is tokenized (--align does that)",
    ),
    "edge": (
        "adds {example} in {count}",
        "remove it, because it counts as an edit",
    ),
    "edit": (
        "makes the same edit, {example}, in {count}",
        "check that this is a correction and not a fault of the file",
    ),
}


def count_sentences(count: int) -> str:
    """Return a number of sentences, with the word."""
    return f"{count} sentence" if count == 1 else f"{count} sentences"
