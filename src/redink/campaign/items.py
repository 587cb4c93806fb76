"""Items to judge, from system outputs or from a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from redink.campaign.store import Item
from redink.campaign.tasks.ranking import MAX_OUTPUTS
from redink.errors import DataError, FormatError
from redink.files import read_head
from redink.formats.delimited import COMMA, TAB, read_rows
from redink.formats.json_lines import read_objects
from redink.judging.item_sampling import draw_items, plan_sentences
from redink.model import Corpus, Edit, Sentence

_NUMBER = re.compile(r"-?\d{1,15}")

INPUT = "INPUT"
"""The name under which the unchanged source takes part."""


def ranking_items(
    sources: Sequence[Sentence],
    systems: Mapping[str, Sequence[Sentence]],
    *,
    count: int,
    rng: np.random.Generator,
    max_outputs: int = MAX_OUTPUTS,
    with_input: bool = True,
) -> list[Item]:
    """Sentences drawn as in Grundkiewicz et al. (2015, 4.1), each with its distinct outputs.

    Identical outputs are shown once, under all their systems; of more than ``max_outputs``
    different ones a random choice is shown.
    """
    everyone = {name: [str(output) for output in outputs] for name, outputs in systems.items()}
    if with_input:
        everyone.setdefault(INPUT, [str(source) for source in sources])
    # A sentence on which all agree has nothing to rank.
    planned = [
        sentence
        for sentence in plan_sentences(everyone, most_shown=max_outputs)
        if len(sentence.outputs) > 1
    ]
    if not planned:
        raise DataError("all systems agree on every sentence; there is nothing to rank")
    drawn = draw_items(
        planned, min(count, len(planned)), rng, most_shown=max_outputs, replace=False
    )
    return [
        Item(
            id=number,
            key=f"s{item.sentence}",
            payload={
                "sentence": item.sentence,
                "before": str(sources[item.sentence - 1]) if item.sentence else "",
                "source": str(sources[item.sentence]),
                "after": " ".join(map(str, sources[item.sentence + 1 : item.sentence + 2])),
                "outputs": [
                    {"text": output.text, "systems": sorted(output.systems)}
                    for output in item.outputs
                ],
            },
        )
        for number, item in enumerate(drawn, start=1)
    ]


def edit_items(corpus: Corpus, names: Mapping[str, str]) -> list[Item]:
    """An item for every edit of a corpus: is its type right? ``names`` are types in words."""
    items: list[Item] = []
    for number, sentence in enumerate(corpus.sentences):
        tokens = sentence.source.tokens
        for annotation in sentence.annotations:
            for place, edit in enumerate(annotation.edits):
                items.append(
                    Item(
                        id=len(items) + 1,
                        key=f"s{number}.{annotation.annotator}.{place}",
                        payload={
                            "text": " ".join(tokens),
                            "start": edit.start,
                            "end": edit.end,
                            "note": _edit_note(tokens, edit, names),
                        },
                    )
                )
    return items


def _edit_note(tokens: Sequence[str], edit: Edit, names: Mapping[str, str]) -> str:
    before = " ".join(tokens[edit.start : edit.end]) or "(nothing)"
    after = edit.correction or "(nothing)"
    words = names.get(edit.type)
    kind = f"{words} ({edit.type})" if words else edit.type
    return f"{before} → {after}: {kind}"


def read_items(path: str | Path) -> list[Item]:
    """Items from CSV, TSV or JSONL with ``text`` and, as a task needs them, further columns.

    ``item`` names it (else its number does); ``start, end`` are the tokens marked; ``before`` is
    the previous sentence; ``note`` is shown below; ``choices`` are separated by ``|``; ``gold`` is
    the known answer of a hidden test question.
    """
    items: list[Item] = []
    seen: set[str] = set()
    for line, row in _read_records(path):
        number = len(items) + 1
        item = _read_item(number, row, path, line)
        if item.key in seen:
            raise FormatError(f"two items are called {item.key!r}", path=path, line=line)
        seen.add(item.key)
        items.append(item)
    if not items:
        raise FormatError("holds no items", path=path)
    return items


def _read_records(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    head = read_head(path, lines=1)
    first = head[0] if head else ""
    if not first.lstrip().startswith("{"):
        for row in read_rows(path, TAB if TAB in first else COMMA):
            yield row.line, {name: value for name, value in row.cells.items() if value}
        return
    yield from read_objects(path, numbers_as_text=True)


def _read_item(number: int, row: Mapping[str, Any], path: str | Path, line: int) -> Item:
    text = str(row.get("text") or "").strip()
    if not text:
        raise FormatError("an item needs a text", path=path, line=line)
    payload: dict[str, Any] = {"text": " ".join(text.split())}
    length = len(text.split())
    start = _whole_number(row.get("start", "0"), path, line)
    end = _whole_number(row.get("end", str(start + 1 if "start" in row else 0)), path, line)
    if not 0 <= start <= end <= length:
        raise FormatError(
            f"the span {start} {end} does not fit a text of {length} tokens", path=path, line=line
        )
    payload |= {"start": start, "end": end}
    for name in ("before", "note"):
        if row.get(name):
            payload[name] = str(row[name])
    choices = row.get("choices")
    if choices:
        given: Iterable[Any] = choices if isinstance(choices, list) else str(choices).split("|")
        payload["choices"] = [str(choice).strip() for choice in given]
    gold = row.get("gold")
    return Item(
        id=number,
        key=str(row.get("item") or number),
        payload=payload,
        gold=None if gold is None or gold == "" else str(gold),
    )


def _whole_number(value: Any, path: str | Path, line: int) -> int:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        raise FormatError("start and end are whole numbers", path=path, line=line)
    return int(value.strip())
