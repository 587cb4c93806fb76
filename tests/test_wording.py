"""Texts for people avoid phrases that readers stumble over; the style guide explains each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "docs/site/*.md", ".github/**/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "cli.md"  # tests/cli reads the help itself
)
PHRASES = re.compile(
    r"\b(?:an?|one|each|every) (?:line|row|column|file|sentence|item|judge|system|token|value) "
    r"an? [a-z]+\b|\bso many\b|\bas many [a-z]+ as there\b|\bwhoever\b|\bbeside\b|\bwill do\b"
    r"|\bworked? out\b|\bworks out\b|\bmend(?:s|ed|ing)?\b|\bof theirs\b|\bheld? against\b"
    r"|, told by\b|\bare told\b|\bstands? (?:in|at|for|on|there)\b|\bof one's own\b|\bof your own\b"
    r"|\bis refused\b|\bare refused\b|\bpassed over\b|\bdeals?\b|\bdesk\b|\bthrough one door\b"
    r"|\blie (?:in|at)\b|\blies (?:in|at)\b|\bat a look\b|\bheeded\b"
)
BRITISH = re.compile(
    r"\b\w*(?:analys|tokenis|organis|normalis|randomis|recognis|summaris|initialis|minimis|"
    r"optimis)(?:e|ed|er|ers|es|ing|ation)\b|\bbehaviour|\bcolour|\bfavour|\bneighbour|\blicence\b",
    re.IGNORECASE,
)
"""British spelling. ``analyses`` is a plural in both."""


def texts_for_people(page: Path) -> list[tuple[int, str]]:
    """Return the lines of a page without code, by number."""
    lines, code = [], False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("```"):
            code = not code
        elif not code and not line.startswith("    "):
            lines.append((number, re.sub(r"`[^`]*`", "`code`", line)))
    return lines


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_use_plain_english(page: Path) -> None:
    """No phrase of the word list, and no British spelling, in a page for people."""
    odd = [
        f"{page.name}:{number}: {found[0]!r}"
        for number, line in texts_for_people(page)
        for found in [*PHRASES.finditer(line), *BRITISH.finditer(line)]
        if found[0].lower() not in {"analyses", "p_randomisation"} and "color" not in line
    ]
    assert not odd, "\n".join(odd)
