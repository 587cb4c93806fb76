"""Metrics for the ``utils.py`` of a task of lm-evaluation-harness (docs/drop-in.md has an example).

A corpus score is not the mean of sentence scores: the aggregation scores all documents together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from redink.compat.column_scores import score_texts
from redink.errors import DataError

Item = tuple[str, Sequence[str], str]  # source, references, answer

METRICS = ("errant", "m2", "gleu")
_SOURCES = ("source", "sentence", "input", "orig", "src", "text")
_REFERENCES = ("references", "corrections", "reference", "target", "output", "cor")


def make_process_results(
    source: str | None = None, references: str | None = None, metrics: Iterable[str] = METRICS
) -> Callable[[Mapping[str, Any], Sequence[str]], dict[str, Item]]:
    """Return a ``process_results`` function for documents with these fields and these metrics.

    By default the source is the field ``source`` (or ``sentence``, ``input`` ...), and
    ``references`` (or ``corrections``, ``target`` ...) is a text or a list of texts.
    """
    names = tuple(metrics)

    def process(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Item]:
        text = field_of(doc, (source,) if source else _SOURCES)
        right = field_of(doc, (references,) if references else _REFERENCES)
        answer = " ".join(str(results[0]).split())
        item = (str(text), [right] if isinstance(right, str) else list(right), answer)
        return dict.fromkeys(names, item)

    return process


process_results = make_process_results()


def field_of(doc: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the first of these fields that a document has."""
    for name in names:
        if name in doc:
            return doc[name]
    raise DataError(
        f"none of the fields {', '.join(names)} is in a document; found: {', '.join(doc)}"
    )


def aggregation(metric: str) -> Callable[[Iterable[Item]], float]:
    """Return the aggregation of a metric (name or spec): the score of all documents together."""

    def aggregate(items: Iterable[Item]) -> float:
        sources, references, answers = zip(*items, strict=True)
        figures = score_texts(sources, references, answers, [metric])
        return next(iter(figures.values()))

    aggregate.__name__ = metric
    return aggregate


errant = aggregation("errant")
m2 = aggregation("m2")
gleu = aggregation("gleu")
