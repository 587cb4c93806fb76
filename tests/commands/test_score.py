"""``redink.score``: every system under every metric."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.commands.score_files import SYSTEMS, write_task

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
    table = redink.score(files["gold"], systems(files, "good", "edits"), metrics=["errant"])
    counts = {row["system"]: (row["tp"], row["fp"], row["fn"]) for row in table.rows}
    assert counts == {"good": (4, 0, 0), "edits": (2, 1, 1)}
    assert table.signature["analyzer"] == "embedded"


def test_rows_are_those_of_the_contract(files: Files) -> None:
    table = redink.score(files["gold"], systems(files), metrics=["errant", "m2"], bootstrap=20)
    columns = "system metric type tp fp fn precision recall f score low high"
    assert list(table.column_names[:12]) == columns.split()
    for row in table.to_dict()["rows"]:
        assert 0 <= row["low"] <= row["high"] <= 1
        assert 0 <= row["f"] <= 1


def test_best_first_with_ranks(files: Files) -> None:
    table = redink.score(files["gold"], systems(files), metrics=["m2"])
    ranks = [(row["system"], row["rank"]) for row in table.rows]
    assert ranks == [("good", 1), ("fair", 2), ("idle", 3)]


def test_intervals_hold_the_score_and_groups_tell_systems_apart(shared: Path) -> None:
    folder = shared / "oracles" / "errant-2.3.3"
    given = {name: folder / f"{name}.m2" for name in ("CAMB", "AMU", "UFC")}
    table = redink.score(
        folder / "references.m2", given, metrics=["errant"], bootstrap=200, selection="sentence"
    )
    for row in table.rows:
        assert row["low"] < row["f"] < row["high"]
    assert [row["group"] for row in table.rows] == ["a", "a", "b"]


def test_by_type(files: Files) -> None:
    table = redink.score(files["gold"], systems(files, "fair"), metrics=["errant"], by="type")
    whole, *types = table.rows
    assert whole["type"] is None
    assert {row["type"] for row in types} >= {"VERB:SVA", "NOUN:NUM"}
    for count in ("tp", "fp", "fn"):
        assert sum(row[count] for row in types) == whole[count]


def test_m2_by_type_has_recall_only(files: Files) -> None:
    table = redink.score(files["gold"], systems(files, "fair"), metrics=["m2"], by="full")
    typed = [row for row in table.rows if row["type"] is not None]
    assert typed
    assert all(row["fp"] is None and row["precision"] is None for row in typed)
    assert any("no error type" in note for note in table.notes)


def test_reference_texts(files: Files, tmp_path: Path) -> None:
    table = redink.score(
        [files["good"], files["idle"]],
        systems(files, "good", "fair"),
        source=files["source"],
        metrics=["errant", "m2"],
    )
    rows = by_system(table, "errant")
    assert rows["good"]["f"] == 1.0
    assert rows["fair"]["f"] < 1.0


def test_sentences_are_written_with_verdicts(files: Files, tmp_path: Path) -> None:
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
    table = redink.score(files["gold"], systems(files), metrics=["errant", "m2"], sensitivity=True)
    assert [row["metric"] for row in table] == ["errant"] * 3 + ["m2"] * 3
    assert [row["system"] for row in table] == ["good", "fair", "idle"] * 2
    assert [row["rank_optimal"] for row in table] == [1, 2, 3] * 2
    for row in table.rows:
        assert row["optimal"] >= max(row["running"], row["sentence"]) - 1e-12
        assert row["order_low"] <= row["order_high"] <= row["optimal"] + 1e-12
        assert row["spread"] == pytest.approx(row["optimal"] - min(row["running"], row["sentence"]))


def test_a_plot_is_drawn(files: Files, tmp_path: Path) -> None:
    for name, by in (("forest.svg", None), ("heat.svg", "type")):
        target = tmp_path / name
        redink.score(files["gold"], systems(files), metrics=["errant"], by=by, plot=target)
        text = target.read_text(encoding="utf-8")
        assert all(f">{system}<" in text for system in ("good", "fair", "idle"))
        assert (">VERB:SVA  1<" in text) == (by is not None)


def test_progress_is_told(files: Files) -> None:
    told: list[tuple[str, int, int | None]] = []
    with watched_by(lambda *stage: told.append(stage)):
        redink.score(files["gold"], systems(files), metrics=["m2"], bootstrap=5)
    assert ("m2: good", 0, 3) in told
    assert ("scored", 3, 3) in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["errant"], "mix": True}, "mix does not apply to errant"),
        ({"metrics": ["m2"], "plot": "scores.doc"}, ".png"),
        (
            {"metrics": ["m2"], "sensitivity": True, "reference_edits": ["gold", "auto"]},
            "single value",
        ),
    ],
)
def test_impossible_options(files: Files, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        redink.score(files["gold"], systems(files), **options)


def test_plain_text_is_no_reference_and_systems_are_needed(files: Files) -> None:
    with pytest.raises(DataError, match="--source FILE --reference FILE"):
        redink.score(files["source"], systems(files), metrics=["m2"])
    with pytest.raises(OptionError, match="no system"):
        redink.score(files["gold"], {}, metrics=["m2"])


def caught(files: Files, **given: Path) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", RedinkWarning)
        redink.score(files["gold"], given, metrics=["m2"])
    return [str(warning.message) for warning in found]


GOOD = SYSTEMS["good"].splitlines()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([*GOOD[1:], GOOD[0]], "misaligned.*line 1 fits source line 2"),
        (["Quite other words stand there ."] * 4, "another source"),
        ([line.replace(" .", ".") for line in GOOD], "system 's' seems untokenized"),
        ([GOOD[0].replace(" .", "."), *GOOD[1:]], None),  # a slip
        ([line.replace(" .", "") for line in GOOD], None),  # no full stops
        (GOOD, None),
    ],
)
def test_suspicious_systems_are_warned_of(
    files: Files, tmp_path: Path, lines: list[str], said: str | None
) -> None:
    (tmp_path / "s.txt").write_text("\n".join(lines) + "\n")
    messages = caught(files, s=tmp_path / "s.txt")
    assert bool(messages) == (said is not None)
    assert said is None or re.search(said, " ".join(messages))


def test_a_missing_noop_is_suspected(files: Files) -> None:
    text = files["gold"].read_text()
    noop = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n"
    files["gold"].write_text(text.replace(noop, ""))
    said = "annotator 1 has no line in 1 sentence.*uses the first annotator's edits there"
    with pytest.warns(RedinkWarning, match=said):
        table = redink.score(files["gold"], systems(files, "good"))
    assert sum("has no line" in note or "missing" in note for note in table.notes) == 1


def test_references_of_another_inventory_are_typed_again(files: Files) -> None:
    """By type, no type is shown that a system cannot have; the overall figures stay the same."""
    gold, given = files["gold"], systems(files, "good")
    text = re.sub(r"\|\|\|[RUM]:[A-Z:]+\|\|\|", "|||Wform|||", gold.read_text())
    gold.write_text(text)
    plain = redink.score(gold, given, metrics=["errant"])
    assert any("errant(reference_edits=auto)" in note for note in plain.notes)
    table = redink.score(gold, given, metrics=["errant"], by="type")
    assert "Wform" not in table["type"]
    assert any("reclassified by the systems' analyzer" in note for note in table.notes)
    for name in ("tp", "fp", "fn", "f"):
        assert table.rows[0][name] == plain.rows[0][name]
    assert not redink.score(gold, given, metrics=["errant(by=type,reference_edits=gold)"]).notes


def test_a_generator_is_a_seed_too(files: Files) -> None:
    table = redink.score(
        files["gold"], systems(files), metrics=["m2"], bootstrap=10, seed=np.random.default_rng(3)
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
    monkeypatch.setattr("redink.scoring.engine._SENTENCES_PER_WORKER", 1)
    shared = redink.score(files["gold"], systems(files), metrics=metrics, mix=True, workers=2)
    assert shared == alone
    assert set(here) == {"errant", "gleu", "bleu"}
    monkeypatch.undo()
    monkeypatch.setattr("redink.parallel._Worker", None)
    redink.score(files["gold"], systems(files), metrics=["errant", "m2"], workers=2)


GERMAN = """S Ich habe ein Hund gesehen .
A 2 3|||R:DET:FORM|||einen|||REQUIRED|||-NONE-|||0

