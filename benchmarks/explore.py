"""How fast ``redink explore`` answers: filters over a hundred thousand sentences.

    python benchmarks/explore.py [--sentences 100000] [--systems 12] [--bound 0.2]

The bundled example is repeated, each copy with a word of its own, its three systems under several
names. Every question is asked once of the application itself, routing and JSON included, and must
be answered within the bound (CPU time of one process). It also says what the index costs.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from importlib.resources import files
from pathlib import Path

from rows import record
from starlette.testclient import TestClient

from redink.commands.report import Reported, ReportOptions, make_report
from redink.explore.app import create_app
from redink.model import Column, Corpus, make_table
from redink.reports.page.rendering import Report
from redink.reports.page.sentences import SentenceIndex, index_sentences

QUESTIONS = (
    "",
    "page=9999",
    "system=careful-1",
    "verdict=FN",
    "type=R:",
    "type=DET",
    "system=eager-2&verdict=FP&type=M:DET",
    "words=e",
    "words=the",
    "words=penguin",
    "words=copy99",
    "words=no+such+words",
    "words=in&system=eager-1&verdict=TP&type=NOUN:NUM",
)


def repeat(small: SentenceIndex, sentences: int, systems: int) -> SentenceIndex:
    """The index of many copies."""
    head = small.header()

    def named(edits: list[list[object]]) -> list[dict[str, object]]:
        return [
            {"start": e[0], "end": e[1], "correction": e[2], "type": head["types"][e[3]]}
            | ({"verdict": head["verdicts"][e[4]]} if len(e) > 4 else {})
            for e in edits
        ]

    originals = [small.sentence(number) for number in range(len(small))]
    gold = [
        {head["annotators"][int(who)]: named(edits) for who, edits in one[1].items()}
        for one in originals
    ]
    own = [[named(edits) for edits in one[2]] for one in originals]
    order = [number % len(small) for number in range(sentences)]
    names = [
        (f"{small.systems[place % len(small.systems)]}-{place // len(small.systems) + 1}", place)
        for place in range(systems)
    ]
    return index_sentences(
        [f"{originals[n][0]} copy{at}" for at, n in enumerate(order)],
        [gold[n] for n in order],
        ((name, (own[n][place % len(small.systems)] for n in order)) for name, place in names),
    )


def main() -> None:
    """Ask, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--systems", type=int, default=12)
    parser.add_argument("--bound", type=float, default=0.2)
    options = parser.parse_args()
    examples = Path(str(files("redink") / "examples"))
    small = make_report(
        examples / "gold.m2",
        {name: examples / f"{name}.txt" for name in ("careful", "eager", "speller")},
        contents=ReportOptions(metrics=["errant"], bootstrap=0),
    )
    start = time.process_time()
    index = repeat(small.page.sentences, options.sentences, options.systems)
    index.warm_up()
    edits = len(index.judged.sentence)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{len(index):,} sentences, {len(index.systems)} systems, {edits:,} edits: packed in "
        f"{time.process_time() - start:.1f} s, {memory:.2f} GB at most"
    )
    empty = make_table([Column("system")], [])
    reported = Reported(Report("", (), (), index), Corpus(()), empty)
    client = TestClient(create_app(reported))
    slowest = 0.0
    for question in QUESTIONS:
        start = time.process_time()
        found = client.get(f"/sentences?{question}").json()["found"]
        seconds = time.process_time() - start
        slowest = max(slowest, seconds)
        verdict = "ok" if seconds < options.bound else "TOO SLOW"
        print(f"{question or '(all)':<52}{found:>9,}{1000 * seconds:>8.0f} ms  {verdict}")
    record("exploring", "slowest answer", slowest, bound=options.bound)
    sys.exit(slowest >= options.bound)


if __name__ == "__main__":
    main()
