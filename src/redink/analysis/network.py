"""The neural network of the embedded pipeline, registered with spaCy under `redink.*` names.

It is spaCy's own convolutional token-to-vector network in a faster arrangement: a word's
context-free vector is computed once per distinct word of a batch rather than once per token, and
matrices are multiplied by NumPy's BLAS, which on current x86 machines is about three times as fast
as the one spaCy uses by default. The numbers are the same up to rounding.

Importing this module registers the architectures; `spacy.load` of the embedded pipeline needs
that and nothing else.
"""

from __future__ import annotations

from typing import Any

from spacy.ml.featureextractor import FeatureExtractor
from spacy.ml.models import build_tb_parser_model
from spacy.ml.models.tagger import build_tagger_model
from spacy.ml.models.tok2vec import MaxoutWindowEncoder
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

__all__ = ["build_parser", "build_tagger", "build_tok2vec"]

_FIRST_SEED = 8  # each embedding table hashes with a seed of its own


def _multiply_with_numpy(model: Model[Any, Any]) -> Model[Any, Any]:
    """Make every layer of `model` use NumPy's matrix product instead of BLIS."""
    ops = NumpyOps(use_blis=False)
    for node in model.walk():
        node.ops = ops
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
