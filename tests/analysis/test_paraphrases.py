"""``--merge clause``: one paraphrase is one edit."""

from __future__ import annotations

import pytest

import redink


@pytest.mark.parametrize(
    ("source", "corrected", "spans"),
    [
        # six words have other lemmas: one edit; the clause after the comma keeps its own edits
        (
            "I have a desire for going there , but she like cat .",
            "I would like to go there , but she likes cats .",
            [(1, 6), (10, 11), (11, 12)],
        ),
        # other forms of the same words are no paraphrase
        ("She like cat and dog .", "She likes cats and dogs .", [(1, 2), (2, 3), (4, 5)]),
        # far apart: two rewritten words of five
        ("The big man saw a small cat .", "The large man saw a tiny cat .", [(1, 2), (5, 6)]),
    ],
)
def test_a_paraphrase_is_one_edit(
    source: str, corrected: str, spans: list[tuple[int, int]]
) -> None:
    found = redink.annotate(source, corrected, merge="clause")
    assert [(edit.start, edit.end) for edit in found] == spans
    assert redink.apply_edits(source.split(), found) == tuple(corrected.split())
