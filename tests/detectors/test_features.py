"""Places, their atoms and features."""

import numpy as np
import pytest

from redink.analysis.english.phrases import (
    find_head_after,
    find_heads_before,
    is_strict_preposition,
)
from redink.detectors.features import (
    ATOMS,
    FEATURES,
    PREPOSITIONS,
    describe_place,
    feature_keys,
    is_gap,
    preposition_at,
)


def test_there_are_34_prepositions_and_25_features():
    assert len(set(PREPOSITIONS)) == 34
    assert len(FEATURES) == 25
    assert {atom for atoms in FEATURES.values() for atom in atoms} == set(ATOMS)
    assert len(describe_place(["in"], ["IN"], ["in"], 0, 1)) == len(ATOMS)


def test_every_occurrence_counts_and_spellings_are_joined():
    assert preposition_at(["towards"], 0) == PREPOSITIONS.index("toward")
    assert preposition_at(["of"], 0) == PREPOSITIONS.index("of")
    assert preposition_at(["house"], 0) is None


@pytest.mark.parametrize(
    ("text", "tags", "strict"),
    [
        ("to go", "TO VB", False),
        ("to Rome", "TO NNP", True),
        ("up", "RP", False),
        ("in", "IN", True),
        ("that he left", "IN PRP VBD", False),
        ("since he left", "IN PRP VBD", False),
        ("since the old war began", "IN DT JJ NN VBD", False),
        ("since the war", "IN DT NN", True),
        ("as expected", "IN VBN", False),
        ("as if", "IN IN", False),
        ("before leaving", "IN VBG", True),
        ("for he left", "IN PRP VBD", False),
        ("for the man left", "IN DT NN VBD", True),
        ("of he left", "IN PRP VBD", True),
    ],
)
def test_particles_infinitives_and_conjunctions_are_not_prepositions(text, tags, strict):
    assert is_strict_preposition(text.split(), tags.split(), 0) is strict


def test_a_gap_lies_between_a_governor_and_a_phrase():
    tags = ["PRP", "VBD", "DT", "NN"]
    assert is_gap(tags, 2)
    assert not is_gap(tags, 3)
    assert not is_gap(tags, 0)


@pytest.mark.parametrize(
    ("tags", "right", "head"),
    [
        (["DT", "JJ", "NN", "IN"], 0, 2),  # the old house of
        (["DT", "NN", "POS", "NNS"], 0, 3),  # the king 's men
        (["PRP", "VBD"], 0, 0),  # him
        (["CD"], 0, 0),  # 1914
        ([","], 0, -1),
    ],
)
def test_the_head_of_the_phrase_after(tags, right, head):
    assert find_head_after(tags, right) == head


def test_thefind_heads_before():
    tags = ["PRP", "VBD", "DT", "NN", "IN"]  # she gave a book to
    assert find_heads_before(tags, 4) == (1, 3, 3)
    assert find_heads_before(["PRP", "VBD"], 2) == (1, -1, 1)
    assert find_heads_before([], 0) == (-1, -1, -1)


@pytest.mark.parametrize(
    ("tags", "governor"),
    [
        ("PRP VBP RB RB", 1),  # they depend very heavily on
        ("PRP VBZ JJ RB", 2),  # he is good enough for
        ("RB", 0),  # apart from
        ("PRP VBD , RB ,", 1),  # he spoke, however, in
    ],
)
def test_adverbs_are_skipped_for_the_governor(tags, governor):
    assert find_heads_before(tags.split(), len(tags.split()))[2] == governor


def test_a_place_reads_the_same_with_and_without_its_preposition():
    with_word = describe_place(
        ["we", "met", "on", "monday"],
        ["PRP", "VBD", "IN", "NNP"],
        ["we", "meet", "on", "monday"],
        2,
        3,
    )
    without = describe_place(
        ["we", "met", "monday"], ["PRP", "VBD", "NNP"], ["we", "meet", "monday"], 2, 2
    )
    assert with_word == without


def test_features_differ_by_name_and_by_value():
    atoms = np.ones((1, len(ATOMS)), np.uint32)
    assert len(np.unique(feature_keys(atoms))) == len(FEATURES)
    other = atoms.copy()
    other[0, ATOMS.index("head")] = 2
    changed = (feature_keys(atoms) != feature_keys(other))[0]
    named = {name for name, atoms_of in FEATURES.items() if "head" in atoms_of}
    assert {name for name, c in zip(FEATURES, changed, strict=True) if c} == named
