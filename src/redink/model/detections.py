"""Per-token detection: which words a system flags, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

from redink.errors import DataError


@dataclass(frozen=True, slots=True)
class Detection:
    """One sentence with a flag, and perhaps a probability of error, for every token."""

    tokens: tuple[str, ...]
    flags: tuple[bool, ...]
    probabilities: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.flags) != len(self.tokens):
            raise DataError(f"{len(self.flags)} flags for {len(self.tokens)} tokens")
        given = self.probabilities
        if given is not None and len(given) != len(self.tokens):
            raise DataError(f"{len(given)} probabilities for {len(self.tokens)} tokens")
