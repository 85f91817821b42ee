"""What a value lacks that pydantic refused, in our own words."""

from __future__ import annotations

from pydantic import ValidationError

_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is unknown here",
    "string_too_short": "is too short",
    "string_too_long": "is too long",
    "string_pattern_mismatch": "is not spelt as it must be",
    "too_short": "has too few",
    "too_long": "has too many",
    "greater_than": "is too small",
    "greater_than_equal": "is too small",
    "less_than": "is too large",
    "less_than_equal": "is too large",
    "finite_number": "is not a number",
    "literal_error": "is none of the values there are",
    "enum": "is none of the values there are",
}


def faults_of(error: ValidationError, whole: str) -> dict[str, str]:
    """What is wrong, by the path of each field; `whole` is the name where it is not one field."""
    return {
        ".".join(map(str, item["loc"])) or whole: _words(item["type"], item["msg"])
        for item in error.errors(include_url=False, include_input=False, include_context=False)
    }


def _words(kind: str, text: str) -> str:
    if kind in ("value_error", "assertion_error"):  # our own words, behind pydantic's
        return text.partition(", ")[2]
    return _WORDS.get(kind, "is not of the kind it must be")
