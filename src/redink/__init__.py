"""redink: evaluate systems that detect and correct grammatical errors.

Every command of the command line is a function here, with the same name and its options as keyword
arguments; each returns a :class:`Table`. Large libraries are loaded only when used. Editors and
type checkers read ``__init__.pyi``, which is generated from the functions.
"""

from __future__ import annotations

import importlib
from typing import Any

from redink._version import __version__

# Modules of the names that are loaded on first use.
_HOMES = {
    name: home
    for home, names in {
        "redink.errors": "DataError FormatError MissingExtraError OptionError RedinkError "
        "RedinkWarning",
        "redink.inputs": "read_corpus read_judgments read_rankings read_system",
        "redink.model": "AnnotatedSentence Annotation Column Comparison Corpus Counts Detection "
        "Edit Judgment ParallelSentence RankedOutput Ranking Sentence SentenceScore SystemOutput "
        "SystemScore Table apply_edits",
        "redink.reports.sentence_diff": "SentenceDiff",
        "redink.scale.job": "annotate_shards",
        "redink.commands.agreement": "agreement",
        "redink.commands.align": "align",
        "redink.commands.analyzer_evaluation": "evaluate_analyzer",
        "redink.commands.annotate": "annotate annotate_corpus annotate_files annotate_m2",
        "redink.commands.archive": "archive verify",
        "redink.commands.attribute": "attribute",
        "redink.commands.cache_info": "cache_info clear_cache",
        "redink.commands.cite": "cite",
        "redink.commands.cloze": "cloze",
        "redink.commands.compare": "compare",
        "redink.commands.convert": "convert",
        "redink.commands.correct": "correct",
        "redink.commands.crowd": "crowd",
        "redink.commands.corpora": "corpora",
        "redink.commands.detect": "run_detector train_detector",
        "redink.commands.detection": "detection",
        "redink.commands.doctor": "doctor",
        "redink.commands.diff": "diff",
        "redink.commands.explain": "explain mark_edits",
        "redink.commands.gate": "gate",
        "redink.commands.history": "history",
        "redink.commands.judge": "judge",
        "redink.judging.item_sampling": "plan_items",
        "redink.commands.meta": "meta",
        "redink.commands.metrics": "metrics",
        "redink.commands.mine": "mine",
        "redink.commands.profile": "profile",
        "redink.commands.rank": "rank",
        "redink.commands.report": "report",
        "redink.commands.reproduce": "reproduce",
        "redink.commands.runs": "runs",
        "redink.commands.sample": "compare_approaches estimate_sample plan_sample simulate_sample "
        "verify_sample",
        "redink.commands.score": "score",
        "redink.commands.task": "check_submission init_task",
        "redink.commands.task_score": "score_submissions task_board task_bundle",
        "redink.commands.validity": "validity",
    }.items()
    for name in names.split()
}

__all__ = ["__version__"]
__all__ += list(_HOMES)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from redink.options import find_spelling

    known = find_spelling(name, _HOMES)
    if known in _HOMES:
        value = getattr(importlib.import_module(_HOMES[known]), known)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'redink' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
