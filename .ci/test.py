"""What ``make test`` and ``make test-all`` run, told first; and what was skipped, told last.

    python .ci/test.py [--slow]

Every step is run, also after one that failed; the exit code is 1 if any did.
"""

from __future__ import annotations

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
    """One command; ``tests`` says that it is pytest, whose results are counted."""

    title: str
    words: tuple[str, ...]
    tests: bool = False


def steps(*, slow: bool) -> list[Step]:
    """The checks and tests, or the tests that take long."""
    module = (sys.executable, "-m")
    pytest = (*module, "pytest", "-q", "-n", "auto", "--dist", "loadgroup")
    if slow:
        return [
            Step("long tests", (*pytest, "-m", "slow", "--ignore=tests/browser"), tests=True),
            Step("long tests in a browser", (*pytest, "-m", "slow", "tests/browser"), tests=True),
        ]
    return [
        Step("format", (*module, "ruff", "format", "--quiet", "--check", ".")),
        Step("lint", (*module, "ruff", "check", "--quiet", ".")),
        Step("types", (*module, "mypy")),
        Step("tests", (*pytest, "--ignore=tests/browser"), tests=True),
        # apart, since a browser keeps an event loop running in its process
        Step("tests in a browser", (*pytest, "tests/browser"), tests=True),
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
    for step in todo:
        print(f"== {step.title}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.xml"
            more = (f"--junitxml={results}",) if step.tests else ()
            if subprocess.run([*step.words, *more], check=False).returncode:
                failed.append(step.title)
            if results.exists():
                count(results, counts, skipped)
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
