"""The application of ``redink explore``, asked directly."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from redink.commands.report import ReportOptions, make_report
from redink.explore.app import create_app
from redink.inputs import read_corpus
from redink.web.headers import HEADERS

EXAMPLES = Path(str(files("redink") / "examples"))


@pytest.fixture(scope="module")
def client() -> TestClient:
    systems = {name: EXAMPLES / f"{name}.txt" for name in ("careful", "eager")}
    reported = make_report(
        EXAMPLES / "gold.m2",
        systems,
        command="explore",
        contents=ReportOptions(metrics=["errant"], bootstrap=0),
    )
    return TestClient(create_app(reported, hosts=["testserver"]))


def test_every_answer_has_the_headers(client: TestClient) -> None:
    for path in ("/", "/report.js", "/sentences", "/sentences.m2", "/nothing", "/sentences?page=x"):
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, path


def test_the_page_holds_no_sentence(client: TestClient) -> None:
    page = client.get("/").text
    assert "penguin" not in page
    assert '<script src="report.js">' in page
    assert "<style>" not in page


def test_sentences_come_in_pages(client: TestClient) -> None:
    first = client.get("/sentences").json()
    assert first["found"] == 64
    assert [number for number, _ in first["sentences"]] == list(range(10))
    last = client.get("/sentences?page=999").json()
    assert last["page"] == 6
    assert [number for number, _ in last["sentences"]] == [60, 61, 62, 63]
    assert len(client.get("/sentences?size=1000").json()["sentences"]) == 64
    assert len(client.get("/sentences?size=-1").json()["sentences"]) == 1


@pytest.mark.parametrize("query", ["page=x", "size=1.5", "words=" + "a" * 1001])
def test_nonsense_is_refused_in_a_sentence(client: TestClient, query: str) -> None:
    """400, not a failure."""
    answer = client.get(f"/sentences?{query}")
    assert answer.status_code == 400
    assert answer.text.endswith(".")


def test_downloads_follow_the_filter(client: TestClient, tmp_path: Path) -> None:
    """JSON lines with every edit and verdict; M2 that is read back as the same sentences."""
    query = "words=penguin"
    lines = client.get(f"/sentences.jsonl?{query}").text.splitlines()
    objects = [json.loads(line) for line in lines]
    assert [one["number"] for one in objects] == [20, 21]
    assert set(objects[0]["systems"]) == {"careful", "eager"}
    assert {"start", "end", "correction", "type", "verdict"} == set(
        objects[0]["systems"]["eager"][0]
    )
    path = tmp_path / "some.m2"
    path.write_text(client.get(f"/sentences.m2?{query}").text, encoding="utf-8")
    gold = read_corpus(EXAMPLES / "gold.m2").sentences
    assert read_corpus(path).sentences == (gold[19], gold[20])


def test_counts_of_the_leaderboard_are_those_of_the_sentences(client: TestClient) -> None:
    board = client.get("/tables/leaderboard.json").json()["rows"]
    lines = client.get("/sentences.jsonl").text.splitlines()
    assert {row["system"] for row in board} == {"careful", "eager"}
    for row in board:
        verdicts = [
            e["verdict"] for one in lines for e in json.loads(one)["systems"][row["system"]]
        ]
        assert {v.lower(): verdicts.count(v) for v in ("TP", "FP", "FN")} == {
            name: row[name] for name in ("tp", "fp", "fn")
        }


def test_other_names_of_this_machine_are_refused(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400


def test_an_unknown_table_is_not_found(client: TestClient) -> None:
    answer = client.get("/tables/nothing.json")
    assert answer.status_code == 404
    assert "leaderboard" in answer.text
