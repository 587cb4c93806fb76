"""Analyses from CoNLL-U files: what they say, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

import redink
from redink.analysis.universal_dependencies import load_conllu, read_trees
from redink.errors import DataError, FormatError

SOURCE = """\
# text = Vado al parco.
1	Vado	andare	VERB	V	Mood=Ind|Person=1	0	root	_	_
2-3	al	_	_	_	_	_	_	_	_
2	a	a	ADP	E	_	4	case	_	_
3	il	il	DET	RD	Definite=Def|Gender=Masc	4	det	_	_
4	casa	casa	NOUN	S	Gender=Fem	1	obl	_	_
4.1	vado	andare	VERB	_	_	_	_	_	_
5	10 000	10000	NUM	N	NumType=Card	4	nummod	_	_

"""
CORRECTED = SOURCE.replace("\tal\t", "\talla\t").replace(
    "3	il	il	DET	RD	Definite=Def|Gender=Masc",
    "3	la	il	DET	RD	Definite=Def|Gender=Fem",
)


@pytest.fixture
def files(tmp_path: Path) -> str:
    (tmp_path / "a.conllu").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "b.conllu").write_text(CORRECTED.rstrip("\n"), encoding="utf-8")
    return f"{tmp_path / 'a.conllu'},{tmp_path / 'b.conllu'}"


def test_surface_tokens(files: str) -> None:
    tree = next(read_trees(files.partition(",")[0]))
    surface, words = tree.surface(), tree.syntactic()
    assert surface.tokens == ("Vado", "al", "casa", "10", "000")
    assert surface.pos == ("VERB", "ADP", "NOUN", "NUM", "NUM")
    assert surface.lemma == ("andare", "a+il", "casa", "10", "000")
    assert surface.features is not None
    assert surface.features[1] == "Definite=Def|Gender=Masc"
    assert surface.head == (0, 2, 0, 2, 2)
    assert words.tokens == ("Vado", "a", "il", "casa", "10", "000")


def test_no_model_is_needed(files: str) -> None:
    how = {"language": "it", "analyzer": f"conllu:{files}"}
    edits = redink.annotate("Vado al casa 10 000", "Vado alla casa 10 000", **how)
    assert [edit.type for edit in edits] == ["R:ADP:GENDER"]
    edits = redink.annotate("Vado a il casa 10 000", "Vado a la casa 10 000", **how)
    assert [edit.type for edit in edits] == ["R:DET:GENDER"]


def test_a_sentence_that_is_not_there(files: str) -> None:
    with pytest.raises(DataError, match=r"the sentence 'Vado via' is not in .*a\.conllu"):
        redink.annotate("Vado via", "Vado al casa 10 000", analyzer=f"conllu:{files}")


def test_the_version_is_of_the_contents(files: str, tmp_path: Path) -> None:
    (tmp_path / "c.conllu").write_text(SOURCE + CORRECTED, encoding="utf-8")
    assert load_conllu(files).version == load_conllu(str(tmp_path / "c.conllu")).version


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tVado\n", ":1: expected ten tab-separated columns of CoNLL-U, found 2"),
        (SOURCE.replace("4\tcasa", "7\tcasa"), ":6: expected word 4, found 7"),
        (SOURCE.replace("\t0\troot", "\tx\troot"), ":2: expected the numbers of a word"),
        (SOURCE.replace("NOUN", "NN"), ":6: expected a universal part of speech .* found 'NN'"),
        ("\n", "contains no sentence"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        load_conllu(str(path))
