"""What the pages say, in the judge's language: a catalogue for each, English as the key.

A catalogue is a TOML file in ``languages/``: what the page says in English, and what it says in
that language. What a catalogue does not have is said in English.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Self

from redink.errors import OptionError

_FOLDER = Path(__file__).parent / "languages"
ENGLISH = "en"
Say = Callable[..., str]
"""From an English text, and values in it, to what a page says."""


def interface_languages() -> tuple[str, ...]:
    """The languages in which the pages can be."""
    return (ENGLISH, *sorted(path.stem for path in _FOLDER.glob("*.toml")))


class Verbatim(str):
    """Words of an item: they are the same in every language."""

    __slots__ = ()


class Phrase(str):
    """A text with values in it, which are said in the language of the page too.

    As a text it is the English whole.
    """

    __slots__ = ("pattern", "values")
    pattern: str
    values: dict[str, object]

    def __new__(cls, pattern: str, **values: object) -> Self:
        """The pattern has the names of the values in braces."""
        made = super().__new__(cls, pattern.format(**values))
        made.pattern, made.values = pattern, values
        return made


@dataclass(frozen=True)
class Words:
    """What the pages say in one language."""

    language: str = ENGLISH
    catalogue: dict[str, str] = field(default_factory=dict, hash=False, compare=False, repr=False)

    def say(self, text: str, **values: object) -> str:
        """An English text in this language, with its values put in."""
        if isinstance(text, Verbatim):
            return text
        if isinstance(text, Phrase):
            values = text.values
            text = text.pattern
        said = self.catalogue.get(text, text)
        if not values:
            return said
        return said.format(
            **{
                n: self.say(value) if isinstance(value, str) else value
                for n, value in values.items()
            }
        )


@cache
def load_words(language: str) -> Words:
    """The catalogue of a language.

    Raises:
        OptionError: there is none.
    """
    if language == ENGLISH:
        return Words()
    if language not in interface_languages():
        raise OptionError(
            f"there is no interface language {language!r}; there are: "
            f"{', '.join(interface_languages())}"
        )
    text = (_FOLDER / f"{language}.toml").read_text(encoding="utf-8")
    return Words(language, tomllib.loads(text))
