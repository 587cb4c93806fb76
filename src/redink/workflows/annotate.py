"""Annotate: two sentences, parallel files of any length, or a corpus that has edits already."""

from __future__ import annotations

import warnings
from collections.abc import Container, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from redink.analysis.analyser import Analyser
from redink.analysis.annotate import Job, type_jobs
from redink.analysis.annotating import Annotating
from redink.analysis.imported import Edits, Retyping, retype
from redink.analysis.merge import Merging
from redink.analysis.spacy_analyser import EMBEDDED
from redink.errors import FormatError, OptionError, RedinkWarning
from redink.files import read_head
from redink.formats.inputs import PathLike, load_corpus
from redink.formats.pairs import Pairs
from redink.model import Column, Corpus, Edit, Sentence, Table, annotator_order, make_table
from redink.workflows.annotate_stream import (
    Progress,
    Reading,
    Tally,
    annotate_rows,
    chunks,
    chunks_of_rows,
    chunks_of_sentences,
    count_words_of_sentence,
    pairs_of,
    retype_sentences,
    write_chunks,
)


def annotate(
    source: str | Sentence,
    corrected: str | Sentence,
    *,
    analyser: str | Analyser = EMBEDDED,
    lexicon: PathLike | Container[str] | None = None,
    merge: Merging = "rules",
    levenshtein: bool = False,
    fixed: bool = False,
) -> tuple[Edit, ...]:
    """The typed edits that turn one sentence into another.

    Words and punctuation marks are separated by spaces. Each edit says which rule gave it its
    type. For many sentences see :func:`annotate_files` and :func:`annotate_corpus`.

    Args:
        source: the sentence as written.
        corrected: the sentence after correction.
        analyser: ``embedded``, ``spacy:NAME``, or an analyser.
        lexicon: known words: a file with one a line, or a set; by default redink's list.
        merge: how the steps of the alignment become edits (``rules``, ``all-split``,
            ``all-merge``, ``all-equal``).
        levenshtein: align by plain Levenshtein distance.
        fixed: mend what is wrong in the original ERRANT.
    """
    finder = Annotating(merge, levenshtein, analyser, lexicon, fixed).load()
    job = Job(sentence_tokens(source), sentence_tokens(corrected))
    return type_jobs([job], finder)[job]


def sentence_tokens(sentence: str | Sentence) -> tuple[str, ...]:
    """The tokens of a sentence given as such or as text; a file name is taken for a mistake."""
    if isinstance(sentence, Sentence):
        return sentence.tokens
    if len(sentence) < 256 and "\n" not in sentence and Path(sentence).is_file():
        raise OptionError(
            f"{sentence!r} is a file and a sentence was expected; "
            "for files there is redink.annotate_files"
        )
    return tuple(sentence.split())


def annotate_files(
    source: PathLike,
    corrected: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    source_column: str = "source",
    corrected_column: str | Sequence[str] = "corrected",
    analyser: str | Analyser = EMBEDDED,
    lexicon: PathLike | Container[str] | None = None,
    merge: Merging = "rules",
    levenshtein: bool = False,
    fixed: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
) -> Table:
    """Parallel text to M2: the corrected files become annotators 0, 1, 2 … of the source.

    A file has one sentence a line, words separated by spaces. Lines whose source is empty are
    left out. Files may be of any length: they are read, annotated and written in chunks, and the
    output appears when it is whole. For a corpus in many files, or one that is to be continued
    where it stopped, see :func:`annotate_shards`.

    Args:
        source: the file of source sentences; or one that holds the corrections too, in columns
            (JSON lines, Parquet, text separated by tabs).
        corrected: the files of corrected sentences, each as long as the source; none, if the
            source holds them.
        output: the M2 file to write; ``-`` for standard output.
        source_column: the name of the column (or key) of source sentences, where there are names.
        corrected_column: the names of the columns of corrected sentences, an annotator each; a
            value that is a list has an annotator for each member.
        analyser: ``embedded``, ``spacy:NAME``, or an analyser (with one worker).
        lexicon: known words: a file with one a line, or a set; by default redink's list.
        merge: how the steps of the alignment become edits.
        levenshtein: align by plain Levenshtein distance.
        fixed: mend what is wrong in the original ERRANT.
        workers: how many processes share the work.
        progress: told how many sentences are done.

    Returns:
        How many sentences each file has, how many are changed, and by how many edits.
    """
    files = [corrected] if isinstance(corrected, str | Path) else list(corrected)
    pairs = pairs_of(source, files, source_column=source_column, corrected_column=corrected_column)
    if pairs.layout != "parquet" and not read_head(source):
        raise FormatError("is empty; sentences were expected", path=source)
    how = Annotating(merge, levenshtein, analyser, lexicon, fixed)
    how.check_workers(workers)
    reading = Reading()
    tally = write_chunks(
        partial(annotate_rows, how=how),
        chunks_of_rows(pairs, reading),
        output,
        workers=workers,
        progress=progress,
    )
    warn_of_blank(source, reading.blank)
    return summarise(
        tally, annotator_names(pairs, files), how.signature("annotate", data=reading.fingerprint())
    )


