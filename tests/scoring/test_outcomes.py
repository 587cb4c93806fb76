"""Outcomes of edits by error type, and the tiers of error types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import OptionError

GOLD = """\
S a b c d e f
A 0 1|||R:NOUN|||x|||REQUIRED|||-NONE-|||0
A 1 3|||R:VERB:TENSE|||y|||REQUIRED|||-NONE-|||0
A 5 5|||M:DET|||z|||REQUIRED|||-NONE-|||0

S a b c
A 0 1|||R:SPELL|||x|||REQUIRED|||-NONE-|||0
"""
# The first edit is right, the second is wrong in a right place, the insertion at 4 is unnecessary,
# and so is the change of the last token; the insertion at 5 and the spelling error are missed.
SYSTEM = """\
S a b c d e f
A 0 1|||R:NOUN|||x|||REQUIRED|||-NONE-|||0
A 2 4|||R:VERB|||w|||REQUIRED|||-NONE-|||0
A 4 4|||M:DET|||the|||REQUIRED|||-NONE-|||0

S a b c
A 2 3|||R:OTHER|||d|||REQUIRED|||-NONE-|||0
"""
KINDS = ("tp", "wrong", "unnecessary", "miscorrected", "missed")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, system = tmp_path / "gold.m2", tmp_path / "system.m2"
    gold.write_text(GOLD, encoding="utf-8")
    system.write_text(SYSTEM, encoding="utf-8")
    return gold, system


def outcomes(files: tuple[Path, Path], **options: Any) -> dict[Any, tuple[float, ...]]:
    gold, system = files
    rows = redink.score(gold, {"s": system}, outcomes=True, **options).rows
    return {row["type"]: tuple(row[kind] for kind in KINDS) for row in rows}


def test_false_positives_are_wrong_or_unnecessary_and_gold_edits_miscorrected_or_missed(
    files: tuple[Path, Path],
) -> None:
    expected = {
        None: (1, 1, 2, 1, 2),
        "NOUN": (1, 0, 0, 0, 0),
        "VERB": (0, 1, 0, 0, 0),
        "VERB:TENSE": (0, 0, 0, 1, 0),
        "DET": (0, 0, 1, 0, 1),
        "OTHER": (0, 0, 1, 0, 0),
        "SPELL": (0, 0, 0, 0, 1),
    }
    assert outcomes(files, metrics=["errant"], by="type") == expected


def test_shares_are_of_gold_edits_and_of_the_edits_of_the_system(files: tuple[Path, Path]) -> None:
    gold, system = files
    (row,) = redink.score(gold, {"s": system}, metrics=["errant"], outcomes=True).rows
    shares = [row[name] for name in ("hit", "miscorrection", "under", "over")]
    assert shares == [1 / 4, 1 / 4, 2 / 4, 2 / 4]


def test_chunks_of_cleme_have_the_counts_of_the_score(files: tuple[Path, Path]) -> None:
    gold, system = files
    # The edits from 0 to 4 touch, so they are one wrong chunk of the first sentence.
    found = outcomes(files, metrics=["cleme2(weights=none)"], by="operation")
    assert found == {
        None: (0, 1, 1, 1, 2),
        "R": (0, 1, 1, 1, 1),
        "M": (0, 1, 0, 0, 1),
    }
    (row,) = redink.score(gold, {"s": system}, metrics=["cleme2"]).rows
    (weighted,) = redink.score(gold, {"s": system}, metrics=["cleme2"], outcomes=True).rows
    assert weighted["wrong"] == pytest.approx(row["fp_necessary"])
    assert weighted["unnecessary"] == pytest.approx(row["fp_unnecessary"])
    assert [weighted["missed"], weighted["under"]] == pytest.approx([row["fn"], row["under"]])
    assert weighted["over"] == pytest.approx(row["over"])


@pytest.mark.parametrize(
    "options", [{"metrics": ["gleu"]}, {"bootstrap": 9}, {"sensitivity": True}, {"by": "document"}]
)
def test_outcomes_need_edits_and_a_table_of_their_own(
    files: tuple[Path, Path], options: dict[str, Any]
) -> None:
    with pytest.raises(OptionError, match="--outcomes"):
        outcomes(files, **options)


def test_tiers_are_sums_of_types(files: tuple[Path, Path]) -> None:
    gold, system = files
    rows = redink.score(gold, {"s": system}, metrics=["errant"], by="tier").rows
    assert {row["type"]: (row["tp"], row["fp"], row["fn"]) for row in rows} == {
        None: (1, 3, 3),
        "token": (1, 3, 2),
        "token: part of speech": (1, 2, 1),
        "token: other": (0, 1, 1),
        "morphology": (0, 0, 1),
    }
