"""Every system against every other one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.judging.ranking_cases import make_ranking

from redink.inputs import read_rankings
from redink.judging.rankings import expand, head_to_head, tally

MARKS = {"": "", "$\\star$": "★", "$\\dagger$": "†", "$\\ddagger$": "‡"}


def test_shares_and_sign_test_by_hand() -> None:
    """Eight wins to two: p = 2 * 56 / 1024; ties are counted and left out."""
    texts = ["A B"] * 8 + ["B A"] * 2 + ["A=B"] * 5
    found = {e.system: e for e in head_to_head(tally(expand([make_ranking(t) for t in texts])))}
    a = found["A"]
    assert (a.wins, a.losses, a.ties, a.share) == (8, 2, 5, 0.8)
    assert a.p == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert a.stars == ""
    assert found["B"].share == pytest.approx(0.2)


@pytest.mark.parametrize(("wins", "mark"), [(4, ""), (5, "★"), (6, "†"), (8, "‡")])
def test_marks(wins: int, mark: str) -> None:
    """All won: 4 p = .125, 5 p = .0625, 6 p = .031, 8 p = .008."""
    first, _ = head_to_head(tally(expand([make_ranking("A B")] * wins)))
    assert first.stars == mark


def test_pair_without_a_winner_has_no_share() -> None:
    """Neither zero nor a half."""
    first, _ = head_to_head(tally(expand([make_ranking("A=B")])))
    assert (first.share, first.p, first.stars) == (None, None, "")


def test_table_3d(shared: Path) -> None:
    """Every cell of the published matrix with its mark of significance."""
    text = (shared / "oracles/human/head-to-head.tex").read_text()
    names = re.findall(r"rotatebox\[origin=l\]\{90\}\{(\w+)\}", text)
    whole = tally(expand(read_rankings(shared / "data/gjg15/judgments.xml")))
    ours = {(e.opponent, e.system): e for e in head_to_head(whole)}
    checked = 0
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.removesuffix("\\\\ ").split("&")]
        if cells[0] not in names or len(cells) != len(names) + 1:
            continue
        for column, cell in zip(names, cells[1:], strict=True):
            if column == cells[0]:
                continue
            printed = re.search(r"(\.\d\d)\s*\}?\s*(\$\S+\$)?", cell)
            assert printed
            encounter = ours[cells[0], column]
            assert encounter.share is not None
            assert f"{encounter.share:.2f}".removeprefix("0") == printed[1], (cells[0], column)
            assert encounter.stars == MARKS[printed[2] or ""], (cells[0], column)
            checked += 1
    assert checked == 13 * 12
