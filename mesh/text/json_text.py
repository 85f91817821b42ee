"""JSON that somebody sent: read, or refused in our own words."""

from __future__ import annotations

import json
from typing import Any

from mesh.errors import INVALID_ARGUMENT, AssayError

DEEPEST = 100
_NAMES = {dict: "object", list: "list"}


def read_json(text: str, field: str, kind: type[dict[str, Any]] | type[list[Any]] = dict) -> Any:
    """What `text` says: an object, or a list where `kind` is list; empty text is an empty one.

    Raises AssayError(INVALID_ARGUMENT), which names `field` and shows nothing of the text.
    """
    try:
        found = json.loads(text) if text else kind()
    except json.JSONDecodeError as error:
        why = f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        raise _refused(field, why) from None
    except ValueError:
        raise _refused(field, "holds a number of too many digits") from None
    except RecursionError:
        raise _refused(field, f"is nested deeper than {DEEPEST} levels") from None
    if not isinstance(found, kind):
        raise _refused(field, f"is not a JSON {_NAMES[kind]}")
    _check(found, field)
    return found


def _check(found: Any, field: str) -> None:
    """Refuse what cannot be written again: half of a character, or what is nested too deep."""
    level, depth = [found], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise _refused(field, f"is nested deeper than {DEEPEST} levels")
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                below += value
            elif isinstance(value, str) and not _is_text(value):
                raise _refused(field, "holds half of a character")
        level = below


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refused(field: str, why: str) -> AssayError:
    return AssayError(INVALID_ARGUMENT, f"{field} {why}", fields={field: why})
