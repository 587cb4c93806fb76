"""Label tokenized sentences with spaCy's small English model 2.2.5, tokens kept as they are.

Runs under the old spaCy (2.2.4) and so under Python 3.7, apart from everything else here. Reads
JSONL with `w` (and `s`), writes the silver format of `silver.py`, tag probabilities included.
"""

from __future__ import annotations

import argparse
import gzip
import json
from typing import Any, Iterator, List  # noqa: UP035  (old Python)

import numpy as np
import spacy
from spacy.tokens import Doc

BATCH = 512
KEPT = 4  # likeliest tags kept for each token
LEAST = 0.005  # probability below which a tag is not worth keeping

Record = Any


def soft_tags(tagger: Any, scores: Any) -> list[list[Any]]:
    """The likeliest tags of one sentence's tokens with their probabilities, flat."""
    rows = []
    for row in scores:
        pairs: list[Any] = []
        for number in np.argsort(-row)[:KEPT]:
            if row[number] >= LEAST or not pairs:
                pairs += [tagger.labels[number], round(float(row[number]), 3)]
        rows.append(pairs)
    return rows


def label(nlp: Any, records: list[Record], *, with_parser: bool) -> list[Record]:
    """Label a batch of records in place; without parser, keep the parses they have."""
    tagger = nlp.get_pipe("tagger")
    docs = [Doc(nlp.vocab, words=record["w"]) for record in records]
    vectors = tagger.model.tok2vec(docs)
    scores = tagger.model.softmax(vectors)
    tagger.set_annotations(docs, [score.argmax(axis=1) for score in scores], tensors=vectors)
    if with_parser:
        docs = list(nlp.get_pipe("parser").pipe(docs, batch_size=128))
    for record, doc, score in zip(records, docs, scores):  # noqa: B905  (old Python)
        record["t"] = [token.tag_ for token in doc]
        record["p"] = [token.pos_ for token in doc]
        record["l"] = [token.lemma_ for token in doc]
        if with_parser:
            record["d"] = [token.dep_ for token in doc]
            record["h"] = [token.head.i for token in doc]
        record["q"] = soft_tags(tagger, score)
    return records


def read_batches(path: str) -> Iterator[List[Record]]:  # noqa: UP006
    """The records of a file, some hundreds at a time."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        batch = []
        for line in lines:
            batch.append(json.loads(line))
            if len(batch) == BATCH:
                yield batch
                batch = []
        if batch:
            yield batch


def main() -> None:
    """Label a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="directory of en_core_web_sm 2.2.5")
    parser.add_argument("text", help="JSONL(.gz) with `w`")
    parser.add_argument("out", help="JSONL.gz to write")
    parser.add_argument(
        "--tags-only", action="store_true", help="keep the parses there are, add probabilities"
    )
    arguments = parser.parse_args()
    nlp = spacy.load(arguments.model, disable=["ner"])
    with gzip.open(arguments.out, "wt", encoding="utf-8", compresslevel=3) as out:
        for batch in read_batches(arguments.text):
            for record in label(nlp, batch, with_parser=not arguments.tags_only):
                out.write(json.dumps(record, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
