"""Find input that is probably wrong, before any number is printed.

Every command that reads sources, references, system outputs or judgments uses these checks, and
``redink doctor`` prints their findings as a table. Each cause is reported once, with the number of
sentences, the first line and advice.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from redink.errors import RedinkWarning
from redink.inputs.alignment import find_shapes
from redink.inputs.causes import INVISIBLE
from redink.inputs.observed import Finding, Observed, count_sentences
from redink.model import (
    AnnotatedSentence,
    Hypotheses,
    Judgment,
    Ranking,
    References,
    Sentence,
    apply_edits,
    parse_name,
)
from redink.raw_text.tokenization import MarkCount

_FEW = 10
"""With fewer sentences, two texts may be identical by chance."""
_BLOCK = 8
"""A block of this many consecutive sentences that occurs again is a copy."""
_SOURCE = "the source"
_BASELINES = re.compile(
    r"source|src|input|orig|baseline|identity|unchanged|no.?op|copy|nothing|uncorrected",
    re.IGNORECASE,
)


def warn(findings: Iterable[Finding], *, stacklevel: int = 3) -> tuple[str, ...]:
    """Warn of every finding; return the same sentences as notes for the result."""
    told = tuple(dict.fromkeys(map(str, findings)))
    for message in told:
        warnings.warn(message, RedinkWarning, stacklevel=stacklevel)
    return told


def warn_about_input(references: References, systems: Sequence[Hypotheses]) -> tuple[str, ...]:
    """Warn of everything suspicious; return the same sentences as notes for the result."""
    return warn(check_input(references, systems), stacklevel=4)


# ---- sources, references and systems


def check_input(references: References, systems: Sequence[Hypotheses]) -> list[Finding]:
    """Return everything suspicious in references and in the systems that are scored with them."""
    texts = {f"system {system.name!r}": system.texts for system in systems}
    return [
        *check_references(references),
        *check_texts(references.sources, texts, shapes=find_shapes(references)),
        *_find_identical(references, systems),
    ]


def check_sources(sources: Sequence[Sentence], name: str = _SOURCE) -> Iterator[Finding]:
    """Find everything suspicious in a text alone: the source, or any other."""
    marks = MarkCount()
    invisible = []
    for number, sentence in enumerate(sources, start=1):
        marks.add(number, sentence.tokens)
        if INVISIBLE.search(str(sentence)):
            invisible.append(number)
    if marks.is_untokenized:
        yield Finding(
            name,
            f"seems untokenized: marks are attached to words in {count_sentences(marks.lines)}",
            "redink reads tokens separated by spaces, so tokenize the text (--tokenise)",
            marks.first,
            severe=True,
        )
    if invisible:
        yield Finding(
            name,
            f"has invisible characters in {count_sentences(len(invisible))}",
            "remove them from all files, because a system that removes them makes edits",
            invisible[0],
        )
    yield from _find_copies(sources, name)


def _find_copies(sources: Sequence[Sentence], name: str) -> Iterator[Finding]:
    """Find ids that occur again, and blocks of sentences that occur again."""
    ids = Counter(source.id for source in sources if source.id is not None)
    repeated = {one for one, count in ids.items() if count > 1}
    # an id without a position may name a document, which has many sentences
    repeated = {one for one in repeated if parse_name(one) or 2 * len(repeated) <= len(ids)}
    if repeated:
        yield Finding(
            name,
            f"has {len(repeated)} sentence ids that occur more than once",
            "remove the copies, or give every sentence its own id",
            next(n for n, source in enumerate(sources, 1) if source.id in repeated),
        )
    blocks: dict[Hashable, int] = {}
    copied: set[int] = set()
    for at in range(len(sources) - _BLOCK + 1):
        block = tuple(source.tokens for source in sources[at : at + _BLOCK])
        # "Yes ." five times is no copy
        if at - blocks.setdefault(block, at) >= _BLOCK and len(set(block)) == _BLOCK:
            copied.update(range(at, at + _BLOCK))
    if copied:
        yield Finding(
            name,
            f"has {count_sentences(len(copied))} in blocks that occur a second time",
            "remove the copies, because each sentence counts twice",
            min(copied) + 1,
        )


def check_references(references: References) -> Iterator[Finding]:
    """Find everything suspicious in the source and in the references."""
    sources, sentences = references.sources, references.corpus.sentences
    yield from check_sources(sources)
    if references.given_texts is not None:
        yield from _check_reference_texts(references, references.given_texts)
        return
    is_silent = not any(s.everyone for s in sentences)  # as an M2 file without an A line
    has_edits = any(a.edits for s in sentences for a in s.annotations)
    if is_silent or (len(sentences) >= _FEW and not has_edits):
        yield Finding(
            "the reference",
            f"has no edit in {count_sentences(len(sentences))}",
            "give the annotated file, because every change of a system counts as an error",
            severe=True,
        )
    if references.about_gaps is not None:
        yield Finding("", references.about_gaps, "")
    if count := sum(bool(s.unannotatable) and not s.annotations for s in sentences):
        yield Finding(
            "",
            f"{count_sentences(count)} could not be annotated by anybody: cherrant leaves them "
            "out, other metrics take them to be right as they are",
            "",
        )


def _check_reference_texts(
    references: References, given: Sequence[Sequence[Sentence]]
) -> Iterator[Finding]:
    sources = references.sources
    texts = dict(zip(_labels(references), given, strict=True))
    yield from check_texts(sources, texts, are_references=True)
    for name, text in texts.items():
        if len(sources) >= _FEW and _are_same(sources, text):
            advice = "give the corrected text, because every change of a system counts as an error"
            yield Finding(name, "is identical to the source", advice, severe=True)
    absent = Counter(at for _, at in references.absent)
    bare = [at for at, count in sorted(absent.items()) if count == len(texts)]
    if bare:
        yield Finding(
            "the references",
            f"have no text for {count_sentences(len(bare))}",
            "these sentences are taken to be right as they are",
            bare[0] + 1,
        )


def _labels(references: References) -> list[str]:
    count = len(references.given_texts or ())
    names = references.names if len(set(references.names)) == count else ()
    return [f"reference {name!r}" for name in names or map(str, range(1, count + 1))]


def check_texts(
    sources: Sequence[Sentence],
    texts: Mapping[str, Sequence[Sentence]],
    *,
    are_references: bool = False,
    shapes: Collection[str] = (),
) -> Iterator[Finding]:
    """Find everything suspicious in texts that correct the sources, line by line."""
    for name, text in texts.items():
        observed = Observed()
        observed.add(sources, text)
        yield from observed.findings(name, are_references=are_references, shapes=shapes)


def check_outputs(
    sources: Sequence[Sentence], systems: Mapping[str, Sequence[Sentence]]
) -> list[Finding]:
    """Return everything suspicious in systems that are shown to people, without references."""
    references = References.of_sources(sources)
    outputs = [Hypotheses(name, tuple(text)) for name, text in systems.items()]
    texts = {f"system {name!r}": text for name, text in systems.items()}
    return [
        *check_sources(sources),
        *check_texts(sources, texts),
        *_find_identical(references, outputs),
    ]


def _find_identical(references: References, systems: Sequence[Hypotheses]) -> Iterator[Finding]:
    if len(references) < _FEW:
        return
    others = []
    for system in systems:
        name = f"system {system.name!r}"
        if _are_same(references.sources, system.texts):
            if not _BASELINES.search(system.name):
                advice = "give the corrected text; for a baseline, name the system 'source'"
                yield Finding(name, "is identical to the source", advice)
            continue
        others.append(system)
        for label, text in _reference_texts(references):
            if _are_same(text, system.texts):
                yield Finding(name, f"is identical to {label}", "give the output of the system")
                break
    for first, second in combinations(others, 2):
        if first.texts == second.texts:
            yield Finding(
                f"system {second.name!r}",
                f"is identical to system {first.name!r}",
                "check that both files are the right ones",
            )


def _reference_texts(references: References) -> Iterator[tuple[str, Iterable[Sentence]]]:
    if references.given_texts is not None:
        yield from zip(_labels(references), references.given_texts, strict=True)
        return
    for annotator in references.corpus.annotators:
        sentences = references.corpus.sentences
        yield f"the text of annotator {annotator}", (_corrected(s, annotator) for s in sentences)


def _corrected(sentence: AnnotatedSentence, annotator: str) -> Sentence:
    one = sentence.by(annotator)
    tokens = sentence.source.tokens
    return Sentence(tokens if one is None else apply_edits(tokens, one.edits))


def _are_same(first: Iterable[Sentence], second: Iterable[Sentence]) -> bool:
    return all(a.tokens == b.tokens for a, b in zip(first, second, strict=True))


# ---- judgments


def check_judgments(
    judgments: Sequence[Judgment], *, repeated: bool = False, name: str = ""
) -> Iterator[Finding]:
    """Find judgments of one judge about one item that occur again."""
    questions = [dict(j.extra).get("question") for j in judgments]
    keys = [(j.judge, j.item, asked) for j, asked in zip(judgments, questions, strict=True)]
    copies, conflicts = _find_repeated(keys, judgments, [j.label for j in judgments])
    # with its time, a copy differs from a judgment that was made again
    if copies and (not conflicts or judgments[copies[0] - 1].time is not None):
        yield _copied(copies, "judgment", name)
    elif conflicts and not repeated:
        yield Finding(
            name,
            f"{len(conflicts)} judgments give another label to an item that the same judge has "
            f"judged before; the first of them is judgment {conflicts[0]}",
            "only the first label of a judge counts",
        )


def check_rankings(rankings: Sequence[Ranking], name: str = "") -> Iterator[Finding]:
    """Find rankings of one judge about one sentence that occur again."""
    keys = [
        (one.judge, one.sentence, frozenset(o.systems for o in one.outputs)) for one in rankings
    ]
    copies, conflicts = _find_repeated(keys, rankings, [frozenset(r.outputs) for r in rankings])
    if copies and (not conflicts or rankings[copies[0] - 1].id is not None):
        yield _copied(copies, "ranking", name)


def _find_repeated(
    keys: Sequence[Hashable], values: Sequence[Hashable], answers: Sequence[Hashable]
) -> tuple[list[int], list[int]]:
    """Return the numbers of exact copies, and of those with another answer to the same key."""
    seen: set[Hashable] = set()
    first: dict[Hashable, Hashable] = {}
    copies, conflicts = [], []
    for number, (key, value, answer) in enumerate(zip(keys, values, answers, strict=True), 1):
        if value in seen:
            copies.append(number)
        elif first.setdefault(key, answer) != answer:
            conflicts.append(number)
        seen.add(value)
    return copies, conflicts


def _copied(copies: Sequence[int], what: str, name: str) -> Finding:
    return Finding(
        name,
        f"{len(copies)} {what}s are copies of earlier ones by the same judge; the first copy is "
        f"{what} {copies[0]}",
        "remove the copies unless the judge was asked twice",
    )
