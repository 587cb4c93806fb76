"""M2 in all its dialects."""

from __future__ import annotations

import gzip
import io
import warnings
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import redink
from redink.errors import DataError, FormatError, RedinkWarning
from redink.formats.m2 import _NOTHING, _OVERLAP, _SAME_SPAN, _count_odd, read_m2, write_m2
from redink.model import AnnotatedSentence, Annotation, Edit, Sentence


def read(path: Path, text: str) -> list[AnnotatedSentence]:
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        return list(read_m2(path))


def read_with_warning(path: Path, text: str) -> tuple[list[AnnotatedSentence], list[str]]:
    path.write_text(text, encoding="utf-8")
    with pytest.warns(RedinkWarning) as caught:
        sentences = list(read_m2(path))
    return sentences, [str(warning.message) for warning in caught]


def refusal(path: Path, text: str) -> FormatError:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(read_m2(path))
    return caught.value


def written(*sentences: AnnotatedSentence) -> str:
    stream = io.StringIO()
    write_m2(sentences, stream)
    return stream.getvalue()


A = "A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0\n"


def test_edit(tmp_path: Path) -> None:
    assert read(tmp_path / "f", f"S This are wrong .\n{A}\n") == [
        AnnotatedSentence(
            Sentence(("This", "are", "wrong", ".")),
            (Annotation("0", (Edit(1, 2, "is", "R:VERB:SVA"),)),),
        )
    ]


def test_sentence_without_a_line(tmp_path: Path) -> None:
    assert read(tmp_path / "f", "S Fine .\n\n")[0].annotations == ()


def test_noop(tmp_path: Path) -> None:
    text = "S Fine .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
    assert read(tmp_path / "f", text)[0].annotations == (Annotation("1"),)


def test_annotators_keep_the_order_of_the_file(tmp_path: Path) -> None:
    text = "S a b c\n" + "".join(
        f"A {at} {at + 1}|||T|||x{at}|||REQUIRED|||-NONE-|||{who}\n"
        for at, who in [(2, 7), (1, 0), (0, 7)]
    )
    first, second = read(tmp_path / "f", text)[0].annotations
    assert (first.annotator, [e.start for e in first.edits]) == ("7", [2, 0])
    assert (second.annotator, [e.start for e in second.edits]) == ("0", [1])


@pytest.mark.parametrize("corrections", ["", "-NONE-", " ", " -NONE- "])
def test_deletion(tmp_path: Path, corrections: str) -> None:
    """A deletion is written empty or as -NONE-."""
    text = f"S a b\nA 0 1|||U:DET|||{corrections}|||REQUIRED|||-NONE-|||0\n"
    edit = read(tmp_path / "f", text)[0].annotations[0].edits[0]
    assert edit == Edit(0, 1, "", "U:DET")
    assert edit.operation == "U"


def test_alternatives(tmp_path: Path) -> None:
    """the||a: the first is the correction and the others are as good; one may be a deletion."""
    text = "S a b\nA 0 1|||R:DET|||the||an||-NONE-|||REQUIRED|||-NONE-|||0\n"
    edit = read(tmp_path / "f", text)[0].annotations[0].edits[0]
    assert edit.corrections == ("the", "an", "")
    sentence = read(tmp_path / "f", text)[0]
    assert read(tmp_path / "f", written(sentence)) == [sentence]


def test_other_fields_are_kept(tmp_path: Path) -> None:
    """``REQUIRED`` and the comment come back as they were."""
    text = "S a b\nA 0 1|||Wci|||x|||OPTIONAL|||why not|||0\n\n"
    sentences = read(tmp_path / "f", text)
    edit = sentences[0].annotations[0].edits[0]
    assert (edit.required, edit.comment) == ("OPTIONAL", "why not")
    assert written(*sentences) == text


