"""Tasks with one question per edit: ``edit-validity`` and ``adjudicate``.

``edit-validity`` is the edit-based evaluation of SEEDA (Kobayashi, Mita and Komachi 2024): is every
edit of a correction right, and is an error left? In ``adjudicate``, one person decides where
annotators differ; the export is the gold corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from redink.analysis.language import find_language
from redink.campaign.task_items import (
    CampaignItem,
    Material,
    describe_sentence,
    read_edits,
    read_written,
)
from redink.campaign.tasks.editing import (
    LONGEST,
    EditingTask,
    check_typed,
    find_edits,
    find_typed_edits,
    keep_edits,
    restore_edits,
)
from redink.campaign.tasks.protocol import (
    AnswerError,
    AnswerOption,
    CampaignTask,
    Field,
    LabeledAnswer,
    TextPart,
    When,
    choose,
    context_of,
    read_texts,
)
from redink.campaign.tasks.questions import (
    ShownToken,
    join_parts,
    read_fields,
    show_words,
    written,
)
from redink.campaign.translation import Phrase
from redink.errors import DataError, OptionError
from redink.formats.seeda import holds_seeda, read_sentences
from redink.inputs.input_options import PathLike
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Sentence
from redink.raw_text.tokenization import space_tokens
from redink.scoring.chunks import partition

_VERDICTS = (
    AnswerOption("right", "correct change"),
    AnswerOption("wrong", "incorrect change"),
    AnswerOption("optional", "unnecessary, but not incorrect"),
)
REMAINS = "remains"


class ValidityTask(CampaignTask):
    """A correction with marked edits, one question each, and whether an error is left."""

    name = "edit-validity"
    title, instructions = read_texts("edit-validity")
    template = "questions.html"
    kind: Literal["judgments"] = "judgments"

    def make_items(self, given: Material) -> list[CampaignItem]:
        if (file := given.item_file("text", "edits")) is not None:
            return given.draw(read_written(file, self.check))
        is_seeda = given.file is not None and holds_seeda(given.file)
        corpus = _take_seeda(given.file) if is_seeda else read_edits(given, self.name)
        sources = [sentence.source for sentence in corpus.sentences]
        items: list[CampaignItem] = []
        for number, sentence in enumerate(corpus.sentences):
            made: dict[tuple[tuple[int, int, str], ...], list[Annotation]] = {}
            for annotation in sentence.annotations:
                key = tuple((edit.start, edit.end, edit.correction) for edit in annotation.edits)
                if key:
                    made.setdefault(key, []).append(annotation)
            for same in made.values():
                names = "+".join(annotation.annotator for annotation in same)
                about = describe_sentence(sources, number, systems=names)
                about["edits"] = keep_edits(same[0].edits)
                items.append(CampaignItem(f"s{number}.{len(items)}", about))
        if not items:
            raise DataError("nothing was changed in any sentence; there are no edits to judge")
        return given.draw(items)

    def check(self, item: CampaignItem) -> None:
        if not item.payload.get("edits"):
            raise DataError(f"an item of the task {self.name} needs edits")
        for edit in restore_edits(item.payload["edits"]):
            edit.check_fits(len(item.tokens))
        if item.gold is not None:
            raise DataError(f"the task {self.name} has no gold answers")

    def fields_for(self, item: CampaignItem) -> tuple[Field, ...]:
        """Return a question for every edit, and two about remaining errors."""
        names = find_language(item.language).describe_types()
        fields = []
        for number, edit in enumerate(restore_edits(item.payload["edits"]), start=1):
            question = Phrase(
                "{number}: {before} → {after}",
                number=number,
                before=show_words(item.tokens[edit.start : edit.end]),
                after=show_words(edit.correction.split()),
            )
            kind = names.get(edit.type, "")
            fields.append(Field(f"edit{number}", question, "choice", _VERDICTS, hint=kind))
        where = When(REMAINS, ("yes",))
        return (
            *fields,
            choose(REMAINS, "Does any error remain?", no="no", yes="yes"),
            Field("where", "Where? Select the words", "span", optional=True, when=where),
        )

    def _corrected(self, item: CampaignItem) -> list[ShownToken]:
        tokens = item.tokens
        shown: list[ShownToken] = []
        reached = 0
        for edit in restore_edits(item.payload["edits"]):
            shown += [(token, "plain") for token in tokens[reached : edit.start]]
            shown += [(token, "new") for token in edit.correction.split()]
            if not edit.correction:
                shown += [(token, "gone") for token in tokens[edit.start : edit.end]]
            reached = edit.end
        return shown + [(token, "plain") for token in tokens[reached:]]

    def view(self, item: CampaignItem, seed: int) -> dict[str, Any]:
        corrected = self._corrected(item)
        return {
            **context_of(item),
            "source": space_tokens(item.tokens).text,
            "parts": join_parts(corrected),
            "tokens": tuple(token for token, kind in corrected if kind != "gone"),
            "fields": self.fields_for(item),
        }

    def read(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        length = sum(kind != "gone" for _, kind in self._corrected(item))
        return read_fields(self.fields_for(item), form, length)

    def split(self, item: CampaignItem, answer: dict[str, Any]) -> Iterator[LabeledAnswer]:
        for number, (start, end, correction, kind, *_) in enumerate(item.payload["edits"], start=1):
            about = {"question": "edit", "start": str(start), "end": str(end)}
            about |= {"correction": correction, "type": kind}
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
    sentences = []
    for tokens, versions in found.items():
        annotations = [Annotation(f"s{number}", edits) for number, edits in enumerate(versions)]
        sentences.append(AnnotatedSentence(Sentence(tokens), tuple(annotations)))
    return Corpus(tuple(sentences))


EDIT_VALIDITY = ValidityTask()


# -- adjudication -------------------------------------------------------------------------------

_LEAVE = "leave"
_OTHER = "other"
_MISSED = "missed"
SETTLED = "settled"  # key in the first item's payload: the sentences on which all agree


class AdjudicationTask(EditingTask):
    """The positions of a sentence at which annotators differ, one question each.

    A sentence is split into chunks as in CLEME. Sentences on which all annotators agree are not
    shown; the first item contains them for the export.
    """

    name = "adjudicate"
    title, instructions = read_texts("adjudicate")
    template = "questions.html"

    def make_items(self, given: Material) -> list[CampaignItem]:
        if given.count is not None or given.replacement:
            raise OptionError(
                "adjudicate uses all sentences on which annotators differ; remove --items"
            )
        if (file := given.item_file("text", "places")) is not None:
            return read_written(file, self.check)
        corpus = read_edits(given, self.name)
        if len(corpus.annotators) < 2:
            raise OptionError(
                "adjudicate needs a corpus with at least two annotators: --from FILE.m2"
            )
        sources = [sentence.source for sentence in corpus.sentences]
        items: list[CampaignItem] = []
        settled = []
        for number, sentence in enumerate(corpus.sentences):
            agreed, places = compare_versions(sentence)
            extra = {"extra": dict(sentence.extra)} if sentence.extra else {}
            if not places:
                known = {"sentence": number, "text": " ".join(sources[number].tokens)}
                settled.append(known | {"edits": keep_edits(agreed)} | extra)
                continue
            about = describe_sentence(sources, number) | extra
            about |= {"agreed": keep_edits(agreed), "places": places}
            items.append(CampaignItem(sources[number].id or f"s{number}", about))
        if not items:
            raise DataError("the annotators agree on every sentence; there is nothing to decide")
        items[0].payload[SETTLED] = settled
        return given.draw(items)

    def check(self, item: CampaignItem) -> None:
        if not item.payload.get("places"):
            raise DataError(f"an item of the task {self.name} needs places that differ")
        self.fields_for(item)

    def fields_for(self, item: CampaignItem) -> tuple[Field, ...]:
        """Return a question for every position, and a text field for a new version."""
        names = find_language(item.language).describe_types()
        fields: list[Field] = []
        for number, place in enumerate(item.payload["places"]):
            start, end = place["start"], place["end"]
            options = [
                AnswerOption(str(index), _describe(item.tokens, place, restore_edits(kept), names))
                for index, kept in enumerate(place["versions"])
            ]
            if not all(place["versions"]):
                options.sort(key=lambda option: not place["versions"][int(option.value)])
            else:
                options.append(AnswerOption(_LEAVE, "leave it as it is"))
            options.append(AnswerOption(_OTHER, "something else"))
            name = f"place{number}"
            here = show_words(item.tokens[start:end]) if start < end else "a word may be missing"
            question = Phrase("{number}: {here}", number=number + 1, here=here)
            fields.append(Field(name, question, "choice", tuple(options)))
            fields.append(
                Field(
                    f"{name}_text",
                    Phrase("{number}: correct form", number=number + 1),
                    "text",
                    optional=True,
                    hint="leave empty to delete the words",
                    when=When(name, (_OTHER,)),
                )
            )
        missed = Field(
            _MISSED,
            "If an error remains, write the corrected sentence",
            "text",
            optional=True,
            hint="It replaces the choices above. Leave it empty if no error remains.",
            longest=LONGEST,
        )
        return (*fields, missed)

    def view(self, item: CampaignItem, seed: int) -> dict[str, Any]:
        payload = item.payload
        return {
            **context_of(item),
            "source": "",
            "parts": _mark_places(
                written(payload), payload["places"], restore_edits(payload["agreed"])
            ),
            "tokens": (),
            "fields": self.fields_for(item),
        }

    def read(self, item: CampaignItem, form: Mapping[str, list[str]], seed: int) -> dict[str, Any]:
        answer = read_fields(self.fields_for(item), form, 0)
        if whole := " ".join(answer[_MISSED].split()):
            return answer | {"edits": keep_edits(find_typed_edits(item, whole))}
        edits = list(restore_edits(item.payload["agreed"]))
        for number, place in enumerate(item.payload["places"]):
            chosen = answer[f"place{number}"]
            if chosen == _OTHER:
                edits += _read_version(item, place, answer.get(f"place{number}_text", ""))
            elif chosen != _LEAVE:
                edits += restore_edits(place["versions"][int(chosen)])
        edits.sort(key=lambda edit: (edit.start, edit.end))
        return answer | {"edits": keep_edits(edits)}


def _read_version(item: CampaignItem, place: Mapping[str, Any], text: str) -> tuple[Edit, ...]:
    text = " ".join(text.split())
    check_typed(text, "")
    tokens, start, end = item.tokens, place["start"], place["end"]
    language = find_language(item.language)
    new = [text[first:last] for first, last in language.tokenize(text)]
    if new == tokens[start:end]:
        raise AnswerError("This is the same as the original; choose “leave it as it is”.")
    return find_edits(tokens, [*tokens[:start], *new, *tokens[end:]], language.code)


def compare_versions(sentence: AnnotatedSentence) -> tuple[list[Edit], list[dict[str, Any]]]:
    """Return the edits on which all annotators agree, and the positions where they differ."""
    versions = [annotation.edits for annotation in sentence.annotations]
    if not versions:
        return [], []
    agreed: list[Edit] = []
    places = []
    for chunks in zip(*partition(sentence.source, versions), strict=True):
        # Versions that differ only in the rules behind their types are the same.
        distinct = {
            tuple((e.start, e.end, e.corrections, e.type, e.required) for e in chunk.edits): chunk
            for chunk in reversed(chunks)
        }
        if len(distinct) == 1:
            agreed += chunks[0].edits
            continue
        kept = [keep_edits(distinct[version].edits) for version in sorted(distinct)]
        places.append({"start": chunks[0].start, "end": chunks[0].end, "versions": kept})
    return agreed, places


def _describe(
    tokens: Sequence[str],
    place: Mapping[str, Any],
    edits: Sequence[Edit],
    names: Mapping[str, str],
) -> str:
    if not edits:
        return "leave it as it is"
    text: list[str] = []
    reached = place["start"]
    for edit in edits:
        choices = list(edit.corrections)  # if it is optional, the original is one of them
        if edit.required == "OPTIONAL":
            choices.insert(0, " ".join(tokens[edit.start : edit.end]))
        text += [*tokens[reached : edit.start], *"/".join(choices).split()]
        reached = edit.end
    text += tokens[reached : place["end"]]
    kinds = dict.fromkeys(names.get(edit.type, edit.type) for edit in edits)
    values = {f"kind{number}": kind for number, kind in enumerate(kinds)}
    pattern = ", ".join(f"{{{name}}}" for name in values)
    return Phrase("{words} · {kinds}", words=show_words(text), kinds=Phrase(pattern, **values))


def _mark_places(
    sentence: Sentence, places: Sequence[Mapping[str, Any]], agreed: Sequence[Edit]
) -> list[TextPart]:
    """Return a sentence with numbered positions, and with the edits on which all agree."""
    text = sentence.text or ""
    marks: list[tuple[int, int, int, str]] = [
        (place["start"], place["end"], number, "") for number, place in enumerate(places, start=1)
    ]
    marks += [(edit.start, edit.end, 0, show_words(edit.correction.split())) for edit in agreed]
    parts = []
    reached = 0
    for first, last, number, new in sorted(marks):
        start, end = sentence.to_characters(first, last)
        before = text[reached:start]
        if first == last:
            before = f"{before.rstrip()} "
        shown = text[start:end].strip()
        if number:
            marked = [TextPart(f"{number}\u2009{shown}".strip(), "target")]
        else:
            marked = [TextPart(shown, "gone"), TextPart(" " if shown and new else "")]
            marked.append(TextPart(new, "new"))
        parts += [TextPart(before), *marked]
        reached = end
        if first == last and text[end:]:
            parts.append(TextPart(" "))
    return [part for part in [*parts, TextPart(text[reached:])] if part.text]


def settled_sentences(items: Iterable[CampaignItem]) -> list[tuple[int, AnnotatedSentence]]:
    """Return the sentences that need no decision, with their numbers in the corpus."""
    found = []
    for one in (one for item in items for one in item.payload.get(SETTLED, ())):
        annotation = Annotation("gold", restore_edits(one["edits"]))
        extra = tuple(one.get("extra", {}).items())
        sentence = AnnotatedSentence(Sentence.from_line(one["text"]), (annotation,), extra=extra)
        found.append((int(one["sentence"]), sentence))
    return found


ADJUDICATE = AdjudicationTask()
