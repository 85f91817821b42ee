"""The one spelling of a JSON value, for hashing and comparing."""

from __future__ import annotations

import json
from typing import Any


def canonical_json(value: Any) -> bytes:
    """The one UTF-8 JSON text of a value made of dicts, lists, strings, numbers, booleans, None.

    Keys are sorted by code point, nothing stands between tokens, characters outside ASCII are
    written as themselves, and floats as the shortest text that reads back as the same number, so
    `1` and `1.0` differ. Text is not normalised. Raises ValueError for NaN, infinities and lone
    surrogates, TypeError for anything JSON has no form for.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()
