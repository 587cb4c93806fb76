"""Large jobs: the same bytes however they are run, killed or stopped; memory; speed of a core.

    python benchmarks/scale.py [--data ../shared/data] [--pairs 200000] [--part local,dask,...]

The corpus is shaped as large learner corpora are, mostly of short sentences, of which a good part
is right: systems' outputs and rewrites (a quarter), each time with another word at the end so that
the vocabulary grows, and sentences of books, more than half of them with random errors. Every run
is the command line's, in a process of its own. Parts:

    one            one process (always run: the others are held against it)
    local          two local workers
    dask           a Dask cluster of two worker processes
    local-killed   two local workers, of which one is killed halfway, and continued
    dask-killed    a Dask cluster of two worker processes, of which one is killed halfway
    stopped        two local workers, stopped three times at random moments and continued

CPU time counts all processes of a run. On a machine that others use too, CPU time for a pair says
what the clock cannot: how much work a pair is.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

PARTS = ("local", "dask", "local-killed", "dask-killed", "stopped")
ROOT = Path(__file__).resolve().parents[1]
SHARDS = 8
PARENT_LIMIT = 500
SLOWER_LIMIT = 1.15


def real_pairs(data: Path) -> list[tuple[str, str]]:
    """All systems and references of CoNLL-2014 and all rewrites of JFLEG."""
    conll, jfleg = data / "conll14", data / "jfleg"
    files = [
        (conll / "source.txt", file)
        for file in (*sorted(conll.glob("systems/*.txt")), *sorted(conll.glob("references/*.txt")))
    ]
    files += [
        (jfleg / f"{p}.src", jfleg / f"{p}.ref{n}") for p in ("dev", "test") for n in range(4)
    ]
    pairs = []
    for source, corrected in files:
        lines = [path.read_text(encoding="utf-8").splitlines() for path in (source, corrected)]
        pairs.extend(zip(*lines, strict=True))
    return pairs


def book_sentences(data: Path, rng: random.Random) -> list[list[str]]:
    """Sentences of books, split roughly."""
    with gzip.open(data / "text" / "gutenberg.txt.gz", "rt", encoding="utf-8") as stream:
        text = stream.read()
    sentences = [
        re.findall(r"\w+(?:['-]\w+)*|[^\w\s]", sentence)
        for sentence in re.split(r"(?<=[.?!])\s+", text)
    ]
    found = [sentence for sentence in sentences if 4 <= len(sentence) <= 14]
    rng.shuffle(found)
    return found


def corrupt(words: list[str], rng: random.Random) -> list[str]:
    """A sentence with one to three errors."""
    changed = list(words)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(changed))
        kind = rng.randrange(4)
        if kind == 0 and len(changed) > 1:
            del changed[at]
        elif kind == 1:
            changed.insert(at, rng.choice(["the", "a", "of", "to", "in", "is", "has", ","]))
        elif kind == 2:
            changed[at : at + 2] = reversed(changed[at : at + 2])
        else:
            changed[at] += rng.choice(["s", "ed", "ing", "e", "'s"])
    return changed


def make_corpus(data: Path, pairs: int, folder: Path) -> None:
    """In shards, the same every time."""
    rng = random.Random(2014)
    real, books = real_pairs(data), book_sentences(data, rng)
    for side in ("source", "corrected"):
        (folder / side).mkdir(parents=True)
    for shard in range(SHARDS):
        lines: tuple[list[str], list[str]] = ([], [])
        for number in range(shard * pairs // SHARDS, (shard + 1) * pairs // SHARDS):
            if number % 4 == 0:
                source, corrected = real[number // 4 * 7919 % len(real)]
                row = (f"{source} x{number:x}", f"{corrected} x{number:x}")
            else:
                words = books[number % len(books)]
                written = corrupt(words, rng) if rng.random() < 0.6 else words
                row = (" ".join(written), " ".join(words))
            for side, line in zip(lines, row, strict=True):
                side.append(line)
        for side, some in zip(("source", "corrected"), lines, strict=True):
            file = folder / side / f"part-{shard:02}.txt"
            file.write_text("\n".join(some) + "\n", encoding="utf-8")


@dataclass
class Run:
    """What one run, or what was needed to finish it, took."""

    clock: float = 0.0
    cpu: float = 0.0
    parent: float = 0.0


class Job:
    """One job in a folder, by the command line."""

    def __init__(self, corpus: Path, name: str, *options: str) -> None:
        self.output = corpus / f"out-{name}"
        self._command = [
            sys.executable,
            "-m",
            "redink",
            "annotate",
            str(corpus / "source"),
            str(corpus / "corrected"),
            "-o",
            f"{self.output}/",
            "--quiet",
            *options,
        ]
        self.run = Run()

    def start(self) -> psutil.Popen:
        """Start it, or continue it."""
        return psutil.Popen(self._command, stderr=subprocess.PIPE, start_new_session=True)

    def watch(self, process: psutil.Popen) -> Iterator[int]:
        """How many files are done, until the end; adds up what it took."""
        started = time.monotonic()
        while True:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                break
            self.run.parent = max(self.run.parent, peak_memory(process.pid))
            yield len(list(self.output.glob("*.m2")))
            time.sleep(0.2)
        self.run.clock += time.monotonic() - started
        self.run.cpu += usage.ru_utime + usage.ru_stime
        self.code = os.waitstatus_to_exitcode(status)
        self.said = process.stderr.read().decode() if process.stderr else ""

    def finish(self, *, kill_at: int | None = None) -> None:
        """Run it to its end; perhaps kill a worker when so many files are done."""
        process = self.start()
        killed = kill_at is None
        for done in self.watch(process):
            if not killed and done >= (kill_at or 0):
                kill_worker(process)
                killed = True
        if kill_at is not None and killed and self.code == 2:  # the same command continues
            self.finish()
        elif self.code or not killed:
            raise SystemExit(f"{' '.join(self._command)}\nexit {self.code}\n{self.said}")

    def stop(self, seconds: float, number: signal.Signals) -> int:
        """Run it for a while and stop it; how many files are done then."""
        process = self.start()
        until = time.monotonic() + seconds
        done, sent = 0, False
        for done in self.watch(process):  # noqa: B007 (the last one counts)
            if not sent and time.monotonic() >= until:
                process.send_signal(number)
                sent = True
        if not sent or not self.code:
            raise SystemExit(f"{number.name} did not stop the job (exit {self.code})")
        return done

    def digest(self) -> str:
        """The name of all that was written; complains of anything half-written."""
        digest = hashlib.sha256()
        for file in sorted(self.output.iterdir()):
            if file.suffix == ".m2":
                digest.update(file.name.encode())
                digest.update(file.read_bytes())
            elif file.name not in {"manifest.jsonl", ".redink.lock"}:
                raise SystemExit(f"{file} was left behind")
        return digest.hexdigest()[:16]


def peak_memory(pid: int) -> float:
    """The largest resident size so far, in MB."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


