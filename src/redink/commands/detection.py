"""``redink detection``: compare writer, annotator and system; compute detection measures."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from redink.analysis.annotation import LazyAnnotator
from redink.analysis.annotation_options import AnnotationOptions, AnnotationResources
from redink.analysis.language import find_language
from redink.error_detection.bootstrap import resample
from redink.error_detection.checklist import check_report
from redink.error_detection.curves import FloatArray
from redink.error_detection.evaluate import (
    Data,
    DetectionResult,
    ThresholdOptions,
    evaluate,
    find_other_segmentation,
)
from redink.error_detection.rows import (
    choose_points,
    list_units,
    tabulate,
    tabulate_forms,
    tabulate_points,
    tabulate_tests,
)
from redink.error_detection.study import DetectionOptions
from redink.error_detection.unit_rules import Judged, Text, UnitOptions, name_rule
from redink.errors import DataError, OptionError, RedinkWarning
from redink.evaluation import TYPED_AGAIN, reclassify_corpus
from redink.inputs.input_checks import warn_about_documents, warn_about_input
from redink.inputs.input_options import (
    AlignmentOptions,
    DocumentOptions,
    ReferenceLike,
    SeparateTexts,
    SystemsLike,
    TextLike,
)
from redink.inputs.judgment_loading import JudgmentsLike, load_judgments
from redink.inputs.text_loading import (
    check_same_length,
    corrected_text,
    kept_sentences,
    load_references,
    load_systems,
    refuse_versions,
    split_columns,
)
from redink.judging.crowdsourcing import error_votes
from redink.judging.labels import LabelOptions, require_fine
from redink.judging.labels import tabulate as tabulate_labels
from redink.model import (
    Counts,
    Definition,
    Hypotheses,
    References,
    Table,
    fingerprint_data,
    make_signature,
)
from redink.model.counts import plain
from redink.options import Flag, Needs, NotNegative, PlotOptions, command
from redink.scoring.metric_checks import describe_unknown, differ_in_types
from redink.statistics.resampling import ResamplingOptions

Cells = Sequence[float | None]
"""TP, FP, FN and TN; TN is None without a negative class."""

Show = Literal["systems", "points", "units", "table", "tests", "checklist"]

_LARGEST_COUNT = 10**15  # a float holds every whole number up to here
_PLOTTED_POINTS = 600  # on a curve; more are not visible


def parse_cell(text: str) -> float | None:
    """Read a count; ``-`` means none."""
    try:
        return None if text == "-" else float(text)
    except ValueError:
        raise OptionError(f"{text!r} is not a number") from None


@command
def detection(
    reference: ReferenceLike | Sequence[TextLike] | None = None,
    systems: SystemsLike = (),
    *,
    from_counts: Annotated[
        Cells | Sequence[Cells] | None,
        Flag(value="TP FP FN TN", parts=4, repeat=True, parse=parse_cell),
    ] = None,
    separate_texts: SeparateTexts = SeparateTexts(),
    alignment: AlignmentOptions = AlignmentOptions(),
    division: UnitOptions = UnitOptions(),
    detection_options: DetectionOptions = DetectionOptions(),
    judgments: JudgmentsLike | None = None,
    ok: Annotated[Sequence[str] | None, Flag(value="LABEL,..."), Needs(judgments=True)] = None,
    missing: Annotated[Sequence[str], Flag(value="LABEL,..."), Needs(judgments=True)] = (),
    question: Annotated[str | None, Flag(value="NAME|all"), Needs(judgments=True)] = None,
    sweep: ThresholdOptions = ThresholdOptions(),
    show: Literal["systems", "points", "units", "table", "tests"] = "systems",
    points: Annotated[NotNegative, Needs(show="points")] = 100,
    all_units: Annotated[bool, Flag(name="all"), Needs(show="units")] = False,
    all_measures: bool = False,
    checklist: bool = False,
    resampling: ResamplingOptions = ResamplingOptions(bootstrap=0),
    document_options: DocumentOptions = DocumentOptions(),
    annotation_options: AnnotationResources = AnnotationResources(),
    drawing: PlotOptions = PlotOptions(),
) -> Table:
    """Compare writer, annotator and system at every unit of a text.

    REFERENCE is an M2 file (or flags for tokens, GED TSV); a SYSTEM is NAME=PATH or PATH:
    corrected text, its own edits (M2), or flags for tokens, optionally with probabilities (GED
    TSV). The table shows the counts TP, FP, FN and TN, precision, recall, F and Cohen's kappa.
    ``--all-measures`` adds accuracy, true-negative rate, prevalence, bias, Matthews correlation,
    informedness, markedness, Krippendorff's alpha and others. After Chodorow, Dickinson, Israel
    and Tetreault (2012).

    Args:
        reference: sentences with the edits of annotators, or flags for tokens: a file or values.
        systems: by name, or by path: corrected text, edits or flags for tokens.
        from_counts: compute the measures from published counts, without files. Repeatable. TN can
            be -.
        separate_texts: the source and the reference texts, if they are separate.
        alignment: alignment of raw system outputs with the source.
        division: units of comparison.
        detection_options: comparison of a system with the annotators.
        judgments: labels of units by judges (items s12, s12t3, s12t3-5, or names from the file of
            targets); each unit is weighted by the share of judges who see an error.
        ok: labels in the judgments that mean "no error". By default labels such as OK or correct.
        missing: labels in the judgments that are not an answer, such as Unknown.
        question: use only judgments about this question, if there are several; ``all`` pools them.
        sweep: thresholds, for systems with probabilities.
        show: show one row per system (systems), per threshold of its curve (points), or per unit
            that the annotator or the system changes (units); the number of units by the forms of
            writer, annotator and system (table); or paired tests of all pairs of systems (tests).
        points: approximate number of thresholds (with --show points); 0 for all.
        all_units: also list unchanged units (with --show units).
        all_measures: show all measures, not only the counts, precision, recall, F and kappa; JSON,
            CSV and TSV always contain all of them.
        checklist: list the paper's recommendations for reports, and whether this evaluation follows
            them.
        resampling: confidence intervals of all measures.
        bootstrap: number of bootstrap samples for confidence intervals of all measures; 0 for none.
        document_options: the documents of the sentences, and the unit of resampling.
        annotation_options: annotation of texts, and tags.
        drawing: a plot of the result.
        plot: draw the curves of all systems: .png, .svg, .pdf or .html.

    Returns:
        A table with the columns ``system, unit, tp, fp, fn, tn, accuracy, precision, recall, tnr,
        f, kappa, prevalence, bias, mcc, informedness, markedness, alpha``, and more.
    """
    if from_counts is not None and (resampling.bootstrap or show != "systems" or checklist):
        raise OptionError("--bootstrap, --show and --checklist need systems, not --from-counts")
    if show == "tests" and not resampling.bootstrap:
        raise OptionError("--show tests needs --bootstrap N, such as --bootstrap 1000")
    if from_counts is None:
        sweep = replace(sweep, curve=sweep.curve or show == "points" or drawing.plot is not None)
        detection_options = detection_options.settle(
            curve=sweep.curve, graded=judgments is not None
        )
        annotator = LazyAnnotator(annotation_options)
        labels = LabelOptions(missing=missing, question=question)
        judged = None if judgments is None else _load_judged(judgments, ok, labels)
        reference, systems, separate_texts = split_columns(reference, systems, separate_texts)
        alignment = alignment.following(reference, annotation_options.language)
        is_typed = bool(detection_options.types or detection_options.by)
        needs_edits = is_typed or any(unit != "sentence" for unit in division.units)
        given = (reference, systems, separate_texts, alignment)
        data = _load(*given, document_options, judged, annotator, needs_edits=needs_edits)
        if is_typed:
            known = find_language(annotation_options.language).describe_types()
            data = _fit_types(data, detection_options, annotation_options.annotating, known)
        if detection_options.types:
            data = data.of_types(detection_options.types, known)
        rules = (division.targets, division.negatives)
        is_numbered = show == "units" or any(rule and Path(rule).is_file() for rule in rules)
        if (is_numbered or judged) and any(system.skipped for system in data.systems):
            raise OptionError(
                "--no-answer skip cannot be combined with --judgments, --show units or a file of "
                "--targets or --negatives, which number the sentences"
            )
        comparison = _Comparison(
            data,
            division,
            detection_options,
            sweep,
            resampling,
            "checklist" if checklist else show,
            points,
            all_units=all_units,
            all_measures=all_measures,
        )
        table = comparison.tabulate()
        more = document_options.resampling() if resampling.bootstrap else {}
        more |= annotator.signature() | alignment.signature()
        table = replace(table, signature=table.signature | more)
    elif reference is not None or systems:
        raise OptionError("--from-counts needs no files")
    else:
        table = _measure_counts(from_counts, detection_options)
    if not all_measures and table.view == "measures":
        table = replace(table, view="main-measures")
    if drawing.plot is not None:
        table.plot(drawing.plot, size=drawing.plot_size)
    return table


def _load(
    reference: ReferenceLike | Sequence[TextLike] | None,
    systems: SystemsLike,
    separate_texts: SeparateTexts,
    alignment: AlignmentOptions,
    documents: DocumentOptions,
    judged: Judged | None,
    annotator: LazyAnnotator,
    *,
    needs_edits: bool,
) -> Data:
    """Load references and systems, check that they match, and annotate texts."""
    given = load_references(
        reference,
        source=separate_texts.source,
        references=separate_texts.references,
        bare=judged is not None,
        alignment=alignment,
        empty_reference=separate_texts.empty_reference,
    ).cut(annotator.split)
    references = annotator.supply_edits(given)
    corpus = references.corpus
    if not corpus.annotators and judged is None:
        raise DataError(
            "the reference has no annotations; give edits (M2), or the source and the corrected "
            "text separately (--source FILE --reference FILE)"
        )
    loaded = tuple(
        system.cut(annotator.split) for system in load_systems(systems, references, alignment)
    )
    if not loaded:
        raise OptionError("there is no system to compare; give at least one")
    refuse_versions(loaded)
    check_same_length(corpus, loaded)
    if (kept := kept_sentences(loaded, len(corpus))) is not None:
        given, references = given.take(kept), references.take(kept)
        corpus = references.corpus
        loaded = tuple(system.take(kept) for system in loaded)
        documents = documents.keep(kept)
    sources = references.sources
    outputs = [Hypotheses(s.name, corrected_text(sources, s)) for s in loaded if not s.detections]
    warn_about_input(given, outputs)
    texts = {s.name: s.hypotheses for s in loaded if s.hypotheses is not None and needs_edits}
    edits = annotator.annotate(sources, texts)
    return Data(
        corpus,
        loaded,
        fingerprint_data(given, loaded),
        edits,
        Text(sources, annotator.analyzer),
        references.are_flags,
        judged,
        documents.groups(sources),
    )


def _fit_types(
    data: Data, options: DetectionOptions, annotating: AnnotationOptions, known: Iterable[str]
) -> Data:
    """Reclassify references of another type inventory than the systems', as ``score`` does."""
    sources = data.text.sources
    edits = {s.name: data.edits.get(s.name) or s.annotations for s in data.systems}
    systems = [
        Hypotheses(name, sources, tuple((each,) for each in own))
        for name, own in edits.items()
        if own is not None
    ]
    before = differ_in_types(References(data.corpus), systems)
    if not before:
        return data
    typed = reclassify_corpus(data.corpus, annotating)
    after = differ_in_types(References(typed), systems)
    if len(after) < len(before) and not describe_unknown(
        options.types, {(name, "") for name in known}
    ):
        return replace(data, corpus=typed, notes=(*data.notes, TYPED_AGAIN))
    warnings.warn(
        f"system {before[0]!r} and the references have error types of different inventories, so "
        "results by error type are not comparable",
        RedinkWarning,
        stacklevel=4,
    )
    return data


