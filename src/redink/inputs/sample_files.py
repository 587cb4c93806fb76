"""Write and read the two files of a sample: the blind file for judges, and the organizer's key."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redink.errors import DataError, OptionError
from redink.files import placed, read_text, write_atomically
from redink.formats.delimited import write_rows
from redink.formats.recognition import COMMA
from redink.formats.strict_json import list_of, parse_object, text_of, whole_number, write_object
from redink.inputs.input_options import PathLike
from redink.model import Judgment

SHOWN = ("text", "start", "end", "before", "after")
"""Columns of the cases that a judge may see: the text, its marked words, and its context."""

_KIND = "sample key"
_MOST = 10**15


@dataclass(frozen=True)
class Key:
    """The case and sub-corpus of each item in the blind file.

    A sample for several systems has their names, the decisions of all of them about each item
    (``E`` or ``-``, one letter per system), and the number of cases with each of these decisions.
    """

    error_cases: int
    ok_cases: int
    cases: Mapping[str, str]
    flagged: Mapping[str, bool]
    signature: Mapping[str, Any]
    systems: tuple[str, ...] = ()
    decisions: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, int] = field(default_factory=dict)


def choose_marked(cases: Sequence[Judgment], words: Sequence[str]) -> Sequence[Judgment]:
    """Return the cases whose marked words are among these; all cases if no words are given."""
    if not words:
        return cases
    wanted = {word.casefold() for word in words}
    found = []
    for case in cases:
        extra = dict(case.extra)
        try:
            marked = extra["text"].split()[int(extra["start"]) : int(extra["end"])]
        except (KeyError, ValueError):
            problem = (
                f"case {case.item!r} marks no words (text, start, end), so it cannot be selected"
            )
            raise DataError(problem) from None
        if " ".join(marked).casefold() in wanted:
            found.append(case)
    if not found:
        raise DataError(f"no case has a marked word among: {', '.join(words)}")
    return found


def blind_records(cases: Mapping[str, Judgment], keep: Sequence[str]) -> list[dict[str, str]]:
    """Return the cases for judges, with new ids and without the decisions of the system."""
    records = []
    for name, case in cases.items():
        extra = dict(case.extra)
        shown = {column: extra[column] for column in (*SHOWN, *keep) if column in extra}
        if "text" not in shown:
            shown = {"case": case.item, **shown}
        records.append({"item": name, **shown})
    return records


def write_blind(path: PathLike, records: Sequence[Mapping[str, str]]) -> None:
    """Write the blind file as JSONL or CSV, depending on the suffix.

    CSV has empty columns ``judge`` and ``label``. When they are filled in, the file is a table of
    judgments for ``sample estimate``.
    """
    suffix = check_blind_path(path)
    names = dict.fromkeys(["item", "judge", "label", *(name for r in records for name in r)])
    with write_atomically(path) as stream:
        if suffix == ".jsonl":
            for record in records:
                write_object(dict(record), stream)
        else:
            rows = ([record.get(name, "") for name in names] for record in records)
            write_rows(list(names), rows, stream, COMMA)


def check_blind_path(path: PathLike) -> str:
    """Return the suffix if it is supported; otherwise raise an error."""
    suffix = Path(path).suffix.lower()
    if suffix not in {".csv", ".jsonl"}:
        raise OptionError(f"{path}: the name of the file for judges must end in .csv or .jsonl")
    return suffix


def write_key(path: PathLike, key: Key) -> None:
    """Write the key as JSON."""
    content = {
        "kind": _KIND,
        "signature": dict(key.signature),
        "error_cases": key.error_cases,
        "ok_cases": key.ok_cases,
        **({"systems": list(key.systems), "parts": dict(key.parts)} if key.systems else {}),
        "items": [
            {"item": item, "case": case, "decision": "error" if key.flagged[item] else "ok"}
            | ({"decisions": key.decisions[item]} if key.systems else {})
            for item, case in key.cases.items()
        ],
    }
    with write_atomically(path) as stream:
        json.dump(content, stream, ensure_ascii=False, indent=1)
        stream.write("\n")


def read_key(path: PathLike) -> Key:
    """Read the key of a sample."""
    with placed(path):
        return _parse_key(parse_object(read_text(path)))


def _parse_key(content: dict[str, Any]) -> Key:
    if content.get("kind") != _KIND:
        raise DataError("is not the key of a sample (written by `redink sample plan`)")
    signature = content.get("signature")
    if not isinstance(signature, dict):
        raise DataError("expected an object for 'signature'")
    entries = list_of(content, "items", dict)
    errors, ok = (whole_number(content, name) for name in ("error_cases", "ok_cases"))
    if not (0 <= errors < _MOST and 0 <= ok < _MOST):
        raise DataError("expected counts for 'error_cases' and 'ok_cases'")
    systems = tuple(list_of(content, "systems", str, required=False))
    parts = content.get("parts", {})
    if not isinstance(parts, dict) or not all(type(size) is int for size in parts.values()):
        raise DataError("expected whole numbers for 'parts'")
    decisions = {text_of(e, "item"): text_of(e, "decisions") for e in entries} if systems else {}
    if any(each not in parts or len(each) != len(systems) for each in decisions.values()):
        raise DataError("the decisions of an item are not among the 'parts'")
    return Key(
        errors,
        ok,
        {text_of(entry, "item"): text_of(entry, "case") for entry in entries},
        {text_of(entry, "item"): text_of(entry, "decision") == "error" for entry in entries},
        signature,
        systems,
        decisions,
        parts,
    )
