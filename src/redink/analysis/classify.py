"""The error type of an edit, and the rule that named it, by the tables of a language.

A language has ordered tables of small named rules. What is the same for every language is here:
the operation, and what is left aside before the rules are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from redink.analysis.analyzer import Analysis
from redink.analysis.edit_extraction import Span
from redink.model import UNKNOWN

Change = TypeVar("Change")
Pair = TypeVar("Pair")
Side = TypeVar("Side")

NOTHING_CHANGED = "nothing-changed"
CASE_AT_END = "case-at-end"
LEFT_ASIDE = "the last word changes its case only and is left aside"


@dataclass(frozen=True, slots=True)
class Rule(Generic[Change]):
    """One rule.

    Attributes:
        name: what :attr:`redink.Edit.rule` says.
        gives: the error type without its operation, or how it is found in the change.
        because: why the rule gives this type, as a clause for people.
        when: whether the rule applies.
        kind: what ``gives`` is called in the documentation where it is found in the change.
    """

    name: str
    gives: str | Callable[[Change], str]
    because: str
    when: Callable[[Change], bool]
    kind: str = ""

    def type_of(self, change: Change) -> str:
        """The error type that the rule gives to a change."""
        return self.gives if isinstance(self.gives, str) else self.gives(change)


@dataclass(frozen=True, slots=True)
class RuleSection(Generic[Change]):
    """Rules that are tried one after the other, if their common condition holds."""

    title: str
    rules: tuple[Rule[Change], ...]
    when: Callable[[Change], bool] | None = None

    def find(self, change: Change) -> Rule[Change] | None:
        """The first rule that applies."""
        if self.when is not None and not self.when(change):
            return None
        for rule in self.rules:
            if rule.when(change):
                return rule
        return None


class DependenciesNeededError(Exception):
    """A rule needs the dependencies of a sentence that has not been parsed yet."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        super().__init__("dependency labels are needed")


class Typed(NamedTuple):
    """An error type and the name of the rule that gave it."""

    type: str
    rule: str


@dataclass(frozen=True)
class Typing:
    """How a language names errors; types are without their operation here.

    Attributes:
        tables: all rules in the order in which they are tried, with a title for each table.
        type_one_side: the type of words that are missing or unnecessary, given an analysis, where
            they begin and end, and whether they are in the source.
        type_replacement: the type of words that replace others, given both analyses, where they
            are, the known words, and whether to mend what is wrong in the original.
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
        nothing = {NOTHING_CHANGED: "an error is marked and nothing is changed"}
        return nothing | {rule.name: rule.because for rule in self.rules}

    def reasons(self, name: str) -> tuple[str, ...]:
        """Why the rule of that name (what :attr:`redink.Edit.rule` says) gives its type.

        The second, if there is one, is a remark on the first.
        """
        prefix, slash, rest = name.rpartition("/")
        reason = self._reasons.get(rest if slash else name, name)
        return (reason, LEFT_ASIDE) if prefix == CASE_AT_END else (reason,)

    def explain(self, name: str) -> str:
        """The same in one text."""
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
    """Make the typing of a language that has four tables of rules.

    A side is made of an analysis and the ends of a span, a change of two sides, and a pair of words
    of the place of each, the known words, and whether to fix what is wrong in the original.
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
            "Replacements, first of all": form_only,
            "One word by one word": words,
            "Several words, and words that no rule above named": phrases,
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


NO_RULE_FITS: Rule[Any] = Rule(
    "no-rule-fits", "OTHER", "nothing more precise is known", lambda _: True
)
CASE_OR_SPACING: Rule[Any] = Rule(
    "case-or-spacing",
    "ORTH",
    "only capitals or spaces differ",
    lambda change: "".join(change.source.lower) == "".join(change.corrected.lower),
)
REORDERING: Rule[Any] = Rule(
    "reordering",
    "WO",
    "the same words are in another order",
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
    """Type one edit."""
    start, end, to_start, to_end = span
    if source.tokens[start:end] == corrected.tokens[to_start:to_end]:
        return Typed(UNKNOWN, NOTHING_CHANGED)
    # A last word that changes its case only is the effect of what stands before it
    # [Doctor -> The doctor]: the edit is typed without it.
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
    return Typed(f"{operation}:{category}", prefix + rule)
