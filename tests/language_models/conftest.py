"""A model at a scripted server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.language_models.scripted_server import ScriptedServer, Start, serve

from redink.language_models.client import LanguageModel, ModelOptions
from redink.language_models.reply_store import ReplyStore


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start a server; retries wait for a few milliseconds only."""
    monkeypatch.setattr("redink.language_models.client._FIRST_WAIT", 0.01)
    with ExitStack() as running:
        yield lambda script: running.enter_context(serve(script))


@pytest.fixture
def connect(tmp_path: Path) -> Callable[..., LanguageModel]:
    """Make a model whose replies are in ``replies.jsonl``."""

    def make(server: ScriptedServer, **options: object) -> LanguageModel:
        asking = ModelOptions(**options)  # type: ignore[arg-type]
        store = ReplyStore(tmp_path / "replies.jsonl", asking.budget())
        return LanguageModel(server.url, "m", asking, store)

    return make
