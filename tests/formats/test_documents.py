"""Raw texts with marks by character: the tokenizer, NUCLE and W&I."""

from __future__ import annotations

import io
import json
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.analysis.english.tokenizer import english_tokens
from redink.errors import FormatError, RedinkWarning
from redink.formats.m2 import read_m2
from redink.formats.nucle import read_nucle, write_nucle
from redink.formats.wi_jsonl import read_wi_jsonl, write_wi_jsonl
from redink.model import AnnotatedSentence, Annotation, Edit, Sentence
from redink.raw_text.tokenization import sentence_spans, treebank_tokens

# ---- the tokenizer


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("He can't, can he?", "He ca n't , can he ?"),
        ("People's cars cannot go.", "People 's cars can not go ."),
        ("Mr. Lee paid $10.5 (or more).", "Mr. Lee paid $ 10.5 ( or more ) ."),
        ('He said "etc." twice.', 'He said " etc. " twice .'),
        ("mother-in-law, and/or A&B", "mother-in-law , and/or A&B"),
        ("the 'tone' of it", "the 'tone ' of it"),
        ("past decades,medical care", "past decades,medical care"),
        ("a café, a naïve façade", "a café , a naïve façade"),
        ("I'll I'd we've they're", "I 'll I 'd we 've they 're"),
        ("  ", ""),
    ],
)
def test_treebank_rules(text: str, tokens: str) -> None:
    assert " ".join(text[a:b] for a, b in treebank_tokens(text)) == tokens


