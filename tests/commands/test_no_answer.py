"""``--no-answer``, and the files that batch interfaces of language models return."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import redink
from redink.cli.main import run_here

WORDS = """cat chasing mice, dog eating bones, bird hiding seeds, fish watching worms,
    horse pulling carts, mouse finding cheese, cow carrying milk, fox stealing grapes,
    wolf hunting lambs, bear licking honey, goat chewing hay, hen picking corn"""
SOURCE = [
    f"The {noun} are {verb} {thing} near house ."
    for noun, verb, thing in map(str.split, WORDS.split(","))
]
RIGHT = [line.replace(" are ", " is ").replace("near house", "near the house") for line in SOURCE]
RAW = [line.replace(" .", ".") for line in RIGHT]
M2 = "".join(
    f"S {line}\nA 2 3|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0\n"
    "A 6 6|||M:DET|||the|||REQUIRED|||-NONE-|||0\n\n"
    for line in SOURCE
)
REFUSED, EMPTY, FAILED, CUT, FINE = 1, 3, 4, 6, 8
"""The sentences without an answer, and the one that is said to be correct."""
REPLIES: list[str | None] = [
    {
        REFUSED: "I'm sorry, but I can't assist with that.",
        EMPTY: None,
        FAILED: None,
        CUT: "The cow is carr",
        FINE: "No changes needed.",
    }.get(at, raw)
    for at, raw in enumerate(RAW)
]
UNANSWERED = {REFUSED, EMPTY, FAILED, CUT}
LINES = [SOURCE[at] if at in {*UNANSWERED, FINE} else line for at, line in enumerate(RIGHT)]
STATUSES = {
    REFUSED + 1: "refusal",
    EMPTY + 1: "no-answer",
    FAILED + 1: "error",
    CUT + 1: "truncated",
    FINE + 1: "no-change",
}


def openai(at: int, name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"id": f"batch_req_{at}", "custom_id": name, "error": None}
    if at == FAILED:
        return {**row, "response": None, "error": {"code": "server_error"}}
    message = {"role": "assistant", "content": REPLIES[at], "refusal": None}
    if at == REFUSED:
        message = {"role": "assistant", "content": None, "refusal": REPLIES[at]}
    choice = {"index": 0, "message": message, "finish_reason": "length" if at == CUT else "stop"}
    body = {"id": f"chatcmpl-{at}", "choices": [choice]}
    return {**row, "response": {"status_code": 200, "body": body}}


def responses(at: int, name: str) -> dict[str, Any]:
    if at == FAILED:
        failed = {"status_code": 500, "body": {"error": {"message": "overloaded"}}}
        return {"custom_id": name, "response": failed, "error": None}
    part: dict[str, Any] = {"type": "output_text", "text": REPLIES[at]}
    if at == REFUSED:
        part = {"type": "refusal", "refusal": REPLIES[at]}
    output = [{"type": "reasoning", "summary": []}, {"type": "message", "content": [part]}]
    body: dict[str, Any] = {"id": f"resp_{at}", "output": output, "status": "completed"}
    if at == CUT:
        body |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    return {"custom_id": name, "response": {"status_code": 200, "body": body}}


def anthropic(at: int, name: str) -> dict[str, Any]:
    if at == FAILED:
        return {"custom_id": name, "result": {"type": "errored", "error": {"type": "api_error"}}}
    content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": REPLIES[at]}]
    message = {
        "id": f"msg_{at}",
        "role": "assistant",
        "content": content if REPLIES[at] else [],
        "stop_reason": "max_tokens" if at == CUT else "end_turn",
    }
    return {"custom_id": name, "result": {"type": "succeeded", "message": message}}


def google(at: int, name: str) -> dict[str, Any]:
    if at == FAILED:
        return {"key": name, "error": {"code": 13}}
    if at == REFUSED:
        return {"key": name, "response": {"promptFeedback": {"blockReason": "SAFETY"}}}
    content = {"parts": [{"text": REPLIES[at]}], "role": "model"}
    reason = "MAX_TOKENS" if at == CUT else "STOP"
    return {"key": name, "response": {"candidates": [{"content": content, "finishReason": reason}]}}


def plain(at: int, name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"id": name, "output": REPLIES[at], "finish_reason": "stop"}
    if at == CUT:
        row["finish_reason"] = "length"
    return row | ({"error": "timeout"} if at == FAILED else {})


@pytest.fixture
def batch(tmp_path: Path) -> Callable[..., Path]:
    def write(
        make: Callable[[int, str], dict[str, Any]] = openai,
        name: str = "request-{}",
        *,
        first: int = 1,
        leave_out: tuple[int, ...] = (),
        seed: int = 3,
    ) -> Path:
        rows = [make(at, name.format(at + first)) for at in range(len(SOURCE))]
        rows = [row for at, row in enumerate(rows) if at not in leave_out]
        random.Random(seed).shuffle(rows)
        path = tmp_path / "batch.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return path

    return write


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.m2"
    path.write_text(M2)
    return path


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redink.RedinkWarning)
        yield


def statuses(found: redink.Table) -> dict[int, str]:
    return {row["sentence"]: row["status"] for row in found.rows if row["status"] != "added before"}


@pytest.mark.parametrize("first", [0, 1, 101])
@pytest.mark.parametrize("name", ["{}", "request-{}", "sentence-{:04}", "task_{}"])
@pytest.mark.parametrize("make", [openai, responses, anthropic, google, plain])
def test_a_shuffled_batch_is_read_by_its_ids(
    batch: Callable[..., Path], make: Callable[[int, str], dict[str, Any]], name: str, first: int
) -> None:
    """Rows in any order, numbered from any number, some failed: every answer has its sentence."""
    found = redink.align(SOURCE, {"model": batch(make, name, first=first)})
    assert found.lines == LINES
    assert statuses(found) == STATUSES


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("leave_out", [(2,), (0, 5), (0, 11), (11,), (0, 1, 10, 11)])
def test_a_number_that_is_missing_is_no_answer(
    batch: Callable[..., Path], first: int, leave_out: tuple[int, ...]
) -> None:
    found = redink.align(SOURCE, {"model": batch(first=first, leave_out=leave_out)})
    assert found.lines == [
        source if at in leave_out else line
        for at, (source, line) in enumerate(zip(SOURCE, LINES, strict=True))
    ]
    assert {statuses(found)[at + 1] for at in leave_out} == {"no-answer"}


def test_a_field_that_an_answer_lacks_is_no_answer(batch: Callable[..., Path]) -> None:
    field = "response.body.choices.0.message.content"
    assert redink.align(SOURCE, {"model": batch()}, field=field).lines == LINES
    with pytest.raises(redink.FormatError, match=r"has no field 'response\.body\.choice'"):
        redink.align(SOURCE, {"model": batch()}, field="response.body.choice")


def test_ids_of_the_sources_sentences(tmp_path: Path, batch: Callable[..., Path]) -> None:
    path = tmp_path / "source.jsonl"
    rows = [
        {"id": f"q{7 * at % 100}", "tokens": line.split(), "annotations": []}
        for at, line in enumerate(SOURCE)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    def named(at: int, _: str) -> dict[str, Any]:
        return openai(at, f"q{7 * at % 100}")

    assert redink.align(path, {"model": batch(named)}).lines == LINES


def test_an_id_twice_or_of_no_sentence_is_an_error(
    tmp_path: Path, batch: Callable[..., Path]
) -> None:
    text = batch().read_text()
    path = tmp_path / "again.jsonl"
    path.write_text(text + json.dumps(openai(2, "request-3")) + "\n")
    with pytest.raises(redink.DataError, match="two answers with the id 'request-3'"):
        redink.align(SOURCE, {"model": path})
    path.write_text(text + json.dumps(openai(2, "request-40")) + "\n")
    with pytest.raises(redink.DataError, match=r"'request-40'.*only 12 sentences"):
        redink.align(SOURCE, {"model": path})


def test_ids_that_number_something_else_leave_the_order(tmp_path: Path) -> None:
    """Answers in the source's order stay in it, with a warning if their ids say otherwise."""
    order = [3, 1, 2, 0, *range(4, len(RAW))]
    path = tmp_path / "answers.jsonl"
    rows = [{"id": at, "text": raw} for at, raw in zip(order, RAW, strict=True)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with pytest.warns(redink.RedinkWarning, match="in file order"):
        assert redink.align(SOURCE, {"model": path}).lines == RIGHT


def test_parts_of_a_text_are_put_in_order(tmp_path: Path) -> None:
    parts = [
        {"custom_id": f"part-{n}", "text": " ".join(RAW[4 * n : 4 * n + 4])} for n in (2, 0, 1)
    ]
    path = tmp_path / "parts.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in parts))
    assert redink.align(SOURCE, {"model": path}).lines == RIGHT


def test_a_list_with_null_is_one_answer_each(tmp_path: Path) -> None:
    answers = [None if at in {CUT, 0} else reply for at, reply in enumerate(REPLIES)]
    expected = [SOURCE[0], *LINES[1:]]
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(answers))
    assert redink.align(SOURCE, {"model": path}).lines == expected
    assert redink.align(SOURCE, {"model": answers}).lines == expected


