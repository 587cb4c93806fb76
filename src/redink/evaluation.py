"""Evaluation: the steps shared by all commands that score systems.

Load, annotate, collect statistics, resample, and make rows, notes, signature and table.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from redink.analysis.annotation_options import AnnotationOptions, AnnotationResources
from redink.errors import DataError, OptionError, RedinkWarning
from redink.inputs.input_checks import warn_about_input
from redink.inputs.input_options import (
    AlignmentOptions,
    DocumentOptions,
    MetadataOptions,
    ReferenceLike,
    SeparateTexts,
    SystemsLike,
)
from redink.inputs.metadata import NO_METADATA, Metadata
from redink.inputs.text_loading import (
    check_same_length,
    corrected_text,
    kept_sentences,
    load_own_references,
    load_references,
    load_systems,
    load_texts,
    name_inputs,
    split_columns,
)
from redink.model import (
    Annotation,
    Column,
    Corpus,
    Definition,
    Hypotheses,
    References,
    Row,
    SystemOutput,
    Table,
    Unclear,
    fingerprint_data,
    fingerprint_references,
    make_signature,
    make_table,
)
from redink.options import Flag
from redink.scoring.engine import (
    SIGNIFICANT,
    ScoredSystem,
    collect_all,
    make_columns,
    make_rows,
    resample_all,
    resample_parts,
)
from redink.scoring.metric import (
    FloatArray,
    Grouping,
    Metric,
    ReferenceEdits,
    reference_edits_of,
)
from redink.scoring.metric_checks import (
    differ_in_types,
    find_unknown_type,
    uses_types,
    with_types,
)
from redink.scoring.specs import note_foreign
from redink.statistics.significance import holm, normal_p

TYPED_AGAIN = (
    "the references and the systems have error types of different inventories: the reference edits "
    "were reclassified by the systems' analyzer (to change this, use --reference-edits)"
)


def reclassify_corpus(gold: Corpus, annotating: AnnotationOptions) -> Corpus:
    """Return a corpus with the same edits, and with the types of the analyzer."""
    from redink.analysis.annotation import annotate_again
    from redink.analysis.edit_finder import ReclassificationOptions

    again = annotate_again(gold, ReclassificationOptions("gold", minimize=False), annotating)
    pairs = zip(gold.sentences, again.sentences, strict=True)
    return replace(gold, sentences=tuple(with_types(old, new) for old, new in pairs))


@dataclass(frozen=True)
class EvaluationOptions(
    AnnotationResources, DocumentOptions, MetadataOptions, AlignmentOptions, SeparateTexts
):
    """The options of all commands that score systems against references.

    Attributes:
        unclear: bleu, gleu, meteor: apply edits of the types Um and UNK to the reference texts, as
            in the published reference texts, or leave the words unchanged.
    """

    unclear: Unclear = "apply"


By = Annotated[
    str | Sequence[str] | None,
    Flag(value="operation|type|full|tier|document|COLUMN,...", many=True),
]
"""Types of edits, and columns by which the sentences are divided."""


def split_by(by: By) -> tuple[Grouping | None, tuple[str, ...]]:
    """Return the types of edits, and the columns of slices."""
    names = dict.fromkeys([by] if isinstance(by, str) else by or ())
    if by is not None and not names:
        raise OptionError("--by requires the name of a column, or operation, type, full or tier")
    types = [grouping for grouping in get_args(Grouping) if grouping in names]
    if len(types) > 1:
        raise OptionError(f"--by can have only one of {', '.join(get_args(Grouping))}")
    return next(iter(types), None), tuple(name for name in names if name not in types)


@dataclass(frozen=True)
class Evaluation:
    """References and system outputs of the same sentences.

    Attributes:
        references: the references.
        systems: the outputs of the systems.
        options: the documents, the alignment and the annotation of the texts.
        notes: about missing answers of the systems.
        kept: indices of the scored sentences, if some are skipped or not selected.
        own: the references that belong to one system, by its name.
        metadata: columns with one value per sentence.
    """

    references: References
    systems: tuple[Hypotheses, ...]
    options: EvaluationOptions
    notes: tuple[str, ...] = ()
    kept: tuple[int, ...] | None = None
    own: Mapping[str, References] = field(default_factory=dict)
    metadata: Metadata = NO_METADATA

    @classmethod
    def load(
        cls,
        reference: ReferenceLike | None,
        systems: SystemsLike,
        options: EvaluationOptions = EvaluationOptions(),
        own: SystemsLike = (),
        slices: Sequence[str] = (),
    ) -> Self:
        """Load references and systems, and check that they match.

        ``own`` has references that belong to one system. If every system has one, the source is
        enough as ``reference``. ``slices`` are columns by which the sentences will be divided.
        """
        reference, systems, options = split_columns(reference, systems, options, slices)
        options = options.following(reference, options.language)
        split = options.annotating.split
        if own and options.source is not None and reference is None and not options.references:
            gold = References.of_sources(load_texts(options.source, options, checked=True))
        else:
            gold = load_references(
                reference,
                source=options.source,
                references=options.references,
                alignment=options,
                empty_reference=options.empty_reference,
            )
        sources, gold = gold.sources, gold.cut(split)
        if gold.are_flags:
            raise DataError(
                "the reference has error flags but no corrections; use redink detection"
            )
        if not len(gold):
            raise DataError("there are no sentences to score")
        outputs = load_systems(systems, gold, options)
        loaded = tuple(_hypotheses(output.cut(split), gold) for output in outputs)
        if not loaded:
            raise OptionError("no system to score; expected at least one")
        notes = tuple(note for output in outputs for note in output.notes)
        metadata = Metadata.load(options.metadata, len(gold))
        kept = kept_sentences(outputs, len(gold))
        if options.where is not None:
            kept = metadata.select(options.where, kept)
            notes += (f"{len(kept)} of {len(gold)} sentences match --where {options.where}",)
        with_edits = options.source is None
        owned = {
            name: load_own_references(text, sources, options, keep_edits=with_edits).cut(split)
            for name, text in name_inputs(own)
        }
        everything = cls(gold, loaded, options.keep(kept), notes, kept, owned, metadata)
        everything.check_own()
        if kept is not None:
            everything = everything.take(kept)
        if slices:  # reports a problem before the work begins
            everything.divide(slices)
        return everything

    @classmethod
    def load_humans(
        cls, reference: ReferenceLike | None, options: EvaluationOptions, slices: Sequence[str] = ()
    ) -> Self:
        """Load annotators as systems, each of them with all other annotators as references.

        An annotator without an annotation of a sentence agrees with the first one.
        """
        gold = load_references(
            reference, source=options.source, references=options.references, alignment=options
        ).corpus
        if len(gold.annotators) < 2:
            raise DataError("--humans needs references with the edits of at least two annotators")
        names = {name: f"annotator {name}" for name in gold.annotators}
        systems = [
            SystemOutput(
                title,
                annotations=tuple(
                    each.by(name) or next(iter(each.annotations), Annotation(name))
                    for each in gold.sentences
                ),
            )
            for name, title in names.items()
        ]
        others = {
            title: replace(
                gold,
                sentences=tuple(
                    replace(
                        each, annotations=tuple(a for a in each.annotations if a.annotator != name)
                    )
                    for each in gold.sentences
                ),
            )
            for name, title in names.items()
        }
        bare = replace(
            gold, sentences=tuple(replace(each, annotations=()) for each in gold.sentences)
        )
        options = replace(options, source=None, references=())
        return cls.load(bare, systems, options, others, slices)

    def check(self) -> list[str]:
        """Warn about suspicious input; return these warnings and the notes about the input."""
        return [*self.notes, *warn_about_input(self.references, self.systems)]

    def check_language(self, metrics: Sequence[Metric]) -> list[str]:
        """Return notes on metrics made for other languages; warn if the text may be in one."""
        if self.options.language != "en" or self.annotates(metrics):
            return note_foreign(metrics, self.options.language)
        if any(metric.needs == "text" for metric in metrics if note_foreign([metric], "")):
            from redink.analysis.annotation import warn_about_language

            warn_about_language(self.references.sources, self.options.annotating)
        return []

    def take(self, places: Sequence[int]) -> Self:
        """Return the evaluation of the sentences with these indices, in this order."""
        systems = tuple(each.take(places) for each in self.systems)
        own = {name: references.take(places) for name, references in self.own.items()}
        return replace(
            self,
            references=self.references.take(places),
            systems=systems,
            own=own,
            metadata=self.metadata.take(places),
        )

    def divide(self, names: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
        """Return the sentences of every slice: with the same values in some columns of metadata.

        The column ``document`` has the documents of the sentences, unless the metadata has it.
        """
        metadata = self.metadata
        if "document" in names and "document" not in metadata.columns:
            documents = self.options.place(self.references.sources).names
            metadata = replace(metadata, columns={**metadata.columns, "document": documents})
        return metadata.divide(names)

    # ---- references that belong to one system

    @property
    def is_fixed(self) -> bool:
        """Whether there are references for all systems."""
        given = self.references
        return not self.own or given.given_texts is not None or bool(given.corpus.annotators)

    def check_own(self) -> None:
        """Raise an error for a reference of an unknown system, and for a missing one."""
        names = [system.name for system in self.systems]
        for name in self.own:
            if name not in names:
                raise OptionError(
                    f"--reference-for {name}: unknown system; expected one of: {', '.join(names)}"
                )
        if not self.is_fixed and (missing := [name for name in names if name not in self.own]):
            raise OptionError(
                f"the system {missing[0]!r} has no reference: use --reference for all systems, or "
                f"--reference-for {missing[0]}=FILE"
            )

    def split_own(self) -> Iterator[tuple[str | None, Self]]:
        """Yield the evaluation with the fixed references, and one per system with its own."""
        if self.is_fixed:
            yield "fixed" if self.own else None, replace(self, own={})
        for system in self.systems:
            if system.name in self.own:
                references = self.own[system.name]
                yield "own", replace(self, references=references, systems=(system,), own={})

    # ---- edits

    def annotates(self, metrics: Sequence[Metric]) -> bool:
        """Return whether a metric needs edits that no file contains, so that text is annotated."""
        bare = self.references.given_texts is not None
        are_texts = any(system.annotations is None for system in self.systems)
        return any(
            metric.needs != "text"
            and (bare or reference_edits_of(metric) or (metric.needs == "edits" and are_texts))
            for metric in metrics
        )

    def supply_edits(
        self, metrics: Sequence[Metric], reference_edits: ReferenceEdits | None = None
    ) -> Self:
        """Annotate texts whose edits the metrics need, and the references if requested.

        The texts of the references are still those of the given edits.
        """
        needs = {metric.needs for metric in metrics}
        references = self.references
        texts = references.with_texts(self.options.unclear).given_texts if "text" in needs else None
        bare = references.given_texts is not None
        if bare and reference_edits == "gold":
            raise OptionError("reference texts have no gold edits; --reference-edits must be auto")
        if needs != {"text"} and (bare or reference_edits is not None):
            references = self._annotate_references(reference_edits)
        systems = self.systems
        if "edits" in needs:
            from redink.analysis.annotation import annotate_texts

            found = annotate_texts(
                references.sources,
                {s.name: s.texts for s in systems if s.annotations is None},
                annotation_options=self.options.annotating,
                workers=self.options.workers,
                cache=self.options.cache,
            )
            systems = tuple(
                replace(s, annotations=tuple((a,) for a in found[s.name])) if s.name in found else s
                for s in systems
            )
        if problem := self._find_unknown_type(metrics, references, systems):
            raise OptionError(problem)
        if texts is not None:
            references = replace(references, given_texts=texts)
        return replace(self, references=references, systems=systems)

    def _annotate_references(self, reference_edits: ReferenceEdits | None) -> References:
        from redink.analysis.annotation import annotate_again, annotate_references
        from redink.analysis.edit_finder import ReclassificationOptions

        gold, options = self.references, self.options
        if gold.given_texts is not None:
            return annotate_references(gold, annotation_options=options)
        again = ReclassificationOptions(reference_edits)
        return References(annotate_again(gold.corpus, again, options.annotating))

    def _find_unknown_type(
        self, metrics: Sequence[Metric], references: References, systems: Sequence[Hypotheses]
    ) -> str | None:
        if all(metric.needs == "text" for metric in metrics):
            return None
        from redink.analysis.language import find_language

        known = find_language(self.options.language).describe_types()
        return find_unknown_type(metrics, references, systems, known)

    def fit_types(
        self, metrics: Sequence[Metric], *, always: bool = False
    ) -> tuple[Self, list[str]]:
        """Reclassify references of another inventory with the systems' types, if metrics use types.

        Only the types change, so that scores of all types together stay the same. A warning reports
        systems whose types still differ. Return the evaluation and notes.
        """
        if not any(
            metric.needs == "edits" and (always or uses_types(metric)) for metric in metrics
        ):
            return self, []
        before = differ_in_types(self.references, self.systems)
        if not before:
            return self, []
        corpus = reclassify_corpus(self.references.corpus, self.options.annotating)
        typed = replace(self.references, corpus=corpus)
        after = differ_in_types(typed, self.systems)
        ready, notes = self, []
        # a metric with options that name the references' types needs these types
        if len(after) < len(before) and not self._find_unknown_type(metrics, typed, self.systems):
            ready, before, notes = replace(self, references=typed), after, [TYPED_AGAIN]
        for name in before:
            notes.append(
                f"system {name!r} and the references have error types of different inventories, so "
                "scores that depend on error types (--by, --types, --exclude) are not comparable; "
                "pass the text of the system, or use --reference-edits gold"
            )
            warnings.warn(notes[-1], RedinkWarning, stacklevel=3)
        return ready, notes

    def note_gold_edits(self, metrics: Sequence[Metric]) -> list[str]:
        """Recommend extracted reference edits if those of the file are from another inventory."""
        named = dict.fromkeys(metric.name for metric in metrics if metric.needs == "edits")
        if not named or not differ_in_types(self.references, self.systems):
            return []
        return [
            f"{', '.join(named)}: scored against the annotators' own edits; papers usually use "
            "automatically extracted reference edits: "
            + ", ".join(f"{name}(reference_edits=auto)" for name in named)
        ]

    # ---- statistics

    def collect(
        self, metrics: Sequence[Metric], *, fit: bool | Literal["always"] = True
    ) -> tuple[list[ScoredSystem], list[str]]:
        """Collect the statistics of every system under every metric; return them with notes.

        Each metric gets the reference edits of its option. With ``fit``, references of another
        type inventory are reclassified if metrics use types, or always (:meth:`fit_types`).
        """
        order = {metric: place for place, metric in enumerate(metrics)}
        scored: list[ScoredSystem] = []
        notes: list[str] = []
        for name, part in self.split_own():
            found, said = part.collect_fixed(metrics, fit=fit)
            scored += [replace(each, reference=name) for each in found]
            notes += said
        return sorted(scored, key=lambda each: order[each.metric]), notes

    def collect_fixed(
        self, metrics: Sequence[Metric], *, fit: bool | Literal["always"]
    ) -> tuple[list[ScoredSystem], list[str]]:
        """Collect the statistics with the references for all systems."""
        scored: list[ScoredSystem] = []
        notes: list[str] = []
        given = self
        for kind in dict.fromkeys(map(reference_edits_of, metrics)):
            members = [metric for metric in metrics if reference_edits_of(metric) == kind]
            ready = given.supply_edits(members, kind)
            given = replace(given, systems=ready.systems)
            if kind is None and fit:
                ready, said = ready.fit_types(members, always=fit == "always")
                notes += said or ready.note_gold_edits(members)
            scored += ready.collect_ready(members)
        return scored, notes

    def collect_ready(self, metrics: Sequence[Metric]) -> list[ScoredSystem]:
        """Collect statistics from existing edits."""
        options = self.options
        return collect_all(
            metrics, self.references, self.systems, workers=options.workers, cache=options.cache
        )

    @cached_property
    def groups(self) -> NDArray[np.int64] | None:
        """The index of every sentence's document, if documents are resampled."""
        return self.options.groups(self.references.sources)

    def resample(
        self, scored: Sequence[ScoredSystem], samples: int, rng: np.random.Generator
    ) -> list[FloatArray]:
        """Return the headline of every row in every bootstrap sample."""
        return resample_all(scored, samples, rng, self.groups)

    # ---- results

    def fingerprints(self) -> dict[str, Any]:
        """Return the parts of a signature that identify the references and each system."""
        parts = fingerprint_data(self.references, self.systems)
        own = {name: fingerprint_references(self.own[name]) for name in sorted(self.own)}
        return parts | ({"reference_for": own} if own else {})

    def signature(self, command: str, metrics: Sequence[Metric], **parts: Any) -> dict[str, Any]:
        """Return the signature of scores; it names the analyzer only if something is annotated."""
        kinds = dict.fromkeys(map(reference_edits_of, metrics))
        options = self.options
        reads_texts = any(metric.needs == "text" for metric in metrics)
        about = {
            "metrics": [str(metric) for metric in metrics],
            **{metric.name: metric.signature() or None for metric in metrics},
            "reference_edits": [kind for kind in kinds if kind] or None,
            "empty_reference": "skip" if self.references.absent else None,
            **options.signature(),
            "where": options.where,
            "unclear": self.options.unclear
            if reads_texts and self.references.has_unclear
            else None,
            **self.fingerprints(),
            **parts,
        }
        if self.annotates(metrics):
            return self.options.annotating.signature(command, **about)
        return make_signature(command, **about)

    def tabulate(
        self,
        scored: Sequence[ScoredSystem],
        *,
        bootstrap: int | None = None,
        seed: int | np.random.Generator = 1,
        notes: Iterable[str] = (),
        slices: Sequence[str] = (),
        **shown: Any,
    ) -> Table:
        """Return the table of ``redink score``.

        ``slices`` are the columns of metadata by which scores are divided. ``shown`` has display
        arguments of :func:`redink.model.make_table`.
        """
        metrics = tuple(dict.fromkeys(each.metric for each in scored))
        divided = self.divide(slices) if slices else {}
        parts = [np.array(members) for members in divided.values()]
        resampled: Sequence[Sequence[FloatArray] | None] = [None] * (1 + len(parts))
        tests: list[list[float | None]] = []
        if bootstrap:
            rng = np.random.default_rng(seed)
            resampled = drawn = resample_parts(scored, parts, bootstrap, rng, self.groups)
            tests = _p_of_slices(scored, parts, drawn)
        total = {**dict.fromkeys(slices), "sentences": len(self.references)} if slices else {}
        overall = make_rows(scored, resampled[0], extra=total)
        rows = [*overall]
        for place, (values, part) in enumerate(zip(divided, parts, strict=True)):
            about_slice = {**dict(zip(slices, values, strict=True)), "sentences": len(part)}
            inside = [each.take(part) for each in scored]
            made = make_rows(inside, resampled[1 + place], extra=about_slice)
            for each, ps in zip(scored, tests, strict=bool(tests)):
                next(each.rows_in(made))["p_slice"] = ps[place]
            rows += made
        about = [
            *notes,
            *(note for each in scored for note in each.statistics.notes),
            *_score_notes(metrics, rows, bootstrap, self.options.resample),
            *_note_moved(overall),
            *_slice_notes(rows, slices),
        ]
        signature = self.signature(
            "score",
            metrics,
            bootstrap=bootstrap,
            seed=seed if bootstrap and isinstance(seed, int) else None,
            by=list(slices) or None,
            **(self.options.resampling() if bootstrap else {}),
        )
        return make_table(
            make_columns(metrics, rows, slice_columns(metrics, slices)),
            rows,
            notes=dict.fromkeys(about),
            signature=signature,
            groups="metric",
            extra={
                "systems": [system.name for system in self.systems],
                "slices": slices,
                "lower_is_better": {s.label for s in scored if s.metric.lower_is_better},
            },
            **shown,
        )


