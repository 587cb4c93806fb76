"""Results of a campaign: progress, the export, and items with their answers."""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from operator import attrgetter
from pathlib import Path
from typing import Any, TextIO

from redink.campaign.server import Campaign, JudgeStatus
from redink.campaign.store import Answer, CampaignJudge, CampaignStore
from redink.campaign.task_items import CampaignItem
from redink.campaign.tasks.edit_questions import settled_sentences
from redink.campaign.tasks.protocol import CampaignTask, Kind
from redink.errors import DataError, OptionError, RedinkWarning
from redink.formats import Format, get_format
from redink.inputs.reading import change_kind
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Edit,
    Judgment,
    RankedOutput,
    Ranking,
    Sentence,
    Table,
    make_signature,
    table_of,
)
from redink.raw_text.tokenization import space_tokens

EXPORTS = {
    "rankings": {".xml": "appraise", ".csv": "wmt-csv", ".jsonl": "jsonl"},
    "judgments": {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"},
    "corpus": {".m2": "m2", ".jsonl": "jsonl", ".tsv": "parallel", ".ged.tsv": "ged-tsv"},
}
"""The formats of each kind of answer by suffix, the default first."""
_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
_NUMBER = re.compile(r"[+-]?[0-9.]+")


def make_status(campaign: Campaign) -> Table:
    """Return the progress of each judge."""
    return table_of(
        campaign.statuses(),
        JudgeStatus,
        title=campaign.settings["title"],
        notes=["The campaign is paused."] if campaign.settings["paused"] else [],
        signature=make_signature("campaign status", task=campaign.task.name),
    )


# -- export --------------------------------------------------------------------------------------


@dataclass
class ExportedAnswers:
    """Rankings or judgments, read from the database whenever they are iterated; always the same."""

    campaign: Campaign
    excluded: bool
    chosen: Collection[int] | None = None  # only these items
    number: int = 0  # number of values in the last iteration

    def __post_init__(self) -> None:
        self._until = self.campaign.store.last_answer()[0]

    def answers(self) -> Iterator[tuple[CampaignJudge, CampaignItem, Answer]]:
        """Yield the answers that are not skipped."""
        answers = self.campaign.current_answers(excluded=self.excluded, until=self._until)
        for one in answers:
            is_check = one[1].gold is not None and self.campaign.task.kind == "rankings"
            if is_check:
                continue
            if not one[2].skipped and (self.chosen is None or one[1].id in self.chosen):
                yield one

    def __len__(self) -> int:
        """Return the number of values in the last iteration."""
        return self.number

    def __iter__(self) -> Iterator[Any]:
        self.number = 0
        task = self.campaign.task
        with self.campaign.store.reporting_damage():
            for one in self.answers():
                made = [_ranking(*one)] if task.kind == "rankings" else _judgments(task, *one)
                about = self._background(one[0])
                for value in made:
                    self.number += 1
                    yield replace(value, extra=value.extra + about) if about else value

    def _background(self, judge: CampaignJudge) -> tuple[tuple[str, str], ...]:
        """Return what a judge said about themselves, as columns."""
        said = self.campaign.settings.get(f"begun:{judge.id}", {}).get("background", {})
        joined = ((k, v if isinstance(v, str) else "+".join(v)) for k, v in said.items())
        return tuple((f"judge_{name}", value) for name, value in joined if value)


def export_answers(
    campaign: Campaign | CampaignStore,
    *,
    excluded: bool = False,
    as_edits: bool = False,
    items: Collection[int] | None = None,
) -> ExportedAnswers | tuple[AnnotatedSentence, ...]:
    """Return the answers as rankings, judgments or a corpus.

    Args:
        campaign: the campaign.
        excluded: include the answers of excluded judges.
        as_edits: make usage judgments a corpus.
        items: only these items.
    """
    campaign = Campaign(campaign) if isinstance(campaign, CampaignStore) else campaign
    kind = campaign.task.kind
    exported = ExportedAnswers(campaign, excluded, items)
    with campaign.store.reporting_damage():
        if not any(True for _ in exported.answers()):
            who = "no judge" if excluded or kind == "corpus" else "no included judge"
            raise DataError(
                f"{campaign.store.place}: {who} has answered yet; there is nothing to export"
            )
        if as_edits:
            return _collect_judged(campaign, exported.answers())
        if kind == "corpus":
            chosen = campaign.items.keys() if items is None else items
            return _collect_corpus(campaign, exported.answers(), chosen)
        return exported


def read_judgments_of(place: str | Path) -> tuple[Judgment, ...]:
    """Return the labels in a campaign, with the order in which options were shown.

    A ranking becomes one judgment per pair of outputs, whose label is the better output or tie.
    """
    with closing(CampaignStore.open(place)) as store, store.reporting_damage():
        campaign = Campaign(store)
        if campaign.task.kind == "corpus":
            raise DataError(f"{store.place}: the answers are corrections, which have no labels")
        pair = _compare_pairs if campaign.task.kind == "rankings" else _judge_shown
        answers = [one for one in campaign.current_answers() if not one[2].skipped]
        return tuple(j for one in answers for j in pair(campaign.task, *one))


def _judge_shown(
    task: CampaignTask, judge: CampaignJudge, item: CampaignItem, answer: Answer
) -> Iterator[Judgment]:
    shown: tuple[tuple[str, str], ...] = ()
    if choices := item.payload.get("choices"):
        (field,) = (f for f in task.view(item, answer.assignment)["fields"] if f.name == "label")
        shown = (("shown", "|".join(o.value for o in field.options if o.value in choices)),)
    for judgment in _judgments(task, judge, item, answer):
        yield replace(judgment, extra=judgment.extra + shown)


def _compare_pairs(
    task: CampaignTask, judge: CampaignJudge, item: CampaignItem, answer: Answer
) -> Iterator[Judgment]:
    outputs, ranks = item.payload["outputs"], answer.answer["ranks"]
    names = ["+".join(output["systems"]) for output in outputs]
    order = task.order(item, answer.assignment)  # type: ignore[attr-defined]
    places = {index: at for at, index in enumerate(order)}
    for pair in combinations(sorted(range(len(outputs)), key=names.__getitem__), 2):
        first, second = sorted(pair, key=places.__getitem__)
        better = min(pair, key=ranks.__getitem__)
        sizes = [len(outputs[index]["text"]) for index in pair]
        longer = "" if sizes[0] == sizes[1] else names[max(zip(sizes, pair, strict=True))[1]]
        extra = {"sentence": str(item.payload["sentence"]), "longer": longer}
        extra |= {"shown": f"{names[first]}|{names[second]}"}
        yield Judgment(
            item=f"{item.key}: {names[pair[0]]} / {names[pair[1]]}",
            judge=judge.name,
            label="tie" if ranks[first] == ranks[second] else names[better],
            time=answer.given,
            extra=tuple((name, value) for name, value in extra.items() if value),
        )


def _ranking(judge: CampaignJudge, item: CampaignItem, answer: Answer) -> Ranking:
    return Ranking(
        sentence=str(item.payload["sentence"]),
        judge=judge.name,
        outputs=tuple(
            RankedOutput(rank, tuple(output["systems"]))
            for rank, output in zip(answer.answer["ranks"], item.payload["outputs"], strict=True)
        ),
        id=str(answer.assignment),
        duration=answer.seconds,
    )


def _judgments(
    task: CampaignTask, judge: CampaignJudge, item: CampaignItem, answer: Answer
) -> Iterator[Judgment]:
    for said in task.split(item, answer.answer):
        extra = {**item.payload.get("extra", {}), **said.extra}
        confidence = extra.pop("confidence", None)
        for name, value in (answer.remark or {}).items():
            extra[name] = "yes" if value is True else value
        if judge.excluded:
            extra["excluded"] = "yes"
        yield Judgment(
            item=f"{item.key}{said.suffix}",
            judge=judge.name,
            label=said.label,
            gold=item.gold,
            confidence=confidence,
            duration=answer.seconds,
            time=answer.given,
            extra=tuple((name, value) for name, value in extra.items() if value),
        )


def _collect_corpus(
    campaign: Campaign,
    given: Iterable[tuple[CampaignJudge, CampaignItem, Answer]],
    chosen: Collection[int],
) -> tuple[AnnotatedSentence, ...]:
    """Return the sentences with the edits of every judge, in the order of the items.

    Sentences without an answer are left out, with a warning. If a judge answered an item twice
    (repeated items), the later answer counts.
    """
    made: dict[int, dict[str, Annotation]] = {}
    for judge, item, answer in given:
        edits = campaign.task.edits(item, answer.answer)
        made.setdefault(item.id, {})[judge.name] = Annotation(judge.name, edits)
    found = []
    for number, by_judge in sorted(made.items()):
        item = campaign.items[number]
        sentence = AnnotatedSentence(
            # the name leads back to the item if a format has no other columns
            Sentence.from_line(item.payload["text"], id=item.key),
            tuple(by_judge.values()),
            extra=tuple(item.payload.get("extra", {}).items()),
        )
        found.append((int(item.payload.get("sentence", item.id)), sentence))
    if len(found) < len(chosen):
        warnings.warn(
            f"sentences without an answer (not exported): {len(chosen) - len(found)}",
            RedinkWarning,
            stacklevel=2,
        )
    judges = dict.fromkeys(a.annotator for _, s in found for a in s.annotations)
    for place, sentence in settled_sentences(campaign.items.values()):
        # sentences on which all annotators agree need no decision
        edits = sentence.annotations[0].edits
        settled = tuple(Annotation(judge, edits) for judge in judges)
        found.append((place, replace(sentence, annotations=settled)))
    return tuple(sentence for _, sentence in sorted(found, key=lambda pair: pair[0]))


def _collect_judged(
    campaign: Campaign, given: Iterable[tuple[CampaignJudge, CampaignItem, Answer]]
) -> tuple[AnnotatedSentence, ...]:
    """Return the sentences with the usage judgments of every judge as edits.

    A judge annotates a sentence only if this judge judged all of its items: a word that was not
    judged must not count as correct.
    """
    items: dict[tuple[str, str], set[int]] = {}
    for item in campaign.items.values():
        items.setdefault(_sentence_of(item), set()).add(item.id)
    made: dict[tuple[str, str], dict[str, dict[int, tuple[Edit, ...]]]] = {}
    for judge, item, answer in given:
        edits = made.setdefault(_sentence_of(item), {}).setdefault(judge.name, {})
        edits[item.id] = campaign.task.edits(item, answer.answer)
    found, incomplete = [], 0
    for place, wanted in items.items():
        judges = made.get(place, {})
        complete = {judge: edits for judge, edits in judges.items() if edits.keys() == wanted}
        incomplete += len(judges) - len(complete)
        if complete:
            annotations = tuple(
                Annotation(judge, tuple(sorted(chain(*edits.values()), key=attrgetter("start"))))
                for judge, edits in complete.items()
            )
            found.append(AnnotatedSentence(Sentence.from_line(place[1]), annotations))
    if incomplete:
        warnings.warn(
            "sentences in which a judge did not judge all marked words (not exported for this "
            f"judge): {incomplete}",
            RedinkWarning,
            stacklevel=2,
        )
    return tuple(found)


def _sentence_of(item: CampaignItem) -> tuple[str, str]:
    return str(item.payload.get("extra", {}).get("sentence", "")), item.payload["text"]


def choose_export(
    kind: Kind, form: str | None, suffix: str, annotator: str | None = None
) -> Callable[[Iterable[Any], TextIO], None]:
    """Return the writer of the named format, or of the suffix, or of the default.

    ``annotator`` selects the edits of one judge.
    """
    forms = EXPORTS[kind]
    chosen = form or forms.get(suffix) or next(iter(forms.values()))
    if chosen not in forms.values():
        raise OptionError(
            f"{kind}: can be exported as {', '.join(forms.values())}, not as {chosen}"
        )
    if kind != "corpus" and annotator is not None:
        raise OptionError(f"{kind} have no annotators")
    written = {"parallel": "parallel", "ged-tsv": "detections"}.get(chosen, kind)
    target = get_format(chosen, kind=written)  # type: ignore[arg-type]

    def write(answers: Iterable[Any], stream: TextIO) -> None:
        if kind == "corpus":
            answers = change_kind(answers, "corpus", target.kind, annotator=annotator)
        if chosen == "m2":
            answers = _number_judges(_representable(answers, target))
        if chosen in {"csv", "tsv"}:
            answers = _SpreadsheetRows(answers)
        target.write(answers, stream)

    return write


def _representable(
    sentences: Iterable[AnnotatedSentence], target: Format
) -> Iterator[AnnotatedSentence]:
    """Yield the sentences without the annotations that the format cannot represent."""
    for sentence in sentences:
        kept = []
        for annotation in sentence.annotations:
            try:
                target.write([replace(sentence, annotations=(annotation,))], io.StringIO())
            except DataError as error:
                warnings.warn(
                    f"item {sentence.source.id!r}: the answer of {annotation.annotator!r} is not "
                    f"exported: {error}",
                    RedinkWarning,
                    stacklevel=2,
                )
            else:
                kept.append(annotation)
        yield replace(sentence, annotations=tuple(kept))


def _number_judges(sentences: Iterable[AnnotatedSentence]) -> list[AnnotatedSentence]:
    """Replace the names of annotators by numbers, as in M2."""
    given = list(sentences)
    names = sorted({a.annotator for s in given for a in s.annotations})
    numbered = []
    for sentence in given:
        found = sorted(sentence.annotations, key=lambda annotation: annotation.annotator)
        annotations = (Annotation(str(names.index(a.annotator)), a.edits) for a in found)
        numbered.append(AnnotatedSentence(sentence.source, tuple(annotations)))
    return numbered


@dataclass(frozen=True)
class _SpreadsheetRows:
    """Judgments whose cells are safe in a spreadsheet, each time they are iterated."""

    judgments: Iterable[Judgment]

    def __iter__(self) -> Iterator[Judgment]:
        return map(_for_spreadsheet, self.judgments)


def _for_spreadsheet(judgment: Judgment) -> Judgment:
    """Make all cells of a judgment safe for CSV and TSV."""
    cells = (judgment.item, judgment.judge, judgment.label, judgment.gold, judgment.confidence)
    if not judgment.extra and all(cell is None or cell.isalnum() for cell in cells):
        return judgment
    return replace(
        judgment,
        item=_cell(judgment.item),
        judge=_cell(judgment.judge),
        label=_cell(judgment.label),
        gold=judgment.gold and _cell(judgment.gold),
        confidence=judgment.confidence and _cell(judgment.confidence),
        extra=tuple((name, _cell(value)) for name, value in judgment.extra),
    )


def _cell(text: str) -> str:
    """Return text as one line; a formula gets an apostrophe before it."""
    line = _BREAKS.sub(" ", text)
    is_formula = len(line) > 1 and line[0] in "=+-@" and not _NUMBER.fullmatch(line)
    return f"'{line}" if is_formula else line


# -- items for the organizer ---------------------------------------------------------------------


@dataclass(frozen=True)
class ItemView:
    """An item with the answers of judges who are not excluded."""

    item: CampaignItem
    labels: Counter[str] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)
    """Number of answers that are ``skipped``, ``flagged``, or have a ``comment``."""

    @property
    def text(self) -> str:
        """Text of the item in one line."""
        for name in ("text", "source"):
            if isinstance(self.item.payload.get(name), str):
                return _as_text(self.item.payload[name])
        return self.item.key

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Texts of the item, each with a title: the sentence, outputs with their systems."""
        payload = self.item.payload
        found = [("", self.text)]
        if isinstance(payload.get("source"), str) and "text" in payload:
            found.append(("source", _as_text(payload["source"])))
        if "hypothesis" in payload:
            found.append(("output", _as_text(payload["hypothesis"])))
        outputs = payload.get("outputs", ())
        found += [(", ".join(one["systems"]), _as_text(one["text"])) for one in outputs]
        if self.item.systems:
            found.append(("systems", ", ".join(self.item.systems)))
        return found

    @property
    def judged(self) -> int:
        """Number of judges."""
        return self.labels.total()

    @property
    def agreed(self) -> float:
        """Share of pairs of judges who agree; 1 if there are no pairs."""
        pairs = self.judged * (self.judged - 1)
        same = sum(count * (count - 1) for count in self.labels.values())
        return same / pairs if pairs else 1.0


def _as_text(tokens: str) -> str:
    return space_tokens(tokens.split()).text or ""


def view_items(campaign: Campaign, only: CampaignItem | None = None) -> dict[int, ItemView]:
    """Return one item or all by their numbers, with their answers."""
    chosen = campaign.items.values() if only is None else [only]
    views = {item.id: ItemView(item) for item in chosen}
    for number, given, remark, count in campaign.store.count_answers(
        None if only is None else only.id
    ):
        if view := views.get(number):  # else it was added meanwhile
            for name in remark or ():
                view.remarks[name] += count
            if not (remark or {}).get("skipped"):
                view.labels[_describe_answer(campaign, view.item, given)] += count
    return views


def list_history(campaign: Campaign, item: CampaignItem) -> list[dict[str, Any]]:
    """Return all answers that were ever given to an item, oldest first, for its page."""
    answers = campaign.store.answers(item=item.id)
    judges = {
        workload.sequence[position].id: workload.judge
        for workload in campaign.workloads.values()
        for position, number in enumerate(workload.sequence.items)
        if number == item.id
    }
    newest = {answer.assignment: answer for answer in answers}
    return [
        {
            "judge": judges[answer.assignment],
            "text": "skipped"
            if answer.skipped
            else _describe_answer(campaign, item, answer.answer),
            "current": newest[answer.assignment] is answer,
            "answer": answer,
        }
        for answer in answers
        if answer.assignment in judges
    ]


def _describe_answer(campaign: Campaign, item: CampaignItem, answer: dict[str, Any]) -> str:
    """Return an answer in one line: its label, the order of the systems, or all its fields."""
    if campaign.task.kind == "rankings":
        placed: dict[int, list[str]] = {}
        for rank, output in zip(answer["ranks"], item.payload["outputs"], strict=True):
            placed.setdefault(rank, []).append("+".join(output["systems"]))
        return " > ".join(" = ".join(sorted(placed[rank])) for rank in sorted(placed))
    label = campaign.task.label(answer)
    if label is not None:
        return label
    return "; ".join(f"{k}: {value}" for k, value in answer.items() if value) or "nothing"
