"""Metrics from names, specs or values.

A spec is a name with options in parentheses; a plus sign joins several values of one option::

    errant
    m2(beta=1,max_unchanged_words=3)
    errant(level=detection-span,exclude=R:SPELL+M:PUNCT)
    imeasure(mix,maximize=ci)

Specs are how metrics are printed, and signatures contain them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

from redink.errors import OptionError
from redink.options import Beta, Flag, Kind, NotNegative, Options, find_spelling, kinds_of
from redink.registry import Registry
from redink.scoring.metric import (
    EditMetric,
    FunctionMetric,
    Level,
    Metric,
    Only,
    ReferenceEdits,
    Selection,
    SentenceFunction,
)

METRICS: Registry[type[Metric]] = Registry(
    "redink.metrics",
    "metric",
    {
        "errant": "redink.scoring.errant:Errant",
        "m2": "redink.scoring.m2.max_match:MaxMatch",
        "gleu": "redink.scoring.gleu_variants:Gleu",
        "gleu-koyama": "redink.scoring.gleu_variants:GleuKoyama",
        "gleu-gec-metrics": "redink.scoring.gleu_variants:GleuGecMetrics",
        "green": "redink.scoring.green:Green",
        "cleme": "redink.scoring.cleme:Cleme",
        "cleme2": "redink.scoring.cleme:Cleme2",
        "detection": "redink.error_detection.detection_metric:DetectionMetric",
        "gotoscorer": "redink.scoring.gotoscorer:GoToScorer",
        "cherrant": "redink.scoring.chinese_errant:Cherrant",
        "imeasure": "redink.scoring.imeasure.i_measure:IMeasure",
        "bleu": "redink.scoring.sacrebleu_metrics:Bleu",
        "chrf": "redink.scoring.sacrebleu_metrics:Chrf",
        "ter": "redink.scoring.sacrebleu_metrics:Ter",
        "meteor": "redink.scoring.meteor:Meteor",
        "sari": "redink.scoring.text_editing:Sari",
        "exact-match": "redink.scoring.text_editing:ExactMatch",
        "scribendi-ngram": "redink.scoring.model_metrics:ScribendiNgram",
        "scribendi": "redink.scoring.model_metrics:Scribendi",
        "some": "redink.scoring.model_metrics:Some",
        "impara": "redink.scoring.model_metrics:Impara",
        "llm": "redink.scoring.llm_metric:LlmMetric",
    },
)
"""All metrics, in display order."""

MetricLike = str | Metric | SentenceFunction
DEFAULT_METRICS = ("errant", "m2", "gleu")

_LANGUAGES = {"en": "English", "zh": "Chinese"}
_PUBLISHED_NAMES = {
    "chrf++": "chrf(word_order=2)",
    "cleme2.0": "cleme2",
    "gleu+": "gleu",
    "maxmatch": "m2",
    "m²": "m2",
    "pterrant": "errant(weights=pt:FOLDER)",
    "ptm2": "m2(weights=pt:FOLDER)",
    "senterrant": "errant(average=sentence)",
    "sentm2": "m2(average=sentence)",
    "uoterrant": "errant(weights=uot:FOLDER)",
}
"""Specs of the names that papers use, in lower case and without hyphens."""
_SPEC = re.compile(r"\s*([\w.+-]+)\s*(?:\((.*)\)\s*)?", re.DOTALL)


def split_specs(text: str) -> list[str]:
    """Split ``errant,m2(beta=1,max_unchanged_words=3)`` at the commas outside parentheses."""
    parts = [""]
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth:
        raise OptionError(f"unclosed parenthesis in {text!r}")
    return [part.strip() for part in parts if part.strip()]


Metrics = Annotated[
    Sequence[MetricLike],
    Flag(
        name="metric", value="NAME,...", parse=split_specs, reads=True, known=lambda: METRICS.names
    ),
]
"""The type of options such as ``--metric errant,m2(beta=1)``."""


@dataclass(frozen=True)
class MetricDefaults(Options):
    """Options of metrics, which apply to all metrics that have them.

    Attributes:
        level: errant: condition under which two edits are equal. By default correction.
        only: errant: score only edits of at most one token on each side, or only all other edits.
        exclude: errant: error types to ignore, such as R:SPELL. SPELL means SPELL with every
            operation, R: means all replacements, and VERB:* means all types that begin with VERB:.
        types: errant: score only these error types, in the notation of --exclude.
        fixed: errant: count duplicate edits once; the original counts each of them.
        beta: weight of recall in F. By default 0.5.
        selection: errant, m2: choice of the annotator of each sentence: the best one for the corpus
            so far, as in the published scorers (running); for the sentence; or for the entire
            corpus (optimal). By default running.
        max_unchanged_words: m2: maximum number of unchanged words in an edit. By default 2.
        ignore_whitespace_casing: m2: ignore edits that change only whitespace and case.
        mix: imeasure: combine the corrections of several annotators.
    """

    level: Level | None = None
    only: Only | None = None
    exclude: Annotated[Sequence[str], Flag(value="TYPE,...")] = ()
    types: Annotated[Sequence[str], Flag(value="TYPE,...")] = ()
    fixed: bool = False
    beta: Beta | None = None
    selection: Selection | None = None
    max_unchanged_words: NotNegative | None = None
    ignore_whitespace_casing: bool = False
    mix: bool = False


def make_metrics(
    given: Iterable[MetricLike] | MetricLike,
    metric_defaults: MetricDefaults = MetricDefaults(),
    **more: Any,
) -> tuple[Metric, ...]:
    """Make metrics from names, specs, values and Python functions, without duplicates.

    ``metric_defaults`` and ``more`` are options for all metrics that have them. Options in a spec
    take precedence, and metric values stay unchanged.
    """
    members = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    wanted = [
        part for one in members for part in (_split_all(one) if isinstance(one, str) else [one])
    ]
    if not wanted:
        raise OptionError(f"no metric given; expected one or more of: {', '.join(METRICS)}")
    options = {
        field.name: getattr(metric_defaults, field.name) for field in fields(metric_defaults)
    } | more
    unset = {field.name: field.default for field in fields(metric_defaults)}
    options = {name: value for name, value in options.items() if value != unset.get(name)}
    made = [_make_metric(one, options) for one in wanted]
    known = {
        name
        for one, metric in zip(wanted, made, strict=True)
        if isinstance(one, str)
        for name in kinds_of(type(metric))
    }
    for name in options:
        if name not in known:
            names = ", ".join(dict.fromkeys(metric.name for metric in made))
            raise OptionError(f"the option {name.replace('_', '-')} does not apply to {names}")
    return tuple(dict.fromkeys(made))


def _make_metric(given: MetricLike, options: dict[str, Any]) -> Metric:
    if isinstance(given, Metric):
        return given
    if isinstance(given, str):
        return parse_metric(given, otherwise=options)
    if isinstance(given, type):
        raise OptionError(f"{given.__name__} is a class; pass an instance: {given.__name__}()")
    return FunctionMetric(function=given)


def with_reference_edits(
    metrics: Iterable[Metric], kind: ReferenceEdits | None
) -> tuple[Metric, ...]:
    """Set the reference edits of metrics that have not set them themselves."""
    given = tuple(metrics)
    if kind is None:
        return given
    reading = [metric for metric in given if metric.needs != "text"]
    unable = [metric for metric in reading or given if not isinstance(metric, EditMetric)]
    if unable:
        names = ", ".join(dict.fromkeys(metric.name for metric in unable))
        raise OptionError(f"the option reference-edits does not apply to {names}")
    return tuple(
        replace(metric, reference_edits=kind)
        if isinstance(metric, EditMetric) and metric.reference_edits is None
        else metric
        for metric in given
    )


def _split_all(text: str) -> list[str]:
    """Split specs; ``all`` expands to the metrics of error correction that need no model.

    Metrics that are only for Chinese, and those with another purpose, are not included.
    """
    names: list[str] = []
    for spec in split_specs(text):
        if spec.lower() != "all":
            names.append(spec)
            continue
        abouts = {name: METRICS.load(name).about for name in free_metrics()}
        names += [
            name
            for name, about in abouts.items()
            if not about or (about.in_all and about.languages != "zh")
        ]
    return names


def free_metrics() -> list[str]:
    """Return the names of the metrics that need no model from the user."""
    return [name for name in METRICS.names if not METRICS.load(name).needs_model]


def note_foreign(metrics: Iterable[Metric], language: str) -> list[str]:
    """Return notes about metrics that were made for another language than the text's."""
    return [
        f"{metric.name} was made for {_LANGUAGES.get(languages, languages)} and is not validated "
        f"for {_LANGUAGES.get(language, language)}: interpret its scores with caution"
        for metric in metrics
        for languages in [metric.about.languages if metric.about else "any"]
        if languages != "any" and language not in languages.split()
    ]


