"""redink: evaluate systems that detect and correct grammatical errors.

Every command of the command line is a function here, with the same name and its options as
keyword arguments; each answers with a :class:`Table`. Nothing heavy is loaded until it is used.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from redink._version import __version__
from redink.errors import (
    DataError,
    FormatError,
    MissingExtraError,
    OptionError,
    RedinkError,
    RedinkWarning,
)
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Column,
    Comparison,
    Corpus,
    Counts,
    Detection,
    Edit,
    Judgment,
    ParallelSentence,
    RankedOutput,
    Ranking,
    Sentence,
    SentenceScore,
    SystemOutput,
    SystemScore,
    Table,
    apply_edits,
)

if TYPE_CHECKING:
    from redink.formats import read_corpus, read_judgments, read_rankings, read_system
    from redink.scale.job import annotate_shards
    from redink.workflows.agreement import agreement
    from redink.workflows.annotate import annotate, annotate_corpus, annotate_files, annotate_m2
    from redink.workflows.compare import compare
    from redink.workflows.convert import convert
    from redink.workflows.crowd import crowd
    from redink.workflows.detect import cloze, mine, run_detector, train_detector
    from redink.workflows.detection import detection
    from redink.workflows.explain import explain
    from redink.workflows.items import plan_items
    from redink.workflows.meta import meta
    from redink.workflows.rank import rank
    from redink.workflows.report import report
    from redink.workflows.reproduce import reproduce
    from redink.workflows.sample import estimate_sample, simulate_sample, verify_sample
    from redink.workflows.sample_plan import plan_sample
    from redink.workflows.score import score

# Where each lazily loaded name lives; the use cases are added here as they are built.
_HOMES = {
    "agreement": "redink.workflows.agreement",
    "annotate": "redink.workflows.annotate",
    "annotate_corpus": "redink.workflows.annotate",
    "annotate_files": "redink.workflows.annotate",
    "annotate_m2": "redink.workflows.annotate",
    "annotate_shards": "redink.scale.job",
    "cloze": "redink.workflows.detect",
    "compare": "redink.workflows.compare",
    "convert": "redink.workflows.convert",
    "crowd": "redink.workflows.crowd",
    "detection": "redink.workflows.detection",
    "estimate_sample": "redink.workflows.sample",
    "explain": "redink.workflows.explain",
    "meta": "redink.workflows.meta",
    "mine": "redink.workflows.detect",
    "plan_items": "redink.workflows.items",
    "plan_sample": "redink.workflows.sample_plan",
    "rank": "redink.workflows.rank",
    "read_corpus": "redink.formats",
    "read_judgments": "redink.formats",
    "read_rankings": "redink.formats",
    "read_system": "redink.formats",
    "report": "redink.workflows.report",
    "reproduce": "redink.workflows.reproduce",
    "run_detector": "redink.workflows.detect",
    "score": "redink.workflows.score",
    "simulate_sample": "redink.workflows.sample",
    "train_detector": "redink.workflows.detect",
    "verify_sample": "redink.workflows.sample",
}

__all__ = [
    "AnnotatedSentence",
    "Annotation",
    "Column",
    "Comparison",
    "Corpus",
    "Counts",
    "DataError",
    "Detection",
    "Edit",
    "FormatError",
    "Judgment",
    "MissingExtraError",
    "OptionError",
    "ParallelSentence",
    "RankedOutput",
    "Ranking",
    "RedinkError",
    "RedinkWarning",
    "Sentence",
    "SentenceScore",
    "SystemOutput",
    "SystemScore",
    "Table",
    "__version__",
    "agreement",
    "annotate",
    "annotate_corpus",
    "annotate_files",
    "annotate_m2",
    "annotate_shards",
    "apply_edits",
    "cloze",
    "compare",
    "convert",
    "crowd",
    "detection",
    "estimate_sample",
    "explain",
    "meta",
    "mine",
    "plan_items",
    "plan_sample",
    "rank",
    "read_corpus",
    "read_judgments",
    "read_rankings",
    "read_system",
    "report",
    "reproduce",
    "run_detector",
    "score",
    "simulate_sample",
    "train_detector",
    "verify_sample",
]


class _Face(ModuleType):
    """This module: the function ``detection`` is not hidden by the room of the same name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'redink' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
