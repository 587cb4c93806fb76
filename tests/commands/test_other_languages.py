"""Files in other languages: read, scored and measured as their own programs do."""

from __future__ import annotations

import gzip
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.errors import RedinkWarning
from redink.inputs import read_corpus


@pytest.fixture(scope="module")
def languages(shared: Path) -> Path:
    """Data and oracles in other languages."""
    return shared / "oracles" / "languages"


def flag_all(path: Path, flag: str, made: Path) -> Path:
    text = gzip.decompress(path.read_bytes()).decode()
    made.write_text(re.sub(r"\t[ci]$", f"\t{flag}", text, flags=re.MULTILINE), encoding="utf-8")
    return made


def test_multiged_as_its_own_program(languages: Path, tmp_path: Path) -> None:
    """Counts, precision, recall and F of three languages and four systems, digit for digit."""
    folder = languages / "ged"
    for case in json.loads((folder / "eval.json").read_text(encoding="utf-8")):
        reference = folder / f"{case['language']}.reference.tsv.gz"
        if case["options"] or case["language"] in {"de", "en"}:
            continue  # F1 is another formula over the same counts; the larger files take long
        system = folder / f"{case['language']}.{case['system']}.tsv.gz"
        if case["system"] in {"silent", "everything"}:
            flag = "c" if case["system"] == "silent" else "i"
            system = flag_all(reference, flag, tmp_path / "made.tsv")
        (row,) = redink.detection(reference, {"system": system}, undefined="one").rows
        figures = [row[name] for name in ("tp", "fp", "fn")]
        figures += [round(row[name], 4) for name in ("precision", "recall", "f")]
        assert "\t".join(map(str, figures)) in case["printed"], case


def test_a_share_of_nothing_is_empty_unless_asked_for() -> None:
    """By default an undefined precision is empty; as in published scorers it is 1."""
    counts = (0, 0, 5, 10)
    assert redink.detection(from_counts=counts)["precision"] == [None]
    assert redink.detection(from_counts=counts, undefined="one")["precision"] == [1.0]


@pytest.mark.parametrize("language", ["uk", "et"])
def test_the_m2_scorer_on_other_languages(language: str, languages: Path) -> None:
    folder = languages / "m2scorer"
    for case in json.loads((folder / "printed.json").read_text(encoding="utf-8")):
        if case["language"] != language or not case["scorer"].startswith("m2scorer"):
            continue
        name, *value = case["options"] or ("--beta", "0.5")
        kind = {"--beta": float, "--max_unchanged_words": int}.get(name, bool)
        options = {name.removeprefix("--"): kind(*value) if value else True}
        (row,) = redink.score(
            folder / f"{language}.gold.m2.gz",
            {"system": folder / f"{language}.{case['system']}.txt.gz"},
            metrics=["m2"],
            **options,
        ).rows
        shown = [f"{row[name]:.4f}" for name in ("precision", "recall", "f")]
        assert shown == re.findall(r": (\d\.\d{4})", case["printed"]), case["options"]


def test_gold_is_read(languages: Path) -> None:
    """M2 of seven corpora; what is odd in them is told as it is, and nothing else."""
    told = re.compile(
        r"kept unchanged: |edits that begin and end after the end of their sentence.*: 3$"
    )
    paths = sorted((languages / "gold").glob("*.m2*"))
    assert len(paths) == 9
    for path in paths:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RedinkWarning)
            assert len(read_corpus(path)) > 3
        assert all(told.search(str(warning.message)) for warning in caught), path


@pytest.mark.parametrize("metric", ["m2", "gleu", "green", "imeasure", "cleme", "errant"])
def test_metrics_on_turkish(metric: str, languages: Path) -> None:
    gold = languages / "gold" / "tr-errant.human.m2.gz"
    rows = redink.score(gold, {"own": gold}, metrics=[metric]).rows
    assert all(row.get("f", row.get("score")) == pytest.approx(1.0, abs=0.02) for row in rows)


def test_a_metric_says_which_language_it_knows(tmp_path: Path) -> None:
    """METEOR's stems and synonyms are English: said where the text is not, or seems not to be."""
    lines = ["Das ist ein ganz normaler deutscher Satz , den niemand verbessern muss ."] * 3
    apart: dict[str, Any] = {"source": lines, "references": [lines], "systems": {"x": lines}}
    with pytest.warns(RedinkWarning, match="not in the English dictionary"):
        redink.score(**apart, metrics=["meteor"])
    english = ["This is quite a normal sentence in English , and nobody has to mend it ."] * 3
    apart = {"source": english, "references": [english], "systems": {"x": english}}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RedinkWarning)
        redink.score(**apart, metrics=["meteor"])
