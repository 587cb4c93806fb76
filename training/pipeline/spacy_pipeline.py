"""The embedded pipeline as spaCy runs it: for training, and for programs that need spaCy.

The network is spaCy's own convolutional token-to-vector network in a faster arrangement: a word's
context-free vector is computed once per distinct word of a batch rather than once per token, and
matrices are multiplied by NumPy's BLAS. Importing this module registers the architectures
(`redink.*`) and the component (`redink_lemmatizer`) that `config.cfg` names.

    python training/pipeline/spacy_pipeline.py TRAINED OUT    # from train.py to the files that ship
"""

# Annotations are values here, not text: older versions of confection read them to check the
# configuration of the pipeline.

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import spacy
from spacy.language import Language
from spacy.ml.featureextractor import FeatureExtractor
from spacy.ml.models import build_tb_parser_model
from spacy.ml.models.tagger import build_tagger_model
from spacy.ml.models.tok2vec import MaxoutWindowEncoder
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import (
    Config,
    HashEmbed,
    Maxout,
    Model,
    NumpyOps,
    chain,
    concatenate,
    list2ragged,
    ragged2list,
    uniqued,
    with_array,
)
from threadpoolctl import ThreadpoolController

from redink.analysis.english.word_forms import PIPELINE, LemmaTables, lemma_tables, universal_pos

CONFIG = Path(__file__).with_name("config.cfg")
TABLES_FILE = "lemmas.json.gz"
_FIRST_SEED = 8  # each embedding table hashes with a seed of its own


@cache
def _blas_libraries() -> list[Any]:
    libraries: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return libraries


def _forward_on_one_thread(
    forward: Callable[..., Any],
    model: Model[Any, Any],
    batch: Any,
    is_train: bool,  # noqa: FBT001
) -> Any:
    """Run a forward pass with BLAS kept to one thread, then let it have its threads again.

    The matrices are so small that a second thread spends its time waiting: it doubles the work of
    the machine and gains nothing.
    """
    libraries = _blas_libraries()
    counts = [library.get_num_threads() for library in libraries]
    if all(count == 1 for count in counts):
        return forward(model, batch, is_train)
    try:
        for library in libraries:
            library.set_num_threads(1)
        return forward(model, batch, is_train)
    finally:
        for library, count in zip(libraries, counts, strict=True):
            library.set_num_threads(count)


def _multiply_with_numpy(model: Model[Any, Any]) -> Model[Any, Any]:
    """Make `model` use NumPy's matrix product, on one thread, instead of BLIS."""
    ops = NumpyOps(use_blis=False)
    for node in model.walk():
        node.ops = ops
    # Not a layer of its own: that would change how the weights are written and read.
    model._func = partial(_forward_on_one_thread, model._func)  # noqa: SLF001
    return model


@registry.architectures("redink.Tok2Vec.v1")  # type: ignore[untyped-decorator]
def build_tok2vec(
    *, width: int, depth: int, maxout_pieces: int, attrs: list[str], rows: list[int]
) -> Model[Any, Any]:
    """Embed lexical attributes by hashing, mix them, then look at `depth` neighbors each side.

    Args:
        width: the length of a token's vector.
        depth: the number of convolutions, each of which sees one more word left and right.
        maxout_pieces: pieces of each maxout unit of the convolutions.
        attrs: the lexical attributes embedded (functions of the word form alone).
        rows: the number of rows of each attribute's table.
    """
    tables: list[Model[Any, Any]] = [
        HashEmbed(width, count, column=column, seed=_FIRST_SEED + column - 1, dropout=0.0)
        for column, count in enumerate(rows, start=1)
    ]
    mix: Model[Any, Any] = Maxout(width, width * len(tables), nP=3, dropout=0.0, normalize=True)
    # Column 0 is the form itself: it decides which rows of a batch are the same word.
    each_word: Model[Any, Any] = uniqued(chain(concatenate(*tables), mix), column=0)
    on_batch: Model[Any, Any] = with_array(each_word)
    embed: Model[Any, Any] = chain(
        FeatureExtractor(["ORTH", *attrs]), list2ragged(), on_batch, ragged2list()
    )
    encode: Model[Any, Any] = MaxoutWindowEncoder(
        width=width, window_size=1, maxout_pieces=maxout_pieces, depth=depth
    )
    model: Model[Any, Any] = chain(embed, encode)
    model.set_dim("nO", width)
    model.set_ref("embed", embed)
    model.set_ref("encode", encode)
    return _multiply_with_numpy(model)


@registry.architectures("redink.Tagger.v1")  # type: ignore[untyped-decorator]
def build_tagger(*, tok2vec: Model[Any, Any], nO: int | None = None) -> Model[Any, Any]:  # noqa: N803
    """The tagger of spaCy: one softmax over the shared vectors (`nO`, the number of tags)."""
    return _multiply_with_numpy(build_tagger_model(tok2vec, nO=nO, normalize=False))


@registry.architectures("redink.Parser.v1")  # type: ignore[untyped-decorator]
def build_parser(
    *,
    tok2vec: Model[Any, Any],
    hidden_width: int,
    maxout_pieces: int,
    nO: int | None = None,  # noqa: N803
) -> Model[Any, Any]:
    """The transition-based parser of spaCy over the shared vectors (`nO`, its actions)."""
    model: Model[Any, Any] = build_tb_parser_model(
        tok2vec,
        state_type="parser",
        extra_state_tokens=False,
        hidden_width=hidden_width,
        maxout_pieces=maxout_pieces,
        use_upper=True,
        nO=nO,
    )
    return _multiply_with_numpy(model)


