"""Signed-in browsers: what a cookie stands for. Its secret is told once; only the hash is kept.

The cookie also holds the token that was signed in with, so that none is kept on the server; what a
caller may do is that token's to say, at every call.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

SECRET_BYTES = 32
LONGEST_COOKIE = 4_000
"""Browsers keep 4,096 bytes of a cookie with its name and attributes (RFC 6265, section 6.1)."""

_COOKIE = re.compile(r"([A-Za-z0-9_-]{43})(?:~([!-~]*))?")


class How(StrEnum):
    """By what a browser was signed in."""

    LOCAL = "local"  # the start link of this user's own mesh
    TOKEN = "token"  # a token that was pasted
    PROVIDER = "provider"  # an OpenID Connect provider


@dataclass(frozen=True, slots=True)
class SignIn:
    """A signed-in browser as it is kept, by the hash of its secret."""

    sign_in_id: str
    tenant: str
    user: str
    how: How
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Cookie:
    """What a browser sends: a secret, and the token that it was signed in with, if any."""

    secret: str
    token: str = ""

    @staticmethod
    def fresh(token: str = "") -> Cookie:
        """One that nobody can guess."""
        return Cookie(secrets.token_urlsafe(SECRET_BYTES), token)

    @staticmethod
    def parse(text: str) -> Cookie | None:
        """None for what is no such cookie."""
        found = _COOKIE.fullmatch(text) if len(text) <= LONGEST_COOKIE else None
        return None if found is None else Cookie(found[1], found[2] or "")

    @property
    def sign_in_id(self) -> str:
        """The SHA-256 of the secret, in hexadecimal digits: random bits need no salt."""
        return hashlib.sha256(self.secret.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.secret}~{self.token}" if self.token else self.secret


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a browser keeps while it is at the provider: what must come back, and the proof of who
    began."""

    state: str
    nonce: str
    verifier: str

    @staticmethod
    def fresh() -> Attempt:
        """One that nobody can guess."""
        return Attempt(*(secrets.token_urlsafe(32) for _ in range(3)))

    @staticmethod
    def parse(text: str) -> Attempt | None:
        """None for what is none."""
        parts = text.split(".")
        return Attempt(*parts) if len(parts) == 3 and all(parts) else None

    def __str__(self) -> str:
        return f"{self.state}.{self.nonce}.{self.verifier}"
