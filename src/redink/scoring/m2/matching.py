"""What hypotheses have in common with annotators: matched once, and kept for the next time.

Systems often make the same of a sentence, and the same systems are scored again and again: counts
are remembered with the references, and in the user's cache where it is in use.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from redink.cache import MATCHES, digest_code, is_cache_used, make_key
from redink.scoring.m2.lattice import Gold

Version = tuple[int, tuple[str, ...]]
"""The number of a sentence, and what a system made of it."""


class Found(NamedTuple):
    """What a hypothesis has in common with every annotator: TP, FP and FN, and which edits."""

    counts: list[list[int]]
    matched: list[tuple[int, ...]]


def match_all(
    known: dict[Version, Found],
    versions: Sequence[Version],
    sources: Sequence[tuple[str, ...]],
    golds: Sequence[Sequence[Sequence[Gold]]],
    match: Callable[[Version], Found],
    setting: str,
) -> None:
    """Find out about these versions what is not known yet.

    Args:
        known: what is known; added to.
        versions: of one system.
        sources: all source sentences.
        golds: for every sentence and annotator, the gold edits.
        match: finds out about one version.
        setting: what decides about the answer besides sentences and gold edits.
    """
    new = [version for version in dict.fromkeys(versions) if version not in known]
    if not is_cache_used():
        known.update((version, match(version)) for version in new)
        return
    changed = [version for version in new if version[1] != sources[version[0]]]
    keys = {
        make_key(
            setting, _code(), " ".join(sources[number]), " ".join(text), _written(golds[number])
        ): (number, text)
        for number, text in changed
    }
    for key, value in MATCHES.look_up(list(keys)).items():
        counts, matched = json.loads(value)
        known[keys[key]] = Found(counts, [tuple(places) for places in matched])
    made = {}
    for key, version in keys.items():
        if version not in known:
            known[version] = match(version)
            made[key] = json.dumps(known[version], separators=(",", ":"))
    if made:
        MATCHES.keep(made)
    known.update((version, match(version)) for version in new if version not in known)


def _written(annotators: Sequence[Sequence[Gold]]) -> str:
    return repr([[(g.start, g.end, sorted(g.corrections)) for g in golds] for golds in annotators])


@cache
def _code() -> str:
    return digest_code(Path(__file__).parent)