# The attributes read and written, as spaCy's arrays name them.
_KEY: list[int | str] = ["ORTH", "TAG"]
_VALUE: list[int | str] = ["POS", "LEMMA"]


class Lemmatizer:
    """The spaCy component: sets `pos` and `lemma` of every token from its form and tag."""

    def __init__(self, vocab: Vocab, name: str, tables: LemmaTables | None = None) -> None:
        self.vocab = vocab
        self.name = name
        self.tables = tables
        self._cache: dict[tuple[int, int], tuple[int, int]] = {}

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one document."""
        cache = self._cache
        pairs = list(map(tuple, doc.to_array(_KEY).tolist()))
        try:
            found = [cache[pair] for pair in pairs]
        except KeyError:
            found = [cache.get(pair) or self._look_up(pair) for pair in pairs]
        if found:
            values: Any = np.array(found, dtype=np.uint64)
            doc.from_array(_VALUE, values)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 256) -> Iterator[Doc]:  # noqa: ARG002
        """Annotate a stream of documents."""
        return map(self, stream)

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:  # noqa: ARG002
        """Write the tables into a directory."""
        directory = Path(path)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / TABLES_FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:  # noqa: ARG002
        """Read the tables from a directory."""
        return self.from_bytes((Path(path) / TABLES_FILE).read_bytes())

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:  # noqa: ARG002
        """The tables, compressed."""
        return self.tables.to_bytes() if self.tables is not None else b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Self:  # noqa: ARG002
        """Read what `to_bytes` wrote."""
        self.tables = LemmaTables.from_bytes(data)
        self._cache.clear()
        return self

    def _look_up(self, pair: tuple[int, int]) -> tuple[int, int]:
        """Part of speech and lemma, as ids, of a form and tag not met before."""
        if self.tables is None:
            raise ValueError("the lemmatizer has no tables: load a pipeline that carries them")
        strings = self.vocab.strings
        form, tag = strings[pair[0]], strings[pair[1]]
        answer = (strings.add(universal_pos(form, tag)), strings.add(self.tables.lemma(form, tag)))
        # Inside a memory zone the strings behind the ids are forgotten when the zone ends.
        vocab: Any = self.vocab  # the attribute is missing from spaCy's type information
        if not vocab.in_memory_zone:
            self._cache[pair] = answer
        return answer


@Language.factory("redink_lemmatizer", assigns=["token.pos", "token.lemma"], requires=["token.tag"])
def make_lemmatizer(nlp: Language, name: str) -> Lemmatizer:
    """Make the component; its tables come with the pipeline that is loaded."""
    return Lemmatizer(nlp.vocab, name)


def _parameters(pipeline: Language) -> Iterator[tuple[str, Any, str]]:
    """Yield the key of every array, with the layer that has it and its name there."""
    for name in ("tok2vec", "tagger", "parser"):
        component: Any = pipeline.get_pipe(name)
        seen: Counter[str] = Counter()
        for node in component.model.walk():
            if node.param_names:
                for parameter in node.param_names:
                    key = f"{name}/{node.name}/{seen[node.name]}/{parameter}"
                    yield key, node, parameter
                seen[node.name] += 1


def pack(pipeline: Language, folder: Path, version: str) -> None:
    """Write what `redink.analysis.english.pipeline` reads: the arrays, and the names of labels."""
    arrays = {key: node.get_param(name) for key, node, name in _parameters(pipeline)}
    np.savez(folder / "weights.npz", **arrays)
    parser: Any = pipeline.get_pipe("parser")
    about = {
        "version": version,
        "tags": pipeline.get_pipe("tagger").labels,
        "moves": parser.moves.labels,
    }
    (folder / "labels.json").write_text(json.dumps(about, indent=0), encoding="utf-8")
    lemmatizer: Any = pipeline.get_pipe("lemmatizer")
    (folder / TABLES_FILE).write_bytes(lemmatizer.to_bytes())


@cache
def load_embedded() -> Language:
    """Return the pipeline that ships, run by spaCy."""
    about = json.loads((PIPELINE / "labels.json").read_text(encoding="utf-8"))
    pipeline = spacy.util.load_model_from_config(Config().from_disk(CONFIG), auto_fill=True)
    words = {"words": ["a", "b"]}
    reference = Doc(pipeline.vocab, **words, tags=["NN", "NN"], heads=[0, 0], deps=["ROOT", "dep"])
    examples = [Example(Doc(pipeline.vocab, **words), reference)]
    labels = {
        "tok2vec": {},
        "tagger": {"labels": about["tags"]},
        "parser": {"labels": about["moves"]},
    }
    for name, known in labels.items():
        component: Any = pipeline.get_pipe(name)
        component.initialize(lambda: examples, nlp=pipeline, **known)
    weights = np.load(PIPELINE / "weights.npz")
    for key, node, name in _parameters(pipeline):
        node.set_param(name, weights[key])
    lemmatizer: Any = pipeline.get_pipe("lemmatizer")
    lemmatizer.tables = lemma_tables()
    pipeline.meta.update(name="redink", version="1.0.0")
    return pipeline


def main() -> None:
    """Convert a trained pipeline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trained", type=Path, help="the folder that train.py wrote")
    parser.add_argument("out", type=Path, help="the folder to write into")
    arguments = parser.parse_args()
    digest = hashlib.sha256()
    for file in sorted(p for p in arguments.trained.rglob("*") if p.is_file()):
        digest.update(file.relative_to(arguments.trained).as_posix().encode())
        digest.update(file.read_bytes())
    pipeline = spacy.load(arguments.trained)
    version = f"en_redink-{pipeline.meta['version']}+{digest.hexdigest()[:8]}"
    pack(pipeline, arguments.out, version)


if __name__ == "__main__":
    main()
