"""``edit-validity``: is every edit of a correction right, and is an error left?

As in the edit-based evaluation of SEEDA (Kobayashi, Mita and Komachi 2024). Every edit is exported
as one judgment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from redink.analysis.language import find_language
from redink.campaign.items import Item, Material, read_written
from redink.campaign.tasks.protocol import (
    AnswerOption,
    CampaignTask,
    Example,
    Field,
    Instructions,
    LabeledAnswer,
    When,
    context_of,
)
from redink.campaign.tasks.questions import dress, read_fields, show_words
from redink.campaign.tasks.rewriting import keep_edits, language_of, restore_edits
from redink.campaign.translation import Phrase
from redink.errors import DataError
from redink.formats.seeda import holds_seeda, read_sentences
from redink.inputs.loading import PathLike
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Sentence
from redink.raw_text.tokenization import space_tokens

_VERDICTS = (
    AnswerOption("right", "right"),
    AnswerOption("wrong", "wrong"),
    AnswerOption("optional", "not needed, but not wrong"),
)
REMAINS = "remains"


class ValidityTask(CampaignTask):
    """A correction with marked edits, one question each, and whether an error is left."""

    name = "edit-validity"
    title = "Is every change right?"
    template = "questions.html"
    kind: Literal["judgments"] = "judgments"
    instructions = Instructions(
        purpose=(
            "You see what a writer wrote and a corrected version with its changes marked. Say "
            "of every change whether it is right, and whether an error is left."
        ),
        steps=(
            "Right: there was an error, and the change corrects it.",
            "Wrong: the change makes a new error, changes what was meant, or corrects nothing.",
            "Not needed: both versions are right.",
            "Then say whether an error is left in the corrected version, and where.",
        ),
        examples=(
            Example(
                "She have two cats → She has (1) two pets (2).",
                "1: right; 2: wrong",
                "the second changes what was meant",
            ),
        ),
    )

    def make_items(self, given: Material) -> list[Item]:
        from redink.campaign.tasks.item_sources import describe_sentence, read_edits

        if (file := given.item_file("text", "edits")) is not None:
            return given.draw(read_written(file, self.check))
        is_seeda = given.file is not None and holds_seeda(given.file)
        corpus = _take_seeda(given.file) if is_seeda else read_edits(given, self.name)
        sources = [sentence.source for sentence in corpus.sentences]
        items: list[Item] = []
        for number, sentence in enumerate(corpus.sentences):
            made: dict[tuple[tuple[int, int, str], ...], tuple[list[str], tuple[Edit, ...]]] = {}
            for annotation in sentence.annotations:
                key = tuple((edit.start, edit.end, edit.correction) for edit in annotation.edits)
                made.setdefault(key, ([], annotation.edits))[0].append(annotation.annotator)
            for key, (names, edits) in made.items():
                if not key:
                    continue
                about = describe_sentence(sources, number)
                about["extra"] = {
                    "sentence": str(about.pop("sentence")),
                    "systems": "+".join(names),
                }
                about["edits"] = keep_edits(edits)
                if given.language != "en":
                    about["language"] = given.language
                items.append(Item(len(items) + 1, f"s{number}.{len(items)}", about))
        if not items:
            raise DataError("nothing was changed in any sentence; there are no edits to judge")
        return given.draw(items)

    def check(self, item: Item) -> None:
        if not item.payload.get("edits"):
            raise DataError(f"an item of the task {self.name} needs edits")
        for edit in restore_edits(item.payload["edits"]):
            edit.check_fits(len(item.payload["text"].split()))
        if item.gold is not None:
            raise DataError(f"the task {self.name} has no gold answers")

    def fields_for(self, item: Item) -> tuple[Field, ...]:
        """Return a question for every edit, and two about remaining errors."""
        tokens = item.payload["text"].split()
        names = find_language(language_of(item)).describe_types()
        fields = []
        for number, edit in enumerate(restore_edits(item.payload["edits"]), start=1):
            question = Phrase(
                "{number}: {before} → {after}",
                number=number,
                before=show_words(tokens[edit.start : edit.end]),
                after=show_words(edit.correction.split()),
            )
            kind = names.get(edit.type, "")
            fields.append(Field(f"edit{number}", question, "choice", _VERDICTS, hint=kind))
        left = (AnswerOption("no", "no"), AnswerOption("yes", "yes"))
        where = When(REMAINS, ("yes",))
        return (
            *fields,
            Field(REMAINS, "Is an error left?", "choice", left),
            Field("where", "Where? Select the words", "span", optional=True, when=where),
        )

    def _corrected(self, item: Item) -> list[tuple[str, Literal["plain", "new", "gone"]]]:
        tokens = item.payload["text"].split()
        shown: list[tuple[str, Literal["plain", "new", "gone"]]] = []
        reached = 0
        for edit in restore_edits(item.payload["edits"]):
            shown += [(token, "plain") for token in tokens[reached : edit.start]]
            shown += [(token, "new") for token in edit.correction.split()]
            if not edit.correction:
                shown += [(token, "gone") for token in tokens[edit.start : edit.end]]
            reached = edit.end
        return shown + [(token, "plain") for token in tokens[reached:]]

    def view(self, item: Item, seed: int) -> dict[str, Any]:
        corrected = self._corrected(item)
        return {
            **context_of(item),
            "source": space_tokens(item.payload["text"].split()).text,
            "parts": dress(corrected),
            "tokens": tuple(token for token, kind in corrected if kind != "gone"),
            "fields": self.fields_for(item),
        }

    def read(self, item: Item, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        length = sum(kind != "gone" for _, kind in self._corrected(item))
        return read_fields(self.fields_for(item), form, length)

    def split(self, item: Item, answer: dict[str, Any]) -> Iterator[LabeledAnswer]:
        for number, edit in enumerate(restore_edits(item.payload["edits"]), start=1):
            about = {
                "question": "edit",
                "start": str(edit.start),
                "end": str(edit.end),
                "correction": edit.correction,
                "type": edit.type,
            }
            yield LabeledAnswer(f".e{number}", answer[f"edit{number}"], about)
        about = {"question": REMAINS}
        if answer.get("where"):
            about["where"] = "+".join(answer["where"])
        yield LabeledAnswer(f".{REMAINS}", answer[REMAINS], about)


def _take_seeda(path: PathLike | None) -> Corpus:
    found: dict[tuple[str, ...], dict[tuple[Edit, ...], None]] = {}
    for sentence in read_sentences(str(path)):
        versions = found.setdefault(sentence.tokens, {})
        versions |= dict.fromkeys(version.edits for version in sentence.versions)
    return Corpus(
        tuple(
            AnnotatedSentence(
                Sentence(tokens),
                tuple(Annotation(f"s{number}", edits) for number, edits in enumerate(versions)),
            )
            for tokens, versions in found.items()
        )
    )


EDIT_VALIDITY = ValidityTask()
