"""``errant_compare`` (ERRANT 3.0.2), ``cherrant_compare`` (ChERRANT) and ``multiged_eval``.

The counts are those of :class:`redink.scoring.errant.Errant`, taken from the lines of the files.
Loading that class takes seven times as long as this command; a test checks that both are equal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from redink.compat.drop_in import check_lengths, print_line, read_lines, run_parser

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
_NONE: Counts = (0, 0, 0)
_ONE: tuple[Counts, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def main(arguments: list[str] | None = None) -> int:
    """Run ``errant_compare``."""
    parser = _make_parser("errant_compare", "edits, as ERRANT 3.0.2 scores them")
    _add_comparing_options(parser)
    return run_parser(parser, arguments, lambda options: M2Comparison(options).print_all())


def chinese_main(arguments: list[str] | None = None) -> int:
    """Run ``cherrant_compare``, the ``compare_m2_for_evaluation.py`` of ChERRANT."""
    parser = _make_parser("cherrant_compare", "Chinese edits, as ChERRANT scores them")
    _add_comparing_options(parser)
    for name in ("--start", "--end", "--max_answer_num", "--reference_num"):
        parser.add_argument(name, type=int)
    for name in ("-multi_hyp_avg", "-multi_hyp_max"):
        parser.add_argument(name, action="store_true", help="does nothing")
    return run_parser(parser, arguments, lambda options: _ChineseComparison(options).print_all())


def multiged_main(arguments: list[str] | None = None) -> int:
    """Run ``multiged_eval``, the ``eval.py`` of MultiGED-2023.

    Both files have ``token TAB c|i`` per line, and an empty line after every sentence.
    """
    parser = _make_parser("multiged_eval", "token labels, as MultiGED-2023 scores them")
    return run_parser(parser, arguments, _compare_labels)


def _make_parser(name: str, what: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=name,
        description=f"Precision, recall and F of {what}.",
        usage="%(prog)s [options] -hyp HYP -ref REF",
    )
    add = parser.add_argument
    add("-hyp", required=True, help="file of the system")
    add("-ref", required=True, help="file of the annotators")
    add("-b", "--beta", type=float, default=0.5, help="weight of recall in F (default: 0.5)")
    return parser


def _add_comparing_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
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


class M2Comparison:
    """Counts of each sentence, with the pair of annotators that gives the highest F."""

    listed_types = 1
    """The number of error types that ``-v`` lists with an edit."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self._level = next((name for name in _TITLES if getattr(options, name)), "cs")
        self._filters = options.single or options.multi or options.filt
        self._total = _NONE
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
        return "\n".join(read_lines(path)).strip().split("\n\n")

    def is_skipped(self, gold: dict[int, Keyed]) -> bool:  # noqa: ARG002
        """Return whether a sentence with these gold edits is skipped."""
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
        """Add the pair of annotators that gives the highest F of all sentences so far."""
        if self.options.verbose:
            self.print_sentence(number, block)
        candidates = []
        for our_name, ours in proposed.items():
            for their_name, theirs in gold.items():
                types = _count_types(ours, theirs)
                counts = _sum(types.values())
                total = _sum((self._total, counts))
                rank = (_measures(total, self.options.beta)[2], counts[0], -counts[1], -counts[2])
                candidates.append((rank, total, types, our_name, their_name))
                if self.options.verbose:
                    self.print_pair(number, block, (our_name, their_name), (ours, theirs))
                    self._print_counts(counts, total)
        if not candidates:
            return
        _, self._total, types, our_name, their_name = max(candidates, key=lambda each: each[0])
        for kind, own in types.items():
            self._by_type[kind] = _sum((self._by_type.get(kind, _NONE), own))
        if self.options.verbose:
            print_line(f"{_RULE}\n^^ HYP {our_name}, REF {their_name} chosen for sentence {number}")
            self.print_choice(types)

    # ---- printing

    def print_sentence(self, number: int, block: str) -> None:
        """Print the start of a sentence."""
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
        """Return the sorted keys, each with its first type; an empty list if there is a noop."""
        listed = [(*key, *keyed[key][: self.listed_types]) for key in sorted(keyed)]
        return [] if not listed or listed[0][0] == -1 else listed

    def _print_counts(self, local: Counts, total: Counts) -> None:
        beta = self.options.beta
        for name, counts in (("Local", local), ("Global", total)):
            figures = " ".join(map(str, _measures(counts, beta)))
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
                p, r, f = _measures(counts, beta)
                figures = " ".join(str(figure).ljust(8) for figure in (*counts, p, r))
                print_line(f"{name:<14} {figures} {f}")
        _print_scores(title, self._total, beta)

    def _grouped(self) -> dict[str, Counts]:
        """Return the counts by operation, main type or full type; ``UNK`` has no parts."""
        grouped: dict[str, Counts] = {}
        for kind, counts in self._by_type.items():
            names = {1: kind[0], 2: kind[2:], 3: kind}
            name = kind if kind == "UNK" else names[self.options.cat]
            grouped[name] = _sum((grouped.get(name, _NONE), counts))
        return grouped


