"""``redink diff``: the sentences that a new version of a system corrects better or worse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from redink.commands.explain import mark_edits
from redink.errors import OptionError
from redink.evaluation import Evaluation, EvaluationOptions, slice_columns, split_by
from redink.inputs.input_options import ReferenceLike, SystemsLike
from redink.inputs.text_loading import is_text
from redink.model import Column, Definition, Edit, Hypotheses, Sentence, Shown, Table, table_of
from redink.options import Flag, command
from redink.reports.sentence_diff import SentenceDiff
from redink.scoring.engine import ScoredSystem, with_score
from redink.scoring.metric import Metric
from redink.scoring.metric_checks import group_of
from redink.scoring.specs import MetricDefaults, MetricLike, make_metrics
from redink.statistics.distributions import sign_test
from redink.statistics.significance import holm

Change = Literal["fixed", "broken"]


@dataclass(frozen=True)
class EditChange:
    """An edit that only one version of a system makes, and whether that is better or worse."""

    change: Change
    version: Literal["old", "new"]
    type: str
    operation: str


@dataclass(frozen=True)
class SentenceChange:
    """A sentence whose score differs between two versions of a system."""

    sentence: str
    change: Change
    old_score: Annotated[float | None, Shown("score")]
    new_score: Annotated[float | None, Shown("score")]
    types: str
    source: str
    old: str
    new: str
    index: Annotated[int, Shown(hidden=True)] = 0
    edits: Annotated[tuple[EditChange, ...], Shown(hidden=True)] = ()
    marked: Annotated[tuple[SentenceDiff | None, ...], Shown(hidden=True)] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Count:
    """How many edits of a type, or sentences of a slice, are fixed and broken."""

    fixed: int
    broken: int
    p: Annotated[float, Shown("p")]
    p_holm: Annotated[float | None, Shown("p", title="p (Holm)")]
    extra: Mapping[str, Any] = field(default_factory=dict)


@command
def diff(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    metric: MetricLike = "errant",
    metric_defaults: MetricDefaults = MetricDefaults(),
    by: Annotated[
        str | Sequence[str] | None, Flag(value="operation|type|full|COLUMN,...", many=True)
    ] = None,
) -> Table:
    """List the sentences that a new version of a system fixes and breaks.

    A sentence is fixed if its score rises, and broken if its score falls. If the score is the same,
    the number of false positives and false negatives decides.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: the old and the new version, as for ``score``.
        evaluation_options: how references and systems are read, aligned and annotated.
        metric: the metric of the sentence scores.
        metric_defaults: options of the metric.
        by: count the edits of each operation, main type or full type, or the sentences with each
            value of a metadata column, instead of listing sentences.

    Returns:
        One row per changed sentence, or per type or slice with ``by``, with the p-value of a sign
        test and its Holm adjustment. In Python, two sentences instead of a file and systems give
        the marked edits between them, as ``mark_edits``.
    """
    sentences: list[Any] = [reference, systems]
    if all(isinstance(one, Sentence) or _is_sentence(one) for one in sentences):
        marked: Any = mark_edits(*sentences, annotation_options=evaluation_options.annotating)
        return marked  # type: ignore[no-any-return]
    types, slices = split_by(by)
    (chosen,) = make_metrics([metric], metric_defaults)
    evaluation = Evaluation.load(reference, systems, evaluation_options, slices=slices)
    if len(evaluation.systems) != 2:
        raise OptionError("give two versions of a system: OLD NEW")
    if types and slices:
        raise OptionError(f"--by {types} cannot be combined with columns")
    notes = evaluation.check()
    (old, new), said = evaluation.collect([chosen])
    if types and chosen.needs != "edits":
        raise OptionError(f"--by {types} requires a metric of edits, not {chosen.name}")
    changes = list(find_changes(old, new, evaluation.kept))
    shared: dict[str, Any] = {"signature": evaluation.signature("diff", [chosen], by=by)}
    about = [*notes, *said]
    if by is None:
        fixed = sum(each.change == "fixed" for each in changes)
        size = len(evaluation.references)
        about.append(f"{fixed} sentences fixed, {len(changes) - fixed} broken, of {size}")
        return table_of(changes, SentenceChange, notes=about, **shared, extra={"changes": changes})
    if types:
        columns = [Column("type")]
        counts = {(group,): both for group, both in count_types(changes, types).items()}
        named = ["type"]
    else:
        columns, named = slice_columns([], slices), [*slices, "sentences"]
        counts = _count_slices(changes, evaluation.divide(slices))
    ps = [sign_test(*both) for both in counts.values()]
    rows = [
        _Count(both[0], both[1], p, adjusted, dict(zip(named, values, strict=True)))
        for (values, both), p, adjusted in zip(counts.items(), ps, holm(ps), strict=True)
    ]
    about.append(Definition("p: two-sided sign test; Holm: adjusted for the number of rows"))
    return table_of(rows, _Count, notes=about, extra_columns=columns, **shared)


def _is_sentence(given: Any) -> bool:
    return isinstance(given, str) and is_text(given)


def find_changes(
    old: ScoredSystem, new: ScoredSystem, numbers: Sequence[int] | None = None
) -> Iterator[SentenceChange]:
    """Yield the sentences whose score differs, with the edits that only one version makes."""
    scores = [
        with_score(one.metric, one.metric.sentence_rows(one.statistics)) for one in (old, new)
    ]
    verdicts = [
        one.metric.verdicts(one.references, one.system, one.statistics)
        if one.system.texts
        else None
        for one in (old, new)
    ]
    for index, (before, after) in enumerate(zip(*scores, strict=True)):
        ours, theirs = (_standing(row, new.metric) for row in (before, after))
        if ours == theirs:
            continue
        source = new.references.sources[index]
        edits: list[EditChange] = []
        if verdicts[0] is not None and verdicts[1] is not None:
            edits = list(_compare_edits(verdicts[0][index], verdicts[1][index], old, new, index))
        number = (index if numbers is None else numbers[index]) + 1
        yield SentenceChange(
            sentence=str(number) if source.id is None else source.id,
            change="fixed" if theirs > ours else "broken",
            old_score=before["score"],
            new_score=after["score"],
            types=" ".join(dict.fromkeys(edit.type for edit in edits)),
            source=str(source),
            old=_text(old.system, index),
            new=_text(new.system, index),
            index=index,
            edits=tuple(edits),
            marked=tuple(_mark(one.system, source, index) for one in (old, new)),
        )


def _standing(row: Mapping[str, Any], metric: Metric) -> tuple[float, float]:
    return metric.orient(row["score"] or 0.0), -(row.get("fp") or 0) - (row.get("fn") or 0)


def _text(system: Hypotheses, index: int) -> str:
    return str(system.texts[index]) if system.texts else ""


def _mark(system: Hypotheses, source: Sentence, index: int) -> SentenceDiff | None:
    """Mark the edits of a system; without edits, the entire sentence is replaced."""
    if not system.texts:  # only the statistics of a baseline are known
        return None
    if system.annotations is not None:
        versions = system.annotations[index]
        edits = versions[0].edits if versions else ()
    else:
        text = str(system.texts[index])
        edits = () if text == str(source) else (Edit(0, len(source.tokens), text, ""),)
    return SentenceDiff(source.tokens, tuple(sorted(edits, key=lambda edit: edit.start)))


def _compare_edits(
    before: Iterable[Mapping[str, Any]],
    after: Iterable[Mapping[str, Any]],
    old: ScoredSystem,
    new: ScoredSystem,
    index: int,
) -> Iterator[EditChange]:
    def proposed(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[Any, ...], str]:
        return {
            (row["start"], row["end"], row["correction"]): row["verdict"]
            for row in rows
            if row["verdict"] != "FN"
        }

    ours, theirs = proposed(before), proposed(after)
    for version, system, found, others in (
        ("old", old.system, ours, theirs),
        ("new", new.system, theirs, ours),
    ):
        edits = {
            (edit.start, edit.end, edit.correction): edit
            for one in (system.annotations or ())[index]
            for edit in one.edits
        }
        for key in sorted(found.keys() - others.keys()):
            is_better = (found[key] == "TP") == (version == "new")
            edit = edits.get(key) or Edit(key[0], key[1], key[2], "")
            yield EditChange(
                "fixed" if is_better else "broken",
                "new" if version == "new" else "old",
                edit.type,
                edit.operation,
            )


def count_types(changes: Iterable[SentenceChange], by: str) -> dict[str, list[int]]:
    """Count the fixed and the broken edits of every type."""
    found: dict[str, list[int]] = {}
    for each in changes:
        for edit in each.edits:
            group = group_of(edit.type, edit.operation, by)
            found.setdefault(group, [0, 0])[edit.change == "broken"] += 1
    return dict(sorted(found.items()))


def _count_slices(
    changes: Iterable[SentenceChange], divided: Mapping[tuple[str, ...], Sequence[int]]
) -> dict[tuple[Any, ...], list[int]]:
    slice_of = {at: values for values, members in divided.items() for at in members}
    found = {values: [0, 0] for values in divided}
    for each in changes:
        found[slice_of[each.index]][each.change == "broken"] += 1
    return {(*values, len(divided[values])): both for values, both in found.items()}
