"""Madnani et al. 2011: their measures, on sentences that five of a crowd and an expert judged.

The paper's own data (923 prepositions) was never published, so ours are of other data; what can
be held against the paper are the relations between measures that it reports.
"""

from __future__ import annotations

from collections.abc import Iterator

from redink.judging.labels import Counting
from redink.statistics.resampling import Resampling
from redink.workflows.crowd import crowd
from redink.workflows.crowd_data import Standard
from redink.workflows.reproduce.figures import Figure, load_published
from redink.workflows.reproduce.study import GUG, Reproduction, Study

PAPER = "madnani-2011"
# An expert's mark of 4 is "perfect", and 0 is "not a sentence".
_LABELS = Counting(merge={"error": ["1", "2", "3"], "ok": ["4"]}, missing=["0"])
_OTHER = (
    "the paper's 923 prepositions are not published; ours is GUG: whole sentences, five of the "
    "crowd each"
)
_EXPERT = _OTHER + "; the expert's judgments stand in for a system"


def _section_3(study: Study) -> Iterator[Figure]:
    """How well a majority of three matches an expert."""
    published = load_published(PAPER)["section3"]
    table = crowd(
        study.path(GUG),
        show="size",
        counting=_LABELS,
        standard=Standard(experts=["expert"]),
        draws=30,
        resampling=Resampling(bootstrap=0, seed=study.seed),
    )
    rows = {row["size"]: row for row in table.rows}
    for name in ("agreement", "kappa"):
        yield Figure(
            source=f"{PAPER} section 3",
            item="majority of 3",
            quantity=f"{name} with an expert",
            published=published[f"{name} of 3 with an expert"],
            ours=rows[3][name],
            reason=_OTHER,
            comparable=False,
        )


def _table_1(study: Study) -> Iterator[Figure]:
    """Plain and weighted precision and recall, and that the weighted are the lower ones."""
    published = load_published(PAPER)["table1"]
    table = crowd(study.path(GUG), ["expert"], counting=_LABELS)
    rows = {row["weighting"]: row for row in table.rows}
    source = f"{PAPER} table 1"
    names = {"unweighted": "plain", "weighted": "weighted"}
    for place, measure in enumerate(("precision", "recall")):
        for theirs, ours in names.items():
            yield Figure(
                source=source,
                item="LM; ours: the expert",
                quantity=f"{theirs} {measure}",
                published=published[theirs][place],
                ours=rows[ours][measure],
                unit=0.001,
                reason=_EXPERT,
                comparable=False,
            )
        yield Figure(
            source=source,
            item="weighted below unweighted",
            quantity=measure,
            published=_say(published["weighted"][place] < published["unweighted"][place]),
            ours=_say(rows["weighted"][measure] < rows["plain"][measure]),
            reason=_EXPERT,
        )


def _figure_2(study: Study) -> Iterator[Figure]:
    """How many items each bin of agreement has, and that the last is the clearest."""
    published = load_published(PAPER)["figure2"]
    table = crowd(
        study.path(GUG), ["expert"], show="bins", bins=published["bins"], counting=_LABELS
    )
    for row, theirs in zip(table.rows, published["items"], strict=True):
        yield Figure(
            source=f"{PAPER} figure 2",
            item=f"agreement {row['from']:g} to {row['to']:g}",
            quantity="items",
            published=theirs,
            ours=row["items"],
            unit=1.0,
            reason=_OTHER,
            comparable=False,
        )
    # LM, of which the paper says that it is better only where the crowd is clearest.
    best = max(table.rows, key=lambda row: row["kappa"] or 0.0)
    yield Figure(
        source=f"{PAPER} figure 2",
        item="bin with the best kappa",
        quantity="from",
        published=published["bins"][2],
        ours=best["from"],
        reason=_EXPERT,
    )


def _say(fact: bool) -> str:  # noqa: FBT001 (a value, not an option)
    return "yes" if fact else "no"


REPRODUCTIONS = (
    Reproduction("section 3", _section_3, (GUG,)),
    Reproduction("table 1", _table_1, (GUG,)),
    Reproduction("figure 2", _figure_2, (GUG,)),
)