class _ChineseComparison(M2Comparison):
    """Reads only A lines and removes spaces from corrections; annotators can be skipped."""

    listed_types = 0

    def read_blocks(self, path: str) -> list[str]:
        """Read the sentences that ``--start`` and ``--end`` select."""
        start, end = self.options.start, self.options.end
        blocks = super().read_blocks(path)
        return blocks if start is None or end is None else blocks[start:end]

    def by_annotator(self, block: str) -> dict[int, Keyed]:
        """Return the edits of a block by annotator; the default is one annotator without edits."""
        most = self.options.max_answer_num
        if most is not None and most > 3:  # as in the original
            most = 0
        lines = [""]
        for line in block.split("\n"):
            if line.startswith("A "):
                fields = line.split("|||")
                if most is None or int(fields[-1]) < most:
                    fields[2] = fields[2].replace(" ", "")
                    lines.append("|||".join(fields))
        return super().by_annotator("\n".join(lines) if len(lines) > 1 else "")

    def is_skipped(self, gold: dict[int, Keyed]) -> bool:
        """Return whether the sentence is marked NA or has an unwanted number of references."""
        wanted = self.options.reference_num
        if wanted is not None and len(gold) != wanted:
            return True
        types = [kinds for keyed in gold.values() for kinds in keyed.values()]
        return len(gold) == 1 and len(types) == 1 and types[0][0] == "NA"

    def print_sentence(self, number: int, block: str) -> None:
        """Print nothing: the sentence is printed with every pair of annotators."""

    def print_pair(
        self, number: int, block: str, names: tuple[int, int], edits: tuple[Keyed, Keyed]
    ) -> None:
        """Print the sentence and the edits of a pair of annotators, without their types."""
        sentence = block.partition("\n")[0][1:]
        print_line(f"{'-' * 40}\nSENTENCE {number}{sentence}")
        super().print_pair(number, block, names, edits)

    def print_choice(self, types: dict[str, Counts]) -> None:
        """Print nothing."""


def _count_types(ours: Keyed, theirs: Keyed) -> dict[str, Counts]:
    """Return the counts by error type; a true positive has the types of the reference."""
    outcomes = [(1 - (key in theirs), theirs.get(key, kinds), kinds) for key, kinds in ours.items()]
    outcomes += [(2, kinds, kinds) for key, kinds in theirs.items() if key not in ours]
    types: dict[str, Counts] = {}
    for outcome, kinds, (first, *_) in outcomes:
        for kind in kinds if first != "noop" else ():
            types[kind] = _sum((types.get(kind, _NONE), _ONE[outcome]))
    return types


def _sum(counts: Iterable[Counts]) -> Counts:
    tp = fp = fn = 0
    for each in counts:
        tp, fp, fn = tp + each[0], fp + each[1], fn + each[2]
    return tp, fp, fn


def _measures(counts: Counts, beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F to four decimals."""
    tp, fp, fn = counts
    p = tp / (tp + fp) if fp else 1.0
    r = tp / (tp + fn) if fn else 1.0
    f = (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0
    return round(p, 4), round(r, 4), round(f, 4)


def _print_scores(title: str, counts: Counts, beta: float) -> None:
    heads = "\t".join(["TP", "FP", "FN", "Prec", "Rec", f"F{beta}"])
    figures = "\t".join(map(str, (*counts, *_measures(counts, beta))))
    print_line(f"\n{title:=^46}\n{heads}\n{figures}\n{'':=^46}\n")


def _compare_labels(options: argparse.Namespace) -> None:
    counts = _NONE
    pairs = zip(read_lines(options.hyp), read_lines(options.ref), strict=False)
    for number, pair in enumerate(pairs, start=1):
        ours, theirs = (line.strip().split("\t") for line in pair)
        if ours == [""] or theirs == [""]:
            continue
        if ours[0] != theirs[0]:
            raise ValueError(f"line {number}: different tokens: {ours[0]!r}, {theirs[0]!r}")
        is_flagged, is_wrong = ours[1] == "i", theirs[1] == "i"
        if is_flagged or is_wrong:
            counts = _sum((counts, _ONE[0 if is_flagged and is_wrong else 1 if is_flagged else 2]))
    _print_scores(_TITLES["dt"], counts, options.beta)


if __name__ == "__main__":
    sys.exit(main())
