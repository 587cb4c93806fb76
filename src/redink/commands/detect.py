"""Train and run the reference detectors."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.analysis.annotation_options import EMBEDDED
from redink.analysis.language import load_analyzer
from redink.detectors.classifier import PrepositionClassifier, Task, train_classifier
from redink.detectors.detector import (
    Decision,
    PrepositionFinding,
    is_marked,
    load_detector,
    model_path,
    to_detection,
    to_edits,
    tune_thresholds,
)
from redink.detectors.features import (
    BLOCK_LINES,
    CLASSES,
    HELD_OUT,
    KINDS,
    OTHER,
    Events,
    Kind,
    Thresholds,
    collect_events,
    is_held_out,
    join_events,
    read_sentences,
)
from redink.detectors.language_model import NgramModel, write_arpa
from redink.detectors.rules import DEFAULT_RULES, RuleName, apply_rules
from redink.errors import OptionError, RedinkWarning
from redink.files import STANDARD_STREAM, write_atomically
from redink.formats import get_format
from redink.inputs.input_options import PathLike
from redink.inputs.text_loading import load_corpus
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Corpus,
    Sentence,
    Shown,
    Table,
    fingerprint,
    make_signature,
    table_of,
)
from redink.options import Flag, Limits, Needs, Positive, Seed, Share, command

DetectorName = Literal["maxent", "perceptron", "lm"]
OutputForm = Literal["m2", "ged-tsv", "jsonl"]
ModelLike = Annotated[PathLike, Flag(value="NAME|FILE")]
AnalyzerName = Annotated[str, Flag(value="NAME")]
Raw = Annotated[bool | None, Flag(off="tokenized")]
_SYSTEM = "0"
Learnt = Needs(detector=("maxent", "perceptron"))
Counted = Needs(detector="lm")


@dataclass(frozen=True)
class _Quantity:
    """A property of a trained detector."""

    detector: str
    quantity: str
    value: Annotated[float | None, Shown("count")]


@command
def train_detector(
    texts: Annotated[PathLike | Sequence[PathLike], Flag(many=True)],
    output: Annotated[PathLike, Flag(name="model", short="o", writes=True)],
    *,
    detector: DetectorName = "maxent",
    task: Annotated[Task | None, Learnt] = None,
    prepositions: Annotated[Sequence[str], Flag(value="WORD,..."), Learnt] = (),
    other: Annotated[bool, Needs(prepositions=True)] = False,
    one_vs_rest: Annotated[bool, Needs(detector="maxent")] = False,
    hold_out: Annotated[bool, Flag(name="hold-out", off="all")] = True,
    held_out_share: Annotated[Share, Limits(0, 1, low_open=True, high_open=True)] = HELD_OUT,
    max_events: Annotated[Positive | None, Learnt] = None,
    max_features: Annotated[Positive | None, Learnt] = 2_000_000,
    min_count: Annotated[Positive, Learnt] = 2,
    epochs: Annotated[Positive, Learnt] = 3,
    order: Annotated[int, Limits(1, 6), Counted] = 4,
    max_words: Annotated[Positive | None, Counted] = None,
    prune: Annotated[Sequence[int], Flag(repeat=True), Counted] = (),
    arpa: Annotated[PathLike | None, Flag(writes=True), Counted] = None,
    raw: Raw = None,
    analyzer: AnalyzerName = EMBEDDED,
    seed: Seed = 1,
) -> Table:
    """Train an error detector on well-formed text.

    TEXT has one tokenized sentence or one raw paragraph per line; it can be compressed (gzip). The
    table shows the accuracy on held-out text.

    Args:
        texts: files of tokenized sentences, or of raw paragraphs, one per line.
        output: model file to write.
        detector: detector to train.
        task: task of the classifier. By default choice; extraneous for the perceptron.
        prepositions: prepositions to choose among. By default 34 common ones.
        other: add a class for those of the 34 that --prepositions does not name.
        one_vs_rest: train an independent binary classifier for each preposition.
        hold_out: hold out a part of the text for evaluation, or train on all of it. By default a
            part is held out.
        held_out_share: the share of the text that is held out, in blocks of 200 lines.
        max_events: maximum number of training events. By default all.
        max_features: maximum number of features; a smaller number makes a smaller model.
        min_count: minimum count of a feature.
        epochs: number of training epochs.
        order: ``lm``: length of the longest n-grams.
        max_words: ``lm``: size of the vocabulary. By default all words.
        prune: ``lm``: drop n-grams with at most this count; repeat it for each n-gram order,
            starting with 1.
        arpa: ``lm``: also write the model to this file, in the ARPA format.
        raw: read raw paragraphs, or tokenized sentences. By default detected from the first lines.
        analyzer: analyzer for tags and lemmas: ``embedded``, or ``spacy:NAME``.
        seed: random seed.

    Returns:
        A table with the columns ``detector, quantity, value``.
    """
    paths = [texts] if isinstance(texts, str | Path) else list(texts)
    about = {"text": [Path(path).name for path in paths]}
    parts: dict[str, Any]
    if detector == "lm":
        held: list[tuple[str, ...]] = []
        sentences = (pair for path in paths for pair in read_sentences(path, raw=raw))
        model = NgramModel.train(
            _split(sentences, held, held_out_share if hold_out else 0.0),
            order=order,
            max_words=max_words,
            prune=tuple(prune),
            about=about,
        )
        model.save(output)
        if arpa is not None:
            write_arpa(model, arpa)
        quantities = _describe_language_model(model, held)
        arrays = [each.log_probability.tobytes() for each in model.orders]
        parts = {
            "order": order,
            "max_words": max_words,
            "prune": list(prune) or None,
            "data": fingerprint([*model.words, *arrays]),
        }
    else:
        tagger = load_analyzer(analyzer)
        rng = np.random.default_rng(seed)
        classes = _name_classes(prepositions, other=other)
        events = join_events(
            [
                collect_events(read_sentences(path, raw=raw), tagger, rng=rng, classes=classes)
                for path in paths
            ]
        )
        used, unused = events.split(held_out_share) if hold_out else (events, None)
        if max_events is not None and len(used) > max_events:
            used = used.select(np.sort(rng.choice(len(used), max_events, replace=False)))
        learning: dict[str, Any] = {
            "task": task or ("extraneous" if detector == "perceptron" else "choice"),
            "passes": epochs,
            "min_count": min_count,
            "max_features": max_features,
            "one_vs_rest": one_vs_rest,
        }
        provenance = {**about, "analyzer": tagger.version, "seed": seed}
        classifier = train_classifier(used, learner=detector, rng=rng, about=provenance, **learning)
        classifier.save(output)
        quantities = _describe_classifier(classifier, used, unused)
        parts = {
            **learning,
            "one_vs_rest": one_vs_rest or None,
            "prepositions": ",".join(classes) if prepositions else None,
            "max_events": max_events,
            "analyzer": tagger.name,
            "pipeline": tagger.version,
            "seed": seed,
            "data": fingerprint([events.atoms.tobytes(), events.labels.tobytes()]),
        }
    return table_of(
        [_Quantity(detector, name, value) for name, value in quantities],
        signature=make_signature("detector train", detector=detector, **parts),
        title=f"Trained: {detector}",
        notes=[f"Held out: {held_out_share:g} of each text, in blocks of 200 lines."]
        if hold_out
        else [],
    )


def _name_classes(prepositions: Sequence[str], *, other: bool) -> tuple[str, ...]:
    words = tuple(word.strip().lower() for word in prepositions)
    if any(not word or " " in word for word in words) or len(set(words)) < len(words):
        raise OptionError("--prepositions needs different single words, such as in,on,at")
    return (*words, *((OTHER,) if other else ()), "") if words else CLASSES


def _split(
    sentences: Iterable[tuple[int, tuple[str, ...]]], held: list[tuple[str, ...]], share: float
) -> Iterator[tuple[str, ...]]:
    for line, tokens in sentences:
        if is_held_out(np.array(line // BLOCK_LINES, np.int32), share):
            held.append(tokens)
        else:
            yield tokens


def _describe_language_model(
    model: NgramModel, held: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, float | None]]:
    yield "words in training text", model.about["words"]
    yield "vocabulary", len(model.words)
    yield from ((f"{n}-grams", len(o.keys)) for n, o in enumerate(model.orders, start=1))
    if held:
        yield "held-out words", sum(map(len, held))
        yield "held-out perplexity", model.perplexity(held)


def _describe_classifier(
    classifier: PrepositionClassifier, learnt: Events, held: Events | None
) -> Iterator[tuple[str, float | None]]:
    yield "prepositions in training text", len(learnt.prepositions)
    yield "positions without a preposition", len(learnt) - len(learnt.prepositions)
    yield "features", len(classifier.linear.keys)
    if held is None or not len(held):
        return
    if classifier.task == "extraneous":
        guess = classifier.linear.scores(held.atoms).argmax(axis=1) == held.nothing
        truth = held.labels == held.nothing
        yield "held-out places", len(held)
        yield "held-out accuracy", float((guess == truth).mean())
        yield "majority accuracy", float(max(truth.mean(), 1 - truth.mean()))
        return
    test = held.prepositions
    if len(test):
        right = classifier.choose(test.atoms) == test.labels
        usual = np.bincount(learnt.prepositions.labels).argmax()
        yield "held-out prepositions", len(test)
        yield "held-out accuracy", float(right.mean())
        yield "majority accuracy", float((test.labels == usual).mean())
        strict = float(right[test.strict].mean()) if test.strict.any() else None
        yield "held-out accuracy where tagged as preposition", strict
        if classifier.one_vs_rest:
            decided = classifier.linear.scores(test.atoms) > 0
            for number, word in enumerate(classifier.classes[:-1]):
                accuracy = (decided[:, number] == (test.labels == number)).mean()
                yield f"held-out accuracy of {word} or not", float(accuracy)


@dataclass(frozen=True)
class _Marked:
    """The number of prepositions marked as errors of one kind."""

    kind: Kind
    threshold: float
    prepositions: int
    marked: int


@dataclass(frozen=True)
class _RuleEffect:
    """The prepositions to which a rule or filter applies, and the marks it adds or removes."""

    rule: str
    applies: int
    added: int
    removed: int


@command
def run_detector(
    text: PathLike | Corpus,
    output: Annotated[PathLike | None, Flag(short="o", writes=True)] = None,
    *,
    to: OutputForm | None = None,
    model: ModelLike = "maxent",
    decision: Decision = "channel",
    rules: RuleName | Sequence[RuleName] = DEFAULT_RULES,
    show: Literal["kinds", "rules"] = "kinds",
    confusion: Share | None = None,
    extraneous: Share | None = None,
    tune: Annotated[PathLike | Corpus | None, Flag(value="M2")] = None,
    precision: Annotated[float, Limits(0, 1, low_open=True), Needs(tune=True)] = 0.8,
    min_support: Annotated[Positive, Needs(tune=True)] = 20,
    lower_bound: Annotated[bool, Needs(tune=True)] = False,
    types: Annotated[
        str | Collection[str], Flag(many=True, value="TYPE,..."), Needs(tune=True)
    ] = (),
    raw: bool = False,
    analyzer: AnalyzerName = EMBEDDED,
) -> Table:
    """Find preposition errors in TEXT and write them as M2, GED TSV or JSONL.

    Args:
        text: text with one sentence per line, or a corpus in any format (its sources are read).
        output: output file of the errors. By default stdout, without a summary.
        to: output format: M2 edits, or flags and probabilities of all tokens. By default detected
            from the suffix of the output, else M2.
        model: bundled model (``maxent`` or ``lm``), the file of a trained model, or a language
            model in ARPA format (of KenLM, SRILM).
        decision: confidence of a classifier: the noisy-channel model, or the difference between
            the probabilities of the best and the written preposition (Tetreault and Chodorow).
        rules: rules that mark extraneous prepositions (repeated, quantifier), and filters that
            remove marks (spelling, antonym, benefactive, clause); or none.
        show: marks of each kind, or the effect of each rule and filter.
        confusion: mark wrong prepositions above this confidence. By default the model's threshold.
        extraneous: mark extraneous prepositions above this confidence. By default the model's
            threshold.
        tune: choose the thresholds on this corpus.
        precision: minimum precision to reach by tuning.
        min_support: minimum number of marked prepositions of each kind in tuning.
        lower_bound: require that the lower bound of the 95% interval reaches the precision.
        types: error types that count as errors in tuning, such as PREP. By default all.
        raw: split raw text into sentences and tokens.
        analyzer: analyzer for tags and lemmas: ``embedded``, or ``spacy:NAME``.

    Returns:
        A table with the columns ``kind, threshold, prepositions, marked``; for ``rules``, with the
        columns ``rule, applies, added, removed``.
    """
    forms: dict[str, OutputForm] = {".tsv": "ged-tsv", ".jsonl": "jsonl"}
    form = to or forms.get(Path(output or "").suffix, "m2")
    tagger = load_analyzer(analyzer)
    detector = load_detector(model, tagger, decision)
    named = [rules] if isinstance(rules, str) else list(rules)
    if "none" in named and len(named) > 1:
        raise OptionError("--rules none cannot be combined with other rules")
    thresholds: Thresholds = dict(detector.thresholds)
    notes = [f"model: {model_path(model).name}"]
    if tune is not None:
        annotated = load_corpus(tune).sentences
        tokens = [sentence.source.tokens for sentence in annotated]
        found, _ = apply_rules(named, tokens, detector.examine(tokens), thresholds, tagger)
        wanted = [types] if isinstance(types, str) else types
        least: dict[str, Any] = {"min_support": min_support, "lower_bound": lower_bound}
        thresholds, reached = tune_thresholds(annotated, found, precision, types=wanted, **least)
        notes += reached
    given = {"confusion": confusion, "extraneous": extraneous}
    thresholds |= {kind: value for kind in KINDS if (value := given[kind]) is not None}
    if raw and not isinstance(text, Corpus):
        sentences = [Sentence(tokens) for _, tokens in read_sentences(text, raw=True)]
    else:
        sentences = [sentence.source for sentence in load_corpus(text).sentences]
    texts = [sentence.tokens for sentence in sentences]
    findings, effects = apply_rules(named, texts, detector.examine(texts), thresholds, tagger)
    if not any(findings):
        warnings.warn(
            "the text contains none of the 34 prepositions; there was nothing to examine",
            RedinkWarning,
            stacklevel=3,
        )
    _write(sentences, findings, thresholds, STANDARD_STREAM if output is None else output, form)
    rows = []
    for kind in filter(thresholds.__contains__, KINDS):
        own = [finding for found in findings for finding in found if finding.kind == kind]
        marked = sum(is_marked(finding, thresholds) for finding in own)
        rows.append(_Marked(kind, thresholds[kind], len(own), marked))
    notes.append(
        "prepositions: number with this kind as the most likely error; marked: above threshold"
    )
    signature = make_signature(
        "detector run",
        model=model_path(model).name,
        decision=decision if decision != "channel" else None,
        rules=named,
        thresholds=thresholds,
        to=form,
        analyzer=tagger.name,
        pipeline=tagger.version,
        data=fingerprint(str(sentence) for sentence in sentences),
    )
    told = [_RuleEffect(name, *effect) for name, effect in effects.items()]
    if show == "rules":
        return table_of(told, _RuleEffect, notes=notes[:-1], signature=signature, title="Rules")
    changes = [f"{e.rule} adds {e.added}, removes {e.removed}" for e in told if e.applies]
    notes += [f"marks changed by rules: {' · '.join(changes)}"] if changes else []
    return table_of(rows, _Marked, notes=notes, signature=signature, title="Preposition errors")


def _write(
    sentences: Sequence[Sentence],
    findings: Sequence[Sequence[PrepositionFinding]],
    thresholds: Thresholds,
    output: PathLike,
    form: OutputForm,
) -> None:
    pairs = list(zip(sentences, findings, strict=True))
    values: list[Any]
    if form == "m2":
        values = [
            AnnotatedSentence(s, (Annotation(_SYSTEM, to_edits(s.tokens, found, thresholds)),))
            for s, found in pairs
        ]
    else:
        values = [to_detection(s.tokens, found, thresholds) for s, found in pairs if s.tokens]
    with write_atomically(output) as stream:
        get_format(form, kind="corpus" if form == "m2" else "detections").write(values, stream)
