"""Translations of the pages: one TOML file per language in ``languages/``, keyed by English texts.

A text that is missing there is shown in English.
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
_RIGHT_TO_LEFT = {"ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ku", "ps", "sd", "syr", "ug"}
_RIGHT_TO_LEFT |= {"nqo", "ur", "yi"}
ENGLISH = "en"
Translate = Callable[..., str]  # from an English text, and values in it, to the text of a page


def interface_languages() -> tuple[str, ...]:
    """Return the languages of the pages."""
    return (ENGLISH, *sorted(path.stem for path in _FOLDER.glob("*.toml")))


class Verbatim(str):
    """Words of an item, which are never translated."""

    __slots__ = ()


class Phrase(str):
    """A text with values in it, which are translated too; as a string it is English."""

    __slots__ = ("pattern", "values")
    pattern: str
    values: dict[str, object]

    def __new__(cls, pattern: str, **values: object) -> Self:
        """Make a phrase from a pattern with the names of the values in braces."""
        made = super().__new__(cls, pattern.format(**values))
        made.pattern, made.values = pattern, values
        return made


@dataclass(frozen=True)
class Translation:
    """The texts of the pages in one language."""

    language: str = ENGLISH
    texts: dict[str, str] = field(default_factory=dict, hash=False, compare=False, repr=False)

    def translate(self, text: str, **values: object) -> str:
        """Translate an English text, and fill in its values."""
        if isinstance(text, Verbatim):
            return text
        if isinstance(text, Phrase):
            values, text = text.values, text.pattern
        found = self.texts.get(text, text)
        if not values:
            return found
        return found.format(
            **{
                name: self.translate(value) if isinstance(value, str) else value
                for name, value in values.items()
            }
        )


@cache
def load_translation(language: str) -> Translation:
    """Load the texts of a language; raise an OptionError if it is unknown."""
    if language == ENGLISH:
        return Translation()
    if language not in interface_languages():
        raise OptionError(
            f"unknown interface language {language!r}; expected one of: "
            f"{', '.join(interface_languages())}"
        )
    text = (_FOLDER / f"{language}.toml").read_text(encoding="utf-8")
    return Translation(language, tomllib.loads(text))


def direction_of(language: str) -> str:
    """Return the direction of writing of a language, by its code: ``rtl`` or ``ltr``."""
    return "rtl" if language.lower().replace("_", "-").split("-")[0] in _RIGHT_TO_LEFT else "ltr"
