r"""Train the small maxent and lm that come with redink, from text that may ship.

    python training/detectors/train_shipped.py masc.txt.gz gutenberg.txt.gz \
        --contemporary masc.txt.gz --silver silver/train.jsonl.gz --out DIR

Both learn from all of the text, maxent from the sentences of UD English EWT and PUD in the silver
file of the embedded pipeline (../pipeline) too; lm does not, because it holds sequences of words.

Old books outnumber contemporary text nine to one, and learners write about contemporary subjects.
So maxent is the mean of two models: one of all text, and one of the contemporary text
(--contemporary, UD). The features that matter most are kept: those with the largest product of the
square root of their count and the largest difference of a class from their mean weight. Before the
models that ship, the script trains the same ones without a tenth of each text, and prints their
accuracy there.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from redink.analysis.english.pipeline import default_analyzer
from redink.detectors.classifier import (
    LinearModel,
    PrepositionClassifier,
    find_features,
    load_classifier,
    train_classifier,
)
from redink.detectors.features import (
    FEATURES,
    Events,
    collect_events,
    feature_column,
    join_events,
    read_sentences,
)
from redink.detectors.language_model import NgramModel

SEED = 1
MAX_FEATURES = 500_000
STEP = 0.1  # between the weights of the file
MAX_WORDS = 30_000
PRUNE = (0, 3, 4, 5)
SILVER_SOURCES = ("UD_EWT", "UD_PUD")


def main() -> None:
    """Train and save both models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--contemporary", nargs="+", type=Path, default=[])
    parser.add_argument("--silver", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", choices=["maxent", "lm"])
    given = parser.parse_args()
    about = {"text": [path.name for path in given.texts], "licence": "MIT"}
    if given.only != "maxent":
        model = NgramModel.train(
            (tokens for path in given.texts for tokens in _tokens(path)),
            max_words=MAX_WORDS,
            prune=PRUNE,
            about=about,
        )
        model.save(given.out / "lm.npz")
        print("lm", [len(order.keys) for order in model.orders], _size(given.out / "lm.npz"))
    if given.only != "lm":
        analyzer = default_analyzer()
        texts = {path: read_sentences(path) for path in given.texts}
        silver = {source: _silver(given.silver, source) for source in SILVER_SOURCES}
        events = {
            name: collect_events(text, analyzer, rng=np.random.default_rng(SEED))
            for name, text in {**texts, **silver}.items()
        }
        everything = join_events(list(events.values()))
        contemporary = join_events([events[name] for name in (*given.contemporary, *silver)])
        print(len(everything), "events,", len(contemporary), "contemporary", flush=True)
        about["text"] += SILVER_SOURCES
        about |= {"analyzer": analyzer.version, "seed": SEED}
        (learned, _), (learned_recent, held_recent) = everything.split(), contemporary.split()
        evaluated = given.out / "maxent-9-of-10.npz"
        train_mean(learned, learned_recent, about).save(evaluated, step=STEP)
        for name, held in (("all", everything.split()[1]), ("contemporary", held_recent)):
            print(name, *accuracy(load_classifier(evaluated), held), flush=True)
        train_mean(everything, contemporary, about).save(given.out / "maxent.npz", step=STEP)
        print("maxent", _size(given.out / "maxent.npz"))


def train_mean(
    everything: Events, contemporary: Events, about: dict[str, Any]
) -> PrepositionClassifier:
    """Train on both texts, average the weights, and keep the features that matter most."""
    models = [
        train_classifier(events, rng=np.random.default_rng(SEED), about=about)
        for events in (everything, contemporary)
    ]
    keys = np.unique(np.concatenate([model.linear.keys for model in models]))
    weights = np.zeros((len(keys), len(everything.classes)), np.float32)
    for model in models:
        weights[np.searchsorted(keys, model.linear.keys)] += model.linear.weights / 2
    counts = np.zeros(len(keys) + 1)
    for column in range(len(FEATURES)):
        found, occurrences = np.unique(feature_column(everything.atoms, column), return_counts=True)
        counts[find_features(keys, found)] += occurrences  # the last one takes unknown features
    spread = np.abs(weights - weights.mean(axis=1, keepdims=True)).max(axis=1)
    kept = np.sort(np.argsort(-spread * np.sqrt(counts[:-1]), kind="stable")[:MAX_FEATURES])
    bias = sum(model.linear.bias for model in models) / 2
    linear = LinearModel(keys[kept], weights[kept], models[0].linear.scales, bias)
    settings = {**models[0].about, "features": len(kept)}
    # The written preposition is compared with its frequency in contemporary text.
    return replace(models[1], linear=linear, about=settings)


def accuracy(model: PrepositionClassifier, held: Events) -> tuple[int, float, float]:
    """The number of prepositions, the share chosen correctly, and that of words tagged as such."""
    test = held.prepositions
    right = model.choose(test.atoms) == test.labels
    return len(test), round(right.mean(), 4), round(right[test.strict].mean(), 4)


def _tokens(path: Path) -> Iterator[tuple[str, ...]]:
    return (tokens for _, tokens in read_sentences(path))


def _silver(path: Path, source: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = (json.loads(line) for line in lines)
        tokens = (tuple(record["w"]) for record in records if record["s"] == source)
        yield from enumerate(tokens)


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.2f} MB"


if __name__ == "__main__":
    main()
