"""A metric of Hugging Face ``evaluate``: give the path of this file to ``evaluate.load``.

::

    import evaluate
    from redink.compat import evaluate_metric

    metric = evaluate.load(evaluate_metric.__file__)
    metric.compute(sources=[...], predictions=[...], references=[[...], ...], metrics=["errant"])

Without the library this module can be imported, and has no metric.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

from redink.compat.column_scores import score_texts

_DESCRIPTION = "Metrics of grammatical error correction, computed by redink."
_INPUTS = """
    sources: the sentences as written, tokens between blanks.
    predictions: what the system made of them.
    references: what annotators made of them, one text or a list of texts a sentence.
    metrics: errant, m2, gleu and others, with options in brackets (default: errant, gleu).
"""


def _citation() -> str:
    from redink.commands.cite import cite

    return "\n\n".join(cite(["errant", "gleu"])["bibtex"])


def make_metric(evaluate: Any, datasets: Any) -> type:
    """The class that the library looks for.

    Args:
        evaluate: the library.
        datasets: its library of columns.
    """

    class Redink(evaluate.Metric):  # type: ignore[misc]
        """All metrics of redink."""

        def _info(self) -> Any:
            text = datasets.Value("string")
            lists = {"sources": text, "predictions": text, "references": datasets.Sequence(text)}
            return evaluate.MetricInfo(
                description=_DESCRIPTION,
                citation=_citation(),
                inputs_description=_INPUTS,
                features=[
                    datasets.Features(lists),
                    datasets.Features({**lists, "references": text}),
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
