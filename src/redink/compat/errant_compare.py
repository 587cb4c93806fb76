"""``errant_compare``: compare a hypothesis M2 file with a reference M2 file, as ERRANT 3.0.2 does.

The counts are those of :class:`redink.scoring.errant.Errant`, taken from the lines of the files.
Loading that class takes seven times as long as this command; a test keeps the two equal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from redink.compat.running import check_lengths, print_line, run

_NAME = "errant_compare"
_RULE = "-" * 40
_TITLES = {
    "dt": " Token-Based Detection ",
    "ds": " Span-Based Detection ",
    "cse": " Span-Based Correction + Classification ",
    "cs": " Span-Based Correction ",
}

Key = tuple[object, ...]
Keyed = dict[Key, list[str]]
"""The types of the edits under each key; edits are equal if their keys are."""
Counts = tuple[int, int, int]
"""True positives, false positives, false negatives."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog=_NAME,
        description="Precision, recall and F of a system's edits, as ERRANT 3.0.2 scores them.",
        usage="%(prog)s [options] -hyp HYP -ref REF",
    )
    add_comparing_options(parser)
    options = parser.parse_args(arguments)
    return run(_NAME, lambda: Comparison(options).print_all())


def add_comparing_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ERRANT's scorer, which ChERRANT's has too."""
    add = parser.add_argument
    add("-hyp", required=True, help="M2 file of the system's edits")
    add("-ref", required=True, help="M2 file of the annotators' edits")
    add("-b", "--beta", type=float, default=0.5, help="weight of recall in F (default: 0.5)")
    add("-v", "--verbose", action="store_true", help="print every sentence")
    level = parser.add_mutually_exclusive_group()
    level.add_argument("-dt", action="store_true", help="detection: compare tokens")
    level.add_argument("-ds", action="store_true", help="detection: compare spans")
    level.add_argument("-cs", action="store_true", help="correction: spans and corrections")
    level.add_argument("-cse", action="store_true", help="correction: error types too")
    add("-single", action="store_true", help="only edits of one token")
    add("-multi", action="store_true", help="only edits of several tokens")
    add("-filt", nargs="+", default=[], help="error types to ignore")
    add("-cat", type=int, choices=[1, 2, 3], help="scores by operation, main type or full type")


class Comparison:
    """Counts sentence by sentence, each with the pair of annotators that gives the highest F."""

    listed_types = 1
    """The number of error types that ``-v`` lists with an edit."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self._level = next((name for name in _TITLES if getattr(options, name)), "cs")
        self._filters = options.single or options.multi or options.filt
        self._total: Counts = (0, 0, 0)
        self._by_type: dict[str, Counts] = {}

    def print_all(self) -> None:
        """Compare the files and print the scores."""
        options = self.options
        ours, theirs = (self.read_blocks(path) for path in (options.hyp, options.ref))
        check_lengths([(options.hyp, len(ours)), (options.ref, len(theirs))])
        for number, (our_block, their_block) in enumerate(zip(ours, theirs, strict=True)):
            gold = self.by_annotator(their_block)
            if not self.is_skipped(gold):
                self._compare(number, our_block, self.by_annotator(our_block), gold)
        self._print_results()

    # ---- reading

    def read_blocks(self, path: str) -> list[str]:
        """Read the sentences of an M2 file."""
        with open(path, encoding="utf-8") as stream:  # noqa: PTH123
            return stream.read().strip().split("\n\n")

    def is_skipped(self, gold: dict[int, Keyed]) -> bool:  # noqa: ARG002
        """Return whether a sentence with these gold edits is left out."""
        return False

    def by_annotator(self, block: str) -> dict[int, Keyed]:
        """Return the edits of a block by annotator, also for annotators without any."""
        found: dict[int, Keyed] = {}
        for line in block.split("\n")[1:] or ["A -1 -1|||noop|||-NONE-|||||||||0"]:
            fields = line[2:].split("|||")
            start, end = map(int, fields[0].split()[:2])
            kind, correction = fields[1:3]
            keyed = found.setdefault(int(fields[-1]), {})
            if self._counts(kind, end - start, correction):
                for key in self._keys(start, end, kind, correction):
                    keyed.setdefault(key, []).append(kind)
        return found

    def _counts(self, kind: str, width: int, correction: str) -> bool:
        if kind == "UNK" and self._level not in {"dt", "ds"}:
            return False
        if not self._filters:
            return True
        is_long = width >= 2 or len(correction.split()) >= 2
        if (self.options.single and is_long) or (self.options.multi and not is_long):
            return False
        return kind not in self.options.filt

    def _keys(self, start: int, end: int, kind: str, correction: str) -> list[Key]:
        if self._level == "cs":
            return [(start, end, correction)]
        if self._level == "cse":
            return [(start, end, kind, correction)]
        if self._level == "ds":
            return [(start, end)]
        if start == -1:
            return [(start, start)]
        if start == end >= 0:
            return [(start, start + 1)]
        return [(token, token + 1) for token in range(start, end)]

    # ---- counting

    def _compare(
        self, number: int, block: str, proposed: dict[int, Keyed], gold: dict[int, Keyed]
    ) -> None:
        """Add the pair of annotators that gives the highest F of all sentences up to here."""
        beta = self.options.beta
        self.print_sentence(number, block)
        best: tuple[tuple[float, ...], Counts, tuple[int, int]] | None = None
        for our_name, ours in proposed.items():
            for their_name, theirs in gold.items():
                counts: Counts = (0, 0, 0)
                for outcome, kinds in _outcomes(ours, theirs):
                    counts = _add(counts, outcome, len(kinds))
                total = _sum(self._total, counts)
                rank = (measures(total, beta)[2], counts[0], -counts[1], -counts[2])
                if best is None or rank > best[0]:
                    best = rank, counts, (our_name, their_name)
                if self.options.verbose:
                    self.print_pair(number, block, (our_name, their_name), (ours, theirs))
                    self._print_counts(counts, total)
        if best is None:
            return
        _, counts, names = best
        self._total = _sum(self._total, counts)
        types = _count_types(proposed[names[0]], gold[names[1]])
        for kind, own in types.items():
            self._by_type[kind] = _sum(self._by_type.get(kind, (0, 0, 0)), own)
        if self.options.verbose:
            who = f"HYP {names[0]}, REF {names[1]}"
            print_line(f"{_RULE}\n^^ {who} chosen for sentence {number}")
            self.print_choice(types)

    # ---- printing

    def print_sentence(self, number: int, block: str) -> None:
        """Print the start of a sentence with ``-v``."""
        if self.options.verbose:
            sentence = block[2:].split("\nA", 1)[0]
            print_line(f"{_RULE}\nOriginal sentence {number}: {sentence}")

    def print_pair(
        self, number: int, _block: str, names: tuple[int, int], edits: tuple[Keyed, Keyed]
    ) -> None:
        """Print the edits of a pair of annotators."""
        print_line(
            f"{_RULE}\n"
            f"SENTENCE {number} - HYP {names[0]} - REF {names[1]}\n"
            f"HYPOTHESIS EDITS : {self._list(edits[0])}\n"
            f"REFERENCE EDITS  : {self._list(edits[1])}"
        )

    def _list(self, keyed: Keyed) -> list[Key]:
        """Return the keys in order, each with its first type; none if there is a noop."""
        listed = [(*key, *keyed[key][: self.listed_types]) for key in sorted(keyed)]
        return [] if not listed or listed[0][0] == -1 else listed

    def _print_counts(self, local: Counts, total: Counts) -> None:
        beta = self.options.beta
        for name, counts in (("Local", local), ("Global", total)):
            figures = " ".join(map(str, measures(counts, beta)))
            print_line(f"{f'{name} TP/FP/FN':<16} : {' '.join(map(str, counts))}")
            print_line(f"{name} P/R/F{beta}  : {figures}")

    def print_choice(self, types: dict[str, Counts]) -> None:
        """Print the counts by type of the chosen pair."""
        rows = [("Category", "TP", "FP", "FN"), *((t, *map(str, c)) for t, c in types.items())]
        widths = [max(map(len, column)) + 3 for column in zip(*rows, strict=True)]
        print_line("Local results:")
        for row in rows:
            print_line("".join(text.rjust(w) for text, w in zip(row, widths, strict=True)))

    def _print_results(self) -> None:
        beta, title = self.options.beta, _TITLES[self._level]
        if self.options.cat:
            print_line(f"\n{title:=^66}")
            heads = " ".join(head.ljust(8) for head in ("TP", "FP", "FN", "P", "R"))
            print_line(f"{'Category':<14} {heads} F{beta}")
            for name, counts in sorted(self._grouped().items()):
                p, r, f = measures(counts, beta)
                figures = " ".join(str(figure).ljust(8) for figure in (*counts, p, r))
                print_line(f"{name:<14} {figures} {f}")
        print_table(title, self._total, beta)

    def _grouped(self) -> dict[str, Counts]:
        """Return the counts by operation, main type or full type; ``UNK`` has no parts."""
        grouped: dict[str, Counts] = {}
        for kind, counts in self._by_type.items():
            names = {1: kind[0], 2: kind[2:], 3: kind}
            name = kind if kind == "UNK" else names[self.options.cat]
            grouped[name] = _sum(grouped.get(name, (0, 0, 0)), counts)
        return grouped


