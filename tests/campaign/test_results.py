"""What comes out of a campaign: whose answers count, and what a table can carry."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from campaign_driver import make_campaign
from click.testing import CliRunner
from tests.campaign.conftest import Running, marked_item

import redink
from redink.campaign.campaign_commands import export
from redink.campaign.live_results import make_live_tables
from redink.campaign.results import choose_export, export_answers, make_status, view_items
from redink.campaign.server import Campaign
from redink.campaign.store import Answer, CampaignStore
from redink.cli.main import cli
from redink.errors import RedinkWarning
from redink.inputs import read_judgments
from redink.model import Judgment

Start = Callable[..., Running]


@pytest.fixture
def spammed(start: Start) -> Running:
    """Two careful judges who differ once, and one who always says the same and is excluded."""
    items = [marked_item(n, gold="error" if n < 6 else None) for n in range(1, 16)]
    running = start("crowd", items=items, judges=("alma", "bruno", "spam"), gold_threshold=0.7)
    for name in ("alma", "bruno", "spam"):
        workload = running.server.find(running.judges[name])
        assert workload is not None
        for position in range(15):
            if workload.judge.excluded:
                break
            key = running.item(name, position).key
            label = "error" if int(key[1:]) < 9 or (key, name) == ("i12", "bruno") else "ok"
            running.answer(name, position, label="unknown" if name == "spam" else label)
    assert [s.state for s in running.server.statuses()] == ["active", "active", "excluded"]
    return running


def _agreement(table: redink.Table) -> float:
    (row,) = [row for row in table.rows if row["statistic"] == "observed_agreement"]
    value: float = row["value"]
    return value


def test_excluded_judges_do_not_count(spammed: Running, tmp_path: Path) -> None:
    """Not in what is exported, not on the dashboard; 14 of 15 items are agreed on."""
    answers = export_answers(spammed.server.store)
    assert {answer.judge for answer in answers} == {"alma", "bruno"}
    out = tmp_path / "out.csv"
    table = export(spammed.place, output=out)
    assert "Excluded judges, whose answers are not exported: spam." in table.notes
    assert _agreement(redink.agreement(out)) == pytest.approx(14 / 15)


def test_excluded_judges_can_be_exported_and_are_known(spammed: Running, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    export(spammed.place, output=out, excluded=True)
    assert {j.judge for j in read_judgments(out) if j.excluded} == {"spam"}
    with pytest.warns(RedinkWarning, match="judgments by excluded judges are ignored"):
        assert _agreement(redink.agreement(out)) == pytest.approx(14 / 15)
    with pytest.warns(RedinkWarning, match="by excluded judges"):
        judges = {row["judge"] for row in redink.crowd(out, show="judges").rows}
    assert judges == {"alma", "bruno"}


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("a\tb\rc\nd\0e\x0bf", "a b c d e f"),
        ('=HYPERLINK("http://x.org","in")', '\'=HYPERLINK("http://x.org","in")'),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
        ("-2", "-2"),
        ("+", "+"),
        ("at", "at"),
    ],
)
def test_any_answer_can_be_written_and_none_is_a_formula(
    suffix: str, typed: str, written: str, tmp_path: Path
) -> None:
    judgment = Judgment(item="i", judge=typed, label=typed, extra=(("comment", typed),))
    path = tmp_path / f"out{suffix}"
    with path.open("w", encoding="utf-8") as stream:
        choose_export("judgments", None, suffix)([judgment], stream)
    (back,) = read_judgments(path)
    assert (back.judge, back.label) == (written, written)
    assert back.extra == (("comment", written),)


def test_json_has_what_was_typed(start: Start, tmp_path: Path) -> None:
    running = start("cloze")
    running.answer("alma", 0, label="=1+1")
    out = tmp_path / "out.jsonl"
    arguments = ["campaign", "export", str(running.place), "-o", str(out)]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    assert [judgment.label for judgment in read_judgments(out)] == ["=1+1"]


def test_grades_are_in_order(start: Start) -> None:

    def alpha(grades: dict[str, tuple[str, ...]]) -> float:
        running = start("rate")
        for name, given in grades.items():
            for position in range(3):
                grade = given[running.item(name, position).id - 1]
                running.answer(name, position, grammaticality=grade, fluency="3", meaning="1")
        (table,) = make_live_tables(running.server.store)
        (said,) = [n for n in table.notes if n.startswith("grammaticality: ")]
        assert "Krippendorff's alpha: " in said
        found = {row["measure"]: row["value"] for row in table.rows}
        judgments = export_answers(running.server.store)
        of_one = [j for j in judgments if dict(j.extra)["question"] == "grammaticality"]
        whole = redink.agreement(of_one, scale="ordinal", labels=list("12345"))
        (right,) = [r["value"] for r in whole.rows if r["statistic"] == "krippendorff_alpha"]
        (value,) = [v for m, v in found.items() if m.startswith("gramm") and "Kripp" in m]
        assert value == pytest.approx(right)
        assert not any("Randolph" in measure for measure in found)
        return float(value)

    near = alpha({"alma": ("1", "3", "5"), "bruno": ("2", "3", "4")})
    far = alpha({"alma": ("1", "3", "5"), "bruno": ("5", "3", "1")})
    assert near > 0.5
    assert far < 0


def test_results_of_many_answers_need_little_memory(tmp_path: Path) -> None:
    place, judges, items = tmp_path / "c.db", 20, 500
    make_campaign(place, judges=judges, items=items)
    with closing(CampaignStore.open(place)) as store:
        labels = [{"label": "ok"}, {"label": "error"}]
        answers = [
            Answer(f"s{one.id:06}", one.id, labels[one.item % 2], 1.5, "2026-01-01")
            for one in store.assignments()
        ]
        store.add_answers(answers[: judges * items - 1])
        del answers
        tracemalloc.start()
        table = make_status(Campaign(store))
        write = choose_export("judgments", "csv", "")
        with (tmp_path / "out.csv").open("w") as stream:
            write(export_answers(store), stream)
        views = view_items(Campaign(store))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert sum(row["done"] for row in table.rows) == judges * items - 1
    assert len((tmp_path / "out.csv").read_text().splitlines()) == judges * items
    assert views[2].labels == {"ok": judges}
    assert most < 600 * judges * items  # each answer as a value needs more than 1,000 bytes
