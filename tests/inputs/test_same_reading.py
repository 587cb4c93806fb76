"""Every readable format meets every command: it works there, or is refused in one sentence.

The small files below say the same in every format, so that what comes out must be the same too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import RedinkError
from redink.files import write_atomically
from redink.formats import Format, all_formats
from redink.formats.format_registry import PLAIN
from redink.formats.raw_documents import RawDocument
from redink.inputs import read_corpus
from redink.inputs.reading import change_kind
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Edit,
    Judgment,
    RankedOutput,
    Ranking,
    Sentence,
)

pytestmark = pytest.mark.filterwarnings("ignore::redink.errors.RedinkWarning")

CORPUS = [
    AnnotatedSentence(Sentence(tuple(text.split())), (Annotation("0", edits),))
    for text, edits in (
        ("This are wrong .", (Edit(1, 2, "is", "R:VERB:SVA"),)),
        ("It is fine .", ()),
        ("I has a cats .", (Edit(1, 2, "have", "R:VERB:SVA"), Edit(2, 3, "", "U:DET"))),
    )
]
PARALLEL = list(change_kind(CORPUS, "corpus", "parallel"))
TEXTS = [AnnotatedSentence(row.corrected[0]) for row in PARALLEL]
RANKINGS = [
    Ranking(f"{number}", judge, (RankedOutput(1, ("A",)), RankedOutput(rank, ("B", "C"))))
    for number, (judge, rank) in enumerate(product(("anna", "bert"), (2, 2, 1, 3)))
]
JUDGMENTS = [
    Judgment(f"s{sentence}t{word}", judge, "error" if (word == 1) != (judge == "c") else "ok")
    for sentence, word, judge in product((1, 2, 3), (0, 1, 2), "abc")
]
VALUES: dict[str, list[Any]] = {
    "corpus": CORPUS,
    "parallel": PARALLEL,
    "detections": list(change_kind(CORPUS, "corpus", "detections")),
    "rankings": RANKINGS,
    "judgments": JUDGMENTS,
    "text": TEXTS,
    "documents": [RawDocument(f"d{at}", str(s.source)) for at, s in enumerate(TEXTS, start=1)],
}
GUG = "Id\tSentence\tExpert Judgement\tCrowd Flower Judgements\tAverage\tDataset\n" + "".join(
    f"{item}\tx\t{expert}\t[{one}, {other}]\t3\td\n"
    for item, (expert, one, other) in enumerate(("143", "422", "311"))
)
"""A table that redink reads and does not write."""
IN_LINES = {"annotate, as source", "annotate, as corrected"}
"""Where text is read line by line; documents are split into sentences elsewhere."""


@dataclass(frozen=True)
class Case:
    """A format, and what it holds here: a kind, or ``text`` or ``gug``, which are special."""

    format: Format
    holds: str

    def __str__(self) -> str:
        return (
            self.format.name
            if self.holds == self.format.name
            else f"{self.format.name}-{self.holds}"
        )


def cases() -> Iterator[Case]:
    """Every format with what it holds; a JSONL of text beside the one with edits."""
    for known in all_formats():
        holds = "text" if known.name in PLAIN else known.kind
        yield Case(known, "gug" if known.name == "gug" else holds)
        if (known.name, known.kind) == ("jsonl", "corpus"):
            yield Case(known, "text")


CASES = list(cases())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in every format, called only by its name: the content tells the format."""
    folder = tmp_path_factory.mktemp("door")
    for case in CASES:
        if case.holds == "gug":
            (folder / str(case)).write_text(GUG)
            continue
        with write_atomically(folder / str(case)) as stream:
            case.format.write(VALUES[case.holds], stream)
    (folder / "scores").write_text("A 0.5\nB 0.25\nC 0.125\n")
    (folder / "labels").write_text(
        "item,label\n" + "".join(f"{j.item},{j.label}\n" for j in JUDGMENTS if j.judge == "a")
    )
    return folder


Use = Callable[[Path, Path], Any]
EDITS, ALL_EDITS = {"corpus", "parallel"}, {"corpus", "parallel", "detections"}


def rows(table: redink.Table, *columns: str) -> list[list[Any]]:
    return [[row[column] for column in columns] for row in table]


def report(folder: Path, reference: Path, systems: dict[str, Path]) -> list[str]:
    target = folder / f"report of {reference.name} {' '.join(p.name for p in systems.values())}"
    redink.report(reference, systems, output=target, bootstrap=2)
    return sorted(path.name for path in target.iterdir())


def annotate(folder: Path, source: Path, corrected: list[Path]) -> tuple[Any, ...]:
    target = folder / "annotated.m2"
    redink.annotate_files(source, corrected, target)
    return read_corpus(target).sentences


