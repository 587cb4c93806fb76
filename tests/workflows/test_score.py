"""``redink.score``: every system under every metric."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.workflows.score_files import SYSTEMS, write_task

import redink
from redink.errors import DataError, OptionError, RedinkWarning
from redink.progress import watched_by
from redink.scoring.specs import parse_metric

Files = dict[str, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return write_task(tmp_path)


def systems(files: Files, *names: str) -> dict[str, Path]:
    return {name: files[name] for name in names or SYSTEMS}


def by_system(table: redink.Table, metric: str) -> dict[str, dict[str, Any]]:
    return {
        row["system"]: row for row in table.rows if row["metric"] == metric and row["type"] is None
    }


def test_text_is_annotated_and_edits_are_taken_as_they_are(files: Files) -> None:
    """A system given as text is annotated first; one given as M2 is scored by its own edits."""
    table = redink.score(files["gold"], systems(files, "good", "edits"), metrics=["errant"])
    rows = by_system(table, "errant")
    assert (rows["good"]["tp"], rows["good"]["fp"], rows["good"]["fn"]) == (4, 0, 0)
    assert (rows["edits"]["tp"], rows["edits"]["fp"], rows["edits"]["fn"]) == (2, 1, 1)
    assert table.signature["analyser"] == "embedded"


def test_rows_are_those_of_the_contract(files: Files) -> None:
    """JSON rows have the promised columns first, rates are proportions, intervals on request."""
    table = redink.score(files["gold"], systems(files), metrics=["errant", "m2"], bootstrap=20)
    assert table.column_names[:9] == [
        "system",
        "metric",
        "type",
        "tp",
        "fp",
        "fn",
        "precision",
        "recall",
        "f",
    ]
    assert table.column_names[9:11] == ["low", "high"]
    for row in table.to_dict()["rows"]:
        assert 0 <= row["low"] <= row["high"] <= 1
        assert 0 <= row["f"] <= 1


def test_best_first_with_ranks(files: Files) -> None:
    """Within a metric the best system comes first, and ranks say so."""
    table = redink.score(files["gold"], systems(files), metrics=["m2"])
    assert [(row["system"], row["rank"]) for row in table.rows] == [
        ("good", 1),
        ("fair", 2),
        ("idle", 3),
    ]


def test_the_same_seed_gives_the_same_table(files: Files) -> None:
    """Intervals depend on the seed and on nothing else."""

    def run(seed: int) -> dict[str, Any]:
        given = systems(files)
        return redink.score(files["gold"], given, metrics=["m2"], bootstrap=50, seed=seed).to_dict()

    assert run(3) == run(3)
    assert run(3)["rows"] != run(4)["rows"]
    assert run(3)["signature"]["seed"] == 3


def test_intervals_hold_the_score_and_groups_tell_systems_apart(shared: Path) -> None:
    """On real systems the interval surrounds the score, and letters follow the paired test."""
    folder = shared / "oracles" / "errant-2.3.3"
    given = {name: folder / f"{name}.m2" for name in ("CAMB", "AMU", "UFC")}
    table = redink.score(
        folder / "references.m2", given, metrics=["errant"], bootstrap=200, selection="sentence"
    )
    for row in table.rows:
        assert row["low"] < row["f"] < row["high"]
    assert [row["group"] for row in table.rows] == ["a", "a", "b"]


def test_by_type(files: Files) -> None:
    """A row for every type; true positives and misses add up to the whole."""
    table = redink.score(files["gold"], systems(files, "fair"), metrics=["errant"], by="type")
    whole, *types = table.rows
    assert whole["type"] is None
    assert {row["type"] for row in types} >= {"VERB:SVA", "NOUN:NUM"}
    for count in ("tp", "fp", "fn"):
        assert sum(row[count] for row in types) == whole[count]


def test_m2_by_type_has_recall_only(files: Files) -> None:
    """A false positive of MaxMatch has no type: the rows say so, and so does a note."""
    table = redink.score(files["gold"], systems(files, "fair"), metrics=["m2"], by="full")
    typed = [row for row in table.rows if row["type"] is not None]
    assert typed
    assert all(row["fp"] is None and row["precision"] is None for row in typed)
    assert any("no error type" in note for note in table.notes)


def test_reference_texts(files: Files, tmp_path: Path) -> None:
    """References given as text are annotated like systems, one annotator for each file."""
    table = redink.score(
        [files["good"], files["idle"]],
        systems(files, "good", "fair"),
        source=files["source"],
        metrics=["errant", "m2"],
    )
    rows = by_system(table, "errant")
    assert rows["good"]["f"] == 1.0
    assert rows["fair"]["f"] < 1.0


def test_gold_and_automatic_reference_edits(files: Files) -> None:
    """Both kinds of reference edits can be had in one table."""
    table = redink.score(
        files["gold"],
        systems(files, "good"),
        metrics=["errant"],
        reference_edits=["gold", "auto"],
    )
    assert [row["reference_edits"] for row in table.rows] == ["gold", "auto"]
    assert table.signature["reference_edits"] == ["gold", "auto"]


def test_sentences_are_written_with_verdicts(files: Files, tmp_path: Path) -> None:
    """One JSON object for each sentence of each system under each metric."""
    target = tmp_path / "sentences.jsonl"
    redink.score(files["gold"], systems(files, "fair"), metrics=["errant", "m2"], sentences=target)
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert len(rows) == 2 * 4
    first = rows[0]
    assert (first["sentence"], first["system"], first["metric"]) == (1, "fair", "errant")
    assert (first["tp"], first["f"], first["annotator"]) == (1, 1.0, "0")
    assert first["edits"] == [
        {"verdict": "TP", "start": 1, "end": 2, "correction": "is", "type": "R:VERB:SVA"}
    ]
    last = rows[-1]
    assert last["metric"] == "m2"
    assert {edit["verdict"] for edit in last["edits"]} == {"FP", "FN"}


def test_sensitivity_shows_every_selection(files: Files) -> None:
    """F under each way to choose; the optimal one is never lower than the others."""
    table = redink.score(files["gold"], systems(files), metrics=["errant", "m2"], sensitivity=True)
    assert [row["metric"] for row in table] == ["errant"] * 3 + ["m2"] * 3
    assert [row["system"] for row in table] == ["good", "fair", "idle"] * 2
    assert [row["rank_optimal"] for row in table] == [1, 2, 3] * 2
    for row in table.rows:
        assert row["optimal"] >= max(row["running"], row["sentence"]) - 1e-12
        assert row["order_low"] <= row["order_high"] <= row["optimal"] + 1e-12
        assert row["spread"] == pytest.approx(row["optimal"] - min(row["running"], row["sentence"]))


def test_a_plot_is_drawn(files: Files, tmp_path: Path) -> None:
    """With a plot asked for, a picture appears: a forest, or with types a heat map."""
    for name, by in (("forest.svg", None), ("heat.svg", "type")):
        target = tmp_path / name
        redink.score(files["gold"], systems(files), metrics=["errant"], by=by, plot=target)
        text = target.read_text(encoding="utf-8")
        assert all(f">{system}<" in text for system in ("good", "fair", "idle"))
        assert (">VERB:SVA  1<" in text) == (by is not None)


def test_progress_is_told(files: Files) -> None:
    """Long work tells how far it is, and ends at its end."""
    told: list[tuple[str, int, int | None]] = []
    with watched_by(lambda *stage: told.append(stage)):
        redink.score(files["gold"], systems(files), metrics=["m2"], bootstrap=5)
    assert ("m2: good", 0, 3) in told
    assert ("scored", 3, 3) in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["rouge"]}, "no metric 'rouge'"),
        ({"metrics": ["errant"], "mix": True}, "mix has no meaning for errant"),
        ({"metrics": ["m2"], "bootstrap": 1}, "bootstrap must be 2 or more"),
        ({"metrics": ["m2"], "reference_edits": "silver"}, "gold"),
        ({"metrics": ["m2"], "plot": "scores.doc"}, ".png"),
        ({"metrics": ["m2"], "sensitivity": True, "reference_edits": ["gold", "auto"]}, "one kind"),
    ],
)
def test_impossible_options(files: Files, options: dict[str, Any], message: str) -> None:
    """What cannot be done is refused before any work, in one sentence."""
    with pytest.raises(OptionError, match=message):
        redink.score(files["gold"], systems(files), **options)


def test_files_that_do_not_fit(files: Files, tmp_path: Path) -> None:
    """Systems of another length or another source, and plain text as gold, are refused."""
    short = tmp_path / "short.txt"
    short.write_text("One line .\n")
    with pytest.raises(DataError, match="has 1 sentences, the reference has 4"):
        redink.score(files["gold"], [short], metrics=["m2"])
    other = tmp_path / "other.m2"
    other.write_text(files["edits"].read_text().replace("wrong sentence", "right sentence"))
    with pytest.raises(DataError, match="sentence 1 of system 'other'"):
        redink.score(files["gold"], [other], metrics=["m2"])
    with pytest.raises(DataError, match="--source FILE --reference FILE"):
        redink.score(files["source"], systems(files), metrics=["m2"])
    with pytest.raises(OptionError, match="no system"):
        redink.score(files["gold"], {}, metrics=["m2"])


def caught(files: Files, **given: Path) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", RedinkWarning)
        redink.score(files["gold"], given, metrics=["m2"])
    return [str(warning.message) for warning in found]


def test_a_shifted_system_is_suspected(files: Files, tmp_path: Path) -> None:
    """A system whose lines belong to their neighbours is pointed out, with a line."""
    lines = SYSTEMS["good"].splitlines()
    shifted = tmp_path / "shifted.txt"
    shifted.write_text("\n".join([*lines[1:], lines[0]]) + "\n")
    (message,) = caught(files, shifted=shifted)
    assert "misaligned" in message
    assert "line 1 is near source line 2" in message


def test_a_foreign_system_is_suspected(files: Files, tmp_path: Path) -> None:
    """A system that has nothing in common with the source is pointed out."""
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("Quite other words stand there .\n" * 4)
    (message,) = caught(files, foreign=foreign)
    assert "another source" in message


def test_untokenised_text_is_suspected(files: Files, tmp_path: Path) -> None:
    """Full stops that stick to words are pointed out."""
    raw = tmp_path / "raw.txt"
    raw.write_text(SYSTEMS["good"].replace(" .", "."))
    assert any("system 'raw' seems untokenised" in message for message in caught(files, raw=raw))
    raw.write_text(SYSTEMS["good"].replace(" .", ".", 1))
    assert caught(files, raw=raw) == []  # a slip
    raw.write_text(SYSTEMS["good"].replace(" .", ""))
    assert caught(files, raw=raw) == []  # no full stops


def test_a_missing_noop_is_suspected(files: Files) -> None:
    """An annotator who has no line is taken to agree; said once, whatever the metrics."""
    text = files["gold"].read_text()
    noop = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
    files["gold"].write_text(text.replace(noop, ""))
    (message,) = caught(files, good=files["good"])
    assert "annotator 1 has no line in 1 sentence" in message
    assert "taken to agree with the first annotator there" in message
    with pytest.warns(RedinkWarning):
        table = redink.score(files["gold"], systems(files, "good"))
    assert sum("has no line" in note or "missing" in note for note in table.notes) == 1


def test_references_of_another_inventory_are_typed_again(files: Files) -> None:
    """By type, no type is shown that a system cannot have; the overall figures stay the same."""
    text = files["gold"].read_text()
    for ours in ("R:VERB:SVA", "R:DET", "R:VERB:TENSE", "U:DET", "R:VERB", "R:NOUN:NUM"):
        text = text.replace(f"|||{ours}|||", "|||Wform|||")
    files["gold"].write_text(text)
    given = systems(files, "good")
    plain = redink.score(files["gold"], given, metrics=["errant"])
    assert any("--reference-edits auto" in note for note in plain.notes)
    table = redink.score(files["gold"], given, metrics=["errant"], by="type")
    assert "Wform" not in table["type"]
    assert any("typed again by the systems' analyser" in note for note in table.notes)
    for name in ("tp", "fp", "fn", "f"):
        assert table.rows[0][name] == plain.rows[0][name]
    again = redink.score(
        files["gold"], given, metrics=["errant"], by="type", reference_edits="gold"
    )
    assert not again.notes


def test_good_files_raise_no_suspicion(files: Files) -> None:
    """On files that fit there is nothing to warn of."""
    assert caught(files, **systems(files)) == []


def test_values_instead_of_paths(files: Files) -> None:
    """A corpus and outputs that are read already give the same table, signature included."""
    corpus = redink.read_corpus(files["gold"])
    read = {name: redink.read_system(path) for name, path in systems(files).items()}
    assert redink.score(corpus, read, metrics=["m2"]) == redink.score(
        files["gold"], systems(files), metrics=["m2"]
    )


def test_a_generator_is_a_seed_too(files: Files) -> None:
    """The API takes a generator of random numbers; the signature then has no seed."""
    table = redink.score(
        files["gold"],
        systems(files),
        metrics=["m2"],
        bootstrap=10,
        seed=np.random.default_rng(3),
    )
    assert "seed" not in table.signature


def test_workers_give_the_same_scores(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """Heavy metrics are scored by other processes, and nothing in the table tells.

    These get some sentences, or all of them where error types are wanted. For little work none is
    started.
    """
    every = ["errant", "m2", "gleu", "imeasure", "bleu", "meteor"]
    metrics = [*every, "m2(by=type)"]
    alone = redink.score(files["gold"], systems(files), metrics=metrics, mix=True)
    here: list[str] = []
    for name in every:
        metric = type(parse_metric(name))

        def collect(
            self: Any, *arguments: Any, name: str = name, original: Any = metric.collect
        ) -> Any:
            here.append(name)
            return original(self, *arguments)

        monkeypatch.setattr(metric, "collect", collect)
    monkeypatch.setattr("redink.scoring.engine._WORTH_A_WORKER", 1)
    shared = redink.score(files["gold"], systems(files), metrics=metrics, mix=True, workers=2)
    assert shared == alone
    assert set(here) == {"errant", "gleu", "bleu"}
    monkeypatch.undo()
    monkeypatch.setattr("redink.processes._Worker", None)
    redink.score(files["gold"], systems(files), metrics=["errant", "m2"], workers=2)
