"""``compute_gleu``, ``gleu``, ``mgleu`` and ``sgleu``: GLEU as printed by two published programs.

``compute_gleu`` is the program of Napoles et al. (gec-ranking, Python 2). The others are those of
the PyPI package gleu 1.1.0 (Koyama): ``gleu`` prints the corpus score (MultiGEC-2025 calls it),
``mgleu`` the mean of sentence scores, and ``sgleu`` the scores of all sentences.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.compat.drop_in import check_lengths, print_line, read_lines, run_parser
from redink.scoring.gleu_variants import ORDER, GleuKoyama, count_values, draw_references, sum_draws
from redink.scoring.metric import FloatArray
from redink.scoring.ngrams import number_grams

_Z = 1.959963984540054  # standard deviations on each side of a 95% interval
_HEADER = ("", "match", "penal", "numer", "denom", "p", "bp", "gleu")

# ---- compute_gleu


def napoles_main(arguments: list[str] | None = None) -> int:
    """Run ``compute_gleu``."""
    parser = argparse.ArgumentParser(
        prog="compute_gleu", description="GLEU (Napoles et al. 2015, 2016) of one or more systems."
    )
    add = parser.add_argument
    add("-r", "--reference", nargs="*", required=True, help="reference texts")
    add("-s", "--source", required=True, help="source text")
    add("-o", "--hypothesis", nargs="*", required=True, help="system outputs; - is standard input")
    add("-n", type=int, default=4, help="largest n (default: 4)")
    add("-d", "--debug", action="store_true", help="print the score of every sentence too")
    add("--iter", type=int, default=500, help="number of reference draws (default: 500)")
    return run_parser(parser, arguments, _score_napoles)


def _score_napoles(options: argparse.Namespace) -> None:
    source = _read_words(options.source)
    if not options.reference:
        raise ValueError("-r needs at least one reference")
    references = [_read_words(path) for path in options.reference]
    for path, reference in zip(options.reference, references, strict=True):
        if len(reference) > len(source):
            raise ValueError(f"{path} has more lines than {options.source}")
    draws = 1 if len(references) == 1 else max(options.iter, 0)
    write = sys.stdout.write
    for path in options.hypothesis:
        hypothesis = _read_words(path)
        if options.debug:
            write("\n===== Sentence-level scores =====\nSID Mean Stdev 95%CI GLEU\n")
        else:
            write(os.path.basename(path))  # noqa: PTH119
        shortest = min(map(len, (source, hypothesis, *references)))
        sides = [side[:shortest] for side in (source, hypothesis, *references)]
        values = count_values(number_grams(sides, order=ORDER), size=len(sides[0]))
        if options.debug:
            of_sentences = _napoles_scores(np.where(values == 0, 1.0, values), ORDER)
            for number, scores in enumerate(of_sentences):
                write(f"{number} {' '.join(_describe(scores))}\n")
        size = len(hypothesis)
        if size > shortest or options.n < 0:
            write("" if options.debug else "\n")
            wrong = f"{path} has {size} lines, the source or a reference {shortest}"
            raise ValueError(wrong if size > shortest else "-n must be 0 or more")
        drawn = draw_references(size, len(references), draws)
        sums = sum_draws(values, drawn, np.ones((1, size)))[:, 0].T
        result = _describe(_napoles_scores(sums, min(options.n, ORDER)))
        if options.debug:
            write(f"\n==== Overall score =====\nMean Stdev 95%CI GLEU\n{' '.join(result)}\n")
        else:
            write(f" {result[0]}\n")


def _napoles_scores(values: FloatArray, order: int) -> FloatArray:
    """Return GLEU from lengths and n-grams (last axis); the sum over any n is divided by four."""
    gained, made = values[..., 2 : 2 + order], values[..., 2 + ORDER : 2 + ORDER + order]
    lengths = values[..., :2]
    defined = (lengths > 0).all(axis=-1) & (gained > 0).all(axis=-1) & (made > 0).all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.log(gained / made).sum(axis=-1) / ORDER
        brevity = np.minimum(0, 1 - lengths[..., 1] / lengths[..., 0])
        return np.where(defined, np.exp(brevity + shares), 0.0)


def _describe(scores: FloatArray) -> list[str]:
    """Return mean, standard deviation and interval; equal values have no interval."""
    mean, deviation = float(np.mean(scores)), float(np.std(scores))
    low, high = mean - _Z * deviation, mean + _Z * deviation
    interval = f"({low:.3f},{high:.3f})" if deviation else "(nan,nan)"
    return [f"{mean:f}", f"{deviation:f}", interval]


def _read_words(path: str) -> list[list[str]]:
    """Read the words of every line, split on the whitespace bytes of Python 2."""
    source = nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb")  # noqa: PTH123, SIM115
    with source as stream:
        return [[word.decode("latin-1") for word in line.split()] for line in stream]


# ---- gleu, mgleu, sgleu


def main(arguments: list[str] | None = None) -> int:
    """Run ``gleu``: the score of the corpus."""
    return _run("gleu", _print_corpus, arguments)


def mean_main(arguments: list[str] | None = None) -> int:
    """Run ``mgleu``: the mean of the sentence scores."""
    return _run("mgleu", _print_means, arguments)


def sentence_main(arguments: list[str] | None = None) -> int:
    """Run ``sgleu``: the scores of all sentences."""
    return _run("sgleu", _print_sentences, arguments)


def _run(
    name: str, work: Callable[[argparse.Namespace, _Texts], None], arguments: list[str] | None
) -> int:
    parser = argparse.ArgumentParser(
        prog=name, description="GLEU, times 100, as the program of Koyama counts it."
    )
    add = parser.add_argument
    add("-n", type=int, default=4, help="largest n (default: 4)")
    add("-s", "--src", "--source", dest="source", required=True)
    add("-r", "--ref", "--references", dest="references", nargs="+", required=True)
    add("-o", "--out", "--outputs", dest="systems", nargs="+", required=True)
    add("-i", "--iter", type=int, default=500, help="number of reference draws (default: 500)")
    add("-d", "--digit", type=int, default=2, help="decimals (default: 2)")
    add("-p", "--proc", type=int, default=1, help="accepted and ignored")
    add("-t", "--token", choices=["char", "word"], default="word")
    add("-m", "--max", action="store_true", help="use the best reference of each sentence")
    add("-f", "--fix", "--fix-seed", dest="fix_seed", action="store_true", help="draw as published")
    add("-v", "--verbose", action="store_true", help="print the counts")
    return run_parser(parser, arguments, lambda options: work(options, _Texts.read(options)))


@dataclass(frozen=True)
class _Texts:
    """Source, references and systems, ``[version][sentence]``, and the metric to score them."""

    source: list[str]
    references: list[list[str]]
    systems: list[list[str]]
    metric: GleuKoyama

    @classmethod
    def read(cls, options: argparse.Namespace) -> _Texts:
        if options.n < 1:
            raise ValueError("-n must be 1 or more")
        paths = ([options.source], options.references, options.systems)
        (source,), references, systems = map(_read_texts, paths)
        sizes = map(len, (source, references[0], systems[0]))
        check_lengths(zip((some[0] for some in paths), sizes, strict=True))
        metric = GleuKoyama(
            order=options.n, unit=options.token, references="best" if options.max else "drawn"
        )
        return cls(source, references, systems, metric)

    def _sides(self, system: list[str]) -> list[list[Sequence[str]]]:
        """Return source, hypothesis and references, each line as its words or characters."""
        sides = (self.source, system, *self.references)
        if self.metric.unit == "char":
            return [[*lines] for lines in sides]
        return [[line.split() for line in lines] for lines in sides]

    def count(self, system: list[str]) -> FloatArray:
        """See :func:`redink.scoring.gleu_variants.count_values`."""
        sides = self._sides(system)
        return count_values(number_grams(sides, order=self.metric.order), size=len(sides[0]))

    def count_separately(self, system: list[str]) -> FloatArray:
        """Count n-grams matched and penalized, ``(sentences, references, n, 2)``, for tables."""
        order = self.metric.order
        source, ours, *right = number_grams(self._sides(system), order=order)
        counts = np.zeros((len(system), len(right), order, 2))
        for which, grams in enumerate(right):
            for n in range(order):
                keys, occurs = ours[n].keys, ours[n].counts
                wanted = grams[n].look_up(keys)
                kept = np.where(wanted > 0, 0, source[n].look_up(keys))
                for place, found in enumerate((wanted, kept)):
                    counts[:, which, n, place] = np.bincount(
                        ours[n].sentences,
                        weights=np.minimum(found, occurs).astype(np.float64),
                        minlength=len(system),
                    )
        return counts


def _read_texts(paths: Iterable[str]) -> list[list[str]]:
    """Read files up to the length of the shortest."""
    texts = [read_lines(path) for path in paths]
    shortest = min(map(len, texts))
    return [text[:shortest] for text in texts]


def _print_corpus(options: argparse.Namespace, texts: _Texts) -> None:
    metric, every = texts.metric, np.arange(len(texts.systems[0]))
    drawn = _draw(len(every), len(texts.references), options)
    for path, system in zip(options.systems, texts.systems, strict=True):
        values = texts.count(system)
        if not options.max:
            sums = sum_draws(values, drawn, np.ones((1, len(values))))[:, 0].T
            print_line(f"{path}\t{_percent(np.mean(metric.score_sums(sums)), options.digit)}")
            continue
        best = metric.best_references(values)
        sums = values[every, best].sum(axis=0)
        if options.verbose:
            chosen = texts.count_separately(system)[every, best]
            chosen[..., 1] = chosen.min(axis=-1)  # no sentence loses more than it has
            print_line(f"{path}\n{_table(chosen.sum(axis=0), sums, metric, options.digit)}")
        else:
            print_line(f"{path}\t{_percent(metric.score_sums(sums), options.digit)}")


def _draw(sentences: int, references: int, options: argparse.Namespace) -> NDArray[np.uint8]:
    """Draw the reference of every sentence in every repetition; the seed is fixed or random."""
    if options.fix_seed:
        return draw_references(sentences, references, options.iter)
    rng = np.random.default_rng()
    return rng.integers(references, size=(sentences, options.iter), dtype=np.uint8)


def _print_means(options: argparse.Namespace, texts: _Texts) -> None:
    for path, system in zip(options.systems, texts.systems, strict=True):
        scores = texts.metric.score_sentences(texts.count(system))
        print_line(f"{path}\t{_percent(np.mean(scores), options.digit)}")


def _print_sentences(options: argparse.Namespace, texts: _Texts) -> None:
    metric = texts.metric
    counted = [texts.count(system) for system in texts.systems]
    if not options.verbose:
        for row in zip(*map(metric.score_sentences, counted), strict=True):
            print_line("\t".join(_percent(score, options.digit) for score in row))
        return
    separate = [texts.count_separately(system) for system in texts.systems]
    for number, source in enumerate(texts.source):
        for which, system in enumerate(texts.systems):
            values = counted[which][number]
            best = metric.best_references(values[None])[0]
            for annotator, reference in enumerate(texts.references):
                mark = "*" if annotator == best else " "
                counts = separate[which][number, annotator]
                print_line(
                    f"S-{number + 1}   \t{source}\n"
                    f"H-{number + 1}-{which + 1} \t{system[number]}\n"
                    f"R-{number + 1}-{annotator + 1}{mark}\t{reference[number]}\n"
                    f"{_table(counts, values[annotator], metric, options.digit)}"
                )


def _percent(value: Any, digits: int) -> str:
    """Return a share in percent; decimal halves are rounded up."""
    number = float(100 * value)
    if np.isinf(number):
        return str(number)
    unit = Decimal("0." + "0" * digits)
    return str(Decimal(str(number)).quantize(unit, rounding=ROUND_HALF_UP))


def _table(counts: FloatArray, values: FloatArray, metric: GleuKoyama, digits: int) -> str:
    """Format counts, shares and scores of every n, like PrettyTable."""
    rows = [_HEADER, *_rows(counts, values, metric, digits)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "+".join(["", *("-" * (width + 2) for width in widths), ""])
    lines = [
        "|".join(["", *(f" {cell.center(w)} " for cell, w in zip(row, widths, strict=True)), ""])
        for row in rows
    ]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def _rows(
    counts: FloatArray, values: FloatArray, metric: GleuKoyama, digits: int
) -> Iterator[tuple[str, ...]]:
    order = metric.order
    brevity, logs = metric.log_parts(values)
    percent = partial(_percent, digits=digits)
    penalty = percent(np.exp(brevity))
    gained, made = values[2 : 2 + order], values[2 + order :]
    for n in range(order):
        whole = [str(int(count)) for count in (*counts[n], gained[n], made[n])]
        share = gained[n] / made[n] if made[n] else 1.0
        yield str(n + 1), *whole, percent(share), penalty, percent(np.exp(brevity + logs[n]))
    whole = [str(int(count)) for count in (*counts.sum(axis=0), gained.sum(), made.sum())]
    mean = logs.mean()
    yield "total", *whole, percent(np.exp(mean)), penalty, percent(np.exp(brevity + mean))


if __name__ == "__main__":
    sys.exit(main())