def test_odd_gold_is_kept_with_one_warning(tmp_path: Path) -> None:
    """Same span, overlap, insertion of nothing, noop beside edits: all kept, counted once."""
    spans = [(0, 1), (0, 1), (1, 3), (2, 4), (4, 4), (4, 4)]
    text = "S a b c d\n" + "".join(
        f"A {start} {end}|||T|||{'' if start == end else 'x'}|||REQUIRED|||-NONE-|||0\n"
        for start, end in spans
    )
    text += "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"
    text += "A 0 1|||T|||x|||REQUIRED|||-NONE-|||1\n"  # another annotator's is no repetition
    sentences, messages = read_with_warning(tmp_path / "f", text)
    assert [(e.start, e.end) for e in sentences[0].annotations[0].edits] == spans
    assert messages == [
        (
            f"{tmp_path / 'f'}: unusual but kept unchanged: "
            "edits with the span of another edit by the same annotator: 2; "
            "edits that overlap another edit by the same annotator: 1; "
            "insertions of nothing: 2; noop lines next to edits by the same annotator: 1"
        )
    ]


def test_real_gold_is_counted(shared: Path) -> None:
    """The official alternatives of CoNLL-2014 hold 13 repeated spans and 6 empty insertions."""
    with pytest.warns(RedinkWarning, match=r"annotator: 13; insertions of nothing: 6$"):
        sentences = list(read_m2(shared / "data/conll14/official-2014.combined-withalt.m2"))
    edits = [e for s in sentences for a in s.annotations for e in a.edits]
    noops = [a for s in sentences for a in s.annotations if not a.edits]
    assert (len(sentences), len(edits), len(noops)) == (1312, 7521 - 364, 364)


def test_i_lines(tmp_path: Path) -> None:
    """``I`` lines are passed over as the M2 scorer does, with a word about it."""
    sentences, messages = read_with_warning(tmp_path / "f", f"S This are .\nI something\n{A}")
    assert len(sentences[0].annotations[0].edits) == 1
    assert messages == [f"{tmp_path / 'f'}: I lines, which contain no edits, are ignored: 1"]


def test_no_blank_line_between_sentences(tmp_path: Path) -> None:
    sentences = read(tmp_path / "f", f"S This are .\n{A}S\nS \n\n\nS b\n")
    assert [s.source.tokens for s in sentences] == [("This", "are", "."), (), (), ("b",)]


def test_white_space(tmp_path: Path) -> None:
    """Tokens are separated by any white space of Unicode, as the original scorers split them."""
    sentence = read(tmp_path / "f", "S 10\u00a0000  is\ta lot \n")[0]
    assert sentence.source.tokens == ("10", "000", "is", "a", "lot")
    assert read(tmp_path / "f", written(sentence)) == [sentence]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (A, 1, "found an A line before the first S line"),
        ("S a\nB\n", 2, "expected a line that begins with S, A, T or I, found 'B'"),
        ("S a\nA 0 1|||T|||x\n", 2, "expected 6 fields separated by ||| in an A line, found 3"),
        ("S a\nA 0 2|||T|||x|||R|||N|||0\n", 2, "the span 0 2 does not fit a sentence of 1 tokens"),
        ("S a\nA -1 1|||T|||x|||R|||N|||0\n", 2, "the span -1 1 begins before the sentence"),
        ("S a\nA 1 0|||T|||x|||R|||N|||0\n", 2, "the span 1 0 is reversed"),
        ("S a\nA 0 x|||T|||x|||R|||N|||0\n", 2, "expected two whole numbers for the span"),
        ("S a\nA 0|||T|||x|||R|||N|||0\n", 2, "expected two whole numbers for the span, found '0'"),
        ("S a\nA ٠ ١|||T|||x|||R|||N|||0\n", 2, "expected two whole numbers"),
        (f"S a\nA 0 {'9' * 5000}|||T|||x|||R|||N|||0\n", 2, "expected two whole numbers"),
        ("\n\n", None, "contains no sentence"),
    ],
)
def test_bad_lines(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    error = refusal(tmp_path / "f", text)
    assert error.line == line
    assert message in str(error)


@pytest.mark.parametrize(
    "edit",
    [
        Edit(0, 1, "a|||b"),
        Edit(0, 1, "a||b"),
        Edit(0, 1, "a|"),
        Edit(0, 1, " a"),
        Edit(0, 1, "-NONE-"),
        Edit(0, 1, "a\nb"),
        Edit(0, 1, "a", "noop"),
        Edit(0, 1, "a", comment="x\ry"),
        Edit(0, 5, "a"),
    ],
)
def test_what_m2_cannot_carry_is_refused(edit: Edit) -> None:
    sentence = AnnotatedSentence(Sentence(("a",)), (Annotation("0", (edit,)),))
    with pytest.raises(DataError, match="M2 cannot represent"):
        written(sentence)


@pytest.mark.parametrize("token", ["a b", "", "a\n", "\u00a0", "a\0"])
def test_tokens_m2_cannot_carry(token: str) -> None:
    with pytest.raises(DataError, match="M2 cannot represent the token"):
        written(AnnotatedSentence(Sentence((token,))))


def test_what_m2_leaves_out_is_said() -> None:
    """Raw text, names and rules have no place in M2: one warning counts them."""
    source = Sentence.from_text("Hi!", [(0, 2), (2, 3)], id="s1")
    edit = Edit(0, 1, "Hello", rule="spelling")
    with pytest.warns(RedinkWarning) as caught:
        written(AnnotatedSentence(source, (Annotation("0", (edit,)),)))
    assert [str(w.message) for w in caught] == [
        (
            "omitted, because M2 cannot represent it: "
            "raw texts: 1; sentence names: 1; names of rules: 1"
        )
    ]


def test_official_gold_is_written_as_it_was(shared: Path, tmp_path: Path) -> None:
    paths = sorted((shared / "data/conll14").glob("*.m2"))
    assert len(paths) > 1
    for path in paths:
        stream = io.StringIO()
        write_m2(read_m2(path), stream)
        assert stream.getvalue() == path.read_text(encoding="utf-8").rstrip("\n") + "\n\n", path


SPANS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.sampled_from(["", "x"])), max_size=5
)


