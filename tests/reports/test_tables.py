"""A table in every output form: nothing is lost, and nothing is taken for markup."""

from __future__ import annotations

import csv
import html
import html.parser
import io
import json
import re
import shutil
import string
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import redink
from redink.errors import OptionError
from redink.model import Column, DisplayOptions, Table, make_table
from redink.model.tables import FORMS
from redink.reports.latex import to_latex
from redink.reports.table_formats import read_blocks, to_markdown

SCORES = make_table(
    [
        Column("system"),
        Column("f", "rate", best="max", title="F0.5"),
        Column("tp", "count"),
        Column("p", "p"),
    ],
    [
        {"system": "A_1 & co", "f": 0.25, "tp": 3, "p": 0.0001},
        {"system": "B|2", "f": -0.5, "tp": 3.5, "p": None},
    ],
    notes=["A note\non two lines, 100 % of it."],
    signature={"redink": "0", "seed": 1},
    title="Both",
)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.none() | st.booleans() | NUMBERS | TEXT


@st.composite
def tables(draw: st.DrawFn, text: st.SearchStrategy[str] = TEXT) -> Table:
    """Any columns, rows, notes and signature, with or without groups."""
    names = draw(st.lists(text.filter(bool), min_size=1, max_size=4, unique=True))
    kinds = st.sampled_from(["text", "count", "rate", "score", "p"])
    columns = [
        Column(name, draw(kinds), draw(st.sampled_from([None, "max", "min"])))  # type: ignore[arg-type]
        for name in names
    ]
    cell = VALUES if text is TEXT else st.none() | st.floats(-9, 9) | text
    rows = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(names, cell)), max_size=4))
    groups = draw(st.sampled_from([None, names[0]]))
    notes = draw(st.lists(text, max_size=2))
    return make_table(columns, rows, notes=notes, signature={"k": draw(text)}, groups=groups)


@given(tables(), st.sampled_from(sorted({*FORMS.names} - {"junit"})))
def test_any_table_renders_in_any_form(table: Table, form: str) -> None:
    assert table.render(form).endswith("\n")


@given(tables())
def test_json_is_the_table(table: Table) -> None:
    found = json.loads(table.render("json"))
    assert list(found) == ["signature", "notes", "columns", "rows"]
    assert found["columns"] == table.column_names
    assert found["rows"] == table.rows
    assert found["notes"] == list(table.notes)


@given(tables(), st.sampled_from([("csv", ","), ("tsv", "\t")]))
def test_delimited_text_parses_back(table: Table, form: tuple[str, str]) -> None:
    text = table.render(form[0])
    found = list(csv.reader(io.StringIO(text, newline=""), delimiter=form[1]))
    wanted = [
        ["" if row[n] is None else str(row[n]) for n in table.column_names] for row in table.rows
    ]
    assert found[0] == table.column_names
    # csv leaves out a row whose only cell is empty
    assert [row for row in found[1:] if row] == [
        row for row in wanted if row != [""] or [""] in found
    ]


def cells_of(line: str) -> list[str]:
    return re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]


@given(tables())
def test_markdown_has_a_cell_for_every_column(table: Table) -> None:
    lines = to_markdown(table).split("\n")
    rows = lines[: 2 + len(table.rows)]
    assert all(line.startswith("|") for line in rows)
    assert {len(cells_of(line)) for line in rows} == {len(table.columns)}


