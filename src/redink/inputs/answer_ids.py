"""Which sentences an answer is about: by the ids of documents or sentences, by numbers, in order.

The batch interfaces of language models return answers in any order. The id that the user gave to
each request (``custom_id``) then tells which sentence an answer belongs to.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection, Sequence

from redink.errors import DataError, RedinkWarning
from redink.formats.essays import Essay
from redink.model import Sentence, document_of
from redink.raw_text.unanswered_replies import find_remarks

Matched = list[tuple[range, list[Essay]]]
"""Answers and the range of sentences that each group of them is aligned with."""

_NUMBERED = re.compile(r"(.*?)(\d{1,9})", re.DOTALL)
_WORD = re.compile(r"\w+")
_ENOUGH = 0.35
"""How much answers must resemble the sentences that their ids number."""
_UNIQUE = 0.8
"""Ids that are mostly unique number requests; others may number documents."""
_COMPARED = 200
"""About how many answers are compared with sentences."""


def match_answers(name: str, essays: Sequence[Essay], sources: Sequence[Sentence]) -> Matched:
    """Find the sentences that each answer is about."""
    for groups in (_documents(sources), _sentences(sources)):
        known = {one for one, _ in groups}
        if known & {essay.id for essay in essays}:
            by_id = _by_id(name, essays)
            refuse_unknown(name, by_id.keys() - known)
            return [(numbers, [by_id.get(one, Essay(one, ""))]) for one, numbers in groups]
    ordered = _by_number(name, essays, sources)
    if len(ordered) == len(sources) > 1:
        return [(range(at, at + 1), [essay]) for at, essay in enumerate(ordered)]
    return [(range(len(sources)), ordered)]


def refuse_unknown(name: str, unknown: Collection[str]) -> None:
    """Stop at ids that the source does not have."""
    if unknown:
        raise DataError(
            f"system {name!r} has a document {min(unknown)!r} that the source does not have"
        )


def _by_id(name: str, essays: Sequence[Essay]) -> dict[str, Essay]:
    found: dict[str, Essay] = {}
    for essay in essays:
        if essay.id in found:
            raise DataError(f"system {name!r} has two answers with the id {essay.id!r}")
        found[essay.id] = essay
    return found


def _documents(sources: Sequence[Sentence]) -> list[tuple[str, range]]:
    """The documents that the ids of sentences name, with their sentences; none if some do not."""
    found: list[tuple[str, range]] = []
    for number, sentence in enumerate(sources):
        known = document_of(sentence.id)
        if known is None:
            return []
        if found and found[-1][0] == known:
            found[-1] = (known, range(found[-1][1].start, number + 1))
        else:
            found.append((known, range(number, number + 1)))
    return found if len({known for known, _ in found}) == len(found) else []


def _sentences(sources: Sequence[Sentence]) -> list[tuple[str, range]]:
    """The ids of sentences; none if some have no id, or if two have the same."""
    ids = [sentence.id for sentence in sources]
    if len(set(ids)) < len(ids):
        return []
    return [(one, range(at, at + 1)) for at, one in enumerate(ids) if one is not None]


def _numbers(essays: Sequence[Essay]) -> list[int] | None:
    """The numbers in which all ids end, if that is all in which they differ."""
    found = [_NUMBERED.fullmatch(essay.id) for essay in essays]
    if len({one and one.group(1) for one in found}) != 1 or None in found:
        return None
    return [int(one.group(2)) for one in found if one is not None]


def _by_number(name: str, essays: Sequence[Essay], sources: Sequence[Sentence]) -> list[Essay]:
    """Order answers by the numbers in their ids, if these are numbers of the sentences.

    Numbering from 0 and from 1 are told apart by the numbers that occur; where both are possible,
    by the words of the answers. A number that does not occur is an answer that is missing.
    """
    numbers, size = _numbers(essays), len(sources)
    if numbers is None or min(len(essays), size) < 2:
        return list(essays)
    by_number = dict(zip(numbers, essays, strict=True))
    if len(by_number) < len(essays):
        if len(by_number) >= _UNIQUE * len(essays) and max(numbers) <= size:
            _by_id(name, essays)
        return list(essays)
    first, last = min(numbers), max(numbers)
    has_all = last - first == len(numbers) - 1
    in_order = [by_number[number] for number in sorted(numbers)] if has_all else list(essays)
    if len(essays) == size and (has_all or numbers == sorted(numbers)):
        if _resembling(essays, sources) <= _resembling(in_order, sources):
            return in_order
        warnings.warn(
            f"{name}: the ids of the answers ({essays[0].id!r}, {essays[1].id!r}, ...) do not "
            "number the source's sentences; the answers are used in the order of the file",
            RedinkWarning,
            stacklevel=2,
        )
        return list(essays)
    fitting = [base for base in (1, 0) if base <= first and last < size + base]
    choices = [
        [by_number.get(base + at, Essay("", "")) for at in range(size)]
        for base in fitting or (1, 0)
    ]
    best = max(choices, key=lambda one: _resembling(one, sources))
    if _resembling(best, sources) < _ENOUGH:
        return in_order
    used = {id(essay) for essay in best}
    for essay in essays:
        if id(essay) not in used:
            raise DataError(
                f"system {name!r} has an answer with the id {essay.id!r}, but the source has only "
                f"{size} sentences"
            )
    return best


def _resembling(answers: Sequence[Essay], sources: Sequence[Sentence]) -> float:
    """How much of answers and their sentences is the same words, on average, from 0 to 1."""
    shares = []
    step = max(1, len(answers) // _COMPARED)
    for essay, sentence in list(zip(answers, sources, strict=False))[::step]:
        source = str(sentence)
        ours = Counter(_WORD.findall(source.casefold()))
        if ours and find_remarks(essay.text, [source])[0].strip():
            theirs = Counter(_WORD.findall(essay.text.casefold()))
            shares.append(2 * (ours & theirs).total() / (ours.total() + theirs.total()))
    return sum(shares) / len(shares) if shares else 1.0
