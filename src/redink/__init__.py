"""redink: evaluate systems that detect and correct grammatical errors.

Every command of the command line is a function here, with the same name and its options as
keyword arguments; each answers with a :class:`Table`. Nothing heavy is loaded until it is used.
Editors and type checkers read ``__init__.pyi``, which is written from the functions.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from redink._version import __version__

# Where each name lives that is loaded when it is asked for.
_HOMES = {
    name: home
    for home, names in {
        "redink.errors": "DataError FormatError MissingExtraError OptionError RedinkError "
        "RedinkWarning",
        "redink.formats": "read_corpus read_judgments read_rankings read_system",
        "redink.model": "AnnotatedSentence Annotation Column Comparison Corpus Counts Detection "
        "Edit Judgment ParallelSentence RankedOutput Ranking Sentence SentenceScore SystemOutput "
        "SystemScore Table apply_edits",
        "redink.scale.job": "annotate_shards",
        "redink.workflows.agreement": "agreement",
        "redink.workflows.align": "align",
        "redink.workflows.analyser": "evaluate_analyser train_analyser",
        "redink.workflows.annotate": "annotate annotate_corpus annotate_files annotate_m2",
        "redink.workflows.cache": "cache_info clear_cache",
        "redink.workflows.cite": "cite",
        "redink.workflows.cloze": "cloze",
        "redink.workflows.compare": "compare",
        "redink.workflows.convert": "convert",
        "redink.workflows.crowd": "crowd",
        "redink.workflows.data": "data",
        "redink.workflows.detect": "run_detector train_detector",
        "redink.workflows.detection": "detection",
        "redink.workflows.doctor": "doctor",
        "redink.workflows.explain": "explain",
        "redink.workflows.items": "plan_items",
        "redink.workflows.meta": "meta",
        "redink.workflows.metrics": "metrics",
        "redink.workflows.mine": "mine",
        "redink.workflows.rank": "rank",
        "redink.workflows.report": "report",
        "redink.workflows.reproduce": "reproduce",
        "redink.workflows.sample": "estimate_sample simulate_sample verify_sample",
        "redink.workflows.sample_plan": "plan_sample",
        "redink.workflows.score": "score",
        "redink.workflows.task": "init_task",
        "redink.workflows.task_bundle": "task_bundle",
        "redink.workflows.task_check": "check_submission",
        "redink.workflows.task_score": "score_submissions task_board",
    }.items()
    for name in names.split()
}

__all__ = ["__version__"]
__all__ += list(_HOMES)


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
