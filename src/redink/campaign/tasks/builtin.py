"""Question tasks of the literature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redink.analysis.language import find_language
from redink.campaign.items import NOTHING, Item, Material
from redink.campaign.tasks.item_sources import (
    describe_sentence,
    mark_places,
    mark_words,
    offer_words,
    read_edits,
    take_outputs,
)
from redink.campaign.tasks.protocol import AnswerOption, Example, Field, Instructions, When, choose
from redink.campaign.tasks.questions import QuestionTask
from redink.errors import OptionError
from redink.model import Edit

_SPAN = ("start", "end")

USAGE = QuestionTask(
    name="usage",
    needs=_SPAN,
    find=mark_words,
    title="Judge the marked word",
    instructions=Instructions(
        purpose=(
            "You see a sentence by a learner of English with one word marked, and the sentence "
            "before it. Say whether the marked word is right where it stands."
        ),
        steps=(
            "First look around the word: tick what is wrong within two words of it.",
            "Then judge the word itself: extraneous, incorrect, correct, or one of several.",
            "If another word is better or as good, type it; separate several with commas.",
            "Say how sure you are.",
        ),
        examples=(
            Example("He arrived [to] the station.", "wrong word; better: at", "arrive at"),
            Example("We discussed [about] the film.", "should not be there", "discuss something"),
            Example("They walked [along] the river.", "right, others as good: by", "both are fine"),
        ),
    ),
    fields=(
        Field(
            "context",
            "Within two words of it there is",
            "flags",
            (
                AnswerOption("spelling", "a spelling error"),
                AnswerOption("determiner", "a determiner or number error"),
                AnswerOption("grammar", "another grammatical error"),
            ),
            optional=True,
        ),
        choose(
            "label",
            "The marked word is",
            extraneous="extraneous: it should not be there",
            incorrect="incorrect: another word belongs there",
            correct="correct",
            equal="correct, and others are equally good",
        ),
        Field(
            "alternatives",
            "Better or equally good words",
            "text",
            optional=True,
            hint="separate several with commas",
            when=When("label", ("incorrect", "equal")),
        ),
        choose("confidence", "How sure are you?", low="not very", high="sure"),
    ),
)

CROWD = QuestionTask(
    name="crowd",
    needs=_SPAN,
    find=mark_words,
    title="Error or not?",
    instructions=Instructions(
        purpose=(
            "You see a sentence with one word marked. Say whether the marked word is an error "
            "in that sentence."
        ),
        steps=(
            "Judge the marked word only; other errors in the sentence do not matter here.",
            "Say error if the word is wrong or should not be there, OK if it is fine.",
            "Use cannot tell only if the sentence makes no sense to you.",
        ),
        examples=(
            Example("I am good [in] chess.", "error", "one is good at something"),
            Example("I read it [in] the paper.", "OK", "nothing is wrong with it"),
        ),
    ),
    fields=(
        choose("label", "The marked word is", error="an error", ok="OK", unknown="cannot tell"),
    ),
)

SAMPLE = QuestionTask(
    name="sample",
    needs=_SPAN,
    find=mark_places,
    title="Error or not?",
    instructions=Instructions(
        purpose="You see a sentence with one place marked. Say whether there is an error there.",
        steps=(
            "Judge the marked place only; other errors in the sentence do not matter here.",
            "Nothing tells you what any system said, and nothing should.",
        ),
        examples=CROWD.instructions.examples,
    ),
    fields=(choose("label", "At the marked place there is", error="an error", ok="no error"),),
)

CLOZE = QuestionTask(
    name="cloze",
    needs=_SPAN,
    find=mark_places,
    title="Fill the gap",
    mark="blank",
    instructions=Instructions(
        purpose="You see a sentence with one word missing. Type the word that fits best.",
        steps=(
            "Type one word, the first that you would use yourself.",
            "There may be several good answers; one is enough.",
        ),
        examples=(Example("She is afraid ____ spiders.", "of", "afraid of something"),),
    ),
    fields=(Field("label", "The missing word", "text"),),
)

CHOICE = QuestionTask(
    name="choice",
    needs=(*_SPAN, "choices"),
    find=offer_words,
    title="Which word fits better?",
    mark="blank",
    instructions=Instructions(
        purpose="You see a sentence with one word missing and two words. Say which fits better.",
        steps=(
            "Choose the word that you would use in this sentence.",
            "If both are as good, or neither will do, say so.",
        ),
        examples=(Example("We met ____ Monday.", "on (not in)", "on a day"),),
    ),
    fields=(
        choose(
            "label",
            "Which word fits better?",
            both="both are equally good",
            neither="neither fits",
        ),
    ),
)


def check_types(given: Material, task: str) -> list[Item]:
    """Make an item for every edit of every annotator, with its type in words."""
    corpus = read_edits(given, task)
    names = find_language(given.language).describe_types()
    sentences = [sentence.source for sentence in corpus.sentences]
    items: list[Item] = []
    for number, sentence in enumerate(corpus.sentences):
        for annotation in sentence.annotations:
            for place, edit in enumerate(annotation.edits):
                about = describe_sentence(sentences, number)
                about |= {"start": edit.start, "end": edit.end}
                about["note"] = _describe(sentence.source.tokens, edit, names)
                about["extra"] = {"sentence": str(about.pop("sentence")), "type": edit.type}
                key = f"s{number}.{annotation.annotator}.{place}"
                items.append(Item(len(items) + 1, key, about))
    if not items:
        raise OptionError(f"a {task} campaign is about edits, and what was given has none")
    return items


def _describe(tokens: Sequence[str], edit: Edit, names: Mapping[str, str]) -> str:
    before = " ".join(tokens[edit.start : edit.end]) or NOTHING
    words = names.get(edit.type)
    kind = f"{words} ({edit.type})" if words else edit.type
    return f"{before} → {edit.correction or NOTHING}: {kind}"


EDIT_CHECK = QuestionTask(
    name="edit-check",
    needs=(*_SPAN, "note"),
    find=check_types,
    title="Is the error type right?",
    instructions=Instructions(
        purpose=(
            "You see a sentence with one correction in it, and the type of error it was given. "
            "Say whether the type fits."
        ),
        steps=(
            "Good: this is the type you would have chosen.",
            "Acceptable: another type would be better, but this one is not wrong.",
            "Bad: the type is wrong.",
        ),
        examples=(
            Example("She [have → has] two cats. Verb agreement", "good", "have does not agree"),
        ),
    ),
    fields=(choose("label", "The type is", good="good", acceptable="acceptable", bad="bad"),),
)


def _rate(name: str, question: str, low: str, high: str) -> Field:
    options = [AnswerOption(str(grade), str(grade)) for grade in range(1, 6)]
    options[0] = AnswerOption("1", low)
    options[-1] = AnswerOption("5", high)
    return Field(name, question, "scale", tuple(options))


RATE = QuestionTask(
    name="rate",
    find=take_outputs,
    title="Rate the sentence",
    instructions=Instructions(
        purpose=(
            "You see a sentence and perhaps what its writer wrote first. Rate it on three scales "
            "from 1 (worst) to 5 (best)."
        ),
        steps=(
            "Grammar: are there errors in it? Judge rules alone, not style.",
            "Fluency: would a good writer put it like this?",
            "Meaning: does it say what was written first? If nothing was: is it clear?",
        ),
        examples=(
            Example("She have two cats.", "grammar 3, fluency 3, meaning 5", "one clear error"),
            Example(
                "She possesses cats, two in number.",
                "grammar 5, fluency 2, meaning 5",
                "no error, but nobody says it so",
            ),
        ),
    ),
    fields=(
        _rate("grammaticality", "Grammar", "full of errors", "no error"),
        _rate("fluency", "Fluency", "hard to read", "as a good writer would put it"),
        _rate("meaning", "Meaning", "something else", "just the same"),
    ),
)
