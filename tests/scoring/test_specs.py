"""Metrics by name, by spec, or as values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import redink
from redink.errors import OptionError
from redink.scoring.errant import Errant
from redink.scoring.gleu_variants import Gleu
from redink.scoring.imeasure.i_measure import IMeasure
from redink.scoring.m2.max_match import MaxMatch
from redink.scoring.meteor import Meteor
from redink.scoring.metric import Metric
from redink.scoring.sacrebleu_metrics import Bleu
from redink.scoring.specs import (
    MetricDefaults,
    free_metrics,
    make_metrics,
    parse_metric,
    split_specs,
)

EXAMPLES = Path(redink.__file__).parent / "examples"
GOLD, SYSTEMS = EXAMPLES / "gold.m2", {"careful": EXAMPLES / "careful.txt"}


@pytest.mark.parametrize(
    ("spec", "metric"),
    [
        ("errant", Errant()),
        (" errant ", Errant()),
        ("errant()", Errant()),
        ("ERRANT(only=none)", Errant()),
        ("M2(beta=1)", MaxMatch(beta=1)),
        ("m2(beta=1,max_unchanged_words=3)", MaxMatch(beta=1, max_unchanged_words=3)),
        ("m2(max-unchanged-words=3)", MaxMatch(max_unchanged_words=3)),
        ("errant(level=detection-span)", Errant(level="detection-span")),
        ("errant(exclude=R:SPELL+M:PUNCT)", Errant(exclude=("R:SPELL", "M:PUNCT"))),
        ("gleu(draws=10)", Gleu(draws=10)),
        ("imeasure(mix,weight=3,maximize=ci)", IMeasure(mix=True, weight=3, maximize="ci")),
        ("imeasure(mix=false)", IMeasure()),
        ("meteor(modules=exact+stem)", Meteor(modules=("exact", "stem"))),
        ("meteor(wordnet=some/folder)", Meteor(wordnet=Path("some/folder"))),
        ("meteor(function_words=the+of)", Meteor(function_words=("the", "of"))),
        ("bleu", Bleu()),
    ],
)
def test_a_spec_is_a_metric_and_prints_back(spec: str, metric: Metric) -> None:
    """Every option of every metric can be reached, and what is printed parses to the same."""
    assert parse_metric(spec) == metric
    assert parse_metric(str(metric)) == metric


@given(
    beta=st.floats(0, 10_000),
    level=st.sampled_from(["correction", "detection-span", "detection-token"]),
    exclude=st.lists(st.sampled_from(["R:SPELL", "M:PUNCT", "U:DET"]), max_size=3),
)
def test_any_options_print_back(beta: float, level: str, exclude: list[str]) -> None:
    metric = Errant(beta=beta, level=level, exclude=tuple(exclude))  # type: ignore[arg-type]
    assert parse_metric(str(metric)) == metric


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rouge", "unknown metric 'rouge'; expected one of: errant, m2, gleu"),
        ("m2(gamma=1)", "unknown option 'gamma' of the metric m2; expected one of"),
        ("m2(beta=-1)", "beta must be between 0 and 10000, not -1"),
        ("m2(beta=much)", "m2: beta must be a number, not 'much'"),
        ("m2(beta)", "m2: beta requires a value"),
        ("errant(level=word)", "level: unknown value 'word'"),
        ("gleu(draws=0)", "draws must be 1 or more"),
        ("imeasure(mix=perhaps)", "mix must be true or false"),
        ("imeasure(weight=0.5)", "weight must be 1 or more"),
        ("m2(beta=1", "unclosed parenthesis"),
        ("m2)(", "invalid metric"),
    ],
)
def test_a_wrong_spec_is_refused_in_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        make_metrics(spec)
    assert message in str(caught.value)


def test_commas_in_brackets_separate_options() -> None:
    assert split_specs("errant, m2(beta=1,max_unchanged_words=3) ,gleu,") == [
        "errant",
        "m2(beta=1,max_unchanged_words=3)",
        "gleu",
    ]


def test_shorthand_is_for_those_that_say_nothing_themselves() -> None:
    made = make_metrics(["errant", "m2(beta=2)", MaxMatch(beta=3), "gleu"], MetricDefaults(beta=1))
    assert made == (Errant(beta=1), MaxMatch(beta=2), MaxMatch(beta=3), Gleu())


def test_a_flag_that_no_metric_has_is_refused() -> None:
    with pytest.raises(OptionError, match="the option beta does not apply to m2, gleu"):
        make_metrics([MaxMatch(), "gleu"], MetricDefaults(beta=1))


def test_each_metric_once() -> None:
    assert make_metrics(["m2", "m2(beta=0.5)", MaxMatch()]) == (MaxMatch(),)


def test_names_specs_and_values_score_alike() -> None:
    """``score`` takes all three, and the signature shows the specs."""
    table = redink.score(
        GOLD, SYSTEMS, metrics=["m2(beta=1)", MaxMatch(beta=2), Errant(level="detection-span")]
    )
    assert table["metric"] == ["m2(beta=1)", "m2(beta=2)", "errant(level=detection-span)"]
    assert table.signature["metrics"] == [
        "m2(beta=1)",
        "m2(beta=2)",
        "errant(level=detection-span)",
    ]
    alone = redink.score(GOLD, SYSTEMS, metrics=["m2"], beta=1)
    assert alone["metric"] == ["m2(beta=1)"]
    assert alone["f"] == table["f"][:1]
    assert "F" in [column.heading for column in table.columns]  # of several betas
    assert "F1" in [column.heading for column in alone.columns]


@pytest.mark.parametrize("name", free_metrics())
def test_every_metric_prints_its_name(name: str) -> None:
    assert str(parse_metric(name)) == name


def test_function_words_from_a_file(tmp_path: Path) -> None:
    """``@FILE`` stands for the words in it."""
    path = tmp_path / "words.txt"
    path.write_text("the of\na\n", encoding="utf-8")
    from_file, by_hand = (
        Meteor(function_words=(f"@{path}",)),
        Meteor(function_words=("the", "of", "a")),
    )
    assert from_file.signature() == by_hand.signature()
    assert from_file.signature() != Meteor().signature()


@pytest.mark.parametrize(
    ("published", "spec"),
    [
        ("ERRANT", "errant"),
        ("I-measure", "imeasure"),
        ("GLEU+", "gleu"),
        ("MaxMatch", "m2"),
        ("M2", "m2"),
        ("SentM2", "m2(average=sentence)"),
        ("SentERRANT(beta=1)", "errant(average=sentence,beta=1)"),
        ("PT-M2(weights=dice)", "m2(weights=dice)"),
        ("CLEME2.0", "cleme2"),
    ],
)
def test_names_that_papers_use(published: str, spec: str) -> None:
    assert parse_metric(published) == parse_metric(published.lower()) == parse_metric(spec)


@pytest.mark.parametrize(("name", "metric"), [("PT-M2", "m2"), ("pt-errant", "errant")])
def test_a_name_that_needs_a_model(name: str, metric: str) -> None:
    with pytest.raises(OptionError, match=rf"model; write {metric}\(weights=pt:FOLDER\)"):
        parse_metric(name)


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ({"metrics": "erant"}, "'errant'"),
        ({"by": "tpye"}, "'type'"),
        ({"level": "token"}, "tok"),
    ],
)
def test_a_similar_name_is_suggested(words: dict[str, str], near: str) -> None:
    with pytest.raises(OptionError, match=near):
        redink.score(source=["a"], references=[["b"]], systems={"x": ["b"]}, **words)