def _load_judged(
    judgments: JudgmentsLike, ok: Sequence[str] | None, counting: LabelOptions
) -> Judged:
    counted = counting.count(load_judgments(judgments))
    matrix = tabulate_labels(counted.judgments)
    votes = error_votes(matrix, require_fine(matrix.labels, ok))
    shares = {
        item: Fraction(int((row == 1).sum()), int((row >= 0).sum()))
        for item, row in zip(matrix.items, votes, strict=True)
        if (row >= 0).any()
    }
    return Judged(shares, tuple(counted.notes), str(counted.signature["data"]))


@dataclass(frozen=True)
class _Comparison:
    """All systems next to the annotators, and the table to show."""

    data: Data
    division: UnitOptions
    options: DetectionOptions
    sweep: ThresholdOptions
    resampling: ResamplingOptions
    show: Show
    points: int
    all_units: bool
    all_measures: bool

    def tabulate(self) -> Table:
        """Evaluate all systems, and return one of the tables."""
        options, sweep = self.options, self.sweep
        outcomes, notes = self.evaluate(sweep)
        samples = self.resample(outcomes)
        table = tabulate(
            outcomes,
            beta=options.beta,
            undefined=options.undefined,
            has_rule=self.division.has_rule and options.prevalence is None,
            samples=samples,
            confidence=self.resampling.confidence,
            notes=[*notes, *self.describe_resampling()],
            signature=make_signature("detection", **self.signature()),
            title=f"{options.level.capitalize()} by {', '.join(self.division.units)}",
            groups="unit" if len(self.division.units) > 1 else None,
            plot_name="curves",
        )
        if sweep.curve:
            drawn = tabulate_points(
                outcomes,
                _PLOTTED_POINTS,
                beta=options.beta,
                samples=self.resample(outcomes, choose_points(outcomes, _PLOTTED_POINTS)),
                confidence=self.resampling.confidence,
            )
            table = replace(table, extra={"points": drawn.rows, "areas": table.rows})
        if self.show == "systems":
            return table
        listed = self.arrange(outcomes, samples, table)
        return replace(
            table,
            columns=listed.columns,
            rows=listed.rows,
            title=listed.title or f"{table.title}: {self.show}",
            groups=listed.groups,
            view=listed.view,
            plot_name="curves" if sweep.curve else None,
        )

    def evaluate(self, sweep: ThresholdOptions) -> tuple[list[DetectionResult], list[str]]:
        """Return the results for every unit, and notes."""
        data, options = self.data, self.options
        notes = [*data.notes, *(note for system in data.systems for note in system.notes)]
        notes += data.judged.notes if data.judged else ()
        if note := find_other_segmentation(data, options):
            warnings.warn(note, RedinkWarning, stacklevel=4)
            notes.append(note)
        outcomes: list[DetectionResult] = []
        for unit in self.division.units:
            found, said = evaluate(data, unit, self.division, options, sweep)
            notes += [one for one in dict.fromkeys(said) if one not in notes]
            outcomes += found
        return outcomes, notes

    def resample(
        self, outcomes: Sequence[DetectionResult], points: Sequence[Sequence[int]] = ()
    ) -> list[dict[str, FloatArray]]:
        """Return the measures in every bootstrap sample; empty without a bootstrap."""
        if not self.resampling.bootstrap:
            return []
        data = self.data
        given = (outcomes, len(data.corpus), data.groups, self.options, self.resampling)
        return resample(*given, points)

    def describe_resampling(self) -> Iterator[str]:
        """Yield notes about restated measures and intervals."""
        if (prevalence := self.options.prevalence) is not None:
            yield (
                f"Restated at a prevalence of {prevalence:g}: recall and the true-negative rate as "
                "measured; the counts are those expected for the same N."
            )
        if not self.resampling.bootstrap:
            return
        yield from warn_about_documents(self.data.groups)
        drawn = "sentences" if self.data.groups is None else "documents"
        yield Definition(
            f"{100 * self.resampling.confidence:g}% confidence intervals: percentiles of "
            f"{self.resampling.bootstrap} bootstrap samples of {drawn}; thresholds are fixed."
        )

    def arrange(
        self,
        outcomes: Sequence[DetectionResult],
        samples: Sequence[Mapping[str, FloatArray]],
        table: Table,
    ) -> Table:
        """Return the rows of another table than that of the systems."""
        options, confidence = self.options, self.resampling.confidence
        if self.show == "checklist":
            given = (table, self.data.corpus, options, self.division, self.sweep, self.resampling)
            return check_report(*given)
        if self.show == "points":
            of_points = self.resample(outcomes, choose_points(outcomes, self.points))
            return tabulate_points(
                outcomes,
                self.points,
                beta=options.beta,
                samples=of_points,
                confidence=confidence,
            )
        if self.show == "tests":
            if len(self.data.systems) < 2:
                raise OptionError("--show tests needs at least two systems")
            about = {"each": options.treatment == "each", "all_measures": self.all_measures}
            return tabulate_tests(outcomes, table.rows, samples, confidence, **about)
        if self.sweep.curve:  # a curve has no flags of its own
            outcomes, _ = self.evaluate(replace(self.sweep, curve=False))
        whole = [one for one in outcomes if one.is_main]
        if self.show == "table":
            return tabulate_forms(whole, options)
        return list_units(whole, options, all_units=self.all_units)

    def signature(self) -> dict[str, Any]:
        """Return the part of the signature about the comparison."""
        division, options, sweep = self.division, self.options, self.sweep
        units, judged = division.units, self.data.judged
        insertions = (division.insertions or self.data.insertions) if "token" in units else None
        return {
            "unit": units[0] if len(units) == 1 else units,
            "level": options.level,
            "targets": name_rule(division.targets),
            "negatives": name_rule(division.negatives),
            "insertions": insertions,
            "segments": None if division.segments is None else name_rule(str(division.segments)),
            "count": options.count,
            "annotators": options.treatment,
            "annotator": options.only,
            "selection": None if options.selection == "running" else options.selection,
            "beta": options.beta,
            "undefined": options.undefined if options.undefined != "empty" else None,
            "threshold": sweep.threshold,
            "best": sweep.merit if sweep.curve else None,
            "min_precision": sweep.min_precision,
            "types": list(options.types) or None,
            "by": options.by,
            "linked": options.linked,
            "screen": options.screen,
            "prevalence": options.prevalence,
            **self.resampling.signature(),
            "judgments": None if judged is None else judged.fingerprint,
            **self.data.fingerprints,
        }


