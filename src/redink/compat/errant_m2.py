"""``errant_m2``: the edits of an M2 file found or typed again, as ERRANT 3.0.2 does it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from redink.analysis.analyser import chunks
from redink.analysis.annotating import CHUNK_WORDS
from redink.analysis.retype import Retyping, retype
from redink.compat.errant_parallel import add_common_options, how_to_annotate, m2_line, noop_line
from redink.compat.running import run
from redink.files import write_atomically
from redink.model import NOOP, AnnotatedSentence, Annotation, Edit, Sentence

_NAME = "errant_m2"


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = _parser().parse_args(arguments)
    return run(_NAME, lambda: _annotate_file(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_NAME,
        description="Find or type the edits of an M2 file again, as ERRANT 3.0.2 does.",
        usage="%(prog)s [-h] (-auto | -gold) [options] m2_file -out OUT",
    )
    parser.add_argument("m2_file", help="the M2 file to read")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("-auto", action="store_true", help="find the edits again")
    kind.add_argument("-gold", action="store_true", help="keep the edits, type them again")
    parser.add_argument("-out", required=True, help="the M2 file to write")
    parser.add_argument("-no_min", action="store_true", help="gold: keep edits as long as they are")
    parser.add_argument("-old_cats", action="store_true", help="gold: keep the error types")
    add_common_options(parser)
    return parser


def _annotate_file(options: argparse.Namespace) -> None:
    print("Loading resources...", flush=True)  # noqa: T201 (as the original prints)
    finder = how_to_annotate(options).load()
    print("Processing M2 file...", flush=True)  # noqa: T201
    retyping = Retyping(
        edits="auto" if options.auto else "gold",
        minimise=options.auto or not options.no_min,
        keep_types=options.gold and options.old_cats,
    )
    with (
        open(options.m2_file, encoding="utf-8") as stream,  # noqa: PTH123
        write_atomically(options.out) as output,
    ):
        for chunk in chunks(
            _blocks(stream), lambda block: 4 * len(block[1].source), words=CHUNK_WORDS
        ):
            done = retype([sentence for _, sentence in chunk], finder, retyping)
            for (line, _), sentence in zip(chunk, done, strict=True):
                output.write(f"{line}\n")
                for annotation in sentence.annotations:
                    who = annotation.annotator
                    if not annotation.edits:
                        output.write(noop_line(who))
                    output.writelines(m2_line(edit, who) for edit in annotation.edits)
                output.write("\n")


def _blocks(lines: Iterable[str]) -> Iterator[tuple[str, AnnotatedSentence]]:
    """Every block that ends with an empty line: its first line, and its edits.

    The original never writes a last block that no empty line ends.
    """
    block: list[str] = []
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if line:
            block.append(line)
            continue
        if not block:
            raise ValueError(f"line {number}: an empty line, and a sentence was expected")
        yield block[0], _sentence(block)
        block = []


def _sentence(block: list[str]) -> AnnotatedSentence:
    edits: dict[str, list[Edit]] = {}
    noops: set[str] = set()
    for line in block[1:]:
        fields = line.split("|||")
        start, end = map(int, fields[0][2:].split()[:2])
        annotator = fields[-1]
        own = edits.setdefault(annotator, [])
        if fields[1] != NOOP:
            # a correction is what stands there, also -NONE- and alternatives
            own.append(Edit(start, end, " ".join(fields[2].split()), fields[1]))
        elif not own:
            noops.add(annotator)
    return AnnotatedSentence(
        Sentence.from_line(block[0][2:]),
        tuple(Annotation(who, () if who in noops else tuple(its)) for who, its in edits.items()),
    )


if __name__ == "__main__":
    sys.exit(main())
