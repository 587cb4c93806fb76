"""Compare annotation with the original: the errant package with the same pipeline, in one run.

    python benchmarks/annotate.py [--data ../shared/data] [--part rules,one,all,...]

The original is run as its own command runs it (`errant_parallel`, a sentence at a time), with the
embedded pipeline in place of spaCy's. Times are CPU times of one process with one thread, without
the time it takes to load the pipeline. Parts:

    rules      alignment, merging and typing alone, on analyses made beforehand (one system)
    one        one system, file to file
    all        all systems and references, file to file: one job against a run for each
    pipeline   words a second of the embedded pipeline in batches, with and without the parser
    memory     the largest resident size after 10,000 and 200,000 pairs
    workers    two processes against one, by the clock
"""

from __future__ import annotations

import argparse
import contextlib
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import errant
from errant.commands import parallel_to_m2
from errant.en import classifier
from rows import cpu_time, record
from threadpoolctl import threadpool_limits

import redink
from redink.analysis.analyzer import Analyzer
from redink.analysis.edit_finder import EditFinder
from redink.analysis.english import ENGLISH
from redink.analysis.english.pipeline import default_analyzer
from redink.analysis.spacy_analyzer import SpacyAnalyzer, read_document

PARTS = ("rules", "one", "all", "pipeline", "memory", "workers")
ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))
from training.pipeline.spacy_pipeline import load_embedded  # noqa: E402

PEER = f"errant {errant.__version__}"


def show(
    name: str, theirs: float, ours: float, bound: float, *, unit: str = "CPU s", peer: str = PEER
) -> None:
    """One line of the result."""
    record("annotation", name, ours, unit=unit, peer=peer, theirs=theirs)
    ratio = theirs / ours
    verdict = "ok" if ratio >= bound else "TOO SLOW"
    print(
        f"{name:<44}{theirs:>10.2f}{ours:>10.2f}{ratio:>9.1f}x{bound:>8.1f}x  {verdict}", flush=True
    )


def run_original(nlp: Any, source: Path, corrected: Path, output: Path) -> None:
    """The original's own command, with our pipeline."""
    annotator = errant.load("en", nlp)
    load, arguments = errant.load, sys.argv
    errant.load = lambda _: annotator
    sys.argv = [
        "errant_parallel",
        "-orig",
        str(source),
        "-cor",
        str(corrected),
        "-out",
        str(output),
    ]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            parallel_to_m2.main()
    finally:
        errant.load, sys.argv = load, arguments


def same_lines(ours: Path, theirs: Path) -> str:
    """How much of two M2 files is the same."""
    a, b = ours.read_text().splitlines(), theirs.read_text().splitlines()
    if a == b:
        return "identical"
    common = len(set(enumerate_blocks(a)) & set(enumerate_blocks(b)))
    return f"{common} of {len(list(enumerate_blocks(b)))} sentences identical"