def metric_names(specs: Iterable[str]) -> list[str]:
    """Return the names of the metrics in specs, without creating the metrics."""
    return [_find(spec)[0] for text in specs for spec in _split_all(text)]


def _find(spec: str) -> tuple[str, str]:
    found = _SPEC.fullmatch(spec)
    if found is None:
        raise OptionError(f"invalid metric {spec!r}; expected for example m2(beta=1)")
    name, inside = found.groups()
    if name not in METRICS:
        plain = name.lower().replace("-", "")
        known = {each.replace("-", ""): each for each in METRICS} | _PUBLISHED_NAMES
        name, _, more = known.get(plain, name).removesuffix(")").partition("(")
        if more.endswith("FOLDER") and "weights=" not in (inside or ""):
            raise OptionError(f"{spec} needs the folder of a model; write {name}({more})")
        inside = ",".join(filter(None, (more, inside)))
    METRICS.load(name)
    return name, inside or ""


def parse_metric(spec: str, *, otherwise: dict[str, Any] | None = None) -> Metric:
    """Make the metric that a spec describes.

    ``otherwise`` contains values of options that the spec does not set; options that the metric
    does not have are ignored.
    """
    name, inside = _find(spec)
    made = METRICS.load(name)
    kinds = kinds_of(made)
    options = {key: value for key, value in (otherwise or {}).items() if key in kinds}
    return made(**options | read_options(f"metric {name}", made, inside.split(",")))


