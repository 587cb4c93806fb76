"""``multiged_eval``: token labels against token labels, as the script of MultiGED-2023 prints it.

Both files have ``token TAB c|i`` a line, and an empty line after every sentence. Precision is 1
where nothing false was marked, as in ERRANT.
"""

from __future__ import annotations

import argparse
import sys

from redink.compat.errant_compare import print_table
from redink.compat.running import run

_NAME = "multiged_eval"
_WRONG = "i"


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog=_NAME,
        description="Precision, recall and F of token labels, as MultiGED-2023 scores them.",
        usage="%(prog)s [options] -hyp HYP -ref REF",
    )
    parser.add_argument("-hyp", required=True, help="the system's labels: token TAB c|i")
    parser.add_argument("-ref", required=True, help="the true labels")
    parser.add_argument(
        "-b", "--beta", type=float, default=0.5, help="weight of recall in F (default: 0.5)"
    )
    options = parser.parse_args(arguments)
    return run(_NAME, lambda: _compare_files(options))


def _compare_files(options: argparse.Namespace) -> None:
    found = wrong = missed = 0
    with (
        open(options.hyp, encoding="utf-8") as ours,  # noqa: PTH123 (pathlib takes time to load)
        open(options.ref, encoding="utf-8") as theirs,  # noqa: PTH123
    ):
        for number, pair in enumerate(zip(ours, theirs, strict=False), start=1):
            our_line, their_line = (line.strip() for line in pair)
            if not our_line or not their_line:
                continue
            our_token, our_label = our_line.split("\t")[:2]
            their_token, their_label = their_line.split("\t")[:2]
            if our_token != their_token:
                raise ValueError(f"line {number}: {our_token!r} is not {their_token!r}")
            found += our_label == their_label == _WRONG
            wrong += our_label == _WRONG != their_label
            missed += their_label == _WRONG != our_label
    print_table(" Token-Based Detection ", (found, wrong, missed), options.beta)


if __name__ == "__main__":
    sys.exit(main())
