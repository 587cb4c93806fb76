"""Score the columns of a table: a dictionary, a ``Dataset`` or a data frame.

The metrics for ``evaluate``, lm-evaluation-harness and unitxt use these functions too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redink.commands.score import score
from redink.errors import DataError, unknown_name
from redink.evaluation import EvaluationOptions
from redink.model import Table
from redink.scoring.specs import make_metrics
from redink.value_types import Dataset, Frame, cells_of_frame

References = Sequence[str] | Sequence[Sequence[str]]
"""One text per sentence, or several."""


def score_columns(
    data: Any,
    *,
    source: str = "source",
    references: str | Sequence[str] = "references",
    systems: str | Sequence[str] | Mapping[str, str] = "prediction",
    **options: Any,
) -> Table:
    """Score systems whose sentences are in the columns of a table.

    Args:
        data: columns by name: a dictionary of lists, a ``Dataset``, a data frame.
        source: column of the sources.
        references: columns of the references; one column may contain lists of references.
        systems: columns of the systems, or columns by system name.
        options: options of :func:`redink.score`: ``metrics``, ``bootstrap`` ...
    """
    cells = cells_of_frame(data) if isinstance(data, Frame | Dataset) else data
    named = systems if isinstance(systems, Mapping) else {c: c for c in _several(systems)}
    columns = [_column(cells, name) for name in _several(references)]
    texts = as_texts(columns[0]) if len(columns) == 1 else [as_text(column) for column in columns]
    return score(
        systems={name: as_text(_column(cells, column)) for name, column in named.items()},
        evaluation_options=EvaluationOptions(
            source=as_text(_column(cells, source)), references=texts
        ),
        **options,
    )


def score_texts(
    sources: Sequence[str],
    references: References,
    predictions: Sequence[str],
    metrics: str | Sequence[str] = ("errant", "gleu"),
) -> dict[str, float]:
    """Return the scores of one system, by name: ``errant``, ``errant_precision``, ``gleu`` ...

    All sentences are tokenized. ``references`` has one or several corrected sentences for each
    source; ``metrics`` are names or specs.
    """
    made = make_metrics(metrics)
    table = score(
        systems={"system": list(predictions)},
        evaluation_options=EvaluationOptions(source=list(sources), references=as_texts(references)),
        metrics=made,
    )
    headlines = {metric.name: metric.headline for metric in made}
    figures: dict[str, float] = {}
    for row in table:
        name = row["metric"]
        if row.get("level") not in {None, "correction"}:
            continue
        headline = headlines[name.partition("(")[0]]
        figures[name] = float(row[headline] or 0.0)
        for part in ("precision", "recall", "tp", "fp", "fn"):
            if row.get(part) is not None:
                figures[f"{name}_{part}"] = float(row[part])
    return figures


def as_texts(references: References) -> list[list[str]]:
    """Return the references as texts, ``[annotator][sentence]``.

    A sentence with fewer references than others repeats its first one.
    """
    if not len(references):
        raise DataError("there are no sentences to score")
    each = [[one] if isinstance(one, str) else list(one) for one in references]
    for number, own in enumerate(each):
        if not own:
            raise DataError(f"sentence {number + 1} has no reference")
    most = max(map(len, each))
    return [
        as_text([own[which] if which < len(own) else own[0] for own in each])
        for which in range(most)
    ]


def as_text(column: Any) -> list[str]:
    """Return a column as a list of strings."""
    values = column.to_list() if hasattr(column, "to_list") else list(column)
    for number, value in enumerate(values):
        if not isinstance(value, str):
            raise DataError(f"row {number + 1}: expected text, found {type(value).__name__}")
    return values


def _several(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _column(cells: Mapping[str, Any], name: str) -> Any:
    if name not in cells:
        raise unknown_name("column", name, cells)
    return cells[name]
