"""Write ``docs/error-types.md``: the error types and the rules behind them, from the code.

python docs/write_error_types.py
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from redink.analysis.classify import CASE_AT_END, NOTHING_CHANGED, Section
from redink.analysis.english import ENGLISH
from redink.analysis.language import OPERATIONS

PAGE = Path(__file__).with_name("error-types.md")
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


def write_page() -> str:
    """The page as Markdown."""
    lines = [_BEGINNING]
    words = ENGLISH.describe_types()
    for error_type in ENGLISH.error_types:
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
    lines.append(_RULES)
    for title, sections in ENGLISH.typing.tables.items():
        lines += _section_lines(title, sections)
    lines.append("### Beside the tables\n")
    lines.append("| rule | meaning |\n|---|---|")
    lines.append(f"| `{NOTHING_CHANGED}` | {ENGLISH.typing.explain(NOTHING_CHANGED)}: `UNK` |")
    lines.append(
        f"| `{CASE_AT_END}/…` | the last word changes its case only and was left aside; the rule "
        "behind the stroke gave the type |"
    )
    return "\n".join(lines) + "\n"


def _section_lines(title: str, sections: Iterable[Section[Any]]) -> list[str]:
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
