"""Detection from files to tables: the contract, units, annotators, negatives, curves, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
from click.testing import CliRunner
from sklearn import metrics

import redink
from redink.cli.main import cli
from redink.errors import DataError, OptionError, RedinkError
from redink.model import Annotation, Corpus

CONTRACT = (
    "system unit tp fp fn tn accuracy precision recall tnr f kappa prevalence bias mcc "
    "informedness markedness alpha"
)

GOLD = """\
S He go to the school by bus .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||1

S I like it
A 3 3|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S All is well .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
# goes: right; to → at: no error; the: missed; the full stop: a wrong form
SYSTEM = """\
S He go to the school by bus .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 2 3|||R:PREP|||at|||REQUIRED|||-NONE-|||0

S I like it
A 3 3|||M:PUNCT|||!|||REQUIRED|||-NONE-|||0

S All is well .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
FLAGS = [
    ("He go to the school by bus .", (0.1, 0.9, 0.6, 0.4, 0.2, 0.1, 0.1, 0.0)),
    ("I like it", (0.2, 0.1, 0.3)),
    ("All is well .", (0.1, 0.1, 0.2, 0.0)),
]


def write_flags(path: Path, sentences: list[tuple[str, tuple[float, ...]]] = FLAGS) -> Path:
    """A GED file that flags from one half on."""
    blocks = []
    for text, probabilities in sentences:
        rows = zip(text.split(), probabilities, strict=True)
        blocks.append("".join(f"{t}\t{'i' if p >= 0.5 else 'c'}\t{p}\n" for t, p in rows))
    path.write_text("\n".join(blocks))
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Gold edits of two annotators, a system's edits, and one's probabilities."""
    gold, system = tmp_path / "gold.m2", tmp_path / "system.m2"
    gold.write_text(GOLD)
    system.write_text(SYSTEM)
    return {"gold": gold, "system": system, "flags": write_flags(tmp_path / "flags.ged.tsv")}


def row_of(table: redink.Table, *names: str) -> tuple[Any, ...]:
    (row,) = table.rows
    return tuple(row[name] for name in names)


CELLS = ("tp", "fp", "fn", "tn")


def run_json(*words: str) -> dict[str, Any]:
    command = ["detection", *words, "--format", "json"]
    return json.loads(CliRunner().invoke(cli, command, catch_exceptions=False).stdout)


def detect(files: dict[str, Path], system: str = "system", **options: Any) -> redink.Table:
    return redink.detection(files["gold"], [files[system]], **options)


def test_contract_columns_come_first(files: dict[str, Path]) -> None:
    for table in (
        detect(files),
        detect(files, "flags", curve=True),
        redink.detection(from_counts=(12, 18, 28, 42)),
    ):
        assert " ".join(table.column_names).startswith(f"{CONTRACT} ")
        assert all(list(row) == table.column_names for row in table.rows)


def test_tokens_under_the_best_annotator(files: dict[str, Path]) -> None:
    """Cells, N, the fifth row and usage before and after, all from one small example.

    Annotator 1 favors the system in the first sentence (goes alone), annotator 0 in the second.
    """
    table = redink.detection(files["gold"], {"ours": files["system"]})
    assert row_of(table, "system", "unit", *CELLS) == ("ours", "token", 2, 1, 0, 15)
    assert row_of(table, "n", "xyz") == (18, 1)
    assert row_of(table, "correct_before", "correct_after") == (16 / 18, 16 / 18)
    assert any("N = 18" in note for note in table.notes)
    assert any(note.startswith("Negatives (all)") for note in table.notes)
    assert any(note.startswith("Annotators (best of 2)") for note in table.notes)


