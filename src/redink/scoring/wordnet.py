"""The synonym sets of WordNet, if installed.

WordNet is read from its own database files (``index.noun``, ``noun.exc`` and so on), which Linux
packages and NLTK's data contain. redink never downloads anything.
"""

from __future__ import annotations

import os
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from redink.errors import DataError

PARTS = ("noun", "verb", "adj", "adv")
# Endings that WordNet's own lookup removes, by part of speech, in its order.
_ENDINGS = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z")),
    *(("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    *(("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
    *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)
_NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class WordNet:
    """The synonym sets of every word.

    Attributes:
        version: the version given in the database.
        sets: by word, the numbers of its synonym sets, for all parts of speech.
        bases: by irregular form, its base forms.
    """

    version: str
    sets: Mapping[str, frozenset[int]]
    bases: Mapping[str, tuple[str, ...]]
    _memory: dict[str, frozenset[int]] = field(default_factory=dict, init=False, repr=False)

    def senses(self, word: str) -> frozenset[int]:
        """Return the synonym sets of the word and of its base forms.

        An irregular form is looked up in the lists of exceptions. For any other word, the first
        ending is removed that leaves a word in WordNet. As in METEOR, parts of speech are ignored.
        """
        known = self._memory.get(word)
        if known is None:
            known = self.sets.get(word, _NOTHING).union(
                *(self.sets.get(base, _NOTHING) for base in self._base_forms(word))
            )
            self._memory[word] = known
        return known

    def _base_forms(self, word: str) -> tuple[str, ...]:
        if word in self.bases:
            return self.bases[word]
        if len(word) <= 2 or word.endswith("ss"):
            return ()
        for ending, instead in _ENDINGS:
            base = word.removesuffix(ending) + instead
            if word.endswith(ending) and base in self.sets:
                return (base,)
        return ()


def find_wordnet() -> Path | zipfile.Path | None:
    """Return the folder of the database files, if WordNet is installed separately or with NLTK."""
    for folder in _likely_folders():
        if (folder / "index.noun").is_file():
            return folder
        archive = folder.with_suffix(".zip")
        if archive.is_file():
            inside = zipfile.Path(archive) / folder.name
            if (inside / "index.noun").is_file():
                return inside
    return None


def _likely_folders() -> Iterator[Path]:
    if "WNSEARCHDIR" in os.environ:
        yield Path(os.environ["WNSEARCHDIR"])
    if "WNHOME" in os.environ:
        yield Path(os.environ["WNHOME"]) / "dict"
    yield Path("/usr/share/wordnet")
    yield from Path("/usr/local").glob("WordNet-*/dict")
    usual = ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")
    roots = [
        *(Path(each) for each in os.environ.get("NLTK_DATA", "").split(os.pathsep) if each),
        Path.home() / "nltk_data",
        *(Path(sys.prefix, place, "nltk_data") for place in ("", "share", "lib")),
        *(Path(place, "nltk_data") for place in usual),
    ]
    for root in roots:
        yield root / "corpora" / "wordnet"


@lru_cache(maxsize=2)
def read_wordnet(folder: Path | zipfile.Path) -> WordNet:
    """Read WordNet from the folder of its database files."""
    version = "unknown"
    sets: dict[str, frozenset[int]] = {}
    bases: dict[str, tuple[str, ...]] = {}
    for part in PARTS:
        for line in _lines(folder / f"index.{part}"):
            if line.startswith("  "):
                # the license, with the version in its first lines
                found = re.search(r"WordNet (\d[\d.]*) Copyright", line)
                version = found[1] if found else version
                continue
            word, numbers = _read_entry(line, folder / f"index.{part}")
            sets[word] = sets.get(word, _NOTHING) | numbers
        for line in _lines(folder / f"{part}.exc"):
            form, *more = line.split()
            bases[form] = (*bases.get(form, ()), *more)
    return WordNet(version, sets, bases)


def _lines(path: Path | zipfile.Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, KeyError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot read this WordNet file") from error
    return [line for line in text.splitlines() if line.strip()]


def _read_entry(line: str, path: Path | zipfile.Path) -> tuple[str, frozenset[int]]:
    """Parse an index line: word, part, number of sets, pointers ..., and the sets at the end."""
    fields = line.split()
    try:
        count = int(fields[2])
        numbers = frozenset(map(int, fields[-count:]))
    except (IndexError, ValueError):
        count = 0
    if not 0 < count <= len(fields) - 3:
        raise DataError(f"{path}: not a line of a WordNet index: {line[:60]!r}")
    return fields[0], numbers
