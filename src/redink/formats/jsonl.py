"""redink's own JSON lines: any value without loss, one per line.

The keys of a line determine the type of its value::

    {"tokens": ["This", "are"], "annotations": [{"annotator": "0", "edits": [...]}]}
    {"tokens": ["This", "are"], "flags": [false, true], "probabilities": [0.1, 0.9]}
    {"source": {"tokens": [...]}, "corrected": [{"tokens": [...]}]}
    {"sentence": "135", "judge": "anna", "outputs": [{"rank": 1, "systems": ["AMU"]}]}
    {"item": "s1", "judge": "anna", "label": "3"}

Default values (no name, no alternatives, ``REQUIRED``) are not written.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

from redink.errors import DataError, RedinkWarning
from redink.files import placed
from redink.formats.delimited import check_duration, parse_optional_duration
from redink.formats.plain_text import one_corrected
from redink.formats.ranking_files import check_ranked_once
from redink.formats.recognition import CORRECTED
from redink.formats.strict_json import (
    Object,
    list_of,
    optional_seconds,
    optional_text,
    read_objects,
    text_of,
    text_pairs,
    whole_number,
    write_object,
)
from redink.model import (
    UNTYPED,
    AnnotatedSentence,
    Annotation,
    Detection,
    Edit,
    Judgment,
    ParallelSentence,
    RankedOutput,
    Ranking,
    Sentence,
)

_SENTENCE_KEYS = frozenset({"tokens", "text", "offsets", "id"})
_CORPUS_KEYS = _SENTENCE_KEYS | {"annotations", "unannotatable", "extra"}
_RANKING_KEYS = "sentence judge outputs id duration extra"
_EDIT_KEYS = "start end correction type alternatives rule required comment"
_EDIT_DEFAULTS = {"alternatives": (), "required": "REQUIRED", "comment": "-NONE-"}


# ---- from objects to values


def _sentence(value: Object) -> Sentence:
    tokens, offsets = tuple(list_of(value, "tokens", str)), None
    if value.get("offsets") is not None:
        offsets = tuple(_span(pair) for pair in list_of(value, "offsets", list))
    return Sentence(tokens, optional_text(value, "text"), offsets, optional_text(value, "id"))


def _span(pair: list[Any]) -> tuple[int, int]:
    if len(pair) != 2 or any(type(x) is not int for x in pair):
        raise DataError(f"expected two whole numbers for an offset, found {str(pair)[:40]}")
    return pair[0], pair[1]


def _annotated(value: Object) -> AnnotatedSentence:
    source = _sentence(value)
    annotations = tuple(
        Annotation(
            text_of(given, "annotator"),
            _edits(given, source),
            optional_text(given, "target"),
            tuple(
                _edits({"edits": found}, source)
                for found in list_of(given, "alignments", list, required=False)
            ),
        )
        for given in list_of(value, "annotations", dict, required=False)
    )
    if len({a.annotator for a in annotations}) < len(annotations):
        raise DataError("an annotator occurs twice for one sentence")
    unannotatable = tuple(list_of(value, "unannotatable", str, required=False))
    return AnnotatedSentence(source, annotations, unannotatable, text_pairs(value, "extra"))


def _edits(given: Object, source: Sentence) -> tuple[Edit, ...]:
    return tuple(_edit(edit, len(source)) for edit in list_of(given, "edits", dict))


def _edit(value: Object, length: int) -> Edit:
    edit = Edit(
        whole_number(value, "start"),
        whole_number(value, "end"),
        text_of(value, "correction"),
        text_of(value, "type") if "type" in value else UNTYPED,
        tuple(list_of(value, "alternatives", str, required=False)),
        optional_text(value, "rule"),
        text_of(value, "required") if "required" in value else "REQUIRED",
        _comment(value),
    )
    edit.check_fits(length)
    return edit


def _comment(value: Object) -> str:
    """Return the comment of an edit, with the fields ``confidence`` and ``link`` if it has them."""
    parts = [text_of(value, "comment")] if "comment" in value else []
    if (confidence := value.get("confidence")) is not None:
        if type(confidence) not in {int, float} or not confidence >= 0:
            raise DataError(f"expected a number for 'confidence', found {str(confidence)[:40]}")
        parts.append(f"confidence={confidence}")
    if value.get("link") is not None:
        parts.append(f"link={value['link']!s}")
    return " ".join(parts) if parts else "-NONE-"


def _detection(value: Object) -> Detection:
    tokens, flags = list_of(value, "tokens", str), list_of(value, "flags", bool)
    given = value.get("probabilities")
    if given is None:
        return Detection(tuple(tokens), tuple(flags))
    is_list = isinstance(given, list)
    if not is_list or not all(type(p) in {int, float} and 0 <= p <= 1 for p in given):
        raise DataError("expected a list of numbers between 0 and 1 for 'probabilities'")
    return Detection(tuple(tokens), tuple(flags), tuple(map(float, given)))


def _parallel(value: Object) -> ParallelSentence:
    corrected = value.get(one_corrected(value))
    versions = corrected if isinstance(corrected, list) else [corrected]
    return ParallelSentence(_written(value.get("source")), tuple(map(_written, versions)))


def _written(value: Any) -> Sentence:
    """Read a sentence from an object, or from a string of tokens separated by spaces."""
    if isinstance(value, str):
        return Sentence.from_line(value)
    if isinstance(value, dict):
        return _sentence(value)
    raise DataError(f"expected a sentence, found {str(value)[:40]!r}")


def _ranking(value: Object) -> Ranking:
    outputs = tuple(
        RankedOutput(whole_number(output, "rank"), tuple(list_of(output, "systems", str)))
        for output in list_of(value, "outputs", dict)
    )
    check_ranked_once(outputs)
    return Ranking(
        text_of(value, "sentence"),
        text_of(value, "judge"),
        outputs,
        optional_text(value, "id"),
        optional_seconds(value, "duration"),
        text_pairs(value, "extra"),
    )


_JUDGMENT_KEYS = ("item", "judge", "label", "gold", "confidence", "duration", "time", "extra")


def _judgment(value: Object) -> Judgment:
    """Return a string; a number is accepted too, so that the label 3 becomes ``3``."""
    plain = {name: _as_text(found) for name, found in value.items() if name != "extra"}
    further = [pair for pair in plain.items() if pair[0] not in _JUDGMENT_KEYS]
    return Judgment(
        text_of(plain, "item"),
        text_of(plain, "judge"),
        text_of(plain, "label"),
        plain.get("gold"),
        plain.get("confidence"),
        parse_optional_duration(plain.get("duration")),
        plain.get("time"),
        (*text_pairs(value, "extra"), *((name, x) for name, x in further if x is not None)),
    )


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    raise DataError(f"expected a string or a number, found {str(value)[:40]!r}")


# ---- from values to objects


def _object(value: Any, names: str, defaults: Mapping[str, Any] = MappingProxyType({})) -> Object:
    """Return these fields of a value, without those that are None or have their default."""
    given = {name: getattr(value, name) for name in names.split()}
    return {name: found for name, found in given.items() if found != defaults.get(name)}


def _sentence_object(sentence: Sentence) -> Object:
    return _object(sentence, "id text tokens offsets")


def _annotated_object(sentence: AnnotatedSentence) -> Object:
    annotations = []
    for annotation in sentence.annotations:
        value = _object(annotation, "annotator target")
        value["edits"] = _edit_objects(annotation.edits)
        if annotation.alignments:
            value["alignments"] = [_edit_objects(edits) for edits in annotation.alignments]
        annotations.append(value)
    value = {**_sentence_object(sentence.source), "annotations": annotations}
    value |= _object(sentence, "unannotatable", {"unannotatable": ()})
    return _with_extra(value, sentence.extra)


def _edit_objects(edits: Iterable[Edit]) -> list[Object]:
    return [_object(edit, _EDIT_KEYS, _EDIT_DEFAULTS) for edit in edits]


def _detection_object(detection: Detection) -> Object:
    if not all(0 <= p <= 1 for p in detection.probabilities or ()):
        raise DataError(f"a probability is not between 0 and 1: {detection.probabilities}")
    return _object(detection, "tokens flags probabilities")


def _parallel_object(sentence: ParallelSentence) -> Object:
    corrected = [_sentence_object(version) for version in sentence.corrected]
    return {"source": _sentence_object(sentence.source), "corrected": corrected}


def _ranking_object(ranking: Ranking) -> Object:
    value = _object(ranking, "sentence judge outputs id duration")
    value["outputs"] = [_object(output, "rank systems") for output in ranking.outputs]
    return _with_extra(value, ranking.extra)


def _judgment_object(judgment: Judgment) -> Object:
    value = _object(judgment, "item judge label gold confidence duration time")
    return _with_extra(value, judgment.extra)


def _with_extra(value: Object, extra: tuple[tuple[str, str], ...]) -> Object:
    if "duration" in value:
        value["duration"] = check_duration(value["duration"])
    if extra:
        value["extra"] = dict(extra)
        if len(value["extra"]) < len(extra):
            raise DataError(f"JSON cannot represent two extra values with the same name: {extra}")
    return value


# ---- files

_KINDS: Mapping[str, tuple[Any, Any, frozenset[str]]] = {
    # kind: reader, writer and known keys; other keys of a judgment are kept
    "detections": (_detection, _detection_object, frozenset({"tokens", "flags", "probabilities"})),
    "corpus": (_annotated, _annotated_object, _CORPUS_KEYS),
    "parallel": (_parallel, _parallel_object, frozenset({"source", *CORRECTED})),
    "rankings": (_ranking, _ranking_object, frozenset(_RANKING_KEYS.split())),
    "judgments": (_judgment, _judgment_object, frozenset()),
}


def read_jsonl(path: str | Path, *, kind: str) -> Iterator[Any]:
    """Yield the values of a kind; one warning counts unknown keys."""
    build, _, known = _KINDS[kind]
    unknown = Counter[str]()
    for line, value in read_objects(path, numbers_as_text=kind == "judgments"):
        with placed(path, line):
            yield build(value)
        unknown.update(value.keys() - known if known else ())
    if unknown:
        told = ", ".join(f"{name!r} ({count})" for name, count in sorted(unknown.items()))
        message = f"{path}: unknown keys were ignored: {told}"
        warnings.warn(message, RedinkWarning, stacklevel=2)


def write_jsonl(values: Iterable[Any], stream: TextIO, *, kind: str) -> None:
    """Write values of a kind, one per line."""
    describe = _KINDS[kind][1]
    for value in values:
        write_object(describe(value), stream)
