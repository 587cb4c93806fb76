"""What is written is what is read back, or it is refused or warned about: never silently lost."""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redink.errors import DataError, RedinkWarning
from redink.files import write_atomically
from redink.formats import Format, all_formats
from redink.formats.raw_documents import RawDocument
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Detection,
    Edit,
    Judgment,
    ParallelSentence,
    RankedOutput,
    Ranking,
    Sentence,
)

# as many as the profile has when new ones are looked for
QUICK = settings(
    max_examples=settings.default.max_examples if "EXPLORE" in os.environ else 30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# a file of UA-GEC is one document by one annotator, named by the file; test_ua_gec.py has its own
OTHERS = {"ua-gec", "gug"}  # GUG is only read
FORMATS = {f"{f.name}-{f.kind}": f for f in all_formats() if f.name not in OTHERS}

# ---- tame values: every format of their kind must carry them

words = st.text(st.sampled_from("abcXYZé0'-"), min_size=1, max_size=5).filter(
    lambda word: word.strip("'-0") != ""
)
token_tuples = st.lists(words, min_size=1, max_size=6).map(tuple)
names = st.text(st.sampled_from("abAB01-_"), min_size=1, max_size=6)


@st.composite
def edits(draw: st.DrawFn, length: int, corrections: st.SearchStrategy[str]) -> Edit:
    start = draw(st.integers(0, length))
    end = draw(st.integers(start, length))
    return Edit(start, end, draw(corrections), draw(st.sampled_from(["Nn", "R:VERB:SVA", "UNK"])))


@st.composite
def corpora(
    draw: st.DrawFn, tokens: st.SearchStrategy[tuple[str, ...]] = token_tuples
) -> list[AnnotatedSentence]:
    sentences = []
    for given_tokens in draw(st.lists(tokens, min_size=1, max_size=4)):
        annotators = draw(st.lists(st.sampled_from(["0", "1", "anna"]), unique=True, max_size=3))
        annotations = tuple(
            Annotation(
                who,
                tuple(
                    draw(st.lists(edits(len(given_tokens), token_tuples.map(" ".join)), max_size=3))
                ),
            )
            for who in annotators
        )
        sentences.append(AnnotatedSentence(Sentence(given_tokens), annotations))
    return sentences


@st.composite
def detections(draw: st.DrawFn) -> list[Detection]:
    found = []
    for tokens in draw(st.lists(token_tuples, min_size=1, max_size=4)):
        size = len(tokens)
        flags = tuple(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
        rates = st.lists(st.floats(0, 1), min_size=size, max_size=size).map(tuple)
        found.append(Detection(tokens, flags, draw(st.none() | rates)))
    return found


@st.composite
def parallels(draw: st.DrawFn) -> list[ParallelSentence]:
    width = draw(st.integers(1, 3))
    row = st.lists(token_tuples, min_size=width + 1, max_size=width + 1)
    return [
        ParallelSentence(Sentence(first), tuple(Sentence(other) for other in others))
        for first, *others in draw(st.lists(row, min_size=1, max_size=4))
    ]


durations = st.none() | st.floats(0, 1e8, allow_nan=False)
extras = st.dictionaries(names.map(lambda n: f"x{n}"), names, max_size=3).map(
    lambda found: tuple(found.items())
)


@st.composite
def rankings(draw: st.DrawFn) -> list[Ranking]:
    found = []
    for _ in range(draw(st.integers(1, 4))):
        systems = draw(st.lists(names, unique=True, min_size=1, max_size=5))
        cuts = draw(st.lists(st.booleans(), min_size=len(systems), max_size=len(systems)))
        groups: list[list[str]] = []
        for system, cut in zip(systems, cuts, strict=True):
            if cut or not groups:
                groups.append([])
            groups[-1].append(system)
        outputs = tuple(RankedOutput(draw(st.integers(0, 9)), tuple(group)) for group in groups)
        own = draw(st.tuples(names, names)), draw(st.tuples(st.none() | names, durations, extras))
        found.append(Ranking(*own[0], outputs, *own[1]))
    return found


maybe = st.none() | names
judgments = st.lists(
    st.tuples(names, names, names, maybe, maybe, durations, maybe, extras).map(
        lambda fields: Judgment(*fields)
    ),
    min_size=1,
    max_size=4,
)
plain_sentences = st.lists(st.lists(words, max_size=6).map(tuple), min_size=1).map(
    lambda lines: [AnnotatedSentence(Sentence(tokens)) for tokens in lines]
)
TAME: dict[str, st.SearchStrategy[Any]] = {
    "text-corpus": plain_sentences,
    "json-corpus": plain_sentences,
    "corpus": corpora(),
    "detections": detections(),
    "parallel": parallels(),
    "rankings": rankings(),
    "judgments": judgments,
    "documents": st.lists(
        st.builds(RawDocument, names, st.lists(words, min_size=1).map("\n".join)),
        unique_by=lambda essay: essay.id,
        min_size=1,
        max_size=3,
    ),
}


def write(known: Format, values: object, path: Path) -> None:
    with write_atomically(path) as stream:
        known.write(values, stream)


def comparable(values: list[object], known: Format) -> list[object]:
    if known.kind in {"rankings", "judgments"}:
        return [(v, sorted(v.extra)) and _sorted_extra(v) for v in values]
    return values


def _sorted_extra(value: Ranking | Judgment) -> tuple[object, ...]:
    fields = [getattr(value, name) for name in value.__slots__ if name != "extra"]
    return (*fields, tuple(sorted(value.extra)))


@pytest.mark.parametrize("name", FORMATS)
@QUICK
@given(data=st.data())
def test_tame_values_come_back(name: str, data: st.DataObject, tmp_path: Path) -> None:
    known = FORMATS[name]
    values = data.draw(TAME[name if name in TAME else known.kind])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        write(known, values, tmp_path / "file")
    back = list(known.read(tmp_path / "file"))
    assert comparable(back, known) == comparable(values, known)


# ---- wild values: whatever the model allows

NASTY = [
    *("|", "||", "|||", "a|", "-NONE-", "noop", " ", "", "\t", "\n", "\r", "\0", '"', "'", ","),
    *("<P>", "</P>", "&amp;", "&lt;", "\u00a0", "\u2028", "\x85", "\x1c", " a", "a ", "a b"),
    *("1", "-1", "REQUIRED", "\ud800", "\ufffe", "é", "😀", "etc.", "don't", "a,b", "[", "]"),
    *("système 1", "result-id", "id", "duration", "system1Id", "system1rank", "extra", "item"),
    *("user", "Dr. X"),
]
wild = st.sampled_from(NASTY) | st.text(max_size=4)
wild_extras = st.lists(st.tuples(wild, wild), max_size=2).map(tuple)
wild_durations = st.none() | st.floats()


@st.composite
def wild_sentences(draw: st.DrawFn) -> Sentence:
    tokens = tuple(draw(st.lists(wild, max_size=4)))
    if not draw(st.booleans()):
        return Sentence(tokens, id=draw(st.none() | wild))
    text = draw(st.sampled_from(["", " ", "\r", "\n"])).join(tokens) + draw(wild)
    offsets, reached = [], 0
    for token in tokens:
        at = text.find(token, reached)
        if at < 0 or not token:
            return Sentence(tokens, text=text, id=draw(st.none() | wild))
        offsets.append((at, at + len(token)))
        reached = at + len(token)
    return Sentence(tokens, text, tuple(offsets), draw(st.none() | wild | st.just("d.1.1")))


WILD_FIELDS = st.tuples(
    *(wild, wild, st.lists(wild, max_size=2).map(tuple), st.none() | wild),
    *(st.just("REQUIRED") | wild, st.just("-NONE-") | wild),
)


@st.composite
def wild_corpora(draw: st.DrawFn) -> list[AnnotatedSentence]:
    sentences = []
    for source in draw(st.lists(wild_sentences(), min_size=1, max_size=3)):
        annotations = []
        for who in draw(st.lists(wild, unique=True, max_size=2)):
            given_edits = []
            for _ in range(draw(st.integers(0, 2))):
                start = draw(st.integers(0, len(source)))
                end = draw(st.integers(start, len(source)))
                given_edits.append(Edit(start, end, *draw(WILD_FIELDS)))
            annotations.append(Annotation(who, tuple(given_edits)))
        sentences.append(AnnotatedSentence(source, tuple(annotations)))
    return sentences


@st.composite
def wild_rankings(draw: st.DrawFn) -> list[Ranking]:
    systems = draw(st.lists(wild, unique=True, max_size=4))
    outputs = tuple(RankedOutput(draw(st.integers(-1, 3)), (system,)) for system in systems)
    more = draw(st.tuples(st.none() | wild, wild_durations, wild_extras))
    return [Ranking(draw(wild), draw(wild), outputs, *more)]


@st.composite
def wild_detections(draw: st.DrawFn) -> list[Detection]:
    tokens = tuple(draw(st.lists(wild, max_size=4)))
    rates = st.lists(st.floats(), min_size=len(tokens), max_size=len(tokens)).map(tuple)
    return [Detection(tokens, (True,) * len(tokens), draw(st.none() | rates))]


maybe_wild = st.none() | wild
wild_judgments = st.tuples(
    *(wild, wild, wild, maybe_wild, maybe_wild, wild_durations, maybe_wild, wild_extras)
).map(lambda fields: Judgment(*fields))
wild_parallels = st.builds(
    ParallelSentence, wild_sentences(), st.lists(wild_sentences(), max_size=2).map(tuple)
)
WILD = {
    "documents": st.lists(st.builds(RawDocument, wild, wild), min_size=1, max_size=3),
    "corpus": wild_corpora(),
    "detections": wild_detections(),
    "parallel": st.lists(wild_parallels, min_size=1, max_size=3),
    "rankings": wild_rankings(),
    "judgments": st.lists(wild_judgments, min_size=1, max_size=2),
}


def _sentence_by(annotator: str, name: str) -> AnnotatedSentence:
    source = Sentence(("a",), text="a", offsets=((0, 1),), id=name)
    return AnnotatedSentence(source, (Annotation(annotator, (Edit(0, 1, "b", "T"),)),))


# One document by its names, whose sentences different people have read.
READ_BY_DIFFERENT_PEOPLE = [_sentence_by("0", "d.1.1"), _sentence_by("1", "d.1.2")]


def check_wild(known: Format, values: list[Any], path: Path) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RedinkWarning)
            write(known, values, path)
    except (DataError, RedinkWarning):
        return
    back = list(known.read(path))
    assert comparable(back, known) == comparable(values, known)


@pytest.mark.parametrize("name", FORMATS)
@QUICK
@given(data=st.data())
def test_wild_values_are_never_silently_changed(
    name: str, data: st.DataObject, tmp_path: Path
) -> None:
    known = FORMATS[name]
    check_wild(known, data.draw(WILD[known.kind]), tmp_path / "file")


@pytest.mark.parametrize("name", [n for n, known in FORMATS.items() if known.kind == "corpus"])
def test_readers_of_one_document_differ(name: str, tmp_path: Path) -> None:
    check_wild(FORMATS[name], READ_BY_DIFFERENT_PEOPLE, tmp_path / "file")


@QUICK
@given(data=st.data())
def test_json_lines_lose_nothing(data: st.DataObject, tmp_path: Path) -> None:
    """JSONL refuses only what is no text, no number or has two values under one name."""
    kind = data.draw(st.sampled_from(["corpus", "detections", "parallel"]))
    known = FORMATS[f"jsonl-{kind}"]
    values = data.draw(WILD[kind])
    stream = io.StringIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RedinkWarning)
            known.write(values, stream)
    except (DataError, ValueError):
        assert kind == "detections"
        return
    path = tmp_path / "file"
    try:
        path.write_text(stream.getvalue(), encoding="utf-8")
    except UnicodeEncodeError:
        return
    assert list(known.read(path)) == values