S Er gehen nach Hause mit sein Freund .
A 1 2|||R:VERB:FORM|||geht|||REQUIRED|||-NONE-|||0
A 5 6|||R:DET:FORM|||seinem|||REQUIRED|||-NONE-|||0

S Wir sehen die Mann .
A 2 3|||R:DET:FORM|||den|||REQUIRED|||-NONE-|||0
"""
GERMAN_SYSTEM = """Ich habe einen Hund gesehen .
Er geht nach Haus mit seinem Freund .
Wir sehen dem Mann .
"""


def test_types_of_another_inventory_in_any_language(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(GERMAN, encoding="utf-8")
    (tmp_path / "s.txt").write_text(GERMAN_SYSTEM, encoding="utf-8")
    table = redink.score(
        tmp_path / "gold.m2", [tmp_path / "s.txt"], metrics=["errant"], by="type", language="de"
    )
    assert any("reclassified by the systems' analyzer" in note for note in table.notes)
    assert not {"DET:FORM", "VERB:FORM"} & {row["type"] for row in table.rows}
    overall, *typed = table.rows
    for name in ("tp", "fp", "fn"):
        assert overall[name] == sum(row[name] for row in typed)
    assert (overall["tp"], overall["fp"], overall["fn"]) == (3, 2, 1)


def test_a_system_with_types_of_its_own_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(GERMAN, encoding="utf-8")
    text = GERMAN.replace("R:DET:FORM", "Artikel").replace("R:VERB:FORM", "Verbform")
    (tmp_path / "s.m2").write_text(text, encoding="utf-8")
    with pytest.warns(RedinkWarning, match="'s' and the references have error types of different"):
        table = redink.score(
            tmp_path / "gold.m2", [tmp_path / "s.m2"], metrics=["errant"], by="type", language="de"
        )
    assert any("different inventories" in note for note in table.notes)
    assert "DET:FORM" in table["type"]


NUCLE = """S She have two cat in home .
A 1 2|||SVA|||has|||REQUIRED|||-NONE-|||0
A 3 4|||Um|||cats|||REQUIRED|||-NONE-|||0
A 4 5|||Prep|||at|||REQUIRED|||-NONE-|||0
"""


@pytest.mark.parametrize("by", ["operation", "type", "full"])
@pytest.mark.parametrize("text", ["She has two cats in home .", "She have two cat at home ."])
def test_the_overall_row_is_the_same_with_and_without_by(
    by: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "gold.m2").write_text(NUCLE, encoding="utf-8")
    (tmp_path / "s.txt").write_text(f"{text}\n", encoding="utf-8")
    plain, typed, spec = (
        redink.score(tmp_path / "gold.m2", [tmp_path / "s.txt"], metrics=[metric], **how)
        for metric, how in (("errant", {}), ("errant", {"by": by}), (f"errant(by={by})", {}))
    )
    counts = [{k: table.rows[0][k] for k in ("tp", "fp", "fn", "f")} for table in (plain, typed)]
    assert counts[0] == counts[1]
    assert counts[0]["tp"] + counts[0]["fn"] == 3
    assert typed.rows == spec.rows
    for name in ("tp", "fp", "fn"):
        assert typed.rows[0][name] == sum(row[name] for row in typed.rows[1:])


TYPES = """S He go to school yesterday and buy a apple there with his friend Anna who like it .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:TENSE|||bought|||REQUIRED|||-NONE-|||0
A 7 8|||R:DET|||an|||REQUIRED|||-NONE-|||0
A 14 15|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0
A 15 16|||U:PRON||||||REQUIRED|||-NONE-|||0
A 4 4|||M:DET|||the|||REQUIRED|||-NONE-|||0
"""


@pytest.mark.parametrize(
    ("option", "patterns", "left"),
    [
        ("exclude", ["VERB:TENSE"], 4),
        ("exclude", ["R:VERB:TENSE"], 4),
        ("exclude", ["DET"], 4),
        ("exclude", ["R:DET"], 5),
        ("exclude", ["R:"], 2),
        ("exclude", ["VERB:*"], 3),
        ("exclude", ["VERB:*", "M:"], 2),
        ("exclude", ["SPELL"], 6),  # a type that ERRANT has, and this text has not
        ("types", ["DET"], 2),
        ("types", ["M:", "U:"], 2),
        ("types", ["VERB:*"], 3),
        ("types", ["R:VERB:*", "PRON"], 4),
        ("types", ["SPELL"], 0),
    ],
)
def test_patterns_of_types(option: str, patterns: list[str], left: int, tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(TYPES, encoding="utf-8")
    given = (tmp_path / "gold.m2", {"s": tmp_path / "gold.m2"})
    keyword = redink.score(*given, metrics=["errant"], **{option: patterns})
    spec = redink.score(*given, metrics=[f"errant({option}={'+'.join(patterns)})"])
    assert keyword.rows == spec.rows
    assert (keyword.rows[0]["tp"], keyword.rows[0]["fp"], keyword.rows[0]["fn"]) == (left, 0, 0)
    table = redink.score(*given, metrics=["errant"], types=["R:"], exclude=["VERB:TENSE"])
    assert table.rows[0]["tp"] == 2


@pytest.mark.parametrize("option", ["types", "exclude"])
@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("SPEL", "did you mean 'SPELL'"),
        ("spell", "did you mean 'SPELL'"),
        ("R", "did you mean 'R:'"),
        ("R:SPELLL", "did you mean 'R:SPELL'"),
        ("Xyzzy", "expected one of: ADJ"),
    ],
)
def test_unknown_types_are_refused(option: str, pattern: str, said: str, files: Files) -> None:
    given = (files["gold"], systems(files, "good", "fair"))
    for command in (redink.score, redink.compare):
        with pytest.raises(OptionError, match=f"unknown error type '{pattern}'; {said}"):
            command(*given, metrics=[f"errant({option}={pattern})"])


def test_types_of_a_custom_inventory_are_known(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(NUCLE, encoding="utf-8")
    (tmp_path / "s.txt").write_text("She has two cats in home .\n", encoding="utf-8")
    gold = tmp_path / "gold.m2"
    same = redink.score(gold, {"s": gold}, metrics=["errant"], exclude=["SVA"])
    assert (same.rows[0]["tp"], same.rows[0]["fn"], same.notes) == (2, 0, ())
    operation = redink.score(gold, {"s": gold}, metrics=["errant"], types=["M:"])
    assert operation.rows[0]["tp"] == 0
    with pytest.warns(RedinkWarning, match="different inventories"):
        table = redink.score(gold, [tmp_path / "s.txt"], metrics=["errant"], exclude=["SVA"])
    assert table.rows[0]["tp"] + table.rows[0]["fn"] == 2
    again = redink.score(gold, [tmp_path / "s.txt"], metrics=["errant"], exclude=["VERB:SVA"])
    assert (again.rows[0]["tp"], again.rows[0]["fp"], again.rows[0]["fn"]) == (1, 0, 1)


def test_a_system_that_proposes_nothing_is_marked(files: Files) -> None:
    """In JSON the scorer's values stay, beside a field; people see a dash."""
    table = redink.score(files["gold"], systems(files, "good", "idle"), metrics=["errant"])
    rows = by_system(table, "errant")
    assert (rows["idle"]["precision"], rows["idle"]["f"]) == (1.0, 0.0)
    assert rows["idle"]["nothing_proposed"] is True
    assert not rows["good"].get("nothing_proposed")
    line = next(line for line in table.render("table").splitlines() if "idle" in line)
    assert line.split()[5:8] == ["–", "0.0000", "0.0000"]
    typed = redink.score(files["gold"], systems(files, "idle"), metrics=["errant"], by="type")
    assert {(row["precision"], row["f"]) for row in typed.rows} == {(1.0, 0.0)}
    only_good = redink.score(files["gold"], systems(files, "good"), metrics=["errant"])
    assert "nothing_proposed" not in only_good.column_names


