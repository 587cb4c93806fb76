"""The report: one page and its tables, from files."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

import redink
from redink.commands.report import Reported, ReportOptions, make_report, report
from redink.errors import OptionError, RedinkError
from redink.reports.page.rendering import render_report

EXAMPLES = Path(str(files("redink") / "examples"))
PLAIN = ReportOptions(metrics=["errant"], bootstrap=0)


GOLD = EXAMPLES / "gold.m2"
SYSTEMS = {name: EXAMPLES / f"{name}.txt" for name in ("careful", "eager", "speller")}
SECTIONS = {
    *("leaderboard", "metrics", "types", "differences", "operations", "levels", "lengths"),
    *("multi", "detection", "profile", "annotators", "sensitivity"),
}


@pytest.fixture(scope="module")
def made() -> Reported:
    contents = ReportOptions(metrics=["errant", "gleu"], bootstrap=50)
    return make_report(GOLD, SYSTEMS, contents=contents)


def table_of(made: Reported, name: str) -> redink.Table:
    return next(section.table for section in made.page.sections if section.id == name)


def write(folder: Path, gold: str, **systems: str) -> tuple[Path, dict[str, Path]]:
    for name, text in {"gold.m2": gold, **systems}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "gold.m2", {name: folder / name for name in systems}


EDIT = "|||REQUIRED|||-NONE-|||0\n"


def test_every_section_is_there_with_its_table(tmp_path: Path) -> None:
    """All sections are on the page, each table is next to it as JSON; same seed, same bytes.

    A name of a page gets only the page.
    """
    options = {"metrics": ["errant"], "bootstrap": 50}
    paths = [tmp_path / "folder", tmp_path / "mine.html"]
    tables = [report(GOLD, SYSTEMS, path, **options) for path in paths]
    assert [table.notes[0] for table in tables] == [
        f"report written to {paths[0] / 'report.html'}",
        f"report written to {paths[1]}",
    ]
    assert [row["system"] for row in tables[0].rows][:2] == ["careful", "eager"]
    page = (paths[0] / "report.html").read_text(encoding="utf-8")
    assert paths[1].read_text(encoding="utf-8") == page
    for name in SECTIONS:
        assert f'<section id="{name}">' in page
        content = json.loads((paths[0] / "tables" / f"{name}.json").read_text(encoding="utf-8"))
        assert content["rows"]
    assert {path.stem for path in (paths[0] / "tables").iterdir()} == SECTIONS


def test_without_a_bootstrap_nothing_is_said_of_intervals() -> None:
    page = render_report(make_report(GOLD, SYSTEMS, contents=PLAIN).page)
    board = page.partition('<section id="metrics">')[0]
    assert "interval" not in board.partition('<section id="leaderboard">')[2]
    assert "share a letter" not in page


def test_types_of_another_scheme_are_typed_again_everywhere(tmp_path: Path) -> None:
    gold = f"S She have two cat .\nA 1 2|||SVA|||has{EDIT}A 3 4|||Nn|||cats{EDIT}"
    made = make_report(*write(tmp_path, gold, s="She has two cat .\n"), contents=PLAIN)
    index = made.page.sentences
    assert set(index.types) == {"R:VERB:SVA", "R:NOUN:NUM"}
    _, annotated, judged = index.sentence(0)
    assert [index.types[edit[3]] for edit in annotated["0"]] == ["R:VERB:SVA", "R:NOUN:NUM"]
    verdicts = [(index.types[edit[3]], edit[4]) for edit in judged[0]]
    assert verdicts == [("R:VERB:SVA", 0), ("R:NOUN:NUM", 2)]
    assert {row["tp"] for row in made.board.rows} == {1}


def test_text_is_escaped_and_a_missing_section_is_named(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script> </script> <!--<script> {{ report }} here ."
    gold, systems = write(tmp_path, f"S {hostile}\nA 0 1|||R:OTHER|||</script>{EDIT}", s=hostile)
    contents = ReportOptions(metrics=["errant"], bootstrap=10, title="<i>t</i>")
    made = make_report(gold, {"<b>x</b>": systems["s"]}, contents=contents)
    page = render_report(made.page)
    assert "<b>x</b>" not in page.split('id="data"')[0]
    assert "<i>t</i>" not in page
    data = page.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["sentences"][0][0] == hostile
    assert any("at least two annotators" in note for note in made.board.notes)


def test_a_report_that_cannot_be_made(tmp_path: Path) -> None:
    place = tmp_path / "taken"
    place.write_text("mine", encoding="utf-8")
    with pytest.raises(RedinkError, match="taken"):
        report(GOLD, SYSTEMS, place, metrics=["errant"], bootstrap=10)
    assert place.read_text(encoding="utf-8") == "mine"
    with pytest.raises(OptionError, match=r"bootstrap must be 0 .* or at least 2, not 1"):
        report(GOLD, SYSTEMS, tmp_path / "out", bootstrap=1)


def test_a_lead_that_is_not_significant_is_not_called_equality(tmp_path: Path) -> None:
    gold = "".join(f"S a{n} b .\nA 0 1|||R:OTHER|||c{EDIT}\n" for n in range(9))
    texts = {
        name: "".join("c b .\n" if n < right else f"a{n} b .\n" for n in range(9))
        for name, right in (("one", 5), ("two", 4))
    }
    contents = ReportOptions(metrics=["errant"], bootstrap=50)
    made = make_report(*write(tmp_path, gold, **texts), contents=contents)
    said = dict(made.page.answers)["Is the lead significant?"]
    assert said == "No: two is not significantly different (p ≥ .05)."


def test_the_top_answers_at_a_glance(made: Reported) -> None:
    answers = dict(made.page.answers)
    assert list(answers)[:2] == ["Who leads?", "Is the lead significant?"]
    assert answers["Who leads?"].startswith("careful: F0.5 74.5 (95%: ")
    assert any(question.startswith("Where does careful differ from eager") for question in answers)
    assert "0.7450" not in render_report(made.page)
    by_gleu = made.page.sections[0].views[1]
    assert (by_gleu.name, by_gleu.answers[0][0]) == ("gleu", "Who leads by gleu?")
    assert {"low", "high", "group"} <= set(by_gleu.table.column_names)


def test_differences_are_those_of_the_scores(made: Reported) -> None:
    f = {row["system"]: row["f"] for row in table_of(made, "leaderboard").rows}
    table = table_of(made, "differences")
    assert table.column_names[:5] == ["type", "gold", "careful", "eager", "difference"]
    everything = table.rows[0]
    assert everything["type"] == "all"
    assert everything["difference"] == pytest.approx(f["careful"] - f["eager"])
    assert everything["low"] < everything["difference"] < everything["high"]
    intervals = table.extra["intervals"]
    assert set(intervals) == {("careful", "eager"), ("careful", "speller"), ("eager", "speller")}
    assert all(len(known) == len(table.rows) for known in intervals.values())


def test_types_and_lengths(made: Reported) -> None:
    types = table_of(made, "types")
    assert types.column_names == ["type", "gold", *SYSTEMS]
    assert types.rows[0]["type"] == "all"
    gold = [row["gold"] for row in types.rows[1:]]
    assert gold == sorted(gold, reverse=True)
    lengths = table_of(made, "lengths")
    assert lengths.column_names == ["tokens", "sentences", *SYSTEMS]
    assert lengths["tokens"] == ["1 to 9", "10 to 19", "20 to 29"]
    assert sum(lengths["sentences"]) == 64
