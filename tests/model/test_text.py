"""Sentences, and the way between tokens and characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.errors import DataError
from redink.model import Sentence

#        0123456789012345
RAW = "He said: don't!"
RAW_SENTENCE = Sentence.from_text(RAW, [(0, 2), (3, 7), (7, 8), (9, 11), (11, 14), (14, 15)])


@st.composite
def raw_sentences(draw: st.DrawFn) -> Sentence:
    text, offsets = "", []
    for token in draw(st.lists(st.text("abc.,", min_size=1, max_size=4), max_size=6)):
        text += draw(st.sampled_from(["", " ", "  "]))
        offsets.append((len(text), len(text) + len(token)))
        text += token
    return Sentence.from_text(text + draw(st.sampled_from(["", " "])), offsets)


def test_equal_words_of_lines_share_memory() -> None:
    one, other = (Sentence.from_line(f"{number} unchanged") for number in (1, 2))
    assert one.tokens[1] is other.tokens[1]


def test_from_line_splits_on_white_space() -> None:
    assert Sentence.from_line(" a\u00a0b \tc ").tokens == ("a", "b", "c")
    assert Sentence.from_line("").tokens == ()


def test_from_text_takes_tokens_from_their_places() -> None:
    assert RAW_SENTENCE.tokens == ("He", "said", ":", "do", "n't", "!")
    assert RAW_SENTENCE.text == RAW


@pytest.mark.parametrize(
    ("tokens", "characters"),
    [((0, 1), (0, 2)), ((1, 3), (3, 8)), ((3, 5), (9, 14)), ((4, 4), (11, 11)), ((6, 6), (15, 15))],
)
def test_tokens_to_characters(tokens: tuple[int, int], characters: tuple[int, int]) -> None:
    assert RAW_SENTENCE.to_characters(*tokens) == characters
    assert RAW_SENTENCE.to_tokens(*characters) == tokens


@pytest.mark.parametrize(
    ("characters", "tokens"),
    [
        ((4, 5), (1, 2)),  # inside a word: the whole word
        ((5, 5), (1, 2)),  # a point inside a word: the word
        ((2, 3), (1, 1)),  # white space: before the next word
        ((2, 4), (1, 2)),
        ((1, 4), (0, 2)),
        ((7, 7), (2, 2)),  # between two tokens without a space
        ((15, 15), (6, 6)),
    ],
)
def test_characters_to_tokens(characters: tuple[int, int], tokens: tuple[int, int]) -> None:
    assert RAW_SENTENCE.to_tokens(*characters) == tokens


def test_offsets_of_tokens_without_text() -> None:
    sentence = Sentence(("a", "bc", "d"))
    assert sentence.token_offsets() == ((0, 1), (2, 4), (5, 6))
    assert sentence.to_characters(1, 3) == (2, 6)
    assert str(sentence)[2:6] == "bc d"


@given(sentence=raw_sentences(), data=st.data())
def test_there_and_back(sentence: Sentence, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(sentence)))
    end = data.draw(st.integers(start, len(sentence)))
    assert sentence.to_tokens(*sentence.to_characters(start, end)) == (start, end)


@given(sentence=raw_sentences(), data=st.data())
def test_tokens_cover_the_characters(sentence: Sentence, data: st.DataObject) -> None:
    text = sentence.text or ""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    first, last = sentence.to_tokens(start, end)
    touched = [i for i, (b, e) in enumerate(sentence.token_offsets()) if b < end and start < e]
    if touched and start < end:
        assert (first, last) == (touched[0], touched[-1] + 1)
    elif start < end:
        assert first == last


@pytest.mark.parametrize(
    ("tokens", "text", "offsets"),
    [
        (("a",), None, ((0, 1),)),
        (("a",), "a", ()),
        (("a",), "a", ((0, 2),)),
        (("a",), "a", ((-1, 1),)),
        (("a",), "a", ((1, 1),)),
        (("a", "b"), "ab", ((1, 2), (0, 1))),
        (("ab", "b"), "ab", ((0, 2), (1, 2))),
    ],
)
def test_impossible_offsets(
    tokens: tuple[str, ...], text: str | None, offsets: tuple[tuple[int, int], ...]
) -> None:
    with pytest.raises(DataError):
        Sentence(tokens, text, offsets)


@pytest.mark.parametrize("span", [(-1, 0), (2, 1), (0, 7)])
def test_spans_outside_the_sentence(span: tuple[int, int]) -> None:
    with pytest.raises(DataError):
        RAW_SENTENCE.to_characters(*span)
