"""The tokens of raw English text: those of spaCy, with and without spaCy."""

from __future__ import annotations

import gzip
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from redink.analysis.english.tokenizer import english_tokens, load_tokenizer

GOLDEN = {
    "Mr. O'Neil paid $3,000.50 on 10/11/2014.": "Mr. O'Neil paid $ 3,000.50 on 10/11/2014 .",
    "See http://a.example.org/x?y=1, or me@example.org!": (
        "See http://a.example.org/x?y=1 , or me@example.org !"
    ),
    "a.m. :-) :) ;D <3 ^_^ (don't)": "a.m. :-) :) ;D <3 ^_^ ( do n't )",
    "\u201cQuoted\u201d \u2018text\u2019 \u2014 and\u2026more": (
        "\u201c Quoted \u201d \u2018 text \u2019 \u2014 and \u2026 more"
    ),
    "": "",
    "  two  spaces\tand\n\nlines  ": "two spaces and lines",
}


@pytest.mark.parametrize("text", GOLDEN)
def test_tokens(text: str) -> None:
    """Contractions, marks, units, URLs, emoticons, hyphens, other scripts."""
    assert " ".join(text[start:end] for start, end in english_tokens(text)) == GOLDEN[text]


@cache
def _spacy_tokenizer() -> Any:
    return pytest.importorskip("spacy").blank("en").tokenizer


def spacy_tokens(text: str) -> list[tuple[int, int]]:
    found = _spacy_tokenizer()(text)
    return [(token.idx, token.idx + len(token)) for token in found if not token.is_space]


def test_random_text_has_the_tokens_of_spacy() -> None:
    rng = random.Random(11)
    _spacy_tokenizer()
    exceptions = sorted(load_tokenizer()._exceptions)
    marks = "()[]{}.,;:!?'\"’‘“”…-–—/\\*&%$€£<>=+~^_@#|`´°"
    units = "km mb am pm 10 3.5 http://a.b.com www.x.org a@b.com e.g. n't U.S. 1,000 中 \u0301"
    spaces = [" ", "  ", "\t", "\n", "\u00a0", "\u3000", "\x1c", "\u2028", " \n ", "\x85"]
    codes = [*range(0xD800), *range(0xE000, 0x110000)]
    kinds = [exceptions, exceptions, marks, marks, units.split(), spaces, "abcXYZ019"]
    for _ in range(3_000):
        parts = [rng.choice(rng.choice(kinds)) for _ in range(rng.randrange(1, 25))]
        parts.insert(rng.randrange(len(parts)), chr(rng.choice(codes)))
        text = "".join(parts)
        assert english_tokens(text) == spacy_tokens(text), repr(text)


@pytest.mark.slow
def test_real_text_has_the_tokens_of_spacy(shared: Path) -> None:
    """Not a token of 100,000 lines and more differs: books, learners' essays, M2, SGML, JSON."""
    _spacy_tokenizer()
    count = 0
    for file in sorted(path for path in (shared / "data").rglob("*") if path.is_file()):
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for line in data.decode("utf-8", "replace").split("\n"):
            count += 1
            assert english_tokens(line) == spacy_tokens(line), (file, line)
    assert count > 100_000
