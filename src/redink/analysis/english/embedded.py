"""What comes with redink for English: a trained pipeline, a word list, and rules for raw text."""

from __future__ import annotations

import json
import lzma
from collections.abc import Container
from functools import cache
from pathlib import Path
from typing import Any

from redink.analysis.spacy_analyser import SpacyAnalyser, describe_pipeline

RESOURCES = Path(__file__).with_name("resources")
_PIPELINE = RESOURCES / "en_redink"


@cache
def default_analyser() -> SpacyAnalyser:
    """The embedded pipeline, loaded once."""
    import spacy

    # Importing these registers the components that the pipeline is made of.
    import redink.analysis.english.lemmatise
    import redink.analysis.network  # noqa: F401

    return SpacyAnalyser(spacy.load(_PIPELINE), name="embedded", version=embedded_version())


@cache
def embedded_version() -> str:
    """The version of the embedded pipeline, without loading it."""
    meta = json.loads((_PIPELINE / "meta.json").read_text(encoding="utf-8"))
    return describe_pipeline(meta, _PIPELINE)


@cache
def default_lexicon(*, american: bool = False) -> Container[str]:
    """The word list: British English with -ise and -ize, loaded once.

    Args:
        american: take American spellings (``color``) for words too.
    """
    words = _unpack("en_GB.txt.xz")
    return words | _unpack("en_US-additions.txt.xz") if american else words


def _unpack(name: str) -> frozenset[str]:
    packed = (RESOURCES / "words" / name).read_bytes()
    return frozenset(lzma.decompress(packed).decode("utf-8").splitlines())


@cache
def _tokenizer() -> Any:
    from spacy.lang.en import English

    return English().tokenizer


def english_tokens(text: str) -> list[tuple[int, int]]:
    """The ``(start, end)`` of every token, in characters, by spaCy's rules; no model is needed.

    These are the tokens that ERRANT and the W&I corpus work with. White space is not a token. Text
    that is tokenised already must not come here: the rules would split it again.
    """
    return [
        (token.idx, token.idx + len(token)) for token in _tokenizer()(text) if not token.is_space
    ]
