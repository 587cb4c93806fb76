"""What holds across the rooms of the house, for any input."""

from __future__ import annotations

import io
import itertools
import json
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzzing.seeds import SEEDS, named_formats
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import redink
from redink.analysis.annotation_options import AnnotationOptions, Merging
from redink.analysis.edit_extraction import STRATEGIES
from redink.commands.annotate import annotate_corpus
from redink.commands.convert import convert
from redink.errors import RedinkError, RedinkWarning
from redink.formats import get_format
from redink.inputs import read_corpus, read_judgments, read_rankings, read_system
from redink.model import (
    AnnotatedSentence,
    Annotation,
    Corpus,
    Sentence,
    SystemOutput,
    Table,
    apply_edits,
)

EXAMPLE = Path(str(files("redink") / "examples"))
SYSTEMS = ("careful", "eager", "speller")

# ---- edits lead from one sentence to the other

_COMMON = ("the", "The", "a", "cat", "cats", "has", "have", "had", "n't", "'s", ".", ",", "is", "-")
_TOKENS = st.one_of(
    st.sampled_from(_COMMON),
    st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=4),
).filter(lambda token: token.split() == [token] and "|" not in token)  # which M2 may not carry
_SENTENCES = st.one_of(
    st.lists(_TOKENS, max_size=8),
    st.builds(lambda token, times: [token] * times, _TOKENS, st.integers(0, 40)),
)


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Two sentences: any, or the second a changed copy of the first."""
    source = draw(_SENTENCES)
    if draw(st.booleans()):
        return tuple(source), tuple(draw(_SENTENCES))
    corrected = list(source)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(corrected)))
        corrected[at : at + draw(st.integers(0, 3))] = draw(st.lists(_TOKENS, max_size=3))
    return tuple(source), tuple(corrected)


@pytest.mark.parametrize("levenshtein", [False, True])
@pytest.mark.parametrize("merge", STRATEGIES)
@settings(max_examples=settings.default.max_examples if "EXPLORE" in os.environ else 30)
@given(pair=_pairs())
def test_edits_applied_give_the_corrected_sentence(
    pair: tuple[tuple[str, ...], tuple[str, ...]],
    merge: Merging,
    levenshtein: bool,  # noqa: FBT001 (pytest passes it)
) -> None:
    """annotate, then apply: for any pair of sentences, also after writing and reading M2."""
    source, corrected = pair
    edits = redink.annotate(
        Sentence(source), Sentence(corrected), merge=merge, levenshtein=levenshtein
    )
    assert apply_edits(source, edits) == corrected
    annotated = AnnotatedSentence(Sentence(source), (Annotation("0", tuple(edits)),))
    stream = io.StringIO()
    get_format("m2").write([annotated], stream)
    (read,) = _read("m2", stream.getvalue())
    assert read.source.tokens == source
    assert apply_edits(read.source.tokens, read.annotations[0].edits) == corrected


def _read(name: str, text: str) -> list[Any]:
    path = Path(os.environ["PYTEST_INVARIANTS"]) / name
    path.write_text(text, encoding="utf-8", newline="")
    return list(get_format(name).read(path))


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_INVARIANTS", str(tmp_path_factory.mktemp("read")))
        yield


# ---- a reference against itself


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return read_corpus(EXAMPLE / "gold.m2")


@pytest.fixture(scope="module")
def systems() -> dict[str, SystemOutput]:
    return {name: read_system(EXAMPLE / f"{name}.txt", name=name) for name in SYSTEMS}


def _by_one(corpus: Corpus, annotator: str) -> tuple[Corpus, SystemOutput]:
    """The references of one annotator alone, and what he would have written."""
    kept = tuple(
        replace(s, annotations=tuple(a for a in s.annotations if a.annotator == annotator))
        for s in corpus.sentences
    )
    texts = tuple(
        Sentence(apply_edits(s.source.tokens, s.annotations[0].edits if s.annotations else ()))
        for s in kept
    )
    return replace(corpus, sentences=kept), SystemOutput("itself", hypotheses=texts)


@pytest.mark.parametrize("annotator", ["0", "1"])
def test_reference_against_itself_is_perfect(annotator: str, gold: Corpus) -> None:
    """Under every metric; only METEOR never gives a whole 1, for its fragmentation penalty."""
    one, itself = _by_one(gold, annotator)
    metrics = ["errant", "m2", "gleu", "imeasure", "bleu", "meteor"]
    table = redink.score(one, {"itself": itself}, metrics=metrics, reference_edits="auto")
    seen = set()
    for row in table.rows:
        value = row.get("f") if row.get("f") is not None else row.get("score")
        assert value == pytest.approx(1, abs=1e-3 if row["metric"] == "meteor" else 1e-12), row
        name = row["metric"].partition("(")[0]
        seen.add(name)
        if "fp" in row and name in {"errant", "m2"}:
            assert (row["fp"], row["fn"]) == (0, 0)
    assert seen == set(metrics)


@pytest.mark.parametrize("unit", ["token", "span", "sentence", "character"])
def test_detection_of_the_reference_is_perfect(unit: str, gold: Corpus) -> None:
    one, itself = _by_one(gold, "0")
    (row,) = redink.detection(
        annotate_corpus(one, edits="auto"), {"itself": itself}, unit=unit
    ).rows
    assert (row["fp"], row["fn"]) == (0, 0)
    assert row["precision"] == row["recall"] == row["f"] == 1


# ---- order does not matter


def _rows(table: Table, *key: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {tuple(row.get(part) for part in key): dict(row) for row in table.rows}


def test_order_of_systems(gold: Corpus, systems: dict[str, SystemOutput]) -> None:
    backwards = dict(reversed(systems.items()))
    how: dict[str, Any] = {"metrics": ["errant", "m2", "gleu"], "by": "operation"}
    key = ("system", "metric", "type")
    assert _rows(redink.score(gold, systems, **how), *key) == _rows(
        redink.score(gold, backwards, **how), *key
    )
    assert _rows(redink.detection(gold, systems), "system", "unit") == _rows(
        redink.detection(gold, backwards), "system", "unit"
    )
    bootstrapped = [
        redink.score(gold, each, metrics=["errant"], bootstrap=50) for each in (systems, backwards)
    ]
    for column in ("f", "low", "high"):
        first, second = (
            {row["system"]: row[column] for row in table.rows} for table in bootstrapped
        )
        assert first == second
    compared = [
        redink.compare(gold, each, metrics=["m2"], samples=50) for each in (systems, backwards)
    ]
    for row in compared[0].rows:
        pair = {row["first"], row["second"]} if "first" in row else {row["system"], row["other"]}
        other = next(r for r in compared[1].rows if pair <= set(map(str, r.values())))
        assert abs(row["difference"]) == pytest.approx(abs(other["difference"]))


@pytest.mark.parametrize("seed", [1, 2])
def test_order_of_sentences(seed: int, gold: Corpus, systems: dict[str, SystemOutput]) -> None:
    order = list(range(len(gold)))
    random.Random(seed).shuffle(order)
    shuffled = replace(gold, sentences=tuple(gold.sentences[i] for i in order))
    moved = {
        name: replace(system, hypotheses=tuple((system.hypotheses or ())[i] for i in order))
        for name, system in systems.items()
    }
    for metrics, options in (
        (["errant", "m2"], {"selection": "sentence"}),
        (["errant", "m2"], {"selection": "optimal"}),
        (["imeasure"], {}),
        (["bleu", "meteor"], {}),
    ):
        before, after = (
            _rows(redink.score(c, s, metrics=metrics, **options), "system", "metric", "level")
            for c, s in ((gold, systems), (shuffled, moved))
        )
        for key, row in before.items():
            for column, value in row.items():
                if isinstance(value, float):
                    value = pytest.approx(value, abs=1e-12)  # noqa: PLW2901 (sums differ in order)
                assert after[key][column] == value, (key, column)
    before, after = (
        _rows(redink.detection(c, s, selection="sentence"), "system", "unit")
        for c, s in ((gold, systems), (shuffled, moved))
    )
    assert before == after


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False))
def test_order_of_judgments(rng: random.Random) -> None:
    rankings = list(read_rankings(EXAMPLE / "rankings.xml"))
    judgments = list(read_judgments(EXAMPLE / "crowd.csv"))
    mixed, others = rankings[:], judgments[:]
    rng.shuffle(mixed)
    rng.shuffle(others)
    for method in ("expected-wins", "bradley-terry"):
        first, second = (
            {
                row["system"]: row["score"]
                for row in redink.rank(r, method=method, bootstrap=40).rows
            }
            for r in (rankings, mixed)
        )
        assert first == pytest.approx(second, abs=1e-9)
    first, second = (
        {row["statistic"]: row["value"] for row in redink.agreement(j, bootstrap=0).rows}
        for j in (judgments, others)
    )
    assert first == pytest.approx(second, abs=1e-12)
    flags = [str(EXAMPLE / f"{name}.ged.tsv") for name in SYSTEMS]
    first, second = (
        {(r["system"], r["weighting"]): r["f"] for r in redink.crowd(j, flags).rows}
        for j in (judgments, others)
    )
    assert first == pytest.approx(second, abs=1e-12)


# ---- the same numbers by another way


def test_text_and_its_annotation_score_the_same(tmp_path: Path, gold: Corpus) -> None:
    """A system given as text, and as the M2 file that annotate makes of it."""
    texts = {name: EXAMPLE / f"{name}.txt" for name in SYSTEMS}
    edits = {}
    for name, text in texts.items():
        edits[name] = tmp_path / f"{name}.m2"
        redink.annotate_files(EXAMPLE / "source.txt", [text], edits[name])
    key = ("system", "metric", "type")
    metrics = ["errant", "m2", "gleu", "bleu"]
    assert _rows(redink.score(gold, texts, metrics=metrics, by="type"), *key) == _rows(
        redink.score(gold, edits, metrics=metrics, by="type"), *key
    )


def test_files_and_values_score_the_same(gold: Corpus, systems: dict[str, SystemOutput]) -> None:
    paths = {name: EXAMPLE / f"{name}.txt" for name in SYSTEMS}
    assert redink.score(EXAMPLE / "gold.m2", paths).rows == redink.score(gold, systems).rows


# ---- formats


def test_there_and_back(tmp_path: Path) -> None:
    formats = named_formats()
    done = 0
    for first, second in itertools.permutations(formats, 2):
        one, other = formats[first], formats[second]
        if one.kind != other.kind:
            continue
        start = tmp_path / f"start{one.suffixes[0] if one.suffixes else '.txt'}"
        start.write_bytes(SEEDS[first])
        values = [_plain(value) for value in one.read(start)]
        there = tmp_path / f"there-{second}"
        back = tmp_path / f"back-{first}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RedinkWarning)
                convert(start, there, from_format=one.name, to_format=other.name)
                convert(there, back, from_format=other.name, to_format=one.name)
        except (RedinkError, RedinkWarning):
            continue  # it cannot carry this, and says so
        assert [_plain(value) for value in one.read(back)] == values, (first, second)
        done += 1
    assert done >= 8


def _plain(value: Any) -> Any:
    """A sentence without what only raw text has: where its words stood."""
    if isinstance(value, AnnotatedSentence):
        return replace(value, source=Sentence(value.source.tokens))
    return value


# ---- seeds

_COMMANDS = (
    "score gold.m2 careful.txt eager.txt --bootstrap 40 --format json",
    "compare gold.m2 careful.txt eager.txt speller.txt --metric m2 --samples 40 --format json",
    "agreement crowd.csv --bootstrap 40 --format json",
    "crowd crowd.csv careful.ged.tsv --show size --repetitions 5 --experts w01 --format json",
    "rank rankings.xml --method trueskill --bootstrap 40 --format json",
    "rank rankings.xml --show accuracy --folds 3 --bootstrap 40 --format json",
    "meta rankings.xml scores.txt --bootstrap 40 --format json",
    "sample plan careful.ged.tsv --blind blind.csv --key key.json --errors 9 --oks 9 --format json",
    "sample simulate --from-counts 80 20 270 630 --repetitions 20 --format json",
    "detector cloze reference-a.txt --items 10 --format json",
    "detection gold.m2 careful.ged.tsv eager.ged.tsv --curve --format json",
    "convert gold.m2 out.jsonl",
    "annotate source.txt careful.txt -o out.m2",
)
_WITH_WORKERS = (
    "annotate source.txt careful.txt eager.txt -o both.m2",
    "score gold.m2 careful.txt eager.txt --metric errant --bootstrap 20 --format json",
)
_RUN_ALL = """
import json, shlex, sys
from redink.analysis import annotation as annotating
from redink.cli.main import cli
annotating._WORTH_A_WORKER = 100
for line in json.loads(sys.argv[1]):
    cli.main(shlex.split(line), standalone_mode=False)
