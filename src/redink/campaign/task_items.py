"""Items to judge: files of them, and items made from text, essays, M2, GED TSV and outputs."""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, TextIO

from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.language import find_language, load_analyzer
from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import placed
from redink.formats.delimited import read_records
from redink.formats.format_registry import detect_format
from redink.formats.recognition import document_layout, read_head, tell_layout
from redink.formats.strict_json import read_objects, write_object
from redink.inputs.input_checks import check_outputs, warn
from redink.inputs.input_options import AlignmentOptions, PathLike, SystemsLike, TextLike
from redink.inputs.text_loading import load_hypotheses, load_references, load_texts
from redink.model import AnnotatedSentence, Corpus, Edit, Sentence, document_of, parse_name
from redink.raw_text.tokenization import space_tokens

NOTHING = "(nothing)"  # stored and shown if no word belongs somewhere
COLUMNS = ("item", "text", "start", "end", "before", "after", "note", "choices", "gold")
"""Columns that every task knows."""
EXPORTED = frozenset({"judge", "label", "confidence", "duration", "time", "excluded", "question"})
"""Columns that the export writes itself."""
_NUMBER = re.compile(r"-?\d{1,15}")
_NUMBERS = frozenset({"window", "verb"})
_WINDOW = 2  # words on either side of a target (Tetreault and Chodorow 2008)


@dataclass(frozen=True, slots=True)
class CampaignItem:
    """An item: its name, the content of the page (``payload``), the answer of a gold question.

    ``id`` is its number in the campaign, from 1.
    """

    key: str
    payload: dict[str, Any]
    gold: str | None = None
    id: int = 0

    @property
    def tokens(self) -> list[str]:
        """Tokens of the sentence."""
        return str(self.payload["text"]).split()

    @property
    def language(self) -> str:
        """Language of the sentence, as a code."""
        return str(self.payload.get("language", "en"))

    @property
    def sentence(self) -> str:
        """Number of the sentence, or the name of the item if the sentence has none."""
        extra = self.payload.get("extra", {})
        return str(self.payload.get("sentence", extra.get("sentence", self.key)))

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems whose output the item is about."""
        names = self.payload.get("extra", {}).get("systems", "")
        return tuple(names.split("+")) if names else ()


@dataclass(frozen=True)
class Material:
    """The organizer's input, from which a task makes its items."""

    source: TextLike | None = None
    systems: SystemsLike = ()
    file: PathLike | None = None  # a file of items, or of sentences with edits or flags
    count: int | None = None  # number of items; None for all
    sentences: int | None = None  # number of sentences whose items are used; None for all
    seed: int = 1
    replacement: bool = False  # whether a sentence can be drawn again, with other outputs (ranking)
    targets: str | None = None  # a rule that selects words to judge, such as ``prep``
    tokenize: bool = False  # whether the sentences are raw text
    language: str = "en"
    skipped: frozenset[int] = frozenset()
    """The sentences (from 0) that are left out because a system has no answer for them."""
    checks: int | None = None  # number of silent attention checks (ranking)
    visible_checks: int | None = None
    most_outputs: int = 5  # maximum number of outputs in one ranking
    input_name: str | None = "INPUT"  # name of the unchanged source in rankings; None: not ranked

    def load_outputs(self) -> tuple[tuple[Sentence, ...], dict[str, tuple[Sentence, ...]]]:
        """Return the source sentences and the output of every system; warn of suspicious lines."""
        assert self.source is not None
        sources, systems = load_hypotheses(self.source, self.systems)
        warn(check_outputs(sources, systems), stacklevel=4)
        return sources, systems

    def item_file(self, *columns: str) -> PathLike | None:
        """Return the file, if it is a table with these columns (by default ``text``)."""
        if self.file is None or Path(self.file).is_dir():
            return None
        if tell_layout(read_head(self.file), columns or ("text",)) is None:
            return None
        if self.source is not None or self.systems or self.targets is not None:
            raise OptionError(
                f"{self.file}: is a file of items and cannot be combined with --source, --targets "
                "or systems"
            )
        return self.file

    def name_language(self, items: Iterable[CampaignItem]) -> None:
        """Add the language of the sentences to items if it is not English."""
        if self.language != "en":
            for item in items:
                item.payload["language"] = self.language

    def draw(self, items: list[CampaignItem]) -> list[CampaignItem]:
        """Draw the required number of items at random, in order; add a language if not English."""
        self.name_language(items)
        if self.sentences is not None:
            names = list(dict.fromkeys(item.sentence for item in items))
            chosen = set(names)
            if self.sentences < len(names):
                chosen = set(random.Random(self.seed).sample(names, self.sentences))
            items = [item for item in items if item.sentence in chosen]
        if self.replacement:
            raise OptionError(
                "--with-replacement requires --task ranking, --source and the outputs of systems"
            )
        if self.count is None or self.count >= len(items):
            self.warn_if_fewer(len(items))
            return items
        import numpy as np

        rng = np.random.default_rng(self.seed)
        return [items[at] for at in sorted(rng.choice(len(items), self.count, replace=False))]

    def warn_if_fewer(self, there_are: int, hint: str = "") -> None:
        """Warn if there are fewer items than required."""
        if self.count is not None and self.count > there_are:
            warnings.warn(
                f"--items {self.count}: there are only {there_are}, and all of them are used{hint}",
                RedinkWarning,
                stacklevel=4,
            )


