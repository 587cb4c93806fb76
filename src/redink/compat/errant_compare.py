"""``errant_compare``: a hypothesis M2 file against a reference M2 file, as ERRANT 3.0.2 scores.

The counting is that of :class:`redink.scoring.errant.Errant`, on the lines of the file instead of
values: loading the arrays of that class would take longer than the whole command does here. A test
keeps the two together.
"""

from __future__ import annotations

import argparse
import sys

from redink.compat.running import check_lengths, print_line, run

_NAME = "errant_compare"

Key = tuple[object, ...]
Keyed = dict[Key, list[str]]
"""The types of the edits under every key."""
Counts = list[int]
"""True positives, false positives, false negatives."""

_NOOP = "noop"
_UNKNOWN = "UNK"
RULE = "-" * 40
_TITLES = {
    "dt": " Token-Based Detection ",
    "ds": " Span-Based Detection ",
    "cse": " Span-Based Correction + Classification ",
    "cs": " Span-Based Correction ",
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = _parser().parse_args(arguments)
    return run(_NAME, lambda: _compare_files(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_NAME,
        description="Precision, recall and F of a system's edits, as ERRANT 3.0.2 scores them.",
        usage="%(prog)s [options] -hyp HYP -ref REF",
    )
    add_comparing_options(parser)
    return parser


def add_comparing_options(parser: argparse.ArgumentParser) -> None:
    """The options of ERRANT's scorer, which others took over."""
    parser.add_argument("-hyp", required=True, help="the system's edits, an M2 file")
    parser.add_argument("-ref", required=True, help="the annotators' edits, an M2 file")
    parser.add_argument(
        "-b", "--beta", type=float, default=0.5, help="weight of recall in F (default: 0.5)"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="print every sentence")
    level = parser.add_mutually_exclusive_group()
    level.add_argument("-dt", action="store_true", help="detection: tokens are compared")
    level.add_argument("-ds", action="store_true", help="detection: spans are compared")
    level.add_argument("-cs", action="store_true", help="correction: and corrections (default)")
    level.add_argument("-cse", action="store_true", help="correction: and error types")
    parser.add_argument("-single", action="store_true", help="only edits of one token")
    parser.add_argument("-multi", action="store_true", help="only edits of several tokens")
    parser.add_argument("-filt", nargs="+", default=[], help="error types that do not count")
    parser.add_argument(
        "-cat",
        type=int,
        choices=[1, 2, 3],
        help="scores by operation (1), main type (2) or full type (3)",
    )


def _compare_files(options: argparse.Namespace) -> None:
    ours, theirs = (read_blocks(path) for path in (options.hyp, options.ref))
    check_lengths([(options.hyp, len(ours)), (options.ref, len(theirs))])
    rules = Rules(options)
    verbose = options.verbose
    typed = verbose or options.cat
    total: Counts = [0, 0, 0]
    by_type: dict[str, Counts] = {}
    for number, (our_block, their_block) in enumerate(zip(ours, theirs, strict=True)):
        proposed = rules.by_annotator(our_block)
        gold = rules.by_annotator(their_block)
        if verbose:
            sentence = our_block[2:].split("\nA", 1)[0]
            print_line(f"{RULE}\nOriginal sentence {number}: {sentence}")
        tell = Telling(number, options.beta) if verbose else None
        choice, who = choose_pair(proposed, gold, total, options.beta, tell)
        if typed:
            types = count_types(proposed[who[0]], gold[who[1]])
            if verbose:
                _tell_choice(number, who, types)
            add_types(by_type, types)
        total = add(total, choice)
    tell_results(total, by_type, options)


def read_blocks(path: str) -> list[str]:
    """The sentences of an M2 file."""
    with open(path, encoding="utf-8") as stream:  # noqa: PTH123 (pathlib takes time to load)
        return stream.read().strip().split("\n\n")


class Rules:
    """Which edits count, and what makes two of them equal."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._level = next(
            (level for level in ("dt", "ds", "cse") if getattr(options, level)), "cs"
        )
        self._detects = options.dt or options.ds
        self._single = options.single
        self._multi = options.multi
        self._excluded = frozenset(options.filt)
        self._all = not (self._single or self._multi or self._excluded)

    def by_annotator(self, block: str) -> dict[int, Keyed]:
        """The edits of a block of the file, by annotator; whoever has none is there too."""
        lines = block.split("\n")[1:]
        if not lines:
            lines = ["A -1 -1|||noop|||-NONE-|||||||||0"]
        found: dict[int, Keyed] = {}
        for line in lines:
            fields = line[2:].split("|||")
            start_text, end_text = fields[0].split()[:2]
            start, end, kind, correction = int(start_text), int(end_text), fields[1], fields[2]
            annotator = int(fields[-1])
            keyed = found.get(annotator)
            if keyed is None:
                keyed = found[annotator] = {}
            if (kind == _UNKNOWN and not self._detects) or not (
                self._all or self._counts(kind, end - start, correction)
            ):
                continue
            for key in self._keys(start, end, kind, correction):
                keyed.setdefault(key, []).append(kind)
        return found

    def _counts(self, kind: str, width: int, correction: str) -> bool:
        is_long = width >= 2 or len(correction.split()) >= 2
        if (self._single and is_long) or (self._multi and not is_long):
            return False
        return kind not in self._excluded

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


def choose_pair(
    proposed: dict[int, Keyed],
    gold: dict[int, Keyed],
    total: Counts,
    beta: float,
    tell: Telling | None,
) -> tuple[Counts, tuple[int, int]]:
    """The counts of the pair of annotators that makes F of the corpus up to here highest."""
    best: Counts = [0, 0, 0]
    who = (0, 0)
    highest: tuple[float, ...] | None = None
    for our_name, ours in proposed.items():
        for their_name, theirs in gold.items():
            counts = count(ours, theirs)
            together = measures(add(counts, total), beta)
            rank = (together[2], counts[0], -counts[1], -counts[2])
            if highest is None or rank > highest:
                highest, best, who = rank, counts, (our_name, their_name)
            if tell is not None:
                tell.pair((our_name, ours), (their_name, theirs), counts, add(counts, total))
    return best, who


def count(ours: Keyed, theirs: Keyed) -> Counts:
    """How many edits are right, wrong and missed."""
    found = wrong = missed = 0
    for key, kinds in ours.items():
        if kinds[0] != _NOOP:
            if key in theirs:
                found += len(theirs[key])
            else:
                wrong += len(kinds)
    for key, kinds in theirs.items():
        if kinds[0] != _NOOP and key not in ours:
            missed += len(kinds)
    return [found, wrong, missed]


def count_types(ours: Keyed, theirs: Keyed) -> dict[str, Counts]:
    """The same by error type, in the order in which the types come up."""
    counted: dict[str, Counts] = {}
    for key, kinds in ours.items():
        if kinds[0] != _NOOP:
            outcome, named = (0, theirs[key]) if key in theirs else (1, kinds)
            for kind in named:
                counted.setdefault(kind, [0, 0, 0])[outcome] += 1
    for key, kinds in theirs.items():
        if kinds[0] != _NOOP and key not in ours:
            for kind in kinds:
                counted.setdefault(kind, [0, 0, 0])[2] += 1
    return counted


def add(first: Counts, second: Counts) -> Counts:
    """Both together."""
    return [first[0] + second[0], first[1] + second[1], first[2] + second[2]]


def add_types(total: dict[str, Counts], more: dict[str, Counts]) -> None:
    """Add counts by error type."""
    for name, counts in more.items():
        total[name] = add(total[name], counts) if name in total else counts


def measures(counts: Counts, beta: float) -> tuple[float, float, float]:
    """Precision, recall and F to four decimals."""
    tp, fp, fn = counts
    p = tp / (tp + fp) if fp else 1.0
    r = tp / (tp + fn) if fn else 1.0
    f = (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0
    return round(p, 4), round(r, 4), round(f, 4)


class Telling:
    """What ``-v`` prints about a sentence."""

    types = 1
    """How many types are listed with a key."""

    def __init__(self, number: int, beta: float) -> None:
        self._number = number
        self._beta = beta

    def pair(
        self, ours: tuple[int, Keyed], theirs: tuple[int, Keyed], counts: Counts, together: Counts
    ) -> None:
        """One of the system's annotators against one of the references'."""
        beta = self._beta
        (our_name, proposed), (their_name, gold) = ours, theirs
        local, overall = (" ".join(map(str, measures(c, beta))) for c in (counts, together))
        print_line(
            f"{RULE}\n"
            f"SENTENCE {self._number} - HYP {our_name} - REF {their_name}\n"
            f"HYPOTHESIS EDITS : {self._list(proposed)}\n"
            f"REFERENCE EDITS  : {self._list(gold)}\n"
            f"Local TP/FP/FN   : {' '.join(map(str, counts))}\n"
            f"Local P/R/F{beta}  : {local}\n"
            f"Global TP/FP/FN  : {' '.join(map(str, together))}\n"
            f"Global P/R/F{beta}  : {overall}"
        )

    def _list(self, keyed: Keyed) -> list[Key]:
        """The keys in order, each with its first type; none where a noop stands among them."""
        listed = [(*key, *keyed[key][: self.types]) for key in sorted(keyed)]
        return [] if not listed or listed[0][0] == -1 else listed


def _tell_choice(number: int, who: tuple[int, int], types: dict[str, Counts]) -> None:
    print_line(
        f"{RULE}\n^^ HYP {who[0]}, REF {who[1]} chosen for sentence {number}\nLocal results:"
    )
    rows = [("Category", "TP", "FP", "FN"), *((name, *map(str, c)) for name, c in types.items())]
    widths = [max(len(row[place]) for row in rows) + 3 for place in range(4)]
    for row in rows:
        print_line("".join(text.rjust(width) for text, width in zip(row, widths, strict=True)))


def tell_results(total: Counts, by_type: dict[str, Counts], options: argparse.Namespace) -> None:
    """Print the scores by type, if asked for, and those of all."""
    beta = options.beta
    title = next((_TITLES[level] for level in _TITLES if getattr(options, level)), _TITLES["cs"])
    if options.cat:
        print_line(f"\n{title:=^66}")
        heads = ["TP", "FP", "FN", "P", "R"]
        print_line(" ".join(["Category".ljust(14), *(head.ljust(8) for head in heads), f"F{beta}"]))
        for name, counts in sorted(_group(by_type, options.cat).items()):
            p, r, f = measures(counts, beta)
            figures = " ".join(str(figure).ljust(8) for figure in (*counts, p, r))
            print_line(f"{name.ljust(14)} {figures} {f}")
    tell_table(title, total, beta)


def tell_table(title: str, counts: Counts, beta: float) -> None:
    """Print counts and what is made of them, under a title."""
    heads = "\t".join(["TP", "FP", "FN", "Prec", "Rec", f"F{beta}"])
    figures = "\t".join(map(str, (*counts, *measures(counts, beta))))
    print_line(f"\n{title:=^46}\n{heads}\n{figures}\n{'':=^46}\n")


def _group(by_type: dict[str, Counts], tier: int) -> dict[str, Counts]:
    """The counts by operation, main type or full type; ``UNK`` stands beside them."""
    if tier == 3:
        return by_type
    grouped: dict[str, Counts] = {}
    for kind, counts in by_type.items():
        name = kind[0] if tier == 1 else kind[2:]
        if kind == _UNKNOWN:
            grouped[kind] = counts
        else:
            grouped[name] = add(grouped[name], counts) if name in grouped else counts
    return grouped


if __name__ == "__main__":
    sys.exit(main())
