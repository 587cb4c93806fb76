"""The long runs: ``python -m fuzzing [readers|commands|all] --inputs N --seed S --seconds T``."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from fuzzing import commands, readers
from fuzzing.outcome import Outcome
from fuzzing.seeds import all_seeds

_MEMORY_DISK = Path("/dev/shm")  # noqa: S108 (only a place for a folder of our own)


def main() -> int:
    """Run and report; exit code 1 if anything fell over."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["readers", "commands", "all"], default="all")
    parser.add_argument("--inputs", type=int, default=None, help="how many (of each)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=None, help="stop after so long (each)")
    parser.add_argument("--failures", type=int, default=20, help="stop after so many")
    parser.add_argument("--only", help="one reader or command, e.g. m2 or 'sample plan'")
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=shared, help="a folder of real files")
    options = parser.parse_args()
    if options.inputs is None and options.seconds is None:
        options.inputs = 100_000
    place = _MEMORY_DISK if _MEMORY_DISK.is_dir() else None
    failed = False
    with tempfile.TemporaryDirectory(prefix="redink-fuzz-", dir=place) as folder:
        for name, module in (("readers", readers), ("commands", commands)):
            if options.what not in {name, "all"}:
                continue
            started, busy = time.monotonic(), time.process_time()
            work = Path(folder) / name
            work.mkdir()
            data = options.data if options.data.is_dir() else None
            seeds = all_seeds(data, random.Random(options.seed), work)
            outcome = Outcome(stop_after=options.failures)
            module.run(
                seeds,
                outcome,
                folder=work,
                inputs=options.inputs,
                seed=options.seed,
                seconds=options.seconds,
                only=options.only,
            )
            print(f"== {name}")
            print(outcome.table())
            print(
                f"{outcome.inputs:,} inputs in {time.process_time() - busy:.0f} s CPU, "
                f"{time.monotonic() - started:.0f} s in all: {outcome.failed.total()} failures",
                flush=True,
            )
            for failure in outcome.failures:
                print(f"\n--- ({outcome.failed[failure.kind]}) {failure}", file=sys.stderr)
            failed = failed or bool(outcome.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
