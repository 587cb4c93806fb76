"""What a unit is, and what edits change in terms of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.error_detection.units import (
    CharacterUnits,
    SentenceUnits,
    SlotUnits,
    SpanUnits,
    TargetUnits,
    TokenUnits,
    Units,
    noun_phrase_starts,
)
from redink.error_detection.writer_annotator_system import Sites, tally_sentence
from redink.errors import DataError, OptionError
from redink.model import UNKNOWN, Detection, Edit, Sentence

BOOK = Sentence.from_line("Book of my class inpired to me .")
COMMA = SlotUnits(frozenset({","}))


def changed(unit: Units, source: Sentence, *edits: Edit) -> set[object]:
    return set(unit.read(0, source, edits).forms)


def pattern_of(writer: object, annotator: object, system: object) -> str:
    """The row of figure 4 to which three forms belong: whose forms are equal."""
    if writer == annotator:
        return "xxx" if system == writer else "xxy"
    return "xyx" if system == writer else "xyy" if system == annotator else "xyz"


@pytest.mark.parametrize(
    ("insertions", "size", "expected"),
    [("right", 9, {0, 4, 5, 8}), ("gap", 17, {0, 9, 11, 16}), ("none", 8, {4, 5})],
)
def test_tokens_and_where_insertions_go(insertions: str, size: int, expected: set[int]) -> None:
    unit = TokenUnits(insertions=insertions)
    edits = [Edit(0, 0, "A"), Edit(4, 5, "inspired"), Edit(5, 6, ""), Edit(8, 8, "!")]
    assert len(unit.keys(0, BOOK)) == size
    assert changed(unit, BOOK, *edits) == expected


def test_every_token_of_an_edit_is_changed_to_the_whole_edit() -> None:
    unit = TokenUnits()
    ours = unit.read(0, BOOK, [Edit(1, 3, "in the")])
    same = unit.read(0, BOOK, [Edit(1, 3, "for", alternatives=("in the",))])
    other = unit.read(0, BOOK, [Edit(1, 2, "in"), Edit(2, 3, "the")])
    assert ours.forms.keys() == same.forms.keys() == other.forms.keys() == {1, 2}
    assert tally_sentence(Sites(9), same, ours).xyy == 2
    assert tally_sentence(Sites(9), other, ours).xyz == 2


@pytest.mark.parametrize("unit", [TokenUnits(), SpanUnits(), CharacterUnits(), SentenceUnits()])
def test_an_error_without_correction_is_found_but_never_corrected(unit: Units) -> None:
    annotator = unit.read(0, BOOK, [Edit(1, 2, "", UNKNOWN)])
    system = unit.read(0, BOOK, [Edit(1, 2, "")])
    tally = tally_sentence(Sites(None), annotator, system)
    assert annotator.forms
    assert tally.xyy == 0
    assert tally.xyz == len(annotator.forms)


def test_spans_have_no_negatives() -> None:
    unit = SpanUnits()
    assert unit.keys(0, BOOK) is None
    assert changed(unit, BOOK, Edit(0, 0, "A"), Edit(4, 6, "inspired")) == {(0, 0), (4, 6)}
    with pytest.raises(OptionError, match="no spans"):
        unit.flag(0, BOOK, [False] * 8)


def test_characters_are_changed_only_where_they_differ() -> None:
    unit = CharacterUnits()
    text = str(BOOK)
    edits = [Edit(4, 5, "inspired"), Edit(5, 6, "")]
    assert len(unit.keys(0, BOOK)) == len(text) + 1
    reading = unit.read(0, BOOK, edits)
    p, t = text.index("pired"), text.index("to")
    assert reading.forms == {p: {"sp"}, t: {""}, t + 1: {""}}


def test_the_form_of_a_character_does_not_depend_on_the_span_of_the_edit() -> None:
    source = Sentence.from_line("He go to bed")
    unit = CharacterUnits()
    narrow, wide = (
        unit.read(0, source, [Edit(1, 2, "goes")]),
        unit.read(0, source, [Edit(1, 3, "goes to")]),
    )
    assert narrow.forms == wide.forms == {5: {"es "}}
    assert unit.read(0, source, [Edit(4, 4, ".")]).forms == {12: {" ."}}


def test_characters_of_raw_text() -> None:
    source = Sentence(("do", "n't"), "don't", ((0, 2), (2, 5)))
    unit = CharacterUnits()
    assert len(unit.keys(0, source)) == 6
    assert changed(unit, source, Edit(1, 2, "n’t")) == {3}


words = st.lists(st.sampled_from(["a", "bc", "bd", ","]), min_size=1, max_size=5)


@given(words, words, words)
def test_sentences_are_compared_by_their_whole_text(
    writer: list[str], annotator: list[str], system: list[str]
) -> None:
    """A sentence is one unit of figure 4, its text being the form."""
    unit = SentenceUnits()
    source = Sentence(tuple(writer))
    gold = unit.read(0, source, [Edit(0, len(writer), " ".join(annotator))])
    ours = unit.read_text(source, Sentence(tuple(system)))
    tally = tally_sentence(Sites(1), gold, ours)
    assert getattr(tally, pattern_of(writer, annotator, system)) == 1


def test_a_sentence_may_have_several_right_texts() -> None:
    unit = SentenceUnits()
    gold = unit.read(0, BOOK, [Edit(0, 1, "A book", alternatives=("Books",)), Edit(5, 6, "")])
    books = Sentence.from_line("Books of my class inpired me .")
    assert tally_sentence(Sites(1), gold, unit.read_text(BOOK, books)).xyy == 1


def test_targets_are_compared_by_what_stands_there() -> None:
    source = Sentence.from_line("Every day we go in the school .")
    unit = TargetUnits((((4, 5), (6, 7)),), "prepositions and nouns")
    reading = unit.read(0, source, [Edit(4, 7, "to school")])
    assert reading.forms == {(4, 5): {("to",)}}
    either = unit.read(0, source, [Edit(4, 7, "to school", alternatives=("at school",))])
    assert either.forms == {(4, 5): {("to",), ("at",)}}


def test_edits_outside_the_targets_are_left_out() -> None:
    unit = TargetUnits((((1, 2), (4, 4)),), "chosen")
    assert changed(unit, BOOK, Edit(0, 1, "Books"), Edit(1, 1, "out")) == set()
    assert changed(unit, BOOK, Edit(4, 4, "has")) == {(4, 4)}


@given(st.lists(st.tuples(st.sampled_from("abc"), *[st.booleans()] * 3), min_size=1, max_size=8))
def test_comma_slots_are_the_papers_figure_3(places: list[tuple[str, bool, bool, bool]]) -> None:
    texts = [
        [t for word, *commas in places for t in ([word, ","] if commas[who] else [word])]
        for who in range(3)
    ]
    source = Sentence(tuple(texts[0]))

    def edits_to(target: int) -> list[Edit]:
        edits, position = [], 0
        for _, *commas in places:
            position += 1
            if commas[0] and not commas[target]:
                edits.append(Edit(position, position + 1, ""))
            elif commas[target] and not commas[0]:
                edits.append(Edit(position, position, ","))
            position += commas[0]
        return edits

    slots = len(COMMA.keys(0, source))
    assert slots == len(places) + 1  # before every word, and at the end
    tally = tally_sentence(
        Sites(slots), COMMA.read(0, source, edits_to(1)), COMMA.read(0, source, edits_to(2))
    )
    rows = [pattern_of(*commas) for _, *commas in places]
    assert tally.counts() == tally.counts("correction")
    assert tally.xxx == rows.count("xxx") + 1
    assert (tally.xxy, tally.xyx, tally.xyy) == tuple(map(rows.count, ("xxy", "xyx", "xyy")))


def test_a_comma_inside_a_longer_edit_is_found_in_its_slot() -> None:
    source = Sentence.from_line("He came and left")
    assert COMMA.read(0, source, [Edit(2, 3, ", and")]).forms == {2: {(",",)}}
    articles = SlotUnits(frozenset({"a", "the"}))
    upper = Sentence.from_line("The dog barks")
    assert articles.read(0, upper, [Edit(0, 1, "the")]).forms == {}
    assert articles.read(0, upper, [Edit(0, 1, "A")]).forms == {0: {("a",)}}


def test_the_site_of_a_unit() -> None:
    assert TokenUnits().site(0, BOOK, 3) == 3
    assert TokenUnits().site(0, BOOK, 8) is None
    assert TokenUnits(insertions="gap").site(0, BOOK, 6) == 3
    assert CharacterUnits().site(0, BOOK, 5) == 1
    assert CharacterUnits().site(0, BOOK, 4) is None
    source = Sentence.from_line("well , yes")
    assert [COMMA.site(0, source, key) for key in COMMA.keys(0, source)] == [0, 2, None]
    assert TargetUnits((((1, 3),),), "x").site(0, BOOK, (1, 3)) == 1


def test_flags_and_probabilities_of_tokens() -> None:
    source = Sentence.from_line("he go to home")
    found = Detection(source.tokens, (False, True, False, False), (0.1, 0.9, 0.3, 0.2))
    targets = TargetUnits((((1, 3), (3, 4), (2, 2)),), "x")
    assert set(targets.flag(0, source, found.flags).forms) == {(1, 3)}
    assert targets.score(0, source, found) == {(1, 3): 0.9, (3, 4): 0.2, (2, 2): 0.3}
    assert set(TokenUnits().flag(0, source, found.flags).forms) == {1}
    assert SentenceUnits().score(0, source, found) == {0: 0.9}
    assert set(SentenceUnits().flag(0, source, found.flags).forms) == {0}
    assert set(CharacterUnits().flag(0, source, found.flags).forms) == {3, 4}
    assert CharacterUnits().score(0, source, found)[3] == 0.9
    assert SpanUnits().score(0, source, found) is None
    bare = Detection(source.tokens, found.flags)
    with pytest.raises(DataError, match="probability"):
        TokenUnits().score(0, source, bare)
    with pytest.raises(OptionError, match="slot"):
        COMMA.flag(0, source, found.flags)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("She/PRP sold/VBD the/DT big/JJ red/JJ books/NNS of/IN my/PRP$ class/NN ./.", {3}),
        ("My/PRP$ class/NN slept/VBD", set()),
        ("These/DT two/CD books/NNS and/CC that/DT one/NN", set()),
        ("books/NNS that/WDT students/NNS read/VBP", {0, 2}),
        ("Every/DT student/NN read/VBD all/PDT the/DT books/NNS", {1, 5}),
        ("whose/WP$ teacher/NN 's/POS book/NN", set()),
        ("teacher/NN 's/POS new/JJ book/NN", {0}),
        ("it/PRP 's/POS book/NN", set()),
        ("this/DT is/VBZ red/JJ", set()),
        ("", set()),
    ],
)
def test_a_noun_phrase_has_one_slot_unless_a_determiner_excludes_articles(
    sentence: str, expected: set[int]
) -> None:
    pairs = [token.rsplit("/", 1) for token in sentence.split()]
    tokens, tags = (tuple(pair[side] for pair in pairs) for side in (0, 1))
    assert noun_phrase_starts(tokens, tags) == expected
