"""Measure how costs grow with more sentences, longer sentences and more systems.

    python benchmarks/growth.py [--data ../shared] [--job annotation,...]

Each job is run at 1, 2, 5 and 10 times the size along one axis while the others stay as they are
(sentences: 1, 2 and 4 times as long). Times are CPU times of one process with one thread; a cost
that grows as the size does has the ratio of the size. No two sentences are the same, because what
is repeated is analyzed once.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import psutil
from campaign_driver import Record, free_port, make_campaign, start_server, wait_until_up, work_all
from rows import record_growth
from threadpoolctl import threadpool_limits

from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.english.pipeline import default_analyzer
from redink.errors import RedinkWarning
from redink.formats import get_format
from redink.inputs import read_corpus, read_values
from redink.judging.rankers import rank_systems, score_systems
from redink.judging.rankings import expand
from redink.model import (
    AnnotatedSentence,
    Corpus,
    Hypotheses,
    RankedOutput,
    Ranking,
    References,
    Sentence,
)
from redink.scoring.specs import parse_metric

ROOT = Path(__file__).resolve().parents[1]
FACTORS = (1, 2, 5, 10)
LENGTHS = (1, 2, 4)
METRICS = ("errant", "m2", "gleu", "imeasure", "bleu", "meteor")
SENTENCES = 250
"""At factor 1."""


class Texts:
    """Sources and what three systems made of them, as many and as long as wanted."""

    def __init__(self, folder: Path) -> None:
        conll = folder / "data" / "conll14"
        self.source = self._read(conll / "source.txt")
        paths = sorted((conll / "systems").glob("*.txt"))
        self.systems = [self._read(path) for path in paths]
        self.gold = [self._read(path) for path in sorted((conll / "references").glob("*.txt"))[:2]]

    @staticmethod
    def _read(path: Path) -> list[list[str]]:
        return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]

    def take(self, lines: list[list[str]], *, count: int, length: int = 1) -> tuple[Sentence, ...]:
        """So many sentences, each of ``length`` joined ones and a word of its own."""
        total = len(lines)
        return tuple(
            Sentence(
                tuple(
                    word
                    for part in range(length)
                    for word in (
                        *lines[(number * length + part) % total],
                        f"x{number:x}{chr(97 + part)}",
                    )
                )
            )
            for number in range(count)
        )


@cache
def annotate(texts: Texts, *, count: int, length: int, systems: int) -> tuple[Hypotheses, ...]:
    """The systems with their edits; kept, because several jobs want them."""
    source = texts.take(texts.source, count=count, length=length)
    made = {
        f"system{number}": texts.take(
            texts.systems[number % len(texts.systems)], count=count, length=length
        )
        for number in range(systems)
    }
    found = annotate_texts(source, made, annotation_options=AnnotationOptions())
    return tuple(
        Hypotheses(name, text, tuple((a,) for a in found[name])) for name, text in made.items()
    )


def sizes() -> Iterator[tuple[str, int, dict[str, int]]]:
    """Axis, factor, and the size there."""
    usual = {"count": SENTENCES, "length": 1, "systems": 1}
    for factor in FACTORS:
        yield "sentences", factor, usual | {"count": SENTENCES * factor}
    for factor in LENGTHS:
        yield "length", factor, usual | {"length": factor}
    for factor in FACTORS:
        yield "systems", factor, usual | {"systems": factor}


def least(work: Callable[[], object], *, repeat: int = 3) -> float:
    """The least CPU time of some runs, the first of which warms up; long ones are run once."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
        if best > 5:
            break
    return best


def show(job: str, axis: str, factor: int, seconds: float) -> None:
    """A line of the table."""
    record_growth(job, axis, factor, seconds)
    print(f"{job:<16}{axis:<12}{factor:>4} x{seconds:>10.3f} s", flush=True)


def grow_annotation(texts: Texts) -> None:
    """Finding and typing edits."""
    default_analyzer()
    for axis, factor, size in sizes():
        annotate.cache_clear()
        show("annotation", axis, factor, least(lambda size=size: _annotate_anew(texts, size)))


def _annotate_anew(texts: Texts, size: dict[str, int]) -> None:
    annotate.cache_clear()
    annotate(texts, **size)


def grow_scoring(texts: Texts) -> None:
    """Every metric, on edits found beforehand, against two references."""
    for axis, factor, size in sizes():
        hypotheses = annotate(texts, **size)
        count, length = size["count"], size["length"]
        sources = texts.take(texts.source, count=count, length=length)
        references = [texts.take(g, count=count, length=length) for g in texts.gold]
        found = annotate_texts(
            sources,
            {str(n): text for n, text in enumerate(references)},
            annotation_options=AnnotationOptions(),
        )
        corpus = Corpus(
            tuple(
                AnnotatedSentence(s, tuple(found[str(n)][i] for n in range(len(references))))
                for i, s in enumerate(sources)
            )
        )
        for name in METRICS:
            work = partial(_score, name, corpus, tuple(references), hypotheses)
            show(name, axis, factor, least(work, repeat=2))


