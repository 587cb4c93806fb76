"""The reference detectors: accuracy, perplexity, speed, and what they find in learners' text.

    python benchmarks/detectors.py [--shared ../shared] [--cache DIR] [--only PART ...]

Parts: ``choice`` (accuracy among 34 prepositions on held-out blocks, with more and more events),
``lm`` (speed of training, perplexity beside NLTK's), ``conll`` (the three detectors on CoNLL-2014,
through ``redink detection``), ``memory`` (three million events). ``--cache`` keeps the events and
models between runs. Times are CPU time of this process.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from redink.analysis.spacy_analyser import default_analyser
from redink.detectors.classifier import train_classifier
from redink.detectors.events import Events, collect_events, join_events
from redink.detectors.language_model import LanguageModel
from redink.detectors.prepositions import NOTHING, PREPOSITIONS
from redink.detectors.running_text import read_sentences
from redink.errors import RedinkWarning
from redink.formats import read_corpus
from redink.model import Corpus
from redink.workflows.detect import run_detector
from redink.workflows.detection import detection

PARTS = ("choice", "lm", "conll", "memory")
_CURVE = (25_000, 100_000, 400_000, None)


def main() -> None:
    """Run the parts that are wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    warnings.simplefilter("ignore", RedinkWarning)
    with tempfile.TemporaryDirectory() as scratch:
        cache = given.cache or Path(scratch)
        texts = [given.shared / "data/text" / f"{name}.txt.gz" for name in ("masc", "gutenberg")]
        for part in given.only:
            print(f"\n== {part}")
            if part == "lm":
                measure_language_model(texts, cache)
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
        analyser = default_analyser()
        events = join_events([collect_events(read_sentences(t), analyser, rng=rng) for t in texts])
        print(f"{len(events)} events in {time.process_time() - started:.0f} s")
        np.savez(
            file, atoms=events.atoms, labels=events.labels, strict=events.strict,
            blocks=events.blocks,
        )  # fmt: skip
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
    guess = extraneous.linear.scores(held.atoms).argmax(axis=1)
    none = held.labels == NOTHING
    print(
        f"perceptron, a preposition or none: accuracy {(guess == none).mean():.4f} "
        f"(majority {1 - none.mean():.4f}) in {time.process_time() - started:.1f} s"
    )


def measure_language_model(texts: list[Path], cache: Path) -> None:
    """Words a second from file to model, perplexity on held-out blocks, NLTK on a small text."""
    held: list[tuple[str, ...]] = []
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
                    yield tokens

    model = LanguageModel.train(sentences())
    model.save(cache / "lm.model")
    seconds = time.process_time() - started
    size = (cache / "lm.model").stat().st_size / 1e6
    grams = sum(len(order.keys) for order in model.orders)
    print(f"{words} words in {seconds:.1f} s: {words / seconds:.0f} words/s; bound 20000")
    print(f"{grams} n-grams, {size:.1f} MB; held-out perplexity {model.perplexity(held):.2f}")
    compare_with_nltk([[t.lower() for t in s] for _, s in zip(range(1500), held, strict=False)])


def compare_with_nltk(sentences: list[list[str]], order: int = 3) -> None:
    """Perplexity of ours and of NLTK's interpolated Kneser-Ney on the same closed vocabulary."""
    try:
        from nltk.lm import KneserNeyInterpolated
        from nltk.util import ngrams
    except ImportError:
        print("NLTK is not installed; no comparison")
        return
    learnt, test = sentences[:-40], sentences[-40:]
    counts: dict[str, int] = {}
    for sentence in learnt:
        for token in sentence:
            counts[token] = counts.get(token, 0) + 1
    known = {token for token, count in counts.items() if count > 1}
    learnt = [[t if t in known else "<rare>" for t in s] for s in learnt]
    test = [[t if t in known else "<rare>" for t in s] for s in test]

    def padded(sentence: list[str]) -> list[str]:
        return ["<s>"] * (order - 1) + sentence + ["</s>"]

    theirs = KneserNeyInterpolated(order, discount=0.75)  # 0.1 by default, which does worse
    theirs.fit(
        [[gram for n in range(1, order + 1) for gram in ngrams(padded(s), n)] for s in learnt],
        [*known, "<rare>", "<s>", "</s>"],
    )
    grams = [gram for s in test for gram in ngrams(padded(s), order)]
    started = time.process_time()
    nltk = theirs.perplexity(grams)
    took = time.process_time() - started
    ours = LanguageModel.train(learnt, order=order).perplexity(test)
    print(
        f"{order}-grams of {sum(map(len, learnt))} words: ours {ours:.2f}, NLTK {nltk:.2f} "
        f"({len(grams)} words in {took:.0f} s); ratio {ours / nltk:.3f}, bound 1.03"
    )


def measure_conll(folder: Path, cache: Path) -> None:
    """Each detector's best precision with a tenth of the errors found, union of annotators."""
    gold = read_corpus(folder / "official-2014.combined.m2")
    only = Corpus(
        tuple(
            replace(
                sentence,
                annotations=tuple(
                    replace(a, edits=tuple(e for e in a.edits if e.type == "Prep"))
                    for a in sentence.annotations
                ),
            )
            for sentence in gold.sentences
        ),
        "prepositions",
    )
    systems: dict[str, Path] = {}
    for name in ("maxent", "perceptron", "lm"):
        if (cache / f"{name}.model").exists():
            systems[name] = cache / f"{name}.ged.tsv"
            run_detector(folder / "source.txt", systems[name], model=cache / f"{name}.model")
    for name in ("maxent", "lm"):
        systems[f"{name} (shipped)"] = cache / f"{name}.shipped.ged.tsv"
        run_detector(folder / "source.txt", systems[f"{name} (shipped)"], model=name)
    targets = "word:" + ",".join(PREPOSITIONS)
    print("gold            system            P at R>=0.1   R     ROC area  PR area  kappa area")
    for title, reference in (("any edit there", gold), ("type Prep only", only)):
        options = {"targets": targets, "annotators": "any", "curve": True}
        points = detection(reference, systems, show="points", points=0, **options).rows
        for row in detection(
            reference, systems, plot=cache / f"conll-{title.split()[0]}.png", **options
        ).rows:
            found = [
                (p["precision"], p["recall"])
                for p in points
                if p["system"] == row["system"] and p["precision"] and p["recall"] >= 0.1
            ]
            precision, recall = max(found)
            print(
                f"{title:15} {row['system']:17} {precision:11.4f} {recall:7.4f} "
                f"{row['roc_area']:8.4f} {row['pr_area']:8.4f} {row['kappa_area']:9.4f}"
            )


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
