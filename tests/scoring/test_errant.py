"""The metric ``errant`` against the program it reproduces."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.scoring.corpora import corpus_of, hypotheses_of_edits, read_quietly, references_of

from redink.errors import DataError, OptionError
from redink.model import Hypotheses, References
from redink.scoring.errant import Errant

# The modes of errant_compare that the oracles hold, as our options and as its flags.
MODES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "correction": ({}, []),
    "detection-span": ({"level": "detection-span"}, ["-ds"]),
    "detection-token": ({"level": "detection-token"}, ["-dt"]),
    "correction-typed": ({"level": "correction-typed"}, ["-cse"]),
    "single": ({"only": "single"}, ["-single"]),
    "multi": ({"only": "multi"}, ["-multi"]),
    "beta1": ({"beta": 1.0}, ["-b", "1"]),
    "filtered": ({"exclude": ("R:SPELL", "M:PUNCT")}, ["-filt", "R:SPELL", "M:PUNCT"]),
    "by-operation": ({"by": "operation"}, ["-cat", "1"]),
    "by-type": ({"by": "type"}, ["-cat", "2"]),
    "by-full": ({"by": "full"}, ["-cat", "3"]),
    "token-by-full": ({"level": "detection-token", "by": "full"}, ["-dt", "-cat", "3"]),
}
SAME = ("correction", "detection-span", "detection-token", "correction-typed", "single", "multi")
FILES: dict[str, dict[str, Any]] = {
    **{mode: MODES[mode][0] for mode in (*SAME, "beta1")},
    **{f"{name}-type": MODES[f"by-{by}"][0] for name, by in (("main", "type"), ("full", "full"))},
    "operation": {"by": "operation"},
    "filtered": {"exclude": ("R:SPELL", "R:ORTH", "M:PUNCT")},
    "detection-span-type": {"level": "detection-span", "by": "full"},
    "detection-token-type": {"level": "detection-token", "by": "type"},
}

Printed = dict[str | None, tuple[float, ...]]


def parse(printed: str) -> Printed:
    """What errant_compare printed: counts and measures, overall (None) and by type."""
    rows: Printed = {}
    for line in printed.splitlines():
        fields = line.split()
        if len(fields) == 7 and fields[0] != "Category":
            rows[fields[0]] = tuple(map(float, fields[1:]))
        elif len(fields) == 6 and fields[0].isdigit():
            rows[None] = tuple(map(float, fields))
    return rows


def scored(metric: Errant, references: References, hypotheses: Hypotheses) -> Printed:
    rows = metric.rows(metric.collect(references, hypotheses))
    names = ("tp", "fp", "fn", "precision", "recall", "f")
    return {
        row["type"]: tuple(round(row[name], 4) for name in names)
        for row in rows
        if row["type"] is None or row["tp"] or row["fp"] or row["fn"]
    }


@pytest.fixture(scope="module")
def oracles(shared: Path) -> Path:
    return shared / "oracles"


@pytest.fixture(scope="module")
def references(oracles: Path) -> References:
    return References(read_quietly(oracles / "errant-2.3.3" / "references.m2"))


@pytest.mark.parametrize("system", ["AMU", "CAMB", "NTHU", "UFC"])
def test_real_systems_in_every_mode(oracles: Path, references: References, system: str) -> None:
    """Counts and measures of real systems are those that errant_compare 3.0.2 printed."""
    hypotheses = hypotheses_of_edits(read_quietly(oracles / "errant-2.3.3" / f"{system}.m2"))
    for mode, options in FILES.items():
        printed = (oracles / "errant-compare" / f"{system}.{mode}.txt").read_text()
        assert scored(Errant(**options), references, hypotheses) == parse(printed), mode


@pytest.mark.parametrize("system", ["AMU", "CAMB", "NTHU", "UFC"])
def test_real_systems_against_the_official_gold(shared: Path, oracles: Path, system: str) -> None:
    """The same against the gold edits of CoNLL-2014, in which annotators are missing."""
    gold = References(read_quietly(shared / "data" / "conll14" / "official-2014.combined.m2"))
    hypotheses = hypotheses_of_edits(read_quietly(oracles / "errant-2.3.3" / f"{system}.m2"))
    printed = (oracles / "errant-compare" / f"{system}.gold-reference.txt").read_text()
    assert scored(Errant(), gold, hypotheses) == parse(printed)


def test_random_corpora(oracles: Path, tmp_path: Path) -> None:
    """All 300 recorded random corpora: duplicate edits, noops beside edits, UNK, gaps."""
    path = oracles / "errant-compare" / "random-cases.json.gz"
    cases = json.loads(gzip.decompress(path.read_bytes()))
    assert len(cases) == 300
    for number, case in enumerate(cases):
        gold = references_of(case["ref"], tmp_path)
        hypotheses = hypotheses_of_edits(corpus_of(case["hyp"], tmp_path))
        found = scored(Errant(**MODES[case["mode"]][0]), gold, hypotheses)
        assert found == parse(case["printed"]), f"case {number}: {case}"


REFERENCE = """S This are an wrong sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||a|||REQUIRED|||-NONE-|||0
A 1 3|||R:OTHER|||is the|||REQUIRED|||-NONE-|||1

