"""METEOR's alignment of the words of a hypothesis and a reference.

Words may match in several ways (modules): as equal words, by stem, or as synonyms. A word has at
most one partner. The best alignment has the most matched words, then the fewest chunks (runs of
words that are adjacent in both sentences), then the smallest distance between partners. The
original does a beam search from left to right through the reference, so it does not always find
the best alignment, and the first candidate wins a tie. Both are reproduced here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

BEAM = 40
"""How many partial alignments the original follows."""

_NOWHERE = -1  # after a word without a partner, no hypothesis word comes next
_ORDER = 20  # bits for the index of a branch, which breaks ties of rank
_PLACES = (1 << _ORDER) - 1


class WordMatch(NamedTuple):
    """A hypothesis word that can be, or is, the partner of a reference word."""

    hypothesis: int
    module: int


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence prepared for the modules.

    Attributes:
        tokens: the words.
        stems: the stem of every word, if stems are compared.
        senses: for every word, the synonym sets it belongs to, if synonyms are compared.
        function: for every word, whether it is a function word; not compared.
    """

    tokens: tuple[str, ...]
    stems: tuple[str, ...] | None = None
    senses: tuple[AbstractSet[Hashable], ...] | None = None
    function: tuple[bool, ...] = ()


def find_candidates(hypothesis: Words, reference: Words) -> list[list[WordMatch]]:
    """Return the possible partners of every reference word, by module, then from left to right."""
    candidates: list[list[WordMatch]] = [[] for _ in reference.tokens]
    for module, places in enumerate(_places_by_module(hypothesis, reference)):
        for found, word, here in zip(candidates, reference.tokens, places, strict=True):
            if module == 0:
                found += [WordMatch(place, 0) for place in here]
            # equal words match only by the first module; their stems are equal too
            elif module > 1 or len(here) > len(found):
                found += [WordMatch(at, module) for at in here if hypothesis.tokens[at] != word]
    return candidates


def _places_by_module(hypothesis: Words, reference: Words) -> Iterator[list[Sequence[int]]]:
    yield _places_of(hypothesis.tokens, reference.tokens)
    if hypothesis.stems is not None and reference.stems is not None:
        yield _places_of(hypothesis.stems, reference.stems)
    if hypothesis.senses is not None and reference.senses is not None:
        known = [(place, senses) for place, senses in enumerate(hypothesis.senses) if senses]
        yield [
            [place for place, theirs in known if not ours.isdisjoint(theirs)] if ours else ()
            for ours in reference.senses
        ]


def _places_of(keys: Sequence[str], wanted: Sequence[str]) -> list[Sequence[int]]:
    places: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return [places.get(key, ()) for key in wanted]


def align(hypothesis: Words, reference: Words, *, beam: int = BEAM) -> list[WordMatch | None]:
    """Return the partner of every reference word, or None."""
    if hypothesis.tokens == reference.tokens:
        # The beam always finds the diagonal: no other path ever ranks higher.
        return [WordMatch(place, 0) for place in range(len(reference.tokens))]
    candidates = find_candidates(hypothesis, reference)
    uses = [0] * len(hypothesis.tokens)
    for found in candidates:
        for match in found:
            uses[match.hypothesis] += 1
    aligned: list[WordMatch | None] = [
        found[0] if len(found) == 1 and uses[found[0].hypothesis] == 1 else None
        for found in candidates
    ]
    for place, match in _search(candidates, aligned, len(uses), beam):
        aligned[place] = match
    return aligned


# A partial alignment: its rank (lower is better; the last bits are reserved for the index of a
# branch), the hypothesis word that would continue its last chunk, the hypothesis words in use, and
# its choices, last one first.
_Choices = tuple[int, WordMatch, "_Choices"] | None
_Path = tuple[int, int, int, _Choices]


def _search(
    candidates: list[list[WordMatch]], settled: list[WordMatch | None], words: int, beam: int
) -> Iterator[tuple[int, WordMatch]]:
    # Matches outweigh chunks, and chunks outweigh distance. A word adds at most two chunks, and the
    # distances to all its partners.
    size = max(words, len(candidates)) + 1
    chunk = size**3 << _ORDER
    worth = chunk * (2 * size + 1)
    paths: list[_Path] = [(0, _NOWHERE, 0, None)]
    # If the next word is fixed or has no partner, all paths continue in the same way. The first
    # such word may end the chunk of one path and not of another; the words after it need no
    # comparison, and only the word that would continue the chunk is stored, for all paths.
    common: int | None = _NOWHERE
    for place, found in enumerate(candidates):
        match = settled[place]
        if match is None and found:
            # paths from another branch are already sorted
            paths = paths if common is None else _best(paths, beam)
            paths = _branch(paths, place, found, common, chunk, worth, beam)
            common = None
            continue
        if common is None:
            paths = _end_chunks(paths, match.hypothesis if match else _NOWHERE, chunk)
        common = match.hypothesis + 1 if match else _NOWHERE
    if common is None:
        paths = _end_chunks(paths, _NOWHERE, chunk)
    choices = _best(paths, beam)[0][3]
    while choices is not None:
        place, match, choices = choices
        yield place, match


def _best(paths: list[_Path], beam: int) -> list[_Path]:
    return sorted(paths, key=itemgetter(0))[:beam]


def _end_chunks(paths: list[_Path], start: int, chunk: int) -> list[_Path]:
    """Add a chunk to every path that the hypothesis word ``start`` does not continue."""
    return [
        path if path[1] in (start, _NOWHERE) else (path[0] + chunk, path[1], path[2], path[3])
        for path in paths
    ]


def _branch(
    paths: list[_Path],
    place: int,
    found: list[WordMatch],
    common: int | None,
    chunk: int,
    worth: int,
    beam: int,
) -> list[_Path]:
    """Extend each path by an unused match of the next word, or by none; return the best paths."""
    width = len(found) + 1
    # The change in rank of a path whose chunk each partner ends, with the partner's index; then the
    # same for a path without a chunk, and for one whose chunk this partner continues.
    ending = [
        (1 << start, abs(place - start) << _ORDER, (0 if module else -worth) + chunk + number)
        for number, (start, module) in enumerate(found)
    ]
    steps = {_NOWHERE: [(bit, far, change - chunk) for bit, far, change in ending]}
    for number, (start, _) in enumerate(found):
        own = steps.setdefault(start, list(ending))
        bit, far, change = ending[number]
        own[number] = (bit, far, change - chunk)
    ranked: list[int] = []
    first = 0
    for rank, own_next, used, _ in paths:
        following = own_next if common is None else common
        reached = rank + first
        # the original does not add the distance to the path that takes a partner but to those after
        # it, which take another partner or none
        for bit, far, change in steps.get(following, ending):
            if not used & bit:
                ranked.append(reached + change)
                reached += far
        ranked.append(reached + len(found) + (0 if following == _NOWHERE else chunk))
        first += width
    ranked.sort()
    branches: list[_Path] = []
    for key in ranked[:beam]:
        number = key & _PLACES
        of_path, which = divmod(number, width)
        _, _, used, choices = paths[of_path]
        if which == len(found):
            branches.append((key - number, _NOWHERE, used, choices))
        else:
            match = found[which]
            start = match[0]
            branches.append((key - number, start + 1, used | 1 << start, (place, match, choices)))
    return branches


def count_chunks(aligned: list[WordMatch | None]) -> int:
    """Count the runs of partners that are adjacent in both sentences."""
    chunks = 0
    following = _NOWHERE
    for match in aligned:
        if match is None:
            following = _NOWHERE
        else:
            chunks += match.hypothesis != following
            following = match.hypothesis + 1
    return chunks
