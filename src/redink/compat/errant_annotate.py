"""``errant_parallel``, ``errant_m2`` (ERRANT 3.0.2) and ``cherrant_parallel`` (ChERRANT).

The environment variable ``REDINK_ANALYZER`` sets the analyzer (``spacy:en_core_web_sm`` is the
pipeline of the original); the default is redink's own. With ChERRANT's tables
(``REDINK_CHERRANT_TABLES`` or ``--tables``), Chinese M2 output is identical byte for byte.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack

from redink.analysis.analyzer import chunks
from redink.analysis.annotation import CHUNK_WORDS
from redink.analysis.annotation_options import EMBEDDED, AnnotationOptions
from redink.analysis.edit_extraction import STRATEGIES
from redink.analysis.edit_finder import EditFinder, ReclassificationOptions, annotate_chunk, retype
from redink.compat.drop_in import print_line, run_parser
from redink.errors import DataError
from redink.files import check_files_differ, write_atomically
from redink.model import NOOP, AnnotatedSentence, Annotation, Edit, Sentence

Tokens = tuple[str, ...]


def parallel_main(arguments: list[str] | None = None) -> int:
    """Run ``errant_parallel``."""
    return run_parser(parallel_parser(), arguments, _annotate_text)


def parallel_parser() -> argparse.ArgumentParser:
    """Return the parser of ``errant_parallel``."""
    parser = argparse.ArgumentParser(
        prog="errant_parallel",
        description="Align parallel text, and extract and classify edits, as ERRANT 3.0.2 does.",
        usage="%(prog)s [-h] [options] -orig ORIG -cor COR [COR ...] -out OUT",
    )
    parser.add_argument("-orig", required=True, help="source text")
    parser.add_argument("-cor", nargs="+", default=[], required=True, help="corrected texts")
    parser.add_argument("-out", required=True, help="M2 file to write")
    parser.add_argument("-tok", action="store_true", help="tokenize the text (raw text)")
    _add_common_options(parser)
    return parser


def m2_main(arguments: list[str] | None = None) -> int:
    """Run ``errant_m2``."""
    parser = argparse.ArgumentParser(
        prog="errant_m2",
        description="Extract or classify the edits of an M2 file again, as ERRANT 3.0.2 does.",
        usage="%(prog)s [-h] (-auto | -gold) [options] m2_file -out OUT",
    )
    parser.add_argument("m2_file", help="M2 file to read")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("-auto", action="store_true", help="extract the edits again")
    kind.add_argument("-gold", action="store_true", help="keep the edits, reclassify them")
    parser.add_argument("-out", required=True, help="M2 file to write")
    parser.add_argument("-no_min", action="store_true", help="gold: do not shorten edits")
    parser.add_argument("-old_cats", action="store_true", help="gold: keep the error types")
    _add_common_options(parser)
    return run_parser(parser, arguments, _annotate_m2)


def chinese_main(arguments: list[str] | None = None) -> int:
    """Run ``cherrant_parallel``, the ``parallel_to_m2.py`` of ChERRANT, at character level."""
    parser = argparse.ArgumentParser(
        prog="cherrant_parallel",
        description="Annotate pairs of Chinese sentences by characters, as ChERRANT does.",
    )
    add = parser.add_argument
    add("-f", "--file", required=True, help="number TAB source TAB target ...")
    add("-o", "--output", required=True, help="M2 file to write")
    add("-g", "--granularity", choices=["char"], default="char")
    add("-s", "--multi_cheapest_strategy", choices=["first", "all"], default="all")
    add("--segmented", action="store_true", help="tokens are separated by spaces")
    add("--no_simplified", action="store_true", help="do not simplify targets")
    add("-w", "--worker_num", type=int, default=1, help="number of processes")
    add("-b", "--batch_size", type=int, help="does nothing")
    add("-d", "--device", help="does nothing")
    add("-m", "--merge", action="store_true", help="does nothing")
    add("--tables", "--cherrant-data", default=os.environ.get("REDINK_CHERRANT_TABLES") or None)
    return run_parser(parser, arguments, _annotate_chinese)


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    # -l is short for -lev in the original, which has no -lang
    parser.add_argument(
        "-lev", "-le", "-l", action="store_true", help="align by plain Levenshtein distance"
    )
    parser.add_argument(
        "-merge", choices=list(STRATEGIES), default="rules", help="how edits are merged"
    )
    parser.add_argument("-lang", default="en", help="language (default: en)")


def _load(options: argparse.Namespace, doing: str) -> tuple[AnnotationOptions, EditFinder]:
    """Load the pipeline, and print the original's messages."""
    print_line("Loading resources...")
    annotation_options = AnnotationOptions(
        merge=options.merge,
        levenshtein=options.lev,
        analyzer=os.environ.get("REDINK_ANALYZER") or os.environ.get("REDINK_ANALYSER") or EMBEDDED,
        language=options.lang,
    )
    finder = annotation_options.load()
    print_line(doing)
    return annotation_options, finder


def _lines_of(annotation: Annotation, *, noop: bool) -> Iterator[str]:
    """Yield an annotator's lines of M2."""
    end = f"|||REQUIRED|||-NONE-|||{annotation.annotator}\n"
    if noop:
        yield f"A -1 -1|||noop|||-NONE-{end}"
    for edit in annotation.edits:
        yield f"A {edit.start} {edit.end}|||{edit.type}|||{edit.correction}{end}"


