"""Split plain text, a paragraph a line, into tokenized sentences: JSONL with `s` and `w`."""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path

import spacy

LONGEST = 60  # tokens; longer ones are mostly lists or failures of sentence splitting


def main() -> None:
    """Sample paragraphs until enough words are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path, help="plain text, gzipped")
    parser.add_argument("--source", required=True, help="name to record in `s`")
    parser.add_argument("--words", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with gzip.open(arguments.text, "rt", encoding="utf-8") as lines:
        paragraphs = [line.strip() for line in lines if line.strip()]
    random.Random(arguments.seed).shuffle(paragraphs)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    count = 0
    with arguments.out.open("w", encoding="utf-8") as out:
        for doc in nlp.pipe(paragraphs):
            for sentence in doc.sents:
                words = [token.text for token in sentence if not token.is_space]
                if 2 < len(words) <= LONGEST:
                    record = {"s": arguments.source, "w": words}
                    print(json.dumps(record, ensure_ascii=False), file=out)
                    count += len(words)
            if count >= arguments.words:
                break


if __name__ == "__main__":
    main()