def _score(
    name: str,
    corpus: Corpus,
    references: tuple[tuple[Sentence, ...], ...],
    hypotheses: tuple[Hypotheses, ...],
) -> None:
    gold = References(corpus, references)
    metric = parse_metric(name)
    for hypothesis in hypotheses:
        metric.rows(metric.collect(gold, hypothesis))


def grow_ranking() -> None:
    """A thousand bootstrap rankings with clusters."""
    for axis, factors in (("judgments", FACTORS), ("systems", FACTORS)):
        for factor in factors:
            rankings = 4000 * (factor if axis == "judgments" else 1)
            systems = 6 * (factor if axis == "systems" else 1)
            pairs = expand(_make_rankings(rankings, systems))

            def work(pairs: object = pairs) -> None:
                rng = np.random.default_rng(1)
                rank_systems(score_systems(pairs, method="expected-wins", rng=rng))  # type: ignore[arg-type]

            show("ranking", axis, factor, least(work))


def _make_rankings(count: int, systems: int) -> list[Ranking]:
    """Judges who rank five of the systems, the better ones mostly higher."""
    rng = np.random.default_rng(1)
    made = []
    for number in range(count):
        chosen = rng.choice(systems, size=5, replace=False)
        order = np.argsort(np.argsort(chosen / systems + rng.normal(0, 0.3, size=5)))
        outputs = tuple(
            RankedOutput(int(rank) + 1, (f"s{system}",))
            for system, rank in zip(chosen, order, strict=True)
        )
        made.append(Ranking(str(number), f"j{number % 8}", outputs))
    return made


def grow_reading(texts: Texts, folder: Path) -> None:
    """An M2 file, streamed."""
    for axis, factors in (("sentences", FACTORS), ("length", LENGTHS)):
        for factor in factors:
            count = 2000 * (factor if axis == "sentences" else 1)
            length = factor if axis == "length" else 1
            corpus = read_corpus(_write_m2(texts, folder, count=count, length=length))
            path = folder / "grown.m2"
            with path.open("w", encoding="utf-8") as stream:
                get_format("m2").write(corpus.sentences, stream)
            show(
                "reading",
                axis,
                factor,
                least(lambda path=path: sum(1 for _ in read_values(path)[1])),
            )


def _write_m2(texts: Texts, folder: Path, *, count: int, length: int) -> Path:
    """Sentences with an edit for every ten words or so."""
    path = folder / "plain.m2"
    with path.open("w", encoding="utf-8") as stream:
        for sentence in texts.take(texts.source, count=count, length=length):
            stream.write("S " + " ".join(sentence.tokens) + "\n")
            for start in range(0, len(sentence.tokens), 10):
                edit = f"{start} {start + 1}|||R:NOUN|||word|||REQUIRED|||-NONE-|||0"
                stream.write(f"A {edit}\n")
            stream.write("\n")
    return path


def grow_campaign(folder: Path) -> None:
    """CPU time of the server for one answer of every judge: more judges, more items."""
    for axis in ("judges", "items"):
        for factor in FACTORS:
            judges = 10 * (factor if axis == "judges" else 1)
            items = 20 * (factor if axis == "items" else 1)
            place = folder / f"{axis}{factor}.db"
            tokens = make_campaign(str(place), judges=judges, items=items)
            port = free_port()
            server = start_server(str(place), port)
            try:
                wait_until_up(port, server)
                used = psutil.Process(server.pid)
                # the first request loads what is loaded once
                first = dict([next(iter(tokens.items()))])
                asyncio.run(work_all(port, first, answers=1, record=Record()))
                before = used.cpu_times()
                rest = dict(list(tokens.items())[1:])
                seen = Record()
                answers = 15 * (factor if axis == "items" else 1)
                asyncio.run(work_all(port, rest, answers=answers, record=seen))
                after = used.cpu_times()
            finally:
                server.terminate()
                server.wait(20)
            spent = (after.user + after.system) - (before.user + before.system)
            # nine judges at factor 1, ninety-nine at factor 10
            scale = 10 * (factor if axis == "judges" else 1) / len(rest)
            show("campaign", axis, factor, spent * scale)


JOBS = ("annotation", "scoring", "ranking", "reading", "campaign")


def main() -> None:
    """Run the jobs that are wanted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--job", default=",".join(JOBS))
    arguments = parser.parse_args()
    jobs = arguments.job.split(",")
    warnings.simplefilter("ignore", RedinkWarning)
    texts = Texts(arguments.data)
    with tempfile.TemporaryDirectory() as name, threadpool_limits(1):
        folder = Path(name)
        if "annotation" in jobs:
            grow_annotation(texts)
        if "scoring" in jobs:
            grow_scoring(texts)
        if "ranking" in jobs:
            grow_ranking()
        if "reading" in jobs:
            grow_reading(texts, folder)
        if "campaign" in jobs:
            grow_campaign(folder)


if __name__ == "__main__":
    main()
