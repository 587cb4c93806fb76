"""``redink convert``: write a file in another format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from redink.errors import DataError, OptionError
from redink.files import STANDARD_STREAM, write_atomically
from redink.formats import (
    Format,
    Kind,
    all_formats,
    detect_format,
    format_names,
    get_format,
    read_parallel_files,
)
from redink.formats.format_registry import PLAIN, cannot_write, suffix_of
from redink.inputs import read_values
from redink.inputs.input_options import PathLike
from redink.inputs.reading import (
    TOKENIZERS,
    change_kind,
    explain_unreachable,
    load_tokenizer,
    notice_raw,
    reachable,
)
from redink.inputs.text_loading import merge_annotators as merge_files
from redink.model import Column, Row, Sentence, Table, make_signature, make_table
from redink.options import Flag, Needs, command
from redink.progress import tell_each


@command
def convert(
    source: Annotated[PathLike | Sequence[PathLike], Flag(value="IN...", many=True)],
    target: Annotated[PathLike, Flag(value="OUT", writes=True)],
    *,
    merge_annotators: bool = False,
    output: Annotated[
        PathLike | None, Flag(short="o", writes=True), Needs(merge_annotators=True)
    ] = None,
    from_format: Annotated[
        str | None, Flag(name="from", value="FORMAT", known=format_names)
    ] = None,
    to_format: Annotated[str | None, Flag(name="to", value="FORMAT", known=format_names)] = None,
    corrected: Annotated[Sequence[PathLike], Flag(repeat=True)] = (),
    annotator: Annotated[str | None, Flag(value="NAME")] = None,
    tokenizer: Annotated[str | None, Flag(known=lambda: TOKENIZERS.names)] = None,
    field: Annotated[str | None, Flag(value="NAME")] = None,
) -> Table:
    """Convert IN to another format and write it to OUT.

    The format of IN is detected from its content, and the format of OUT from its suffix. Both can
    be compressed (.gz). JSONL represents all content without loss. If a format cannot represent
    some content, redink exits with an error, or skips this content and warns with a count. OUT
    appears only when it is complete. A single ``-`` is standard input or output.

    To find the edits between two texts, use ``redink annotate``.

    Args:
        source: the file to read; several with --merge-annotators.
        target: the file to write.
        merge_annotators: merge files with the edits of different annotators in the same sentences;
            the annotators are numbered from 0 in the order of the files.
        output: file to write; all other files are then read.
        from_format: format of IN (--list shows all formats). By default detected from the content.
        to_format: format of OUT. By default detected from the suffix.
        corrected: corrected version of IN, line by line, for parallel text. Repeat it for several
            annotators.
        annotator: keep only the edits of this annotator.
        tokenizer: tokenizer for a raw IN; tokenized text is not changed. By default treebank for
            NUCLE and documents, spacy for W&I.
        field: JSON field that contains the text, if IN is documents in JSON lines, such as
            choices.0.message.content. By default text, or the last answer.

    Returns:
        One row: the files, their formats, the kind of their content and the number of values.

    Raises:
        RedinkError: the file cannot be read, or the format cannot represent its content.
    """
    files = [source] if isinstance(source, str | Path) else [*source]
    if output is not None:
        files, target = [*files, target], output
    source = ", ".join(map(str, files))
    kind: Kind = "corpus"
    values: Iterable[Any]
    if merge_annotators:
        found, values = detect_format(files[0]).name, merge_files(files).sentences
    else:
        found, kind, values = _read(files, corrected, from_format, tokenizer, field)
    wanted = _choose_target(target, kind, to_format)
    if found in PLAIN and wanted.name == "wi" and to_format is None:
        raise OptionError(
            f"{target}: a .json file contains corrections, and {source} is plain text; choose "
            "--to json (a list of strings) or --to wi (texts without corrections)"
        )
    if kind == "documents" != wanted.kind:
        kind = "corpus"
        _, values = read_values(
            source, kind=kind, format=from_format, tokenizer=tokenizer, field=field
        )
    if annotator is not None and kind != "corpus":
        raise OptionError(f"{source}: contains {kind}, which have no annotators")
    with _told_of(source):
        changed = change_kind(values, kind, wanted.kind, annotator=annotator)
    if wanted.name in PLAIN and tokenizer is not None:
        changed = (replace(each, source=Sentence(each.source.tokens)) for each in changed)
    write = wanted.write
    if wanted.raw is not None:
        write = partial(write, tokenize=load_tokenizer(tokenizer or wanted.raw))
    count = 0

    def counted() -> Iterator[Any]:
        nonlocal count
        for value in tell_each(changed, "converted"):
            count += 1
            yield value

    with write_atomically(target) as stream, _told_of(source):
        write(counted(), stream)
    row: Row = {"input": str(source), "from": found, "output": str(target), "to": wanted.name}
    row |= {"kind": wanted.kind, "values": count}
    known = {"documents", "rankings", "judgments"}
    unit = wanted.kind if wanted.kind in known else "sentences"
    formats = {"from": found, "to": wanted.name}
    return make_table(
        [Column(name, "count" if name == "values" else "text") for name in row],
        [row],
        notes=[f"{target}: {count} {unit} from {source} ({found} to {wanted.name})"],
        signature=make_signature("convert", **formats, annotator=annotator, tokenizer=tokenizer),
    )


@contextmanager
def _told_of(source: PathLike) -> Iterator[None]:
    """Put the file name before the message of an error."""
    try:
        yield
    except (DataError, OptionError) as error:
        raise type(error)(f"{source}: {error}") from None


def _read(
    files: Sequence[PathLike],
    corrected: Sequence[PathLike],
    from_format: str | None,
    tokenizer: str | None,
    field: str | None,
) -> tuple[str, Kind, Iterable[Any]]:
    source = files[0]
    if len(files) > 1:
        raise OptionError("several input files need --merge-annotators")
    if not corrected:
        found, values = read_values(source, format=from_format, tokenizer=tokenizer, field=field)
        return found.name, found.kind, values
    name = detect_format(source, name=from_format).name
    if name != "text":
        raise OptionError(f"{source}: is {name}; --corrected needs plain text")
    tokenize = load_tokenizer(tokenizer) if tokenizer else None
    rows = read_parallel_files(source, corrected, tokenize=tokenize)
    return name, "parallel", notice_raw(source, rows)


def _choose_target(target: PathLike, kind: Kind, name: str | None) -> Format:
    """Return the format to write, by name or by suffix; prefer the nearest kind."""
    if name is not None:
        get_format(name)  # raises an error for an unknown name
        candidates = [f for f in all_formats() if f.name == name]
    elif str(target) == STANDARD_STREAM:
        raise OptionError(
            f"standard output has no suffix; choose its format with --to: {_names(kind)}"
        )
    else:
        suffix = suffix_of(target)
        written = [f for f in all_formats() if f.write is not cannot_write]
        candidates = [f for f in written if suffix in f.suffixes]
        if not candidates:
            raise OptionError(
                f"{target}: unknown suffix {suffix!r}; choose a format with --to: {_names(kind)}"
            )
    possible = [f for f in candidates if f.kind == kind]
    possible = possible or [f for f in candidates if f.kind in reachable(kind)]
    if not possible:
        raise OptionError(f"{target}: {explain_unreachable(kind, candidates[0].kind)}")
    if len(possible) > 1:
        raise OptionError(
            f"{target}: could be {' or '.join(f.name for f in possible)}; choose one with --to"
        )
    return possible[0]


def _names(kind: Kind) -> str:
    return ", ".join(dict.fromkeys(n for k in reachable(kind) for n in format_names(k)))