def counts(table: redink.Table, system: str = "model") -> tuple[int, int, int]:
    row = next(row for row in table.rows if row["system"] == system)
    return row["tp"], row["fp"], row["fn"]


def test_what_a_sentence_without_an_answer_counts_as(
    gold: Path, batch: Callable[..., Path]
) -> None:
    systems = {"model": batch()}

    def score(**options: Any) -> redink.Table:
        return redink.score(gold, systems, metrics=["errant"], align=True, **options)

    with pytest.warns(redink.RedinkWarning, match="4 without an answer") as seen:
        table = score()
    assert counts(table) == (14, 0, 10)
    said = f"{seen[0].message}"
    for part in ("1 refused", "1 empty", "1 truncated", "1 failed", "counted as unchanged"):
        assert part in said
        assert any(part in note for note in table.notes)
    assert any('1 answered with "no change needed"' in note for note in table.notes)
    assert score(no_answer="source").rows == table.rows
    assert counts(score(no_answer="skip")) == (14, 0, 2)
    assert counts(score(no_answer="delete")) == (14, 4, 10)
    assert score(no_answer="skip").signature["no_answer"] == "skip"


def test_skip_leaves_a_sentence_out_for_every_system(
    gold: Path, tmp_path: Path, batch: Callable[..., Path]
) -> None:
    right = tmp_path / "right.txt"
    right.write_text("".join(f"{line}\n" for line in RIGHT))
    systems = {"model": batch(), "right": right}
    documents = [f"d{at // 3}" for at in range(len(SOURCE))]
    rows = tmp_path / "sentences.jsonl"
    skip = {"metrics": ["errant"], "align": True, "no_answer": "skip"}
    for options in ({}, {"by": "document", "documents": documents}):
        table = redink.score(gold, systems, sentences=rows, **skip, **options)
        assert counts(table, "right") == (16, 0, 0)
        assert counts(table) == (14, 0, 2)
    numbers = [json.loads(line)["sentence"] for line in rows.read_text().splitlines()]
    assert set(numbers) == {at + 1 for at in range(len(SOURCE)) if at not in UNANSWERED}
    table = redink.compare(gold, systems, samples=20, **skip)
    assert table.rows[0]["other_score"] == pytest.approx(1.25 / (1.25 + 0.25 * 2 / 14))


