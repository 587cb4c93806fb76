"""METEOR against the original program: recorded figures, the program itself, invariants."""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import shutil
import subprocess
import unicodedata
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.test_wordnet import write_wordnet

from redink.errors import OptionError
from redink.model import AnnotatedSentence, Corpus, Hypotheses, References, Sentence
from redink.scoring.meteor import FUNCTION_WORDS, Meteor, Module
from redink.scoring.meteor_alignment import Words, align, count_chunks
from redink.scoring.metric import Statistics

WORDS = st.lists(st.sampled_from("abcd"), max_size=7).map(tuple)

# Hypothesis, two references, and what METEOR 1.5 (meteor-1.5.jar) printed for it with the options
# -l en -r 2 -m 'exact stem synonym' -s WORDS -d SYNONYMS -ssOut, where WORDS is our list of
# function words and SYNONYMS the database of test_wordnet.py. In this order: words and function
# words of hypothesis and reference; for each module the content words matched in hypothesis and
# reference, then the function words; chunks; and the score.
GOLDEN = [
    (
        "He go to school yesterday .",
        ("He went to school yesterday .", "He goes to schools yesterday ."),
        ((6, 6, 3, 3), (2, 2, 3, 3), (0, 0, 0, 0), (0, 0, 0, 0), 2, 0.37535105666915713),
    ),
    (
        "The cats is sleeping on the mats .",
        ("The cat is sleeping on the mat .", "A cat sleeps on mats ."),
        ((8, 8, 5, 5), (1, 1, 5, 5), (2, 2, 0, 0), (0, 0, 0, 0), 1, 0.8285714285714284),
    ),
    (
        "the the the cat and the dog",
        ("the cat and the the dog", "the dog and the cat"),
        ((7, 6, 5, 4), (2, 2, 4, 4), (0, 0, 0, 0), (0, 0, 0, 0), 3, 0.4706105044554931),
    ),
    (
        "a b a b a b a",
        ("b a b a b", "a a a b b b"),
        ((7, 5, 4, 2), (3, 3, 2, 2), (0, 0, 0, 0), (0, 0, 0, 0), 1, 0.5501286920112574),
    ),
    (
        # the stem of 'adding' is 'ad'
        "I am adding the sugar .",
        ("I add the sugar .", "I add sugar to it ."),
        ((6, 5, 3, 3), (1, 1, 3, 3), (0, 0, 0, 0), (0, 0, 0, 0), 2, 0.30328232509354),
    ),
    (
        "She bought a car .",
        ("She purchased an automobile .", "She has bought two autos ."),
        ((5, 5, 3, 3), (0, 0, 2, 2), (0, 0, 0, 0), (2, 2, 0, 0), 2, 0.3609059668613127),
    ),
    (
        "Everything is fine .",
        ("Everything is fine .", "All is well ."),
        ((4, 4, 2, 2), (2, 2, 2, 2), (0, 0, 0, 0), (0, 0, 0, 0), 1, 1.0),
    ),
    ("x y z", ("p q r", "s"), ((3, 3, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), 0, 0.0)),
    (
        "",
        ("A sentence .", "Another ."),
        ((0, 3, 0, 2), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), 0, 0.0),
    ),
    (
        "home He went .",
        ("He went home .", "Home is where he went ."),
        ((4, 4, 2, 2), (2, 2, 2, 2), (0, 0, 0, 0), (0, 0, 0, 0), 3, 0.43354749322305886),
    ),
    (
        "The dog is big and the dog is old .",
        ("The dogs are big and the dogs are old .", "The old dog is a large dog ."),
        ((10, 10, 6, 6), (2, 2, 4, 4), (2, 2, 0, 0), (0, 0, 0, 0), 3, 0.38297180753165105),
    ),
    (
        # a tie: the distance of a partner counts for the candidates after it
        "run cat run",
        ("run runs cat dog", "z"),
        ((3, 4, 0, 0), (2, 2, 0, 0), (1, 1, 0, 0), (0, 0, 0, 0), 2, 0.301691339763248),
    ),
    (
        # five chunks would do; the beam loses them
        "a a c a c a b a",
        ("b c a a a a a c", "z"),
        ((8, 8, 5, 5), (3, 3, 5, 5), (0, 0, 0, 0), (0, 0, 0, 0), 6, 0.43354749322305886),
    ),
]
# The "Final score" of the same thirteen sentences, by modules.
GOLDEN_FINAL: list[tuple[tuple[Module, ...], float]] = [
    (("exact",), 0.32290349000779484),
    (("exact", "stem"), 0.3629483324498769),
    (("exact", "stem", "synonym"), 0.38047275147810206),
]
# The "Final score" of the CoNLL-2014 systems against both annotators, -m 'exact stem' and our
# function words; the last is the uncorrected text.
CONLL = {
    "AMU": 0.5796429672060828,
    "CAMB": 0.5629177722452313,
    "CUUI": 0.5749989162925077,
    "IITB": 0.5969249751585726,
    "IPN": 0.5842003896455941,
    "NTHU": 0.5703115879180887,
    "PKU": 0.5864304733806344,
    "POST": 0.5703026350424332,
    "RAC": 0.5769912140481811,
    "SJTU": 0.5906307619311785,
    "UFC": 0.5991855048801076,
    "UMC": 0.5753030872257537,
    "INPUT": 0.5994687129983014,
}


