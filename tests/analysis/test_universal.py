"""The universal types: every rule can be reached, every example is true, nothing is lost."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from docs.write_error_types import UNIVERSAL_PAGE, write_universal_page
from hypothesis import given
from hypothesis import strategies as st

import redink
from redink.analysis.analyzer import Analysis, TokenReading, Tokens, WholeBatch
from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.language import ErrorType, Operation, find_language
from redink.analysis.universal import UNIVERSAL, describe_type
from redink.model import Annotation, Edit, Sentence

WORDS = {
    word: (pos, lemma, features)
    for pos, lemma, forms in [
        ("ADJ", "fin", {"fin": "Definite=Ind|Gender=Com", "fint": "Definite=Ind|Gender=Neut"}),
        ("ADJ", "röd", {"röd": "Definite=Ind|Gender=Com", "röda": "Definite=Def"}),
        ("ADJ", "fina", {"fina": "Number=Plur"}),
        ("ADJ", "snäll", {"snäll": "Definite=Ind|Gender=Com"}),
        ("ADJ", "skön", {"skönt": "Definite=Ind|Gender=Neut"}),
        ("NOUN", "skönhet", {"skönhet": "Number=Sing"}),
        ("AUX", "ha", {"har": "Tense=Pres", "hade": "Tense=Past"}),
        ("AUX", "vara", {"är": "Tense=Pres"}),
        ("AUX", "kunna", {"kan": "Tense=Pres"}),
        ("AUX", "skola", {"ska": "Tense=Pres"}),
        ("DET", "en", {"en": "Definite=Ind|Gender=Com", "ett": "Definite=Ind|Gender=Neut"}),
        ("DET", "den", {"det": "Definite=Def|Gender=Neut"}),
        ("DET", "varje", {"varje": "Definite=Ind|Gender=Neut"}),
        ("DET", "någon", {"något": "Definite=Ind|Gender=Neut"}),
        ("NOUN", "bil", {"bil": "Case=Nom|Number=Sing", "bilar": "Case=Nom|Number=Plur"}),
        ("NOUN", "katt", {"katt": "Case=Nom|Number=Sing", "katts": "Case=Gen|Number=Sing"}),
        ("NOUN", "katt", {"katten": "Case=Nom|Definite=Def|Number=Sing"}),
        ("NOUN", "hus", {"hus": "Definite=Ind", "huset": "Definite=Def"}),
        ("NOUN", "mat", {"mat": "Number=Sing"}),
        ("NOUN", "tid", {"tid": "Number=Sing"}),
        ("PRON", "jag", {"jag": "Case=Nom"}),
        ("PRON", "vi", {"vi": "Case=Nom", "oss": "Case=Acc"}),
        ("PRON", "allt", {"allt": "Definite=Ind|Gender=Neut"}),
        ("VERB", "sova", {"sover": "Mood=Ind|Tense=Pres|VerbForm=Fin", "sova": "VerbForm=Inf"}),
        ("VERB", "sova", {"sovit": "VerbForm=Sup"}),
        ("VERB", "äta", {"äter": "Mood=Ind|Tense=Pres|VerbForm=Fin", "äta": "VerbForm=Inf"}),
        ("VERB", "äta", {"åt": "Mood=Ind|Tense=Past|VerbForm=Fin"}),
        ("VERB", "se", {"ser": "Mood=Ind|Tense=Pres|VerbForm=Fin"}),
        ("VERB", "bo", {"bor": "Mood=Ind|Tense=Pres|VerbForm=Fin"}),
        ("VERB", "besöka", {"besöker": "Mood=Ind|Tense=Pres|VerbForm=Fin"}),
        ("VERB", "köpa", {"köper": "Mood=Ind|Tense=Pres|VerbForm=Fin"}),
        ("VERB", "sofva", {"sofver": "Mood=Ind|Tense=Pres|VerbForm=Fin|Typo=Yes"}),
        ("PUNCT", ".", {".": "", ",": ""}),
    ]
    for word, features in forms.items()
} | {
    word: (pos, word, "")
    for pos, words in {
        "ADP": "i på",
        "ADV": "nu ofta gärna då igår",
        "CCONJ": "och eller",
        "NUM": "två tre",
        "PART": "att ej",
        "PROPN": "Lund Kalmar",
        "SCONJ": "om när",
    }.items()
    for word in words.split()
}
UNKNOWN = ("X", "", "")


class Dictionary:
    """An analyzer that looks words up, whatever stands around them."""

    name, version = "dictionary:sv", "1"

    def analyze(self, sentences: Sequence[Tokens]) -> Dictionary:
        self.analyses = [self.look(tokens) for tokens in sentences]
        return self

    def look(self, tokens: Tokens) -> Analysis:
        found = [WORDS.get(t) or WORDS.get(t.lower(), UNKNOWN) for t in tokens]
        # "att" before a pronoun joins sentences; elsewhere it belongs to an infinitive.
        pos = tuple(
            "SCONJ" if one[0] == "PART" and tokens[i + 1 : i + 2] in {("vi",), ("om",)} else one[0]
            for i, one in enumerate(found)
        )
        subject = "PRON" if tokens and tokens[0] in {"Något", "Det"} else pos[0] if pos else ""
        pos = (subject, *pos[1:]) if pos else pos
        lemma = tuple(one[1] or t for one, t in zip(found, tokens, strict=True))
        features = tuple(one[2] for one in found)
        return Analysis(tokens, tuple(map(str.lower, tokens)), pos, pos, lemma, features=features)

    def __enter__(self) -> WholeBatch:
        return WholeBatch(self.analyses)

    def __exit__(self, *_: object) -> None:
        pass


def annotate(source: str, corrected: str, **options: object) -> tuple[Edit, ...]:
    return redink.annotate(source, corrected, language="sv", analyzer=Dictionary(), **options)


EXAMPLES = [
    (error_type, operation)
    for error_type in UNIVERSAL.error_types
    for operation in error_type.examples
]


@pytest.mark.parametrize(
    ("error_type", "operation"), EXAMPLES, ids=[f"{o}:{t.name}" for t, o in EXAMPLES]
)
def test_example_is_true(error_type: ErrorType, operation: Operation) -> None:
    found = annotate(*error_type.examples[operation])
    assert [edit.type for edit in found] == [f"{operation}:{error_type.name}"]


def test_page_is_up_to_date() -> None:
    """docs/universal-types.md is what `python docs/write_error_types.py` writes."""
    assert UNIVERSAL_PAGE.read_text(encoding="utf-8") == write_universal_page()


def test_every_rule_is_named_once() -> None:
    for table in UNIVERSAL.typing.tables.values():
        names = [rule.name for section in table for rule in section.rules]
        assert len(names) == len(set(names))
    assert all(rule.because for rule in UNIVERSAL.typing.rules)


def test_types_in_words() -> None:
    assert find_language("sv").describe("R:NOUN:CASE,NUMBER") == "wrong case and number: noun"
    assert find_language("sv").describe("M:DET") == "missing determiner"
    assert describe_type("R:DET:GENDER[PSOR]") == "wrong gender[psor]: determiner"
    assert describe_type("R:WO:GENDER") == "wrong word order, and wrong gender"
    assert describe_type("R:SHOUT") == "R:SHOUT"


def test_a_word_list_decides_about_spelling() -> None:
    known = frozenset(WORDS) - {"bilar"}
    assert [e.type for e in annotate("två bilar .", "två bil .")] == ["R:NOUN:NUMBER"]
    found = annotate("två blar .", "två bilar .", lexicon={*known, "bilar"})
    assert [(e.type, e.rule) for e in found] == [("R:SPELL", "misspelling")]
    assert [e.type for e in annotate("två blar .", "två bilar .")] != ["R:SPELL"]
    # of three letters one is right: enough for a short word
    found = annotate("två qxl .", "två bil .", lexicon={*known, "bil"})
    assert [(e.type, e.rule) for e in found] == [("R:SPELL", "misspelling")]
    found = annotate("två qxz .", "två bil .", lexicon={*known, "bil"})
    assert found[0].type != "R:SPELL"
    # a name in capitals is known, without any it is not
    names = {*known, "Lund", "Luns"}
    assert annotate("i LUNS .", "i LUND .", lexicon=names)[0].type != "R:SPELL"
    assert annotate("i luns .", "i lund .", lexicon=names)[0].type == "R:SPELL"
    # of one lemma: a form that does not exist
    found = annotate("två bilar .", "två bil .", lexicon=known)
    assert [(e.type, e.rule) for e in found] == [("R:NOUN:NUMBER", "unknown-word-inflected")]
    found = annotate("en xyzzyq .", "en bil .", lexicon=known)
    assert [(e.type, e.rule) for e in found] == [("R:NOUN", "unknown-word-replaced")]


def test_forms_of_one_word_are_read_alike() -> None:
    class Unsure(Dictionary):
        def look(self, tokens: Tokens) -> Analysis:
            analysis = super().look(tokens)
            noun = TokenReading("NOUN", "Number=Plur", 0.6)
            verb = TokenReading("VERB", "VerbForm=Inf", 0.39)
            sure = TokenReading("VERB", "Mood=Ind|VerbForm=Fin", 0.99)
            if "pratar" in tokens:
                pos, read = (*analysis.pos[:1], "VERB"), sure
            else:
                pos, read = (*analysis.pos[:1], "NOUN"), noun
            features = (*analysis.features[:1], read.features)
            readings = (
                (TokenReading("PRON", "Case=Nom", 1.0),),
                (read, verb) if read is noun else (sure,),
            )
            return Analysis(
                tokens, analysis.lower, pos, pos, analysis.lemma, None, None, features, readings
            )

    found = redink.annotate("vi prata", "vi pratar", language="sv", analyzer=Unsure())
    assert [edit.type for edit in found] == ["R:VERB:MOOD,VERBFORM"]


@pytest.mark.parametrize(
    ("source", "corrected", "kind", "rule"),
    [
        # an edit of any number of words is of their part of speech if they all have it
        ("Vi ser mat tid .", "Vi ser hus .", "R:NOUN", "all-same-part-of-speech"),
        ("Vi ser hus .", "Vi ser mat tid .", "R:NOUN", "all-same-part-of-speech"),
        ("Vi ser det bil .", "Vi ser hus .", "R:OTHER", "no-rule-fits"),
        ("Vi ser zzz .", "Vi ser mat tid .", "R:OTHER", "no-rule-fits"),
        ("Vi .", "Vi sover hus .", "M:OTHER", "no-rule-fits"),
        # with one word of content on each side, it is about that word
        ("Vi har sovit .", "Vi sover .", "R:VERB:MOOD,TENSE,VERBFORM", "one-word-of-content"),
        # a word that moves may change its form
        ("Igår vi äter .", "Igår åt vi .", "R:WO:TENSE", "reordering-and-inflection"),
        ("bil-ar .", "bilar .", "R:ORTH", "hyphen-or-apostrophe"),
    ],
)
def test_phrases(source: str, corrected: str, kind: str, rule: str) -> None:
    """Several words are classified by their letters, parts of speech, lemmas and features."""
    how = AnnotationOptions(language="sv", analyzer=Dictionary(), merge="all-merge")
    found = redink.annotate(source, corrected, annotation_options=how)
    assert [(edit.type, edit.rule) for edit in found] == [(kind, rule)]


def test_raw_text_is_cut_at_blanks_and_marks() -> None:
    text = "Jean-Luc, 3.5 l'eau (’n)-bis -. vin"
    words = [text[start:end] for start, end in UNIVERSAL.tokenize(text)]
    one = "Jean-Luc , 3.5 l'eau ( ’ n ) - bis - . vin"
    assert words == one.split()


def test_without_an_analyzer_letters_tell() -> None:
    """Any language can be annotated: what letters cannot tell is OTHER."""
    pairs = {
        "R:ORTH": ("Vi bor i lund .", "Vi bor i Lund ."),
        "M:PUNCT": ("Vi bor här", "Vi bor här ."),
        "R:WO": ("Här vi bor .", "Här bor vi ."),
        "R:NUM": ("Vi har 2 hus", "Vi har 3 hus"),
        "R:OTHER": ("Vi har ett huss", "Vi har ett hus"),
    }
    for kind, (source, corrected) in pairs.items():
        assert [e.type for e in redink.annotate(source, corrected, language="fo")] == [kind]


SENTENCES = st.lists(st.sampled_from([*WORDS, "zzz", "Vi", "-", "…"]), min_size=1, max_size=9)


@given(SENTENCES, SENTENCES)
def test_edits_rebuild_the_correction(source: list[str], corrected: list[str]) -> None:
    found = annotate(" ".join(source), " ".join(corrected))
    assert list(redink.apply_edits(source, found)) == corrected
    places = Counter(edit.start for edit in found if edit.start == edit.end)
    assert all(count == 1 for count in places.values())


# ---- learners' sentences with trees and labels of people (README of the oracles, section 2)


def read_pairs(shared: Path, name: str) -> list[dict]:
    path = shared / "oracles" / "languages" / "ud-pairs" / f"{name}.edits.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def annotate_pairs(shared: Path, name: str, language: str) -> list[tuple[dict, Annotation]]:
    folder = shared / "oracles" / "languages" / "ud-pairs"
    sides = [str(folder / f"{name}.{side}.conllu.gz") for side in ("source", "corrected")]
    how = AnnotationOptions(language=language, analyzer=f"conllu:{','.join(sides)}")
    pairs = read_pairs(shared, name)
    sources = [Sentence(tuple(pair["source"])) for pair in pairs]
    texts = {"corrected": [Sentence(tuple(pair["target"])) for pair in pairs]}
    found = annotate_texts(sources, texts, annotation_options=how)["corrected"]
    for pair, annotation in zip(pairs, found, strict=True):
        assert list(redink.apply_edits(pair["source"], annotation.edits)) == pair["target"]
    return list(zip(pairs, found, strict=True))


def features_at(annotation: Annotation, token: int) -> set[str]:
    """The features that change at a source token, by the type of the edit that covers it."""
    covering = [edit for edit in annotation.edits if edit.start <= token < edit.end]
    return {name for edit in covering for name in edit.type.split(":")[-1].split(",")}


@pytest.mark.slow
def test_swedish_features_agree_with_people(shared: Path) -> None:
    """SweLL: gender in 33 of 33, definiteness 41 of 42, number 17 of 18, case 6 of 7, verbs 39."""
    expected = {
        "M-Gend": ({"GENDER"}, 33),
        "M-Def": ({"DEFINITE"}, 41),
        "M-Num": ({"NUMBER"}, 17),
        "M-Case": ({"CASE"}, 6),
        "M-Verb": ({"MOOD", "TENSE", "VERBFORM"}, 39),
    }
    agreed: Counter[str] = Counter()
    for pair, annotation in annotate_pairs(shared, "sv-swell", "sv"):
        for edit in pair["edits"]:
            label, *others = edit["labels"]
            if label in expected and not others and len(edit["source"]) == len(edit["target"]) == 1:
                found = features_at(annotation, edit["source"][0])
                agreed[label] += not expected[label][0].isdisjoint(found)
    assert agreed == {label: least for label, (_, least) in expected.items()}


@pytest.mark.slow
def test_italian_features_agree_with_people(shared: Path) -> None:
    """Valico: gender in 24 of 24, tense in 6 of 6, mood in 4 of 4."""
    expected = {"G": "GENDER", "T": "TENSE", "M": "MOOD"}
    agreed: Counter[str] = Counter()
    for pair, annotation in annotate_pairs(shared, "it-valico", "it"):
        for edit in pair["edits"]:
            (start, end), (to_start, to_end) = edit["source"], edit["target"]
            code = edit["codes"][0]
            single = end - start == to_end - to_start == 1 and len(edit["codes"]) == 1
            if single and len(code) == 3 and code[0] == "I" and code[2] in expected:
                agreed[code[2]] += expected[code[2]] in features_at(annotation, start)
    assert agreed == {"G": 24, "T": 6, "M": 4}


@given(
    *[
        st.lists(
            st.sampled_from(["Haus", "Hause", "Maus", "geht", "gehen", "ab", "ac", "!", "$", "3"]),
            max_size=4,
        )
    ]
    * 2
)
def test_vague_parts_of_speech_never_name_a_type(source: list[str], corrected: list[str]) -> None:
    """Without an analyzer, words that letters do not classify are OTHER, also similar ones."""
    edits = redink.annotate(" ".join(source), " ".join(corrected), language="de")
    assert not [edit for edit in edits if edit.type.split(":")[1] in {"INTJ", "SYM", "X"}]


def test_features_of_a_vague_word_do_not_name_a_type() -> None:
    class Foreign(Dictionary):
        def look(self, tokens: Tokens) -> Analysis:
            features = tuple("Case=Nom" if word == "tem" else "Case=Acc" for word in tokens)
            pos = ("X",) * len(tokens)
            return Analysis(tokens, tokens, pos, pos, ("tempus",) * len(tokens), features=features)

    for lexicon in ({"tem", "tempo"}, {"tempo"}):
        found = redink.annotate("tem", "tempo", language="sv", analyzer=Foreign(), lexicon=lexicon)
        assert found[0].type.split(":")[1] in {"MORPH", "SPELL"}, found
