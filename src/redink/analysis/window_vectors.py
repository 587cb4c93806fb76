"""Token vectors of many similar sentences, each distinct window of words worked out once.

A convolution's output at a token depends on the words around it alone: after the first layer on a
window of three, after the second on five, and so on. A source and its corrections share most of
their windows, so each layer is applied to the distinct windows of a batch rather than to all of
its tokens. The numbers are those of the network itself, up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from spacy.tokens import Doc

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_PADDING = 0  # the row of zeros before and after every sentence
_LONGEST_KEY = 2_000_000  # the cube of more rows would not fit 64 bits


class WindowVectors:
    """The vectors of a convolutional token-to-vector component, for documents of one vocabulary."""

    def __init__(self, embed: Any, blocks: Sequence[Any]) -> None:
        self._embed = embed
        self._blocks = blocks

    @classmethod
    def of(cls, component: Any) -> WindowVectors | None:
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
        from spacy.tokens import Doc

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
    size = len(vectors)
    if size < _LONGEST_KEY:
        keys, inverse = np.unique(
            (ids[:-2] * size + ids[1:-1]) * size + ids[2:], return_inverse=True
        )
        middle = keys // size
        left, middle, right = middle // size, middle % size, keys % size
    else:
        inverse = np.arange(len(ids) - 2)
        left, middle, right = ids[:-2], ids[1:-1], ids[2:]
    centre = vectors[middle]
    output = np.concatenate([vectors[left], centre, vectors[right]], axis=1)
    for layer in layers:
        output = layer.predict(output)
    return output + centre, inverse
