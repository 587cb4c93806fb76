"""An empty line in a reference text: a deleted sentence, or an annotator who is absent."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from tests.inputs.damage import EXAMPLES, read

import redink
from redink.errors import OptionError, RedinkWarning

SOURCE, FIRST, SECOND = map(read, ("source.txt", "reference-a.txt", "reference-b.txt"))
GAPS = [5, 17, 40]
HOLED = ["" if number in GAPS else line for number, line in enumerate(SECOND)]
SYSTEMS = {"eager": read("eager.txt")}
METRICS = ["errant", "gleu", "m2"]


def scores(**given: Any) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        return list(redink.score(systems=SYSTEMS, metrics=METRICS, source=SOURCE, **given).rows)


def test_an_absent_annotator_does_not_count() -> None:
    alone = scores(references=[FIRST])
    both = scores(references=[FIRST, [""] * len(SOURCE)], empty_reference="skip")
    for row, expected in zip(both, alone, strict=True):
        assert row == pytest.approx(expected)


def test_the_order_of_the_references_does_not_matter() -> None:
    counted = [
        scores(references=some, empty_reference="skip")[0]
        for some in ([FIRST, HOLED], [HOLED, FIRST])
    ]
    assert counted[0] == counted[1]


def test_by_default_the_sentence_is_deleted_with_a_warning() -> None:
    with pytest.warns(
        RedinkWarning, match=r"reference '1' has an empty line in 3 of 64.*line 6.*skip"
    ):
        deleted = redink.score(source=SOURCE, references=[HOLED], systems=SYSTEMS, metrics="errant")
    assert deleted.rows[0]["fn"] > scores(references=[SECOND])[0]["fn"]


def test_a_sentence_without_any_reference_is_taken_to_be_right() -> None:
    given: dict[str, Any] = {"source": SOURCE, "systems": {"source": SOURCE}, "metrics": "errant"}
    with pytest.warns(RedinkWarning, match=r"no text for 3 sentences \(first: line 6\)"):
        skipped = redink.score(references=[HOLED], empty_reference="skip", **given)
    filled = [SOURCE[n] if n in GAPS else line for n, line in enumerate(SECOND)]
    right = redink.score(references=[filled], **given)
    assert skipped.rows == right.rows
    assert skipped.signature["empty_reference"] == "skip"
    assert "empty_reference" not in right.signature


def test_edits_have_no_empty_lines() -> None:
    with pytest.raises(OptionError, match="--empty-reference requires reference texts"):
        redink.score(EXAMPLES / "gold.m2", SYSTEMS, empty_reference="skip")
