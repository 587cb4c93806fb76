"""Reading silver: sentences labelled by another pipeline, one JSON object a line.

Keys: `w` tokens, `t` Penn tags, `l` lemmas, `p` universal POS, `d` dependency labels, `h` absolute
heads, and where the labelling model gave them `q`, one flat list a token of its likeliest tags
and their probabilities: `["NN", 0.93, "JJ", 0.06]`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

SOFT_TAGS = "soft_tags"


def read_silver(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a (gzipped) silver file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def make_example(vocab: Vocab, record: dict[str, Any]) -> Example:
    """Turn one record into the pair of documents spaCy trains on."""
    words = record["w"]
    gold = Doc(vocab, words=words, tags=record["t"], heads=record["h"], deps=record["d"])
    if "q" in record:
        gold.user_data[SOFT_TAGS] = record["q"]
    return Example(Doc(vocab, words=words), gold)
