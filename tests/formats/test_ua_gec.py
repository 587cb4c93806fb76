"""UA-GEC's annotated documents."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import DataError, RedinkWarning
from redink.formats import detect_format
from redink.formats.ua_gec import parse_ann, read_ann, word_tokens
from redink.inputs.text_loading import load_references
from redink.model import apply_edits

FIRST = (
    "Так, він {пішов=>іде:::error_type=G/Tense} до{=> великого:::error_type=F/Style} дому{ =>}.\n"
)
SECOND = "Так, він пішов {до =>:::error_type=G/Prep}дому .\n"


def folder(tmp_path: Path) -> Path:
    made = tmp_path / "annotated"
    made.mkdir()
    (made / "0002.a1.ann").write_text(FIRST, encoding="utf-8")
    (made / "0002.a2.ann").write_text(SECOND, encoding="utf-8")
    return made


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in word_tokens(text)]


def test_words_of_any_language() -> None:
    text = "П'ять жовтнево-листопадових днів, 1,5 км... («Ні!»)"
    assert words(text) == [
        *("П'ять", "жовтнево-листопадових", "днів", ",", "1,5", "км", "..."),
        *("(", "«", "Ні", "!", "»", ")"),
    ]


def test_a_folder_is_a_corpus(tmp_path: Path) -> None:
    """The annotators of a document are 0, 1 …; a change of blanks alone is no edit."""
    path = folder(tmp_path)
    assert detect_format(path).name == detect_format(path / "0002.a1.ann").name == "ua-gec"
    with pytest.warns(RedinkWarning, match="corrections of whitespace only.*: 1"):
        (sentence,) = read_ann(path)
    assert sentence.source.tokens == ("Так", ",", "він", "пішов", "до", "дому", ".")
    found = [
        [(e.start, e.end, e.correction, e.type) for e in a.edits] for a in sentence.annotations
    ]
    assert found == [
        [(3, 4, "іде", "G/Tense"), (5, 5, "великого", "F/Style")],
        [(4, 5, "", "G/Prep")],
    ]


def test_odd_corrections() -> None:
    text, marks = parse_ann("a {b\\nc=>d|e:::error_type=X} {f=>NO_SUGGESTIONS} {g=>h}")
    assert text == "a b\nc f g"
    assert [(m.start, m.end, m.correction, m.type) for m in marks] == [
        (2, 5, "d", "X"),
        (6, 7, None, "UNK"),
        (8, 9, "h", "NA"),
    ]


def test_words_that_are_joined_are_one_edit(tmp_path: Path) -> None:
    (tmp_path / "x.ann").write_text("не{ =>:::error_type=S}наче так.\n", encoding="utf-8")
    (sentence,) = read_ann(tmp_path / "x.ann")
    (edit,) = sentence.annotations[0].edits
    assert (edit.start, edit.end, edit.correction) == (0, 2, "неначе")


def test_a_dash_that_opens_a_sentence_belongs_to_it(tmp_path: Path) -> None:
    text = 'Так, - сказав він.{=> \u2014:::error_type=P} {"=>:::error_type=P}Двічі я йшов.\n'
    (tmp_path / "x.ann").write_text(text, encoding="utf-8")
    first, second = read_ann(tmp_path / "x.ann")
    assert first.annotations[0].edits == ()
    edits = [(e.start, e.end, e.correction) for e in second.annotations[0].edits]
    assert edits == [(0, 0, "\u2014"), (0, 1, "")]


def test_one_file_holds_one_annotator(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="choose one with --annotator"):
        redink.convert(folder(tmp_path), tmp_path / "out.ann")
    redink.convert(tmp_path / "annotated", tmp_path / "out.ann", annotator="1")
    assert (tmp_path / "out.ann").read_text(encoding="utf-8") == SECOND


@pytest.fixture(scope="module")
def documents(shared: Path) -> list[dict[str, Any]]:
    """Test documents of UA-GEC."""
    path = shared / "oracles" / "languages" / "docs" / "uk-ua-gec" / "gec-only.jsonl.gz"
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_real_documents_to_m2_and_back(documents: list[dict[str, Any]], tmp_path: Path) -> None:
    """M2 made of a document, written as a document, gives the same M2."""
    paths = [tmp_path / name for name in ("in.ann", "one.m2", "back.ann", "two.m2")]
    for document in documents[::8]:
        paths[0].write_text(document["annotators"][0]["annotated"], encoding="utf-8")
        for given, made in pairwise(paths):
            redink.convert(given, made)
        assert paths[1].read_bytes() == paths[3].read_bytes(), document["id"]


def test_edits_make_the_corrected_text(documents: list[dict[str, Any]], tmp_path: Path) -> None:
    """Their tokens are those of the corrected document: scored against its own edits F is 1."""
    path, differing = tmp_path / "in.ann", 0
    for document in documents:
        for annotator in document["annotators"]:
            path.write_text(annotator["annotated"], encoding="utf-8")
            made = [
                token
                for sentence in read_ann(path)
                for token in apply_edits(sentence.source.tokens, sentence.annotations[0].edits)
            ]
            differing += made != words(annotator["target"])
    assert differing <= 1  # of 166: one glues three corrections to a word


@pytest.mark.slow
@pytest.mark.parametrize("annotator", [0, 1])
def test_raw_corrected_documents_have_f_of_one(
    annotator: int, documents: list[dict[str, Any]], tmp_path: Path
) -> None:
    """As they are written, aligned: for errant all edits are right, for m2 those of the tokens."""
    for name in ("ann", "target"):
        (tmp_path / name).mkdir()
    for document in documents:
        given = document["annotators"][annotator]
        about = document["id"]
        (tmp_path / "ann" / f"{about}.a1.ann").write_text(given["annotated"], encoding="utf-8")
        (tmp_path / "target" / f"{about}.txt").write_text(given["target"], encoding="utf-8")
    gold = load_references(tmp_path / "ann")
    own = [str(sentence) for sentence in gold.texts[0]]
    (errant,) = redink.score(
        tmp_path / "ann",
        tmp_path / "target",
        metrics=["errant"],
        reference_edits="auto",
        language="uk",
        align=True,
    ).rows
    assert (errant["fp"], errant["fn"]) == (0, 0)
    ways = [
        redink.score(tmp_path / "ann", given, metrics=["m2"], align=raw).rows[0]
        for given, raw in ((tmp_path / "target", True), ({"own": own}, False))
    ]
    assert [ways[0][name] for name in ("tp", "fp", "fn")] == [
        ways[1][name] for name in ("tp", "fp", "fn")
    ]
