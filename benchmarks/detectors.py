"""Benchmark the bundled detectors: accuracy, perplexity, speed, and results on learners' text.

    python benchmarks/detectors.py [--shared ../shared] [--cache DIR] [--only PART ...]
        [--kenlm DIR]

Parts: ``choice`` (accuracy among 34 prepositions on held-out blocks, with more and more events),
``lm`` (speed of training, perplexity beside KenLM's and NLTK's), ``conll`` (the three detectors on
CoNLL-2014, through ``redink detection``), ``memory`` (three million events). ``--cache`` keeps the
events and models between runs. ``--kenlm`` names the folder of KenLM's programs ``lmplz`` and
``query``; build them from the source package ``kenlm`` (cmake, Boost). Times are CPU time of this
process.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from redink.analysis.english.pipeline import default_analyzer
from redink.commands.annotate import annotate_corpus
from redink.commands.detect import run_detector
from redink.commands.detection import detection
from redink.detectors.classifier import train_classifier
from redink.detectors.detector import SHIPPED
from redink.detectors.features import (
    NOTHING,
    PREPOSITIONS,
    Events,
    collect_events,
    join_events,
    preposition_at,
    read_sentences,
)
from redink.detectors.language_model import NgramModel
from redink.errors import RedinkWarning
from redink.inputs import read_corpus
from redink.model import Corpus
from redink.statistics.intervals import wilson_interval

PARTS = ("choice", "lm", "conll", "memory")
_CURVE = (25_000, 100_000, 400_000, None)


def main() -> None:
    """Run the parts that are wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--kenlm", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    warnings.simplefilter("ignore", RedinkWarning)
    with tempfile.TemporaryDirectory() as scratch:
        cache = given.cache or Path(scratch)
        texts = [given.shared / "data/text" / f"{name}.txt.gz" for name in ("masc", "gutenberg")]
        for part in given.only:
            print(f"\n== {part}")
            if part == "lm":
                measure_language_model(texts, cache, given.kenlm)
            elif part == "conll":
                measure_conll(given.shared / "data/conll14", cache)
            elif part == "choice":
                measure_choice(load_events(texts, cache), cache)
            else:
                measure_memory(load_events(texts, cache))


def load_events(texts: list[Path], cache: Path) -> Events:
    """The events of the texts, kept for the next time."""
    file = cache / "events.npz"
    if not file.exists():
        rng = np.random.default_rng(1)
        started = time.process_time()
        analyzer = default_analyzer()
        events = join_events([collect_events(read_sentences(t), analyzer, rng=rng) for t in texts])
        print(f"{len(events)} events in {time.process_time() - started:.0f} s")
        np.savez(
            file,
            atoms=events.atoms,
            labels=events.labels,
            strict=events.strict,
            blocks=events.blocks,
        )
    with np.load(file) as arrays:
        return Events(**{name: arrays[name] for name in arrays.files})


def measure_choice(events: Events, cache: Path) -> None:
    """Accuracy on held-out blocks with more and more events; saves the largest models."""
    learnt, held = events.split()
    test = held.prepositions
    usual = np.bincount(learnt.prepositions.labels).argmax()
    majority = (test.labels == usual).mean()
    print(f"held out: {len(test)} prepositions; majority {PREPOSITIONS[usual]!r} {majority:.4f}")
    print("prepositions  features  accuracy  above majority  tagged IN or TO only  seconds")
    for size in _CURVE:
        rng = np.random.default_rng(1)
        some = learnt
        if size is not None:
            share = size / (learnt.labels != NOTHING).sum()
            some = learnt.select(rng.random(len(learnt)) < share)
        started = time.process_time()
        model = train_classifier(some, rng=rng)
        seconds = time.process_time() - started
        right = model.choose(test.atoms) == test.labels
        print(
            f"{len(some.prepositions):12} {len(model.linear.keys):9} {right.mean():9.4f} "
            f"{100 * (right.mean() - majority):15.1f} {right[test.strict].mean():21.4f} "
            f"{seconds:8.1f}",
            flush=True,
        )
    model.save(cache / "maxent.model")
    started = time.process_time()
    extraneous = train_classifier(
        learnt, learner="perceptron", task="extraneous", rng=np.random.default_rng(1)
    )
    extraneous.save(cache / "perceptron.model")
    guess = extraneous.linear.scores(held.atoms).argmax(axis=1) == NOTHING
    none = held.labels == NOTHING
    right = extraneous.choose(test.atoms) == test.labels
    print(
        f"perceptron, a preposition or none: accuracy {(guess == none).mean():.4f} "
        f"(majority {1 - none.mean():.4f}); choice among 34 {right.mean():.4f}; "
        f"{time.process_time() - started:.1f} s"
    )


