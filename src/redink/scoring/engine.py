"""Collection, resampling and grouping of scores, for all metrics."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.cache import is_cache_used, using_cache
from redink.model import Column, Hypotheses, References, Row, Table, make_table
from redink.model.counts import attempted
from redink.progress import tell
from redink.scoring.metric import FloatArray, Metric, Statistics, join, reference_edits_of
from redink.statistics.significance import holm, letter_groups, normal_p

SIGNIFICANT = 0.05
"""Significance level (Holm-adjusted) below which systems are put into different groups."""


@dataclass(frozen=True)
class ScoredSystem:
    """One system scored with one metric; ``label`` is the name of the metric in a table.

    ``reference`` is ``fixed`` or ``own`` if systems also have their own references.
    """

    metric: Metric
    label: str
    references: References
    system: Hypotheses
    statistics: Statistics
    reference: str | None = None

    @property
    def about(self) -> Row:
        """Return the columns about the metric: its label, and the references that it used."""
        used = {"reference": self.reference, "reference_edits": reference_edits_of(self.metric)}
        return {"metric": self.label, **{name: kind for name, kind in used.items() if kind}}

    def take(self, places: NDArray[np.int64]) -> ScoredSystem:
        """Return the statistics of some sentences."""
        return replace(self, statistics=self.statistics.take(places))

    def score(self) -> float | None:
        """Return the headline of the first row."""
        value: float | None = self.metric.rows(self.statistics)[0][self.metric.headline]
        return value

    def rows_in(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows of this system under this metric."""
        about = {"system": self.system.name, **self.about}
        return (row for row in rows if about.items() <= row.items())


def collect_all(
    metrics: Sequence[Metric],
    references: References,
    systems: Sequence[Hypotheses],
    *,
    workers: int = 1,
    cache: bool = False,
) -> list[ScoredSystem]:
    """Collect the statistics of every system under every metric.

    ``workers`` processes share the heavy metrics; with ``cache``, metrics use the cache on disk.
    """
    with using_cache(cache):
        return _collect_all(metrics, references, systems, workers)


def _collect_all(
    metrics: Sequence[Metric], references: References, systems: Sequence[Hypotheses], workers: int
) -> list[ScoredSystem]:
    pairs = [(metric, system) for metric in metrics for system in systems]
    by_key: dict[Hashable, Metric] = {}
    for metric in metrics:
        by_key.setdefault(metric.statistics_key(), metric)
    first = {metric: by_key[metric.statistics_key()] for metric in metrics}
    own = [(metric, system) for metric, system in pairs if first[metric] is metric]
    collected: dict[tuple[Metric, int], Statistics] = {}
    labels = label_metrics(metrics)
    collectors = {metric: metric.collector(references, systems) for metric in by_key.values()}
    scored = []
    with closing(_collect_heavy(own, references, workers)) as heavy:
        for done, (metric, system) in enumerate(pairs):
            tell(f"{labels[metric]}: {system.name}", done, len(pairs))
            key = (first[metric], done % len(systems))
            if key not in collected:
                collected[key] = (
                    next(heavy) if metric.is_heavy else collectors[metric](references, system)
                )
            scored.append(ScoredSystem(metric, labels[metric], references, system, collected[key]))
    tell("scored", len(pairs), len(pairs))
    return scored


def label_metrics(metrics: Sequence[Metric]) -> dict[Metric, str]:
    """Name each metric in a table: by its label, or by its spec if metrics share a label."""
    labels = [metric.label for metric in metrics]
    return {
        metric: label if labels.count(label) == 1 else str(metric)
        for metric, label in zip(metrics, labels, strict=True)
    }


