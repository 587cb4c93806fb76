"""Edits of two readers that make the same text: one segmentation for both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice, product
from math import inf

from redink.model import UNCORRECTED, Edit, apply_edits

Edits = tuple[Edit, ...]
_MOST_ALTERNATIVES = 256  # maximum number of combinations of alternatives to try
_LARGEST_PART = 16  # edits of both readers that are compared with each other


def share_edits(tokens: Sequence[str], annotator: Edits, system: Edits) -> tuple[Edits, Edits]:
    """Return the edits of both readers, with the annotator's wherever both make the same text.

    An annotator may mark *with → to the* as one edit where a system has *with → to* and *→ the*.
    If the two corrected sentences are equal, the system gets all edits of the annotator. Otherwise
    it gets the annotator's edits inside every run of touching edits that both readers correct in
    the same way. Of several allowed corrections, only the one that the system has is returned.
    Edits that mark an error without correcting it stay as they are.
    """
    theirs, ours = _corrections(annotator), _corrections(system)
    if _spans(theirs) == _spans(ours) and not any(edit.alternatives for edit in theirs):
        return annotator, system
    same = _find_equal(tokens, theirs, ours)
    pairs = [(same, same)] if same is not None else list(_share_runs(tokens, theirs, ours))
    return (
        (*_marks(annotator), *(edit for kept, _ in pairs for edit in kept)),
        (*_marks(system), *(edit for _, kept in pairs for edit in kept)),
    )


def differ_in_edits_only(tokens: Sequence[str], annotator: Edits, system: Edits) -> bool:
    """Return whether two readers make the same sentence by different edits."""
    theirs, ours = _corrections(annotator), _corrections(system)
    same = _find_equal(tokens, theirs, ours)
    return same is not None and _spans(same) != _spans(ours)


def _corrections(edits: Iterable[Edit]) -> Edits:
    kept = (edit for edit in edits if edit.type not in UNCORRECTED)
    return tuple(sorted(kept, key=lambda edit: (edit.start, edit.end)))


def _marks(edits: Iterable[Edit]) -> Edits:
    return tuple(edit for edit in edits if edit.type in UNCORRECTED)


def _spans(edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    return [(edit.start, edit.end, edit.correction) for edit in edits]


def _find_equal(tokens: Sequence[str], theirs: Edits, ours: Edits) -> Edits | None:
    """Return the annotator's edits that give the same text as the system's, or None."""
    text = apply_edits(tokens, ours)
    choices = product(*(edit.corrections for edit in theirs))
    for chosen in islice(choices, _MOST_ALTERNATIVES):
        made = tuple(
            edit
            if correction == edit.correction and not edit.alternatives
            else replace(edit, correction=correction, alternatives=())
            for edit, correction in zip(theirs, chosen, strict=True)
        )
        if apply_edits(tokens, made) == text:
            return made
    return None


def _share_runs(tokens: Sequence[str], theirs: Edits, ours: Edits) -> Iterator[tuple[Edits, Edits]]:
    """Divide the edits where no edit of either reader touches the next, and share each run."""
    runs: list[list[int]] = []
    for start, end in sorted((edit.start, edit.end) for edit in (*theirs, *ours)):
        if runs and start <= runs[-1][1]:
            runs[-1][1] = max(end, runs[-1][1])
        else:
            runs.append([start, end])
    for start, end in runs:
        inside = (
            tuple(edit for edit in edits if start <= edit.start <= end) for edits in (theirs, ours)
        )
        yield from _share_run(tokens, *inside)


def _share_run(tokens: Sequence[str], theirs: Edits, ours: Edits) -> Iterator[tuple[Edits, Edits]]:
    """Divide a run into parts that both readers correct in the same way, and the rest."""
    boundaries = _list_boundaries(theirs, ours)
    done, our_done = 0, 0
    for number, (first, our_first) in enumerate(boundaries):
        if first < done or our_first < our_done:
            continue
        for last, our_last in boundaries[number + 1 :]:
            if last - first + our_last - our_first > _LARGEST_PART:
                break
            if last <= first or our_last <= our_first:
                continue
            same = _find_equal(tokens, theirs[first:last], ours[our_first:our_last])
            if same is not None:
                yield theirs[done:first], ours[our_done:our_first]
                yield same, same
                done, our_done = last, our_last
                break
    yield theirs[done:], ours[our_done:]


def _list_boundaries(theirs: Edits, ours: Edits) -> list[tuple[int, int]]:
    """List where both readers' edits can be divided: no edit before it reaches beyond it.

    A boundary is the number of edits before it, of each reader; those with few edits come first.
    """
    # how far the first 0, 1, 2, … edits reach
    reached, our_reached = (
        list(accumulate((edit.end for edit in edits), max, initial=0)) for edits in (theirs, ours)
    )
    starts, our_starts = ([*(e.start for e in edits), inf] for edits in (theirs, ours))
    found = [
        (index, our_index)
        for index, our_index in product(range(len(starts)), range(len(our_starts)))
        if max(reached[index], our_reached[our_index]) <= min(starts[index], our_starts[our_index])
    ]
    return sorted(found, key=lambda boundary: (sum(boundary), boundary))