def measure_language_model(texts: list[Path], cache: Path, kenlm: Path | None) -> None:
    """Words a second from file to model, perplexity on held-out blocks, beside that of others."""
    held: list[tuple[str, ...]] = []
    learnt: list[tuple[str, ...]] = []
    words = 0
    started = time.process_time()

    def sentences():  # noqa: ANN202 (a generator for one use)
        nonlocal words
        for text in texts:
            for line, tokens in read_sentences(text):
                words += len(tokens)
                if line // 200 % 10 == 9:
                    held.append(tokens)
                else:
                    if kenlm is not None:
                        learnt.append(tokens)
                    yield tokens

    model = NgramModel.train(sentences())
    model.save(cache / "lm.model")
    seconds = time.process_time() - started
    size = (cache / "lm.model").stat().st_size / 1e6
    grams = sum(len(order.keys) for order in model.orders)
    print(f"{words} words in {seconds:.1f} s: {words / seconds:.0f} words/s; bound 20000")
    print(f"{grams} n-grams, {size:.1f} MB; held-out perplexity {model.perplexity(held):.2f}")
    if kenlm is not None:
        compare_with_kenlm(learnt, held, kenlm, cache)
    compare_with_nltk(lower(held[:1500]))


def compare_with_kenlm(
    learnt: Sequence[tuple[str, ...]], held: Sequence[tuple[str, ...]], kenlm: Path, cache: Path
) -> None:
    """Perplexity of ours and of KenLM's modified Kneser-Ney on all of the text."""
    closed, test = close_vocabulary(lower(learnt), lower(held))
    files = {"learnt": closed, "held": test}
    for name, sentences in files.items():
        text = "".join(" ".join(sentence) + "\n" for sentence in sentences)
        (cache / f"{name}.txt").write_text(text, encoding="utf-8")
    for order in (3, 4):
        arpa = cache / "kenlm.arpa"
        with (cache / "learnt.txt").open() as text, arpa.open("w") as out:
            subprocess.run(
                [kenlm / "lmplz", "-o", str(order), "-S", "2G", "-T", cache],
                check=True,
                stdin=text,
                stdout=out,
                stderr=subprocess.DEVNULL,
            )
        with (cache / "held.txt").open() as text:
            told = subprocess.run(
                [kenlm / "query", "-v", "summary", arpa],
                check=True,
                stdin=text,
                capture_output=True,
                text=True,
            ).stdout
        theirs = float(re.search(r"including OOVs:\s+(\S+)", told)[1])
        ours = NgramModel.train(closed, order=order).perplexity(test)
        print(
            f"{order}-grams of {sum(map(len, closed))} words: ours {ours:.4f}, KenLM {theirs:.4f}; "
            f"ratio {ours / theirs:.6f}, bound 1.03",
            flush=True,
        )


def lower(sentences: Iterable[Sequence[str]]) -> list[list[str]]:
    """The sentences in lower case."""
    return [[token.lower() for token in sentence] for sentence in sentences]


def close_vocabulary(
    learnt: list[list[str]], test: list[list[str]]
) -> tuple[list[list[str]], list[list[str]]]:
    """Both texts with every word that is learnt from less than twice as one and the same."""
    counts = Counter(token for sentence in learnt for token in sentence)
    first, second = (
        [[token if counts[token] > 1 else "<rare>" for token in s] for s in sentences]
        for sentences in (learnt, test)
    )
    return first, second


def compare_with_nltk(sentences: list[list[str]], order: int = 3) -> None:
    """Perplexity of ours and of NLTK's interpolated Kneser-Ney on the same closed vocabulary."""
    try:
        from nltk.lm import KneserNeyInterpolated
        from nltk.util import ngrams
    except ImportError:
        print("NLTK is not installed; no comparison")
        return
    learnt, test = close_vocabulary(sentences[:-40], sentences[-40:])
    known = {token for sentence in learnt for token in sentence}

    def padded(sentence: list[str]) -> list[str]:
        return ["<s>"] * (order - 1) + sentence + ["</s>"]

    theirs = KneserNeyInterpolated(order, discount=0.75)  # 0.1 by default, which does worse
    theirs.fit(
        [[gram for n in range(1, order + 1) for gram in ngrams(padded(s), n)] for s in learnt],
        [*known, "<s>", "</s>"],
    )
    grams = [gram for s in test for gram in ngrams(padded(s), order)]
    started = time.process_time()
    nltk = theirs.perplexity(grams)
    took = time.process_time() - started
    ours = NgramModel.train(learnt, order=order).perplexity(test)
    print(
        f"{order}-grams of {sum(map(len, learnt))} words: ours {ours:.2f}, NLTK {nltk:.2f} "
        f"({len(grams)} words in {took:.0f} s); ratio {ours / nltk:.3f}, bound 1.03"
    )


