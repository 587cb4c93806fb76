"""The Markdown summary of ``redink gate`` for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redink.commands.diff import SentenceChange, count_types
from redink.model import Row, Table
from redink.reports.table_formats import UNDEFINED
from redink.statistics.distributions import sign_test
from redink.statistics.significance import holm

_EXAMPLES = 3
_MOST_TYPES = 10
_MARKS = {"pass": "✅ pass", "fail": "❌ fail"}


def write_summary(table: Table, changes: Sequence[SentenceChange]) -> str:
    """Return the verdicts, the changes by slice and error type, and examples."""
    failed = sum(row["verdict"] == "fail" for row in table)
    verdict = f"❌ {failed} of {len(table)} checks failed" if failed else "✅ all checks passed"
    lines = [f"## redink gate: {verdict}", "", *_list_rules(table)]
    fixed, broken = ([c for c in changes if c.change == kind] for kind in ("fixed", "broken"))
    if changes:
        lines += ["", f"**{len(fixed)} sentences better, {len(broken)} worse.**"]
        lines += _list_types(changes)
    for title, found in (("Worse", broken), ("Better", fixed)):
        lines += [*_list_examples(title, found)]
    return "\n".join([*lines, ""])


def _list_rules(table: Table) -> Iterator[str]:
    yield "| | rule | slice | baseline | candidate | difference | 95% interval | p |"
    yield "|---|---|---|---:|---:|---:|---:|---:|"
    hidden = [row for row in table if row["verdict"] == "pass" and _is_part(row)]
    for row in table:
        if row in hidden:
            continue
        interval = UNDEFINED
        if row["low"] is not None:
            interval = f"{row['low']:+.4f} … {row['high']:+.4f}"
        measure = row["measure"].partition("[")
        shown = f" ({measure[2].rstrip(']')})" if "[*]" in row["rule"] else ""
        yield (
            f"| {_MARKS[row['verdict']]} | `{_in_cell(row['rule'])}`{shown} "
            f"| {_in_cell(row['slice'] or '')} | {_number(row['baseline'])} "
            f"| {_number(row['candidate'])} | {_number(row['difference'], '+.4f')} | {interval} "
            f"| {_p(row['p'])} |"
        )
    if hidden:
        yield f"\n{len(hidden)} more checks of slices and error types passed."


def _is_part(row: Row) -> bool:
    return " by " in row["rule"] or "[*]" in row["rule"]


def _list_types(changes: Sequence[SentenceChange]) -> Iterator[str]:
    """Yield the error types with the largest net changes of edits."""
    counts = count_types(changes, "type")
    if not counts:
        return
    ps = dict(zip(counts, holm([sign_test(*both) for both in counts.values()]), strict=True))
    order = sorted(counts, key=lambda name: -abs(counts[name][0] - counts[name][1]))
    yield from (
        "",
        "| error type | edits better | edits worse | p (Holm) |",
        "|---|---:|---:|---:|",
    )
    for name in order[:_MOST_TYPES]:
        yield f"| {_in_cell(name)} | {counts[name][0]} | {counts[name][1]} | {_p(ps[name])} |"
    if len(order) > _MOST_TYPES:
        yield f"\n{len(order) - _MOST_TYPES} more error types: `redink diff --by type`"


def _list_examples(title: str, changes: Sequence[SentenceChange]) -> Iterator[str]:
    def size(change: SentenceChange) -> float:
        return -abs((change.new_score or 0) - (change.old_score or 0))

    chosen = sorted(changes, key=size)[:_EXAMPLES]
    if chosen:
        yield from ("", f"### {title}")
    for change in chosen:
        yield from ("", f"Sentence {change.sentence}")
        for name, marked in zip(("baseline", "candidate"), change.marked, strict=True):
            if marked is not None:
                yield f"- {name}: {marked.render('markdown')}"


def _number(value: float | None, form: str = ".4f") -> str:
    return UNDEFINED if value is None else format(value, form)


def _p(value: float | None) -> str:
    return UNDEFINED if value is None else "<.001" if value < 0.001 else f"{value:.3f}"


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")
