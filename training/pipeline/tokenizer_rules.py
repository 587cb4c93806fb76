"""Write the rules of the English tokenizer, from those of spaCy.

python training/pipeline/tokenizer_rules.py OUT/tokenizer.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import spacy
from spacy.symbols import ORTH


def main() -> None:
    """Write what `redink.analysis.english.tokenizer` reads."""
    tokenizer: Any = spacy.blank("en").tokenizer
    patterns = {
        "prefix": tokenizer.prefix_search,
        "suffix": tokenizer.suffix_search,
        "infix": tokenizer.infix_finditer,
        "url": tokenizer.url_match,
    }
    exceptions = [
        [piece[ORTH] for piece in tokenizer.rules[text]] for text in sorted(tokenizer.rules)
    ]
    rules = {name: bound.__self__.pattern for name, bound in patterns.items()}
    text = json.dumps(rules | {"exceptions": exceptions}, ensure_ascii=True, separators=(",", ":"))
    Path(sys.argv[1]).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