def measure_conll(folder: Path, cache: Path) -> None:
    """The three detectors on CoNLL-2014, an error being what any of its annotators corrects."""
    official = read_corpus(folder / "official-2014.combined.m2")
    golds = {
        "any edit": official,
        "Prep": keep_types(official, {"Prep"}),
        "ERRANT": keep_types(annotate_corpus(official), {"R:PREP", "U:PREP"}),
        "extraneous": keep_types(official, {"Prep"}, deletions=True),
    }
    describe_errors(official)
    systems: dict[str, Path] = {}
    for name in ("maxent", "perceptron", "lm"):
        if (cache / f"{name}.model").exists():
            systems[name] = cache / f"{name}.ged.tsv"
            run_detector(folder / "source.txt", systems[name], model=cache / f"{name}.model")
    for name in SHIPPED:
        systems[f"{name} (shipped)"] = cache / f"{name}.shipped.ged.tsv"
        run_detector(folder / "source.txt", systems[f"{name} (shipped)"], model=name)
    print("best: the most precise threshold that finds a tenth; flags: at the model's thresholds;")
    print("screened: flags without prepositions that have another error within two words")
    print(
        f"{'gold':10} {'system':20} {'best P [95 %]':22} {'R':6}  {'flags P [95 %]':22} {'R':6}  "
        f"{'screened P [95 %]':22} {'R':6}",
        end="  ",
    )
    print("ROC    P-R    kappa")
    for title, reference in golds.items():
        compare_detectors(title, reference, systems, cache)


def keep_types(corpus: Corpus, types: set[str], *, deletions: bool = False) -> Corpus:
    """The corpus with the edits of some types, or with only those of them that delete."""
    return Corpus(
        tuple(
            replace(
                sentence,
                annotations=tuple(
                    replace(
                        a,
                        edits=tuple(
                            e
                            for e in a.edits
                            if e.type in types and not (deletions and e.correction)
                        ),
                    )
                    for a in sentence.annotations
                ),
            )
            for sentence in corpus.sentences
        ),
        "prepositions",
    )


def describe_errors(corpus: Corpus) -> None:
    """Which of the errors of type Prep a detector of wrong and extraneous prepositions can see."""
    edits: dict[str, int] = {}
    for sentence in corpus.sentences:
        lower = [token.lower() for token in sentence.source.tokens]
        for edit in {e for a in sentence.annotations for e in a.edits if e.type == "Prep"}:
            inside = range(edit.start, edit.end)
            seen = any(preposition_at(lower, at) is not None for at in inside)
            kind = (
                "missing preposition"
                if not inside
                else "other words"
                if not seen
                else "replaced"
                if edit.correction
                else "deleted"
            )
            edits[kind] = edits.get(kind, 0) + 1
    print(f"different edits of type Prep: {edits}; only replaced and deleted ones can be found")


def compare_detectors(title: str, reference: Corpus, systems: dict[str, Path], cache: Path) -> None:
    """Print one row per detector for one definition of an error, using ``redink detection``."""
    options = {"targets": "word:" + ",".join(PREPOSITIONS), "annotators": "any"}
    flags: dict[str, list[dict[str, Any]]] = {}
    for row in detection(reference, systems, screen=2, **options).rows:  # all, then screened
        flags.setdefault(row["system"], []).append(row)
    swept = {"curve": True, **options}
    points = detection(reference, systems, show="points", points=0, **swept).rows
    plot = cache / f"conll-{title.replace(' ', '-').lower()}.png"
    for row in detection(reference, systems, plot=plot, **swept).rows:
        name = row["system"]
        best = max(
            (p for p in points if p["system"] == name and p["precision"] and p["recall"] >= 0.1),
            key=lambda p: (p["precision"], p["recall"]),
        )
        shown = (best, *flags[name])
        told = "  ".join(f"{tell_precision(p)} {p['recall']:6.4f}" for p in shown)
        areas = " ".join(f"{row[k]:6.4f}" for k in ("roc_area", "pr_area", "kappa_area"))
        print(f"{title:10} {name:20} {told}  {areas}", flush=True)


def tell_precision(row: dict[str, Any]) -> str:
    """Precision with Wilson's interval."""
    if not row["tp"] + row["fp"]:
        return "nothing flagged        "
    told = wilson_interval(row["tp"], row["tp"] + row["fp"])
    return f"{float(told.estimate):.4f} [{float(told.low):.3f}, {float(told.high):.3f}]"


def measure_memory(events: Events) -> None:
    """Train on three million events made from the real ones by changing words at random."""
    rng = np.random.default_rng(1)
    copies = rng.integers(0, len(events), 3_000_000)
    atoms = events.atoms[copies]
    changed = rng.random(atoms.shape) < 0.15
    atoms[changed] = rng.integers(0, 1 << 32, int(changed.sum()), dtype=np.uint32)
    many = Events(atoms, events.labels[copies], events.strict[copies], events.blocks[copies])
    started = time.process_time()
    model = train_classifier(many, rng=rng, passes=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"3000000 events, {len(model.linear.keys)} features, one pass: "
        f"{time.process_time() - started:.0f} s, {peak:.2f} GB at most; bound 8 GB"
    )


if __name__ == "__main__":
    main()
