"""Madnani et al. 2011: their measures, on sentences that five of a crowd and an expert judged.

The paper's own data (923 prepositions) was never published, so ours are of other data; what can
be held against the paper are the relations between measures that it reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redink.commands.crowd import crowd
from redink.commands.crowd_data import CrowdOptions
from redink.commands.reproduce.study import GUG, Figure, Reproduction, Study
from redink.judging.labels import LabelOptions
from redink.statistics.resampling import ResamplingOptions

PAPER = "madnani-2011"
# An expert's mark of 4 is "perfect", and 0 is "not a sentence".
_LABELS = LabelOptions(merge={"error": ["1", "2", "3"], "ok": ["4"]}, missing=["0"])
_OTHER = (
    "the paper's 923 prepositions are not published; ours is GUG: whole sentences, five of the "
    "crowd each"
)
_EXPERT = _OTHER + "; the expert's judgments stand in for a system"


def _section_3(study: Study, published: Mapping[str, Any]) -> Iterator[Figure]:
    """How well a majority of three matches an expert."""
    table = crowd(
        study.path(GUG),
        show="size",
        counting=_LABELS,
        standard=CrowdOptions(experts=["expert"]),
        draws=30,
        resampling=ResamplingOptions(bootstrap=0, seed=study.seed),
    )
    rows = {row["size"]: row for row in table.rows}
    for name in ("agreement", "kappa"):
        theirs, ours = published[f"{name} of 3 with an expert"], rows[3][name]
        quantity = f"{name} with an expert"
        yield Figure("majority of 3", quantity, theirs, ours, reason=_OTHER, comparable=False)


def _table_1(study: Study, published: Mapping[str, Any]) -> Iterator[Figure]:
    """Plain and weighted precision and recall, and that the weighted are the lower ones."""
    table = crowd(study.path(GUG), ["expert"], counting=_LABELS)
    rows = {row["weighting"]: row for row in table.rows}
    for place, measure in enumerate(("precision", "recall")):
        for theirs, ours in (("unweighted", "plain"), ("weighted", "weighted")):
            yield Figure(
                "LM; ours: the expert",
                f"{theirs} {measure}",
                published[theirs][place],
                rows[ours][measure],
                unit=0.001,
                reason=_EXPERT,
                comparable=False,
            )
        yield Figure(
            "weighted below unweighted",
            measure,
            _say(published["weighted"][place] < published["unweighted"][place]),
            _say(rows["weighted"][measure] < rows["plain"][measure]),
            reason=_EXPERT,
        )


def _figure_2(study: Study, published: Mapping[str, Any]) -> Iterator[Figure]:
    """How many items each bin of agreement has, and that the last is the clearest."""
    edges = published["bins"]
    table = crowd(study.path(GUG), ["expert"], show="bins", bins=edges, counting=_LABELS)
    for row, theirs in zip(table.rows, published["items"], strict=True):
        item = f"agreement {row['from']:g} to {row['to']:g}"
        yield Figure(item, "items", theirs, row["items"], unit=1.0, reason=_OTHER, comparable=False)
    # LM, of which the paper says that it is better only where the crowd is clearest.
    best = max(table.rows, key=lambda row: row["kappa"] or 0.0)
    item = "bin with the best kappa"
    yield Figure(item, "from", published["bins"][2], best["from"], reason=_EXPERT)


def _say(fact: bool) -> str:  # noqa: FBT001 (a value, not an option)
    return "yes" if fact else "no"


REPRODUCTIONS = (
    Reproduction("section 3", _section_3, (GUG,)),
    Reproduction("table 1", _table_1, (GUG,)),
    Reproduction("figure 2", _figure_2, (GUG,)),
)
