"""The error types: all of them, described, and each example true."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.write_error_types import write_page

from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.english import ENGLISH
from redink.analysis.language import ErrorType, Operation
from redink.model import Sentence

PAGE = Path(__file__).parents[2] / "docs" / "error-types.md"
EXAMPLES = [
    (error_type, operation)
    for error_type in ENGLISH.error_types
    for operation in error_type.examples
]


def test_number_of_types() -> None:
    """There are 25 types and 55 combinations with operations with distinct descriptions."""
    assert len(ENGLISH.error_types) == 25
    assert len(ENGLISH.describe_types()) == len(set(ENGLISH.describe_types().values())) == 55


@pytest.mark.parametrize(
    ("error_type", "operation"), EXAMPLES, ids=[f"{o}:{t.name}" for t, o in EXAMPLES]
)
def test_example_is_true(error_type: ErrorType, operation: Operation) -> None:
    source, corrected = error_type.examples[operation]
    found = annotate_texts(
        [Sentence.from_line(source)],
        {"example": [Sentence.from_line(corrected)]},
        annotation_options=AnnotationOptions(),
    )
    types = [edit.type for edit in found["example"][0].edits]
    assert types == [f"{operation}:{error_type.name}"]


def test_page_is_up_to_date() -> None:
    """docs/error-types.md is what `python docs/write_error_types.py` writes."""
    assert PAGE.read_text(encoding="utf-8") == write_page()
