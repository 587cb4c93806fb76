"""The reference detectors: train them, run them, try them in a cloze test, and mine for errors."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from redink.analysis.language import EMBEDDED, load_analyser
from redink.detectors.arpa import write_arpa
from redink.detectors.classifier import (
    PrepositionClassifier,
    Task,
    load_classifier,
    train_classifier,
)
from redink.detectors.cloze import (
    ClozeItem,
    adjusted_accuracy,
    compare_fillers,
    make_items,
    score_prepositions,
)
from redink.detectors.detector import (
    Finding,
    is_marked,
    load_detector,
    model_path,
    to_detection,
    to_edits,
    tune_thresholds,
)
from redink.detectors.events import BLOCK_LINES, Events, collect_events, join_events, read_sentences
from redink.detectors.language_model import LanguageModel
from redink.detectors.mining import (
    Candidate,
    count_text,
    find_candidates,
    find_trigrams,
    read_counts,
)
from redink.detectors.prepositions import KINDS, NOTHING, Kind, Thresholds
from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.files import STANDARD_STREAM, write_atomically
from redink.formats import get_format
from redink.formats.delimited import COMMA, write_rows
from redink.formats.inputs import JudgmentsLike, PathLike, load_corpus, load_judgments
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Column,
    Corpus,
    Sentence,
    Shown,
    Table,
    fingerprint,
    make_signature,
    make_table,
    table_of,
)
from redink.options import Flag, Limits, NotNegative, Positive, Seed, Share, use_case

DetectorName = Literal["maxent", "perceptron", "lm"]
OutputForm = Literal["m2", "ged-tsv", "jsonl"]
ModelLike = Annotated[PathLike, Flag(value="NAME|FILE")]
AnalyserName = Annotated[str, Flag(value="NAME")]
Raw = Annotated[bool | None, Flag(off="tokenised")]
_SYSTEM = "0"


# ---- training


@dataclass(frozen=True)
class _Quantity:
    """What is known of a detector that was trained."""

    detector: str
    quantity: str
    value: Annotated[float | None, Shown("count")]


@use_case
def train_detector(
    texts: Annotated[PathLike | Sequence[PathLike], Flag(many=True)],
    output: Annotated[PathLike, Flag(name="model", short="o")],
    *,
    detector: DetectorName = "maxent",
    task: Task | None = None,
    hold_out: Annotated[bool, Flag(name="hold-out", off="all")] = True,
    max_events: Positive | None = None,
    max_features: Positive | None = 2_000_000,
    min_count: Positive = 2,
    passes: Positive = 3,
    order: Annotated[int, Limits(1, 6)] = 4,
    max_words: Positive | None = None,
    prune: Annotated[Sequence[int], Flag(repeat=True)] = (),
    arpa: PathLike | None = None,
    raw: Raw = None,
    analyser: AnalyserName = EMBEDDED,
    seed: Seed = 1,
) -> Table:
    """Train a detector on well-formed text.

    TEXT is one tokenised sentence or one raw paragraph a line; gzip is seen through. The table
    says how the model does on held-out text.

    Args:
        texts: files of tokenised sentences, or of raw paragraphs, one a line.
        output: the model's file.
        detector: what to train.
        task: what a classifier learns. By default choice; extraneous for the perceptron.
        hold_out: measure on a tenth of the text that is not learnt from, or learn from all. By
            default a tenth is held out.
        max_events: learn from so many places only. By default all.
        max_features: the most frequent features; fewer make a smaller model.
        min_count: features that occur less often are not learnt.
        passes: how often the events are gone through.
        order: ``lm``: the longest n-grams.
        max_words: ``lm``: the most frequent words alone. By default all.
        prune: ``lm``: drop n-grams that occur so often or less; once for each order from the
            first.
        arpa: ``lm``: write it here too, in the ARPA format.
        raw: raw paragraphs, or tokenised sentences. By default told by the first lines.
        analyser: gives tags and lemmas: ``embedded``, or ``spacy:NAME``.
        seed: of everything random: same seed, same output.

    Returns:
        A table with the columns ``detector, quantity, value``.
    """
    if arpa is not None and detector != "lm":
        raise OptionError("only a language model (lm) can be written in the ARPA format")
    paths = [texts] if isinstance(texts, str | Path) else list(texts)
    about = {"text": [Path(path).name for path in paths]}
    parts: dict[str, Any]
    if detector == "lm":
        held: list[tuple[str, ...]] = []
        sentences = (pair for path in paths for pair in read_sentences(path, raw=raw))
        model = LanguageModel.train(
            _split(sentences, held) if hold_out else (tokens for _, tokens in sentences),
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
        tagger = load_analyser(analyser)
        rng = np.random.default_rng(seed)
        events = join_events(
            [collect_events(read_sentences(path, raw=raw), tagger, rng=rng) for path in paths]
        )
        used, unused = events.split() if hold_out else (events, None)
        if max_events is not None and len(used) > max_events:
            used = used.select(np.sort(rng.choice(len(used), max_events, replace=False)))
        learning: dict[str, Any] = {
            "task": task or ("extraneous" if detector == "perceptron" else "choice"),
            "passes": passes,
            "min_count": min_count,
            "max_features": max_features,
        }
        provenance = {**about, "analyser": tagger.version, "seed": seed}
        classifier = train_classifier(used, learner=detector, rng=rng, about=provenance, **learning)
        classifier.save(output)
        quantities = _describe_classifier(classifier, used, unused)
        parts = {
            **learning,
            "max_events": max_events,
            "analyser": tagger.name,
            "pipeline": tagger.version,
            "seed": seed,
            "data": fingerprint([events.atoms.tobytes(), events.labels.tobytes()]),
        }
    return table_of(
        [_Quantity(detector, name, value) for name, value in quantities],
        signature=make_signature("detect train", detector=detector, **parts),
        title=f"Trained: {detector}",
        notes=["held out: the last 200 of every 2000 lines of each text"],
    )


def _split(
    sentences: Iterable[tuple[int, tuple[str, ...]]], held: list[tuple[str, ...]]
) -> Iterator[tuple[str, ...]]:
    """The sentences to learn from; the last of every ten blocks of lines is held out."""
    for line, tokens in sentences:
        if line // BLOCK_LINES % 10 == 9:
            held.append(tokens)
        else:
            yield tokens


def _describe_language_model(
    model: LanguageModel, held: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, float | None]]:
    yield "words learnt from", model.about["words"]
    yield "vocabulary", len(model.words)
    yield from ((f"{n}-grams", len(o.keys)) for n, o in enumerate(model.orders, start=1))
    if held:
        yield "held-out words", sum(map(len, held))
        yield "held-out perplexity", model.perplexity(held)


def _describe_classifier(
    classifier: PrepositionClassifier, learnt: Events, held: Events | None
) -> Iterator[tuple[str, float | None]]:
    yield "prepositions learnt from", int((learnt.labels != NOTHING).sum())
    yield "places without one", int((learnt.labels == NOTHING).sum())
    yield "features", len(classifier.linear.keys)
    if held is None or not len(held):
        return
    if classifier.task == "extraneous":
        guess = classifier.linear.scores(held.atoms).argmax(axis=1) == NOTHING
        truth = held.labels == NOTHING
        yield "held-out places", len(held)
        yield "held-out accuracy", float((guess == truth).mean())
        yield "majority accuracy", float(max(truth.mean(), 1 - truth.mean()))
        return
    test = held.prepositions
    if not len(test):
        return
    right = classifier.choose(test.atoms) == test.labels
    usual = np.bincount(learnt.labels[learnt.labels != NOTHING]).argmax()
    strict = float(right[test.strict].mean()) if test.strict.any() else None
    yield "held-out prepositions", len(test)
    yield "held-out accuracy", float(right.mean())
    yield "majority accuracy", float((test.labels == usual).mean())
    yield "held-out accuracy where tagged as preposition", strict


# ---- running


@dataclass(frozen=True)
class _Marked:
    """How many prepositions were marked as errors of one kind."""

    kind: Kind
    threshold: float
    prepositions: int
    marked: int


@use_case
def run_detector(
    text: PathLike | Corpus,
    output: Annotated[PathLike | None, Flag(short="o")] = None,
    *,
    to: OutputForm | None = None,
    model: ModelLike = "maxent",
    confusion: Share | None = None,
    extraneous: Share | None = None,
    tune: Annotated[PathLike | Corpus | None, Flag(value="M2")] = None,
    precision: Annotated[float, Limits(0, 1, low_open=True)] = 0.8,
    types: Annotated[str | Collection[str], Flag(many=True, value="TYPE,...")] = (),
    raw: bool = False,
    analyser: AnalyserName = EMBEDDED,
) -> Table:
    """Find preposition errors in TEXT and write them as M2, GED TSV or JSONL.

    Args:
        text: sentences, one a line, or any corpus format: its sources are examined.
        output: write the errors here, and a summary to stdout. By default the errors to stdout.
        to: M2 edits, or flags and probabilities for all tokens. By default by the suffix of the
            output, else M2.
        model: ``maxent`` or ``lm``, which come with redink, or a trained model.
        confusion: mark wrong prepositions above this confidence. By default the model's.
        extraneous: mark extraneous ones above this confidence. By default the model's.
        tune: choose the thresholds on this corpus.
        precision: what tuning aims at.
        types: while tuning, only edits of these types are errors, as PREP. By default all.
        raw: the text is raw: split it into sentences and tokens.
        analyser: gives tags and lemmas: ``embedded``, or ``spacy:NAME``.

    Returns:
        A table with the columns ``kind, threshold, prepositions, marked``.
    """
    if types and tune is None:
        raise OptionError("types of errors are for tuning; give a corpus to tune on")
    form = to or _told_by_name(output)
    tagger = load_analyser(analyser)
    detector = load_detector(model, tagger)
    thresholds: Thresholds = dict(detector.thresholds)
    notes = [f"model: {model_path(model).name}"]
    if tune is not None:
        annotated = load_corpus(tune).sentences
        found = detector.examine([sentence.source.tokens for sentence in annotated])
        wanted = [types] if isinstance(types, str) else types
        thresholds, told = tune_thresholds(annotated, found, precision, types=wanted)
        notes += told
    given = {"confusion": confusion, "extraneous": extraneous}
    thresholds |= {kind: value for kind in KINDS if (value := given[kind]) is not None}
    sentences = _sentences(text, raw=raw)
    findings = detector.examine([sentence.tokens for sentence in sentences])
    if not any(findings):
        warnings.warn(
            "none of the 34 prepositions occurs in the text; there was nothing to examine",
            RedinkWarning,
            stacklevel=3,
        )
    _write(sentences, findings, thresholds, STANDARD_STREAM if output is None else output, form)
    rows = []
    for kind in (kind for kind in KINDS if kind in thresholds):
        own = [finding for found in findings for finding in found if finding.kind == kind]
        marked = sum(is_marked(finding, thresholds) for finding in own)
        rows.append(_Marked(kind, thresholds[kind], len(own), marked))
    notes.append(
        "prepositions: those whose likeliest error is of this kind; marked: above the threshold"
    )
    signature = make_signature(
        "detect run",
        model=model_path(model).name,
        thresholds=thresholds,
        to=form,
        analyser=tagger.name,
        pipeline=tagger.version,
        data=fingerprint(str(sentence) for sentence in sentences),
    )
    return table_of(rows, _Marked, notes=notes, signature=signature, title="Preposition errors")


def _sentences(text: PathLike | Corpus, *, raw: bool) -> list[Sentence]:
    if raw and not isinstance(text, Corpus):
        return [Sentence(tokens) for _, tokens in read_sentences(text, raw=True)]
    return [sentence.source for sentence in load_corpus(text).sentences]


def _told_by_name(output: PathLike | None) -> OutputForm:
    suffix = Path(output or "").suffix
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


# ---- the cloze test, and the choice test after it


@use_case
def cloze(
    text: PathLike,
    *,
    model: ModelLike = "maxent",
    items: NotNegative = 200,
    show: Literal["agreement", "prepositions", "confusion"] = "agreement",
    fillers: JudgmentsLike | None = None,
    answers: JudgmentsLike | None = None,
    blanks: PathLike | None = None,
    choice_test: PathLike | None = None,
    raw: Raw = None,
    analyser: AnalyserName = EMBEDDED,
    seed: Seed = 1,
) -> Table:
    """Blank prepositions of well-formed TEXT: who puts back what the writer wrote?

    The same TEXT, --items and --seed give the same blanks.

    Args:
        text: tokenised sentences, or raw paragraphs.
        model: ``maxent``, which comes with redink, or a model trained for choice.
        items: blanks, one a sentence, drawn at random; 0 for every preposition.
        show: everyone with everyone; F of each preposition; or the matrix.
        fillers: what people put into the blanks (item, judge, label).
        answers: answers to the choice test: they give the adjusted accuracy.
        blanks: write the blanks here, for people to fill.
        choice_test: write mismatches here, for a campaign.
        raw: raw paragraphs, or tokenised sentences. By default told by the first lines.
        analyser: gives tags and lemmas: ``embedded``, or ``spacy:NAME``.
        seed: of everything random: same seed, same output.

    Returns:
        A table; for ``agreement`` with the columns ``first, second, items, agreement, kappa``.
    """
    sentences = [tokens for _, tokens in read_sentences(text, raw=raw)]
    if not sentences:
        raise FormatError("is empty; sentences were expected", path=text)
    tagger = load_analyser(analyser)
    rng = np.random.default_rng(seed)
    classifier = load_classifier(model_path(model))
    made = make_items(sentences, classifier, tagger, count=items, rng=rng)
    if blanks is not None:
        _write_items(blanks, ((item, _blank(item)) for item in made))
    if choice_test is not None:
        wrong = [item for item in made if item.written != item.chosen]
        if not wrong:
            raise DataError("the system agrees with the text everywhere; there is no mismatch")
        # The writer's word must not always be the first.
        turned = rng.random(len(wrong)) < 0.5
        words = (
            (item.chosen, item.written) if turn else (item.written, item.chosen)
            for item, turn in zip(wrong, turned, strict=True)
        )
        _write_items(
            choice_test,
            ((i, " ".join(i.tokens), "|".join(w)) for i, w in zip(wrong, words, strict=True)),
            "choices",
        )
    notes = [_describe_accuracy(made)]
    if answers is not None:
        judged = adjusted_accuracy(made, load_judgments(answers))
        notes += [
            f"{judge} finds the system's word equal or better in {good} of {count} mismatches: "
            f"adjusted accuracy {adjusted:.4f}"
            for judge, (count, good, adjusted) in judged.items()
        ]
    signature = make_signature(
        "detect cloze",
        model=model_path(model).name,
        items=items,
        analyser=tagger.name,
        pipeline=tagger.version,
        seed=seed,
        data=fingerprint(" ".join(s) for s in sentences),
    )
    how: dict[str, Any] = {"signature": signature, "title": f"Cloze test: {show}"}
    if show == "confusion":
        return _confusion(made, notes, how)
    if show == "agreement":
        fillings = compare_fillers(made, () if fillers is None else load_judgments(fillers))
        if any(row.kappa is None for row in fillings):
            notes.append("kappa is undefined where both always give the same word")
        return table_of(fillings, notes=notes, **how)
    scores = score_prepositions(made)
    if any(row.precision is None or row.recall is None for row in scores):
        notes.append(
            "precision is undefined where a preposition is never chosen, recall where it is never "
            "written"
        )
    return table_of(scores, notes=notes, **how)


def _describe_accuracy(items: Sequence[ClozeItem]) -> str:
    ((usual, count),) = Counter(item.written for item in items).most_common(1)
    right = sum(item.written == item.chosen for item in items)
    return (
        f"{len(items)} blanks: accuracy {right / len(items):.4f}; always {usual!r} "
        f"(majority): {count / len(items):.4f}"
    )


def _blank(item: ClozeItem) -> str:
    return " ".join("____" if at == item.index else t for at, t in enumerate(item.tokens))


def _write_items(
    path: PathLike, rows: Iterable[tuple[ClozeItem, str, *tuple[str, ...]]], *further: str
) -> None:
    """The items for people: where the preposition is in the text, and what else they are told."""
    with write_atomically(path) as stream:
        write_rows(
            ("item", "text", "start", "end", *further),
            (
                (item.key, text, str(item.index), str(item.index + 1), *more)
                for item, text, *more in rows
            ),
            stream,
            COMMA,
        )


def _confusion(items: Sequence[ClozeItem], notes: Sequence[str], how: dict[str, Any]) -> Table:
    """What was written (rows) and chosen (columns)."""
    words = [score.preposition for score in score_prepositions(items)]
    pairs = Counter((item.written, item.chosen) for item in items)
    return make_table(
        [Column("written"), *(Column(word, "count") for word in words)],
        [{"written": own, **{other: pairs[own, other] for other in words}} for own in words],
        notes=[*notes, "rows: what was written; columns: what the system chose"],
        **how,
    )


# ---- mining


@use_case
def mine(
    text: PathLike,
    *,
    counts_from: PathLike | None = None,
    counts: PathLike | None = None,
    min_bigram: Positive = 5,
    max_ratio: Annotated[float, Limits(0)] = 0.01,
    top: NotNegative = 100,
    raw: Raw = None,
) -> Table:
    """Find trigrams in TEXT whose middle preposition may be extraneous, by counts.

    Args:
        text: where to look for candidates.
        counts_from: a large text of good English to count in.
        counts: counts: an n-gram, a tab and a number a line, as Web 1T has them.
        min_bigram: how often the words without the preposition must occur.
        max_ratio: with the preposition they occur at most so often for each time without.
        top: how many candidates to show; 0 for all.
        raw: raw paragraphs, or tokenised sentences. By default told by the first lines.

    Returns:
        A table with the columns ``trigram, trigram_count, bigram_count, ratio, occurrences,
        sentence, token, example``.
    """
    if (counts_from is None) == (counts is None):
        raise OptionError("give a large text to count in, or a file of counts, and only one")
    sentences = [tokens for _, tokens in read_sentences(text, raw=raw)]
    trigrams = find_trigrams(sentences)
    if not trigrams:
        raise DataError(f"{text}: none of the 34 prepositions stands between two words there")
    if counts is not None:
        counted = read_counts(counts, trigrams)
    else:
        assert counts_from is not None
        counted = count_text((tokens for _, tokens in read_sentences(counts_from)), trigrams)
    if not counted:
        warnings.warn(
            f"{counts or counts_from}: none of these words stand together there; "
            "there is nothing to compare",
            RedinkWarning,
            stacklevel=3,
        )
    limits: dict[str, Any] = {"min_bigram": min_bigram, "max_ratio": max_ratio}
    found = find_candidates(sentences, trigrams, counted, **limits)
    notes = [
        f"{len(found)} of {len(trigrams)} trigrams with a preposition are candidates",
        f"without it the words occur {min_bigram} times or more",
        f"with it they occur at most {max_ratio:g} times as often",
        "sentence (from 1) and token (from 0): the first occurrence; people must judge it",
    ]
    signature = make_signature(
        "detect mine",
        **limits,
        data=fingerprint(" ".join(tokens) for tokens in sentences),
        counts=fingerprint(f"{' '.join(k)} {v}" for k, v in sorted(counted.items())),
    )
    title = "Candidate extraneous prepositions"
    return table_of(found[: top or None], Candidate, notes=notes, signature=signature, title=title)
