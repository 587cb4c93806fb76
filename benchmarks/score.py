"""Scoring against its bounds, and errant against the original, in one run.

    python benchmarks/score.py [--shared ../shared] [--part m2,repeats,errant,bootstrap,linear,...]

Times are CPU times. Parts:

    m2         all systems of CoNLL-2014 under m2 (the official scorer: 11 s for most, NTHU 216 s)
    repeats    one sentence of 60 tokens with a repeated word, in many shapes; the slowest counts
    errant     all systems, annotated beforehand, under errant; and errant_compare on the same,
               within one process (imports and a first small file before the clock, the least of
               three processes each, in turn) and from the shell
    bootstrap  1000 samples of all systems under errant and m2, annotators chosen by sentence
    linear     four times the sentences, under errant and m2: the time per sentence
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from rows import cpu_time, record

from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.errors import RedinkWarning
from redink.formats import get_format
from redink.inputs import read_corpus
from redink.model import AnnotatedSentence, Corpus, Edit, Hypotheses, References
from redink.scoring.engine import collect_all, resample_all
from redink.scoring.m2.max_match import MaxMatch
from redink.scoring.metric import Metric
from redink.scoring.specs import parse_metric

ROOT = Path(__file__).resolve().parents[1]
failed: list[str] = []
NO_BOUND = 60.0


def show(what: str, seconds: float, bound: float, *, note: str = "") -> None:
    """A line of the table: a time and what it must stay below."""
    verdict = "ok" if seconds < bound else "TOO SLOW"
    if seconds >= bound:
        failed.append(what)
    record("scoring", what, seconds, bound=bound if bound < NO_BOUND else None)
    print(f"{what:<52}{seconds:>9.3f} s{bound:>9.2f} s  {verdict:<9}{note}", flush=True)


def show_ratio(what: str, theirs: float, ours: float, bound: float) -> None:
    """A line of the table: how many times faster than the original, and than it must be."""
    ratio = theirs / ours
    verdict = "ok" if ratio >= bound else "TOO SLOW"
    if ratio < bound:
        failed.append(what)
    print(f"{what:<52}{ratio:>9.1f} x{bound:>9.1f} x  {verdict}", flush=True)


class Data:
    """CoNLL-2014, read once."""

    def __init__(self, shared: Path) -> None:
        self.folder = shared / "data" / "conll14"

    @property
    def references(self) -> References:
        """The official gold."""
        return self._references()

    @cache  # noqa: B019 (one object in one run)
    def _references(self) -> References:
        return References(read_corpus(self.folder / "official-2014.combined.m2"))

    @cache  # noqa: B019
    def systems(self) -> tuple[Hypotheses, ...]:
        """All systems, as text."""
        return tuple(
            Hypotheses(path.stem, tuple(s.source for s in read_corpus(path).sentences))
            for path in sorted((self.folder / "systems").glob("*.txt"))
        )

    @cache  # noqa: B019
    def annotated(self) -> tuple[Hypotheses, ...]:
        """All systems, with edits."""
        texts = {system.name: system.texts for system in self.systems()}
        found = annotate_texts(
            self.references.sources, texts, annotation_options=AnnotationOptions()
        )
        return tuple(
            replace(system, annotations=tuple((a,) for a in found[system.name]))
            for system in self.systems()
        )


def measure_m2(data: Data) -> None:
    """All systems under MaxMatch."""
    references, systems = data.references, data.systems()
    metric = MaxMatch()
    slowest = ("", 0.0)
    with cpu_time() as total:
        for system in systems:
            with cpu_time() as one:
                metric.rows(metric.collect(references, system))
            slowest = max(slowest, (system.name, one()), key=lambda pair: pair[1])
    name, seconds = slowest
    show(f"m2: {len(systems)} systems", total(), 6.0, note=f"slowest {name}: {seconds:.2f} s")


def shapes(rng: random.Random) -> Iterator[tuple[str, list[str], list[str]]]:
    """Sentences of 60 tokens in which one word stands 30 or 60 times."""
    equal = ["a"] * 60
    for length in (30, 45, 59):
        yield f"60 equal words, {length} left", equal, ["a"] * length
        yield f"{length} equal words, 60 made", ["a"] * length, equal
    yield "60 equal words, 60 equal others", equal, ["b"] * 60
    yield "60 equal words, 30 equal others", equal, ["b"] * 30
    mine, yours = ([f"{letter}{i}" for i in range(30)] for letter in "xy")
    half = ["a"] * 30
    yield "a block of 30, moved", half + mine, yours + half
    yield "a block of 30, kept", half + mine, half + yours
    yield "every other word", _alternate(half, mine), _alternate(yours, half)
    yield "two words in turn, one left", ["a", "b"] * 30, ["b"] * 60
    yield "two words in turn, turned", ["a", "b"] * 30, ["b", "a"] * 30
    for number in range(6):
        source, hypothesis = half + mine, half + (yours if number % 2 else mine)
        rng.shuffle(source)
        rng.shuffle(hypothesis)
        yield f"shuffled {number}", list(source), list(hypothesis)
    yield "60 words, 60 others", mine + yours, [f"z{i}" for i in range(60)]


def _alternate(first: Sequence[str], second: Sequence[str]) -> list[str]:
    return [word for pair in zip(first, second, strict=True) for word in pair]


def measure_repeats(data: Data) -> None:  # noqa: ARG001 (every part takes the data)
    """The slowest of many shapes, against two annotators."""
    metric = MaxMatch()
    slowest = ("", 0.0)
    for name, source, hypothesis in shapes(random.Random(1)):
        last = len(source)
        annotators = [
            [Edit(i, i + 1, "") for i in range(0, last, 5)],
            [Edit(i, i, "a") for i in range(0, last, 5)],
        ]
        with cpu_time() as seconds:
            metric.match(source, hypothesis, annotators)
        slowest = max(slowest, (name, seconds()), key=lambda pair: pair[1])
    show("m2: the slowest sentence of 60 tokens", slowest[1], 0.5, note=slowest[0])


def measure_errant(data: Data) -> None:
    """All annotated systems under errant, and the original on the same files."""
    references, systems = data.references, data.annotated()
    metric = parse_metric("errant")
    with cpu_time() as ours:
        for system in systems:
            metric.rows(metric.collect(references, system))
    with tempfile.TemporaryDirectory() as folder:
        reference = Path(folder, "ref.m2")
        _write(reference, references.corpus.sentences)
        files = []
        for system in systems:
            assert system.annotations is not None
            files.append(Path(folder, f"{system.name}.m2"))
            pairs = zip(references.sources, system.annotations, strict=True)
            _write(files[-1], [AnnotatedSentence(*pair) for pair in pairs])
        times: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(3):
            for who, seconds in times.items():
                seconds.append(_time_alone(who, reference, files))
        _measure_errant_shell(reference, files)
    what = f"errant: {len(systems)} systems, files to scores"
    record("scoring", what, min(times["ours"]), peer="errant_compare", theirs=min(times["theirs"]))
    show_ratio(what, min(times["theirs"]), min(times["ours"]), 2.0)
    show(f"errant: {len(systems)} annotated systems", ours(), 1.0)


def _measure_errant_shell(reference: Path, files: Sequence[Path]) -> None:
    """As users run it: our one command against one of theirs for each system, starting included."""
    folder = Path(sys.executable).parent
    with cpu_time() as theirs:
        for file in files:
            _run(folder / "errant_compare", "-hyp", file, "-ref", reference)
    with cpu_time() as ours:
        _run(folder / "redink", "score", reference, *files, "--metric", "errant")
    what = f"errant: {len(files)} systems, from the shell"
    record("scoring", what, ours(), peer="errant_compare", theirs=theirs())
    show_ratio(what, theirs(), ours(), 5.0)


def _run(*command: str | Path) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


def _write(path: Path, sentences: Sequence[AnnotatedSentence]) -> None:
    # the original knows annotators by number only
    numbered = [
        replace(
            s,
            annotations=tuple(
                replace(a, annotator=a.annotator if a.annotator.isdecimal() else "0")
                for a in s.annotations
            ),
        )
        for s in sentences
    ]
    with path.open("w", encoding="utf-8") as stream:
        get_format("m2").write(numbered, stream)


def _time_alone(who: str, reference: Path, files: Sequence[Path]) -> float:
    """The CPU time from files to scores in a process that has done the same for a small file."""
    small = reference.with_name("small.m2")
    small.write_text("S a b\nA 0 1|||R:X|||b|||REQUIRED|||-NONE-|||0\n\n", encoding="utf-8")
    command = [sys.executable, "-W", "ignore", "-c", f"{IN_PROCESS}\ntell({who})"]
    done = subprocess.run(
        [*command, small, reference, *files], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


IN_PROCESS = """
import contextlib, gc, io, sys, time
from pathlib import Path
from errant.commands import compare_m2
from redink.inputs import read_corpus
from redink.model import Hypotheses, References
from redink.scoring.specs import parse_metric

