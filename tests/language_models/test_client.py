"""The client of language models, against a real server: what it asks, stores, spends and shows."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.language_models.scripted_server import Answer, Start, prompt_of

from redink.errors import FormatError, OptionError, RedinkError
from redink.language_models.client import LanguageModel, ModelOptions, Request
from redink.language_models.endpoints import read_endpoint
from redink.language_models.prompts import Prompt, ReplyError, object_schema, read_object
from redink.language_models.reply_store import Budget, BudgetError, ReplyStore

Connect = Callable[..., LanguageModel]
KEY = "sk-very-secret-0123456789"


def ask_all(model: LanguageModel, number: int) -> list[str]:
    with model:
        requests = [Request.of(f"q{n}") for n in range(number)]
        return [reply.text for reply in model.each(model.ask, requests, "asked")]


def echo(request: dict[str, Any], _before: int) -> str:
    return f"reply to {prompt_of(request)}"


def test_a_second_run_asks_nothing(start: Start, connect: Connect) -> None:
    """The replies are those of the file, in the order of the requests."""
    server = start(echo)
    first = ask_all(connect(server), 20)
    assert first == [f"reply to q{n}" for n in range(20)]
    assert ask_all(connect(server), 20) == first
    assert len(server.requests) == 20


def test_model_parameters_and_sample_are_in_the_key(start: Start, connect: Connect) -> None:
    """Another temperature, seed, length or sample number is another request."""
    server = start(echo)
    for options in ({}, {"temperature": 1.0}, {"seed": 2}, {"reply_tokens": 9}, {}):
        with connect(server, **options) as model:
            model.ask(Request.of("q"))
            model.ask(Request.of("q", sample=2))
    assert len(server.requests) == 8
    assert [one["seed"] for one in server.requests[:2]] == [1, 2]


def test_equal_requests_are_sent_once(start: Start, connect: Connect) -> None:
    """Also if they are made at the same time."""
    server = start(lambda *_: Answer("x", delay=0.05))
    with connect(server, concurrency=16) as model:
        model.each(model.ask, [Request.of("same")] * 16, "asked")
    assert len(server.requests) == 1


FAULTS = {
    "rate limit": Answer(status=429, headers={"retry-after": "0.05"}),
    "server error": Answer(status=503, body=b"<html>down</html>"),
    "dropped": Answer(drop=True),
    "cut": Answer("half", cut=True),
    "not JSON": Answer(body=b"{nonsense"),
    "no choices": Answer(body=b'{"error": {"message": "overloaded"}}'),
    "wrong types": Answer(body=b'{"choices": [{"message": {"content": 7}}]}'),
    "late": Answer("late", delay=0.5),
}


def test_faults_are_repeated(start: Start, connect: Connect) -> None:
    """Every fault of a server or of the network is followed by another attempt."""
    faults = list(FAULTS.values())

    def script(request: dict[str, Any], before: int) -> Answer | str:
        return "good" if before else faults[int(prompt_of(request)[1:]) % len(faults)]

    server = start(script)
    assert ask_all(connect(server, timeout=0.3), 16) == ["good"] * 16
    assert len(server.requests) == 32


def test_all_requests_wait_if_the_server_asks_for_it(start: Start, connect: Connect) -> None:
    """No request is sent before the time that Retry-After names."""
    times: list[float] = []

    def script(request: dict[str, Any], before: int) -> Answer | str:
        times.append(time.monotonic())
        return Answer(status=429, headers={"retry-after": "0.3"}) if len(times) == 1 else "good"

    ask_all(connect(start(script), concurrency=1), 5)
    assert min(times[1:]) - times[0] >= 0.3


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(status=500), "answered HTTP 500"),
        (Answer(status=401, body=b'{"error": {"message": "no such key"}}'), "no such key"),
        (Answer(status=404), "answered HTTP 404"),
        (Answer(status=400, body=b'{"error": "unknown model"}'), "HTTP 400: unknown model"),
        (Answer(status=429, headers={"retry-after": "9999"}), "asks to wait 9999 seconds"),
        (Answer(drop=True), "closed the connection"),
    ],
)
def test_an_endpoint_that_fails_is_one_sentence(
    start: Start, connect: Connect, answer: Answer, said: str
) -> None:
    """The message says what the endpoint answered, also if all requests are rejected."""
    with pytest.raises(RedinkError, match=re.escape(said)):
        ask_all(connect(start(lambda *_: answer), retries=1), 3)


def test_a_rejected_request_does_not_end_the_run(start: Start, connect: Connect) -> None:
    """One prompt that the endpoint rejects is stored as rejected, and not sent again."""

    def script(request: dict[str, Any], before: int) -> Answer | str:
        is_bad = prompt_of(request) == "q3"
        return Answer(status=400, body=b'{"error": "filtered"}') if is_bad else "good"

    server = start(script)
    first = ask_all(connect(server), 6)
    assert [text for text in first if text != "good"] == [first[3]]
    assert ask_all(connect(server), 6) == first
    assert len(server.requests) == 6


# ---- the budget


@pytest.mark.parametrize("fault", [None, Answer(status=500), Answer("x", cut=True)])
def test_the_number_of_requests_is_never_exceeded(
    start: Start, connect: Connect, fault: Answer | None
) -> None:
    """Attempts, requests in flight and those of earlier runs count."""

    def script(request: dict[str, Any], before: int) -> Answer | str:
        return fault if fault and not before else Answer("good", delay=0.01)

    server = start(script)
    for most in (7, 7, 12):
        with pytest.raises(BudgetError, match=f"--max-requests {most}"):
            ask_all(connect(server, concurrency=16, max_requests=most), 40)
        assert len(server.requests) <= most
    assert len(server.requests) == 12


@pytest.mark.parametrize(
    ("limit", "price"), [({"max_tokens": 900}, (1, 1)), ({"max_cost": 0.0018}, (1, 4))]
)
def test_tokens_and_cost_are_never_exceeded(
    start: Start, connect: Connect, limit: dict[str, float], price: tuple[float, float]
) -> None:
    """The largest possible usage of requests in flight counts, and that of lost replies."""

    def script(request: dict[str, Any], before: int) -> Answer:
        is_lost = prompt_of(request).endswith("5") and not before
        return Answer("good", tokens=(30, 40), delay=0.01, cut=is_lost)

    server = start(script)
    with pytest.raises(BudgetError):
        ask_all(connect(server, concurrency=16, reply_tokens=40, price=price, **limit), 60)
    used = len(server.requests) * (30 * price[0] + 40 * price[1])
    most = limit.get("max_tokens") or limit["max_cost"] * 1e6
    assert most / 3 < used <= most


def test_interrupted_requests_count(tmp_path: Path) -> None:
    """A request without an outcome counts as sent, with all its tokens, also after a restart."""
    path = tmp_path / "replies.jsonl"
    killed = ReplyStore(path)
    killed.begin("a", {}, (100, 50))
    killed.close()
    again = ReplyStore(path, Budget(tokens=200))
    with pytest.raises(BudgetError, match="--max-tokens 200"):
        again.begin("b", {}, (40, 20))


# ---- the file of replies


def test_a_cut_last_line_is_removed(start: Start, connect: Connect, tmp_path: Path) -> None:
    """A line that a killed process left incomplete costs one request; other damage is an error."""
    server, path = start(echo), tmp_path / "replies.jsonl"
    first = ask_all(connect(server, concurrency=1), 3)
    path.write_bytes(path.read_bytes()[:-9])
    assert ask_all(connect(server), 3) == first
    assert len(server.requests) == 4
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(FormatError, match=r"replies\.jsonl:1: is not a line of a replies file"):
        connect(server)


def test_one_process_uses_the_file(tmp_path: Path) -> None:
    """A second one is told so, before it asks anything."""
    one, other = ReplyStore(tmp_path / "r.jsonl"), ReplyStore(tmp_path / "r.jsonl")
    one.begin("a", {}, (1, 1))
    with pytest.raises(RedinkError, match="used by another process"):
        other.begin("b", {}, (1, 1))
    one.close()
    with pytest.raises(RedinkError, match="changed by another process"):
        other.begin("b", {}, (1, 1))


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_the_key_is_written_nowhere(
    start: Start, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """A server that repeats the key in replies and errors gets it into no file or message."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    body = json.dumps({"error": {"message": f"invalid key {KEY}"}}).encode()
    server = start(lambda *_: Answer(f"you sent {KEY}", status, body if status > 200 else None))
    said = ""
    try:
        said = str(ask_all(connect(server, retries=1), 2))
    except RedinkError as error:
        said = str(error) + str(error.__cause__)
    assert server.keys == {f"Bearer {KEY}"}
    written = (tmp_path / "replies.jsonl").read_text("utf-8")
    assert "***" in said
    assert KEY not in said + written


