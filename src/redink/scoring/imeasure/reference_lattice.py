"""All mixed references of a sentence in a small space: fixed words and islands of alternatives.

Clusters whose words do not overlap can be decided one by one, so a sentence with 34 of them has 34
*islands* with two or three alternatives each, not 2^34 references. Clusters that overlap form one
island, because the published program applies their edits one after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from redink.scoring.imeasure.gold_references import (
    Choice,
    Cluster,
    Replacement,
    Tokens,
    are_consistent,
    count_combinations,
)

_WHOLE_SENTENCE = 4096  # references of a sentence that could lose all its words
_BEYOND = "\0"  # stands for a word after the island, which replacements inside must not reach


@dataclass(frozen=True, slots=True)
class ReferenceLattice:
    """References as alternating parts: ``runs[0] islands[0] runs[1] ... runs[-1]``.

    Attributes:
        runs: words that are in every reference; may be empty.
        islands: the different word sequences that may stand there, each perhaps empty.
        left: how many words of the source follow each run.
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
    """Whether replacements in it use up what stands after it."""

    def touches(self, other: _Region) -> bool:
        if self.start == self.end == other.start == other.end:
            return True
        return other.start < self.end or (self.is_greedy and other.start == self.end)

    def joined(self, other: _Region) -> _Region:
        return _Region(
            min(self.start, other.start), max(self.end, other.end), self.clusters + other.clusters
        )


def make_lattice(source: Tokens, clusters: Sequence[Cluster]) -> ReferenceLattice:
    """The lattice of all mixed references."""
    regions = _join([_region(cluster) for cluster in clusters])
    while True:
        islands = [
            _alternatives(source, region, is_last=region is regions[-1]) for region in regions
        ]
        reach = [max(beyond for beyond, _ in island) for island in islands]
        if not any(reach):
            break
        # an island whose replacements reach further than its words grows by as many
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
    # a replacement that would empty the sentence is not done: that depends on all of them
    later = [island for r, island in zip(regions, islands, strict=True) if r.start > 0]
    may_vanish = not any(runs) and all(() in island for island in later)
    if may_vanish and len(islands) > 1 and count_combinations(clusters) <= _WHOLE_SENTENCE:
        whole = _Region(0, len(source), tuple(clusters))
        alternatives = _alternatives(source, whole, is_last=True)
        return _assemble(source, clusters, [whole], [[t for _, t in alternatives]])
    left = tuple(len(source) - border for border in borders[1::2])
    return ReferenceLattice(runs, tuple(tuple(dict.fromkeys(island)) for island in islands), left)


def _region(cluster: Cluster) -> _Region:
    spans = [(start, end) for _, choice in cluster.by_annotator for start, end, _ in choice]
    return _Region(min(s for s, _ in spans), max(e for _, e in spans), (cluster,))


def _join(regions: Sequence[_Region]) -> list[_Region]:
    joined: list[_Region] = []
    for region in sorted(regions, key=lambda r: (r.start, r.end)):
        if joined and joined[-1].touches(region):
            joined[-1] = joined[-1].joined(region)
        else:
            joined.append(region)
    return joined


def _alternatives(source: Tokens, region: _Region, *, is_last: bool) -> list[tuple[int, Tokens]]:
    """The alternatives of a region, each with how many words beyond it were used up."""
    found: dict[tuple[int, Tokens], None] = {}
    options: list[tuple[Choice, ...]] = [cluster.choices for cluster in region.clusters]
    for choices in itertools.product(*options):
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