def theirs(reference, files):
    for file in files:
        sys.argv = ["errant_compare", "-hyp", file, "-ref", reference]
        with contextlib.redirect_stdout(io.StringIO()):
            compare_m2.main()

def ours(reference, files):
    metric = parse_metric("errant")
    gold = References(read_corpus(reference))
    for file in files:
        versions = tuple(s.annotations for s in read_corpus(file).sentences)
        metric.rows(metric.collect(gold, Hypotheses(file, gold.sources, versions)))

def tell(score):
    _, small, reference, *files = sys.argv
    score(small, [small])
    gc.collect()
    start = time.process_time()
    score(reference, files)
    print(time.process_time() - start)
"""


def measure_bootstrap(data: Data) -> None:
    """A thousand samples of every system; what was collected is reused."""
    metrics: list[Metric] = [
        parse_metric(f"{name}(selection=sentence)") for name in ("errant", "m2")
    ]
    scored = collect_all(metrics, data.references, data.annotated())
    with cpu_time() as seconds:
        resample_all(scored, 1000, np.random.default_rng(1))
    show("bootstrap: 1000 samples, errant and m2, by sentence", seconds(), 3.0)
    scored = collect_all(
        [parse_metric(name) for name in ("errant", "m2")], data.references, data.annotated()
    )
    with cpu_time() as seconds:
        resample_all(scored, 1000, np.random.default_rng(1))
    show("bootstrap: the same with the running choice", seconds(), NO_BOUND, note="no bound is set")


def measure_linear(data: Data) -> None:
    """The time per sentence of a corpus four times as long, as a ratio."""
    small, system = data.references, data.annotated()[0]
    assert system.annotations is not None
    large = References(Corpus(small.corpus.sentences * 4))
    longer = Hypotheses(system.name, system.texts * 4, system.annotations * 4)
    for name in ("errant", "m2"):
        metric = parse_metric(name)
        four, one = [], []
        for _ in range(5):  # these are milliseconds: the least of several runs
            with cpu_time() as once:
                for _ in range(4):
                    metric.rows(metric.collect(References(small.corpus), system))
            with cpu_time() as fourfold:
                metric.rows(metric.collect(References(large.corpus), longer))
            four.append(once())
            one.append(fourfold())
        what = f"linear: {name}, one corpus of 4 x / 4 corpora"
        show_ratio(what, min(four), min(one), 0.6)


PARTS: dict[str, Callable[[Data], None]] = {
    "m2": measure_m2,
    "repeats": measure_repeats,
    "errant": measure_errant,
    "bootstrap": measure_bootstrap,
    "linear": measure_linear,
}


def main() -> int:
    """Measure the parts asked for; 1 if any is too slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--part", default=",".join(PARTS))
    options = parser.parse_args()
    warnings.simplefilter("ignore", RedinkWarning)
    data = Data(options.shared)
    print(f"{'what':<52}{'measured':>11}{'bound':>11}")
    for part in options.part.split(","):
        PARTS[part](data)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
