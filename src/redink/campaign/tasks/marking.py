"""Sentences with their changed or highlighted parts, ready for a template to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Levenshtein


@dataclass(frozen=True, slots=True)
class Part:
    """A run of tokens: plain, inserted or substituted, deleted, or the word in question."""

    text: str
    kind: Literal["plain", "new", "gone", "target", "blank"] = "plain"


def mark_changes(source: Sequence[str], output: Sequence[str]) -> list[Part]:
    """The output with what is new in it, and what is gone from the source, as parts."""
    parts: list[Part] = []
    for step in Levenshtein.opcodes(source, output):
        before = " ".join(source[step.src_start : step.src_end])
        after = " ".join(output[step.dest_start : step.dest_end])
        if step.tag == "equal":
            parts.append(Part(after))
        elif step.tag == "delete":
            parts.append(Part(before, "gone"))
        else:
            parts.append(Part(after, "new"))
    return parts


def mark_span(
    tokens: Sequence[str], start: int, end: int, kind: Literal["target", "blank"] = "target"
) -> list[Part]:
    """The sentence with one span set apart; a blank stands for the span itself."""
    middle = "" if kind == "blank" else " ".join(tokens[start:end])
    parts = [Part(" ".join(tokens[:start])), Part(middle, kind), Part(" ".join(tokens[end:]))]
    return [part for part in parts if part.text or part.kind != "plain"]
