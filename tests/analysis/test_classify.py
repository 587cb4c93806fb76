"""Every rule of typing: what it fires on, and that the original gives the same type."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import pytest
import spacy
from errant.annotator import Annotator as OriginalAnnotator
from errant.en import classifier, merger
from spacy.tokens import Doc
from spacy.vocab import Vocab

import redink
from redink.analysis import classify as classifying
from redink.analysis.analyzer import Analysis
from redink.analysis.classify import CASE_AT_END, NOTHING_CHANGED, DependenciesNeededError
from redink.analysis.english import ENGLISH

classify = partial(classifying.classify, typing=ENGLISH.typing)


class Token(NamedTuple):
    """A word and what an analyzer might say about it."""

    text: str
    tag: str = "NN"
    lemma: str = ""
    pos: str = "X"
    dep: str = "dep"
    head: int = 0


T = Token
N: list[Token] = []


def analysis_of(tokens: list[Token]) -> Analysis:
    return Analysis(
        tuple(t.text for t in tokens),
        tuple(t.text.lower() for t in tokens),
        tuple(t.pos for t in tokens),
        tuple(t.tag for t in tokens),
        tuple(t.lemma or t.text.lower() for t in tokens),
        tuple(t.dep for t in tokens),
        tuple(t.head for t in tokens),
    )


def document_of(tokens: list[Token], vocab: Vocab) -> Doc:
    if not tokens:
        return Doc(vocab, words=[])
    return Doc(
        vocab,
        words=[t.text for t in tokens],
        tags=[t.tag for t in tokens],
        pos=[t.pos for t in tokens],
        lemmas=[t.lemma or t.text.lower() for t in tokens],
        deps=[t.dep for t in tokens],
        heads=[t.head for t in tokens],
    )


Case = tuple[list[Token], list[Token], str, str]


def both_ways(one: list[Token], other: list[Token], kind: str, rule: str) -> list[Case]:
    return [(one, other, kind, rule), (other, one, kind, rule)]


# What the rule fires on (the whole phrase is the edit), the type it gives, its name.
CASES: list[Case] = [
    (N, [T("'s", "POS")], "M:NOUN:POSS", "possessive-ending"),
    (N, [T("n't", "RB")], "M:CONTR", "contraction"),
    (N, [T("to", "TO", pos="PART", dep="aux")], "M:VERB:FORM", "infinitival-to"),
    (
        [T("has", "VBZ", dep="aux"), T("been", "VBN", dep="auxpass")],
        N,
        "U:VERB:TENSE",
        "auxiliaries",
    ),
    ([T("the", "DT")], N, "U:DET", "part-of-speech"),
    (N, [T("100", "CD", dep="amod")], "M:ADJ", "telling-role"),
    (N, [T("to", "TO"), T("go", "VB")], "M:VERB", "particle-and-verb"),
    (N, [T("the", "DT"), T("cat")], "M:OTHER", "no-rule-fits"),
    ([T("a"), T("lot")], [T("Alot")], "R:ORTH", "case-or-spacing"),
    ([T("is", "VBZ"), T("it", "PRP")], [T("it", "PRP"), T("is", "VBZ")], "R:WO", "reordering"),
    ([T("'", "''")], [T("'s", "POS")], "R:NOUN:POSS", "possessive-ending-replaced"),
    ([T("am", "VBP")], [T("'m", "VBP", "be")], "R:CONTR", "contraction-replaced"),
    ([T("ca", "MD")], [T("can", "VB")], "R:CONTR", "contracted-auxiliary"),
    ([T("wo", "MD")], [T("would", "MD")], "R:VERB:TENSE", "contracted-auxiliary-replaced"),
    ([T("was", "VBD", "be")], [T("were", "VBD", "be")], "R:VERB:SVA", "was-and-were"),
    (
        [T("informations", "NNS", "information")],
        [T("information")],
        "R:NOUN:INFL",
        "unknown-word-inflected",
    ),
    (
        [T("gooder", "JJR", "good")],
        [T("best", "RBS", "good")],
        "R:MORPH",
        "unknown-word-of-one-lemma",
    ),
    ([T("gramamtical", "JJ")], [T("grammatical", "JJ")], "R:SPELL", "misspelling"),
    ([T("eles")], [T("else", "RB")], "R:SPELL", "short-misspelling"),
    ([T("amounght")], [T("number")], "R:NOUN", "unknown-word-replaced"),
    ([T("amounght")], [T("seven", "CD")], "R:OTHER", "unknown-word-other"),
    ([T("good", "JJ", "good")], [T("better", "JJR", "good")], "R:ADJ:FORM", "adjective-form"),
    ([T("cat", "NN", "cat")], [T("cats", "NNS", "cat")], "R:NOUN:NUM", "noun-number"),
    (
        [T("have", "VB", "have", dep="aux", head=1), T("go", "VB", "go", dep="ROOT", head=1)],
        [T("has", "VB", "have", dep="aux", head=1), T("gone", "VBN", "go", dep="ROOT", head=1)],
        "R:VERB:FORM",
        "verb-after-auxiliary",
    ),
    ([T("go", "VB", "go")], [T("going", "VBG", "go")], "R:VERB:FORM", "verb-participle"),
    ([T("go", "VB", "go")], [T("went", "VBD", "go")], "R:VERB:TENSE", "verb-past"),
    ([T("go", "VB", "go")], [T("goes", "VBZ", "go")], "R:VERB:SVA", "verb-agreement"),
    (
        [T("can", "MD", "can", dep="aux")],
        [T("could", "MD", "can", dep="aux")],
        "R:VERB:TENSE",
        "auxiliary-form",
    ),
    (
        [T("interest", "NN", "interest", dep="amod")],
        [T("interested", "JJ", "interest", dep="acomp")],
        "R:ADJ:FORM",
        "adjective-role",
    ),
    (
        [T("musical", "JJ", "musical")],
        [T("musicals", "NNS", "musical")],
        "R:NOUN:NUM",
        "adjective-to-plural",
    ),
    ([T("run", "NN", "run")], [T("running", "VBG", "run")], "R:VERB:FORM", "corrected-participle"),
    ([T("run", "NN", "run")], [T("ran", "VBD", "run")], "R:VERB:TENSE", "corrected-past"),
    ([T("run", "NN", "run")], [T("runs", "VBZ", "run")], "R:VERB:SVA", "corrected-agreement"),
    ([T("quick", "JJ", "quick")], [T("quickly", "RB", "quick")], "R:MORPH", "one-lemma"),
    ([T("decide", "VB")], [T("decision", "NN")], "R:MORPH", "one-stem"),
    (
        [T("will", "MD", dep="aux")],
        [T("would", "MD", dep="aux")],
        "R:VERB:TENSE",
        "auxiliary-replaced",
    ),
    ([T("in", "IN")], [T("at", "IN")], "R:PREP", "same-part-of-speech"),
    ([T("100", "CD", dep="amod")], [T("big", "JJ", dep="amod")], "R:ADJ", "same-role"),
    ([T("up", "RP")], [T("in", "IN")], "R:PART", "particle-or-preposition"),
    ([T("that", "DT")], [T("him", "PRP", dep="dobj")], "R:PRON", "pronoun-as-subject-or-object"),
    ([T("him", "PRP")], [T("whose", "WP$", dep="poss")], "R:DET", "possessive-determiner"),
    ([T("one", "CD")], [T("a", "DT")], "R:DET", "numeral-and-determiner"),
    ([T("other", "JJ")], [T("another", "DT")], "R:DET", "other-and-another"),
    ([T("your", "PRP$")], [T("yours", "PRP")], "R:PRON", "your-to-yours"),
    ([T("no", "DT")], [T("not", "RB")], "R:OTHER", "no-and-not"),
    ([T("3rd", "JJ")], [T("third", "RB")], "R:OTHER", "not-letters"),
    ([T("i", "PRP")], [T("in", "IN")], "R:SPELL", "one-letter-slip"),
    ([T("to", "TO")], [T("too", "RB")], "R:SPELL", "two-letter-slip"),
    ([T("on", "IN")], [T("an", "DT")], "R:SPELL", "two-letter-slip"),
    ([T("the", "DT")], [T("that", "IN")], "R:PRON", "the-to-that"),
    ([T("all", "DT")], [T("everything", "NN")], "R:PRON", "all-to-everything"),
    ([T("off", "RP")], [T("of", "CC")], "R:SPELL", "three-letter-slip"),
    ([T("that", "IN")], [T("what", "WP")], "R:PRON", "that-and-what"),
    ([T("good", "JJ")], [T("well", "RB")], "R:ADV", "good-and-well"),
    ([T("then", "RB")], [T("than", "IN")], "R:SPELL", "four-letter-slip"),
    ([T("high", "JJ")], [T("height", "NN")], "R:NOUN", "four-letters-to-longer-word"),
    ([T("after", "IN")], [T("later", "RB")], "R:ADV", "after-and-later"),
    ([T("quite", "RB")], [T("quiet", "JJ")], "R:SPELL", "five-letter-slip"),
    ([T("their", "PRP$")], [T("heir", "NN")], "R:SPELL", "five-letter-slip"),
    ([T("human", "JJ")], [T("people", "NNS")], "R:NOUN", "five-letters-to-longer-word"),
    ([T("therefor", "IN")], [T("therefore", "RB")], "R:SPELL", "therefor-to-therefore"),
    ([T("though", "IN")], [T("thought", "NN")], "R:SPELL", "though-and-thought"),
    ([T("stress", "NN")], [T("stressed", "RB")], "R:MORPH", "longer-form"),
    ([T("exiting", "NN")], [T("exciting", "IN")], "R:SPELL", "long-word-slip"),
    ([T("connection", "NN")], [T("convention", "IN")], "R:OTHER", "no-rule-fits"),  # just 0.8
    ([T("look", "NN")], [T("lot", "IN")], "R:OTHER", "no-rule-fits"),  # just half alike
    ([T("look", "IN")], [T("locked", "JJ")], "R:OTHER", "no-rule-fits"),
    ([T("transport", "NN")], [T("travel", "VB")], "R:VERB", "other-long-word"),
    (
        [T("has", "VBZ", dep="aux"), T("been", "VBN", dep="aux")],
        [T("is", "VBZ", dep="auxpass")],
        "R:VERB:TENSE",
        "all-auxiliaries",
    ),
    (
        [T("ate", "VBD", "eat")],
        [T("has", "VBZ", "have"), T("eaten", "VBN", "eat")],
        "R:VERB:TENSE",
        "verbs-of-one-lemma",
    ),
    *both_ways([T("traffic"), T("jam")], [T("queue")], "R:NOUN", "all-same-part-of-speech"),
    *both_ways(
        [T("100", "CD", dep="det"), T("of", "IN", dep="det")],
        [T("some", "DT", dep="det")],
        "R:DET",
        "all-same-role",
    ),
    (
        [T("to", "TO"), T("eat", "VB", "eat")],
        [T("eating", "VBG", "eat")],
        "R:VERB:FORM",
        "infinitive-or-gerund",
    ),
    ([T("see", "VB")], [T("look", "VB"), T("up", "RP")], "R:VERB", "phrasal-verb"),
    (
        [T("friends", "NNS", "friend")],
        [T("friend", "NN", "friend"), T("'s", "POS")],
        "R:NOUN:POSS",
        "possessive-noun",
    ),
    *both_ways(
        [T("more", "RBR"), T("free", "JJ", "free")],
        [T("freer", "JJR", "free")],
        "R:ADJ:FORM",
        "more-and-most",
    ),
    (
        [T("more", "RBR"), T("very", "RB"), T("free", "JJ", "free")],
        [T("freer", "JJR", "free")],
        "R:OTHER",
        "no-rule-fits",
    ),
    (
        [T("more", "RBR"), T("free", "JJ", "free")],
        [T("cheaper", "JJR", "cheap")],
        "R:OTHER",
        "no-rule-fits",
    ),
    *both_ways(
        [T("more", "RBR"), T("or", "CC"), T("free", "JJ", "free")],
        [T("freer", "JJR", "free")],
        "R:OTHER",
        "no-rule-fits",
    ),
]


@pytest.fixture(scope="module")
def original() -> Any:
    """The original's annotator; it needs no trained pipeline, since documents come analyzed."""
    return OriginalAnnotator("en", spacy.blank("en"), merger, classifier)