# -- files of items ------------------------------------------------------------------------------


def write_items(items: Iterable[CampaignItem], stream: TextIO) -> None:
    """Write items as JSON lines, which ``create --from`` reads."""
    for item in items:
        about = {name: value for name, value in item.payload.items() if name != "extra"}
        about |= item.payload.get("extra", {})
        gold = {} if item.gold is None else {"gold": item.gold}
        write_object({"item": item.key, **about, **gold}, stream)


def read_written(path: PathLike, check: Callable[[CampaignItem], None]) -> list[CampaignItem]:
    """Read items as :func:`write_items` wrote them, for a task with structured items."""
    items: list[CampaignItem] = []
    for line, about in read_objects(path):
        key, gold = about.pop("item", line), about.pop("gold", None)
        item = CampaignItem(str(key), about, None if gold is None else str(gold))
        with placed(path, line):
            if any(item.key == other.key for other in items):
                raise DataError(f"duplicate item name {item.key!r}")
            try:
                check(item)
            except (LookupError, TypeError, ValueError, AttributeError):
                raise DataError("expected an item as written by redink campaign items") from None
        items.append(item)
    return items


def read_items(
    path: PathLike,
    *,
    own: Collection[str] = (),
    taken: Collection[str] = (),
    check: Callable[[CampaignItem], None] | None = None,
) -> list[CampaignItem]:
    """Read items from CSV, TSV or JSONL.

    ``text`` is required. ``item`` is the name (by default the number); ``start, end`` are the
    marked tokens; ``before`` and ``after`` are the neighboring sentences; ``note`` is shown below;
    ``choices`` are separated by ``|``; ``gold`` is the answer of a gold question. All other columns
    are exported with the answers.

    Args:
        path: the file.
        own: columns that only this task knows.
        taken: columns that the answers of the task have.
        check: raises an error for items that the task cannot ask about.
    """
    items: dict[str, CampaignItem] = {}
    for record in read_records(path):
        with placed(path, record.line):
            item = _read_item(len(items) + 1, record.cells, own, EXPORTED.union(taken))
            if item.key in items:
                raise DataError(f"duplicate item name {item.key!r}")
            if check is not None:
                check(item)
        items[item.key] = item
    if not items:
        raise FormatError("contains no items", path=path)
    return list(items.values())


def _read_item(
    number: int, cells: Mapping[str, Any], own: Collection[str], taken: Collection[str]
) -> CampaignItem:
    row = {name: value for name, value in cells.items() if value is not None and value != ""}
    text = str(row.get("text") or "").split()
    if not text:
        raise DataError("an item needs a text")
    payload: dict[str, Any] = {"text": " ".join(text)}
    if "end" in row and "start" not in row:
        raise DataError("an item with an end needs a start")
    if "start" in row:
        given = [row[name] for name in ("start", "end") if name in row]
        if not all(isinstance(one, str) and _NUMBER.fullmatch(one.strip()) for one in given):
            raise DataError("start and end are whole numbers")
        start = int(given[0].strip())
        end = int(given[1].strip()) if len(given) > 1 else start + 1
        if not 0 <= start <= end <= len(text):
            raise DataError(f"the span {start} {end} does not fit a text of {len(text)} tokens")
        payload |= {"start": start, "end": end}
    payload |= {name: str(row[name]) for name in ("before", "after", "note") if row.get(name)}
    if "choices" in row:
        choices = row["choices"]
        choices = choices if isinstance(choices, list) else str(choices).split("|")
        payload["choices"] = [str(choice).strip() or NOTHING for choice in choices]
    payload |= {
        name: _read_number(name, row[name]) if name in _NUMBERS else row[name]
        for name in own
        if name in row
    }
    more = {name: value for name, value in row.items() if name not in {*COLUMNS, *own}}
    for name in filter(taken.__contains__, more):
        raise DataError(f"the column {name!r} is also a column of the export; rename it")
    if more:
        payload["extra"] = {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in more.items()
        }
    gold = str(row["gold"]).strip() if "gold" in row else None
    return CampaignItem(str(row.get("item") or number), payload, gold)