"""


def _run_all(folder: Path, commands: tuple[str, ...], hash_seed: str) -> dict[str, bytes]:
    folder.mkdir()
    for path in EXAMPLE.iterdir():
        if path.suffix != ".py" and path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / "scores.txt").write_text("careful 0.5\neager 0.4\nspeller 0.3\nINPUT 0\n")
    done = subprocess.run(
        [sys.executable, "-c", _RUN_ALL, json.dumps(commands)],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    made = {path.name: path.read_bytes() for path in folder.iterdir()}
    return {"stdout": done.stdout, **made}


def test_seeds_and_workers_change_nothing(tmp_path: Path) -> None:
    """Two processes whose sets and dictionaries hash differently write the same bytes.

    One of them shares its work with workers, where it can.
    """
    first = _run_all(tmp_path / "first", (*_COMMANDS, *_WITH_WORKERS), "0")
    shared = tuple(f"{line} --workers 2" for line in _WITH_WORKERS)
    second = _run_all(tmp_path / "second", (*_COMMANDS, *shared), "4711")
    assert first.keys() == second.keys()
    for name, content in first.items():
        assert content == second[name], name


def test_generators_and_seeds_agree(gold: Corpus, systems: dict[str, SystemOutput]) -> None:
    runs = [
        [row["low"] for row in redink.score(gold, systems, metrics=["m2"], bootstrap=60, seed=seed)]
        for seed in (3, 3, 4, np.random.default_rng(3))
    ]
    assert runs[0] == runs[1] == runs[3] != runs[2]


def test_how_annotating_is_told_is_how_it_is_done() -> None:
    with pytest.raises(RedinkError, match="merge: unknown value 'nonsense'"):
        AnnotationOptions(merge="nonsense")  # type: ignore[arg-type]
