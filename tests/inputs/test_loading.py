"""The one door: whatever may be given for references, systems, judgments and scores."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redink
from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.inputs.input_options import AlignmentOptions
from redink.inputs.judgment_loading import (
    load_system_scores,
)
from redink.inputs.text_loading import (
    check_same_length,
    corrected_text,
    load_corpus,
    load_hypotheses,
    load_references,
    load_systems,
    load_texts,
    name_inputs,
    refuse_versions,
)
from redink.model import (
    UNKNOWN,
    AnnotatedSentence,
    Annotation,
    Column,
    Corpus,
    Detection,
    Edit,
    Judgment,
    ParallelSentence,
    References,
    Sentence,
    SystemOutput,
    SystemScore,
    make_table,
)

RAW = "Yes,no maybe it are."
WI = f'{{"id": "e", "text": "{RAW}", "edits": [["0", [[16, 19, "is", "R:VERB:SVA"]]]]}}\n'
M2 = "S This are .\nA 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0\n"
SOURCE, RIGHT = Sentence(("This", "are", ".")), Sentence(("This", "is", "."))
EDITS = (Annotation("0", (Edit(1, 2, "is", "SVA"),)),)
GOLD = AnnotatedSentence(SOURCE, EDITS)
CORPUS = Corpus((AnnotatedSentence(Sentence(("a", "b"))),))
FLAGS = Detection(SOURCE.tokens, (False, True, False))


def file(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


# ---- names


def test_every_way_to_name(tmp_path: Path) -> None:
    """A mapping, NAME=PATH, the name of a value, the stem of a file; one alone will do."""
    path = file(tmp_path, "careful.ged.tsv", "")
    system = SystemOutput("mine", hypotheses=())
    assert name_inputs({"a": path}) == [("a", path)]
    assert name_inputs([path, f"b={path}", system]) == [
        ("careful", path),
        ("b", str(path)),
        ("mine", system),
    ]
    assert name_inputs(path) == [("careful", path)]
    assert name_inputs([Corpus((), name="c")])[0][0] == "c"
    assert name_inputs(["folder/careful.txt.gz"])[0][0] == "careful"
    with pytest.raises(OptionError, match="the path is missing in careful=; expected NAME=PATH"):
        name_inputs(["careful="])


def test_a_file_with_an_equals_sign(tmp_path: Path) -> None:
    path = file(tmp_path, "beta=1.txt", "This is .\n")
    assert [system.name for system in load_systems([str(path)])] == ["beta=1"]


def test_names_differ(tmp_path: Path) -> None:
    path = file(tmp_path, "x.txt", "a\n")
    with pytest.raises(DataError, match=r"two systems have the name 'x': .*x.txt and .*x.txt. Try"):
        load_systems([path, path])
    same = SystemOutput("x", hypotheses=())
    with pytest.raises(DataError, match="two systems have the name 'x'; system names must be"):
        load_systems({"a": same, "b": same})


def test_a_system_needs_a_name() -> None:
    with pytest.raises(OptionError, match="pass a mapping from system names"):
        load_systems([["This is ."]])  # type: ignore[list-item]


# ---- references


def references_of_every_kind(folder: Path) -> dict[str, Any]:
    """The same reference, given in every way that says it by edits."""
    jsonl = (
        '{"tokens": ["This", "are", "."], "annotations": [{"annotator": "0", "edits": '
        '[{"start": 1, "end": 2, "correction": "is", "type": "SVA"}]}]}\n'
    )
    return {
        "path": file(folder, "gold.m2", M2),
        "text of a path": str(folder / "gold.m2"),
        "JSON lines": file(folder, "gold.jsonl", jsonl),
        "corpus": Corpus((GOLD,)),
        "sentences": [GOLD],
        "references": References(Corpus((GOLD,))),
    }


def test_references_with_edits(tmp_path: Path) -> None:
    for name, given in references_of_every_kind(tmp_path).items():
        found = load_references(given)
        assert found.corpus.sentences == (GOLD,), name
        assert (found.given_texts, found.are_flags) == (None, False), name
    assert load_references(tmp_path / "gold.m2").corpus.name == "gold"


def test_references_as_columns(tmp_path: Path) -> None:
    path = file(tmp_path, "pairs.tsv", "This are .\tThis is .\tIt is .\n")
    values = [ParallelSentence(SOURCE, (RIGHT, Sentence(("It", "is", "."))))]
    for given in (path, values):
        found = load_references(given)
        assert found.corpus.sentences == (AnnotatedSentence(SOURCE),)
        assert found.given_texts == ((RIGHT,), (Sentence(("It", "is", ".")),))


def test_references_as_flags(tmp_path: Path) -> None:
    path = file(tmp_path, "gold.tsv", "This\tc\nare\ti\n.\tc\n")
    flagged = AnnotatedSentence(SOURCE, (Annotation("0", (Edit(1, 2, "", UNKNOWN),)),))
    for given in (path, [FLAGS]):
        found = load_references(given)
        assert found.are_flags
        assert found.corpus.sentences == (flagged,)


def test_references_apart_from_their_source(tmp_path: Path) -> None:
    text = file(tmp_path, "right.txt", "This is .\n")
    plain = file(tmp_path, "right.jsonl", '{"tokens": ["This", "is", "."]}\n')
    for right in (text, str(plain), ["This is ."], [RIGHT], Corpus((AnnotatedSentence(RIGHT),))):
        for source in (["This are ."], [SOURCE], tmp_path / "source.txt"):
            file(tmp_path, "source.txt", "This are .\n")
            found = load_references(source=source, references=[right, ["This are ."]])
            assert found.given_texts == ((RIGHT,), (SOURCE,))
            assert found.corpus.sentences == (AnnotatedSentence(SOURCE),)
    assert load_references([text], source=["This are ."]).given_texts == ((RIGHT,),)
    assert load_references(source=["This are ."], references=text).given_texts == ((RIGHT,),)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, OptionError, "the reference is missing"),
        ({"references": ["r"]}, OptionError, "--reference requires --source, or files"),
        ({"source": ["a"]}, OptionError, "--source requires at least one --reference"),
        (
            {"reference": "a", "source": ["a"], "references": ["b"]},
            OptionError,
            "REFERENCE cannot be combined with --reference",
        ),
        ({"reference": []}, OptionError, "several reference texts require the source"),
        ({"reference": [GOLD, FLAGS]}, OptionError, "expected a reference, but sentence 2"),
    ],
)
def test_what_cannot_be_a_reference(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        load_references(**given)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,judge,label\n", r"gold: contains judgments \(csv\); expected a reference"),
        (
            '{"source": "a", "corrected": ["b"]}\n{"source": "a", "corrected": ["b", "c"]}\n',
            "gold: expected 1 corrected versions of sentence 2, found 2",
        ),
        ('{"source": "a", "corrected": []}\n', "gold: expected at least 1 corrected"),
    ],
)
def test_files_that_cannot_be_a_reference(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises((DataError, FormatError), match=message):
        load_references(file(tmp_path, "gold", text))


# ---- texts


def test_texts(tmp_path: Path) -> None:
    path = file(tmp_path, "x.txt", "This are .\n")
    for given in (path, str(path), ["This are ."], [SOURCE], Corpus((GOLD,))):
        assert load_texts(given) == (SOURCE,)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a\tc\nb\ti\n", r"detections \(ged-tsv\)"),
        ("item,judge,label\n1,a,b\n", r"judgments \(csv\)"),
        ("a b\ta c\n", r"parallel \(parallel\)"),
    ],
)
def test_other_files_are_not_read_as_text(text: str, holds: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=f"{holds}; expected sentences"):
        load_texts(file(tmp_path, "x", text))


# ---- systems


def test_systems_as_text(tmp_path: Path) -> None:
    """A file of text, JSON lines without edits, strings, sentences, a corpus without edits."""
    text = file(tmp_path, "x.txt", "This is .\n")
    plain = file(tmp_path, "x.jsonl", '{"tokens": ["This", "is", "."]}\n')
    bare = AnnotatedSentence(RIGHT)
    for given in (text, plain, ["This is ."], [RIGHT], Corpus((bare,)), [bare]):
        assert load_systems({"x": given}) == (SystemOutput("x", hypotheses=(RIGHT,)),)


def test_systems_as_edits(tmp_path: Path) -> None:
    two = (*EDITS, Annotation("1"))
    for versions in (EDITS, two):
        sentence = AnnotatedSentence(SOURCE, versions)
        for given in (Corpus((sentence,)), [sentence]):
            assert load_systems({"x": given}) == (
                SystemOutput("x", annotations=EDITS, sources=(SOURCE,), versions=(versions,)),
            )
    refuse_versions(load_systems({"x": [GOLD]}))
    with pytest.raises(DataError, match="system 'x' has several annotators for one sentence"):
        refuse_versions(load_systems({"x": [AnnotatedSentence(SOURCE, two)]}))
    path = file(tmp_path, "x.m2", M2)
    assert load_systems([path]) == load_systems({"x": [GOLD]})


def test_systems_as_columns_and_flags(tmp_path: Path) -> None:
    pair = ParallelSentence(SOURCE, (RIGHT,))
    path = file(tmp_path, "x.tsv", "This are .\tThis is .\n")
    expected = (SystemOutput("x", hypotheses=(RIGHT,), sources=(SOURCE,)),)
    assert load_systems([path]) == load_systems({"x": [pair]}) == expected
    several = file(tmp_path, "y.tsv", "a\tb\tc\n")
    with pytest.raises(
        FormatError, match=r"y.tsv: has 2 corrected columns; expected one per system"
    ):
        load_systems([several])
    flags = file(tmp_path, "x.ged.tsv", "This\tc\nare\ti\n.\tc\n")
    assert load_systems([flags]) == load_systems({"x": [FLAGS]})


def test_what_cannot_be_a_system() -> None:
    for given in ([1, 2], ["a", RIGHT, FLAGS], [Judgment("i", "j", "l")]):
        with pytest.raises(OptionError, match="expected a system's output, but sentence"):
            load_systems({"x": given})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "form",
    [
        '{{"source": "This are .", "output": "Here is the corrected sentence:\\n\\n{0}"}}\n',
        "source,corrected\nThis are .,{0}\n",
        "This are .\t{0}\n",
    ],
)
def test_a_column_is_aligned(form: str, tmp_path: Path) -> None:
    path = file(tmp_path, "x", form.format("This is."))
    assert load_systems([path], (SOURCE,), AlignmentOptions(align=True))[0].hypotheses == (RIGHT,)


def test_raw_documents_are_told_to_be_aligned(tmp_path: Path) -> None:
    path = file(tmp_path, "x.jsonl", '{"id": "1", "text": "This is."}\n')
    with pytest.warns(RedinkWarning, match=r"x.jsonl: contains raw text.*--align"):
        assert load_systems([path])[0].hypotheses


def test_which_text_is_the_corrected_one(tmp_path: Path) -> None:
    path = file(tmp_path, "x.jsonl", '{"source": "a", "output": "b", "prediction": "c"}\n')
    with pytest.raises(
        FormatError, match=r"x.jsonl:1: several columns of corrected text: 'output', 'prediction'"
    ):
        load_systems([path])


@pytest.mark.parametrize(
    ("lines", "advice"),
    [
        ("a b c\n\nd e f\ng h i\n", "line 2 is empty. Try: --align"),
        ("a b c\ng h i\n", "line 2 seems to belong to line 3 of the source. Try: --align"),
        ("a b c\nd e f\n", "line by line. Try: --align"),
    ],
)
def test_where_lines_went_wrong(lines: str, advice: str, tmp_path: Path) -> None:
    path, source = file(tmp_path, "x.txt", lines), ["a b c", "d e f", "g h i"]
    corpus = Corpus(tuple(AnnotatedSentence(Sentence.from_line(line)) for line in source))
    with pytest.raises(DataError, match=advice):
        check_same_length(corpus, load_systems([path]))
    with pytest.raises(DataError, match=advice):
        load_references(source=source, references=[path])


LONG = {
    "text": "This is .\n",
    "m2": M2 + "\n",
    "jsonl": '{"tokens": ["This", "is", "."]}\n',
    "flags": "This\tc\nare\ti\n.\tc\n\n",
    "columns": "This are .\tThis is .\n",
}


@pytest.mark.parametrize("kind", LONG)
def test_a_file_that_is_too_long_is_counted(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_text(LONG[kind] * 50)
    with pytest.raises(DataError, match="'long' has 50 sentences, the reference has 2; they must"):
        load_systems([path], [SOURCE, SOURCE])


def test_strings_of_every_kind() -> None:
    found = load_systems({"x": np.array(["This is ."])})  # type: ignore[dict-item]
    assert found[0].hypotheses == (RIGHT,)
    with pytest.raises(OptionError, match=r"'This is \.' is not a file; each reference must be"):
        load_references(source=["This are ."], references=["This is ."])


def test_a_folder_is_not_several_references(tmp_path: Path) -> None:
    file(tmp_path, "a.txt", "a b c\nd e f\n")
    with pytest.raises(DataError, match="a folder contains the documents of one text"):
        load_references(source=["a b c"], references=[tmp_path])


def test_length_and_sources() -> None:
    """A system says something about every sentence of the reference, and about the same ones."""
    with pytest.raises(DataError, match="system 'x' has 2 sentences, the reference has 1"):
        check_same_length(CORPUS, [SystemOutput("x", hypotheses=(Sentence(()), Sentence(())))])
    other = SystemOutput("x", annotations=(), sources=())
    with pytest.raises(DataError, match="system 'x' has 0 sentences"):
        check_same_length(CORPUS, [other])
    with pytest.raises(DataError, match="sentence 1 of system 'x' is not that of the reference"):
        check_same_length(CORPUS, load_systems({"x": [GOLD]}))


def test_the_text_of_a_system(tmp_path: Path) -> None:
    path = file(tmp_path, "x.txt", "This is .\n")
    sources, texts = load_hypotheses(["This are ."], {"a": path, "b": [GOLD]})
    assert (sources, texts) == ((SOURCE,), {"a": (RIGHT,), "b": (RIGHT,)})
    with pytest.raises(DataError, match="system 'x' contains flags and no corrections"):
        corrected_text((SOURCE,), load_systems({"x": [FLAGS]})[0])


# ---- raw text


def test_raw_corpora_mean_the_same_tokens_to_all(tmp_path: Path) -> None:
    path = file(tmp_path, "x.json", WI)
    tokens = ("Yes", ",", "no", "maybe", "it", "are", ".")
    assert load_corpus(path).sentences[0].source.tokens == tokens
    assert load_references(path).corpus.sentences[0].source.tokens == tokens
    assert load_texts(path)[0].tokens == tokens
    system = load_systems({"x": path})[0]
    assert system.sources is not None
    assert system.sources[0].tokens == tokens
    redink.convert(path, tmp_path / "x.jsonl")
    assert load_corpus(tmp_path / "x.jsonl").sentences[0].source.tokens == tokens


# ---- judgments and scores


def test_scores_from_everywhere(tmp_path: Path) -> None:
    """Files, NAME=PATH, tables, values; in a list, a mapping, or alone."""
    path = file(tmp_path, "gleu.txt", "A 0.5\n")
    rows = [{"system": "A", "metric": "errant", "f": 0.25}]
    table = make_table([Column("system"), Column("metric"), Column("f", "rate")], rows)
    value = SystemScore("A", "mine", 1.0)
    gleu, errant = SystemScore("A", "gleu", 0.5), SystemScore("A", "errant", 0.25)
    renamed = SystemScore("A", "g", 0.5)
    assert load_system_scores(path) == (gleu,)
    assert load_system_scores(table) == (errant,)
    assert load_system_scores([path, f"g={path}", table, value]) == (gleu, renamed, errant, value)
    assert load_system_scores({"g": path, "e": table}) == (renamed, SystemScore("A", "e", 0.25))
    assert load_system_scores({"e": {"A": 0.25}}) == (SystemScore("A", "e", 0.25),)
    for text in (
        "system,metric,f\nA,errant,0.25\n",
        "system\tmetric\tf\nA\terrant\t0.25\n",
        '{"system": "A", "metric": "errant", "f": 0.25}\n',
        '{"rows": [{"system": "A", "metric": "errant", "f": 0.25}]}\n',
    ):
        assert load_system_scores(file(tmp_path, "x", text)) == (errant,)


# ---- what people try first in a notebook


def test_what_one_system_wrote_needs_its_name() -> None:
    with pytest.raises(OptionError, match=r"'This is \.' is not a file; pass the output of"):
        load_systems(["This is .", "It is ."])


def test_a_sentence_that_is_missing_is_named() -> None:
    for missing in (None, float("nan")):
        with pytest.raises(OptionError, match=r"sentence 2 is '(None|nan)' \((NoneTy|floa)"):
            load_systems({"mine": ["This is .", missing]})  # type: ignore[list-item]


def test_what_can_be_read_once_is_kept() -> None:
    sources = [Sentence.from_line("This are .")]
    for aligning in (AlignmentOptions(), AlignmentOptions(align=True)):
        given: Any = {"mine": (text for text in ["This is ."])}
        (system,) = load_systems(given, sources, aligning)
        assert system.hypotheses == (RIGHT,)


def test_raw_references_that_are_tokenized_get_no_warning(tmp_path: Path) -> None:
    path = file(tmp_path, "raw.txt", "Yes, it is.\n" * 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        found = load_references(
            source=["Yes, it are."] * 3,
            references=[path],
            alignment=AlignmentOptions(tokenize=True),
        )
    assert [str(text) for text in (found.given_texts or ())[0]] == ["Yes , it is ."] * 3