def _read_number(name: str, value: object) -> int:
    if not _NUMBER.fullmatch(str(value)):
        raise DataError(f"{name} must be a whole number")
    return int(str(value))


# -- items made from other input -----------------------------------------------------------------


def describe_sentence(sentences: Sequence[Sentence], number: int, **extra: str) -> dict[str, Any]:
    """Return the payload of a sentence: tokens, raw text, neighboring sentences.

    With ``extra`` columns, the number of the sentence is one of them.
    """
    sentence = sentences[number]
    about: dict[str, Any] = {"text": " ".join(sentence.tokens), "sentence": number}
    if sentence.text is not None and sentence.offsets is not None:
        about["raw"] = " ".join(sentence.text.split())
    place = parse_name(sentence.id)
    if place is not None:
        about["document"] = place[0]
    for name, at in (("before", number - 1), ("after", number + 1)):
        if 0 <= at < len(sentences) and sentences[at].tokens:
            near = sentences[at]
            if place is not None and document_of(near.id) != place[0]:
                continue
            about[name] = " ".join((near.text or space_tokens(near.tokens).text or "").split())
    if extra:
        about["extra"] = {"sentence": str(about.pop("sentence")), **extra}
    return about


def _load_sentences(given: Material, task: str) -> Sequence[Sentence]:
    """Return the sentences of the source or the file, without edits or flags."""
    if given.source is not None and given.file is not None:
        raise OptionError("pass the sentences with either --source or --from")
    source = given.source if given.source is not None else given.file
    if source is None:
        raise OptionError(f"the task {task} needs sentences: --source FILE or --from FILE")
    is_file = isinstance(source, str | Path) and document_layout(source) is None
    if is_file and detect_format(source).kind == "detections":  # type: ignore[arg-type]
        return load_references(source).sources  # type: ignore[arg-type]
    raw = AlignmentOptions(tokenize=given.tokenize).following(source, given.language)
    return load_texts(source, raw)


def take_sentences(given: Material, task: str) -> list[CampaignItem]:
    """Make an item for every sentence that is not empty, without edits or flags."""
    sentences = _load_sentences(given, task)
    return [
        CampaignItem(sentence.id or f"s{number}", describe_sentence(sentences, number))
        for number, sentence in enumerate(sentences)
        if sentence.tokens
    ]


def read_edits(given: Material, task: str) -> Corpus:
    """Return the sentences with the edits of annotators or systems."""
    if given.systems:
        if given.source is None:
            raise OptionError("the outputs of systems need the --source that they correct")
        sources, systems = given.load_outputs()
        annotation_options = AnnotationOptions(language=given.language)
        made = annotate_texts(sources, systems, annotation_options=annotation_options)
        annotated = []
        for number, source in enumerate(sources):
            versions = () if number in given.skipped else tuple(m[number] for m in made.values())
            annotated.append(AnnotatedSentence(source, versions))
        return Corpus(tuple(annotated))
    given_file = given.file if given.file is not None else given.source
    if given_file is None:
        raise OptionError(
            f"the task {task} takes its items from one file: --from FILE (items, M2 or GED TSV)"
        )
    return load_references(given_file, bare=True).corpus  # type: ignore[arg-type]


def _group_edits(
    given: Material, task: str, key: Callable[[Edit], tuple[Any, ...]]
) -> Iterator[tuple[dict[str, Any], Edit]]:
    """Yield the payload and the first edit of every group of edits in a sentence."""
    corpus = read_edits(given, task)
    sentences = [sentence.source for sentence in corpus.sentences]
    groups: dict[tuple[Any, ...], list[tuple[Edit, str]]] = {}
    for number, sentence in enumerate(corpus.sentences):
        for annotation in sentence.annotations:
            for edit in annotation.edits:
                groups.setdefault((number, *key(edit)), []).append((edit, annotation.annotator))
    if not groups:
        raise OptionError(f"a {task} campaign needs marked errors; the input has none")
    for (number, *_), found in sorted(groups.items()):
        found.sort(key=lambda pair: (pair[0].correction, pair[0].type))
        edit = found[0][0]
        by = "+".join(dict.fromkeys(by for _, by in found))
        corrections = "|".join(dict.fromkeys(e.correction or NOTHING for e, _ in found))
        about = describe_sentence(sentences, number, by=by, corrections=corrections)
        yield about | {"start": edit.start, "end": edit.end}, edit


