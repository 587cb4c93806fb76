"""Recognize the format of a file from its first lines, without importing any format."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from redink import files
from redink.errors import DataError, FormatError

Head = Sequence[str]
Layout = Literal["csv", "tsv", "jsonl"]
COMMA, SEMICOLON, TAB = ",", ";", "\t"
SOURCE = ("source", "input")
"""Names of the source column. An ``input`` in JSON lines may be the prompt of a model, so only
``source`` makes them parallel text; of objects with ``input``, only the output is read."""
CORRECTED = ("corrected", "output", "hypothesis", "prediction", "correction", "target")
"""Names of the corrected column, in redink and in LLM output."""
JUDGMENT_COLUMNS = (
    "a table of judgments has item, judge and label in its first line, or item and one column "
    "per judge"
)
JUDGMENT = ("item", "judge", "label")
"""The required columns of a table with one row per judgment."""
ABOUT = ("sentence", "text", "note", "comment", "set", "document")
"""Columns of a wide table of judgments that describe an item; they are kept as extra values."""
_OTHER_TABLES = frozenset({"judge", "label", "confidence", "duration", "time", "system", "rating"})
WMT = ("srcIndex", "judgeId", "system1Id", "system1rank")
GUG = ("Id", "Sentence", "Expert Judgement", "Crowd Flower Judgements", "Average", "Dataset")
GED_FLAGS = {"c": False, "i": True}
MULTIGEC_HEADER = "### essay_id = "
UA_GEC_MARK = re.compile(r"\{([^{]*)=>(.*?)(:::[^:][^}]*)?\}")
_A_LINE = re.compile(r"A -?\d+ +-?\d+\|\|\|", re.ASCII)
_NOT_DOCUMENTS = frozenset({"tokens", "edits", "annotations", "source"})
_STRINGS_CONTINUE = re.compile(r'\s*(,\s*("|null\b|\Z)|\]\s*\Z)')
_SHOWN = 50  # the number of items of a JSON list that decide its format


# ---- the first lines


def read_head(path: str | Path) -> list[str]:
    """Return the first lines of a file; of a list of JSON objects, one object per line."""
    head = files.read_head(path)
    if not _list_begins_with("{", head):
        return head
    from redink.formats.strict_json import read_list

    first: list[str] = []
    with suppress(FormatError):  # the reader will report it
        first.extend(json.dumps(value) for _, value in islice(read_list(path), _SHOWN))
    return first or head


def lists_objects(path: str | Path) -> bool:
    """Return whether a file is a JSON list of objects, and not one object per line."""
    return _list_begins_with("{", files.read_head(path))


def is_list_of_strings(head: Head) -> bool:
    """Return whether the first lines are of a JSON list of strings, or of an empty list."""
    text = "\n".join(head)
    first = next((mark for mark in ('"', "null") if _list_begins_with(mark, head)), None)
    if first is None:
        return "".join(text.split()) == "[]"
    try:
        _, end = json.JSONDecoder().raw_decode(text, text.index(first))
    except ValueError:
        return False
    # a text may begin with a quotation in brackets, without a list of strings after it
    return _STRINGS_CONTINUE.match(text, end) is not None


def _list_begins_with(mark: str, head: Iterable[str]) -> bool:
    first = "".join(islice((line.strip() for line in head if line.strip()), 2))
    return first.startswith("[") and first[1:].lstrip().startswith(mark)


def first_object(head: Head) -> dict[str, Any]:
    """Return the JSON object in the first line that is not empty, or an empty one."""
    line = next((line for line in head if line.strip()), "")
    if not line.lstrip().startswith("{"):
        return {}
    from redink.formats.strict_json import parse_object

    with suppress(DataError):
        return parse_object(line)
    return {}


# ---- tables


def tell_layout(head: Head, columns: Iterable[str] = ()) -> Layout | None:
    """Return the layout of a table with all of these columns, in any case; None for other files."""
    wanted = {name.lower() for name in columns}
    first = next((line for line in head if line.strip()), "")
    tables: dict[Layout, Iterable[str]] = {}
    if first.lstrip().startswith("{"):
        tables["jsonl"] = first_object(head)
    elif head:
        if TAB in head[0]:
            tables["tsv"] = header_of(head, "tsv")
        tables["csv"] = header_of(head, "csv")
    return next((t for t, names in tables.items() if wanted <= set(map(str.lower, names))), None)


def header_of(head: Head, layout: Layout | None = None) -> list[str]:
    """Return the column names of a table; none if the first line cannot be a header."""
    first = head[0] if head else ""
    if layout == "tsv" or (layout is None and TAB in first):
        return [name.strip() for name in first.split(TAB)]
    try:
        rows = csv.reader([f"{first}\n"], delimiter=separator_of(first), strict=True)
        return [name.strip() for name in next(rows, [])]
    except csv.Error:
        return []


def separator_of(header: str) -> str:
    """Return the separator of CSV: a comma, unless the header has semicolons and no comma."""
    return SEMICOLON if SEMICOLON in header and COMMA not in header else COMMA


def stem_of(name: str) -> str:
    """Return the name of a column without the number of an annotator."""
    return name.lower().rstrip("0123456789 _-")


def judges_of(names: Sequence[str]) -> list[str]:
    """Return the judge columns of a wide table of judgments; none for other tables."""
    lower = [name.lower() for name in names]
    sentences = {stem_of(name) for name in lower} & {*SOURCE, *CORRECTED}
    if "item" not in lower or sentences or _OTHER_TABLES.intersection(lower):
        return []
    judges = [name for name in names if name and name.lower() not in {"item", "gold", *ABOUT}]
    return judges if len(judges) > 1 else []


def is_judgments(head: Head, layout: Layout) -> bool:
    """Recognize a table of judgments, with one row per judgment or per item."""
    if tell_layout(head, JUDGMENT) == layout:
        return True
    return layout == tell_layout(head, ["item"]) and bool(judges_of(header_of(head, layout)))


def is_parallel_table(head: Head, layout: Layout) -> bool:
    """Recognize a table with a source and a corrected column."""
    return any(
        tell_layout(head, [source, f"{name}{number}"]) == layout
        for source in SOURCE
        for name in CORRECTED
        for number in ("", 1)
    )


def is_wmt(head: Head) -> bool:
    """Recognize WMT CSV."""
    return tell_layout(head, WMT) == "csv"


def is_gug(head: Head) -> bool:
    """Recognize the GUG table."""
    return tell_layout(head, GUG) == "tsv"


def is_ged(head: Head) -> bool:
    """Recognize GED TSV: tokens with c or i."""
    rows = [line.split(TAB) for line in head if line.strip()]
    return bool(rows) and all(
        2 <= len(cells) <= 3 and cells[1].strip() in GED_FLAGS for cells in rows
    )


def is_numbered(head: Head) -> bool:
    """Recognize lines with a number, a source and corrections, as in Chinese corpora."""
    rows = [line.split(TAB) for line in head]
    return bool(rows) and all(len(cells) > 2 and cells[0].isdecimal() for cells in rows)


def is_tab_separated(head: Head) -> bool:
    """Recognize lines with the same number of tabs."""
    tabs = {line.count(TAB) for line in head}
    return len(tabs) == 1 and tabs != {0}


# ---- JSON lines

_JSONL_KEYS = {
    "detections": {"tokens", "flags"},
    "corpus": {"tokens"},
    "parallel": {"source"},
    "rankings": {"sentence", "judge", "outputs"},
    "judgments": {*JUDGMENT},
}


def is_jsonl(head: Head, kind: str) -> bool:
    """Recognize redink's own JSON lines of a kind, by their keys."""
    keys = first_object(head).keys()
    if kind == "corpus" and "flags" in keys:
        return False
    return _JSONL_KEYS[kind] <= keys and (kind != "parallel" or not keys.isdisjoint(CORRECTED))


