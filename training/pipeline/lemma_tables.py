"""Make the lemmatizer's tables from the English data of the `spacy-lookups-data` package.

Only what can change a lemma is kept: a word of the index matters when two rules compete for a form
or an exception is listed for it.
"""

from __future__ import annotations

import argparse
import gzip
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from redink.analysis.english.word_forms import LemmaTables


def read_table(name: str) -> dict[str, Any]:
    """One of the package's tables."""
    data = files("spacy_lookups_data").joinpath("data", f"en_{name}.json.gz").read_bytes()
    table: dict[str, Any] = json.loads(gzip.decompress(data))
    return table


def decisive(word: str, rules: list[list[str]]) -> bool:
    """Whether some form that leads to `word` by one rule leads elsewhere by another."""
    for old, new in rules:
        if word.endswith(new):
            form = word[: len(word) - len(new)] + old
            if sum(form.endswith(other) for other, _ in rules) > 1:
                return True
    return False


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="file to write, for example tables.json.gz")
    arguments = parser.parse_args()
    rules, exceptions = read_table("lemma_rules"), read_table("lemma_exc")
    kinds = ("noun", "verb", "adj", "punct")
    index = {}
    for kind in kinds[:3]:
        bases = {base for listed in exceptions[kind].values() for base in listed}
        words = read_table("lemma_index")[kind]
        kept = {w for w in words if w.isalpha() and (w in bases or decisive(w, rules[kind]))}
        index[kind] = " ".join(sorted(kept))
    content = {
        "rules": {kind: rules[kind] for kind in kinds},
        "exceptions": {kind: exceptions[kind] for kind in kinds[:3]},
        "index": index,
    }
    arguments.out.write_bytes(LemmaTables(content).to_bytes())


if __name__ == "__main__":
    main()