def _mark_targets(given: Material, task: str) -> list[CampaignItem]:
    """Make an item for every word that a rule selects, with its window and commanding verb."""
    from redink.analysis.english.phrases import find_heads_before  # help needs no NumPy
    from redink.error_detection.unit_rules import Text, select_tokens

    assert given.targets is not None
    sources = tuple(_load_sentences(given, task))
    text = Text(sources, lambda: load_analyzer(language=given.language))
    selected = select_tokens(given.targets, text)
    items = []
    for number, places in enumerate(selected):
        for at in sorted(places):
            about = describe_sentence(sources, number, target=sources[number].tokens[at])
            about |= {"start": at, "end": at + 1, "window": _WINDOW}
            if given.language == "en":
                verb, *_ = find_heads_before(text.analyses[number].tag, at)
                about |= {"verb": verb} if verb >= 0 else {}
            items.append(CampaignItem(f"s{number + 1}t{at}", about))
    if not items:
        raise OptionError(f"--targets {given.targets} selects no word of the text")
    return items


def mark_places(given: Material, task: str) -> list[CampaignItem]:
    """Make an item for every position with an edit, or for every target."""
    if given.targets is not None:
        return _mark_targets(given, task)
    return [
        CampaignItem(f"s{about['extra']['sentence']}.{edit.start}-{edit.end}", about)
        for about, edit in _group_edits(given, task, attrgetter("start", "end"))
    ]


def mark_words(given: Material, task: str) -> list[CampaignItem]:
    """Make an item for every edited span of words, without insertions."""
    places = mark_places(given, task)
    marked = [item for item in places if item.payload["start"] < item.payload["end"]]
    if not marked:
        raise OptionError(f"a {task} campaign needs marked words; the input has none")
    return marked


def offer_words(given: Material, task: str) -> list[CampaignItem]:
    """Make an item for every edit, with the source words and the correction as choices."""
    items: list[CampaignItem] = []
    for about, edit in _group_edits(given, task, attrgetter("start", "end", "correction", "type")):
        before = " ".join(about["text"].split()[edit.start : edit.end])
        about["choices"] = [before or NOTHING, edit.correction or NOTHING]
        key = f"s{about['extra']['sentence']}.{edit.start}-{edit.end}.{len(items)}"
        items.append(CampaignItem(key, about))
    return items


def check_types(given: Material, task: str) -> list[CampaignItem]:
    """Make an item for every edit of every annotator, with its type in words."""
    corpus = read_edits(given, task)
    names = find_language(given.language).describe_types()
    sentences = [sentence.source for sentence in corpus.sentences]
    items: list[CampaignItem] = []
    for number, sentence in enumerate(corpus.sentences):
        for annotation in sentence.annotations:
            for place, edit in enumerate(annotation.edits):
                before = " ".join(sentence.source.tokens[edit.start : edit.end]) or NOTHING
                words = names.get(edit.type)
                kind = f"{words} ({edit.type})" if words else edit.type
                about = describe_sentence(sentences, number, type=edit.type)
                about |= {"start": edit.start, "end": edit.end}
                about["note"] = f"{before} → {edit.correction or NOTHING}: {kind}"
                key = f"s{number}.{annotation.annotator}.{place}"
                items.append(CampaignItem(key, about))
    if not items:
        raise OptionError(f"a {task} campaign needs edits; the input has none")
    return items


def take_outputs(given: Material, task: str) -> list[CampaignItem]:
    """Make an item for every distinct output of a sentence; without systems, for every sentence."""
    if not given.systems:
        return take_sentences(given, task)
    items: list[CampaignItem] = []
    for number, source, text, systems in distinct_outputs(given, task):
        extra = {"sentence": str(number), "systems": systems}
        about = {"text": text, "source": " ".join(source.tokens), "extra": extra}
        items.append(CampaignItem(f"s{number}.{len(items)}", about))
    return items


def distinct_outputs(given: Material, task: str) -> Iterator[tuple[int, Sentence, str, str]]:
    """Yield number, source, text and systems of the distinct outputs of every sentence."""
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
                yield number, source, text, "+".join(sorted(names))
