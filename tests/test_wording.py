"""Texts for people avoid phrases that readers stumble over; the style guide explains each."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from redink.cli.layout import walk_commands
from redink.cli.main import cli

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
    lines, code = [], False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("```"):
            code = not code
        elif not code and not line.startswith("    "):
            lines.append((number, re.sub(r"`[^`]*`", "`code`", line)))
    return lines


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_use_plain_english(page: Path) -> None:
    odd = [
        f"{page.name}:{number}: {found[0]!r}"
        for number, line in texts_for_people(page)
        for found in [*PHRASES.finditer(line), *BRITISH.finditer(line)]
        if found[0].lower() not in {"analyses", "p_randomisation"} and "color" not in line
    ]
    assert not odd, "\n".join(odd)


LEGITIMATE = re.compile(
    r"\b[Aa]nalyses\b|color and colour|of your own package|class=\"beside\""  # plural; examples
)


def texts_of_source(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module or a template, by line number."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        yield from enumerate(text.splitlines(), start=1)
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def odd_phrases(text: str) -> list[str]:
    """Return the phrases of a text that the style guide discourages."""
    text = LEGITIMATE.sub("", text)
    return [found[0] for found in (*PHRASES.finditer(text), *BRITISH.finditer(text))]


@pytest.mark.parametrize("suffix", [".py", ".html"])
def test_texts_in_the_source_use_plain_english(suffix: str) -> None:
    package = ROOT / "src" / "redink"
    odd = [
        f"{path.relative_to(package)}:{number}: {phrase!r}"
        for path in sorted(package.rglob(f"*{suffix}"))
        for number, text in texts_of_source(path)
        for phrase in odd_phrases(text)
    ]
    assert not odd, "\n".join(odd)


def test_help_uses_plain_english() -> None:
    odd = [
        f"{' '.join(words)}: {phrase!r}"
        for words, command in walk_commands(cli, ("redink",))
        for phrase in odd_phrases(command.get_help(click.Context(command, info_name=words[-1])))
    ]
    assert not odd, "\n".join(odd)
