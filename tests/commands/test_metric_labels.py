"""Labels of metrics, and the kind of reference edits that each metric reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import redink
from redink.cli.main import cli
from redink.errors import OptionError
from redink.scoring.errant import Errant
from redink.scoring.metric import EditMetric
from redink.scoring.specs import METRICS, free_metrics, parse_metric

GOLD = """\
S He like apple in the market .
A 1 3|||Wform|||likes apples|||REQUIRED|||-NONE-|||0

S She see the dog .
A 1 2|||SVA|||sees|||REQUIRED|||-NONE-|||0

"""
"""The annotator's first edit is two edits where edits are extracted from the text."""
SYSTEMS = {
    "right": ["He likes apples in the market .", "She sees the dog ."],
    "half": ["He likes apple in the market .", "She see a dog ."],
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "gold.m2").write_text(GOLD)
    for name, lines in SYSTEMS.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return {path.stem: path for path in tmp_path.iterdir()}


def f_of(table: redink.Table) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["system"]): row["f"] for row in table.rows if "f" in row}


def score(files: dict[str, Path], *metrics: Any, **options: Any) -> redink.Table:
    systems = {name: files[name] for name in SYSTEMS}
    return redink.score(files["gold"], systems, metrics=list(metrics), **options)


@pytest.mark.parametrize(
    ("metrics", "options", "labels"),
    [
        (["m2", "errant(weights=dice)"], {}, ["m2", "errant(weights=dice)"]),
        (["m2"], {"beta": 1}, ["m2(beta=1)"]),
        (["m2"], {"beta": 0.5}, ["m2"]),
        (["errant(level=correction)"], {}, ["errant"]),
        (["errant"], {"by": "type"}, ["errant"]),
        (["errant(by=type,beta=2)"], {}, ["errant(beta=2)"]),
        (["errant(by=type)", "errant(by=full)"], {}, ["errant(by=type)", "errant(by=full)"]),
        (["gleu(average=sentence)"], {}, ["gleu(average=sentence)"]),
        ([Errant(fixed=True)], {}, ["errant(fixed=true)"]),
    ],
)
def test_a_label_shows_options_that_change_numbers(
    files: dict[str, Path], metrics: list[Any], options: dict[str, Any], labels: list[str]
) -> None:
    assert list(dict.fromkeys(score(files, *metrics, **options)["metric"])) == labels


@pytest.mark.parametrize("command", ["score", "score --wide", "score --sensitivity", "compare"])
@pytest.mark.parametrize("suffix", [None, "json", "csv", "tsv", "markdown", "latex", "html"])
def test_every_format_shows_the_label(
    files: dict[str, Path], command: str, suffix: str | None
) -> None:
    form = [] if suffix is None else ["--format", suffix]
    names = [str(files[name]) for name in ("gold", *SYSTEMS)]
    words = [*command.split(), *names, "--metric", "errant(fixed)", *form]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    shown = result.stdout.replace("ERRANT", "errant")
    if suffix in {None, "markdown", "latex", "html"}:  # without the signature
        shown = "\n".join(line for line in shown.splitlines() if "command:" not in line)
    assert "errant(fixed=true)" in shown


def test_labels_in_reports_and_meta_evaluation(files: dict[str, Path], tmp_path: Path) -> None:
    systems = {name: files[name] for name in SYSTEMS}
    output = tmp_path / "report"
    metrics = ["m2(beta=1)", "gleu"]
    redink.report(files["gold"], systems, output, metrics=metrics, bootstrap=0)
    table = json.loads((output / "tables" / "metrics.json").read_text())
    assert table["columns"] == ["system", "m2(beta=1)", "gleu"]
    assert any("m2(beta=1): F1" in note for note in table["notes"])
    attacked = redink.meta(
        files["gold"], systems, attack=True, metrics=["m2(beta=1)"], bootstrap=10
    )
    assert set(attacked["metric"]) == {"m2(beta=1)"}


@pytest.mark.parametrize("name", free_metrics())
def test_metrics_that_read_reference_edits_have_the_option(name: str) -> None:
    kind = METRICS.load(name)
    assert issubclass(kind, EditMetric) == (kind.needs != "text")
    if kind.needs != "text":
        assert parse_metric(f"{name}(reference_edits=auto)").label.endswith("=auto)")


def test_reference_edits_of_one_metric_leave_the_others_alone(files: dict[str, Path]) -> None:
    """ERRANT with extracted reference edits next to M2 with the annotator's, in one run."""
    plain = f_of(score(files, "errant", "m2", "cleme"))
    auto = f_of(score(files, "errant", "m2", "cleme", reference_edits="auto"))
    both = score(files, "errant(reference_edits=auto)", "m2", "cleme")
    assert plain["errant", "right"] < 1 == auto["errant(reference_edits=auto)", "right"]
    assert plain["m2", "half"] != auto["m2(reference_edits=auto)", "half"]
    found = f_of(both)
    for system in SYSTEMS:
        key = ("errant(reference_edits=auto)", system)
        assert found[key] == auto[key]
        assert found["m2", system] == plain["m2", system]
        assert found["cleme", system] == plain["cleme", system]
    assert [row.get("reference_edits") for row in both.rows] == ["auto"] * 2 + [None] * 4


