"""Signatures: what made a result, so that the same signature gives the same numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from redink._version import __version__


def make_signature(command: str, **parts: Any) -> dict[str, Any]:
    """A signature: the version and the command, then the parts that were given.

    Parts that are None (options not used) are left out.
    """
    given = {name: value for name, value in parts.items() if value is not None}
    return {"redink": __version__, "command": command, **given}


def fingerprint(parts: Iterable[str | bytes]) -> str:
    """Twelve hexadecimal digits that name the data; the parts are kept apart from one another."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(b"%b%b" % (len(data).to_bytes(8, "big"), data))
    return digest.hexdigest()[:12]
