"""A server on a real socket that speaks the protocol of OpenAI, with a script for its replies."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """A reply: its text, or the body and status of an error, and what goes wrong."""

    text: str = ""
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False  # close the connection in place of a reply
    cut: bool = False  # close it in the middle of the reply
    tokens: tuple[int, int] = (10, 5)
    ending: str = "stop"
    more: dict[str, Any] = field(default_factory=dict)

    def content(self) -> bytes:
        if self.body is not None:
            return self.body
        usage = dict(zip(("prompt_tokens", "completion_tokens"), self.tokens, strict=True))
        message = {"role": "assistant", "content": self.text}
        choice = {"index": 0, "message": message, "finish_reason": self.ending}
        return json.dumps(
            {"model": "m-1", "choices": [choice], "usage": usage} | self.more
        ).encode()


Script = Callable[[dict[str, Any], int], "Answer | str"]
"""From a request, and how often its prompt was asked before, to the answer."""


@dataclass
class ScriptedServer:
    script: Script
    requests: list[dict[str, Any]] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)  # prompts whose answer was sent completely
    keys: set[str] = field(default_factory=set)
    busy: list[tuple[float, int]] = field(default_factory=list)  # time, and requests in progress
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    now: int = 0

    def change(self, step: int) -> None:
        with self.lock:
            self.now += step
            self.busy.append((time.monotonic(), self.now))

    def prompts(self) -> list[str]:
        return [prompt_of(request) for request in self.requests]


Start = Callable[[Script], ScriptedServer]


def prompt_of(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"])


@contextmanager
def serve(script: Script) -> Iterator[ScriptedServer]:
    scripted = ScriptedServer(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            scripted.change(1)
            try:
                self.reply()
            except OSError:
                self.close_connection = True  # the client was killed
            finally:
                scripted.change(-1)

        def reply(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            request = json.loads(body)
            assert self.path == "/v1/chat/completions"
            with scripted.lock:
                before = scripted.prompts().count(prompt_of(request))
                scripted.requests.append(request)
                scripted.keys.add(self.headers.get("authorization", ""))
            answer = scripted.script(request, before)
            if isinstance(answer, str):
                answer = Answer(answer)
            time.sleep(answer.delay)
            if answer.drop:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            content = answer.content()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if answer.cut else content)
            if answer.cut:
                self.close_connection = True
                return
            with scripted.lock:
                scripted.answered.append(prompt_of(request))

        def log_message(self, *_given: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    scripted.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield scripted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
