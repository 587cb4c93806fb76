"""Values that are made quickly are as frozen as others."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from redink.errors import DataError
from redink.model import AnnotatedSentence, Annotation, Edit, Sentence


def test_values_made_quickly_behave_as_dataclasses_do() -> None:
    """Fields by position or name, defaults, checks; equal, hashed, pickled, copied, frozen."""
    edit = Edit(1, 2, correction="is", type="R:VERB:SVA")
    assert edit == Edit(1, 2, "is", "R:VERB:SVA", (), None, "REQUIRED", "-NONE-")
    sentence = AnnotatedSentence(Sentence.from_line("This are ."), (Annotation("0", (edit,)),))
    assert pickle.loads(pickle.dumps(sentence)) == sentence  # noqa: S301 (our own)
    assert hash(replace(edit, end=3)) == hash(Edit(1, 3, "is", "R:VERB:SVA"))
    assert repr(Annotation("0")) == (
        "Annotation(annotator='0', edits=(), target=None, alignments=())"
    )
    with pytest.raises(FrozenInstanceError):
        edit.start = 0  # type: ignore[misc]
    with pytest.raises(DataError, match="2:1"):
        Edit(2, 1, "")
    with pytest.raises(TypeError, match="correction"):
        Edit(1, 2)  # type: ignore[call-arg]
