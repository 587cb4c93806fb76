"""The lemmatiser as a component of spaCy, for training and for running the pipeline by spaCy.

Importing this module registers the component `redink_lemmatiser`.
"""

# Annotations are values here, not text: older versions of confection read them to check the
# configuration of the pipeline.

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from redink.analysis.english.lemmatise import TABLES_FILE, Tables, universal_pos

__all__ = ["Lemmatiser", "make_lemmatiser"]

# The attributes read and written, as spaCy's arrays name them.
_KEY: list[int | str] = ["ORTH", "TAG"]
_VALUE: list[int | str] = ["POS", "LEMMA"]


class Lemmatiser:
    """The spaCy component: sets `pos` and `lemma` of every token from its form and tag."""

    def __init__(self, vocab: Vocab, name: str, tables: Tables | None = None) -> None:
        self.vocab = vocab
        self.name = name
        self._tables = tables
        self._cache: dict[tuple[int, int], tuple[int, int]] = {}

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one document."""
        cache = self._cache
        pairs = list(map(tuple, doc.to_array(_KEY).tolist()))
        try:
            found = [cache[pair] for pair in pairs]
        except KeyError:
            found = [cache.get(pair) or self._work_out(pair) for pair in pairs]
        if found:
            values: Any = np.array(found, dtype=np.uint64)
            doc.from_array(_VALUE, values)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 256) -> Iterator[Doc]:  # noqa: ARG002
        """Annotate a stream of documents."""
        return map(self, stream)

    def load_tables(self, path: Path) -> None:
        """Take the tables from a file made by `Tables.to_bytes`."""
        self._take(path.read_bytes())

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:  # noqa: ARG002
        """Write the tables into a directory."""
        directory = Path(path)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / TABLES_FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:  # noqa: ARG002
        """Read the tables from a directory."""
        self.load_tables(Path(path) / TABLES_FILE)
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:  # noqa: ARG002
        """The tables, compressed."""
        return self._tables.to_bytes() if self._tables is not None else b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Self:  # noqa: ARG002
        """Read what `to_bytes` wrote."""
        self._take(data)
        return self

    def _take(self, data: bytes) -> None:
        self._tables = Tables.from_bytes(data)
        self._cache.clear()

    def _work_out(self, pair: tuple[int, int]) -> tuple[int, int]:
        """Part of speech and lemma, as ids, of a form and tag not met before."""
        if self._tables is None:
            raise ValueError("the lemmatiser has no tables: load a pipeline that carries them")
        strings = self.vocab.strings
        form, tag = strings[pair[0]], strings[pair[1]]
        answer = (
            strings.add(universal_pos(form, tag)),
            strings.add(self._tables.lemma(form, tag)),
        )
        # Inside a memory zone the strings behind the ids are forgotten when the zone ends.
        vocab: Any = self.vocab  # the attribute is missing from spaCy's type information
        if not vocab.in_memory_zone:
            self._cache[pair] = answer
        return answer


@Language.factory("redink_lemmatiser", assigns=["token.pos", "token.lemma"], requires=["token.tag"])
def make_lemmatiser(nlp: Language, name: str) -> Lemmatiser:
    """Make the component; its tables come with the pipeline that is loaded."""
    return Lemmatiser(nlp.vocab, name)