def _p_of_slices(
    scored: Sequence[ScoredSystem],
    parts: Sequence[NDArray[np.int64]],
    resampled: Sequence[Sequence[FloatArray]],
) -> list[list[float | None]]:
    """Return the Holm-adjusted p-values of every system's overall score in every slice.

    Each tests whether the score in the slice differs from the score on all sentences.
    """
    adjusted = []
    for index, each in enumerate(scored):
        everything = each.score()
        ps: list[float | None] = []
        for part, samples in zip(parts, resampled[1:], strict=True):
            score = each.take(part).score()
            spread = samples[index][:, 0] - resampled[0][index][:, 0]
            if score is None or everything is None:
                ps.append(None)
            else:
                ps.append(normal_p(score - everything, spread))
        adjusted.append(holm(ps))
    return adjusted


def _hypotheses(output: SystemOutput, references: References) -> Hypotheses:
    check_same_length(references.corpus, [output])
    versions = output.versions
    if versions is None and output.annotations is not None:
        versions = tuple((annotation,) for annotation in output.annotations)
    texts = corrected_text(references.sources, output)
    return Hypotheses(output.name, texts, versions, output.unanswered)


def _note_moved(rows: Sequence[Row]) -> Iterator[str]:
    """Report systems whose rank with their own reference differs from that with the fixed ones."""
    ranks: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        is_whole = row.get("type") is None and row.get("level") in {None, "correction"}
        if is_whole and row.get("reference") and row.get("rank"):
            of_metric = ranks.setdefault(row["metric"], {})
            of_metric.setdefault(row["reference"], {})[row["system"]] = row["rank"]
    for metric, found in ranks.items():
        fixed, own = found.get("fixed", {}), found.get("own", {})
        if fixed.keys() != own.keys():
            continue
        moved = [f"{name} {fixed[name]} → {own[name]}" for name in own if fixed[name] != own[name]]
        if moved:
            yield f"{metric}: ranks that change with the systems' own references: " + ", ".join(
                moved
            )


