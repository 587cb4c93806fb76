"""When steps of an alignment are one edit in any language.

What can be told apart stays apart: a word and another form of it, a mark of punctuation, a
function word and another of its kind are edits of their own. The rest of a run is one edit, since
which word replaces which is a guess there.
"""

from __future__ import annotations

from redink.analysis.align import Step
from redink.analysis.analyzer import Analysis
from redink.analysis.merge import Cut, Run
from redink.analysis.universal.change import CONTENT, are_kindred, are_related, bare_letters


class UniversalMerging:
    """The rules over one sentence and its correction."""

    def __init__(self, source: Analysis, corrected: Analysis, *, fixed: bool) -> None:
        del fixed  # there is no original to be mended
        self._source = source
        self._corrected = corrected

    def is_one_edit(self, run: Run) -> bool:
        """Unless words only replace words, one by one."""
        return any(step.operation != "S" for step in run)

    def decide(self, run: Run, operations: str, first: int, last: int) -> Cut | None:
        """What the first rule that fits this window makes of the run."""
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        source, corrected = self._source, self._corrected
        # spaces, hyphens and apostrophes only [foto graf -> fotograf]
        joined = bare_letters(source.lower[start:end])
        if joined == bare_letters(corrected.lower[to_start:to_end]) != "":
            return Cut(first, last + 1)
        # a capital that moved [Bilen -> Den bilen]
        if (
            first == 0
            and 1 in (end - start, to_end - to_start)
            and source.lower[end - 1] == corrected.lower[to_end - 1]
            and source.tokens[start][0].isupper()
            and corrected.tokens[to_start][0].isupper()
        ):
            return Cut(first, last + 1)
        if last - first == 1:
            for place in (first, last):
                # What is inserted at one place is one edit.
                if not self._is_among_insertions(operations, place) and (
                    self._stands_alone(run[place])
                ):
                    return Cut(place, place + 1)
        return None

    def _stands_alone(self, step: Step) -> bool:
        source, corrected = self._source.pos, self._corrected.pos
        if step.operation != "S":
            words = (*source[step.start : step.end], *corrected[step.to_start : step.to_end])
            return "PUNCT" in words
        ours, theirs = source[step.start], corrected[step.to_start]
        if ours not in CONTENT and are_kindred(ours, theirs):
            return True
        return are_related(self._source, step.start, self._corrected, step.to_start)

    @staticmethod
    def _is_among_insertions(operations: str, place: int) -> bool:
        return operations[place] == "I" and "II" in operations[max(place - 1, 0) : place + 2]
