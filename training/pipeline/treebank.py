"""Train a small spaCy pipeline for any language on treebanks (CoNLL-U files, gzipped or not).

    python training/pipeline/treebank.py sv_talbanken-ud-train.conllu --language sv -o swedish/
    redink annotate source.txt corrected.txt --language sv --analyzer spacy:swedish/ -o out.m2

The pipeline predicts parts of speech, morphological features and lemmas. Errors are inserted into
most training sentences, because the pipeline will analyze texts with errors. Forty thousand words
take about two minutes. The script needs spaCy (``redink[spacy]``).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_model_from_config
from spacy.vocab import Vocab
from thinc.api import Adam, Config, fix_random_seed, set_dropout_rate

from redink.analysis.analyzer import Analysis, chunks
from redink.analysis.spacy_analyzer import register_architecture
from redink.analysis.universal_dependencies import parse_features, read_trees

WARM_UP = 0.02  # share of the run
FLOOR = 0.01  # of the peak, at the end of the run
_BATCH_WORDS = 600
_RATE = 0.002
_DECAY_FROM = 0.4
_DROPOUT = 0.3
# The shares of sentences with inserted errors, and of changed words in them.
_FAULTY = 0.6
_OTHER_FORM = 0.25
_MISSPELT = 0.05
_LEFT_OUT = 0.1
_SWAPPED = 0.02


def learning_rate(peak: float, progress: float, decay_from: float) -> float:
    """Return the learning rate at a point of the run (0 to 1): increasing, constant, decreasing."""
    if progress < WARM_UP:
        return peak * max(progress / WARM_UP, 0.05)
    if progress < decay_from:
        return peak
    left = max(0.0, (1.0 - progress) / (1.0 - decay_from))
    return peak * max(FLOOR, left)


def batches(
    examples: Sequence[Example], words: int, generator: random.Random
) -> Iterator[list[Example]]:
    """Yield batches of about ``words`` tokens for one epoch, in random order."""
    order = list(range(len(examples)))
    generator.shuffle(order)
    shuffled = (examples[index] for index in order)
    return chunks(shuffled, lambda example: len(example.reference), words=words)


def update(
    pipeline: Language,
    users: Sequence[str],
    batch: Sequence[Example],
    optimizer: Any,
    losses: dict[str, float],
    *,
    dropout: float,
) -> None:
    """Train the shared vectors and the components that use them for one step.

    spaCy's own ``Language.update`` copies and aligns all documents first and applies the gradient
    of the shared vectors one step later. Both are unnecessary if tokens never differ.
    """
    tok2vec: Any = pipeline.get_pipe("tok2vec")
    documents = [example.predicted for example in batch]
    set_dropout_rate(tok2vec.model, dropout)
    vectors, backpropagate = tok2vec.model.begin_update(documents)
    gradients = [np.zeros_like(vector) for vector in vectors]

    def collect(parts: list[Any]) -> list[Any]:
        for total, part in zip(gradients, parts, strict=True):
            np.add(total, part, out=total)
        return []

    for listener in tok2vec.listeners:
        listener.receive(listener.get_batch_id(documents), vectors, collect)
    components: list[Any] = [pipeline.get_pipe(name) for name in users]
    for component in components:
        component.update(batch, sgd=None, drop=dropout, losses=losses)
    backpropagate(gradients)
    for component in [tok2vec, *components]:
        component.finish_update(optimizer)


class Mistakes:
    """Inserts errors into analyzed sentences and updates their analysis.

    A pipeline trained on well-formed text relies on the context: after *to*, it analyzes any word
    as an infinitive. Learner text requires a pipeline that relies on the word. So this class
    replaces words by others with the same lemma and part of speech (with the features of the new
    form), changes letters (with the same analysis), omits function words, and swaps neighbors.
    """

    def __init__(self, sentences: Sequence[Analysis], generator: random.Random) -> None:
        self._random = generator
        self._forms: dict[tuple[str, str], list[_AnalyzedToken]] = {}
        self._letters = sorted({c for one in sentences for word in one.lower for c in word})
        seen = dict.fromkeys(token for one in sentences for token in _tokens(one))
        for token in seen:
            self._forms.setdefault((token.lemma, token.pos), []).append(token)

    def put_into(self, sentence: Analysis) -> Analysis:
        """Return a copy with errors."""
        tokens: list[_AnalyzedToken] = []
        for token in _tokens(sentence):
            chance = self._random.random()
            if chance < _OTHER_FORM:
                tokens.append(self._random.choice(self._forms[token.lemma, token.pos]))
            elif chance < _OTHER_FORM + _MISSPELT and len(token.form) > 3 and token.form.isalpha():
                tokens.append(token._replace(form=self._misspell(token.form)))
            elif chance > 1 - _LEFT_OUT and token.pos in {"ADP", "AUX", "DET", "PART", "PRON"}:
                continue
            else:
                tokens.append(token)
            if len(tokens) > 1 and self._random.random() < _SWAPPED:
                tokens[-2:] = reversed(tokens[-2:])
        return _analysis(tokens or list(_tokens(sentence)))

    def _misspell(self, word: str) -> str:
        place = self._random.randrange(1, len(word))
        letter = self._random.choice(self._letters)
        kept, rest = word[:place], word[place:]
        return self._random.choice(
            [
                kept + rest[1:],
                kept + letter + rest,
                kept + letter + rest[1:],
                kept + kept[-1] + rest,
                kept[:-1] + rest[0] + kept[-1] + rest[1:],
            ]
        )


class _AnalyzedToken(NamedTuple):
    form: str
    pos: str
    lemma: str
    features: str


def _tokens(sentence: Analysis) -> Iterator[_AnalyzedToken]:
    features = sentence.features or tuple("" for _ in sentence.tokens)
    return starmap(
        _AnalyzedToken, zip(sentence.tokens, sentence.pos, sentence.lemma, features, strict=True)
    )


def _analysis(tokens: Sequence[_AnalyzedToken]) -> Analysis:
    form, pos, lemma, features = zip(*tokens, strict=True)
    return Analysis(form, tuple(map(str.lower, form)), pos, pos, lemma, features=features)


def train_pipeline(
    sentences: Sequence[Analysis], folder: Path, *, passes: int, seed: int, meta: Mapping[str, Any]
) -> None:
    """Train and write a tagger of parts of speech, features and lemmas on these sentences."""
    register_architecture()
    fix_random_seed(seed)
    generator = random.Random(seed)
    pipeline = load_model_from_config(
        Config().from_disk(Path(__file__).with_suffix(".cfg")), auto_fill=True
    )
    examples = [_make_example(pipeline.vocab, one) for one in sentences]
    pipeline.initialize(lambda: examples)
    optimizer = Adam(_RATE, L2=0.01, grad_clip=1.0, L2_is_weight_decay=True, use_averages=True)
    users = [name for name in pipeline.pipe_names if name != "tok2vec"]
    done, total = 0, passes * len(examples)
    losses: dict[str, float] = {}
    mistakes = Mistakes(sentences, generator)
    for _ in range(passes):
        examples = [
            _make_example(
                pipeline.vocab, mistakes.put_into(one) if generator.random() < _FAULTY else one
            )
            for one in sentences
        ]
        for batch in batches(examples, _BATCH_WORDS, generator):
            optimizer.learn_rate = learning_rate(_RATE, done / total, _DECAY_FROM)
            update(pipeline, users, batch, optimizer, losses, dropout=_DROPOUT)
            done += len(batch)
    pipeline.meta.update(meta)
    with pipeline.use_params(optimizer.averages):
        pipeline.to_disk(folder)


def _make_example(vocab: Vocab, sentence: Analysis) -> Example:
    words = list(sentence.tokens)
    features = sentence.features or tuple("" for _ in words)
    gold = Doc(
        vocab,
        words=words,
        pos=list(sentence.pos),
        morphs=["|".join(f"{n}={v}" for n, v in parse_features(f).items()) for f in features],
        lemmas=list(sentence.lemma),
    )
    return Example(Doc(vocab, words=words), gold)


def main() -> None:
    """Read the treebanks, train a pipeline, and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("treebanks", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the pipeline")
    parser.add_argument("--language", default="universal", help="language code of the treebanks")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    meta = {
        "name": given.language,
        "version": "1.0.0",
        "description": "Parts of speech, features and lemmas, trained by redink",
        "sources": [path.name for path in given.treebanks],
    }
    sentences = [tree.surface() for path in given.treebanks for tree in read_trees(path)]
    sentences = [sentence for sentence in sentences if len(sentence)]
    train_pipeline(sentences, given.output, passes=given.epochs, seed=given.seed, meta=meta)


if __name__ == "__main__":
    main()
