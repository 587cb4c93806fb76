"""The reference detectors: train them on text, and run them over text."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from redink.analysis.language import load_analyser
from redink.detectors.arpa import write_arpa
from redink.detectors.classifier import PrepositionClassifier, Task, train_classifier
from redink.detectors.events import BLOCK_LINES, Events, collect_events, join_events
from redink.detectors.findings import (
    KINDS,
    Finding,
    Thresholds,
    is_marked,
    to_edits,
    tune_thresholds,
)
from redink.detectors.language_model import LanguageModel
from redink.detectors.prepositions import NOTHING
from redink.detectors.running_text import read_sentences
from redink.detectors.shipped import load_detector, model_path
from redink.errors import OptionError, RedinkWarning
from redink.files import write_atomically
from redink.formats import get_format
from redink.formats.inputs import PathLike, load_corpus
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Column,
    Corpus,
    Detection,
    Sentence,
    Table,
    fingerprint,
    make_signature,
    make_table,
)

DetectorName = Literal["maxent", "perceptron", "lm"]
DETECTORS: tuple[DetectorName, ...] = get_args(DetectorName)
OutputForm = Literal["m2", "ged-tsv", "jsonl"]
OUTPUT_FORMS: tuple[OutputForm, ...] = get_args(OutputForm)
_SYSTEM = "0"


def train_detector(
    texts: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    detector: DetectorName = "maxent",
    task: Task | None = None,
    raw: bool | None = None,
    hold_out: bool = True,
    max_events: int | None = None,
    max_features: int | None = 2_000_000,
    min_count: int = 2,
    passes: int = 3,
    order: int = 4,
    max_words: int | None = None,
    prune: Sequence[int] = (),
    arpa: PathLike | None = None,
    analyser: str = "embedded",
    seed: int = 1,
    on_progress: Callable[[int], None] | None = None,
) -> Table:
    """Train a detector on well-formed text and save it in one file.

    Args:
        texts: files of tokenised sentences, or of raw paragraphs, one a line.
        output: the file of the model.
        detector: ``maxent``, ``perceptron`` or ``lm``.
        task: for the perceptron, ``extraneous`` (default) or ``choice``.
        raw: whether the texts are raw; by default told by their first lines.
        hold_out: learn from nine tenths and measure on the rest (blocks of 200 lines).
        max_events: learn from so many places at most, drawn at random.
        max_features: learn so many features at most, the most frequent.
        min_count: features that occur less often are not learnt.
        passes: how often the events are gone through.
        order: of the language model.
        max_words: the vocabulary of the language model; rarer words become unknown.
        prune: n-grams that occur so often or less are dropped, a number for each order.
        arpa: write the language model here too, in the ARPA format.
        analyser: gives tags and lemmas.
        seed: of the order of events and of the places without a preposition.
        on_progress: is told how many sentences, then how many events, are done.

    Returns:
        A table with the columns ``detector, quantity, value``.
    """
    paths = [texts] if isinstance(texts, str | Path) else list(texts)
    if detector not in DETECTORS:
        raise OptionError(f"there is no detector {detector!r}; there are: {', '.join(DETECTORS)}")
    if arpa is not None and detector != "lm":
        raise OptionError("only a language model (lm) can be written in the ARPA format")
    about = {"text": [Path(path).name for path in paths]}
    if detector == "lm":
        rows, data = _train_language_model(
            paths,
            output,
            raw=raw,
            hold_out=hold_out,
            order=order,
            max_words=max_words,
            prune=tuple(prune),
            arpa=arpa,
            about=about,
        )
        signature = make_signature(
            "detect train",
            detector=detector,
            order=order,
            max_words=max_words,
            prune=list(prune) or None,
            data=data,
        )
        return _quantities(detector, rows, signature)
    tagger = load_analyser(analyser)
    rng = np.random.default_rng(seed)
    parts = [
        collect_events(read_sentences(path, raw=raw), tagger, rng=rng, on_progress=on_progress)
        for path in paths
    ]
    events = join_events(parts)
    learnt, held = events.split() if hold_out else (events, events.select(np.zeros(0, np.int64)))
    if max_events is not None and len(learnt) > max_events:
        learnt = learnt.select(np.sort(rng.choice(len(learnt), max_events, replace=False)))
    classifier = train_classifier(
        learnt,
        learner=detector,
        rng=rng,
        passes=passes,
        min_count=min_count,
        task=task or ("extraneous" if detector == "perceptron" else "choice"),
        max_features=max_features,
        on_progress=on_progress,
        about={**about, "analyser": tagger.version, "seed": seed},
    )
    classifier.save(output)
    signature = make_signature(
        "detect train",
        detector=detector,
        task=classifier.task,
        passes=passes,
        min_count=min_count,
        max_features=max_features,
        max_events=max_events,
        analyser=tagger.name,
        pipeline=tagger.version,
        seed=seed,
        data=fingerprint([events.atoms.tobytes(), events.labels.tobytes()]),
    )
    return _quantities(detector, _classifier_rows(classifier, learnt, held), signature)


def _classifier_rows(
    classifier: PrepositionClassifier, learnt: Events, held: Events
) -> list[tuple[str, float | None]]:
    rows: list[tuple[str, float | None]] = [
        ("prepositions learnt from", int((learnt.labels != NOTHING).sum())),
        ("places without one", int((learnt.labels == NOTHING).sum())),
        ("features", len(classifier.linear.keys)),
    ]
    if not len(held):
        return rows
    if classifier.task == "extraneous":
        guess = classifier.linear.scores(held.atoms).argmax(axis=1) == NOTHING
        truth = held.labels == NOTHING
        return [
            *rows,
            ("held-out places", len(held)),
            ("held-out accuracy", float((guess == truth).mean())),
            ("majority accuracy", float(max(truth.mean(), 1 - truth.mean()))),
        ]
    test = held.prepositions
    if not len(test):
        return rows
    right = classifier.choose(test.atoms) == test.labels
    usual = np.bincount(learnt.labels[learnt.labels != NOTHING]).argmax()
    return [
        *rows,
        ("held-out prepositions", len(test)),
        ("held-out accuracy", float(right.mean())),
        ("majority accuracy", float((test.labels == usual).mean())),
        (
            "held-out accuracy where tagged as preposition",
            float(right[test.strict].mean()) if test.strict.any() else None,
        ),
    ]


def _train_language_model(
    paths: Sequence[PathLike],
    output: PathLike,
    *,
    raw: bool | None,
    hold_out: bool,
    order: int,
    max_words: int | None,
    prune: tuple[int, ...],
    arpa: PathLike | None,
    about: dict[str, Any],
) -> tuple[list[tuple[str, float | None]], str]:
    if not 1 <= order <= 6:
        raise OptionError(f"the order of a language model lies between 1 and 6, not at {order}")
    held: list[tuple[str, ...]] = []

    def learnt() -> Iterator[tuple[str, ...]]:
        for path in paths:
            for line, tokens in read_sentences(path, raw=raw):
                if hold_out and line // BLOCK_LINES % 10 == 9:
                    held.append(tokens)
                else:
                    yield tokens

    model = LanguageModel.train(
        learnt(), order=order, max_words=max_words, prune=prune, about=about
    )
    model.save(output)
    if arpa is not None:
        write_arpa(model, arpa)
    rows: list[tuple[str, float | None]] = [
        ("words learnt from", model.about["words"]),
        ("vocabulary", len(model.words)),
        *((f"{n}-grams", len(o.keys)) for n, o in enumerate(model.orders, start=1)),
    ]
    if held:
        rows += [
            ("held-out words", sum(map(len, held))),
            ("held-out perplexity", model.perplexity(held)),
        ]
    learnt_from: list[str | bytes] = [*model.words]
    learnt_from += [o.log_probability.tobytes() for o in model.orders]
    return rows, fingerprint(learnt_from)


def _quantities(
    detector: str, rows: Sequence[tuple[str, float | None]], signature: dict[str, Any]
) -> Table:
    columns = (Column("detector"), Column("quantity"), Column("value", "count"))
    return make_table(
        columns,
        ({"detector": detector, "quantity": name, "value": value} for name, value in rows),
        signature=signature,
        title=f"Trained: {detector}",
        notes=["held out: the last 200 of every 2000 lines of each text"],
    )


def run_detector(
    text: PathLike | Corpus,
    output: PathLike,
    *,
    model: PathLike = "maxent",
    to: OutputForm | None = None,
    raw: bool = False,
    confusion: float | None = None,
    extraneous: float | None = None,
    tune: PathLike | Corpus | None = None,
    precision: float = 0.8,
    types: str | Collection[str] = (),
    analyser: str = "embedded",
) -> Table:
    """Find preposition errors in a text and write them.

    Args:
        text: sentences, one a line (or any corpus format: its sources are examined).
        output: the file to write; ``-`` for standard output.
        model: ``maxent`` or ``lm`` for those that come with redink, or the file of a model.
        to: ``m2`` (edits), ``ged-tsv`` or ``jsonl`` (flags and probabilities for all tokens); by
            default told by the suffix of ``output``, else M2.
        raw: the text is raw and must be tokenised.
        confusion: above this confidence a wrong preposition is marked.
        extraneous: above this confidence an extraneous preposition is marked.
        tune: an annotated corpus: choose the thresholds that reach ``precision`` on it.
        precision: what tuning aims at.
        types: while tuning, only edits of these types are errors (``PREP`` or a full name); by
            default all are.
        analyser: gives tags and lemmas.

    Returns:
        A table with the columns ``kind, threshold, prepositions, marked``.
    """
    form = to or _told_by_name(output)
    if form not in OUTPUT_FORMS:
        raise OptionError(f"there is no output {form!r}; there are: {', '.join(OUTPUT_FORMS)}")
    if types and tune is None:
        raise OptionError("types of errors are for tuning; give a corpus to tune on")
    tagger = load_analyser(analyser)
    detector = load_detector(model, tagger)
    thresholds: Thresholds = dict(detector.thresholds)
    notes = [f"model: {model_path(model).name}"]
    if tune is not None:
        gold = load_corpus(tune).sentences
        found = detector.examine([sentence.source.tokens for sentence in gold])
        wanted = [types] if isinstance(types, str) else types
        thresholds, told = tune_thresholds(gold, found, precision, types=wanted)
        notes += told
    for kind, given in zip(KINDS, (confusion, extraneous), strict=True):
        if given is not None:
            if not 0 <= given <= 1:
                raise OptionError(f"a threshold lies between 0 and 1, not at {given}")
            thresholds[kind] = given
    sentences = _sentences(text, raw=raw)
    findings = detector.examine([sentence.tokens for sentence in sentences])
    if not any(findings):
        warnings.warn(
            "none of the 34 prepositions occurs in the text; there was nothing to examine",
            RedinkWarning,
            stacklevel=2,
        )
    _write(sentences, findings, thresholds, output, form)
    rows = [
        {
            "kind": kind,
            "threshold": thresholds[kind],
            "prepositions": sum(f.kind == kind for found in findings for f in found),
            "marked": sum(
                f.kind == kind and is_marked(f, thresholds) for found in findings for f in found
            ),
        }
        for kind in KINDS
        if kind in thresholds
    ]
    columns = (
        Column("kind"),
        Column("threshold", "rate"),
        Column("prepositions", "count"),
        Column("marked", "count"),
    )
    notes.append("prepositions: those whose likeliest error is of this kind; marked: above")
    notes[-1] += " the threshold"
    signature = make_signature(
        "detect run",
        model=model_path(model).name,
        thresholds=thresholds,
        to=form,
        analyser=tagger.name,
        pipeline=tagger.version,
        data=fingerprint(str(sentence) for sentence in sentences),
    )
    return make_table(columns, rows, notes=notes, signature=signature, title="Preposition errors")


def _sentences(text: PathLike | Corpus, *, raw: bool) -> list[Sentence]:
    if raw and not isinstance(text, Corpus):
        return [Sentence(tokens) for _, tokens in read_sentences(text, raw=True)]
    return [sentence.source for sentence in load_corpus(text).sentences]


def _told_by_name(output: PathLike) -> OutputForm:
    suffix = Path(output).suffix
    return "ged-tsv" if suffix == ".tsv" else "jsonl" if suffix == ".jsonl" else "m2"


def _write(
    sentences: Sequence[Sentence],
    findings: Sequence[Sequence[Finding]],
    thresholds: Thresholds,
    output: PathLike,
    form: OutputForm,
) -> None:
    values: list[Any]
    if form == "m2":
        values = [
            AnnotatedSentence(s, (Annotation(_SYSTEM, to_edits(s.tokens, found, thresholds)),))
            for s, found in zip(sentences, findings, strict=True)
        ]
    else:
        values = [
            to_detection(sentence.tokens, found, thresholds)
            for sentence, found in zip(sentences, findings, strict=True)
            if sentence.tokens
        ]
    with write_atomically(output) as stream:
        get_format(form, kind="corpus" if form == "m2" else "detections").write(values, stream)


def to_detection(
    tokens: Sequence[str], findings: Sequence[Finding], thresholds: Thresholds
) -> Detection:
    """Flags and probabilities for all tokens; a token that is no preposition has 0."""
    flags = [False] * len(tokens)
    likely = [0.0] * len(tokens)
    for finding in findings:
        flags[finding.index] = is_marked(finding, thresholds)
        if finding.kind in thresholds:
            likely[finding.index] = round(finding.confidence, 9)
    return Detection(tuple(tokens), tuple(flags), tuple(likely))


__all__ = ["run_detector", "to_detection", "train_detector"]
