"""``redink score``: score systems under metrics."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Annotated

import numpy as np

from redink.errors import OptionError
from redink.evaluation import By, Evaluation, EvaluationOptions, split_by
from redink.files import write_atomically
from redink.inputs.input_checks import warn_about_documents
from redink.inputs.input_options import PathLike, ReferenceLike, SystemsLike
from redink.model import Table
from redink.options import Flag, Limits, Needs, Seed, command
from redink.scoring.engine import sentence_rows, tabulate_sentences
from redink.scoring.metric import ReferenceEdits
from redink.scoring.specs import (
    DEFAULT_METRICS,
    MetricDefaults,
    Metrics,
    make_metrics,
    with_reference_edits,
)
from redink.value_types import Frame


@command(draws="Draw the scores: a heat map with --by, otherwise a forest plot.")
def score(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    reference_for: Annotated[SystemsLike, Flag(repeat=True, many=True, value="SYSTEM=FILE")] = (),
    metrics: Metrics = DEFAULT_METRICS,
    metric_defaults: MetricDefaults = MetricDefaults(),
    by: By = None,
    reference_edits: Annotated[Sequence[ReferenceEdits], Flag(value="gold|auto|gold,auto")] = (),
    bootstrap: Annotated[int | None, Limits(2), Needs(sensitivity=False)] = None,
    sensitivity: bool = False,
    validity: PathLike | Sequence[object] | Frame | None = None,
    outcomes: bool = False,
    humans: bool = False,
    sentences: Annotated[PathLike, Flag(writes=True)] | None = None,
    wide: bool = False,
    seed: Seed | np.random.Generator = 1,
) -> Table:
    """Score every SYSTEM against the REFERENCE under every metric.

    REFERENCE is an M2 file, or give --source and --reference. SYSTEM is NAME=PATH or PATH: text
    with one tokenized sentence per line, or M2. Text is annotated if a metric needs edits; the
    edits of M2 are scored as they are. If SYSTEM is a folder, each file in it is scored as one
    system.

    The metrics errant, m2, gleu and imeasure give the same scores as the published programs, to the
    last digit. A metric can have options in parentheses: 'm2(beta=1,max_unchanged_words=3)'.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: the systems by name: files of text or edits, lists of strings, or values.
        evaluation_options: how references and systems are read, aligned and annotated.
        reference_for: reference that belongs to one system, such as a post-edit of its output.
            Repeat the option for more systems.
        metrics: metrics, with options in parentheses.
        metric_defaults: options that apply to all metrics that have them.
        by: add rows for each operation, main type, full type or tier of types (errant, m2), for
            each document, or for each value of one or more metadata columns.
        reference_edits: classify the edits of the references again (gold), or extract them again
            (auto), for all metrics that use edits; errant(reference_edits=auto) does so for one
            metric. By default as they are in the file.
        bootstrap: number of bootstrap samples for 95% confidence intervals and significance groups.
            Systems in one group are not significantly different.
        sensitivity: errant, m2: show how much the choice of annotators changes the scores.
        validity: judgments of the systems' edits by people or a model (export of an edit-validity
            campaign): add the share of false positives that are valid corrections, and a row in
            which they count as true positives.
        outcomes: errant, cleme2: show wrong corrections, unnecessary edits and missed errors; with
            --by also by error type.
        humans: score each annotator as a system, against all other annotators (instead of systems).
        sentences: write the scores of every sentence, and its edits with verdicts (TP, FP, FN), as
            JSON lines.
        wide: show one table with a row per system and a column per metric.
        seed: random seed.

    Returns:
        One row per system under every metric, metric by metric, the best first. ``sentences`` is
        a table of the scores of every sentence.
    """
    types, slices = split_by(by)
    chosen = make_metrics(metrics, metric_defaults, by=None if outcomes else types)
    kinds = [reference_edits] if isinstance(reference_edits, str) else reference_edits
    if sensitivity and len(set(kinds)) > 1:
        raise OptionError("--sensitivity needs a single value of --reference-edits")
    if outcomes and (sensitivity or bootstrap or slices):
        raise OptionError(
            "--outcomes cannot be combined with --sensitivity, --bootstrap or columns of --by"
        )
    each_kind = (with_reference_edits(chosen, kind) for kind in [*kinds] or [None])
    chosen = tuple(dict.fromkeys(chain.from_iterable(each_kind)))
    evaluation = _load(reference, systems, evaluation_options, reference_for, slices, humans=humans)
    notes = [
        *(() if humans else evaluation.check()),
        *evaluation.check_language(chosen),
        *warn_about_documents(evaluation.groups if bootstrap else None),
    ]
    scored, said = evaluation.collect(chosen, fit="always" if outcomes and types else True)
    notes += said
    if sentences is not None:
        with write_atomically(sentences) as stream:
            for row in sentence_rows(scored, evaluation.kept):
                stream.write(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n")
    if outcomes:
        from redink.scoring.outcomes import outcome_table

        signature = evaluation.signature("score", chosen, outcomes=True, by=types)
        return outcome_table(scored, types, notes=notes, signature=signature)
    if sensitivity:
        from redink.scoring.sensitivity import sensitivity_table

        rng, signature = np.random.default_rng(seed), evaluation.signature("score", chosen)
        return sensitivity_table(scored, rng, notes=notes, signature=signature)
    table = evaluation.tabulate(
        scored,
        bootstrap=bootstrap,
        seed=seed,
        notes=notes,
        slices=slices,
        view="scores-wide" if wide else "scores",
        plot_name="scores",
        score_sentences=partial(tabulate_sentences, scored, evaluation.kept),
    )
    if validity is None:
        return table
    from redink.commands.score_validity import add_validity

    return add_validity(table, scored, validity)


def _load(
    reference: ReferenceLike | None,
    systems: SystemsLike,
    options: EvaluationOptions,
    reference_for: SystemsLike,
    slices: Sequence[str],
    *,
    humans: bool,
) -> Evaluation:
    if not humans:
        return Evaluation.load(reference, systems, options, reference_for, slices)
    if systems or reference_for:
        raise OptionError("--humans scores annotators; remove the systems and --reference-for")
    return Evaluation.load_humans(reference, options, slices)
