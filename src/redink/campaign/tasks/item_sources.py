"""Make items from text, essays, M2, GED TSV and system outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.campaign.items import NOTHING, Item, Material
from redink.errors import OptionError
from redink.formats.essays import form_of
from redink.formats.registry import detect_format
from redink.inputs.alignment import AlignmentOptions
from redink.inputs.loading import load_references, load_texts
from redink.model import AnnotatedSentence, Corpus, Edit, Sentence
from redink.raw_text.tokenization import space_tokens


def read_sentences(given: Material, task: str) -> list[Sentence]:
    """Return the sentences of the input, without edits or flags."""
    if given.source is not None and given.file is not None:
        raise OptionError("give the sentences once: with --source or with --from")
    source = given.source if given.source is not None else given.file
    if source is None:
        raise OptionError(f"the task {task} needs sentences: --source FILE or --from FILE")
    if (
        isinstance(source, str | Path)
        and form_of(source) is None
        and detect_format(source).kind == "detections"
    ):
        return list(load_references(source).sources)
    raw = AlignmentOptions(tokenise=given.tokenise).following(source, given.language)
    return list(load_texts(source, raw))


def describe_sentence(sentences: Sequence[Sentence], number: int) -> dict[str, Any]:
    """Return the payload of a sentence: tokens, raw text, neighboring sentences."""
    sentence = sentences[number]
    about: dict[str, Any] = {"text": " ".join(sentence.tokens), "sentence": number}
    if sentence.text is not None and sentence.offsets is not None:
        about["raw"] = " ".join(sentence.text.split())
    for name, place in (("before", number - 1), ("after", number + 1)):
        if 0 <= place < len(sentences) and sentences[place].tokens:
            near = sentences[place]
            about[name] = " ".join((near.text or space_tokens(near.tokens).text or "").split())
    return about


def take_sentences(given: Material, task: str) -> list[Item]:
    """Make an item for every sentence that is not empty."""
    sentences = read_sentences(given, task)
    return [
        Item(number + 1, sentence.id or f"s{number}", describe_sentence(sentences, number))
        for number, sentence in enumerate(sentences)
        if sentence.tokens
    ]


@dataclass(frozen=True)
class Proposal:
    """An edit with the annotators or systems that made it."""

    sentence: int
    edit: Edit
    by: tuple[str, ...]


def find_proposals(given: Material, task: str) -> tuple[list[Sentence], list[Proposal]]:
    """Return the sentences and the distinct edits of annotators or systems."""
    corpus = read_edits(given, task)
    found: dict[tuple[int, int, int, str, str], list[str]] = {}
    for number, sentence in enumerate(corpus.sentences):
        for annotation in sentence.annotations:
            for edit in annotation.edits:
                key = (number, edit.start, edit.end, edit.correction, edit.type)
                found.setdefault(key, []).append(annotation.annotator)
    if not found:
        raise OptionError(f"a {task} campaign is about errors, and what was given has none marked")
    proposals = [Proposal(key[0], Edit(*key[1:]), tuple(by)) for key, by in sorted(found.items())]
    return [sentence.source for sentence in corpus.sentences], proposals


def read_edits(given: Material, task: str) -> Corpus:
    """Return the sentences with the edits of annotators or systems."""
    if given.systems:
        if given.source is None:
            raise OptionError("the outputs of systems need the --source that they correct")
        sources, systems = given.load_outputs()
        annotation_options = AnnotationOptions(language=given.language)
        made = annotate_texts(sources, systems, annotation_options=annotation_options)
        return Corpus(
            tuple(
                AnnotatedSentence(
                    source,
                    () if number in given.skipped else tuple(made[name][number] for name in made),
                )
                for number, source in enumerate(sources)
            )
        )
    given_file = given.file if given.file is not None else given.source
    if given_file is None:
        raise OptionError(
            f"the task {task} takes its items from one file: --from FILE (items, M2 or GED TSV)"
        )
    return load_references(given_file, bare=True).corpus  # type: ignore[arg-type]


def mark_words(given: Material, task: str) -> list[Item]:
    """Make an item for every edited span of words, without insertions."""
    marked = [
        item for item in mark_places(given, task) if item.payload["start"] < item.payload["end"]
    ]
    if not marked:
        raise OptionError(f"a {task} campaign is about words, and in what was given none is marked")
    return [replace(item, id=number) for number, item in enumerate(marked, start=1)]


def mark_places(given: Material, task: str) -> list[Item]:
    """Make an item for every position with an edit."""
    sentences, proposals = find_proposals(given, task)
    places: dict[tuple[int, int, int], list[Proposal]] = {}
    for one in proposals:
        places.setdefault((one.sentence, one.edit.start, one.edit.end), []).append(one)
    items: list[Item] = []
    for (number, start, end), here in places.items():
        about = describe_sentence(sentences, number) | {"start": start, "end": end}
        about["extra"] = describe_origin(about.pop("sentence"), here)
        items.append(Item(len(items) + 1, f"s{number}.{start}-{end}", about))
    return items


def offer_words(given: Material, task: str) -> list[Item]:
    """Make an item for every edit, with the source words and the correction as choices."""
    sentences, proposals = find_proposals(given, task)
    items: list[Item] = []
    for one in proposals:
        edit = one.edit
        about = describe_sentence(sentences, one.sentence)
        before = " ".join(sentences[one.sentence].tokens[edit.start : edit.end])
        about |= {"start": edit.start, "end": edit.end}
        about["choices"] = [before or NOTHING, edit.correction or NOTHING]
        about["extra"] = describe_origin(about.pop("sentence"), [one])
        items.append(
            Item(len(items) + 1, f"s{one.sentence}.{edit.start}-{edit.end}.{len(items)}", about)
        )
    return items


def take_outputs(given: Material, task: str) -> list[Item]:
    """Make an item for every distinct output of a sentence; without systems, for every sentence."""
    if not given.systems:
        return take_sentences(given, task)
    items: list[Item] = []
    for number, source, text, systems in distinct_outputs(given, task):
        about = {
            "text": text,
            "source": " ".join(source.tokens),
            "extra": {"sentence": str(number), "systems": "+".join(systems)},
        }
        items.append(Item(len(items) + 1, f"s{number}.{len(items)}", about))
    return items


def distinct_outputs(given: Material, task: str) -> Iterator[tuple[int, Sentence, str, list[str]]]:
    """Yield the distinct outputs of every sentence with their systems."""
    if given.source is None or not given.systems:
        raise OptionError(f"the task {task} needs --source and the systems' outputs")
    sources, systems = given.load_outputs()
    for number, source in enumerate(sources):
        if number in given.skipped:
            continue
        made: dict[str, list[str]] = {}
        for name, outputs in systems.items():
            made.setdefault(str(outputs[number]), []).append(name)
        for text, names in made.items():
            if text:
                yield number, source, text, sorted(names)


def describe_origin(number: int, proposals: Sequence[Proposal]) -> dict[str, str]:
    """Return the exported columns of an item that was made from edits."""
    by = dict.fromkeys(name for one in proposals for name in one.by)
    origin = {"sentence": str(number), "by": "+".join(by)}
    origin["corrections"] = "|".join(
        dict.fromkeys(one.edit.correction or NOTHING for one in proposals)
    )
    return origin
