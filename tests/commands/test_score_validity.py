"""``score --validity``: false positives that judges call valid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import redink
from redink.campaign.campaign_commands import ask, create, export
from redink.model import Judgment

SOURCE = [f"a b{n} c d ." for n in range(10)]
GOLD = "".join(f"S {line}\nA 0 1|||R:OTHER|||x|||REQUIRED|||-NONE-|||0\n\n" for line in SOURCE)
SYSTEM = [f"x b{n} c y ." for n in range(10)]  # ten true positives, ten false ones (d -> y)


def judgment(number: int, label: str, judge: str = "p", **extra: str) -> Judgment:
    about = {"sentence": str(number), "start": "3", "end": "4", "correction": "y"} | extra
    return Judgment(f"s{number}.0.e2", judge, label, extra=tuple(about.items()))


def run(folder: Path, judgments: Any, **options: Any) -> redink.Table:
    (folder / "gold.m2").write_text(GOLD, "utf-8")
    return redink.score(
        folder / "gold.m2", {"sys": SYSTEM}, metrics=["errant"], validity=judgments, **options
    )


def test_share_of_valid_false_positives_moves_them(tmp_path: Path) -> None:
    """Of five judged, 3.5 are valid (one half so): 70%, so 7 of the 10 become true positives.

    With z² = 3.8415, Wilson's interval is (.7 + .38415 ∓ √(.7683 (.21 + .19207))) / 1.7683, so
    .2988 to .9274.
    """
    labels = [("right", "right"), ("right", "valid"), ("right", "right")]
    labels += [("right", "optional"), ("wrong", "wrong")]
    given = [
        judgment(n, one, j)
        for n, both in enumerate(labels)
        for j, one in zip("pq", both, strict=True)
    ]
    given.append(judgment(7, "right", start="0", end="1", correction="x"))  # a true positive
    given.append(judgment(8, "wrong", systems="other"))  # the edit of another system
    table = run(tmp_path, given)
    before, after = table.rows
    assert (before["metric"], before["tp"], before["fp"], before["fn"]) == ("errant", 10, 10, 0)
    assert after["metric"] == "errant + valid"
    assert (after["tp"], after["fp"], after["fn"], after["judged"]) == (17, 3, 0, 5)
    assert (after["precision"], after["recall"]) == (0.85, 1)
    assert after["f"] == pytest.approx(1.25 * 0.85 / (0.25 * 0.85 + 1))
    assert after["valid"] == pytest.approx(0.7)
    assert after["valid_low"] == pytest.approx(0.2988, abs=5e-5)
    assert after["valid_high"] == pytest.approx(0.9274, abs=5e-5)
    assert any("70.0% of the false positives are valid" in note for note in table.notes)
    assert run(tmp_path, None).rows == [{k: before[k] for k in run(tmp_path, None).rows[0]}]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([Judgment("s1.e1", "p", "right")], "needs the columns sentence, start"),
        ([judgment(0, "wrong")], "no label means valid"),
        ([judgment(0, "right", correction="z")], "no false positive was judged"),
    ],
)
def test_judgments_that_do_not_fit(tmp_path: Path, given: list[Judgment], problem: str) -> None:
    with pytest.raises(redink.RedinkError, match=problem):
        run(tmp_path, given)


def test_the_export_of_a_campaign_that_a_model_answered(tmp_path: Path) -> None:
    """A program that calls every edit correct makes all false positives valid."""
    for name, lines in (("source.txt", SOURCE), ("sys.txt", SYSTEM)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    (tmp_path / "yes.py").write_text(
        'print(\'{"edit1": "right", "edit2": "right", "remains": "no", "where": null}\')'
    )
    place, systems = tmp_path / "c.db", [str(tmp_path / "sys.txt")]
    create(place, systems, task="edit-validity", source=tmp_path / "source.txt")
    ask(place, endpoint=f"command:python {tmp_path}/yes.py", model="yes")
    export(place, output=tmp_path / "judgments.csv")
    after = run(tmp_path, tmp_path / "judgments.csv").rows[1]
    assert (after["judged"], after["valid"], after["tp"], after["fp"]) == (10, 1, 20, 0)
