"""``from redink.compat import errant`` is the whole change in programs that use ``errant``."""

from __future__ import annotations

import random

import errant as original
import pytest
from errant.en import classifier
from tests.analysis.corruption import corrupt
from tests.compat.pipelines import spacy_pipeline

from redink.analysis.english.word_forms import default_lexicon
from redink.compat import errant
from redink.errors import OptionError

SENTENCES = [
    "This is a grammatical sentence .",
    "She enjoys swimming in the sea , but he does not like it at all .",
    "The informations that we had got was not enough for solve the problem .",
    "I have been living here since ten years and I still can n't speak well .",
    "Although it was raining , the children 's parents let them to play outside .",
]


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> original.annotator.Annotator:
    """The original with the pipeline and the word list that come with redink."""
    monkeypatch.setattr(classifier, "spell", default_lexicon())
    return original.load("en", spacy_pipeline())


def pairs(count: int) -> list[tuple[str, str]]:
    rng = random.Random(7)
    words = sorted({word for sentence in SENTENCES for word in sentence.split()})
    texts = [rng.choice(SENTENCES) for _ in range(count)]
    return [(text, " ".join(corrupt(tuple(text.split()), words, rng))) for text in texts]


def test_annotate_gives_the_same_edits(theirs: original.annotator.Annotator) -> None:
    """Every attribute and every text of an edit is the original's."""
    ours = errant.load("en")
    for text, other in pairs(60):
        edits = ours.annotate(ours.parse(text), ours.parse(other))
        expected = theirs.annotate(theirs.parse(text), theirs.parse(other))
        assert [vars_of(edit) for edit in edits] == [vars_of(edit) for edit in expected]


def vars_of(edit: errant.Edit) -> tuple[object, ...]:
    return (
        *(edit.o_start, edit.o_end, edit.o_str, edit.c_start, edit.c_end, edit.c_str, edit.type),
        *(str(edit), edit.to_m2(), edit.to_m2(3)),
        *([token.text for token in side] for side in (edit.o_toks, edit.c_toks)),
    )


@pytest.mark.parametrize("merging", ["rules", "all-split", "all-merge", "all-equal"])
def test_each_step_gives_the_same(merging: str, theirs: original.annotator.Annotator) -> None:
    ours = errant.load("en")
    for number, (text, other) in enumerate(pairs(12)):
        lev = bool(number % 2)
        mine = ours.align(ours.parse(text), ours.parse(other), lev)
        expected = theirs.align(theirs.parse(text), theirs.parse(other), lev)
        assert mine.align_seq == expected.align_seq
        merged = ours.merge(mine, merging)
        wanted = theirs.merge(expected, merging)
        assert [vars_of(edit) for edit in merged] == [vars_of(edit) for edit in wanted]
        typed = [ours.classify(edit).type for edit in merged]
        assert typed == [theirs.classify(edit).type for edit in wanted]


def test_raw_text_keeps_its_spaces(theirs: original.annotator.Annotator) -> None:
    """``parse(text, tokenise=True)`` cuts raw text, and an edit's text is that of the writer."""
    text, other = "He doesn't like it, I think.", "He does not like it; I think so."
    ours = errant.load("en")
    mine, expected = ours.parse(text, tokenise=True), theirs.parse(text, tokenise=True)
    assert [token.text for token in mine] == [token.text for token in expected]
    assert (mine.text, str(mine[1:3]), mine[2].idx) == (text, "doesn't", expected[2].idx)
    edits = ours.annotate(mine, ours.parse(other, tokenise=True))
    wanted = theirs.annotate(expected, theirs.parse(other, tokenise=True))
    assert [vars_of(edit) for edit in edits] == [vars_of(edit) for edit in wanted]


def test_import_edit(theirs: original.annotator.Annotator) -> None:
    text, other = "I likes to eat apple today", "I like to eat apples today"
    for places in ([0, 2, 0, 2], [3, 5, 3, 5, "OLD"], [4, 5, 4, 5]):
        for minimize in (True, False):
            for keep in (True, False):
                made = [
                    api.import_edit(api.parse(text), api.parse(other), places, minimize, keep)
                    for api in (errant.load("en"), theirs)
                ]
                assert vars_of(made[0]) == vars_of(made[1])
    ours = errant.load("en")
    with pytest.raises(OptionError, match="an edit must be"):
        ours.import_edit(ours.parse(text), ours.parse(other), [1, 2])


def test_tokens_know_what_spacy_knows() -> None:
    annotator = errant.load("en")
    doc = annotator.parse("The cats sat .")
    known = spacy_pipeline()("The cats sat .")
    for name in ("text", "lower_", "pos_", "tag_", "lemma_", "dep_", "i", "idx"):
        assert [getattr(t, name) for t in doc] == [getattr(t, name) for t in known], name
    assert [token.head.i for token in doc] == [token.head.i for token in known]
    assert [child.text for child in doc[2].children] == [child.text for child in known[2].children]
    assert doc[-1].text == "."
    assert doc.text == "The cats sat . "


def test_a_pipeline_and_documents_of_spacy_are_welcome() -> None:
    """A pipeline as ``nlp``, and documents that it made."""
    pipeline = spacy_pipeline()
    annotator = errant.load("en", pipeline)
    docs = [pipeline(text) for text in ("He go home", "He goes home")]
    assert [edit.type for edit in annotator.annotate(*docs)] == ["R:VERB:SVA"]


def test_what_is_unknown_is_refused() -> None:
    with pytest.raises(OptionError, match="nowhere"):
        errant.load("nowhere")
    annotator = errant.load("en")
    with pytest.raises(OptionError, match="unknown merging strategy"):
        annotator.annotate(annotator.parse("a"), annotator.parse("b"), merging="some")
