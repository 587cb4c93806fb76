"""``redink agreement``: inter-annotator agreement, and systems with each judge as reference."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.errors import DataError, OptionError, RedinkWarning
from redink.inputs.document_ids import document_numbers
from redink.inputs.input_options import PathLike
from redink.inputs.judgment_loading import JudgmentsLike, load_judgments
from redink.inputs.text_loading import load_corpus
from redink.judging.crowdsourcing import (
    TESTED,
    DecisionsLike,
    Measured,
    error_votes,
    find_systems,
    measure_flags,
    name_intervals,
)
from redink.judging.edit_agreement import Absent, compare_annotators
from redink.judging.labels import (
    ALL_QUESTIONS,
    QUESTION,
    Counted,
    LabelMatrix,
    LabelOptions,
    by_question,
    check_scale,
    find_fine,
    how_many,
    order_labels,
    require_fine,
    tabulate,
)
from redink.model import (
    Column,
    Corpus,
    Definition,
    Judgment,
    References,
    Shown,
    Table,
    fingerprint,
    make_signature,
    make_table,
    table_of,
)
from redink.options import Beta, Flag, Needs, command
from redink.statistics.agreement_coefficients import (
    Coefficient,
    Statistic,
    agreement_with_others,
    coefficients_for,
    disagreement_rate,
    evaluate,
    fleiss_kappa,
    measure,
    observed_agreement,
    pair_agreement,
    pair_kappa,
)
from redink.statistics.ratings import MISSING, Ratings, Scale, confusion_matrix
from redink.statistics.resampling import IntArray, ResamplingOptions

Show = Literal["statistics", "pairs", "confusion", "judges", "labels", "repeated", "edits"]
_FEW_JUDGES = 3  # with more judges, only --show judges has their rates of disagreement


@command
def agreement(
    judgments: JudgmentsLike | Corpus,
    *,
    show: Show = "statistics",
    scale: Scale = "nominal",
    labels: Annotated[Sequence[str] | None, Flag(value="LOW,...,HIGH")] = None,
    counting: LabelOptions = LabelOptions(),
    by: Annotated[str | None, Flag(value="COLUMN")] = None,
    as_gold: Annotated[DecisionsLike, Flag(repeat=True, value="SYSTEM")] = (),
    resampling: ResamplingOptions = ResamplingOptions(),
    resample: Literal["items", "documents"] = "items",
    documents: Annotated[PathLike | Sequence[str] | None, Needs(resample="documents")] = None,
    absent: Annotated[Absent, Needs(show="edits")] = "agree",
    beta: Annotated[Beta, Needs(as_gold=True)] = 0.5,
) -> Table:
    """Measure inter-annotator agreement.

    The judgments are CSV, TSV or JSONL with the columns item, judge and label, or a table with
    the column item and one column per judge. A judge need not have judged every item. The table
    shows observed agreement, Cohen's kappa (mean over pairs of judges; weighted for ordinal and
    interval labels), Scott's pi, Fleiss' and Randolph's kappa, Krippendorff's alpha and Gwet's
    AC1, with bootstrap confidence intervals. For two or three judges it also shows the share of
    one judge's errors that another judge accepts.

    Args:
        judgments: labels of items by judges: a file, or values.
        show: the table to show: ``statistics``, pairs of judges, confusion matrices, each judge
            against the others, the share of each label by judge, each judge against their own
            repeats, or edits: pairs of annotators of a corpus (M2), edit by edit.
        scale: measurement scale of the labels: names, ranks or numbers.
        labels: all possible labels, in order. By default the labels in the file, sorted.
        counting: judgments to include.
        by: show a table for each group of items. By default question, if a file has several.
        as_gold: show precision and recall of this system, with each judge in turn as the
            reference. The system is a judge in the file, or NAME=PATH of a table with the columns
            item and label.
        resampling: confidence intervals.
        bootstrap: number of bootstrap samples of the items; 0 for no confidence intervals.
        resample: unit of bootstrap sampling. Items of one document are not independent, so
            documents give wider intervals.
        documents: file with the document name of each item, one per line (with --resample
            documents); item IDs are then line numbers. Without it, documents are read from the IDs
            (DOCUMENT.PARAGRAPH.NUMBER).
        absent: meaning of a missing annotator (with --show edits): the annotator agrees with the
            first one, as in score (agree), or did not annotate the sentence (skip).
        beta: weight of recall in F of a system.

    Returns:
        A table with the columns ``statistic, value, low, high`` (for ``statistics``).
    """
    if show == "edits" or isinstance(judgments, Corpus):
        return _edits(judgments, absent)
    if resample == "documents" and (as_gold or show in {"confusion", "repeated"}):
        raise OptionError("--resample documents needs --show statistics or --show pairs")
    by_each = not as_gold and (by is None or by == QUESTION)
    counted = counting.count(load_judgments(judgments), separate_questions=by_each, repeated=True)
    if as_gold:
        return _against_judges(counted, as_gold, counting, resampling, beta)
    by, groups = _group(counted.judgments, by, counting)
    number = partial(document_numbers, given=documents) if resample == "documents" else None

    def make(members: Sequence[Judgment]) -> tuple[Table, LabelMatrix]:
        order = order_labels({judgment.label for judgment in members}, labels)
        check_scale(order, scale, ordered=labels is not None)
        # A label of another question has no meaning for this question.
        fine = [
            label for label in find_fine(order, counting.ok) if by != QUESTION or label in order
        ]
        matrix = tabulate(members, order=order)
        return _BUILD[show](matrix, _AgreementFrame(scale, tuple(fine), resampling, number)), matrix

    table = _join({name: make(members) for name, members in groups.items()}, by, counted.notes)
    signature = make_signature(
        "agreement",
        show=show,
        scale=scale,
        ok=list(find_fine(order_labels(counted.labels), counting.ok)) or None,
        by=by,
        **counted.signature,
        **resampling.signature(),
        **({"resample": resample} if resample == "documents" else {}),
    )
    return replace(table, signature=signature)


_ABOUT_EDITS = (
    "sentence, token: agreement on whether it contains an error.",
    "span: F of edited spans; correction: F of spans with their corrections.",
    "type: agreement on the error types of edits with the same span.",
)


def _edits(given: JudgmentsLike | Corpus, absent: Absent) -> Table:
    if not isinstance(given, str | Path | Corpus):
        raise OptionError("--show edits needs a corpus (M2, JSONL), not judgments")
    corpus = load_corpus(given)
    rows = compare_annotators(corpus, absent)
    if not rows:
        raise DataError("no sentence has two annotators")
    gaps = References(corpus).about_gaps if absent == "agree" else None
    if gaps is not None:
        message = f"{gaps}; --absent skip excludes sentences that an annotator did not annotate"
        warnings.warn(message, RedinkWarning, stacklevel=4)
    data = fingerprint(
        f"{a.annotator}\0{e.start}\0{e.end}\0{e.correction}\0{e.type}"
        for sentence in corpus.sentences
        for a in sentence.annotations
        for e in a.edits
    )
    return table_of(
        rows,
        groups="annotators",
        title="Inter-annotator agreement on edits",
        notes=[
            *map(Definition, _ABOUT_EDITS),
            *_about_unread(corpus, absent),
        ],
        signature=make_signature("agreement", show="edits", absent=absent, data=data),
    )


def _about_unread(corpus: Corpus, absent: Absent) -> Iterator[str]:
    agree = absent == "agree"
    present = [len(sentence.annotations) for sentence in corpus.sentences]
    if empty := present.count(0):
        meaning = "treated as error-free" if agree else "excluded"
        yield f"{how_many(empty, 'sentence')} without annotations: {meaning}."
    if partly := sum(0 < number < len(corpus.annotators) for number in present):
        meaning = "treated as agreeing with the first" if agree else "excluded"
        yield f"{how_many(partly, 'sentence')} lack an annotator, who is {meaning}."


@dataclass(frozen=True)
class _AgreementFrame:
    """Options of every table; ``number`` numbers the documents of items, to resample documents."""

    scale: Scale
    fine: tuple[str, ...]
    resampling: ResamplingOptions
    number: Callable[[Sequence[str]], IntArray] | None

    def measure(
        self, coefficients: Mapping[str, Coefficient], matrix: LabelMatrix, ratings: Ratings
    ) -> dict[str, Statistic]:
        """Return each coefficient of the ratings with its confidence interval."""
        groups = None if self.number is None else self.number(matrix.items)
        return measure(coefficients, ratings, self.resampling, groups)

    def fine_codes(self, matrix: LabelMatrix) -> list[int]:
        """Return the codes of the labels that mean "no error"."""
        return [code for code, label in enumerate(matrix.labels) if label in self.fine]

    def disagreements(self, matrix: LabelMatrix) -> dict[str, Coefficient]:
        """Return, for every judge, the rate of errors that another judge accepts."""
        fine = self.fine_codes(matrix)
        return {
            f"disagreement_rate[{judge}]": partial(disagreement_rate, judge=number, fine=fine)
            for number, judge in enumerate(matrix.judges)
        }


def _why_undefined(matrix: LabelMatrix) -> str:
    ratings = matrix.ratings()
    if len(matrix.judges) < 2:
        return f"there is only one judge ({matrix.judges[0]})"
    if not ratings.pairs:
        return "no item has judgments by two judges"
    if len(ratings.used) > 1:
        return "there are no usable judgments"
    return (
        f"all labels are {matrix.labels[int(ratings.used[0])]!r}, so chance agreement is 1 and "
        "chance-corrected statistics are 0/0"
    )


def _statistics(matrix: LabelMatrix, frame: _AgreementFrame) -> Table:
    ratings = matrix.ratings(frame.scale)
    coefficients = coefficients_for(frame.scale)
    notes = []
    if 2 <= len(matrix.judges) <= _FEW_JUDGES:
        note = "Disagreement rates need the label that means no error: --ok LABEL."
        if frame.fine:
            coefficients |= frame.disagreements(matrix)
            note = Definition(
                "disagreement_rate[J]: the share of J's errors that another judge calls correct "
                f"({', '.join(frame.fine)})."
            )
        notes.append(note)
    found = frame.measure(coefficients, matrix, ratings)
    undefined = [name for name, one in found.items() if one.value is None]
    if undefined:
        notes.append(f"Undefined: {', '.join(undefined)} ({_why_undefined(matrix)}).")
    if len(ratings.pairs) > 1:
        notes.append(Definition("cohen_kappa and scott_pi: means over all pairs of judges."))
    again = matrix.repeated_ratings()
    if again is not None:
        intra = {"intra_judge_agreement": observed_agreement, "intra_judge_kappa": fleiss_kappa}
        found |= measure(intra, again, frame.resampling)
        if found["intra_judge_kappa"].value is None:
            notes.append("Undefined: intra_judge_kappa (all repeated labels are equal).")
    return table_of(found.values(), notes=notes, title="Inter-annotator agreement")


def _group(
    judgments: Sequence[Judgment], by: str | None, counting: LabelOptions
) -> tuple[str | None, dict[str, Sequence[Judgment]]]:
    """Return the column to group by (several questions by default), and the judgments by group."""
    questions: dict[str, Sequence[Judgment]] = dict(by_question(judgments))
    pooled = counting.question == ALL_QUESTIONS
    if len(questions) > 1 and (by == QUESTION or (by is None and not pooled)):
        return QUESTION, questions | ({"all": judgments} if pooled else {})
    if by is None:
        return None, {"all": judgments}
    groups: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        columns = dict(judgment.extra)
        if by not in columns:
            raise OptionError(
                f"the judgment of item {judgment.item!r} has no column {by!r} to group by; "
                f"its columns: {', '.join(columns) or 'none'}"
            )
        groups.setdefault(columns[by], []).append(judgment)
    return by, {**groups, "all": judgments}


def _join(
    tables: Mapping[str, tuple[Table, LabelMatrix]], by: str | None, notes: Sequence[str]
) -> Table:
    """Return the only table, or the tables of all groups with the group as first column."""
    if by is None:
        ((table, matrix),) = tables.values()
        return replace(table, notes=(*notes, *matrix.describe(), *table.notes))
    columns = {by: Column(by)}
    rows: list[dict[str, Any]] = []
    told = list(notes)
    for name, (table, matrix) in tables.items():
        columns |= {column.name: column for column in table.columns}
        rows += [{by: name, "items": len(matrix.items)} | row for row in table.rows]
        told += [note for note in table.notes if note not in told]
    columns.setdefault("items", Column("items", "count"))
    return make_table(
        columns.values(),
        [{column: row.get(column) for column in columns} for row in rows],
        notes=told,
        groups=by,
        title=f"{table.title}, by {by}",
    )


def _labels(matrix: LabelMatrix, frame: _AgreementFrame) -> Table:
    """Return the share of each label, by judge and of all judgments (Bryant et al., Table 3)."""
    shared = {"judge", "judgments", "ok_share"}
    names = [f"label {label}" if label in shared else label for label in matrix.labels]
    fine = frame.fine_codes(matrix)
    rows: list[dict[str, Any]] = []
    everyone = [*zip(matrix.judges, matrix.codes.T, strict=True), ("all", matrix.codes)]
    for judge, codes in everyone[: None if len(matrix.judges) > 1 else 1]:
        counts = np.bincount(codes[codes != MISSING], minlength=len(names))
        shares = (counts / counts.sum()).tolist()
        by_label = dict(zip(names, shares, strict=True))
        ok_share = sum(shares[code] for code in fine)
        rows.append(
            {"judge": judge, "judgments": int(counts.sum()), **by_label, "ok_share": ok_share}
        )
    columns = [Column("judge"), Column("judgments", "count"), *(Column(n, "rate") for n in names)]
    if len(fine) > 1:
        title = " or ".join(matrix.labels[code] for code in fine)
        columns.append(Column("ok_share", "rate", title=title))
    return make_table(columns, rows, title="Share of each label")


@dataclass(frozen=True)
class _JudgePair:
    first: str
    second: str
    items: int
    agreement: Annotated[float | None, Shown(best="max")]
    kappa: Annotated[float | None, Shown(best="max")]
    low: float | None
    high: float | None
    pi: float | None


@dataclass(frozen=True)
class _WeightedJudgePair(_JudgePair):
    kappa_linear: float | None
    kappa_quadratic: float | None


def _pairs(matrix: LabelMatrix, frame: _AgreementFrame) -> Table:
    ratings = matrix.ratings(frame.scale)
    rows: list[_JudgePair] = []
    for first, second in combinations(range(ratings.judges), 2):
        both = int((ratings.codes[:, [first, second]] != MISSING).all(axis=1).sum())
        kappa = partial(pair_kappa, first=first, second=second)
        found = frame.measure({"kappa": kappa}, matrix, ratings)["kappa"]
        pair = _JudgePair(
            first=matrix.judges[first],
            second=matrix.judges[second],
            items=both,
            agreement=evaluate(partial(pair_agreement, first=first, second=second), ratings),
            kappa=found.value,
            low=found.low,
            high=found.high,
            pi=evaluate(partial(kappa, pooled=True), ratings),
        )
        if frame.scale != "nominal":
            pair = _WeightedJudgePair(
                **vars(pair),
                kappa_linear=evaluate(partial(kappa, weighting="linear"), ratings),
                kappa_quadratic=evaluate(partial(kappa, weighting="quadratic"), ratings),
            )
        rows.append(pair)
    notes = []
    if undefined := sum(row.kappa is None for row in rows):
        notes.append(f"Undefined for {undefined} pairs: no common items, or a single label.")
    if len(matrix.judges) < 2:
        notes.append(f"There is only one judge ({matrix.judges[0]}), so there are no pairs.")
    kind = _JudgePair if frame.scale == "nominal" else _WeightedJudgePair
    return table_of(rows, kind, notes=notes, title="Agreement of pairs of judges")


def _confusion(matrix: LabelMatrix, _: _AgreementFrame) -> Table:
    rows: list[dict[str, Any]] = []
    by_judge = zip(matrix.judges, matrix.codes.T, strict=True)
    for (first, codes), (second, others) in combinations(by_judge, 2):
        counts = confusion_matrix(codes, others, len(matrix.labels))
        for label, line in zip(matrix.labels, counts, strict=True):
            cells = {f"to:{to}": int(n) for to, n in zip(matrix.labels, line, strict=True)}
            rows.append({"judges": f"{first} / {second}", "label": label, **cells})
    note: str = Definition("Rows: labels of the first judge; columns: labels of the second judge.")
    if len(matrix.judges) < 2:
        note = f"There is only one judge ({matrix.judges[0]}), so there is no confusion matrix."
    columns = [Column(f"to:{label}", "count", title=label) for label in matrix.labels]
    shown: list[Column | str] = ["judges", "label", *columns]
    return make_table(shown, rows, notes=[note], groups="judges", title="Confusion matrices")


@dataclass(frozen=True)
class _JudgeAgreement:
    judge: str
    judgments: int
    agreement: Annotated[float | None, Shown(best="max")]


@dataclass(frozen=True)
class _JudgeOfErrors(_JudgeAgreement):
    errors: int
    rejected: int
    disagreement_rate: Annotated[float | None, Shown(best="min")]
    low: float | None
    high: float | None


def _judges(matrix: LabelMatrix, frame: _AgreementFrame) -> Table:
    ratings = matrix.ratings()
    fine = frame.fine_codes(matrix)
    rates = frame.measure(frame.disagreements(matrix) if frame.fine else {}, matrix, ratings)
    rows: list[_JudgeAgreement] = []
    for number, name in enumerate(matrix.judges):
        said = matrix.codes[:, number]
        same = evaluate(partial(agreement_with_others, judge=number), ratings)
        judge = _JudgeAgreement(name, int((said != MISSING).sum()), same)
        if frame.fine:
            errors = (said != MISSING) & ~np.isin(said, fine)
            rate = rates[f"disagreement_rate[{name}]"]
            judge = _JudgeOfErrors(
                **vars(judge),
                errors=int((errors * (ratings.sizes - 1)).sum()),
                rejected=int(ratings.counts[errors][:, fine].sum()),
                disagreement_rate=rate.value,
                low=rate.low,
                high=rate.high,
            )
        rows.append(judge)
    notes = [
        Definition(
            "agreement: the share of the other judges' labels of the same items that are equal."
        ),
        Definition(
            "errors: pairs of the judge's errors with another judge's label; rejected: that label "
            f"is correct ({', '.join(frame.fine)})."
        )
        if frame.fine
        else "Disagreement rates need --ok LABEL.",
    ]
    return table_of(rows, notes=notes, title="Each judge against the others")


@dataclass(frozen=True)
class _Repeated:
    judge: str
    items: int
    agreement: Annotated[float | None, Shown(best="max")]
    low: float | None
    high: float | None
    kappa: Annotated[float | None, Shown(best="max")]


def _repeated(matrix: LabelMatrix, frame: _AgreementFrame) -> Table:
    rows = []
    numbers: list[int | None] = [*range(len(matrix.judges)), None]
    for name, number in zip((*matrix.judges, "all"), numbers, strict=True):
        ratings = matrix.repeated_ratings(number)
        if ratings is None:
            continue
        same = measure({"same": observed_agreement}, ratings, frame.resampling)["same"]
        kappa = evaluate(fleiss_kappa, ratings)
        rows.append(_Repeated(name, len(ratings.codes), same.value, same.low, same.high, kappa))
    notes = [] if rows else ["No judge judged an item twice."]
    if any(row.kappa is None for row in rows):
        notes.append("kappa is undefined if a judge always gave one label.")
    return table_of(rows, _Repeated, notes=notes, title="Intra-annotator agreement")


_BUILD: dict[Show, Callable[[LabelMatrix, _AgreementFrame], Table]] = {
    "statistics": _statistics,
    "pairs": _pairs,
    "confusion": _confusion,
    "judges": _judges,
    "labels": _labels,
    "repeated": _repeated,
}


# ---- a system against each judge


def _against_judges(
    counted: Counted,
    systems: DecisionsLike,
    counting: LabelOptions,
    resampling: ResamplingOptions,
    beta: float,
) -> Table:
    """Return precision and recall against each judge, and their differences between judges."""
    found = find_systems(systems, counted.judgments, merge=counting.merges)
    names = {system.name for system in found}
    judged = [judgment for judgment in counted.judgments if judgment.judge not in names]
    if not judged:
        raise DataError("no judge is left as the reference; the systems are the only judges")
    matrix = tabulate(judged)
    fine = require_fine(matrix.labels, counting.ok)
    votes = error_votes(matrix, fine)
    rows: list[Measured] = []
    notes = [*counted.notes, *matrix.describe(), Definition(f"No error: {', '.join(fine)}.")]
    for system in found:
        flags, says = system.flags(matrix.items, fine=fine, known=counted.labels)
        if silent := int(np.isnan(says).sum()):
            notes.append(f"{system.name} has no label for {how_many(silent, 'item')} (excluded).")
        results = []
        for column, judge in enumerate(matrix.judges):
            truth = np.where(votes[:, column] == MISSING, np.nan, votes[:, column] * says)
            against = {"system": system.name, "gold": judge}
            results.append(measure_flags(flags, truth, against, beta=beta, resampling=resampling))
        differences = [
            _subtract(one, other, resampling.confidence) for one, other in combinations(results, 2)
        ]
        rows += [*results, *differences]
        if differences:
            notes.append(_largest_difference(system.name, differences))
    if any(None in {row.precision, row.recall, row.f} for row in rows):
        notes.append("Undefined: precision without flagged items, recall without errors.")
    return table_of(
        rows,
        notes=notes,
        signature=make_signature(
            "agreement",
            as_gold=sorted(names),
            ok=list(fine),
            beta=beta,
            **counted.signature,
            **resampling.signature(),
        ),
        groups="system",
        title="Systems against each judge as the reference",
        extra_columns=[Column("system"), Column("gold")],
    )


def _subtract(one: Measured, other: Measured, confidence: float) -> Measured:
    """Return the differences between the measures against two judges."""
    values: dict[str, Any] = {}
    for name in TESTED:
        a, b = getattr(one, name), getattr(other, name)
        values[name] = None if a is None or b is None else a - b
    changes = {
        name: drawn - other.samples[name]
        for name, drawn in one.samples.items()
        if values[name] is not None
    }
    judges = f"{one.extra['gold']} \N{MINUS SIGN} {other.extra['gold']}"
    intervals = name_intervals(changes, confidence)
    return Measured(**values, **intervals, extra={**one.extra, "gold": judges})


def _largest_difference(system: str, differences: Sequence[Measured]) -> str:
    parts = []
    for name in ("precision", "recall"):
        values = (getattr(row, name) for row in differences)
        if known := [abs(value) for value in values if value is not None]:
            parts.append(f"{name} by up to {max(known):.2f}")
    return f"{system}: the choice of judge changes {' and '.join(parts) or 'nothing'}."