def test_the_flag_sets_every_metric_that_reads_edits(files: dict[str, Path]) -> None:
    given = ("errant", "m2(reference_edits=gold)", Errant(beta=1), "gleu")
    table = score(files, *given, reference_edits="auto")
    assert list(dict.fromkeys(table["metric"])) == [
        "errant(reference_edits=auto)",
        "m2(reference_edits=gold)",
        "errant(reference_edits=auto,beta=1)",
        "gleu",
    ]
    assert table.signature["reference_edits"] == ["auto", "gold"]
    with pytest.raises(OptionError, match="reference-edits does not apply to gleu"):
        score(files, "gleu", reference_edits="auto")


def test_two_kinds_of_reference_edits_in_one_table(files: dict[str, Path]) -> None:
    table = score(files, "errant", "gleu", reference_edits=["gold", "auto"])
    rows = [(row["metric"], row.get("reference_edits")) for row in table.rows]
    assert list(dict.fromkeys(rows)) == [
        ("errant(reference_edits=gold)", "gold"),
        ("gleu", None),
        ("errant(reference_edits=auto)", "auto"),
    ]
    for kind in ("gold", "auto"):
        alone = f_of(score(files, "errant", reference_edits=kind))
        assert alone.items() <= f_of(table).items()


def test_compare_and_report_take_the_same_choice(files: dict[str, Path], tmp_path: Path) -> None:
    systems = {name: files[name] for name in SYSTEMS}
    metrics = ["errant(reference_edits=auto)", "m2"]
    expected = f_of(score(files, *metrics))
    compared = redink.compare(files["gold"], systems, metrics=metrics, samples=50)
    for row in compared.rows:
        assert row["score"] == expected[row["metric"], row["system"]]
    assert compared["reference_edits"] == ["auto", None]
    for flag, fact in ((None, "as in the file"), ("auto", "extracted again (auto)")):
        output = tmp_path / str(flag)
        options: dict[str, Any] = {"bootstrap": 0, "reference_edits": flag}
        made = redink.report(files["gold"], systems, output, metrics=metrics, **options)
        assert f"reference edits: {fact}" in (output / "report.html").read_text()
        assert made.signature["metrics"][0] == (
            "errant(reference_edits=auto)" if flag else "errant"
        )
        rows = json.loads((output / "tables" / "metrics.json").read_text())["rows"]
        for row in rows:
            assert row[metrics[0]] == expected[metrics[0], row["system"]]
            if flag is None:
                assert row["m2"] == expected["m2", row["system"]]


def test_the_note_on_gold_edits_recommends_the_metric_option(files: dict[str, Path]) -> None:
    """The advice changes ERRANT only; it also comes in ``compare`` and in the report."""
    systems = {name: files[name] for name in SYSTEMS}
    table = score(files, "errant", "m2")
    assert any("errant(reference_edits=auto)" in note for note in table.notes)
    assert not any("m2(reference" in note for note in table.notes)
    compared = redink.compare(files["gold"], systems, metrics=["errant"], samples=50)
    assert any("errant(reference_edits=auto)" in note for note in compared.notes)
    page = redink.report(files["gold"], systems, files["gold"].parent / "r", bootstrap=0)
    assert any("errant(reference_edits=auto)" in note for note in page.notes)


def test_attacks_score_before_and_after_against_the_same_edits(files: dict[str, Path]) -> None:
    systems = {name: files[name] for name in SYSTEMS}
    options: dict[str, Any] = {"attack": True, "bootstrap": 10}
    alone = redink.meta(files["gold"], systems, metrics=["m2"], **options)
    more = redink.meta(files["gold"], systems, metrics=["m2", "gleu"], **options)
    assert alone.rows == [row for row in more.rows if row["metric"] == "m2"]


def test_fingerprints_of_references_and_of_each_system(files: dict[str, Path]) -> None:
    right, half = files["right"], files["half"]
    for make in (redink.score, redink.detection, redink.compare):
        one = make(files["gold"], {"a": right, "b": half}).signature
        other = make(files["gold"], {"c": half, "a": right}).signature
        assert one["references"] == other["references"]
        assert one["systems"]["a"] == other["systems"]["a"] != one["systems"]["b"]
        assert one["systems"]["b"] == other["systems"]["c"]
        assert list(one["systems"]) == ["a", "b"]
        assert list(other["systems"]) == ["a", "c"]


def test_the_signature_line_of_many_systems_is_short(files: dict[str, Path]) -> None:
    names = "abcdefgh"
    lines = []
    for order in (names, names[::-1]):
        systems = {name: files["right"] if name < "d" else files["half"] for name in order}
        table = redink.score(files["gold"], systems, metrics=["gleu"])
        assert len(table.signature["systems"]) == len(names)
        lines.append(table.to_markdown().strip().splitlines()[-1])
    assert lines[0] == lines[1]
    assert "systems:8#" in lines[0]


def test_a_report_on_texts_refuses_gold_edits_of_a_metric(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="reference texts have no gold edits"):
        redink.report(
            source=["a b ."],
            references=[["a c ."]],
            systems={"half": ["a b ."]},
            output=tmp_path / "report",
            metrics=["m2(reference_edits=gold)"],
        )
    assert not (tmp_path / "report").exists()