def _collect_heavy(
    pairs: Iterable[tuple[Metric, Hypotheses]], references: References, workers: int
) -> Generator[Statistics]:
    heavy = [(metric, system) for metric, system in pairs if metric.is_heavy]
    processes = min(workers, len(heavy) * len(references) // _SENTENCES_PER_WORKER)
    if processes < 2:
        for metric, system in heavy:
            yield metric.collect(references, system)
        return
    from redink.parallel import map_in_order  # needed only by runs with workers

    # a worker gets some sentences of all systems, since systems share many hypotheses; or all
    # sentences of one system, if the metric cannot be divided
    step = -(-len(references) // (_PARTS_PER_WORKER * processes))
    some = [slice(start, start + step) for start in range(0, len(references), step)]
    jobs: list[tuple[Metric, list[Hypotheses], list[slice]]] = []
    for metric, system in heavy:
        if not metric.is_divisible:
            jobs.append((metric, [system], [slice(None)]))
        elif jobs and jobs[-1][0] is metric:
            jobs[-1][1].append(system)
        else:
            jobs.append((metric, [system], some))
    parts = (
        _take_part(metric, references, systems, part)
        for metric, systems, slices in jobs
        for part in slices
    )
    work = partial(_collect_part, cache=is_cache_used())
    with closing(map_in_order(work, parts, workers=processes)) as results:
        for _, _, slices in jobs:
            found = [next(results) for _ in slices]
            yield from map(join, zip(*found, strict=True))


_SENTENCES_PER_WORKER = 4_000  # smaller parts cost more than they save
_PARTS_PER_WORKER = 3

_CorpusPart = tuple[Metric, References, list[Hypotheses]]


def _take_part(
    metric: Metric, references: References, systems: Sequence[Hypotheses], part: slice
) -> _CorpusPart:
    """Return some sentences, without the memoized values of the references."""
    texts = references.given_texts
    return (
        metric,
        References(
            replace(references.corpus, sentences=references.corpus.sentences[part]),
            None if texts is None else tuple(text[part] for text in texts),
            references.are_flags,
        ),
        [
            replace(
                system,
                texts=system.texts[part],
                annotations=None if system.annotations is None else system.annotations[part],
            )
            for system in systems
        ],
    )


def _collect_part(part: _CorpusPart, *, cache: bool) -> list[Statistics]:
    metric, references, systems = part
    with using_cache(cache):
        return [metric.collect(references, system) for system in systems]


def resample_all(
    scored: Sequence[ScoredSystem],
    samples: int,
    rng: np.random.Generator,
    groups: NDArray[np.int64] | None = None,
) -> list[FloatArray]:
    """Compute the headline of every row in every bootstrap sample; all systems share the samples.

    With ``groups`` (the number of every sentence's document), documents are resampled.
    """
    return resample_parts(scored, (), samples, rng, groups)[0]


def resample_parts(
    scored: Sequence[ScoredSystem],
    parts: Sequence[NDArray[np.int64]],
    samples: int,
    rng: np.random.Generator,
    groups: NDArray[np.int64] | None = None,
) -> list[list[FloatArray]]:
    """Do as :func:`resample_all` for all sentences, and in the same samples for parts of them."""
    from redink.statistics.resampling import draw_bootstrap_blocks

    size = len(scored[0].statistics)
    everything = [np.arange(size), *parts]
    taken = [scored, *([each.take(part) for each in scored] for part in parts)]
    found: list[list[list[FloatArray]]] = [[[] for _ in scored] for _ in everything]
    done = 0
    for weights in draw_bootstrap_blocks(size, samples, rng, groups=groups):
        for number, (part, members) in enumerate(zip(everything, taken, strict=True)):
            inside = weights if number == 0 else weights[:, part]
            absent = inside.sum(axis=1) == 0
            for values, each in zip(found[number], members, strict=True):
                tell("bootstrap", done, samples * len(scored) * len(everything))
                values.append(each.metric.resample(each.statistics, inside))
                values[-1][absent] = np.nan  # no sentence of a small part is in the sample
                done += len(weights)
    return [[np.concatenate(values) for values in of_part] for of_part in found]


def make_rows(
    scored: Sequence[ScoredSystem], resampled: Sequence[FloatArray] | None, *, extra: Row
) -> list[Row]:
    """Make all rows, grouped by metric, with the best system first.

    ``resampled`` has the bootstrap values of each system's rows; ``extra`` is added to every row.
    """
    rows: list[Row] = []
    for metric, kind in dict.fromkeys((each.metric, each.reference) for each in scored):
        members = [
            index
            for index, each in enumerate(scored)
            if each.metric is metric and each.reference == kind
        ]
        blocks = [with_score(metric, metric.rows(scored[index].statistics)) for index in members]
        samples = None if resampled is None else [resampled[index] for index in members]
        if samples is not None:
            for block, values in zip(blocks, samples, strict=True):
                _add_intervals(block, values)
        _add_ranks(metric, blocks, samples)
        order = sorted(
            range(len(members)), key=lambda i: _descending(metric, blocks[i][0][metric.headline])
        )
        for index in order:
            name = scored[members[index]].system.name
            rows.extend(
                {"system": name, **scored[members[0]].about, **extra, **_described(row)}
                for row in blocks[index]
                if not _is_empty(row)
            )
    return rows


def with_score(metric: Metric, rows: Iterable[Row]) -> list[Row]:
    """Return the rows with the headline of the metric as ``score``, which all metrics share."""
    return [{**row, "score": row[metric.headline]} for row in rows]


def _descending(metric: Metric, value: float | None) -> float:
    return np.inf if value is None else -metric.orient(value)


def without_unattempted(row: Row) -> Row:
    """Remove precision and F of an error type of which nothing was proposed; papers show a dash."""
    return row if row.get("type") is None else attempted(row)


def _described(row: Row) -> Row:
    if row.get("tp") == row.get("fp") == 0:
        row = {**row, "nothing_proposed": True}
    return {**row, "type": NO_MAIN_TYPE} if row.get("type") == "" else row


NO_MAIN_TYPE = "(no main type)"
"""Main type of edits whose type is only an operation, such as ChERRANT's ``S``."""


def _is_empty(row: Row) -> bool:
    # a type that occurs in no edit of the chosen annotators or of the system
    return row.get("type") is not None and not any(row.get(name) for name in ("tp", "fp", "fn"))


def _add_intervals(rows: Sequence[Row], values: NDArray[Any]) -> None:
    from redink.statistics.resampling import interval_of

    for row, sample in zip(rows, values.T, strict=True):
        row["low"], row["high"] = interval_of(sample)


def _add_ranks(
    metric: Metric, blocks: Sequence[Sequence[Row]], samples: Sequence[FloatArray] | None
) -> None:
    for index, row in enumerate(blocks[0]):
        if row.get("type") is not None:
            continue
        values = [block[index][metric.headline] for block in blocks]
        for block, value in zip(blocks, values, strict=True):
            better = sum(
                v is not None and value is not None and metric.orient(v) > metric.orient(value)
                for v in values
            )
            block[index]["rank"] = None if value is None else better + 1
        if samples is None or len(blocks) < 2:
            continue
        order = sorted(range(len(blocks)), key=lambda i: _descending(metric, values[i]))
        ordered = [samples[i][:, index] for i in order]
        letters = group_letters([values[i] for i in order], ordered)
        for system, letter in zip(order, letters, strict=True):
            blocks[system][index]["group"] = letter


def group_letters(
    values: Sequence[float | None], samples: Sequence[NDArray[Any]]
) -> list[str | None]:
    """Assign letters: systems share one unless a paired bootstrap test (Holm) separates them."""
    known = [(i, value) for i, value in enumerate(values) if value is not None]
    pairs = list(combinations(range(len(known)), 2))
    adjusted = holm(
        [normal_p(x - y, samples[a] - samples[b]) for (a, x), (b, y) in combinations(known, 2)]
    )
    different = [
        pair for pair, p in zip(pairs, adjusted, strict=True) if p is not None and p < SIGNIFICANT
    ]
    letters: list[str | None] = [None] * len(values)
    for (index, _), letter in zip(known, letter_groups(len(known), different), strict=True):
        letters[index] = letter
    return letters


def make_columns(
    metrics: Iterable[Metric], rows: Sequence[Row], extra: Sequence[Column]
) -> list[Column]:
    """Merge the columns of all metrics, and add columns that only some rows have."""
    columns = {"system": Column("system"), "metric": Column("metric")}
    for name in ("reference", "reference_edits"):
        if any(name in row for row in rows):
            columns[name] = Column(name)
    for column in (*extra, *(column for metric in metrics for column in metric.columns)):
        first = columns.setdefault(column.name, column)
        if first.heading != column.heading:  # F1 and F0.5 share a column
            columns[column.name] = replace(first, title=column.name.upper())
        if first.best != column.best:  # the best score is the highest or the lowest
            columns[column.name] = replace(columns[column.name], best=None)
    columns.setdefault("score", Column("score", "score", best="max"))
    for column in (
        Column("low", "rate"),
        Column("high", "rate"),
        Column("rank", "count"),
        Column("group"),
        Column("p_slice", "p", title="p (slice)"),
        Column("nothing_proposed"),
    ):
        if any(column.name in row for row in rows):
            columns[column.name] = column
    return list(columns.values())


def tabulate_sentences(
    scored: Sequence[ScoredSystem], numbers: Sequence[int] | None = None
) -> Table:
    """Return the scores of every sentence as a table; see :func:`sentence_rows`."""
    rows = list(sentence_rows(scored, numbers))
    metrics = dict.fromkeys(each.metric for each in scored)
    known = {column.name: replace(column, best=None) for column in make_columns(metrics, rows, ())}
    known["score"] = replace(known["score"], title=None)
    names = dict.fromkeys(chain.from_iterable(rows))
    return make_table([known.get(name, Column(name)) for name in names], rows, view="sentences")


def sentence_scores(each: ScoredSystem) -> list[float | None]:
    """Return the headline of every sentence, at the first level."""
    rows = each.metric.sentence_rows(each.statistics)
    step = max(len(rows) // max(len(each.statistics), 1), 1)
    return [row.get(each.metric.headline) for row in rows[::step]]


def sentence_rows(
    scored: Iterable[ScoredSystem], numbers: Sequence[int] | None = None
) -> Iterator[Row]:
    """Yield the scores and edits of every sentence, for every system under every metric.

    ``numbers`` has the indices of the sentences if some were skipped.
    """
    for each in scored:
        rows = with_score(each.metric, each.metric.sentence_rows(each.statistics))
        verdicts = each.metric.verdicts(each.references, each.system, each.statistics)
        for index, (source, row) in enumerate(zip(each.references.sources, rows, strict=True)):
            number = (index if numbers is None else numbers[index]) + 1
            about: Row = {
                "sentence": number if source.id is None else source.id,
                "system": each.system.name,
                **each.about,
                **row,
                "source": str(source),
                "hypothesis": str(each.system.texts[index]),
            }
            if verdicts is not None:
                about["edits"] = verdicts[index]
            yield about
