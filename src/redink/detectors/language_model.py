"""A 4-gram language model: train, query, save, and flag extraneous prepositions with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.detectors.kneser_ney import BEGIN, END, UNKNOWN, Order, estimate, join, number_words
from redink.detectors.model_files import read_model, write_model
from redink.errors import DataError, FormatError

KIND = "lm"
_MISSING = -1


@dataclass(frozen=True)
class LanguageModel:
    """An n-gram model whose arrays may lie in memory or in a file.

    Attributes:
        words: the vocabulary by number.
        orders: unigrams first.
        about: where the model comes from.
    """

    words: tuple[str, ...]
    orders: tuple[Order, ...]
    about: dict[str, Any]

    def __post_init__(self) -> None:
        numbers = {word: number for number, word in enumerate(self.words)}
        object.__setattr__(self, "_numbers", numbers)

    @classmethod
    def train(
        cls,
        sentences: Iterable[Sequence[str]],
        *,
        order: int = 4,
        max_words: int | None = None,
        prune: tuple[int, ...] = (),
        about: dict[str, Any] | None = None,
    ) -> LanguageModel:
        """Learn a model from tokenised sentences; words are put in lower case.

        Args:
            sentences: the tokens of every sentence.
            order: the length of the longest n-grams.
            max_words: the size of the vocabulary; rarer words become unknown.
            prune: for each order, n-grams that occur so often or less are dropped.
            about: provenance, kept with the model.
        """
        words, text = number_words(
            ((token.lower() for token in sentence) for sentence in sentences), max_words=max_words
        )
        orders = estimate(text, len(words), order=order, prune=prune)
        told = {"order": order, "words": len(text), "prune": list(prune), **(about or {})}
        return cls(tuple(words), tuple(orders), told)

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.orders)

    def numbers(self, sentence: Iterable[str]) -> list[int]:
        """The words of a sentence as numbers, between the marks of its beginning and end."""
        known: dict[str, int] = self._numbers  # type: ignore[attr-defined]
        unknown = known[UNKNOWN]
        inner = [known.get(token.lower(), unknown) for token in sentence]
        return [known[BEGIN], *inner, known[END]]

    def log_probabilities(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """The logarithm (base 10) of the probability of each sentence, its end included."""
        text = [self.numbers(sentence) for sentence in sentences]
        if not text:
            return np.empty(0)
        owner = np.repeat(np.arange(len(text)), [len(numbers) for numbers in text])
        each = self._word_log_probabilities(np.concatenate([np.array(t, np.int64) for t in text]))
        return np.asarray(np.bincount(owner, each, len(text)), np.float64)

    def perplexity(self, sentences: Sequence[Sequence[str]]) -> float:
        """Ten to the average negative log probability of a word; every end counts as a word."""
        words = sum(len(sentence) + 1 for sentence in sentences)
        if not words:
            raise DataError("there is no text to measure perplexity on")
        return float(10 ** (-self.log_probabilities(sentences).sum() / words))

    def _word_log_probabilities(self, text: NDArray[np.int64]) -> NDArray[np.float64]:
        """Of every word after those before it in its sentence; 0 for beginnings."""
        begin = self._numbers[BEGIN]  # type: ignore[attr-defined]
        position = np.arange(len(text))
        since = position - np.maximum.accumulate(np.where(text == begin, position, 0))
        # indices[n-1][t] is the n-gram that ends at t, or missing
        indices = [text]
        for level in range(1, self.order):
            before = np.concatenate([[_MISSING], indices[-1][:-1]])
            inside = (since >= level) & (before >= 0)
            indices.append(_find(self.orders[level].keys, before, text, inside))
        result = np.asarray(self.orders[0].log_probability, np.float64)[text]
        for level in range(1, self.order):
            if not len(self.orders[level].keys):
                break  # pruned away: nothing backs off from here
            found = indices[level] >= 0
            context = np.concatenate([[_MISSING], indices[level - 1][:-1]])
            usable = (context >= 0) & (since >= level)
            backoff = np.where(
                usable, self.orders[level - 1].log_backoff[np.maximum(context, 0)], 0.0
            )
            seen = self.orders[level].log_probability[np.maximum(indices[level], 0)]
            result = np.where(found, seen, result + backoff)
        return np.where(text == begin, 0.0, result)

    def save(self, path: str | Path) -> None:
        """Write the model to one file, probabilities in half precision."""
        arrays: dict[str, NDArray[Any]] = {
            "words": np.frombuffer("\n".join(self.words).encode(), np.uint8)
        }
        for number, order in enumerate(self.orders, start=1):
            arrays[f"keys{number}"] = order.keys
            arrays[f"probabilities{number}"] = order.log_probability.astype(np.float16)
            if number < self.order:
                arrays[f"backoffs{number}"] = order.log_backoff.astype(np.float16)
        write_model(path, KIND, self.about, arrays)

    @classmethod
    def load(cls, path: str | Path) -> LanguageModel:
        """Open a model; its arrays are mapped, not read."""
        file = read_model(path, kind=KIND)
        try:
            words = tuple(file.arrays["words"].tobytes().decode().split("\n"))
            orders: list[Order] = []
            while (number := len(orders) + 1) and f"keys{number}" in file.arrays:
                keys = file.arrays[f"keys{number}"]
                orders.append(
                    Order(
                        keys,
                        file.arrays[f"probabilities{number}"],
                        file.arrays.get(f"backoffs{number}", np.zeros(len(keys), np.float16)),
                    )
                )
        except (KeyError, UnicodeDecodeError) as error:
            raise FormatError(
                "is a damaged language model: a part is missing", path=path
            ) from error
        if not _fit_together(words, orders):
            raise FormatError("is a damaged language model: its parts do not fit", path=path)
        return cls(words, tuple(orders), file.about)


@cache
def load_shipped() -> LanguageModel:
    """The model of English that comes with redink."""
    return LanguageModel.load(Path(__file__).with_name("resources") / "lm.model")


def _fit_together(words: tuple[str, ...], orders: Sequence[Order]) -> bool:
    return (
        len(orders) > 0
        and len(orders[0].keys) == len(words)
        and {UNKNOWN, BEGIN, END} <= set(words)
        and all(
            order.keys.dtype == np.uint64
            and order.log_probability.dtype.kind == order.log_backoff.dtype.kind == "f"
            and order.keys.ndim == 1
            and np.isfinite(order.log_probability).all()
            and np.isfinite(order.log_backoff).all()
            and order.keys.shape == order.log_probability.shape == order.log_backoff.shape
            for order in orders
        )
    )


def _find(
    keys: NDArray[np.uint64],
    prefix: NDArray[np.int64],
    word: NDArray[np.int64],
    usable: NDArray[np.bool_],
) -> NDArray[np.int64]:
    found = np.full(len(word), _MISSING, np.int64)
    if not len(keys) or not usable.any():
        return found
    wanted = join(prefix[usable], word[usable])
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found[usable] = np.where(keys[at] == wanted, at, _MISSING)
    return found


def deletion_log_odds(
    model: LanguageModel, sentence: Sequence[str], places: Sequence[int]
) -> list[float]:
    """How much likelier the sentence is without the token at each place, as natural log odds.

    Above 0 the shorter sentence is the likelier; 0 is a draw. Likelihood is that of a word (as
    in perplexity): every word costs something, so that as a whole a shorter sentence is nearly
    always the likelier. The shorter sentence is stretched to the length of the longer one.
    """
    variants = [tuple(sentence), *((*sentence[:at], *sentence[at + 1 :]) for at in places)]
    whole, *without = (model.log_probabilities(variants) * np.log(10)).tolist()
    stretch = (len(sentence) + 1) / len(sentence)  # the end of the sentence is a word too
    return [shorter * stretch - whole for shorter in without]
