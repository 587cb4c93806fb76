"""``cherrant_parallel`` and ``cherrant_compare``: ChERRANT's two programs for Chinese, by redink.

They stand for ``parallel_to_m2.py`` and ``compare_m2_for_evaluation.py`` of MuCGEC, at character
level. The environment variable ``REDINK_CHERRANT_TABLES`` (or ``--tables``) names the folder of
ChERRANT's tables, by which its M2 comes out byte for byte.
"""

from __future__ import annotations

import argparse
import os
import sys

from redink.compat.errant_compare import (
    RULE,
    Counts,
    Keyed,
    Rules,
    Telling,
    add,
    add_comparing_options,
    add_types,
    choose_pair,
    count_types,
    read_blocks,
    tell_results,
)
from redink.compat.running import check_lengths, print_line, run

_PARALLEL, _COMPARE = "cherrant_parallel", "cherrant_compare"
_MOST_ANSWERS = 3


def parallel_main(arguments: list[str] | None = None) -> int:
    """Run ``cherrant_parallel``."""
    parser = argparse.ArgumentParser(
        prog=_PARALLEL,
        description="Pairs of Chinese sentences to M2, character by character, as ChERRANT does.",
    )
    parser.add_argument("-f", "--file", required=True, help="number TAB source TAB target ...")
    parser.add_argument("-o", "--output", required=True, help="the M2 file to write")
    parser.add_argument("-g", "--granularity", choices=["char"], default="char")
    parser.add_argument("-s", "--multi_cheapest_strategy", choices=["first", "all"], default="all")
    parser.add_argument("--segmented", action="store_true", help="blanks stand between tokens")
    parser.add_argument("--bpe", action="store_true", help="cut other words into pieces")
    parser.add_argument("--no_simplified", action="store_true", help="do not simplify targets")
    parser.add_argument("-w", "--worker_num", type=int, default=1, help="how many processes")
    parser.add_argument("-b", "--batch_size", type=int, help="does nothing")
    parser.add_argument("-d", "--device", help="does nothing")
    parser.add_argument("-m", "--merge", action="store_true", help="does nothing")
    parser.add_argument("--tables", default=os.environ.get("REDINK_CHERRANT_TABLES") or None)
    options = parser.parse_args(arguments)
    return run(_PARALLEL, lambda: _annotate_file(options))


def _annotate_file(options: argparse.Namespace) -> None:
    from redink.analysis.annotating import Annotating
    from redink.workflows.annotate import annotate_files

    how = Annotating(
        language="zh",
        tables=options.tables,
        alignments=options.multi_cheapest_strategy,
        simplify=not options.no_simplified,
        cut="blanks" if options.segmented else "pieces" if options.bpe else "characters",
    )
    workers = max(1, min(options.worker_num, os.cpu_count() or 1))
    annotate_files(options.file, [], options.output, how=how, workers=workers)


def compare_main(arguments: list[str] | None = None) -> int:
    """Run ``cherrant_compare``."""
    parser = argparse.ArgumentParser(
        prog=_COMPARE,
        description="Precision, recall and F of Chinese edits, as ChERRANT scores them.",
        usage="%(prog)s [options] -hyp HYP -ref REF",
    )
    add_comparing_options(parser)
    for name in ("--start", "--end", "--max_answer_num", "--reference_num"):
        parser.add_argument(name, type=int)
    for name in ("-multi_hyp_avg", "-multi_hyp_max"):
        parser.add_argument(name, action="store_true", help="does nothing")
    options = parser.parse_args(arguments)
    return run(_COMPARE, lambda: _compare_files(options))


class _ChineseRules(Rules):
    """Only A lines count; corrections lose their blanks, and some annotators may be left out."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        most = options.max_answer_num
        self._most = 0 if most is not None and most > _MOST_ANSWERS else most

    def by_annotator(self, block: str) -> dict[int, Keyed]:
        """The edits of a block; where there are none, somebody who changed nothing."""
        lines = [""]
        for line in block.split("\n"):
            if line.startswith("A "):
                fields = line.split("|||")
                if self._most is None or int(fields[-1]) < self._most:
                    fields[2] = fields[2].replace(" ", "")
                    lines.append("|||".join(fields))
        return super().by_annotator("\n".join(lines) if len(lines) > 1 else "")


def _compare_files(options: argparse.Namespace) -> None:
    ours, theirs = (read_blocks(path) for path in (options.hyp, options.ref))
    if options.start is not None and options.end is not None:
        ours, theirs = (blocks[options.start : options.end] for blocks in (ours, theirs))
    check_lengths([(options.hyp, len(ours)), (options.ref, len(theirs))])
    rules = _ChineseRules(options)
    total: Counts = [0, 0, 0]
    by_type: dict[str, Counts] = {}
    for number, (our_block, their_block) in enumerate(zip(ours, theirs, strict=True)):
        proposed, gold = rules.by_annotator(our_block), rules.by_annotator(their_block)
        wanted = options.reference_num
        if (wanted is not None and len(gold) != wanted) or _is_not_annotatable(gold):
            continue
        tell = _Telling(number, options.beta, our_block) if options.verbose else None
        choice, who = choose_pair(proposed, gold, total, options.beta, tell)
        if options.verbose:
            print_line(f"{RULE}\n^^ HYP {who[0]}, REF {who[1]} chosen for sentence {number}")
        total = add(total, choice)
        if proposed and gold:
            add_types(by_type, count_types(proposed[who[0]], gold[who[1]]))
    tell_results(total, by_type, options)


def _is_not_annotatable(gold: dict[int, Keyed]) -> bool:
    if len(gold) != 1:
        return False
    (keyed,) = gold.values()
    return len(keyed) == 1 and next(iter(keyed.values()))[0] == "NA"


class _Telling(Telling):
    """Before every pair of annotators the sentence; edits without their types."""

    types = 0

    def __init__(self, number: int, beta: float, block: str) -> None:
        super().__init__(number, beta)
        self._sentence = block.partition("\n")[0][1:]

    def pair(
        self, ours: tuple[int, Keyed], theirs: tuple[int, Keyed], counts: Counts, together: Counts
    ) -> None:
        """One of the system's annotators against one of the references'."""
        print_line(f"{RULE}\nSENTENCE {self._number}{self._sentence}")
        super().pair(ours, theirs, counts, together)


if __name__ == "__main__":
    sys.exit(compare_main())
