"""How to annotate: the options that all functions of :mod:`redink.workflows.annotate` share."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from redink.analysis.analyser import Analyser
from redink.analysis.annotate import EditFinder, make_finder
from redink.analysis.lexicon import read_lexicon
from redink.analysis.merge import STRATEGIES, Merging
from redink.analysis.spacy_analyser import EMBEDDED, embedded_version, load_analyser
from redink.errors import OptionError
from redink.model import make_signature


@dataclass(frozen=True)
class Annotating:
    """The options, in a form that can be sent to another process.

    Attributes:
        analyser: ``embedded``, ``spacy:NAME``, or an analyser.
        lexicon: known words: a file with one a line, or a set; None is redink's list.
        merge: how the steps of the alignment become edits.
        levenshtein: align by plain Levenshtein distance.
        fixed: mend what is wrong in the original ERRANT.
    """

    analyser: str | Analyser = EMBEDDED
    lexicon: str | Path | Container[str] | None = None
    merge: Merging = "rules"
    levenshtein: bool = False
    fixed: bool = False

    def __post_init__(self) -> None:
        if self.merge not in STRATEGIES:
            raise OptionError(
                f"there is no merging strategy {self.merge!r}; there are: {', '.join(STRATEGIES)}"
            )

    def load(self) -> EditFinder:
        """What finds the edits, with its analyser and word list."""
        analyser, lexicon = self.analyser, self.lexicon
        return make_finder(
            analyser=load_analyser(analyser) if isinstance(analyser, str) else analyser,
            lexicon=_read_once(str(lexicon)) if isinstance(lexicon, str | Path) else lexicon,
            merge=self.merge,
            levenshtein=self.levenshtein,
            fixed=self.fixed,
        )

    def check_workers(self, workers: int) -> None:
        """Complain where several processes cannot share the work."""
        if workers > 1 and not isinstance(self.analyser, str):
            raise OptionError(
                "with several workers, name the analyser ('embedded', 'spacy:NAME'): "
                "each worker loads its own"
            )

    def pipeline(self) -> str:
        """The version of what analyses the text."""
        return embedded_version() if self.analyser == EMBEDDED else self.load().analyser.version

    def signature(self, command: str, **parts: Any) -> dict[str, Any]:
        """What decides about the edits."""
        name = self.analyser if isinstance(self.analyser, str) else self.analyser.name
        words = None
        if self.lexicon is not None:
            is_file = isinstance(self.lexicon, str | Path)
            words = Path(str(self.lexicon)).name if is_file else "given"
        return make_signature(
            command,
            analyser=name,
            pipeline=self.pipeline(),
            lexicon=words,
            merge=self.merge,
            alignment="levenshtein" if self.levenshtein else None,
            fixed=self.fixed or None,
            **parts,
        )


@lru_cache(maxsize=4)
def _read_once(path: str) -> Container[str]:
    return read_lexicon(path)
