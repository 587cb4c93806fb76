"""A small corpus in shards, made of the bundled example."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import psutil

Pair = tuple[str, str]


def example_pairs(count: int) -> list[Pair]:
    folder = resources.files("redink").joinpath("examples")
    source, corrected = (
        folder.joinpath(name).read_text(encoding="utf-8").splitlines()
        for name in ("source.txt", "eager.txt")
    )
    return [
        (f"{source[n % len(source)]} x{n}", f"{corrected[n % len(source)]} x{n}")
        for n in range(count)
    ]


def write_lines(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def write_shards(folder: Path, pairs: list[Pair], shards: int) -> None:
    """Folders ``source`` and ``corrected`` with so many files each."""
    size = -(-len(pairs) // shards)
    for number in range(shards):
        some = pairs[number * size : (number + 1) * size]
        for side, column in (("source", 0), ("corrected", 1)):
            lines = [pair[column] for pair in some]
            write_lines(folder / side / f"part-{number:02}.txt", lines)


def output_of(folder: Path) -> dict[str, bytes]:
    others = {f.name for f in folder.iterdir() if ".m2" not in f.suffixes or f.name[0] == "."}
    assert others <= {"manifest.jsonl", ".redink.lock"}
    return {f.name: f.read_bytes() for f in sorted(folder.glob("*.m2*"))}


def whole_output(folder: Path) -> bytes:
    return b"".join(output_of(folder).values())


def start_job(folder: Path, *arguments: str) -> psutil.Popen:
    """Start ``redink annotate`` in a process of its own."""
    return psutil.Popen(
        [sys.executable, "-m", "redink", "annotate", *arguments],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(folder: Path, pattern: str, count: int = 1) -> None:
    while len(list(folder.glob(pattern))) < count:
        time.sleep(0.02)