@pytest.mark.parametrize(
    ("source", "corrected", "expected", "rule"), CASES, ids=[case[3] for case in CASES]
)
def test_rule(
    source: list[Token],
    corrected: list[Token],
    expected: str,
    rule: str,
    original: Any,
    original_lexicon: set[str],
) -> None:
    """The rule fires, and gives the type that the original gives."""
    span = 0, len(source), 0, len(corrected)
    if rule == "verb-after-auxiliary":
        span = 1, 2, 1, 2  # the second word changes, and its auxiliary decides
    typed = classify(analysis_of(source), analysis_of(corrected), span, lexicon=original_lexicon)
    vocab = original.nlp.vocab
    theirs = original.import_edit(
        document_of(source, vocab), document_of(corrected, vocab), list(span), min=False
    )
    assert (typed.type, typed.rule) == (expected, rule)
    assert theirs.type == expected


# What Bryant et al. (2017), table 2, say of such errors, with an example or two of the same kind.
FIXED_CASES = [
    ("The color is red .", "The colour is red .", "R:SPELL", "spelling-variant"),
    ("The colour is red .", "The color is red .", "R:SPELL", "spelling-variant"),
    ("The gray cat .", "The grey cat .", "R:SPELL", "spelling-variant"),
    ("The city center .", "The city centre .", "R:SPELL", "spelling-variant"),
    ("They organise it .", "They organize it .", "R:SPELL", "spelling-variant"),
    ("I canceled it .", "I cancelled it .", "R:SPELL", "spelling-variant"),
    ("A new program .", "A new programme .", "R:SPELL", "spelling-variant"),
    (
        "This is the goodest book .",
        "This is the best book .",
        "R:ADJ:FORM",
        "regularized-adjective",
    ),
    ("He is gooder than me .", "He is better than me .", "R:ADJ:FORM", "regularized-adjective"),
    ("My bestest friend .", "My best friend .", "R:ADJ:FORM", "regularized-adjective"),
    ("He getted a book .", "He got a book .", "R:VERB:INFL", "regularized-inflection"),
    ("He runned away .", "He ran away .", "R:VERB:INFL", "regularized-inflection"),
    ("He fliped it .", "He flipped it .", "R:VERB:INFL", "regularized-inflection"),
    ("Two childs slept .", "Two children slept .", "R:NOUN:INFL", "regularized-inflection"),
    ("Much informations .", "Much information .", "R:NOUN:INFL", "regularized-inflection"),
    ("I like colors .", "I like colour .", "R:NOUN:NUM", "noun-number"),
    ("The color of it .", "The collar of it .", "R:NOUN", "same-part-of-speech"),
    ("My color .", "My colors .", "R:NOUN:NUM", "noun-number"),
]


