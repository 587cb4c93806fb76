"""Preliminary results for the dashboard, with descriptions instead of column names.

The server runs ``python -m redink.campaign.live_results`` with the campaign's address on stdin.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, dataclass, replace
from functools import partial
from typing import Annotated, Any

from markupsafe import escape

from redink.campaign.results import export_answers
from redink.campaign.server import Campaign
from redink.campaign.store import CampaignStore
from redink.campaign.tasks.protocol import Kind
from redink.commands.agreement import agreement
from redink.commands.rank import ALL, rank
from redink.errors import RedinkError
from redink.judging.edit_agreement import compare_annotators
from redink.judging.rankers import RankingOptions
from redink.judging.rankings import MINIMUM_OVERLAP
from redink.model import AnnotatedSentence, Corpus, Judgment, Ranking, Shown, Table, table_of
from redink.statistics.resampling import ResamplingOptions

_SAMPLES = 200  # bootstrap samples of a live view; the final analysis takes more
_MOST = 50_000
"""Answers in a live view; of more, it uses those to a random sample of the items."""
_WORDS = {
    "observed_agreement": "observed agreement of two judges",
    "cohen_kappa": "Cohen's kappa (pairwise)",
    "scott_pi": "Scott's pi",
    "fleiss_kappa": "Fleiss' kappa (all judges)",
    "randolph_kappa": "Randolph's kappa (uniform chance)",
    "krippendorff_alpha": "Krippendorff's alpha",
    "gwet_ac1": "Gwet's AC1 (robust to rare labels)",
    "intra_judge_agreement": "intra-judge agreement (repeated items)",
    "intra_judge_kappa": "intra-judge kappa (repeated items)",
}
_OF_GRADES = {
    "observed_agreement": "observed agreement of two judges",
    "cohen_kappa_quadratic": "Cohen's kappa (quadratic weights)",
    "krippendorff_alpha": "Krippendorff's alpha (ordinal)",
    "gwet_ac2": "Gwet's AC2 (robust to rare grades)",
    "intra_judge_agreement": "intra-judge agreement (repeated items)",
}
"""The statistics of ordinal labels."""
_RATE = re.compile(r"disagreement_rate\[(.*)\]", re.DOTALL)
_DEGREES = ((0.0, "poor"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
"""Words for kappa up to a limit (Landis and Koch 1977)."""
_LEVELS = {
    "sentence": "the sentence has an error",
    "token": "the word has an error",
    "span": "an edit of the same words",
    "correction": "an edit of the same words with the same correction",
    "type": "the type of an edit of the same words",
}


def in_words(statistic: str, *, graded: bool = False) -> str:
    """Describe a statistic; by default return its name."""
    if graded:
        return _OF_GRADES[statistic]
    if found := _RATE.fullmatch(statistic):
        return f"{found[1]} sees an error where another judge sees none"
    return _WORDS.get(statistic, statistic.replace("_", " "))


@dataclass(frozen=True)
class _AgreementRow:
    measure: Annotated[str, Shown(title="statistic")]
    value: float | None
    low: Annotated[float | None, Shown(title="lower bound")]
    high: Annotated[float | None, Shown(title="upper bound")]


def _agreement_so_far(judgments: Sequence[Judgment], scales: Mapping[str, Sequence[str]]) -> Table:
    """Compute the agreement of judges on labels, for each question.

    ``scales`` has the grades of ordinal questions, the lowest first.
    """
    questions: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        questions.setdefault(dict(judgment.extra).get("question", ""), []).append(judgment)
    rows: list[_AgreementRow] = []
    notes = []
    for question, here in questions.items():
        grades = scales.get(question or "label")
        graded = grades is not None
        table = agreement(
            here,
            scale="ordinal" if graded else "nominal",
            labels=grades,
            resampling=ResamplingOptions(_SAMPLES),
        )
        shown = [row for row in table.rows if not graded or row["statistic"] in _OF_GRADES]
        found = {row["statistic"]: row["value"] for row in shown}
        if found["observed_agreement"] is None:  # no item was judged by two
            continue
        before = f"{question}: " if question else ""
        for row in shown:
            words = before + in_words(row["statistic"], graded=graded)
            rows.append(_AgreementRow(words, row["value"], row["low"], row["high"]))
        kappa = found["krippendorff_alpha" if graded else "cohen_kappa"]
        beyond = ""
        if kappa is not None:
            degree = next((word for most, word in _DEGREES if kappa <= most), "almost perfect")
            name = "Krippendorff's alpha" if graded else "Cohen's kappa"
            beyond = f"; {name}: {degree} agreement"
        notes.append(f"{before}observed agreement {found['observed_agreement']:.0%}{beyond}.")
    if not notes:
        notes.append("Agreement needs two judges who have judged the same items.")
    return table_of(rows, _AgreementRow, notes=notes, title="Inter-annotator agreement")


@dataclass(frozen=True)
class _EditAgreementRow:
    judges: str
    on: Annotated[str, Shown(title="agreement on")]
    both: int
    first_only: Annotated[int, Shown(title="first only")]
    second_only: Annotated[int, Shown(title="second only")]
    agreement: float | None
    kappa: float | None


def _edits_so_far(sentences: Sequence[AnnotatedSentence]) -> Table:
    rows = [
        _EditAgreementRow(judges, _LEVELS[level], *numbers)
        for judges, level, *numbers in map(astuple, compare_annotators(Corpus(tuple(sentences))))
    ]
    note = "Agreement on edits is the F1 score of one annotator against the other."
    if not rows:
        note = "Agreement needs two judges who have corrected the same sentences."
    title = "Inter-annotator agreement on edits"
    groups = "judges" if rows else None
    return table_of(rows, _EditAgreementRow, notes=[note], title=title, groups=groups)


@dataclass(frozen=True)
class _RankRow:
    system: str
    score: Annotated[float | None, Shown("score")]
    place: Annotated[str, Shown(title="rank")]
    cluster: Annotated[int | None, Shown("count", title="group")]


def _ranking_so_far(rankings: Sequence[Ranking]) -> Table:
    rows = []
    for row in rank(rankings, options=RankingOptions(bootstrap=_SAMPLES)).rows:
        low, high = row["rank_low"], row["rank_high"]
        place = f"{low}" if low == high else f"{low} to {high}"
        rows.append(_RankRow(row["system"], row["score"], place, row["cluster"]))
    note = (
        "The score is the proportion of comparisons that a system wins. Systems in one group are "
        "not significantly different; the rank column shows the possible range of ranks."
    )
    return table_of(rows, _RankRow, notes=[note], title="Ranking of the systems")


@dataclass(frozen=True)
class _JudgePairRow:
    judges: str
    kappa: float | None
    same: Annotated[float | None, Shown(title="observed agreement")]
    comparisons: Annotated[int, Shown("count", title="pairs ranked by both")]


def _ranking_agreement_so_far(rankings: Sequence[Ranking]) -> Table:
    rows = []
    for row in rank(rankings, show="agreement").rows:
        intra = row["agreement"] == "intra"
        if row["judge"] == ALL:
            who = "all judges, repeated items" if intra else "all pairs of judges"
        else:
            who = (
                f"{row['judge']}, repeated items" if intra else f"{row['judge']} and {row['other']}"
            )
        if row["comparisons"]:
            rows.append(_JudgePairRow(who, row["kappa"], row["observed"], row["comparisons"]))
    notes = [f"Kappa is shown for at least {MINIMUM_OVERLAP['symmetric']} pairs."]
    return table_of(rows, _JudgePairRow, notes=notes, title="Inter-annotator agreement")


def make_live_tables(store: CampaignStore) -> list[Table]:
    """Return the agreement and ranking that the answers so far allow."""
    try:
        campaign = Campaign(store)
        answered = sum(len(workload.answered) for workload in campaign.workloads.values())
        items = list(campaign.items)
        notes = []
        if answered > _MOST:  # statistics of all answers would take minutes
            items = random.Random(0).sample(items, max(2, len(items) * _MOST // answered))
            part = f"{len(items)} of {len(campaign.items)}"
            notes.append(f"Computed from the answers to {part} items, drawn at random.")
        answers = list(export_answers(campaign, items=set(items)))
    except RedinkError:
        return []
    makers: dict[Kind, list[Callable[[Any], Table]]] = {
        "rankings": [_ranking_so_far, _ranking_agreement_so_far],
        "corpus": [_edits_so_far],
        "judgments": [partial(_agreement_so_far, scales=campaign.task.scales)],
    }
    tables = []
    for make in makers[campaign.task.kind]:
        with suppress(RedinkError):  # too few answers
            table = make(answers)
            tables.append(replace(table, notes=(*notes, *table.notes)))
    return tables


def _render_tables(address: str) -> list[str]:
    with suppress(RedinkError), closing(CampaignStore.open(address)) as store:
        return [
            str(table.to_html()) if table.rows else str(escape(" ".join(table.notes)))
            for table in make_live_tables(store)
        ]
    return []


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    warnings.simplefilter("ignore")
    with suppress(AttributeError, OSError):
        os.nice(10)  # judges first
    json.dump(_render_tables(sys.stdin.read()), sys.stdout)
