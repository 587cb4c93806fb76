"""Score: every system under every metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redink.analysis.analyser import Analyser
from redink.analysis.annotating import Annotating
from redink.errors import OptionError
from redink.formats.inputs import PathLike, ReferenceLike, SystemsLike
from redink.model import Column, Table, make_signature, make_table
from redink.model.tables import Size
from redink.options import check_plot_path
from redink.scoring.engine import (
    Progress,
    Scored,
    collect_all,
    make_columns,
    make_rows,
    resample_all,
)
from redink.scoring.metric import Metric, Row, make_metrics
from redink.scoring.sensitivity import sensitivity_table
from redink.workflows.score_input import (
    REFERENCE_EDITS,
    ScoringInput,
    annotates,
    load_scoring_input,
    supply_edits,
)
from redink.workflows.score_sentences import write_sentences
from redink.workflows.score_warnings import warn_about_input, warn_about_types

DEFAULT_METRICS = ("errant", "m2", "gleu")

_TYPELESS = (
    "m2: a false positive matches no gold edit and so has no error type; error types have "
    "recall only"
)


def score(
    reference: ReferenceLike,
    systems: SystemsLike,
    *,
    source: PathLike | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    level: str | None = None,
    by: str | None = None,
    only: str | None = None,
    exclude: Sequence[str] | None = None,
    beta: float | None = None,
    selection: str | None = None,
    max_unchanged_words: int | None = None,
    ignore_whitespace_casing: bool = False,
    mix: bool = False,
    reference_edits: str | Sequence[str] | None = None,
    bootstrap: int | None = None,
    sensitivity: bool = False,
    sentences: PathLike | None = None,
    plot: PathLike | None = None,
    plot_size: Size = "screen",
    analyser: str | Analyser = "embedded",
    workers: int = 1,
    seed: int | np.random.Generator = 1,
    progress: Progress | None = None,
) -> Table:
    """Every system under every metric.

    Args:
        reference: a file with edits (M2 or another), or a corpus; with ``source``, one or more
            text files, each a reference.
        systems: the systems by name: files of text or edits, or values already read.
        source: the source sentences, where the references are text.
        metrics: ``errant``, ``m2``, ``gleu``, ``imeasure``, ``bleu``, ``meteor``.
        level: errant: ``correction``, ``detection-span``, ``detection-token`` or
            ``correction-typed``.
        by: errant, m2: a row also for every ``operation``, main ``type`` or ``full`` type.
        only: errant: only ``single``-token edits, or only ``multi``-token ones.
        exclude: errant: error types that are not scored.
        beta: the weight of recall in F; 0.5 unless given.
        selection: how to choose among annotators: ``running``, ``sentence`` or ``optimal``.
        max_unchanged_words: m2: unchanged words within an edit; 2 unless given.
        ignore_whitespace_casing: m2: leave out edits of white space and case.
        mix: imeasure: combine the corrections of several annotators.
        reference_edits: annotate the references as the systems are: ``auto`` extracts their
            edits anew, ``gold`` keeps the edits and types them anew; both may be given.
        bootstrap: so many bootstrap samples for intervals and groups.
        sensitivity: instead of the scores, how much the choice of annotators moves them.
        sentences: write the scores and edits of every sentence here (JSON lines).
        plot: draw the scores here (PNG, SVG or PDF): a heat map with ``by``, otherwise a forest
            plot.
        plot_size: of the plot: ``column`` or ``page`` of a paper, or ``screen``.
        analyser: ``embedded``, ``spacy:NAME`` or an analyser, for what must be annotated.
        workers: how many processes annotate and score.
        seed: of the bootstrap.
        progress: told what is done.

    Returns:
        A row for every system under every metric, metric by metric, the best first.
    """
    chosen = make_metrics(
        metrics,
        level=level,
        by=by,
        only=only,
        exclude=tuple(exclude) if exclude else None,
        beta=beta,
        selection=selection,
        max_unchanged_words=max_unchanged_words,
        ignore_whitespace_casing=ignore_whitespace_casing or None,
        mix=mix or None,
    )
    variants = check_reference_edits(reference_edits)
    if bootstrap is not None and bootstrap < 2:
        raise OptionError("a bootstrap needs at least two samples")
    if sensitivity and len(variants) > 1:
        raise OptionError("sensitivity is shown for one kind of reference edits at a time")
    if plot is not None:
        check_plot_path(plot)
    loaded = load_scoring_input(reference, systems, source=source)
    notes = list(warn_about_input(loaded.references, loaded.systems, chosen))
    how = Annotating(analyser=analyser)
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    results = []
    for variant in variants:
        ready = supply_edits(loaded, chosen, reference_edits=variant, how=how, workers=workers)
        if by is not None and any(metric.needs == "edits" for metric in chosen):
            notes.extend(warn_about_types(ready.references, ready.systems))
        scored = collect_all(chosen, ready.references, ready.systems, progress, workers=workers)
        results.append((variant, ready, scored))
    signature = score_signature(
        "score",
        loaded,
        chosen,
        variants,
        how,
        bootstrap=bootstrap,
        seed=seed if bootstrap and isinstance(seed, int) else None,
    )
    if sentences is not None:
        write_sentences(sentences, results)
    if sensitivity:
        return sensitivity_table(results[0][2], rng, notes=notes, signature=signature)
    for variant, _, scored in results:
        resampled = resample_all(scored, bootstrap, rng, progress) if bootstrap else None
        extra = {"reference_edits": variant} if reference_edits is not None else {}
        rows.extend(make_rows(scored, resampled, extra=extra))
        notes.extend(note for each in scored for note in each.statistics.notes)
    notes.extend(score_notes(chosen, rows, bootstrap))
    columns = make_columns(
        chosen, rows, [Column("reference_edits")] if reference_edits is not None else []
    )
    table = make_table(
        columns, rows, notes=dict.fromkeys(notes), signature=signature, groups="metric"
    )
    if plot is not None:
        table.plot(plot, name="scores", size=plot_size)
    return table


def check_reference_edits(given: str | Sequence[str] | None) -> tuple[str | None, ...]:
    """The ways of annotating references, one after the other; None is as the file has them."""
    if given is None:
        return (None,)
    variants = tuple(dict.fromkeys((given,) if isinstance(given, str) else given))
    for variant in variants:
        if variant not in REFERENCE_EDITS:
            raise OptionError(
                f"reference edits are kept (gold) or extracted anew (auto), not {variant!r}"
            )
    return variants


def score_signature(
    command: str,
    loaded: ScoringInput,
    metrics: Sequence[Metric],
    variants: Sequence[str | None],
    how: Annotating,
    **parts: Any,
) -> dict[str, Any]:
    """What made the scores; the analyser only if it had something to annotate."""
    given = [variant for variant in variants if variant is not None]
    about = {
        **{metric.name: metric.signature() for metric in metrics},
        "reference_edits": given or None,
        "data": loaded.data,
        **parts,
    }
    if any(annotates(loaded, metrics, variant) for variant in variants):
        return how.signature(command, **about)
    return make_signature(command, **about)


def score_notes(metrics: Sequence[Metric], rows: Sequence[Row], bootstrap: int | None) -> list[str]:
    """What a reader of these scores should know."""
    notes = []
    counted = [row for row in rows if {"tp", "fp", "fn", "f"} <= row.keys()]
    if any(row["tp"] == 0 and (row["fp"] == 0 or row["fn"] == 0) for row in counted):
        notes.append(
            "precision is 1 where nothing was proposed, recall is 1 where there was nothing to "
            "find, as in the published scorers"
        )
    if any(metric.name == "m2" and getattr(metric, "by", None) for metric in metrics):
        notes.append(_TYPELESS)
    if bootstrap:
        notes.append(
            f"low, high: 95 % interval of {bootstrap} bootstrap samples of sentences; systems "
            "that share a letter (group) do not differ by the paired bootstrap (differences "
            "taken as normal) after Holm's correction, p < .05"
        )
    return notes


__all__ = ["DEFAULT_METRICS", "Scored", "score"]
