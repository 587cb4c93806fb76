"""CLEME and CLEME 2.0 against the original program, and edge cases made by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.corpora import corpus_of, hypotheses_of_edits
from tests.scoring.metric_oracles import conll14, load, random_cases

from redink.errors import OptionError
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, References, Row, Sentence
from redink.scoring.chunks import partition
from redink.scoring.cleme import ChunkMetric, Cleme, Cleme2, _round_to_four
from redink.scoring.specs import parse_metric

NAMES = {
    "p": "precision",
    "r": "recall",
    "f": "f",
    "acc": "accuracy",
    "com": "score",
    "hit": "hit",
    "err": "wrong",
    "und": "under",
    "ove": "over",
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
    "tn": "tn",
    "fp_ne": "fp_necessary",
    "fp_un": "fp_unnecessary",
}
CORPUS, SENTENCE = (0.45, 0.35, 0.15, 0.05), (0.35, 0.25, 0.20, 0.20)
BLOCKS: dict[str, tuple[type[ChunkMetric], str, dict[str, Any]]] = {
    "prf": (Cleme, "length", {}),
    "prf_sentence_parameters_applied": (Cleme, "length-sentence", {}),
    "prf_detection": (Cleme, "length", {"detection": True}),
    "heuo_length_corpus": (Cleme2, "length", {"factors": CORPUS}),
    "heuo_length_sentence": (Cleme2, "length", {"factors": SENTENCE}),
    "heuo_fakesim_corpus": (Cleme2, "dice", {"factors": CORPUS}),
    "heuo_fakesim_sentence": (Cleme2, "dice", {"factors": SENTENCE}),
}
EVERY = [
    (block, assumption, average, weighted)
    for block in BLOCKS
    for assumption in ("dependent", "independent")
    for average in ("corpus", "sentence")
    for weighted in (True, False)
]


def make(block: str, assumption: str, average: str, *, weighted: bool) -> ChunkMetric:
    kind, weights, options = BLOCKS[block]
    weights = weights if weighted else "none"
    return kind(assumption=assumption, weights=weights, average=average, **options)  # type: ignore[arg-type]


def check(row: Row, expected: dict[str, Any], average: str) -> None:
    for name, value in expected.items():
        if name not in NAMES:
            continue
        ours = row[NAMES[name]]
        if value == "nan":
            assert ours is None, name
            continue
        if average == "corpus" and name in {"p", "r", "f", "acc"}:
            ours = round(ours, 4)  # as the program rounds it
        assert ours == pytest.approx(value, abs=1e-9), name


@pytest.mark.parametrize("system", ["AMU", pytest.param("UFC", marks=pytest.mark.slow)])
@pytest.mark.parametrize("assumption", ["dependent", "independent"])
def test_the_original_programs_figures(system: str, assumption: str, shared: Path) -> None:
    """Oracle: CLEME on CoNLL-2014, both references, with weights by length."""
    oracle = load(shared / "oracles" / "metrics" / "cleme" / f"{system}.json.gz")[assumption]
    references = References(conll14(shared))
    hypotheses = hypotheses_of_edits(conll14(shared, system))
    for block, average in (
        ("prf", "corpus"),
        ("prf_sentence_parameters_applied", "sentence"),
        ("heuo_length_corpus", "corpus"),
        ("heuo_fakesim_sentence", "sentence"),
    ):
        metric = make(block, assumption, average, weighted=True)
        row = metric.rows(metric.collect(references, hypotheses))[0]
        check(row, oracle[block][f"{average}_weighted"], average)


def test_the_published_figures_of_the_readme(shared: Path) -> None:
    """AMU: .2514 weighted and .2932 unweighted; under the independent assumption .2661, .3127."""
    references = References(conll14(shared))
    hypotheses = hypotheses_of_edits(conll14(shared, "AMU"))
    expected = {
        "cleme": 0.2514,
        "cleme(weights=none)": 0.2932,
        "cleme(assumption=independent)": 0.2661,
        "cleme(assumption=independent,weights=none)": 0.3127,
    }
    for spec, value in expected.items():
        metric = parse_metric(spec)
        assert round(metric.rows(metric.collect(references, hypotheses))[0]["f"], 4) == value


@pytest.mark.parametrize("average", ["corpus", "sentence"])
def test_a_text_without_chunks_has_no_accuracy(average: str) -> None:
    """As the program has it: nothing is right, 0, while precision and recall of nothing are 1."""
    empty = Corpus((AnnotatedSentence(Sentence(()), (Annotation("0"),)),))
    metric = Cleme(weights="none", average=average)  # type: ignore[arg-type]
    statistics = metric.collect(References(empty), hypotheses_of_edits(empty))
    row = metric.rows(statistics)[0]
    assert [row[name] for name in ("tp", "fp", "fn", "tn")] == [0, 0, 0, 0]
    assert [row[name] for name in ("precision", "recall", "f", "accuracy")] == [1, 1, 1, 0]


def test_counts_of_every_sentence_against_every_reference(shared: Path) -> None:
    """Oracle: the counts of the original before a reference is chosen."""
    oracle = load(shared / "oracles" / "metrics" / "cleme" / "NTHU.json.gz")
    references = References(conll14(shared))
    hypotheses = hypotheses_of_edits(conll14(shared, "NTHU"))
    for assumption in ("dependent", "independent"):
        metric = Cleme(assumption=assumption, weights="none")  # type: ignore[arg-type]
        statistics = metric.collect(references, hypotheses)
        found = [
            [counts for counts, is_there in zip(of_sentence, there, strict=True) if is_there]
            for of_sentence, there in zip(
                statistics["counts"].tolist(), statistics["present"].tolist(), strict=True
            )
        ]
        assert found == oracle[assumption]["per_sentence"]


def test_random_corpora(shared: Path, tmp_path: Path) -> None:
    """Oracle: repeated words, everything deleted, insertions at both ends, one word alone.

    Every corpus is scored under two of the ways to score, in turn, and under all where no reference
    changes anything, so that the program's weights are not numbers.
    """
    for number, one in enumerate(random_cases(shared)):
        case, oracle = one["case"], one["programs"]["cleme"]
        references = References(corpus_of(case["references_m2"], tmp_path))
        hypotheses = hypotheses_of_edits(corpus_of(case["hypotheses_m2"][0], tmp_path))
        undefined = oracle["dependent"]["prf"]["average_length"] == "nan"
        some = (number % len(EVERY), (number + len(EVERY) // 2 + 1) % len(EVERY))
        for way in range(len(EVERY)) if undefined else some:
            block, assumption, average, weighted = EVERY[way]
            expected = oracle[assumption].get(block)
            if expected is None:
                continue
            metric = make(block, assumption, average, weighted=weighted)
            row = metric.rows(metric.collect(references, hypotheses))[0]
            key = f"{average}_{'weighted' if weighted else 'unweighted'}"
            check(row, expected[key], average)


def test_chunks_are_those_of_the_original(shared: Path, tmp_path: Path) -> None:
    """Oracle: the spans of the random corpora, and what every version has where it changes them."""
    for one in random_cases(shared):
        case = one["case"]
        references = corpus_of(case["references_m2"], tmp_path)
        hypotheses = corpus_of(case["hypotheses_m2"][0], tmp_path)
        for oracle in one["programs"]["chunks"]:
            sentence = references.sentences[oracle["sentence"]]
            ours = hypotheses.sentences[oracle["sentence"]].annotations[0]
            versions = [ours.edits, *(a.edits for a in sentence.annotations)]
            chunks = partition(sentence.source, versions)
            if len(chunks) != len(oracle["targets"]):
                continue  # a reference without a word is left out there
            assert [[c.start, c.end] for c in chunks[0]] == oracle["spans"]
            found = [
                [[" ".join(c.tokens), [e.type for e in c.edits]] if c.edits else None for c in v]
                for v in chunks
            ]
            assert found == oracle["targets"]


def score(spec: str, gold: str, ours: str, folder: Path) -> Row:
    metric = parse_metric(spec)
    references = References(corpus_of(gold, folder))
    return metric.rows(metric.collect(references, hypotheses_of_edits(corpus_of(ours, folder))))[0]


def edit(start: int, end: int, correction: str, annotator: int = 0) -> str:
    return f"A {start} {end}|||R:X|||{correction}|||REQUIRED|||-NONE-|||{annotator}\n"


def test_edits_that_touch_become_one_chunk() -> None:
    source = Sentence.from_line("a b c d")
    split, whole = [Edit(1, 2, "B"), Edit(2, 3, "C")], [Edit(1, 3, "B C")]
    first, second = partition(source, [split, whole])
    assert [(c.start, c.end, c.tokens) for c in first] == [
        (0, 1, ("a",)),
        (1, 3, ("B", "C")),
        (3, 4, ("d",)),
    ]
    assert [c.tokens for c in second] == [c.tokens for c in first]


def test_independent_takes_each_chunk_from_any_reference(tmp_path: Path) -> None:
    """Two corrections, each from another of three annotators; the third one changes nothing."""
    gold = "S a b c d e\n" + edit(0, 1, "A") + edit(4, 5, "E", 1)
    gold += "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||2\n\n"
    ours = "S a b c d e\n" + edit(0, 1, "A") + edit(4, 5, "E") + "\n"
    dependent = score("cleme(weights=none)", gold, ours, tmp_path)
    independent = score("cleme(weights=none,assumption=independent)", gold, ours, tmp_path)
    assert (dependent["tp"], dependent["fp"]) == (1, 1)
    assert (independent["tp"], independent["fp"], independent["fn"]) == (2, 0, 0)


def test_nothing_changed_on_one_side(tmp_path: Path) -> None:
    changed, same = "S a\n" + edit(0, 1, "b") + "\n", "S a\n\n"
    assert score("cleme2", changed, same, tmp_path)["under"] == 1
    over = score("cleme2(weights=none)", same, changed, tmp_path)
    assert (over["over"], over["hit"]) == (1, 0)
    assert score("cleme", same, same, tmp_path)["f"] == 1
    assert score("cleme", changed, changed, tmp_path)["f"] == 1


def test_without_a_change_in_any_reference_there_are_no_weights(tmp_path: Path) -> None:
    """There is no mean length to weigh by; as in the original, which the note says."""
    references = References(corpus_of("S a b\n\n", tmp_path))
    ours = hypotheses_of_edits(corpus_of("S a b\n" + edit(0, 1, "c") + "\n", tmp_path))
    statistics = Cleme().collect(references, ours)
    (row,) = Cleme().rows(statistics)
    assert (row["fp"], row["f"]) == (0, 1)
    assert Cleme(average="sentence").rows(statistics)[0]["f"] is None
    assert Cleme(average="sentence").sentence_rows(statistics)[0]["fp"] is None
    assert "do not count in sums" in statistics.notes[0]
    whole = Cleme(weights="none")
    assert whole.rows(whole.collect(references, ours))[0]["fp"] == 1


def test_without_weights_a_sentence_alone_takes_a_reference_that_it_has(tmp_path: Path) -> None:
    gold = "S a\n\nS b\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"
    gold += "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\n"
    references = References(corpus_of(gold, tmp_path))
    system = hypotheses_of_edits(corpus_of("S a\n" + edit(0, 1, "c") + "\nS b\n\n", tmp_path))
    metric = Cleme(average="sentence")
    statistics = metric.collect(references, system)
    assert metric.choices(statistics).tolist() == [0, 0]
    assert [len(rows) for rows in metric.verdicts(references, system, statistics)] == [1, 0]


def test_verdicts_are_about_chunks(tmp_path: Path) -> None:
    gold = "S a b c d e f g\n" + edit(0, 1, "A") + edit(5, 6, "F") + "\n"
    ours = "S a b c d e f g\n" + edit(0, 1, "A") + edit(3, 3, "x") + "\n"
    references = References(corpus_of(gold, tmp_path))
    hypotheses = hypotheses_of_edits(corpus_of(ours, tmp_path))
    metric = Cleme()
    found = metric.verdicts(references, hypotheses, metric.collect(references, hypotheses))
    assert [(row["verdict"], row["start"], row["correction"]) for row in found[0]] == [
        ("TP", 0, "A"),
        ("FP", 3, "x"),
        ("FN", 5, "F"),
    ]


@pytest.mark.parametrize("factors", [(1.0,), (0.5, 0.5, 0.5, 0.5)])
def test_factors_add_up_to_one(factors: tuple[float, ...]) -> None:
    with pytest.raises(OptionError, match=r"add up to 1"):
        Cleme2(factors=factors)
    assert parse_metric("cleme2(factors=0.25+0.25+0.25+0.25)") == Cleme2(factors=(0.25,) * 4)


def test_long_chunks_weigh_more_where_right_or_missed_and_less_where_wrong(tmp_path: Path) -> None:
    """2 / (1 + e^-x), x words above the mean for a hit or a miss, below it for a false change."""
    gold = "S a b c d e f g h\n" + edit(0, 1, "A") + edit(4, 6, "E F") + "\n"
    ours = "S a b c d e f g h\n" + edit(0, 1, "A") + edit(2, 3, "C") + "\n"
    row = score("cleme", gold, ours, tmp_path)
    light, heavy = 2 / (1 + math.exp(0.5)), 2 / (1 + math.exp(-0.5))  # half a word from the mean
    assert (row["tp"], row["fp"], row["fn"]) == pytest.approx((light, heavy, heavy))
    far = "S a b c d e f g h\n" + edit(0, 1, "A") + edit(4, 8, "E F G H") + "\n"
    row = score("cleme", far, ours, tmp_path)
    assert (row["tp"], row["fp"], row["fn"]) == pytest.approx((0.75, 1.25, 1.25))  # the limits


def test_the_score_of_cleme2_is_hits_less_faults(tmp_path: Path) -> None:
    gold = "S a b c d e f g h\n" + edit(0, 1, "A") + edit(2, 3, "C") + edit(4, 5, "E") + "\n"
    ours = "S a b c d e f g h\n" + edit(0, 1, "A") + edit(2, 3, "x") + edit(6, 7, "G") + "\n"
    row = score("cleme2(weights=none,factors=0.4+0.3+0.2+0.1)", gold, ours, tmp_path)
    assert [row[name] for name in ("hit", "wrong", "under", "over")] == pytest.approx([1 / 3] * 4)
    assert row["score"] == pytest.approx(0.4 / 3 + 0.6 * 2 / 3)


@given(st.lists(st.one_of(st.floats(0, 1), st.integers(0, 20_000).map(lambda n: n / 20_000))))
def test_figures_are_rounded_as_python_rounds(values: list[float]) -> None:
    assert _round_to_four(np.array(values)).tolist() == [round(value, 4) for value in values]


def test_weights_that_the_authors_give_for_sentences(tmp_path: Path) -> None:
    """A right change of the mean length weighs 1, or 2.5; a longer one more, up to ten.

    Changes of one, two and three words, so that the mean is two: 10 / (1 + 9 exp(2 - length)).
    """
    line = "A 0 {0}|||R:X|||{1}|||REQUIRED|||-NONE-|||0"
    text = "\n".join(f"S a b c d\n{line.format(n, ' '.join('xyz'[:n]))}\n" for n in (1, 2, 3))
    references = References(corpus_of(text, tmp_path))
    ours = hypotheses_of_edits(corpus_of(text, tmp_path))
    longest = 10 / (1 + 9 * math.exp(-1))
    for assumption, least in (("dependent", 1), ("independent", 2.5)):
        metric = Cleme(assumption=assumption, weights="length-sentence")  # type: ignore[arg-type]
        [row] = metric.rows(metric.collect(references, ours))
        assert row["tp"] == pytest.approx(2 * least + max(least, longest))
    wrong = hypotheses_of_edits(corpus_of(text.replace("x", "w"), tmp_path))
    shortest, shorter = 10 / (1 + 9 * math.exp(-1)), 10 / (1 + 9 * math.exp(1))
    metric = Cleme(weights="length-sentence")
    [row] = metric.rows(metric.collect(references, wrong))
    assert row["fp"] == pytest.approx(min(1, shortest) + 1 + max(0.25, min(1, shorter)))
    nothing = hypotheses_of_edits(corpus_of("S a b c d\n\n" * 3, tmp_path))
    [row] = metric.rows(metric.collect(references, nothing))
    assert row["fn"] == 3
