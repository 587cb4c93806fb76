"""``redink validity``: systems by human judgments of their edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from redink.errors import DataError
from redink.formats.seeda import holds_seeda, read_seeda
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import JudgmentsLike, load_judgments
from redink.inputs.text_loading import load_corpus, load_texts, name_inputs
from redink.judging.edit_validity import (
    EDIT,
    REMAINS,
    UNNECESSARY,
    ValidityRow,
    first_labels,
    tabulate_validity,
)
from redink.judging.labels import LabelOptions, by_question, require_fine
from redink.model import Corpus, Definition, Judgment, Table, make_signature, table_of
from redink.options import Flag, command
from redink.scoring.metric import Grouping
from redink.statistics.resampling import ResamplingOptions

Outputs = Mapping[str, PathLike | Sequence[str]] | Sequence[PathLike] | PathLike
Marked = Mapping[str, PathLike | Corpus] | Sequence[PathLike] | PathLike

_ABOUT = (
    Definition("precision: right / edits. over: unnecessary / edits. Each judgment counts once."),
    Definition("left: share of judged outputs with a remaining error."),
    Definition("recall: right / (right + missed); missed: errors that remain."),
)


@command
def validity(
    judgments: JudgmentsLike,
    systems: Outputs = (),
    *,
    by: Grouping | None = None,
    marked: Annotated[Marked, Flag(repeat=True, many=True, value="SYSTEM=FILE")] = (),
    counting: LabelOptions = LabelOptions(),
    unit: Annotated[str | None, Flag(value="COLUMN")] = None,
    resampling: ResamplingOptions = ResamplingOptions(),
) -> Table:
    """Evaluate systems by human judgments of their edits.

    The judgments are the export of a campaign of the task edit-validity, or a table with the
    columns item, judge and label, and optionally systems, type and question (edit or remains); or
    the folders of SEEDA's edit judgments with the SYSTEM outputs. The table shows human precision,
    unnecessary edits (over-correction), outputs with remaining errors, missed errors and recall,
    with bootstrap confidence intervals.

    Args:
        judgments: judgments of edits: a file or folder, or values.
        systems: outputs of the systems that SEEDA's corrections belong to, as text.
        by: also show each operation, main type, full type or tier of the edits.
        marked: errors that annotators marked in the output of a system (export of the task mark).
            They give the missed errors by type. Repeat the option for more systems.
        counting: judgments to include.
        unit: column of the units of bootstrap sampling. By default sentence, or the first part of
            the item's ID.
        resampling: confidence intervals.
        bootstrap: number of bootstrap samples of the sentences; 0 for no confidence intervals.

    Returns:
        One row per system, and with ``by`` one row per system and type.
    """
    given = _load(judgments, systems)
    questions = by_question(given)
    counted = counting.count(questions.get(EDIT) or given)
    edits = first_labels(counted.judgments)
    right = require_fine({one.label for one in edits} - UNNECESSARY, counting.ok)
    judges = {one.judge for one in edits}
    remains = first_labels(j for j in questions.get(REMAINS, ()) if j.judge in judges)
    found = {name: load_corpus(file) for name, file in name_inputs(marked)}
    rows = tabulate_validity(
        edits, remains, right, by=by, unit=unit, marked=found, resampling=resampling
    )
    if unknown := found.keys() - {row.system for row in rows if row.edits}:
        raise DataError(f"--marked: no edit of the system {min(unknown)!r} was judged")
    notes: list[str] = [*counted.notes, *_ABOUT]
    if not {one.label for one in edits} & UNNECESSARY:
        notes.append("No label means unnecessary (optional), so over is 0.")
    parts: dict[str, Any] = {"by": by, "unit": unit, "ok": list(right), **counted.signature}
    return table_of(
        rows,
        ValidityRow,
        notes=notes,
        signature=make_signature("validity", **parts, **resampling.signature()),
        groups="system" if by else None,
        title="Human judgments of edits",
    )


def _load(judgments: JudgmentsLike, systems: Outputs) -> tuple[Judgment, ...]:
    outputs = {
        name: [str(line) for line in load_texts(file)] for name, file in name_inputs(systems)
    }
    if outputs and isinstance(judgments, str | Path) and holds_seeda(judgments):
        return tuple(read_seeda(judgments, outputs))
    if outputs:
        raise DataError("only SEEDA's folders of edit judgments need the outputs of systems")
    return load_judgments(judgments)
