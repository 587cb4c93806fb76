"""What comes with redink for English: a trained pipeline, a word list, and rules for raw text."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Container, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from redink.analysis.english.lemmatise import TABLES_FILE, Tables, universal_pos
from redink.analysis.spacy_analyser import cut_words

if TYPE_CHECKING:
    from redink.analysis.numpy_analyser import NumpyAnalyser
    from redink.analysis.spacy_analyser import SpacyAnalyser

RESOURCES = Path(__file__).with_name("resources")
_PIPELINE = RESOURCES / "en_redink"


@cache
def default_analyser() -> NumpyAnalyser:
    """The embedded pipeline, loaded once."""
    from redink.analysis.numpy_analyser import NumpyAnalyser

    tables = lemma_tables()
    return NumpyAnalyser(
        _PIPELINE,
        lambda form, tag: (universal_pos(form, tag), tables.lemma(form, tag)),
        name="embedded",
        version=embedded_version(),
    )


@cache
def lemma_tables() -> Tables:
    """The tables of the lemmatizer, loaded once."""
    return Tables.from_bytes((_PIPELINE / "lemmatiser" / TABLES_FILE).read_bytes())


@cache
def spacy_analyser() -> SpacyAnalyser:
    """The same pipeline run by spaCy, for what needs spaCy's own pipeline or compares with it."""
    from redink.analysis.spacy_analyser import SpacyAnalyser, load_pipeline

    pipeline = load_pipeline(str(_PIPELINE)).pipeline
    return SpacyAnalyser(pipeline, name="embedded", version=embedded_version())


@cache
def embedded_version() -> str:
    """The version of the embedded pipeline, without loading it."""
    from redink.analysis.spacy_analyser import describe_pipeline

    meta = json.loads((_PIPELINE / "meta.json").read_text(encoding="utf-8"))
    return describe_pipeline(meta, _PIPELINE)


@cache
def default_lexicon(*, american: bool = False) -> Container[str]:
    """The word list: British English with -ise and -ize, loaded once.

    Args:
        american: take American spellings (``color``) for words too.
    """
    names = ["en_GB.txt", "en_US-additions.txt"][: 1 + american]
    return _WordList(tuple(RESOURCES / "words" / name for name in names))


class _WordList(Container[str]):
    """Words of files of one word a line, sorted by code point (which is also by their bytes)."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._parts = tuple(_SortedText(b"\n" + path.read_bytes()) for path in paths)

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str) or not word or "\n" in word:
            return False
        line = f"\n{word}\n".encode("utf-8", "surrogatepass")
        return any(line in part for part in self._parts)


_STRETCH = 1024  # bytes


class _SortedText:
    """Sorted lines, each between two newlines, that are looked up where they stand.

    A set of them would take longer to make than most commands take altogether. What is kept is the
    first line of a stretch of text every so many bytes.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        last = len(text) - 1
        starts = [text.index(b"\n", at) for at in range(0, last, _STRETCH)]
        self._heads = [text[start : text.index(b"\n", start + 1) + 1] for start in starts]
        self._bounds = [*starts, last]

    def __contains__(self, line: bytes) -> bool:
        stretch = bisect_right(self._heads, line) - 1
        if stretch < 0:
            return False
        return self._text.find(line, self._bounds[stretch], self._bounds[stretch + 1] + 1) >= 0


def english_tokens(text: str) -> list[tuple[int, int]]:
    """The ``(start, end)`` of every token, in characters, by spaCy's rules; no model is needed.

    These are the tokens that ERRANT and the W&I corpus work with. White space is not a token. Text
    that is tokenised already must not come here: the rules would split it again.
    """
    return cut_words("en", text)
