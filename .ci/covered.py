"""Run the quick tests with coverage, then show the coverage by package: ``make coverage``.

    python .ci/covered.py [WORDS FOR PYTEST...]

Coverage includes all processes from start to end: the tests, the commands that they run, and the
workers of these commands. The arguments select tests, as in ``tests/formats -n 0``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

BAR = 90
"""Modules of which less than so many per cent is covered are shown with the lines that are not."""

COVERAGE = (sys.executable, "-m", "coverage")
TESTS = (*COVERAGE, "run", "-m", "pytest", "-q", "-n", "auto", "--ignore=tests/browser")


def main() -> int:
    """Run the tests and print the coverage; return the exit code of the tests."""
    print("redink: the quick tests without the browser's, measured: some minutes.", flush=True)
    subprocess.run([*COVERAGE, "erase"], check=True)
    code = subprocess.run([*TESTS, *sys.argv[1:]], check=False).returncode
    subprocess.run([*COVERAGE, "combine", "--quiet"], check=True)
    with tempfile.TemporaryDirectory() as place:
        found = Path(place) / "coverage.json"
        subprocess.run([*COVERAGE, "json", "--quiet", "-o", found], check=True)
        below = tell(json.loads(found.read_text(encoding="utf-8"))["files"])
    if below:
        print(f"\nModules below {BAR} %:", flush=True)
        command = [*COVERAGE, "report", "--show-missing", f"--include={','.join(below)}"]
        subprocess.run(command, check=False)
    print("\nredink: every line is shown by: coverage html -d build/coverage")
    return code


def tell(files: dict[str, Any]) -> list[str]:
    """Print the coverage of each package; return the modules below the limit."""
    packages: dict[str, Counter[str]] = {}
    below = []
    for path, about in files.items():
        counts = Counter({what: n for what, n in about["summary"].items() if what in COUNTED})
        parts = Path(path).parts
        name = parts[parts.index("redink") + 1]
        for one in (name, "all"):
            packages.setdefault(one, Counter()).update(counts)
        if share(counts) < BAR:
            below.append(path)
    print(f"\n{'':16}{'lines':>8}{'missed':>8}{'branches':>10}{'missed':>8}{'covered':>9}")
    for name, counts in sorted(packages.items(), key=lambda one: (one[0] == "all", share(one[1]))):
        lines, missed, branches, not_taken = (counts[what] for what in COUNTED)
        print(f"{name:16}{lines:8}{missed:8}{branches:10}{not_taken:8}{share(counts):8.1f}%")
    return below


COUNTED = ("num_statements", "missing_lines", "num_branches", "missing_branches")


def share(counts: Counter[str]) -> float:
    """Return the percentage of lines and branches that ran."""
    lines, missed, branches, not_taken = (counts[what] for what in COUNTED)
    return 100 * (1 - (missed + not_taken) / ((lines + branches) or 1))


if __name__ == "__main__":
    sys.exit(main())
