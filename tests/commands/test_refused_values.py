"""Values given in Python that say nothing, or not what is asked: the whole sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import RedinkError
from redink.model import Corpus, Judgment

EXAMPLE = Path(redink.__file__).parent / "examples"
GOLD, SOURCE, RANKINGS = (EXAMPLE / name for name in ("gold.m2", "source.txt", "rankings.xml"))
SCORES = {"m": {"careful": 1.0, "eager": 2.0, "speller": 3.0}}

REFUSED: dict[str, Callable[[], Any]] = {
    "missing hypothesis: give at least one": lambda: redink.align(SOURCE, []),
    "there are no judgments": lambda: redink.agreement([]),
    "--show edits needs a corpus (M2, JSONL), not judgments": (
        lambda: redink.agreement([Judgment("1", "a", "x")], show="edits")
    ),
    "--benchmark needs a folder instead of the judgments": (
        lambda: redink.meta([], benchmark="seeda")
    ),
    "system 'a' must be text, so that judges can read it": (
        lambda: redink.plan_items({"a": GOLD, "b": SOURCE})
    ),
    "there are no sentences to score": lambda: redink.score(Corpus(()), {"a": ["b"]}),
    "a\\x00.m2: invalid file name": lambda: redink.convert(GOLD, "a\0.m2"),
}


@pytest.mark.parametrize("sentence", list(REFUSED))
def test_values_that_are_refused(sentence: str) -> None:
    with pytest.raises(RedinkError, match=f"^{re.escape(sentence)}$"):
        REFUSED[sentence]()


def test_scores_of_systems_by_name() -> None:
    rows = redink.meta(RANKINGS, SCORES, bootstrap=2).rows
    assert {row["metric"] for row in rows} == {"m"}