def test_rates_with_different_denominators_are_told(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(
        "S a b c .\nA 0 1|||R:OTHER|||x|||REQUIRED|||-NONE-|||0\n"
        "A 0 1|||R:OTHER|||x|||REQUIRED|||-NONE-|||1\n"
        "A 1 2|||R:OTHER|||y|||REQUIRED|||-NONE-|||1\n",
        encoding="utf-8",
    )
    texts = {"one": ["x b c ."], "two": ["x y c ."]}
    best = redink.detection(tmp_path / "gold.m2", texts)
    assert [row["fp"] + row["tn"] for row in best.rows] == [4, 3]
    assert any("different denominators (3 to 4 units)" in note for note in best.notes)
    every = redink.detection(tmp_path / "gold.m2", texts, annotators="any")
    assert not any("denominators" in note for note in every.notes)


def test_correction_counts_the_fifth_row_twice(files: dict[str, Path]) -> None:
    only = {"annotator": "0"}
    found = detect(files, **only)
    corrected = detect(files, level="correction", **only)
    assert row_of(found, *CELLS) == (2, 1, 1, 14)
    assert row_of(corrected, *CELLS) == (1, 2, 2, 14)


def test_each_annotator_has_a_row_over_the_sentences_they_saw(files: dict[str, Path]) -> None:
    table = detect(files, annotators="each")
    assert [(r["annotators"], *(r[c] for c in CELLS)) for r in table.rows] == [
        ("0", 2, 1, 1, 14),
        ("1", 1, 2, 0, 10),
    ]
    assert any("1 did not annotate 1 sentences" in note for note in table.notes)


@pytest.mark.parametrize(
    ("annotators", "cells"),
    [("any", (2, 1, 1, 14)), ("majority", (1, 2, 0, 15)), ("graded", (1.5, 1.5, 0.5, 14.5))],
)
def test_several_annotators(
    files: dict[str, Path], annotators: str, cells: tuple[float, ...]
) -> None:
    table = detect(files, annotators=annotators)
    assert row_of(table, *CELLS) == cells
    assert any(note.startswith(f"Annotators ({annotators} of 2)") for note in table.notes)


def test_spans_refuse_kappa_and_say_why(files: dict[str, Path]) -> None:
    table = detect(files, unit="span", annotator="0")
    assert row_of(table, *CELLS, "precision") == (2, 1, 1, None, 2 / 3)
    assert row_of(table, "kappa", "accuracy", "mcc", "n") == (None, None, None, None)
    assert any("no true negatives" in note and "kappa" in note for note in table.notes)


def test_several_units_in_one_table(files: dict[str, Path]) -> None:
    units = ["token", "span", "sentence", "character"]
    table = detect(files, unit=units)
    assert [row["unit"] for row in table.rows] == units
    sentences = detect(files, unit="sentence", annotator="0")
    assert row_of(sentences, *CELLS, "xyz") == (2, 0, 0, 1, 2)
    for unit in units:
        assert any(note.startswith(f"Unit {unit}:") for note in table.notes)


def test_trivial_negatives_are_apart(files: dict[str, Path]) -> None:
    """With a rule, the other unchanged units leave TN; both accuracies and kappas are shown."""
    options = {"annotator": "0", "insertions": "none"}
    plain = detect(files, **options)
    ruled = detect(files, negatives="letters", **options)
    assert row_of(plain, *CELLS) == (1, 1, 1, 12)
    assert row_of(ruled, *CELLS, "tn_trivial") == (1, 1, 1, 10, 2)
    assert row_of(ruled, "accuracy_with_trivial", "kappa_with_trivial") == row_of(
        plain, "accuracy", "kappa"
    )
    assert row_of(ruled, "precision", "recall", "f") == row_of(plain, "precision", "recall", "f")
    assert row_of(ruled, "kappa") < row_of(plain, "kappa")
    opposite = detect(files, negatives="not:letters", **options)
    assert row_of(opposite, "tn", "tn_trivial") == (2, 10)
    none = detect(files, negatives="none", **options)
    assert row_of(none, *CELLS, "kappa") == (1, 1, 1, None, None)


def test_units_with_their_three_forms(files: dict[str, Path]) -> None:
    table = detect(files, show="units", annotator="0")
    names = ("sentence", "position", "written", "annotated", "system_form", "row", "counted")
    assert [tuple(row[name] for name in names) for row in table.rows] == [
        (1, "1", "go", "goes", "goes", "xyy", "TP"),
        (1, "2", "to", "to", "at", "xxy", "FP"),
        (1, "3", "the", "", "the", "xyx", "FN"),
        (2, "3", "", ".", "!", "xyz", "TP"),
    ]
    flags = detect(files, "flags", show="units", annotator="0")
    assert [row["system_form"] for row in flags.rows] == ["?", "?", "the", ""]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"unit": "span"}, ("1:2", "go", "goes", "goes")),
        ({"unit": "character"}, ("5", " ", "es ", "es ")),
        ({"unit": "token", "insertions": "gap"}, ("3", "go", "goes", "goes")),
        ({"targets": "word:go"}, ("1:2", "go", "goes", "goes")),
        ({"targets": "slot:the"}, ("3", "the", "", "the")),
    ],
)
def test_forms_of_every_kind_of_unit(
    files: dict[str, Path], options: dict[str, Any], expected: tuple[str, ...]
) -> None:
    table = detect(files, show="units", annotator="0", **options)
    row = table.rows[0]
    assert tuple(row[n] for n in ("position", "written", "annotated", "system_form")) == expected


