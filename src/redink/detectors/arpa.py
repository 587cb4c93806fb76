"""Language models in the ARPA format, which every toolkit reads and writes."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import numpy as np

from redink.detectors.kneser_ney import BEGIN, END, UNKNOWN, Order, join
from redink.detectors.language_model import LanguageModel
from redink.errors import FormatError
from redink.files import read_lines, write_atomically

_LOW = np.uint64((1 << 32) - 1)
_LARGEST = 1e30  # of a logarithm: what single precision holds, and nothing that is not a number
_SECTION = re.compile(r"\\(\d+)-grams:")
_COUNT = re.compile(r"ngram\s+(\d+)\s*=\s*(\d{1,15})")


def write_arpa(model: LanguageModel, path: str | Path) -> None:
    """Write a model as ARPA text (compressed where the name ends in ``.gz``)."""
    with write_atomically(path) as stream:
        stream.write("\\data\\\n")
        for length, order in enumerate(model.orders, start=1):
            stream.write(f"ngram {length}={len(order.keys)}\n")
        texts = list(model.words)
        for length, order in enumerate(model.orders, start=1):
            if length > 1:
                prefix = (order.keys >> np.uint64(32)).tolist()
                last = (order.keys & _LOW).tolist()
                texts = [f"{texts[p]} {model.words[w]}" for p, w in zip(prefix, last, strict=True)]
            stream.write(f"\n\\{length}-grams:\n")
            rows = zip(
                order.log_probability.tolist(), texts, order.log_backoff.tolist(), strict=True
            )
            for probability, text, backoff in rows:
                tail = f"\t{backoff:.7g}" if length < model.order and backoff else ""
                stream.write(f"{probability:.7g}\t{text}{tail}\n")
        stream.write("\n\\end\\\n")


def read_arpa(path: str | Path) -> LanguageModel:
    """Read a model from ARPA text.

    Raises:
        FormatError: the file is not ARPA, or an n-gram's first words are not in the model.
    """
    sections = _read_sections(path)
    if not sections:
        raise FormatError("holds no n-grams; an ARPA language model was expected", path=path)
    words = [text for _, text, _ in sections[0]]
    for special in (UNKNOWN, BEGIN, END):
        if special not in words:
            words.append(special)
            sections[0].append((-99.0, special, 0.0))
    numbers = {word: number for number, word in enumerate(words)}
    places: dict[str, int] = numbers
    orders: list[Order] = []
    for length, entries in enumerate(sections, start=1):
        if length == 1:
            keys = np.arange(len(words), dtype=np.uint64)
            ranks = np.arange(len(words))
        else:
            try:
                heads = [text.rpartition(" ") for _, text, _ in entries]
                prefix = np.array([places[head] for head, _, _ in heads], np.int64)
                last = np.array([numbers[word] for _, _, word in heads], np.int64)
            except KeyError as error:
                raise FormatError(
                    f"a {length}-gram holds {error}, which the shorter n-grams do not", path=path
                ) from error
            unsorted = join(prefix, last)
            ranks = np.argsort(unsorted, kind="stable")
            keys = unsorted[ranks]
            places = {entries[old][1]: new for new, old in enumerate(ranks.tolist())}
        probability = np.array([p for p, _, _ in entries], np.float32)[ranks]
        backoff = np.array([b for _, _, b in entries], np.float32)[ranks]
        orders.append(Order(keys, probability, backoff))
    return LanguageModel(tuple(words), tuple(orders), {"order": len(orders), "read": "ARPA"})


def _read_sections(path: str | Path) -> list[list[tuple[float, str, float]]]:
    sections: list[list[tuple[float, str, float]]] = []
    promised: list[int] = []
    for number, line in read_lines(path):
        text = line.strip()
        if not text or text == "\\data\\":
            continue
        if text == "\\end\\":
            if [len(section) for section in sections] != promised:
                raise FormatError("its n-grams are not as many as it says", path=path, line=number)
            return sections
        if counted := _COUNT.fullmatch(text):
            promised.append(int(counted[2]))
        elif _SECTION.fullmatch(text):
            sections.append([])
        elif sections:
            sections[-1].append(_parse(text, len(sections), path, number))
    raise FormatError("has no \\end\\; an ARPA language model was expected", path=path)


def _parse(text: str, length: int, path: str | Path, line: int) -> tuple[float, str, float]:
    cells = text.split()
    if length + 1 <= len(cells) <= length + 2:
        with suppress(ValueError):
            backoff = float(cells[length + 1]) if len(cells) > length + 1 else 0.0
            probability = float(cells[0])
            if abs(probability) < _LARGEST and abs(backoff) < _LARGEST:
                return probability, " ".join(cells[1 : length + 1]), backoff
    raise FormatError(
        f"expected a logarithm, {length} words and perhaps a back-off", path=path, line=line
    )
