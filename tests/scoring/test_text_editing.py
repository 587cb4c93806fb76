"""SARI and exact match are those of the original programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.scoring.metric_oracles import load

import redink
from redink.errors import OptionError
from redink.scoring.specs import parse_metric

FIGURES = {
    "easse_default": "sari",
    "easse_cased_untokenised": "sari(lowercase=false,tokenizer=none)",
    "easse_lower_untokenised": "sari(tokenizer=none)",
    "easse_paper_version": "sari(use_paper_version=true)",
    "easse_deletion_precision": "sari(use_f1_for_deletion=false)",
    "xu_mean_of_sentences": "sari(program=xu)",
    "exact": "exact-match(whitespace=true)",
    "exact_blanks_normalised": "exact-match",
    "chrf": "chrf",
    "chrf++": "chrf(word_order=2)",
    "ter": "ter",
    "ter_normalised": "ter(normalized=true)",
}


def rows_by_metric(source: Any, references: Any, ours: Any, specs: Any) -> dict[str, Any]:
    table = redink.score(
        source=source, references=references, systems={"s": ours}, metrics=list(specs)
    )
    return {row["metric"]: row for row in table}


def as_proportions(name: str, figure: Any) -> dict[str, float]:
    if not isinstance(figure, dict):
        return {"score": figure}
    named = {
        "score" if key == "sari" else key: v for key, v in figure.items() if key != "signature"
    }
    return {key: value / 100 for key, value in named.items()}


@pytest.mark.filterwarnings("ignore::redink.RedinkWarning")
def test_random_corpora_as_the_original_programs(shared: Path) -> None:
    for case in load(shared / "oracles" / "text-editing" / "random-cases.json.gz")[::4]:
        texts = (case["source"], case["references"], case["hypothesis"])
        found = rows_by_metric(*texts, FIGURES.values())
        for name, spec in FIGURES.items():
            for column, value in as_proportions(name, case["figures"][name]).items():
                assert found[spec][column] == pytest.approx(value, abs=1e-12), (name, case)


def test_conll_2014_as_the_original_programs(shared: Path) -> None:
    """The corpus, and the first hundred sentences."""
    data = shared / "data" / "conll14"
    oracle = load(shared / "oracles" / "text-editing" / "conll14.json.gz")["AMU"]["two_references"]
    references = [data / "references" / f"ref{which}.txt" for which in (0, 1)]
    wanted = {
        name: spec for name, spec in FIGURES.items() if name.startswith(("easse", "xu", "ex"))
    }
    table = redink.score(
        source=data / "source.txt",
        references=references,
        systems={"AMU": data / "systems" / "AMU.txt"},
        metrics=list(wanted.values()),
    )
    found = {row["metric"]: row for row in table}
    for name, spec in wanted.items():
        for column, value in as_proportions(name, oracle[name]).items():
            assert found[spec][column] == pytest.approx(value, abs=1e-12), name
    sentences = [row["score"] for row in table.sentences if row["metric"] == "sari(program=xu)"]
    assert sentences[:100] == pytest.approx([one["xu"] for one in oracle["sentences"]], abs=1e-12)


@pytest.mark.parametrize("program", ["easse", "xu"])
def test_sari_by_hand(program: str) -> None:
    """One word is replaced as in the reference: no bigram is kept, and there is no trigram."""
    (row,) = rows_by_metric(["a b"], [["a c"]], ["a c"], [f"sari(program={program})"]).values()
    assert (row["add"], row["keep"], row["delete"]) == (0.5, 0.25, 0.5)
    assert row["score"] == pytest.approx(1.25 / 3)


def test_exact_match_and_whitespace() -> None:
    ours, right = ["a  b", "a B", "a b", ""], [["a b", "a b", "x", "y"], ["x", "x", "a b", ""]]
    found = rows_by_metric(["a b"] * 4, right, ours, ["exact-match", "exact-match(whitespace)"])
    assert [row["score"] for row in found.values()] == [0.75, 0.5]


def test_xus_program_has_no_options() -> None:
    with pytest.raises(OptionError, match="program=xu cannot be combined with lowercase"):
        parse_metric("sari(program=xu,lowercase=false)")
