"""Python: values of a wrong type get one sentence, and data frames are read."""

from __future__ import annotations

import inspect
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import redink
from redink.errors import RedinkError, RedinkWarning
from redink.options import declaration

EXAMPLE = Path(redink.__file__).parent / "examples"
FUNCTIONS = sorted(
    name
    for name in redink.__all__
    if inspect.isfunction(getattr(redink, name)) and hasattr(getattr(redink, name), "__wrapped__")
)
WRONG: dict[str, Any] = {
    "a number": 5,
    "a float": 0.5,
    "nothing": None,
    "a mapping": {"x": 1},
    "numbers": [1, 2],
    "a frame": pd.DataFrame({"x": [1, 2]}),
    "bytes": b"gold.m2",
    "an object": object(),
    "a class": int,
    "text": "no such file",
}


def _allowed(function: Any, name: str, value: Any) -> bool:
    """Whether an option takes such a value, so that nothing is to be refused."""
    option = next(one for one in declaration(function).options if one.name == name)
    if option.kind.type in {bool, int, float}:
        return isinstance(value, int | float) or (value is None and option.kind.optional)
    if isinstance(value, str) and option.kind.type in {str, Path}:
        return True
    return (value is None and option.kind.optional) or option.kind.type is str


@pytest.mark.parametrize("value", WRONG.values(), ids=list(WRONG))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_arguments(
    name: str, value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = getattr(redink, name)
    required = [option for option in declaration(function).options if option.is_required]
    if not required:
        pytest.skip("it takes no arguments")
    given = {option.name: value for option in required}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedinkWarning)
        try:
            function(**given)
        except RedinkError:
            return
    assert all(_allowed(function, one, value) for one in given), "it was taken"


@pytest.mark.parametrize("value", WRONG.values(), ids=list(WRONG))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_options(
    name: str, value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = getattr(redink, name)
    declared = declaration(function).options
    needed = {option.name: "no such file" for option in declared if option.is_required}
    for option in declared:
        if option.is_required or _allowed(function, option.name, value):
            continue
        with warnings.catch_warnings(), suppress(RedinkError):
            warnings.simplefilter("ignore", RedinkWarning)
            function(**needed, **{option.name: value})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda gold: redink.score(gold, metrics=5), "metric cannot be 5"),
        (lambda gold: redink.score(gold, beta="x"), "beta cannot be 'x'"),
        (lambda gold: redink.score(gold, documents=5), "documents cannot be 5"),
        (lambda gold: redink.score(gold, {"a": 5}), "systems cannot be"),
        (lambda gold: redink.score(gold, {5: gold}), "systems cannot be"),
        (
            lambda _: redink.agreement(EXAMPLE / "crowd.csv", merge_labels={"ok": 5}),
            "merge-labels cannot be",
        ),
        (lambda _: redink.meta(EXAMPLE / "rankings.xml", {"m": {"a": "x"}}), "scores cannot be"),
        (lambda _: redink.agreement(np.zeros((3, 2))), "judgments cannot be"),
        (
            lambda _: redink.estimate_sample(from_counts=[1, 2, 3, 4], cases=["a", "b"]),
            "cases cannot be",
        ),
        (lambda _: redink.agreement([1, 2]), "judgments cannot be"),
        (lambda _: redink.score(pd.DataFrame({"a": ["b"]})), "must have the columns source and"),
        (lambda _: redink.agreement(pd.DataFrame({"a": ["b"]})), "the column 'item' is missing"),
        (lambda _: redink.rank(pd.DataFrame({"a": ["b"]})), "judgments cannot be a data frame"),
    ],
)
def test_the_sentence_says_what_was_expected(call: Any, said: str) -> None:
    with pytest.raises(RedinkError, match=said):
        call(EXAMPLE / "gold.m2")


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_is_scored_as_its_columns_are(library: Any) -> None:
    names = {"source": "source", "reference": "reference-a", "careful": "careful", "eager": "eager"}
    texts = {
        name: (EXAMPLE / f"{file}.txt").read_text(encoding="utf-8").splitlines()
        for name, file in names.items()
    }
    frame = library.DataFrame(texts)
    systems = {name: texts[name] for name in ("careful", "eager")}
    apart = {"source": texts["source"], "references": [texts["reference"]]}
    for function in (redink.score, redink.compare, redink.detection):
        assert function(frame).rows == function(None, systems, **apart).rows
    assert redink.score(frame, {"eager": texts["eager"]}).rows == (
        redink.score(None, {"eager": texts["eager"]}, **apart).rows
    )


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_of_judgments(library: Any) -> None:
    frame = library.read_csv(EXAMPLE / "crowd.csv")
    path = EXAMPLE / "crowd.csv"
    assert redink.agreement(frame).rows == redink.agreement(path).rows


def test_documents_in_a_list(tmp_path: Path) -> None:
    names = ["a"] * 30 + ["b"] * 34
    (tmp_path / "names.txt").write_text("\n".join(names), encoding="utf-8")
    gold, careful = EXAMPLE / "gold.m2", EXAMPLE / "careful.txt"
    found = [
        redink.score(gold, careful, metrics="errant", by="document", documents=given)
        for given in (names, tmp_path / "names.txt")
    ]
    assert found[0].rows == found[1].rows
    assert [row["document"] for row in found[0].rows] == [None, "a", "b"]
    with pytest.raises(RedinkError, match="has 3 document names, but there are 64"):
        redink.score(gold, careful, by="document", documents=["a", "a", "b"])


def test_readers_and_analyzers_of_a_wrong_type() -> None:
    for read in (redink.read_corpus, redink.read_judgments, redink.read_rankings):
        for value in (5, [5], None):
            with pytest.raises(RedinkError, match="expected a path"):
                read(value)
    with pytest.raises(RedinkError, match="analyzer cannot be 5"):
        redink.annotate("a", "b", analyzer=5)
