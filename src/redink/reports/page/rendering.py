"""A report as one HTML page: sections of tables and charts, and the sentences with their edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Literal
from urllib.parse import urlencode

from redink.model import Column, Look, Table
from redink.reports.html import Cell, load_templates, make_cells
from redink.reports.page.scatter import make_scatter
from redink.reports.page.sentences import VERDICTS, SentenceIndex
from redink.reports.tables import read_blocks, signature_line

ChartKind = Literal["forest", "pairs", "heat", "none"]

_LOOK = Look(percent=True, digits=1)
"""Every rate on the page is in percent."""


ALL_TYPES = "all"
"""The row of a heat map that is not of one type."""


@dataclass(frozen=True)
class Section:
    """A heading, a sentence of introduction, and what follows it.

    ``chart`` also draws the table: ``forest`` a score with its interval, and precision against
    recall; ``pairs`` two scores of each system, ``heat`` the cells in colour.
    ``leads_to_sentences`` says that its counts are of the very edits that the sentences show;
    ``short`` is its name among the links.
    """

    id: str
    title: str
    about: str
    table: Table
    chart: ChartKind = "none"
    leads_to_sentences: bool = False
    short: str = ""


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
    answers: tuple[tuple[str, str], ...] = ()
    """What a reader asks first, and the answers."""
    documents: tuple[Essay, ...] = ()


def read_asset(name: str) -> str:
    """A file of the page."""
    return (files("redink.reports.page") / name).read_text(encoding="utf-8")


ASSETS = {"report.css": "text/css", "report.js": "text/javascript"}
"""What a served page loads: its styles and its script."""


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
        style=read_asset("report.css"),
        script=read_asset("report.js"),
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
    return report.sentences.header() | {"documents": [one.name for one in report.documents]}


def _render(report: Report, **values: Any) -> str:
    page = load_templates().get_template("report.html")
    return page.render(
        {"address": "", "downloads": {}, **values},
        report=report,
        make_chart=_make_chart,
        make_scatter=make_scatter,
        make_rows=_make_rows,
        on_page=_on_page,
        signature_line=signature_line,
    )


_FIRST = ("system", "type", "annotator", "against", "f", "low", "high", "group")


def _on_page(table: Table) -> Table:
    """The table with the score beside the name, where a phone shows it, and rates in percent."""
    place = (
        {name: number for number, name in enumerate(_FIRST)} if "f" in table.column_names else {}
    )
    columns = sorted(table.columns, key=lambda column: place.get(column.name, len(_FIRST)))
    shown = read_blocks(replace(table, columns=tuple(columns), look=_LOOK, view=None))[0]
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


@dataclass(frozen=True)
class _Chart:
    """What a small chart beside a table shows of each system; the last dot is full.

    Attributes:
        label: what stands below it.
        dots: columns.
        span: the columns between which a bar stands behind the dots.
        is_written: whether the value of the dot stands beside it.
    """

    label: str
    dots: tuple[str, ...]
    span: tuple[str, str]
    is_written: bool = False


_CHARTS = {
    "forest": _Chart(
        "F with its 95 % interval, in percent", ("f",), ("low", "high"), is_written=True
    ),
    "pairs": _Chart(
        "F of correction (open) and of detection (full), in percent",
        ("correction", "detection"),
        ("correction", "detection"),
    ),
}


_TOP, _STEP, _WIDTH, _RIGHT = 8, 26, 640, 60
# Where a scale may end, and in how many parts it is divided so that two decimals tell each.
_SCALES = {0.1: 5, 0.2: 4, 0.25: 5, 0.3: 3, 0.4: 4, 0.5: 5, 0.6: 6, 0.7: 7, 0.8: 4, 0.9: 3, 1.0: 5}


def _make_chart(table: Table, kind: ChartKind) -> dict[str, Any] | None:
    """Where everything in a chart stands: a line for each system against a scale from 0.

    The page draws it in its own colours, light or dark.
    """
    if kind not in _CHARTS:
        return None
    chart = _CHARTS[kind]
    has_span = chart.span[0] in table.column_names
    rows = [row for row in table.rows if all(row.get(name) is not None for name in chart.dots)]
    if not rows:
        return None
    shown = {*chart.dots, *(chart.span if has_span else ())}
    highest = max(row.get(name) or 0 for row in rows for name in shown)
    end = next((end for end in _SCALES if highest <= end), 1.0)
    # As wide as the longest name needs, within reason.
    left = min(300, max(70, 16 + 11 * max(len(str(row["system"])) for row in rows)))
    bottom = _TOP + _STEP * len(rows)

    def place(value: float) -> float:
        return round(left + (value / end) * (_WIDTH - left - _RIGHT), 1)

    def places(row: Mapping[str, Any], names: Sequence[str]) -> list[float]:
        values = [row.get(name) for name in names]
        return [] if None in values else [place(value) for value in values if value is not None]

    steps = [end * step / _SCALES[end] for step in range(_SCALES[end] + 1)]
    return {
        "label": chart.label if has_span else "F",
        "width": _WIDTH,
        "height": bottom + 36,
        "left": left,
        "top": _TOP,
        "bottom": bottom,
        "middle": (left + _WIDTH - _RIGHT) / 2,
        "ticks": [(place(value), f"{100 * value:.0f}") for value in steps],
        "lines": [
            {
                "name": str(row["system"]),
                "text": f"{100 * row[chart.dots[0]]:.1f}" if chart.is_written else "",
                "y": _TOP + _STEP * (number + 0.5),
                "dots": places(row, chart.dots),
                "span": places(row, chart.span),
            }
            for number, row in enumerate(rows)
        ],
    }