# ---- errant_parallel


_Row = tuple[list[Tokens], list[bool]]
"""A sentence and its corrections as tokens, and whether each correction equals the source."""


def _annotate_text(options: argparse.Namespace) -> None:
    check_files_differ({"": [options.orig, *options.cor]}, {"-out": options.out})
    annotation_options, finder = _load(options, "Processing parallel files...")
    with ExitStack() as stack, write_atomically(options.out) as output:
        streams = [
            stack.enter_context(open(path, encoding="utf-8"))  # noqa: PTH123
            for path in (options.orig, *options.cor)
        ]
        lines = zip(*streams, strict=False)
        if finder.pairs is not None:
            output.writelines(_annotate_characters(lines, annotation_options))
            return
        rows = _rows(lines, finder, raw=options.tok)
        for chunk in chunks(rows, lambda row: sum(map(len, row[0])), words=CHUNK_WORDS):
            found = annotate_chunk([(sides[0], tuple(sides[1:])) for sides, _ in chunk], finder)
            for (sides, same), versions in zip(chunk, found, strict=True):
                output.write(" ".join(["S", *sides[0]]) + "\n")
                for annotation, is_same in zip(versions, same, strict=True):
                    output.writelines(_lines_of(annotation, noop=is_same))
                output.write("\n")


def _annotate_characters(
    lines: Iterable[Sequence[str]], annotation_options: AnnotationOptions
) -> Iterator[str]:
    """Annotate a character-based language, whose M2 has more kinds of lines."""
    from redink.commands.annotate import annotate_rows

    rows = (tuple(line.rstrip("\n") for line in row) for row in lines if row[0].strip())
    for chunk in chunks(rows, lambda row: sum(map(len, row)), words=CHUNK_WORDS):
        text, _, unwritable = annotate_rows(chunk, annotation_options=annotation_options)
        if unwritable is not None:
            raise DataError(unwritable[1])
        yield text


def _rows(lines: Iterable[Sequence[str]], finder: EditFinder, *, raw: bool) -> Iterator[_Row]:
    """Yield the lines of all files together until the shortest ends, without empty sources."""
    for line in lines:
        texts = [text.strip() for text in line]
        if texts[0]:
            sides = [_tokenize(text, finder, raw=raw) for text in texts]
            source = texts[0] if raw else " ".join(sides[0])
            yield sides, [text == source for text in texts[1:]]


def _tokenize(text: str, finder: EditFinder, *, raw: bool) -> Tokens:
    if not raw:
        return tuple(text.split())
    tokens = []
    reached = 0
    for start, end in finder.language.tokenize(text):
        # spaCy, and so the original, makes a token of whitespace beyond one space
        space = text[reached:start].removeprefix(" ")
        tokens += [space, text[start:end]] if space else [text[start:end]]
        reached = end
    return tuple(tokens)


def _annotate_chinese(options: argparse.Namespace) -> None:
    from redink.commands.annotate import annotate_files

    annotation_options = AnnotationOptions(
        language="zh",
        cherrant_data=options.tables,
        alignments=options.multi_cheapest_strategy,
        simplify=not options.no_simplified,
        cut="blanks" if options.segmented else "characters",
    )
    workers = max(1, min(options.worker_num, os.cpu_count() or 1))
    annotate_files(
        options.file, [], options.output, annotation_options=annotation_options, workers=workers
    )


# ---- errant_m2


def _annotate_m2(options: argparse.Namespace) -> None:
    check_files_differ({"": [options.m2_file]}, {"-out": options.out})
    _, finder = _load(options, "Processing M2 file...")
    reclassification = ReclassificationOptions(
        edits="auto" if options.auto else "gold",
        minimize=options.auto or not options.no_min,
        keep_types=options.gold and options.old_cats,
    )
    with (
        open(options.m2_file, encoding="utf-8") as stream,  # noqa: PTH123
        write_atomically(options.out) as output,
    ):
        for chunk in chunks(
            _blocks(stream), lambda block: 4 * len(block[1].source), words=CHUNK_WORDS
        ):
            done = retype([sentence for _, sentence in chunk], finder, reclassification)
            for (line, _), sentence in zip(chunk, done, strict=True):
                output.write(f"{line}\n")
                for annotation in sentence.annotations:
                    output.writelines(_lines_of(annotation, noop=not annotation.edits))
                output.write("\n")


def _blocks(lines: Iterable[str]) -> Iterator[tuple[str, AnnotatedSentence]]:
    """Yield the first line and the edits of every block that ends with an empty line.

    The original never writes a last block without an empty line after it.
    """
    block: list[str] = []
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if line:
            block.append(line)
            continue
        if not block:
            raise ValueError(f"line {number}: expected a sentence, found an empty line")
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
            # a correction is used as written, including -NONE- and alternatives
            own.append(Edit(start, end, " ".join(fields[2].split()), fields[1]))
        elif not own:
            noops.add(annotator)
    return AnnotatedSentence(
        Sentence.from_line(block[0][2:]),
        tuple(Annotation(who, () if who in noops else tuple(its)) for who, its in edits.items()),
    )