@given(SPANS)
def test_odd_edits_are_counted_right(spans: list[tuple[int, int, str]]) -> None:
    edits = [Edit(start, start + width, correction) for start, width, correction in spans]
    odd = Counter[str]()
    _count_odd(edits, odd)
    same = sum(
        any((e.start, e.end) == (f.start, f.end) for f in edits[:i]) for i, e in enumerate(edits)
    )
    nothing = sum(e.start == e.end and not e.correction for e in edits)
    overlapping = any(
        (e.start < f.end and f.start < e.end) or (e.start == e.end and f.start < e.start < f.end)
        for e in edits
        for f in edits
        if (e.start, e.end) != (f.start, f.end)
    )
    assert [odd[_SAME_SPAN], odd[_NOTHING]] == [same, nothing]
    assert bool(odd[_OVERLAP]) == overlapping


CHINESE = """\
S 欢 欢 地
T0-A0 欢 的
A 0 1|||R|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 3|||S|||的|||REQUIRED|||-NONE-|||0
T0-A1 欢 的
A 1 2|||R|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 3|||S|||的|||REQUIRED|||-NONE-|||0
T1 无法标注
A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||1
T2 没有错误
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||2

"""


def test_t_lines(tmp_path: Path) -> None:
    """The corrected sentence, further alignments and who could not annotate; written as read."""
    sentences = read(tmp_path / "f", CHINESE)
    first, second = sentences[0].annotations
    assert (first.target, first.edits[0].end) == ("欢 的", 1)
    assert [edits[0].start for edits in first.alignments] == [1]
    assert (second.annotator, second.target, second.edits) == ("2", "没有错误", ())
    assert sentences[0].unannotatable == ("1",)
    assert written(*sentences) == CHINESE
    to_jsonl, back = tmp_path / "f.jsonl", tmp_path / "back.m2"
    redink.convert(tmp_path / "f", to_jsonl)
    redink.convert(to_jsonl, back)
    assert back.read_text(encoding="utf-8") == CHINESE


def test_t_lines_without_edits_are_left_out(tmp_path: Path) -> None:
    text = "S 我 门\nT0-A0 我 们\nT1 没有错误\n"
    sentences, (message,) = read_with_warning(tmp_path / "f", text)
    assert sentences[0].annotations == ()
    assert "T lines, which no A line follows, are ignored: 2" in message


def test_chinese_gold_is_written_as_it_was(shared: Path, tmp_path: Path) -> None:
    """The M2 files of MuCGEC and NLPCC-2018, byte for byte."""
    folder = shared / "oracles" / "languages" / "zh"
    for name in ("mucgec-dev/reference", "mucgec-dev/multi", "nlpcc18/reference"):
        path = folder / f"{name}.m2.gz"
        redink.convert(path, tmp_path / "out.m2")
        assert (tmp_path / "out.m2").read_bytes() == gzip.decompress(path.read_bytes())