def test_keys_in_the_environment(start: Start, connect: Connect, monkeypatch: Any) -> None:
    """REDINK_API_KEY is used before OPENAI_API_KEY; invalid characters are not shown."""
    server = start(echo)
    monkeypatch.setenv("OPENAI_API_KEY", "general")
    monkeypatch.setenv("REDINK_API_KEY", f"{KEY}\n")
    ask_all(connect(server), 1)
    assert server.keys == {f"Bearer {KEY}"}
    monkeypatch.setenv("REDINK_API_KEY", f"{KEY}\x07é")
    with pytest.raises(OptionError, match="REDINK_API_KEY contains characters") as raised:
        connect(server)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    "endpoint",
    ["", "x", "ftp://h", "http://", "http://h:99999", f"http://u:{KEY}@h", f"http://h?k={KEY}"],
)
def test_invalid_endpoints(endpoint: str) -> None:
    """The message does not repeat a password or key."""
    with pytest.raises(OptionError) as raised:
        read_endpoint(endpoint)
    assert KEY not in str(raised.value)


# ---- replies


def test_parameters_that_an_endpoint_rejects_are_left_out(start: Start, connect: Connect) -> None:
    """JSON schema, seed and the old name of max_tokens; later requests do not have them."""

    def script(request: dict[str, Any], before: int) -> Answer | str:
        for name in ("response_format", "seed", "max_tokens"):
            if name in request:
                said = "" if name == "response_format" else f"Unsupported parameter: {name}"
                return Answer(status=400, body=json.dumps({"error": {"message": said}}).encode())
        return '{"a": 1}'

    server = start(script)
    with connect(server, reply_tokens=77) as model:
        for prompt in ("one", "two"):
            request = Request.of(prompt, object_schema({"a": {"type": "integer"}}))
            assert model.ask_for(request, read_object) == {"a": 1}
    assert len(server.requests) == 5
    assert server.requests[-1]["max_completion_tokens"] == 77


