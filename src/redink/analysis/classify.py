"""Classify an edit by the rule tables of a language: its error type and the applied rule.

A language has ordered tables of small named rules. This module contains the parts that are common
to all languages: the operation, and the words that are ignored before the rules are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from sys import intern
from typing import Any, Generic, NamedTuple, TypeVar

from redink.analysis.analyzer import Analysis
from redink.analysis.edit_extraction import Span
from redink.model import UNKNOWN

Change = TypeVar("Change")
Pair = TypeVar("Pair")
Side = TypeVar("Side")

NOTHING_CHANGED = "nothing-changed"
CASE_AT_END = "case-at-end"
LEFT_ASIDE = "only the case of the last word changes, so the rule ignores this word"


@dataclass(frozen=True, slots=True)
class Rule(Generic[Change]):
    """One rule.

    Attributes:
        name: the value of :attr:`redink.Edit.rule`.
        gives: the error type without its operation, or a function that returns it for a change.
        because: the reason for this type, as a phrase for readers.
        when: a function that returns whether the rule applies.
        kind: the name of ``gives`` in the documentation, if ``gives`` is a function.
    """

    name: str
    gives: str | Callable[[Change], str]
    because: str
    when: Callable[[Change], bool]
    kind: str = ""

    def type_of(self, change: Change) -> str:
        """Return the error type of a change under this rule."""
        return self.gives if isinstance(self.gives, str) else self.gives(change)


@dataclass(frozen=True, slots=True)
class RuleSection(Generic[Change]):
    """Rules that are tried in order if their common condition holds."""

    title: str
    rules: tuple[Rule[Change], ...]
    when: Callable[[Change], bool] | None = None

    def find(self, change: Change) -> Rule[Change] | None:
        """Return the first rule that applies."""
        if self.when is not None and not self.when(change):
            return None
        for rule in self.rules:
            if rule.when(change):
                return rule
        return None


class DependenciesNeededError(Exception):
    """Raised if a rule needs the dependencies of a sentence that has not been parsed yet."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        super().__init__("dependency labels are needed")


class Typed(NamedTuple):
    """An error type and the name of the rule that assigned it."""

    type: str
    rule: str


@dataclass(frozen=True)
class Typing:
    """The classification rules of a language; types do not include their operation.

    Attributes:
        tables: all rules in the order in which they are tried, with a title for each table.
        type_one_side: returns the type of missing or unnecessary words, given an analysis, their
            start and end, and whether they are in the source.
        type_replacement: returns the type of a replacement, given both analyses and spans, the
            dictionary, and whether to correct bugs of the original.
    """

    tables: Mapping[str, tuple[RuleSection[Any], ...]]
    type_one_side: Callable[[Analysis, int, int, bool], Typed]
    type_replacement: Callable[[Analysis, Analysis, Span, Container[str], bool], Typed]

    @property
    def rules(self) -> list[Rule[Any]]:
        """All rules in the order in which they are tried."""
        return [
            rule for table in self.tables.values() for section in table for rule in section.rules
        ]

    @cached_property
    def _reasons(self) -> dict[str, str]:
        nothing = {NOTHING_CHANGED: "an error is marked but nothing is changed"}
        return nothing | {rule.name: rule.because for rule in self.rules}

    def reasons(self, name: str) -> tuple[str, ...]:
        """Return the reason why a rule (:attr:`redink.Edit.rule`) assigns its type.

        A second string, if any, is a comment on the first.
        """
        prefix, slash, rest = name.rpartition("/")
        reason = self._reasons.get(rest if slash else name, name)
        return (reason, LEFT_ASIDE) if prefix == CASE_AT_END else (reason,)

    def explain(self, name: str) -> str:
        """Return the reason and its comment as one string."""
        return " ".join(f"({text})" if i else text for i, text in enumerate(self.reasons(name)))


def _find_typed(sections: Iterable[RuleSection[Change]], change: Change) -> Typed | None:
    for section in sections:
        rule = section.find(change)
        if rule is not None:
            return Typed(rule.type_of(change), rule.name)
    return None


