"""``redink.compare``: system against system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.commands.score_files import SYSTEMS, write_task

import redink
from redink.commands.compare import _enough_samples
from redink.errors import OptionError, RedinkWarning

Files = dict[str, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return write_task(tmp_path)


def compare(files: Files, **options: Any) -> redink.Table:
    given = {name: files[name] for name in SYSTEMS}
    return redink.compare(files["gold"], given, **{"metrics": ["m2"], "samples": 100} | options)


def test_every_pair_with_the_better_first(files: Files) -> None:
    table = compare(files)
    pairs = [(row["system"], row["other"]) for row in table.rows]
    assert pairs == [("good", "fair"), ("good", "idle"), ("fair", "idle")]
    for row in table.rows:
        assert row["difference"] == row["score"] - row["other_score"] >= 0
        assert 0 < row["p_bootstrap"] <= row["p_bootstrap_holm"] <= 1
        assert 0 < row["p_randomization"] <= row["p_randomization_holm"] <= 1


def test_a_system_does_not_differ_from_itself(files: Files) -> None:
    table = redink.compare(
        files["gold"], {"one": files["fair"], "two": files["fair"]}, metrics=["m2"], samples=50
    )
    (row,) = table.rows
    assert (row["difference"], row["p_bootstrap"], row["p_randomization"]) == (0.0, 1.0, 1.0)
    assert row["significant"] is False


def test_one_test_alone(files: Files) -> None:
    table = compare(files, tests=["randomization"])
    assert "p_bootstrap" not in table.column_names
    assert "p_randomization_holm" in table.column_names


def test_the_same_seed_gives_the_same_table(files: Files) -> None:
    assert compare(files, seed=5) == compare(files, seed=5)


@pytest.mark.parametrize("selection", ["running", "sentence", "optimal"])
def test_real_systems(shared: Path, selection: str) -> None:
    """CAMB and AMU cannot be told apart under errant, both are better than UFC."""
    folder = shared / "oracles" / "errant-2.3.3"
    given = {name: folder / f"{name}.m2" for name in ("CAMB", "AMU", "UFC")}
    table = redink.compare(
        folder / "references.m2", given, metrics=["errant"], samples=200, selection=selection
    )
    found = {(row["system"], row["other"]): row for row in table.rows}
    assert found["CAMB", "AMU"]["significant"] is False
    assert found["CAMB", "AMU"]["p_randomization"] == pytest.approx(0.25, abs=0.1)
    assert found["CAMB", "AMU"]["p_bootstrap"] == pytest.approx(0.25, abs=0.1)
    assert found["CAMB", "UFC"]["significant"] is True
    assert found["AMU", "UFC"]["low"] > 0


def test_samples_grow_with_the_pairs(files: Files) -> None:
    table = redink.compare(
        files["gold"], {name: files[name] for name in ("good", "idle")}, metrics=["m2"]
    )
    assert table.signature["samples"] == 1000
    with pytest.warns(RedinkWarning, match="20 samples are too few for 3 pairs"):
        compare(files, samples=20)
    with pytest.warns(RedinkWarning, match=r"1,225 pairs .* 49,000 samples .* --baseline"):
        assert _enough_samples(None, 1225) == 49_000


def test_impossible_comparisons(files: Files) -> None:
    with pytest.raises(OptionError, match="at least two systems"):
        redink.compare(files["gold"], {"good": files["good"]}, metrics=["m2"])
    with pytest.raises(OptionError, match="test: unknown value 'sign'"):
        compare(files, tests=["sign"])
    with pytest.raises(OptionError, match="give at least one test"):
        compare(files, tests=[])
    with pytest.raises(OptionError, match="samples must be 2 or more"):
        compare(files, samples=1)


def test_differences_from_a_baseline_are_signed(files: Files) -> None:
    rows = compare(files, baseline="fair").rows
    assert [(row["system"], row["other"]) for row in rows] == [("good", "fair"), ("idle", "fair")]
    for row in rows:
        assert row["score"] - row["other_score"] == row["difference"]
        assert row["low"] <= row["difference"] <= row["high"]
    assert rows[0]["difference"] > 0 > rows[1]["difference"]


def test_a_baseline_changes_no_p_value_of_its_pairs(files: Files) -> None:
    every = {frozenset((row["system"], row["other"])): row for row in compare(files).rows}
    for row in compare(files, baseline="good").rows:
        same = every[frozenset((row["system"], row["other"]))]
        assert row["difference"] == -same["difference"]
        assert [row["low"], row["high"]] == pytest.approx([-same["high"], -same["low"]])
        for test in ("p_bootstrap", "p_randomization"):
            assert row[test] == same[test]