def warn_of_blank(source: PathLike, count: int) -> None:
    """Say how many lines were left out, if any."""
    if count:
        warnings.warn(
            f"{source}: {count} lines without a source sentence were left out",
            RedinkWarning,
            stacklevel=3,
        )


def annotator_names(pairs: Pairs, corrected: Sequence[PathLike]) -> dict[str, str]:
    """What to call each annotator: by the file or column, unless there is one column alone."""
    columns = pairs.columns[1:] if len(pairs.columns) > 2 else ()
    names = [Path(file).name for file in corrected] or columns
    return {str(number): name for number, name in enumerate(names)}


def annotate_m2(
    corpus: PathLike,
    output: PathLike,
    *,
    edits: Edits = "auto",
    minimise: bool = True,
    keep_types: bool = False,
    analyser: str | Analyser = EMBEDDED,
    lexicon: PathLike | Container[str] | None = None,
    merge: Merging = "rules",
    levenshtein: bool = False,
    fixed: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
) -> Table:
    """An M2 file (or another that holds edits) to M2, its edits found or typed anew.

    Args:
        corpus: the file to read.
        output: the M2 file to write; ``-`` for standard output.
        edits: ``auto`` extracts the edits anew from the corrected sentences, ``gold`` keeps them
            and types them anew.
        minimise: with ``gold``, drop words that stay the same from the ends of edits.
        keep_types: with ``gold``, leave the types as they are.
        analyser: ``embedded``, ``spacy:NAME``, or an analyser (with one worker).
        lexicon: known words: a file with one a line, or a set; by default redink's list.
        merge: how the steps of the alignment become edits.
        levenshtein: align by plain Levenshtein distance.
        fixed: mend what is wrong in the original ERRANT.
        workers: how many processes share the work.
        progress: told how many sentences are done.

    Returns:
        How many sentences each annotator has, how many are changed, and by how many edits.
    """
    how = Annotating(merge, levenshtein, analyser, lexicon, fixed)
    how.check_workers(workers)
    reading = Reading()
    retyping = _check_retyping(edits, minimise=minimise, keep_types=keep_types)
    tally = write_chunks(
        partial(retype_sentences, how=how, retyping=retyping),
        chunks_of_sentences(corpus, reading),
        output,
        workers=workers,
        progress=progress,
    )
    signature = how.signature("annotate", edits=edits, data=reading.fingerprint())
    return summarise(tally, {}, signature)


def annotate_corpus(
    corpus: PathLike | Corpus,
    *,
    edits: Edits = "auto",
    minimise: bool = True,
    keep_types: bool = False,
    analyser: str | Analyser = EMBEDDED,
    lexicon: PathLike | Container[str] | None = None,
    merge: Merging = "rules",
    levenshtein: bool = False,
    fixed: bool = False,
) -> Corpus:
    """A corpus with its edits found or typed anew; see :func:`annotate_m2` for the arguments."""
    loaded = load_corpus(corpus)
    finder = Annotating(merge, levenshtein, analyser, lexicon, fixed).load()
    retyping = _check_retyping(edits, minimise=minimise, keep_types=keep_types)
    done = [
        sentence
        for chunk in chunks(loaded.sentences, count_words_of_sentence)
        for sentence in retype(chunk, finder, retyping)
    ]
    return Corpus(tuple(done), name=loaded.name)


def _check_retyping(edits: Edits, *, minimise: bool, keep_types: bool) -> Retyping:
    if edits not in {"auto", "gold"}:
        raise OptionError(f"edits are extracted ('auto') or kept ('gold'), not {edits!r}")
    return Retyping(edits, minimise, keep_types)


def summarise(
    tally: Tally,
    names: Mapping[str, str],
    signature: dict[str, Any],
    *,
    notes: Sequence[str] = (),
) -> Table:
    """How many sentences each annotator has, how many are changed, and by how many edits."""
    rows = [
        {
            "annotator": who,
            "file": names.get(who),
            "sentences": tally.seen[who],
            "changed": tally.changed[who],
            "edits": tally.edits[who],
        }
        for who in sorted(tally.seen, key=annotator_order)
    ]
    columns = [
        Column("annotator"),
        *([Column("file")] if names else []),
        Column("sentences", "count"),
        Column("changed", "count"),
        Column("edits", "count"),
    ]
    return make_table(columns, rows, notes=notes, signature=signature)
