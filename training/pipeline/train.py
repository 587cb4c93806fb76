"""Train the embedded pipeline on silver text and write it as a small, loadable directory.

The learning rate warms up, stays, then falls to nearly nothing over the last part of the time
given, so a run is best judged at its end. Where the silver carries the labelling model's tag
probabilities, the tagger learns those instead of the single best tag.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import spacy_pipeline  # noqa: F401 (registers what the configuration names)
from silver import SOFT_TAGS, make_example, read_silver
from spacy.language import Language
from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.training import Example
from thinc.api import Adam, Config
from treebank import batches, learning_rate, update


def learn_from_probabilities(tagger: Any, examples: list[Example], weight: float) -> None:
    """Make the tagger's targets the labelling model's probabilities where they are known."""
    column = {tag: number for number, tag in enumerate(tagger.labels)}
    for example in examples:
        soft = example.reference.user_data.pop(SOFT_TAGS, None)
        rows, columns, values = [], [], []
        if soft is None:
            for row, token in enumerate(example.reference):
                rows.append(row)
                columns.append(column.get(token.tag_, 0))
                values.append(float(token.tag_ in column))
        else:
            for row, pairs in enumerate(soft):
                known = [
                    (column[tag], float(share))
                    for tag, share in zip(pairs[::2], pairs[1::2], strict=True)
                    if tag in column
                ]
                total = sum(share for _, share in known)
                rows.extend([row] * len(known))
                columns.extend(tag for tag, _ in known)
                values.extend(share / total for _, share in known)
        # Compact arrays: there is one triple for every token of the training text.
        example.reference.user_data["targets"] = (
            np.array(rows, dtype=np.int16),
            np.array(columns, dtype=np.int8),
            np.array(values, dtype=np.float16),
        )

    def get_loss(examples: list[Example], scores: list[Any]) -> tuple[float, list[Any]]:
        gradients, loss = [], 0.0
        for example, score in zip(examples, scores, strict=True):
            rows, columns, values = example.reference.user_data["targets"]
            gradient = score.copy()
            gradient[rows, columns] -= values
            gradients.append(gradient * weight)
            loss += float((gradient**2).sum())
        return loss, gradients

    tagger.get_loss = get_loss


def accuracy(nlp: Language, examples: list[Example]) -> str:
    """Agreement with the labelling model on held-out silver, as one line."""
    docs = [example.predicted.copy() for example in examples]
    for _, component in nlp.pipeline:
        docs = list(component.pipe(docs, batch_size=256))
    total = tags = labels = arcs = 0
    for doc, example in zip(docs, examples, strict=True):
        for token, gold in zip(doc, example.reference, strict=True):
            total += 1
            tags += token.tag == gold.tag
            labels += token.dep == gold.dep
            arcs += token.dep == gold.dep and token.head.i == gold.head.i
    return f"tags {tags / total:.4f} labels {labels / total:.4f} labelled arcs {arcs / total:.4f}"


def export(nlp: Language, config: Config, path: Path) -> None:
    """Write the pipeline with an empty vocabulary: words met in training are not needed."""
    fresh = spacy.util.load_model_from_config(config, auto_fill=True)
    for name, component in fresh.pipeline:
        component.from_bytes(nlp.get_pipe(name).to_bytes(exclude=["vocab"]), exclude=["vocab"])
        for label in getattr(component, "labels", ()):
            fresh.vocab.strings.add(label)
    fresh.meta.update(
        name="redink",
        version="1.0.0",
        description="Tags, lemmas and dependencies of whitespace-tokenized, often faulty English",
        author="The redink authors",
        license="MIT",
        spacy_version=">=3.8,<3.9",
    )
    fresh.to_disk(path)


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=Path, nargs="+", required=True, help="silver JSONL(.gz)")
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--tables", type=Path, required=True, help="made by lemma_tables.py")
    parser.add_argument("--config", type=Path, default=Path(__file__).with_name("config.cfg"))
    parser.add_argument("--out", type=Path, required=True, help="the pipeline directory to write")
    parser.add_argument("--start", type=Path, help="a pipeline to go on from")
    parser.add_argument("--minutes", type=float, required=True, help="length of the run")
    parser.add_argument("--batch-words", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=0.0015)
    parser.add_argument(
        "--decay-from", type=float, default=0.3, help="share of the run at which the rate falls"
    )
    parser.add_argument(
        "--parser-every", type=int, default=1, help="batches to one that the parser learns from"
    )
    parser.add_argument("--tag-weight", type=float, default=1.0, help="of the tagger's gradient")
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report-minutes", type=float, default=4)
    return parser.parse_args()


def main() -> None:
    """Train."""
    arguments = parse_arguments()

    spacy.util.fix_random_seed(arguments.seed)
    generator = random.Random(arguments.seed)
    config = Config().from_disk(arguments.config)
    if arguments.start is None:
        nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    else:
        nlp = spacy.load(arguments.start)
    examples = [
        make_example(nlp.vocab, record)
        for path in arguments.train
        for record in read_silver(path)
        if len(record["w"]) > 1
    ]
    nlp.get_pipe("lemmatizer").from_bytes(arguments.tables.read_bytes())
    dev = [make_example(nlp.vocab, record) for record in read_silver(arguments.dev)]
    print(f"{len(examples)} sentences, {sum(len(e.reference) for e in examples)} words", flush=True)
    if arguments.start is None:
        nlp.initialize(lambda: examples)
    learn_from_probabilities(nlp.get_pipe("tagger"), examples, arguments.tag_weight)
    optimizer = Adam(
        arguments.rate, L2=0.01, grad_clip=1.0, L2_is_weight_decay=True, use_averages=False
    )

    # Batches are handed over in order here (see `update`); hashing every word takes time.
    Tok2VecListener.get_batch_id = classmethod(lambda _cls, docs: len(docs))

    start = reported = time.monotonic()
    seconds = arguments.minutes * 60
    losses: dict[str, float] = {}
    steps = words = 0
    progress = 0.0
    while progress < 1.0:
        for batch in batches(examples, arguments.batch_words, generator):
            progress = (time.monotonic() - start) / seconds
            if progress >= 1.0:
                break
            optimizer.learn_rate = learning_rate(arguments.rate, progress, arguments.decay_from)
            users = ["tagger", "parser"] if steps % arguments.parser_every == 0 else ["tagger"]
            update(nlp, users, batch, optimizer, losses, dropout=arguments.dropout)
            steps += 1
            words += sum(len(example.reference) for example in batch)
            if time.monotonic() - reported > arguments.report_minutes * 60:
                reported = time.monotonic()
                shown = " ".join(f"{k} {v:.0f}" for k, v in losses.items())
                print(f"{progress:.3f} {steps} steps {words} words | {shown} |", flush=True)
                print("    ", accuracy(nlp, dev), flush=True)
                export(nlp, config, arguments.out)
                losses.clear()
    print("done:", words, "words,", accuracy(nlp, dev), flush=True)
    export(nlp, config, arguments.out)


if __name__ == "__main__":
    main()
