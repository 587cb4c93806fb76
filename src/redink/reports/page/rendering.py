"""A report as one HTML page: sections of tables and charts, and the sentences with their edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from redink.model import Column, DisplayOptions, Table
from redink.reports.html import Cell, load_templates, make_cells
from redink.reports.page.charts import ChartKind, make_charts
from redink.reports.page.scatter import make_scatter
from redink.reports.page.sentences import VERDICTS, SentenceIndex
from redink.reports.scores import attempted
from redink.reports.tables import read_blocks, signature_line

_LOOK = DisplayOptions(percent=True, digits=1)
"""Every rate on the page is in percent."""


ALL_TYPES = "all"
"""The row of a heat map that is not of one type."""


Answers = tuple[tuple[str, str], ...]
"""Questions, and what is to be said to them."""

Interval = tuple[float, float]
IntervalOptions = Mapping[tuple[str, str], Sequence[Interval | None]]
"""For two systems, the interval of their difference on each type, in the order of the types."""


@dataclass(frozen=True)
class View:
    """One of several tables in the same place, of which the reader chooses one.

    Attributes:
        name: what it is chosen by.
        about: what it shows.
        table: the figures.
        answers: what the top of the page says while it is shown.
    """

    name: str
    about: str
    table: Table
    answers: Answers = ()


@dataclass(frozen=True)
class Section:
    """A heading, a sentence of introduction, and what follows it.

    ``chart`` also draws the table: ``forest`` a score with its interval, and precision against
    recall; ``pairs`` two scores of each system, ``heat`` the cells in colour, ``operations`` a
    chart for each, ``differences`` bars for two systems that the reader chooses.
    ``leads_to_sentences`` says that its counts are of the very edits that the sentences show;
    ``short`` is its name among the links. ``views`` are tables of which the reader chooses one,
    the first its own.
    """

    id: str
    title: str
    about: str
    table: Table
    chart: ChartKind = "none"
    leads_to_sentences: bool = False
    short: str = ""
    views: tuple[View, ...] = ()

    def choices(self) -> list[Section]:
        """The section with each of its views; itself alone if it has none."""
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
class Essay:
    """A document as written, and where the tokens of its sentences stand in it.

    Attributes:
        name: of the document.
        text: all of it.
        sentences: the number of every sentence in it, with the first character of each of its
            tokens and the one after the last, one after the other.
    """

    name: str
    text: str
    sentences: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Report:
    """Everything on the page."""

    title: str
    facts: tuple[str, ...]
    sections: tuple[Section, ...]
    sentences: SentenceIndex
    signature: str = ""
    answers: Answers = ()
    """What a reader asks first, and the answers."""
    documents: tuple[Essay, ...] = ()


def read_asset(name: str) -> str:
    """A file of the page."""
    return (files("redink.reports.page") / name).read_text(encoding="utf-8")


_SCRIPTS = ("report.js", "systems.js", "taking.js")
ASSETS = {"report.css": "text/css", **dict.fromkeys(_SCRIPTS, "text/javascript")}
"""What a served page loads: its styles and its scripts."""


def render_report(report: Report) -> str:
    """The whole page as one file, sentences and all: nothing is loaded from elsewhere."""
    index = report.sentences
    return _render(
        report,
        data=_header(report)
        | {
            "sentences": [index.sentence(n) for n in range(len(index))],
            "texts": [(one.text, one.sentences) for one in report.documents],
        },
    )


def render_served_page(report: Report, *, address: str, downloads: Mapping[str, str]) -> str:
    """The page that asks a server for its sentences.

    Args:
        report: what is shown.
        address: where the script asks for sentences.
        downloads: the forms in which the sentences found can be downloaded, and where.
    """
    data = _header(report) | {"address": address}
    return _render(report, data=data, address=address, downloads=downloads)


def _header(report: Report) -> dict[str, Any]:
    tables = {section.id: section.table for section in report.sections}
    return report.sentences.header() | {
        "documents": [one.name for one in report.documents],
        "differences": _pack_differences(tables["types"], tables["differences"].extra["intervals"])
        if "differences" in tables
        else None,
    }


def _pack_differences(types: Table, intervals: IntervalOptions) -> dict[str, Any]:
    """What the script needs to compare any two systems, type by type.

    Args:
        types: a row for each error type with ``gold``, a column of scores for each system, and
            its counts.
        intervals: of the differences.
    """
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


def _render(report: Report, **values: Any) -> str:
    page = load_templates().get_template("report.html")
    return page.render(
        {"address": "", "downloads": {}, **values},
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
    """Question and answer, the view with which they are shown (None: any), and whether they are."""
    views = [view for section in report.sections for view in section.views]
    for number, view in enumerate(views):
        yield from ((*answer, view.name, number == 0) for answer in view.answers)
    said = {question for view in views[:1] for question, _ in view.answers}
    yield from ((*answer, None, True) for answer in report.answers if answer[0] not in said)


_FIRST = ("system", "type", "annotator", "against", "f", "score", "low", "high", "group")


def _on_page(table: Table) -> Table:
    """The table with the score beside the name, where a phone shows it, and rates in percent."""
    is_scored = not {"f", "score"}.isdisjoint(table.column_names)
    place = {name: number for number, name in enumerate(_FIRST)} if is_scored else {}
    given = [column for column in table.columns if column.name != "nothing_proposed"]
    columns = tuple(sorted(given, key=lambda column: place.get(column.name, len(_FIRST))))
    rows = [attempted(row) for row in table.rows]
    shown = read_blocks(replace(table, columns=columns, rows=rows, display=_LOOK, view=None))[0]
    return replace(shown, notes=table.notes)


def _make_rows(table: Table, section: Section) -> list[list[Cell]]:
    """The cells of a table on the page, with what the page's script and style read of them."""
    return [
        [
            _mark(cell, row, column, section)
            for cell, column in zip(cells, table.columns, strict=True)
        ]
        for cells, row in zip(make_cells(table), section.table.rows, strict=True)
    ]


def _mark(cell: Cell, row: Mapping[str, Any], column: Column, section: Section) -> Cell:
    is_heat = section.chart == "heat"
    value = row.get(column.name)
    marks: dict[str, str] = {}
    if isinstance(value, int | float):
        marks["data-value"] = repr(value)
    if is_heat and isinstance(value, float):
        marks["data-heat"] = str(min(10, round(value * 10)))
        cell = replace(cell, text=f"{100 * value:.0f}")
    if is_heat and isinstance(row.get(f"{column.name} counts"), str):
        marks["title"] = row[f"{column.name} counts"]
    if value and section.leads_to_sentences and (wanted := _choose(row, column, is_heat=is_heat)):
        marks["data-show"] = wanted
    return replace(cell, marks=marks)


def _choose(row: Mapping[str, Any], column: Column, *, is_heat: bool) -> str:
    """The sentences whose edits a figure counts, as the script of the page asks for them."""
    wanted = {"system": row.get("system")}
    if is_heat:
        if column.kind != "rate":
            return ""
        wanted = {"system": column.name, "type": row.get("type")}
        if wanted["type"] == ALL_TYPES:
            del wanted["type"]
    elif column.name.upper() in VERDICTS:
        operation = str(row.get("type") or "")[:1].upper()
        wanted |= {"type": f"{operation}:" if operation else "", "verdict": column.name.upper()}
    else:
        return ""
    return urlencode({name: value for name, value in wanted.items() if value})
