"""The Python interface of the ``errant`` package, answered by redink.

``import errant`` becomes ``from redink.compat import errant``, and nothing else changes::

    annotator = errant.load("en")
    orig = annotator.parse("This are gramamtical sentence .")
    cor = annotator.parse("This is a grammatical sentence .")
    for edit in annotator.annotate(orig, cor):
        print(edit.o_start, edit.o_end, edit.o_str, edit.c_str, edit.type)

A text that was parsed is a :class:`.documents.Doc`: tokens with ``text``, ``pos_``, ``tag_``,
``lemma_``, ``dep_``, ``head``, as in spaCy, worked out when they are asked for.
"""

from __future__ import annotations

import os
from typing import Any

from redink.analysis.annotation_options import AnnotationOptions
from redink.analysis.language import EMBEDDED
from redink.compat.errant.alignment import Alignment
from redink.compat.errant.annotator import Annotator
from redink.compat.errant.edit import Edit

__version__ = "3.0.2"
"""Of the package whose interface and rules these are."""

__all__ = ["Alignment", "Annotator", "Edit", "load"]


def load(lang: str, nlp: Any = None) -> Annotator:
    """What annotates text in a language.

    Args:
        lang: ``en``, or another language that redink has.
        nlp: a spaCy pipeline to tag the text with; by default the one that comes with redink, or
            the one that the environment variable ``REDINK_ANALYSER`` names.

    Raises:
        OptionError: there is no such language.
    """
    analyser: Any = os.environ.get("REDINK_ANALYSER") or EMBEDDED
    if nlp is not None:
        from redink.analysis.spacy_analyzer import SpacyAnalyzer

        analyser = SpacyAnalyzer(nlp, name="spacy", version=str(nlp.meta.get("version", "")))
    return Annotator(lang, AnnotationOptions(language=lang, analyser=analyser).load())