def test_targets_by_word_by_slot_and_by_file(files: dict[str, Path], tmp_path: Path) -> None:
    options = {"annotator": "0"}
    words = detect(files, targets="word:to,by", **options)
    assert row_of(words, "unit", *CELLS) == ("target", 0, 1, 0, 1)
    assert any("0 of the annotators' 3 edits concern a target" in note for note in words.notes)
    slots = detect(files, targets="slot:a,the", **options)
    assert row_of(slots, *CELLS) == (0, 0, 1, 14)
    positions = tmp_path / "positions.tsv"
    positions.write_text("sentence\tstart\tend\n1\t1\t2\n1\t2\n2\t3\t3\n# done\n")
    placed = detect(files, targets=str(positions), **options)
    assert row_of(placed, *CELLS, "xyz") == (2, 1, 0, 0, 1)
    assert placed.signature["targets"].startswith("positions.tsv#")


def test_targets_and_negatives_by_tag(files: dict[str, Path]) -> None:
    table = detect(files, targets="tag:IN,TO", annotator="0")
    assert row_of(table, *CELLS) == (0, 1, 0, 1)
    assert table.signature["analyzer"] == "embedded"
    phrases = detect(files, targets="slot:a,an,the", negatives="np", annotator="0")
    assert row_of(phrases, "fn") == (1,)
    assert row_of(phrases, "tn_trivial")[0] > 10


