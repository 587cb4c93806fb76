"""Run the benchmarks and write docs/performance.md: `make bench`.

    python benchmarks/performance.py [--data ../shared] [--only NAME,...] [--page FILE]

Each script runs in a process of its own and records what it measured (see rows.py). Where the real
corpora are not there, the bundled example stands in for them, and the page says so. The page and
its two plots are written when everything has been measured. With --only, what is not measured
again stays as it was, and the page says so.
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
# Script and arguments; {shared} is the folder of the corpora. One that is not there is left out.
RUNS: dict[str, list[str]] = {
    "shell": ["--shared", "{shared}"],
    "annotate": ["--data", "{shared}/data", "--part", "rules,one,pipeline"],
    "score": ["--shared", "{shared}"],
    "meteor": ["--shared", "{shared}"],
    "detection": ["--data", "{shared}"],
    "rank": ["--data", "{shared}", "--quick"],
    "reading": [],
    "campaign": ["--kills", "0"],
    "growth": ["--data", "{shared}"],
}
# Not here, because they take longer: scale.py (large jobs) and detectors.py (training).
JOBS = ("annotation", "scoring", "detection", "ranking", "reading", "campaign", "scale")
HEAD = """# Performance

<!-- Written by `make bench` from what it measured: do not edit. -->

{setting}
Times are CPU times of one process with one thread, unless the unit says otherwise; the figures of
one line were measured in one run. {load} {data}
"""
PEERS = """
## Beside other programs

The same work by the program that people use for it, on the same data. Above 1 redink is faster.
The original of annotation is `errant_parallel` of errant 3.0.2 with the same embedded pipeline, run
by spaCy as its command runs it; *from the shell* includes the start of both programs. Two peers do
less: scikit-learn gives kappa at a hundred thresholds only, and the trueskill package
is timed on updates of two players, without choosing opponents. An empty endpoint (of the web
framework that campaigns use) and a bare loop over the lines of a file do none of the work: they
say how much of the possible is left.
"""
ALONE = """
## Alone

These rows have no comparable program that can be installed. The table shows the measured value
and the limit that the project sets itself. *Cold* means that the [cache](cache.md) is empty.
"""
GROWTH = """
## Growth

What a job costs when one thing grows and all else stays. Linear growth is as many times the cost as
the size. The first column is the cost at size 1. `errant` to `meteor` score existing edits and
texts against two references. Systems differ in how much they change, and sentences that several
systems leave unchanged are processed once. A ranking contains every pair of systems, so cost grows
with the square of their number. `campaign` is the time of the server.

![How cost grows](performance/growth.svg)
"""


def run_scripts(only: set[str], shared: Path, rows: Path) -> list[str]:
    """Run each script; the answer is the names of those that failed or passed a bound."""
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
    """The new rows, and those of an earlier run that were not measured again."""
    measured = {_name_of(row) for row in new}
    kept = [{**row, "earlier": True} for row in old if "load" not in row]
    return [*(row for row in kept if _name_of(row) not in measured), *new]


def _name_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(part) for part in ("job", "what", "axis", "factor"))


def describe_machine() -> str:
    """What the figures were measured on, without its name."""
    versions = f"redink {redink.__version__}, Python {platform.python_version()}"
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores"
    return f"Measured {datetime.now(UTC):%Y-%m-%d} with {versions} on {machine}."


def describe_load(rows: list[dict[str, Any]]) -> str:
    """How busy the machine was: figures by the clock mean little on one that others use."""
    loads = [load for row in rows if "load" in row for load in row["load"]]
    cores = os.cpu_count() or 1
    said = f"The load was {min(loads):.1f} to {max(loads):.1f} on {cores} cores"
    if max(loads) <= cores + 1:
        return f"{said}: nothing else ran."
    return (
        f"{said}: other work ran beside it, which makes CPU times larger and noisier, and figures "
        "by the clock (seconds, requests a second, ms) say little."
    )


def describe_age(rows: list[dict[str, Any]]) -> str:
    """Which lines are of an earlier run."""
    if any(row.get("earlier") for row in rows):
        return "Lines with ¹ and the growth are of an earlier run, on the same machine. "
    return ""


def name_line(row: dict[str, Any]) -> str:
    """What was done, marked where it is of an earlier run."""
    return f"{row['what']} ¹" if row.get("earlier") else str(row["what"])


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By job, otherwise as measured."""
    return sorted(rows, key=lambda row: JOBS.index(row["job"]))


def show_figure(value: float | None) -> str:
    """Three figures, and thousands apart."""
    if value is None:
        return ""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.{2 if value >= 10 else 3}f}"


def ratio_of(row: dict[str, Any]) -> float:
    """How many times faster ours is."""
    quick = row["ours"] / row["theirs"]
    return float(quick if row["unit"].endswith("/s") else 1 / quick)


def write_peers(rows: list[dict[str, Any]]) -> list[str]:
    """The table of ratios."""
    lines = [
        PEERS,
        "![Times faster than the peer](performance/ratios.svg)\n",
        "| job | what | peer | unit | peer | redink | times faster |",
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
    """The table of figures without a peer."""
    lines = [ALONE, "| job | what | figure | unit | bound |", "|:---|:---|---:|:---|---:|"]
    lines.extend(
        f"| {row['job']} | {name_line(row)} | {show_figure(row['ours'])} | {row['unit']} | "
        f"{show_figure(row['bound'])} |"
        for row in rows
    )
    return lines


def write_growth(rows: list[dict[str, Any]]) -> list[str]:
    """The table of growth: a line for each job and axis."""
    lines = [GROWTH, "| job | what grows | CPU s | times the cost |", "|:---|:---|---:|:---|"]
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
    """The page and its plots."""
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
        names = [f"{row['what']}\n(beside {row['peer']})" for row in peers]
        save_figure(draw_ratios(names, [ratio_of(row) for row in peers]), plots / "ratios.svg")
    if alone:
        lines += write_alone(alone)
    if growth:
        lines += write_growth(growth)
        save_figure(draw_growth(growth, size="page"), plots / "growth.svg")
    with write_atomically(page) as stream:
        stream.write("\n".join(lines) + "\n")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """What was measured."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> int:
    """Measure everything, then write; 1 if a script failed or passed its bound."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--only", default=",".join(RUNS))
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "performance.md")
    parser.add_argument("--rows", type=Path, help="only write the page, from rows measured before")
    options = parser.parse_args()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        shared = options.data
        data = "Texts, systems and rankings are those of CoNLL-2014, modern systems those of SEEDA."
        if not (shared / "data" / "conll14").is_dir():
            shared = make_stand_in(Path(name))
            data = (
                "The corpora were not there: texts, systems and rankings are those of the bundled "
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
        print(f"failed, or slower than their bound: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
