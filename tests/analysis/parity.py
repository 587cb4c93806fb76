"""Our edits and types against the errant package's, given the same analyses and word list.

Run as a script for the whole comparison (some minutes); the tests take a part of it:

    python -m tests.analysis.parity ../shared/data [--every N]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import errant
from errant.en import classifier
from spacy.tokens import Doc
from tests.analysis.corruption import corrupt
from training.pipeline.spacy_pipeline import load_embedded

from redink.analysis.edit_extraction import STRATEGIES
from redink.analysis.edit_finder import EditFinder
from redink.analysis.english import ENGLISH
from redink.analysis.english.pipeline import default_analyzer
from redink.analysis.spacy_analyzer import read_document

Pair = tuple[tuple[str, ...], tuple[str, ...]]


def conll_pairs(data: Path) -> Iterator[Pair]:
    """Every system and both references of CoNLL-2014."""
    folder = data / "conll14"
    for file in (*sorted(folder.glob("systems/*.txt")), *sorted(folder.glob("references/*.txt"))):
        yield from _zip_files(folder / "source.txt", file)


def jfleg_pairs(data: Path) -> Iterator[Pair]:
    """The four rewrites of JFLEG."""
    for part in ("dev", "test"):
        for number in range(4):
            yield from _zip_files(
                data / "jfleg" / f"{part}.src", data / "jfleg" / f"{part}.ref{number}"
            )


def random_pairs(sentences: Sequence[tuple[str, ...]], count: int, seed: int) -> Iterator[Pair]:
    """Sentences and what random changes made of them, in either direction."""
    rng = random.Random(seed)
    words = sorted({word for sentence in sentences for word in sentence})
    for _ in range(count):
        sentence = rng.choice(sentences)
        changed = tuple(corrupt(sentence, words, rng))
        yield (sentence, changed) if rng.random() < 0.5 else (changed, sentence)


def _zip_files(first: Path, second: Path) -> Iterator[Pair]:
    with first.open(encoding="utf-8") as ours, second.open(encoding="utf-8") as theirs:
        for one, other in zip(ours, theirs, strict=True):
            yield tuple(one.split()), tuple(other.split())


class Comparison:
    """Counts pairs, edits, rules and differences."""

    def __init__(self) -> None:
        self._pipeline = load_embedded()
        self._original = errant.load("en", self._pipeline)
        self.pairs = self.edits = 0
        self.rules = Counter[str]()
        self.differences: list[tuple[Any, ...]] = []

    def compare(self, pairs: Iterator[Pair], *, noise: random.Random | None = None) -> None:
        """Compare on pairs that differ; with ``noise``, analyses are scrambled first."""
        chunk: list[Pair] = []
        for pair in pairs:
            if pair[0] != pair[1] and pair[0]:
                chunk.append(pair)
            if len(chunk) == 500:
                self._compare_chunk(chunk, noise)
                chunk = []
        self._compare_chunk(chunk, noise)

    def _compare_chunk(self, chunk: list[Pair], noise: random.Random | None) -> None:
        texts = list(dict.fromkeys(text for pair in chunk for text in pair))
        documents: Any = [Doc(self._pipeline.vocab, words=list(text)) for text in texts]
        for _, component in self._pipeline.pipeline:
            documents = component.pipe(documents, batch_size=256)
        analyzed = dict(zip(texts, documents, strict=True))
        if noise is not None:
            analyzed = {text: _scramble(doc, noise) for text, doc in analyzed.items()}
        for number, (source, corrected) in enumerate(chunk):
            self.compare_pair(analyzed[source], analyzed[corrected], strategy="rules")
            if number % 10 == 0:
                for strategy in STRATEGIES[1:]:
                    self.compare_pair(analyzed[source], analyzed[corrected], strategy=strategy)
                self.compare_pair(analyzed[source], analyzed[corrected], levenshtein=True)

    def compare_pair(
        self, source: Doc, corrected: Doc, *, strategy: Any = "rules", levenshtein: bool = False
    ) -> None:
        expected = [
            (e.o_start, e.o_end, e.c_start, e.c_end, e.type)
            for e in self._original.annotate(source, corrected, levenshtein, strategy)
        ]
        ours, theirs = read_document(source), read_document(corrected)
        finder = EditFinder(
            ENGLISH, default_analyzer(), classifier.spell, merge=strategy, levenshtein=levenshtein
        )
        found = []
        for span in finder.find_spans(ours, theirs):
            typed = finder.type_edit(ours, theirs, span)
            found.append((*span, typed.type))
            self.rules[typed.rule.rpartition("/")[2]] += 1
        self.pairs += 1
        self.edits += len(expected)
        if found != expected:
            self.differences.append((source.text, corrected.text, strategy, expected, found))


_ROLES = (
    *("aux", "auxpass", "prep", "prt", "det", "amod", "acomp", "nsubj", "nsubjpass", "dobj"),
    *("pobj", "poss", "punct", "advmod", "ROOT"),
)


def _scramble(document: Doc, rng: random.Random) -> Doc:
    """The same words with a third of the analysis taken from elsewhere, so that all rules meet."""
    if not len(document):
        return document

    def some(values: list[str], others: Sequence[str]) -> list[str]:
        return [rng.choice(others) if rng.random() < 0.3 else value for value in values]

    tags = [t.tag_ for t in document]
    return Doc(
        document.vocab,
        words=[t.text for t in document],
        tags=some(tags, [*tags, "POS", "VBZ", "VBG", "VBD", "NNS", "JJ", "RP", "TO", "IN", "CD"]),
        pos=some([t.pos_ for t in document], ["NOUN", "VERB", "AUX", "PART", "DET", "PUNCT"]),
        lemmas=some([t.lemma_ for t in document], ["be", "have", "cat"]),
        deps=some([t.dep_ for t in document], _ROLES),
        heads=[0, *(rng.randrange(max(0, i - 4), i) for i in range(1, len(document)))],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take every Nth pair only")
    arguments = parser.parse_args()
    step = arguments.every
    total = 0
    sources = [s for s, _ in jfleg_pairs(arguments.data) if s]
    for name, pairs, noise in (
        ("CoNLL-2014, systems and references", conll_pairs(arguments.data), None),
        ("JFLEG, four rewrites", jfleg_pairs(arguments.data), None),
        ("20,000 corrupted pairs", random_pairs(sources, 20_000, 1), None),
        ("10,000 more, analyses scrambled", random_pairs(sources, 10_000, 2), random.Random(3)),
    ):
        comparison = Comparison()
        comparison.compare((p for n, p in enumerate(pairs) if n % step == 0), noise=noise)
        total += len(comparison.differences)
        sys.stdout.write(
            f"{name}: {comparison.pairs} comparisons, {comparison.edits} edits, "
            f"{len(comparison.rules)} rules, {len(comparison.differences)} differences\n"
        )
        sys.stdout.flush()
        for difference in comparison.differences[:3]:
            sys.stdout.write("\n  ".join(map(str, difference)) + "\n")
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
