"""How the universal types agree with people's labels: the tables of ``docs/languages.md``.

    python benchmarks/languages.py ../shared/oracles/languages/ud-pairs [--analyzer spacy:DIR]

Of every edit that a person marked on one word, the edit of ours that covers the word: what its
type says, by the person's label. Without ``--analyzer`` the treebanks' own analyses are used.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.model import Annotation, Sentence

CORPORA = {"sv": "sv-swell", "it": "it-valico"}
VERBAL = {"MOOD", "TENSE", "VERBFORM", "VOICE", "PERSON", "ASPECT"}
COLUMNS = ("GENDER", "DEFINITE", "NUMBER", "CASE", "verbal", "other feature", "MORPH", "word")
COLUMNS += ("SPELL", "ORTH", "WO", "PUNCT", "OTHER", "M or U", "nothing")


def main() -> None:
    """Print a table for every corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--analyzer", help="a pipeline for Swedish")
    parser.add_argument("--lexicon", help="known words, for Swedish")
    arguments = parser.parse_args()
    for language, name in CORPORA.items():
        if arguments.analyzer is None or language == "sv":
            options = {"analyzer": arguments.analyzer, "lexicon": arguments.lexicon}
            _print(name, _confusion(arguments.folder, name, language, options))


def _confusion(
    folder: Path, name: str, language: str, options: dict[str, Any]
) -> dict[str, Counter[str]]:
    sides = ",".join(str(folder / f"{name}.{side}.conllu.gz") for side in ("source", "corrected"))
    given = options["analyzer"] or f"conllu:{sides}"
    how = AnnotationOptions(language=language, analyzer=given, lexicon=options["lexicon"])
    with gzip.open(folder / f"{name}.edits.jsonl.gz", "rt", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines]
    sources = [Sentence(tuple(pair["source"])) for pair in pairs]
    texts = {"corrected": [Sentence(tuple(pair["target"])) for pair in pairs]}
    table: dict[str, Counter[str]] = defaultdict(Counter)
    found = annotate_texts(sources, texts, annotation_options=how)["corrected"]
    for pair, annotation in zip(pairs, found, strict=True):
        for edit in pair["edits"]:
            labels = edit.get("labels") or edit["codes"]
            word = _only_word(edit)
            if word is not None:
                row = table[labels[0] if len(labels) == 1 else "several labels"]
                row.update(["edits", *_outcomes(annotation, word)])
    return table


def _only_word(edit: dict[str, Any]) -> int | None:
    """The source word of an edit that replaces one word by one word."""
    source, target = edit["source"], edit["target"]
    if "labels" in edit:  # a list of tokens
        return source[0] if len(source) == len(target) == 1 else None
    single = source[1] - source[0] == target[1] - target[0] == 1  # from and to
    return source[0] if single else None


def _outcomes(annotation: Annotation, word: int) -> set[str]:
    covering = [edit.type for edit in annotation.edits if edit.start <= word < edit.end]
    if not covering:
        return {"nothing"}
    operation, name, *features = covering[0].split(":")
    if operation != "R":
        return {"M or U"}
    changed = set(features[0].split(",")) if features else set()
    found = changed & set(COLUMNS)
    if changed & VERBAL:
        found.add("verbal")
    if changed - VERBAL - set(COLUMNS):
        found.add("other feature")
    if name in COLUMNS or not changed:
        found.add(name if name in COLUMNS else "word")
    return found


def _print(name: str, table: dict[str, Counter[str]]) -> None:
    used = [column for column in COLUMNS if any(row[column] for row in table.values())]
    print(f"\n{name}\n")
    print(f"| label | edits | {' | '.join(used)} |")
    print(f"|{'---|' * (len(used) + 2)}")
    for label, row in sorted(table.items(), key=lambda item: (-item[1]["edits"], item[0])):
        cells = [str(row[column] or "") for column in ("edits", *used)]
        print(f"| {label} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
