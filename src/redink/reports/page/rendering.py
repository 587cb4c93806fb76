"""A report as one HTML file: styles, script and data inside, nothing loaded from elsewhere."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from redink.model import Column, Table
from redink.reports.page.charts import draw_forest, draw_pairs
from redink.reports.page.content import Report, Section
from redink.reports.page.sentences import VERDICTS
from redink.reports.tables import best_cells, format_value, signature_line


def read_asset(name: str) -> str:
    """A file of the page."""
    return (files("redink.reports.page") / name).read_text(encoding="utf-8")


POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
)
# What a served page loads: its styles and its script.
ASSETS = {"report.css": "text/css", "report.js": "text/javascript"}


def render_report(report: Report) -> str:
    """The whole page as one file, sentences and all."""
    index = report.sentences
    data = index.header() | {"sentences": [index.sentence(n) for n in range(len(index))]}
    return _render_page(
        report,
        data,
        policy=POLICY,
        style=f"<style>{read_asset('report.css')}</style>",
        script=f"<script>{read_asset('report.js')}</script>",
        downloads="",
    )


def render_served_page(report: Report, *, address: str, downloads: Mapping[str, str]) -> str:
    """The page that asks a server for its sentences.

    Args:
        report: what is shown.
        address: where the script asks for sentences.
        downloads: what the sentences found can be had as, and where.
    """
    links = " ".join(
        f'<a data-download="{html.escape(place)}" href="{html.escape(place)}" download>'
        f"{html.escape(name)}</a>"
        for name, place in downloads.items()
    )
    return _render_page(
        report,
        report.sentences.header() | {"address": address},
        policy="",
        style='<link rel="stylesheet" href="report.css">',
        script='<script src="report.js"></script>',
        downloads=f'<span class="downloads">Download these: {links}</span>',
    )


def _render_page(report: Report, data: Mapping[str, Any], **fields: str) -> str:
    fields |= {
        "title": html.escape(report.title),
        "facts": "".join(f"<li>{html.escape(fact)}</li>" for fact in report.facts),
        "links": "".join(
            f'<a href="#{s.id}">{html.escape(s.short or s.title)}</a>' for s in report.sections
        ),
        "sections": "\n".join(_render_section(section) for section in report.sections),
        "signature": html.escape(report.signature),
        # "</" would end the script element inside which the data stands
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/"),
    }
    # In one pass, so that nothing inside the data is taken for a place to fill.
    return re.sub(r"\[\[(\w+)\]\]", lambda place: fields[place[1]], read_asset("report.html"))


def _render_section(section: Section) -> str:
    charts = {
        "forest": lambda table: draw_forest(
            table,
            label="F with its 95 % interval" if "low" in table.column_names else "F",
        ),
        "pairs": lambda table: draw_pairs(
            table,
            first="correction",
            second="detection",
            label="F of correction (open) and of detection (full)",
        ),
    }
    parts = [f'<section id="{section.id}"><h2>{html.escape(section.title)}</h2>']
    if section.about:
        parts.append(f"<p>{html.escape(section.about)}</p>")
    for table in section.tables:
        if section.chart in charts:
            parts.append(charts[section.chart](table))
        parts.append(_render_table(table, section))
    parts.append("</section>")
    return "\n".join(parts)


def _render_table(table: Table, section: Section) -> str:
    heat = section.chart == "heat"
    best = best_cells(table)
    heads = "".join(
        f'<th scope="col" class="{c.kind}"><button type="button">{html.escape(c.heading)}'
        "</button></th>"
        for c in table.columns
    )
    body = []
    for index, row in enumerate(table.rows):
        cells = [
            _render_cell(row, column, section, strong=(index, column.name) in best)
            for column in table.columns
        ]
        body.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"<caption>{html.escape(table.title)}</caption>" if table.title else ""
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in table.notes)
    style = "sortable heat" if heat else "sortable"
    signature = signature_line(table)
    if signature:
        notes += (
            '<details class="signature"><summary>Signature</summary>'
            f"<code>{html.escape(signature)}</code></details>"
        )
    return (
        f'<div class="scroll" tabindex="0"><table class="{style}">{caption}'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table></div>{notes}"
    )


def _render_cell(row: dict[str, Any], column: Column, section: Section, *, strong: bool) -> str:
    heat = section.chart == "heat"
    value = row.get(column.name)
    text = html.escape(format_value(value, column))
    if strong:
        text = f"<strong>{text}</strong>"
    marks = ""
    if isinstance(value, int | float):
        marks += f' data-value="{value!r}"'
    if heat and isinstance(value, float):
        marks += f' data-heat="{min(10, round(value * 10))}"'
        text = f"{100 * value:.0f}"
    if heat and isinstance(row.get(f"{column.name} counts"), str):
        marks += f' title="{html.escape(row[f"{column.name} counts"])}"'
    if value and section.leads_to_sentences:
        wanted = _filter_of(row, column, heat=heat)
        marks += f' data-show="{html.escape(wanted)}"' if wanted else ""
    return f'<td class="{column.kind}"{marks}>{text}</td>'


def _filter_of(row: dict[str, Any], column: Column, *, heat: bool) -> str:
    """The sentences whose edits a figure counts, as the script of the page asks for them."""
    wanted = {"system": row.get("system")}
    if heat:
        if column.kind == "text":
            return ""
        wanted["type"] = column.name
    elif column.name.upper() in VERDICTS:
        operation = str(row.get("type") or "")[:1].upper()
        wanted |= {"type": f"{operation}:" if operation else "", "verdict": column.name.upper()}
    else:
        return ""
    return urlencode({name: value for name, value in wanted.items() if value})
