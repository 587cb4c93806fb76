"""Slices: scores by columns of metadata, and of the sentences that match a condition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import redink
from redink.errors import DataError, OptionError, RedinkError
from redink.inputs.metadata import Metadata

SOURCES = ["This are it .", "He go home .", "They goes out .", "All is well ."] * 10
FIXED = ["This is it .", "He go home .", "They go out .", "All was well ."] * 10
LEVELS = ["A1", "B1", "A1", "B1"] * 10
YEARS = [2019, 2020, 2021, 2022] * 10
VERBS = ["1 2|||R:VERB|||is", "1 2|||R:VERB|||goes", "1 2|||R:VERB|||go", "-1 -1|||noop|||-NONE-"]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.m2"
    path.write_text(
        "".join(
            f"S {source}\nA {edit}|||REQUIRED|||-NONE-|||0\n\n"
            for source, edit in zip(SOURCES, VERBS * 10, strict=True)
        )
    )
    pairs = list(zip(LEVELS, YEARS, strict=True))
    rows = [{"level": level, "year": year} for level, year in pairs]
    (tmp_path / "meta.csv").write_text("level,year\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    (tmp_path / "meta.tsv").write_text("level\tyear\n" + "".join(f"{a}\t{b}\n" for a, b in pairs))
    (tmp_path / "meta.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    pl.DataFrame(rows).write_parquet(tmp_path / "meta.parquet")
    return path


def counts(table: redink.Table, *names: str) -> list[tuple[Any, ...]]:
    keys = (*names, "sentences", "tp", "fp", "fn") if names else ("tp", "fp", "fn")
    return [tuple(row[key] for key in keys) for row in table.rows]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_every_slice_has_its_counts(gold: Path, suffix: str) -> None:
    table = redink.score(
        gold, {"s": FIXED}, metrics="m2", metadata=gold.parent / f"meta.{suffix}", by="level"
    )
    assert counts(table, "level") == [
        (None, 40, 20, 10, 10),
        ("A1", 20, 20, 0, 0),
        ("B1", 20, 0, 10, 10),
    ]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_slices_of_two_columns_come_from_a_data_frame(gold: Path, frame: Any) -> None:
    metadata = frame({"level": LEVELS, "year": YEARS})
    table = redink.score(
        gold, {"s": FIXED}, metrics="m2", metadata=metadata, by=["level", "year"], wide=True
    )
    assert counts(table, "level", "year")[1:] == [
        ("A1", "2019", 10, 10, 0, 0),
        ("A1", "2021", 10, 10, 0, 0),
        ("B1", "2020", 10, 0, 0, 10),
        ("B1", "2022", 10, 0, 10, 0),
    ]
    assert "2022" in str(table)


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("level == 'A1'", [0, 2]),
        ("level in ('A1', 'C1') and not year < 2020", [2]),
        ("2020 <= year <= 2021 or level != 'B1'", [0, 1, 2]),
        ("`first language` == 'de'", [1, 3]),
        ("score > 0.5", [3]),
        ("score == ''", [1]),
        ("score != 0.25 and '1' in level", [1, 2, 3]),
        ("year not in [2019, 2020]", [2, 3]),
        ("good == True", [0]),
    ],
)
def test_conditions(condition: str, kept: list[int]) -> None:
    """Numbers are compared as numbers; a missing value is only equal to ''."""
    columns = {
        "level": LEVELS[:4],
        "year": YEARS[:4],
        "first language": ["fr", "de", "fr", "de"],
        "score": [0.25, None, 0.5, 1],
        "good": [True, False, False, False],
    }
    assert list(Metadata.load(columns, 4).select(condition)) == kept


@pytest.mark.parametrize(
    "condition",
    [
        *("", "level", "import os", "__import__('os')", "level.upper() == 'A'", "level is 'A1'"),
        *("level == f'{year}'", "level + 'a' == 'b'", "level == None", "(" * 500, "level = 'A1'"),
    ],
)
def test_a_condition_is_not_code(condition: str) -> None:
    with pytest.raises(OptionError, match="invalid condition"):
        Metadata.load({"level": LEVELS, "year": YEARS}, 40).select(condition)


def test_where_scores_the_sentences_of_the_slice(gold: Path) -> None:
    metadata = gold.parent / "meta.csv"
    some = redink.score(
        gold, {"s": FIXED}, metrics="m2,gleu", metadata=metadata, where="level == 'B1'"
    )
    slices = redink.score(gold, {"s": FIXED}, metrics="m2,gleu", metadata=metadata, by="level")
    by_hand = [row for row in slices.rows if row["level"] == "B1"]
    assert [row["score"] for row in some.rows] == [row["score"] for row in by_hand]
    assert "20 of 40 sentences" in some.notes[0]
    assert [row["sentence"] for row in some.sentences.rows][:3] == [2, 4, 6]


def test_slices_have_intervals_and_tests(gold: Path) -> None:
    """A1 is perfect and B1 all wrong, so both differ from all sentences; years of equal kind do."""
    metadata = {"level": LEVELS, "half": ["x"] * 20 + ["y"] * 20}
    of_level, of_half = (
        redink.score(gold, {"s": FIXED}, metrics="m2", metadata=metadata, by=by, bootstrap=200)
        for by in ("level", "half")
    )
    plain = redink.score(gold, {"s": FIXED}, metrics="m2", bootstrap=200)
    total, a1, b1 = of_level.rows
    assert (total["low"], total["high"]) == (plain[0]["low"], plain[0]["high"])
    assert (a1["low"], a1["high"], b1["low"], b1["high"]) == (1, 1, 0, 0)
    assert max(a1["p_slice"], b1["p_slice"]) < 0.001
    assert [row["p_slice"] for row in of_half.rows[1:]] == [1, 1]
    assert any(
        "differ significantly from all sentences: m2 s: A1; m2 s: B1" in n for n in of_level.notes
    )
    assert any("No slice is significantly different" in note for note in of_half.notes)


def test_slices_of_types(gold: Path) -> None:
    table = redink.score(
        gold,
        {"s": FIXED},
        metrics="errant",
        metadata={"level": LEVELS},
        by=["level", "full"],
        reference_edits="gold",
    )
    typed = {(row["level"], row["type"]): row["tp"] for row in table.rows if row["type"]}
    assert typed[None, "R:VERB:SVA"] == typed["A1", "R:VERB:SVA"] == 20
    assert "R:VERB:SVA" in str(table)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"metadata": {"level": LEVELS[:9]}, "by": "level"}, "9 rows.* 40 sentences"),
        (
            {"metadata": {"level": LEVELS}, "by": "lvl"},
            "unknown column 'lvl'; did you mean 'level'",
        ),
        ({"metadata": {"level": LEVELS}, "where": "lvl == 1"}, "unknown column 'lvl'"),
        ({"metadata": {"level": LEVELS}, "where": "level == 'C2'"}, "no sentence matches"),
        (
            {"metadata": {"level": [*LEVELS[:-1], ""]}, "by": "level"},
            "row 40 has no value.*--where",
        ),
        ({"metadata": {"system": LEVELS}, "by": "system"}, "already has a column 'system'"),
        ({"by": "level"}, "'level'.* requires --metadata"),
        ({"where": "level == 'A1'"}, "'level'.* requires --metadata"),
        ({"metadata": {"level": LEVELS}}, "metadata has no effect"),
        ({"by": ["type", "full"]}, "only one of"),
    ],
)
def test_mistakes(gold: Path, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(RedinkError, match=problem):
        redink.score(gold, {"s": FIXED}, metrics="errant", **options)


def test_documents_stay_with_their_sentences(gold: Path) -> None:
    table = redink.score(
        gold,
        {"s": FIXED},
        metrics="m2",
        metadata={"level": LEVELS},
        where="level == 'A1'",
        by=["document", "level"],
        documents=["x"] * 20 + ["y"] * 20,
    )
    assert counts(table, "document", "level")[1:] == [
        ("x", "A1", 10, 10, 0, 0),
        ("y", "A1", 10, 10, 0, 0),
    ]


# ---- named columns


def test_columns_of_one_file(gold: Path, tmp_path: Path) -> None:
    """The same scores from CSV, JSON lines, Parquet and a data frame; the rest is metadata."""
    frame = pl.DataFrame(
        {"text": SOURCES, "fixed": FIXED, "mine": FIXED, "other": SOURCES, "level": LEVELS}
    )
    frame.write_csv(tmp_path / "all.csv")
    frame.write_ndjson(tmp_path / "all.jsonl")
    frame.write_parquet(tmp_path / "all.parquet")
    tables = [
        redink.score(
            given,
            metrics="errant",
            source_column="text",
            reference_column="fixed",
            system_column=["mine", "other"],
            by="level",
        ).rows
        for given in (
            frame,
            *(tmp_path / f"all.{suffix}" for suffix in ("csv", "jsonl", "parquet")),
        )
    ]
    assert tables[0] == tables[1] == tables[2] == tables[3]
    assert [(row["system"], row["level"], row["tp"]) for row in tables[0][:2]] == [
        ("mine", None, 30),
        ("other", None, 0),
    ]


def test_columns_of_systems_and_of_a_data_frame(gold: Path, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text(
        "v1,v2\n" + "".join(f"{a},{b}\n" for a, b in zip(FIXED, SOURCES, strict=True))
    )
    table = redink.score(gold, tmp_path / "out.csv", metrics="m2", system_column=["v1", "v2"])
    assert {row["system"]: row["tp"] for row in table.rows} == {"v1": 20, "v2": 0}
    frame = pd.DataFrame(
        {"source": SOURCES, "references": [[one, one] for one in FIXED], "v1": FIXED, "L1": LEVELS}
    )
    table = redink.score(frame, metrics="errant", by="L1")
    assert counts(table, "L1")[1:] == [("A1", 20, 20, 0, 0), ("B1", 20, 10, 0, 0)]


def test_a_missing_column(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("source,reference,v1\na b,a b,a b\n")
    with pytest.raises(
        OptionError, match=r"all.csv: unknown column 'v2'; expected one of: source, reference, v1"
    ):
        redink.score(tmp_path / "all.csv", system_column="v2")
    with pytest.raises(DataError, match="row 2 has 3 in the column 'v1'; expected text"):
        redink.score(pd.DataFrame({"source": ["a"] * 2, "reference": ["a"] * 2, "v1": ["a", 3]}))
