"""Documents: which sentences hang together, and samples that draw them whole."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

import redink
from redink.commands.report import ReportOptions, make_report
from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.evaluation import EvaluationOptions
from redink.explore.app import create_app
from redink.inputs.document_ids import document_numbers, place_sentences
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Sentence
from redink.statistics.resampling import draw_bootstrap_blocks, draw_swaps

SOURCES = ["This are it .", "He go home .", "They goes out .", "All is well ."]
FIXED = ["This is it .", "He go home .", "They go out .", "All is well ."]
NAMES = ["a", "a", "b", "b"]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    edits = [f"1 2|||R:VERB|||{verb}" for verb in ("is", "goes", "go")]
    path = tmp_path / "gold.m2"
    path.write_text(
        "".join(
            f"S {source}\nA {edit}|||REQUIRED|||-NONE-|||0\n\n"
            for source, edit in zip(SOURCES, [*edits, "-1 -1|||noop|||-NONE-"], strict=True)
        )
    )
    (tmp_path / "names.txt").write_text("a\na\nb\nb\n")
    (tmp_path / "essays.md").write_text(
        "### essay_id = first\nThis are it.\nHe go home.\n\n"
        "### essay_id = second\nThey goes out. All is\nwell.\n\n"
    )
    return path


def test_a_sample_of_documents_draws_every_sentence_of_a_document_as_often() -> None:
    groups = np.array([0, 0, 1, 2, 2, 2])
    (weights,) = draw_bootstrap_blocks(6, 50, np.random.default_rng(1), groups=groups)
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 5]).all()
    assert (weights[:, [0, 2, 3]].sum(axis=1) == 3).all()
    swaps = draw_swaps(6, 50, np.random.default_rng(1), groups=groups)
    assert (swaps[:, 3] == swaps[:, 4]).all()
    assert not (swaps[:, 0] == swaps[:, 2]).all()


def test_intervals_may_draw_documents(gold: Path) -> None:
    tables = [
        redink.score(gold, {"fixed": FIXED}, metrics=["m2"], bootstrap=200, **how)
        for how in ({}, {"resample": "documents", "documents": gold.parent / "names.txt"})
    ]
    first, second = (table.rows[0] for table in tables)
    assert first["tp"] == second["tp"] == 2
    assert (first["low"], first["high"]) != (second["low"], second["high"])
    assert tables[1].signature["resample"] == "documents"
    assert any("bootstrap samples of documents" in note for note in tables[1].notes)


def test_scores_by_document(gold: Path) -> None:
    table = redink.score(
        gold, {"fixed": FIXED}, metrics=["m2"], by="document", documents=gold.parent / "essays.md"
    )
    counts = [(row.get("document"), row["tp"], row["fp"], row["fn"]) for row in table.rows]
    assert counts == [(None, 2, 0, 1), ("first", 1, 0, 1), ("second", 1, 0, 0)]


def test_systems_exchange_documents(gold: Path) -> None:
    """With two documents there are four ways to exchange them, so no difference is significant."""
    table = redink.compare(
        gold,
        {"fixed": FIXED, "same": SOURCES},
        metrics=["m2"],
        samples=200,
        resample="documents",
        documents=gold.parent / "names.txt",
    )
    assert table.rows[0]["p_randomization"] > 0.3


def test_ids_name_documents() -> None:
    """DOCUMENT.PARAGRAPH.NUMBER: sentences of a paragraph share a line of the text."""
    ids = ["x.1.1", "x.1.2", "x.2.1", "y.1.1"]
    sources = [Sentence.from_line(line, id=i) for line, i in zip(SOURCES, ids, strict=True)]
    placed = place_sentences(sources)
    assert placed.names == ("x", "x", "x", "y")
    assert placed.texts["x"] == "This are it . He go home .\nThey goes out ."
    for line, name, (start, end) in zip(SOURCES, placed.names, placed.spans, strict=True):
        assert placed.texts[name][start:end] == line


def test_sentences_and_tokens_are_found_in_documents_as_written(gold: Path) -> None:
    sources = [Sentence.from_line(line) for line in SOURCES]
    placed = place_sentences(sources, gold.parent / "essays.md")
    texts = [placed.texts[name] for name in placed.names]
    found = [text[start:end] for text, (start, end) in zip(texts, placed.spans, strict=True)]
    assert found == ["This are it.", "He go home.", "They goes out.", "All is\nwell."]
    for number, source in enumerate(sources):
        tokens = (texts[number][start:end] for start, end in placed.token_offsets(number))
        assert tuple(tokens) == source.tokens


def test_a_report_shows_documents_as_written(gold: Path, tmp_path: Path) -> None:
    redink.report(
        gold,
        {"fixed": FIXED},
        tmp_path / "out",
        metrics=["errant"],
        bootstrap=0,
        documents=gold.parent / "essays.md",
    )
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert data["documents"] == ["first", "second"]
    text, sentences = data["texts"][0]
    assert text == "This are it.\nHe go home."
    assert [number for number, _ in sentences] == [0, 1]
    assert sentences[1][1] == [13, 15, 16, 18, 19, 23, 23, 24]
    table = json.loads((tmp_path / "out" / "tables" / "document-scores.json").read_text())
    assert [row["document"] for row in table["rows"]] == ["first", "second"]
    assert table["rows"][1]["fixed"] == 1.0


def test_explore_sends_one_document_at_a_time(gold: Path) -> None:
    reported = make_report(
        gold,
        {"fixed": FIXED},
        command="explore",
        evaluation_options=EvaluationOptions(documents=gold.parent / "essays.md"),
        contents=ReportOptions(metrics=["errant"], bootstrap=0),
    )
    client = TestClient(create_app(reported, hosts=["testserver"]))
    text, sentences, edits = client.get("/documents/1").json()
    assert text == "They goes out. All is\nwell."
    assert [number for number, _ in sentences] == [2, 3]
    assert edits[0][2][0][0][:3] == [1, 2, "go"]
    assert client.get("/documents/2").status_code == 404
    assert client.get("/documents/x").status_code == 404
    assert "They goes" not in client.get("/").text


def test_what_does_not_fit_is_refused(gold: Path, tmp_path: Path) -> None:
    sources = [Sentence.from_line(line) for line in SOURCES]
    with pytest.raises(OptionError, match="--documents FILE"):
        place_sentences(sources)
    short = tmp_path / "short.txt"
    short.write_text("a\nb\n")
    with pytest.raises(FormatError, match="2 document names, but there are 4"):
        place_sentences(sources, short)
    other = tmp_path / "other.md"
    other.write_text("### essay_id = 1\nSomething else entirely was written here.\n\n")
    with pytest.raises(FormatError, match="does not contain 4 of 4"):
        place_sentences(sources, other)
    one = Corpus(
        tuple(
            AnnotatedSentence(
                Sentence.from_line(line, id=f"x.1.{n}"), (Annotation("0", (Edit(0, 1, "A", "R"),)),)
            )
            for n, line in enumerate(SOURCES, start=1)
        )
    )
    with pytest.raises(DataError, match="there is only one"):
        redink.score(one, {"s": FIXED}, metrics=["m2"], bootstrap=10, resample="documents")


def test_few_documents_are_warned_of(gold: Path, tmp_path: Path) -> None:
    how = {"resample": "documents", "documents": gold.parent / "names.txt"}
    given = (gold, {"a": FIXED, "b": SOURCES})
    said = "only 2 documents are resampled"
    for command, more in (
        (redink.score, {"bootstrap": 100}),
        (redink.compare, {"samples": 100}),
        (redink.report, {"bootstrap": 10, "output": tmp_path / "page.html"}),
    ):
        with pytest.warns(RedinkWarning, match=said):
            table = command(*given, metrics=["m2"], **more, **how)  # type: ignore[operator]
        assert any(said in note for note in table.notes)
    with pytest.warns(RedinkWarning, match=said):
        document_numbers(["a.1.1", "b.1.1"], None)


def test_many_documents_are_not_warned_of(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    names = tmp_path / "names.txt"
    names.write_text("".join(f"{number // 2}\n" for number in range(40)))
    how = {"resample": "documents", "documents": names, "metrics": ["gleu"]}
    texts = [f"This is number {number} ." for number in range(40)]
    redink.score(source=texts, references=[texts], systems={"s": texts}, bootstrap=10, **how)
    assert not [each for each in recwarn if "documents" in str(each.message)]


def test_judgments_may_draw_documents(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    labels = (
        (item, judge, "good" if judge == "x" or item // 10 % 2 else "bad")
        for item in range(40)
        for judge in "xy"
    )
    rows = "".join(f"d{item // 10}.1.{item + 1},{judge},{label}\n" for item, judge, label in labels)
    path.write_text(f"item,judge,label\n{rows}")
    narrow = redink.agreement(path, bootstrap=300)
    wide = redink.agreement(path, bootstrap=300, resample="documents")
    width = [
        next(r["high"] - r["low"] for r in t.rows if r["statistic"] == "observed_agreement")
        for t in (narrow, wide)
    ]
    assert width[1] > 1.5 * width[0]
    ratings = tmp_path / "ratings.csv"
    rows = "".join(f"{n + 1},A,x,{1 + n // 10}\n{n + 1},B,x,2\n" for n in range(40))
    ratings.write_text(f"sentence,system,judge,rating\n{rows}")
    names = tmp_path / "names.txt"
    names.write_text("".join(f"d{number // 10}\n" for number in range(40)))
    ranges = [
        next(r["high"] - r["low"] for r in redink.rank(ratings, **how).rows if r["system"] == "A")
        for how in ({}, {"resample": "documents", "documents": names})
    ]
    assert ranges[1] > 1.5 * ranges[0]


def test_ids_of_judged_sentences() -> None:
    assert document_numbers(["a.1.1", "b.1.1", "a.1.2"], None).tolist() == [0, 1, 0]
    with pytest.raises(OptionError, match="'7' does not contain a document name"):
        document_numbers(["7"], None)