def is_wi(head: Head) -> bool:
    """Recognize the JSON lines of W&I and FCE."""
    return first_object(head).keys() >= {"text", "edits"}


def document_layout(path: str | Path) -> str | None:
    """Return ``folder``, ``multigec`` or ``jsonl`` for documents; None for other files."""
    if Path(path).is_dir():
        return "folder"
    head = read_head(path)
    if is_multigec(head):
        return "multigec"
    first = first_object(head)
    return "jsonl" if first and not _NOT_DOCUMENTS & first.keys() else None


def is_json_documents(head: Head) -> bool:
    """Recognize objects with a known field for their text and no key of another format."""
    first = first_object(head)
    if not first or _NOT_DOCUMENTS & first.keys():
        return False
    from redink.formats.raw_documents import has_text

    return has_text(first)


# ---- other files


def is_multigec(head: Head) -> bool:
    """Recognize the Markdown of MultiGEC."""
    return any(line.startswith(MULTIGEC_HEADER) for line in head)


def is_m2(head: Head) -> bool:
    """Recognize M2: an A line, or only S and I lines."""
    lines = [line for line in head if line.strip()]
    if any(_A_LINE.match(line) for line in lines):
        return True
    if not lines or not is_source_line(lines[0]):
        return False  # "I think so ." is text
    return all(is_source_line(line) or line.startswith("I ") for line in lines)


def is_source_line(line: str) -> bool:
    """Return whether a line of M2 begins a sentence."""
    return line == "S" or line.startswith("S ")


def is_appraise(head: Head) -> bool:
    """Recognize Appraise XML."""
    start = "\n".join(head).lstrip()
    return start.startswith("<") and ("ranking-item" in start or "ranking-result" in start)


def is_nucle(head: Head) -> bool:
    """Recognize NUCLE SGML."""
    first = next((line.strip() for line in head if line.strip()), "")
    return bool(re.match(r"<DOC\b[^<>]*>", first, re.IGNORECASE))


def is_ua_gec(head: Head) -> bool:
    """Recognize UA-GEC: every correction has an error type."""
    found = [mark for line in head for mark in UA_GEC_MARK.finditer(line)]
    return bool(found) and all((mark[3] or "").startswith(":::error_type=") for mark in found)
