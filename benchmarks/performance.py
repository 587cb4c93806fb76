"""Run the benchmarks and write docs/performance.md: `make bench`.

    python benchmarks/performance.py [--data ../shared] [--only NAME,...] [--page FILE]

Each script runs in a separate process and records its measurements (see rows.py). If the real
corpora are missing, the scripts use the bundled example, and the page states this. The page and its
two plots are written after all measurements. With --only, other lines keep their earlier values,
and the page marks them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from performance_plots import TIMES, draw_growth, draw_ratios, show_ratio
from rows import VARIABLE
from stand_in import make_stand_in

import redink
from redink.files import write_atomically
from redink.reports.plots.style import save_figure

ROOT = Path(__file__).resolve().parents[1]
# Script and arguments; {shared} is the folder of the corpora. Missing scripts are skipped.
RUNS: dict[str, list[str]] = {
    "shell": ["--shared", "{shared}"],
    "annotate": ["--data", "{shared}/data", "--part", "rules,one,pipeline"],
    "score": ["--shared", "{shared}"],
    "meteor": ["--shared", "{shared}"],
    "detection": ["--data", "{shared}"],
    "rank": ["--data", "{shared}", "--quick"],
    "reading": [],
    "campaign": ["--kills", "0"],
    "asking": [],
    "growth": ["--data", "{shared}"],
}
# Excluded because they take longer: scale.py (large jobs) and detectors.py (training).
JOBS = ("annotation", "scoring", "detection", "ranking", "reading", "campaign", "scale")
HEAD = """# Performance

<!-- Written by `make bench` from its measurements: do not edit. -->

{setting}
Times are CPU times of one process with one thread, unless the unit says otherwise. All values in
one line were measured in the same run. {load} {data}
"""
PEERS = """
## Comparison with other programs

Each line compares redink with the program commonly used for the job, on the same data. A ratio
above 1 means that redink is faster. For annotation, the other program is `errant_parallel` of
errant 3.0.2 with redink's pipeline, run by spaCy; *from the shell* includes the start of both
programs. Two programs do less work than redink: scikit-learn computes kappa at only a hundred
thresholds, and the trueskill package is timed on updates of two players, without choosing
opponents. An empty endpoint (of the web framework that campaigns use) and a bare loop over the
lines of a file do none of the work: their speed is an upper limit.
"""
ALONE = """
## Without comparison

There is no comparable installable program for these jobs. The table shows the measured value and
the project's own limit. *Cold* means that the [cache](cache.md) is empty.
"""
GROWTH = """
## Scaling

The table shows how the cost of a job grows with one dimension of its input. With linear growth, the
cost grows by the same factor as the size. The first column is the cost at size 1. `errant` to
`meteor` score existing edits and texts against two references. The systems differ in how much they
change, and sentences that several systems leave unchanged are processed once. A ranking contains
every pair of systems, so its cost is quadratic in their number. `campaign` is the CPU time of the
server.

![Cost by size](performance/growth.svg)
"""


def run_scripts(only: set[str], shared: Path, rows: Path) -> list[str]:
    """Run each script; return the names of those that failed or exceeded a limit."""
    failed = []
    before = os.getloadavg()[0]
    for name, arguments in RUNS.items():
        script = ROOT / "benchmarks" / f"{name}.py"
        if name not in only or not script.exists():
            continue
        print(f"== {name}", flush=True)
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, script, *(a.format(shared=shared) for a in arguments)],
            check=False,
            env={**os.environ, VARIABLE: str(rows)},
        )
        print(f"   {time.monotonic() - started:.0f} s", flush=True)
        if done.returncode != 0:
            failed.append(name)
    with rows.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"load": [before, os.getloadavg()[0]]}) + "\n")
    return failed


def keep_earlier(new: list[dict[str, Any]], old: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the new rows, and earlier rows that were not measured again."""
    measured = {_name_of(row) for row in new}
    kept = [{**row, "earlier": True} for row in old if "load" not in row]
    return [*(row for row in kept if _name_of(row) not in measured), *new]


def _name_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(part) for part in ("job", "what", "axis", "factor"))


def describe_machine() -> str:
    """Describe software and hardware, without the name of the machine."""
    versions = f"redink {redink.__version__}, Python {platform.python_version()}"
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores"
    return f"Measured {datetime.now(UTC):%Y-%m-%d} with {versions} on {machine}."


def describe_load(rows: list[dict[str, Any]]) -> str:
    """Describe the load of the machine, on which wall-clock times depend."""
    loads = [load for row in rows if "load" in row for load in row["load"]]
    cores = os.cpu_count() or 1
    said = f"The load was {min(loads):.1f} to {max(loads):.1f} on {cores} cores"
    if max(loads) <= cores + 1:
        return f"{said}: no other programs ran."
    return (
        f"{said}: other programs ran at the same time, so CPU times are larger and noisier, and "
        "wall-clock values (seconds, requests/s, ms) are unreliable."
    )


