"""A table as Python users have it: rows, columns, other libraries, and itself shown."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pytest

from redink.errors import DataError, MissingExtraError, OptionError
from redink.model import Column, DisplayOptions, Shown, columns_of, make_table, table_of

SCORES = make_table(
    ["system", Column("tp", "count"), Column("f", "rate", best="max")],
    [{"system": "a", "tp": 3, "f": 0.25}, {"system": "b", "tp": 1, "f": None}],
    notes=["A note."],
    signature={"redink": "0", "command": "score", "seed": 7},
)


def test_rows_and_columns() -> None:
    assert len(SCORES) == 2
    assert SCORES["f"] == [0.25, None]
    assert SCORES[0] == {"system": "a", "tp": 3, "f": 0.25}
    assert [row["system"] for row in SCORES] == ["a", "b"]
    with pytest.raises(KeyError, match="unknown column 'x'; expected one of: system, tp, f"):
        SCORES["x"]


def test_print_looks_like_the_terminal() -> None:
    lines = str(SCORES).splitlines()
    assert lines[0].split() == ["system", "TP", "F"]
    assert lines[2].split() == ["a", "3", "0.2500"]
    assert lines[-2] == "A note."
    assert re.fullmatch("redink 0 · score · seed 7 · sig [0-9a-f]{8}", lines[-1])
    assert repr(SCORES) == str(SCORES)


def test_a_notebook_shows_html() -> None:
    shown = SCORES._repr_html_()
    assert '<td class="rate">0.2500</td>' in shown
    assert "A note." in shown


def test_every_form_has_its_method() -> None:
    assert json.loads(SCORES.to_json())["rows"][1] == {"system": "b", "tp": 1, "f": None}
    assert SCORES.to_csv() == "system,tp,f\na,3,0.25\nb,1,\n"
    assert SCORES.to_tsv().startswith("system\ttp\tf\n")
    assert SCORES.to_markdown().startswith("| system | TP | F |")
    assert "\\begin{tabular}" in SCORES.to_latex()
    assert "<table>" in SCORES.to_html()
    with pytest.raises(
        OptionError, match="unknown output format 'word'; expected one of: table, json"
    ):
        SCORES.render("word")


@pytest.mark.parametrize(
    ("name", "begins"),
    [("x.csv", "system,tp"), ("x.json", "{"), ("x.md", "| system"), ("x.txt", " system")],
)
def test_suffix_decides_the_form(tmp_path: Path, name: str, begins: str) -> None:
    SCORES.save(tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins.rstrip())
    SCORES.save(tmp_path / name, "tsv")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith("system\ttp")


def test_to_pandas_and_polars() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed: to_pandas is not tried")
    pytest.importorskip("polars", reason="polars is not installed: to_polars is not tried")
    frame, other = SCORES.to_pandas(), SCORES.to_polars()
    assert list(frame.columns) == other.columns == ["system", "tp", "f"]
    assert frame["f"].isna().tolist() == [False, True]
    assert frame.attrs["signature"] == SCORES.signature
    assert other["f"].to_list() == [0.25, None]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, library, None)
    with pytest.raises(MissingExtraError, match=f"pip install {library}"):
        getattr(SCORES, f"to_{library}")()


def test_a_table_without_a_plot_says_so(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="has no plot"):
        SCORES.plot(tmp_path / "x.png")
    with pytest.raises(OptionError, match="a plot file must end in"):
        SCORES.plot(tmp_path / "x.doc")


@dataclass(frozen=True)
class Line:
    system: str
    wins: int
    share: Annotated[float | None, Shown(best="max")]
    p: Annotated[float | None, Shown("p", title="sign test")]
    low: Annotated[float | None, Shown(optional=True)] = None
    extra: dict[str, Any] = field(default_factory=dict)


def test_records_carry_their_columns() -> None:
    assert columns_of(Line)[:4] == [
        Column("system"),
        Column("wins", "count"),
        Column("share", "rate", "max"),
        Column("p", "p", None, "sign test"),
    ]
    table = table_of([Line("a", 3, 0.5, None)], title="Wins")
    assert table.column_names == ["system", "wins", "share", "p"]
    assert table_of([Line("a", 3, 0.5, None, low=0.1)]).column_names[-1] == "low"
    more = table_of([Line("a", 3, 0.5, None, extra={"data": "x"})], extra_columns=[Column("data")])
    assert more[0]["data"] == "x"
    assert table_of([], Line).column_names == ["system", "wins", "share", "p"]
    with pytest.raises(DataError, match="class of its rows"):
        table_of([])


@dataclass(frozen=True)
class Part:
    from_: float
    draws: Annotated[list[float], Shown(hidden=True)]


def test_some_fields_are_not_columns_of_their_name() -> None:
    table = table_of([Part(0.5, [1, 2])])
    assert table.column_names == ["from"]
    assert table.rows == [{"from": 0.5}]


ARRANGED = make_table(
    [
        *("metric", "system"),
        *(Column("tp", "count"), Column("f", "rate", "max"), Column("cost", "rate", "min")),
        Column("p", "p"),
    ],
    [
        {"metric": "m2", "system": "b", "tp": 2, "f": 0.5, "cost": 0.2, "p": 0.9},
        {"metric": "m2", "system": "a", "tp": 3, "f": 0.4, "cost": 0.3, "p": 0.01},
        {"metric": "m2", "system": "c", "tp": 1, "f": 0.3, "cost": 0.1, "p": None},
        {"metric": "gleu", "system": "a", "f": 0.7},
        {"metric": "gleu", "system": "c", "f": 0.6},
        {"metric": "gleu", "system": "b", "f": 0.5},
    ],
    groups="metric",
    extra={"systems": ["c", "b", "a"]},
)


@pytest.mark.parametrize(
    ("by", "order"),
    [
        (None, "bac acb"),  # as in the table
        ("none", "cba cba"),  # as in the input
        ("name", "abc abc"),
        ("m2", "bac bac"),
        ("gleu", "acb acb"),
        ("tp", "abc acb"),  # undefined for GLEU
        ("f", "bac acb"),
        ("cost", "cba acb"),  # the lowest is the best
        ("p", "abc acb"),  # the most significant first, then undefined ones
        ("system", "abc abc"),
    ],
)
def test_rows_are_sorted_within_each_metric(by: str | None, order: str) -> None:
    """Under every metric; the order is the same in JSON, CSV and every other format."""
    table = ARRANGED.arrange(DisplayOptions(sort=by))
    assert "".join(table["system"]) == order.replace(" ", "")
    assert [row["system"] for row in json.loads(table.to_json())["rows"]] == table["system"]
    assert table["metric"] == ARRANGED["metric"]


def test_columns_are_chosen() -> None:
    table = ARRANGED.arrange(DisplayOptions(columns=("system", "f", "tp"), percent=True, digits=0))
    assert table.column_names == ["system", "f", "tp"]
    assert table.to_csv().splitlines()[:2] == ["system,f,tp", "b,0.5,2"]
    assert table.to_markdown().splitlines()[:3] == [
        "| system | F | TP |",
        "|:---|---:|---:|",
        "| b | **50** | 2 |",
    ]
    assert list(json.loads(table.to_json())["rows"][0]) == ["system", "f", "tp"]
    assert r"system & F & TP \\" in table.to_latex()


def test_an_unknown_column_or_order_has_a_suggestion() -> None:
    with pytest.raises(OptionError, match="unknown column 'systm'; did you mean 'system'"):
        ARRANGED.arrange(DisplayOptions(columns=("systm",)))
    with pytest.raises(OptionError, match="unknown order 'gleuu'; did you mean 'gleu'"):
        ARRANGED.arrange(DisplayOptions(sort="gleuu"))


def test_clusters_do_not_keep_systems_apart() -> None:
    """A cluster is a part of the ranking, so another order has none; case does not matter."""
    rows = [{"system": "b", "cluster": 1}, {"system": "INPUT", "cluster": 2}]
    rows.append({"system": "a", "cluster": 3})
    table = make_table(["system", "cluster"], rows, groups="cluster")
    assert table.arrange(DisplayOptions(sort="name"))["system"] == ["a", "b", "INPUT"]
    assert table.arrange(DisplayOptions(columns=("system",)))["system"] == ["b", "INPUT", "a"]
