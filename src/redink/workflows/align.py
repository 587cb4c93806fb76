"""Align: raw text to the lines and tokens of its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from redink.errors import OptionError
from redink.files import STANDARD_STREAM, all_or_nothing, write_atomically
from redink.formats.aligned import (
    AlignedSystem,
    Aligning,
    TokeniserName,
    align_system,
    find_shapes,
    is_raw,
    is_text,
)
from redink.formats.essays import form_of
from redink.formats.inputs import (
    PathLike,
    SystemsLike,
    TextLike,
    load_corpus,
    load_texts,
    name_inputs,
)
from redink.model import (
    AnnotatedSentence,
    Corpus,
    References,
    Row,
    Sentence,
    Table,
    columns_of,
    make_signature,
    row_of,
)
from redink.options import Flag, use_case


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
        texts: dict[str, list[str]] = self.extra["texts"]
        return texts

    @property
    def lines(self) -> list[str]:
        """The hypothesis, a tokenised line a sentence of the source.

        Raises:
            OptionError: there are several systems.
        """
        if len(self.texts) != 1:
            raise OptionError(f"there are {len(self.texts)} hypotheses; texts has each by its name")
        return next(iter(self.texts.values()))


@use_case
def align(
    source: TextLike,
    hypotheses: Annotated[SystemsLike, Flag(value="HYPOTHESIS...", many=True)],
    *,
    output: Annotated[PathLike | None, Flag(short="o")] = None,
    field: Annotated[str | None, Flag(value="NAME")] = None,
    tokenise: bool = False,
    tokeniser: TokeniserName | None = None,
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
        field: of JSON lines, the field that holds the text, such as choices.0.message.content.
            [default: text, or the last answer]
        tokenise: SOURCE is raw text, a sentence a line: tokenise it. Documents always are.
        tokeniser: cuts raw sources, and what the source does not have: treebank, spacy, words, or
            the code of a language. [default: as the source was cut, otherwise treebank; words where
            most letters are not Latin]
        all_sentences: list every sentence with its confidence, not only the doubtful ones.

    Returns:
        A row for everything that could not be aligned; ``lines`` has the aligned text.
    """
    aligning = Aligning(True, field, tokenise, tokeniser).following(source)
    gold = References(_with_edits(source, aligning))
    sources, shapes = gold.sources, find_shapes(gold)
    named = _name(hypotheses)
    if not named:
        raise OptionError("there is no hypothesis to align; give at least one")
    aligned = []
    for name, value in named:
        if not is_raw(value):
            raise OptionError(f"{name}: holds edits or flags, which need no alignment")
        aligned.append(
            align_system(
                name,
                value,
                sources,
                field=field,
                tokeniser=aligning.tokeniser,
                shapes=shapes,
            )
        )
    texts = {system.name: [str(sentence) for sentence in system.sentences] for system in aligned}
    if output is not None:
        _write(texts, output)
    records = [
        doubt for system in aligned for doubt in _doubts(system, sources, every=all_sentences)
    ]
    rows: list[Row] = [row_of(record) for record in records]
    return Aligned(
        tuple(columns_of(Doubt)),
        rows,
        notes=tuple(_note(system) for system in aligned),
        signature=make_signature("align", tokeniser=aligning.tokeniser),
        title="Every sentence" if all_sentences else "What could not be aligned",
        groups="system" if len(aligned) > 1 else None,
        extra={"texts": texts},
    )


def _name(hypotheses: SystemsLike) -> list[tuple[str, Any]]:
    """The hypotheses with their names; a text that is given as such is ``hypothesis``."""
    if isinstance(hypotheses, str) and is_text(hypotheses):
        return [("hypothesis", hypotheses)]
    return name_inputs(hypotheses)


def _with_edits(source: TextLike, aligning: Aligning) -> Corpus:
    """The sentences of a source, with edits where it has some: they say what is a correction."""
    if isinstance(source, str | Path) and not aligning.tokenise and form_of(source) is None:
        return load_corpus(source)
    if isinstance(source, Corpus):
        return source
    return Corpus(tuple(map(AnnotatedSentence, load_texts(source, aligning))))


def _write(texts: dict[str, list[str]], output: PathLike) -> None:
    if len(texts) == 1:
        (lines,) = texts.values()
        with write_atomically(output) as stream:
            stream.writelines(f"{line}\n" for line in lines)
        return
    if str(output) == STANDARD_STREAM:
        raise OptionError("several hypotheses need a folder to be written to: -o DIR")
    Path(output).mkdir(parents=True, exist_ok=True)
    with all_or_nothing():
        for name, lines in texts.items():
            with write_atomically(Path(output) / f"{name}.txt") as stream:
                stream.writelines(f"{line}\n" for line in lines)


def _doubts(system: AlignedSystem, sources: Sequence[Sentence], *, every: bool) -> Iterator[Doubt]:
    for number, (sentence, source) in enumerate(
        zip(system.sentences, sources, strict=True), start=1
    ):
        if every or sentence.status != "aligned":
            yield Doubt(
                system.name,
                number,
                sentence.status,
                sentence.confidence,
                str(source),
                str(sentence),
            )
    for before, text in system.extra:
        yield Doubt(system.name, before + 1, "added before", None, "", " ".join(text.split()))


def _note(system: AlignedSystem) -> str:
    return system.describe() or f"{system.name}: all {len(system.sentences)} sentences were found"