def type_by_tables(
    one_sided: tuple[RuleSection[Side], ...],
    form_only: tuple[RuleSection[Change], ...],
    words: tuple[RuleSection[Pair], ...],
    phrases: tuple[RuleSection[Change], ...],
    *,
    side: Callable[[Analysis, int, int], Side],
    change: Callable[[Side, Side], Change],
    pair: Callable[..., Pair],
) -> Typing:
    """Make the classification rules of a language that has four tables of rules.

    The functions make a side from an analysis and a span, a change from two sides, and a pair of
    words from two positions, the dictionary, and whether to correct bugs of the original.
    """

    def type_one_side(analysis: Analysis, start: int, end: int, in_source: bool) -> Typed:  # noqa: FBT001
        del in_source
        found = _find_typed(one_sided, side(analysis, start, end))
        assert found is not None
        return found

    def type_replacement(
        source: Analysis,
        corrected: Analysis,
        span: Span,
        lexicon: Container[str],
        fixed: bool,  # noqa: FBT001
    ) -> Typed:
        start, end, to_start, to_end = span
        whole = change(side(source, start, end), side(corrected, to_start, to_end))
        found = _find_typed(form_only, whole)
        if found is None and end - start == to_end - to_start == 1:
            found = _find_typed(words, pair(source, start, corrected, to_start, lexicon, fixed))
        if found is None:
            found = _find_typed(phrases, whole)
        assert found is not None
        return found

    return Typing(
        {
            "Missing or unnecessary words": one_sided,
            "Replacements, tried first": form_only,
            "Replacements of one word by one word": words,
            "Other replacements, also of several words": phrases,
        },
        type_one_side,
        type_replacement,
    )


class EditSide:
    """The tokens of one side of an edit."""

    __slots__ = ("analysis", "end", "lemma", "lower", "pos", "start")

    def __init__(self, analysis: Analysis, start: int, end: int) -> None:
        self.analysis, self.start, self.end = analysis, start, end
        self.lower = analysis.lower[start:end]
        self.pos = analysis.pos[start:end]
        self.lemma = analysis.lemma[start:end]

    def __len__(self) -> int:
        return self.end - self.start


NO_RULE_FITS: Rule[Any] = Rule("no-rule-fits", "OTHER", "no other rule applies", lambda _: True)
CASE_OR_SPACING: Rule[Any] = Rule(
    "case-or-spacing",
    "ORTH",
    "only case or spacing differs",
    lambda change: "".join(change.source.lower) == "".join(change.corrected.lower),
)
REORDERING: Rule[Any] = Rule(
    "reordering",
    "WO",
    "the same words are in a different order",
    lambda change: sorted(change.source.lower) == sorted(change.corrected.lower),
)


def classify(
    source: Analysis,
    corrected: Analysis,
    span: Span,
    *,
    typing: Typing,
    lexicon: Container[str],
    fixed: bool = False,
) -> Typed:
    """Classify one edit."""
    start, end, to_start, to_end = span
    if source.tokens[start:end] == corrected.tokens[to_start:to_end]:
        return Typed(UNKNOWN, NOTHING_CHANGED)
    # If the last word changes only in case, this is an effect of the words before it
    # [Doctor -> The doctor], so the edit is classified without this word.
    prefix = ""
    while (
        start < end
        and to_start < to_end
        and source.lower[end - 1] == corrected.lower[to_end - 1]
        and (end - start > 1 or to_end - to_start > 1)
    ):
        end -= 1
        to_end -= 1
        prefix = f"{CASE_AT_END}/"
    if start == end:
        operation = "M"
        category, rule = typing.type_one_side(corrected, to_start, to_end, False)
    elif to_start == to_end:
        operation = "U"
        category, rule = typing.type_one_side(source, start, end, True)
    else:
        operation = "R"
        category, rule = typing.type_replacement(
            source, corrected, (start, end, to_start, to_end), lexicon, fixed
        )
    return Typed(intern(f"{operation}:{category}"), prefix + rule)
