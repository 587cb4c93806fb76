"""What has come in: how far each judge is, the answers as judgments, and results so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TextIO

from redink.campaign import corpora
from redink.campaign.items import Item
from redink.campaign.state import Campaign, JudgeStatus
from redink.campaign.store import Answer, CampaignStore, Judge
from redink.campaign.tasks.protocol import CampaignTask, Kind
from redink.errors import DataError, OptionError, RedinkError
from redink.formats import get_format
from redink.model import (
    AnnotatedSentence,
    Judgment,
    RankedOutput,
    Ranking,
    Table,
    make_signature,
    table_of,
)

EXPORTS = {
    "rankings": {".xml": "appraise", ".csv": "wmt-csv", ".jsonl": "jsonl"},
    "judgments": {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"},
    "corpus": corpora.FORMS,
}
"""The formats of each kind of answer by suffix, the usual one first."""
_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
_NUMBER = re.compile(r"[+-]?[0-9.]+")


def make_status(campaign: Campaign) -> Table:
    """How far each judge is."""
    return table_of(
        campaign.statuses(),
        JudgeStatus,
        title=campaign.settings["title"],
        notes=["The campaign is paused."] if campaign.settings["paused"] else [],
        signature=make_signature("campaign status", task=campaign.task.name),
    )


class _Given(NamedTuple):
    """A current answer with who gave it about what."""

    judge: Judge
    item: Item
    answer: Answer


def _current_answers(campaign: Campaign, *, excluded: bool) -> Iterator[_Given]:
    """The newest answer of every assignment, judge by judge in the order of showing."""
    for workload in list(campaign.workloads.values()):
        if workload.judge.excluded and not excluded:
            continue
        for position, answer in sorted(workload.answered.items()):
            if not answer.skipped:
                yield _Given(workload.judge, campaign.item_at(workload, position), answer)


def export_answers(
    campaign: Campaign | CampaignStore, *, excluded: bool = False
) -> tuple[Ranking, ...] | tuple[Judgment, ...] | tuple[AnnotatedSentence, ...]:
    """The answers as rankings, judgments or a corpus, as the campaign's task has it.

    Args:
        campaign: whose answers.
        excluded: also those of judges who were excluded.
    """
    campaign = Campaign(campaign) if isinstance(campaign, CampaignStore) else campaign
    place = campaign.store.place
    with campaign.store.reporting_damage():
        if campaign.task.kind == "corpus":
            return corpora.collect_corpus(campaign, excluded=excluded)
        given = list(_current_answers(campaign, excluded=excluded))
        if not given:
            who = "nobody" if excluded else "nobody whose answers count"
            raise DataError(f"{place}: {who} has answered yet; there is nothing to export")
        if campaign.task.kind == "rankings":
            return tuple(_ranking(one) for one in given)
        return tuple(judgment for one in given for judgment in _judgments(one, campaign.task))


def _ranking(given: _Given) -> Ranking:
    outputs = given.item.payload["outputs"]
    ranks = given.answer.answer["ranks"]
    return Ranking(
        sentence=str(given.item.payload["sentence"]),
        judge=given.judge.name,
        outputs=tuple(
            RankedOutput(rank, tuple(output["systems"]))
            for rank, output in zip(ranks, outputs, strict=True)
        ),
        id=str(given.answer.assignment),
        duration=given.answer.seconds,
    )


def _judgments(given: _Given, task: CampaignTask) -> Iterator[Judgment]:
    for said in task.split(given.item, given.answer.answer):
        extra = {**given.item.payload.get("extra", {}), **said.extra}
        confidence = extra.pop("confidence", None)
        for name, value in (given.answer.remark or {}).items():
            extra[name] = "yes" if value is True else value
        if given.judge.excluded:
            extra["excluded"] = "yes"
        yield Judgment(
            item=f"{given.item.key}{said.suffix}",
            judge=given.judge.name,
            label=said.label,
            gold=given.item.gold,
            confidence=confidence,
            duration=given.answer.seconds,
            time=given.answer.given,
            extra=tuple((name, value) for name, value in extra.items() if value),
        )


def choose_export(
    kind: Kind, form: str | None, suffix: str, annotator: str | None = None
) -> Callable[[Iterable[Any], TextIO], None]:
    """The writer of the format that is named, or that the suffix says, or that is usual."""
    forms = EXPORTS[kind]
    chosen = form or forms.get(suffix) or next(iter(forms.values()))
    if chosen not in forms.values():
        raise OptionError(
            f"{kind}: can be exported as {', '.join(forms.values())}, not as {chosen}"
        )
    if kind == "corpus":
        return corpora.corpus_writer(chosen, annotator)
    if annotator is not None:
        raise OptionError(f"{kind} have no annotators")
    write = get_format(chosen, kind=kind).write
    if chosen in {"csv", "tsv"}:
        return lambda judgments, stream: write(map(_for_a_sheet, judgments), stream)
    return write


def _for_a_sheet(judgment: Judgment) -> Judgment:
    """A judgment as CSV and TSV can carry it, and as no spreadsheet takes it for a formula."""
    return replace(
        judgment,
        item=_for_a_cell(judgment.item),
        judge=_for_a_cell(judgment.judge),
        label=_for_a_cell(judgment.label),
        gold=judgment.gold and _for_a_cell(judgment.gold),
        confidence=judgment.confidence and _for_a_cell(judgment.confidence),
        extra=tuple((name, _for_a_cell(value)) for name, value in judgment.extra),
    )


def _for_a_cell(text: str) -> str:
    """One line; text that a spreadsheet would calculate gets an apostrophe before it."""
    line = _BREAKS.sub(" ", text)
    is_formula = len(line) > 1 and line[0] in "=+-@" and not _NUMBER.fullmatch(line)
    return f"'{line}" if is_formula else line


def make_live_tables(store: CampaignStore) -> list[Table]:
    """Agreement and ranking so far, in words: the tables that the answers there are allow."""
    # The statistics take a second to load; whoever only serves does not wait for them.
    from redink.campaign import dashboard_tables

    try:
        campaign = Campaign(store)
        answers = export_answers(campaign)
    except RedinkError:
        return []
    rankings = [answer for answer in answers if isinstance(answer, Ranking)]
    judgments = [answer for answer in answers if isinstance(answer, Judgment)]
    sentences = tuple(answer for answer in answers if isinstance(answer, AnnotatedSentence))
    scales = campaign.task.scales
    makers: list[Callable[[], Table]] = [
        partial(dashboard_tables.agreement_so_far, judgments, scales)
    ]
    if sentences:
        makers = [partial(dashboard_tables.edits_so_far, sentences)]
    if rankings:
        makers = [
            partial(dashboard_tables.ranking_so_far, rankings),
            partial(dashboard_tables.ranking_agreement_so_far, rankings),
        ]
    tables = []
    for make in makers:
        with suppress(RedinkError):  # too little to say anything yet
            tables.append(make())
    return tables
