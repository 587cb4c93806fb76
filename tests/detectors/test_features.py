"""Places, their atoms and features."""

import numpy as np
import pytest

from redink.detectors.features import (
    ATOMS,
    FEATURES,
    PREPOSITIONS,
    _head_after,
    _heads_before,
    describe_place,
    feature_keys,
    is_gap,
    is_strict_preposition,
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
    ("tags", "strict"),
    [(["TO", "VB"], False), (["TO", "NN"], True), (["RP"], False), (["IN"], True)],
)
def test_what_a_tagger_takes_for_a_preposition(tags, strict):
    assert is_strict_preposition(tags, 0) is strict


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
    assert _head_after(tags, right) == head


def test_the_heads_before():
    tags = ["PRP", "VBD", "DT", "NN", "IN"]  # she gave a book to
    assert _heads_before(tags, 4) == (1, 3, 3)
    assert _heads_before(["PRP", "VBD"], 2) == (1, -1, 1)
    assert _heads_before([], 0) == (-1, -1, -1)


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
