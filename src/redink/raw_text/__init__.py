"""Raw text to the lines and tokens of its source: alignment that knows text and no language."""

from typing import Literal

NoAnswer = Literal["source", "skip", "delete"]
"""How a sentence without an answer is scored: as unchanged, not at all, or as deleted."""

Unanswered = Literal["no-answer", "refusal", "truncated", "error"]
"""Why a reply contains no answer."""
