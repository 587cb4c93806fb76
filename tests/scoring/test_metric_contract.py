"""What every metric promises, whatever it measures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.scoring.corpora import corpus_of

import redink
from redink.errors import DataError, OptionError
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Sentence
from redink.scoring.cleme import ChunkMetric, Cleme
from redink.scoring.engine import group_letters
from redink.scoring.metric import Hypotheses, Metric, References, Row, Statistics, interleave
from redink.scoring.specs import free_metrics, make_metrics, parse_metric

GOLD = """S This are a wrong sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||the|||REQUIRED|||-NONE-|||1

S He go to home yesterday .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 1 3|||R:OTHER|||came|||REQUIRED|||-NONE-|||1

S Nothing is wrong here .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S I like dog very much .
A 2 3|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0

"""
TEXTS = {
    "good": [
        "This is a wrong sentence .",
        "He went home yesterday .",
        "Nothing is wrong here .",
        "I like dogs very much .",
    ],
    "bad": [
        "This are a wrong sentence .",
        "He going to home yesterday .",
        "Nothing wrong here .",
        "I like a dog very much .",
    ],
}
EDITS = {
    "good": [
        "A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0",
        """A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0""",
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0",
        "A 2 3|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0",
    ],
    "bad": [
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0",
        "A 1 2|||R:VERB:FORM|||going|||REQUIRED|||-NONE-|||0",
        "A 1 2|||U:VERB||||||REQUIRED|||-NONE-|||0",
        "A 2 2|||M:DET|||a|||REQUIRED|||-NONE-|||0",
    ],
}


def letters_of(source: str, edit: Edit, reference: str) -> float:
    return 0.5 + len(edit.correction) / 10


WEIGHTS = """{"sentence": 1, "start": 1, "end": 2, "correction": "is", "weight": 0.7}
{"sentence": 2, "start": 1, "end": 2, "correction": "went", "weight": 2}
"""


def shared_words(source: str, hypothesis: str, references: list[str]) -> float:
    words = set(hypothesis.split())
    return max(len(words & set(one.split())) / len(words) for one in references)


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in free_metrics()),
    *((name, {"selection": s}) for name in ("errant", "m2") for s in ("sentence", "optimal")),
    *((name, {"by": "full"}) for name in ("errant", "m2")),
    *((name, {"by": "type", "selection": "optimal"}) for name in ("errant", "m2")),
    ("imeasure", {"mix": True}),
    *((name, {"average": "sentence"}) for name in ("errant", "m2", "green", "cleme", "cleme2")),
    *((name, {"average": "sentence"}) for name in ("gleu", "gleu-koyama", "gleu-gec-metrics")),
    *((name, {"assumption": "independent"}) for name in ("cleme", "cleme2")),
    ("cleme2", {"weights": "dice"}),
    *((name, {"weights": "dice"}) for name in ("errant", "m2")),
    *((name, {"weights": "dice", "average": "sentence"}) for name in ("errant", "m2")),
    ("errant", {"weights": "dice", "selection": "optimal", "by": "type"}),
    *((name, {"weights": letters_of}) for name in ("errant", "m2")),
    *((name, {"weights": "edits.jsonl;otherwise=0.5"}) for name in ("errant", "m2")),
    ("gleu", {"average": "sentence"}),
    ("gleu-koyama", {"references": "best"}),
    ("gotoscorer", {"average": "sentence"}),
    ("gotoscorer", {"program": "gec-metrics"}),
    ("sari", {"program": "xu"}),
    ("shared_words", {}),
]


def make(name: str, options: dict[str, Any]) -> Metric:
    if name == "shared_words":
        return make_metrics(shared_words)[0]
    return parse_metric(name, otherwise=options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("contract")
    (place / "edits.jsonl").write_text(WEIGHTS, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def references(folder: Path) -> References:
    return References(corpus_of(GOLD, folder))


@pytest.fixture(scope="module")
def systems(references: References, folder: Path) -> dict[str, Hypotheses]:
    result = {}
    for name, lines in TEXTS.items():
        blocks = zip(references.sources, EDITS[name], strict=True)
        corpus = corpus_of("".join(f"S {source}\n{edits}\n\n" for source, edits in blocks), folder)
        texts = tuple(map(Sentence.from_line, lines))
        result[name] = Hypotheses(name, texts, tuple(s.annotations for s in corpus.sentences))
    return result


@pytest.fixture(autouse=True)
def _in_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def ids(value: Any) -> str | None:
    if isinstance(value, dict):
        return "-".join(getattr(v, "__name__", str(v)) for v in value.values()) or "default"
    return None


def headlines(metric: Metric, statistics: Statistics) -> list[float]:
    """Return the headline of every row; NaN if undefined or if an error type has no edits."""

    def headline(row: Row) -> float:
        empty = row.get("type") is not None and not any(row.get(n) for n in ("tp", "fp", "fn"))
        value = row[metric.headline]
        return math.nan if value is None or empty else float(value)

    return [headline(row) for row in metric.rows(statistics)]


@dataclass(frozen=True)
class Subject:
    """A metric, with an option or two, and the systems it is tried on.

    Attributes:
        metric: with all its options.
        plain: the same without rows for error types, which differ from system to system.
        references: what systems are compared with.
        systems: the one that it is about, and the other one.
    """

    metric: Metric
    plain: Metric
    references: References
    systems: tuple[Hypotheses, Hypotheses]

    @property
    def statistics(self) -> Statistics:
        return self.metric.collect(self.references, self.systems[0])


@pytest.fixture
def subject(
    name: str,
    options: dict[str, Any],
    which: str,
    references: References,
    systems: dict[str, Hypotheses],
) -> Subject:
    metric = make(name, options)
    plain = make(name, {k: v for k, v in options.items() if k != "by"})
    other = "bad" if which == "good" else "good"
    return Subject(metric, plain, references, (systems[which], systems[other]))


@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=ids)
@pytest.mark.parametrize("which", ["good", "bad"])
class TestEveryMetric:
    """Run for every metric in the registry, with its options, on a good and a bad system."""

    def test_weights_of_one_repeat_the_rows(self, subject: Subject) -> None:
        metric, statistics = subject.metric, subject.statistics
        ones = np.ones((2, len(statistics)))
        expected = headlines(metric, statistics)
        for values in metric.resample(statistics, ones):
            np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-15)

    def test_a_weight_is_a_number_of_copies(self, subject: Subject) -> None:
        metric, statistics = subject.metric, subject.statistics
        weights = np.array([[2.0, 1.0, 0.0, 1.0]])
        longer = statistics.take(np.array([0, 0, 1, 3]))
        np.testing.assert_allclose(
            metric.resample(statistics, weights)[0], headlines(metric, longer), rtol=1e-12
        )

    def test_swapping_all_sentences_swaps_the_systems(self, subject: Subject) -> None:
        metric = subject.plain
        first, second = (metric.collect(subject.references, each) for each in subject.systems)
        both = interleave(first, second)
        pick = np.tile([[1.0, 0.0], [0.0, 1.0]], (1, len(first)))
        values = metric.resample(both, pick)
        np.testing.assert_allclose(values[0], headlines(metric, first), rtol=1e-12)
        np.testing.assert_allclose(values[1], headlines(metric, second), rtol=1e-12)

    def test_rows_have_the_columns_announced(self, subject: Subject) -> None:
        metric, statistics = subject.metric, subject.statistics
        names = {column.name for column in metric.columns}
        assert metric.headline in names
        for row in metric.rows(statistics):
            assert set(row) == names
        assert len(metric.sentence_rows(statistics)) == len(statistics)

    def test_sentences_add_up(self, subject: Subject) -> None:
        """The counts of all sentences make those of the corpus; a mean is that of their scores."""
        metric, statistics = subject.metric, subject.statistics
        rows, whole = metric.sentence_rows(statistics), metric.rows(statistics)[0]
        for count in {c.name for c in metric.columns if c.kind == "count"} & set(rows[0]):
            total = sum(row[count] for row in rows)
            assert total == pytest.approx(whole[count], abs=1e-12), count
        if getattr(metric, "average", "corpus") == "sentence":
            mean = np.mean([_as_averaged(metric, row[metric.headline]) for row in rows])
            assert mean == pytest.approx(whole[metric.headline], abs=1e-12)

    def test_a_corpus_twice_and_in_another_order(self, subject: Subject) -> None:
        """Scores are the same, but for sums, and but for choices made in the order of the file."""
        metric, statistics = subject.metric, subject.statistics
        if _depends_on_order(metric):
            return
        twice = headlines(metric, statistics.take(np.array([3, 1, 0, 2, 2, 0, 3, 1])))
        times = 2 if getattr(metric, "is_sum", False) else 1
        expected = np.array(headlines(metric, statistics)) * times
        np.testing.assert_allclose(twice, expected, rtol=1e-12)

    def test_a_system_against_itself(self, subject: Subject) -> None:
        metric = subject.plain
        statistics = metric.collect(subject.references, subject.systems[0])
        swaps = np.random.default_rng(1).random((20, len(statistics))) < 0.5
        ((place, differences),) = metric.shuffle([statistics, statistics], [(0, 1)], swaps)
        assert (place, len(differences)) == (0, 20)
        np.testing.assert_allclose(differences, 0, atol=1e-12)


def _as_averaged(metric: Metric, score: float) -> float:
    return round(score, 4) if metric.name == "cleme" else score


def _depends_on_order(metric: Metric) -> bool:
    """Whether a reference is chosen for a sentence by the sentences before it."""
    if getattr(metric, "average", "corpus") == "sentence":
        return False
    running = getattr(metric, "selection", "sentence") == "running"
    return running or isinstance(metric, ChunkMetric)


@pytest.mark.parametrize("name", free_metrics())
def test_a_better_system_scores_higher(
    name: str, references: References, systems: dict[str, Hypotheses]
) -> None:
    metric = parse_metric(name)
    good, bad = (
        headlines(metric, metric.collect(references, systems[each]))[-1] for each in ("good", "bad")
    )
    assert metric.orient(good) > metric.orient(bad)


def test_unknown_metric_is_refused() -> None:
    with pytest.raises(OptionError, match="errant, m2, gleu"):
        parse_metric("rouge")


def test_option_without_a_metric_is_refused() -> None:
    with pytest.raises(OptionError, match="max-unchanged-words does not apply to errant"):
        make_metrics(["errant"], max_unchanged_words=1)
    m2, errant = make_metrics(["m2", "errant"], max_unchanged_words=1)
    assert str(m2) == "m2(max_unchanged_words=1)"
    assert str(errant) == "errant"


def test_no_metric_is_refused() -> None:
    with pytest.raises(OptionError, match="no metric"):
        make_metrics([])
    with pytest.raises(OptionError, match=r"pass an instance: Cleme\(\)"):
        make_metrics([Cleme])  # type: ignore[list-item]


def test_a_function_is_a_metric(folder: Path) -> None:
    """It is called by its name, averaged over sentences, with intervals and paired tests."""
    (folder / "gold.m2").write_text(GOLD, encoding="utf-8")
    table = redink.score("gold.m2", TEXTS, metrics=[shared_words], bootstrap=20, seed=1)
    best = table.rows[0]
    assert (best["system"], best["metric"]) == ("good", "shared_words")
    assert best["low"] <= best["score"] <= best["high"]
    assert table.signature["shared_words"] == {"function": f"{__name__}:shared_words"}
    (row,) = redink.compare("gold.m2", TEXTS, metrics=[shared_words], seed=1).rows
    good, bad = (
        np.mean([shared_words("", ours, list(right)) for ours, right in pairs])
        for pairs in (zip(TEXTS[name], RIGHT, strict=True) for name in ("good", "bad"))
    )
    assert row["difference"] == pytest.approx(good - bad)


RIGHT = [
    ("This is a wrong sentence .", "This are the wrong sentence ."),
    ("He went home yesterday .", "He came home yesterday ."),
    ("Nothing is wrong here .",),
    ("I like dogs very much .",),
]


@pytest.mark.parametrize(("value", "why"), [(math.nan, "returned nan"), ("x", "ValueError")])
def test_a_function_that_fails_names_the_sentence(
    value: Any, why: str, references: References, systems: dict[str, Hypotheses]
) -> None:
    def broken(source: str, hypothesis: str, references: list[str]) -> Any:
        return value

    with pytest.raises(DataError, match=f"broken .*{why}"):
        make_metrics(broken)[0].collect(references, systems["good"])


def test_missing_references_are_filled_and_counted(references: References) -> None:
    assert "annotator 1 has no line in 1 sentence" in (references.about_gaps or "")
    assert references.texts[1][3] is None
    assert references.filled_texts[1][3] == references.texts[0][3]
    assert str(references.filled_texts[0][0]) == "This is a wrong sentence ."


def test_nobody_annotated() -> None:
    corpus = Corpus((AnnotatedSentence(Sentence.from_line("a b")),))
    assert [str(text) for (text,) in References(corpus).filled_texts] == ["a b"]


def test_systems_with_different_numbers_of_versions_interleave(
    references: References, systems: dict[str, Hypotheses]
) -> None:
    metric = parse_metric("errant")
    one = systems["good"]
    assert one.annotations is not None
    two = Hypotheses("two", one.texts, tuple((*v, Annotation("9")) for v in one.annotations))
    first, second = (metric.collect(references, each) for each in (one, two))
    both = interleave(first, second)
    pick = np.tile([0.0, 1.0], (1, len(references)))
    np.testing.assert_allclose(metric.resample(both, pick)[0], headlines(metric, second))


def test_statistics_need_a_row_for_every_sentence() -> None:
    with pytest.raises(DataError, match="one row per sentence"):
        Statistics({"a": np.zeros(2), "b": np.zeros(3)})
    with pytest.raises(DataError, match="different corpora"):
        interleave(Statistics({"a": np.zeros(2)}), Statistics({"a": np.zeros(3)}))


def test_systems_that_differ_have_letters_of_their_own() -> None:
    """Also one that scores 0; one that has no score has no letter."""
    rng = np.random.default_rng(1)
    samples = [value + 0.01 * rng.standard_normal(100) for value in (1, 0.99, 0, 0)]
    assert group_letters([1.0, 0.99, 0.0, None], samples) == ["a", "a", "b", None]
