"""A scorer of inspect-ai: ``redink_scorer(metric="errant")`` (docs/drop-in.md has an example)."""

from __future__ import annotations

from typing import Any

from redink.compat.lm_eval import aggregation, field_of


def redink_scorer(metric: str = "errant", source_field: str = "source") -> Any:
    """Return a scorer whose only metric is the score of all samples together.

    The source is a field of the metadata of a sample, and its target has the references. The value
    of a sample is 1 if the answer equals a reference, otherwise 0.

    Args:
        metric: name or spec of a metric of redink.
        source_field: name of the field.
    """
    from inspect_ai.scorer import Score, scorer
    from inspect_ai.scorer import metric as declare

    @declare(name=metric)  # type: ignore[untyped-decorator]
    def corpus_score() -> Any:
        def compute(scores: list[Any]) -> float:
            return aggregation(metric)(one.score.metadata["item"] for one in scores)

        return compute

    @scorer(metrics=[corpus_score()], name=metric)  # type: ignore[untyped-decorator]
    def make() -> Any:
        async def score(state: Any, target: Any) -> Any:
            answer = " ".join(state.output.completion.split())
            item = (field_of(state.metadata, [source_field]), list(target), answer)
            return Score(value=int(answer in item[1]), answer=answer, metadata={"item": item})

        return score

    return make()
