"""The references that annotators allow, as the I-measure reads their edits.

Edits that touch the same words form a *cluster*: an annotator's edits in it stand or fall
together, and exclude those of the others. By default, each annotator gives one reference. Mixed,
every cluster is decided on its own: for one of the annotators or, if not all of them changed
anything there, for no change.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from redink.model import AnnotatedSentence, annotator_order
from redink.scoring.python2 import hash_frozenset, hash_text, hash_tuple, iteration_order

Tokens = tuple[str, ...]
Replacement = tuple[int, int, str]
"""Tokens ``start:end`` of the source and the text that replaces them."""
Choice = tuple[Replacement, ...]
"""The replacements of one annotator in a cluster, or none."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Edits that touch one another, by annotator.

    Attributes:
        by_annotator: for every annotator with an edit here, their replacements.
        optional: whether some annotator saw the sentence and changed nothing here.
    """

    by_annotator: tuple[tuple[str, Choice], ...]
    optional: bool

    @property
    def choices(self) -> tuple[Choice, ...]:
        """All different choices, in the order in which the published program tries them."""
        found: dict[Choice, None] = {(): None} if self.optional else {}
        # two annotators who made the same edits, in whatever order, offer one choice
        found |= dict.fromkeys(tuple(sorted(choice)) for _, choice in self.by_annotator)
        choices = list(found)
        return tuple(choices[n] for n in iteration_order([_hash_choice(c) for c in choices]))


def _hash_choice(choice: Choice) -> int:
    return hash_frozenset(hash_tuple((start, end, hash_text(text))) for start, end, text in choice)


def find_clusters(sentence: AnnotatedSentence) -> tuple[Cluster, ...]:
    """The clusters of a sentence, from left to right.

    Edits are taken from the longest to the shortest; each joins the first cluster with an edit
    that it touches. Of an edit's alternatives only the first correction counts.
    """
    edits = [
        (edit.start, edit.end, " ".join(nltk_tokens(edit.correction)), annotation.annotator)
        for annotation in sentence.annotations
        for edit in annotation.edits
    ]
    clusters: list[list[tuple[int, int, str, str]]] = []
    for edit in sorted(edits, key=lambda e: e[0] - e[1]):
        for cluster in clusters:
            if any(_touch(edit[:2], other[:2]) for other in cluster):
                cluster.append(edit)
                break
        else:
            clusters.append([edit])
    clusters.sort(key=lambda cluster: cluster[0][:2])
    annotators = {annotation.annotator for annotation in sentence.annotations}
    return tuple(_make_cluster(cluster, len(annotators)) for cluster in clusters)


def _touch(first: tuple[int, int], second: tuple[int, int]) -> bool:
    if first == second:
        return True
    (start, end), (other_start, other_end) = first, second
    if start == end:
        return other_start < start < other_end
    if other_start == other_end:
        return start < other_start < end
    return start < other_end and other_start < end


def _make_cluster(edits: Iterable[tuple[int, int, str, str]], annotators: int) -> Cluster:
    by_annotator: dict[str, dict[tuple[int, int], str]] = {}
    for start, end, text, annotator in edits:
        own = by_annotator.setdefault(annotator, {})
        # several corrections of the same words follow one another
        own[start, end] = f"{own[start, end]} {text}" if (start, end) in own else text
    ordered = sorted(by_annotator.items(), key=lambda item: annotator_order(item[0]))
    return Cluster(
        tuple((who, tuple((*span, text) for span, text in own.items())) for who, own in ordered),
        optional=len(by_annotator) != annotators,
    )


def apply_replacements(source: Sequence[str], replacements: Iterable[Replacement]) -> Tokens:
    """The source after all replacements, done from the last to the first.

    A replacement counts tokens in what the earlier ones left, even where they overlap. One that
    would leave nothing of the sentence is not done.
    """
    corrected = list(source)
    for start, end, text in sorted(replacements, key=lambda r: r[:2], reverse=True):
        before = corrected[start:end]
        corrected[start:end] = words = text.split()
        if not corrected:
            corrected[start : start + len(words)] = before
    return tuple(corrected)


def separate_references(sentence: AnnotatedSentence) -> tuple[Tokens, ...]:
    """One reference for every annotator of the sentence, equal ones once.

    They come in the order in which they are entered into the published program's dictionary.
    """
    source = sentence.source.tokens
    clusters = find_clusters(sentence)
    present = {annotation.annotator for annotation in sentence.annotations}
    active = list(dict.fromkeys(who for c in clusters for who, _ in c.by_annotator))
    references = [] if present and len(active) == len(present) else [source]
    for number in iteration_order([hash_text(who) for who in active]):
        replacements = [
            replacement
            for cluster in clusters
            for who, choice in cluster.by_annotator
            if who == active[number]
            for replacement in choice
        ]
        references.append(apply_replacements(source, replacements))
    return tuple(dict.fromkeys(references))


def count_combinations(clusters: Iterable[Cluster]) -> int:
    """How many ways there are to decide all clusters."""
    return math.prod(len(cluster.choices) for cluster in clusters)


def mixed_references(source: Tokens, clusters: Iterable[Cluster]) -> Iterator[Tokens]:
    """The reference of every consistent combination of choices, equal ones repeated.

    They come in the order in which the published program makes them.
    """
    for choices in itertools.product(*(cluster.choices for cluster in clusters)):
        replacements = [replacement for choice in choices for replacement in choice]
        if are_consistent(replacements):
            yield apply_replacements(source, replacements)


def are_consistent(replacements: Sequence[Replacement]) -> bool:
    """Whether no words are replaced twice, as the published program understands it.

    Only replacements of the very same words exclude each other.
    """
    return len({r[:2] for r in replacements}) == len(replacements)


def order_of_references(references: Sequence[Tokens]) -> list[int]:
    """The order in which the published program compares different references."""
    return iteration_order([hash_text(" ".join(tokens)) for tokens in references])


_NLTK_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # opening quotes
        (r"`+", r" \g<0> "),
        (r'^"', r" `` "),
        (r"``", r" `` "),
        (r"""(?<=[ (\[{<])(?:"|'')""", r" `` "),
        (r"(?i)'(?!re|ve|ll|m|t|s|d)(\w)\b", r"' \1"),
        # marks inside and after words; a comma or colon before a digit belongs to the number
        (r"([^.])\.([\])}>\"' ]*)\s*$", r"\1 . \2 "),
        (r"([:,])(\D)", r" \1 \2"),
        (r"[:,]$", r" \g<0> "),
        (r"\.\.\.", r" ... "),
        (r"[;@#$%&?!]", r" \g<0> "),
        (r"(?<=[^'])' ", r" ' "),
        (r"[\]\[(){}<>]", r" \g<0> "),
        (r"--", r" -- "),
        # the rest works on words with a space on either side
        (r"^|$", r" "),
        # closing quotes and contractions
        (r'"', r" '' "),
        (r"(\S)''", r"\1 '' "),
        (r"(?<=[^' ])('[sSmMdD]|') ", r" \1 "),
        (r"(?<=[^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r" \1 "),
        (r"(?i)\b(can)(not)\b", r" \1 \2 "),
        (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
        (r"(?i)\b(gim|lem)(me)\b", r" \1 \2 "),
        (r"(?i)\b(gon)(na)\b", r" \1 \2 "),
        (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
        (r"(?i)\b(mor)('n)\b", r" \1 \2 "),
        (r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 "),
        (r"(?i) ('t)(is|was)\b", r" \1 \2 "),
    )
)


def nltk_tokens(text: str) -> tuple[str, ...]:
    """Tokenize a correction as NLTK's ``word_tokenize`` does.

    The published converter of M2 files does so, and ``known,the`` becomes three words. These are
    NLTK's rules for one sentence, in its order. NLTK splits text into sentences first; the two
    differ only if a correction has a full stop attached to a word and then another word.
    """
    if text.isalpha() and not text.lower().startswith(("can", "gim", "lem", "gon", "got", "wan")):
        return (text,)
    for pattern, replacement in _NLTK_RULES:
        text = pattern.sub(replacement, text)
    return tuple(text.split())
