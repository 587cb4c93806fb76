"""How far two annotators agree on edits, counted by hand."""

from __future__ import annotations

from redink.judging.edit_agreement import compare_annotators
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Sentence


def annotated(line: str, first: tuple[Edit, ...], second: tuple[Edit, ...]) -> AnnotatedSentence:
    both = (Annotation("0", first), Annotation("1", second))
    return AnnotatedSentence(Sentence.from_line(line), both)


def test_every_level_tells_who_changes_more() -> None:
    corpus = Corpus(
        (
            annotated(
                "a b c", (Edit(0, 1, "x", "R:A"), Edit(1, 2, "y", "R:B")), (Edit(0, 1, "z", "R:A"),)
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


def test_absent_annotators_agree_or_did_not_read_the_sentence() -> None:
    """No annotation at all: nothing to correct. One annotation: the other agrees, or is skipped."""
    edit = Edit(0, 1, "x", "R:A")
    source = Sentence.from_line("a b")
    corpus = Corpus(
        (
            annotated("a b", (edit,), ()),
            AnnotatedSentence(source, (Annotation("1", (edit,)),)),
            AnnotatedSentence(source),
            AnnotatedSentence(source, (Annotation("0", (edit,)),), unannotatable=("1",)),
        )
    )
    skipped, agreed = (
        {row.level: row for row in compare_annotators(corpus, absent)}
        for absent in ("skip", "agree")
    )
    assert (skipped["sentence"].both, skipped["sentence"].agreement) == (0, 0)
    assert (agreed["sentence"].both, agreed["sentence"].first_only) == (1, 1)
    assert agreed["sentence"].agreement == 2 / 3
    assert (agreed["correction"].both, agreed["token"].agreement) == (1, 5 / 6)


def test_annotators_of_different_sentences_are_not_compared() -> None:
    corpus = Corpus(
        tuple(
            AnnotatedSentence(Sentence.from_line("a"), (Annotation(name),)) for name in ("0", "1")
        )
    )
    assert not compare_annotators(corpus, "agree")