def test_an_invalid_reply_is_repaired_once(start: Start, connect: Connect) -> None:
    """The model sees its reply and the problem; a second invalid reply is an error."""
    replies = {"good": ["no", '```json\n{"a": 1}\n```'], "bad": ["no", "[1]", "never asked"]}

    def script(request: dict[str, Any], before: int) -> str:
        return replies[request["messages"][0]["content"]][len(request["messages"]) // 2]

    server = start(script)
    with connect(server) as model:
        assert model.ask_for(Request.of("good"), read_object) == {"a": 1}
        with pytest.raises(ReplyError):
            model.ask_for(Request.of("bad"), read_object)
    assert [len(request["messages"]) for request in server.requests] == [1, 3, 1, 3]


@pytest.mark.parametrize(
    "text", ["", "1", "[]", '{"a": NaN}', '{"a": 1, "a": 2}', 'Sure: {"a": 1}', "[" * 99_999]
)
def test_replies_that_are_no_object(text: str) -> None:
    """Only one JSON object is accepted, alone or in a code block."""
    with pytest.raises(ReplyError):
        read_object(text)


def test_an_object_after_reasoning() -> None:
    """Reasoning before the object is ignored."""
    assert read_object('<think>{"a": 2}</think>\n{"a": 1}') == {"a": 1}


def test_control_characters_are_replaced(start: Start, connect: Connect) -> None:
    """Neither NUL nor an escape sequence of a terminal reaches a file or a screen."""
    text = "a\x00b\x1b[31mc\ud800d\te\r\nf"
    body = Answer(text).content()
    assert ask_all(connect(start(lambda *_: Answer(body=body))), 1) == ["a b [31mc d\te\nf"]


# ---- programs and prompts


def test_a_program_answers(tmp_path: Path) -> None:
    """It reads the prompt on stdin; a failed one is repeated, and its last words are shown."""
    program = tmp_path / "answer.py"
    program.write_text("import sys; t = sys.stdin.read(); print(t.upper()); sys.exit('no' in t)\n")
    command = f"command:{sys.executable} {program}"
    with LanguageModel(command, "m", ModelOptions(retries=0), ReplyStore()) as model:
        assert model.ask(Request.of("früh")).text == "FRÜH"
        with pytest.raises(RedinkError, match="exit code 1"):
            model.ask(Request.of("no"))
    with pytest.raises(RedinkError, match=r"'nowhere' cannot be run"):
        LanguageModel("command:nowhere", "m", ModelOptions(), ReplyStore()).ask(Request.of("q"))


@pytest.mark.parametrize("text", ["{{ text", "{{ missing }}", "{{ text.x.y }}", "{{ 1 / 0 }}"])
def test_a_prompt_with_a_mistake(tmp_path: Path, text: str) -> None:
    """The message has the file; a template cannot reach Python."""
    path = tmp_path / "p.jinja"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"p\.jinja"):
        Prompt("minimal", path).render(text="x")
