"""The rules of ERRANT 3.0.2 that merge alignment steps into English edits, in their order."""

from __future__ import annotations

from string import punctuation

from rapidfuzz.distance.Indel import normalized_distance

from redink.analysis.analyzer import Analysis, Tokens
from redink.analysis.edit_extraction import MergeDecision, Run

_VERBAL = frozenset({"AUX", "PART", "VERB"})
_SIMILAR = 0.75
_IGNORED_IN_SPELLING = str.maketrans("", "", "'-")
_PUNCTUATION = frozenset(punctuation)


class EnglishMerging:
    """The rules for one sentence and its correction."""

    content = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
    phrase = _VERBAL
    splits_possessive = True
    capitals_anywhere = False

    def __init__(self, source: Analysis, corrected: Analysis, *, fixed: bool) -> None:
        self._source = source
        self._corrected = corrected
        self._fixed = fixed

    def is_one_edit(self, run: Run) -> bool:
        """Return whether a run has a content word on one side, so that its steps are one edit."""
        source = self._source.pos[run[0].start : run[-1].end]
        corrected = self._corrected.pos[run[0].to_start : run[-1].to_end]
        return not (self.content.isdisjoint(source) and self.content.isdisjoint(corrected))

    def decide(  # noqa: PLR0911 (one return per rule)
        self, run: Run, operations: str, first: int, last: int
    ) -> MergeDecision | None:
        """Return the decision of the first rule that applies to this window."""
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        source, corrected = self._source, self._corrected
        # possessive endings: separate at the beginning, otherwise with the previous word
        # [friends -> friend 's]
        if (
            self.splits_possessive
            and first == 0
            and "POS" in (source.tag[start], corrected.tag[to_start])
        ):
            return MergeDecision(0, 1)
        if "POS" in (source.tag[end - 1], corrected.tag[to_end - 1]):
            return MergeDecision(last - 1, last + 1)
        size, to_size = end - start, to_end - to_start
        if source.lower[end - 1] == corrected.lower[to_end - 1]:
            # a moved capital [Cat -> The big cat], with punctuation before it [, we -> . We]
            longer = size == 1 and corrected.tokens[to_start][0].isupper()
            shorter = to_size == 1 and source.tokens[start][0].isupper()
            if self.capital_moves(first, longer=longer, shorter=shorter):
                return MergeDecision(first, last + 1, loses_start=True)
            if (size > 1 and self._is_punctuation(source, end - 2)) or (
                to_size > 1 and self._is_punctuation(corrected, to_end - 2)
            ):
                return MergeDecision(last - 1, last + 1)
        # spaces and hyphens only [acat -> a cat], [sub - way -> subway]
        joined = self.bare_letters(source.lower[start:end])
        if joined == self.bare_letters(corrected.lower[to_start:to_end]):
            return MergeDecision(first, last + 1)
        # the same part of speech, or verbs with auxiliaries and particles [to eat -> eating]
        pos = {*source.pos[start:end], *corrected.pos[to_start:to_end]}
        if self.are_one_phrase(pos, same_size=size == to_size):
            return MergeDecision(first, last + 1)
        return self._decide_pair(run, operations, first, last) if last - first == 1 else None

    def _decide_pair(
        self, run: Run, operations: str, first: int, last: int
    ) -> MergeDecision | None:
        source, corrected = self._source, self._corrected
        start, end = run[first].start, run[last].end
        to_start, to_end = run[first].to_start, run[last].to_end
        if (
            (end - start == 2 and to_end - to_start == 2)
            or (operations[first] == "S" and self._is_similar(start, to_start))
            or (operations[last] == "S" and self._is_similar(end - 1, to_end - 1))
        ):
            return MergeDecision(last, last)
        # a determiner at the end is a separate edit
        if last == len(run) - 1 and (
            (operations[-1] in "DS" and source.pos[end - 1] == "DET")
            or (operations[-1] in "IS" and corrected.pos[to_end - 1] == "DET")
        ):
            return MergeDecision(last, last + 1)
        return None

    @staticmethod
    def bare_letters(words: Tokens) -> str:
        """Return the letters without spaces, hyphens and apostrophes."""
        return "".join(words).translate(_IGNORED_IN_SPELLING)

    def may_close(self, end: int, to_end: int) -> bool:
        """Return whether a window ends with a possessive ending, or a word after a mark."""
        source, corrected = self._source, self._corrected
        if "POS" in (source.tag[end - 1], corrected.tag[to_end - 1]):
            return True
        return source.lower[end - 1] == corrected.lower[to_end - 1] and (
            (end > 1 and self._is_punctuation(source, end - 2))
            or (to_end > 1 and self._is_punctuation(corrected, to_end - 2))
        )

    @staticmethod
    def capital_moves(first: int, *, longer: bool, shorter: bool) -> bool:
        """Return whether a window is one edit because the case of its last word changes."""
        return first == 0 and (longer or shorter)

    @staticmethod
    def are_one_phrase(pos: set[str], *, same_size: bool) -> bool:
        """Return whether words with these parts of speech are one edit."""
        return not same_size and (len(pos) == 1 or pos <= _VERBAL)

    @staticmethod
    def are_similar(one: str, other: str) -> bool:
        """Return whether two words are similar enough for a replacement."""
        return 1 - normalized_distance(one, other) > _SIMILAR

    def _is_similar(self, index: int, to_index: int) -> bool:
        return self.are_similar(self._source.tokens[index], self._corrected.tokens[to_index])

    def _is_punctuation(self, sentence: Analysis, index: int) -> bool:
        if sentence.pos[index] == "PUNCT":
            return True
        word = sentence.tokens[index]
        # ERRANT searches for the word in a string of all marks, so that "()" is punctuation and
        # ")(" is not.
        return _PUNCTUATION.issuperset(word) if self._fixed else word in punctuation
