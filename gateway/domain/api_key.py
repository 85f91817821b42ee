"""API keys: what a program is known by. A key's secret is told once; only its hash is kept.

The secret is 256 random bits, so its hash needs no salt and no slowness: nobody guesses it, with or
without the hash. A hash that is made for passwords, such as Argon2, would cost every call tens of
milliseconds and protect nothing more.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import is_user_name
from mesh.roles import Role

PREFIX = "assay_"
"""What every token of a key begins with: by it tools that look for leaked secrets know one."""

SECRET_BYTES = 32
DEFAULT_LIFETIME = timedelta(days=90)
LONGEST_LIFETIME = timedelta(days=366)
LONGEST_LABEL = 200

_TOKEN = re.compile(PREFIX + r"([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_KEY_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is kept. `secret_hash` is the SHA-256 of its secret, in hexadecimal digits."""

    key_id: str
    secret_hash: str
    tenant: str
    user: str
    role: Role
    label: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None

    def has(self, secret: str) -> bool:
        """Whether the secret is this key's, in a time that says nothing of how nearly it is."""
        return hmac.compare_digest(secret_hash(secret), self.secret_hash)


def secret_hash(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def token_of(key_id: str, secret: str) -> str:
    """What a program sends."""
    return f"{PREFIX}{key_id}_{secret}"


def parts_of(token: str) -> tuple[str, str] | None:
    """The key's id and the secret in a token; None for what is not spelled like one."""
    found = _TOKEN.fullmatch(token)
    return (found[1], found[2]) if found else None


def key_id_of(text: str) -> str:
    """The id of a key as a caller names it. Raises AssayError(INVALID_ARGUMENT)."""
    if not _KEY_ID.fullmatch(text):
        raise AssayError(
            INVALID_ARGUMENT,
            f"{text[:40]!r} is not a key's id",
            hint="An id is the 16 hexadecimal characters after assay_; the list of keys tells it.",
            fields={"token_id": "not 16 hexadecimal characters"},
        )
    return text


def check_new(user: str, role: Role, label: str, lifetime: timedelta) -> None:
    """Raises AssayError(INVALID_ARGUMENT) naming every field that cannot be."""
    faults: dict[str, str] = {}
    if not is_user_name(user):
        faults["user"] = "must have 1 to 100 printable ASCII characters and no comma"
    if role is Role.NONE:
        faults["role"] = "must be reader, analyst or operator"
    if len(label) > LONGEST_LABEL or not label.isprintable():
        faults["label"] = f"must have at most {LONGEST_LABEL} printable characters"
    if not timedelta(0) < lifetime <= LONGEST_LIFETIME:
        faults["lifetime"] = f"must be more than nothing and at most {LONGEST_LIFETIME.days} days"
    if faults:
        text = "; ".join(f"{name} {fault}" for name, fault in faults.items())
        raise AssayError(INVALID_ARGUMENT, f"no such key can be made: {text}", fields=faults)
