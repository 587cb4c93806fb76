"""A million-sentence M2 file is read within 200 MB, and how quickly files are read.

The file is made here, from the sentences of a small one, in a folder that is deleted again::

    python benchmarks/reading.py --sentences 1000000

Memory is the highest resident size of a process that only reads; speed is CPU time beside that
of a bare loop which only splits the lines, in one run on one machine.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from rows import record

from redink.files import write_atomically
from redink.formats import get_format
from redink.inputs import read_values

LIMIT_MB = 200
BLOCK = """S On the other hand , if there are ways can help us to control it {n} , we go on .
A 8 8|||M:PRON|||that|||REQUIRED|||-NONE-|||0
A 11 12|||R:VERB|||aid||help|||REQUIRED|||-NONE-|||0
A 15 16|||R:NOUN:NUM|||them|||REQUIRED|||-NONE-|||1

S Nothing is absolute right or wrong .
A 2 3|||R:MORPH|||absolutely|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

"""


def make_m2(path: Path, sentences: int) -> None:
    """An M2 file of that many sentences, no two blocks the same."""
    with path.open("w", encoding="utf-8") as stream:
        for number in range(sentences // 2):
            stream.write(BLOCK.format(n=number))


def bare_loop(path: Path) -> int:
    """What any reader must do at least: decode the lines and split them."""
    count = 0
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if line.startswith("S "):
                line.split()
                count += 1
            elif line.startswith("A "):
                line.split("|||")
    return count


def stream(path: Path) -> int:
    """Read every value and keep none."""
    return sum(1 for _ in read_values(path)[1])


def timed(work: Callable[[Path], int], path: Path) -> tuple[int, float]:
    """The count and the CPU seconds."""
    started = time.process_time()
    count = work(path)
    return count, time.process_time() - started


def peak_megabytes(path: Path) -> float:
    """The highest resident size of a fresh process that reads the file."""
    run = subprocess.run(
        [sys.executable, __file__, "--only-read", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout)


def main(arguments: Iterable[str] | None = None) -> int:
    """Print a small table; exit code 1 if the limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--only-read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.only_read:
        stream(options.only_read)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_m2(folder / "large.m2", options.sentences)
        size = (folder / "large.m2").stat().st_size / 1e6
        peak = peak_megabytes(folder / "large.m2")
        print(f"M2, {options.sentences:,} sentences, {size:.0f} MB: peak {peak:.0f} MB of memory")
        what = f"memory for {options.sentences:,} sentences of M2"
        record("reading", what, peak, unit="MB", bound=LIMIT_MB)
        print(f"limit {LIMIT_MB} MB: {'kept' if peak < LIMIT_MB else 'PASSED'}\n")
        make_m2(folder / "small.m2", min(options.sentences, 100_000))
        _, bare = timed(bare_loop, folder / "small.m2")
        print(f"{'read':8} {'sentences/s':>12} {'against a bare loop over the M2':>32}")
        values = list(read_values(folder / "small.m2")[1])
        for form in ("m2", "jsonl", "text"):
            path = folder / f"small.{form}"
            if form != "m2":
                with write_atomically(path) as output:
                    get_format(form, kind="corpus").write(values, output)
            count, seconds = timed(stream, path)
            print(f"{form:8} {count / seconds:12,.0f} {seconds / bare:31.1f}x")
            peer = "a loop that splits lines" if form == "m2" else None
            what, rate = f"sentences of {form}", count / seconds
            theirs = count / bare if peer else None
            record("reading", what, rate, unit="sentences/s", peer=peer, theirs=theirs)
    return 0 if peak < LIMIT_MB else 1


if __name__ == "__main__":
    sys.exit(main())
