"""Run the steps of ``make test`` or ``make test-all``, and list the skipped tests at the end.

    python .ci/test.py [--slow]

All steps run, even after a failure; the exit code is 1 if any step failed.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

QUICK = "about four minutes on two cores"
SLOW = "about ten minutes on two cores"


@dataclass(frozen=True)
class Step:
    """One command; ``tests`` says that it is pytest, whose results are counted.

    Those ``beside`` run while the others do, and are shown after them.
    """

    title: str
    words: tuple[str, ...]
    tests: bool = False
    beside: bool = False

    def start(self, folder: Path, *, shown: bool) -> subprocess.Popen[str]:
        """Begin; what it says goes to the terminal, or into the folder."""
        more = (f"--junitxml={folder / self.title}.xml",) if self.tests else ()
        if shown:
            return subprocess.Popen([*self.words, *more], text=True)
        with (folder / f"{self.title}.txt").open("w", encoding="utf-8") as said:
            return subprocess.Popen([*self.words, *more], text=True, stdout=said, stderr=said)


def steps(*, slow: bool) -> list[Step]:
    """The checks and tests, or the tests that take long."""
    module = (sys.executable, "-m")
    pytest = (*module, "pytest", "-q")
    # one process more than there are cores: some tests wait for a server or a signal
    processes = str(1 + (os.cpu_count() or 1))
    tests = (*pytest, "-n", processes, "--dist", "load", "--ignore=tests/browser")
    # apart, since a browser keeps an event loop running in its process; it waits more than it works
    browser = (*pytest, "tests/browser")
    if slow:
        return [
            Step("long tests", (*tests, "-m", "slow"), tests=True),
            Step(
                "properties, with more examples",
                (*tests, "-m", "hypothesis and not slow", "--hypothesis-profile=long"),
                tests=True,
            ),
            Step("long tests in a browser", (*browser, "-m", "slow"), tests=True, beside=True),
        ]
    return [
        Step("format", (*module, "ruff", "format", "--quiet", "--check", ".")),
        Step("lint", (*module, "ruff", "check", "--quiet", ".")),
        Step("types", (*module, "mypy"), beside=True),
        Step("tests", tests, tests=True),
        Step("tests in a browser", browser, tests=True, beside=True),
    ]


def main() -> int:
    """Run the steps; say what comes, how it went, and what was skipped and why."""
    slow = "--slow" in sys.argv[1:]
    todo = steps(slow=slow)
    named = ", ".join(step.title for step in todo)
    print(f"redink: {named}; {SLOW if slow else QUICK}.", flush=True)
    counts: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    failed = []
    started = time.monotonic()
    compileall.compile_dir(Path(__file__).resolve().parents[1] / "src", quiet=2)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        running = {step: step.start(folder, shown=False) for step in todo if step.beside}
        for step in sorted(todo, key=lambda step: step.beside):
            print(f"== {step.title}", flush=True)
            process = running.get(step) or step.start(folder, shown=True)
            if process.wait():
                failed.append(step.title)
            if step.beside:
                print(
                    (folder / f"{step.title}.txt").read_text(encoding="utf-8"), end="", flush=True
                )
            if step.tests and (folder / f"{step.title}.xml").exists():
                count(folder / f"{step.title}.xml", counts, skipped)
    minutes, seconds = divmod(round(time.monotonic() - started), 60)
    print(f"== {minutes} min {seconds} s; failed: {', '.join(failed) or 'nothing'}")
    for reason, number in sorted(skipped.items()):
        print(f"skipped {number}: {reason}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if failed else 0


def count(results: Path, counts: Counter[str], skipped: Counter[str]) -> None:
    """Add what one run of pytest has written."""
    for case in ET.parse(results).iter("testcase"):  # noqa: S314 (written by pytest just now)
        skip = case.find("skipped")
        if skip is not None:
            counts["skipped"] += 1
            skipped[skip.get("message", "")] += 1
        elif case.find("failure") is not None or case.find("error") is not None:
            counts["failed"] += 1
        else:
            counts["passed"] += 1


if __name__ == "__main__":
    sys.exit(main())
