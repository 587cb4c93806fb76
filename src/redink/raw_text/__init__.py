"""Align raw text with the lines and tokens of its source, independent of the language."""

from typing import Literal

NoAnswer = Literal["source", "skip", "delete"]
"""How a sentence without an answer is scored: as unchanged, not at all, or as deleted."""

Unanswered = Literal["no-answer", "refusal", "truncated", "error"]
"""The reason why a reply contains no answer."""