def kill_worker(process: psutil.Popen) -> None:
    """Kill the child that has worked most."""
    children = process.children(recursive=True)
    max(children, key=lambda child: sum(child.cpu_times()[:2])).kill()


def show(name: str, job: Job, pairs: int, one: Job, *, same: bool) -> bool:
    """One line of the result; whether all is well."""
    run = job.run
    ratio = run.cpu / one.run.cpu
    ok = same and run.parent < PARENT_LIMIT and (name != "local" or ratio < SLOWER_LIMIT)
    print(
        f"{name:<14}{run.clock:>9.1f}{pairs / run.clock:>9.0f}{run.cpu:>9.1f}"
        f"{run.cpu / pairs * 1000:>9.3f}{ratio:>8.2f}x{run.parent:>9.0f}"
        f"  {'same bytes' if same else 'OTHER BYTES'}{'' if ok else '  NOT OK'}",
        flush=True,
    )
    return ok


def run_part(name: str, corpus: Path, one: Job) -> Job:
    """Run one part to its end."""
    files = len(list(one.output.glob("*.m2")))
    engine = ("--engine", "dask") if name.startswith("dask") else ()
    job = Job(corpus, name, "--workers", "2", *engine)
    if name == "stopped":
        rng = random.Random()
        for number in (signal.SIGINT, signal.SIGKILL, signal.SIGTERM):
            seconds = rng.uniform(one.run.clock / 12, one.run.clock / 5)
            done = job.stop(seconds, number)
            print(f"    {number.name} after {seconds:.1f} s: {done} of {files} files are done")
        job.finish()
    else:
        job.finish(kill_at=files // 2 if name.endswith("killed") else None)
    return job


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--pairs", type=int, default=200_000)
    parser.add_argument("--part", default=",".join(PARTS), help="which parts, separated by commas")
    arguments = parser.parse_args()
    # what a shell ignores for a command in the background, its children would ignore too
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not arguments.data.is_dir():
        raise SystemExit(f"{arguments.data} is not there; say where the data is: --data DIR")
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name)
        make_corpus(arguments.data, arguments.pairs, corpus)
        print(f"{arguments.pairs:,} pairs in {SHARDS} shards")
        print(
            f"{'':<14}{'seconds':>9}{'pairs/s':>9}{'CPU s':>9}{'CPU ms':>9}{'CPU':>9}"
            f"{'parent':>9}\n{'':<32}{'':>9}{'a pair':>9}{'to one':>9}{'MB':>9}"
        )
        one = Job(corpus, "one", "--workers", "1")
        one.finish()
        # the one process does the work itself, so its memory is a worker's
        show("one", one, arguments.pairs, one, same=True)
        expected = one.digest()
        fine = True
        for part in arguments.part.split(","):
            job = run_part(part, corpus, one)
            same = job.digest() == expected
            fine &= show(part, job, arguments.pairs, one, same=same)
        sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