def test_few_bootstrap_samples_are_told(files: Files) -> None:
    few, many = (
        redink.score(files["gold"], systems(files), metrics=["m2"], bootstrap=samples)
        for samples in (20, 100)
    )
    assert any("too few" in note for note in few.notes)
    assert not any("too few" in note for note in many.notes)


def test_one_column_compares_all_metrics(files: Files) -> None:
    """``score`` is the headline of every metric; people do not see it next to an equal F."""
    pytest.importorskip("pandas")
    metrics = ["errant", "m2", "gleu", "cleme", "cleme2"]
    table = redink.score(files["gold"], systems(files), metrics=metrics)
    wide = table.to_pandas().pivot(index="system", columns="metric", values="score")
    assert wide.shape == (3, 5)
    assert not wide.isna().any().any()
    assert all(row["score"] == row["f"] for row in table if row["metric"] in {"errant", "m2"})
    for view in (False, True):
        shown = redink.score(files["gold"], systems(files), metrics=["m2"], wide=view)
        assert "score" not in shown.to_markdown().split("|:---")[0]


def test_sentences_are_those_of_the_file(files: Files, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    written = tmp_path / "sentences.jsonl"
    table = redink.score(
        files["gold"], systems(files), metrics=["errant", "imeasure"], sentences=written
    )
    rows = [json.loads(line) for line in written.read_text(encoding="utf-8").splitlines()]
    assert table.sentences.rows == rows
    assert table.sentences is table.sentences
    assert table.sentences.signature == table.signature
    frame = table.sentences.to_pandas()
    assert len(frame) == len(rows)
    assert not frame["score"].isna().any()
    assert frame["edits"][0] == rows[0]["edits"]
    assert isinstance(frame, pandas.DataFrame)
    assert "source" not in table.sentences.to_markdown()
    compared = redink.compare(files["gold"], systems(files), metrics=["m2"], samples=20)
    with pytest.raises(AttributeError, match=r"no scores of sentences; redink\.score returns them"):
        _ = compared.sentences