def scored(reference: Path, system: Path) -> list[list[Any]]:
    table = redink.score(reference, {"S": system}, metrics=["errant", "m2"])
    return rows(table, "metric", "tp", "fp", "fn")


def compared(reference: Path, *systems: Path) -> int:
    return len(redink.compare(reference, dict(zip("AB", systems, strict=True)), samples=9))


def detected(reference: Path, system: Path, unit: Any) -> list[list[Any]]:
    return rows(redink.detection(reference, {"S": system}, unit=unit), "tp", "fp", "fn")


def crowd(judgments: Path, system: Path) -> list[list[Any]]:
    return rows(redink.crowd(judgments, {"S": system}), "weighting", "f")


def self_scored(path: Path) -> int:
    return len(redink.score(source=path, references=[path], systems={"S": path}))


def converted(path: Path, folder: Path) -> bool:
    return redink.convert(path, folder / "out", to_format="jsonl")["values"][0] > 2


SYSTEMS = EDITS | {"text"}
COMMANDS: dict[str, tuple[set[str], Use]] = {
    # what it works for; and the use, which must come out the same for all of these
    "score, as reference": (EDITS, lambda path, d: scored(path, d / "text")),
    "score, as system": (SYSTEMS, lambda path, d: scored(d / "m2-corpus", path)),
    "score, as texts": ({"corpus", "text"}, lambda path, _: self_scored(path)),
    "compare, as reference": (EDITS, lambda path, d: compared(path, d / "text", d / "m2-corpus")),
    "compare, as system": (SYSTEMS, lambda path, d: compared(d / "m2-corpus", d / "text", path)),
    "detection, as reference": (
        ALL_EDITS,
        lambda path, d: detected(path, d / "ged-tsv-detections", "token"),
    ),
    "detection, as system": (
        ALL_EDITS | {"text"},
        lambda path, d: detected(d / "m2-corpus", path, "sentence"),
    ),
    "report, as reference": (EDITS, lambda path, d: report(d, path, {"S": d / "text"})),
    "report, as system": (SYSTEMS, lambda path, d: report(d, d / "m2-corpus", {"S": path})),
    "rank": (
        {"rankings"},
        lambda path, _: rows(redink.rank(path, bootstrap=40), "system", "score", "rank"),
    ),
    "meta": (
        {"rankings"},
        lambda path, d: rows(redink.meta(path, d / "scores"), "metric", "spearman"),
    ),
    "agreement": (
        {"judgments", "gug"},
        lambda path, _: len(redink.agreement(path, bootstrap=9)) > 0,
    ),
    "crowd, as judgments": ({"judgments"}, lambda path, d: crowd(path, d / "labels")),
    "crowd, as system": ({"detections"}, lambda path, d: crowd(d / "csv-judgments", path)),
    "annotate, as source": ({"text"}, lambda path, d: annotate(d, path, [d / "text"])),
    "annotate, as corrected": ({"text"}, lambda path, d: annotate(d, d / "text", [path])),
    "annotate, edits": ({"corpus", "text"}, lambda path, _: len(redink.annotate_corpus(path))),
    "convert": ({*VALUES, "gug"}, converted),
}
FIRST = {
    kinds: next(str(case) for case in CASES if case.holds in kinds)
    for kinds in (frozenset(kinds) for kinds, _ in COMMANDS.values())
}


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_format_at_every_command(command: str, case: Case, folder: Path) -> None:
    """The same file means the same to all; what makes no sense is refused, and the file named."""
    kinds, use = COMMANDS[command]
    path = folder / str(case)
    holds = "text" if case.holds == "documents" and command not in IN_LINES else case.holds
    if holds in kinds:
        assert use(path, folder) == use(folder / FIRST[frozenset(kinds)], folder)
        return
    with pytest.raises(RedinkError) as refused:
        use(path, folder)
    message = str(refused.value)
    assert "\n" not in message
    named = (str(path), "'S'", "'B'", "the reference", "--ok LABEL: 1, 2, 3, 4")
    assert any(name in message for name in named), message


@pytest.mark.parametrize("case", [case for case in CASES if case.format.kind == "corpus"], ids=str)
def test_the_sentences_are_the_same_in_all(case: Case, folder: Path) -> None:
    expected = tuple(sentence.source.tokens for sentence in VALUES[case.holds])
    path = folder / str(case)
    assert tuple(s.source.tokens for s in read_corpus(path).sentences) == expected
    system = redink.read_system(path)
    assert tuple(s.tokens for s in system.sources or system.hypotheses or ()) == expected
