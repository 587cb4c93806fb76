"""Error detection: writer, annotator and system compared, with every measure of the counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from redink.detection.evaluate import Compared, Options, View, evaluate
from redink.detection.listing import list_units
from redink.detection.rows import (
    Outcome,
    explain_undefined,
    further_columns,
    make_rows,
    measure_columns,
    point_columns,
    point_rows,
)
from redink.detection.rules import name_rule
from redink.detection.study import (
    Treatment,
)
from redink.detection.units import Insertions
from redink.detection.was import Counting, Level
from redink.errors import OptionError
from redink.formats.inputs import PathLike
from redink.model import (
    Judgment,
    SystemOutput,
    Table,
    make_signature,
    make_table,
)
from redink.model.tables import Size
from redink.options import check_plot_path
from redink.scoring.selection import Selection
from redink.workflows.detection_counts import Cells, check_number, measure_counts
from redink.workflows.detection_input import (
    UNITS,
    Reference,
    Unit,
    load_data,
    load_judged,
)

Show = Literal["systems", "points", "units"]
SHOWS: tuple[Show, ...] = get_args(Show)
_PLOTTED_POINTS = 600  # on a curve; more cannot be told apart


def detection(
    reference: Reference | None = None,
    systems: Mapping[str, PathLike | SystemOutput] | Iterable[PathLike | SystemOutput] = (),
    *,
    from_counts: Cells | Sequence[Cells] | None = None,
    source: PathLike | None = None,
    unit: Unit | Sequence[Unit] | None = None,
    level: Level = "detection",
    targets: str | None = None,
    negatives: str = "all",
    insertions: Insertions | None = None,
    count: Counting = "units",
    annotators: Treatment | None = None,
    annotator: str | Sequence[str] | None = None,
    selection: Selection = "running",
    judgments: PathLike | Iterable[Judgment] | None = None,
    ok: Sequence[str] | None = None,
    missing: Sequence[str] = (),
    beta: float = 0.5,
    threshold: float | None = None,
    curve: bool = False,
    show: Show = "systems",
    points: int = 100,
    best: str | None = None,
    min_precision: float | None = None,
    plot: PathLike | None = None,
    plot_size: Size = "screen",
    analyser: str = "embedded",
    workers: int = 1,
) -> Table:
    """Compare what the writer, an annotator and a system have at every unit of a text.

    Args:
        reference: an M2 file (or another corpus), or gold flags for tokens (GED TSV).
        systems: by name, or by path: corrected text, edits (M2) or flags for tokens (GED TSV).
        from_counts: TP, FP, FN and TN of a published table (or several of these); needs nothing
            else. TN may be None.
        source: the text as written, where the reference is one or more corrected texts.
        unit: what is compared: ``token``, ``span``, ``sentence``, ``character`` or ``target``. By
            default tokens, or the targets if there are any.
        level: whether a wrong correction of an error counts as found (``detection``: TP) or as
            wrong (``correction``: FP and FN).
        targets: for the unit ``target``: ``tag:IN,TO``, ``pos:ADP``, ``word:of,in``, ``slot:,``
            (every place where the word may stand), ``np`` or ``np:a,the`` (where a noun phrase
            begins), or a file of positions.
        negatives: which unchanged units count as true negatives: ``all``, ``none``, or a rule as
            for targets (``tag:``, ``pos:``, ``word:``, ``np``, ``letters``, ``not:RULE``, a
            file); those it does not select are trivial and counted apart.
        insertions: for tokens, where an insertion is an error: ``right`` (the next token, as in
            ERRANT), ``gap`` (gaps are units) or ``none``.
        count: ``units``: every unit once; ``edits``: once for each edit on it, as in ERRANT.
        annotators: how several annotators of a sentence are treated: ``best`` (the one who
            favours the system, as in ERRANT), ``any`` (an error if one of them says so),
            ``majority``, ``graded`` (by the share of them) or ``each`` (a row for each). By
            default ``best``, for curves ``any``, with judgments ``graded``.
        annotator: only this one, or these.
        selection: how the best annotator is chosen: ``running``, ``sentence`` or ``optimal``.
        judgments: judges' labels of units; the share that sees an error is the unit's weight.
        ok: the labels that mean "no error"; by default those whose word says so.
        missing: labels that are no answer.
        beta: the weight of recall in F.
        threshold: flag tokens whose probability is at least this, not by the system's flags.
        curve: sweep the threshold: areas, and the counts at the best threshold.
        show: ``systems`` (a row each), ``points`` (of the curve, a row for every threshold) or
            ``units`` (every unit that somebody changes, with its three forms).
        points: about how many thresholds to show; 0 for all.
        best: the measure whose highest value decides on the threshold; by default ``f``, or
            ``recall`` with ``min_precision``.
        min_precision: only thresholds with at least this precision.
        plot: draw the curves into this file (PNG, SVG, PDF or HTML).
        plot_size: of the plot: ``column`` or ``page`` of a paper, or ``screen``.
        analyser: what finds the edits of texts, and tags.
        workers: how many processes find edits.

    Returns:
        A table with the columns ``system, unit, tp, fp, fn, tn, accuracy, precision, recall, tnr,
        f, kappa, prevalence, bias, mcc, informedness, markedness, alpha``, and more.
    """
    if from_counts is not None:
        return measure_counts(from_counts, beta=beta)
    check_number("beta", beta)
    options = Options(
        level=level,
        counting=count,
        treatment=annotators,
        selection=selection,
        beta=beta,
        threshold=threshold,
        best=best or ("f" if min_precision is None else "recall"),
        min_precision=min_precision,
        curve=curve or plot is not None or show == "points",
    )
    units = _choose_units(unit, targets)
    if show not in SHOWS:
        raise OptionError(f"there is nothing {show!r} to show; there are: {', '.join(SHOWS)}")
    if plot is not None:
        check_plot_path(plot)
    only = None if annotator is None else [annotator] if isinstance(annotator, str) else annotator
    data = load_data(
        reference,
        systems,
        source=source,
        analyser=analyser,
        workers=workers,
        needs_edits=any(name != "sentence" for name in units),
        has_judgments=judgments is not None,
    )
    judged = None if judgments is None else load_judged(judgments, ok=ok, missing=missing)
    notes: list[str] = [] if judged is None else list(judged.notes)
    outcomes: list[Outcome] = []
    compared: list[Compared] = []
    for name in units:
        view = View(data, name, targets, negatives, insertions, only, judged)
        found = evaluate(view, options)
        notes += [note for note in dict.fromkeys(found.notes) if note not in notes]
        outcomes += found.outcomes
        compared += found.compared
    columns = [*measure_columns(beta)]
    columns += further_columns(outcomes, has_rule=negatives not in {"all", "none"})
    notes += explain_undefined(outcomes, columns, beta=beta)
    signature = make_signature(
        "detection",
        unit=units[0] if len(units) == 1 else units,
        level=level,
        targets=name_rule(targets),
        negatives=name_rule(negatives),
        insertions=(insertions or data.insertions) if "token" in units else None,
        count=count,
        annotators=options.treat(has_judgments=judged is not None),
        annotator=only,
        selection=selection if selection != "running" else None,
        beta=beta,
        threshold=threshold,
        best=options.best if options.curve else None,
        min_precision=min_precision,
        analyser=data.analyser.name,
        pipeline=data.analyser.version,
        judgments=None if judged is None else judged.fingerprint,
        data=data.fingerprint,
    )
    if plot is not None:
        _draw(outcomes, plot, beta, plot_size)
    title = f"{level.capitalize()} by {', '.join(units)}"
    if show != "systems":
        table = list_units(compared) if show == "units" else _make_points(outcomes, points, beta)
        return replace(table, notes=tuple(notes), signature=signature, title=f"{title}: {show}")
    rows = make_rows(outcomes, columns, beta=beta)
    groups = "unit" if len(units) > 1 else None
    return make_table(columns, rows, notes=notes, signature=signature, title=title, groups=groups)


def _choose_units(unit: Unit | Sequence[Unit] | None, targets: str | None) -> list[Unit]:
    if unit is None:
        return ["token" if targets is None else "target"]
    units: list[Unit] = [unit] if isinstance(unit, str) else list(unit)
    for name in units:
        if name not in UNITS:
            raise OptionError(f"there is no unit {name!r}; there are: {', '.join(UNITS)}")
    if targets is not None and "target" not in units:
        raise OptionError("targets are for the unit target; for other units, use negatives")
    return units


def _make_points(outcomes: Sequence[Outcome], points: int, beta: float) -> Table:
    """Operating points of all systems; of one without a curve, its only one."""
    columns = point_columns(beta)
    rows: list[dict[str, Any]] = []
    for outcome in outcomes:
        if outcome.curve is None:
            rows += make_rows([outcome], columns, beta=beta)
        else:
            chosen = outcome.curve.thin(points, keep=[outcome.point or 0])
            rows += point_rows(outcome, chosen.tolist(), beta=beta)
    return make_table(columns, rows, groups="system")


def _draw(outcomes: Sequence[Outcome], path: PathLike, beta: float, size: Size) -> None:
    points = _make_points(outcomes, _PLOTTED_POINTS, beta)
    columns = [*measure_columns(beta), *further_columns(outcomes, has_rule=False)]
    areas = make_rows(outcomes, columns, beta=beta)
    replace(points, extra={"areas": areas}).plot(path, name="curves", size=size)
