"""``gleu``, ``mgleu`` and ``sgleu``: GLEU as the PyPI package gleu 1.1.0 (Koyama) prints it.

MultiGEC-2025 calls ``gleu``. ``mgleu`` is the mean of sentences, ``sgleu`` has a line a sentence.
The counting is that of :class:`redink.scoring.gleu_koyama.GleuKoyama`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.compat.leaving import check_lengths, run, say
from redink.scoring.gleu import count_values, draw_references
from redink.scoring.metric import FloatArray
from redink.scoring.ngrams import number_grams

_HEADER = ("", "match", "penal", "numer", "denom", "p", "bp", "gleu")


def main(arguments: list[str] | None = None) -> int:
    """Run ``gleu``: the score of the corpus."""
    return _run("gleu", _corpus, arguments)


def mean_main(arguments: list[str] | None = None) -> int:
    """Run ``mgleu``: the mean of the sentences."""
    return _run("mgleu", _mean, arguments)


def sentence_main(arguments: list[str] | None = None) -> int:
    """Run ``sgleu``: every sentence."""
    return _run("sgleu", _sentences, arguments)


def _run(name: str, work: Any, arguments: list[str] | None) -> int:
    options = _parser(name).parse_args(arguments)
    options.n = max(options.n, 0)
    return run(name, lambda: work(options, _Texts.read(options)))


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=name, description="GLEU, times 100, as the program of Koyama counts it."
    )
    parser.add_argument("-n", type=int, default=4, help="the greatest n (default: 4)")
    parser.add_argument("-s", "--src", "--source", dest="source", required=True)
    parser.add_argument("-r", "--ref", "--references", dest="references", nargs="+", required=True)
    parser.add_argument("-o", "--out", "--outputs", dest="systems", nargs="+", required=True)
    parser.add_argument(
        "-i", "--iter", type=int, default=500, help="how often references are drawn (default: 500)"
    )
    parser.add_argument("-d", "--digit", type=int, default=2, help="decimals (default: 2)")
    parser.add_argument("-p", "--proc", type=int, default=1, help="accepted; one process is enough")
    parser.add_argument("-t", "--token", choices=["char", "word"], default="word")
    parser.add_argument("-m", "--max", action="store_true", help="the best reference counts")
    parser.add_argument(
        "-f", "--fix", "--fix-seed", dest="fix_seed", action="store_true", help="draw as published"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="print the counts")
    return parser


@dataclass(frozen=True)
class _Texts:
    """Source, references and systems, ``[version][sentence]``, as lines and as words or letters."""

    source: list[str]
    references: list[list[str]]
    systems: list[list[str]]
    order: int
    is_char: bool

    @classmethod
    def read(cls, options: argparse.Namespace) -> _Texts:
        source = _read(options.source)
        references = _even([_read(path) for path in options.references])
        systems = _even([_read(path) for path in options.systems])
        names = (options.source, options.references[0], options.systems[0])
        sides = (source, references[0], systems[0])
        check_lengths(zip(names, map(len, sides), strict=True))
        return cls(source, references, systems, options.n, options.token == "char")  # noqa: S105

    def cut(self, lines: list[str]) -> list[Sequence[str]]:
        """Every line as its words, or as its characters."""
        return [*lines] if self.is_char else [line.split() for line in lines]

    def sides(self, system: list[str]) -> list[list[Sequence[str]]]:
        """Source, hypothesis and references, cut."""
        return [self.cut(side) for side in (self.source, system, *self.references)]

    def count(self, system: list[str]) -> FloatArray:
        """See :func:`redink.scoring.gleu.count_values`."""
        return count_values(self.sides(system), order=self.order)


def _read(path: str) -> list[str]:
    with open(path, encoding="utf-8") as stream:  # noqa: PTH123 (pathlib takes time to load)
        return [line.rstrip("\n") for line in stream]


def _even(texts: list[list[str]]) -> list[list[str]]:
    shortest = min(map(len, texts))
    return [text[:shortest] for text in texts]


def _corpus(options: argparse.Namespace, texts: _Texts) -> None:
    many = len(texts.references)
    drawn: NDArray[Any] | None = None
    for path, system in zip(options.systems, texts.systems, strict=True):
        values = texts.count(system)
        if options.max:
            best = _best(values, options.n)
            sums = values[np.arange(len(values)), best].sum(axis=0)
            if options.verbose:
                chosen = _count_apart(texts, system)[np.arange(len(values)), best]
                chosen[..., 1] = chosen.min(axis=-1)  # no sentence loses more than it has
                say(f"{path}\n{_table(chosen.sum(axis=0), sums, options)}")
            else:
                say(f"{path}\t{_figure(_score(sums, options.n), options.digit)}")
            continue
        if drawn is None:
            drawn = _draw(len(values), many, options)
        sums = np.zeros((options.iter, values.shape[2]))
        for reference in range(many):
            sums += (drawn == reference).T.astype(np.float64) @ values[:, reference]
        say(f"{path}\t{_figure(np.mean(_score(sums, options.n)), options.digit)}")


def _draw(sentences: int, references: int, options: argparse.Namespace) -> NDArray[Any]:
    """The reference of every sentence in every repetition; at random where no seed is fixed."""
    if options.fix_seed:
        return draw_references(sentences, references, options.iter)
    return np.random.default_rng().integers(references, size=(sentences, options.iter))


def _mean(options: argparse.Namespace, texts: _Texts) -> None:
    for path, system in zip(options.systems, texts.systems, strict=True):
        scores = _of_sentences(texts.count(system), options)
        say(f"{path}\t{_figure(np.mean(scores), options.digit)}")


def _of_sentences(values: FloatArray, options: argparse.Namespace) -> FloatArray:
    scores = _score(values, options.n)
    of_each: FloatArray = scores.max(axis=1) if options.max else scores.mean(axis=1)
    return of_each


def _sentences(options: argparse.Namespace, texts: _Texts) -> None:
    counted = [texts.count(system) for system in texts.systems]
    if not options.verbose:
        scores = [_of_sentences(values, options) for values in counted]
        for row in zip(*scores, strict=True):
            say("\t".join(_figure(score, options.digit) for score in row))
        return
    apart = [_count_apart(texts, system) for system in texts.systems]
    for number, source in enumerate(texts.source):
        for which, system in enumerate(texts.systems):
            values = counted[which][number]
            best = _best(values[None], options.n)[0]
            for annotator, reference in enumerate(texts.references):
                mark = "*" if annotator == best else " "
                table = _table(apart[which][number, annotator], values[annotator], options)
                say(
                    f"S-{number + 1}   \t{source}\n"
                    f"H-{number + 1}-{which + 1} \t{system[number]}\n"
                    f"R-{number + 1}-{annotator + 1}{mark}\t{reference[number]}\n{table}"
                )


# ---- figures


def _log_brevity(values: FloatArray) -> FloatArray:
    ours, theirs = values[..., 0], values[..., 1]
    log = 1.0 - np.divide(theirs, ours, out=np.full(ours.shape, np.inf), where=ours > 0)
    shorter: FloatArray = np.where((theirs < ours) | ((ours == 0) & (theirs == 0)), 0.0, log)
    return shorter


def _log_shares(values: FloatArray, order: int) -> FloatArray:
    gained, made = values[..., 2 : 2 + order], values[..., 2 + order :]
    shares = np.divide(gained, made, out=np.ones_like(made), where=made > 0)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(shares)
    return logs


def _score(values: FloatArray, order: int) -> FloatArray:
    score: FloatArray = np.exp(_log_brevity(values) + _log_shares(values, order).mean(axis=-1))
    return score


def _best(values: FloatArray, order: int) -> NDArray[np.int64]:
    """For every sentence the reference of the highest score; of equal ones, by n, last first."""
    logs, brevity = _log_shares(values, order), _log_brevity(values)
    score = np.exp(brevity + logs.mean(axis=-1))
    single = np.exp(brevity[..., None] + logs)
    keys = [-score, *(-single[..., n] for n in reversed(range(order)))]
    return np.lexsort(tuple(reversed(keys)), axis=1)[:, 0]


def _count_apart(texts: _Texts, system: list[str]) -> FloatArray:
    """N-grams matched and penalised, ``(sentences, references, n, 2)``: for the tables."""
    source, ours, *right = number_grams(texts.sides(system), order=texts.order)
    counts = np.zeros((len(system), len(right), texts.order, 2))
    for which, grams in enumerate(right):
        for n in range(texts.order):
            keys, occurs = ours[n].keys, ours[n].counts
            wanted = grams[n].look_up(keys)
            kept = np.where(wanted > 0, 0, source[n].look_up(keys))
            add = partial(np.bincount, ours[n].sentences, minlength=len(system))
            counts[:, which, n, 0] = add(weights=np.minimum(wanted, occurs).astype(np.float64))
            counts[:, which, n, 1] = add(weights=np.minimum(kept, occurs).astype(np.float64))
    return counts


def _figure(value: Any, digits: int) -> str:
    """A share in percent, halves rounded up as they are written."""
    return _rounded(100 * value, digits)


def _rounded(value: Any, digits: int) -> str:
    number = float(value)
    if np.isinf(number):
        return str(number)
    unit = Decimal("0." + "0" * digits)
    return str(Decimal(str(number)).quantize(unit, rounding=ROUND_HALF_UP))


def _table(counts: FloatArray, values: FloatArray, options: argparse.Namespace) -> str:
    """Counts, shares and scores of every n, drawn as PrettyTable draws."""
    order = options.n
    rows = [_HEADER, *_rows(counts, values, order, options.digit)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADER))]
    rule = "+".join(["", *("-" * (width + 2) for width in widths), ""])
    lines = [
        "|".join(["", *(f" {cell.center(w)} " for cell, w in zip(row, widths, strict=True)), ""])
        for row in rows
    ]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def _rows(
    counts: FloatArray, values: FloatArray, order: int, digits: int
) -> Iterator[tuple[str, ...]]:
    logs, brevity = _log_shares(values, order), _log_brevity(values)
    figure = partial(_figure, digits=digits)
    penalty = figure(np.exp(brevity))
    gained, made = values[2 : 2 + order], values[2 + order :]
    for n in range(order):
        whole = [str(int(count)) for count in (*counts[n], gained[n], made[n])]
        share = gained[n] / made[n] if made[n] else 1.0
        yield str(n + 1), *whole, figure(share), penalty, figure(np.exp(brevity + logs[n]))
    whole = [str(int(count)) for count in (*counts.sum(axis=0), gained.sum(), made.sum())]
    mean = logs.mean()
    yield "total", *whole, figure(np.exp(mean)), penalty, figure(np.exp(brevity + mean))


if __name__ == "__main__":
    sys.exit(main())
