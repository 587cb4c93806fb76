"""The report as one HTML page: sections of tables and charts, and the sentences with edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from redink.model import Column, DisplayOptions, Row, Table
from redink.model.counts import attempted
from redink.reports.html import Cell, load_templates, make_cells
from redink.reports.page.charts import ChartKind, make_charts, make_scatter, set_minus
from redink.reports.page.sentences import VERDICTS, SentenceIndex
from redink.reports.table_formats import read_blocks, signature_line

ALL_TYPES = "all"
"""The row of a heat map for all types together."""

Answers = tuple[tuple[str, str], ...]
"""Questions and their answers."""

Interval = tuple[float, float]
PairIntervals = Mapping[tuple[str, str], Sequence[Interval | None]]
"""For two systems, the interval of their difference on each type, in the order of the types."""


@dataclass(frozen=True)
class MetricView:
    """A table for one metric; the reader of the page chooses the metric.

    ``answers`` is the summary at the top of the page while the table is shown.
    """

    name: str
    about: str
    table: Table
    answers: Answers = ()


@dataclass(frozen=True)
class ReportSection:
    """A heading, an introduction, a table and perhaps charts of it.

    The chart ``forest`` is a score with its interval, and precision against recall; ``pairs`` two
    scores of each system; ``heat`` colored cells; ``operations`` one chart per operation;
    ``differences`` bars for two systems that the reader chooses; ``text`` neither chart nor table.
    With ``leads_to_sentences``, a count links to the sentences with its edits. ``short`` is the
    name in the navigation.
    The reader chooses one of ``views``; the first has the table of the section.
    """

    id: str
    title: str
    about: str
    table: Table
    chart: ChartKind = "none"
    leads_to_sentences: bool = False
    short: str = ""
    views: tuple[MetricView, ...] = ()

    def choices(self) -> list[ReportSection]:
        """Return the section with each of its views; itself if it has none."""
        return [
            replace(
                self,
                about=view.about,
                table=view.table,
                leads_to_sentences=self.leads_to_sentences and view is self.views[0],
            )
            for view in self.views
        ] or [self]


@dataclass(frozen=True)
class PageDocument:
    """A document as written, and the positions of its tokens.

    ``sentences`` has the number of every sentence with the start and end of each token, flat.
    """

    name: str
    text: str
    sentences: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Report:
    """The content of the page; ``answers`` are at the top."""

    title: str
    facts: tuple[str, ...]
    sections: tuple[ReportSection, ...]
    sentences: SentenceIndex
    signature: str = ""
    answers: Answers = ()
    documents: tuple[PageDocument, ...] = ()


def read_asset(name: str) -> str:
    """Return a style or script of the page."""
    return (files("redink.reports.page") / name).read_text(encoding="utf-8")


_SCRIPTS = ("report.js", "systems.js", "taking.js")
ASSETS = {"report.css": "text/css", **dict.fromkeys(_SCRIPTS, "text/javascript")}
"""The files that a served page loads."""


def render_report(report: Report) -> str:
    """Return the page as one file that contains everything."""
    index = report.sentences
    sentences = [index.sentence(number) for number in range(len(index))]
    texts = [(document.text, document.sentences) for document in report.documents]
    return _render(report, {"sentences": sentences, "texts": texts})


def render_served_page(report: Report, *, address: str, downloads: Mapping[str, str]) -> str:
    """Return the page whose script asks a server for sentences.

    ``downloads`` has the addresses of the found sentences by format.
    """
    return _render(report, {"address": address}, address=address, downloads=downloads)


def _pack_differences(types: Table, intervals: PairIntervals) -> dict[str, Any]:
    """Return the data with which the script compares any two systems, type by type."""
    systems = [column.name for column in types.columns if column.kind == "rate"]
    return {
        "systems": systems,
        "rows": [
            {
                "type": row["type"],
                "gold": row["gold"],
                "f": [row.get(name) for name in systems],
                "counts": [row.get(f"{name} counts", "") for name in systems],
            }
            for row in types.rows
        ],
        "intervals": {
            f"{systems.index(one)},{systems.index(other)}": [
                each and [round(end, 3) for end in each] for each in known
            ]
            for (one, other), known in intervals.items()
        },
    }


def _render(report: Report, data: dict[str, Any], **values: Any) -> str:
    tables = {section.id: section.table for section in report.sections}
    differences = None
    if "differences" in tables:
        intervals = tables["differences"].extra["intervals"]
        differences = _pack_differences(tables["types"], intervals)
    names = [document.name for document in report.documents]
    header = report.sentences.header() | {"documents": names, "differences": differences}
    page = load_templates().get_template("report.html")
    return page.render(
        {"address": "", "downloads": {}, **values},
        data=header | data,
        report=report,
        answers=list(_choose_answers(report)),
        make_charts=make_charts,
        make_scatter=make_scatter,
        make_rows=_make_rows,
        on_page=_on_page,
        read_asset=read_asset,
        scripts=_SCRIPTS,
        signature_line=signature_line,
    )


def _choose_answers(report: Report) -> Iterator[tuple[str, str, str | None, bool]]:
    """Yield question, answer, the view they belong to (None: any), and whether they are shown."""
    views = [view for section in report.sections for view in section.views]
    for number, view in enumerate(views):
        yield from ((*answer, view.name, number == 0) for answer in view.answers)
    said = {question for view in views[:1] for question, _ in view.answers}
    yield from ((*answer, None, True) for answer in report.answers if answer[0] not in said)


_COEFFICIENTS = {"kappa", "mcc"}
_FIRST = ("system", "type", "annotator", "against", "f", "score", "low", "high", "group")


def _on_page(table: Table) -> Table:
    """Return the table with the score next to the name, for phones, and rates in percent.

    Coefficients between -1 and 1 stay as they are.
    """
    is_scored = not {"f", "score"}.isdisjoint(table.column_names)
    place = {name: number for number, name in enumerate(_FIRST)} if is_scored else {}
    given = [column for column in table.columns if column.name != "nothing_proposed"]
    ordered = sorted(given, key=lambda column: place.get(column.name, len(_FIRST)))
    columns = tuple(replace(c, kind="text") if c.name in _COEFFICIENTS else c for c in ordered)
    rows = [attempted(row) for row in table.rows]
    display = DisplayOptions(percent=True, digits=1)
    shown = read_blocks(replace(table, columns=columns, rows=rows, display=display, view=None))[0]
    columns = tuple(
        replace(c, kind="rate", digits=3) if c.name in _COEFFICIENTS else c for c in shown.columns
    )
    return replace(shown, columns=columns, notes=table.notes)


def _make_rows(table: Table, section: ReportSection) -> list[list[Cell]]:
    """Return the cells of a table with the attributes that the script and the style read."""
    pairs = zip(make_cells(table), section.table.rows, strict=True)
    return [
        [_mark(cell, row, c, section) for cell, c in zip(cells, table.columns, strict=True)]
        for cells, row in pairs
    ]


def _mark(cell: Cell, row: Row, column: Column, section: ReportSection) -> Cell:
    is_heat = section.chart == "heat"
    value = row.get(column.name)
    marks: dict[str, str] = {}
    if isinstance(value, int | float):
        cell = replace(cell, text=set_minus(cell.text))
        marks["data-value"] = repr(value)
    if is_heat and isinstance(value, float):
        marks["data-heat"] = str(min(10, round(value * 10)))
        cell = replace(cell, text=f"{100 * value:.0f}")
    if is_heat and isinstance(row.get(f"{column.name} counts"), str):
        marks["title"] = row[f"{column.name} counts"]
    if value and section.leads_to_sentences and (wanted := _choose(row, column, is_heat=is_heat)):
        marks["data-show"] = wanted
    return replace(cell, marks=marks)


def _choose(row: Row, column: Column, *, is_heat: bool) -> str:
    """Return the query for the sentences whose edits a number counts; empty if there is none."""
    wanted: dict[str, Any]
    if is_heat and column.kind == "rate":
        kind = row.get("type")
        wanted = {"system": column.name, "type": None if kind == ALL_TYPES else kind}
    elif not is_heat and (verdict := column.name.upper()) in VERDICTS:
        operation = str(row.get("type") or "")[:1].upper()
        kind = f"{operation}:" if operation else ""
        wanted = {"system": row.get("system"), "type": kind, "verdict": verdict}
    else:
        return ""
    return urlencode({name: value for name, value in wanted.items() if value})
