"""Check references, systems and judgments for probable mistakes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from redink.analysis.annotation_options import AnnotationOptions, LanguageCode
from redink.errors import DataError, FormatError, RedinkWarning
from redink.formats.format_registry import PLAIN, detect_format
from redink.inputs.input_checks import (
    InputFinding,
    check_input,
    check_judgments,
    check_outputs,
    check_rankings,
)
from redink.inputs.input_options import ReferenceLike, SeparateTexts, SystemsLike
from redink.inputs.judgment_loading import load_judgments, load_rankings
from redink.inputs.metadata import Columns
from redink.inputs.text_loading import (
    check_same_length,
    corrected_text,
    load_references,
    load_systems,
    load_texts,
    name_inputs,
    name_of,
    split_columns,
)
from redink.judging.labels import by_question
from redink.model import Hypotheses, References, Shown, Table, make_signature, table_of
from redink.options import command
from redink.scoring.metric_checks import differ_in_types


@dataclass(frozen=True)
class Problem:
    """Something suspicious in a file."""

    file: str
    line: Annotated[int | None, Shown(optional=True)]
    problem: str
    advice: str


@command
def doctor(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    separate_texts: SeparateTexts = SeparateTexts(),
    language: LanguageCode = "en",
) -> Table:
    """Check files for probable mistakes.

    REFERENCE and SYSTEM are as for score. You can also give a single text, a source and its
    corrections (SOURCE SYSTEM...), or files of judgments or rankings. Every other command runs the
    same checks and prints the findings as warnings.

    The table has one row per problem: shifted or shuffled lines, empty lines, text that is
    tokenized differently from its source, invisible characters, inconsistent Unicode normalization,
    artifacts of other programs, copies of the source, identical files.

    Args:
        reference: sentences with the edits of annotators, a source text, or judgments: a file.
        systems: system outputs by name or by path, or more files of judgments.
        separate_texts: the source and the reference texts, if they are separate files.
        language: language code of the sentences: en, zh, de.

    Returns:
        One row per problem: the file, the first line, the problem and advice.
    """
    is_table = Columns.has_texts(reference)
    if not is_table and _kind_of(reference) in {"judgments", "rankings"}:
        found: list[InputFinding] = []
        for name, value in [("", reference), *name_inputs(systems, ())]:
            found += _check_judged(name_of(value, name), value)
        looked = "judgments"
    else:
        found, looked = _check_texts(reference, systems, separate_texts, language)
    rows = [Problem(one.file, one.line, one.problem, one.advice) for one in found]
    count = _count(len(rows), "problem") if rows else "no problem"
    return table_of(
        rows,
        Problem,
        notes=[f"{count} found in {looked}"],
        signature=make_signature("doctor", language=language if language != "en" else None),
    )


def _kind_of(given: Any) -> str | None:
    return detect_format(given).kind if isinstance(given, str | Path) else None


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


@contextmanager
def _heard(found: list[InputFinding], name: str) -> Iterator[None]:
    """Turn the warnings of readers into findings about a file."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", RedinkWarning)
        yield
    messages = (str(one.message).removeprefix(f"{name}: ") for one in told)
    found += [InputFinding(name, message, "") for message in messages]


def _check_judged(name: str, given: Any) -> list[InputFinding]:
    found: list[InputFinding] = []
    with _heard(found, name):
        if _kind_of(given) == "rankings":
            found += check_rankings(load_rankings(given))
        else:
            judgments = load_judgments(given)
            found += check_judgments(judgments)
            questions = list(by_question(judgments))
            if len(questions) > 1:
                problem = f"answers {len(questions)} questions: {', '.join(questions[:12])}"
                found.append(InputFinding(name, problem, "choose one question with --question"))
    return [replace(one, file=name) for one in found]


def _check_texts(
    reference: Any, systems: SystemsLike, separate_texts: SeparateTexts, language: str
) -> tuple[list[InputFinding], str]:
    reference, systems, separate_texts = split_columns(reference, systems, separate_texts)
    split = AnnotationOptions(language=language).split
    source = separate_texts.source if separate_texts.source is not None else reference
    name = name_of(source, "the source")
    found: list[InputFinding] = []
    with _heard(found, name):
        gold, is_source = _load(reference, separate_texts)
    gold = gold.cut(split)
    names = {"the source": name, "the reference": name, "": name}
    outputs: list[Hypotheses] = []
    for system, value in name_inputs(systems, ()):
        label = name_of(value, f"system {system!r}")
        names[f"system {system!r}"] = label
        if isinstance(value, str | Path) and not Path(value).exists():
            raise FormatError("no such file", path=value)
        with _heard(found, label):
            try:
                (output,) = load_systems({system: value}, gold)
                check_same_length(gold.corpus, [output])
            except (DataError, FormatError) as error:
                found.append(InputFinding(label, str(error), "correct the file", severe=True))
                continue
        if output.detections is None:
            texts = corrected_text(gold.sources, output.cut(split))
            outputs.append(Hypotheses(system, texts, output.versions))
    if is_source:
        checked = check_outputs(gold.sources, {output.name: output.texts for output in outputs})
    else:
        checked = check_input(gold, outputs)
    checked += [
        InputFinding(
            f"system {system!r}",
            "has error types of another type system than the reference",
            "give the corrected text instead; scores by error type are not comparable",
        )
        for system in differ_in_types(gold, outputs)
    ]
    found += [replace(one, file=names.get(one.file, one.file)) for one in checked]
    looked = _count(len(gold), "sentence")
    return found, f"{looked} and {_count(len(outputs), 'system')}" if outputs else looked


def _load(reference: Any, separate_texts: SeparateTexts) -> tuple[References, bool]:
    """Return the references, and whether they are only a source text."""
    text, references = separate_texts.source, separate_texts.references
    if text is None and _is_text(reference):
        text = reference
    elif text is None or references or reference:
        gold = load_references(
            reference,
            source=text,
            references=references,
            empty_reference=separate_texts.empty_reference,
        )
        return gold, False
    return References.of_sources(load_texts(text, checked=True)), True


def _is_text(given: Any) -> bool:
    if isinstance(given, str | Path):
        found = detect_format(given)
        return found.kind == "corpus" and found.name in PLAIN
    return isinstance(given, Sequence) and all(isinstance(one, str) for one in given)