S He go home
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Fine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Unclear it is
A 0 2|||UNK|||-NONE-|||REQUIRED|||-NONE-|||0

S It was the big red dog .
A 2 5|||R:NOUN|||||||REQUIRED|||-NONE-|||0

"""
HYPOTHESIS = """S This are an wrong sentence .
A 1 2|||R:VERB|||is|||REQUIRED|||-NONE-|||0
A 1 3|||R:OTHER|||is the|||REQUIRED|||-NONE-|||1

S He go home
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0
A 0 1|||R:SPELL|||She|||REQUIRED|||-NONE-|||0

S Fine .

S Unclear it is
A 0 2|||R:WO|||It is|||REQUIRED|||-NONE-|||0

S It was the big red dog .
A 3 5|||U:ADJ||||||REQUIRED|||-NONE-|||0

"""


def test_nothing_proposed_and_nothing_to_find(tmp_path: Path) -> None:
    """P is 1 when nothing is proposed and R is 1 when there is nothing to find, as published."""
    noop = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
    edit = "A 0 1|||R:NOUN|||b|||REQUIRED|||-NONE-|||0"
    nothing, something = f"S a c\n{noop}\n", f"S a c\n{edit}\n"
    measured = {
        (ours, theirs): scored(
            Errant(),
            references_of(theirs, tmp_path),
            hypotheses_of_edits(corpus_of(ours, tmp_path)),
        )[None]
        for ours in (nothing, something)
        for theirs in (nothing, something)
    }
    assert measured[nothing, nothing] == (0, 0, 0, 1, 1, 1)
    assert measured[nothing, something] == (0, 0, 1, 1, 0, 0)
    assert measured[something, nothing] == (0, 1, 0, 0, 1, 0)
    assert measured[something, something] == (1, 0, 0, 1, 1, 1)


def test_missing_annotator_is_no_candidate(tmp_path: Path) -> None:
    edit = "A 0 1|||R:NOUN|||b|||REQUIRED|||-NONE-|||0"
    seen = f"S a c\n{edit}\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
    unseen = f"S a c\n{edit}\n"
    idle = hypotheses_of_edits(corpus_of("S a c\n", tmp_path))
    assert scored(Errant(), references_of(unseen, tmp_path), idle)[None][:3] == (0, 0, 1)
    assert scored(Errant(), references_of(seen, tmp_path), idle)[None][:3] == (0, 0, 0)


def test_empty_sentence(tmp_path: Path) -> None:
    """A source sentence without tokens can only have insertions, which count like others."""
    gold = references_of("S \nA 0 0|||M:OTHER|||b|||REQUIRED|||-NONE-|||0\n", tmp_path)
    same = hypotheses_of_edits(gold.corpus)
    assert scored(Errant(level="detection-token"), gold, same)[None][:3] == (1, 0, 0)


def test_groups_of_other_inventories(tmp_path: Path) -> None:
    text = (
        "S a c d\n"
        "A 0 1|||ArtOrDet||||||REQUIRED|||-NONE-|||0\n"
        "A 1 1|||Prep|||x|||REQUIRED|||-NONE-|||0\n"
        "A 2 3|||Nn|||ds|||REQUIRED|||-NONE-|||0\n"
    )
    gold = references_of(text, tmp_path)
    same = hypotheses_of_edits(gold.corpus)
    assert set(scored(Errant(by="operation"), gold, same)) == {None, "M", "R", "U"}
    assert set(scored(Errant(by="type"), gold, same)) == {None, "ArtOrDet", "Prep", "Nn"}


def test_verdicts_name_every_edit(tmp_path: Path) -> None:
    gold = references_of(REFERENCE, tmp_path)
    hypotheses = hypotheses_of_edits(corpus_of(HYPOTHESIS, tmp_path))
    metric = Errant()
    statistics = metric.collect(gold, hypotheses)
    verdicts = metric.verdicts(gold, hypotheses, statistics)
    rows = metric.sentence_rows(statistics)
    for row, edits in zip(rows, verdicts, strict=True):
        for count, verdict in (("tp", "TP"), ("fp", "FP"), ("fn", "FN")):
            assert row[count] == sum(edit["verdict"] == verdict for edit in edits)
    assert {"start": 0, "end": 1, "correction": "She", "type": "R:SPELL", "verdict": "FP"} in (
        verdicts[1]
    )


@pytest.mark.parametrize(
    "options",
    [{"level": "words"}, {"only": "double"}, {"by": "colour"}, {"selection": "best"}, {"beta": -1}],
)
def test_impossible_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Errant(**options)


def test_text_alone_cannot_be_scored(tmp_path: Path) -> None:
    gold = references_of(REFERENCE, tmp_path)
    with pytest.raises(DataError, match="no edits"):
        Errant().collect(gold, Hypotheses("text", gold.sources))


def test_fixed_counts_equal_edits_once(tmp_path: Path) -> None:
    """In the original, an edit that a reference has twice is two true positives (its issue 49)."""
    edit = "|||REQUIRED|||-NONE-|||0\n"
    twice = f"A 0 1|||R:DET|||the{edit}" * 2
    rest = f"A 2 3|||R:NOUN|||cat{edit}A 3 4|||R:VERB|||sat{edit}"
    references = references_of(f"S a b c d\n{twice}{rest}\n", tmp_path)
    system = corpus_of(f"S a b c d\nA 0 1|||R:DET|||the{edit}{rest}\n", tmp_path)
    hypotheses = hypotheses_of_edits(system)
    for metric, tp in ((Errant(), 4), (Errant(fixed=True), 3)):
        [row] = metric.rows(metric.collect(references, hypotheses))
        assert (row["tp"], row["fp"], row["fn"]) == (tp, 0, 0)
    assert str(Errant(fixed=True)) == "errant(fixed=true)"


def test_fixed_counts_a_token_once(tmp_path: Path) -> None:
    edit = "|||REQUIRED|||-NONE-|||0\n"
    block = f"S a b c\nA 0 2|||R:DET|||the{edit}A 1 3|||R:NOUN|||cat{edit}\n"
    corpus = corpus_of(block, tmp_path)
    metric = Errant(level="detection-token", fixed=True)
    [row] = metric.rows(metric.collect(References(corpus), hypotheses_of_edits(corpus)))
    assert (row["tp"], row["fp"], row["fn"]) == (3, 0, 0)
