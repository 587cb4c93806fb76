"""Results so far for the dashboard, with descriptions in place of column names.

The server runs ``python -m redink.campaign.live_results`` with the campaign's address on stdin.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import astuple, dataclass
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
from redink.model import AnnotatedSentence, Corpus, Judgment, Ranking, Shown, Table, table_of
from redink.statistics.resampling import ResamplingOptions

_SAMPLES = 200  # bootstrap samples of a live view; the final analysis takes more
_WORDS = {
    "observed_agreement": "two judges of one item say the same",
    "cohen_kappa": "beyond chance, pair by pair (Cohen's kappa)",
    "scott_pi": "the same with common habits (Scott's pi)",
    "fleiss_kappa": "beyond chance, all judges together (Fleiss' kappa)",
    "randolph_kappa": "beyond blind guessing (Randolph's kappa)",
    "krippendorff_alpha": "beyond chance, with gaps (Krippendorff's alpha)",
    "gwet_ac1": "beyond chance, also when one label is rare (Gwet's AC1)",
    "intra_judge_agreement": "a judge says the same when asked again",
    "intra_judge_kappa": "the same, beyond chance (kappa)",
}
_OF_GRADES = {
    "observed_agreement": "two judges of one item give the same grade",
    "cohen_kappa_quadratic": "beyond chance, near grades nearly right (weighted kappa)",
    "krippendorff_alpha": "beyond chance, by the order of the grades (Krippendorff's alpha)",
    "gwet_ac2": "beyond chance, also when one grade is rare (Gwet's AC2)",
    "intra_judge_agreement": "a judge gives the same grade when asked again",
}
"""The statistics of ordinal labels."""
_RATE = re.compile(r"disagreement_rate\[(.*)\]", re.DOTALL)
_DEGREES = ((0.0, "none"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
"""Words for kappa up to a limit (Landis and Koch 1977)."""
_LEVELS = {
    "sentence": "the sentence has an error",
    "token": "the word has an error",
    "span": "an edit of the same words",
    "correction": "an edit of the same words to the same words",
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
    measure: Annotated[str, Shown(title="How often, or how much")]
    value: float | None
    low: Annotated[float | None, Shown(title="at least")]
    high: Annotated[float | None, Shown(title="at most")]


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
        counted = ", where near grades count as nearly the same," if graded else ""
        beyond = ""
        if kappa is not None:
            degree = next((word for most, word in _DEGREES if kappa <= most), "almost perfect")
            beyond = f"; beyond chance{counted} that is {degree}"
        about = f" about {question}" if question else ""
        same = f"{found['observed_agreement']:.0%}"
        notes.append(f"Two judges of one item say the same{about} in {same} of cases{beyond}.")
    if not notes:
        notes.append("Nothing can be said before two judges have judged the same items.")
    return table_of(rows, _AgreementRow, notes=notes, title="Agreement between judges")


@dataclass(frozen=True)
class _EditAgreementRow:
    judges: str
    on: Annotated[str, Shown(title="agree that, or on")]
    both: int
    first_only: Annotated[int, Shown(title="first only")]
    second_only: Annotated[int, Shown(title="second only")]
    agreement: float | None
    kappa: Annotated[float | None, Shown(title="beyond chance")]


def _edits_so_far(sentences: Sequence[AnnotatedSentence]) -> Table:
    rows = [
        _EditAgreementRow(judges, _LEVELS[level], *numbers)
        for judges, level, *numbers in map(astuple, compare_annotators(Corpus(tuple(sentences))))
    ]
    note = "Agreement on edits is F: twice what both have, over all that either has."
    if not rows:
        note = "Nothing can be said before two judges have corrected the same sentences."
    title = "Agreement of annotators, edit by edit"
    groups = "judges" if rows else None
    return table_of(rows, _EditAgreementRow, notes=[note], title=title, groups=groups)


@dataclass(frozen=True)
class _RankRow:
    system: str
    score: Annotated[float | None, Shown("score")]
    place: str
    cluster: Annotated[int | None, Shown("count", title="group")]


def _ranking_so_far(rankings: Sequence[Ranking]) -> Table:
    rows = []
    for row in rank(rankings, method="expected-wins", bootstrap=_SAMPLES).rows:
        low, high = row["rank_low"], row["rank_high"]
        place = f"{low}" if low == high else f"{low} to {high}"
        rows.append(_RankRow(row["system"], row["score"], place, row["cluster"]))
    note = (
        "The score is how often a system is preferred to another. Systems of one group may be "
        "equally good; the place is where further judgments may still put them."
    )
    return table_of(rows, _RankRow, notes=[note], title="Ranking of the systems")


@dataclass(frozen=True)
class _JudgePairRow:
    judges: str
    kappa: Annotated[float | None, Shown(title="beyond chance (kappa)")]
    same: Annotated[float | None, Shown(title="said the same")]
    comparisons: Annotated[int, Shown("count", title="pairs that both ranked")]


def _ranking_agreement_so_far(rankings: Sequence[Ranking]) -> Table:
    rows = []
    for row in rank(rankings, show="agreement", min_overlap=10).rows:
        intra = row["agreement"] == "intra"
        if row["judge"] == ALL:
            who = "every judge, asked again" if intra else "all pairs of judges"
        else:
            who = f"{row['judge']}, asked again" if intra else f"{row['judge']} and {row['other']}"
        if row["comparisons"]:
            rows.append(_JudgePairRow(who, row["kappa"], row["observed"], row["comparisons"]))
    notes = ["Agreement beyond chance is shown from 10 pairs on."]
    return table_of(rows, _JudgePairRow, notes=notes, title="Agreement between judges")


def make_live_tables(store: CampaignStore) -> list[Table]:
    """Return agreement and ranking so far, as far as the answers allow."""
    try:
        campaign = Campaign(store)
        answers = export_answers(campaign)
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
            tables.append(make(answers))
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
