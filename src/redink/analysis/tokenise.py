"""Raw English into tokens, by spaCy's rules for English (no model is needed).

These are the tokens that ERRANT and the W&I corpus work with. Text that is tokenised already must
not come here: the rules would split it again.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from redink.model import Sentence


@cache
def _tokenizer() -> Any:
    from spacy.lang.en import English

    return English().tokenizer


def english_tokens(text: str) -> list[tuple[int, int]]:
    """The ``(start, end)`` of every token, in characters; white space is no token."""
    return [
        (token.idx, token.idx + len(token)) for token in _tokenizer()(text) if not token.is_space
    ]


def tokenise(text: str, *, id: str | None = None) -> Sentence:  # noqa: A002
    """A sentence of raw text, with the place of every token in it."""
    return Sentence.from_text(text, english_tokens(text), id=id)
