"""Results of a campaign: progress, the export, and tables for the dashboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TextIO

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


def export_answers(
    campaign: Campaign | CampaignStore, *, excluded: bool = False
) -> tuple[Ranking, ...] | tuple[Judgment, ...] | tuple[AnnotatedSentence, ...]:
    """Return the answers as rankings, judgments or a corpus; also of excluded judges if asked."""
    campaign = Campaign(campaign) if isinstance(campaign, CampaignStore) else campaign
    place = campaign.store.place
    with campaign.store.reporting_damage():
        if campaign.task.kind == "corpus":
            return corpora.collect_corpus(campaign, excluded=excluded)
        answers = campaign.current_answers(excluded=excluded)
        given = [one for one in answers if not one[2].skipped]
        if not given:
            who = "nobody" if excluded else "nobody whose answers count"
            raise DataError(f"{place}: {who} has answered yet; there is nothing to export")
        if campaign.task.kind == "rankings":
            return tuple(_ranking(*one) for one in given)
        return tuple(j for one in given for j in _judgments(campaign.task, *one))


def _ranking(judge: Judge, item: Item, answer: Answer) -> Ranking:
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


def _judgments(task: CampaignTask, judge: Judge, item: Item, answer: Answer) -> Iterator[Judgment]:
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


def choose_export(
    kind: Kind, form: str | None, suffix: str, annotator: str | None = None
) -> Callable[[Iterable[Any], TextIO], None]:
    """Return the writer of the named format, or of the suffix, or of the default."""
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
        return lambda judgments, stream: write(map(_for_spreadsheet, judgments), stream)
    return write


def _for_spreadsheet(judgment: Judgment) -> Judgment:
    """Make all cells of a judgment safe for CSV and TSV."""
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


def make_live_tables(store: CampaignStore) -> list[Table]:
    """Return agreement and ranking so far, as far as the answers allow."""
    # The statistics take a second to load, which the server does not need.
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
        with suppress(RedinkError):  # too few answers
            tables.append(make())
    return tables
