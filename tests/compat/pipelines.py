"""The embedded pipeline as spaCy runs it, for comparing with programs that need spaCy."""

from __future__ import annotations

from typing import Any

from redink.analysis.english import embedded


def spacy_pipeline() -> Any:
    """The pipeline, whichever way redink itself runs it."""
    make = getattr(embedded, "spacy_analyser", embedded.default_analyser)
    return make().pipeline
