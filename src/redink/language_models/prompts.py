"""Prompts: Jinja2 files, ours or the user's; and the JSON objects in replies."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from redink.errors import FormatError
from redink.files import read_text

_REASONING = re.compile(r"\A\s*<(think(?:ing)?|reasoning)>.*?</\1>", re.DOTALL)
_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)


class ReplyError(Exception):
    """A reply that is not what was asked for; the sentence is sent to the model once."""


class Prompt:
    """A template whose result is the message to the model.

    Args:
        name: the name of one of redink's own prompts.
        path: a file with the user's own prompt, to replace it.
    """

    def __init__(self, name: str, path: str | Path | None = None) -> None:
        import jinja2
        from jinja2.sandbox import SandboxedEnvironment

        own = files("redink.language_models") / "prompts" / f"{name}.jinja"
        self._place = str(path or f"prompts/{name}.jinja")
        text = own.read_text(encoding="utf-8") if path is None else read_text(path)
        self.fingerprint = hashlib.sha256(text.encode()).hexdigest()[:12]
        environment = SandboxedEnvironment(
            undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        try:
            self._template = environment.from_string(text)
        except jinja2.TemplateSyntaxError as error:
            problem = f"is not a valid Jinja2 template ({error.message})"
            raise FormatError(problem, path=self._place, line=error.lineno) from error

    def render(self, **values: Any) -> str:
        """Return the message."""
        try:
            return self._template.render(values).strip()
        except Exception as error:
            # a template can raise any error of the values that it uses
            raise FormatError(f"cannot be filled ({error})", path=self._place) from error


def read_object(text: str) -> Mapping[str, Any]:
    """Return the JSON object that a reply consists of, also in a code block or after reasoning.

    Raises:
        ReplyError: the reply is something else.
    """
    text = _REASONING.sub("", text).strip()
    if fenced := _FENCE.match(text):
        text = fenced[1]
    try:
        found = json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ReplyError("The reply must be one JSON object and nothing else.")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
