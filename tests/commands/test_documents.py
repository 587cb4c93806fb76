"""Documents: which sentences hang together, and samples that draw them whole."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

import redink
from redink.commands.report import ReportOptions, make_report
from redink.errors import DataError, FormatError, OptionError, RedinkWarning
from redink.explore.app import create_app
from redink.inputs.document_ids import document_numbers, place_sentences
from redink.inputs.input_options import DocumentOptions
from redink.model import AnnotatedSentence, Annotation, Corpus, Edit, Sentence
from redink.statistics.resampling import draw_bootstrap_blocks, draw_swaps

SOURCES = ["This are it .", "He go home .", "They goes out .", "All is well ."]
FIXED = ["This is it .", "He go home .", "They go out .", "All is well ."]
NAMES = ["a", "a", "b", "b"]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    spans = [(1, 2, "is"), (1, 2, "goes"), (1, 2, "go"), None]
    path = tmp_path / "gold.m2"
    path.write_text(
        "".join(
            f"S {source}\n"
            + (
                f"A {span[0]} {span[1]}|||R:VERB|||{span[2]}|||REQUIRED|||-NONE-|||0\n\n"
                if span
                else "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
            )
            for source, span in zip(SOURCES, spans, strict=True)
        )
    )
    (tmp_path / "names.txt").write_text("a\na\nb\nb\n")
    (tmp_path / "essays.md").write_text(
        "### essay_id = first\nThis are it.\nHe go home.\n\n"
        "### essay_id = second\nThey goes out. All is\nwell.\n\n"
    )
    return path


def test_a_sample_of_documents_draws_every_sentence_of_a_document_as_often() -> None:
    """Weights are equal within a document, and count documents."""
    groups = np.array([0, 0, 1, 2, 2, 2])
    (weights,) = draw_bootstrap_blocks(6, 50, np.random.default_rng(1), groups=groups)
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 5]).all()
    assert (weights[:, [0, 2, 3]].sum(axis=1) == 3).all()
    swaps = draw_swaps(6, 50, np.random.default_rng(1), groups=groups)
    assert (swaps[:, 3] == swaps[:, 4]).all()
    assert not (swaps[:, 0] == swaps[:, 2]).all()


def test_intervals_may_draw_documents(gold: Path) -> None:
    """The counts stay, the interval is another, and the note and the signature say so."""
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
    """A row for all, then a row for every document, in their order; counts add up."""
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
    assert table.rows[0]["p_randomisation"] > 0.3


def test_ids_name_documents() -> None:
    """DOCUMENT.PARAGRAPH.NUMBER: sentences of a paragraph share a line of the text."""
    ids = ["x.1.1", "x.1.2", "x.2.1", "y.1.1"]
    sources = [Sentence.from_line(line, id=i) for line, i in zip(SOURCES, ids, strict=True)]
    placed = place_sentences(sources)
    assert placed.names == ("x", "x", "x", "y")
    assert placed.texts["x"] == "This are it . He go home .\nThey goes out ."
    for line, name, (start, end) in zip(SOURCES, placed.names, placed.spans, strict=True):
        assert placed.texts[name][start:end] == line


def test_sentences_are_found_in_documents_as_written(gold: Path) -> None:
    """Every span points to the sentence in the raw text, line breaks and all."""
    sources = [Sentence.from_line(line) for line in SOURCES]
    placed = place_sentences(sources, gold.parent / "essays.md")
    found = [
        placed.texts[name][start:end]
        for name, (start, end) in zip(placed.names, placed.spans, strict=True)
    ]
    assert found == ["This are it.", "He go home.", "They goes out.", "All is\nwell."]


def test_tokens_are_found_in_documents_as_written(gold: Path) -> None:
    """Every token is found in the document as written."""
    sources = [Sentence.from_line(line) for line in SOURCES]
    placed = place_sentences(sources, gold.parent / "essays.md")
    for number, source in enumerate(sources):
        name = placed.names[number]
        for at, (start, end) in enumerate(placed.token_offsets(number)):
            assert placed.texts[name][start:end] == source.tokens[at]


def test_a_report_shows_documents_as_written(gold: Path, tmp_path: Path) -> None:
    """The page has every essay, where its tokens stand in it, and a table by document."""
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
    """Its text, the places of its tokens and everybody's edits; another number is not found."""
    reported = make_report(
        gold,
        {"fixed": FIXED},
        command="explore",
        document_options=DocumentOptions(documents=gold.parent / "essays.md"),
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
    """No ids, another number of lines, one document, documents of another corpus."""
    sources = [Sentence.from_line(line) for line in SOURCES]
    with pytest.raises(OptionError, match="--documents FILE"):
        place_sentences(sources)
    short = tmp_path / "short.txt"
    short.write_text("a\nb\n")
    with pytest.raises(FormatError, match="2 sentences, there are 4"):
        place_sentences(sources, short)
    other = tmp_path / "other.md"
    other.write_text("### essay_id = 1\nSomething else entirely was written here.\n\n")
    with pytest.raises(FormatError, match="does not have"):
        place_sentences(sources, other)
    one = Corpus(
        tuple(
            AnnotatedSentence(
                Sentence.from_line(line, id=f"x.1.{n}"), (Annotation("0", (Edit(0, 1, "A", "R"),)),)
            )
            for n, line in enumerate(SOURCES, start=1)
        )
    )
    with pytest.raises(DataError, match="one document only"):
        redink.score(one, {"s": FIXED}, metrics=["m2"], bootstrap=10, resample="documents")


def test_few_documents_are_warned_of(gold: Path, tmp_path: Path) -> None:
    """Samples of two documents say little about others: in every command that draws them."""
    how = {"resample": "documents", "documents": gold.parent / "names.txt"}
    given = (gold, {"a": FIXED, "b": SOURCES})
    said = "drawn from only 2 documents"
    with pytest.warns(RedinkWarning, match=said):
        table = redink.score(*given, metrics=["m2"], bootstrap=100, **how)
    assert any(said in note for note in table.notes)
    with pytest.warns(RedinkWarning, match=said):
        table = redink.compare(*given, metrics=["m2"], samples=100, **how)
    assert any(said in note for note in table.notes)
    with pytest.warns(RedinkWarning, match=said):
        table = redink.report(*given, tmp_path / "page.html", metrics=["m2"], bootstrap=10, **how)
    assert any(said in note for note in table.notes)
    with pytest.warns(RedinkWarning, match=said):
        document_numbers(["a.1.1", "b.1.1"], None)


def test_many_documents_are_not_warned_of(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Twenty documents are enough."""
    names = tmp_path / "names.txt"
    names.write_text("".join(f"{number // 2}\n" for number in range(40)))
    how = {"resample": "documents", "documents": names, "metrics": ["gleu"]}
    texts = [f"This is number {number} ." for number in range(40)]
    redink.score(source=texts, references=[texts], systems={"s": texts}, bootstrap=10, **how)
    assert not [each for each in recwarn if "documents" in str(each.message)]


def test_judgments_may_draw_documents(tmp_path: Path) -> None:
    """Agreement and rankings of ratings: wider where the items of a document go together."""
    path = tmp_path / "labels.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["item", "judge", "label"])
        for item in range(40):
            document = item // 10
            for judge in "xy":
                label = "good" if (judge == "x") or document % 2 else "bad"
                writer.writerow([f"d{document}.1.{item + 1}", judge, label])
    narrow = redink.agreement(path, bootstrap=300)
    wide = redink.agreement(path, bootstrap=300, resample="documents")
    width = [
        next(r["high"] - r["low"] for r in t.rows if r["statistic"] == "observed_agreement")
        for t in (narrow, wide)
    ]
    assert width[1] > 1.5 * width[0]
    ratings = tmp_path / "ratings.csv"
    with ratings.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["sentence", "system", "judge", "rating"])
        for number in range(40):
            for system, value in (("A", 1 + number // 10), ("B", 2)):
                writer.writerow([number + 1, system, "x", value])
    names = tmp_path / "names.txt"
    names.write_text("".join(f"d{number // 10}\n" for number in range(40)))
    ranges = [
        next(r["high"] - r["low"] for r in redink.rank(ratings, **how).rows if r["system"] == "A")
        for how in ({}, {"resample": "documents", "documents": names})
    ]
    assert ranges[1] > 1.5 * ranges[0]


def test_ids_of_judged_sentences() -> None:
    """An id that names no document is told, with the way out."""
    assert document_numbers(["a.1.1", "b.1.1", "a.1.2"], None).tolist() == [0, 1, 0]
    with pytest.raises(OptionError, match="'7' does not name a document"):
        document_numbers(["7"], None)