def test_a_system_that_gives_text(files: dict[str, Path], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("He goes at the school by bus .\nI like it !\nAll is well .\n")
    by_text = redink.detection(files["gold"], {"x": text}, unit=["token", "sentence"])
    by_edits = redink.detection(files["gold"], {"x": files["system"]}, unit=["token", "sentence"])
    assert by_text.rows == by_edits.rows
    assert by_text.signature["analyzer"] == "embedded"
    alone = redink.detection(files["gold"], {"x": text}, unit="sentence")
    assert "analyzer" not in alone.signature


def test_references_as_text(files: dict[str, Path], tmp_path: Path) -> None:
    source, reference = tmp_path / "source.txt", tmp_path / "reference.txt"
    source.write_text("He go to the school by bus .\nI like it\nAll is well .\n")
    reference.write_text("He goes to school by bus .\nI like it .\nAll is well .\n")
    table = redink.detection(reference, [files["system"]], source=source)
    assert row_of(table, *CELLS) == (2, 1, 1, 14)
    words = ("--source", str(source), "--reference", str(reference), str(files["system"]))
    assert run_json(*words) == json.loads(json.dumps(table.to_dict()))


def test_flags_for_tokens(files: dict[str, Path]) -> None:
    table = detect(files, "flags", annotator="0")
    assert row_of(table, *CELLS) == (1, 1, 2, 14)
    assert row_of(table, "xyz", "correct_after") == (None, None)
    assert any("without corrections" in note for note in table.notes)
    lower = detect(files, "flags", annotator="0", threshold=0.3)
    assert row_of(lower, *CELLS) == (2, 2, 1, 13)


def test_gold_flags_as_reference(files: dict[str, Path], tmp_path: Path) -> None:
    gold = [
        ("He go to the school by bus .", (0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)),
        ("I like it", (0.0, 0.0, 0.0)),
        ("All is well .", (0.0, 0.0, 0.0, 0.0)),
    ]
    reference = write_flags(tmp_path / "gold.ged.tsv", gold)
    table = redink.detection(reference, [files["flags"]])
    assert row_of(table, *CELLS, "n") == (1, 1, 1, 12, 15)


def test_curve_areas_are_those_of_all_tokens(files: dict[str, Path]) -> None:
    table = detect(files, "flags", curve=True, annotator="0")
    labels = [0, 1, 0, 1, 0, 0, 0, 0] + [0] * 7
    scores = [p for _, probabilities in FLAGS for p in probabilities]
    assert row_of(table, "roc_area")[0] == pytest.approx(metrics.roc_auc_score(labels, scores))
    assert row_of(table, "average_precision")[0] == pytest.approx(
        metrics.average_precision_score(labels, scores)
    )
    assert row_of(table, "threshold", *CELLS) == (0.9, 1, 0, 1, 13)
    assert any(
        "15 units have a probability" in note and "1 (excluded)" in note for note in table.notes
    )


def test_best_threshold_and_minimum_precision(files: dict[str, Path]) -> None:
    options: dict[str, Any] = {"curve": True, "annotator": "0"}
    by_recall = detect(files, "flags", best="recall", **options)
    assert row_of(by_recall, "threshold") == (0.4,)
    precise = detect(files, "flags", min_precision=0.6, **options)
    assert row_of(precise, "threshold", "tp", "fp") == (0.4, 2, 1)
    low = [(text, (0.9, *[0.1] * 7)[: len(p)]) for text, p in FLAGS]  # errors score low
    path = write_flags(files["flags"].with_name("low.ged.tsv"), low)
    never = redink.detection(files["gold"], [path], min_precision=0.9, **options)
    assert row_of(never, "threshold", "tp", "fp") == (None, 0, 0)
    assert any("no threshold with a precision of at least 0.9" in note for note in never.notes)


def test_all_points_of_a_curve(files: dict[str, Path]) -> None:
    table = detect(files, "flags", show="points", points=0)
    thresholds = [row["threshold"] for row in table.rows]
    assert thresholds == [None, 0.9, 0.6, 0.4, 0.3, 0.2, 0.1, 0.0]
    assert [row["bias"] for row in table.rows][0::7] == [0.0, 1.0]
    assert table.rows[0]["precision"] is None


def test_a_curve_leaves_trivial_negatives_out(files: dict[str, Path]) -> None:
    options: dict[str, Any] = {"curve": True, "annotator": "0"}
    plain = detect(files, "flags", **options)
    ruled = detect(files, "flags", negatives="letters", **options)
    assert row_of(plain, "n") == (15,)
    assert row_of(ruled, "n", "tn_trivial") == (13, 2)
    assert row_of(ruled, "kappa_with_trivial") == row_of(plain, "kappa")
    assert row_of(ruled, "roc_area") < row_of(plain, "roc_area")


def test_a_curve_beside_a_system_without_probabilities(files: dict[str, Path]) -> None:
    systems = {"sure": files["flags"], "plain": files["system"]}
    table = redink.detection(files["gold"], systems, curve=True, annotators="any")
    sure, plain = table.rows
    assert sure["roc_area"] is not None
    assert plain["roc_area"] is None
    assert (plain["tp"], plain["fp"]) == (2, 1)
    assert any("plain has no probabilities" in note for note in table.notes)


def test_plots(files: dict[str, Path], tmp_path: Path) -> None:
    """All systems in one picture, in each form; with an option or by the table, the same bytes."""
    systems = {"sure": files["flags"], "plain": files["system"]}
    table = redink.detection(files["gold"], systems, plot=tmp_path / "a.svg")
    table.plot(tmp_path / "b.svg")
    content = (tmp_path / "a.svg").read_bytes()
    assert content.replace(b">a<", b">b<") == (tmp_path / "b.svg").read_bytes()
    table.plot(tmp_path / "a.html")
    for text in (content.decode(), (tmp_path / "a.html").read_text(encoding="utf-8")):
        assert all(f">{word}" in text for word in ("sure", "plain", "ROC", "Kappa", "bias"))
    table.plot(tmp_path / "a.png")
    pixels = matplotlib.image.imread(tmp_path / "a.png")
    assert np.ptp(pixels, axis=(0, 1)).max() > 0.5  # not one color
    published = [(12, 18, 28, 42), (12, 18, 28, 142)]
    redink.detection(from_counts=published, plot=tmp_path / "c.svg")
    assert all(name in (tmp_path / "c.svg").read_text() for name in ("given 1", "given 2"))
    with pytest.raises(OptionError, match="no plot"):
        detect(files, show="units").plot(tmp_path / "drawn.svg")


def test_what_is_drawn_does_not_depend_on_what_is_shown(
    files: dict[str, Path], tmp_path: Path
) -> None:
    drawn = []
    for options in ({}, {"curve": True}, {"show": "points", "points": 2}):
        table = redink.detection(files["gold"], {"sure": files["flags"]}, **options)
        table.plot(tmp_path / "drawn.svg")
        drawn.append((tmp_path / "drawn.svg").read_text(encoding="utf-8"))
    assert ["AUK" in text for text in drawn] == [False, True, True]
    assert drawn[1] == drawn[2]


def test_units_beside_a_curve(files: dict[str, Path]) -> None:
    given = (files["gold"], {"sure": files["flags"]})
    options: dict[str, Any] = {"show": "units", "annotators": "any"}
    rows = redink.detection(*given, **options).rows
    assert rows
    assert redink.detection(*given, **options, curve=True).rows == rows


def test_lists_of_strings() -> None:
    table = redink.detection(
        source=["He go to the school by bus .", "I like it"],
        references=[["He goes to school by bus .", "I like it ."]],
        systems={"mine": ["He goes at the school by bus .", "I like it !"]},
    )
    assert row_of(table, "system", *CELLS, "xyz") == ("mine", 2, 1, 1, 9, 1)


def test_a_system_has_one_version_of_a_sentence(files: dict[str, Path]) -> None:
    with pytest.raises(DataError, match="'gold' has several annotators"):
        redink.detection(files["gold"], [files["gold"]])


CROWD = """\
item,judge,label
s1t1,a,Error
s1t1,b,Error
s1t1,c,Error
s1t1,d,OK
s1t2,a,Error
s1t2,b,OK
s1t2,c,Unknown
s1t2,d,OK
"""


def test_graded_by_judgments(files: dict[str, Path], tmp_path: Path) -> None:
    crowd = tmp_path / "crowd.csv"
    crowd.write_text(CROWD)
    options: dict[str, Any] = {"judgments": crowd, "missing": ["Unknown"]}
    judged = detect(files, unit="target", **options)
    assert row_of(judged, "tp", "fp", "n") == (0.75 + 1 / 3, pytest.approx(0.25 + 2 / 3), 2)
    everything = detect(files, unit="token", annotator="0", **options)
    assert row_of(everything, "tp", "fn") == (pytest.approx(0.75 + 1 / 3 + 1), 1)
    assert any("2 units are weighted by the share of judges" in note for note in everything.notes)


def test_judgments_alone_can_be_the_truth(files: dict[str, Path], tmp_path: Path) -> None:
    crowd, text = tmp_path / "crowd.csv", tmp_path / "text.txt"
    crowd.write_text(CROWD)
    text.write_text("He go to the school by bus .\nI like it\nAll is well .\n")
    table = redink.detection(
        text, [files["system"]], unit="target", judgments=crowd, missing=["Unknown"]
    )
    assert row_of(table, "tp", "n") == (0.75 + 1 / 3, 2)


def test_judged_items_may_be_named_in_the_file_of_targets(
    files: dict[str, Path], tmp_path: Path
) -> None:
    targets, crowd = tmp_path / "targets.tsv", tmp_path / "crowd.csv"
    targets.write_text("1\t1\t2\tverb\n1\t2\t3\tpreposition\n")
    crowd.write_text("item,judge,label\nverb,a,error\nverb,b,ok\n")
    options: dict[str, Any] = {"targets": str(targets), "judgments": crowd}
    table = detect(files, **options)
    assert row_of(table, *CELLS) == (0.5, 1.5, 0, 0)
    crowd.write_text("item,judge,label\nnoun,a,error\nnoun,b,ok\n")
    with pytest.raises(DataError, match="'noun' has no position"):
        detect(files, **options)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ("0.12 0.18 0.28 0.42", {"accuracy": 0.54, "kappa": 0.0, "recall": 0.3, "f": 0.34}),
        ("12 18 28 42", {"accuracy": 0.54, "kappa": 0.0, "bias": 0.3, "prevalence": 0.4}),
    ],
)
def test_published_counts_on_the_command_line(counts: str, expected: dict[str, float]) -> None:
    """``--from-counts`` gives every number of the paper's figures, without any file."""
    (row,) = run_json("--from-counts", *counts.split(), "--beta", "1")["rows"]
    assert {name: round(row[name], 2) for name in expected} == expected


