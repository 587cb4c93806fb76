"""N-gram language models: training with modified Kneser-Ney smoothing, queries, ARPA files.

Smoothing follows Chen and Goodman (1998), with the choices of KenLM: three discounts per order from
the counts of counts, continuation counts below the highest order, and unigrams interpolated with
the uniform distribution over the vocabulary and the unknown word. N-grams are stored in a trie of
sorted arrays: the key of an n-gram is the index of its first n-1 words in the next lower order,
and its last word. So every step is a sort or a search over entire arrays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redink.detectors.model_files import ModelFile, read_model, write_model
from redink.errors import DataError, FormatError
from redink.files import read_head, read_lines, write_atomically

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
_WORD_BITS = np.uint64(32)
_WORD_MASK = np.uint64((1 << 32) - 1)
_NEVER = np.float32(-99)  # log probability (base 10) of a beginning inside a sentence
_MISSING = -1
_FALLBACK = np.array([0, 0.5, 1.0, 1.5])  # KenLM's discounts if a text is too small
_LARGEST = 1e30  # limit of logarithms in ARPA files: finite in single precision
_SECTION = re.compile(r"\\(\d+)-grams:")
_COUNT = re.compile(r"ngram\s+(\d+)\s*=\s*(\d{1,15})")


@dataclass(frozen=True)
class NgramOrder:
    """The n-grams of one length; ``keys`` is sorted (for unigrams, the words themselves)."""

    keys: NDArray[np.uint64]
    log_probability: NDArray[np.float32]  # base 10, of the last word after the others
    log_backoff: NDArray[np.float32]  # base 10, of the probability left for unseen words


@dataclass(frozen=True)
class NgramModel:
    """An n-gram model: the vocabulary, the orders (unigrams first), and provenance."""

    words: tuple[str, ...]
    orders: tuple[NgramOrder, ...]
    about: dict[str, Any]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @classmethod
    def train(
        cls,
        sentences: Iterable[Sequence[str]],
        *,
        order: int = 4,
        max_words: int | None = None,
        prune: tuple[int, ...] = (),
        about: dict[str, Any] | None = None,
    ) -> NgramModel:
        """Train a model on tokenized sentences, in lower case.

        If ``max_words`` limits the vocabulary, rarer words become unknown. ``prune`` lists for each
        order the largest count of dropped n-grams; ``about`` is stored with the model.
        """
        words, text = _number_words(
            ((token.lower() for token in sentence) for sentence in sentences), max_words
        )
        orders = _estimate(text, len(words), order, prune)
        settings = {"order": order, "words": len(text), "prune": list(prune), **(about or {})}
        return cls(tuple(words), tuple(orders), settings)

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.orders)

    def numbers(self, sentence: Iterable[str]) -> list[int]:
        """Return the words of a sentence as numbers, between its begin and end marks.

        A word is looked up as it is, then in lower case.
        """
        known = self._numbers
        unknown = known[UNKNOWN]
        inner = [known.get(t, known.get(t.lower(), unknown)) for t in sentence]
        return [known[BEGIN], *inner, known[END]]

    def log_probabilities(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Return the log probability (base 10) of each sentence, including its end."""
        text = [self.numbers(sentence) for sentence in sentences]
        if not text:
            return np.empty(0)
        owner = np.repeat(np.arange(len(text)), [len(numbers) for numbers in text])
        each = self._word_log_probabilities(np.concatenate([np.array(t, np.int64) for t in text]))
        return np.asarray(np.bincount(owner, each, len(text)), np.float64)

    def perplexity(self, sentences: Sequence[Sequence[str]]) -> float:
        """Return the perplexity per word; the end of a sentence counts as a word."""
        words = sum(len(sentence) + 1 for sentence in sentences)
        if not words:
            raise DataError("there is no text to measure perplexity on")
        return float(10 ** (-self.log_probabilities(sentences).sum() / words))

    def _word_log_probabilities(self, text: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the log probability of every word given those before it; 0 for beginnings."""
        begin = self._numbers[BEGIN]
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
            context = np.concatenate([[_MISSING], indices[level - 1][:-1]])
            usable = (context >= 0) & (since >= level)
            backoff = np.where(
                usable, self.orders[level - 1].log_backoff[np.maximum(context, 0)], 0.0
            )
            seen = self.orders[level].log_probability[np.maximum(indices[level], 0)]
            result = np.where(indices[level] >= 0, seen, result + backoff)
        return np.where(text == begin, 0.0, result)

    def save(self, path: str | Path) -> None:
        """Write the model to a file, with probabilities in half precision."""
        arrays: dict[str, NDArray[Any]] = {
            "words": np.frombuffer("\n".join(self.words).encode(), np.uint8)
        }
        for number, order in enumerate(self.orders, start=1):
            arrays[f"keys{number}"] = order.keys
            arrays[f"probabilities{number}"] = order.log_probability.astype(np.float16)
            if number < self.order:
                arrays[f"backoffs{number}"] = order.log_backoff.astype(np.float16)
        write_model(path, "lm", self.about, arrays)

    @classmethod
    def load(cls, path: str | Path) -> NgramModel:
        """Load a saved model."""
        return open_language_model(read_model(path), path)


def open_language_model(file: ModelFile, path: str | Path) -> NgramModel:
    """Return the language model of a model file; raise a FormatError if it has none."""
    if file.kind != "lm":
        raise FormatError(f"is a model of kind {file.kind!r}; expected 'lm'", path=path)
    arrays = file.arrays
    orders: list[NgramOrder] = []
    try:
        words = tuple(arrays["words"].tobytes().decode().split("\n"))
        while (name := f"keys{len(orders) + 1}") in arrays:
            keys, probabilities = arrays[name], arrays[f"probabilities{len(orders) + 1}"]
            backoffs = arrays.get(f"backoffs{len(orders) + 1}", np.zeros(keys.shape, np.float16))
            orders.append(NgramOrder(keys, probabilities, backoffs))
    except (KeyError, UnicodeDecodeError) as error:
        raise FormatError("is a damaged language model: a part is missing", path=path) from error
    if not _fit_together(words, orders):
        raise FormatError("is a damaged language model: its parts are inconsistent", path=path)
    return NgramModel(words, tuple(orders), file.about)


def _fit_together(words: tuple[str, ...], orders: Sequence[NgramOrder]) -> bool:
    return (
        len(orders) > 0
        and orders[0].keys.shape == (len(words),)
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


@cache
def load_shipped() -> NgramModel:
    """Load the bundled model of English."""
    return NgramModel.load(Path(__file__).with_name("resources") / "lm.npz")


def _join(prefix: NDArray[np.int64], word: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the keys of n-grams with these prefixes and last words."""
    return (prefix.astype(np.uint64) << _WORD_BITS) | word.astype(np.uint64)


def _prefixes(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    return (keys >> _WORD_BITS).astype(np.int64)


def _last_words(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    return (keys & _WORD_MASK).astype(np.int64)


def _find(
    keys: NDArray[np.uint64],
    prefix: NDArray[np.int64],
    word: NDArray[np.int64],
    usable: NDArray[np.bool_],
) -> NDArray[np.int64]:
    found = np.full(len(word), _MISSING, np.int64)
    if not len(keys) or not usable.any():
        return found
    wanted = _join(prefix[usable], word[usable])
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found[usable] = np.where(keys[at] == wanted, at, _MISSING)
    return found


def deletion_log_odds(
    model: NgramModel, sentence: Sequence[str], places: Sequence[int]
) -> list[float]:
    """Return, for each token, the natural log odds that the sentence is likelier without it.

    Probabilities are per word, as in perplexity, because a shorter sentence is nearly always more
    probable in total. The shorter sentence is scaled to the length of the longer one.
    """
    variants = [tuple(sentence), *((*sentence[:at], *sentence[at + 1 :]) for at in places)]
    whole, *without = (model.log_probabilities(variants) * np.log(10)).tolist()
    stretch = (len(sentence) + 1) / len(sentence)  # the end of the sentence is a word too
    return [shorter * stretch - whole for shorter in without]


def _number_words(
    sentences: Iterable[Iterable[str]], max_words: int | None
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the vocabulary (special words first), and the text as numbers with sentence marks."""
    numbers: dict[str, int] = {UNKNOWN: 0, BEGIN: 1, END: 2}
    text: list[NDArray[np.int64]] = []
    some: list[int] = []
    for sentence in sentences:
        some += [1, *(numbers.setdefault(word, len(numbers)) for word in sentence), 2]
        if len(some) > 1 << 20:
            text.append(np.array(some, np.int64))
            some = []
    everything = np.concatenate([*text, np.array(some, np.int64)])
    words = list(numbers)
    if max_words is None or len(words) - 3 <= max_words:
        return words, everything
    counts = np.bincount(everything, minlength=len(words))
    counts[:3] = counts.max() + 1
    kept = np.sort(np.argsort(-counts, kind="stable")[: max_words + 3])
    renumbered = np.zeros(len(words), np.int64)
    renumbered[kept] = np.arange(len(kept))
    return [words[number] for number in kept], renumbered[everything]


def _estimate(
    text: NDArray[np.int64], vocabulary: int, order: int, prune: tuple[int, ...]
) -> list[NgramOrder]:
    if len(text) < 3:
        raise DataError("there is no text to train a language model on")
    sentence = np.cumsum(text == 1)
    indices = text
    keys = [np.arange(vocabulary, dtype=np.uint64)]
    raw = [np.bincount(text, minlength=vocabulary)]
    suffixes: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    positions = np.arange(len(text))
    for length in range(2, order + 1):
        # An n-gram does not continue in the next sentence.
        inside = positions + length - 1 < len(text)
        inside[inside] &= sentence[positions[inside] + length - 1] == sentence[positions[inside]]
        at = positions[inside]
        found, first, inverse, counts = np.unique(
            _join(indices[at], text[at + length - 1]),
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        suffixes.append(indices[at[first] + 1])
        indices = np.full(len(text), -1, np.int64)
        indices[at] = inverse
        keys.append(found)
        raw.append(counts)
    return _prune(_smooth(keys, raw, suffixes), raw, suffixes, prune)


def _adjusted_counts(
    raw: list[NDArray[np.int64]], suffixes: list[NDArray[np.int64]], keys: list[NDArray[np.uint64]]
) -> list[NDArray[np.int64]]:
    """Return continuation counts below the highest order.

    N-grams at the beginning of a sentence keep their counts, because no word precedes them.
    """
    adjusted = []
    first_word = np.arange(len(keys[0]))
    for level, counts in enumerate(raw[:-1]):
        if level:
            first_word = first_word[_prefixes(keys[level])]
        continued = np.bincount(suffixes[level + 1], minlength=len(counts))
        adjusted.append(np.where(first_word == 1, counts, continued))
    return [*adjusted, raw[-1]]


def _discounts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the discounts of counts of 0, 1, 2, and 3 or more."""
    n = [int((counts == k).sum()) for k in range(1, 5)]
    if min(n[:3]) == 0:
        return _FALLBACK
    y = n[0] / (n[0] + 2 * n[1])
    found = [k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3)]
    if any(not 0 <= d <= k for k, d in enumerate(found, start=1)):
        return _FALLBACK
    return np.array([0.0, *found])


def _smooth(
    keys: list[NDArray[np.uint64]], raw: list[NDArray[np.int64]], suffixes: list[NDArray[np.int64]]
) -> list[NgramOrder]:
    unigrams, *longer = _adjusted_counts(raw, suffixes, keys)
    counts = unigrams.copy()
    counts[1] = 0  # the beginning of a sentence is never predicted
    taken = _discounts(counts[counts > 0])[np.minimum(counts, 3)]
    # The uniform distribution is over all words but the beginning of a sentence.
    uniform = np.full(len(counts), 1 / (len(counts) - 1))
    probability = (counts - taken) / counts.sum() + taken.sum() / counts.sum() * uniform
    probability[1] = 0
    probabilities, backoffs = [probability], []
    for level, counts in enumerate(longer, start=1):
        prefix, size = _prefixes(keys[level]), len(probability)
        taken = _discounts(counts)[np.minimum(counts, 3)]
        total = np.bincount(prefix, counts, size)
        left = np.bincount(prefix, taken, size)
        with np.errstate(invalid="ignore", divide="ignore"):
            backoff = np.where(total > 0, left / total, 1.0)
        lower = backoff[prefix] * probability[suffixes[level]]
        probability = (counts - taken) / total[prefix] + lower
        probabilities.append(probability)
        backoffs.append(backoff)
    backoffs.append(np.ones(len(probability)))
    return [
        NgramOrder(k, _logarithm(p), _logarithm(b))
        for k, p, b in zip(keys, probabilities, backoffs, strict=True)
    ]


def _logarithm(values: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log10(values), _NEVER).astype(np.float32)


def _prune(
    orders: list[NgramOrder],
    raw: list[NDArray[np.int64]],
    suffixes: list[NDArray[np.int64]],
    limits: tuple[int, ...],
) -> list[NgramOrder]:
    """Drop rare n-grams, longest first; then add their probability to the back-off."""
    if not any(limits):
        return orders
    keep = [np.ones(len(o.keys), bool) for o in orders]
    for level in range(len(orders) - 1, 0, -1):
        limit = limits[level] if level < len(limits) else limits[-1]
        keep[level] &= raw[level] > limit
        if level + 1 < len(orders):
            # Keep prefix and suffix of every longer n-gram, because lookups need them.
            above = keep[level + 1]
            keep[level][_prefixes(orders[level + 1].keys[above])] = True
            keep[level][suffixes[level + 1][above]] = True
    pruned = [orders[0]]
    renumbered = np.arange(len(orders[0].keys))
    for level in range(1, len(orders)):
        whole, kept = orders[level], keep[level]
        prefix = _prefixes(whole.keys[kept])
        below = orders[level - 1].log_probability[suffixes[level][kept]].astype(np.float64)
        size = len(orders[level - 1].keys)
        mass = np.bincount(prefix, 10.0 ** whole.log_probability[kept].astype(np.float64), size)
        lower = np.bincount(prefix, 10.0**below, size)
        backoff = np.log10(np.clip(1 - mass, 1e-9, 1) / np.clip(1 - lower, 1e-9, 1))
        last = pruned[-1]
        backoff = backoff[keep[level - 1]].astype(np.float32)
        pruned[-1] = NgramOrder(last.keys, last.log_probability, backoff)
        pruned.append(
            NgramOrder(
                _join(renumbered[prefix], _last_words(whole.keys[kept])),
                whole.log_probability[kept],
                np.zeros(int(kept.sum()), np.float32),
            )
        )
        renumbered = np.cumsum(kept) - 1
    return pruned


def write_arpa(model: NgramModel, path: str | Path) -> None:
    """Write a model as ARPA text, compressed if the name ends in ``.gz``."""
    with write_atomically(path) as stream:
        stream.write("\\data\\\n")
        for length, order in enumerate(model.orders, start=1):
            stream.write(f"ngram {length}={len(order.keys)}\n")
        texts = list(model.words)
        for length, order in enumerate(model.orders, start=1):
            if length > 1:
                pairs = zip(_prefixes(order.keys), _last_words(order.keys), strict=True)
                texts = [f"{texts[prefix]} {model.words[word]}" for prefix, word in pairs]
            stream.write(f"\n\\{length}-grams:\n")
            logs = zip(order.log_probability.tolist(), order.log_backoff.tolist(), strict=True)
            for text, (probability, backoff) in zip(texts, logs, strict=True):
                tail = f"\t{backoff:.7g}" if length < model.order and backoff else ""
                stream.write(f"{probability:.7g}\t{text}{tail}\n")
        stream.write("\n\\end\\\n")


def is_arpa(path: str | Path) -> bool:
    """Return whether a file is a language model in ARPA text, which KenLM and SRILM write too."""
    with suppress(FormatError):  # the reader of models reports other files
        return any(line.strip() == "\\data\\" for line in read_head(path))
    return False


def read_arpa(path: str | Path) -> NgramModel:
    """Read a model from ARPA text; raise a FormatError if it is not one."""
    sections = _read_sections(path)
    if not sections:
        raise FormatError("contains no n-grams; expected an ARPA language model", path=path)
    words = [text for _, text, _ in sections[0]]
    for special in (UNKNOWN, BEGIN, END):
        if special not in words:
            words.append(special)
            sections[0].append((-99.0, special, 0.0))
    numbers = {word: number for number, word in enumerate(words)}
    places: dict[str, int] = numbers
    orders: list[NgramOrder] = []
    for length, entries in enumerate(sections, start=1):
        keys, ranks = np.arange(len(words), dtype=np.uint64), np.arange(len(words))
        if length > 1:
            try:
                heads = [text.rpartition(" ") for _, text, _ in entries]
                prefix = np.array([places[head] for head, _, _ in heads], np.int64)
                last = np.array([numbers[word] for _, _, word in heads], np.int64)
            except KeyError as error:
                raise FormatError(
                    f"a {length}-gram contains {error}, which the shorter n-grams do not", path=path
                ) from error
            keys = _join(prefix, last)
            ranks = np.argsort(keys, kind="stable")
            keys = keys[ranks]
            places = {entries[old][1]: new for new, old in enumerate(ranks.tolist())}
        probability = np.array([p for p, _, _ in entries], np.float32)[ranks]
        backoff = np.array([b for _, _, b in entries], np.float32)[ranks]
        orders.append(NgramOrder(keys, probability, backoff))
    return NgramModel(tuple(words), tuple(orders), {"order": len(orders), "read": "ARPA"})


def _read_sections(path: str | Path) -> list[list[tuple[float, str, float]]]:
    sections: list[list[tuple[float, str, float]]] = []
    promised: list[int] = []
    for number, line in read_lines(path):
        text = line.strip()
        if text == "\\end\\":
            if [len(section) for section in sections] != promised:
                raise FormatError(
                    "number of n-grams differs from the header", path=path, line=number
                )
            return sections
        if counted := _COUNT.fullmatch(text):
            promised.append(int(counted[2]))
        elif _SECTION.fullmatch(text):
            sections.append([])
        elif sections and text and text != "\\data\\":
            length, cells = len(sections), text.split()
            numbers: list[float] = []
            with suppress(ValueError):
                numbers = [float(cell) for cell in (cells[0], *cells[length + 1 :])]
            if (
                len(cells) <= length
                or len(numbers) not in {1, 2}
                or not all(abs(value) < _LARGEST for value in numbers)
            ):
                problem = f"expected a logarithm, {length} words and optionally a back-off"
                raise FormatError(problem, path=path, line=number)
            ngram = " ".join(cells[1 : length + 1])
            sections[-1].append((numbers[0], ngram, numbers[-1] if len(numbers) > 1 else 0.0))
    raise FormatError("has no \\end\\; expected an ARPA language model", path=path)