def describe_age(rows: list[dict[str, Any]]) -> str:
    """Describe which lines are from an earlier run."""
    if any(row.get("earlier") for row in rows):
        return "Lines with ¹ and the scaling results are from an earlier run on the same machine. "
    return ""


def name_line(row: dict[str, Any]) -> str:
    """Return the label of a line, with a mark if it is from an earlier run."""
    return f"{row['what']} ¹" if row.get("earlier") else str(row["what"])


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort by job, otherwise in the order of measurement."""
    return sorted(rows, key=lambda row: JOBS.index(row["job"]))


def show_figure(value: float | None) -> str:
    """Format with three digits and thousands separators."""
    if value is None:
        return ""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.{2 if value >= 10 else 3}f}"


def ratio_of(row: dict[str, Any]) -> float:
    """Return how many times faster redink is."""
    quick = row["ours"] / row["theirs"]
    return float(quick if row["unit"].endswith("/s") else 1 / quick)


def write_peers(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the table with comparisons."""
    lines = [
        PEERS,
        "![Times faster than the other program](performance/ratios.svg)\n",
        "| job | task | other program | unit | other | redink | times faster |",
        "|:---|:---|:---|:---|---:|---:|---:|",
    ]
    lines.extend(
        f"| {row['job']} | {name_line(row)} | {row['peer']} | {row['unit']} | "
        f"{show_figure(row['theirs'])} | {show_figure(row['ours'])} | "
        f"**{show_ratio(ratio_of(row))}** |"
        for row in rows
    )
    return lines


def write_alone(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the table without comparisons."""
    lines = [ALONE, "| job | task | value | unit | limit |", "|:---|:---|---:|:---|---:|"]
    lines.extend(
        f"| {row['job']} | {name_line(row)} | {show_figure(row['ours'])} | {row['unit']} | "
        f"{show_figure(row['bound'])} |"
        for row in rows
    )
    return lines


def write_growth(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the scaling table: one per job and dimension."""
    lines = [GROWTH, "| job | dimension | CPU s | relative cost |", "|:---|:---|---:|:---|"]
    for axis in dict.fromkeys(row["axis"] for row in rows):
        for job in dict.fromkeys(row["job"] for row in rows if row["axis"] == axis):
            line = [row for row in rows if (row["job"], row["axis"]) == (job, axis)]
            first = next(row["seconds"] for row in line if row["factor"] == 1)
            grown = " · ".join(
                f"{row['factor']} {TIMES}: {row['seconds'] / first:.1f}"
                for row in line
                if row["factor"] != 1
            )
            lines.append(f"| {job} | {axis} | {first:.3f} | {grown} |")
    return lines


def write_page(rows: list[dict[str, Any]], page: Path, *, data: str) -> None:
    """Write the page and its plots."""
    growth = [row for row in rows if "axis" in row]
    figures = in_order([row for row in rows if "ours" in row])
    peers = [row for row in figures if row["theirs"] is not None]
    alone = [row for row in figures if row["theirs"] is None]
    plots = page.parent / page.stem
    plots.mkdir(parents=True, exist_ok=True)
    lines = [
        HEAD.format(
            setting=describe_machine(), load=describe_load(rows), data=describe_age(rows) + data
        ).rstrip("\n")
    ]
    if peers:
        lines += write_peers(peers)
        names = [f"{row['what']}\n(vs. {row['peer']})" for row in peers]
        save_figure(draw_ratios(names, [ratio_of(row) for row in peers]), plots / "ratios.svg")
    if alone:
        lines += write_alone(alone)
    if growth:
        lines += write_growth(growth)
        save_figure(draw_growth(growth, size="page"), plots / "growth.svg")
    with write_atomically(page) as stream:
        stream.write("\n".join(lines) + "\n")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read the recorded measurements."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> int:
    """Measure everything and write the page; return 1 if a script failed or was too slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--only", default=",".join(RUNS))
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "performance.md")
    parser.add_argument("--rows", type=Path, help="only write the page, from recorded measurements")
    options = parser.parse_args()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        shared = options.data
        data = "Texts, systems and rankings are from CoNLL-2014, modern systems from SEEDA."
        if not (shared / "data" / "conll14").is_dir():
            shared = make_stand_in(Path(name))
            data = (
                "The corpora were missing: texts, systems and rankings are from the bundled "
                "example, repeated with small changes."
            )
        rows = options.rows or Path(name) / "rows.jsonl"
        if options.rows is None:
            failed = run_scripts(set(options.only.split(",")), shared, rows)
        measured = read_rows(rows)
        stored = options.page.parent / options.page.stem / "rows.jsonl"
        if options.rows is None:
            if set(options.only.split(",")) != set(RUNS) and stored.exists():
                measured = keep_earlier(measured, read_rows(stored))
            stored.parent.mkdir(parents=True, exist_ok=True)
            stored.write_text("".join(f"{json.dumps(row)}\n" for row in measured), encoding="utf-8")
        write_page(measured, options.page, data=data)
    print(f"written: {options.page}")
    if failed:
        print(f"failed, or slower than the limit: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
