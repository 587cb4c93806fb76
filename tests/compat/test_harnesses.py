"""Metrics as harnesses call them, with the real library where it is installed."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import redink
from redink.compat import evaluate_metric, inspect_scorer, lighteval_metric, lm_eval, unitxt_metric
from redink.compat.column_scores import as_texts, score_columns, score_texts
from redink.errors import DataError, OptionError

EXAMPLE = Path(redink.__file__).parent / "examples"
SOURCES, MINE, FIRST, SECOND = (
    (EXAMPLE / name).read_text(encoding="utf-8").splitlines()
    for name in ("source.txt", "careful.txt", "reference-a.txt", "reference-b.txt")
)
BOTH = [list(pair) for pair in zip(FIRST, SECOND, strict=True)]


@pytest.fixture(scope="module")
def expected() -> dict[str, float]:
    table = redink.score(
        source=SOURCES, references=[FIRST, SECOND], systems={"m": MINE}, metrics=["gleu", "m2"]
    )
    return {row["metric"]: row["score"] if row["metric"] == "gleu" else row["f"] for row in table}


def test_columns_of_anything(expected: dict[str, float]) -> None:
    """Dictionaries, data frames and what looks like a Dataset, references apart or as lists."""
    columns = {"source": SOURCES, "a": FIRST, "b": SECOND, "references": BOTH, "prediction": MINE}

    class Dataset:
        """The part of ``datasets.Dataset`` that is used: names, and columns by name."""

        column_names = tuple(columns)

        def __getitem__(self, name: str) -> Any:
            return tuple(columns[name])

    frames = [importlib.import_module(name) for name in ("pandas", "polars")]
    apart = ["a", "b"]
    tables: list[tuple[Any, Any]] = [(columns, "references"), (columns, apart), (Dataset(), apart)]
    tables += [(frame.DataFrame(columns), "references") for frame in frames]
    for data, references in tables:
        table = score_columns(data, references=references, metrics=["gleu"])
        assert table["score"] == [expected["gleu"]]
    named = score_columns(columns, systems={"mine": "prediction"}, metrics=["gleu"])
    assert named["system"] == ["mine"]
    with pytest.raises(OptionError, match="unknown column 'src'"):
        score_columns(columns, source="src")


def test_a_dataset_of_the_real_library(expected: dict[str, float]) -> None:
    """``datasets.Dataset`` as it is."""
    datasets = pytest.importorskip("datasets")
    made = datasets.Dataset.from_dict({"source": SOURCES, "references": BOTH, "prediction": MINE})
    assert score_columns(made, metrics=["gleu"])["score"] == [expected["gleu"]]


def test_ragged_references() -> None:
    assert as_texts(["a", "b"]) == [["a", "b"]]
    assert as_texts([["a"], ["b", "c"]]) == [["a", "b"], ["a", "c"]]
    with pytest.raises(DataError, match="sentence 2 has no reference"):
        as_texts([["a"], []])
    with pytest.raises(DataError, match="no sentences"):
        as_texts([])
    with pytest.raises(DataError, match="row 1: expected text, found int"):
        as_texts([[1]])  # type: ignore[list-item]


def test_figures_by_name(expected: dict[str, float]) -> None:
    figures = score_texts(SOURCES, BOTH, MINE, ["m2", "gleu"])
    assert figures["gleu"] == expected["gleu"]
    assert figures["m2"] == expected["m2"]
    assert {"m2_precision", "m2_recall", "m2_tp", "m2_fp", "m2_fn"} < set(figures)


def test_evaluate_as_documented(expected: dict[str, float]) -> None:
    told: dict[str, Any] = {}
    evaluate = SimpleNamespace(Metric=object, MetricInfo=lambda **info: told.update(info) or told)
    datasets = SimpleNamespace(Value=str, Sequence=list, Features=dict)
    metric = evaluate_metric.make_metric(evaluate, datasets)()
    metric._info()
    assert {"description", "citation", "inputs_description", "features"} <= set(told)
    found = metric._compute(MINE, BOTH, SOURCES, metrics=["gleu"])
    assert found == {"gleu": expected["gleu"]}


def test_evaluate_itself(expected: dict[str, float], tmp_path: Path) -> None:
    """``evaluate.load`` of the file, and ``compute`` with one reference and with several."""
    evaluate = pytest.importorskip("evaluate")
    metric = evaluate.load(evaluate_metric.__file__, cache_dir=str(tmp_path))
    found = metric.compute(sources=SOURCES, predictions=MINE, references=BOTH, metrics=["gleu"])
    assert found == {"gleu": expected["gleu"]}
    alone = metric.compute(sources=SOURCES, predictions=MINE, references=FIRST, metrics=["m2"])
    assert alone["m2_tp"] > 0


def test_lm_evaluation_harness(expected: dict[str, float]) -> None:
    """``process_results`` for every document, then an aggregation over all of them."""
    kept: dict[str, list[lm_eval.Item]] = {}
    for source, references, answer in zip(SOURCES, BOTH, MINE, strict=True):
        doc = {"sentence": source, "corrections": references}
        for name, item in lm_eval.process_results(doc, [f" {answer}\n"]).items():
            kept.setdefault(name, []).append(item)
    assert set(kept) == {"errant", "m2", "gleu"}
    assert lm_eval.gleu(kept["gleu"]) == expected["gleu"]
    assert lm_eval.m2(kept["m2"]) == expected["m2"]
    other = lm_eval.make_process_results("wrong", "right", metrics=["green"])
    assert other({"wrong": "a", "right": "b"}, ["c"]) == {"green": ("a", ["b"], "c")}
    with pytest.raises(DataError, match="none of the fields"):
        lm_eval.process_results({"question": "?"}, ["!"])


def test_unitxt_as_documented(expected: dict[str, float]) -> None:
    fields = [{"source": source} for source in SOURCES]
    found = unitxt_metric.compute(BOTH, MINE, fields, metric="gleu")
    assert found == {"gleu": expected["gleu"]}
    with pytest.raises(DataError, match="instance 1 has no field 'text'"):
        unitxt_metric.compute(BOTH, MINE, fields, source_field="text")


def test_unitxt_itself(expected: dict[str, float]) -> None:
    pytest.importorskip("unitxt")
    from unitxt.test_utils.metrics import apply_metric

    metric = unitxt_metric.RedinkMetric(metric="gleu", n_resamples=None)
    fields = [{"source": source} for source in SOURCES]
    scored = apply_metric(metric, MINE, BOTH, fields)
    assert scored[0]["score"]["global"]["score"] == pytest.approx(expected["gleu"])


@pytest.mark.filterwarnings("ignore")  # of the library
def test_inspect_ai_itself(expected: dict[str, float], tmp_path: Path) -> None:
    """A task with the answers of a system, from samples to the results of the log."""
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    @solver
    def answers() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            answer = state.metadata["answer"]
            state.output = ModelOutput.from_content("mockllm/model", f"{answer}\n")
            return state

        return solve

    samples = [
        Sample(input=source, target=right, metadata={"source": source, "answer": answer})
        for source, right, answer in zip(SOURCES, BOTH, MINE, strict=True)
    ]
    scorers = [inspect_scorer.redink_scorer(metric) for metric in ("gleu", "m2")]
    task = inspect_ai.Task(dataset=samples, solver=answers(), scorer=scorers)
    options = {"model": "mockllm/model", "display": "none", "log_dir": str(tmp_path)}
    (log,) = inspect_ai.eval(task, **options)
    found = {name: m.value for one in log.results.scores for name, m in one.metrics.items()}
    assert found == pytest.approx(expected)


def test_lighteval_itself(expected: dict[str, float]) -> None:
    pytest.importorskip("lighteval")
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    metric = lighteval_metric.make_metric("gleu")
    items = []
    for source, right, answer in zip(SOURCES, BOTH, MINE, strict=True):
        doc = Doc(query="", choices=right, gold_index=[0, 1], specific={"source": source})
        items.append(metric.compute_sample(model_response=ModelResponse(text=[answer]), doc=doc))
    score = metric.get_corpus_aggregations()["gleu"]([item["gleu"] for item in items])
    assert score == pytest.approx(expected["gleu"])
    assert not lighteval_metric.make_metric("ter").higher_is_better
