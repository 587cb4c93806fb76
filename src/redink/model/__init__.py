"""The data types of redink: frozen values that need only the standard library.

Each name is loaded on first use; type checkers read ``__init__.pyi``.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    name: f"redink.model.{module}"
    for module, names in {
        "corpus": "AnnotatedSentence Corpus Detection Hypotheses ParallelSentence References Split "
        "SystemOutput annotator_order fingerprint fingerprint_data fingerprint_references",
        "counts": "Counts Measure",
        "edits": "NO_ERROR NOOP NOT_ANNOTATABLE UNCORRECTED UNKNOWN UNTYPED Annotation Edit "
        "Unclear apply_edits",
        "judgments": "Comparison Judgment RankedOutput Ranking Rating SentenceScore SystemScore",
        "tables": "Column Definition DisplayOptions Row Shown Table columns_of make_signature "
        "make_table row_of table_of",
        "text": "Sentence document_of parse_name",
    }.items()
    for name in names.split()
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'redink.model' has no attribute {name!r}")
    globals()[name] = value = getattr(importlib.import_module(_HOMES[name]), name)
    return value
