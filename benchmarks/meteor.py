"""METEOR on the systems of CoNLL-2014, each against both annotators.

    python benchmarks/meteor.py [--shared ../shared] [--bound 3]

Times are CPU times of one process; every system must stay below the bound. Each is scored as if
it were the only one, although in one run systems share what they leave unchanged.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from rows import record

from redink.model import AnnotatedSentence, Corpus, Hypotheses, References, Sentence
from redink.scoring.meteor import Meteor

ROOT = Path(__file__).resolve().parents[1]


def read(path: Path) -> tuple[Sentence, ...]:
    """A sentence a line."""
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return tuple(map(Sentence.from_line, lines))


def main() -> None:
    """Score every system and print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--bound", type=float, default=3.0)
    options = parser.parse_args()
    folder = options.shared / "data" / "conll14"
    corpus = Corpus(tuple(map(AnnotatedSentence, read(folder / "source.txt"))))
    texts = tuple(read(folder / "references" / f"ref{number}.txt") for number in (0, 1))
    metric = Meteor(modules=("exact", "stem"))
    slow = []
    total = 0.0
    for path in sorted((folder / "systems").glob("*.txt")):
        hypotheses = Hypotheses(path.stem, read(path))
        start = time.process_time()
        statistics = metric.collect(References(corpus, texts), hypotheses)
        seconds = time.process_time() - start
        total += seconds
        if seconds >= options.bound:
            slow.append(path.stem)
        verdict = "ok" if seconds < options.bound else "TOO SLOW"
        score = metric.rows(statistics)[0]["score"]
        print(f"{path.stem:<8}{score:>8.4f}{seconds:>9.2f} s{options.bound:>9.2f} s  {verdict}")
    record("scoring", "meteor: all systems", total)
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
