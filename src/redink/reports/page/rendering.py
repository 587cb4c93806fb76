"""A report as one HTML file: styles, script and data inside, nothing loaded from elsewhere."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

from redink.model import Column, Table
from redink.reports.page.charts import draw_forest, draw_pairs
from redink.reports.page.content import Report, Section
from redink.reports.tables import best_cells, format_value, signature_line


def _asset(name: str) -> str:
    return (files("redink.reports.page") / name).read_text(encoding="utf-8")


def render_report(report: Report) -> str:
    """The whole page."""
    sections = "\n".join(_render_section(section) for section in report.sections)
    links = "".join(f'<a href="#{s.id}">{html.escape(s.title)}</a>' for s in report.sections)
    facts = "".join(f"<li>{html.escape(fact)}</li>" for fact in report.facts)
    fields = {
        "title": html.escape(report.title),
        "style": _asset("report.css"),
        "script": _asset("report.js"),
        "facts": facts,
        "links": links,
        "sections": sections,
        "signature": html.escape(report.signature),
        # "</" would end the script element inside which the data stands
        "data": json.dumps(_sentence_data(report), ensure_ascii=False, separators=(",", ":"))
        .replace("</", "<\\/"),
    }  # fmt: skip
    # In one pass, so that nothing inside the data is taken for a place to fill.
    return re.sub(r"\[\[(\w+)\]\]", lambda place: fields[place[1]], _asset("report.html"))


def _render_section(section: Section) -> str:
    charts = {
        "forest": lambda table: draw_forest(table, label="F with its 95 % interval"),
        "pairs": lambda table: draw_pairs(
            table, first="correction", second="detection",
            label="F of correction (open) and of detection (full)",
        ),
    }  # fmt: skip
    parts = [f'<section id="{section.id}"><h2>{html.escape(section.title)}</h2>']
    if section.about:
        parts.append(f"<p>{html.escape(section.about)}</p>")
    for table in section.tables:
        if section.chart in charts:
            parts.append(charts[section.chart](table))
        parts.append(_render_table(table, heat=section.chart == "heat"))
    parts.append("</section>")
    return "\n".join(parts)


def _render_table(table: Table, *, heat: bool) -> str:
    best = best_cells(table)
    heads = "".join(
        f'<th scope="col" class="{c.kind}"><button type="button">{html.escape(c.heading)}'
        "</button></th>"
        for c in table.columns
    )
    body = []
    for index, row in enumerate(table.rows):
        cells = [
            _render_cell(row, column, strong=(index, column.name) in best, heat=heat)
            for column in table.columns
        ]
        body.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"<caption>{html.escape(table.title)}</caption>" if table.title else ""
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in table.notes)
    style = "sortable heat" if heat else "sortable"
    signature = signature_line(table)
    if signature:
        notes += f'<p class="signature"><code>{html.escape(signature)}</code></p>'
    return (
        f'<div class="scroll" tabindex="0"><table class="{style}">{caption}'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table></div>{notes}"
    )


def _render_cell(row: dict[str, Any], column: Column, *, strong: bool, heat: bool) -> str:
    value = row.get(column.name)
    text = html.escape(format_value(value, column))
    if strong:
        text = f"<strong>{text}</strong>"
    sort = f' data-value="{value!r}"' if isinstance(value, int | float) else ""
    shade = ""
    if heat and isinstance(value, float):
        shade = f' data-heat="{min(10, round(value * 10))}"'
        text = f"{100 * value:.0f}"
    hint = ""
    if heat and isinstance(row.get(f"{column.name} counts"), str):
        hint = f' title="{html.escape(row[f"{column.name} counts"])}"'
    return f'<td class="{column.kind}"{sort}{shade}{hint}>{text}</td>'


def _sentence_data(report: Report) -> dict[str, Any]:
    """Sentences as small arrays: types and verdicts by number, since they repeat so often."""
    types: dict[str, int] = {}
    verdicts = ("TP", "FP", "FN")

    def number(name: str) -> int:
        return types.setdefault(name, len(types))

    annotators = sorted({name for s in report.sentences for name in s.references})
    sentences = []
    for view in report.sentences:
        references = {
            str(annotators.index(name)): [
                [e.start, e.end, e.correction, number(e.type)] for e in edits
            ]
            for name, edits in view.references.items()
        }
        systems = [
            [
                [e.start, e.end, e.correction, number(e.type), verdicts.index(e.verdict)]
                for e in view.systems.get(name, ())
            ]
            for name in report.systems
        ]
        sentences.append([view.source, references, systems])
    return {
        "annotators": annotators,
        "systems": list(report.systems),
        "types": list(types),
        "verdicts": list(verdicts),
        "sentences": sentences,
    }
