"""The report: one page and its tables, from files."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.commands.report import ReportOptions, make_report, report
from redink.errors import OptionError, RedinkError
from redink.reports.page.rendering import render_report

EXAMPLES = Path(str(files("redink") / "examples"))
PLAIN = ReportOptions(metrics=["errant"], bootstrap=0)


def systems() -> dict[str, Path]:
    return {name: EXAMPLES / f"{name}.txt" for name in ("careful", "eager")}


def test_every_section_is_there_with_its_table(tmp_path: Path) -> None:
    """All sections stand on the page, and each table lies beside it as JSON."""
    table = report(EXAMPLES / "gold.m2", systems(), tmp_path, metrics=["errant"], bootstrap=50)
    assert [row["system"] for row in table.rows] == ["careful", "eager"]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    names = {
        "leaderboard",
        "metrics",
        "types",
        "differences",
        "operations",
        "levels",
        "lengths",
        "multi",
        "detection",
        "annotators",
        "sensitivity",
    }
    for name in names:
        assert f'<section id="{name}">' in page
        content = json.loads((tmp_path / "tables" / f"{name}.json").read_text(encoding="utf-8"))
        assert content["rows"]
    assert {path.stem for path in (tmp_path / "tables").iterdir()} == names


def test_without_a_bootstrap_nothing_is_said_of_intervals() -> None:
    """As explore can be asked to do: no interval in table, chart or words."""
    made = make_report(EXAMPLES / "gold.m2", systems(), contents=PLAIN)
    page = render_report(made.page)
    board = page.partition('<section id="metrics">')[0]
    assert "interval" not in board.partition('<section id="leaderboard">')[2]
    assert "share a letter" not in page


def test_types_of_another_scheme_are_typed_again_everywhere(tmp_path: Path) -> None:
    """Heat map and sentences speak of the same types; the counts stay those of the file."""
    (tmp_path / "gold.m2").write_text(
        "S She have two cat .\nA 1 2|||SVA|||has|||REQUIRED|||-NONE-|||0\n"
        "A 3 4|||Nn|||cats|||REQUIRED|||-NONE-|||0\n",
        encoding="utf-8",
    )
    (tmp_path / "s.txt").write_text("She has two cat .\n", encoding="utf-8")
    made = make_report(tmp_path / "gold.m2", {"s": tmp_path / "s.txt"}, contents=PLAIN)
    index = made.page.sentences
    assert set(index.types) == {"R:VERB:SVA", "R:NOUN:NUM"}
    _, gold, judged = index.sentence(0)
    assert [index.types[edit[3]] for edit in gold["0"]] == ["R:VERB:SVA", "R:NOUN:NUM"]
    assert [(index.types[edit[3]], edit[4]) for edit in judged[0]] == [
        ("R:VERB:SVA", 0),
        ("R:NOUN:NUM", 2),
    ]
    assert {row["tp"] for row in made.board.rows} == {1}


def test_the_same_seed_gives_the_same_page(tmp_path: Path) -> None:
    """Byte for byte."""
    for name in ("one", "two"):
        report(EXAMPLES / "gold.m2", systems(), tmp_path / name, metrics=["errant"], bootstrap=50)
    one, two = ((tmp_path / name / "report.html").read_bytes() for name in ("one", "two"))
    assert one == two


def test_text_is_escaped_wherever_it_stands(tmp_path: Path) -> None:
    """Hostile names, titles and sentences come out as text."""
    hostile = "<script>alert(1)</script> </script> <!--<script> {{ report }} here ."
    (tmp_path / "gold.m2").write_text(
        f"S {hostile}\nA 0 1|||R:OTHER|||</script>|||REQUIRED|||-NONE-|||0\n", encoding="utf-8"
    )
    (tmp_path / "s.txt").write_text(f"{hostile}\n", encoding="utf-8")
    out = tmp_path / "out"
    report(
        tmp_path / "gold.m2",
        {"<b>x</b>": tmp_path / "s.txt"},
        out,
        metrics=["errant"],
        bootstrap=10,
        title="<i>t</i>",
    )
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<b>x</b>" not in page.split('id="data"')[0]
    assert "<i>t</i>" not in page
    data = page.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["sentences"][0][0] == hostile


def test_one_annotator_leaves_out_agreement_and_says_so(tmp_path: Path) -> None:
    """The rest of the report is still made."""
    text = "S a b .\nA 0 1|||R:OTHER|||c|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "gold.m2").write_text(text, encoding="utf-8")
    (tmp_path / "s.txt").write_text("c b .\n", encoding="utf-8")
    table = report(
        tmp_path / "gold.m2",
        {"s": tmp_path / "s.txt"},
        tmp_path / "out",
        metrics=["errant"],
        bootstrap=10,
    )
    assert any("at least two annotators" in note for note in table.notes)


def test_a_name_of_a_page_gets_the_page_alone(tmp_path: Path) -> None:
    """``-o mine.html`` is what people type who want one file to send."""
    both = [tmp_path / "folder", tmp_path / "mine.html"]
    said = [
        report(EXAMPLES / "gold.m2", systems(), place, metrics=["errant"], bootstrap=0).notes[-1]
        for place in both
    ]
    assert said == [f"the report: {both[0] / 'report.html'}", f"the report: {both[1]}"]
    assert (both[0] / "report.html").read_bytes() == both[1].read_bytes()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """One sentence, nothing written."""
    place = tmp_path / "taken"
    place.write_text("mine", encoding="utf-8")
    with pytest.raises(RedinkError, match="taken"):
        report(EXAMPLES / "gold.m2", systems(), place, metrics=["errant"], bootstrap=10)
    assert place.read_text(encoding="utf-8") == "mine"


def test_one_bootstrap_sample_is_refused(tmp_path: Path) -> None:
    """Its interval would have no width; 0 is for no intervals."""
    with pytest.raises(OptionError, match=r"bootstrap must be 0 .* or at least 2, not 1"):
        report(EXAMPLES / "gold.m2", systems(), tmp_path / "out", bootstrap=1)


def test_a_lead_that_is_not_significant_is_not_called_equality(tmp_path: Path) -> None:
    """A test that finds no difference has not shown that there is none."""
    text = "".join(f"S a{n} b .\nA 0 1|||R:OTHER|||c|||REQUIRED|||-NONE-|||0\n\n" for n in range(9))
    (tmp_path / "gold.m2").write_text(text, encoding="utf-8")
    for name, right in (("one", 5), ("two", 4)):
        lines = ["c b .\n" if n < right else f"a{n} b .\n" for n in range(9)]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    contents = ReportOptions(metrics=["errant"], bootstrap=50)
    made = make_report(
        tmp_path / "gold.m2", {n: tmp_path / n for n in ("one", "two")}, contents=contents
    )
    said = dict(made.page.answers)["Is the lead significant?"]
    assert said == "No: two is not significantly different (p ≥ .05)."
    page = render_report(made.page)
    assert "are not significantly different (p ≥ .05)" in page
    assert not any(words in page for words in ("do not differ", "told apart", "certain?"))


def test_the_top_answers_at_a_glance() -> None:
    """Who leads, is the lead significant, and where do the best two differ; rates in percent."""
    contents = ReportOptions(metrics=["errant"], bootstrap=50)
    made = make_report(EXAMPLES / "gold.m2", systems(), contents=contents)
    answers = dict(made.page.answers)
    assert list(answers)[:2] == ["Who leads?", "Is the lead significant?"]
    assert answers["Who leads?"].startswith("careful: F0.5 74.5 (95 %: ")
    assert any(question.startswith("Where does careful differ from eager") for question in answers)
    page = render_report(made.page)
    assert '<dl class="answers">' in page
    assert "0.7450" not in page


def test_differences_are_those_of_the_scores() -> None:
    """Of every pair, with intervals of paired samples around them."""
    contents = ReportOptions(metrics=["errant", "gleu"], bootstrap=50)
    three = systems() | {"speller": EXAMPLES / "speller.txt"}
    made = make_report(EXAMPLES / "gold.m2", three, contents=contents)
    tables = {section.id: section.table for section in made.page.sections}
    f = {row["system"]: row["f"] for row in tables["leaderboard"].rows}
    table = tables["differences"]
    assert table.column_names[:5] == ["type", "gold", "careful", "eager", "difference"]
    everything = table.rows[0]
    assert everything["type"] == "all"
    assert everything["difference"] == pytest.approx(f["careful"] - f["eager"])
    assert everything["low"] < everything["difference"] < everything["high"]
    intervals = table.extra["intervals"]
    assert set(intervals) == {("careful", "eager"), ("careful", "speller"), ("eager", "speller")}
    assert all(len(known) == len(table.rows) for known in intervals.values())
    by_gleu = made.page.sections[0].views[1]
    assert by_gleu.name == "gleu"
    assert by_gleu.answers[0][0] == "Who leads by gleu?"
    assert {"low", "high", "group"} <= set(by_gleu.table.column_names)


def test_error_types_are_rows_by_frequency() -> None:
    """All types first, then the most frequent; with how many gold edits there are."""
    made = make_report(EXAMPLES / "gold.m2", systems(), contents=PLAIN)
    (types,) = [section.table for section in made.page.sections if section.id == "types"]
    assert types.column_names == ["type", "gold", "careful", "eager"]
    assert types.rows[0]["type"] == "all"
    gold = [row["gold"] for row in types.rows[1:]]
    assert gold == sorted(gold, reverse=True)


def test_reference_edits_are_those_of_score(tmp_path: Path) -> None:
    """The leaderboard is what ``score`` gives for the same choice, and texts stay the same."""
    choice: dict[str, Any] = {"metrics": ["errant", "gleu"], "reference_edits": "auto"}
    report(EXAMPLES / "gold.m2", systems(), tmp_path, bootstrap=0, **choice)
    rows = json.loads((tmp_path / "tables" / "leaderboard.json").read_text())["rows"]
    table = redink.score(EXAMPLES / "gold.m2", systems(), **choice)
    assert [row["f"] for row in rows] == table["f"][:2]
    rows = json.loads((tmp_path / "tables" / "metrics.json").read_text())["rows"]
    assert sorted(row["gleu"] for row in rows) == sorted(table["score"][2:])


def test_short_and_long_sentences_are_scored_apart(tmp_path: Path) -> None:
    """All sentences are in a part, and systems stand in the order of the leaderboard."""
    report(EXAMPLES / "gold.m2", systems(), tmp_path, metrics=["errant"], bootstrap=0)
    found = json.loads((tmp_path / "tables" / "lengths.json").read_text(encoding="utf-8"))
    assert found["columns"] == ["tokens", "sentences", "careful", "eager"]
    assert [row["tokens"] for row in found["rows"]] == ["1 to 9", "10 to 19", "20 to 29"]
    assert sum(row["sentences"] for row in found["rows"]) == 64
