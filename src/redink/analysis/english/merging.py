"""When steps of an alignment are one edit in English: the rules of ERRANT 3.0.2, in their order."""

from __future__ import annotations

from string import punctuation

from rapidfuzz.distance.Indel import normalized_distance

from redink.analysis.analyzer import Analysis
from redink.analysis.merge import Cut, Run

_CONTENT = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
_VERBAL = frozenset({"AUX", "PART", "VERB"})
_SIMILAR = 0.75
_IGNORED_IN_SPELLING = str.maketrans("", "", "'-")
_PUNCTUATION = frozenset(punctuation)


class EnglishMerging:
    """The rules over one sentence and its correction."""

    def __init__(self, source: Analysis, corrected: Analysis, *, fixed: bool) -> None:
        self._source = source
        self._corrected = corrected
        self._fixed = fixed

    def is_one_edit(self, run: Run) -> bool:
        """With a word of content on either side, what touches is one edit."""
        source = self._source.pos[run[0].start : run[-1].end]
        corrected = self._corrected.pos[run[0].to_start : run[-1].to_end]
        return not (_CONTENT.isdisjoint(source) and _CONTENT.isdisjoint(corrected))

    def decide(self, run: Run, operations: str, first: int, last: int) -> Cut | None:  # noqa: PLR0911 (one return a rule)
        """What the first rule that fits this window makes of the run."""
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        source, corrected = self._source, self._corrected
        # possessive endings: alone at the beginning, else with the word before
        # [friends -> friend 's]
        if first == 0 and "POS" in (source.tag[start], corrected.tag[to_start]):
            return 0, 1
        if "POS" in (source.tag[end - 1], corrected.tag[to_end - 1]):
            return last - 1, last + 1
        size, to_size = end - start, to_end - to_start
        if source.lower[end - 1] == corrected.lower[to_end - 1]:
            # a capital that moved [Cat -> The big cat], with punctuation before it [, we -> . We]
            if first == 0 and (
                (size == 1 and corrected.tokens[to_start][0].isupper())
                or (to_size == 1 and source.tokens[start][0].isupper())
            ):
                return first, last + 1
            if (size > 1 and self._is_punctuation(source, end - 2)) or (
                to_size > 1 and self._is_punctuation(corrected, to_end - 2)
            ):
                return last - 1, last + 1
        # spaces and hyphens only [acat -> a cat], [sub - way -> subway]
        joined = "".join(source.lower[start:end]).translate(_IGNORED_IN_SPELLING)
        if joined == "".join(corrected.lower[to_start:to_end]).translate(_IGNORED_IN_SPELLING):
            return first, last + 1
        # one part of speech, or verbs with their auxiliaries and particles [to eat -> eating]
        if size != to_size:
            pos = {*source.pos[start:end], *corrected.pos[to_start:to_end]}
            if len(pos) == 1 or pos <= _VERBAL:
                return first, last + 1
        return self._decide_pair(run, operations, first, last) if last - first == 1 else None

    def _decide_pair(self, run: Run, operations: str, first: int, last: int) -> Cut | None:
        """The rules that split, for two neighbouring steps."""
        source, corrected = self._source, self._corrected
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        if (
            (end - start == 2 and to_end - to_start == 2)
            or (operations[first] == "S" and self._is_similar(start, to_start))
            or (operations[last] == "S" and self._is_similar(end - 1, to_end - 1))
        ):
            return last, last
        # a determiner at the end stands alone
        if last == len(run) - 1 and (
            (operations[-1] in "DS" and source.pos[end - 1] == "DET")
            or (operations[-1] in "IS" and corrected.pos[to_end - 1] == "DET")
        ):
            return last, last + 1
        return None

    def _is_similar(self, index: int, to_index: int) -> bool:
        distance = normalized_distance(self._source.tokens[index], self._corrected.tokens[to_index])
        return 1 - distance > _SIMILAR

    def _is_punctuation(self, sentence: Analysis, index: int) -> bool:
        if sentence.pos[index] == "PUNCT":
            return True
        word = sentence.tokens[index]
        # The original looks for the word anywhere in a string of all marks, so that "()" is
        # punctuation and ")(" is not.
        return _PUNCTUATION.issuperset(word) if self._fixed else word in punctuation
