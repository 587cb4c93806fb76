"""A metric of Hugging Face ``evaluate``: ``evaluate.load(evaluate_metric.__file__)``.

Without that library, this module can be imported but has no metric.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

from redink.compat.column_scores import score_texts

_INPUTS = """
    sources: the source sentences, tokens separated by spaces.
    predictions: the system output.
    references: one corrected text or a list of corrected texts per sentence.
    metrics: errant, m2, gleu and others, with options in parentheses (default: errant, gleu).
"""


def make_metric(evaluate: Any, datasets: Any) -> type:
    """Return the class that ``evaluate`` loads; ``datasets`` is its library of columns."""

    class Redink(evaluate.Metric):  # type: ignore[misc]
        """All metrics of redink."""

        def _info(self) -> Any:
            from redink.commands.cite import cite

            text = datasets.Value("string")
            texts = {"sources": text, "predictions": text}
            return evaluate.MetricInfo(
                description="Metrics of grammatical error correction, computed by redink.",
                citation="\n\n".join(cite(["errant", "gleu"])["bibtex"]),
                inputs_description=_INPUTS,
                features=[
                    datasets.Features({**texts, "references": kind})
                    for kind in (datasets.Sequence(text), text)
                ],
            )

        def _compute(
            self,
            predictions: Sequence[str],
            references: Sequence[Any],
            sources: Sequence[str],
            metrics: Sequence[str] = ("errant", "gleu"),
        ) -> dict[str, float]:
            return score_texts(sources, references, predictions, metrics)

    Redink.__module__ = __name__
    return Redink


if importlib.util.find_spec("evaluate") and importlib.util.find_spec("datasets"):
    Redink = make_metric(importlib.import_module("evaluate"), importlib.import_module("datasets"))
