r"""Train the small maxent and lm that come with redink, from text that may ship.

    python training/detectors/train_shipped.py masc.txt.gz gutenberg.txt.gz \
        --silver silver/train.jsonl.gz --out DIR

Both learn from all of the text, maxent from the sentences of UD English EWT and PUD in the silver
file of the embedded pipeline (../pipeline) too; lm does not, because it holds sequences of words.
How models of this kind do on held-out text is measured by benchmarks/detectors.py.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from redink.analysis.english.pipeline import default_analyzer
from redink.detectors.classifier import train_classifier
from redink.detectors.features import collect_events, join_events, read_sentences
from redink.detectors.language_model import NgramModel

SEED = 1
MAX_FEATURES = 110_000
MAX_WORDS = 30_000
PRUNE = (0, 3, 4, 5)
SILVER_SOURCES = {"UD_EWT", "UD_PUD"}


def main() -> None:
    """Train and save both models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", type=Path)
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
        rng = np.random.default_rng(SEED)
        started = time.process_time()
        parts = [collect_events(read_sentences(path), analyzer, rng=rng) for path in given.texts]
        rng = np.random.default_rng(SEED)
        parts.append(collect_events(_silver(given.silver), analyzer, rng=rng))
        events = join_events(parts)
        print(len(events), "events", round(time.process_time() - started), "s of CPU", flush=True)
        about["text"] += sorted(SILVER_SOURCES)
        about |= {"analyzer": analyzer.version, "seed": SEED}
        rng = np.random.default_rng(SEED)
        classifier = train_classifier(events, rng=rng, max_features=MAX_FEATURES, about=about)
        classifier.save(given.out / "maxent.npz")
        print("maxent", len(classifier.linear.keys), _size(given.out / "maxent.npz"))


def _tokens(path: Path) -> Iterator[tuple[str, ...]]:
    return (tokens for _, tokens in read_sentences(path))


def _silver(path: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = (json.loads(line) for line in lines)
        tokens = (tuple(record["w"]) for record in records if record["s"] in SILVER_SOURCES)
        yield from enumerate(tokens)


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.2f} MB"


if __name__ == "__main__":
    main()
