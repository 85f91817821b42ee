"""What a tool of a domain is given for a question: only what its schema leaves no doubt of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_FOR_A_QUESTION = ("question", "query", "q", "text", "prompt", "input", "message", "search")


def arguments_for(schema: Mapping[str, Any], question: str) -> dict[str, Any] | None:
    """Arguments that hold the question; none of their values is guessed.

    A tool without required arguments is called with the question where it has a place for one. None
    where it needs something else. A place is text under a name that means a question, or the only
    required argument, if that is any text.
    """
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    given = schema.get("required")
    required = [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
    texts = [name for name in known if _any_text(known[name])]
    by_name = {name.lower(): name for name in texts}
    place = next((by_name[word] for word in _FOR_A_QUESTION if word in by_name), None)
    if place is None and len(required) == 1 and required[0] in texts:
        place = required[0]
    if any(name != place for name in required):
        return None
    return {place: question} if place is not None else {}


def _any_text(schema: Any) -> bool:
    return (
        isinstance(schema, Mapping)
        and schema.get("type") == "string"
        and not {"enum", "const", "pattern", "format"} & set(schema)
    )
