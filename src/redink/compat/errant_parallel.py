"""``errant_parallel``: parallel text to M2, as ERRANT 3.0.2 does it.

Edits are found by :mod:`redink.analysis`, many sentences at a time. The environment variable
``REDINK_ANALYSER`` names what tags the text (``spacy:en_core_web_sm`` for the pipeline that the
original uses); by default it is the one that comes with redink.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from redink.analysis.analyser import chunks
from redink.analysis.annotate import EditFinder, annotate_chunk
from redink.analysis.annotating import CHUNK_WORDS, Annotating
from redink.analysis.language import EMBEDDED
from redink.analysis.merge import STRATEGIES
from redink.compat.running import run
from redink.files import write_atomically
from redink.model import Edit

_NAME = "errant_parallel"

Tokens = tuple[str, ...]


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = _parser().parse_args(arguments)
    return run(_NAME, lambda: _annotate_files(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_NAME,
        description="Align parallel text, and find and type the edits, as ERRANT 3.0.2 does.",
        usage="%(prog)s [-h] [options] -orig ORIG -cor COR [COR ...] -out OUT",
    )
    parser.add_argument("-orig", required=True, help="the source text")
    parser.add_argument("-cor", nargs="+", default=[], required=True, help="corrected texts")
    parser.add_argument("-out", required=True, help="the M2 file to write")
    parser.add_argument("-tok", action="store_true", help="the text is raw: cut it into tokens")
    add_common_options(parser)
    return parser


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """What ``errant_parallel`` and ``errant_m2`` both have."""
    # short for -lev in the original, which has no -lang
    parser.add_argument(
        "-lev", "-le", "-l", action="store_true", help="align by plain Levenshtein distance"
    )
    parser.add_argument(
        "-merge",
        choices=list(STRATEGIES),
        default="rules",
        help="what becomes one edit (default: what the rules say)",
    )
    parser.add_argument("-lang", default="en", help="the language (default: en)")


def how_to_annotate(options: argparse.Namespace) -> Annotating:
    """How edits are found."""
    analyser = os.environ.get("REDINK_ANALYSER") or EMBEDDED
    return Annotating(
        merge=options.merge, levenshtein=options.lev, analyser=analyser, language=options.lang
    )


def m2_line(edit: Edit, annotator: str) -> str:
    """An edit as a line of M2."""
    span = f"A {edit.start} {edit.end}"
    return f"{span}|||{edit.type}|||{edit.correction}|||REQUIRED|||-NONE-|||{annotator}\n"


def noop_line(annotator: str) -> str:
    """The line of an annotator who changed nothing."""
    return f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}\n"


@dataclass(frozen=True, slots=True)
class _Row:
    """A sentence and its corrections: as tokens, and whether each is the very same text."""

    source: Tokens
    corrected: tuple[Tokens, ...]
    is_same: tuple[bool, ...]


def _annotate_files(options: argparse.Namespace) -> None:
    print("Loading resources...", flush=True)  # noqa: T201 (as the original prints)
    how = how_to_annotate(options)
    finder = how.load()
    print("Processing parallel files...", flush=True)  # noqa: T201
    with ExitStack() as stack, write_atomically(options.out) as output:
        streams = [
            stack.enter_context(open(path, encoding="utf-8"))  # noqa: PTH123
            for path in (options.orig, *options.cor)
        ]
        lines = zip(*streams, strict=False)
        if finder.pairs is not None:
            output.writelines(_annotate_characters(lines, how))
            return
        rows = _rows(lines, finder, raw=options.tok)
        for chunk in chunks(rows, _count_words, words=CHUNK_WORDS):
            found = annotate_chunk([(row.source, row.corrected) for row in chunk], finder)
            for row, versions in zip(chunk, found, strict=True):
                output.write(" ".join(["S", *row.source]) + "\n")
                for annotation, is_same in zip(versions, row.is_same, strict=True):
                    who = annotation.annotator
                    if is_same:
                        output.write(noop_line(who))
                    output.writelines(m2_line(edit, who) for edit in annotation.edits)
                output.write("\n")


def _annotate_characters(lines: Iterable[Sequence[str]], how: Annotating) -> Iterator[str]:
    """A language of characters, whose M2 has more kinds of lines: as ``redink annotate`` does."""
    from redink.workflows.annotate import annotate_rows

    rows = (tuple(line.rstrip("\n") for line in row) for row in lines if row[0].strip())
    for chunk in chunks(rows, lambda row: sum(map(len, row)), words=CHUNK_WORDS):
        yield annotate_rows(chunk, how=how)[0]


def _rows(lines: Iterable[Sequence[str]], finder: EditFinder, *, raw: bool) -> Iterator[_Row]:
    """The lines of all files together, until the shortest ends; empty sources are left out."""
    for source, *corrected in lines:
        text, others = source.strip(), [line.strip() for line in corrected]
        if not text:
            continue
        tokens = _cut(text, finder, raw=raw)
        whole = text if raw else " ".join(tokens)
        yield _Row(
            tokens,
            tuple(_cut(other, finder, raw=raw) for other in others),
            tuple(other == whole for other in others),
        )


def _cut(text: str, finder: EditFinder, *, raw: bool) -> Tokens:
    if not raw:
        return tuple(text.split())
    tokens = []
    reached = 0
    for start, end in finder.language.tokenise(text):
        # spaCy, and so the original, makes a token of white space beyond one blank
        space = text[reached:start].removeprefix(" ")
        tokens += [space, text[start:end]] if space else [text[start:end]]
        reached = end
    return tuple(tokens)


def _count_words(row: _Row) -> int:
    return len(row.source) + sum(map(len, row.corrected))


if __name__ == "__main__":
    sys.exit(main())