def _outcomes(ours: Keyed, theirs: Keyed) -> Iterator[tuple[int, list[str]]]:
    """Yield for each key 0 (true positive), 1 (false positive) or 2 (false negative), and types."""
    for key, kinds in ours.items():
        if kinds[0] != "noop":
            yield (0, theirs[key]) if key in theirs else (1, kinds)
    for key, kinds in theirs.items():
        if kinds[0] != "noop" and key not in ours:
            yield 2, kinds


def _count_types(ours: Keyed, theirs: Keyed) -> dict[str, Counts]:
    types: dict[str, Counts] = {}
    for outcome, kinds in _outcomes(ours, theirs):
        for kind in kinds:
            types[kind] = _add(types.get(kind, (0, 0, 0)), outcome, 1)
    return types


def _add(counts: Counts, outcome: int, number: int) -> Counts:
    tp, fp, fn = counts
    return tp + number * (outcome == 0), fp + number * (outcome == 1), fn + number * (outcome == 2)


def _sum(first: Counts, second: Counts) -> Counts:
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


def measures(counts: Counts, beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F to four decimals."""
    tp, fp, fn = counts
    p = tp / (tp + fp) if fp else 1.0
    r = tp / (tp + fn) if fn else 1.0
    f = (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0
    return round(p, 4), round(r, 4), round(f, 4)


def print_table(title: str, counts: Counts, beta: float) -> None:
    """Print counts and scores under a title."""
    heads = "\t".join(["TP", "FP", "FN", "Prec", "Rec", f"F{beta}"])
    figures = "\t".join(map(str, (*counts, *measures(counts, beta))))
    print_line(f"\n{title:=^46}\n{heads}\n{figures}\n{'':=^46}\n")


if __name__ == "__main__":
    sys.exit(main())
