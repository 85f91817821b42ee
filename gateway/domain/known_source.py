"""Sources that a user gave names, to ask about them again and again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from mesh.errors import INVALID_ARGUMENT, AssayError

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")


@dataclass(frozen=True, slots=True)
class KnownSource:
    """A source under its name; `source` is its description as the contract's JSON, no secrets."""

    tenant: str
    name: str
    source: str
    created_at: datetime


def source_name(text: str, field: str) -> str:
    """The name in its one spelling. Raises AssayError(INVALID_ARGUMENT) naming `field`."""
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise AssayError(
            INVALID_ARGUMENT,
            f"{text[:40]!r} is no name for a source",
            hint='Begin with a letter, and use letters, digits, "_" and "-", 63 at most.',
            fields={field: "a letter, then letters, digits, _ and -, at most 63"},
        )
    return name