@given(st.text(st.sampled_from("aB1 .,'\"?!(n't\n\u00a0é"), max_size=40))
def test_tokens_are_all_that_is_not_space(text: str) -> None:
    for tokenize in (treebank_tokens, english_tokens):
        spans = tokenize(text)
        assert all(a < b for a, b in spans)
        assert all(first[1] <= second[0] for first, second in pairwise(spans))
        assert "".join(text[a:b] for a, b in spans).split() == ["".join(text.split())][: len(spans)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two? Three! Four", ["One.", "Two?", "Three!", "Four"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("Ask Dr. Lee or J. Smith now.", ["Ask Dr. Lee or J. Smith now."]),
        ("Cats, dogs, etc. The rest.", ["Cats, dogs, etc.", "The rest."]),
        ("Cats, etc. Smith has.", ["Cats, etc. Smith has."]),
        ("About 3.5 points. it went on.", ["About 3.5 points. it went on."]),
        ("  Spaces.  Around.  ", ["Spaces.", "Around."]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[a:b] for a, b in sentence_spans(text)] == sentences


def test_long_runs_of_marks_are_quick() -> None:
    for text in ("." * 50_000, '."' * 50_000, "a" * 50_000 + "!", ". " * 50_000, "'" * 50_000):
        for spans in (treebank_tokens(text), sentence_spans(text)):
            assert "".join(text[a:b] for a, b in spans).replace(" ", "") == text.replace(" ", "")


# ---- NUCLE

NUCLE = """<DOC nid="1">
<TEXT>
<TITLE>
A secret
</TITLE>
<P>
He go home. "They is" nice, don't they?
</P>
<P>
The end
</P>
</TEXT>
<ANNOTATION teacher_id="8">
<MISTAKE start_par="1" start_off="3" end_par="1" end_off="5">
<TYPE>SVA</TYPE>
<CORRECTION>goes</CORRECTION>
<COMMENT>third person</COMMENT>
</MISTAKE>
</ANNOTATION>
</DOC>
"""


def nucle(path: Path, text: str) -> list[AnnotatedSentence]:
    path.write_text(text, encoding="utf-8")
    return list(read_nucle(path))


def with_mistake(start: int, end: int, correction: str) -> str:
    return (
        NUCLE.replace('start_off="3"', f'start_off="{start}"')
        .replace('end_off="5"', f'end_off="{end}"')
        .replace("goes", correction)
    )


def edits_of(sentences: list[AnnotatedSentence]) -> dict[str | None, list[tuple[int, int, str]]]:
    return {
        s.source.id: [(e.start, e.end, e.correction) for a in s.annotations for e in a.edits]
        for s in sentences
        if any(a.edits for a in s.annotations)
    }


def test_nucle(tmp_path: Path) -> None:
    title, first, second, end = nucle(tmp_path / "f", NUCLE)
    assert [s.source.id for s in (title, first, second, end)] == [
        "1.0.1",
        "1.1.1",
        "1.1.2",
        "1.2.1",
    ]
    assert first.source.text == "He go home."
    assert first.source.tokens == ("He", "go", "home", ".")
    edit = Edit(1, 2, "goes", "SVA", comment="third person")
    assert first.annotations == (Annotation("8", (edit,)),)
    assert second.source.tokens[-5:] == (",", "do", "n't", "they", "?")
    assert second.annotations == (Annotation("8"),), "the teacher read it and changed nothing"


@pytest.mark.parametrize(
    ("start", "end", "correction", "edit"),
    [
        (3, 5, "did go", (1, 1, "did")),  # what stays is no part of the edit
        (0, 5, "He went", (1, 2, "went")),
        (0, 5, "She go", (0, 1, "She")),
        (3, 6, "goes ", (1, 2, "goes")),  # white space at the ends of the mark
        (4, 5, "oes", (1, 2, "goes")),  # half a word: the other half stays
        (5, 5, "es", (2, 2, "es")),  # between two words
        (2, 3, " never ", (1, 1, "never")),
        (6, 10, "", (2, 3, "")),
        (6, 11, "home!", (3, 4, "!")),
        (3, 5, "doesn't go", (1, 1, "does n't")),
        (3, 5, "go", (1, 2, "go")),  # changes nothing: kept as it was marked
        (3, 5, "", (1, 2, "")),
    ],
)
def test_marks_become_edits_of_tokens(
    tmp_path: Path, start: int, end: int, correction: str, edit: tuple[int, int, str]
) -> None:
    found = nucle(tmp_path / "f", with_mistake(start, end, correction))
    assert edits_of(found) == {"1.1.1": [edit]}


def test_mark_across_sentences_joins_them(tmp_path: Path) -> None:
    found = nucle(tmp_path / "f", with_mistake(10, 13, ", and "))
    assert [s.source.id for s in found] == ["1.0.1", "1.1.1", "1.2.1"]
    assert found[1].source.tokens[:6] == ("He", "go", "home", ".", '"', "They")
    assert edits_of(found) == {"1.1.1": [(3, 5, ", and")]}


def test_official_edits(shared: Path) -> None:
    """The official SGML gives the edits of the official M2: at least 99 % of them, measured.

    Compared by sentence: the same tokens, the same span, correction and type. The rest is in
    sentences that the original splits elsewhere (before a closing quotation mark, after ``i.e.``)
    and in corrections whose own full stop it leaves attached.
    """
    gold = list(read_m2(shared / "data/conll14/official-2014.0.m2"))
    ours = list(read_nucle(shared / "data/conll14/official-2014.0.sgml"))

    def edits(sentence: AnnotatedSentence) -> Counter[tuple[object, ...]]:
        return Counter(
            (e.start, e.end, e.correction, e.type) for a in sentence.annotations for e in a.edits
        )

    waiting: dict[tuple[str, ...], list[AnnotatedSentence]] = {}
    for sentence in gold:
        waiting.setdefault(sentence.source.tokens, []).append(sentence)
    same = sum(
        (edits(sentence) & edits(waiting[sentence.source.tokens].pop(0))).total()
        for sentence in ours
        if waiting.get(sentence.source.tokens)
    )
    total = sum(edits(sentence).total() for sentence in gold)
    assert total == 2391
    assert same / total >= 0.99
    assert same == 2376, "the figure in docs/formats.md"
    assert sum(edits(sentence).total() for sentence in ours) == 2397, "every <MISTAKE> is kept"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (NUCLE.replace('end_off="5"', 'end_off="2"'), 14, "a <MISTAKE> ends before its start"),
        (NUCLE.replace('end_off="5"', 'end_off="500"'), 14, "character 500 is outside paragraph"),
        (NUCLE.replace('end_par="1"', 'end_par="3"'), 14, "there is no paragraph 3; the document"),
        (NUCLE.replace('end_off="5"', 'end_off="x"'), 14, "expected a whole number for end_off"),
        (
            NUCLE.replace("<TYPE>SVA</TYPE>\n", ""),
            14,
            "a <MISTAKE> must have <TYPE> and <CORRECTION>",
        ),
        (NUCLE.replace("</P>", "</Q>", 1), 9, "<P> is not expected inside <P>"),
        (NUCLE.replace("</MISTAKE>\n", ""), 18, "expected </MISTAKE>, found </ANNOTATION>"),
        (NUCLE.replace("</DOC>\n", ""), 19, "ends inside <DOC>"),
        (NUCLE.replace("<TEXT>\n", "<TEXT>\nastray\n"), 3, "text outside paragraphs"),
        ("<x>\n", 1, "text outside paragraphs"),
        ("\n", None, "contains no <DOC>"),
    ],
)
def test_bad_nucle(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        nucle(tmp_path / "f", text)
    assert message in str(caught.value)
    assert caught.value.line == line


def test_nucle_is_written_as_it_was(tmp_path: Path) -> None:
    stream = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        write_nucle(nucle(tmp_path / "f", NUCLE), stream)
    assert stream.getvalue() == NUCLE


def test_tags_in_texts_are_escaped(tmp_path: Path) -> None:
    text = NUCLE.replace("The end", "a < b &amp;amp; &lt;P> AT&T")
    found = nucle(tmp_path / "f", text)
    assert found[-1].source.text == "a < b &amp; <P> AT&T"
    stream = io.StringIO()
    write_nucle(found, stream)
    assert stream.getvalue() == text


def test_text_that_would_be_tokenized_otherwise(tmp_path: Path) -> None:
    sentence = AnnotatedSentence(Sentence.from_text("Hi, you", [(0, 3), (4, 7)]))
    stream = io.StringIO()
    with pytest.warns(
        RedinkWarning, match=r"W&I JSON cannot represent it: raw texts \(reading them"
    ):
        write_wi_jsonl([sentence], stream)
    (tmp_path / "f").write_text(stream.getvalue())
    assert next(read_wi_jsonl(tmp_path / "f")).source == Sentence(("Hi,", "you"))


# ---- W&I

WI = {
    "id": "p1",
    "text": "I has a cat. It purr.\nThe end.",
    "edits": [[0, [[2, 5, "have"], [16, 20, "purrs", "SVA"], [22, 25, None]]], [1, []]],
    "cefr": "B1.i",
}


def wi(path: Path, *values: object) -> list[AnnotatedSentence]:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))
    return list(read_wi_jsonl(path, tokenize=english_tokens))


