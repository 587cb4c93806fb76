"""The error type of an edit, and the rule that named it.

Bryant et al. (2017) as ERRANT 3.0.2 has it. The rules are tables (``rules_*.py``): this module
decides which tables an edit goes through.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

from redink.analysis.analyser import Analysis
from redink.analysis.change import PhraseChange, Side, Word, WordChange
from redink.analysis.merge import Span
from redink.analysis.rules import Rule, Section
from redink.analysis.rules_one_sided import ONE_SIDED
from redink.analysis.rules_phrase import FORM_ONLY, PHRASES
from redink.analysis.rules_word import WORDS
from redink.model import UNKNOWN

NOTHING_CHANGED = "nothing-changed"
CASE_AT_END = "case-at-end"

ALL_SECTIONS: tuple[Section[Any], ...] = (*ONE_SIDED, FORM_ONLY, *WORDS, PHRASES)
_REASONS = {
    NOTHING_CHANGED: "an error is marked and nothing is changed",
    **{rule.name: rule.because for section in ALL_SECTIONS for rule in section.rules},
}


def rules_in_order() -> list[Rule[Any]]:
    """All rules in the order in which they are tried: of one side, of words, of phrases."""
    return [rule for section in ALL_SECTIONS for rule in section.rules]


def explain_rule(name: str) -> str:
    """Why the rule of that name (what :attr:`redink.Edit.rule` says) gives its type."""
    prefix, slash, rest = name.rpartition("/")
    reason = _REASONS[rest if slash else name]
    if prefix == CASE_AT_END:
        return f"{reason} (the last word changes its case only and is left aside)"
    return reason


class Typed(NamedTuple):
    """An error type and the name of the rule that gave it."""

    type: str
    rule: str


def classify(
    source: Analysis,
    corrected: Analysis,
    span: Span,
    *,
    lexicon: Container[str],
    fixed: bool = False,
) -> Typed:
    """Type one edit.

    Args:
        source: the sentence as written.
        corrected: the same after correction.
        span: where the edit is in both.
        lexicon: known words, for the spelling rules.
        fixed: mend what is wrong in the original (see the documentation).

    Raises:
        DependenciesNeededError: a rule asks for dependency labels that an analysis does not have.
    """
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
        category, rule = _type_one_side(Side(corrected, to_start, to_end, in_source=False))
    elif to_start == to_end:
        operation = "U"
        category, rule = _type_one_side(Side(source, start, end, in_source=True))
    else:
        operation = "R"
        category, rule = _type_replacement(
            source, corrected, (start, end, to_start, to_end), lexicon, fixed=fixed
        )
    return Typed(f"{operation}:{category}", prefix + rule)


def _type_one_side(side: Side) -> tuple[str, str]:
    for section in ONE_SIDED:
        rule = section.find(side)
        if rule is not None:
            return rule.type_of(side), rule.name
    raise AssertionError("the last rule fits everything")


def _type_replacement(
    source: Analysis, corrected: Analysis, span: Span, lexicon: Container[str], *, fixed: bool
) -> tuple[str, str]:
    start, end, to_start, to_end = span
    change = PhraseChange(
        Side(source, start, end, in_source=True),
        Side(corrected, to_start, to_end, in_source=False),
    )
    rule = FORM_ONLY.find(change)
    if rule is None and end - start == to_end - to_start == 1:
        words = WordChange(
            Word(source, start, in_source=True),
            Word(corrected, to_start, in_source=False),
            lexicon,
            fixed=fixed,
        )
        for section in WORDS:
            found = section.find(words)
            if found is not None:
                return found.type_of(words), found.name
    if rule is None:
        rule = PHRASES.find(change)
    assert rule is not None, "the last rule fits everything"
    return rule.type_of(change), rule.name