def _measure_counts(given: Cells | Sequence[Cells], options: DetectionOptions) -> Table:
    several = bool(given) and isinstance(given[0], Sequence)
    tables = cast("Sequence[Cells]", given if several else [given])
    names = (
        [f"given {number + 1}" for number in range(len(tables))] if len(tables) > 1 else ["given"]
    )
    shown = ["/".join("-" if c is None else f"{plain(c)}" for c in cells) for cells in tables]
    counts = [_check_cells(cells) for cells in tables]
    if options.prevalence is not None:
        counts = [each.restated(options.prevalence) for each in counts]
    return tabulate(
        [DetectionResult(name, None, each) for name, each in zip(names, counts, strict=True)],
        beta=options.beta,
        undefined=options.undefined,
        signature=make_signature(
            "detection", counts=shown, beta=options.beta, prevalence=options.prevalence
        ),
        title="Measures from counts",
        plot_name="curves",
    )


def _check_cells(cells: Cells) -> Counts:
    if len(cells) != 4:
        raise OptionError(f"expected four counts (TP FP FN TN), found {len(cells)}")
    tp, fp, fn, tn = cells
    if tp is None or fp is None or fn is None:
        raise OptionError("only TN may be missing among TP FP FN TN")
    for cell in (tp, fp, fn, tn or 0):
        if not 0 <= cell <= _LARGEST_COUNT:
            given = f"{cell:g}" if isinstance(cell, float) else cell
            raise OptionError(f"a count must be between 0 and {_LARGEST_COUNT}, not {given}")
    return Counts(plain(tp), plain(fp), plain(fn), None if tn is None else plain(tn))
