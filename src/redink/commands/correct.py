"""``redink correct``: a language model corrects a source, sentence by sentence or by document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from redink.commands.align import Aligned
from redink.errors import DataError, OptionError
from redink.files import (
    STANDARD_STREAM,
    all_or_nothing,
    check_files_differ,
    check_target,
    write_atomically,
)
from redink.formats.raw_documents import RawDocument
from redink.inputs.document_ids import place_sentences
from redink.inputs.input_options import AlignmentOptions, DocumentsLike, PathLike, TextLike
from redink.inputs.raw_alignment import AlignedSystem, align_system
from redink.inputs.text_loading import load_texts
from redink.language_models.client import (
    EndpointUrl,
    LanguageModel,
    ModelName,
    ModelOptions,
    Request,
)
from redink.language_models.prompts import Prompt
from redink.language_models.reply_store import REJECTED, ModelReply, ReplyStore
from redink.model import Sentence, Table, columns_of, make_signature, row_of
from redink.options import Flag, Needs, Positive, command
from redink.raw_text.text_alignment import AlignedSentence
from redink.raw_text.tokenization import space_tokens
from redink.raw_text.unanswered_replies import Ending

_ENDINGS: dict[str, Ending] = {
    **dict.fromkeys(("length", "max_tokens"), "truncated"),
    **dict.fromkeys(("refusal", "content_filter"), "refusal"),
    REJECTED: "error",
}


@dataclass(frozen=True)
class CorrectionRun:
    """The numbers of sentences of one run, by what became of them."""

    run: int
    sentences: int
    changed: int
    no_change: int
    refused: int
    empty: int
    truncated: int
    failed: int
    doubtful: int


@dataclass(frozen=True)
class _Part:
    """The sentences of one request, by their indices, and their text."""

    members: tuple[int, ...]
    text: str


@command
def correct(
    source: TextLike,
    *,
    endpoint: EndpointUrl,
    model: ModelName,
    output: Annotated[PathLike | None, Flag(short="o", writes=True)] = None,
    style: Literal["minimal", "fluency"] = "minimal",
    unit: Literal["sentence", "document"] = "sentence",
    documents: Annotated[DocumentsLike | None, Needs(unit="document")] = None,
    runs: Positive = 1,
    replies: Annotated[PathLike | None, Flag(writes=True)] = None,
    tokenize: bool = False,
    no_answer: Literal["source", "delete"] = "source",
    asking: ModelOptions = ModelOptions(),
) -> Aligned:
    """Correct SOURCE with a language model: one line per source sentence, with its tokens.

    SOURCE is tokenized text with one sentence per line, M2, or documents. Each sentence (or
    document) is one request to an OpenAI-compatible endpoint. The API key is read from the
    environment variable REDINK_API_KEY or OPENAI_API_KEY. All requests and replies are stored, so
    that an interrupted run continues, and the same command asks nothing twice.

    Args:
        source: source text: a file or a list of sentences.
        endpoint: URL of the API, such as http://127.0.0.1:8000/v1, or command:PROGRAM for a program
            that reads the prompt on stdin and prints the reply.
        model: name of the model at the endpoint.
        output: output file of the corrected text; several runs write OUT.1.txt, OUT.2.txt, etc.
            By default stdout.
        style: change only errors (minimal), or also rephrase for fluency.
        unit: text of one request: a sentence, or a document.
        documents: the documents of the sentences, if sentence ids do not contain document names:
            a file with one document name per sentence, or the original documents.
        runs: number of times that the source is corrected.
        replies: file of all requests and replies. [default: OUT.replies.jsonl]
        tokenize: tokenize SOURCE: raw text with one sentence per line. Documents are always
            tokenized.
        no_answer: line to write for a sentence without an answer (refused, empty, truncated,
            failed): the source sentence, or an empty line (delete).
        asking: the requests, and their limits.

    Returns:
        One row per run; ``texts`` has the corrected text of each run.
    """
    alignment = AlignmentOptions(True, None, tokenize, None, no_answer).following(source)
    places, store = _places(output, runs), _place_replies(output, replies)
    sources = load_texts(source, alignment)
    parts = list(_divide(sources, unit, documents))
    if not parts:
        raise DataError("the source contains no words")
    prompt = Prompt(style, asking.prompt)
    named = {f"run {run}": path for run, path in places.items()}
    named |= {"replies": store}
    check_files_differ({"source": [source] if isinstance(source, str | Path) else []}, named)
    for path in named.values():
        if str(path) != STANDARD_STREAM:
            check_target(path)
    word = {"sentence": "sentence", "document": "text"}[unit]
    requests = [
        Request.of(prompt.render(text=part.text, unit=word, style=style), sample=run)
        for run in range(1, runs + 1)
        for part in parts
    ]
    with LanguageModel(endpoint, model, asking, ReplyStore(store, asking.budget())) as asked:
        if asking.dry_run:
            return _as_aligned(asked.estimate(requests))
        answers = asked.each(asked.ask, requests, "asked the model")
        versions = [name for name in asked.store.models if name != model]
    rows, texts, notes = [], {}, []
    for run in range(1, runs + 1):
        own = answers[(run - 1) * len(parts) : run * len(parts)]
        found = _align(f"run {run}" if runs > 1 else model, sources, parts, own, alignment)
        texts[found.name] = [str(sentence) for sentence in found.hypotheses]
        rows.append(row_of(_count(run, sources, found)))
        if said := found.tally().describe():
            notes.append(said)
    with all_or_nothing():
        for path, lines in zip(places.values(), texts.values(), strict=False):
            with write_atomically(path) as stream:
                stream.writelines(f"{line}\n" for line in lines)
    if versions:
        notes.append(f"The endpoint reports the model {', '.join(versions)}.")
    signature = make_signature(
        "correct",
        model=model,
        prompt=f"{style if asking.prompt is None else 'custom'}:{prompt.fingerprint}",
        temperature=asking.temperature,
        unit=unit,
        no_answer=no_answer if no_answer != "source" else None,
        seed=asking.seed,
    )
    columns = tuple(columns_of(CorrectionRun))
    extra = {"texts": texts}
    title = f"Corrections by {model}"
    return Aligned(columns, rows, notes=tuple(notes), signature=signature, title=title, extra=extra)


def _as_aligned(table: Table) -> Aligned:
    return Aligned(table.columns, table.rows, notes=table.notes, title=table.title)


def _divide(
    sources: Sequence[Sentence], unit: str, documents: DocumentsLike | None
) -> Iterator[_Part]:
    """Yield the parts of the source that are sent; sentences without words are not."""
    if unit == "sentence":
        for number, sentence in enumerate(sources):
            if sentence.tokens:
                text = sentence.text or space_tokens(sentence.tokens).text or ""
                yield _Part((number,), " ".join(text.split()))
        return
    positions = place_sentences(sources, documents)
    for name, text in positions.texts.items():
        if text.strip():
            yield _Part(tuple(positions.members(name)), text.strip())


def _places(output: PathLike | None, runs: int) -> dict[int, PathLike]:
    if output is None:
        return {}
    if runs == 1:
        return {1: output}
    if str(output) == STANDARD_STREAM:
        raise OptionError("several runs cannot be written to standard output; name a file")
    path = Path(output)
    return {run: path.with_name(f"{path.stem}.{run}{path.suffix}") for run in range(1, runs + 1)}


def _place_replies(output: PathLike | None, given: PathLike | None) -> PathLike:
    if given is not None:
        return given
    if output is None or str(output) == STANDARD_STREAM:
        raise OptionError("missing file of replies; give an output (-o FILE) or --replies FILE")
    return Path(f"{output}.replies.jsonl")


def _align(
    name: str,
    sources: Sequence[Sentence],
    parts: Sequence[_Part],
    replies: Sequence[ModelReply],
    alignment: AlignmentOptions,
) -> AlignedSystem:
    """Align the replies of one run with the source: by sentence, or within each document."""
    answers = {
        part.members: RawDocument(
            "", "" if reply.ending == REJECTED else reply.text, _ENDINGS.get(reply.ending, "")
        )
        for part, reply in zip(parts, replies, strict=True)
    }
    if all(len(members) == 1 for members in answers):
        nothing = RawDocument("", "")
        ordered = [answers.get((number,), nothing) for number in range(len(sources))]
        return align_system(name, ordered, sources, alignment)
    found = [AlignedSentence(one.tokens, (0, 0), 1.0, "aligned") for one in sources]
    extra: list[tuple[int, str]] = []
    for members, answer in answers.items():
        aligned = align_system(name, [answer], [sources[at] for at in members], alignment)
        for at, sentence in zip(members, aligned.sentences, strict=True):
            found[at] = sentence
        extra += [(members[min(at, len(members) - 1)], text) for at, text in aligned.extra]
    return AlignedSystem(name, tuple(found), tuple(extra), alignment.no_answer)


def _count(run: int, sources: Sequence[Sentence], found: AlignedSystem) -> CorrectionRun:
    counts = found.tally().counts
    pairs = zip(found.sentences, sources, strict=True)
    return CorrectionRun(
        run,
        sentences=len(sources),
        changed=sum(sentence.tokens != source.tokens for sentence, source in pairs),
        no_change=counts["no-change"],
        refused=counts["refusal"],
        empty=counts["no-answer"],
        truncated=counts["truncated"],
        failed=counts["error"],
        doubtful=counts["doubtful"] + counts["missing"] + counts["too-large"],
    )
