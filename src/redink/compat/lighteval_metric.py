"""Metrics for the tasks of LightEval: ``make_metric("errant")`` (see docs/drop-in.md)."""

from __future__ import annotations

from typing import Any

from redink.compat.lm_eval import Item, aggregation, field_of
from redink.scoring.specs import parse_metric


def make_metric(metric: str = "errant", source_field: str = "source") -> Any:
    """Return a metric of the corpus; the gold choices of a document are the references.

    Args:
        metric: name or spec of a metric of redink.
        source_field: field of ``doc.specific`` with the source.
    """
    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
    from lighteval.tasks.requests import SamplingMethod

    class SentenceItem(SampleLevelComputation):  # type: ignore[misc]
        """Source, references and answer of a document."""

        def compute(self, model_response: Any, doc: Any, **_: Any) -> Item:
            answer = " ".join(model_response.final_text[0].split())
            return field_of(doc.specific or {}, [source_field]), doc.get_golds(), answer

    return CorpusLevelMetric(
        metric_name=metric,
        higher_is_better=not parse_metric(metric).lower_is_better,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=SentenceItem(),
        corpus_level_fn=aggregation(metric),
    )
