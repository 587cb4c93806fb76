"""Train the small maxent and lm that come with redink, from text that may ship.

    python training/detectors/train_shipped.py masc.txt.gz gutenberg.txt.gz --out DIR

Both learn from all of the text; how models of this kind do on held-out text is measured by
benchmarks/detectors.py.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from redink.analysis.spacy_analyser import default_analyser
from redink.detectors.classifier import train_classifier
from redink.detectors.events import collect_events, join_events
from redink.detectors.language_model import LanguageModel
from redink.detectors.running_text import read_sentences

SEED = 1
MAX_FEATURES = 110_000
MAX_WORDS = 30_000
PRUNE = (0, 3, 4, 5)


def main() -> None:
    """Train and save both models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", choices=["maxent", "lm"])
    given = parser.parse_args()
    about = {"text": [path.name for path in given.texts], "licence": "MIT"}
    if given.only != "maxent":
        model = LanguageModel.train(
            (tokens for path in given.texts for tokens in _tokens(path)),
            max_words=MAX_WORDS, prune=PRUNE, about=about,
        )  # fmt: skip
        model.save(given.out / "lm.model")
        print("lm", [len(order.keys) for order in model.orders], _size(given.out / "lm.model"))
    if given.only != "lm":
        analyser = default_analyser()
        rng = np.random.default_rng(SEED)
        started = time.process_time()
        events = join_events(
            [collect_events(read_sentences(path), analyser, rng=rng) for path in given.texts]
        )
        print(len(events), "events", round(time.process_time() - started), "s of CPU", flush=True)
        about |= {"analyser": analyser.version, "seed": SEED}
        classifier = train_classifier(events, rng=rng, max_features=MAX_FEATURES, about=about)
        classifier.save(given.out / "maxent.model")
        print("maxent", len(classifier.linear.keys), _size(given.out / "maxent.model"))


def _tokens(path: Path) -> Iterator[tuple[str, ...]]:
    return (tokens for _, tokens in read_sentences(path))


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.2f} MB"


if __name__ == "__main__":
    main()
