"""References generated from annotators' edits, for the I-measure.

Edits that touch the same words form a *cluster*. Within it, an annotator's edits are applied
together and exclude those of other annotators. By default, each annotator gives one reference. With
``mix``, every cluster is decided separately: for one of the annotators or, if some annotator
changed nothing there, for no change.
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
"""The replacements of one annotator in a cluster; empty for no change."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Edits that touch each other, by annotator.

    Attributes:
        by_annotator: the replacements of every annotator with an edit in the cluster.
        optional: whether some annotator of the sentence changed nothing in the cluster.
    """

    by_annotator: tuple[tuple[str, Choice], ...]
    optional: bool

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Return all distinct choices, in the order in which the published program tries them."""
        found: dict[Choice, None] = {(): None} if self.optional else {}
        # two annotators with the same edits, in any order, offer one choice
        found |= dict.fromkeys(tuple(sorted(choice)) for _, choice in self.by_annotator)
        choices = list(found)
        return tuple(choices[n] for n in iteration_order([_hash_choice(c) for c in choices]))


def _hash_choice(choice: Choice) -> int:
    return hash_frozenset(hash_tuple((start, end, hash_text(text))) for start, end, text in choice)


def find_clusters(sentence: AnnotatedSentence) -> tuple[Cluster, ...]:
    """Return the clusters of a sentence, from left to right.

    Edits are processed from the longest to the shortest; each joins the first cluster with an edit
    that it touches. If an edit has alternative corrections, only the first is used.
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
        # several corrections of the same words are concatenated
        own[start, end] = f"{own[start, end]} {text}" if (start, end) in own else text
    ordered = sorted(by_annotator.items(), key=lambda item: annotator_order(item[0]))
    return Cluster(
        tuple((who, tuple((*span, text) for span, text in own.items())) for who, own in ordered),
        optional=len(by_annotator) != annotators,
    )


def apply_replacements(source: Sequence[str], replacements: Iterable[Replacement]) -> Tokens:
    """Apply all replacements to the source, from the last to the first.

    A replacement's indices refer to the text left by the previous ones, even where they overlap. A
    replacement that would empty the sentence is skipped.
    """
    corrected = list(source)
    for start, end, text in sorted(replacements, key=lambda r: r[:2], reverse=True):
        before = corrected[start:end]
        corrected[start:end] = words = text.split()
        if not corrected:
            corrected[start : start + len(words)] = before
    return tuple(corrected)


def separate_references(sentence: AnnotatedSentence) -> tuple[Tokens, ...]:
    """Return one reference for every annotator of the sentence, without duplicates.

    The order is that of insertion into the published program's dictionary.
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
    """Return the number of ways to decide all clusters."""
    return math.prod(len(cluster.choices) for cluster in clusters)


def mixed_references(source: Tokens, clusters: Iterable[Cluster]) -> Iterator[Tokens]:
    """Yield the reference of every consistent combination of choices, with duplicates.

    The order is that of the published program.
    """
    for choices in itertools.product(*(cluster.choices for cluster in clusters)):
        replacements = [replacement for choice in choices for replacement in choice]
        if are_consistent(replacements):
            yield apply_replacements(source, replacements)


def are_consistent(replacements: Sequence[Replacement]) -> bool:
    """Return whether no words are replaced twice, by the published program's definition.

    Only replacements of exactly the same words exclude each other.
    """
    return len({r[:2] for r in replacements}) == len(replacements)


def order_of_references(references: Sequence[Tokens]) -> list[int]:
    """Return the order in which the published program compares distinct references."""
    return iteration_order([hash_text(" ".join(tokens)) for tokens in references])


# A compact representation of all mixed references. Clusters whose words do not overlap can be
# decided separately, so a sentence with 34 of them has 34 *islands* with two or three alternatives
# each, not 2^34 references. Clusters that overlap form one island, because the published program
# applies their edits one after the other.

_WHOLE_SENTENCE = 4096  # references of a sentence whose words could all be deleted
_BEYOND = "\0"  # placeholder for words after the island, which its replacements must not reach


@dataclass(frozen=True, slots=True)
class ReferenceLattice:
    """References as alternating parts: ``runs[0] islands[0] runs[1] ... runs[-1]``.

    Attributes:
        runs: words that are in every reference; may be empty.
        islands: the distinct word sequences that are possible between two runs; may be empty.
        left: number of source words after each run.
    """

    runs: tuple[Tokens, ...]
    islands: tuple[tuple[Tokens, ...], ...]
    left: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Region:
    start: int
    end: int
    clusters: tuple[Cluster, ...]
    is_greedy: bool = False
    """Whether its replacements also use words after the region."""

    def touches(self, other: _Region) -> bool:
        if self.start == self.end == other.start == other.end:
            return True
        return other.start < self.end or (self.is_greedy and other.start == self.end)

    def joined(self, other: _Region) -> _Region:
        return _Region(
            min(self.start, other.start), max(self.end, other.end), self.clusters + other.clusters
        )