def enumerate_blocks(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The sentences of an M2 file with their numbers."""
    yield from enumerate("\n".join(lines).split("\n\n"))


def measure_rules(nlp: Any, source: list[str], corrected: list[str]) -> None:
    """Alignment, merging and typing, given the analyses."""
    original = errant.load("en", nlp)
    pairs = [
        (original.parse(s), original.parse(c))
        for s, c in zip(source, corrected, strict=True)
        if s != c
    ]
    analyzed = [(read_document(s), read_document(c)) for s, c in pairs]
    finder = EditFinder(ENGLISH, default_analyzer(), classifier.spell)
    with cpu_time() as theirs:
        expected = [
            [(e.o_start, e.o_end, e.c_start, e.c_end, e.type) for e in original.annotate(s, c)]
            for s, c in pairs
        ]
    with cpu_time() as ours:
        found = [
            [(*span, finder.type_edit(s, c, span).type) for span in finder.find_spans(s, c)]
            for s, c in analyzed
        ]
    if found != expected:
        raise SystemExit("the edits differ from the original's")
    show(f"alignment, merging, typing ({len(pairs)} pairs)", theirs(), ours(), 8)


def measure_files(
    nlp: Any, source: Path, corrected: list[Path], name: str, bound: float, folder: Path
) -> None:
    """File to file: one job of ours against a run of the original's for each corrected file."""
    expected = folder / "errant.m2"
    with cpu_time() as theirs:
        for file in corrected:
            run_original(nlp, source, file, expected)
    found = folder / "redink.m2"
    with cpu_time() as ours:
        redink.annotate_files(source, corrected, found, lexicon=classifier.spell)
    show(name, theirs(), ours(), bound)
    if len(corrected) == 1:
        print(f"    {same_lines(found, expected)}")


def measure_pipeline(sentences: list[str]) -> None:
    """Words a second, by NumPy and by spaCy, in batches as large as those of annotation."""
    words = [tuple(s.split()) for s in sentences]
    count = sum(map(len, words))
    for parsed, bound in ((True, 60_000), (False, 120_000)):
        rates = [_words_a_second(a, words, count, parsed=parsed) for a in _runners()]
        how = "with" if parsed else "without"
        verdict = "ok" if rates[1] >= bound else "TOO SLOW"
        print(f"embedded pipeline {how} the parser: {rates[1]:,.0f} words/s  {verdict}")
        what = f"words tagged {how} parsing"
        record("annotation", what, rates[1], unit="words/s", peer="spaCy", theirs=rates[0])


def _runners() -> tuple[Analyzer, Analyzer]:
    return SpacyAnalyzer(load_embedded(), name="spaCy", version=""), default_analyzer()


def _words_a_second(
    analyzer: Analyzer, words: list[tuple[str, ...]], count: int, *, parsed: bool
) -> float:
    with analyzer.analyze(words[:256]) as batch:
        batch.parse(range(256))
    with cpu_time() as spent:
        for start in range(0, len(words), 1600):
            chunk = words[start : start + 1600]
            with analyzer.analyze(chunk) as batch:
                if parsed:
                    batch.parse(range(len(chunk)))
    return count / spent()


def make_corpus(
    source: list[str], corrected: list[str], pairs: int, folder: Path
) -> tuple[Path, Path]:
    """A corpus of so many pairs with an ever growing vocabulary, as real ones have."""
    files = folder / f"{pairs}.src", folder / f"{pairs}.cor"
    with files[0].open("w") as first, files[1].open("w") as second:
        for number in range(pairs):
            place = number % len(source)
            name = f"x{number // 3:x}"
            first.write(f"{source[place]} {name}\n")
            second.write(f"{corrected[place]} {name}\n")
    return files


_MEMORY = """
import resource, sys
import redink
redink.annotate_files(sys.argv[1], sys.argv[2], sys.argv[3])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def measure_memory(source: list[str], corrected: list[str], folder: Path) -> None:
    """The largest resident size for a short and a long corpus."""
    sizes = []
    for pairs in (10_000, 200_000):
        files = make_corpus(source, corrected, pairs, folder)
        done = subprocess.run(
            [sys.executable, "-c", _MEMORY, *map(str, files), str(folder / "memory.m2")],
            check=True,
            capture_output=True,
            text=True,
        )
        sizes.append(int(done.stdout))
        print(f"largest resident size after {pairs:,} pairs: {sizes[-1]} MB", flush=True)
        record("annotation", f"memory for {pairs:,} pairs", sizes[-1], unit="MB")
    print(f"    growth {sizes[1] / sizes[0]:.2f}x")


def measure_workers(source: list[str], corrected: list[str], folder: Path) -> None:
    """Two workers against one, by the clock: start and loading of each process included."""
    files = make_corpus(source, corrected, 40_000, folder)
    spent = []
    for workers in (1, 2):
        start = time.perf_counter()
        redink.annotate_files(*files, folder / "workers.m2", workers=workers)
        spent.append(time.perf_counter() - start)
    what = "two workers, by the clock"
    show(what, spent[0], spent[1], 1.7, unit="s", peer="one worker")


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--part", default=",".join(PARTS[:4]))
    arguments = parser.parse_args()
    parts = arguments.part.split(",")
    folder = arguments.data / "conll14"
    source_file = folder / "source.txt"
    systems = sorted((folder / "systems").glob("*.txt"))
    amu = next((path for path in systems if path.stem == "AMU"), systems[0])
    everything = [*systems, *sorted((folder / "references").glob("*.txt"))]
    source = source_file.read_text().splitlines()
    corrected = amu.read_text().splitlines()
    nlp = load_embedded()
    print(f"{'CPU seconds':<44}{'errant':>10}{'redink':>10}{'ratio':>10}{'bound':>9}")
    with tempfile.TemporaryDirectory() as name, threadpool_limits(1):
        place = Path(name)
        if "rules" in parts:
            measure_rules(nlp, source, corrected)
        if "one" in parts:
            measure_files(nlp, source_file, [amu], f"one system ({amu.stem})", 3, place)
        if "all" in parts:
            label = f"{len(everything)} systems and references"
            measure_files(nlp, source_file, everything, label, 10, place)
        if "pipeline" in parts:
            measure_pipeline([*source, *corrected])
        if "memory" in parts:
            measure_memory(source, corrected, place)
        if "workers" in parts:
            measure_workers(source, corrected, place)


if __name__ == "__main__":
    main()
