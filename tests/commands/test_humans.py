"""``score --humans``: each annotator as a system, against the others."""

from __future__ import annotations

from pathlib import Path

import pytest

import redink
from redink.errors import DataError, OptionError

LINES = {
    "1": ["A 1 2|||R:X|||b|||REQUIRED|||-NONE-|||", "A 0 1|||R:X|||q|||REQUIRED|||-NONE-|||"],
    "2": ["A 1 2|||R:X|||b|||REQUIRED|||-NONE-|||"],
    "3": ["A 2 3|||R:X|||c|||REQUIRED|||-NONE-|||"],
}


def files(folder: Path) -> list[Path]:
    found = []
    for name, edits in LINES.items():
        path = folder / f"A{name}.m2"
        path.write_text("S x y z\n" + "".join(f"{e}0\n" for e in edits) + "\n", encoding="utf-8")
        found.append(path)
    return found


def test_each_annotator_is_scored_against_all_others(tmp_path: Path) -> None:
    given = files(tmp_path)
    rows = redink.score(references=given, humans=True, metrics=["errant", "m2"]).rows
    found = {(row["metric"], row["system"]): (row["tp"], row["fp"], row["fn"]) for row in rows}
    for at, name in enumerate(LINES):
        others = [path for path in given if path != given[at]]
        expected = redink.score(
            references=others, systems={"s": given[at]}, metrics=["errant", "m2"]
        ).rows
        for row in expected:
            counts = (row["tp"], row["fp"], row["fn"])
            assert found[row["metric"], f"annotator {int(name) - 1}"] == counts
    assert found["errant", "annotator 0"] == (1, 1, 0)  # by hand: the second annotator is nearest


def test_humans_need_two_annotators_and_no_systems(tmp_path: Path) -> None:
    one, two, _ = files(tmp_path)
    with pytest.raises(OptionError, match="remove the systems"):
        redink.score(one, {"s": two}, humans=True)
    with pytest.raises(DataError, match="at least two annotators"):
        redink.score(one, humans=True)


@pytest.mark.filterwarnings("ignore::redink.RedinkWarning")
@pytest.mark.slow
def test_ten_annotators_reach_the_published_mean(shared: Path) -> None:
    """Bryant and Ng (2015): the mean M2 F0.5 of a human against nine others is 72.58."""
    folder = shared / "data" / "conll14" / "annotators"
    if not folder.exists():
        pytest.skip("the annotations of Bryant and Ng are not here")
    given = [folder / f"A{number}.m2" for number in range(1, 11)]
    rows = redink.score(references=given, humans=True, metrics=["m2"]).rows
    assert sum(row["f"] for row in rows) / len(rows) == pytest.approx(0.7258, abs=0.002)