def make_lattice(source: Tokens, clusters: Sequence[Cluster]) -> ReferenceLattice:
    """Build the lattice of all mixed references."""
    regions = []
    for cluster in clusters:
        starts, ends, _ = zip(
            *(r for _, choice in cluster.by_annotator for r in choice), strict=True
        )
        regions.append(_Region(min(starts), max(ends), (cluster,)))
    regions = _join(regions)
    while True:
        islands = [
            _alternatives(source, region, is_last=region is regions[-1]) for region in regions
        ]
        reach = [max(beyond for beyond, _ in island) for island in islands]
        if not any(reach):
            break
        # an island whose replacements extend beyond its words grows accordingly
        regions = _join(
            [
                _Region(r.start, min(r.end + more, len(source)), r.clusters, is_greedy=more > 0)
                for r, more in zip(regions, reach, strict=True)
            ]
        )
    return _assemble(source, clusters, regions, [[t for _, t in island] for island in islands])


def _assemble(
    source: Tokens,
    clusters: Sequence[Cluster],
    regions: Sequence[_Region],
    islands: Sequence[Sequence[Tokens]],
) -> ReferenceLattice:
    borders = [0, *(border for r in regions for border in (r.start, r.end)), len(source)]
    runs = tuple(source[a:b] for a, b in zip(borders[::2], borders[1::2], strict=True))
    # a replacement that would empty the sentence is skipped, which depends on all replacements
    later = [island for r, island in zip(regions, islands, strict=True) if r.start > 0]
    may_vanish = not any(runs) and all(() in island for island in later)
    if may_vanish and len(islands) > 1 and count_combinations(clusters) <= _WHOLE_SENTENCE:
        whole = _Region(0, len(source), tuple(clusters))
        alternatives = _alternatives(source, whole, is_last=True)
        return _assemble(source, clusters, [whole], [[t for _, t in alternatives]])
    left = tuple(len(source) - border for border in borders[1::2])
    return ReferenceLattice(runs, tuple(tuple(dict.fromkeys(island)) for island in islands), left)


def _join(regions: Sequence[_Region]) -> list[_Region]:
    joined: list[_Region] = []
    for region in sorted(regions, key=lambda r: (r.start, r.end)):
        if joined and joined[-1].touches(region):
            joined[-1] = joined[-1].joined(region)
        else:
            joined.append(region)
    return joined


def _alternatives(source: Tokens, region: _Region, *, is_last: bool) -> list[tuple[int, Tokens]]:
    """Return the alternatives of a region, each with the number of words used beyond it."""
    found: dict[tuple[int, Tokens], None] = {}
    for choices in itertools.product(*(cluster.choices for cluster in region.clusters)):
        replacements = [replacement for choice in choices for replacement in choice]
        if are_consistent(replacements):
            is_end = is_last and region.end == len(source)
            found[_replace_within(source, region, replacements, is_end=is_end)] = None
    return list(found) or [(0, source[region.start : region.end])]


def _replace_within(
    source: Tokens, region: _Region, replacements: Sequence[Replacement], *, is_end: bool
) -> tuple[int, Tokens]:
    words = list(source[region.start : region.end])
    is_all = is_end and region.start == 0
    room = 0 if is_end else sum(end - start for start, end, _ in replacements)
    words += [_BEYOND] * room
    for start, end, text in sorted(replacements, key=lambda r: r[:2], reverse=True):
        inside = slice(start - region.start, end - region.start)
        before = words[inside]
        words[inside] = text.split()
        if is_all and not words:
            words[:] = before
    left = words.count(_BEYOND)
    return room - left, tuple(word for word in words if word != _BEYOND)


_NLTK_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # opening quotes
        (r"`+", r" \g<0> "),
        (r'^"', r" `` "),
        (r"``", r" `` "),
        (r"""(?<=[ (\[{<])(?:"|'')""", r" `` "),
        (r"(?i)'(?!re|ve|ll|m|t|s|d)(\w)\b", r"' \1"),
        # punctuation inside and after words; a comma or colon before a digit belongs to the number
        (r"([^.])\.([\])}>\"' ]*)\s*$", r"\1 . \2 "),
        (r"([:,])(\D)", r" \1 \2"),
        (r"[:,]$", r" \g<0> "),
        (r"\.\.\.", r" ... "),
        (r"[;@#$%&?!]", r" \g<0> "),
        (r"(?<=[^'])' ", r" ' "),
        (r"[\]\[(){}<>]", r" \g<0> "),
        (r"--", r" -- "),
        # the following rules need a space on either side of each word
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

    The published converter of M2 files does so: ``known,the`` becomes three words. The rules are
    NLTK's for one sentence, in its order. NLTK first splits text into sentences; the results
    differ only if a correction has a full stop attached to a word, followed by another word.
    """
    if text.isalpha() and not text.lower().startswith(("can", "gim", "lem", "gon", "got", "wan")):
        return (text,)
    for pattern, replacement in _NLTK_RULES:
        text = pattern.sub(replacement, text)
    return tuple(text.split())