@pytest.mark.parametrize(("source", "corrected", "expected", "rule"), FIXED_CASES)
def test_fixed_spelling_variants_and_regularized_words(
    source: str, corrected: str, expected: str, rule: str
) -> None:
    """A spelling variant is SPELL, and an irregular word with a regular ending is a wrong form."""
    (edit,) = redink.annotate(source, corrected, fixed=True)
    assert (edit.type, edit.rule) == (expected, rule)


def test_american_words_are_unknown_unless_fixed() -> None:
    """The British list lacks color, as the original's does."""
    assert redink.annotate("My color .", "My colour .")[0].type == "R:SPELL"
    assert redink.annotate("My color .", "My colors .")[0].type == "R:NOUN:INFL"


def test_every_rule_has_a_case() -> None:
    """No rule is without a case above, and no two rules share a name but not their reason."""
    rules = ENGLISH.typing.rules
    cases = {case[3] for case in CASES} | {case[3] for case in FIXED_CASES}
    assert {rule.name for rule in rules} == cases
    assert {case[2] for case in CASES} <= ENGLISH.describe_types().keys()
    assert len({rule.name for rule in rules}) == len({(r.name, r.because) for r in rules})


def test_unchanged_edit_is_unknown(original_lexicon: set[str]) -> None:
    same = analysis_of([T("cat")])
    typed = classify(same, same, (0, 1, 0, 1), lexicon=original_lexicon)
    assert typed == ("UNK", NOTHING_CHANGED)
    assert classify(same, same, (0, 0, 0, 0), lexicon=original_lexicon).type == "UNK"


