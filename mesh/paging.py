"""Pages of lists: how large one is, and where the next begins.

A token holds the keys of the last row that was given (keyset pagination), so that what is added or
deleted meanwhile neither repeats nor hides a row. It is opaque to callers, and says which list and
filter it belongs to: one of another list is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from datetime import datetime

from mesh.errors import INVALID_ARGUMENT, AssayError

_LONGEST_TOKEN = 1_024


def page_size(wanted: int, default: int, largest: int, name: str = "page_size") -> int:
    """How many rows a page has: `default` for 0. `name` is the field that says so.

    Raises AssayError(INVALID_ARGUMENT) for fewer than 0 or more than `largest`.
    """
    if not 0 <= wanted <= largest:
        raise AssayError(
            INVALID_ARGUMENT,
            f"a page of {wanted:,} cannot be given; it may hold 1 to {largest:,}",
            fields={name: f"must lie between 0 (then {default}) and {largest}"},
        )
    return wanted or default


def token_of(listing: str, keys: Sequence[str | int]) -> str:
    """The token of the page after the row with these keys; `listing` names list and filter."""
    text = json.dumps([listing, *keys], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def keys_of(listing: str, token: str, types: Sequence[type]) -> list[str | int] | None:
    """The keys in a token of this list, of the given types; None for the first page.

    Raises AssayError(INVALID_ARGUMENT) for a token that was never given for this list.
    """
    if not token:
        return None
    try:
        if len(token) > _LONGEST_TOKEN:
            raise ValueError
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        found = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(found, list) or found[:1] != [listing] or len(found) != 1 + len(types):
            raise ValueError
        keys = found[1:]
        if any(type(key) is not kind for key, kind in zip(keys, types, strict=True)):
            raise ValueError
    except (ValueError, UnicodeError, binascii.Error, RecursionError):
        raise AssayError(
            INVALID_ARGUMENT,
            "the page token is not one that this list gave",
            hint="Send the next_page_token of an earlier answer to the same list and filter.",
            fields={"page_token": "was never given for this list"},
        ) from None
    return list(keys)


def moment_key(moment: datetime) -> str:
    """A moment as a key."""
    return moment.isoformat()


def moment_of(key: str | int) -> datetime:
    """The moment of a key. Raises AssayError(INVALID_ARGUMENT)."""
    try:
        moment = datetime.fromisoformat(str(key))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise AssayError(
            INVALID_ARGUMENT,
            "the page token is not one that this list gave",
            fields={"page_token": "was never given for this list"},
        )
    return moment