class _Cells(html.parser.HTMLParser):
    """Collects the text of the cells, row by row, and the tags that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & {*self.open}:
            self.rows[-1][-1] += data


@given(tables())
def test_html_is_well_formed_and_its_cells_are_text(table: Table) -> None:
    parser = _Cells()
    parser.feed(table.render("html"))
    parser.close()
    assert parser.open == []
    assert parser.rows[0] == [column.heading for column in table.columns]
    assert len(parser.rows) == 1 + len(table.rows)
    for shown, row in zip(parser.rows[1:], table.rows, strict=True):
        for text, name in zip(shown, table.column_names, strict=True):
            if isinstance(row[name], str):
                assert text == row[name]


def test_forms_by_hand() -> None:
    assert to_markdown(SCORES).splitlines() == [
        "**Both**",
        "",
        "| system | F0.5 | TP | p |",
        "|:---|---:|---:|---:|",
        "| A_1 &amp; co | **0.2500** | 3 | &lt;.001 |",
        r"| B\|2 | -0.5000 | 3.50 | – |",
        "",
        "A note on two lines, 100 % of it.",
        "",
        "`redink:0 | seed:1`",
    ]
    assert to_latex(SCORES).splitlines() == [
        r"% needs \usepackage{booktabs}",
        "% A note on two lines, 100 % of it.",
        "% redink:0 | seed:1",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"system & F$_{0.5}$ & TP & p \\",
        r"\midrule",
        r"A\_1 \& co & \textbf{0.2500} & 3 & \textless{}.001 \\",
        r"B\textbar{}2 & $-$0.5000 & 3.50 & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert '<td class="rate"><strong>0.2500</strong></td>' in SCORES.render("html")
    with pytest.raises(OptionError, match="unknown output format 'word'"):
        SCORES.render("word")


@pytest.mark.parametrize(
    "note", ["* p < .05, ** p < .01", "- no", "# rank", "1. one", "2) two", "> 1"]
)
def test_a_note_is_not_markup(note: str) -> None:
    text = to_markdown(make_table(["a"], [{"a": 1}], notes=[note]))
    shown = MarkdownIt().enable("table").render(text)
    assert html.unescape(shown).rstrip().endswith(f"<p>{note}</p>")


@given(tables(st.text(string.printable, max_size=12)))
def test_latex_has_no_bare_special_character(table: Table) -> None:
    for line in to_latex(table).splitlines():
        if line.startswith("%"):
            continue
        rest = re.sub(
            r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar)\{\}|"
            r"\\[&%$#_{}]|\{[\[*]\}|\$-\$|F\$_\{[0-9.]+\}\$|"
            r"^\\resizebox\{\\textwidth\}\{!\}\{%$|-\{\}(?=-)|\$\^\{\\mathrm\{[a-z]+\}\}\$",
            "",
            line,
        )
        rest = re.sub(r"\\textbf\{([^{}]*)\}", r"\1", rest)
        rest = re.sub(r"\\(toprule|midrule|bottomrule|addlinespace|medskip|noindent)$", "", rest)
        rest = re.sub(r"\\(begin|end)\{tabular\}(\{[lr]+\})?\}?$", "", rest).removesuffix(r"\\")
        assert not set(rest) & set("\\%$#_{}~^*["), line
        assert rest.count("&") < len(table.columns)


NASTY = make_table(
    [Column(r"50% of $x_1$ & {all} ~#^\ "), Column("value", "score", best="max")],
    [
        {r"50% of $x_1$ & {all} ~#^\ ": text, "value": value}
        for text, value in (
            ("[in brackets]", -1.0),
            ("*starred", 0.5),
            (string.punctuation, None),
            ("\N{BLACK STAR} \N{DOUBLE DAGGER} \N{EM DASH} \N{GREEK SMALL LETTER KAPPA}", 0.1),
            ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", 0.2),
        )
    ],
    notes=["100 % \\end{document}\nof \\this"],
)


MANY = make_table(
    ["system", *(Column(f"column {n}", "score") for n in range(12))],
    [
        {"system": name, **{f"column {n}": n / 12 for n in range(12)}}
        for name in ("GECToR", "T5", "Riken-Tohoku")
    ],
)


LONG = make_table(
    ["name", Column("value", "score", best="max")],
    [{"name": f"system {n}", "value": n / 100} for n in range(100)],
)


def test_latex_floats() -> None:
    """All blocks of a table share the caption; a wide one is scaled and spans both columns."""
    lines = to_latex(MANY).splitlines()
    assert (lines[1], lines[-1]) == (r"\resizebox{\textwidth}{!}{%", r"\end{tabular}}")
    rows = [
        {"system": "A", "metric": name, "f": 0.5, "rank": 1, "tp": 1, "fp": 1, "fn": 1}
        for name in ("errant", "m2")
    ]
    columns = ["system", "metric", Column("f", "rate")]
    table = make_table(columns, rows, view="scores")
    text = to_latex(replace(table, display=DisplayOptions(caption="All", label="tab:all")))
    assert text.count(r"\begin{tabular}") == 2
    assert text.count(r"\caption{All}") == text.count(r"\label{tab:all}") == 1
    assert r"\begin{table*}" in to_latex(replace(MANY, display=DisplayOptions(caption="All")))


def test_every_command_has_a_caption_and_a_label() -> None:
    examples = Path(redink.__file__).parent / "examples"
    rankings, display = examples / "rankings.xml", {"caption": "Ours", "label": "tab:ours"}
    for table in (
        redink.rank(rankings, bootstrap=50, **display),
        redink.metrics(**display),
        redink.compare(
            examples / "gold.m2",
            [examples / "careful.txt", examples / "eager.txt"],
            metrics=["gleu", "m2"],
            samples=20,
            **display,
        ),
    ):
        text = table.to_latex()
        assert text.count(r"\caption{Ours}") == text.count(r"\label{tab:ours}") == 1
        assert text.count(r"\begin{table") == 1


def test_latex_minus_and_intervals() -> None:
    """A minus is a minus, also in an interval or before stars; zero has none; numbers align."""
    columns = ["name", Column("d", "score"), Column("stars"), "interval", Column("s", "count")]
    names = ("name", "d", "stars", "interval", "s")
    rows = [
        ("a-b", -0.25, "**", "-0.5 \N{EN DASH} -0.1", "-1.5"),
        ("--x", -0.00001, " ", "0.1 \N{EN DASH} 0.2", "1.5"),
    ]
    made = [dict(zip(names, row, strict=True)) for row in rows]
    lines = to_latex(make_table(columns, made)).splitlines()
    assert lines[1] == r"\begin{tabular}{lrrr}"
    assert lines[5] == r"a-b & $-$0.2500$^{**}$ & $-$0.5 -- $-$0.1 & $-$1.5 \\"
    assert lines[6] == r"-{}-x & 0.0000\phantom{$^{**}$} & 0.1 -- 0.2 & 1.5 \\"


def test_what_stars_mean_is_printed() -> None:
    notes = ["12 items", "a cell: a difference; * p < .05"]
    table = make_table(["name"], [{"name": "A"}], notes=notes)
    legend = r"{\footnotesize A cell: a difference; {*} p \textless{} .05.\par}"
    assert to_latex(table).splitlines()[-2:] == [r"\par\smallskip", legend]
    assert "12 items" not in to_latex(table).replace("% 12 items", "")
    inside = to_latex(replace(table, display=DisplayOptions(caption="All"))).splitlines()
    assert inside[-3:] == [legend, r"\caption{All}", r"\end{table}"]


def test_latex_writes_names_as_papers_do() -> None:
    columns = ["system", Column("f", "rate", title="F0.5", over="m2"), Column("gleu", "score")]
    table = make_table(columns, [{"system": "errant"}])
    text = to_latex(table)
    assert r" & \multicolumn{1}{c}{M$^2$} &  \\" in text
    assert r"system & F$_{0.5}$ & GLEU \\" in text
    assert "errant & --" in text


def test_latex_compiles(tmp_path: Path) -> None:
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("no LaTeX compiler (pdflatex) on this machine")
    examples = Path(redink.__file__).parent / "examples"
    gold, rankings = examples / "gold.m2", examples / "rankings.xml"
    systems = {name: examples / f"{name}.txt" for name in ("careful", "eager", "speller")}
    more = systems | {f"{name}-with-a-long-name": path for name, path in systems.items()}
    scores = redink.score(gold, systems | {"INPUT": examples / "source.txt"})
    made: list[Table] = [
        SCORES,
        NASTY,
        MANY,
        scores,
        replace(scores, display=DisplayOptions(caption="100 % of it", label="tab:all")),
        redink.score(gold, more, wide=True, percent=True, digits=1),
        redink.score(gold, more, wide=True, bootstrap=50, percent=True, caption="Intervals"),
        redink.compare(gold, more, metrics=["errant", "gleu"], wide=True, samples=50),
        redink.compare(gold, more, metrics=["gleu"], wide=True, baseline="eager", samples=50),
        redink.score(gold, more, metrics=["errant", "m2"], by="type"),
        redink.compare(gold, more, metrics=["errant"], samples=50),
        redink.compare(gold, systems, metrics=["errant"], baseline="eager", samples=50),
        redink.rank(rankings, bootstrap=50),
        redink.rank(rankings, show="head-to-head", bootstrap=50),
        redink.meta(rankings, scores),
        redink.detection(gold, systems),
        redink.metrics(),
        redink.reproduce(["chodorow-2012", "tetreault-chodorow-2008"], data=tmp_path),
        LONG,
    ]
    body = "\n\n\\noindent\n".join(to_latex(table) for table in made)
    source = tmp_path / "tables.tex"
    source.write_text(
        "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n\\noindent\n"
        f"{body}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    arguments = [compiler, "-interaction=nonstopmode", "-halt-on-error", source]
    run = subprocess.run(arguments, cwd=tmp_path, capture_output=True, check=False, text=True)
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "tables.pdf").read_bytes().startswith(b"%PDF")
    assert "Missing character" not in run.stdout
    assert re.findall(r"Overfull \\.box \(\S+", run.stdout) == []


@pytest.mark.parametrize("name", ["FORCE_COLOR", "TTY_COMPATIBLE", "JPY_PARENT_PID"])
def test_text_is_plain_whatever_the_surroundings_say(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = str(SCORES)
    monkeypatch.setenv(name, "1")
    assert str(SCORES) == before
    assert "\x1b" not in before


def test_a_measure_stands_beside_its_limits() -> None:
    names = ("precision", "f", "tp", "precision_low", "precision_high", "f_low", "f_high")
    table = make_table(["system", *(Column(name, "rate") for name in names)], [])
    table = replace(table, signature={"beta": 0.5})
    (shown,) = read_blocks(table)
    assert [column.name for column in shown.columns] == [
        *("system", "precision", "precision_low", "precision_high", "f", "f_low", "f_high", "tp")
    ]
    assert [column.heading for column in shown.columns if column.over == "F0.5"] == [
        *("value", "low", "high")
    ]
    one = replace(table, columns=tuple(c for c in table.columns if "precision" in c.name))
    assert [column.heading for column in read_blocks(one)[0].columns] == ["P", "low", "high"]
