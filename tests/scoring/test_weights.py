"""Edits that weigh more or less than one another: PT-M2, PT-ERRANT, UOT-ERRANT."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.scoring.corpora import corpus_of, hypotheses_of_edits, hypotheses_of_text
from tests.scoring.metric_oracles import SYSTEMS, conll14, load, random_cases

from redink.errors import DataError, FormatError, OptionError
from redink.model import Edit, Hypotheses, References, apply_edits
from redink.scoring.count_metric import CountedMetric
from redink.scoring.edit_weighting import FromFile, weighting_of
from redink.scoring.errant import Errant
from redink.scoring.m2.max_match import MaxMatch
from redink.scoring.model_weights import Transport, transport
from redink.scoring.specs import parse_metric

GOLD = """S This are a wrong sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 3 4|||R:ADJ|||right|||REQUIRED|||-NONE-|||0

S I like dog .
A 2 3|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||a|||REQUIRED|||-NONE-|||1

"""
OURS = """S This are a wrong sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||the|||REQUIRED|||-NONE-|||0

S I like dog .
A 2 3|||R:NOUN:NUM|||dogs|||REQUIRED|||-NONE-|||0

"""
TEXT = ["This is the wrong sentence .", "I like dogs ."]


PROGRAMS = ("errant_gec_metrics", "pt_errant_dice", "pt_errant_length", "uot_errant")
Case = tuple[References, Hypotheses, dict[str, Any]]


def weigh_letters(source: str, edit: Edit, reference: str) -> float:
    """The weight that the oracle calls ``length``."""
    del source, reference
    return len(edit.correction) / 10 + 0.1


def weigh_nothing(source: str, edit: Edit, reference: str) -> float:
    del source, edit, reference
    return 0.0


def check(metric: CountedMetric, gold: References, system: Hypotheses, expected: Any) -> None:
    statistics = metric.collect(gold, system)
    (row,) = metric.rows(statistics)
    for ours, theirs in (("tp", "tp"), ("fp", "fp"), ("fn", "fn"), ("precision", "p")):
        assert row[ours] == pytest.approx(expected["corpus"][theirs], abs=1e-9)
    assert row["f"] == pytest.approx(expected["corpus"]["f"], abs=1e-9)
    of_sentences = type(metric)(weights=metric.weights, average="sentence")
    (row,) = of_sentences.rows(statistics)
    assert row["f"] == pytest.approx(expected["mean_of_sentence_f"], abs=1e-9)
    rows = of_sentences.sentence_rows(statistics)
    for found, wanted in zip(rows, expected["sentence_tp_fp_fn_f"], strict=True):
        values = [found[name] for name in ("tp", "fp", "fn", "f")]
        assert values == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    "system", [SYSTEMS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in SYSTEMS[1:])]
)
def test_pt_errant_of_conll14(system: str, shared: Path) -> None:
    """Oracle: gec-metrics with its two made-up weights."""
    oracle = load(shared / "oracles" / "metrics" / "weighted" / f"{system}.json.gz")
    gold, ours = References(conll14(shared)), hypotheses_of_edits(conll14(shared, system))
    check(Errant(), gold, ours, oracle["errant"])
    check(Errant(weights="dice"), gold, ours, oracle["pt_errant_dice"])
    check(Errant(weights=weigh_letters), gold, ours, oracle["pt_errant_length"])


@pytest.fixture(scope="module")
def cases(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    """The systems of the random cases, and what each program made of them."""
    folder = tmp_path_factory.mktemp("cases")
    found = []
    for one in random_cases(shared):
        gold = References(corpus_of(one["case"]["references_m2"], folder))
        for number, text in enumerate(one["case"]["hypotheses_m2"]):
            expected = {name: one["programs"][name][number] for name in PROGRAMS}
            found.append((gold, hypotheses_of_edits(corpus_of(text, folder)), expected))
    return found


def test_pt_errant_of_random_cases(cases: list[Case]) -> None:
    for gold, ours, programs in cases:
        check(Errant(), gold, ours, programs["errant_gec_metrics"])
        check(Errant(weights="dice"), gold, ours, programs["pt_errant_dice"])
        check(Errant(weights=weigh_letters), gold, ours, programs["pt_errant_length"])


@dataclass(frozen=True, kw_only=True)
class Words(Transport):
    """Transport with a vector for every word: the mean, later words weighing a little more."""

    words: dict[str, NDArray[Any]] = field(compare=False)

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        size = len(next(iter(self.words.values())))
        return np.stack([_mean(text.split(), self.words, np.zeros(size)) for text in texts])


def _mean(tokens: Sequence[str], words: dict[str, NDArray[Any]], zero: NDArray[Any]) -> Any:
    parts = [words[token] * (1 + place / 100) for place, token in enumerate(tokens)]
    return sum(parts, start=zero) / (len(tokens) or 1)


def test_uot_errant_of_random_cases(cases: list[Case]) -> None:
    """Oracle: UOT-ERRANT. Its vectors are not recorded; those of words follow from its figures.

    Where a system has one edit, its mass is the length of a sum of vectors of words. Squared, that
    is linear in the products of words, so that many such sentences give all products, and these
    give the vectors but for a rotation, which makes no difference.
    """
    seen = [(gold, system, programs["uot_errant"]) for gold, system, programs in cases]
    metric = Errant(weights=Words(words=_learn_words(seen)))
    mean = Errant(weights=metric.weights, average="sentence")
    for gold, system, expected in seen[::10]:
        statistics = metric.collect(gold, system)
        (row,) = metric.rows(statistics)
        for name in ("tp", "fp", "fn", "f"):
            assert row[name] == pytest.approx(expected["corpus"][name], abs=3e-5)
        assert mean.rows(statistics)[0]["f"] == pytest.approx(
            expected["mean_of_sentence_f"], abs=1e-6
        )


def _learn_words(seen: Sequence[tuple[References, Hypotheses, Any]]) -> dict[str, NDArray[Any]]:
    lines = [
        (source.tokens, apply_edits(source.tokens, versions[0].edits), sum(figures[:2]))
        for gold, system, expected in seen
        for source, versions, figures in zip(
            gold.sources, system.annotations or (), expected["sentence_tp_fp_fn_f"], strict=True
        )
        if len(versions[0].edits) == 1
    ]
    names = sorted({token for source, corrected, _ in lines for token in (*source, *corrected)})
    units = dict(zip(names, np.eye(len(names)), strict=True))
    zero = np.zeros(len(names))
    sums = np.stack([_mean(to, units, zero) - _mean(of, units, zero) for of, to, _ in lines])
    above = np.triu_indices(len(names))
    doubled = np.where(above[0] == above[1], 1, 2)
    system = sums[:, above[0]] * sums[:, above[1]] * doubled
    products = np.linalg.lstsq(system, [mass**2 for *_, mass in lines], rcond=1e-12)[0]
    gram = np.zeros((len(names), len(names)))
    gram[above] = gram.T[above] = products
    # some products no sentence tells: of words that have them, the others do
    _, sizes, rows = np.linalg.svd(system)
    free = np.abs(rows[(sizes > 1e-9).sum() :]).max(axis=0) > 1e-6
    partly = {place for side in above for place in side[free].tolist()}
    known = [place for place in range(len(names)) if place not in partly]
    values, vectors = np.linalg.eigh(gram[np.ix_(known, known)])
    basis = vectors[:, values > 1e-3] * np.sqrt(values[values > 1e-3])
    return {
        name: np.linalg.lstsq(basis, gram[known, place], rcond=None)[0]
        for place, name in enumerate(names)
    }


def test_transport_of_two_by_two() -> None:
    """The example in the documentation of the library POT."""
    half = np.array([0.5, 0.5])
    (plan,) = transport([(half, half, np.array([[0.0, 1.0], [1.0, 0.0]]))], reg=1, reg_m=1)
    expected = [[0.3220536, 0.1184769], [0.1184769, 0.3220536]]
    np.testing.assert_allclose(plan, expected, atol=5e-8)


def test_transport_over_large_costs() -> None:
    """Scalings that leave the range of numbers are moved into the kernel; nothing is carried."""
    near, far = np.array([[0.0, 40.0]]), np.array([[60.0, 80.0]])
    masses = np.array([3.0]), np.array([3.0, 2.0])
    first, second = transport([(*masses, near), (*masses, far)], reg=0.1, reg_m=0.1)
    assert first[0] == pytest.approx([3 ** (4 / 3), 0], abs=1e-5)
    assert second.max() < 1e-12
    assert transport([], reg=0.1, reg_m=0.1) == []


def test_uniform_mass_and_other_vectors(tmp_path: Path) -> None:
    """All edits of a sentence weigh 1 together; equal edits are carried where they belong."""
    rng = np.random.default_rng(1)
    words = {
        word: rng.normal(size=8)
        for word in sorted({*" ".join(TEXT).split(), "are", "a", "right", "dog"})
    }
    system, gold = hypotheses_of_edits(corpus_of(OURS, tmp_path)), corpus_of(GOLD, tmp_path)
    for options in ({"mass": "uniform"}, {"vectorize": "src-add"}, {"cost": "cosine"}):
        weights = Words(words=words, **options)  # type: ignore[arg-type]
        (row,) = Errant(weights=weights).rows(
            Errant(weights=weights).collect(References(gold), system)
        )
        assert 0 < row["f"] <= 1
        if "mass" in options:
            assert row["tp"] + row["fp"] == pytest.approx(2)
    with pytest.raises(OptionError, match="reg must be more than 0"):
        Words(words=words, reg=0)


@pytest.fixture
def gold(tmp_path: Path) -> References:
    return References(corpus_of(GOLD, tmp_path))


@pytest.fixture
def ours(tmp_path: Path) -> Hypotheses:
    edits = hypotheses_of_edits(corpus_of(OURS, tmp_path))
    return Hypotheses("ours", hypotheses_of_text(TEXT).texts, edits.annotations)


def write_weights(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


WEIGHTS: list[dict[str, Any]] = [
    {"sentence": 1, "start": 1, "end": 2, "correction": "is", "weight": 0.5},
    {"sentence": 1, "start": 2, "end": 3, "correction": "the", "weight": 0.25},
    {"sentence": 1, "start": 3, "end": 4, "correction": "right", "weight": 2},
    {"sentence": 2, "start": 2, "end": 3, "correction": "dogs", "weight": 1},
    {"sentence": 2, "start": 2, "end": 3, "correction": "dogs", "annotator": "0", "weight": 4},
    {"sentence": 2, "start": 2, "end": 2, "correction": "a", "weight": 1},
]


@pytest.mark.parametrize("name", ["errant", "m2"])
def test_weights_from_a_file(name: str, gold: References, ours: Hypotheses, tmp_path: Path) -> None:
    path = write_weights(tmp_path / "weights.jsonl", *WEIGHTS)
    # m2 cuts the edits of a text as suits the annotator, so that some are in no file
    metric = parse_metric(f"{name}(weights={path};otherwise=0.25)")
    assert metric == parse_metric(str(metric))
    (row,) = metric.rows(metric.collect(gold, ours))
    assert (row["tp"], row["fp"], row["fn"]) == (4.5, 0.25, 2)
    assert metric.signature()["weights"]
    (same,) = parse_metric(f"{name}(weights=file:{path};otherwise=.25)").rows(
        metric.collect(gold, ours)
    )
    assert same == row


def test_an_edit_without_a_weight(gold: References, ours: Hypotheses, tmp_path: Path) -> None:
    path = write_weights(tmp_path / "weights.jsonl", *WEIGHTS[1:])
    metric = parse_metric(f"errant(weights={path})")
    with pytest.raises(DataError, match=re.escape("the edit 1-2 'is' in sentence 1")):
        metric.collect(gold, ours)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": True}, "at least 0"),
        ({"start": "1"}, "for start and end"),
        ({"weight": 3}, "different weight in an earlier line"),
    ],
)
def test_bad_files_of_weights(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = write_weights(tmp_path / "weights.jsonl", WEIGHTS[0], WEIGHTS[0] | change)
    with pytest.raises(FormatError, match=f"weights.jsonl:2: .*{message}"):
        parse_metric(f"errant(weights={path})")
    write_weights(path, {"sentence": 1})
    with pytest.raises(FormatError, match="missing from a weight: start, end, weight"):
        weighting_of(path)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["errant", "m2"])
def test_weights_from_a_function(
    name: str, gold: References, ours: Hypotheses, tmp_path: Path
) -> None:
    by_value = (Errant if name == "errant" else MaxMatch)(weights=weigh_letters)
    path = tmp_path / "mine.py"
    path.write_text(
        "def weigh(source, edit, reference):\n    return len(edit.correction) / 10 + 0.1\n"
    )
    expected = by_value.rows(by_value.collect(gold, ours))
    for place in (f"{path}:weigh", f"python:{path}:weigh", f"{__name__}:weigh_letters"):
        metric = parse_metric(f"{name}(weights={place})")
        assert metric.rows(metric.collect(gold, ours)) == expected
    assert str(by_value) == f"{name}(weights={__name__}:weigh_letters)"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            "nonsense",
            "unknown weighting method 'nonsense'; expected one of: file, python, dice, pt, uot",
        ),
        ("json:no_such_function", "cannot be loaded"),
        ("redink.scoring.edit_weighting:WEIGHTS", "is not callable"),
        ("dice;beta=1", "unknown option 'beta'"),
    ],
)
def test_what_is_no_way_of_weighing(weights: str, message: str) -> None:
    with pytest.raises((OptionError, FormatError), match=re.escape(message)):
        parse_metric(f"errant(weights={weights})")


def test_functions_that_fail(gold: References, ours: Hypotheses) -> None:
    with pytest.raises(DataError, match="failed at the edit 1-2 'is' in sentence 1: ZeroDivision"):
        Errant(weights=lambda *_: 1 / 0).collect(gold, ours)
    for value in (-1, None, float("nan"), float("inf")):
        with pytest.raises(DataError, match="non-negative numbers"):
            Errant(weights=lambda *_, value=value: value).collect(gold, ours)  # type: ignore[misc]


@pytest.mark.parametrize("metric", [Errant, MaxMatch])
def test_weights_of_one_change_nothing(
    metric: type[CountedMetric], gold: References, ours: Hypotheses
) -> None:
    """Edits that all weigh 1 are counted."""
    plain, weighted = metric(), metric(weights=lambda *_: 1.0)
    assert plain.rows(plain.collect(gold, ours)) == weighted.rows(weighted.collect(gold, ours))


def test_edits_that_all_weigh_nothing(gold: References, ours: Hypotheses) -> None:
    """In a mean of sentences PT-M2 gives them equal weights; in a sum they vanish."""
    metric = MaxMatch(weights=weigh_nothing, average="sentence")
    rows = metric.sentence_rows(metric.collect(gold, ours))
    assert rows[0]["tp"] == rows[0]["fp"] == rows[0]["fn"] == pytest.approx(1 / 3)
    assert rows[1]["f"] == 1
    whole = MaxMatch(weights=weigh_nothing)
    assert whole.rows(whole.collect(gold, ours))[0]["tp"] == 0
    assert metric.statistics_key() != whole.statistics_key()


def test_weights_by_type(gold: References, ours: Hypotheses) -> None:
    metric = Errant(weights="dice", by="full")
    overall, *typed = metric.rows(metric.collect(gold, ours))
    for name in ("tp", "fp", "fn"):
        assert sum(row[name] for row in typed) == pytest.approx(overall[name])


def test_what_does_not_go_with_weights() -> None:
    with pytest.raises(OptionError, match="cannot be combined with level"):
        Errant(weights="dice", level="detection-token")
    with pytest.raises(OptionError, match="cherrant: edits cannot have weights"):
        parse_metric("cherrant(weights=dice)")
    with pytest.raises(OptionError, match="cannot be combined with --by"):
        MaxMatch(weights="dice", by="type")


def test_alternatives_of_a_gold_edit(tmp_path: Path) -> None:
    text = GOLD.replace("|||dogs|||", "|||dogs||a dog|||")
    gold = References(corpus_of(text, tmp_path))
    metric = MaxMatch(weights=weigh_letters)
    found = metric.collect(gold, hypotheses_of_text([TEXT[0], "I like a dog ."]))
    assert metric.sentence_rows(found)[1]["fn"] == 0


def test_a_file_keeps_what_it_read() -> None:
    assert FromFile("a", {}) == FromFile("a", {("1", 0, 1, "x", None): 1.0})
