"""SentM2 and SentERRANT: the mean of the sentences' F."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.scoring.corpora import hypotheses_of_edits, read_quietly
from tests.scoring.metric_oracles import conll14, lines_of, load

import redink
from redink.errors import OptionError
from redink.model import Hypotheses, References, Sentence
from redink.scoring.errant import Errant
from redink.scoring.m2.max_match import MaxMatch


def test_sentm2_of_seeda(shared: Path) -> None:
    """Oracle: PT-M2 with every edit weighing 1; precision, recall and F of every sentence."""
    oracle = load(shared / "oracles" / "metrics" / "sentence-means" / "seeda" / "T5.json.gz")
    gold = read_quietly(shared / "data" / "conll14" / "official-2014.combined.m2")
    lines = lines_of(shared / "data" / "seeda" / "outputs" / "all" / "T5.txt")
    hypotheses = Hypotheses("T5", tuple(map(Sentence.from_line, lines)))
    metric = MaxMatch(average="sentence")
    statistics = metric.collect(References(gold), hypotheses)
    expected = oracle["sentm2"]["self"]
    assert metric.rows(statistics)[0]["f"] == pytest.approx(expected["score"], abs=1e-12)
    found = [
        [row["precision"], row["recall"], row["f"]] for row in metric.sentence_rows(statistics)
    ]
    for ours, theirs in zip(found, expected["sentence_p_r_f"], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.slow
def test_the_printed_columns_of_seeda(shared: Path) -> None:
    """SentM2 and SentERRANT of all 15 systems, as Kobayashi et al. 2024 print them.

    SentERRANT is within a point, for it was made with another version of ERRANT and spaCy. SentM2
    is within a hundredth of a point; for REF-F with its one empty line, whose F is .3125, taken for
    right. ``test_sentm2_of_seeda`` checks the sentences of one system.
    """
    oracle = json.loads((shared / "oracles" / "seeda" / "published.json").read_text())["metrics"]
    outputs = shared / "data" / "seeda" / "outputs" / "all"
    gold = shared / "data" / "conll14" / "official-2014.combined.m2"
    metrics = ["m2(average=sentence)", "errant(average=sentence)"]
    found: dict[str, dict[str, float]] = {}
    for metric, edits in zip(metrics, ((), ("auto",)), strict=True):
        table = redink.score(
            gold,
            {name: outputs / f"{name}.txt" for name in oracle},
            metrics=[metric],
            reference_edits=edits,
        )
        found[metric] = {row["system"]: 100 * row["f"] for row in table}
    for name, printed in oracle.items():
        lines = lines_of(outputs / f"{name}.txt")
        empty = sum(not line for line in lines)
        assert empty == (name == "REF-F")
        right = found[metrics[0]][name] + 100 * empty * (1 - 0.3125) / len(lines)
        assert right == pytest.approx(printed["SentM2"], abs=0.01), name
        assert found[metrics[1]][name] == pytest.approx(printed["SentERRANT"], abs=1), name


@pytest.mark.parametrize("system", ["AMU", "INPUT"])
def test_senterrant(system: str, shared: Path) -> None:
    """Oracle: gec-metrics' mean of the sentences' F."""
    oracle = load(shared / "oracles" / "metrics" / "weighted" / f"{system}.json.gz")["errant"]
    metric = Errant(average="sentence")
    statistics = metric.collect(
        References(conll14(shared)), hypotheses_of_edits(conll14(shared, system))
    )
    expected = oracle["mean_of_sentence_f"]
    assert metric.rows(statistics)[0]["f"] == pytest.approx(expected, abs=1e-12)


def test_error_types_have_no_mean_of_sentences() -> None:
    with pytest.raises(OptionError, match="average=sentence"):
        Errant(average="sentence", by="type")
