"""The packed sentences answer as a plain walk through all edits would."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redink.reports.page.sentences import (
    VERDICTS,
    Filter,
    SentenceIndex,
    fits_type,
    index_sentences,
)

TYPES = ("R:NOUN", "M:NOUN", "U:DET", "R:VERB:SVA", "Wci", "UNK")
WORDS = ("a", "The", "cat", "café", "ß", "")


def edit(start: int, correction: str, kind: str) -> dict[str, Any]:
    return {"start": start, "end": start + 1, "correction": correction, "type": kind}


EDITS = st.lists(
    st.builds(edit, st.integers(0, 3), st.sampled_from(WORDS), st.sampled_from(TYPES)), max_size=3
)
JUDGED = st.lists(
    st.builds(
        lambda e, v: e | {"verdict": v},
        EDITS.filter(bool).map(lambda es: es[0]),
        st.sampled_from(VERDICTS),
    ),
    max_size=3,
)
SENTENCE = st.tuples(
    st.lists(st.sampled_from(WORDS[:-1]), min_size=1, max_size=4).map(" ".join),
    st.dictionaries(st.sampled_from(["0", "1", "10"]), EDITS, max_size=2),
    st.tuples(JUDGED, JUDGED),
)
FILTERS = st.builds(
    Filter,
    words=st.sampled_from(["", "cat", "CA", "the cat", " a  the ", "É", "zebra", "a\ncat"]),
    system=st.sampled_from(["", "one", "two", "nobody"]),
    type=st.sampled_from(["", *TYPES, "NOUN", "R:", "M:", "VERB:SVA", "NONE"]),
    verdict=st.sampled_from(["", *VERDICTS, "TN"]),
    other=st.sampled_from(["", "one", "two"]),
    which=st.sampled_from(["", "nobody"]),
)
SYSTEMS = ("one", "two")


def build(sentences: list[Any]) -> SentenceIndex:
    return index_sentences(
        [source for source, _, _ in sentences],
        [references for _, references, _ in sentences],
        [(name, [s[2][place] for s in sentences]) for place, name in enumerate(SYSTEMS)],
    )


def passes(sentence: Any, wanted: Filter) -> bool:
    source, references, systems = sentence
    edits = [e for group in (*references.values(), *systems) for e in group]
    words = " ".join(wanted.words.lower().split())
    texts = [source, *(e["correction"] for e in edits)]
    if words and not any(words in text.lower() for text in texts):
        return False
    verdicts = {e["verdict"] for group in systems for e in group}
    if wanted.which and ("FN" not in verdicts or "TP" in verdicts):
        return False
    made = {
        name: {(e["start"], e["end"], e["correction"]) for e in group if e["verdict"] != "FN"}
        for name, group in zip(SYSTEMS, systems, strict=True)
    }
    pair = wanted.system and wanted.other
    if pair and made.get(wanted.system, set()) == made.get(wanted.other, set()):
        return False
    if not ((wanted.system and not pair) or wanted.type or wanted.verdict):
        return True
    return any(
        (not wanted.system or name in (wanted.system, wanted.other))
        and wanted.verdict in ("", e["verdict"])
        and (not wanted.type or fits_type(e["type"], wanted.type))
        for name, group in zip(SYSTEMS, systems, strict=True)
        for e in group
    )


@given(st.lists(SENTENCE, max_size=6), FILTERS)
def test_every_filter_finds_what_a_walk_finds(sentences: list[Any], wanted: Filter) -> None:
    """Words, systems, type, verdict and nobody together, on any sentences.

    Of two systems, those first in which the first has more right and less wrong than the second.
    """

    def lead(number: int, system: str) -> int:
        edits = sentences[number][2][SYSTEMS.index(system)] if system in SYSTEMS else []
        return sum({"TP": 1, "FP": -1, "FN": 0}[edit["verdict"]] for edit in edits)

    found = build(sentences).find(wanted).tolist()
    expected = [n for n, one in enumerate(sentences) if passes(one, wanted)]
    if wanted.system and wanted.other:
        expected.sort(key=lambda n: lead(n, wanted.other) - lead(n, wanted.system))
    assert found == expected


@given(st.lists(SENTENCE, max_size=6))
def test_nothing_is_lost_in_packing(sentences: list[Any]) -> None:
    index = build(sentences)
    head = index.header()

    def named(row: list[Any]) -> dict[str, Any]:
        start, end, correction, kind, *verdict = row
        plain = {"start": start, "end": end, "correction": correction, "type": head["types"][kind]}
        return plain | ({"verdict": head["verdicts"][verdict[0]]} if verdict else {})

    assert head["total"] == len(sentences)
    for number, (source, references, systems) in enumerate(sentences):
        out, gold, judged = index.sentence(number)
        assert out == source
        names = {head["annotators"][int(who)]: rows for who, rows in gold.items()}
        assert {name: [*map(named, rows)] for name, rows in names.items()} == references
        assert tuple([*map(named, rows)] for rows in judged) == systems


@pytest.mark.parametrize(
    ("name", "wanted", "fits"),
    [
        ("R:VERB:SVA", "R:VERB:SVA", True),
        ("R:VERB:SVA", "VERB:SVA", True),
        ("R:VERB:SVA", "R:", True),
        ("R:VERB:SVA", "VERB", False),
        ("M:NOUN", "R:", False),
        ("Wci", "Wci", True),
        ("Wci", "i", False),
    ],
)
def test_a_type_fits_whole_without_its_operation_or_by_it(
    name: str, wanted: str, *, fits: bool
) -> None:
    assert fits_type(name, wanted) is fits