def test_wi(tmp_path: Path) -> None:
    first, second, third = wi(tmp_path / "f", WI)
    assert [s.source.id for s in (first, second, third)] == ["p1.1.1", "p1.1.2", "p1.2.1"]
    assert first.annotations == (Annotation("0", (Edit(1, 2, "have", "NA"),)), Annotation("1"))
    assert second.by("0") == Annotation("0", (Edit(1, 2, "purrs", "SVA"),))
    assert third.by("0") == Annotation("0", (Edit(0, 1, "", "UNK"),))


def test_wi_says_what_it_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(json.dumps(WI))
    with pytest.warns(RedinkWarning, match=r"information about the writers \(cefr\) is ignored"):
        list(read_wi_jsonl(tmp_path / "f"))


def test_wi_comes_back(tmp_path: Path) -> None:
    plain = {key: value for key, value in WI.items() if key != "cefr"}
    sentences = wi(tmp_path / "f", plain)
    stream = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        write_wi_jsonl(sentences, stream, tokenize=english_tokens)
    assert json.loads(stream.getvalue()) == plain


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"edits": [[0, [[5, 2, "x"]]]]},
            "characters 5 to 2 are not a valid span in a text of length 30",
        ),
        (
            {"edits": [[0, [[0, 31, "x"]]]]},
            "characters 0 to 31 are not a valid span in a text of length 30",
        ),
        ({"edits": [[0, [[0, 1]]]]}, "expected an edit [start, end, correction]"),
        ({"edits": [[0, [[0, 1, 7]]]]}, "expected a string or null for a correction, found 7"),
        ({"edits": [[0, [[0, 1, "x", 7]]]]}, "expected a string for an error type, found 7"),
        ({"edits": [[0]]}, "expected [annotator, [edit, ...]]"),
        ({"edits": 0}, "expected a list of lists for 'edits'"),
        ({"text": None}, "expected a string for 'text', found None"),
        ({"id": []}, "expected a string for 'id'"),
        ({"text": " ", "edits": [[0, [[0, 1, "x"]]]]}, "the text has corrections but no words"),
    ],
)
def test_bad_wi(tmp_path: Path, change: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        wi(tmp_path / "f", WI, {**WI, **change})
    assert caught.value.line == 2
    assert message in str(caught.value)
