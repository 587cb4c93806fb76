"""A language is a value: found by name, and nothing around it knows which one it is."""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

import redink
from redink import analysis
from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.classify import Typed
from redink.analysis.english import ENGLISH
from redink.analysis.language import LANGUAGES, NAMES, Language
from redink.errors import DataError, OptionError
from redink.model import Sentence

GENERAL = sorted(Path(analysis.__file__).parent.glob("*.py"))
SOURCE, CORRECTED = "This are wrong .", "This is wrong ."


@pytest.fixture
def shouting(monkeypatch: pytest.MonkeyPatch) -> Language:
    """English with one type for all replacements, given by a rule that is in no table."""
    typing = replace(ENGLISH.typing, type_replacement=lambda *_: Typed("SHOUT", "loud"))
    made = replace(ENGLISH, code="xx", name="Shouting", typing=typing, error_types=())
    monkeypatch.setitem(LANGUAGES._own, "xx", "nowhere:NOTHING")
    monkeypatch.setitem(LANGUAGES._loaded, "xx", made)
    return made


@pytest.mark.parametrize("path", GENERAL, ids=lambda path: path.name)
def test_the_rest_of_the_room_knows_no_language(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
        elif isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
    assert not [name for name in imported if name.startswith("redink.analysis.english")]


def test_there_is_no_such_language() -> None:
    with pytest.raises(OptionError, match=r"unknown language 'tlh'; .*'sv', 'de'"):
        redink.annotate(SOURCE, CORRECTED, language="tlh")


def test_the_language_decides(shouting: Language) -> None:
    how = AnnotationOptions(language=shouting.code)
    edits = redink.annotate(SOURCE, CORRECTED, annotation_options=how)
    assert [(edit.type, edit.rule) for edit in edits] == [("R:SHOUT", "loud")]
    assert how.signature("annotate")["language"] == "xx"
    assert "language" not in AnnotationOptions().signature("annotate")


def test_a_rule_that_no_table_has_explains_itself(shouting: Language) -> None:
    row = redink.explain(SOURCE, CORRECTED, language=shouting.code).rows[0]
    assert (row["meaning"], row["because"]) == ("R:SHOUT", "loud")


def test_texts_must_be_as_long_as_the_sources() -> None:
    sentence = Sentence.from_line(SOURCE)
    with pytest.raises(DataError, match="'mine' has 1 sentences, the source has 2"):
        annotate_texts(
            [sentence, sentence], {"mine": [sentence]}, annotation_options=AnnotationOptions()
        )


TEXTS = {
    "sv": "jag tror att det är bra för barn att läsa en bok om dagen",
    "en": "i think that it is good for the children to read a book every day",
    "de": "ich glaube dass es gut für die kinder ist jeden tag ein buch zu lesen und nicht",
    "uk": "я думаю що це добре для дітей і що вони не тільки дивляться фільм але й на ніч та до",
}


@pytest.mark.parametrize("code", TEXTS)
def test_text_in_another_language_gets_a_warning(code: str) -> None:
    sentence = Sentence.from_line(f"{TEXTS[code]} {TEXTS[code]}")
    for other in (*TEXTS, "universal", "fo"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            annotate_texts(
                [sentence],
                {"same": [sentence]},
                annotation_options=AnnotationOptions(language=other),
            )
        said = [str(one.message) for one in caught]
        if other in {code, "universal", "fo"}:  # common words of Faroese are not known
            assert not said
        else:
            assert len(said) == 1
            assert said[0].endswith(f"it looks like {NAMES[code]} (--language {code})")


def test_the_language_is_an_option_wherever_text_is_annotated(tmp_path: Path) -> None:
    """Systems that come as text are annotated by the rules of the language, and it is named."""
    (tmp_path / "gold.m2").write_text(
        "S vi bor i lund\nA 3 4|||R:ORTH|||Lund|||REQUIRED|||-NONE-|||0\n\n", encoding="utf-8"
    )
    (tmp_path / "mine.txt").write_text("vi bor i Lund .\n", encoding="utf-8")
    table = redink.score(
        tmp_path / "gold.m2", [tmp_path / "mine.txt"], metrics="errant", by="full", language="sv"
    )
    assert {row["type"] for row in table.rows} == {None, "R:ORTH", "M:PUNCT"}
    assert table.signature["language"] == "sv"
    assert table.signature["pipeline"] == "forms-1"
    found = redink.detection(tmp_path / "gold.m2", [tmp_path / "mine.txt"], language="sv")
    assert found.signature["language"] == "sv"
