"""Every sentence with its scores, and its edits with their verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from redink.files import write_atomically
from redink.formats.inputs import PathLike
from redink.scoring.engine import Scored
from redink.scoring.metric import Row
from redink.workflows.score_input import ScoringInput

Result = tuple[str | None, ScoringInput, Sequence[Scored]]
"""The way the references were annotated, what was scored, and its statistics."""


def write_sentences(path: PathLike, results: Iterable[Result]) -> None:
    """A JSON object a line: one sentence of one system under one metric."""
    with write_atomically(path) as stream:
        for variant, ready, scored in results:
            for row in sentence_rows(ready, scored):
                if variant is not None:
                    row["reference_edits"] = variant
                stream.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def sentence_rows(ready: ScoringInput, scored: Sequence[Scored]) -> Iterator[Row]:
    """For every system under every metric, every sentence in order."""
    sources = ready.references.sources
    for each in scored:
        rows = each.metric.sentence_rows(each.statistics)
        verdicts = each.metric.verdicts(ready.references, each.system, each.statistics)
        for number, (source, row) in enumerate(zip(sources, rows, strict=True)):
            about: dict[str, Any] = {
                "sentence": number + 1 if source.id is None else source.id,
                "system": each.system.name,
                "metric": each.metric.name,
                **row,
                "source": str(source),
                "hypothesis": str(each.system.texts[number]),
            }
            if verdicts is not None:
                about["edits"] = verdicts[number]
            yield about
