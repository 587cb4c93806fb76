"""How far two annotators agree on edits, counted by hand."""

from __future__ import annotations

from redink.judging.edits import compare_annotators
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Sentence


def annotated(line: str, first: tuple[Edit, ...], second: tuple[Edit, ...]) -> AnnotatedSentence:
    both = (Annotation("0", first), Annotation("1", second))
    return AnnotatedSentence(Sentence.from_line(line), both)


def test_every_level_tells_who_changes_more() -> None:
    """Two sentences: the first annotator changes both, the second one word of the first."""
    corpus = Corpus(
        (
            annotated(
                "a b c",
                (Edit(0, 1, "x", "R:A"), Edit(1, 2, "y", "R:B")),
                (Edit(0, 1, "z", "R:A"),),
            ),
            annotated("d", (Edit(1, 1, "e", "M:A"),), ()),  # at the end: touches the last word
        )
    )
    found = {
        row.level: (row.both, row.first_only, row.second_only, row.agreement)
        for row in compare_annotators(corpus)
    }
    assert found == {
        "sentence": (1, 1, 0, 1 / 2),
        "token": (1, 2, 0, 2 / 4),
        "span": (1, 2, 0, 2 / 4),
        "correction": (0, 3, 1, 0),
        "type": (1, 0, 0, 1),
    }