def test_every_command_has_the_option(
    gold: Path, tmp_path: Path, batch: Callable[..., Path]
) -> None:
    path = f"model={batch()}"
    source = tmp_path / "source.txt"
    source.write_text("".join(f"{line}\n" for line in SOURCE))
    given = ("--align", "--no-answer", "skip")
    out = tmp_path / "out.json"
    assert run_here(["score", str(gold), path, *given, "--metric", "errant", "-o", str(out)]) == 0
    assert counts_of(out) == (14, 0, 2)
    detection = ["detection", str(gold), path, *given, "--level", "correction"]
    assert run_here([*detection, "-o", str(out)]) == 0
    assert counts_of(out) == (14, 0, 2)
    report = ["report", str(gold), path, *given, "--metric", "errant", "--bootstrap", "0"]
    assert run_here([*report, "-o", str(tmp_path / "report")]) == 0
    m2 = tmp_path / "out.m2"
    annotate = ["annotate", str(source), str(tmp_path / "batch.jsonl"), *given]
    assert run_here([*annotate, "-o", str(m2)]) == 0
    assert m2.read_text().count("S ") == 8
    assert redink.align(SOURCE, {"model": batch()}, no_answer="delete").lines == [
        "" if at in UNANSWERED else line for at, line in enumerate(LINES)
    ]
    with pytest.raises(redink.OptionError):
        redink.align(SOURCE, {"model": batch()}, no_answer="skip")
    with pytest.raises(redink.OptionError, match="--align"):
        redink.score(gold, {"right": RIGHT}, no_answer="skip")


def counts_of(path: Path) -> tuple[int, int, int]:
    row = json.loads(path.read_text())["rows"][0]
    return row["tp"], row["fp"], row["fn"]


def test_skip_is_rejected_where_it_would_renumber_sentences(
    gold: Path, tmp_path: Path, batch: Callable[..., Path]
) -> None:
    systems = {"model": batch()}
    with pytest.raises(redink.OptionError, match="--show units"):
        redink.detection(gold, systems, align=True, no_answer="skip", show="units")
    path = tmp_path / "reference.jsonl"
    path.write_text(batch().read_text())
    with pytest.raises(redink.DataError, match="works only for systems"):
        redink.score(
            source=SOURCE, references=[path], systems={"right": RIGHT}, align=True, no_answer="skip"
        )


@pytest.mark.parametrize("no_answer", ["source", "skip", "delete"])
def test_a_campaign_shows_no_refusal(
    tmp_path: Path, batch: Callable[..., Path], no_answer: str
) -> None:
    source = tmp_path / "source.txt"
    source.write_text("".join(f"{line}\n" for line in SOURCE))
    other = tmp_path / "other.txt"
    other.write_text("".join(f"{line}\n" for line in RIGHT))
    place = tmp_path / "campaign.db"
    from redink.campaign.campaign_commands import create
    from redink.campaign.store import CampaignStore

    systems = {"model": batch(), "other": other}
    create(place, systems, task="ranking", source=source, align=True, no_answer=no_answer)
    store = CampaignStore.open(place)
    shown = {item.payload["sentence"]: item.payload["outputs"] for item in store.items()}
    store.close()
    assert not any("sorry" in output["text"] for outputs in shown.values() for output in outputs)
    assert (REFUSED in shown) == (no_answer != "skip")
    assert 0 in shown
