"""Paths or values: every workflow welcomes both, and checks that they fit together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from redink.errors import DataError
from redink.formats import read_corpus, read_judgments, read_rankings, read_system
from redink.model import Corpus, Judgment, Ranking, Sentence, SystemOutput, apply_edits

PathLike = str | Path
RankingsLike = PathLike | Iterable[Ranking]


def load_corpus(corpus: PathLike | Corpus) -> Corpus:
    """A corpus, read from its file if it is not one already."""
    return corpus if isinstance(corpus, Corpus) else read_corpus(corpus, tokenise=_english_tokens)


def _english_tokens(text: str) -> list[tuple[int, int]]:
    """The rules of spaCy, for corpora of raw text; loaded only where there is one."""
    from redink.analysis.tokenise import english_tokens

    return english_tokens(text)


def load_systems(
    systems: Mapping[str, PathLike | SystemOutput] | Iterable[PathLike | SystemOutput],
) -> tuple[SystemOutput, ...]:
    """Systems by name, read where they are paths; names must differ."""
    named = systems.items() if isinstance(systems, Mapping) else ((None, s) for s in systems)
    loaded = tuple(
        value
        if isinstance(value, SystemOutput)
        else read_system(value, name=name, tokenise=_english_tokens)
        for name, value in named
    )
    names = [system.name for system in loaded]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"two systems are called {name!r}; every system needs its own name")
    return loaded


def check_same_length(corpus: Corpus, systems: Iterable[SystemOutput]) -> None:
    """Every system says something about every sentence, and about the same ones."""
    for system in systems:
        if len(system) != len(corpus):
            raise DataError(
                f"system {system.name!r} has {len(system)} sentences, "
                f"the reference has {len(corpus)}; they must match line by line"
            )
        if system.sources is None:
            continue
        for number, (ours, theirs) in enumerate(
            zip(corpus.sentences, system.sources, strict=True), start=1
        ):
            if ours.source.tokens != theirs.tokens:
                raise DataError(
                    f"sentence {number} of system {system.name!r} is not the reference's: "
                    f"{str(theirs)[:60]!r} where {str(ours.source)[:60]!r} was expected"
                )


def load_rankings(rankings: RankingsLike) -> tuple[Ranking, ...]:
    """Rankings, read from their file if they are not values already."""
    if isinstance(rankings, str | Path):
        return read_rankings(rankings)
    return tuple(rankings)


def load_judgments(judgments: PathLike | Iterable[Judgment]) -> tuple[Judgment, ...]:
    """Judgments, read from their file if they are not values already."""
    if isinstance(judgments, str | Path):
        return read_judgments(judgments)
    return tuple(judgments)


def corrected_text(sources: Sequence[Sentence], system: SystemOutput) -> tuple[Sentence, ...]:
    """What a system made of the text, from its text or by applying its edits."""
    if system.hypotheses is not None:
        return system.hypotheses
    if system.annotations is None:
        raise DataError(f"system {system.name!r} flags tokens and corrects nothing")
    return tuple(
        Sentence(apply_edits(source.tokens, annotation.edits))
        for source, annotation in zip(sources, system.annotations, strict=True)
    )


def load_hypotheses(
    source: PathLike, systems: Mapping[str, PathLike]
) -> tuple[tuple[Sentence, ...], dict[str, tuple[Sentence, ...]]]:
    """The source sentences, and the corrected text of every system, line by line."""
    corpus = load_corpus(source)
    loaded = load_systems(systems)
    check_same_length(corpus, loaded)
    sources = tuple(sentence.source for sentence in corpus.sentences)
    return sources, {system.name: corrected_text(sources, system) for system in loaded}
