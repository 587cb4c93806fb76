"""Random changes to sentences."""

from __future__ import annotations

import random
from collections.abc import Sequence


def corrupt(tokens: Sequence[str], words: Sequence[str], rng: random.Random) -> list[str]:  # noqa: C901 (one branch a kind of change)
    """A sentence with one to six random changes, of the kinds that rules look for."""
    changed = list(tokens)
    for _ in range(rng.randint(1, 6)):
        place = rng.randrange(len(changed) + 1)
        at = min(place, len(changed) - 1)
        kind = rng.randrange(10) if changed else 0
        if kind in {0, 1}:
            changed.insert(place, rng.choice(words))
        elif kind == 2:
            changed.pop(at)
        elif kind == 3:
            changed[at] = rng.choice(words)
        elif kind == 4:
            changed[at] = rng.choice([str.capitalize, str.lower, str.swapcase])(changed[at])
        elif kind == 5:
            end = at + rng.randint(2, 5)
            some = changed[at:end]
            rng.shuffle(some)
            changed[at:end] = some
        elif kind == 6:
            letters = list(changed[at])
            letters.insert(rng.randrange(len(letters) + 1), rng.choice("aeistn'-"))
            if rng.random() < 0.5:
                letters.pop(rng.randrange(len(letters)))
            changed[at] = "".join(letters) or "a"
        elif kind == 7:
            changed[at : at + 2] = ["".join(changed[at : at + 2])]
        elif kind == 8:
            changed.insert(place, rng.choice(_FUNCTION_WORDS))
        else:
            changed[at] = rng.choice(_FUNCTION_WORDS)
    return changed


_FUNCTION_WORDS = (
    *("'s", "to", "not", "n't", "has", "been", ",", ".", "()", "more", "most", "was", "were"),
    *("wo", "ca", "can", "the", "that", "what", "an", "one", "other", "another", "'", "-"),
    *("in", "up"),
)
