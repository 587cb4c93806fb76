"""METEOR 1.5 (Denkowski and Lavie 2014) for English: aligned words and their fragmentation.

Hypothesis and reference are aligned word by word: equal words, words with the same stem and, if
WordNet is installed, synonyms. Precision and recall weight a match by its module and by whether
the word is a content word or a function word. The more chunks the aligned words form, the lower the
score. With several references, METEOR uses the highest-scoring one for each sentence. The corpus
score is computed from sums over all sentences.

The parameters are those of the original's default, the ranking task. Paraphrases, its fourth
module, need a table of 60 MB and are not supported. The text is compared tokenized and cased.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from redink.errors import OptionError
from redink.files import read_text
from redink.model import Hypotheses, References, Sentence
from redink.scoring.meteor_alignment import Words, align, count_chunks
from redink.scoring.metric import About, FloatArray, Statistics, SummedMetric
from redink.scoring.wordnet import WordNet, find_wordnet, read_wordnet

Module = Literal["exact", "stem", "synonym"]
MODULES: tuple[Module, ...] = get_args(Module)
WEIGHTS: dict[Module, float] = {"exact": 1.0, "stem": 0.6, "synonym": 0.8}
ALPHA = 0.85
"""Weight of recall against precision."""
BETA = 0.20
"""Exponent of the fragmentation penalty: higher values penalize few chunks less."""
GAMMA = 0.60
"""Maximum fragmentation penalty."""
DELTA = 0.75
"""Weight of a content word; a function word weighs 1 minus this."""

# The words with a relative frequency above 1/1000, as in the original, but from MASC (0.48 million
# words of written American English; Ide et al. 2010), in lower case: words with a letter, and
# punctuation. A test computes the list again.
_FREQUENT = """
, the . to of and a in " i : that is for you it on with ) was as ( - 's this from be are ? at he by
not we have will / ! an but my or your his \u2019 one they \u201d do all \u201c me [ ] if n't what
can ; were had her up more about out their she so would there has which when s our who said no new
... ' like time just other been its into than how some t him only now people them these could us
back
"""
FUNCTION_WORDS = frozenset(_FREQUENT.split())

# Indices of the counts of one sentence: lengths and function words of both sides and the number
# of chunks; then, for every module, the four kinds of matches.
_LENGTH, _FUNCTION, _CHUNKS, _MATCHES = slice(0, 2), slice(2, 4), 4, 5


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    stemmed: str = _stemmer().stemWord(word)
    return stemmed


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    # By class name: the package's factory uses another stemmer if that is installed.
    from snowballstemmer.english_stemmer import EnglishStemmer

    return EnglishStemmer()


@dataclass(frozen=True, kw_only=True)
class Meteor(SummedMetric):
    """METEOR with the parameters of the English ranking task.

    Attributes:
        modules: ways in which words may match: ``exact``, ``stem``, ``synonym``. By default all,
            but without synonyms if WordNet is not installed.
        wordnet: folder of WordNet's database files, if not in a usual location.
        function_words: words that weigh less, in lower case, or ``@FILE`` for the words in a file.
            By default the most frequent words of English.
    """

    modules: tuple[Module, ...] | None = None
    wordnet: Path | None = None
    function_words: tuple[str, ...] = ()

    name: ClassVar[str] = "meteor"
    about: ClassVar[About | None] = About(
        rewards="words, stems and synonyms of a reference",
        fails="rewards an unchanged source: made for translation",
        cite="Denkowski and Lavie 2014",
        people=(0.65, -0.75, 0.54),
        languages="en",
    )
    is_heavy: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.modules is None:
            return
        if self.modules != tuple(name for name in MODULES if name in self.modules):
            raise OptionError(f"modules of METEOR must be in this order: {', '.join(MODULES)}")
        if "exact" not in self.modules:
            raise OptionError("METEOR requires the module exact")
        if "synonym" in self.modules and self._database is None:
            raise OptionError("the module synonym of METEOR needs WordNet, which is not installed")

    @cached_property
    def _database(self) -> Path | zipfile.Path | None:
        return find_wordnet() if self.wordnet is None else self.wordnet

    @cached_property
    def _function_words(self) -> frozenset[str]:
        words = []
        for given in self.function_words:
            words += read_text(given[1:]).split() if given.startswith("@") else [given]
        return frozenset(words) or FUNCTION_WORDS

    @cached_property
    def _modules(self) -> tuple[Module, ...]:
        if self.modules is not None:
            return self.modules
        return MODULES if self._database is not None else ("exact", "stem")

    @cached_property
    def _synonyms(self) -> WordNet | None:
        if "synonym" not in self._modules or self._database is None:
            return None
        return read_wordnet(self._database)

    def collect(self, references: References, hypotheses: Hypotheses) -> Statistics:
        texts = references.remember(
            ("meteor references", self),
            lambda: [
                # a duplicate reference can never be better than its first occurrence
                [self._words(text) for text in dict.fromkeys(versions)]
                for versions in zip(*references.filled_texts, strict=True)
            ],
        )

        def compare(pairs: list[tuple[int, Sentence]]) -> FloatArray:
            compared = []
            for number, text in pairs:
                words = self._words(text)
                compared.append([self._count(words, reference) for reference in texts[number]])
            return self._best(compared)

        found = references.remember_each(
            ("meteor sentences", self), enumerate(hypotheses.texts), compare
        )
        width = _MATCHES + 4 * len(self._modules)
        counts = np.array(found).reshape(-1, width)
        notes: tuple[str, ...] = ()
        if self.modules is None and self._synonyms is None:
            notes = ("meteor: computed without synonyms, because WordNet is not installed",)
        return Statistics({"counts": counts}, notes=notes)

    def _words(self, text: Sentence) -> Words:
        return Words(
            text.tokens,
            tuple(map(_stem, text.tokens)) if "stem" in self._modules else None,
            tuple(map(self._synonyms.senses, text.tokens)) if self._synonyms else None,
            tuple([word.lower() in self._function_words for word in text.tokens]),
        )

    def _count(self, hypothesis: Words, reference: Words) -> list[int]:
        aligned = align(hypothesis, reference)
        ours, theirs = hypothesis.function, reference.function
        # A completely matched sentence is not fragmented: its only chunk does not count, not even
        # in sums.
        chunks = count_chunks(aligned)
        whole = chunks == 1 and None not in aligned and len(ours) == len(theirs)
        counts = [len(ours), len(theirs), sum(ours), sum(theirs), 0 if whole else chunks]
        counts += [0] * (4 * len(self._modules))
        for match, is_function in zip(aligned, theirs, strict=True):
            if match is not None:
                start = _MATCHES + 4 * match.module
                counts[start + ours[match.hypothesis]] += 1
                counts[start + 2 + is_function] += 1
        return counts

    def _best(self, compared: Sequence[Sequence[Sequence[int]]]) -> FloatArray:
        there = np.fromiter(map(len, compared), dtype=np.int64, count=len(compared))
        present = np.arange(there.max(initial=1)) < there[:, None]
        counts = np.zeros((*present.shape, _MATCHES + 4 * len(self._modules)))
        flat = np.array(list(chain.from_iterable(compared)), dtype=float)
        counts[present] = flat.reshape(-1, counts.shape[2])
        scores = np.where(present, self.score(counts)["score"], -np.inf)
        best: FloatArray = counts[np.arange(len(counts)), scores.argmax(axis=1)]
        return best

    def score(self, sums: FloatArray) -> dict[str, FloatArray]:
        matches = sums[..., _MATCHES:].reshape(*sums.shape[:-1], len(self._modules), 2, 2)
        weights = np.array([WEIGHTS[name] for name in self._modules])
        total = matches.sum(axis=(-3, -1))
        # content words, then function words
        weighted = (matches * weights[:, None, None] * [DELTA, 1 - DELTA]).sum(axis=(-3, -1))
        lengths, function = sums[..., _LENGTH], sums[..., _FUNCTION]
        chunks = sums[..., _CHUNKS]
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = weighted / (DELTA * (lengths - function) + (1 - DELTA) * function)
            precision, recall = rates[..., 0], rates[..., 1]
            mean = 1 / ((1 - ALPHA) / precision + ALPHA / recall)
            penalty = GAMMA * (chunks / (total.sum(axis=-1) / 2)) ** BETA
            # Without a match the measures are undefined; the original returns 0.
            score = np.where(total.sum(axis=-1) > 0, mean * (1 - penalty), 0)
        measures = {"precision": precision, "recall": recall, "penalty": penalty, "score": score}
        return measures | {"chunks": chunks.astype(int)}

    def signature(self) -> dict[str, Any]:
        values: dict[str, Any] = {
            "version": "1.5",
            "modules": "+".join(self._modules),
            "parameters": f"{ALPHA} {BETA} {GAMMA} {DELTA}",
            "function_words": "masc",
            "case": "mixed",
        }
        if self._function_words != FUNCTION_WORDS:
            joined = "\n".join(sorted(self._function_words))
            values["function_words"] = hashlib.sha256(joined.encode()).hexdigest()[:12]
        if "stem" in self._modules:
            values["snowballstemmer"] = version("snowballstemmer")
        if self._synonyms is not None:
            values["wordnet"] = self._synonyms.version
        return values
