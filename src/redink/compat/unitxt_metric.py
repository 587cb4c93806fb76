"""A metric of unitxt: ``RedinkMetric(metric="errant")``; the source is a field of ``task_data``.

Without that library, this module can be imported but has no metric.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any

from redink.compat.column_scores import score_texts
from redink.errors import DataError


def compute(
    references: Sequence[Sequence[str]],
    predictions: Sequence[str],
    task_data: Sequence[Mapping[str, Any]],
    *,
    metric: str = "errant",
    source_field: str = "source",
) -> dict[str, float]:
    """Return the scores of a corpus."""
    for number, fields in enumerate(task_data):
        if source_field not in fields:
            raise DataError(
                f"instance {number + 1} has no field {source_field!r}; found: {', '.join(fields)}"
            )
    sources = [str(fields[source_field]) for fields in task_data]
    return score_texts(sources, references, predictions, [metric])


def make_metric(metrics: Any) -> type:
    """Return the metric class, given ``unitxt.metrics``."""

    class RedinkMetric(metrics.GlobalMetric):  # type: ignore[misc]
        """A redink metric of the whole stream."""

        metric: str = "errant"
        source_field: str = "source"
        main_score: str = "errant"
        prediction_type: Any = str

        def prepare(self) -> None:
            super().prepare()
            self.main_score = self.metric

        def compute(
            self, references: Any, predictions: list[str], task_data: list[dict[str, Any]]
        ) -> dict[str, float]:
            options = {"metric": self.metric, "source_field": self.source_field}
            return compute(references, predictions, task_data, **options)

    return RedinkMetric


if importlib.util.find_spec("unitxt"):
    RedinkMetric = make_metric(importlib.import_module("unitxt.metrics"))
