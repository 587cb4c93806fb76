"""What comes with redink for English: a trained pipeline, a word list, and rules for raw text."""

from __future__ import annotations

import json
import lzma
from collections.abc import Container, Sequence
from functools import cache, cached_property
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

    tables = Tables.from_bytes((_PIPELINE / "lemmatiser" / TABLES_FILE).read_bytes())
    return NumpyAnalyser(
        _PIPELINE,
        lambda form, tag: (universal_pos(form, tag), tables.lemma(form, tag)),
        name="embedded",
        version=embedded_version(),
    )


@cache
def spacy_analyser() -> SpacyAnalyser:
    """The same pipeline run by spaCy, for what needs spaCy's own pipeline or compares with it."""
    import spacy

    # Importing these registers the components that the pipeline is made of.
    import redink.analysis.english.spacy_component
    import redink.analysis.network  # noqa: F401
    from redink.analysis.spacy_analyser import SpacyAnalyser

    return SpacyAnalyser(spacy.load(_PIPELINE), name="embedded", version=embedded_version())


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
    names = ["en_GB.txt.xz", "en_US-additions.txt.xz"][: 1 + american]
    return _WordList(tuple(RESOURCES / "words" / name for name in names))


_FEW = 16  # so many words are looked for in the text before a set of all words pays off


class _WordList(Container[str]):
    """Words from packed files of one word a line."""

    def __init__(self, paths: Sequence[Path]) -> None:
        texts = [lzma.decompress(path.read_bytes()) for path in paths]
        self._text = b"\n".join([b"", *texts])
        self._asked = 0

    def __contains__(self, word: object) -> bool:
        self._asked += 1
        if self._asked > _FEW:
            return word in self._words
        if not isinstance(word, str) or not word or "\n" in word:
            return False
        return f"\n{word}\n".encode(errors="replace") in self._text

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._text.decode("utf-8").split("\n")) - {""}


def english_tokens(text: str) -> list[tuple[int, int]]:
    """The ``(start, end)`` of every token, in characters, by spaCy's rules; no model is needed.

    These are the tokens that ERRANT and the W&I corpus work with. White space is not a token. Text
    that is tokenised already must not come here: the rules would split it again.
    """
    return cut_words("en", text)
