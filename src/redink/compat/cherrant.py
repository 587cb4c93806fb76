"""``cherrant_parallel`` and ``cherrant_compare``: ChERRANT's two programs for Chinese, by redink.

They stand for ``parallel_to_m2.py`` and ``compare_m2_for_evaluation.py`` of MuCGEC, at character
level. The environment variable ``REDINK_CHERRANT_TABLES`` (or ``--tables``) names the folder of
ChERRANT's tables, by which its M2 comes out byte for byte.
"""

from __future__ import annotations

import argparse
import os
import sys

from redink.compat.errant_compare import Comparison, Counts, Keyed, add_comparing_options
from redink.compat.running import print_line, run

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
    from redink.analysis.annotation_options import AnnotationOptions
    from redink.commands.annotate import annotate_files

    annotation_options = AnnotationOptions(
        language="zh",
        tables=options.tables,
        alignments=options.multi_cheapest_strategy,
        simplify=not options.no_simplified,
        cut="blanks" if options.segmented else "pieces" if options.bpe else "characters",
    )
    workers = max(1, min(options.worker_num, os.cpu_count() or 1))
    annotate_files(
        options.file, [], options.output, annotation_options=annotation_options, workers=workers
    )


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
    return run(_COMPARE, lambda: _ChineseComparison(options).print_all())


class _ChineseComparison(Comparison):
    """Reads only A lines, without the spaces of corrections; annotators can be left out."""

    listed_types = 0

    def read_blocks(self, path: str) -> list[str]:
        """Read the sentences that ``--start`` and ``--end`` select."""
        start, end = self.options.start, self.options.end
        blocks = super().read_blocks(path)
        return blocks if start is None or end is None else blocks[start:end]

    def by_annotator(self, block: str) -> dict[int, Keyed]:
        """Return the edits of a block; without any, there is one annotator without edits."""
        most = self.options.max_answer_num
        if most is not None and most > _MOST_ANSWERS:
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
        """Leave out other numbers of references, and sentences that cannot be annotated."""
        wanted = self.options.reference_num
        if wanted is not None and len(gold) != wanted:
            return True
        types = [kinds for keyed in gold.values() for kinds in keyed.values()]
        return len(gold) == 1 and len(types) == 1 and types[0][0] == "NA"

    def print_sentence(self, number: int, block: str) -> None:
        """Print nothing: the sentence comes before every pair of annotators."""

    def print_pair(
        self, number: int, block: str, names: tuple[int, int], edits: tuple[Keyed, Keyed]
    ) -> None:
        """Print the sentence and the edits of a pair of annotators, without their types."""
        sentence = block.partition("\n")[0][1:]
        print_line(f"{'-' * 40}\nSENTENCE {number}{sentence}")
        super().print_pair(number, block, names, edits)

    def print_choice(self, types: dict[str, Counts]) -> None:
        """Print nothing."""


if __name__ == "__main__":
    sys.exit(compare_main())
