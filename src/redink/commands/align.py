"""Align: raw text to the lines and tokens of its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
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
    TokeniserName,
)
from redink.inputs.raw_alignment import (
    AlignedSystem,
    AlignmentCounts,
    align_system,
    find_shapes,
    stream_aligned,
)
from redink.inputs.text_loading import is_raw, is_text, load_corpus, load_texts, name_inputs
from redink.model import (
    AnnotatedSentence,
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
    """What could not be aligned, with the aligned text beside it."""

    @property
    def texts(self) -> dict[str, list[str]]:
        """The hypothesis of every system, a tokenised line a sentence of the source."""
        if "texts" in self.extra:
            texts: dict[str, list[str]] = self.extra["texts"]
            return texts
        places: dict[str, PathLike] = self.extra["places"]
        return {name: [line for _, line in read_lines(place)] for name, place in places.items()}

    @property
    def lines(self) -> list[str]:
        """The hypothesis, a tokenised line a sentence of the source.

        Raises:
            OptionError: there are several systems.
        """
        if len(self.texts) != 1:
            raise OptionError(f"there are {len(self.texts)} hypotheses; texts has each by its name")
        return next(iter(self.texts.values()))


@command
def align(
    source: TextLike,
    hypotheses: Annotated[SystemsLike, Flag(value="HYPOTHESIS...", many=True)],
    *,
    output: Annotated[PathLike | None, Flag(short="o", writes=True)] = None,
    field: Annotated[str | None, Flag(value="NAME")] = None,
    tokenise: bool = False,
    tokeniser: TokeniserName | None = None,
    no_answer: Literal["source", "delete"] = "source",
    all_sentences: Annotated[bool, Flag(name="all")] = False,
) -> Aligned:
    """Align raw text with its SOURCE: one line a source sentence, in the source's tokens.

    SOURCE is tokenised text, a sentence a line, M2, or documents. HYPOTHESIS is raw: paragraphs,
    sentences joined, split, added or left out, with Markdown or remarks around it; a text file,
    essays in MultiGEC's Markdown, JSON lines ({"id": ..., "text": ...} or logs of chats), or a
    folder of text files.

    Text that the hypothesis shares with the source is cut into tokens as the source is. What
    could not be aligned is listed: sentences that are missing (their line is empty) or doubtful,
    and text that belongs to no sentence.

    Args:
        source: what the writer wrote: a file or a list of sentences.
        hypotheses: what systems made of it, raw: files, or a text.
        output: write the aligned text here: a file, or a folder where there are several
            hypotheses. By default to stdout.
        field: where HYPOTHESIS is JSON lines: the field that holds the text, such as
            choices.0.message.content. [default: text, or the last answer]
        tokenise: SOURCE is raw text, a sentence a line: tokenise it. Documents always are.
        tokeniser: cuts raw sources, and what the source does not have: treebank, spacy, words, or
            the code of a language. [default: as the source was cut, otherwise treebank; words where
            most letters are not Latin]
        no_answer: the line of a sentence without an answer (refused, empty, truncated, failed):
            the source sentence, or an empty line (delete).
        all_sentences: list every sentence with its confidence, not only the doubtful ones.

    Returns:
        A row for everything that could not be aligned; ``lines`` has the aligned text.
    """
    alignment = AlignmentOptions(True, field, tokenise, tokeniser, no_answer).following(source)
    sources = _Sources(source, alignment)
    named = _name(hypotheses, sources)
    if not named:
        raise OptionError("there is no hypothesis to align; give at least one")
    for name, value in named:
        if not is_raw(value):
            raise OptionError(f"{name}: holds edits or flags, which need no alignment")
    if len(named) > 1 and output is not None and _is_file_name(output):
        raise OptionError("several hypotheses need a folder to be written to: -o DIR")
    texts: dict[str, list[str]] = {}
    notes: list[str] = []
    records: list[Doubt] = []
    with all_or_nothing():
        places = _places(output, [name for name, _ in named])
        read = [one for one in (source, *dict(named).values()) if isinstance(one, str | Path)]
        check_files_differ({"hypotheses": read}, {str(path): path for path in places.values()})
        for name, value in named:
            tally = AlignmentCounts(name, Counter(), 0, no_answer)
            with _written(places.get(name), texts.setdefault(name, [])) as write:
                for lines, found in sources.align(name, value):
                    records += _doubts(found, lines, tally.total, every=all_sentences)
                    write([str(sentence) for sentence in found.sentences])
                    tally += found.tally()
            notes.append(tally.describe() or f"{name}: all {tally.total} sentences were found")
    rows: list[Row] = [row_of(record) for record in records]
    return Aligned(
        tuple(columns_of(Doubt)),
        rows,
        notes=tuple(notes),
        signature=make_signature(
            "align",
            tokeniser=alignment.tokeniser,
            no_answer=no_answer if no_answer != "source" else None,
        ),
        title="Every sentence" if all_sentences else "What could not be aligned",
        groups="system" if len(named) > 1 else None,
        extra={"places": places} if places else {"texts": texts},
    )


def _name(hypotheses: SystemsLike, sources: _Sources) -> list[tuple[str, Any]]:
    """The hypotheses with their names; a text that is given as such is ``hypothesis``."""
    if isinstance(hypotheses, str) and is_text(hypotheses):
        return [("hypothesis", hypotheses)]
    return name_inputs(hypotheses, sources.documents())


class _Sources:
    """The sentences of a source: read as a whole, or document by document where that will do."""

    def __init__(self, source: TextLike, alignment: AlignmentOptions) -> None:
        self._source, self._aligning = source, alignment

    def align(self, name: str, given: Any) -> Iterable[tuple[Sequence[Sentence], AlignedSystem]]:
        """What a system made of them, in one part or many."""
        annotation_options: dict[str, Any] = {
            name: getattr(self._aligning, name) for name in ("field", "tokeniser", "no_answer")
        }
        parts = stream_aligned(name, self._source, given, **annotation_options)
        if parts is not None:
            return parts
        gold = self._gold
        return [
            (
                gold.sources,
                align_system(
                    name, given, gold.sources, **annotation_options, shapes=find_shapes(gold)
                ),
            )
        ]

    def documents(self) -> Iterator[str | None]:
        """What its documents are called, read when the first is asked for."""
        if isinstance(self._source, str | Path) and document_layout(self._source) is not None:
            yield from (essay.id for essay in stream_documents(self._source))
        else:
            yield from (document_of(sentence.id) for sentence in self._gold.sources)

    @cached_property
    def _gold(self) -> References:
        """All of them, with edits where there are some: they say what is a correction."""
        source, alignment = self._source, self._aligning
        if (
            isinstance(source, str | Path)
            and not alignment.tokenise
            and document_layout(source) is None
        ):
            return References(load_corpus(source))
        if isinstance(source, Corpus):
            return References(source)
        return References(Corpus(tuple(map(AnnotatedSentence, load_texts(source, alignment)))))


def _is_file_name(output: PathLike) -> bool:
    """Whether a name is that of a file: standard output, or with the suffix of a format."""
    suffixes = {suffix for known in all_formats() for suffix in known.suffixes}
    is_named = suffix_of(output) in suffixes and not Path(output).is_dir()
    return is_named or str(output) == STANDARD_STREAM


def _places(output: PathLike | None, names: Sequence[str]) -> dict[str, PathLike]:
    """Where the text of each hypothesis goes: a file, or one for each in a folder."""
    if output is None:
        return {}
    if len(names) == 1:
        return {names[0]: output}
    make_folder(output)
    return {name: Path(output) / f"{name}.txt" for name in names}


@contextmanager
def _written(place: PathLike | None, kept: list[str]) -> Iterator[Callable[[list[str]], None]]:
    """What takes lines: into a file, or into a list where there is none."""
    if place is None:
        yield kept.extend
        return
    with write_atomically(place) as stream:
        yield lambda lines: stream.writelines(f"{line}\n" for line in lines)


def _doubts(
    system: AlignedSystem, sources: Sequence[Sentence], before: int, *, every: bool
) -> Iterator[Doubt]:
    """What to tell of a part, after so many sentences."""
    for number, (sentence, source) in enumerate(
        zip(system.sentences, sources, strict=True), start=before + 1
    ):
        if every or sentence.status != "aligned":
            yield Doubt(
                system.name,
                number,
                sentence.status,
                sentence.confidence,
                _shorten(str(source)),
                _shorten(" ".join(sentence.reply.split()) or str(sentence)),
            )
    for at, text in system.extra:
        shown = _shorten(" ".join(text.split()))
        yield Doubt(system.name, before + at + 1, "added before", None, "", shown)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]} \u2026"
