"""``redink cite``: the papers behind a metric, as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from redink.errors import OptionError
from redink.model import Table, make_signature, table_of
from redink.options import Flag, command

_BIBLIOGRAPHY = Path(__file__).with_name("resources") / "citations.bib"
_GLEU = ("napoles-etal-2015-ground", "napoles-etal-2016-gleu")
PAPERS = {
    "errant": ("bryant-etal-2017-automatic", "felice-etal-2016-automatic"),
    "m2": ("dahlmeier-ng-2012-better",),
    "gleu": _GLEU,
    "gleu-koyama": (*_GLEU, "koyama-etal-2024-n-gram"),
    "gleu-gec-metrics": (*_GLEU, "goto-etal-2025-gec"),
    "green": ("koyama-etal-2024-n-gram",),
    "imeasure": ("felice-briscoe-2015-towards",),
    "cherrant": ("zhang-etal-2022-mucgec",),
    "cleme": ("ye-etal-2023-cleme",),
    "cleme2": ("ye-etal-2025-cleme2", "ye-etal-2023-cleme"),
    "gotoscorer": ("gotou-etal-2020-taking",),
    "bleu": ("papineni-etal-2002-bleu", "post-2018-call"),
    "chrf": ("popovic-2015-chrf", "popovic-2017-chrf", "post-2018-call"),
    "ter": ("snover-etal-2006-study", "post-2018-call"),
    "meteor": ("denkowski-lavie-2014-meteor",),
    "sari": ("xu-etal-2016-optimizing", "alva-manchego-etal-2019-easse"),
    "exact-match": ("rajpurkar-etal-2016-squad",),
    "some": ("yoshimura-etal-2020-reference",),
    "impara": ("maeda-etal-2022-impara",),
    "llm": ("kobayashi-etal-2024-large",),
    "scribendi": ("islam-magnani-2021-end",),
    "scribendi-ngram": ("islam-magnani-2021-end",),
    "redink": ("redink",),
}
"""The papers of every metric, and redink itself; the first paper introduced the metric."""


@dataclass(frozen=True)
class Citation:
    """A paper behind a metric."""

    metric: str
    key: str
    bibtex: str


@command
def cite(metrics: Annotated[Sequence[str], Flag(value="[METRIC]...", many=True)] = ()) -> Table:
    """Print the papers to cite for a metric, as BibTeX.

    Args:
        metrics: names or specs of metrics. By default all.

    Returns:
        One row per metric and paper.
    """
    names = dict.fromkeys(_names(metrics) if metrics else PAPERS)
    rows = [Citation(name, key, bibliography()[key]) for name in names for key in PAPERS[name]]
    return table_of(rows, Citation, signature=make_signature("cite"))


def _names(specs: Sequence[str]) -> list[str]:
    plain = [re.sub(r"\([^()]*\)$", "", spec.strip()).lower() for spec in specs]
    if all(name in PAPERS for name in plain):
        return plain
    from redink.scoring.specs import METRICS, metric_names

    names = metric_names(specs)
    for name in names:
        if name not in PAPERS:
            about = METRICS.load(name).about
            cited = f"; its authors ask to cite: {about.cite}" if about and about.cite else ""
            raise OptionError(f"no BibTeX entry for the metric {name}{cited}")
    return names


@cache
def bibliography() -> dict[str, str]:
    """Return all entries by key."""
    text = _BIBLIOGRAPHY.read_text(encoding="utf-8")
    entries = [entry.strip() for entry in text.split("\n\n") if entry.strip()]
    return {re.match(r"@\w+\{([^,]+),", entry)[1]: entry for entry in entries}  # type: ignore[index]
