"""Align raw text with the lines and tokens of its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from redink.errors import OptionError
from redink.files import (
    STANDARD_STREAM,
    all_or_nothing,
    check_files_differ,
    make_folder,
    read_lines,
    write_atomically,
)
from redink.formats.format_registry import all_formats, suffix_of
from redink.formats.raw_documents import stream_documents
from redink.formats.recognition import document_layout
from redink.inputs.input_options import (
    AlignmentOptions,
    PathLike,
    SystemsLike,
    TextLike,
    TokenizerName,
)
from redink.inputs.raw_alignment import (
    AlignedSystem,
    AlignmentCounts,
    align_system,
    stream_aligned,
)
from redink.inputs.text_loading import is_raw, is_text, load_corpus, load_texts, name_inputs
from redink.model import (
    Corpus,
    References,
    Row,
    Sentence,
    Table,
    columns_of,
    document_of,
    make_signature,
    row_of,
)
from redink.options import Flag, command

_LONGEST_SHOWN = 2_000


@dataclass(frozen=True)
class Doubt:
    """A sentence that was not found with certainty, or text that belongs to no sentence."""

    system: str
    sentence: int | None
    status: str
    confidence: float | None
    source: str
    hypothesis: str


@dataclass(frozen=True, repr=False)
class Aligned(Table):
    """The table of doubtful sentences, with the aligned text."""

    @property
    def texts(self) -> dict[str, list[str]]:
        """Return the hypothesis of every system: one tokenized line per source sentence."""
        texts: dict[str, list[str]] = self.extra.get("texts", {})
        places: dict[str, PathLike] = self.extra.get("places", {})
        read = {name: [line for _, line in read_lines(place)] for name, place in places.items()}
        return texts | read

    @property
    def lines(self) -> list[str]:
        """Return the hypothesis: one tokenized line per source sentence.

        Raises:
            OptionError: there are several systems.
        """
        if len(self.texts) != 1:
            raise OptionError(f"there are {len(self.texts)} hypotheses; use texts")
        return next(iter(self.texts.values()))


@command
def align(
    source: TextLike,
    hypotheses: Annotated[SystemsLike, Flag(value="HYPOTHESIS...", many=True)],
    *,
    output: Annotated[PathLike | None, Flag(short="o", writes=True)] = None,
    field: Annotated[str | None, Flag(value="NAME")] = None,
    tokenize: bool = False,
    tokenizer: TokenizerName | None = None,
    no_answer: Literal["source", "delete"] = "source",
    all_sentences: Annotated[bool, Flag(name="all")] = False,
) -> Aligned:
    """Align raw text with SOURCE: one line per source sentence, with the tokens of the source.

    SOURCE is tokenized text with one sentence per line, M2, or documents. HYPOTHESIS is raw
    text: its sentences can be in paragraphs, joined, split, added or missing, with Markdown or
    comments around them. HYPOTHESIS is a text file, essays in MultiGEC Markdown, JSON lines
    ({"id": ..., "text": ...} or chat logs), or a folder of text files.

    Text that the hypothesis shares with the source is tokenized like the source. The table lists
    sentences that are missing (their line is empty) or doubtful, and text that belongs to no
    sentence.

    Args:
        source: source text: a file or a list of sentences.
        hypotheses: raw system outputs: files, or a text.
        output: output file of the aligned text, or a folder for several hypotheses. By default
            stdout.
        field: JSON field that contains the text, such as choices.0.message.content. By default
            text, or the last answer.
        tokenize: tokenize SOURCE: raw text with one sentence per line. Documents are always
            tokenized.
        tokenizer: tokenizer for a raw source and for words that are not in the source: treebank,
            spacy, words, or a language code. By default the tokenization of the source.
        no_answer: line to write for a sentence without an answer (refused, empty, truncated,
            failed): the source sentence, or an empty line (delete).
        all_sentences: list every sentence with its confidence, not only doubtful ones.

    Returns:
        One row per sentence that could not be aligned; ``lines`` has the aligned text.
    """
    alignment = AlignmentOptions(True, field, tokenize, tokenizer, no_answer).following(source)
    sources = _Sources(source, alignment)
    named = _name(hypotheses, sources)
    if not named:
        raise OptionError("missing hypothesis: give at least one")
    for name, value in named:
        if not is_raw(value):
            raise OptionError(f"{name}: contains edits or flags, which need no alignment")
    if len(named) > 1 and output is not None and _is_file_name(output):
        raise OptionError("several hypotheses need a folder as output: -o DIR")
    texts: dict[str, list[str]] = {}
    notes: list[str] = []
    rows: list[Row] = []
    with all_or_nothing():
        places = _places(output, [name for name, _ in named])
        read = [one for one in (source, *dict(named).values()) if isinstance(one, str | Path)]
        check_files_differ({"hypotheses": read}, {str(path): path for path in places.values()})
        for name, value in named:
            tally = AlignmentCounts(name, Counter(), 0, no_answer)
            with write_atomically(places[name]) if places else nullcontext() as stream:
                for lines, found in sources.align(name, value):
                    doubts = _doubts(found, lines, tally.total, every=all_sentences)
                    rows += map(row_of, doubts)
                    text = [str(sentence) for sentence in found.sentences]
                    if stream is None:
                        texts.setdefault(name, []).extend(text)
                    else:
                        stream.writelines(f"{line}\n" for line in text)
                    tally += found.tally()
            notes.append(tally.describe() or f"{name}: found all {tally.total} sentences")
    return Aligned(
        tuple(columns_of(Doubt)),
        rows,
        notes=tuple(notes),
        signature=make_signature(
            "align",
            tokenizer=alignment.tokenizer,
            no_answer=no_answer if no_answer != "source" else None,
        ),
        title="All sentences" if all_sentences else "Doubtful alignments",
        groups="system" if len(named) > 1 else None,
        extra={"places": places} if places else {"texts": texts},
    )


def _name(hypotheses: SystemsLike, sources: _Sources) -> list[tuple[str, Any]]:
    if isinstance(hypotheses, str) and is_text(hypotheses):
        return [("hypothesis", hypotheses)]
    return name_inputs(hypotheses, sources.documents())


class _Sources:
    """The sentences of a source: all at once, or document by document if possible."""

    def __init__(self, source: TextLike, alignment: AlignmentOptions) -> None:
        self._source, self._alignment = source, alignment
        self._file = source if isinstance(source, str | Path) else None
        self._has_documents = self._file is not None and document_layout(self._file) is not None

    def align(self, name: str, given: Any) -> Iterable[tuple[Sequence[Sentence], AlignedSystem]]:
        """Align a system with the sentences, in one part or several."""
        parts = stream_aligned(name, self._source, given, self._alignment)
        if parts is not None:
            return parts
        sources = self._gold.sources
        return [(sources, align_system(name, given, sources, self._alignment, self._gold))]

    def documents(self) -> Iterator[str | None]:
        """Yield the names of the documents, read when the first is asked for."""
        if self._file is not None and self._has_documents:
            yield from (essay.id for essay in stream_documents(self._file))
        else:
            yield from (document_of(sentence.id) for sentence in self._gold.sources)

    @cached_property
    def _gold(self) -> References:
        """All sentences; edits, if there are any, show how corrections are written."""
        if isinstance(self._source, Corpus):
            return References(self._source)
        if self._file is not None and not self._alignment.tokenize and not self._has_documents:
            return References(load_corpus(self._file))
        return References.of_sources(load_texts(self._source, self._alignment))


def _is_file_name(output: PathLike) -> bool:
    suffixes = {suffix for known in all_formats() for suffix in known.suffixes}
    is_named = suffix_of(output) in suffixes and not Path(output).is_dir()
    return is_named or str(output) == STANDARD_STREAM


def _places(output: PathLike | None, names: Sequence[str]) -> dict[str, PathLike]:
    """Return the output file of each hypothesis: the output, or a file in this folder."""
    if output is None:
        return {}
    if len(names) == 1:
        return {names[0]: output}
    make_folder(output)
    return {name: Path(output) / f"{name}.txt" for name in names}


def _doubts(
    system: AlignedSystem, sources: Sequence[Sentence], before: int, *, every: bool
) -> Iterator[Doubt]:
    """Yield the doubts about sentences that follow ``before`` others."""
    pairs = zip(system.sentences, sources, strict=True)
    for number, (sentence, source) in enumerate(pairs, start=before + 1):
        status, confidence = sentence.status, sentence.confidence
        if every or status != "aligned":
            reply = _shorten(" ".join(sentence.reply.split()) or str(sentence))
            shown = _shorten(str(source))
            yield Doubt(system.name, number, status, confidence, shown, reply)
    for at, text in system.extra:
        shown = _shorten(" ".join(text.split()))
        yield Doubt(system.name, before + at + 1, "added before", None, "", shown)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]} \u2026"
