"""Score: every system under every metric."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any, Literal

import numpy as np

from redink.analysis.annotating import Annotating, Sharing, warn_about_language
from redink.commands.score_input import (
    ScoringInput,
    annotates,
    collect_scores,
    load_scoring_input,
)
from redink.errors import OptionError
from redink.files import write_atomically
from redink.inputs.alignment import Aligning
from redink.inputs.checks import warn_about_input
from redink.inputs.document_ids import Documents, Placed, warn_about_documents
from redink.inputs.loading import PathLike, ReferenceLike, SystemsLike, TextsApart
from redink.model import Column, Look, Row, Table, Unclear, make_signature, make_table
from redink.options import Flag, Limits, Needs, Seed, use_case
from redink.scoring.checks import note_foreign
from redink.scoring.count_metric import Grouping
from redink.scoring.engine import (
    Scored,
    make_columns,
    make_rows,
    resample_all,
    sentence_rows,
)
from redink.scoring.metric import Metric, ReferenceEdits, reference_edits_of
from redink.scoring.sensitivity import sensitivity_table
from redink.scoring.specs import (
    DEFAULT_METRICS,
    Metrics,
    Shorthand,
    make_metrics,
    with_reference_edits,
)

_TYPELESS = (
    "m2: a false positive matches no gold edit and so has no error type; error types have "
    "recall only"
)


@use_case(draws="Draw the scores: a heat map with ``by``, otherwise a forest plot.")
def score(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    apart: TextsApart = TextsApart(),
    aligning: Aligning = Aligning(),
    placing: Documents = Documents(),
    metrics: Metrics = DEFAULT_METRICS,
    shorthand: Shorthand = Shorthand(),
    by: Literal[Grouping, "document"] | None = None,
    reference_edits: Annotated[Sequence[ReferenceEdits], Flag(value="gold|auto|gold,auto")] = (),
    unclear: Unclear = "apply",
    bootstrap: Annotated[int | None, Limits(2), Needs(sensitivity=False)] = None,
    sensitivity: bool = False,
    sentences: Annotated[PathLike, Flag(writes=True)] | None = None,
    wide: bool = False,
    look: Look = Look(),
    how: Sharing = Sharing(),
    seed: Seed | np.random.Generator = 1,
) -> Table:
    """Score every SYSTEM against the REFERENCE under every metric.

    REFERENCE is an M2 file; or give --source and --reference. SYSTEM is NAME=PATH or PATH: text
    with one tokenised sentence a line, which is annotated where a metric needs edits, or M2,
    which is scored by its own edits. A folder is a system for every file in it.

    The metrics errant, m2, gleu and imeasure give the figures of the programs published under
    these names, to the last digit. A metric may have options of its own in brackets:
    'm2(beta=1,max_unchanged_words=3)'.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: the systems by name: files of text or edits, lists of strings, or values.
        apart: the source and the reference texts, where they come apart.
        aligning: whether the systems' text is raw, and has to be aligned with the source first.
        placing: which document each sentence comes from, and whether samples draw documents.
        metrics: any of these, with options in brackets.
        shorthand: options of metrics, for all that have them.
        by: errant, m2: also a row for every operation, main type or full type; all metrics: also a
            row for every document.
        reference_edits: classify the references' edits again (gold), or extract them again (auto),
            for all metrics that read edits; errant(reference_edits=auto) does it for one metric.
            By default as they are in the file.
        unclear: bleu, gleu, meteor: in the texts that the references' edits make, do what edits of
            the types Um and UNK say, as the reference texts in circulation do, or leave the words
            as they are.
        bootstrap: number of bootstrap samples for 95% confidence intervals and for groups of
            systems that are not significantly different.
        sensitivity: errant, m2: instead of the scores, how much the choice of annotators moves
            them.
        sentences: write every sentence's scores, and its edits with verdicts (TP, FP, FN), as
            JSON lines.
        wide: for people, systems by metrics in one table.
        look: how figures are written for people.
        how: by what and by how many processes text is annotated.
        seed: the start of the random numbers: same seed, same output.

    Returns:
        A row for every system under every metric, metric by metric, the best first.
    """
    types = None if by == "document" else by
    chosen = make_metrics(metrics, shorthand, by=types)
    variants = _variants(reference_edits)
    if sensitivity and len(variants) > 1:
        raise OptionError("sensitivity is shown for one kind of reference edits at a time")
    each_kind = (with_reference_edits(chosen, variant) for variant in variants)
    chosen = tuple(dict.fromkeys(chain.from_iterable(each_kind)))
    loaded = load_scoring_input(reference, systems, apart, aligning, how=how.annotating)
    placing = placing.keep(loaded.kept)
    notes = [
        *loaded.notes,
        *warn_about_input(loaded.references, loaded.systems),
        *_look_at_language(loaded, chosen, how),
    ]
    groups = placing.groups(loaded.references.sources)
    notes.extend(warn_about_documents(groups if bootstrap else None))
    placed = placing.place(loaded.references.sources) if by == "document" else None
    rng = np.random.default_rng(seed)
    scored, told = collect_scores(loaded, chosen, how=how, unclear=unclear)
    notes.extend(told)
    signature = score_signature(
        "score",
        loaded,
        chosen,
        how.annotating,
        unclear=unclear,
        bootstrap=bootstrap,
        seed=seed if bootstrap and isinstance(seed, int) else None,
        **placing.signature(),
    )
    if sentences is not None:
        with write_atomically(sentences) as stream:
            for row in sentence_rows(scored, loaded.kept):
                stream.write(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n")
    if sensitivity:
        return sensitivity_table(scored, rng, notes=notes, signature=signature)
    resampled = resample_all(scored, bootstrap, rng, groups) if bootstrap else None
    total: Row = {} if placed is None else {"document": None}
    rows = [*make_rows(scored, resampled, extra=total), *_document_rows(scored, placed)]
    notes.extend(note for each in scored for note in each.statistics.notes)
    notes.extend(score_notes(chosen, rows, bootstrap, placing.resample))
    columns = make_columns(chosen, rows, [Column("document")] if placed else [])
    return make_table(
        columns,
        rows,
        notes=dict.fromkeys(notes),
        signature=signature,
        groups="metric",
        view="scores-wide" if wide else "scores",
        plot_name="scores",
        look=look,
    )


def _look_at_language(loaded: ScoringInput, metrics: Sequence[Metric], how: Sharing) -> list[str]:
    """What to say of metrics that were made for other languages; a warning where they may be."""
    if how.language != "en" or annotates(loaded, metrics):
        return note_foreign(metrics, how.language)
    if any(metric.needs == "text" for metric in metrics if note_foreign([metric], "")):
        warn_about_language(loaded.references.sources, how.annotating)
    return []


def _document_rows(scored: Sequence[Scored], placed: Placed | None) -> list[Row]:
    """The scores of every document by itself, in the order of the documents, if asked for."""
    rows: list[Row] = []
    for number, name in enumerate(placed.texts if placed else ()):
        assert placed is not None
        places = np.flatnonzero(placed.numbers == number)
        inside = [replace(each, statistics=each.statistics.take(places)) for each in scored]
        rows += make_rows(inside, None, extra={"document": name})
    return rows


def _variants(
    given: ReferenceEdits | Sequence[ReferenceEdits],
) -> tuple[ReferenceEdits | None, ...]:
    """The ways of annotating references, one after the other; None is as the file has them."""
    return tuple(dict.fromkeys([given] if isinstance(given, str) else given)) or (None,)


def score_signature(
    command: str,
    loaded: ScoringInput,
    metrics: Sequence[Metric],
    how: Annotating,
    *,
    unclear: Unclear = "apply",
    **parts: Any,
) -> dict[str, Any]:
    """What made the scores; the analyser only if it had something to annotate."""
    kinds = dict.fromkeys(map(reference_edits_of, metrics))
    reads_texts = any(metric.needs == "text" for metric in metrics)
    about = {
        "metrics": [str(metric) for metric in metrics],
        **{metric.name: metric.signature() or None for metric in metrics},
        "reference_edits": [kind for kind in kinds if kind] or None,
        "empty_reference": "skip" if loaded.references.absent else None,
        **loaded.aligning.signature(),
        "unclear": unclear if reads_texts and loaded.references.has_unclear else None,
        **loaded.fingerprints(),
        **parts,
    }
    if annotates(loaded, metrics):
        return how.signature(command, **about)
    return make_signature(command, **about)


_FEW_SAMPLES = 100


def score_notes(
    metrics: Sequence[Metric],
    rows: Sequence[Row],
    bootstrap: int | None,
    drawn: str = "sentences",
) -> list[str]:
    """What a reader of these scores should know."""
    notes = []
    counted = [row for row in rows if {"tp", "fp", "fn", "f"} <= row.keys()]
    if any(row.get("nothing_proposed") for row in counted):
        notes.append(
            "a dash: the system proposed nothing; as in the published scorers, JSON and CSV have "
            "precision 1 there"
        )
    if any(row["tp"] == row["fn"] == 0 for row in counted):
        notes.append("recall is 1 where there was nothing to find, as in the published scorers")
    if any(metric.name == "m2" and getattr(metric, "by", None) for metric in metrics):
        notes.append(_TYPELESS)
    if bootstrap:
        notes.append(
            f"95 % interval (low, high): from {bootstrap} bootstrap samples of {drawn}; systems "
            "that share a letter (group) are not significantly different (p ≥ .05, paired "
            "bootstrap, differences taken as normal, Holm-adjusted)"
        )
        if bootstrap < _FEW_SAMPLES:
            notes.append(
                f"{bootstrap} bootstrap samples are too few for a 95 % interval; use 1000 or more"
            )
    return notes
