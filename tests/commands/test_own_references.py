"""``score --reference-for``: references that belong to one system."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import redink
from redink.errors import OptionError

SOURCE = ["He go home .", "I has a dog ."]
FIXED = ["He goes home .", "I have a dog ."]
OUTPUTS = {"free": ["He walks home .", "I own a dog ."], "shy": ["He goes home .", "I has a dog ."]}
EDITED = {"free": OUTPUTS["free"], "shy": FIXED}


def counts(table: redink.Table) -> dict[tuple[object, object], tuple[object, ...]]:
    """True and false positives and negatives, by reference and system."""
    return {
        (row.get("reference"), row["system"]): (row["tp"], row["fp"], row["fn"])
        for row in table.rows
    }


FIXED_COUNTS = {("fixed", "free"): (0, 2, 2), ("fixed", "shy"): (1, 0, 1)}
OWN_COUNTS = {("own", "free"): (2, 0, 0), ("own", "shy"): (1, 0, 1)}


def test_own_references_are_next_to_the_fixed_ones() -> None:
    table = redink.score(
        source=SOURCE, references=[FIXED], systems=OUTPUTS, reference_for=EDITED, metrics="errant"
    )
    assert counts(table) == FIXED_COUNTS | OWN_COUNTS
    moved = [note for note in table.notes if "own references" in note]
    assert moved == [
        "errant: ranks that change with the systems' own references: free 2 → 1, shy 1 → 2"
    ]


def test_own_references_are_enough_for_all_systems() -> None:
    table = redink.score(source=SOURCE, systems=OUTPUTS, reference_for=EDITED, metrics="errant")
    assert counts(table) == OWN_COUNTS
    with pytest.raises(OptionError, match="'shy' has no reference"):
        redink.score(source=SOURCE, systems=OUTPUTS, reference_for={"free": EDITED["free"]})


def test_the_edits_of_a_file_are_kept_next_to_fixed_edits(tmp_path: Path) -> None:
    """An M2 file with one long edit is not extracted again."""
    gold, own = tmp_path / "gold.m2", tmp_path / "own.m2"
    text = "S He go home .\nA 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0\n"
    gold.write_text(text + "\n", encoding="utf-8")
    own.write_text(text.replace("1 2", "0 2").replace("|goes", "|He goes") + "\n", encoding="utf-8")
    table = redink.score(
        gold, {"shy": ["He goes home ."]}, reference_for={"shy": own}, metrics="errant"
    )
    assert counts(table) == {("fixed", "shy"): (1, 0, 0), ("own", "shy"): (0, 1, 1)}
    own.write_text(text.replace("home", "out") + "\n", encoding="utf-8")
    with pytest.raises(redink.RedinkError, match="source of sentence 1 differs"):
        redink.score(gold, {"shy": ["He goes home ."]}, reference_for={"shy": own})


def test_a_reference_of_an_unknown_system_is_refused() -> None:
    with pytest.raises(OptionError, match=r"--reference-for best: unknown system; .*: free, shy"):
        redink.score(
            source=SOURCE, references=[FIXED], systems=OUTPUTS, reference_for={"best": FIXED}
        )


def test_the_figures_of_the_post_edits_of_closest_gold(shared: Path) -> None:
    data = shared / "data" / "closest-gold"
    expected = json.loads((shared / "oracles/closest-gold/figures.json").read_text())["systems"]
    table = redink.score(
        source=data / "source.txt",
        references=[data / "reference.txt"],
        systems={name: data / "outputs" / f"{name}.txt" for name in expected},
        reference_for=[f"{name}={data}/postedits/{name}.txt" for name in expected],
        metrics=["errant", "m2", "gleu", "green"],
        language="sv",
    )
    assert len(table.rows) == 2 * 4 * len(expected)
    for row in table.rows:
        kind = "postedit" if row["reference"] == "own" else row["reference"]
        found = expected[row["system"]][kind]["redink"][row["metric"].partition("(")[0]]
        assert {name: row[name] for name in found} == pytest.approx(found)
