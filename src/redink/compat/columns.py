"""Sentences in the columns of a table: a dictionary, a Hugging Face ``Dataset``, a data frame.

No library is imported for that: whatever gives a column by its name will do. The harnesses
(``evaluate``, lm-evaluation-harness, unitxt) hand over columns too, and score here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redink.errors import DataError, OptionError
from redink.formats.inputs import TextsApart
from redink.model import Table
from redink.scoring.specs import make_metrics
from redink.workflows.score import score

References = Sequence[str] | Sequence[Sequence[str]]
"""A text for every sentence, or several."""


def score_columns(
    data: Any,
    *,
    source: str = "source",
    references: str | Sequence[str] = "references",
    systems: str | Sequence[str] | Mapping[str, str] = "prediction",
    **options: Any,
) -> Table:
    """Score systems whose sentences stand in the columns of a table.

    Args:
        data: what has columns by name: a dictionary of lists, a ``Dataset``, a data frame.
        source: the column of the sources.
        references: the columns of the references; one column may hold lists of references.
        systems: the columns of the systems, or columns by the names of the systems.
        options: as of :func:`redink.score`: ``metrics``, ``bootstrap`` ...

    Raises:
        OptionError: there is no such column.
    """
    named = systems if isinstance(systems, Mapping) else {c: c for c in _several(systems)}
    columns = [_column(data, name) for name in _several(references)]
    texts = as_texts(columns[0]) if len(columns) == 1 else [as_text(column) for column in columns]
    return score(
        systems={name: as_text(_column(data, column)) for name, column in named.items()},
        apart=TextsApart(source=as_text(_column(data, source)), references=texts),
        **options,
    )


def score_texts(
    sources: Sequence[str],
    references: References,
    predictions: Sequence[str],
    metrics: str | Sequence[str] = ("errant", "gleu"),
) -> dict[str, float]:
    """The figures of one system, by name: ``errant``, ``errant_precision``, ``gleu`` ...

    Args:
        sources: the sentences as written, tokens between blanks.
        references: a corrected sentence for each, or several.
        predictions: the system's sentences.
        metrics: their names or specs.
    """
    made = make_metrics(metrics)
    table = score(
        systems={"system": list(predictions)},
        apart=TextsApart(source=list(sources), references=as_texts(references)),
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
    """The references as texts, ``[annotator][sentence]``.

    A sentence with fewer references than others has its first one again in their place.
    """
    if not len(references):
        raise DataError("there is no sentence to score")
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
    """A column as a list of strings."""
    values = column.to_list() if hasattr(column, "to_list") else list(column)
    for number, value in enumerate(values):
        if not isinstance(value, str):
            raise DataError(f"row {number + 1} holds {type(value).__name__}, text was expected")
    return values


def _several(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _column(data: Any, name: str) -> Any:
    known = getattr(data, "column_names", None)
    known = getattr(data, "columns", None) if known is None else known
    known = list(data) if known is None else list(known)
    if name not in known:
        raise OptionError(f"there is no column {name!r}; there are: {', '.join(map(str, known))}")
    column = data[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else column
