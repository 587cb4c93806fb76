"""``compute_gleu``: GLEU without tuning, as the published program (Python 2) prints it.

The counting is that of :class:`redink.scoring.gleu.Gleu`; here is how the original reads files, and
what it does with ``-n`` other than 4, which it does not mean.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable

import numpy as np

from redink.compat.leaving import run
from redink.scoring.gleu import ORDER, count_values, draw_references, sum_draws
from redink.scoring.metric import FloatArray

_NAME = "compute_gleu"
_Z = 1.959963984540054
"""How many standard deviations make a 95 % interval."""

Lines = list[list[str]]


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = _parser().parse_args(arguments)
    return run(_NAME, lambda: _score_files(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_NAME, description="GLEU (Napoles et al. 2015, 2016) of one or more systems."
    )
    parser.add_argument("-r", "--reference", nargs="*", required=True, help="reference texts")
    parser.add_argument("-s", "--source", required=True, help="the source text")
    parser.add_argument(
        "-o", "--hypothesis", nargs="*", required=True, help="systems' texts; - is standard input"
    )
    parser.add_argument("-n", type=int, default=4, help="the greatest n (default: 4)")
    parser.add_argument(
        "-d", "--debug", action="store_true", help="print the score of every sentence too"
    )
    parser.add_argument(
        "--iter", type=int, default=500, help="how often references are drawn (default: 500)"
    )
    return parser


def _score_files(options: argparse.Namespace) -> None:
    source = _read_file(options.source)
    references = _read_references(options, len(source))
    draws = 1 if len(references) == 1 else max(options.iter, 0)
    for path in options.hypothesis:
        hypothesis = _read(sys.stdin.buffer) if path == "-" else _read_file(path)
        if options.debug:
            sys.stdout.write("\n===== Sentence-level scores =====\nSID Mean Stdev 95%CI GLEU\n")
        else:
            sys.stdout.write(os.path.basename(path))  # noqa: PTH119
        shortest = min(map(len, (source, hypothesis, *references)))
        sides = [side[:shortest] for side in (source, hypothesis, *references)]
        values = count_values(sides, order=ORDER)
        if options.debug:
            for number, scores in enumerate(_scores(np.where(values == 0, 1.0, values), ORDER)):
                sys.stdout.write(f"{number} {' '.join(_describe(scores))}\n")
        size = len(hypothesis)
        if size > shortest or options.n < 0:
            sys.stdout.write("" if options.debug else "\n")
            wrong = f"{path} has {size} lines, the source or a reference {shortest}"
            raise ValueError(wrong if size > shortest else "-n must be 0 or more")
        drawn = draw_references(size, len(references), draws)
        sums = sum_draws(values, drawn, np.ones((1, size)))[:, 0].T
        told = _describe(_scores(sums, min(options.n, ORDER)))
        if options.debug:
            heading = "\n==== Overall score =====\nMean Stdev 95%CI GLEU\n"
            sys.stdout.write(f"{heading}{' '.join(told)}\n")
        else:
            sys.stdout.write(f" {told[0]}\n")


def _read_references(options: argparse.Namespace, size: int) -> list[Lines]:
    if not options.reference:
        raise ValueError("-r needs a reference")
    references = [_read_file(path) for path in options.reference]
    for path, reference in zip(options.reference, references, strict=True):
        if len(reference) > size:
            raise ValueError(f"{path} has more lines than {options.source}")
    return references


def _scores(values: FloatArray, order: int) -> FloatArray:
    """GLEU of lengths and n-grams (last axis); the shares of the first n are divided by four."""
    gained, made = values[..., 2 : 2 + order], values[..., 2 + ORDER : 2 + ORDER + order]
    lengths = values[..., :2]
    defined = (lengths > 0).all(axis=-1) & (gained > 0).all(axis=-1) & (made > 0).all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.log(gained / made).sum(axis=-1) / ORDER
        brevity = np.minimum(0, 1 - lengths[..., 1] / lengths[..., 0])
        return np.where(defined, np.exp(brevity + shares), 0.0)


def _describe(scores: FloatArray) -> list[str]:
    """Mean, standard deviation and interval; of values that are all equal it has no ends."""
    mean, deviation = float(np.mean(scores)), float(np.std(scores))
    if deviation == 0:
        return [f"{mean:f}", f"{deviation:f}", "(nan,nan)"]
    low, high = mean - _Z * deviation, mean + _Z * deviation
    return [f"{mean:f}", f"{deviation:f}", f"({low:.3f},{high:.3f})"]


def _read_file(path: str) -> Lines:
    with open(path, "rb") as stream:  # noqa: PTH123 (pathlib takes time to load)
        return _read(stream)


def _read(stream: Iterable[bytes]) -> Lines:
    """The words of every line, divided where Python 2 divides bytes."""
    return [[word.decode("latin-1") for word in line.split()] for line in stream]


if __name__ == "__main__":
    sys.exit(main())
