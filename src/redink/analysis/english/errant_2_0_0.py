"""The rules of ERRANT 2.0.0, with which BEA-2019 was scored; those of 2.3.3 and 3.0.2 are the same.

What was different then: letters were compared by Python's ``difflib``; some rules of merging were
others, one of them with a fault that loses edits; words had one base form if they had one under
any part of speech; and single words that no rule named were all ``OTHER``. Tags and dependencies
come from the analyser, which in 2019 was another one (spaCy 1.9).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from string import punctuation
from typing import Any

from redink.analysis.align import Step, align
from redink.analysis.analyzer import Analysis
from redink.analysis.annotate import EditFinder
from redink.analysis.classify import Rule, Section, Typed, classify, type_by_tables
from redink.analysis.english.change import RARE_CLASSES, PhraseChange, Side, Word, WordChange
from redink.analysis.english.pipeline import lemma_tables
from redink.analysis.english.rules_phrase import FORM_ONLY, ONE_SIDED, PHRASES
from redink.analysis.english.rules_word import WORDS
from redink.analysis.merge import Span

_OPEN = frozenset({"ADJ", "ADV", "NOUN", "VERB"})
_DISTANT = 0.25
_APOSTROPHES = str.maketrans("", "", "'-")
_OLD_CLASS = {"EX": "ADV", "LS": "PUNCT"}


@dataclass(frozen=True)
class OldEditFinder(EditFinder):
    """Finds and types edits as ERRANT 2.0.0 does."""

    def align(self, source: Analysis, corrected: Analysis) -> list[Step]:
        """The steps that turn one into the other, matches left out."""
        if self.levenshtein:
            return align(source, corrected, open_pos=_OPEN, levenshtein=True)
        return _align(source, corrected)

    def find_spans(self, source: Analysis, corrected: Analysis) -> tuple[Span, ...]:
        """Where the edits are."""
        if self.merge != "rules":
            # not by super(): slots make a dataclass a new class, and super() looks for the old one
            return EditFinder.find_spans(self, source, corrected)
        merging = _Merging(source, corrected)
        return tuple(
            (step.start, step.end, step.to_start, step.to_end)
            for run in _runs(self.align(source, corrected))
            for step in merging.process(run)
        )

    def type_edit(self, source: Analysis, corrected: Analysis, span: Span) -> Typed:
        """The type of one edit."""
        return classify(source, corrected, span, typing=TYPING, lexicon=self.lexicon)


@lru_cache(maxsize=100_000)
def _distance(one: str, other: str) -> float:
    return 1 - SequenceMatcher(None, one, other).ratio()


# ---- alignment


def _align(source: Analysis, corrected: Analysis) -> list[Step]:
    """The cheapest alignment; the common end of both sides is always matched and set aside."""
    rows, columns = len(source), len(corrected)
    while rows and columns and source.tokens[rows - 1] == corrected.tokens[columns - 1]:
        rows, columns = rows - 1, columns - 1
    known = {*source.lower[:rows]} & {*corrected.lower[:columns]}
    costs = [[float(j) for j in range(columns + 1)]]
    operations: list[list[str | int]] = [["I"] * (columns + 1)]
    for i in range(rows):
        above, row = costs[-1], [i + 1.0]
        chosen: list[str | int] = ["D"]
        costs.append(row)
        operations.append(chosen)
        for j in range(columns):
            if source.tokens[i] == corrected.tokens[j]:
                row.append(above[j])
                chosen.append("M")
                continue
            # of equal costs a transposition is preferred, then a substitution, an insertion
            best, operation = row[j] + 1, "I"
            if above[j + 1] + 1 < best:
                best, operation = above[j + 1] + 1, "D"
            replaced = above[j] + _substitution(source, corrected, i, j, best - above[j])
            if replaced <= best:
                best, operation = replaced, "S"
            made: str | int = operation
            if source.lower[i] in known and corrected.lower[j] in known:
                size = _transposition(costs, source.lower, corrected.lower, i, j)
                if size and costs[i - size][j - size] + size <= best:
                    best, made = costs[i - size][j - size] + size, size + 1
            row.append(best)
            chosen.append(made)
    return _walk_back(operations, rows, columns)


def _substitution(source: Analysis, corrected: Analysis, i: int, j: int, most: float) -> float:
    """What it costs to replace a word by another; letters are looked at where it matters."""
    if source.lower[i] == corrected.lower[j]:
        return 0
    cost = 0 if source.lemma[i] == corrected.lemma[j] else 0.499
    one, other = source.pos[i], corrected.pos[j]
    if one != other:
        cost += 0.25 if one in _OPEN and other in _OPEN else 0.5
    if cost > most + 1e-9:
        return cost + 1
    return cost + _distance(source.tokens[i], corrected.tokens[j])


def _transposition(
    costs: list[list[float]], ours: tuple[str, ...], theirs: tuple[str, ...], i: int, j: int
) -> int:
    """How many words more than one are in another order here; 0 if that is not so."""
    size = 1
    while size <= min(i, j) and costs[i - size + 1][j - size + 1] - costs[i - size][j - size] > 0:
        if sorted(ours[i - size : i + 1]) == sorted(theirs[j - size : j + 1]):
            return size
        size += 1
    return 0


def _walk_back(operations: list[list[str | int]], i: int, j: int) -> list[Step]:
    steps: list[Step] = []
    while i or j:
        operation = operations[i][j]
        if isinstance(operation, int):
            steps.append(Step("T", i - operation, i, j - operation, j))
            i, j = i - operation, j - operation
            continue
        back, back_to = {"M": (1, 1), "S": (1, 1), "D": (1, 0), "I": (0, 1)}[operation]
        if operation != "M":
            steps.append(Step(operation, i - back, i, j - back_to, j))
        i, j = i - back, j - back_to
    return steps[::-1]


# ---- merging

Run = list[Step]


def _runs(steps: list[Step]) -> list[Run]:
    """Steps that touch; every transposition alone."""
    runs: list[Run] = []
    for step in steps:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and "T" not in (last.operation, step.operation)
            and (last.end, last.to_end) == (step.start, step.to_start)
        ):
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs


def _join(run: Run) -> Run:
    if not run:
        return []
    return [Step("X", run[0].start, run[-1].end, run[0].to_start, run[-1].to_end)]


class _Merging:
    """The rules by which steps become edits, over one sentence and its correction."""

    def __init__(self, source: Analysis, corrected: Analysis) -> None:
        self._source = source
        self._corrected = corrected

    def process(self, run: Run) -> Run:
        """The edits of a run, by the first rule that fits a window, the widest window first."""
        operations = "".join(step.operation for step in run)
        if len(run) <= 1 or set(operations) in ({"D"}, {"I"}):
            return _join(run) if len(run) > 1 else run
        for width in range(len(run) - 1, 0, -1):
            for first in range(len(run) - width):
                if "S" in operations[first : first + width + 1]:
                    made = self._decide(run, operations, first, first + width)
                    if made is not None:
                        return made
        whole = _join(run)[0]
        pos = {
            *self._source.pos[whole.start : whole.end],
            *self._corrected.pos[whole.to_start : whole.to_end],
        }
        return [whole] if "S" in operations and not _OPEN.isdisjoint(pos) else run

    def _decide(self, run: Run, operations: str, first: int, last: int) -> Run | None:  # noqa: PLR0911 (one return a rule)
        source, corrected = self._source, self._corrected
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        size, to_size = end - start, to_end - to_start
        if "POS" in (source.tag[end - 1], corrected.tag[to_end - 1]):
            return self._cut(run, last - 1, last + 1)
        if source.lower[end - 1] == corrected.lower[to_end - 1]:
            if (first == 0 and size == 1 and corrected.tokens[to_start][0].isupper()) or (
                to_size == 1 and source.tokens[start][0].isupper()
            ):
                # the fault: what stands before the window is lost
                return _join(run[first : last + 1]) + self.process(run[last + 1 :])
            if (size > 1 and _is_mark(source, end - 2)) or (
                to_size > 1 and _is_mark(corrected, to_end - 2)
            ):
                return self._cut(run, last - 1, last + 1)
        joined = "".join(source.lower[start:end]).translate(_APOSTROPHES)
        if joined == "".join(corrected.lower[to_start:to_end]).translate(_APOSTROPHES):
            return self._cut(run, first, last + 1)
        pos = {*source.pos[start:end], *corrected.pos[to_start:to_end]}
        if (len(pos) == 1 and size != to_size) or pos == {"PART", "VERB"}:
            return self._cut(run, first, last + 1)
        if last - first == 1:
            return self._split(run, operations, first, last)
        return None

    def _split(self, run: Run, operations: str, first: int, last: int) -> Run | None:
        source, corrected = self._source, self._corrected
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        if (
            end - start == to_end - to_start == 2
            or (operations[first] == "S" and self._alike(start, to_start))
            or (operations[last] == "S" and self._alike(end - 1, to_end - 1))
        ):
            return self.process(run[:last]) + self.process(run[last:])
        if last == len(run) - 1 and (
            (operations[-1] in "DS" and source.pos[end - 1] == "DET")
            or (operations[-1] in "IS" and corrected.pos[to_end - 1] == "DET")
        ):
            return [*self.process(run[:-1]), run[-1]]
        return None

    def _cut(self, run: Run, first: int, last: int) -> Run:
        return self.process(run[:first]) + _join(run[first:last]) + self.process(run[last:])

    def _alike(self, index: int, to_index: int) -> bool:
        return _distance(self._source.tokens[index], self._corrected.tokens[to_index]) < _DISTANT


def _is_mark(sentence: Analysis, index: int) -> bool:
    return sentence.pos[index] == "PUNCT" or sentence.tokens[index] in punctuation


# ---- typing


@lru_cache(maxsize=100_000)
def _lemmas(lower: str) -> frozenset[str]:
    """The base forms of a word as adverb, noun, verb and adjective."""
    return frozenset({lower, *(lemma_tables().lemma(lower, tag) for tag in ("NNS", "VBD", "JJR"))})


def _share_lemma(one: str, other: str) -> bool:
    return not _lemmas(one).isdisjoint(_lemmas(other))


class _OldWordChange(WordChange):
    """A replacement of one word by one word, its words compared as in 2.0.0."""

    __slots__ = ()

    @property
    def same_lemma(self) -> bool:
        """Whether both words have one base form under any part of speech."""
        return _share_lemma(self.source.lower, self.corrected.lower)

    @property
    def similarity(self) -> float:
        """How alike the letters are, by ``difflib``."""
        return 1 - _distance(self.source.text, self.corrected.text)


def _last_shared(change: PhraseChange) -> bool:
    return _share_lemma(change.source.lower[-1], change.corrected.lower[-1])


def _is_possessive(change: PhraseChange) -> bool:
    classes = (change.source.word_class, change.corrected.word_class)
    return ["NOUN", "PART"] in classes and _share_lemma(
        change.source.lower[0], change.corrected.lower[0]
    )


def _is_comparison(change: PhraseChange) -> bool:
    first = {change.source.lower[0], change.corrected.lower[0]}
    short = len(change.source) <= 2 and len(change.corrected) <= 2
    return short and not first.isdisjoint({"most", "more"}) and _last_shared(change)


_WORD: dict[str, Rule[Any]] = {rule.name: rule for section in WORDS for rule in section.rules}


def _rules(*names: str) -> tuple[Rule[Any], ...]:
    return tuple(_WORD[name] for name in names)


_OLD_WORDS: tuple[Section[Any], ...] = (
    Section(
        "special words",
        _rules(
            "possessive-ending-replaced",
            "contraction-replaced",
            "contracted-auxiliary-replaced",
            "was-and-were",
        ),
    ),
    Section(
        "the source word is not in the word list",
        (
            *_rules("unknown-word-inflected", "unknown-word-of-one-lemma"),
            replace(
                _WORD["misspelling"],
                because="not a word, and more than half alike in letters",
                when=lambda change: change.similarity > 0.5,
            ),
            replace(
                _WORD["unknown-word-replaced"],
                because="not a word, unlike the correction, and of one class with it",
                when=lambda change: (
                    change.same_class and change.corrected.word_class not in RARE_CLASSES
                ),
            ),
            *_rules("unknown-word-other"),
        ),
        when=lambda change: change.is_misspelt,
    ),
    next(section for section in WORDS if _WORD["adjective-form"] in section.rules),
    Section(
        "any two words",
        (
            *_rules(
                "one-stem",
                "auxiliary-replaced",
                "same-part-of-speech",
                "same-role",
                "particle-or-preposition",
                "pronoun-as-subject-or-object",
                "possessive-determiner",
            ),
            replace(
                _WORD["not-letters"],
                because="no rule names it",
                when=lambda change: change.classes != {"DET", "PRON"},
            ),
        ),
    ),
)
_CHANGED = {
    "verbs-of-one-lemma": lambda change: change.classes == {"VERB"} and _last_shared(change),
    "infinitive-or-gerund": lambda change: (
        change.classes == {"PART", "VERB"} and _last_shared(change)
    ),
    "possessive-noun": _is_possessive,
    "more-and-most": _is_comparison,
}
_OLD_PHRASES: Section[PhraseChange] = replace(
    PHRASES,
    rules=tuple(
        replace(rule, when=_CHANGED[rule.name]) if rule.name in _CHANGED else rule
        for rule in PHRASES.rules
    ),
)


def _side(analysis: Analysis, start: int, end: int, *, in_source: bool) -> Side:
    side = Side(analysis, start, end, in_source=in_source)
    side.word_class = [
        _OLD_CLASS.get(tag, known) for tag, known in zip(side.tag, side.word_class, strict=True)
    ]
    return side


def _word(analysis: Analysis, index: int, *, in_source: bool) -> Word:
    word = Word(analysis, index, in_source=in_source)
    word.word_class = _OLD_CLASS.get(word.tag, word.word_class)
    return word


TYPING = type_by_tables(
    ONE_SIDED,
    (FORM_ONLY,),
    _OLD_WORDS,
    (_OLD_PHRASES,),
    side=_side,
    change=lambda source, corrected, _: PhraseChange(source, corrected),
    word=_word,
    pair=_OldWordChange,
)
