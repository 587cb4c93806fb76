"""A sentence with its edits marked: plain, colored on a terminal, and as HTML in a notebook."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Literal

from redink.model import Edit

_FORMS = {
    "plain": ("[-{}-]", "{{+{}+}}", "({})"),
    "color": ("\033[9;31m{}\033[0m", "\033[32m{}\033[0m", "\033[2m{}\033[0m"),
    "html": (
        '<del style="background: rgb(217 48 37 / .2)">{}</del>',
        '<ins style="background: rgb(30 142 62 / .25)">{}</ins>',
        "<small>{}</small>",
    ),
    "markdown": ("~~{}~~", "**{}**", "({})"),
}
"""How each form writes deleted words, inserted words and the error type."""


@dataclass(frozen=True, repr=False)
class SentenceDiff:
    """A sentence and the edits that correct it.

    ``str`` gives plain text: ``He [-go-] {+goes+} (R:VERB:SVA) home .``

    Attributes:
        source: the tokens of the source sentence.
        edits: the edits with their error types, in order.
    """

    source: tuple[str, ...]
    edits: tuple[Edit, ...]

    def __str__(self) -> str:
        return self.render("plain")

    def __repr__(self) -> str:
        is_colored = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        return self.render("color" if is_colored else "plain")

    def render(self, form: Literal["plain", "color", "html", "markdown"]) -> str:
        """Return the marked sentence in one form."""
        return " ".join(self._parts(form))

    def _repr_html_(self) -> str:
        return f'<p class="redink-diff">{self.render("html")}</p>'

    def _parts(self, form: str) -> Iterator[str]:
        deleted, inserted, named = _FORMS[form]
        position = 0
        for edit in self.edits:
            yield from self._clean(form, self.source[position : edit.start])
            for words, mark in (
                (self.source[edit.start : edit.end], deleted),
                ((edit.correction,) if edit.correction else (), inserted),
                ((edit.type,), named),
            ):
                if any(words):
                    yield mark.format(" ".join(self._clean(form, words)))
            position = edit.end
        yield from self._clean(form, self.source[position:])

    def _clean(self, form: str, words: tuple[str, ...]) -> tuple[str, ...]:
        if form == "markdown":
            return tuple(re.sub(r"([\\`*_~|<>\[\]])", r"\\\1", word) for word in words)
        return tuple(map(escape, words)) if form == "html" else words
