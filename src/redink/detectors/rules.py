"""Rules and filters around a detector (Chodorow et al. 2007; Tetreault and Chodorow 2008).

A rule marks prepositions that the detector may miss; a filter removes findings of the detector.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import product
from typing import Literal

from redink.analysis.analyzer import Analysis, Analyzer
from redink.analysis.english.phrases import (
    NOUNS,
    find_head_after,
    find_heads_before,
    is_strict_preposition,
)
from redink.analysis.english.word_forms import default_lexicon
from redink.detectors.detector import PrepositionFinding, is_marked
from redink.detectors.features import Thresholds, Tokens, analyze_sentences

RuleName = Literal["repeated", "quantifier", "spelling", "antonym", "benefactive", "clause", "none"]
_QUANTIFIERS = frozenset("few fewer many more most several some".split())  # noqa: SIM905
_BARE = NOUNS - {"NNP", "NNPS"} | {"JJ", "JJR", "JJS", "VBN", "VBG"}
_OPPOSITE = {
    frozenset(pair.split())
    for pair in (
        "with without",
        "from to",
        "above below",
        "over under",
        "after before",
        "against for",
        "off on",
        "until since",
    )
}
_WINDOW = 2
# On learners' sentences (JFLEG), these raise precision at equal recall; the other filters remove as
# many errors as false alarms.
DEFAULT_RULES: tuple[RuleName, ...] = ("repeated", "quantifier", "clause")


def _is_repeated(a: Analysis, at: int, _: PrepositionFinding) -> bool:
    """The word before is the same: *in in the morning*."""
    return at > 0 and a.lower[at - 1] == a.lower[at]


def _follows_quantifier(a: Analysis, at: int, _: PrepositionFinding) -> bool:
    """*Of* between a quantifier and a bare plural: *some of people*."""
    if a.lower[at] != "of" or at == 0 or a.lower[at - 1] not in _QUANTIFIERS:
        return False
    head = find_head_after(a.tag, at + 1)
    return head > at and a.tag[head] == "NNS" and set(a.tag[at + 1 : head]) <= _BARE


def _is_misspelled_nearby(a: Analysis, at: int, _: PrepositionFinding) -> bool:
    """A word within two tokens, or the commanding verb, is not in the dictionary."""
    near = {
        *range(max(0, at - _WINDOW), min(len(a), at + _WINDOW + 1)),
        find_heads_before(a.tag, at)[0],
    }
    known = default_lexicon(american=True)
    return any(
        a.tokens[i].isalpha()
        and a.tag[i] not in {"NNP", "NNPS"}
        and a.tokens[i] not in known
        and a.lower[i] not in known
        for i in near
        if i >= 0
    )


def _suggests_opposite(a: Analysis, at: int, finding: PrepositionFinding) -> bool:
    """The suggestion is the opposite (*with*, *without*), which a writer rarely confuses."""
    return frozenset((a.lower[at], finding.correction)) in _OPPOSITE


def _is_benefactive(a: Analysis, at: int, _: PrepositionFinding) -> bool:
    """*For* and a person (*for him*), which can follow nearly any verb."""
    head = find_head_after(a.tag, at + 1)
    return a.lower[at] == "for" and head >= 0 and a.tag[head] in {"PRP", "NNP"}


def _is_no_preposition(a: Analysis, at: int, _: PrepositionFinding) -> bool:
    """An infinitive *to*, a particle, or a conjunction such as *since*."""
    return not is_strict_preposition(a.lower, a.tag, at)


Test = Callable[[Analysis, int, PrepositionFinding], bool]
RULES: dict[str, Test] = {"repeated": _is_repeated, "quantifier": _follows_quantifier}
FILTERS: dict[str, Test] = {
    "spelling": _is_misspelled_nearby,
    "antonym": _suggests_opposite,
    "benefactive": _is_benefactive,
    "clause": _is_no_preposition,
}


def apply_rules(
    names: Collection[str],
    sentences: Sequence[Tokens],
    findings: Sequence[Sequence[PrepositionFinding]],
    thresholds: Thresholds,
    analyzer: Analyzer,
) -> tuple[list[list[PrepositionFinding]], dict[str, tuple[int, int, int]]]:
    """Apply the named rules, then the named filters.

    Returns:
        The findings, and for each rule or filter: the number of prepositions to which it applies,
        that it marks, and that it no longer marks.
    """
    tests = {n: test for n, test in (RULES | FILTERS).items() if n in names}
    counts = dict.fromkeys(tests, (0, 0, 0))
    result = [list(found) for found in findings]
    for batch in analyze_sentences(enumerate(sentences), analyzer, "applying rules"):
        for number, analysis in batch:
            for place, name in product(range(len(result[number])), tests):
                old = result[number][place]
                if not tests[name](analysis, old.index, old):
                    continue
                new = replace(old, confidence=0.0, by_rule=False)
                if name in RULES:
                    new = PrepositionFinding(old.index, "extraneous", "", 1.0, by_rule=True)
                result[number][place] = new
                applies, added, removed = counts[name]
                change = is_marked(new, thresholds) - is_marked(old, thresholds)
                counts[name] = (applies + 1, added + (change > 0), removed + (change < 0))
    return result, counts
