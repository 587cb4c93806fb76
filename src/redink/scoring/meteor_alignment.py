"""METEOR's alignment of the words of a hypothesis and a reference.

Words may match in several ways (modules): they are equal, their stems are, or they are synonyms.
A word has at most one partner. The best alignment has the most equal words, then the fewest chunks
(runs of words that are neighbors in both sentences), then the closest partners. The original
searches with a beam from left to right through the reference, so it does not always find the best,
and a tie goes to the first candidate. Both belong to the published scores and are reproduced here.
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
_ORDER = 20  # bits for the place of a branch among all, which decides where ranks are equal
_PLACES = (1 << _ORDER) - 1


class WordMatch(NamedTuple):
    """A hypothesis word that can be, or is, the partner of a reference word."""

    hypothesis: int
    module: int


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence as the modules see it.

    Attributes:
        tokens: the words.
        stems: their stems, if stems are compared.
        senses: for every word the synonym sets it belongs to, if synonyms are compared.
        function: for every word whether it is a function word; not compared.
    """

    tokens: tuple[str, ...]
    stems: tuple[str, ...] | None = None
    senses: tuple[AbstractSet[Hashable], ...] | None = None
    function: tuple[bool, ...] = ()


def find_candidates(hypothesis: Words, reference: Words) -> list[list[WordMatch]]:
    """The possible partners of every reference word, by module and then from left to right."""
    candidates: list[list[WordMatch]] = [[] for _ in reference.tokens]
    for module, places in enumerate(_places_by_module(hypothesis, reference)):
        for found, word, here in zip(candidates, reference.tokens, places, strict=True):
            if module == 0:
                found += [WordMatch(place, 0) for place in here]
            # equal words match by the first module alone; they have equal stems
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
    """The partner of every reference word, None where it has none."""
    if hypothesis.tokens == reference.tokens:
        # The beam always finds the diagonal: no other path ever ranks before it.
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


# A partial alignment: its rank (the lower the better; the last bits are left for the place of a
# branch), the hypothesis word that would continue its last chunk, the hypothesis words in use, and
# its choices, the last one first.
_Choices = tuple[int, WordMatch, "_Choices"] | None
_Path = tuple[int, int, int, _Choices]


def _search(
    candidates: list[list[WordMatch]], settled: list[WordMatch | None], words: int, beam: int
) -> Iterator[tuple[int, WordMatch]]:
    # More matches outweigh fewer chunks, which outweigh a shorter distance. A word adds at most
    # two chunks, and the distances to all its partners.
    size = max(words, len(candidates)) + 1
    chunk = size**3 << _ORDER
    worth = chunk * (2 * size + 1)
    paths: list[_Path] = [(0, _NOWHERE, 0, None)]
    # Where the next word is settled or has no partner, all paths go on alike. The first such word
    # may end the chunk of one path and not of another; for those after it there is nothing to
    # compare, and only what would continue the chunk is kept, for all of them.
    common: int | None = _NOWHERE
    for place, found in enumerate(candidates):
        match = settled[place]
        if match is None and found:
            # straight from another branch they are in order already
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
    """Every path, one chunk longer if the hypothesis word ``start`` does not continue its last."""
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
    """The best of every path with every partner that is still free for it, and without."""
    width = len(found) + 1
    # What each partner does to the rank of a path whose chunk it ends, with its number; then the
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
        # the original adds the distance not to the path that takes a partner but to those after
        # it, which take another one or none
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
    """How many runs of partners are neighbors in both sentences."""
    chunks = 0
    following = _NOWHERE
    for match in aligned:
        if match is None:
            following = _NOWHERE
        else:
            chunks += match.hypothesis != following
            following = match.hypothesis + 1
    return chunks