def refuse_code(specs: Iterable[str]) -> None:
    """Raise an error if a metric of a file by somebody else names code, a file or a model."""
    for text in specs:
        for spec in _split_all(text):
            name, inside = _find(spec)
            kinds = kinds_of(METRICS.load(name))
            options = read_options(f"metric {name}", METRICS.load(name), inside.split(","))
            for key, value in options.items():
                kind = kinds[key]
                is_plain = kind.many or kind.choices or kind.type in {bool, int, float}
                if not is_plain and value not in {None, "dice"}:
                    raise OptionError(
                        f"{spec}: {key} may run code or load a model; check the file, and accept "
                        "it with --trust"
                    )


def read_options(name: str, made: Any, parts: Sequence[str]) -> dict[str, Any]:
    """Parse the options of a dataclass or function from texts such as ``beta=1``.

    Raises:
        OptionError: unknown option or invalid value.
    """
    kinds = kinds_of(made)
    options: dict[str, Any] = {}
    for part in filter(str.strip, parts):
        written, equals, text = part.partition("=")
        key = find_spelling(written.strip().replace("-", "_"), kinds)
        if key not in kinds:
            has = ", ".join(kinds) or "none"
            raise OptionError(f"unknown option {key!r} of the {name}; expected one of: {has}")
        label = f"{name.removeprefix('metric ')}: {key}"
        options[key] = _value(label, text.strip() if equals else None, kinds[key])
    return options


def _value(name: str, text: str | None, kind: Kind) -> Any:
    """Parse the value of an option of the given kind."""
    if kind.type is bool:
        if text not in {None, "true", "false"}:
            raise OptionError(f"{name} must be true or false, not {text!r}")
        return text != "false"
    if text is None or not (text or kind.many):
        raise OptionError(f"{name} requires a value: {name.rsplit(maxsplit=1)[-1]}=...")
    if kind.optional and text == "none":
        return None
    if kind.many:
        return tuple(_one(name, part, kind.type) for part in text.split("+") if part)
    return _one(name, text, kind.type)


def _one(name: str, text: str, kind: Any) -> Any:
    if kind not in {int, float}:
        return Path(text) if kind is Path else text
    try:
        return kind(text)
    except ValueError:
        raise OptionError(f"{name} must be a number, not {text!r}") from None
