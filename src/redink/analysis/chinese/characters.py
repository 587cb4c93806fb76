"""Chinese characters: tokenization, simplification, and similarity.

The pronunciation comes from pypinyin and the simplified form from OpenCC; ``redink[zh]`` installs
both. With two tables the similarity is that of ChERRANT: a thesaurus of semantic classes
(``cilin.txt``) and a table of easily confused characters (``confusion_dict.txt``). They have no
license, so redink does not include them. Without them, all characters are equally distant.
"""

from __future__ import annotations

import gzip
import string
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from redink.analysis.analyzer import Tokens
from redink.errors import FormatError, OptionError

Cut = Literal["characters", "blanks"]
"""How a line is tokenized: into characters, or at spaces."""

MISSING_PART = "[缺失成分]"
"""A token that represents a missing part of the sentence."""

PUNCTUATION = (
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
    "〰〾〿–—‘'‛“”„‟…‧﹏"
) + string.punctuation
"""Marks whose replacement by another costs less; 。 and 《 are not included, as in ChERRANT."""

_INSTALL = "Chinese needs {} ({}): pip install 'redink[zh]'"
_UNLIKE = 5 / 6.0
_SAME_CLASS_PARTS = 3


def split(text: str, cut: Cut = "characters") -> Tokens:
    """Tokenize a text; whitespace is ignored unless it separates tokens."""
    if cut == "blanks":
        spaced = " ".join(MISSING_PART)
        return tuple(" ".join(text.split()).replace(spaced, MISSING_PART).split())
    first, *others = "".join(text.split()).split(MISSING_PART)
    return (*first, *(token for part in others for token in (MISSING_PART, *part)))


@cache
def _converter() -> Callable[[str], str]:
    try:
        from opencc import OpenCC
    except ImportError:
        raise OptionError(_INSTALL.format("OpenCC", "opencc-python-reimplemented")) from None
    convert: Callable[[str], str] = OpenCC("t2s").convert
    return convert


def simplify(text: str) -> str:
    """Convert traditional to simplified characters."""
    return text if text.isascii() else _converter()(text)


@cache
def _readings(token: str) -> frozenset[str]:
    try:
        from pypinyin import Style, pinyin
    except ImportError:
        raise OptionError(_INSTALL.format("pypinyin", "the pronunciation of characters")) from None
    return frozenset(pinyin(token, style=Style.NORMAL, heteronym=True)[0])


def _is_chinese(token: str) -> bool:
    return all("一" <= character <= "\u9fff" for character in token)


@dataclass(frozen=True)
class Likeness:
    """The cost of replacing a token by another, from their similarity."""

    classes: Mapping[str, str] | None = None
    confused: Mapping[str, frozenset[str]] = field(default_factory=dict)
    _costs: dict[tuple[str, str], float] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def cost(self, token: str, other: str) -> float:
        """Return a cost between 0.25 and 2 for two different tokens."""
        known = self._costs.get((token, other))
        if known is None:
            # in this order, because rounding of the sum decides which alignments cost the same
            known = self._meaning(token, other) + self._form(token, other) + _kind(token, other)
            self._costs[token, other] = known
        return known

    def _meaning(self, token: str, other: str) -> float:
        if self.classes is None:
            return _UNLIKE
        ours, theirs = self.classes.get(token), self.classes.get(other)
        if ours is None or theirs is None:
            return 4 / 6.0
        same = (ours[0] == theirs[0]) + (ours[1] == theirs[1]) + (ours[2:4] == theirs[2:4])
        return 2 * (_SAME_CLASS_PARTS - same) / 6.0

    def _form(self, token: str, other: str) -> float:
        """Return half the share of characters without a similar character in the other token."""
        if not (_is_chinese(token) and _is_chinese(other)):
            return 0.5
        if _readings(token) & _readings(other):
            return 0.0
        short, long = (token, other) if len(token) <= len(other) else (other, token)
        alike = sum(any(map(self._looks_alike, character * len(long), long)) for character in short)
        return (len(short) - alike) / (len(short) * 2)

    def _looks_alike(self, one: str, other: str) -> bool:
        confused = self.confused
        return one == other or one in confused.get(other, ()) or other in confused.get(one, ())


def _kind(token: str, other: str) -> float:
    marks = (token in PUNCTUATION) + (other in PUNCTUATION)
    return (0.25, 0.499, 0.0)[marks]


@cache
def load_likeness(tables: str | None) -> Likeness:
    """Load the similarity of characters, with ChERRANT's tables in a folder or without them."""
    if tables is None:
        return Likeness()
    classes = {
        word: code
        for code, *words in _rows(tables, "cilin.txt", "gb18030")
        for word in words
        if code
    }
    confused = {
        character: frozenset(others)
        for character, *others in _rows(tables, "confusion_dict.txt", "utf-8")
    }
    return Likeness(classes, confused)


def _rows(folder: str, name: str, encoding: str) -> list[list[str]]:
    """Yield the lines of a table, split at whitespace; the file may be compressed."""
    for path in (Path(folder, name), Path(folder, f"{name}.gz")):
        if path.is_file():
            try:
                content = path.read_bytes()
                text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode(
                    encoding
                )
            except UnicodeDecodeError as error:
                message = f"is not {encoding.upper()} text"
                raise FormatError(message, path=path, byte=error.start) from None
            except (OSError, EOFError, zlib.error):
                raise FormatError("is damaged or cannot be read", path=path) from None
            return [line.split(" ") for line in text.strip().split("\n")]
    raise OptionError(f"{folder}: {name} (or {name}.gz), one of ChERRANT's tables, is missing")
