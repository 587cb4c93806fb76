"""Every error type: what it means in words, and an example of each.

The scheme is that of Bryant et al. (2017): an operation (M missing, U unnecessary, R replacement)
and one of 25 types, 55 combinations in all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Operation = Literal["M", "U", "R"]
OPERATIONS: Final[dict[Operation, str]] = {
    "M": "missing",
    "U": "unnecessary",
    "R": "replacement",
}


@dataclass(frozen=True, slots=True)
class ErrorType:
    """One of the 25 types.

    Attributes:
        name: as it is written in M2, without the operation.
        title: what it is called.
        meaning: what edits of this type change.
        thing: what is missing or unnecessary, empty where the type exists as replacement only.
        fault: what is wrong where it is a replacement, in words.
        examples: for each operation that the type has, a sentence and its correction.
    """

    name: str
    title: str
    meaning: str
    thing: str
    fault: str
    examples: dict[Operation, tuple[str, str]]


ERROR_TYPES: Final[tuple[ErrorType, ...]] = (
    ErrorType(
        "ADJ",
        "Adjective",
        "Another adjective, or one too many or too few.",
        "adjective",
        "wrong adjective",
        {
            "M": ("It was a day .", "It was a sunny day ."),
            "U": ("It was a sunny nice day .", "It was a sunny day ."),
            "R": ("She has big experience .", "She has great experience ."),
        },
    ),
    ErrorType(
        "ADJ:FORM",
        "Adjective form",
        "Comparative and superlative forms.",
        "",
        "wrong form of an adjective",
        {"R": ("This is the more easy way .", "This is the easier way .")},
    ),
    ErrorType(
        "ADV",
        "Adverb",
        "Another adverb, or one too many or too few.",
        "adverb",
        "wrong adverb",
        {
            "M": ("He finished .", "He finally finished ."),
            "U": ("He very often comes here .", "He often comes here ."),
            "R": ("He speedily answered .", "He quickly answered ."),
        },
    ),
    ErrorType(
        "CONJ",
        "Conjunction",
        "Coordinating conjunctions.",
        "conjunction",
        "wrong conjunction",
        {
            "M": ("We ate drank .", "We ate and drank ."),
            "U": ("We ate and , drank and danced .", "We ate , drank and danced ."),
            "R": ("Do you want tea and coffee ?", "Do you want tea or coffee ?"),
        },
    ),
    ErrorType(
        "CONTR",
        "Contraction",
        "Contracted forms written in full or the other way round.",
        "contraction",
        "wrong contraction",
        {
            "M": ("We going home .", "We 're going home ."),
            "U": ("I 've saw him yesterday .", "I saw him yesterday ."),
            "R": ("I ca do it .", "I can do it ."),
        },
    ),
    ErrorType(
        "DET",
        "Determiner",
        "Articles and other determiners.",
        "determiner",
        "wrong determiner",
        {
            "M": ("I have book .", "I have a book ."),
            "U": ("The life is short .", "Life is short ."),
            "R": ("This is the apple .", "This is an apple ."),
        },
    ),
    ErrorType(
        "MORPH",
        "Morphology",
        "Words of one family that are of different classes, or no more precise type fits.",
        "",
        "wrong word of the right family",
        {"R": ("He drives very quick .", "He drives very quickly .")},
    ),
    ErrorType(
        "NOUN",
        "Noun",
        "Another noun, or one too many or too few.",
        "noun",
        "wrong noun",
        {
            "M": ("He works for an insurance .", "He works for an insurance company ."),
            "U": ("The traffic cars is heavy .", "The traffic is heavy ."),
            "R": ("I met a lot of person there .", "I met a lot of friends there ."),
        },
    ),
    ErrorType(
        "NOUN:INFL",
        "Noun inflection",
        "A form of a noun that does not exist.",
        "",
        "noun form that does not exist",
        {"R": ("We need more informations .", "We need more information .")},
    ),
    ErrorType(
        "NOUN:NUM",
        "Noun number",
        "Singular for plural or the other way round.",
        "",
        "wrong number of a noun",
        {"R": ("I have two cat .", "I have two cats .")},
    ),
    ErrorType(
        "NOUN:POSS",
        "Noun possessive",
        "Possessive endings.",
        "possessive ending",
        "wrong possessive ending",
        {
            "M": ("This is John book .", "This is John 's book ."),
            "U": ("The book 's cover is red .", "The book cover is red ."),
            "R": ("My friends house is big .", "My friend 's house is big ."),
        },
    ),
    ErrorType(
        "ORTH",
        "Orthography",
        "Capitals and spaces.",
        "",
        "wrong capitals or spaces",
        {"R": ("I live in london .", "I live in London .")},
    ),
    ErrorType(
        "OTHER",
        "Other",
        "Everything that no other type fits, paraphrases above all.",
        "words of several kinds",
        "other words",
        {
            "M": ("It is late .", "As we all know , it is late ."),
            "U": ("As we all know , it is late .", "It is late ."),
            "R": ("He did it by accident .", "He did it unintentionally ."),
        },
    ),
    ErrorType(
        "PART",
        "Particle",
        "Particles of phrasal verbs.",
        "particle",
        "wrong particle",
        {
            "M": ("You should get at six .", "You should get up at six ."),
            "U": ("They gave up it up .", "They gave it up ."),
            "R": ("Look in the word .", "Look up the word ."),
        },
    ),
    ErrorType(
        "PREP",
        "Preposition",
        "Prepositions and subordinating conjunctions.",
        "preposition",
        "wrong preposition",
        {
            "M": ("I listen music .", "I listen to music ."),
            "U": ("We discussed about it .", "We discussed it ."),
            "R": ("He is good in chess .", "He is good at chess ."),
        },
    ),
    ErrorType(
        "PRON",
        "Pronoun",
        "Pronouns.",
        "pronoun",
        "wrong pronoun",
        {
            "M": ("I think is good .", "I think it is good ."),
            "U": ("My brother he lives here .", "My brother lives here ."),
            "R": ("Give it to he .", "Give it to him ."),
        },
    ),
    ErrorType(
        "PUNCT",
        "Punctuation",
        "Punctuation marks.",
        "punctuation mark",
        "wrong punctuation mark",
        {
            "M": ("However it rained .", "However , it rained ."),
            "U": ("I think , that it rained .", "I think that it rained ."),
            "R": ("Where are you .", "Where are you ?"),
        },
    ),
    ErrorType(
        "SPELL",
        "Spelling",
        "Misspelt words, and words taken for others that look alike.",
        "",
        "misspelling",
        {"R": ("He has a gramatical problem .", "He has a grammatical problem .")},
    ),
    ErrorType(
        "UNK",
        "Unknown",
        "An error that was marked and not corrected.",
        "",
        "marked, not corrected",
        {},
    ),
    ErrorType(
        "VERB",
        "Verb",
        "Another verb, or one too many or too few.",
        "verb",
        "wrong verb",
        {
            "M": ("They home early .", "They went home early ."),
            "U": ("I want go home .", "I want home ."),
            "R": ("I made a photo .", "I took a photo ."),
        },
    ),
    ErrorType(
        "VERB:FORM",
        "Verb form",
        "Infinitives, gerunds and participles.",
        "to of an infinitive",
        "wrong form of a verb",
        {
            "M": ("I want go home .", "I want to go home ."),
            "U": ("You must to go home .", "You must go home ."),
            "R": ("I enjoy to swim .", "I enjoy swimming ."),
        },
    ),
    ErrorType(
        "VERB:INFL",
        "Verb inflection",
        "A form of a verb that does not exist.",
        "",
        "verb form that does not exist",
        {"R": ("He buyed a car .", "He bought a car .")},
    ),
    ErrorType(
        "VERB:SVA",
        "Subject-verb agreement",
        "A verb that does not agree with its subject.",
        "",
        "verb that does not agree with its subject",
        {"R": ("She have a car .", "She has a car .")},
    ),
    ErrorType(
        "VERB:TENSE",
        "Verb tense",
        "Tense, aspect, mood and voice; auxiliary and modal verbs.",
        "auxiliary verb",
        "wrong tense",
        {
            "M": ("He been to Paris .", "He has been to Paris ."),
            "U": ("I was met him yesterday .", "I met him yesterday ."),
            "R": ("I eat there yesterday .", "I ate there yesterday ."),
        },
    ),
    ErrorType(
        "WO",
        "Word order",
        "The same words in another order.",
        "",
        "wrong word order",
        {"R": ("I know what is it .", "I know what it is .")},
    ),
)


def describe_types() -> dict[str, str]:
    """Every error type with its operation, as it is written in M2, and what it says in words."""
    described = {}
    for error_type in ERROR_TYPES:
        for operation in error_type.examples:
            fault = (
                error_type.fault
                if operation == "R"
                else f"{OPERATIONS[operation]} {error_type.thing}"
            )
            described[f"{operation}:{error_type.name}"] = fault
        if not error_type.examples:
            described[error_type.name] = error_type.fault
    return described
