"""What is kept of earlier work: found again, never wrong, bounded, and never in the way."""

from __future__ import annotations

import json
import multiprocessing
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import redink
from redink import cache
from redink.analysis import annotation as annotating
from redink.analysis.annotation import annotate_texts
from redink.analysis.annotation_options import AnnotationOptions
from redink.cache import ANNOTATIONS, MATCHES, Store, make_key, using_cache
from redink.cli.catalogue import COMMANDS
from redink.model import Sentence
from redink.scoring.m2 import max_match as m2

EXAMPLES = resources.files("redink").joinpath("examples")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REDINK_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(annotating, "_WORTH_CACHING", 1)
    return tmp_path / "kept"


def score(**options: Any) -> list[dict[str, Any]]:
    """Two systems of the bundled example under the default metrics."""
    systems = [str(EXAMPLES / f"{name}.txt") for name in ("careful", "eager")]
    return redink.score(str(EXAMPLES / "gold.m2"), systems, **options).rows


def test_nothing_is_worked_out_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    first = score()
    assert ANNOTATIONS.count() > 10
    assert MATCHES.count() > 10

    def fail(*_: Any, **__: Any) -> Any:
        raise AssertionError("worked out again")

    monkeypatch.setattr(annotating, "_annotate_chunk", fail)
    same = m2.MaxMatch.match_golds

    def match(self: Any, source: Any, hypothesis: Any, golds: Any) -> Any:
        return same(self, source, hypothesis, golds) if source == hypothesis else fail()

    monkeypatch.setattr(m2.MaxMatch, "match_golds", match)
    assert score() == first
    redink.compare(
        str(EXAMPLES / "gold.m2"),
        [str(EXAMPLES / "careful.txt"), str(EXAMPLES / "eager.txt")],
        samples=20,
    )
    with pytest.raises(AssertionError, match="worked out again"):
        score(cache=False)


def test_without_the_cache_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``--no-cache`` and REDINK_CACHE=off leave no file behind; the figures are the same."""
    plain = score(cache=False)
    assert not folder.exists()
    monkeypatch.setenv("REDINK_CACHE", "off")
    assert score() == plain
    assert not folder.exists()


def lines(name: str) -> list[str]:
    return (EXAMPLES / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_edits_come_back_as_they_were() -> None:
    pairs = {
        name: [Sentence.from_line(line) for line in lines(name)]
        for name in ("source", "careful", "eager")
    }
    sources = pairs.pop("source")
    fresh = annotate_texts(sources, pairs, annotation_options=AnnotationOptions())
    for _ in range(2):
        assert (
            annotate_texts(sources, pairs, annotation_options=AnnotationOptions(), cache=True)
            == fresh
        )


@pytest.mark.parametrize(
    "other",
    [
        AnnotationOptions(merge="all-split"),
        AnnotationOptions(fixed=True),
        AnnotationOptions(levenshtein=True),
        AnnotationOptions(errant_version="2.0.0"),
    ],
)
def test_what_decides_about_edits_is_in_the_key(
    other: AnnotationOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = annotating.CachedEdits.of(AnnotationOptions())
    assert ours is not None
    assert ours != annotating.CachedEdits.of(other)
    annotating._digest_rules.cache_clear()
    monkeypatch.setattr(annotating, "digest_code", lambda _: "changed")
    assert ours != annotating.CachedEdits.of(AnnotationOptions())
    annotating._digest_rules.cache_clear()


def test_analyzers_and_words_that_have_no_name_are_not_kept() -> None:
    assert annotating.CachedEdits.of(AnnotationOptions(lexicon={"word"})) is None
    assert annotating.CachedEdits.of(AnnotationOptions(analyzer="spacy:some")) is None
    assert annotating.CachedEdits.of(AnnotationOptions(language="sv")) is None


def test_a_store_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store("small", "", limit=200_000)
    day = 100 * 24 * 60 * 60
    for number in range(6):
        monkeypatch.setattr(cache, "time", lambda now=day * (number + 1): now)
        store.keep({make_key(f"{number} {n}"): "x" * 500 for n in range(100)})
    assert store.count() < 600
    assert len(store.look_up([make_key(f"5 {n}") for n in range(100)])) == 100
    assert len(store.look_up([make_key(f"1 {n}") for n in range(100)])) == 0


def _keep_many(start: int) -> None:
    for number in range(start, start + 300, 100):
        ANNOTATIONS.keep({make_key(str(n)): str(n) for n in range(number, number + 100)})


def test_several_processes_share_a_store() -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(_keep_many, [0, 150, 300])
    keys = {make_key(str(n)): str(n) for n in range(600)}
    assert ANNOTATIONS.look_up(list(keys)) == keys


@pytest.mark.parametrize("damage", ["a file", "rubbish"])
def test_a_cache_that_cannot_be_used_does_not_matter(folder: Path, damage: str) -> None:
    if damage == "a file":
        folder.write_text("", encoding="utf-8")
    else:
        folder.mkdir()
        for store in (ANNOTATIONS, MATCHES):
            (folder / f"{store.name}.sqlite").write_bytes(b"rubbish" * 1000)
    assert score() == score(cache=False)
    assert ANNOTATIONS.count() == 0


def test_the_command() -> None:
    """``redink cache info`` says what there is, and ``clear`` removes it."""
    score()
    for word, empty in (("info", False), ("clear", True), ("info", True)):
        done = CliRunner().invoke(COMMANDS["cache"].load("cache"), [word, "--format", "json"])
        rows = json.loads(done.stdout)["rows"]
        assert [row["store"] for row in rows] == ["annotations", "matches", "model-scores"]
        assert (rows[0]["entries"] == 0) == empty
        assert (rows[0]["bytes"] == 0) == empty


def test_the_cache_is_used_only_where_it_is_asked_for() -> None:
    assert not cache.is_cache_used()
    with using_cache(True):
        assert cache.is_cache_used()
        with using_cache(False):
            assert not cache.is_cache_used()
    assert not cache.is_cache_used()
