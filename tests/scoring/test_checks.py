"""What is probably wrong with the files is said, and nothing of files that are right."""

from __future__ import annotations

import pytest
from tests.scoring.corpora import hypotheses_of_text

from redink.errors import RedinkWarning
from redink.model import AnnotatedSentence, Corpus, References, Sentence
from redink.scoring.checks import warn_about_input

LINES = [f"{word} {word * 2} {word * 3} {word * 4}" for word in "abcdef"]


def references(lines: list[str]) -> References:
    return References(Corpus(tuple(AnnotatedSentence(Sentence.from_line(s), ()) for s in lines)))


def test_lines_without_a_full_stop_are_no_raw_text() -> None:
    """Titles, or Chinese: where no sentence ends in a mark, none sticks to a word."""
    assert warn_about_input(references(LINES), [hypotheses_of_text(LINES)]) == ()


@pytest.mark.parametrize("lines", [-2, -1, 1, 2])
def test_a_system_that_is_moved_is_suspected(lines: int) -> None:
    """By one line or two, up or down; it is told where its first line belongs."""
    moved = LINES[lines:] + LINES[:lines]
    first = max(0, -lines)
    with pytest.warns(RedinkWarning, match=f"misaligned: {6 - abs(lines)} sentences") as told:
        warn_about_input(references(LINES), [hypotheses_of_text(moved)])
    where = f"(line {first + 1} is near source line {first + lines + 1})"
    assert where in str(told[0].message)
