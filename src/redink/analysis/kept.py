"""Edits that were found before, in the user's cache: see :mod:`redink.cache`.

What decides about the edits between two sentences is the sentences, the embedded pipeline, the
rules (all of this room's code) and the options; a key is made of all of them. The embedded pipeline
says the same of a sentence whatever stands beside it, so that edits from the cache are those that
would be found again. With another analyser or word list, or for another language, nothing is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from redink.analysis.analyzer import Tokens
from redink.analysis.annotate import Versions
from redink.cache import ANNOTATIONS, digest_code, make_key
from redink.model import Edit

if TYPE_CHECKING:
    from redink.analysis.annotating import Annotating

PairOfTokens = tuple[Tokens, Tokens]
"""A sentence and its correction."""

Edits = tuple[Edit, ...]


@dataclass(frozen=True)
class KeptEdits:
    """The edits that one way of annotating finds.

    Attributes:
        setting: what decides about them besides the sentences.
    """

    setting: str

    @classmethod
    def of(cls, how: Annotating) -> Self | None:
        """What is kept of this way of annotating; None where nothing is."""
        if ANNOTATIONS.path is None or (how.analyser, how.language) != ("embedded", "en"):
            return None
        if how.lexicon is not None:  # what is in it is not known before it is read
            return None
        options = how.merge, how.levenshtein, how.fixed, how.rules
        return cls(make_key(how.pipeline(), _rules(), *map(str, options)).hex())

    def look_up(self, versions: Iterable[Versions]) -> dict[PairOfTokens, Edits]:
        """The edits of those of these sentences that were annotated before."""
        keys = {
            self._key(source, hypothesis): (source, hypothesis)
            for source, hypotheses in versions
            for hypothesis in dict.fromkeys(hypotheses)
            if hypothesis != source
        }
        found = ANNOTATIONS.look_up(list(keys))
        unpacked = json.loads(f"[{','.join(found.values())}]")
        return {keys[key]: _edits(rows) for key, rows in zip(found, unpacked, strict=True)}

    def keep(self, made: Mapping[PairOfTokens, Edits]) -> None:
        """Keep what was found."""
        ANNOTATIONS.keep({self._key(*pair): _pack(edits) for pair, edits in made.items()})

    def _key(self, source: Tokens, hypothesis: Tokens) -> bytes:
        return make_key(self.setting, str(len(source)), *source, *hypothesis)


@cache
def _rules() -> str:
    """A digest of the code and the word lists that find and type edits."""
    room = Path(__file__).parent
    words = blake2b()
    for file in sorted(room.rglob("words/*.txt")):
        words.update(file.read_bytes())
    return digest_code(room) + words.hexdigest()


def _pack(edits: Edits) -> str:
    return json.dumps(
        [(e.start, e.end, e.correction, e.type, e.rule) for e in edits], separators=(",", ":")
    )


def _edits(rows: Iterable[list[Any]]) -> Edits:
    return tuple(
        Edit(start, end, correction, kind, (), rule) for start, end, correction, kind, rule in rows
    )
