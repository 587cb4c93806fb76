"""Write ``docs/error-types.md`` and ``docs/universal-types.md``: types and rules, from the code.

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
edit between two sentences, and the rule that gave it.

| operation | meaning |
|---|---|
| `M` | missing: words are inserted |
| `U` | unnecessary: words are deleted |
| `R` | replacement: words are replaced |

The operation follows from the words that decide about the type. In `Doctor → The doctor` the last
word changes its case only and is left aside, so this replacement is an `M:DET`.

## The types

Every example is run by the tests: it gives one edit, of its type.
"""

_RULES = """\
## The rules

Rules are tried from top to bottom; the first whose condition holds gives the type. Word classes
are those of the Penn tags (`NOUN` holds names too, `VERB` auxiliaries); a label is a word's
dependency label. The name in the first column is what `Edit.rule` and `redink explain` say.
"""


_UNIVERSAL_BEGINNING = """\
# Error types of any language

<!-- Written by `python docs/write_error_types.py`; a test keeps it up to date. -->

With `--language CODE` for a language that has no rules of its own, types are made from an analysis
after Universal Dependencies. A type is an operation, a part of speech and the morphological
features that changed: `R:DET:GENDER,NUMBER` is a determiner whose gender and number are wrong.
[Other languages](languages.md) says where analyses come from, and how well the types agree with
people's.

| operation | meaning |
|---|---|
| `M` | missing: words are inserted |
| `U` | unnecessary: words are deleted |
| `R` | replacement: words are replaced |

## Features

A feature changed if the two words have different values of it, or only one of them has it. Names
are those of Universal Dependencies in capitals, in alphabetical order. In words:

{features}

Features that tell words apart, not forms of a word, do not count: {lexical}.

Parts of speech that share their features count as one: {kindred}. The type has the correction's.

Two words are taken for forms of one word if they have one lemma. Since lemmas of words with errors
are often wrong, it is also enough if at least half of their letters (or of their lemmas' letters)
are the same. If an analyzer reports the probabilities of other readings (a spaCy pipeline with a
morphologizer, such as one made by `redink analyzer train`), forms of one word are read as one part
of speech if that is at least a hundredth as likely.

## The types

Every example is run by the tests: it gives one edit, of its type. Types with features are
examples; there are as many as a language makes of them.
"""

_UNIVERSAL_RULES = """\
## The rules

Rules are tried from top to bottom; the first whose condition holds gives the type. The name in the
first column is what `Edit.rule` and `redink explain` say. Without a word list no word counts as
unknown. `INTJ`, `SYM` and `X` never name a type.
"""


def write_universal_page() -> str:
    """The page of the universal types as Markdown."""
    named = [f"`{name}` {words}" for name, words in FEATURES.items()]
    kindred = "; ".join(", ".join(f"`{pos}`" for pos in sorted(group)) for group in KINDRED)
    beginning = _UNIVERSAL_BEGINNING.format(
        features=", ".join(named),
        lexical=", ".join(f"`{name}`" for name in sorted(LEXICAL)),
        kindred=kindred,
    )
    return _write(UNIVERSAL, beginning, _UNIVERSAL_RULES)


def write_page() -> str:
    """The page of the English types as Markdown."""
    return _write(ENGLISH, _BEGINNING, _RULES)


def _write(language: Language, beginning: str, about_rules: str) -> str:
    lines = [beginning]
    words = language.describe_types()
    for error_type in language.error_types:
        lines.append(f"### {error_type.name}: {error_type.title.lower()}\n")
        lines.append(f"{error_type.meaning}\n")
        lines.append("| type | in words | example |\n|---|---|---|")
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
    lines.append("### Beside the tables\n")
    lines.append("| rule | meaning |\n|---|---|")
    lines.append(f"| `{NOTHING_CHANGED}` | {language.typing.explain(NOTHING_CHANGED)}: `UNK` |")
    lines.append(
        f"| `{CASE_AT_END}/…` | the last word changes its case only and was left aside; the rule "
        "behind the stroke gave the type |"
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
