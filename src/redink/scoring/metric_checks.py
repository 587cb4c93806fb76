"""Checks of error types: groups, selections, and agreement between systems and references."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain

from redink.model import UNKNOWN, AnnotatedSentence, Edit, Hypotheses, References
from redink.scoring.metric import Metric

OPERATIONS = frozenset({"M", "R", "U"})
UNGROUPED = frozenset({"UNK"})
"""Types that occur next to the operations, as in the ERRANT scorer."""


def group_of(error_type: str, operation: str, by: str) -> str:
    """Return the group in which an edit is counted.

    ERRANT's types contain the operation (``R:VERB:SVA``). In other inventories the operation is
    derived from the edit and the main type is the type.
    """
    if by == "full":
        return error_type
    has_operation = error_type[1:2] == ":" and error_type[0] in OPERATIONS
    if by == "operation":
        if has_operation:
            return error_type[0]
        return error_type if error_type in UNGROUPED else operation
    return error_type[2:] if has_operation else error_type


_PARTS_OF_SPEECH = frozenset(
    {"ADJ", "ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PREP"}
    | {"PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"}
)
_OTHER_TOKENS = frozenset({"CONTR", "MORPH", "ORTH", "OTHER", "SPELL", "WO"})


def groups_of(error_type: str, operation: str, by: str) -> tuple[str, ...]:
    """Return the groups in which an edit is counted: one, or its tiers.

    The tiers are those of Bryant et al. (2017), Table 9: types of tokens, which are parts of speech
    and others, and types of morphology. A type of another inventory is its own group.
    """
    if by != "tier":
        return (group_of(error_type, operation, by),)
    kind = group_of(error_type, operation, "type")
    if ":" in kind and kind.partition(":")[0] in _PARTS_OF_SPEECH:
        return ("morphology",)
    if kind in _PARTS_OF_SPEECH:
        return ("token", "token: part of speech")
    return ("token", "token: other") if kind in _OTHER_TOKENS else (kind,)


@cache
def is_selected(error_type: str, operation: str, patterns: tuple[str, ...]) -> bool:
    """Return whether one of the patterns matches this error type.

    ``R:VERB:SVA`` is a full type, ``VERB:SVA`` matches that type under every operation, ``R:`` all
    types of an operation, and an asterisk matches anything: ``VERB:*``.
    """
    names = type_names(error_type, operation)
    return any(
        pattern in names or any(fnmatchcase(name, _expand(pattern)) for name in names)
        for pattern in patterns
    )


def _expand(pattern: str) -> str:
    return f"{pattern}*" if pattern.endswith(":") else pattern


def type_names(error_type: str, operation: str) -> set[str]:
    """Return an error type with and without its operation."""
    if error_type[1:2] == ":":
        return {error_type, error_type[2:]}
    is_letter = len(error_type) == 1  # in Chinese, R stands for redundant
    is_bare = not operation or is_letter or error_type in UNGROUPED
    return {error_type} if is_bare else {error_type, f"{operation}:{error_type}"}


def differ_in_types(references: References, systems: Sequence[Hypotheses]) -> list[str]:
    """Find systems whose error types are from another inventory than those of the references.

    With a common inventory, an edit that an annotator made too has the annotator's type. If a
    system shares no edit with any annotator, most of its types must occur in the references.
    """
    gold: list[dict[tuple[int, int, str], set[str]]] = []
    for sentence in references.corpus.sentences:
        gold.append({})
        for annotation in sentence.annotations:
            for edit in annotation.edits:
                if edit.type != UNKNOWN:
                    gold[-1].setdefault(_change(edit), set()).add(edit.type)
    known = {error_type for changes in gold for types in changes.values() for error_type in types}
    return [s.name for s in systems if known and _is_of_other_inventory(s, gold, known)]


def _is_of_other_inventory(
    system: Hypotheses, gold: Sequence[Mapping[tuple[int, int, str], set[str]]], known: set[str]
) -> bool:
    typed = [
        (edit.type, changes.get(_change(edit)))
        for changes, versions in zip(gold, system.annotations or (), strict=False)
        for version in versions
        for edit in version.edits
        if edit.type != UNKNOWN
    ]
    shared = [error_type in types for error_type, types in typed if types is not None]
    if not shared:
        shared = [error_type in known for error_type, _ in typed]
    return 2 * sum(shared) < len(shared)


def _change(edit: Edit) -> tuple[int, int, str]:
    return edit.start, edit.end, edit.correction


def uses_types(metric: Metric) -> bool:
    """Return whether the scores of a metric depend on error types."""
    if getattr(metric, "level", None) == "correction-typed":
        return True
    return any(getattr(metric, name, None) for name in ("by", "exclude", "types"))


def with_types(old: AnnotatedSentence, new: AnnotatedSentence) -> AnnotatedSentence:
    """Reclassify the edits of a sentence; an edit keeps its type if the analyzer has none."""
    typed = {annotation.annotator: annotation.edits for annotation in new.annotations}
    annotations = []
    for annotation in old.annotations:
        places = sorted(
            range(len(annotation.edits)),
            key=lambda at: (annotation.edits[at].start, annotation.edits[at].end),
        )
        edits = list(annotation.edits)
        for at, edit in zip(places, typed.get(annotation.annotator, ()), strict=True):
            if edit.type != UNKNOWN:
                edits[at] = replace(edits[at], type=edit.type)
        annotations.append(replace(annotation, edits=tuple(edits)))
    return replace(old, annotations=tuple(annotations))


def find_unknown_type(
    metrics: Sequence[Metric],
    references: References,
    systems: Sequence[Hypotheses],
    known_types: Iterable[str],
) -> str | None:
    """Describe the first pattern of ``types`` and ``exclude`` that matches no type.

    Known types are those of the language and of all edits.
    """
    wanted = dict.fromkeys(
        pattern
        for metric in metrics
        for name in ("types", "exclude")
        for pattern in getattr(metric, name, ())
    )
    if not wanted:
        return None
    gold = (a for sentence in references.corpus.sentences for a in sentence.annotations)
    ours = (a for system in systems for versions in system.annotations or () for a in versions)
    known = {(edit.type, edit.operation) for a in chain(gold, ours) for edit in a.edits}
    known |= {(error_type, "") for error_type in known_types}
    return describe_unknown(wanted, known)


def describe_unknown(patterns: Iterable[str], known: Collection[tuple[str, str]]) -> str | None:
    """Describe the first pattern that matches none of these types with their operations."""
    for pattern in patterns:
        if not any(is_selected(*one, (pattern,)) for one in known):
            return f"unknown error type {pattern!r}; {_suggest(pattern, known)}"
    return None


def _suggest(pattern: str, known: Iterable[tuple[str, str]]) -> str:
    names = {name for one in known for name in type_names(*one)}
    by_capitals = {name.upper(): name for name in (*names, *(f"{o}:" for o in sorted(OPERATIONS)))}
    if near := get_close_matches(pattern.upper(), sorted(by_capitals), n=1, cutoff=0.65):
        return f"did you mean {by_capitals[near[0]]!r}?"
    return f"expected one of: {', '.join(sorted(name for name in names if name[1:2] != ':'))}"