def sentences(lines: list[str]) -> tuple[Sentence, ...]:
    return tuple(Sentence.from_line(line) for line in lines)


def make_references(texts: list[list[str]]) -> References:
    given_texts = tuple(map(sentences, texts))
    return References(Corpus(tuple(map(AnnotatedSentence, given_texts[0]))), given_texts)


def collect(metric: Meteor, ours: list[str], texts: list[list[str]]) -> Statistics:
    return metric.collect(make_references(texts), Hypotheses("s", sentences(ours)))


def collect_golden(metric: Meteor) -> Statistics:
    refs = [list(texts) for texts in zip(*(texts for _, texts, _ in GOLDEN), strict=True)]
    return collect(metric, [ours for ours, _, _ in GOLDEN], refs)


def score(metric: Meteor, ours: list[str], *texts: list[str]) -> float:
    value = metric.rows(collect(metric, ours, list(texts)))[0]["score"]
    assert isinstance(value, float)
    return value


PLAIN = Meteor(modules=("exact", "stem"))


class TestOriginal:
    """The same figures as METEOR 1.5."""

    def test_counts_and_scores_of_sentences(self, tmp_path: Path) -> None:
        metric = Meteor(
            modules=("exact", "stem", "synonym"), wordnet=write_wordnet(tmp_path / "wordnet")
        )
        statistics = collect_golden(metric)
        for (ours, _, expected), counts, row in zip(
            GOLDEN, statistics["counts"], metric.sentence_rows(statistics), strict=True
        ):
            lengths, *modules, chunks, value = expected
            assert tuple(counts[:4]) == lengths, ours
            # the original prints hypothesis and reference side by side
            matched = counts[5:].reshape(3, 2, 2).transpose(0, 2, 1).reshape(3, 4)
            assert matched.tolist() == [list(module) for module in modules], ours
            whole = matched[:, ::2].sum() == lengths[0] and matched[:, 1::2].sum() == lengths[1]
            assert row["chunks"] == (0 if whole and chunks == 1 else chunks), ours
            assert row["score"] == pytest.approx(value, abs=1e-15), ours

    @pytest.mark.parametrize(("modules", "expected"), GOLDEN_FINAL)
    def test_score_of_the_corpus(
        self, modules: tuple[Module, ...], expected: float, tmp_path: Path
    ) -> None:
        metric = Meteor(modules=modules, wordnet=write_wordnet(tmp_path / "wordnet"))
        found = metric.rows(collect_golden(metric))[0]["score"]
        assert found == pytest.approx(expected, abs=1e-15)

    @pytest.mark.slow
    def test_shared_task(self, shared: Path) -> None:
        """The systems of CoNLL-2014."""
        folder = shared / "data" / "conll14"

        def read(path: Path) -> list[str]:
            return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")

        references = make_references([read(folder / f"references/ref{i}.txt") for i in (0, 1)])
        for name, expected in CONLL.items():
            path = folder / ("source.txt" if name == "INPUT" else f"systems/{name}.txt")
            statistics = PLAIN.collect(references, Hypotheses(name, sentences(read(path))))
            assert PLAIN.rows(statistics)[0]["score"] == pytest.approx(expected, abs=1e-14), name

    def test_program_itself(self, tmp_path: Path) -> None:
        """Random sentences with many repetitions, run through the original beside ours."""
        found = importlib.util.find_spec("pycocoevalcap")
        java = shutil.which("java")
        if found is None or found.origin is None or java is None:
            pytest.skip("the original METEOR (pip install --no-deps pycocoevalcap) needs Java")
        jar = Path(found.origin).parent / "meteor" / "meteor-1.5.jar"
        rng = np.random.default_rng(1)
        words = [*"aaabb,.", "the", "dog", "dogs", "run", "runs", "running", "big", "Big"]
        texts = [[_random_line(rng, words) for _ in range(200)] for _ in range(2)]
        ours = [_disturb(rng, line) for line in texts[0]]
        mixed = [line for pair in zip(*texts, strict=True) for line in pair]
        for name, lines in (("h", ours), ("r", mixed), ("words", sorted(FUNCTION_WORDS))):
            (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        options = ["-l", "en", "-r", "2", "-m", "exact stem", "-s", "words"]
        printed = subprocess.run(
            [java, "-jar", str(jar), "h", "r", *options],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        values = [float(line.split()[-1]) for line in printed.splitlines() if "score:" in line]
        statistics = collect(PLAIN, ours, texts)
        rows = [row["score"] for row in PLAIN.sentence_rows(statistics)]
        rows.append(PLAIN.rows(statistics)[0]["score"])
        np.testing.assert_allclose(rows, values, rtol=0, atol=1e-14)


def _random_line(rng: np.random.Generator, words: list[str]) -> str:
    return " ".join(rng.choice(words, size=rng.integers(1, 40)))


def _disturb(rng: np.random.Generator, line: str) -> str:
    tokens = line.split()
    for _ in range(rng.integers(0, 6)):
        one, two = rng.integers(0, len(tokens), size=2)
        tokens[one], tokens[two] = tokens[two], tokens[one]
    return " ".join(token for token in tokens if rng.random() < 0.95)


class TestAlignment:
    """Which words are partners."""

    @given(WORDS, WORDS)
    def test_no_word_has_two_partners(self, ours: tuple[str, ...], theirs: tuple[str, ...]) -> None:
        aligned = align(Words(ours), Words(theirs))
        places = [match.hypothesis for match in aligned if match is not None]
        assert len(places) == len(set(places)) == (Counter(ours) & Counter(theirs)).total()
        for word, match in zip(theirs, aligned, strict=True):
            assert match is None or ours[match.hypothesis] == word

    @given(WORDS, WORDS)
    def test_fewest_chunks(self, ours: tuple[str, ...], theirs: tuple[str, ...]) -> None:
        aligned = align(Words(ours), Words(theirs), beam=10**6)
        assert count_chunks(aligned) == _fewest_chunks(ours, theirs)

    def test_many_repetitions(self) -> None:
        aligned = align(Words(("a",) * 60), Words((*("a",) * 59, "b")))
        assert count_chunks(aligned) == 1
        assert sum(match is not None for match in aligned) == 59


def _fewest_chunks(ours: tuple[str, ...], theirs: tuple[str, ...]) -> int:
    """By trying every way to give the words of each kind their partners."""
    ways = []
    for word in sorted(set(ours) & set(theirs)):
        here = [place for place, each in enumerate(theirs) if each == word]
        there = [place for place, each in enumerate(ours) if each == word]
        size = min(len(here), len(there))
        ways.append(
            [
                tuple(zip(some, order, strict=True))
                for some in itertools.combinations(here, size)
                for order in itertools.permutations(there, size)
            ]
        )
    fewest = len(theirs)
    for way in itertools.product(*ways):
        partner = dict(itertools.chain.from_iterable(way))
        chunks = sum(partner.get(place - 1) != at - 1 for place, at in partner.items())
        fewest = min(fewest, chunks)
    return fewest


class TestScore:
    """What the score says, and what it says where there is nothing to say."""

    @given(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=4, max_size=4))
    def test_between_nothing_and_all(
        self, ours: list[tuple[str, ...]], theirs: list[tuple[str, ...]]
    ) -> None:
        """A proportion, 1 for the reference itself if it has any word."""
        lines = [" ".join(words) for words in ours]
        refs = [" ".join(words) for words in theirs[: len(lines)]]
        assert 0 <= score(PLAIN, lines, refs) <= 1
        assert score(PLAIN, lines, lines) == pytest.approx(1.0 if any(ours) else 0.0)

    def test_nothing_to_compare(self) -> None:
        """Empty sentences score 0, as in the original; other sentences are not disturbed."""
        assert score(PLAIN, [""], [""]) == 0
        assert score(PLAIN, [""], ["a b"]) == score(PLAIN, ["a b"], [""]) == 0
        assert score(PLAIN, ["", "a dog ."], ["", "a dog ."]) == 1

    def test_sentence_rows_without_words(self) -> None:
        """Precision of an empty hypothesis is undefined; its score is 0."""
        (row,) = PLAIN.sentence_rows(collect(PLAIN, [""], [["a b"]]))
        assert row == {"score": 0.0, "precision": None, "recall": 0.0, "penalty": None, "chunks": 0}


class TestOptions:
    """Modules and what they need."""

    def test_synonyms_without_wordnet(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("redink.scoring.meteor.find_wordnet", lambda: None)
        metric = Meteor()
        assert metric.signature()["modules"] == "exact+stem"
        assert metric.signature()["snowballstemmer"] == version("snowballstemmer")
        assert "snowballstemmer" not in Meteor(modules=("exact",)).signature()
        assert collect(metric, ["a"], [["a"]]).notes == (
            "meteor: computed without synonyms, because WordNet is not installed",
        )
        with pytest.raises(OptionError, match="needs WordNet"):
            Meteor(modules=("exact", "synonym"))
        monkeypatch.setattr(
            "redink.scoring.meteor.find_wordnet", lambda: write_wordnet(tmp_path / "wordnet")
        )
        with_synonyms = Meteor()
        assert with_synonyms.signature()["modules"] == "exact+stem+synonym"
        assert with_synonyms.signature()["wordnet"] == "3.0"
        assert collect(with_synonyms, ["a"], [["a"]]).notes == ()

    def test_other_function_words(self) -> None:
        own = Meteor(modules=("exact",), function_words=frozenset({"house"}))
        assert own.signature()["function_words"] != PLAIN.signature()["function_words"] == "masc"
        reference = ["he sold the house"]
        assert score(own, ["he sold the horse"], reference) > score(
            PLAIN, ["he sold the horse"], reference
        )

    def test_unknown_modules(self) -> None:
        """Their order is that of the original, and equal words always match."""
        with pytest.raises(OptionError, match="in this order: exact, stem, synonym"):
            Meteor(modules=("stem", "exact"))
        with pytest.raises(OptionError, match="requires the module exact"):
            Meteor(modules=("stem",))


def test_function_words_are_the_frequent_words_of_masc(shared: Path) -> None:
    with gzip.open(shared / "data" / "text" / "masc.txt.gz", "rt", encoding="utf-8") as lines:
        counts = Counter(word for line in lines for word in line.lower().split())
    total = counts.total()

    def is_word(token: str) -> bool:
        kinds = [unicodedata.category(character)[0] for character in token]
        return "L" in kinds or set(kinds) == {"P"}

    frequent = {word for word, n in counts.items() if n * 1000 > total and is_word(word)}
    assert frequent == FUNCTION_WORDS
