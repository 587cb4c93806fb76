"""What is probably wrong with the files is said, and nothing of files that are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.scoring.corpora import hypotheses_of_text

from redink.errors import RedinkWarning
from redink.inputs.input_checks import check_texts, warn_about_input
from redink.model import AnnotatedSentence, Annotation, Corpus, References, Sentence

LINES = [f"{word} {word * 2} {word * 3} {word * 4}" for word in "abcdef"]


def references(lines: list[str]) -> References:
    correct = (Annotation("0"),)
    sentences = [AnnotatedSentence(Sentence.from_line(line), correct) for line in lines]
    return References(Corpus(tuple(sentences)))


def test_lines_without_a_full_stop_are_no_raw_text() -> None:
    assert warn_about_input(references(LINES), [hypotheses_of_text(LINES)]) == ()


@pytest.mark.parametrize("lines", [-2, -1, 1, 2])
def test_a_system_that_is_moved_is_suspected(lines: int) -> None:
    moved = LINES[lines:] + LINES[:lines]
    with pytest.warns(RedinkWarning, match="misaligned: [56] of 6 sentences") as told:
        warn_about_input(references(LINES), [hypotheses_of_text(moved)])
    where = f"line 1 fits source line {lines % 6 + 1}"
    assert where in str(told[0].message)


REAL = {
    "conll14": ("conll14/source.txt", "conll14/systems"),
    "seeda": ("seeda/outputs/all/INPUT.txt", "seeda/outputs/all"),
    "gmeg": ("gmeg/wiki/source.txt", "gmeg/wiki"),
    "swedish": ("closest-gold/source.txt", "closest-gold/outputs"),
}
FAULTS = {
    "NTHU": "misaligned: 6 of 1312",
    "RAC": "'non - blood' for 'non-blood'|&amp;",
    "T5": "'non - blood' for 'non-blood'",
    "TemplateGEC": "'non - blood' for 'non-blood'",
    "nus": "<unk>",
    "transformer": "<unk>",
}
"""Published outputs that are really damaged, or have leftovers of their programs."""


@pytest.mark.parametrize("corpus", REAL)
def test_outputs_of_published_systems_get_no_false_alarm(corpus: str, shared: Path) -> None:
    if not shared.is_dir():
        pytest.skip("the folder of real corpora is missing")
    file, folder = (shared / "data" / name for name in REAL[corpus])
    sources = sentences(file)
    for path in sorted(folder.glob("*.txt")):
        found = [str(one) for one in check_texts(sources, {path.stem: sentences(path)})]
        found = [one for one in found if "has an empty line in" not in one]
        assert bool(found) == (path.stem in FAULTS), (path.stem, found)
        assert all(re.search(FAULTS[path.stem], one) for one in found)


def sentences(path: Path) -> list[Sentence]:
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [Sentence.from_line(line) for line in lines]
