"""Write ``docs/error-types.md`` and ``docs/universal-types.md`` from the code.

python docs/write_error_types.py
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from redink.analysis.classify import CASE_AT_END, NOTHING_CHANGED, RuleSection
from redink.analysis.english import ENGLISH
from redink.analysis.language import OPERATIONS, Language
from redink.analysis.universal import FEATURES, UNIVERSAL
from redink.analysis.universal.universal_rules import KINDRED, LEXICAL

PAGE = Path(__file__).with_name("error-types.md")
UNIVERSAL_PAGE = Path(__file__).with_name("universal-types.md")
_BEGINNING = """\
# Error types

<!-- Written by `python docs/write_error_types.py`; a test keeps it up to date. -->

An error type is an operation and one of 25 types, as in `R:VERB:SVA`; 55 combinations exist. The
scheme is that of Bryant et al. (2017), known as ERRANT. `redink explain` shows the type of each
edit between two sentences, and the rule that assigned it.

| operation | meaning |
|---|---|
| `M` | missing: words are inserted |
| `U` | unnecessary: words are deleted |
| `R` | replacement: words are replaced |

The operation depends only on the words that determine the type. In `Doctor → The doctor`, only the
case of the last word changes, so the rules ignore it and classify this replacement as `M:DET`.

## Types

The tests check that each example gives one edit with this type.
"""

_RULES = """\
## Rules

redink tries the rules from top to bottom; the first rule whose condition is true assigns the type.
Word classes are groups of Penn tags (`NOUN` includes names, `VERB` includes auxiliaries). Letter
similarity is 1 minus the Levenshtein distance divided by the length of the longer word. The first
column contains the rule name in `Edit.rule` and `redink explain`.
"""


_UNIVERSAL_BEGINNING = """\
# Error types for all languages

<!-- Written by `python docs/write_error_types.py`; a test keeps it up to date. -->

`--language CODE` selects these types for languages without specific rules in redink. They are
derived from an analysis in Universal Dependencies. A type combines an operation, a part of speech
and the changed morphological features: `R:DET:GENDER,NUMBER` is a determiner with wrong gender and
number. [Other languages](languages.md) describes the analyzers, and the agreement of the types with
human annotation.

| operation | meaning |
|---|---|
| `M` | missing: words are inserted |
| `U` | unnecessary: words are deleted |
| `R` | replacement: words are replaced |

## Features

A feature has changed if its values in the two words differ, or if only one of the words has it.
Feature names are those of Universal Dependencies in capitals, in alphabetical order. Meanings:

{features}

Features that distinguish words and not forms of a word are ignored: {lexical}.

Parts of speech with the same features count as equal: {kindred}. The type contains the part of
speech of the correction.

Two words are treated as forms of the same word if they have the same lemma. Lemmas of words with
errors are often wrong, so it is also enough if at least half of their letters (or of the letters
of their lemmas) are the same. If an analyzer reports probabilities of alternative readings (a spaCy
pipeline with a morphologizer, such as one from `training/pipeline/treebank.py`), forms of a word
get the same part of speech if its probability is at least 1/100 of that of the best reading.

## Types

The tests check that each example gives one edit with this type. Types with features are
examples; their number depends on the language.
"""

_UNIVERSAL_RULES = """\
## Rules

redink tries the rules from top to bottom; the first rule whose condition is true assigns the type.
The first column has the rule name in `Edit.rule` and `redink explain`. Without a dictionary, no
word is unknown. `INTJ`, `SYM` and `X` are never part of a type.
"""


def write_universal_page() -> str:
    """Return the page of the universal types as Markdown."""
    named = [f"`{name}` {words}" for name, words in FEATURES.items()]
    kindred = "; ".join(", ".join(f"`{pos}`" for pos in sorted(group)) for group in KINDRED)
    beginning = _UNIVERSAL_BEGINNING.format(
        features=", ".join(named),
        lexical=", ".join(f"`{name}`" for name in sorted(LEXICAL)),
        kindred=kindred,
    )
    return _write(UNIVERSAL, beginning, _UNIVERSAL_RULES)


def write_page() -> str:
    """Return the page of the English types as Markdown."""
    return _write(ENGLISH, _BEGINNING, _RULES)


def _write(language: Language, beginning: str, about_rules: str) -> str:
    lines = [beginning]
    words = language.describe_types()
    for error_type in language.error_types:
        lines.append(f"### {error_type.name}: {error_type.title.lower()}\n")
        lines.append(f"{error_type.meaning}\n")
        lines.append("| type | description | example |\n|---|---|---|")
        if not error_type.examples:
            lines.append(f"| `{error_type.name}` | {error_type.fault} | |")
        for operation in OPERATIONS:
            if operation in error_type.examples:
                name = f"{operation}:{error_type.name}"
                source, corrected = error_type.examples[operation]
                lines.append(f"| `{name}` | {words[name]} | {source} → {corrected} |")
        lines.append("")
    lines.append(about_rules)
    for title, sections in language.typing.tables.items():
        lines += _section_lines(title, sections)
    lines.append("### Other rule names\n")
    lines.append("| rule | meaning |\n|---|---|")
    lines.append(f"| `{NOTHING_CHANGED}` | {language.typing.explain(NOTHING_CHANGED)}: `UNK` |")
    lines.append(
        f"| `{CASE_AT_END}/…` | only the case of the last word changes; the rule after the slash "
        "ignores this word and assigned the type |"
    )
    return "\n".join(lines) + "\n"


def _section_lines(title: str, sections: Iterable[RuleSection[Any]]) -> list[str]:
    lines = [f"### {title}\n", "| rule | when | type |\n|---|---|---|"]
    for section in sections:
        lines.append(f"| | *{section.title}* | |")
        for rule in section.rules:
            kind = f"`{rule.gives}`" if isinstance(rule.gives, str) else rule.kind
            lines.append(f"| `{rule.name}` | {rule.because} | {kind} |")
    lines.append("")
    return lines


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
    UNIVERSAL_PAGE.write_text(write_universal_page(), encoding="utf-8")
