"""The neural network of embedded pipelines, registered with spaCy under `redink.*` names.

It is spaCy's own convolutional token-to-vector network in a faster arrangement: a word's
context-free vector is computed once per distinct word of a batch rather than once per token, and
matrices are multiplied by NumPy's BLAS, which on current x86 machines is about three times as fast
as the one spaCy uses by default.

`WindowVectors` goes further. A convolution's output at a token depends on the words around it
alone: after the first layer on a window of three, after the second on five, and so on. A source and
its corrections share most of their windows, so each layer is applied to the distinct windows of a
batch rather than to all of its tokens. In both, the numbers are the same up to rounding.

Importing this module registers the architectures; `spacy.load` of a pipeline made of them needs
that and nothing else.
"""

# Annotations are values here, not text: older versions of confection read them to check the
# configuration of the pipeline.

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Self

import numpy as np
from spacy.ml.featureextractor import FeatureExtractor
from spacy.ml.models import build_tb_parser_model
from spacy.ml.models.tagger import build_tagger_model
from spacy.ml.models.tok2vec import MaxoutWindowEncoder
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import (
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

from redink.analysis.token_vectors import Ints, distinct_windows
from redink.analysis.weights import Floats

__all__ = ["WindowVectors", "build_parser", "build_tagger", "build_tok2vec"]

_FIRST_SEED = 8  # each embedding table hashes with a seed of its own
_PADDING = 0  # the row of zeros before and after every sentence


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
    """Embed lexical attributes by hashing, mix them, then look at `depth` neighbours each side.

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


class WindowVectors:
    """The vectors of a convolutional token-to-vector component, for documents of one vocabulary."""

    def __init__(self, embed: Any, blocks: Sequence[Any]) -> None:
        self._embed = embed
        self._blocks = blocks

    @classmethod
    def of(cls, component: Any) -> Self | None:
        """The same network as a spaCy component's, or None if it is built otherwise.

        What is understood: an embedding without context, then residual blocks that each see one
        word more on both sides.
        """
        model = component.model
        if not {"embed", "encode"} <= set(model.ref_names):
            return None
        encode = model.get_ref("encode")
        if not encode.name.startswith("with_array(") or len(encode.layers) != 1:
            return None
        blocks = []
        for block in encode.layers[0].layers:
            inner = block.layers[0] if block.name.startswith("residual(") else None
            if inner is None or inner.layers[0].name != "expand_window":
                return None
            if inner.layers[0].attrs["window_size"] != 1:
                return None
            blocks.append(inner.layers[1:])
        if encode.attrs["pad"] != len(blocks):
            return None
        return cls(model.get_ref("embed"), blocks)

    def set_tensors(self, documents: Sequence[Doc]) -> None:
        """Give every document the tensor that the component would give it."""
        numbers: dict[int, int] = {}
        rows = []
        padding = [_PADDING] * len(self._blocks)
        for document in documents:
            rows.extend(padding)
            # 0 is the padding, so words count from 1.
            rows.extend(
                [
                    numbers.setdefault(w, len(numbers) + 1)
                    for w in document.to_array("ORTH").tolist()
                ]
            )
        rows.extend(padding)
        if not numbers:
            return
        vocab = documents[0].vocab
        strings = vocab.strings
        words = Doc(vocab, words=[strings[number] for number in numbers])
        embedded = self._embed.predict([words])[0]
        vectors: Any = np.concatenate([np.zeros_like(embedded[:1]), embedded])
        ids: Ints = np.array(rows, dtype=np.int64)
        for layers in self._blocks:
            vectors, ids = _apply_block(layers, vectors, ids)
        # Each block shortens the sequence by a token at both ends: of the padding around the first
        # and last sentence nothing is left, between two sentences all of it is.
        start = 0
        for document in documents:
            document.tensor = vectors[ids[start : start + len(document)]]
            start += len(document) + len(padding)


def _apply_block(layers: Sequence[Any], vectors: Floats, ids: Ints) -> tuple[Floats, Ints]:
    """One residual block over the distinct windows of three."""
    windows = ids[:-2], ids[1:-1], ids[2:]
    (left, middle, right), inverse = distinct_windows(len(vectors), windows)
    centre = vectors[middle]
    output = np.concatenate([vectors[left], centre, vectors[right]], axis=1)
    for layer in layers:
        output = layer.predict(output)
    return output + centre, inverse