def test_case_at_the_end_is_left_aside(original_lexicon: set[str]) -> None:
    typed = classify(
        analysis_of([T("Doctor")]),
        analysis_of([T("The", "DT"), T("doctor")]),
        (0, 1, 0, 2),
        lexicon=original_lexicon,
    )
    assert typed == ("M:DET", f"{CASE_AT_END}/part-of-speech")
    assert "ignores this word" in ENGLISH.typing.explain(typed.rule)


def test_rules_say_when_they_need_dependencies(original_lexicon: set[str]) -> None:
    """Without labels, an edit is typed if no rule asks for them, and else says which side."""
    bare = [
        Analysis(a.tokens, a.lower, a.pos, a.tag, a.lemma)
        for a in (analysis_of([T("cat", "NN", "cat")]), analysis_of([T("cats", "NNS", "cat")]))
    ]
    assert classify(*bare, (0, 1, 0, 1), lexicon=original_lexicon).type == "R:NOUN:NUM"
    with pytest.raises(DependenciesNeededError) as missing:
        classify(*bare, (0, 0, 0, 1), lexicon=original_lexicon)
    assert missing.value.analysis is bare[1]
    with pytest.raises(DependenciesNeededError) as unnecessary:
        classify(*bare, (0, 1, 0, 0), lexicon=original_lexicon)
    assert unnecessary.value.analysis is bare[0]


