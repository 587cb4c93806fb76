"""The rules of the versions of ERRANT that people compare against."""

from __future__ import annotations

import pytest

import redink
from redink.analysis.annotation_options import AnnotationOptions, AnnotationResources
from redink.errors import OptionError

PAIR = ("I like the another house .", "I like the other house .")


def types(**options: str) -> list[str]:
    return [edit.type for edit in redink.annotate(*PAIR, **options)]  # type: ignore[arg-type]


def test_versions_differ_where_their_rules_do() -> None:
    """2.0.0 has no rule for other and another; 2.3.3 and 3.0.2 have the same rules."""
    assert types() == types(errant_version="3.0.2") == types(errant_version="2.3.3") == ["R:DET"]
    assert types(errant_version="2.0.0") == ["R:OTHER"]


def test_what_follows_a_longer_verb_is_cut_off() -> None:
    """2.0.0 takes auxiliaries for a class of their own; the verb behind them is another edit."""
    pair = ("The tools were enhanced .", "The tools have been improved .")
    found = [redink.annotate(*pair, errant_version=rules) for rules in ("2.0.0", "3.0.2")]  # type: ignore[arg-type]
    corrections = [[edit.correction for edit in edits] for edits in found]
    assert corrections == [["have been", "improved"], ["have been improved"]]


def test_the_signature_says_which_version() -> None:
    assert "rules" not in AnnotationOptions().signature("annotate")
    assert AnnotationOptions(errant_version="2.3.3").signature("annotate")["rules"] == "2.3.3"
    assert (
        AnnotationResources(errant_version="2.0.0").annotating.signature("score")["rules"]
        == "2.0.0"
    )
    table = redink.score(
        source=[PAIR[0]],
        references=[[PAIR[1]]],
        systems={"mine": [PAIR[1]]},
        metrics=["errant"],
        by="full",
        errant_version="2.0.0",
    )
    assert table.signature["rules"] == "2.0.0"
    assert table["type"] == [None, "R:OTHER"]


def test_old_rules_are_english_and_as_they_were() -> None:
    """Another language has no versions of ERRANT, and old faults stay."""
    with pytest.raises(OptionError, match="works only with --language en"):
        AnnotationOptions(errant_version="2.3.3", language="zh").load()
    with pytest.raises(OptionError, match="--fixed cannot be combined"):
        AnnotationOptions(errant_version="2.0.0", fixed=True).load()
    with pytest.raises(OptionError, match=r"errant-version: unknown value .2\.1."):
        AnnotationOptions(errant_version="2.1")  # type: ignore[arg-type]
