"""The metric ``llm`` with a scripted model: protocols, aggregation, positions, failures."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from tests.language_models.scripted_server import ScriptedServer, prompt_of, serve

import redink
from redink.scoring.specs import parse_metric

SOURCE = [f"This are sentence number {n} ." for n in range(40)]
SYSTEMS = {
    "best": [line.replace("are", "is") for line in SOURCE],
    "half": [line.replace("are", "is") if n % 2 else line for n, line in enumerate(SOURCE)],
    "none": SOURCE,
    "worse": [line.replace("are", "be") for line in SOURCE],
}
GOLD = SYSTEMS["best"]
Row = dict[str, Any]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def targets_of(request: dict[str, Any]) -> list[str]:
    return re.findall(r"^\d\. (.*)$", prompt_of(request), re.MULTILINE)


def quality(text: str) -> int:
    return 5 if " is " in text or "→is]" in text else 1 if " be " in text or "→be]" in text else 2


def rate(request: dict[str, Any], before: int = 0) -> str:
    scores = enumerate(map(quality, targets_of(request)), start=1)
    return json.dumps({f"target_score{place}": score for place, score in scores})


def rank(request: dict[str, Any], before: int = 0) -> str:
    found = [quality(text) for text in targets_of(request)]
    ranks = [1 + sum(other > one for other in found) for one in found]
    return json.dumps({f"rank{place}": one for place, one in enumerate(ranks, start=1)})


def run(server: ScriptedServer, systems: Any = None, **options: Any) -> redink.Table:
    said = {"endpoint": server.url, "model": "m", **options}
    spec = f"llm({','.join(f'{name}={value}' for name, value in said.items())})"
    return redink.score(
        source=SOURCE, references=[GOLD], systems=systems or SYSTEMS, metrics=[spec]
    )


def scores(table: redink.Table) -> dict[str, float]:
    return {row["system"]: row["score"] for row in table.rows}


@pytest.mark.parametrize("protocol", ["rate", "edits"])
def test_ratings_are_means_of_1_to_5(protocol: str) -> None:
    with serve(rate) as server:
        table = run(server, protocol=protocol)
        run(server, protocol=protocol)
    assert scores(table) == {"best": 5, "half": 3.5, "none": 2, "worse": 1}
    assert len(server.requests) == len(SOURCE)
    assert all(row["rated"] == 40 for row in table.rows)


def test_edits_are_shown_in_place() -> None:
    with serve(rate) as server:
        run(server, protocol="edits")
    (targets,) = [t for t in map(targets_of, server.requests) if "number 8 ." in t[0]]
    assert targets == [f"This {be} sentence number 8 ." for be in ("[are→be]", "[are→is]", "are")]


def test_expected_wins_and_rankings_are_those_of_redink_rank(tmp_path: Path) -> None:
    with serve(rank) as server:
        found = scores(run(server, protocol="rank", rankings="r.jsonl"))
    ranked = redink.rank(tmp_path / "r.jsonl")
    assert {row["system"]: row["score"] for row in ranked.rows} == found
    # best beats none on all sentences, worse on all, and half where that is unchanged
    assert found == {
        "best": 1,
        "half": pytest.approx(2 / 3),
        "none": pytest.approx(1 / 3),
        "worse": 0,
    }
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert len(lines) == 3 * len(SOURCE)
    assert {"rank": 1, "systems": ["best", "half"]} in lines[3]["outputs"]


def test_every_output_is_once_at_every_position() -> None:
    with serve(rank) as server:
        run(server, protocol="rank")
    seen: dict[str, Counter[int]] = defaultdict(Counter)
    for request in server.requests:
        for place, text in enumerate(targets_of(request)):
            seen[text][place] += 1
    assert all(counts == {0: 1, 1: 1, 2: 1} for counts in seen.values())


def test_position_bias_cancels_out_and_is_noted() -> None:
    """A judge who always prefers the first output makes all systems equal."""

    def first(request: dict[str, Any], before: int) -> str:
        return json.dumps({f"rank{n + 1}": 1 + (n > 0) for n in range(len(targets_of(request)))})

    with serve(first) as server:
        table = run(
            server, {name: SYSTEMS[name] for name in ("best", "none", "worse")}, protocol="rank"
        )
    assert scores(table) == {"best": 0.5, "none": 0.5, "worse": 0.5}
    assert any("shown first score +1.00 above" in note for note in table.notes)


def test_five_most_frequent_outputs_are_asked() -> None:
    """Outputs of more systems first; the systems of the others have no score in this sentence."""
    source = ["a b ."]
    systems = {f"s{n}": [f"a {text} ."] for n, text in enumerate("xyzuvwx")}
    with serve(rate) as server:
        metric = f"llm(endpoint={server.url},model=m)"
        table = redink.score(source=source, references=[source], systems=systems, metrics=[metric])
    assert targets_of(server.requests[0]) == [f"a {text}." for text in "uvxyz"]
    assert [row["system"] for row in table.rows if row["score"] is None] == ["s5"]


def test_invalid_replies_are_left_out_and_counted() -> None:
    def script(request: dict[str, Any], before: int) -> str:
        bad = "number 7" in str(request["messages"][0]["content"])
        return '{"target_score1": 9, "target_score2": "5"}' if bad else rate(request)

    with serve(script) as server:
        table = run(server)
    assert scores(table)["best"] == 5
    assert {row["rated"] for row in table.rows} == {39}
    assert any("1 of 40 requests without a valid reply" in note for note in table.notes)


def test_sentence_scores_and_intervals(tmp_path: Path) -> None:
    with serve(rate) as server:
        metric = f"llm(endpoint={server.url},model=m,aggregate=expected-wins)"
        given: dict[str, Any] = {"source": SOURCE, "references": [GOLD], "systems": SYSTEMS}
        table = redink.score(
            **given, metrics=[metric], bootstrap=50, sentences=tmp_path / "s.jsonl"
        )
    half = next(row for row in table.rows if row["system"] == "half")
    assert half["low"] <= half["score"] <= half["high"]
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    of_half = [line["score"] for line in lines if line["system"] == "half"]
    # against best, none and worse: a loss, a tie and a win; or a tie and two wins
    assert of_half == [pytest.approx((0.5, 2.5 / 3)[n % 2]) for n in range(40)]


def test_aspects_change_the_prompt() -> None:
    with serve(rate) as server:
        for aspect in ("grammaticality", "fluency", "meaning"):
            run(server, aspect=aspect)
    assert len(set(server.prompts())) == len(server.requests) == 3 * len(SOURCE)


def test_a_dry_run_asks_nothing(tmp_path: Path) -> None:
    with serve(rate) as server:
        table = run(server, dry_run="true", price="1+2")
    assert not server.requests
    assert any("requests 40" in note and "cost" in note for note in table.notes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("llm", "needs a model"),
        ("llm(endpoint=http://h/v1,model=m,aspect=impact)", "has no aspect impact"),
        ("llm(endpoint=http://u:p@h/v1,model=m)", "must not contain a password"),
        ("llm(endpoint=http://h/v1,model=m,max_cost=1)", "price"),
        ("llm(endpoint=http://h/v1,model=m,protocol=best)", "protocol"),
    ],
)
def test_wrong_options(spec: str, problem: str) -> None:
    with pytest.raises(redink.OptionError, match=problem):
        parse_metric(spec)