def note_types(metrics: Sequence[Metric]) -> Iterator[str]:
    """Yield a note if a metric has only the recall of error types."""
    if any(metric.name == "m2" and getattr(metric, "by", None) for metric in metrics):
        yield (
            "m2: a false positive has no error type, since it matches no gold edit; error types "
            "have recall only"
        )


_FEW_SAMPLES = 100


def slice_columns(metrics: Iterable[Metric], slices: Sequence[str]) -> list[Column]:
    """Return the columns of slices; their names must not be those of other columns."""
    taken = {column.name for metric in metrics for column in metric.columns} - {"type"}
    for name in slices:
        if name in taken | {"system", "metric", "sentences", "score", "low", "high", "rank"}:
            raise OptionError(
                f"--by {name}: the result already has a column {name!r}; rename the column of the "
                "metadata"
            )
    return [*map(Column, slices), *([Column("sentences", "count")] if slices else [])]


def _slice_notes(rows: Sequence[Row], slices: Sequence[str]) -> Iterator[str]:
    tested = [row for row in rows if row.get("p_slice") is not None]
    if not tested:
        return
    yield Definition(
        "p_slice: whether the score of the slice differs from that of all sentences; bootstrap "
        "test, normal approximation, Holm-adjusted for the number of slices"
    )
    found = [
        f"{row['metric']} {row['system']}: {', '.join(row[name] for name in slices)}"
        for row in tested
        if row["p_slice"] < SIGNIFICANT
    ]
    if found:
        yield "Slices that differ significantly from all sentences: " + "; ".join(found)
    else:
        yield "No slice is significantly different from all sentences (p ≥ .05, Holm-adjusted)."


def _score_notes(
    metrics: Sequence[Metric], rows: Sequence[Row], bootstrap: int | None, drawn: str
) -> Iterator[str]:
    counted = [row for row in rows if {"tp", "fp", "fn", "f"} <= row.keys()]
    if any(row.get("nothing_proposed") for row in counted):
        yield (
            "a dash: the system proposed no edit (of this type); JSON and CSV have precision 1, as "
            "in published scorers"
        )
    if any(row["tp"] == row["fn"] == 0 for row in counted):
        yield "Without gold edits, recall is 1, as in the published scorers."
    yield from note_types(metrics)
    if bootstrap:
        if any(row.get("group") for row in rows):
            yield "Systems that share a letter (group) are not significantly different (p ≥ .05)."
        yield Definition(
            f"95% confidence interval (low, high): from {bootstrap} bootstrap samples of {drawn}; "
            "group: p ≥ .05 in paired bootstrap tests, normal approximation, Holm-adjusted"
        )
        if bootstrap < _FEW_SAMPLES:
            yield f"{bootstrap} bootstrap samples are too few for a 95% interval; use 1000 or more"
