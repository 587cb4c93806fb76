"""English: the error types of Bryant et al. (2017), and the rules of ERRANT 3.0.2.

The pipeline and the dictionary are included in redink.
"""

from __future__ import annotations

from redink.analysis.classify import type_by_tables
from redink.analysis.english.merging import EnglishMerging
from redink.analysis.english.phrase_rules import FORM_ONLY, ONE_SIDED, PHRASES
from redink.analysis.english.pipeline import default_analyzer, embedded_version
from redink.analysis.english.rule_context import PhraseChange, Side, WordChange
from redink.analysis.english.tokenizer import english_tokens
from redink.analysis.english.word_forms import PIPELINE, default_lexicon
from redink.analysis.english.word_rules import WORDS
from redink.analysis.language import Language, read_error_types


def _load_2_0_0() -> Language:
    from redink.analysis.english.errant_2_0_0 import make_older

    return make_older(ENGLISH)


ENGLISH: Language = Language(
    code="en",
    name="English",
    tokenize=english_tokens,
    load_analyzer=default_analyzer,
    analyzer_version=embedded_version,
    lexicon=lambda fixed: default_lexicon(american=fixed),
    open_pos=frozenset({"ADJ", "ADV", "NOUN", "VERB"}),
    merging=EnglishMerging,
    typing=type_by_tables(
        ONE_SIDED, (FORM_ONLY,), WORDS, (PHRASES,), side=Side, change=PhraseChange, pair=WordChange
    ),
    error_types=read_error_types(PIPELINE.with_name("error-types.toml")),
    older={"2.0.0": _load_2_0_0, "2.3.3": lambda: ENGLISH},
)
