"""Ids: UUIDs as 32 lower-case hex characters, on the wire and in tables."""

from __future__ import annotations

import re
import uuid

from mesh.errors import INVALID_ARGUMENT, AssayError

_HEX = re.compile(r"[0-9a-f]{32}")
_USER = re.compile(r"[!-+\--~]([ -+\--~]{0,98}[!-+\--~])?")


def new_id() -> str:
    """A fresh id."""
    return uuid.uuid4().hex


def derived_id(*parts: str) -> str:
    """The id that follows from `parts`: made again from the same, it is the same id."""
    return uuid.uuid5(uuid.NAMESPACE_OID, ":".join(parts)).hex


def is_id(text: str) -> bool:
    """Whether `text` is spelled as an id is."""
    return _HEX.fullmatch(text) is not None


def parse_id(text: str, field: str) -> str:
    """`text` as an id; accepts any UUID spelling.

    Raises AssayError(INVALID_ARGUMENT) naming `field`.
    """
    try:
        return uuid.UUID(text).hex
    except ValueError as error:
        raise AssayError(
            INVALID_ARGUMENT,
            f"{field} is not an id: {text[:40]!r}",
            hint="An id is a UUID: 32 hex characters.",
            fields={field: "not a UUID"},
        ) from error


def is_user_name(text: str) -> bool:
    """Whether a user or tenant may be called `text`: 1 to 100 printable ASCII characters, of which
    the first and last are no space, and none is a comma (which joins repeated headers)."""
    return _USER.fullmatch(text) is not None
