"""What a model said of a text, kept by content: asked again, in this run or the next, it is known.

Numbers are kept in the user's cache folder (see :mod:`redink.cache`). A key is made of the weights
of the model, the question and the text. Without a folder that can be written, only this process
remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from redink.cache import MODEL_SCORES, make_key

FloatArray = NDArray[np.float64]
_known: dict[bytes, float] = {}


def remember(
    about: str, texts: Sequence[str], make: Callable[[list[int]], Sequence[float]]
) -> FloatArray:
    """A number for every text, made only where it is not known.

    Args:
        about: the model and the question.
        texts: what the numbers are about.
        make: the numbers of the texts at these places.
    """
    keys = [make_key(about, text) for text in texts]
    unknown = [key for key in dict.fromkeys(keys) if key not in _known]
    if unknown:
        _known.update(MODEL_SCORES.look_up(unknown))
        places = {key: place for place, key in enumerate(keys)}
        wanted = [places[key] for key in unknown if key not in _known]
        if wanted:
            made = dict(zip((keys[at] for at in wanted), map(float, make(wanted)), strict=True))
            _known.update(made)
            MODEL_SCORES.keep(made)
    return np.array([_known[key] for key in keys], dtype=np.float64)


def forget() -> None:
    """What this process remembers; the database stays."""
    _known.clear()