def test_unknown_tags_do_not_stop_the_work(original_lexicon: set[str]) -> None:
    """A tag that no rule knows counts as a rare word class (the original stops)."""
    typed = classify(
        analysis_of([]), analysis_of([T("cat", "NEW")]), (0, 0, 0, 1), lexicon=original_lexicon
    )
    assert typed.type == "M:OTHER"


AUXILIARY: Any = {"dep": "aux", "head": 2}
GONE = T("gone", "VBN", "go", dep="ROOT", head=2)


@pytest.mark.parametrize(
    ("source", "corrected", "place", "plain", "fixed"),
    [
        # PARIS is a misspelling to the original, whose list has Paris
        ([T("PARIS", "NNP")], [T("Parks", "NNS")], 0, "R:SPELL", "R:NOUN"),
        # the original takes the second of two auxiliaries that look alike for the first
        (
            [*[T("have", "VB", "have", **AUXILIARY)] * 2, GONE],
            [T("had", "VBD", "have", **AUXILIARY), T("has", "VBZ", "have", **AUXILIARY), GONE],
            1,
            "R:VERB:SVA",
            "R:VERB:FORM",
        ),
    ],
    ids=["names in capitals", "equal auxiliaries"],
)
def test_fixed(
    source: list[Token],
    corrected: list[Token],
    place: int,
    plain: str,
    fixed: str,
    original_lexicon: set[str],
) -> None:
    """Faults of the original are kept unless they are to be fixed."""
    sides = analysis_of(source), analysis_of(corrected)
    span = (place, place + 1, place, place + 1)
    assert classify(*sides, span, lexicon=original_lexicon).type == plain
    assert classify(*sides, span, lexicon=original_lexicon, fixed=True).type == fixed
