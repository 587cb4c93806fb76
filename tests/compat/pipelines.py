"""The embedded pipeline as spaCy runs it, for comparing with programs that need spaCy."""

from __future__ import annotations

from typing import Any

from training.pipeline.spacy_pipeline import load_embedded


def spacy_pipeline() -> Any:
    return load_embedded()
