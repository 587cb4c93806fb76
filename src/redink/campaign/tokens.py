"""Tokens: what is in a link, what is kept of it, and what a form must carry."""

from __future__ import annotations

import hashlib
import hmac
import secrets


def new_token() -> str:
    """A random token for a link: 192 bits, nobody can guess it."""
    return secrets.token_urlsafe(24)


def hash_token(token: str) -> str:
    """What the database keeps. Random tokens need no salt and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def form_token(secret: str, token: str) -> str:
    """What every form of this token's owner must carry, so that no other site can post it."""
    return hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare secrets without telling by the time taken how much of them agrees."""
    return hmac.compare_digest(one.encode(), other.encode())
