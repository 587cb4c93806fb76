"""The over-correction profile."""

from __future__ import annotations

from pathlib import Path

import pytest

import redink

GOLD = """S a b c d
A 1 2|||R:X|||x|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S e f
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S g h i j
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 4 4|||M:X|||k|||REQUIRED|||-NONE-|||1

"""
SYSTEM = """S a b c d
A 1 2|||R:X|||x|||REQUIRED|||-NONE-|||0
A 2 3|||R:X|||y|||REQUIRED|||-NONE-|||0

S e f
A 1 2|||U:X||||||REQUIRED|||-NONE-|||0

S g h i j
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""


def test_profile_by_hand(tmp_path: Path) -> None:
    """Only the second sentence is correct for every annotator; annotator 1 did not read it."""
    paths = [tmp_path / name for name in ("gold.m2", "s.m2")]
    for path, text in zip(paths, (GOLD, SYSTEM), strict=True):
        path.write_text(text, encoding="utf-8")
    system, zero, one = redink.profile(paths[0], paths[1]).rows
    assert (system["system"], system["sentences"], system["correct"]) == ("s", 3, 1)
    names = ("changed", "touched", "edits", "edits_per_100", "beyond", "length_change")
    assert [system[name] for name in names] == [2 / 3, 1, 3, pytest.approx(30), 2 / 3, -0.1]
    # annotator 1 leaves the first sentence unchanged, and did not read the second one
    assert [zero[name] for name in names] == [1 / 3, 1, 1, pytest.approx(10), 1, 0]
    assert (one["sentences"], one["correct"], one["beyond"]) == (2, 1, 1)
    assert one["length_change"] == 1 / 8
    bounds = redink.profile(paths[0], paths[1], bootstrap=200).rows[0]
    assert bounds["changed_low"] < bounds["changed"] < bounds["changed_high"] <= 1
    assert (bounds["touched_low"], bounds["touched_high"]) == (1, 1)
