"""Compare complete commands from the shell, including start and loading, with the originals.

    python benchmarks/shell.py [--shared ../shared] [--part start,annotate,job,score,compare,...]

CPU times of the processes, in one run. The original annotates with the embedded pipeline in place
of spaCy's, as its own command does, a sentence at a time. Parts:

    start      `redink explain`: everything is loaded, two sentences are annotated
    annotate   one system (AMU) to M2
    job        all systems and references of CoNLL-2014 in one job, against a run for each
    long       one line of 2,000 rewritten tokens
    corpus     so many pairs a second in a job of 40,000 pairs
    score      the systems of SEEDA under the default metrics, first without a cache, then with it;
               and each metric alone
    metrics    what all metrics that need no model add to the default ones, alternating three times
    compare    every pair of them under errant and m2, and under the default metrics, with as many
               samples as the pairs ask for
    workers    the same scores by two processes, by the clock
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from annotate import make_corpus
from rows import cpu_time, record

ROOT = Path(__file__).resolve().parents[1]
# One thread for matrix products, as everywhere in these measurements; and modules compiled once, as
# those of an installed program are.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "OPENBLAS_NUM_THREADS": "1",
}
COMPILED = Path(tempfile.gettempdir()) / "redink-bench-compiled"
ORIGINAL = """
import sys, errant
from errant.commands import parallel_to_m2
sys.path.append({root!r})
from training.pipeline.spacy_pipeline import load_embedded
annotator = errant.load("en", load_embedded())
errant.load = lambda _: annotator
parallel_to_m2.main()
"""
failed: list[str] = []


def show(
    job: str,
    what: str,
    ours: float,
    bound: float,
    *,
    theirs: float | None = None,
    unit: str = "CPU s",
    peer: str = "errant 3.0.2",
) -> None:
    """Print one line; with another program, the bound is the minimum speed ratio."""
    if theirs is None:
        record(job, what, ours, unit=unit, bound=bound)
        good = ours >= bound if unit.endswith("/s") else ours <= bound
        print(f"{what:<58}{ours:>10.2f} {unit:<8}{bound:>9.1f}", flush=True)
    else:
        record(job, what, ours, unit=unit, peer=peer, theirs=theirs)
        good = theirs / ours >= bound
        print(f"{what:<58}{theirs:>10.2f}{ours:>10.2f}{theirs / ours:>8.1f} x{bound:>7.1f} x")
    if not good:
        failed.append(what)


def run(*words: str | Path, folder: Path, original: bool = False) -> float:
    """The CPU time of a command."""
    start = ["-c", ORIGINAL.format(root=str(ROOT))] if original else ["-m", "redink"]
    with cpu_time() as spent:
        subprocess.run(
            [sys.executable, *start, *map(str, words)],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={
                **ENVIRONMENT,
                "REDINK_CACHE": str(folder / "cache"),
                "PYTHONPYCACHEPREFIX": str(COMPILED),
            },
        )
    return spent()


def measure_start(data: Path, folder: Path) -> None:  # noqa: ARG001 (every part takes both)
    """From nothing to the edits between two sentences."""
    words = ("explain", "This are gramamtical sentence .", "This is a grammatical sentence .")
    ours = min(run(*words, folder=folder) for _ in range(3))
    show("annotation", "explain, from the shell", ours, 0.6)


def _files(data: Path) -> tuple[Path, list[Path]]:
    place = data / "data" / "conll14"
    systems = sorted((place / "systems").glob("*.txt"))
    return place / "source.txt", [*systems, *sorted((place / "references").glob("*.txt"))]


def measure_annotate(data: Path, folder: Path) -> None:
    """One system."""
    source, files = _files(data)
    one = next((file for file in files if file.stem == "AMU"), files[0])
    their_words = "-orig", source, "-cor", one, "-out", folder / "theirs.m2"
    words = "annotate", source, one, "-o", folder / "ours.m2", "-q"
    theirs, ours = [], []
    for _ in range(3):  # in turn, and the least of each
        theirs.append(run(*their_words, folder=folder, original=True))
        ours.append(run(*words, folder=folder))
    what = f"one system ({one.stem}), from the shell"
    show("annotation", what, min(ours), 10, theirs=min(theirs))


def measure_job(data: Path, folder: Path) -> None:
    """All of CoNLL-2014 in one job; the original takes a file at a time, of which two are timed."""
    source, files = _files(data)
    theirs = 0.0
    for file in files[:2]:
        words = "-orig", source, "-cor", file, "-out", folder / "theirs.m2"
        theirs += run(*words, folder=folder, original=True) * len(files) / 2
    ours = run("annotate", source, *files, "-o", folder / "ours.m2", "-q", folder=folder)
    show("annotation", f"{len(files)} files in one job, from the shell", ours, 30, theirs=theirs)


def measure_corpus(data: Path, folder: Path) -> None:
    """Pairs a second of a long corpus with an ever growing vocabulary."""
    source, files = _files(data)
    texts = [file.read_text(encoding="utf-8").splitlines() for file in (source, files[0])]
    pairs = 40_000
    ours = make_corpus(*texts, pairs, folder)
    spent = run("annotate", *ours, "-o", folder / "corpus.m2", "-q", folder=folder)
    show("annotation", "pairs of a long corpus", pairs / spent, 3000, unit="pairs/s")


def measure_long(data: Path, folder: Path) -> None:
    """One line that was rewritten: its cost was cubic in its length before."""
    source, files = _files(data)
    words = [file.read_text(encoding="utf-8").split() for file in (source, files[0])]
    lines = (words[0][:2000], words[1][4000:6000])
    names = [folder / "long.src", folder / "long.cor"]
    for name, line in zip(names, lines, strict=True):
        name.write_text(" ".join(line) + "\n", encoding="utf-8")
    spent = run("annotate", *names, "-o", folder / "line.m2", "-q", folder=folder)
    show("annotation", "one rewritten line of 2,000 tokens, from the shell", spent, 1.8)


def _modern(data: Path) -> list[Path]:
    found = sorted((data / "data" / "seeda" / "outputs" / "all").glob("*.txt"))
    return found or _files(data)[1]


def measure_score(data: Path, folder: Path) -> None:
    """The default metrics, cold and warm, and each metric alone without the cache."""
    gold, systems = data / "data" / "conll14" / "official-2014.combined.m2", _modern(data)
    name = f"{len(systems)} modern systems"
    for how, bound in (("cold", 10.0), ("with the cache", 3.0)):
        spent = run("score", gold, *systems, "-q", folder=folder)
        show("scoring", f"{name}, default metrics, {how}", spent, bound)
    for metric, times, bound in (
        ("errant", 1, 7.0),
        ("m2", 3, 3.0),
        ("gleu", 3, 3.0),
        ("imeasure", 1, 20.0),
    ):
        words = ("score", gold, *systems, "--metric", metric, "--no-cache", "-q")
        spent = min(run(*words, folder=folder) for _ in range(times))
        show("scoring", f"{name}, {metric} alone", spent, bound)


def measure_metrics(data: Path, folder: Path) -> None:
    """The default metrics, then all that need no model and the means of sentences beside them."""
    gold, systems = data / "data" / "conll14" / "official-2014.combined.m2", _modern(data)
    added = "all,errant(average=sentence),m2(average=sentence)"
    words = ("score", gold, *systems, "--no-cache", "-q")
    more = []
    for _ in range(3):
        usual = run(*words, folder=folder)
        more.append(run(*words, "--metric", added, folder=folder) - usual)
    what = f"{len(systems)} modern systems, all other metrics without a model added"
    show("scoring", what, sorted(more)[1], 10.0)


def measure_compare(data: Path, folder: Path) -> None:
    """Bootstrap and randomization of every pair."""
    gold, systems = data / "data" / "conll14" / "official-2014.combined.m2", _modern(data)
    words = ("compare", gold, *systems, "--no-cache", "-q")
    pairs = len(systems) * (len(systems) - 1) // 2
    spent = run(*words, "--metric", "errant,m2", folder=folder)
    show("scoring", f"compare: {2 * pairs} pairs, errant and m2", spent, 20.0)
    spent = run(*words, folder=folder)
    show("scoring", f"compare: {3 * pairs} pairs, default metrics", spent, 30.0)


def measure_workers(data: Path, folder: Path) -> None:
    """Two processes against one, by the clock."""
    gold, systems = data / "data" / "conll14" / "official-2014.combined.m2", _modern(data)
    for what, words in (
        ("score", ("score", gold, *systems, "--no-cache", "-q")),
        ("annotate", ("annotate", *_long(data, folder), "-o", folder / "long.m2", "-q")),
    ):
        spent = []
        for workers in ("1", "2"):
            start = time.perf_counter()
            run(*words, "--workers", workers, folder=folder)
            spent.append(time.perf_counter() - start)
        name = f"{what} by two workers, by the clock"
        show("annotation", name, spent[1], 1.2, theirs=spent[0], unit="s", peer="one worker")


def _long(data: Path, folder: Path) -> tuple[Path, Path]:
    source, files = _files(data)
    texts = [file.read_text(encoding="utf-8").splitlines() for file in (source, files[0])]
    return make_corpus(*texts, 20_000, folder)


PARTS: dict[str, Callable[[Path, Path], None]] = {
    "start": measure_start,
    "annotate": measure_annotate,
    "job": measure_job,
    "corpus": measure_corpus,
    "long": measure_long,
    "score": measure_score,
    "metrics": measure_metrics,
    "compare": measure_compare,
    "workers": measure_workers,
}


def main() -> int:
    """Measure the parts asked for; 1 if any misses its bound."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--part", default=",".join(PARTS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        run("annotate", "--help", folder=Path(name))  # compiles
    for part in options.part.split(","):
        with tempfile.TemporaryDirectory() as name:
            PARTS[part](options.shared, Path(name))
    if failed:
        print(f"missed: {'; '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