def test_counts_without_negatives() -> None:
    answer = run_json("--from-counts", *"345-", "--from-counts", *"1111")
    first, second = answer["rows"]
    assert (first["tn"], first["kappa"], second["kappa"]) == (None, None, 0.0)
    assert any("kappa" in note and "no true negatives" in note for note in answer["notes"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"show": "units", "annotators": "graded"},
            "--show units cannot be combined with --annotators graded",
        ),
        ({"annotator": "7"}, "unknown annotator '7'"),
        ({"unit": "target"}, "needs --targets"),
        ({"targets": "verbs"}, "neither a rule nor a file"),
        ({"targets": "word:"}, "is empty; expected a rule"),
        ({"targets": "tag:IN", "unit": "token"}, "--targets needs --unit target"),
        (
            {"curve": True, "annotators": "best"},
            "--curve cannot be combined with --annotators best",
        ),
        ({"curve": True, "threshold": 0.5}, "--curve cannot be combined with --threshold"),
        (
            {"level": "correction", "annotators": "graded"},
            "graded errors cannot be combined with --level",
        ),
        ({"from_counts": (1, 2, 3, 4)}, "from-counts needs no files"),
    ],
)
def test_impossible_options(files: dict[str, Path], options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        detect(files, **options)


def test_data_that_do_not_fit(files: dict[str, Path], tmp_path: Path) -> None:
    other = write_flags(tmp_path / "other.ged.tsv", [("He goes", (0.1, 0.1)), *FLAGS[1:]])
    with pytest.raises(
        DataError, match="sentence 1 of system 'other' is not that of the reference"
    ):
        redink.detection(files["gold"], [other])
    text = tmp_path / "text.txt"
    text.write_text("He go to the school by bus .\nI like it\nAll is well .\n")
    with pytest.raises(DataError, match="plain text without edits"):
        redink.detection(text, [files["system"]])
    sources = tuple(redink.AnnotatedSentence(s.source) for s in redink.read_corpus(text).sentences)
    with pytest.raises(DataError, match="no annotations"):
        redink.detection(Corpus(sources), [files["system"]])
    judgments = tmp_path / "crowd.csv"
    judgments.write_text(CROWD)
    with pytest.raises(RedinkError, match="contains judgments"):
        redink.detection(judgments, [files["system"]])
    with pytest.raises(OptionError, match="no score for spans or slots"):
        detect(files, "flags", targets="slot:,", curve=True)
    with pytest.raises(OptionError, match="without corrections"):
        detect(files, "flags", level="correction")
    positions = tmp_path / "positions.tsv"
    for line, message in (("9 0 1", "no sentence 9"), ("1 7 9", "is outside"), ("x y", "found")):
        positions.write_text(f"# here\n{line}\n")
        with pytest.raises(RedinkError, match=f"positions.tsv:2: .*{message}"):
            detect(files, targets=str(positions))
    with pytest.raises(OptionError, match="reference"):
        redink.detection()
    with pytest.raises(OptionError, match="no system"):
        redink.detection(files["gold"])
    for counts, message in (
        ((1, 2, 3), "four"),
        ((1, -2, 3, 4), "between 0 and"),
        ((1e200, 2, 3, 4), r"between 0 and 10{15}, not 1e\+200"),
    ):
        with pytest.raises(OptionError, match=message):
            redink.detection(from_counts=counts)


@pytest.mark.filterwarnings("ignore::redink.errors.RedinkWarning")  # repeated spans in the data
def test_conll_2014_systems(shared: Path) -> None:
    """Real systems: TN and kappa beside F; counted as ERRANT counts, its P, R and F."""
    edits = shared / "oracles/errant-2.3.3"
    systems = {name: edits / f"{name}.m2" for name in ("AMU", "CAMB", "NTHU", "UFC")}
    plain = redink.detection(edits / "references.m2", systems)
    for row in plain.rows:
        assert row["tp"] + row["fp"] + row["fn"] + row["tn"] == row["n"] == 30144 + 1312
        assert 0 < row["kappa"] < 0.5
    units = ["token", "span"]
    as_errant = redink.detection(edits / "references.m2", systems, count="edits", unit=units)
    for row in as_errant.rows:
        oracle = shared / f"oracles/errant-compare/{row['system']}.detection-{row['unit']}.txt"
        cells = next(line for line in oracle.read_text().splitlines() if line[:1].isdigit())
        ours = [row[c] for c in ("tp", "fp", "fn")]
        ours += [round(row[m], 4) for m in ("precision", "recall", "f")]
        assert ours == [float(cell) for cell in cells.split()]


@pytest.mark.filterwarnings("ignore::redink.errors.RedinkWarning")
def test_ten_annotators_grade_the_errors(shared: Path) -> None:
    folder = shared / "data/conll14/annotators"
    corpora = [redink.read_corpus(folder / f"A{number}.m2") for number in range(1, 11)]
    merged = Corpus(
        tuple(
            redink.AnnotatedSentence(
                same[0].source,
                tuple(
                    Annotation(str(n), s.annotations[0].edits if s.annotations else ())
                    for n, s in enumerate(same)
                ),
            )
            for same in zip(*(corpus.sentences for corpus in corpora), strict=True)
        )
    )
    system = shared / "oracles/errant-2.3.3/AMU.m2"
    graded = redink.detection(merged, [system], annotators="graded").rows[0]
    each = redink.detection(merged, [system], annotators="each").rows
    for cell in CELLS:
        assert graded[cell] == pytest.approx(np.mean([row[cell] for row in each]))
